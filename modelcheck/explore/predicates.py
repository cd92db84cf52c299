"""Predicates of the states that a search has stored: a bit for each state and predicate."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from attrs import frozen

from modelcheck.compile.jit import Native
from modelcheck.compile.kernel.slots import Shared
from modelcheck.compile.kernel.whole import Whole
from modelcheck.compile.lower.program import Program
from modelcheck.core.model import ERROR_KINDS, ErrorKind
from modelcheck.explore.passes import Bitmap, Passes, Place
from modelcheck.explore.search import Explored


@frozen(eq=False)
class Truths:
    """What is known of some predicates, by their positions.

    maps     where each is true
    unclear  those that have no value somewhere
    errors   how far away each kind of error is that was met
    """

    maps: tuple[Bitmap, ...]
    unclear: frozenset[int]
    errors: dict[ErrorKind, int]


@frozen(eq=False)
class Predicates:
    """Code with `@goals`; its model's properties are the predicates, as invariants.

    Costs a bit for every state and predicate, and a judging of every state.
    """

    native: Native
    program: Program
    places: Sequence[Place]

    def judge(self, explored: Explored, passes: Passes) -> Truths:
        """Raises OutOfTime, OutOfMemory. The search is complete."""
        store, count = explored.store, len(self.program.model.properties)
        assert store is not None
        maps = tuple(Bitmap(store, store.words[Shared.NEXT]) for _ in range(count))
        pointers = (ctypes.c_int64 * (count + 1))(*(each.address for each in maps))
        for place in self.places:
            place.ctx[Whole.BITS] = ctypes.addressof(pointers)
        passes.go(self.native, "goals", store.used())
        unclear = self.program.goals.unclear
        without = frozenset(n for n in range(count) if self._hit(unclear + n))
        return Truths(maps, without, self._errors(explored, passes))

    def _hit(self, event: int) -> bool:
        return any(place.hits[event] for place in self.places)

    def _errors(self, explored: Explored, passes: Passes) -> dict[ErrorKind, int]:
        """How far away the first of each kind is that judging a state meets."""
        events = {kind: self.program.goals.judging + n for n, kind in enumerate(ERROR_KINDS)}
        wanted = {kind for kind, event in events.items() if self._hit(event)}
        if not wanted:
            return {}
        for place in self.places:
            ctypes.memset(place.hits, 0, ctypes.sizeof(place.hits))
        found: dict[ErrorKind, int] = {}
        for depth in range(len(explored.levels)):
            passes.go(self.native, "goals", explored.levels.ranges(depth))
            for kind in wanted - found.keys():
                if self._hit(events[kind]):
                    found[kind] = depth
            if len(found) == len(wanted):
                break
        return found
