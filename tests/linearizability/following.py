"""Random histories followed by the tracker: what it says of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from modelcheck import api
from modelcheck.core.events import Abandoned, Called, Caller, Returned
from modelcheck.core.events import Event as Happened
from modelcheck.core.linearizing import BEGIN, Tracker
from modelcheck.core.types import INT, Option
from modelcheck.source import Source

from .objects import Object
from .wing_gong import Event

MODEL = """
protocol Claim
import "{file}.model" ({name})
type Digit = 0..3
type Client = 0..2
state
  idle
    x: bool = false
action rest
  idle.x := true
{claim} it: {name}({bindings})
check only
  expect it holds
"""


@cache
def tracker(of: Object, claim: str = "linearizable") -> Tracker:
    """That of a model which claims it of the object."""
    text = MODEL.format(file=of.file, name=of.name, bindings=of.bindings, claim=claim)
    history = api.load_source(Source("claim.model", text))["only"].model.history
    assert history is not None
    return Tracker(history.claims)


def as_followed(of: Tracker, event: Event) -> Happened:
    """The event as the tracker has it."""
    number, option = of.kind(INT), of.kind(Option(INT))
    caller = Caller(number, event.caller)
    match event.kind:
        case "call":
            claim, operation = of.position("it", event.operation)
            return Called(claim, operation, event.arguments, caller)
        case "return":
            answer: tuple[Any, ...] = () if event.answer is None else (event.answer,)
            if event.answer and isinstance(event.answer, tuple) and event.caller:
                # A `T` where the operation has a `T?`, as a file may write it.
                return Returned(event.answer, number, caller)
            kind = option if isinstance(event.answer, tuple) else number
            return Returned(answer, kind, caller)
        case _:
            return Abandoned(caller)


def first_violated(of: Tracker, history: Sequence[Event]) -> int | None:
    """How many events it takes until no order is left; None if there always is one."""
    number, found = BEGIN, None
    for position, event in enumerate(history, start=1):
        number = of.after(number, as_followed(of, event))
        if of.is_violated(number, 0):
            found = found or position
        else:
            assert found is None, "what has no order never gets one again"
    return found
