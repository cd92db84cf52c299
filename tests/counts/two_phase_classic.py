"""Two-phase commit as TwoPhase has it: what is sent stays in a set and is never consumed."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, members, search

FILE = "tests/calibration/two_phase_classic.model"
CHECKS = {f"rm{n}": {"managers": n} for n in (3, 4, 5)}
LARGE = {f"rm{n}": {"managers": n} for n in (8, 9, 11)}  # not for this search

COMMIT, ABORT = ("CommitMsg",), ("AbortMsg",)


def explore(managers: int) -> Graph:
    everyone = members("m", managers)
    initial = {f"{r}.stage": ("Working",) for r in everyone} | {
        "tm.stage": ("TmInit",),
        "tm.prepared": EMPTY,
        "network.msgs": EMPTY,
    }

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        undecided = s["tm.stage"] == ("TmInit",)
        prepared, msgs = s["tm.prepared"], s["network.msgs"]
        if undecided and prepared == set(everyone):
            changes = {
                "tm.stage": ("TmCommitted",),
                "network.msgs": msgs | {COMMIT},
            }
            yield "tm_commit", (), changes
        if undecided:
            yield "tm_abort", (), {"tm.stage": ("TmAborted",), "network.msgs": msgs | {ABORT}}
        for r in everyone:
            vote = ("PreparedMsg", r)
            if undecided and vote in msgs:
                yield "tm_receive_prepared", (r,), {"tm.prepared": prepared | {r}}
            if s[f"{r}.stage"] == ("Working",):
                changes = {
                    f"{r}.stage": ("Prepared",),
                    "network.msgs": msgs | {vote},
                }
                yield "prepare", (r,), changes
                yield "choose_to_abort", (r,), {f"{r}.stage": ("Aborted",)}
            if COMMIT in msgs:
                yield "receive_commit", (r,), {f"{r}.stage": ("Committed",)}
            if ABORT in msgs:
                yield "receive_abort", (r,), {f"{r}.stage": ("Aborted",)}

    return search([initial], moves)
