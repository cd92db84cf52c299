"""A model whose states also say whether a goal is owed: one bit behind the others.

The bit follows from the state that is left and the one that is reached: owed before, or the
premise holds, and not the goal. All of it is known of the states of a finished search, so the
code only looks them up there: for a state, whether it is the premise, whether the goal may still
be owed there, and whether it is a target.

    void @arrive(ptr cur)      set the bit of a successor, whose bit is that of its source
    i64 @is_target(ptr s)      whether the goal is owed, and the state is a target
"""

from __future__ import annotations

from attrs import evolve, frozen

from modelcheck.compile.ir import Function, Operand
from modelcheck.compile.layout import WORD, Entry, Layout
from modelcheck.compile.lower.program import Lowering, Program
from modelcheck.core.model import Invariant, Model, Reachable
from modelcheck.core.terms import Truth
from modelcheck.core.types import Range


@frozen
class Known:
    """Addresses of what a finished search knows.

    find     a function: of `shared` and a state, the state's index
    shared   its first operand
    premise  bitmaps by index; 0: nowhere
    open     where the goal does not hold
    targets
    """

    find: int
    shared: int
    premise: int
    open: int
    targets: int


def owing_layout(layout: Layout) -> Layout:
    """The layout with a bit more, behind all others."""
    end = max((entry.offset + entry.bits for entry in layout.entries), default=0)
    owed = Entry("owed", Range(0, 1), end, 1, None)
    return Layout((*layout.entries, owed), end + 1, max(layout.words, end // WORD + 1))


def lower_owing(model: Model, known: Known, *, detailed: bool = False) -> Program:
    """The code; its one property is violated in the targets. Raises Unsupported."""
    target = Invariant("owed", (Truth(True),))
    return _Owing(evolve(model, properties=(target,)), known, detailed).program()


class _Owing(Lowering):
    def __init__(self, model: Model, known: Known, detailed: bool) -> None:
        super().__init__(model, detailed)
        self._base, self._known = self.layout, known
        self.layout = owing_layout(self.layout)
        self._word, self._bit = divmod(self.layout.entries[-1].offset, WORD)

    def program(self) -> Program:
        self._find()
        self._arrive()
        self._is_target()
        return super().program()

    def _judge_one(self, number: int, each: Invariant | Reachable) -> None:
        f = self.f
        target = f.value("call i64 @is_target(ptr %s)")
        f.when(f.icmp("ne", target, 0), lambda: self.hit(number))

    def _find(self) -> None:
        """The index of the state without its bit."""
        f = Function(self.module, "internal i64 @base_index(ptr %s)")
        copy = f.alloca(self._base.words + 1, "base")
        for word in range(self._base.words):
            value: Operand = f.fetch("%s", word)
            if word == self._word:
                value = f.mask(value, self._bit)
            f.store(value, f.word(copy, word))
        find, shared = (
            f"inttoptr (i64 {a} to ptr)" for a in (self._known.find, self._known.shared)
        )
        f.ret(f"i64 {f.value(f'call i64 {find}(ptr {shared}, ptr {copy})', 'index')}")
        self.module.add(f)

    def _is_set(self, f: Function, bitmap: int, index: str) -> str:
        word = f.fetch(f"inttoptr (i64 {bitmap} to ptr)", f.lshr(index, 6))
        return f.value(f"and i64 1, {f.lshr(word, f.and_(index, 63))}", "bit")

    def _arrive(self) -> None:
        f = Function(self.module, "internal void @arrive(ptr %s)")
        index = f.value("call i64 @base_index(ptr %s)", "index")
        place = f.word("%s", self._word)
        word = f.load(place)
        owed = f.and_(f.lshr(word, self._bit), 1)
        if self._known.premise:
            owed = f.or_(owed, self._is_set(f, self._known.premise, index))
        owed = f.and_(owed, self._is_set(f, self._known.open, index))
        cleared = f.and_(word, ~(1 << self._bit))
        f.store(f.or_(cleared, f.shl(owed, self._bit)), place)
        f.ret()
        self.module.add(f)

    def _is_target(self) -> None:
        f = Function(self.module, "internal i64 @is_target(ptr %s)")
        owes, no = f.label("owes"), f.label("no")
        owed = f.and_(f.lshr(f.fetch("%s", self._word), self._bit), 1)
        f.branch(f.icmp("ne", owed, 0), owes, no)
        f.begin(owes)
        index = f.value("call i64 @base_index(ptr %s)", "index")
        f.ret(f"i64 {self._is_set(f, self._known.targets, index)}")
        f.begin(no)
        f.ret("i64 0")
        self.module.add(f)
