"""The alternating bit over queues that lose, and at worst let packets overtake."""

from __future__ import annotations

from collections.abc import Iterator

from .common import Graph, Move, Value, Values, search

FILE = "protocols/eomp/alternating_bit.model"
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {"messages": 3, "room": 2},
    "unfair_link": {"messages": 3, "room": 2, "fair_link": False},
    "takes_any_packet": {"messages": 3, "room": 2, "check_packet": False},
    "heeds_any_answer": {"messages": 3, "room": 2, "check_answer": False},
    "overtaking": {"messages": 3, "room": 2, "overtakes": 1},
}

WEAK = {"send"}
STRONG = {"receive", "hear"}


def explore(
    messages: int,
    room: int,
    fair_link: bool = True,
    check_packet: bool = True,
    check_answer: bool = True,
    overtakes: int = 0,
) -> Graph:
    initial: dict[str, Value] = {
        "sender.next": 1,
        "sender.bit": 0,
        "receiver.bit": 0,
        "receiver.received": ("seq",),
        "link.packets": ("seq",),
        "link.answers": ("seq",),
        "budget.overtake": 0,
    }
    suffix = "" if fair_link else "_by_luck"

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        packets, answers = s["link.packets"][1:], s["link.answers"][1:]
        following, bit = s["sender.next"], s["sender.bit"]
        if following <= messages and len(packets) < room:
            yield "send", (), {"link.packets": ("seq", *packets, ("Packet", bit, following))}
        if packets:
            _, b, m = packets[0]
            changes = {"link.packets": ("seq", *packets[1:])}
            if b == s["receiver.bit"] or not check_packet:
                changes["receiver.received"] = (*s["receiver.received"], m)
                changes["receiver.bit"] = 1 - s["receiver.bit"]
            if len(answers) < room:
                changes["link.answers"] = ("seq", *answers, b)
            # A place too many is a violated `capacity`: such a step is not taken.
            if len(changes.get("receiver.received", ("seq",))) - 1 <= messages + 1:
                yield "receive" + suffix, (), changes
        if answers:
            changes = {"link.answers": ("seq", *answers[1:])}
            if following <= messages and (answers[0] == bit or not check_answer):
                changes |= {"sender.next": following + 1, "sender.bit": 1 - bit}
            yield "hear" + suffix, (), changes
        for i in range(len(packets)):
            shorter = (*packets[:i], *packets[i + 1 :])
            yield "lose_packet", (i + 1,), {"link.packets": ("seq", *shorter)}
            if i > 0 and s["budget.overtake"] < overtakes:
                changes = {
                    "link.packets": ("seq", packets[i], *shorter),
                    "budget.overtake": s["budget.overtake"] + 1,
                }
                yield "overtake", (i + 1,), changes
        for i in range(len(answers)):
            shorter = (*answers[:i], *answers[i + 1 :])
            yield "lose_answer", (i + 1,), {"link.answers": ("seq", *shorter)}

    return search([initial], moves, {"lose_packet", "lose_answer", "overtake"})
