"""Workers under epochs, and a row that tests and sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .common import EMPTY, Graph, Move, Value, Values, members, search

FILE = "protocols/fencing/tas_epoch.model"
_SMALL = {"workers": 2, "values": 2, "max_epoch": 2}
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {**_SMALL},
    "no_test": {**_SMALL, "test": "Nothing"},
    "tests_strictly": {**_SMALL, "test": "Newer"},
    "tests_backwards": {**_SMALL, "test": "NotNewer"},
    "reads_unfenced": {**_SMALL, "takeover": "ReadOnly"},
    "reads_first": {**_SMALL, "takeover": "ReadThenFence"},
    "tests_then_sets": {**_SMALL, "atomic": False},
    "allocator_forgets": {
        **_SMALL,
        "max_epoch": 1,
        "remembers": False,
        "budgets": {"failover": 1},
    },
    "numbers_go_back": {
        **_SMALL,
        "values": 1,
        "remembers": False,
        "budgets": {"failover": 1, "suspect": 2, "crash": 0},
    },
}

NO_BUDGETS: Mapping[str, int] = {}
IDLE = ("Idle",)
OPEN, TESTED, RAISED = ("Open",), ("Tested",), ("Raised",)


def explore(
    workers: int,
    values: int,
    max_epoch: int,
    test: str = "NotOlder",
    takeover: str = "FenceThenRead",
    atomic: bool = True,
    remembers: bool = True,
    budgets: Mapping[str, int] = NO_BUDGETS,
) -> Graph:
    everyone = members("w", workers)
    first: dict[str, Value] = {
        "supervisor.wanted": True,
        "allocator.last": 0,
        "allocator.given": EMPTY,
        "row.epoch": 0,
        "row.effects": EMPTY,
        "network.writes": EMPTY,
    }
    first |= {f"{w}.stage": IDLE for w in everyone}
    first |= {f"budget.{fault}": 0 for fault in budgets}
    initial = [first | {"row.value": v} for v in members("v", values)]

    def passes(request: int, epoch: int) -> bool:
        return {
            "NotOlder": request >= epoch,
            "Newer": request > epoch,
            "NotNewer": request <= epoch,
            "Nothing": True,
        }[test]

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        last, epoch, writes = s["allocator.last"], s["row.epoch"], s["network.writes"]
        for w in everyone:
            stage = s[f"{w}.stage"]
            if stage == IDLE and s["supervisor.wanted"] and last < max_epoch:
                changes = {
                    "supervisor.wanted": False,
                    "allocator.last": last + 1,
                    "allocator.given": s["allocator.given"] | {("Claim", w, last + 1)},
                    f"{w}.stage": ("Starting", last + 1, OPEN, None),
                }
                yield "start", (w,), changes
            if stage[0] == "Starting":
                yield from starting(s, w, stage)
            if stage[0] == "Writing" or (
                stage[0] == "Starting"
                and stage[3] is not None
                and (stage[2] == RAISED or takeover == "ReadOnly")
            ):
                for v in members("v", values):
                    changes = {
                        f"{w}.stage": ("Writing", stage[1]),
                        "network.writes": writes | {("Write", w, stage[1], v)},
                    }
                    yield "send", (w, v), changes
            if stage != IDLE:
                yield from fault(s, "crash", (w,), {f"{w}.stage": IDLE})
        for write in writes:
            _, by, request, value = write
            changes = {"network.writes": writes - {write}}
            if passes(request, epoch):
                changes |= {
                    "row.epoch": request,
                    "row.value": value,
                    "row.effects": s["row.effects"] | {("Claim", by, request)},
                }
                yield "accept", (write,), changes
            else:
                if s[f"{by}.stage"] == ("Writing", request):
                    changes[f"{by}.stage"] = IDLE
                yield "refuse", (write,), changes
        if not s["supervisor.wanted"]:
            yield from fault(s, "suspect", (), {"supervisor.wanted": True})
        if not remembers:
            yield from fault(s, "failover", (), {"allocator.last": 0})

    def fault(
        s: Values, name: str, arguments: tuple[Value, ...], changes: dict[str, Value]
    ) -> Iterator[Move]:
        if name not in budgets:
            yield name, arguments, changes
        elif s[f"budget.{name}"] < budgets[name]:
            yield name, arguments, changes | {f"budget.{name}": s[f"budget.{name}"] + 1}

    def starting(s: Values, w: str, stage: Value) -> Iterator[Move]:
        _, e, fence, seen = stage
        due = takeover == "FenceThenRead" or (takeover == "ReadThenFence" and seen is not None)
        if fence == OPEN and due:
            if not passes(e, s["row.epoch"]):
                yield "turn_away", (w,), {f"{w}.stage": IDLE}
            elif atomic:
                changes = {f"{w}.stage": ("Starting", e, RAISED, seen), "row.epoch": e}
                yield "fence", (w,), changes
            else:
                yield "fence", (w,), {f"{w}.stage": ("Starting", e, TESTED, seen)}
        if fence == TESTED:
            changes = {f"{w}.stage": ("Starting", e, RAISED, seen), "row.epoch": e}
            yield "set_epoch", (w,), changes
        if seen is None and (fence == RAISED or takeover != "FenceThenRead"):
            yield "read", (w,), {f"{w}.stage": ("Starting", e, fence, s["row.value"])}

    return search(initial, moves, {"suspect", "crash", "failover"})
