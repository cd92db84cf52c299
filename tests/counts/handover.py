"""What the alternating bit must do: a value is handed over, and then its bit comes back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .common import Graph, Move, Value, Values, members, search

FILE = "tests/calibration/handover.model"
CHECKS = {"d2": {"data": 2}}


def starts(data: int) -> list[dict[str, Value]]:
    return [
        {
            "sender.bit": bit,
            "sender.ack": bit,
            "sender.sent": sent,
            "receiver.bit": bit,
            "receiver.received": received,
        }
        for bit, sent, received in product((0, 1), members("d", data), members("d", data))
    ]


def explore(data: int) -> Graph:
    def moves(s: Values) -> Iterator[Move]:
        bit, ack, answer = s["sender.bit"], s["sender.ack"], s["receiver.bit"]
        if ack == bit:
            for d in members("d", data):
                yield "send_new", (d,), {"sender.sent": d, "sender.bit": 1 - bit}
        if answer != bit:
            yield "receive", (), {"receiver.bit": bit, "receiver.received": s["sender.sent"]}
        if ack != answer:
            yield "receive_ack", (), {"sender.ack": answer}

    return search(starts(data), moves)
