"""Chandra and Toueg's consensus with a rotating coordinator."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from .common import EMPTY, Graph, Move, Value, Values, members, search

FILE = "protocols/detect/ct_consensus.model"
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {},
    "four": {"processes": 4, "detector": "Perfect"},
    "never_calm": {"detector": "NeverCalm"},
    "nobody_is_suspected": {"complete": False, "detector": "Perfect"},
    "half_down": {"processes": 2, "detector": "Perfect"},
    "two_of_four_down": {"processes": 4, "detector": "Perfect", "crashes": 2},
    "tells_once": {"relays": False, "detector": "Perfect"},
    "half_is_enough": {"processes": 2, "majorities": False},
    "ignores_stamps": {"heeds_stamps": False, "detector": "NeverCalm"},
    "fair_weather": {
        "detector": "NeverCalm",
        "complete": False,
        "majorities": False,
        "heeds_stamps": False,
        "relays": False,
        "crashes": 0,
        "suspicions": False,
    },
}

WEAK = {"propose", "adopt", "give_up", "decide", "next_round", "tell", "trust"}
UNDECIDED, DECIDED, TOLD = ("Undecided",), ("Decided",), ("Told",)


def decisions(s: Values) -> set[str]:
    """The values that somebody has decided."""
    processes = [name.split(".")[0] for name in s if name.endswith(".fate")]
    return {s[f"{p}.estimate"] for p in processes if s[f"{p}.fate"] != UNDECIDED}


def explore(
    processes: int = 3,
    values: int = 2,
    detector: str = "EventuallyStrong",
    complete: bool = True,
    majorities: bool = True,
    heeds_stamps: bool = True,
    relays: bool = True,
    crashes: int = 1,
    suspicions: bool = True,
) -> Graph:
    everyone = range(1, processes + 1)

    def initial() -> Iterator[dict[str, Value]]:
        for inputs in product(members("v", values), repeat=processes):
            state: dict[str, Value] = {
                "round.coordinator": 1,
                "round.inputs": frozenset(inputs),
                "detector.trusted": EMPTY,
                "network.estimates": frozenset(everyone),
                "network.proposal": None,
                "network.acks": EMPTY,
                "network.nacks": EMPTY,
                "budget.crash": 0,
            }
            if not suspicions:
                state["budget.suspect"] = 0
            for p, value in zip(everyone, inputs, strict=True):
                state |= {f"{p}.up": True, f"{p}.estimate": value}
                state |= {f"{p}.stamp": 0, f"{p}.fate": UNDECIDED}
            yield state

    def is_quorum(some: Collection[int]) -> bool:
        return 2 * len(some) > processes - (0 if majorities else 1)

    def moves(s: Values) -> Iterator[Move]:
        c, trusted, proposal = s["round.coordinator"], s["detector.trusted"], s["network.proposal"]
        estimates, acks, nacks = s["network.estimates"], s["network.acks"], s["network.nacks"]
        alive = {p for p in everyone if s[f"{p}.up"]}
        active = {p for p in alive if s[f"{p}.fate"] == UNDECIDED}
        waiting = active - acks - nacks

        def adopt(p: int, value: str) -> dict[str, Value]:
            return {
                f"{p}.estimate": value,
                f"{p}.stamp": processes,
                "network.acks": acks | {p},
            }

        if c in active:
            for p in estimates:
                stamp, value = s[f"{p}.stamp"], s[f"{p}.estimate"]
                no_newer = {q for q in estimates if s[f"{q}.stamp"] <= stamp}
                if is_quorum(no_newer if heeds_stamps else estimates):
                    changes = {"network.estimates": EMPTY, "network.proposal": value}
                    yield "propose", (c, p), changes | adopt(c, value)
            if is_quorum(acks):
                yield "decide", (c,), {f"{c}.fate": DECIDED}
        for p in waiting:
            if proposal is not None:
                yield "adopt", (p,), adopt(p, proposal)
            refused = {"network.nacks": nacks | {p}}
            if c not in alive and complete:
                yield "give_up", (p,), refused
            if c in alive - {p} and suspicions and detector != "Perfect" and c not in trusted:
                yield "suspect", (p,), refused
        if active and not waiting and (c not in active or nacks):
            after: dict[str, Value] = {
                "round.coordinator": 1 if c == processes else c + 1,
                "network.estimates": frozenset(active),
                "network.proposal": None,
                "network.acks": EMPTY,
                "network.nacks": EMPTY,
            }
            for p in everyone:
                older = [q for q in active if s[f"{q}.stamp"] < s[f"{p}.stamp"]]
                after[f"{p}.stamp"] = len(older) if p in active else 0
            yield "next_round", (), after
        for p in alive - active:
            if s[f"{p}.fate"] == DECIDED or relays:
                for q in active:
                    changes = {
                        f"{q}.fate": TOLD,
                        f"{q}.estimate": s[f"{p}.estimate"],
                        "network.estimates": estimates - {q},
                    }
                    yield "tell", (p, q), changes
        for p in alive:
            wanted = detector == "EventuallyPerfect" or (
                detector == "EventuallyStrong" and not trusted
            )
            if wanted and p not in trusted:
                yield "trust", (p,), {"detector.trusted": trusted | {p}}
            if s["budget.crash"] < crashes:
                down = {f"{p}.up": False, "detector.trusted": trusted - {p}}
                yield "crash", (p,), down | {"budget.crash": s["budget.crash"] + 1}

    return search(initial(), moves, {"suspect", "crash"})
