"""`always possible P`: from every state that was found, a path of actions can lead to P."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from attrs import evolve, field, frozen

from modelcheck.compile.jit import Native, compile_ir
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared
from modelcheck.compile.kernel.whole import Whole, add_possibility
from modelcheck.compile.lower.program import Program, lower
from modelcheck.core.model import ERROR_KINDS, AlwaysPossible, ErrorKind, Invariant, Model
from modelcheck.core.terms import Guard, Truth
from modelcheck.explore.passes import Bitmap, Passes, Place
from modelcheck.explore.search import Explored
from modelcheck.explore.trace import Goal, Test


@frozen(eq=False)
class Possible:
    """What is known of the properties, by their positions.

    goals    where each fails, None where it holds
    unclear  those that have no value somewhere
    errors   how far away each kind of error is that was met
    """

    goals: dict[int, Goal | None]
    unclear: frozenset[int]
    errors: dict[ErrorKind, int]
    _keeps: object = field(default=None, repr=False)


def as_invariant(each: AlwaysPossible) -> Invariant:
    """Broken where P is false, without value where P has none."""
    return Invariant(each.name, each.parts)


class Possibility:
    """Code for some properties of a model, and where it works. Raises Unsupported.

    Costs a bit for every state and property, a judging of every state, and for each property
    as many passes as paths to its goals turn about in the order of the search: each steps the
    states from which no goal is known to be in reach.
    """

    def __init__(
        self,
        model: Model,
        properties: Sequence[AlwaysPossible],
        shape: Shape,
        threads: int,
        level: int,
    ) -> None:
        self.count = len(properties)
        self.program: Program = lower(_without_faults(model, properties))
        unclear = self.program.goals.unclear
        add_possibility(self.program.module, shape, self.count, unclear)
        self.native: Native = compile_ir(self.program.module.text(), level)
        self.places = [
            Place(shape.words, self.program.goals.count, len(model.actions)) for _ in range(threads)
        ]

    def judge(self, explored: Explored, passes: Passes) -> Possible:
        """Raises OutOfTime, OutOfMemory, Stopped. The search is complete."""
        store = explored.store
        assert store is not None
        ranges = store.used()
        size = store.words[Shared.NEXT]
        maps = [Bitmap(store, size) for _ in range(self.count)]
        pointers = (ctypes.c_int64 * (self.count + 1))(*(each.address for each in maps))
        for place in self.places:
            place.ctx[Whole.BITS] = ctypes.addressof(pointers)
        passes.go(self.native, "goals", ranges)
        goals = self.program.goals
        unclear = frozenset(n for n in range(self.count) if self._hit(goals.unclear + n))
        errors = self._errors(explored, passes)
        if len(unclear) < self.count and not (store.indexed and store.sound):
            store.index(passes.crew)
        found: dict[int, Goal | None] = {}
        for number in range(self.count):
            if number not in unclear:
                self._spread(maps[number], passes)
                found[number] = self._goal(explored, maps[number])
        return Possible(found, unclear, errors, (self.native, maps))

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

    def _spread(self, bits: Bitmap, passes: Passes) -> None:
        """Until nothing changes. Ways back may lead up and down: passes go both ways."""
        assert passes.store.indexed and passes.store.sound
        down = True
        while True:
            for place in self.places:
                place.ctx[Whole.BITS], place.ctx[Whole.NEWS] = bits.address, 0
            passes.go(self.native, "spread_back", passes.store.used(), down=down)
            if not any(place.ctx[Whole.NEWS] for place in self.places):
                return
            down = not down

    def _goal(self, explored: Explored, bits: Bitmap) -> Goal | None:
        """The nearest states from which it is not possible."""
        levels = explored.levels
        for depth in range(len(levels)):
            if not all(bits.all_set(first, stop) for first, stop in levels.ranges(depth)):
                return Goal(depth, state=Test(self.native.function("is_clear", 3), bits.address))
        return None


def _without_faults(model: Model, properties: Sequence[AlwaysPossible]) -> Model:
    """The model with its faults never enabled, and so with the same states."""
    never = (Guard(Truth(False)),)
    actions = tuple(
        evolve(action, binders=(), body=never, process=None) if action.fault else action
        for action in model.actions
    )
    judged = tuple(as_invariant(each) for each in properties)
    return evolve(model, actions=actions, properties=judged, stops=None)
