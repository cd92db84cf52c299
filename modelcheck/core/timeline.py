"""The operations of a run: when each was called and returned, and the one that has no place."""

from __future__ import annotations

from attrs import evolve, frozen

from modelcheck.core.events import Abandoned, Answer, Called, Caller, Returned
from modelcheck.core.linearizing import BEGIN, Tracker, tracker_of
from modelcheck.core.model import Claim, Model, Operation
from modelcheck.core.semantics import Semantics
from modelcheck.core.trace import Trace
from modelcheck.core.types import Type
from modelcheck.core.values import State, Value


@frozen
class Interval:
    """An operation from its call on.

    called       the number of the step, from 1
    ended        that of the step in which it returned or was abandoned; None: it is open
    begin, end   the same as positions among all events of the run, from 0
    answer       what it returned, and answer_type its type, None for nothing
    """

    caller: Caller
    operation: Operation
    arguments: tuple[Value, ...]
    called: int
    begin: int
    ended: int | None = None
    end: int | None = None
    abandoned: bool = False
    answer: Answer = ()
    answer_type: Type | None = None


@frozen
class Unplaced:
    """The operation whose return leaves no order.

    interval  its position among the intervals
    possible  what it answers in the orders left before, ascending
    states    in which the object may be then, ascending
    """

    interval: int
    possible: tuple[Answer, ...]
    states: tuple[State, ...]


@frozen
class Timeline:
    """The operations of one claim's object in a run, by their calls.

    callers   the types of callers, by the numbers that Caller has
    unplaced  None if they can be put in an order
    """

    claim: Claim
    callers: tuple[Type, ...]
    intervals: tuple[Interval, ...]
    unplaced: Unplaced | None


def timeline(model: Model, claim: Claim, trace: Trace) -> Timeline:
    """What happened to the claim's object in a run of the model."""
    assert model.history is not None, "a model with a claim has a history"
    semantics, tracker = Semantics(model), tracker_of(model.history)
    position = [each.name for each in tracker.claims].index(claim.name)
    intervals, unplaced = list[Interval](), None
    open_: dict[Caller, int] = {}
    number, happened = BEGIN, 0
    for at, step in enumerate(trace.steps, start=1):
        for event in semantics.events(trace.states[at - 1], step):
            before, number = number, tracker.after(number, event)
            happened += 1
            if isinstance(event, Called):
                if event.claim == position:
                    operation = claim.object.operations[event.operation]
                    open_[event.caller] = len(intervals)
                    intervals.append(
                        Interval(event.caller, operation, event.arguments, at, happened - 1)
                    )
                continue
            known = open_.pop(event.caller, None)
            if known is None:
                continue
            ended = evolve(intervals[known], ended=at, end=happened - 1)
            match event:
                case Returned(answer, kind):
                    type_ = tracker.kinds[kind] if answer else None
                    intervals[known] = evolve(ended, answer=answer, answer_type=type_)
                case Abandoned():
                    intervals[known] = evolve(ended, abandoned=True)
            is_new = not tracker.is_violated(before, position)
            if is_new and tracker.is_violated(number, position):
                unplaced = _unplaced(tracker, before, position, event.caller, known)
    return Timeline(claim, tuple(tracker.kinds), tuple(intervals), unplaced)


def _unplaced(tracker: Tracker, before: int, claim: int, caller: Caller, interval: int) -> Unplaced:
    possible = tracker.history(before)[claim]
    at = [lane.caller for lane in possible.lanes].index(caller)
    left = list(possible.explaining())
    answers = {each.progress[at] for each in left}
    known = sorted(answer for answer in answers if not isinstance(answer, int))
    return Unplaced(interval, tuple(known), tuple(sorted({each.state for each in left})))
