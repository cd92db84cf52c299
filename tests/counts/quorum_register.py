"""A replicated register: answers from a majority, and what a read returns stored at one, too.

With KEEP the state holds every call and return so far, in their order: then what was returned can
be judged, and there are more states.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .common import EMPTY, Graph, Move, Value, Values, is_majority, members, search

FILE = "protocols/registers/quorum_register.model"
CHECKS: dict[str, dict[str, Value]] = {
    "written_back": {"replicas": 3, "operations": 1},
    "one_replica": {"replicas": 1, "operations": 2},
    "returned_at_once": {"replicas": 3, "operations": 1, "write_back": False},
}

WRITER = ("Writer",)
READERS = (("Alice",), ("Bob",))
IDLE = ("Idle",)


def explore(replicas: int, operations: int, write_back: bool = True, keep: bool = False) -> Graph:
    everyone = members("r", replicas)
    initial: dict[str, Value] = {"network.sent": EMPTY}
    if keep:
        initial["history"] = ()
    for r in everyone:
        initial[f"{r}.kept"] = 0
    for (name,) in (WRITER, *READERS):
        initial |= {f"{name}.phase": IDLE, f"{name}.begun": 0}

    def kept(s: Values, *event: Value) -> dict[str, Value]:
        return {"history": (*s["history"], event)} if keep else {}

    def moves(s: Values) -> Iterator[Move]:
        sent = s["network.sent"]
        if s["Writer.phase"] == IDLE and s["Writer.begun"] < operations:
            stamp = s["Writer.begun"] + 1
            yield (
                "write",
                (),
                {
                    "Writer.phase": ("Storing", EMPTY, stamp),
                    "Writer.begun": stamp,
                    "network.sent": sent | {stamp},
                }
                | kept(s, "call", "Writer", "write", stamp),
            )
        for c in READERS:
            [name] = c
            if s[f"{name}.phase"] == IDLE and s[f"{name}.begun"] < operations:
                yield (
                    "read",
                    (c,),
                    {
                        f"{name}.phase": ("Asking", EMPTY, 0),
                        f"{name}.begun": s[f"{name}.begun"] + 1,
                    }
                    | kept(s, "call", name, "read"),
                )
        for r, t in product(everyone, sent):
            if t > s[f"{r}.kept"]:
                yield "store", (r, t), {f"{r}.kept": t}
        for c in (WRITER, *READERS):
            yield from _gather(s, c)

    def _gather(s: Values, c: Value) -> Iterator[Move]:
        [name] = c
        place = f"{name}.phase"
        if s[place] == IDLE:
            return
        form, heard, stamp = s[place]
        if not is_majority(heard, everyone):
            for r in everyone:
                there = s[f"{r}.kept"]
                if form == "Asking":
                    yield "answer", (c, r), {place: (form, heard | {r}, max(stamp, there))}
                elif there >= stamp:
                    yield "acknowledge", (c, r), {place: (form, heard | {r}, stamp)}
            return
        done: dict[str, Value] = {place: IDLE}
        if c == WRITER:
            yield "finish_write", (), done | kept(s, "return", name, None)
        elif form == "Storing":
            yield "finish_read", (c,), done | kept(s, "return", name, stamp)
        elif write_back:
            storing = {place: ("Storing", EMPTY, stamp)}
            yield "write_back", (c,), storing | {"network.sent": s["network.sent"] | {stamp}}
        else:
            yield "return_at_once", (c,), done | kept(s, "return", name, stamp)

    return search([initial], moves)
