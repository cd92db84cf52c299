"""`refines`: whether every step, seen through a mapping, is one of an abstract model."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence

from attrs import field, frozen

from modelcheck.compile.ir import WORD
from modelcheck.compile.jit import Native, compile_ir
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.whole import (
    Abstract,
    Whole,
    add_abstract,
    add_refinement,
    pair_bits,
    pair_words,
)
from modelcheck.compile.lower.mapping import abstract_of, lower_mapped
from modelcheck.compile.lower.program import lower
from modelcheck.core.model import ERROR_KINDS, ErrorKind, Model, Refinement
from modelcheck.explore.initial import Combinations
from modelcheck.explore.memory import Region
from modelcheck.explore.passes import Passes, Place
from modelcheck.explore.prepare import combinations
from modelcheck.explore.search import Explored
from modelcheck.explore.store import Store
from modelcheck.explore.trace import Goal, Test, words_of

_BETWEEN_LOOKS_AT_THE_CLOCK = 1 << 10


@frozen(eq=False)
class Refined:
    """What is known of a refinement.

    goal     where the nearest state or step is that the abstract model does not allow
    initial  the index of the first initial state that it does not allow; then there is no goal
    unclear  some state has no mapped one
    errors   how far away each kind of error in the mapping is
    """

    goal: Goal | None
    initial: int | None
    unclear: bool
    errors: dict[ErrorKind, int]
    _keeps: object = field(default=None, repr=False)


class Refining:
    """Code of a model and of the abstract one, and where it works. Raises Unsupported.

    Costs one more pass over the states: each is mapped, and stepped as long as nothing wrong
    was found; the successors of a mapped state are enumerated about once.
    """

    def __init__(
        self, model: Model, each: Refinement, shape: Shape, threads: int, level: int
    ) -> None:
        program, layout = lower_mapped(model, each)
        self.words = layout.words
        add_refinement(program.module, shape, self.words)
        self.native: Native = compile_ir(program.module.text(), level)
        abstract = lower(abstract_of(each))
        assert abstract.layout == layout
        add_abstract(abstract.module, self.words)
        self.abstract: Native = compile_ir(abstract.module.text(), level)
        self.first = _First(combinations(abstract, self.abstract))
        leads = Test(self.abstract.function("leads", 1), 0).address
        self.places = list[Place]()
        for _ in range(threads):
            place = Place(shape.words, program.goals.count, len(model.actions))
            ctx = place.ctx
            ctx[Whole.MAPPED], ctx[Whole.AFTER] = (place.room(self.words + 1) for _ in range(2))
            ctx[Whole.LEADS] = leads
            ctx[Whole.ABSTRACT] = self._abstract_place(
                place, abstract.goals.count, len(abstract.model.actions)
            )
            self.places.append(place)

    def _abstract_place(self, place: Place, hits: int, actions: int) -> int:
        address = place.room(Abstract.SIZE)
        ctx = (ctypes.c_int64 * Abstract.SIZE).from_address(address)
        ctx[Abstract.CUR] = place.room(self.words + 1)
        ctx[Abstract.HITS] = place.room(hits // 8 + 1)
        ctx[Abstract.COUNTS] = place.room(actions + 1)
        ctx[Abstract.FROM] = place.ctx[Whole.MAPPED]
        ctx[Abstract.TO] = place.ctx[Whole.AFTER]
        pairs = Region.of(8 * (pair_words(self.words) << pair_bits(self.words)))
        ctx[Abstract.PAIRS] = pairs.address
        place.keep(pairs)
        return address

    def judge(self, explored: Explored, passes: Passes) -> Refined:
        """Level by level. Raises OutOfTime."""
        levels, store = explored.levels, explored.store
        assert store is not None
        errors: dict[ErrorKind, int] = {}
        nearest: int | None = None
        initial: int | None = None
        expanded = len(levels) - (0 if explored.complete else 1)
        for depth in range(len(levels)):
            wanted = nearest is None
            self._set(Whole.STEPS, int(wanted and depth < expanded))
            self._set(Whole.MISFIT, 0)
            passes.go(self.native, "refine", levels.ranges(depth))
            if depth == 0:
                initial = self._not_initial(store, levels.ranges(0), passes)
            for number, kind in enumerate(ERROR_KINDS):
                if self._any(Whole.FAILED) >> number & 1:
                    errors.setdefault(kind, depth)
            if initial is not None:
                nearest = 0
            elif (nearest is None or nearest > depth) and self._any(Whole.MISFIT):
                nearest = depth
            elif nearest is None and self._any(Whole.NO_STEP):
                nearest = depth + 1
        data = self.places[0].address
        goal = None
        if nearest is not None:
            goal = Goal(
                nearest,
                state=Test(self.native.function("is_misfit", 3), data),
                step=Test(self.native.function("is_no_step", 3), data),
            )
        return Refined(goal, initial, bool(errors), errors, self)

    def _set(self, word: Whole, value: int) -> None:
        for place in self.places:
            place.ctx[word] = value

    def _any(self, word: Whole) -> int:
        found = 0
        for place in self.places:
            found |= place.ctx[word]
        return found

    def _not_initial(
        self, store: Store, ranges: Sequence[tuple[int, int]], passes: Passes
    ) -> int | None:
        """The first initial state that is none there, or does not fit the types there."""
        place, known = self.places[0], dict[int, bool]()
        map_state, accepts = (
            self.native.function("map_state", 2),
            self.abstract.function("accepts", 2),
        )
        mapped = (ctypes.c_uint64 * self.words).from_address(place.ctx[Whole.MAPPED])
        abstract = place.ctx[Whole.ABSTRACT]
        for first, stop in ranges:
            for index in range(first, stop):
                if (index - first) % _BETWEEN_LOOKS_AT_THE_CLOCK == 0:
                    passes.check_time()
                code = _joined(store.state(index))
                state = words_of(code, len(store.state(index)))
                answer = map_state(place.address, ctypes.addressof(state))
                if answer == 1:
                    return index
                if answer:
                    continue
                seen = _joined(mapped)
                if seen not in known:
                    known[seen] = self.first.may_be(seen) and bool(
                        accepts(abstract, place.ctx[Whole.MAPPED])
                    )
                if not known[seen]:
                    return index
        return None


class _First:
    """The combinations of an abstract model's first values, asked one by one and never listed."""

    def __init__(self, first: Combinations) -> None:
        self._fixed, self._base = -1, first.base
        self._choices = [
            (choice.offset, (1 << choice.width) - 1, frozenset(choice.values))
            for choice in first.choices
        ]
        for offset, mask, _ in self._choices:
            self._fixed &= ~(mask << offset)
        self._base &= self._fixed

    def may_be(self, code: int) -> bool:
        """Whether a state is one of them."""
        return code & self._fixed == self._base and all(
            code >> offset & mask in values for offset, mask, values in self._choices
        )


def _joined(words: Iterable[int]) -> int:
    return sum(word << (WORD * i) for i, word in enumerate(words))
