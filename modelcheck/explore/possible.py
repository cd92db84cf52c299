"""`always possible P`: from every state that was found, a path of actions can lead to P."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, field, frozen

from modelcheck.compile.jit import Native, compile_ir
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.store import add_accessors
from modelcheck.compile.kernel.whole import Whole, add_bits, add_possibility, add_spread
from modelcheck.compile.lower.claims import without_faults
from modelcheck.compile.lower.program import Program, lower
from modelcheck.core.model import AlwaysPossible, ErrorKind, Invariant, Model
from modelcheck.explore.passes import Bitmap, Passes, Place
from modelcheck.explore.predicates import Predicates
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
        judged = tuple(as_invariant(each) for each in properties)
        program = lower(evolve(without_faults(model), properties=judged, stops=None))
        add_possibility(program.module, shape, self.count, program.goals.unclear)
        self.native: Native = compile_ir(program.module.text(), level)
        self.places = places_of(program, threads)
        self._predicates = Predicates(self.native, program, self.places)

    def judge(self, explored: Explored, passes: Passes) -> Possible:
        """Raises OutOfTime, OutOfMemory, Stopped. The search is complete."""
        truths = self._predicates.judge(explored, passes)
        if len(truths.unclear) < self.count:
            make_indexed(passes)
        found: dict[int, Goal | None] = {}
        for number in range(self.count):
            if number not in truths.unclear:
                spread_back(self.native, truths.maps[number], passes)
                found[number] = self._goal(explored, truths.maps[number])
        return Possible(found, truths.unclear, truths.errors, (self.native, truths.maps))

    def _goal(self, explored: Explored, bits: Bitmap) -> Goal | None:
        """The nearest states from which it is not possible."""
        levels = explored.levels
        for depth in range(len(levels)):
            if not all(bits.all_set(first, stop) for first, stop in levels.ranges(depth)):
                return Goal(depth, state=Test(self.native.function("is_clear", 3), bits.address))
        return None


class Back:
    """Code that goes back along actions, and where it works. Raises Unsupported."""

    def __init__(self, model: Model, shape: Shape, threads: int, level: int) -> None:
        program = lower(evolve(without_faults(model), properties=(), stops=None))
        add_accessors(program.module, shape)
        add_bits(program.module)
        add_spread(program.module, shape)
        self.native: Native = compile_ir(program.module.text(), level)
        self.places = places_of(program, threads)

    def spread(self, bits: Bitmap, passes: Passes) -> None:
        """Set the bits of the states from which actions lead to one that is set.

        Raises OutOfTime.
        """
        spread_back(self.native, bits, passes)


def places_of(program: Program, threads: int) -> list[Place]:
    """A place for each thread to run the code in."""
    counts = max(1, len(program.model.actions))
    return [Place(program.layout.words, program.goals.count, counts) for _ in range(threads)]


def make_indexed(passes: Passes) -> None:
    """Have the table know the states' indices. Raises Stopped."""
    store = passes.store
    if not (store.indexed and store.sound):
        store.index(passes.crew)


def spread_back(native: Native, bits: Bitmap, passes: Passes) -> None:
    """Until nothing changes. Ways back may lead up and down: passes go both ways."""
    assert passes.store.indexed and passes.store.sound
    down = True
    while True:
        for place in passes.places:
            place.ctx[Whole.BITS], place.ctx[Whole.NEWS] = bits.address, 0
        passes.go(native, "spread_back", passes.store.used(), down=down)
        if not any(place.ctx[Whole.NEWS] for place in passes.places):
            return
        down = not down
