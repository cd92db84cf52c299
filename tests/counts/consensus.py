"""A value is chosen, once."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Values, members, search

FILE = "tests/calibration/consensus.model"
CHECKS = {"v3": {"values": 3}}


def explore(values: int) -> Graph:
    def moves(s: Values) -> Iterator[Move]:
        if not s["outcome.chosen"]:
            for v in members("v", values):
                yield "choose", (v,), {"outcome.chosen": frozenset({v})}

    return search([{"outcome.chosen": EMPTY}], moves)
