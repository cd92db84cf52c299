"""Paxos as published for the tiny instance: ballots from 0, and -1 for none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .common import EMPTY, Graph, Move, Value, Values, members, search
from .voting import pairs

FILE = "tests/calibration/paxos_tiny.model"
CHECKS = {"a3v2b1": {"acceptors": 3, "values": 2, "last": 1}}


def to_voting(s: Values, acceptors: int) -> dict[str, Value]:
    mapped: dict[str, Value] = {}
    for a in members("a", acceptors):
        mapped[f"{a}.max_bal"] = s[f"{a}.max_bal"]
        mapped[f"{a}.votes"] = frozenset(
            ("Vote", b, v) for _, by, b, v in s["network.votes"] if by == a
        )
    return mapped


def explore(acceptors: int, values: int, last: int) -> Graph:
    everyone = members("a", acceptors)
    initial: dict[str, Value] = {
        "network.prepares": EMPTY,
        "network.promises": EMPTY,
        "network.accepts": EMPTY,
        "network.votes": EMPTY,
    }
    for a in everyone:
        initial |= {f"{a}.max_bal": -1, f"{a}.max_vbal": -1, f"{a}.max_val": None}

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        prepares, promises = s["network.prepares"], s["network.promises"]
        accepts, votes = s["network.accepts"], s["network.votes"]
        for b in range(last + 1):
            yield "phase_1a", (b,), {"network.prepares": prepares | {b}}
            if any(d == b for _, d, _ in accepts):
                continue
            for q in pairs(acceptors):
                heard = [m for m in promises if m[1] in q and m[2] == b]
                if {m[1] for m in heard} != q:
                    continue
                bound = [m for m in heard if m[3] >= 0]
                if not bound:
                    for v in members("v", values):
                        changes = {"network.accepts": accepts | {("Vote", b, v)}}
                        yield "phase_2a_free", (b, v, q), changes
                for m in bound:
                    if all(m[3] >= other[3] for other in bound):
                        changes = {"network.accepts": accepts | {("Vote", b, m[4])}}
                        yield "phase_2a_bound", (b, q, m), changes
        for a, b in product(everyone, prepares):
            if b > s[f"{a}.max_bal"]:
                promise = ("Promise", a, b, s[f"{a}.max_vbal"], s[f"{a}.max_val"])
                changes = {
                    f"{a}.max_bal": b,
                    "network.promises": promises | {promise},
                }
                yield "phase_1b", (a, b), changes
        for a, m in product(everyone, accepts):
            _, b, v = m
            if b >= s[f"{a}.max_bal"]:
                changes = {
                    f"{a}.max_bal": b,
                    f"{a}.max_vbal": b,
                    f"{a}.max_val": v,
                    "network.votes": votes | {("Voted", a, b, v)},
                }
                yield "phase_2b", (a, m), changes

    return search([initial], moves)
