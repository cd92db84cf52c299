"""One ballot, one leader; and two readings of it as Voting, a right one and a wrong one."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, is_majority, members, search

FILE = "tests/refinement/wrong_mapping.model"
_SMALL = {"acceptors": 3, "values": 2}
CHECKS = {"right": _SMALL, "wrong": _SMALL}


def to_voting(s: Values, acceptors: int, hides_promises: bool) -> dict[str, Value]:
    mapped: dict[str, Value] = {}
    for a in members("a", acceptors):
        vote = ("Vote", 0, s["leader.value"])
        mapped[f"{a}.votes"] = frozenset({vote}) if s[f"{a}.voted"] else EMPTY
        mapped[f"{a}.max_bal"] = 0 if s[f"{a}.promised"] and not hides_promises else -1
    return mapped


def explore(acceptors: int, values: int) -> Graph:
    everyone = members("a", acceptors)
    idle = {f"{a}.{what}": False for a in everyone for what in ("promised", "voted")}

    def moves(s: Values) -> Iterator[Move]:
        promised = [a for a in everyone if s[f"{a}.promised"]]
        for a in everyone:
            if a not in promised:
                yield "promise", (a,), {f"{a}.promised": True}
            if not s[f"{a}.voted"] and is_majority(promised, everyone):
                yield "vote", (a,), {f"{a}.promised": True, f"{a}.voted": True}

    return search([{**idle, "leader.value": v} for v in members("v", values)], moves)
