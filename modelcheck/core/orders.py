"""Whether operations appear to happen one at a time: every way in which they may have, followed.

A *configuration* is one way: the object's state, which operations have taken
effect and with what answer, and which abandoned ones have not. `Possible` is the
set of all configurations that agree with the calls and returns so far, as in
Lowe, "Testing for linearizability", 2017, for all orders at once: a subset
construction. A call adds an operation that has not taken effect. If none is left
that explains all returns, the operations so far cannot be put in one order.

The claims differ in what a return does. If operations take effect between call
and return, it keeps the configurations in which the caller's operation has, with
that answer. If only each caller's own order counts, it also keeps those in which
it has not: there the operation still has to, with that answer, after those of
the same caller before it and before those that come after it. So each caller has
a queue; for the stronger claim it is never longer than the open operation.

An abandoned operation comes after those that its caller had called before, and
nothing has to come after it: its caller is gone, and the next of that name is
another.

Three reductions keep equal futures in one set. Arguments of what has taken effect
in every configuration no longer matter. A configuration with an abandoned
operation to spare can do all that the same one without it can. So can one that
has put behind it some operations that have returned and write nothing, compared
with one that still owes them; in both cases the latter is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from modelcheck.core.events import Abandoned, Answer, Called, Caller, Returned
from modelcheck.core.model import Claim, Linearizable
from modelcheck.core.sequential import Effects
from modelcheck.core.types import Option
from modelcheck.core.values import State, Value

T = TypeVar("T")


class Call(NamedTuple):
    """An operation in its caller's queue.

    arguments  None when it has taken effect in every configuration
    answer     what it returned; None: nothing yet, or its caller is gone
    """

    operation: int
    arguments: tuple[Value, ...] | None
    answer: Answer | None = None


class Lane(NamedTuple):
    """What a caller has called, in its order, unless it has taken effect everywhere.

    is_open  whether the last of the queue is open: where no more than `is_open` are left,
             all that has returned is done. The queue is empty where no configuration is left
    """

    caller: Caller
    queue: tuple[Call, ...]
    is_open: bool


Progress: TypeAlias = "int | Answer"
"""How many of a queue's last operations have not taken effect, or what the open one answers."""


class Configuration(NamedTuple):
    """One way in which things may have gone.

    progress  of each lane; the first operation that is left has returned or is open
    adrift    abandoned operations that may take effect at any time, ascending, with repeats
    """

    state: State
    progress: tuple[Progress, ...]
    adrift: tuple[tuple[int, tuple[Value, ...]], ...]


class Possible(NamedTuple):
    """All that may have happened to one object; `lanes` by their callers, ascending."""

    lanes: tuple[Lane, ...]
    configurations: frozenset[Configuration]

    def has_open(self, caller: Caller) -> bool:
        """Whether the caller has an operation of this object open."""
        return any(lane.is_open and lane.caller == caller for lane in self.lanes)

    def explaining(self) -> Iterator[Configuration]:
        """The configurations in which all that has returned has taken effect."""
        return (each for each in self.configurations if _explains(self.lanes, each))


