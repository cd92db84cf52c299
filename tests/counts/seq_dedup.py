"""Numbered messages over a link that loses, repeats and reorders."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, search

FILE = "protocols/eomp/seq_dedup.model"
_SMALL = {"messages": 3, "window": 2}
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {**_SMALL},
    "stop_and_wait": {"messages": 3, "window": 1, "test": "Newer"},
    "skips_gaps": {**_SMALL, "test": "Newer"},
    "no_test": {**_SMALL, "test": "Nothing"},
    "effect_then_number": {**_SMALL, "atomic": False},
    "starts_over": {**_SMALL, "remembers": False},
}

WEAK = {"send", "store"}
STRONG = {"receive", "hear"}
NEVER, ONCE, AGAIN = ("Never",), ("Once",), ("Again",)


def explore(
    messages: int,
    window: int,
    test: str = "Next",
    atomic: bool = True,
    remembers: bool = True,
) -> Graph:
    initial: dict[str, Value] = {
        "sender.answered": 0,
        "sender.before": 0,
        "receiver.last": 0,
        "receiver.half": None,
        "outside.effect": ("map", tuple((m, NEVER) for m in range(1, messages + 1))),
        "link.packets": EMPTY,
        "link.answers": EMPTY,
    }

    def take(s: Values, number: int, message: int) -> dict[str, Value]:
        last, answers = s["receiver.last"], s["link.answers"]
        wanted = {"Next": number == last + 1, "Newer": number > last, "Nothing": True}[test]
        if not wanted:
            return {"link.answers": answers | {number}} if number <= last else {}
        effect = dict(s["outside.effect"][1])
        effect[message] = ONCE if effect[message] == NEVER else AGAIN
        changes: dict[str, Value] = {"outside.effect": ("map", tuple(sorted(effect.items())))}
        if not atomic:
            return changes | {"receiver.half": number}
        return changes | {"receiver.last": number, "link.answers": answers | {number}}

    def moves(s: Values) -> Iterator[Move]:
        packets, answers = s["link.packets"], s["link.answers"]
        answered, before, half = s["sender.answered"], s["sender.before"], s["receiver.half"]
        for i in range(answered + 1, min(answered + window, messages - before) + 1):
            yield "send", (i,), {"link.packets": packets | {("Packet", i, before + i)}}
        for packet in packets:
            _, number, message = packet
            if half is None:
                taken = take(s, number, message)
                yield "receive", (packet,), {"link.packets": packets - {packet}} | taken
                yield "repeat", (packet,), taken
            yield "lose_packet", (packet,), {"link.packets": packets - {packet}}
        for i in answers:
            rest = {"link.answers": answers - {i}}
            yield "hear", (i,), rest | {"sender.answered": max(answered, i)}
            yield "lose_answer", (i,), rest
        if half is not None:
            changes = {
                "receiver.last": half,
                "receiver.half": None,
                "link.answers": answers | {half},
            }
            yield "store", (), changes
            yield "crash", (), {"receiver.half": None}
        if not remembers and before == 0:
            yield "forget", (), {"sender.before": answered, "sender.answered": 0}

    return search([initial], moves, {"lose_packet", "lose_answer", "repeat", "crash", "forget"})
