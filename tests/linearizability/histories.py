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
