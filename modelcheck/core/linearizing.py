"""Whether operations appear to happen one at a time: every way in which they may have, followed.

A *configuration* is one way: the object's state, which of the open operations
have taken effect and with what answer, and which abandoned ones have not. A
*history* is the set of all configurations that agree with the calls and returns
so far (the subset construction of Lowe, "Testing for linearizability", 2017,
done breadth first). A call adds an operation that has not taken effect; a
return keeps the configurations in which the caller's operation has, with that
answer. If none is left, the operations so far cannot be put in one order.

Two reductions keep equal futures in one set. The arguments of an operation that
has taken effect in every configuration no longer matter. And a configuration
with an abandoned operation to spare can do all that the same one without it
can, so the latter is left out.

Histories are numbered as they come up, so that a state has one word for its
own. The lowest bits of a number say which claims are violated in it; 0 is the
history without an event. Numbers mean nothing beyond one run: nothing that is
printed or compared may depend on their order.

Cost: of an event, one evaluation for each configuration and each operation that
has not taken effect in it; it is remembered. There are at most as many
configurations as the object has states, times the answers of open operations.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from modelcheck.core.clauses import NOTHING_OPEN, STILL_OPEN
from modelcheck.core.events import Abandoned, Answer, Called, Caller, Event, Returned
from modelcheck.core.frame import Failed
from modelcheck.core.model import History, Linearizable
from modelcheck.core.outcome import Failure
from modelcheck.core.sequential import Sequential, as_called
from modelcheck.core.types import INT, Int, Option, Range, Type
from modelcheck.core.values import State, Value, show

BITS = 32
"""Of a number; a history takes some hundred bytes, so nobody has more."""

BEGIN = 0
"""The history without an event."""

_CONFIGURATION_BYTES = 300
_ANSWER_BYTES = 400
"""About what one takes, measured; with what is around it."""


class Call(NamedTuple):
    """An operation; `arguments` is None when it has taken effect in every configuration."""

    operation: int
    arguments: tuple[Value, ...] | None


class Configuration(NamedTuple):
    """One way in which things may have gone.

    answers  of the open operations, in their order; None if it has not taken effect
    adrift   abandoned operations that have not taken effect, ascending, with repeats
    """

    state: State
    answers: tuple[Answer | None, ...]
    adrift: tuple[tuple[int, tuple[Value, ...]], ...]


class Possible(NamedTuple):
    """All that may have happened to one object.

    open  callers, ascending, with their operations; None where no configuration is left
    """

    open: tuple[tuple[Caller, Call | None], ...]
    configurations: frozenset[Configuration]


class Tracker:
    """The histories of a model, by number. It may be asked by several threads.

    kinds  the types of callers and answers, in the order of their numbers
    """

    def __init__(self, claims: tuple[Linearizable, ...]) -> None:
        self.claims = claims
        self.objects = [Sequential(each.object) for each in claims]
        self.kinds: list[Type] = []
        self._configurations = 0
        self._lock = threading.RLock()
        self._numbers: dict[tuple[Possible, ...], int] = {}
        self._histories: list[tuple[Possible, ...]] = []
        self._known: dict[tuple[int, Event], int | Failure] = {}
        self._effects: dict[tuple[int, int, tuple[Value, ...], State], _Effect | Failure] = {}
        first = tuple(
            Possible((), frozenset(Configuration(state, (), ()) for state in each.first()))
            for each in self.objects
        )
        self._numbers[first] = BEGIN
        self._histories.append(first)

    # --- names ---

    def kind(self, type_: Type) -> int:
        """The number of a type; all numbers are of one."""
        if isinstance(type_, Range | Int):
            type_ = INT
        with self._lock:
            if type_ not in self.kinds:
                self.kinds.append(type_)
            return self.kinds.index(type_)

    def position(self, claim: str, operation: str) -> tuple[int, int]:
        """Of an operation that a call names."""
        number = next(i for i, each in enumerate(self.claims) if each.name == claim)
        operations = self.claims[number].object.operations
        return number, next(i for i, each in enumerate(operations) if each.name == operation)

    def shown(self, caller: Caller) -> str:
        """The caller for people: `c1`"""
        return show(self.kinds[caller.kind], caller.value)

    # --- histories ---

    def history(self, number: int) -> tuple[Possible, ...]:
        """For each claim, all that may have happened."""
        return self._histories[number >> len(self.claims)]

    def is_violated(self, number: int, claim: int) -> bool:
        """Whether a claim is violated in the history."""
        return bool(number >> claim & 1)

    def holder(self, number: int, caller: Caller) -> int | None:
        """The claim of whose object the caller has an operation open."""
        return _holder(self.history(number), caller)

    @property
    def count(self) -> int:
        """How many histories have come up."""
        return len(self._histories)

    @property
    def bytes(self) -> int:
        """About how much memory the histories take."""
        return self._configurations * _CONFIGURATION_BYTES + len(self._known) * _ANSWER_BYTES

    def after(self, number: int, event: Event) -> int:
        """The history after one more event. Raises Failed."""
        known = self.answer(number, event)
        if isinstance(known, Failure):
            raise Failed(known)
        return known

    def answer(self, number: int, event: Event) -> int | Failure:
        """The history after one more event, or why there is none."""
        key = (number, event)
        known = self._known.get(key)
        if known is None:
            with self._lock:
                known = self._known[key] = self._answered(number, event)
        return known

    def _answered(self, number: int, event: Event) -> int | Failure:
        try:
            return self._numbered(tuple(self._after(self.history(number), event)))
        except Failed as failed:
            return failed.failure

    def _numbered(self, history: tuple[Possible, ...]) -> int:
        number = self._numbers.get(history)
        if number is None:
            violated = sum((not each.configurations) << i for i, each in enumerate(history))
            number = len(self._histories) << len(history) | violated
            assert number < 1 << BITS, "there are not so many histories"
            # An interruption between the two wastes a number, and no more.
            self._histories.append(history)
            self._numbers[history] = number
            self._configurations += sum(len(each.configurations) for each in history)
        return number

    # --- events ---

    def _after(self, history: tuple[Possible, ...], event: Event) -> Iterator[Possible]:
        holder = _holder(history, event.caller)
        match event:
            case Called(claim):
                if holder is not None:
                    raise Failed(Failure("undefined", STILL_OPEN.format(self.shown(event.caller))))
                for number, each in enumerate(history):
                    yield self._called(each, event) if number == claim else each
            case Returned():
                if holder is None:
                    reason = NOTHING_OPEN.format(self.shown(event.caller))
                    raise Failed(Failure("undefined", reason))
                for number, each in enumerate(history):
                    yield self._returned(number, each, event) if number == holder else each
            case Abandoned():
                for number, each in enumerate(history):
                    yield self._abandoned(number, each, event) if number == holder else each

    def _called(self, before: Possible, event: Called) -> Possible:
        if not before.configurations:
            return Possible(_ascending([*before.open, (event.caller, None)]), frozenset())
        call = Call(event.operation, event.arguments)
        open_ = _ascending([*before.open, (event.caller, call)])
        at = open_.index((event.caller, call))
        return self._closed(
            event.claim,
            open_,
            (
                each._replace(answers=(*each.answers[:at], None, *each.answers[at:]))
                for each in before.configurations
            ),
        )

    def _returned(self, claim: int, before: Possible, event: Returned) -> Possible:
        at = next(i for i, (caller, _) in enumerate(before.open) if caller == event.caller)
        wanted = self._as_answer(claim, before.open[at][1], event)
        return _settled(
            (*before.open[:at], *before.open[at + 1 :]),
            (
                each._replace(answers=(*each.answers[:at], *each.answers[at + 1 :]))
                for each in before.configurations
                if each.answers[at] == wanted
            ),
        )

    def _as_answer(self, claim: int, call: Call | None, event: Returned) -> Answer:
        """The answer in the form of the operation's result: a T where it has a T?."""
        if call is None or not event.answer:
            return event.answer
        result = self.claims[claim].object.operations[call.operation].result
        if isinstance(result, Option) and not isinstance(self.kinds[event.kind], Option):
            return (event.answer,)
        return event.answer

    def _abandoned(self, claim: int, before: Possible, event: Abandoned) -> Possible:
        """From here on it is one more operation that may take effect, at any time or never."""
        at = next(i for i, (caller, _) in enumerate(before.open) if caller == event.caller)
        call = before.open[at][1]

        def without(each: Configuration) -> Configuration:
            adrift = each.adrift
            if each.answers[at] is None:
                assert call is not None and call.arguments is not None
                # What changes nothing and answers nobody may as well never happen.
                if self.objects[claim].writes(call.operation):
                    adrift = tuple(sorted([*adrift, (call.operation, call.arguments)]))
            return Configuration(each.state, (*each.answers[:at], *each.answers[at + 1 :]), adrift)

        return _settled(
            (*before.open[:at], *before.open[at + 1 :]), map(without, before.configurations)
        )

    # --- operations take effect ---

    def _closed(
        self,
        claim: int,
        open_: tuple[tuple[Caller, Call | None], ...],
        configurations: Iterable[Configuration],
    ) -> Possible:
        """With all configurations to which operations that may take effect now lead."""
        found = set(configurations)
        todo = list(found)
        while todo:
            here = todo.pop()
            for after in self._successors(claim, open_, here):
                if after not in found:
                    found.add(after)
                    todo.append(after)
        return _settled(open_, found)

    def _successors(
        self,
        claim: int,
        open_: tuple[tuple[Caller, Call | None], ...],
        here: Configuration,
    ) -> Iterator[Configuration]:
        for at, (_, call) in enumerate(open_):
            if here.answers[at] is None:
                assert call is not None and call.arguments is not None
                effect = self._effect(claim, call.operation, call.arguments, here.state)
                if effect is not None:
                    answers = (*here.answers[:at], effect[1], *here.answers[at + 1 :])
                    yield here._replace(state=effect[0], answers=answers)
        for at, (operation, arguments) in enumerate(here.adrift):
            effect = self._effect(claim, operation, arguments, here.state)
            if effect is not None:
                adrift = (*here.adrift[:at], *here.adrift[at + 1 :])
                yield here._replace(state=effect[0], adrift=adrift)

    def _effect(
        self, claim: int, operation: int, arguments: tuple[Value, ...], state: State
    ) -> _Effect:
        key = (claim, operation, arguments, state)
        if key not in self._effects:
            try:
                self._effects[key] = self.objects[claim].apply(operation, arguments, state)
            except Failed as failed:
                declared = self.claims[claim]
                name = declared.object.operations[operation].name
                self._effects[key] = as_called(failed, name, declared.name)
        known = self._effects[key]
        if isinstance(known, Failure):
            raise Failed(known)
        return known


