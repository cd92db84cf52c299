"""The alternating bit over two queues that lose at any position, as AlternatingBit has it."""

from __future__ import annotations

from collections.abc import Iterator

from .common import Graph, Move, Value, Values, members, search
from .handover import starts

FILE = "tests/calibration/alternating_bit.model"
CHECKS = {"d2q2": {"data": 2, "room": 2}}


def to_handover(s: Values) -> dict[str, Value]:
    return {name: value for name, value in s.items() if not name.startswith("network.")}


def explore(data: int, room: int) -> Graph:
    everything = members("d", data)
    initial = [
        {**start, "network.msgs": ("seq",), "network.acks": ("seq",)} for start in starts(data)
    ]

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        msgs, acks, bit = s["network.msgs"], s["network.acks"], s["sender.bit"]
        if s["sender.ack"] == bit:
            for d in everything:
                changes = {
                    "sender.sent": d,
                    "sender.bit": 1 - bit,
                    "network.msgs": (*msgs, ("Msg", 1 - bit, d)),
                }
                yield "send_new", (d,), changes
        else:
            yield "send_again", (), {"network.msgs": (*msgs, ("Msg", bit, s["sender.sent"]))}
        if len(msgs) > 1:
            changes = {
                "network.msgs": ("seq", *msgs[2:]),
                "receiver.bit": msgs[1][1],
                "receiver.received": msgs[1][2],
            }
            yield "receive", (), changes
        yield "send_ack", (), {"network.acks": (*acks, s["receiver.bit"])}
        if len(acks) > 1:
            changes = {
                "network.acks": ("seq", *acks[2:]),
                "sender.ack": acks[1],
            }
            yield "receive_ack", (), changes
        for name, queue in (("msg", msgs), ("ack", acks)):
            for i in range(1, len(queue)):
                shorter = (*queue[:i], *queue[i + 1 :])
                yield f"lose_{name}", (i,), {f"network.{name}s": shorter}

    def fits(s: Values) -> bool:
        return len(s["network.msgs"]) - 1 <= room and len(s["network.acks"]) - 1 <= room

    return search(initial, moves, {"lose_msg", "lose_ack"}, fits)
