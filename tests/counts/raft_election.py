"""Raft's elections: terms, votes that are counted, leaders, and restarts."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, is_majority, members, search

FILE = "protocols/consensus/raft_election.model"
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {"servers": 3, "terms": 2},
    "one_term": {"servers": 3, "terms": 1},
    "vote_not_durable": {"servers": 3, "terms": 1, "durable": False},
    "votes_twice": {"servers": 3, "terms": 1, "one_vote": False},
    "counts_old_votes": {"servers": 3, "terms": 2, "fresh_votes": False},
    "quorum_of_two": {"servers": 4, "terms": 1, "majorities": False},
}
FOLLOWER, CANDIDATE, LEADER = ("Follower",), ("Candidate",), ("Leader",)


def explore(
    servers: int,
    terms: int,
    durable: bool = True,
    one_vote: bool = True,
    fresh_votes: bool = True,
    majorities: bool = True,
) -> Graph:
    everyone = members("s", servers)
    initial: dict[str, Value] = {
        "network.requests": EMPTY,
        "network.grants": EMPTY,
        "history.elected": EMPTY,
        "budget.restart": 0,
    }
    for s in everyone:
        initial |= {f"{s}.term": 0, f"{s}.voted": None}
        initial |= {f"{s}.role": FOLLOWER, f"{s}.votes": EMPTY}

    def enough(votes: frozenset[str]) -> bool:
        return is_majority(votes, everyone) if majorities else len(votes) >= 2

    def moves(state: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        requests, grants = state["network.requests"], state["network.grants"]
        for s in everyone:
            role, votes = state[f"{s}.role"], state[f"{s}.votes"]
            term, voted = state[f"{s}.term"], state[f"{s}.voted"]
            if role != LEADER and term < terms:
                yield (
                    "time_out",
                    (s,),
                    {
                        f"{s}.term": term + 1,
                        f"{s}.voted": s,
                        f"{s}.role": CANDIDATE,
                        f"{s}.votes": frozenset({s}),
                        "network.requests": requests | {("Request", s, term + 1)},
                    },
                )
            for request in requests:
                _, by, newer = request
                following = {f"{s}.term": newer, f"{s}.role": FOLLOWER, f"{s}.votes": EMPTY}
                free = voted in (None, by) or not one_vote
                if by != s and (newer > term or (newer == term and free)):
                    changes = {
                        f"{s}.voted": by,
                        "network.grants": grants | {("Grant", s, by, newer)},
                    }
                    yield "vote", (s, request), following | changes
                if newer > term:
                    yield "step_down", (s, request), following | {f"{s}.voted": None}
            if role == CANDIDATE and enough(votes):
                changes = {
                    f"{s}.role": LEADER,
                    f"{s}.votes": EMPTY,
                    "history.elected": state["history.elected"] | {("Elected", s, term)},
                }
                yield "lead", (s,), changes
            if state["budget.restart"] < 1:
                changes = {"budget.restart": 1, f"{s}.role": FOLLOWER, f"{s}.votes": EMPTY}
                if not durable:
                    changes[f"{s}.voted"] = None
                yield "restart", (s,), changes
        for grant in grants:
            _, by, to, of = grant
            votes = state[f"{to}.votes"]
            if state[f"{to}.role"] != CANDIDATE or by in votes:
                continue
            if of == state[f"{to}.term"] or not fresh_votes:
                yield "count_vote", (grant,), {f"{to}.votes": votes | {by}}

    return search([initial], moves, {"restart"})