_Effect: TypeAlias = "tuple[State, Answer] | None"


def _holder(history: tuple[Possible, ...], caller: Caller) -> int | None:
    """The object of which the caller has an operation open."""
    for number, each in enumerate(history):
        if any(caller == other for other, _ in each.open):
            return number
    return None


def _ascending(
    open_: list[tuple[Caller, Call | None]],
) -> tuple[tuple[Caller, Call | None], ...]:
    return tuple(sorted(open_, key=lambda each: each[0]))


def _settled(
    open_: tuple[tuple[Caller, Call | None], ...], configurations: Iterable[Configuration]
) -> Possible:
    """One form for all sets that have the same future, as far as the reductions see it."""
    kept = _undominated(frozenset(configurations))
    if not kept:
        return Possible(tuple((caller, None) for caller, _ in open_), kept)
    forgotten = []
    for at, (caller, call) in enumerate(open_):
        if call is not None and all(each.answers[at] is not None for each in kept):
            call = Call(call.operation, None)
        forgotten.append((caller, call))
    return Possible(tuple(forgotten), kept)


def _undominated(configurations: frozenset[Configuration]) -> frozenset[Configuration]:
    """Without those that lack only abandoned operations that another one has to spare."""
    if not any(each.adrift for each in configurations):
        return configurations
    alike: dict[tuple[object, object], list[Configuration]] = {}
    for each in configurations:
        alike.setdefault((each.state, each.answers), []).append(each)
    return frozenset(
        each
        for group in alike.values()
        for each in group
        if not any(other is not each and _has_all(other.adrift, each.adrift) for other in group)
    )


def _has_all(many: tuple[object, ...], few: tuple[object, ...]) -> bool:
    """Whether the one bag holds the other."""
    return len(few) < len(many) and all(few.count(each) <= many.count(each) for each in few)


_TRACKERS: WeakKeyDictionary[History, Tracker] = WeakKeyDictionary()
_TRACKERS_LOCK = threading.Lock()


def tracker_of(history: History) -> Tracker:
    """The one tracker of these claims: all who search a model agree on its numbers."""
    with _TRACKERS_LOCK:
        if history not in _TRACKERS:
            _TRACKERS[history] = Tracker(history.claims)
        return _TRACKERS[history]
