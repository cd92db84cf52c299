"""Going through the values of a domain, unrolled where that is little code, else in a loop.

In an unrolled pass the bound name is a constant (or, for a dynamic set, a
constant under a test of its bit), so places and guards are constants too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from modelcheck.compile.ir import Operand
from modelcheck.compile.layout import Unsupported, capacity, is_bit_set, is_dense, is_small
from modelcheck.compile.lower.bits import Value, Word
from modelcheck.compile.lower.collections import Collections
from modelcheck.compile.lower.scope import Scope
from modelcheck.compile.lower.weight import Weights
from modelcheck.core.terms import Binder, Domain, Interval, Subsets, Term, Universe, Values
from modelcheck.core.types import INT, Bag, Range, Seq, Set, Type
from modelcheck.core.values import cardinality, values_of

UNROLL = 600
"""The most weight of what is unrolled at one binder."""

Body = Callable[[Scope], None]


class Domains(Collections):
    """Loops over domains."""

    weights: Weights
    force_unroll: bool = False
    """Set while code is written in which every update must stand once for each time it runs."""

    # Defined by those who lower terms.

    def value(self, term: Term, scope: Scope) -> Value:
        raise NotImplementedError

    def test(self, term: Term, scope: Scope, yes: str, no: str) -> None:
        raise NotImplementedError

    def word(self, term: Term, scope: Scope) -> Operand:
        """The value of a number."""
        value = self.value(term, scope)
        assert isinstance(value, Word)
        return value.operand

    def choices(
        self,
        binders: Sequence[Binder],
        scope: Scope,
        body: Body,
        inside: int,
        *,
        occurrences: bool = False,
    ) -> None:
        """The body for every choice of the binders, first binder slowest.

        inside  the weight of the body
        """
        if not binders:
            body(scope)
            return
        binder, rest = binders[0], binders[1:]
        within = self.weights.chosen(rest, inside)
        weight = 1 + within + self.weights.of(binder.where) if binder.where else 1 + within

        def one(value: Value) -> None:
            skip = self.f.label("skip")
            inner = self.accepted(binder, scope.bind(binder.name, value), skip)
            self.choices(rest, inner, body, inside, occurrences=occurrences)
            self.f.begin(skip)

        self.each_value(binder.domain, scope, one, weight, occurrences=occurrences)

    def accepted(self, binder: Binder, scope: Scope, otherwise: str) -> Scope:
        """Go on where the binder's `where` holds, with the names that its pattern binds."""
        if binder.where is not None:
            holds = self.f.label("where")
            self.test(binder.where, scope, holds, otherwise)
            self.f.begin(holds)
        for name, term in binder.lets:
            scope = scope.bind(name, self.value(term, scope))
        return scope

    def each_value(
        self,
        domain: Domain,
        scope: Scope,
        body: Callable[[Value], None],
        weight: int,
        *,
        occurrences: bool = False,
    ) -> None:
        """The body for every value of a domain, in its order."""
        match domain:
            case Values(Universe(of)):
                self._each_of_type(of, body, weight)
            case Values(term):
                collection = self.value(term, scope)
                self._each_member(collection, body, weight, occurrences=occurrences)
            case Interval(low, high):
                self._each_number(self.value(low, scope), self.value(high, scope), body, weight)
            case Subsets(whole):
                self._each_subset(self.value(whole, scope), body, weight)

    def _is_little(self, count: int, weight: int) -> bool:
        if self.force_unroll:
            if count > 64:
                raise Unsupported(f"updates, for each of {count} values, that may meet")
            return True
        return count <= 1 or count * weight <= UNROLL

    def _each_of_type(self, type_: Type, body: Callable[[Value], None], weight: int) -> None:
        count = cardinality(type_)
        if self._is_little(count, weight):
            for value in values_of(type_):
                body(self.plain(type_, value))
            return
        self.f.loop(0, count, lambda i: body(self.unrank(type_, i)))

    def _each_number(
        self, low: Value, high: Value, body: Callable[[Value], None], weight: int
    ) -> None:
        assert isinstance(low, Word) and isinstance(high, Word)
        f, first, last = self.f, low.operand, high.operand
        bounds = self._number_bounds(low.type, high.type)
        if isinstance(first, int) and isinstance(last, int):
            bounds = Range(first, last)
        type_ = INT if bounds is None else bounds
        if bounds is not None and self._is_little(bounds.high - bounds.low + 1, weight):
            for number in range(bounds.low, bounds.high + 1):
                inside = f.both(f.icmp("sle", first, number), f.icmp("sge", last, number))
                f.when(inside, lambda number=number: body(Word(type_, number)))  # type: ignore[misc]
            return
        if self.force_unroll:
            raise Unsupported("updates, for each number of a long interval, that may meet")
        f.loop(first, f.add(last, 1), lambda i: body(Word(type_, i)), "n")

    def _number_bounds(self, low: Type, high: Type) -> Range | None:
        if isinstance(low, Range) and isinstance(high, Range):
            return Range(low.low, max(low.low - 1, high.high))
        return None

    def _each_member(
        self,
        collection: Value,
        body: Callable[[Value], None],
        weight: int,
        *,
        occurrences: bool,
    ) -> None:
        f, type_ = self.f, collection.type
        assert isinstance(type_, Set | Bag | Seq)
        if isinstance(type_, Set) and is_bit_set(type_):
            self._each_bit_member(collection, type_, body, weight)
            return
        repeats = isinstance(type_, Bag | Seq) and not occurrences

        def one(i: Operand) -> None:
            element = self.element(collection, i)
            if not repeats:
                body(element)
                return
            seen = f.label("seen")
            self._jump_if_earlier(collection, element, i, seen)
            body(element)
            f.begin(seen)

        most = capacity(type_)
        length = self.length(collection)
        if self._is_little(most, weight + 4):
            for i in range(most):
                f.when(f.icmp("slt", i, length), lambda i=i: one(i))  # type: ignore[misc]
        else:
            f.loop(0, length, one)

    def _jump_if_earlier(
        self, collection: Value, element: Value, index: Operand, seen: str
    ) -> None:
        """To `seen` if an equal element stands before the position."""
        f = self.f
        if isinstance(collection.type, Bag):
            before = f.label("before")
            first = f.label("first")
            f.branch(f.icmp("sgt", index, 0), before, first)
            f.begin(before)
            other = self.element(collection, f.sub(index, 1)) if index != 0 else element
            f.branch(self.equal(other, element), seen, first)
            f.begin(first)
            return

        def compare(j: Operand) -> None:
            further = f.label("further")
            f.branch(self.equal(self.element(collection, j), element), seen, further)
            f.begin(further)

        if isinstance(index, int):
            for j in range(index):
                compare(j)
        else:
            f.loop(0, index, compare)

    def _each_bit_member(
        self, collection: Value, type_: Set, body: Callable[[Value], None], weight: int
    ) -> None:
        f, element = self.f, type_.element
        count = cardinality(element)
        if self._is_little(count, weight + 1):
            for index, member in enumerate(values_of(element)):
                here = f.truth(self.bit_at(collection, index))
                f.when(here, lambda m=member: body(self.plain(element, m)))  # type: ignore[misc]
            return
        self.each_rank(collection, lambda i: body(self._member(element, i)))

    def _member(self, element: Type, index: Operand) -> Value:
        """The value of a rank: from a table, unless it is the rank."""
        if is_dense(element):
            return self.from_code(element, index)
        return self._unrank_by_table(element, index)

    # --- subsets ---

    def _each_subset(self, whole: Value, body: Callable[[Value], None], weight: int) -> None:
        f, type_ = self.f, whole.type
        assert isinstance(type_, Set)
        if not (is_bit_set(type_) and is_small(type_)):
            raise Unsupported("the subsets of a set over many values")
        assert isinstance(whole, Word)
        to, count = Set(type_.element), cardinality(type_.element)
        if isinstance(whole.operand, int) or self.force_unroll:
            bits = [i for i in range(count) if not isinstance(whole.operand, int)
                    or whole.operand >> i & 1]  # fmt: skip
            if self._is_little(1 << len(bits), weight):
                sizes = range(len(bits) + 1)
                for chosen in sorted(c for k in sizes for c in combinations(bits, k)):
                    code = sum(1 << i for i in chosen)
                    inside = f.icmp("eq", f.and_(whole.operand, code), code)
                    f.when(inside, lambda code=code: body(Word(to, code)))  # type: ignore[misc]
                return
        self._loop_over_subsets(whole.operand, to, body)

    def _loop_over_subsets(self, whole: Operand, to: Set, body: Callable[[Value], None]) -> None:
        """In canonical order: grow by the next greater member, else step the last but one on."""
        f = self.f
        cell = f.alloca(hint="subset")
        f.store(0, cell)
        head, grow, back, onward, end = (
            f.label(h) for h in ("head", "grow", "back", "onward", "done")
        )
        f.begin(head)
        subset = f.load(cell)
        body(Word(to, subset))
        greater = f.and_(whole, self._above(subset))
        f.branch(f.icmp("ne", greater, 0), grow, back)
        f.begin(grow)
        f.store(f.or_(subset, f.and_(greater, f.sub(0, greater))), cell)
        f.jump(head)
        f.begin(back)
        shorter = f.and_(subset, f.xor(self._top(subset), -1))
        f.branch(f.icmp("ne", shorter, 0), onward, end)
        f.begin(onward)
        last = self._top(shorter)
        following = f.and_(whole, self._above(shorter))
        following = f.and_(following, f.sub(0, following))
        f.store(f.or_(f.xor(shorter, last), following), cell)
        f.jump(head)
        f.begin(end)

    def _top(self, code: Operand) -> Operand:
        """The highest bit alone; 0 of 0."""
        f = self.f
        position = f.highest_bit(code)
        bit = f.shl(1, f.and_(position, 63))
        return f.select(f.icmp("eq", code, 0), 0, bit)

    def _above(self, code: Operand) -> Operand:
        """All bits above the highest one; all bits for 0."""
        f = self.f
        top = self._top(code)
        # -(2 * top) has exactly the bits above; for top = 2^63 it is 0, as it should be.
        return f.select(f.icmp("eq", code, 0), -1, f.sub(0, f.shl(top, 1)))