class Orders:
    """Follows one claim's object. Events are those of callers that may take them."""

    def __init__(self, claim: Claim) -> None:
        self.object = claim.object
        self.effects = Effects(claim)
        self.in_time = isinstance(claim, Linearizable)
        """Whether operations take effect before they return."""
        self._writes = [self.effects.object.writes(i) for i in range(len(self.object.operations))]

    def first(self) -> Possible:
        """Before the first event."""
        states = self.effects.object.first()
        return Possible((), frozenset(Configuration(state, (), ()) for state in states))

    # --- events ---

    def called(self, before: Possible, event: Called) -> Possible:
        """Raises Failed where the evaluation of an operation does."""
        caller = event.caller
        if not before.configurations:
            lanes = (*before.lanes, Lane(caller, (), True))
            return Possible(tuple(sorted(lanes, key=lambda lane: lane.caller)), frozenset())
        call = Call(event.operation, event.arguments)
        callers = [lane.caller for lane in before.lanes]
        if caller in callers:
            at = callers.index(caller)
            lane, after = before.lanes[at], at + 1
        else:
            at = after = sum(each < caller for each in callers)
            lane = Lane(caller, (), False)
        lane = Lane(caller, (*lane.queue, call), True)
        found = []
        for each in before.configurations:
            left = sum(map(_left, each.progress[at:after]))
            progress = (*each.progress[:at], left + 1, *each.progress[after:])
            found.append(Configuration(each.state, progress, each.adrift))
        return self._closed((*before.lanes[:at], lane, *before.lanes[after:]), found)

    def returned(self, before: Possible, event: Returned, is_option: bool) -> Possible:
        """`is_option` is said of the value's type: the operation may have a T? for a T."""
        at = _place(before, event.caller)
        lane = before.lanes[at]
        if not before.configurations:
            return Possible(_without(before.lanes, at), frozenset())
        wanted = self._as_answer(lane.queue[-1], event.answer, is_option)
        if self.in_time:
            kept = [
                Configuration(each.state, _without(each.progress, at), each.adrift)
                for each in before.configurations
                if each.progress[at] == wanted
            ]
            return self._settled(_without(before.lanes, at), kept)
        last = lane.queue[-1]._replace(answer=wanted)
        lane = Lane(lane.caller, (*lane.queue[:-1], last), False)
        kept = []
        for each in before.configurations:
            progress = each.progress[at]
            if progress == wanted:
                kept.append(each._replace(progress=_put(each.progress, at, 0)))
            elif isinstance(progress, int):
                kept.append(each)
        return self._settled((*before.lanes[:at], lane, *before.lanes[at + 1 :]), kept)

    def _as_answer(self, call: Call, answer: Answer, is_option: bool) -> Answer:
        """In the form of the operation's result."""
        result = self.object.operations[call.operation].result
        wrapped = answer and isinstance(result, Option) and not is_option
        return (answer,) if wrapped else answer

    def abandoned(self, before: Possible, event: Abandoned) -> Possible:
        """From here on it may take effect at any time after those before it, or never."""
        at = _place(before, event.caller)
        lane = before.lanes[at]
        if not before.configurations:
            return Possible(_without(before.lanes, at), frozenset())
        # What changes nothing and answers nobody may as well never happen.
        matters = self._writes[lane.queue[-1].operation]
        lane = Lane(lane.caller, lane.queue if matters else lane.queue[:-1], False)

        def without(each: Configuration) -> Configuration:
            left = _left(each.progress[at])
            if not matters and left:
                left -= 1
            return _released(lane, at, left, each)

        lanes = (*before.lanes[:at], lane, *before.lanes[at + 1 :])
        return self._settled(lanes, map(without, before.configurations))

    # --- operations take effect ---

    def _closed(self, lanes: tuple[Lane, ...], configurations: Iterable[Configuration]) -> Possible:
        """With all configurations to which operations that may take effect now lead."""
        found = set(configurations)
        todo = list(found)
        while todo:
            here = todo.pop()
            for after in self._successors(lanes, here):
                if after not in found:
                    found.add(after)
                    todo.append(after)
        return self._settled(lanes, found)

    def _successors(self, lanes: tuple[Lane, ...], here: Configuration) -> Iterator[Configuration]:
        for at, left in enumerate(here.progress):
            if not isinstance(left, int) or not left:
                continue
            lane = lanes[at]
            call = lane.queue[-left]
            assert call.arguments is not None, "what has to take effect has its arguments"
            effect = self.effects.of(call.operation, call.arguments, here.state)
            if effect is None:
                continue
            state, answer = effect
            if left <= lane.is_open:
                yield Configuration(state, _put(here.progress, at, answer), here.adrift)
            elif answer == call.answer:
                yield _released(lane, at, left - 1, here._replace(state=state))
        for at, (operation, arguments) in enumerate(here.adrift):
            effect = self.effects.of(operation, arguments, here.state)
            if effect is not None:
                yield Configuration(effect[0], here.progress, _without(here.adrift, at))

    # --- one form for one future ---

    def _settled(
        self, lanes: tuple[Lane, ...], configurations: Iterable[Configuration]
    ) -> Possible:
        """One form for all sets that have the same future, as far as the reductions see it."""
        kept = self._undominated(lanes, frozenset(configurations))
        if not any(_explains(lanes, each) for each in kept):
            # What was not explained once is a violation, whatever may explain it later.
            open_ = tuple(Lane(lane.caller, (), True) for lane in lanes if lane.is_open)
            return Possible(open_, frozenset())
        needed, short = [], []
        columns = zip(*(each.progress for each in kept), strict=True)
        for at, (lane, column) in enumerate(zip(lanes, columns, strict=True)):
            is_done = not any(left for left in column if isinstance(left, int))
            if is_done and not lane.is_open:
                continue
            needed.append(at)
            if is_done:
                lane = lane._replace(queue=(lane.queue[-1]._replace(arguments=None),))
            short.append(lane)
        if len(needed) < len(lanes):
            kept = frozenset(
                each._replace(progress=tuple(each.progress[at] for at in needed)) for each in kept
            )
        return Possible(tuple(short), kept)

    def _undominated(
        self, lanes: tuple[Lane, ...], configurations: frozenset[Configuration]
    ) -> frozenset[Configuration]:
        """Without those of which another one can do all that they can."""
        if not any(each.adrift or self._owes(lanes, each) for each in configurations):
            return configurations
        alike: dict[tuple[object, object], list[Configuration]] = {}
        for each in configurations:
            alike.setdefault((each.state, self._to_write(lanes, each)), []).append(each)
        return frozenset(
            each
            for group in alike.values()
            for each in group
            if not any(other is not each and _can_do_all(other, each) for other in group)
        )

    def _owes(self, lanes: tuple[Lane, ...], here: Configuration) -> bool:
        return not self.in_time and not _explains(lanes, here)

    def _to_write(self, lanes: tuple[Lane, ...], here: Configuration) -> tuple[Progress, ...]:
        """The progress when what comes first, has returned and writes nothing is done."""
        if not self._owes(lanes, here):
            return here.progress
        after = []
        for lane, progress in zip(lanes, here.progress, strict=True):
            left = _left(progress)
            while left > lane.is_open:
                call = lane.queue[-left]
                if call.answer is None or self._writes[call.operation]:
                    break
                left -= 1
            after.append(left if isinstance(progress, int) else progress)
        return tuple(after)


