"""Two-phase commit with crashes, lost messages and retries."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, members, search

FILE = "protocols/commit/two_phase.model"
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {"participants": 2},
    "never_recovers": {"participants": 2, "recovers": False},
    "tells_once": {"participants": 2, "repeats": False},
    "no_log": {"participants": 2, "logs": False},
    "any_yes": {"participants": 2, "needs_all": False},
    "breaks_promise": {"participants": 2, "keeps_promise": False},
    "forgets_yes": {"participants": 2, "remembers_yes": False},
}

WEAK = {"give_up", "repeat", "recover"}
STRONG = {"learn"}
COMMIT, ABORT = ("Commit",), ("Abort",)
WORKING, PREPARED = ("Working",), ("Prepared",)
COMMITTED, ABORTED = ("Committed",), ("Aborted",)


def explore(
    participants: int,
    recovers: bool = True,
    repeats: bool = True,
    logs: bool = True,
    needs_all: bool = True,
    keeps_promise: bool = True,
    remembers_yes: bool = True,
) -> Graph:
    everyone = members("p", participants)
    initial: dict[str, Value] = {
        "coordinator.up": True,
        "coordinator.decision": None,
        "coordinator.yes": EMPTY,
        "network.requests": EMPTY,
        "network.votes": EMPTY,
        "network.orders": EMPTY,
        "budget.crash": 0,
    }
    for p in everyone:
        initial[f"{p}.stage"] = WORKING

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        up, decision, yes = s["coordinator.up"], s["coordinator.decision"], s["coordinator.yes"]
        requests, votes, orders = s["network.requests"], s["network.votes"], s["network.orders"]
        deciding = up and decision is None

        def decide(d: Value) -> dict[str, Value]:
            told = {("Order", p, d) for p in everyone}
            return {"coordinator.decision": d, "network.orders": orders | told}

        for p in everyone:
            stage = s[f"{p}.stage"]
            if deciding and p not in yes and p not in requests:
                yield "ask", (p,), {"network.requests": requests | {p}}
            if p in requests and stage in (WORKING, PREPARED):
                changes = {
                    "network.requests": requests - {p},
                    "network.votes": votes | {p},
                    f"{p}.stage": PREPARED,
                }
                yield "say_yes", (p,), changes
            if stage == WORKING or (stage == PREPARED and not keeps_promise):
                yield "refuse", (p,), {f"{p}.stage": ABORTED}
            if p in votes and deciding:
                changes = {
                    "network.votes": votes - {p},
                    "coordinator.yes": yes | {p},
                }
                yield "tally", (p,), changes
            if repeats and up and decision is not None:
                again = ("Order", p, decision)
                if again not in orders:
                    yield "repeat", (p,), {"network.orders": orders | {again}}
            changes = {
                "network.requests": requests - {p},
                "network.votes": votes - {p},
                "network.orders": frozenset(m for m in orders if m[1] != p),
            }
            if not remembers_yes and stage == PREPARED:
                changes[f"{p}.stage"] = WORKING
            yield "reboot", (p,), changes
        if deciding:
            if yes == set(everyone) or (not needs_all and yes):
                yield "commit", (), decide(COMMIT)
            yield "give_up", (), decide(ABORT)
        for order in orders:
            _, p, d = order
            changes = {"network.orders": orders - {order}}
            if s[f"{p}.stage"] in (WORKING, PREPARED):
                changes[f"{p}.stage"] = COMMITTED if d == COMMIT else ABORTED
            yield "learn", (order,), changes
        if up and s["budget.crash"] < 1:
            changes = {"coordinator.up": False, "coordinator.yes": EMPTY, "budget.crash": 1}
            if not logs:
                changes["coordinator.decision"] = None
            yield "crash", (), changes
        if not up and recovers:
            changes = decide(ABORT) if decision is None else {}
            yield "recover", (), {"coordinator.up": True, **changes}

    return search([initial], moves, {"crash", "reboot"})
