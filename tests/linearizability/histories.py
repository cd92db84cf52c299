"""Random histories: what a real object might have done, or nearly."""

from __future__ import annotations

from random import Random
from typing import Any

from attrs import define

from .objects import Object
from .wing_gong import Event

CALLERS = 3
_MOST_EVENTS = 20


@define
class _Open:
    operation: str
    arguments: tuple[Any, ...]
    done: bool = False
    answer: Any = None


def random_history(chance: Random, of: Object) -> list[Event]:
    """Calls, returns and abandoned operations of three callers, at most twenty of them.

    An operation takes effect somewhere between, and some answer what they should not.
    """
    lies = chance.choice((0.0, 0.2, 0.5))
    state, events = of.first, list[Event]()
    open_: dict[int, _Open] = {}
    adrift: list[_Open] = []
    for _ in range(chance.randint(4, _MOST_EVENTS)):
        for each in [*open_.values(), *adrift]:
            if not each.done and chance.random() < 0.4:
                done = of.run(each.operation, each.arguments, state)
                if done is not None:
                    each.done = True
                    each.answer, state = done
        caller = chance.randrange(CALLERS)
        here = open_.get(caller)
        if here is None:
            operation, arguments = chance.choice(of.calls)
            arguments = tuple(caller if each == "me" else each for each in arguments)
            open_[caller] = _Open(operation, arguments)
            events.append(Event("call", caller, operation, arguments))
        elif chance.random() < 0.15:
            adrift.append(open_.pop(caller))
            events.append(Event("abandon", caller))
        elif here.done or chance.random() < lies:
            del open_[caller]
            answer, possible = here.answer, of.answers.get(here.operation)
            if possible is not None and (not here.done or chance.random() < lies):
                answer = chance.choice(possible)
            events.append(Event("return", caller, answer=answer))
    return events


def random_program_orders(chance: Random, of: Object) -> list[Event]:
    """The same of operations that happened in one order, each caller seen at its own pace.

    What a caller does may be seen long before or after what it happened next to;
    of some histories the last answers are as they should not be.
    """
    lies = chance.choice((0.0, 0.0, 0.3))
    state = of.first
    seen: dict[int, list[Event]] = {caller: [] for caller in range(CALLERS)}
    for _ in range(chance.randint(3, _MOST_EVENTS // 2)):
        caller = chance.randrange(CALLERS)
        operation, arguments = chance.choice(of.calls)
        arguments = tuple(caller if each == "me" else each for each in arguments)
        done = of.run(operation, arguments, state)
        seen[caller].append(Event("call", caller, operation, arguments))
        if done is None or chance.random() < 0.1:
            if done is not None and chance.random() < 0.5:
                state = done[1]
            seen[caller].append(Event("abandon", caller))
            continue
        answer, state = done
        if operation in of.answers and chance.random() < lies:
            answer = chance.choice(of.answers[operation])
        seen[caller].append(Event("return", caller, answer=answer))
    return _merged(chance, seen)


def _merged(chance: Random, seen: dict[int, list[Event]]) -> list[Event]:
    """One of the ways to see each caller's events in their order."""
    events = []
    pace = {caller: chance.choice((1, 1, 4)) for caller in seen}
    while any(seen.values()):
        ready = [caller for caller, left in seen.items() if left]
        [caller] = chance.choices(ready, [pace[each] for each in ready])
        events.append(seen[caller].pop(0))
    return events