def _left(progress: Progress) -> int:
    """How many of a queue have not taken effect."""
    return progress if isinstance(progress, int) else 0


def _explains(lanes: tuple[Lane, ...], here: Configuration) -> bool:
    """Whether all that has returned has taken effect."""
    for lane, left in zip(lanes, here.progress, strict=True):
        if isinstance(left, int) and left > lane.is_open:
            return False
    return True


def _without(items: tuple[T, ...], at: int) -> tuple[T, ...]:
    return (*items[:at], *items[at + 1 :])


def _put(progress: tuple[Progress, ...], at: int, new: Progress) -> tuple[Progress, ...]:
    return (*progress[:at], new, *progress[at + 1 :])


def _place(possible: Possible, caller: Caller) -> int:
    return next(i for i, lane in enumerate(possible.lanes) if lane.caller == caller)


def _released(lane: Lane, at: int, left: int, here: Configuration) -> Configuration:
    """Abandoned operations that nothing holds back any more go adrift."""
    adrift = here.adrift
    while left > lane.is_open and lane.queue[-left].answer is None:
        operation, arguments, _ = lane.queue[-left]
        assert arguments is not None, "what may take effect has its arguments"
        adrift = tuple(sorted([*adrift, (operation, arguments)]))
        left -= 1
    return Configuration(here.state, _put(here.progress, at, left), adrift)


def _can_do_all(one: Configuration, other: Configuration) -> bool:
    """Of two that have the same left to write."""
    if not _has_all(one.adrift, other.adrift):
        return False
    return one.progress == other.progress or all(
        _left(mine) <= _left(its) for mine, its in zip(one.progress, other.progress, strict=True)
    )


def _has_all(many: tuple[object, ...], few: tuple[object, ...]) -> bool:
    """Whether the one bag holds the other."""
    return len(few) <= len(many) and all(few.count(each) <= many.count(each) for each in few)
