"""Whether a history is linearizable, by trying every order.

After Wing and Gong, "Testing and verifying concurrent objects", 1993: an
operation may come next if no other one that is still to be placed returned
before it was called. Shares no code with the tool; exponential, and meant to be
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import evolve, frozen

Run = Callable[[str, tuple[Any, ...], Any], "tuple[Any, Any] | None"]
"""(operation, arguments, state) to (answer, state after), None if it cannot take effect."""


@frozen
class Event:
    """kind  "call", "return" or "abandon"; `answer` is None where nothing is returned"""

    kind: str
    caller: int
    operation: str = ""
    arguments: tuple[Any, ...] = ()
    answer: Any = None


@frozen
class Interval:
    """An operation from its call to its return, by the positions of these; `end` None: none."""

    operation: str
    arguments: tuple[Any, ...]
    start: int
    end: int | None = None
    answer: Any = None


def intervals(history: Iterable[Event]) -> list[Interval]:
    """The operations of a history in which every return has a call."""
    found: list[Interval] = []
    open_: dict[int, int] = {}
    for position, event in enumerate(history):
        if event.kind == "call":
            open_[event.caller] = len(found)
            found.append(Interval(event.operation, event.arguments, position))
            continue
        number = open_.pop(event.caller)
        if event.kind == "return":
            found[number] = evolve(found[number], end=position, answer=event.answer)
    return found


def is_linearizable(history: Iterable[Event], run: Run, first: Any) -> bool:
    """Whether all that returned, and any of the rest, can be put in one order."""
    return _place(tuple(intervals(history)), run, first)


def _place(left: tuple[Interval, ...], run: Run, state: Any) -> bool:
    ends = [each.end for each in left if each.end is not None]
    if not ends:
        return True
    for number, each in enumerate(left):
        if each.start > min(ends):
            continue
        done = run(each.operation, each.arguments, state)
        if done is None:
            continue
        answer, after = done
        if each.end is not None and answer != each.answer:
            continue
        if _place((*left[:number], *left[number + 1 :]), run, after):
            return True
    return False
