"""Ballots of votes: one is cast only where the ballots before can choose nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .common import EMPTY, Graph, Move, Value, Values, members, search, subsets

FILE = "tests/calibration/voting.model"
CHECKS = {"a3v2b2": {"acceptors": 3, "values": 2, "last": 2}}


def pairs(acceptors: int) -> list[frozenset[str]]:
    """The quorums of the published instance: two of three, without the whole set."""
    assert acceptors == 3
    return [q for q in subsets(members("a", acceptors)) if len(q) == 2]


def chosen(s: Values, acceptors: int, values: int, last: int) -> frozenset[str]:
    return frozenset(
        v
        for v, b, q in product(members("v", values), range(last + 1), pairs(acceptors))
        if all(("Vote", b, v) in s[f"{a}.votes"] for a in q)
    )


def explore(acceptors: int, values: int, last: int) -> Graph:
    everyone = members("a", acceptors)
    initial: dict[str, Value] = {}
    for a in everyone:
        initial |= {f"{a}.votes": EMPTY, f"{a}.max_bal": -1}

    def moves(s: Values) -> Iterator[Move]:
        votes = {a: s[f"{a}.votes"] for a in everyone}
        max_bal = {a: s[f"{a}.max_bal"] for a in everyone}
        for a, b in product(everyone, range(last + 1)):
            if b > max_bal[a]:
                yield "increase_max_bal", (a, b), {f"{a}.max_bal": b}
            if max_bal[a] > b or any(d == b for _, d, _ in votes[a]):
                continue
            others = {v for o in everyone for _, d, v in votes[o] if d == b}

            def vote(v: str, a: str = a, b: int = b) -> dict[str, Value]:
                return {f"{a}.votes": votes[a] | {("Vote", b, v)}, f"{a}.max_bal": b}

            for q in pairs(acceptors):
                if any(max_bal[o] < b for o in q):
                    continue
                earlier = [d for o in q for _, d, _ in votes[o] if d < b]
                if not earlier:
                    for v in members("v", values):
                        if others <= {v}:
                            yield "vote_first", (a, b, v, q), vote(v)
                for w in q:
                    for latest in votes[w]:
                        _, d, v = latest
                        if d < b and d == max(earlier) and others <= {v}:
                            yield "vote_after", (a, b, q, w, latest), vote(v)

    return search([initial], moves)
