"""Transaction commit without a mechanism, as TCommit has it; AtomicCommit has the same steps."""

from __future__ import annotations

from collections.abc import Iterator

from .common import Graph, Move, Values, members, search

FILE = "tests/calibration/transaction_commit.model"
CHECKS = {"rm3": {"managers": 3}}


def explore(managers: int, prefix: str = "m") -> Graph:
    everyone = members(prefix, managers)

    def moves(s: Values) -> Iterator[Move]:
        stage = {r: s[f"{r}.stage"][0] for r in everyone}
        all_ready = all(x in ("Prepared", "Committed") for x in stage.values())
        none_committed = "Committed" not in stage.values()
        for r in everyone:
            if stage[r] == "Working":
                yield "prepare", (r,), {f"{r}.stage": ("Prepared",)}
            if stage[r] == "Prepared" and all_ready:
                yield "commit", (r,), {f"{r}.stage": ("Committed",)}
            if stage[r] in ("Working", "Prepared") and none_committed:
                yield "abort", (r,), {f"{r}.stage": ("Aborted",)}

    return search([{f"{r}.stage": ("Working",) for r in everyone}], moves)
