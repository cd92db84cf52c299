"""Leases under increasing tokens and a store that fences."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, members, search

FILE = "protocols/fencing/fenced_leader.model"
_SMALL = {"nodes": 2, "max_token": 2, "max_value": 2}
CHECKS: dict[str, dict[str, Value]] = {
    "fenced": {**_SMALL},
    "read_before_fence": {**_SMALL, "fence_on_takeover": False},
    "reused_token": {**_SMALL, "fresh_tokens": False},
}

WEAK = {"accept", "refuse"}
IDLE = ("Idle",)


def explore(
    nodes: int,
    max_token: int,
    max_value: int,
    fence_on_takeover: bool = True,
    fresh_tokens: bool = True,
    faults: bool = True,
) -> Graph:
    everyone = members("n", nodes)
    initial: dict[str, Value] = {
        "service.granted": 0,
        "service.holder": None,
        "store.fence": 0,
        "store.value": 0,
        "network.writes": EMPTY,
    }
    for n in everyone:
        initial |= {f"{n}.up": True, f"{n}.role": IDLE}

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        granted, holder = s["service.granted"], s["service.holder"]
        fence, value, writes = s["store.fence"], s["store.value"], s["network.writes"]
        for n in everyone:
            role = s[f"{n}.role"]
            ready = s[f"{n}.up"] and role == IDLE
            if ready and holder in (None, n) and granted < max_token:
                changes = {
                    "service.granted": granted + 1,
                    "service.holder": n,
                    f"{n}.role": ("Elected", granted + 1),
                }
                yield "acquire", (n,), changes
            if not fresh_tokens and ready and holder == n:
                yield "resume", (n,), {f"{n}.role": ("Elected", granted)}
            if role[0] == "Elected":
                token = role[1]
                if token >= fence:
                    changes = {f"{n}.role": ("Leading", token, value)}
                    if fence_on_takeover:
                        changes["store.fence"] = token
                    yield "take_over", (n,), changes
                else:
                    yield "step_down", (n,), {f"{n}.role": IDLE}
            if role[0] == "Leading" and role[2] < max_value:
                _, token, seen = role
                changes = {
                    f"{n}.role": ("Waiting", token, seen),
                    "network.writes": writes | {("Write", n, token, seen + 1)},
                }
                yield "send", (n,), changes
            if faults and holder == n:
                yield "suspect", (n,), {"service.holder": None}
            if faults and s[f"{n}.up"]:
                yield "crash", (n,), {f"{n}.up": False, f"{n}.role": IDLE}
            if not s[f"{n}.up"]:
                yield "restart", (n,), {f"{n}.up": True}
        for write in writes:
            _, by, token, written = write
            role = s[f"{by}.role"]
            if token >= fence:
                changes = {
                    "network.writes": writes - {write},
                    "store.fence": token,
                    "store.value": written,
                }
                if role == ("Waiting", token, written - 1):
                    changes[f"{by}.role"] = ("Leading", token, written)
                yield "accept", (write,), changes
            else:
                changes = {"network.writes": writes - {write}}
                if role[0] == "Waiting" and role[1] == token:
                    changes[f"{by}.role"] = IDLE
                yield "refuse", (write,), changes

    return search([initial], moves, {"suspect", "crash"})
