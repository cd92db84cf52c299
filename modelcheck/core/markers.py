"""Markers in a step: `call`, `return`, `abandon`, as events of the history.

Each changes the history at once, in the order of the text; the step's updates
happen in any case together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from modelcheck.core.clauses import RETURNS_TWICE
from modelcheck.core.events import Abandoned, Answer, Called, Caller, Event, Returned
from modelcheck.core.fits import judge
from modelcheck.core.frame import Failed, Frame, Of
from modelcheck.core.outcome import Failure
from modelcheck.core.terms import (
    AbandonOperation,
    CallOperation,
    ReturnOperation,
    Term,
)
from modelcheck.source import Span

if TYPE_CHECKING:
    from modelcheck.core.linearizing import Tracker
    from modelcheck.core.statements import Execution, Written

Marker: TypeAlias = CallOperation | ReturnOperation | AbandonOperation


def marker_execution(
    statement: Marker, of: Of, tracker: Tracker | None, returned: set[int]
) -> Execution:
    """What the marker does; without a tracker only what a step returns is kept.

    returned  gets the position of each claim of whose object an operation returns
    """
    match statement:
        case ReturnOperation():
            return _return(statement, of, tracker, returned)
        case _ if tracker is None:
            return lambda frame, written: None
        case CallOperation():
            return _call(statement, of, tracker)
        case AbandonOperation():
            return _abandon(statement, of, tracker)


def _call(statement: CallOperation, of: Of, tracker: Tracker) -> Execution:
    claim, number = tracker.position(statement.object, statement.operation)
    operation = tracker.claims[claim].object.operations[number]
    parameters = []
    for (name, type_), argument in zip(operation.parameters, statement.arguments, strict=True):
        fit = judge(type_, f"`{name}` of `{operation.name}`", "would be", argument.span)
        parameters.append((of(argument), fit))
    who, kind = of(statement.caller), tracker.kind(statement.caller.type)

    def call(frame: Frame, written: Written) -> None:
        arguments = []
        for argument, fit in parameters:
            arguments.append(argument(frame))
            if fit is not None:
                fit(arguments[-1])
        event = Called(claim, number, tuple(arguments), Caller(kind, who(frame)))
        _follow(event, statement.span, tracker, frame, written)

    return call


def _return(
    statement: ReturnOperation, of: Of, tracker: Tracker | None, returned: set[int]
) -> Execution:
    value = None if statement.value is None else of(statement.value)
    kind, who, caller_kind = -1, None, -1
    if tracker is not None and statement.caller is not None:
        who, caller_kind = of(statement.caller), tracker.kind(statement.caller.type)
        kind = _kind(statement.value, tracker)

    def give_back(frame: Frame, written: Written) -> None:
        answer: Answer = () if value is None else (value(frame),)
        caller = None if who is None else Caller(caller_kind, who(frame))
        written.returned.append((answer, statement.span))
        if len(written.returned) > 1:
            first = written.returned[0][1]
            raise Failed(Failure("two-writes", RETURNS_TWICE, first, statement.span))
        if tracker is not None and caller is not None:
            event = Returned(answer, kind, caller)
            before = _follow(event, statement.span, tracker, frame, written)
            holder = tracker.holder(before, caller)
            assert holder is not None, "who has nothing open does not return"
            returned.add(holder)

    return give_back


def _kind(value: Term | None, tracker: Tracker) -> int:
    return -1 if value is None else tracker.kind(value.type)


def _abandon(statement: AbandonOperation, of: Of, tracker: Tracker) -> Execution:
    who, kind = of(statement.caller), tracker.kind(statement.caller.type)

    def abandon(frame: Frame, written: Written) -> None:
        event = Abandoned(Caller(kind, who(frame)))
        _follow(event, statement.span, tracker, frame, written)

    return abandon


def _follow(
    event: Event, span: Span | None, tracker: Tracker, frame: Frame, written: Written
) -> int:
    """The history goes on; the number of what it was before. Raises Failed, with the place."""
    before = written.history
    if before is None:
        before = frame.state[-1]  # type: ignore[assignment]
    assert isinstance(before, int)
    try:
        written.history = tracker.after(before, event)
    except Failed as failed:
        failure = failed.failure
        raise Failed(Failure(failure.kind, failure.reason, span)) from None
    written.events.append(event)
    return before
