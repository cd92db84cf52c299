"""Single-decree Paxos: quorums, promises, and votes that are reported and heeded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .common import EMPTY, Graph, Move, Value, Values, is_majority, members, search, subsets

FILE = "protocols/consensus/paxos.model"
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {"acceptors": 3, "values": 2, "ballots": 2},
    "ignores_votes": {"acceptors": 3, "values": 2, "ballots": 2, "heeds_votes": False},
    "breaks_promise": {"acceptors": 2, "values": 2, "ballots": 2, "keeps_promise": False},
    "quorum_of_one": {"acceptors": 3, "values": 2, "ballots": 2, "majorities": False},
    "forgets": {"acceptors": 2, "values": 2, "ballots": 2, "durable": False},
}


def chosen(
    s: Values,
    acceptors: int,
    values: int,
    ballots: int,
    majorities: bool = True,
) -> frozenset[str]:
    def decided(b: int, v: str) -> bool:
        by = {a for _, a, c, w in s["network.votes"] if (c, w) == (b, v)}
        return is_majority(by, range(acceptors)) if majorities else bool(by)

    return frozenset(
        v for v in members("v", values) if any(decided(b, v) for b in range(1, ballots + 1))
    )


def explore(
    acceptors: int,
    values: int,
    ballots: int,
    durable: bool = True,
    heeds_votes: bool = True,
    keeps_promise: bool = True,
    majorities: bool = True,
) -> Graph:
    everyone = members("a", acceptors)
    quorums = [q for q in subsets(everyone) if (is_majority(q, everyone) if majorities else q)]
    initial: dict[str, Value] = {
        "network.prepares": EMPTY,
        "network.promises": EMPTY,
        "network.proposals": EMPTY,
        "network.votes": EMPTY,
    }
    for a in everyone:
        initial |= {f"{a}.promised": 0, f"{a}.vote": None}

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        prepares, promises = s["network.prepares"], s["network.promises"]
        proposals, votes = s["network.proposals"], s["network.votes"]
        for b in range(1, ballots + 1):
            if b not in prepares:
                yield "prepare", (b,), {"network.prepares": prepares | {b}}
            if any(c == b for _, c, _ in proposals):
                continue
            for q in quorums:
                heard = [m for m in promises if m[2] == b and m[1] in q]
                if {m[1] for m in heard} != q:
                    continue
                reported = {m[3] for m in heard if m[3] is not None}
                latest = max((c for _, c, _ in reported), default=0)
                bound = {v for _, c, v in reported if c == latest}
                for v in members("v", values):
                    if not heeds_votes or not reported or v in bound:
                        changes = {"network.proposals": proposals | {("Vote", b, v)}}
                        yield "propose", (b, v, q), changes
        for a, b in product(everyone, prepares):
            if b > s[f"{a}.promised"]:
                changes = {
                    f"{a}.promised": b,
                    "network.promises": promises | {("Promise", a, b, s[f"{a}.vote"])},
                }
                yield "promise", (a, b), changes
        for a, m in product(everyone, proposals):
            _, b, v = m
            voted = ("Voted", a, b, v)
            if (b >= s[f"{a}.promised"] or not keeps_promise) and voted not in votes:
                changes = {
                    f"{a}.promised": b,
                    f"{a}.vote": m,
                    "network.votes": votes | {voted},
                }
                yield "vote", (a, m), changes
        if not durable:
            for a in everyone:
                yield "crash", (a,), {f"{a}.promised": 0, f"{a}.vote": None}

    return search([initial], moves, {"crash"})
