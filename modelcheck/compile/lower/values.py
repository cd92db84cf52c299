"""Operations on values by their type: unions, options, equality, order, and changes of type.

A value may have a narrower type than the place it goes to: `coerce` re-codes
it, and judges what does not fit, part by part in the order in which the meaning
judges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, assert_never

from modelcheck.compile.ir import Flag, Operand, signed
from modelcheck.compile.layout import (
    WIDEST_BIT_SET,
    WORD,
    Unsupported,
    capacity,
    contains_sequence,
    element_offset,
    entry_offset,
    is_bit_set,
    is_small,
    length_offset,
    length_width,
    rank,
    width,
)
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.parts import Parts
from modelcheck.core.types import (
    INT,
    Bag,
    Bool,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import cardinality, is_finite, misfit, values_of

Explain: TypeAlias = "Callable[[int], tuple[Type, int]]"
"""From the number recorded where a part does not fit to the part's type, and the number that does
not fit it: for a range the value, for a capacity how many elements there are."""

Misfit: TypeAlias = 'Callable[[Literal["range", "capacity"], Operand, Explain], None]'
"""Called where a part does not fit, to write what happens then; it must end the block."""


ANY = Range(-(1 << (WORD - 1)), (1 << (WORD - 1)) - 1)
"""The type of a number whose bounds are not known."""


def bounded(type_: Type) -> Type:
    """The type of a term that has numbers without known bounds, as one that has a width."""
    match type_:
        case Int():
            return ANY
        case Option(item):
            return Option(bounded(item))
        case Map(key, value):
            return Map(key, bounded(value))
        case _:
            return type_


def join(a: Type, b: Type) -> Type:
    """The least type that has the values of both."""
    if a == b or isinstance(b, Nothing):
        return a
    match a, b:
        case Nothing(), _:
            return b
        case Range(), Range():
            if a.low > a.high:
                return b
            if b.low > b.high:
                return a
            return Range(min(a.low, b.low), max(a.high, b.high))
        case ((Int() | Range()), (Int() | Range())):
            return INT
        case Option(x), Option(y):
            return Option(join(x, y))
        case Set(x, m), Set(y, n):
            element = join(x, y)
            if not is_finite(element):
                return Set(element)
            if m is None and n is None and cardinality(element) <= WIDEST_BIT_SET:
                return Set(element)
            sizes = (cardinality(x) if m is None else m, cardinality(y) if n is None else n)
            return Set(element, max(sizes))
        case Bag(x, m), Bag(y, n):
            return Bag(join(x, y), None if m is None or n is None else max(m, n))
        case Seq(x, m), Seq(y, n):
            return Seq(join(x, y), None if m is None or n is None else max(m, n))
        case Map(k, x), Map(l, y) if k == l:
            return Map(k, join(x, y))
        case _:
            raise Unsupported(f"values of the types {a} and {b} where one is wanted")


class Values(Parts):
    """Making, asking and converting values."""

    # --- equality, order ---

    def equal(self, a: Value, b: Value) -> Flag:
        """Whether two values, whose types have a join, are equal."""
        f = self.f
        if isinstance(a.type, Int | Range) and isinstance(b.type, Int | Range):
            assert isinstance(a, Word) and isinstance(b, Word)
            return f.icmp("eq", a.operand, b.operand)
        if a.type != b.type:
            wanted = join(a.type, b.type)
            a, b = self.retype(a, wanted), self.retype(b, wanted)
        if isinstance(a.type, Nothing):
            return True
        if isinstance(a, Word) or isinstance(b, Word):
            if isinstance(a.type, Bool):
                return f.not_(self.differ(a, b))
            return f.icmp("eq", self.code(a), self.code(b))
        return self.equal_bits(a, b, width(a.type))

    def differ(self, a: Value, b: Value) -> Flag:
        assert isinstance(a, Word) and isinstance(b, Word)
        if isinstance(a.flag, bool) and isinstance(b.flag, bool):
            return a.flag != b.flag
        if isinstance(a.flag, bool):
            a, b = b, a
        if isinstance(b.flag, bool):
            return self.f.not_(a.flag) if b.flag else a.flag
        return self.f.value(f"xor i1 {a.flag}, {b.flag}", "c")

    def equal_bits(self, a: Memory, b: Memory, bits: int) -> Flag:
        """Whether two places hold the same bits."""
        f = self.f
        if a.base == b.base and a.offset == b.offset:
            return True
        if bits <= 8 * WORD:
            same: Operand = 0
            for at in range(0, bits, WORD):
                count = min(WORD, bits - at)
                same = f.or_(same, self._differing(a, b, at, count))
            return f.icmp("eq", same, 0)
        cell = f.alloca(hint="differs")
        f.store(0, cell)
        end = f.label("compared")

        def compare(i: str) -> None:
            at = f.shl(i, 5)
            found = f.xor(
                self.read_bits(a.base, f.add(a.offset, at), 32),
                self.read_bits(b.base, f.add(b.offset, at), 32),
            )
            f.store(found, cell)
            go_on = f.label("same")
            f.branch(f.icmp("ne", found, 0), end, go_on)
            f.begin(go_on)

        f.loop(0, bits // 32, compare)
        rest = bits % 32
        if rest:
            f.store(self._differing(a, b, bits - rest, rest), cell)
        f.begin(end)
        return f.icmp("eq", f.load(cell), 0)

    def _differing(self, a: Memory, b: Memory, at: int, bits: int) -> Operand:
        f = self.f
        return f.xor(
            self.read_bits(a.base, f.add(a.offset, at), bits),
            self.read_bits(b.base, f.add(b.offset, at), bits),
        )

    def before(self, a: Value, b: Value) -> Flag:
        """Whether the one value precedes the other, of the same type, in canonical order."""
        f, type_ = self.f, a.type
        if isinstance(type_, Int | Range):
            assert isinstance(a, Word) and isinstance(b, Word)
            return f.icmp("slt", a.operand, b.operand)
        if is_small(type_) and not contains_sequence(type_):
            return f.icmp("ult", self.code(a), self.code(b))
        match type_:
            case Option():
                return self._option_before(a, b)
            case Union():
                return self._union_before(a, b)
            case Seq():
                return self._seq_before(a, b)
            case _:
                raise Unsupported(f"the order of values of {type_}")

    def _option_before(self, a: Value, b: Value) -> Flag:
        f = self.f
        left, right = f.widen(self.is_present(a)), f.widen(self.is_present(b))
        both = f.icmp("eq", f.and_(left, right), 1)
        inner = f.choose(
            both,
            lambda: f.widen(self.before(self.item(a), self.item(b))),
            lambda: f.widen(f.icmp("ult", left, right)),
        )
        return self.f.truth(inner)

    def _union_before(self, a: Value, b: Value) -> Flag:
        assert isinstance(a.type, Union)
        f, tag, other = self.f, self.tag(a), self.tag(b)
        result = f.widen(f.icmp("ult", tag, other))
        same = f.icmp("eq", tag, other)
        for number, form in enumerate(a.type.forms):
            if not form.fields:
                continue

            def fields(number: int = number, count: int = len(form.fields)) -> Operand:
                parts = [(self.field(a, number, i), self.field(b, number, i)) for i in range(count)]
                return self._lexicographic(parts)

            here = f.both(same, f.icmp("eq", tag, number))
            before = result
            result = f.choose(here, fields, lambda before=before: before)  # type: ignore[misc]
        return self.f.truth(result)

    def _lexicographic(self, parts: list[tuple[Value, Value]]) -> Operand:
        f = self.f
        (x, y), rest = parts[0], parts[1:]
        first = f.widen(self.before(x, y))
        if not rest:
            return first
        return f.choose(self.equal(x, y), lambda: self._lexicographic(rest), lambda: first)

    def _seq_before(self, a: Value, b: Value) -> Flag:
        assert isinstance(a.type, Seq)
        f, most = self.f, capacity(a.type)
        left, right = self.length(a), self.length(b)

        def at(i: int) -> Operand:
            if i == most:
                return 0
            ends = f.icmp("sle", left, i)
            return f.choose(
                f.any_of(ends, f.icmp("sle", right, i)),
                lambda: f.widen(f.both(ends, f.icmp("sgt", right, i))),
                lambda: self._step_before(a, b, i, at),
            )

        return self.f.truth(at(0))

    def _step_before(self, a: Value, b: Value, i: int, at: Callable[[int], Operand]) -> Operand:
        f = self.f
        x, y = self.element(a, i), self.element(b, i)
        first = f.widen(self.before(x, y))
        return f.choose(self.equal(x, y), lambda: at(i + 1), lambda: first)

    # --- changes of type ---

    def retype(self, value: Value, to: Type) -> Value:
        """The value in a type that is known to have it."""

        def never(kind: str, number: Operand, explain: Explain) -> None:
            self.f.unreachable()

        return self.coerce(value, to, never)

    def coerce(self, value: Value, to: Type, misfit: Misfit) -> Value:
        """The value in another type of the same form; `misfit` writes what else happens."""
        if value.type == to or isinstance(to, Int):
            return value
        if isinstance(value.type, Nothing):
            return self.nothing(to)
        match to:
            case Range():
                return self._to_range(value, to, misfit)
            case Option():
                return self._to_option(value, to, misfit)
            case Set():
                return self._to_set(value, to, misfit)
            case Bag() | Seq():
                return self._to_list(value, to, misfit)
            case Map():
                return self._to_map(value, to, misfit)
            case Union():
                return self._to_union(value, to, misfit)
            case Bool() | Sort() | Nothing():
                return value
            case _:
                assert_never(to)

    def _to_range(self, value: Value, to: Range, misfit: Misfit) -> Value:
        assert isinstance(value, Word)
        f, low, high, number = self.f, to.low, to.high, value.operand
        source = value.type
        if to == ANY or (isinstance(source, Range) and low <= source.low and source.high <= high):
            return Word(to, number)
        outside = f.icmp("ugt", f.sub(number, low), high - low) if low <= high else True
        self.otherwise(outside, lambda: misfit("range", number, lambda n: (to, n)))
        return Word(to, number)

    def otherwise(self, wrong: Flag, happens: Callable[[], None]) -> None:
        """Go on if not `wrong`; else what `happens`, which ends its block."""
        f = self.f
        bad, good = f.label("bad"), f.label("good")
        f.branch(wrong, bad, good)
        f.begin(bad)
        if f.reachable:
            happens()
        f.begin(good)

    def _to_option(self, value: Value, to: Option, misfit: Misfit) -> Value:
        source = value.type
        assert isinstance(source, Option)
        if isinstance(source.item, Nothing):
            return self.absent(to)
        f, arms = self.f, list[tuple[Value, str]]()
        yes, no, end = f.label("some"), f.label("none"), f.label("option")
        f.branch(self.is_present(value), yes, no)
        f.begin(yes)
        converted = self.present(self.coerce(self.item(value), to.item, misfit))
        self._arm(arms, converted, end)
        f.begin(no)
        self._arm(arms, self.absent(to), end)
        f.begin(end)
        return self.phi(to, arms)

    def _arm(self, arms: list[tuple[Value, str]], value: Value, end: str) -> None:
        if self.f.reachable:
            arms.append((value, self.f.block))
        self.f.jump(end)

    def _to_union(self, value: Value, to: Union, misfit: Misfit) -> Value:
        source = value.type
        assert isinstance(source, Union)
        f, arms, end = self.f, list[tuple[Value, str]](), self.f.label("union")
        tag = self.tag(value)
        for number, form in enumerate(to.forms):
            here, other = f.label("form"), f.label("other")
            f.branch(f.icmp("eq", tag, number), here, other)
            f.begin(here)
            fields = [
                self.coerce(self.field(value, number, i), field.type, misfit)
                for i, field in enumerate(form.fields)
            ]
            self._arm(arms, self.make(to, number, fields), end)
            f.begin(other)
        f.unreachable()
        f.begin(end)
        return self.phi(to, arms)

    def _to_map(self, value: Value, to: Map, misfit: Misfit) -> Value:
        parts = []
        for index in range(cardinality(to.key)):
            entry = self.coerce(self.entry(value, index), to.value, misfit)
            parts.append((entry_offset(to, index), entry))
        return self.build(to, parts)

    def _to_list(self, value: Value, to: Bag | Seq, misfit: Misfit) -> Value:
        """Elements in their order, which a change of type does not touch; then the length."""
        f, source = self.f, value.type
        assert isinstance(source, Bag | Seq)
        length, most, room = self.length(value), capacity(source), capacity(to)
        base = self.buffer(to)

        def put(i: str) -> None:
            element = self.coerce(self.element(value, i), to.element, misfit)
            fits = f.icmp("slt", i, room)
            f.when(fits, lambda: self.put_element(base, to, i, element))

        f.loop(0, length, put)
        if most > room:
            self._judge_length(length, to, misfit)
        return self.list_of(base, to, length)

    def _to_set(self, value: Value, to: Set, misfit: Misfit) -> Value:
        source = value.type
        assert isinstance(source, Set)
        if is_bit_set(source) and is_bit_set(to):
            return self._bits_to_bits(value, source, to, misfit)
        f = self.f
        if is_bit_set(to):
            words = self.buffer(to)

            def add(i: str) -> None:
                element = self.coerce(self.element(value, i), to.element, misfit)
                self.set_bit(words, self.rank_of(element))

            f.loop(0, self.length(value), add)
            return self.judge_size(self.bits_value(words, to), to, misfit)
        base = self.buffer(to)
        count = f.alloca(hint="count")
        f.store(0, count)
        room = capacity(to)

        def put(element: Value) -> None:
            fitting = self.coerce(element, to.element, misfit)
            at = f.load(count)
            f.when(f.icmp("slt", at, room), lambda: self.put_element(base, to, at, fitting))
            f.store(f.add(at, 1), count)

        self.each_element(value, put)
        length = f.load(count)
        self._judge_length(length, to, misfit)
        return self.list_of(base, to, length)

    def _judge_length(self, length: Operand, to: Set | Bag | Seq, misfit: Misfit) -> None:
        self.otherwise(
            self.f.icmp("sgt", length, capacity(to)),
            lambda: misfit("capacity", length, lambda n: (to, n)),
        )

    def _bits_to_bits(self, value: Value, source: Set, to: Set, misfit: Misfit) -> Value:
        if source.element != to.element:
            value = self._move_bits(value, source, to, misfit)
        elif isinstance(value, Word):
            value = Word(to, value.code)
        else:
            value = Memory(to, value.base, value.offset)
        if to.bound is not None and (source.bound is None or source.bound > to.bound):
            return self.judge_size(value, to, misfit)
        return value

    def _move_bits(self, value: Value, source: Set, to: Set, fails: Misfit) -> Value:
        """Each element's bit to its rank in the other type."""
        f = self.f
        members = values_of(source.element)
        misfits = {i: misfit(to.element, member) for i, member in enumerate(members)}
        wrong = {i: found for i, found in misfits.items() if found is not None}
        if any(kind != "range" for kind, _, _ in wrong.values()):
            raise Unsupported("a set whose elements may hold too much")
        ranks = [-1 if i in wrong else rank(to.element, m) for i, m in enumerate(members)]

        def explain(index: int) -> tuple[Type, int]:
            _, type_, number = wrong[index]
            assert isinstance(number, int)
            return type_, number

        moves = {r - i for i, r in enumerate(ranks) if r >= 0}
        if isinstance(value, Word) and is_small(to) and len(moves) == 1:
            bad = f.and_(value.operand, signed(sum(1 << i for i in wrong)))
            self.otherwise(f.icmp("ne", bad, 0), lambda: fails("range", f.lowest_bit(bad), explain))
            by = moves.pop()
            moved = f.shl(value.operand, by) if by >= 0 else f.lshr(value.operand, -by)
            return Word(to, moved)
        table, words = self.module.table(ranks or [0]), self.buffer(to)

        def move(i: Operand) -> None:
            new = f.fetch(table, i)
            self.otherwise(f.icmp("slt", new, 0), lambda: fails("range", i, explain))
            self.set_bit(words, new)

        self.each_rank(value, move)
        return self.bits_value(words, to)

    def judge_size(self, value: Value, to: Set, misfit: Misfit) -> Value:
        """A bit set whose bound may be exceeded."""
        count = cardinality(to.element)
        if to.bound is None or to.bound >= count:
            return value
        size, bound = self.bit_count(value), to.bound
        self.otherwise(
            self.f.icmp("sgt", size, bound),
            lambda: misfit("capacity", size, lambda n: (to, n)),
        )
        return value

    # --- to be written out: lists and bit sets ---

    def put_element(self, base: str, to: Set | Bag | Seq, index: Operand, element: Value) -> None:
        """Element `index` into room that is zero there."""
        f, bits = self.f, width(to.element)
        if isinstance(index, int):
            self.write(base, element_offset(to, index), element)
            return
        step = f.mul(index, bits)
        first = element_offset(to, 0)
        at = f.sub(first, step) if width(to) <= WORD else f.add(first, step)
        self.write(base, at, element)

    def list_of(self, base: str, to: Set | Bag | Seq, length: Operand) -> Value:
        """The list whose elements have been put into a buffer."""
        self.write_bits(base, length_offset(to), length_width(to), length)
        return self.read(base, 0, to)

    def set_bit(self, base: str, index: Operand) -> None:
        """Bit `index` to one."""
        f = self.f
        pointer = f.word(base, f.lshr(index, 6))
        f.store(f.or_(f.load(pointer), f.shl(1, f.and_(index, 63))), pointer)

    def bits_value(self, base: str, to: Set) -> Value:
        """The set whose bits have been put into a buffer."""
        return self.read(base, 0, to)

    def bit_count(self, value: Value) -> Operand:
        """How many elements a bit set has."""
        f = self.f
        if isinstance(value, Word):
            return f.popcount(value.operand)
        total: Operand = 0
        bits = width(value.type)
        for at in range(0, bits, WORD):
            word = self.read_bits(value.base, f.add(value.offset, at), min(WORD, bits - at))
            total = f.add(total, f.popcount(word))
        return total

    def each_rank(self, value: Value, body: Callable[[Operand], None]) -> None:
        """The ranks of a bit set's elements, ascending."""
        f, bits = self.f, width(value.type)
        for at in range(0, bits, WORD):
            count = min(WORD, bits - at)
            word = (
                value.operand
                if isinstance(value, Word)
                else self.read_bits(value.base, f.add(value.offset, at), count)
            )
            self._each_bit(word, at, body)

    def _each_bit(self, word: Operand, base: int, body: Callable[[Operand], None]) -> None:
        f = self.f
        if word == 0:
            return
        cell = f.alloca(hint="left")
        f.store(word, cell)
        head, inside, end = f.label("head"), f.label("bit"), f.label("done")
        f.begin(head)
        left = f.load(cell)
        f.branch(f.icmp("ne", left, 0), inside, end)
        f.begin(inside)
        f.store(f.and_(left, f.sub(left, 1)), cell)
        body(f.add(f.lowest_bit(left), base))
        f.jump(head)
        f.begin(end)

    def each_element(self, value: Value, body: Callable[[Value], None]) -> None:
        """The elements of a set, ascending."""
        assert isinstance(value.type, Set | Bag | Seq)
        element = value.type.element
        if isinstance(value.type, Set) and is_bit_set(value.type):
            self.each_rank(value, lambda i: body(self.unrank(element, i)))
        else:
            self.f.loop(0, self.length(value), lambda i: body(self.element(value, i)))
