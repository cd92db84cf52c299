"""What a model's calls and returns may have come to: histories, by number.

A *history* is for each claim all that may have happened to its object (`orders`).
Histories are numbered as they come up, so that a state has one word for its own.
The lowest bits of a number say which claims are violated in it; 0 is the history
without an event. Numbers mean nothing beyond one run: nothing that is printed or
compared may depend on their order.

Cost: of an event, one evaluation for each configuration and each operation that
may take effect in it; it is remembered. Of linearizability there are at most as
many configurations as the object has states, times the answers of open
operations; of sequential consistency, times what each caller has yet to do.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from modelcheck.core.clauses import NOTHING_OPEN, STILL_OPEN
from modelcheck.core.events import Abandoned, Called, Caller, Event, Returned
from modelcheck.core.frame import Failed
from modelcheck.core.model import Claim, History
from modelcheck.core.orders import Orders, Possible
from modelcheck.core.outcome import Failure
from modelcheck.core.types import INT, Int, Option, Range, Type
from modelcheck.core.values import show

BITS = 32
"""Of a number; a history takes some hundred bytes, so nobody has more."""

BEGIN = 0
"""The history without an event."""

_CONFIGURATION_BYTES = 300
_ANSWER_BYTES = 400
"""About what one takes, measured; with what is around it."""


class Tracker:
    """The histories of a model, by number. It may be asked by several threads.

    kinds  the types of callers and answers, in the order of their numbers
    """

    def __init__(self, claims: tuple[Claim, ...]) -> None:
        self.claims = claims
        self._orders = [Orders(each) for each in claims]
        self.kinds: list[Type] = []
        self._configurations = 0
        self._lock = threading.RLock()
        self._numbers: dict[tuple[Possible, ...], int] = {}
        self._histories: list[tuple[Possible, ...]] = []
        self._known: dict[tuple[int, Event], int | Failure] = {}
        first = tuple(each.first() for each in self._orders)
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
            case Called():
                if holder is not None:
                    raise Failed(Failure("undefined", STILL_OPEN.format(self.shown(event.caller))))
                concerned = event.claim
            case Returned():
                if holder is None:
                    reason = NOTHING_OPEN.format(self.shown(event.caller))
                    raise Failed(Failure("undefined", reason))
                concerned = holder
            case Abandoned():
                concerned = -1 if holder is None else holder
        for number, (each, orders) in enumerate(zip(history, self._orders, strict=True)):
            yield self._next(orders, each, event) if number == concerned else each

    def _next(self, orders: Orders, before: Possible, event: Event) -> Possible:
        match event:
            case Called():
                return orders.called(before, event)
            case Returned(_, kind):
                is_option = kind >= 0 and isinstance(self.kinds[kind], Option)
                return orders.returned(before, event, is_option)
            case Abandoned():
                return orders.abandoned(before, event)


def _holder(history: tuple[Possible, ...], caller: Caller) -> int | None:
    """The object of which the caller has an operation open."""
    return next((i for i, each in enumerate(history) if each.has_open(caller)), None)


_TRACKERS: WeakKeyDictionary[History, Tracker] = WeakKeyDictionary()
_TRACKERS_LOCK = threading.Lock()


def tracker_of(history: History) -> Tracker:
    """The one tracker of these claims: all who search a model agree on its numbers."""
    with _TRACKERS_LOCK:
        if history not in _TRACKERS:
            _TRACKERS[history] = Tracker(history.claims)
        return _TRACKERS[history]
