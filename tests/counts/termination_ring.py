"""Termination detection on a ring by a coloured token."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .common import Graph, Move, Value, Values, search

FILE = "protocols/detect/termination_ring.model"
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {"last": 2},
    "four": {"last": 3},
    "keeps_quiet": {"last": 1, "confesses": False},
    "hides_stains": {"last": 1, "stains": False},
    "does_not_wait": {"last": 1, "waits": False},
    "forgets_itself": {"last": 1, "asks_itself": False},
    "never_forgives": {"last": 1, "forgives": False},
}

WEAK = {"start", "pass"}
WHITE, BLACK = ("White",), ("Black",)


def is_idle(s: Values) -> bool:
    return not any(value for name, value in s.items() if name.endswith(".working"))


def is_detected(s: Values, asks_itself: bool = True) -> bool:
    home = s["token.at"] == 0 and s["token.colour"] == WHITE
    return home and (not asks_itself or (s["0.colour"], s["0.working"]) == (WHITE, False))


def explore(
    last: int,
    confesses: bool = True,
    stains: bool = True,
    waits: bool = True,
    asks_itself: bool = True,  # of what is declared, and of no step
    forgives: bool = True,
) -> Graph:
    nodes = range(last + 1)

    def initial() -> Iterator[dict[str, Value]]:
        each = list(product([False, True], [WHITE, BLACK]))
        for at, all_of_them in product(nodes, product(each, repeat=last + 1)):
            state: dict[str, Value] = {"token.at": at, "token.colour": BLACK}
            for i, (working, colour) in enumerate(all_of_them):
                state |= {f"{i}.working": working, f"{i}.colour": colour}
            yield state

    def moves(s: Values) -> Iterator[Move]:
        at, token = s["token.at"], s["token.colour"]
        for i in nodes:
            working, colour = s[f"{i}.working"], s[f"{i}.colour"]
            if working:
                for j in nodes:
                    if j != i:
                        woken: dict[str, Value] = {f"{j}.working": True}
                        if j > i and confesses:
                            woken[f"{i}.colour"] = BLACK
                        yield "send", (i, j), woken
                yield "finish", (i,), {f"{i}.working": False}
            if at == i > 0 and not (waits and working and colour == token == WHITE):
                passed: dict[str, Value] = {"token.at": i - 1}
                if colour == BLACK and stains:
                    passed["token.colour"] = BLACK
                if forgives:
                    passed[f"{i}.colour"] = WHITE
                yield "pass", (i,), passed
        if at == 0 and BLACK in (token, s["0.colour"]):
            yield "start", (), {"token.at": last, "token.colour": WHITE, "0.colour": WHITE}

    return search(initial(), moves)
