"""Sets, bags, sequences and maps: put together, asked, taken apart.

Sets over few values are bit sets. Other sets and bags are lists in canonical
order: an element is inserted at its place, which costs the list's length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from modelcheck.compile.ir import Flag, Operand, low_bits
from modelcheck.compile.layout import (
    WIDEST_BIT_SET,
    WORD,
    Unsupported,
    capacity,
    is_bit_set,
    is_small,
    width,
)
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.values import Values, join
from modelcheck.core.types import Bag, Range, Seq, Set, Type
from modelcheck.core.values import cardinality

_LONGEST_LIST = 4096


def set_type(element: Type, most: int) -> Set:
    """The type of a set that comes about in a term and has at most so many elements."""
    count = cardinality(element)
    if count <= WIDEST_BIT_SET:
        return Set(element)
    if most > _LONGEST_LIST:
        raise Unsupported(f"a set of up to {most} of {count} values")
    return Set(element, most)


class Collections(Values):
    """Operations on collections."""

    # --- lists that grow ---

    def insert(
        self, base: str, count: str, to: Set | Bag, element: Value, *, distinct: bool
    ) -> None:
        """An element into the list in a buffer, at its place; nothing if it is there already.

        count  a cell with the list's length, which must be below its capacity
        """
        f, bits = self.f, width(to.element)
        if bits > WORD:
            raise Unsupported(f"a list in order whose elements have {bits} bits")
        at = f.alloca(hint="at")
        length = f.load(count)
        f.store(0, at)
        head, ask, further, found, end = (
            f.label(hint) for hint in ("head", "ask", "further", "place", "inserted")
        )
        f.begin(head)
        index = f.load(at)
        f.branch(f.icmp("slt", index, length), ask, found)
        f.begin(ask)
        here = self.element_in(base, to, index)
        if distinct:
            other = f.label("other")
            f.branch(self.equal(here, element), end, other)
            f.begin(other)
        f.branch(self.before(element, here), found, further)
        f.begin(further)
        f.store(f.add(index, 1), at)
        f.jump(head)
        f.begin(found)
        place = f.load(at)

        def shift(step: str) -> None:
            back = f.sub(f.sub(f.add(length, place), step), 1)
            self.put_element(base, to, f.add(back, 1), self.element_in(base, to, back))

        f.loop(place, length, shift)
        self.put_element(base, to, place, element)
        f.store(f.add(length, 1), count)
        f.begin(end)

    def element_in(self, base: str, to: Set | Bag | Seq, index: Operand) -> Value:
        """An element of the list that is being put together in a buffer."""
        return self.element(Memory(to, base, 0), index)

    def empty_list(self, to: Set | Bag | Seq) -> tuple[str, str]:
        """A buffer and a cell for its length."""
        base, count = self.buffer(to), self.f.alloca(hint="count")
        self.f.store(0, count)
        return base, count

    def finished(self, base: str, count: str, to: Set | Bag | Seq) -> Value:
        """The list that was put together; a copy, if the same code may run again."""
        return self.list_of(base, to, self.f.load(count))

    # --- literals ---

    def set_of(self, element: Type, items: list[Value]) -> Value:
        """`{a, b}`; the element's type has all of them."""
        to = set_type(element, len(items))
        items = [self.retype(item, element) for item in items]
        if not is_bit_set(to):
            base, count = self.empty_list(to)
            for item in items:
                self.insert(base, count, to, item, distinct=True)
            return self.finished(base, count, to)
        if is_small(to):
            code: Operand = 0
            for item in items:
                code = self.f.or_(code, self.f.shl(1, self.rank_of(item)))
            return Word(to, code)
        words = self.buffer(to)
        for item in items:
            self.set_bit(words, self.rank_of(item))
        return self.bits_value(words, to)

    def bag_of(self, element: Type, items: list[Value]) -> Value:
        """`{a, b}` as a bag."""
        to = Bag(element, len(items))
        base, count = self.empty_list(to)
        for item in items:
            self.insert(base, count, to, self.retype(item, element), distinct=False)
        return self.finished(base, count, to)

    def seq_of(self, element: Type, items: list[Value]) -> Value:
        """`[a, b]`"""
        to = Seq(element, len(items))
        base = self.buffer(to)
        for index, item in enumerate(items):
            self.put_element(base, to, index, self.retype(item, element))
        return self.list_of(base, to, len(items))

    # --- questions ---

    def contains(self, collection: Value, element: Value) -> Flag:
        """`x in C`"""
        f, type_ = self.f, collection.type
        assert isinstance(type_, Set | Bag | Seq)
        if isinstance(type_, Set) and is_bit_set(type_):
            return self._has_bit(collection, type_, element)
        cell, end = f.alloca(hint="found"), f.label("found")
        f.store(1, cell)

        def compare(i: str) -> None:
            further = f.label("further")
            f.branch(self.equal(self.element(collection, i), element), end, further)
            f.begin(further)

        f.loop(0, self.length(collection), compare)
        f.store(0, cell)
        f.begin(end)
        return f.icmp("ne", f.load(cell), 0)

    def _has_bit(self, collection: Value, type_: Set, element: Value) -> Flag:
        f = self.f
        if cardinality(type_.element) == 0:
            return False

        def ask() -> Operand:
            return self.bit_at(collection, self.rank_of(fitting))

        cell: list[str] = []

        def misses() -> None:
            cell.append(f.block)
            f.jump(end)

        end = f.label("in")
        fitting = self.coerce(element, type_.element, lambda *_: misses())
        asked = ask()
        arms: list[tuple[Operand, str]] = [(0, block) for block in cell]
        if f.reachable:
            arms.append((asked, f.block))
        f.begin(end)
        return f.truth(f.phi(arms))

    def bit_at(self, collection: Value, index: Operand) -> Operand:
        """1 if the bit is set, else 0."""
        f = self.f
        if isinstance(collection, Word):
            return f.and_(f.lshr(collection.operand, index), 1)
        return self.read_bits(collection.base, f.add(collection.offset, index), 1)

    def count_of(self, collection: Value) -> Operand:
        """The number of elements, with repeats."""
        assert isinstance(collection.type, Set | Bag | Seq)
        if isinstance(collection.type, Set) and is_bit_set(collection.type):
            return self.bit_count(collection)
        return self.length(collection)

    def is_empty(self, collection: Value) -> Flag:
        f = self.f
        if isinstance(collection, Word) and isinstance(collection.type, Set):
            return f.icmp("eq", collection.operand, 0)
        return f.icmp("eq", self.count_of(collection), 0)

    def multiplicity(self, bag: Value, item: Value) -> Operand:
        """How often an item is in a list."""
        f, cell = self.f, self.f.alloca(hint="times")
        f.store(0, cell)

        def compare(i: str) -> None:
            same = f.widen(self.equal(self.element(bag, i), item))
            f.store(f.add(f.load(cell), same), cell)

        f.loop(0, self.length(bag), compare)
        return f.load(cell)

    def extreme(self, which: Literal["min", "max"], collection: Value) -> Value:
        """The least or greatest number of a collection that is not empty."""
        f, type_ = self.f, collection.type
        assert isinstance(type_, Set | Bag | Seq)
        if isinstance(type_, Set) and is_bit_set(type_):
            return self._extreme_bit(which, collection, type_)
        if isinstance(type_, Seq):
            return self._extreme_of_seq(which, collection, type_)
        index = 0 if which == "min" else f.sub(self.length(collection), 1)
        return self.element(collection, index)

    def _extreme_bit(self, which: Literal["min", "max"], collection: Value, type_: Set) -> Value:
        f, bits = self.f, width(type_)
        words = range(0, bits, WORD)
        result: Operand = 0
        for at in words if which == "max" else reversed(words):
            code = (
                collection.operand
                if isinstance(collection, Word)
                else self.read_bits(
                    collection.base, f.add(collection.offset, at), min(WORD, bits - at)
                )
            )
            bit = f.lowest_bit(code) if which == "min" else f.highest_bit(code)
            result = f.select(f.icmp("ne", code, 0), f.add(bit, at), result)
        return self.unrank(type_.element, result)

    def _extreme_of_seq(self, which: Literal["min", "max"], collection: Value, type_: Seq) -> Value:
        f, cell = self.f, self.f.alloca(hint="extreme")
        first = self.element(collection, 0)
        assert isinstance(first, Word)
        f.store(first.operand, cell)
        predicate = "slt" if which == "min" else "sgt"

        def compare(i: str) -> None:
            here, best = self.element(collection, i), f.load(cell)
            assert isinstance(here, Word)
            better = f.icmp(predicate, here.operand, best)
            f.store(f.select(better, here.operand, best), cell)

        f.loop(1, self.length(collection), compare)
        return Word(type_.element, f.load(cell))

    # --- two sets ---

    def joined(self, a: Value, b: Value) -> tuple[Value, Value, Set]:
        """Two sets with one type of elements; each keeps its own bound."""
        assert isinstance(a.type, Set) and isinstance(b.type, Set)
        element = join(a.type.element, b.type.element)
        to = set_type(element, most_of(a.type) + most_of(b.type))
        return self.retype(a, to), self.retype(b, to), to

    def subset(self, a: Value, b: Value) -> Flag:
        """Whether all elements of the one set are in the other."""
        f = self.f
        left, right, to = self.joined(a, b)
        if not is_bit_set(to):
            return self._all_in(left, right)
        if isinstance(left, Word):
            assert isinstance(right, Word)
            return f.icmp("eq", f.and_(left.operand, f.xor(right.operand, -1)), 0)
        missing: Operand = 0
        for x, y in self._words(left, right, to):
            missing = f.or_(missing, f.and_(x, f.xor(y, -1)))
        return f.icmp("eq", missing, 0)

    def _all_in(self, left: Value, right: Value) -> Flag:
        f = self.f
        cell, end = f.alloca(hint="all"), f.label("all")
        f.store(0, cell)

        def ask(i: str) -> None:
            further = f.label("further")
            f.branch(self.contains(right, self.element(left, i)), further, end)
            f.begin(further)

        f.loop(0, self.length(left), ask)
        f.store(1, cell)
        f.begin(end)
        return f.icmp("ne", f.load(cell), 0)

    def _words(self, left: Value, right: Value, to: Set) -> list[tuple[Operand, Operand]]:
        assert isinstance(left, Memory) and isinstance(right, Memory)
        f, bits = self.f, width(to)
        return [
            (
                self.read_bits(left.base, f.add(left.offset, at), min(WORD, bits - at)),
                self.read_bits(right.base, f.add(right.offset, at), min(WORD, bits - at)),
            )
            for at in range(0, bits, WORD)
        ]

    def combine(
        self, operator: Literal["union", "minus", "intersect"], a: Value, b: Value
    ) -> Value:
        """The set; of `minus` and `intersect` with the elements' joined type too."""
        left, right, to = self.joined(a, b)
        if not is_bit_set(to):
            return self._combine_lists(operator, left, right, to)
        operation = _OPERATIONS[operator]
        if isinstance(left, Word):
            assert isinstance(right, Word)
            return Word(to, operation(self, left.operand, right.operand))
        base = self.buffer(to)
        for index, (x, y) in enumerate(self._words(left, right, to)):
            self.f.store(operation(self, x, y), self.f.word(base, index))
        return Memory(to, base, 0)

    def _combine_lists(self, operator: str, left: Value, right: Value, to: Set) -> Value:
        f = self.f
        base, count = self.empty_list(to)

        def add(value: Value, wanted: Callable[[Value], Flag]) -> None:
            def one(i: str) -> None:
                element = self.element(value, i)
                f.when(
                    wanted(element),
                    lambda: self.insert(base, count, to, element, distinct=True),
                )

            f.loop(0, self.length(value), one)

        match operator:
            case "union":
                add(left, lambda _: True)
                add(right, lambda _: True)
            case "minus":
                add(left, lambda x: f.not_(self.contains(right, x)))
            case _:
                add(left, lambda x: self.contains(right, x))
        return self.finished(base, count, to)

    # --- bags ---

    def bag_change(self, to: Bag, old: Value, removed: list[Value], added: list[Value]) -> Value:
        """The bag without what is removed (as far as it is there), and with what is added.

        `to` has room for all that may be in it.
        """
        f = self.f
        base, count = self.empty_list(to)

        def keep(i: str) -> None:
            element = self.element(old, i)
            # The occurrences before this one are already gone if that many are removed.
            before = f.alloca(hint="before")
            f.store(0, before)

            def earlier(j: str) -> None:
                same = f.widen(self.equal(self.element(old, j), element))
                f.store(f.add(f.load(before), same), before)

            f.loop(0, i, earlier)
            gone: Operand = 0
            for bag in removed:
                gone = f.add(gone, self.multiplicity(bag, element))
            f.when(
                f.icmp("sge", f.load(before), gone),
                lambda: self.insert(
                    base, count, to, self.retype(element, to.element), distinct=False
                ),
            )

        f.loop(0, self.length(old), keep)
        for bag in added:

            def put(i: str, bag: Value = bag) -> None:
                element = self.retype(self.element(bag, i), to.element)
                self.insert(base, count, to, element, distinct=False)

            f.loop(0, self.length(bag), put)
        return self.finished(base, count, to)

    # --- sequences ---

    def slice(self, sequence: Value, start: Operand, stop: Operand) -> Value:
        """Elements from `start` (from 0) to below `stop`, both inside the sequence."""
        f, type_ = self.f, sequence.type
        assert isinstance(type_, Seq)
        base = self.buffer(type_)
        length = f.sub(stop, start)
        length = f.select(f.icmp("slt", length, 0), 0, length)

        def copy(i: str) -> None:
            self.put_element(base, type_, i, self.element(sequence, f.add(start, i)))

        f.loop(0, length, copy)
        return self.list_of(base, type_, length)

    def concat(self, a: Value, b: Value) -> Value:
        assert isinstance(a.type, Seq) and isinstance(b.type, Seq)
        f = self.f
        to = Seq(join(a.type.element, b.type.element), capacity(a.type) + capacity(b.type))
        base, length = self.buffer(to), self.length(a)
        f.loop(
            0,
            length,
            lambda i: self.put_element(base, to, i, self.retype(self.element(a, i), to.element)),
        )

        def append(i: str) -> None:
            element = self.retype(self.element(b, i), to.element)
            self.put_element(base, to, f.add(length, i), element)

        f.loop(0, self.length(b), append)
        return self.list_of(base, to, f.add(length, self.length(b)))

    def all_bits(self, to: Set) -> Value:
        """The set of all values of its element's type."""
        count = width(to)
        if count <= WORD:
            ones = low_bits(count)
            return Word(to, ones if count < WORD else -1)
        return Memory(to, self.constant_bits(low_bits(count), count), 0)


def most_of(collection: Type) -> int:
    """The most elements of a collection in a register or memory."""
    assert isinstance(collection, Set | Bag | Seq)
    if isinstance(collection, Set) and is_bit_set(collection):
        count = cardinality(collection.element)
        return count if collection.bound is None else min(count, collection.bound)
    return capacity(collection)


def length_type(collection: Type) -> Range:
    """The type of a collection's size."""
    return Range(0, most_of(collection))


_OPERATIONS: dict[str, Callable[[Collections, Operand, Operand], Operand]] = {
    "union": lambda c, x, y: c.f.or_(x, y),
    "intersect": lambda c, x, y: c.f.and_(x, y),
    "minus": lambda c, x, y: c.f.and_(x, c.f.xor(y, -1)),
}
