"""Taking values apart and putting them together by their type: unions, options, lists, maps; and
the position of a value among all of its type.
"""

from __future__ import annotations

from collections.abc import Callable

from modelcheck.compile.ir import Flag, Operand, low_bits
from modelcheck.compile.layout import (
    WORD,
    Unsupported,
    capacity,
    element_offset,
    entry_offset,
    field_offsets,
    is_dense,
    is_small,
    length_offset,
    length_width,
    part,
    tag_offset,
    tag_width,
    width,
)
from modelcheck.compile.lower.bits import Bits, Memory, Value, Word
from modelcheck.core.types import (
    Bag,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Type,
    Union,
)
from modelcheck.core.values import cardinality, values_of


class Parts(Bits):
    """Parts of values."""

    # --- unions, options ---

    def tag(self, value: Value) -> Operand:
        """The number of a union value's form."""
        assert isinstance(value.type, Union)
        bits = tag_width(value.type)
        if is_dense(value.type):
            return self.code(value)
        return self._cut_bits(value, tag_offset(value.type), bits)

    def _cut_bits(self, value: Value, offset: int, bits: int) -> Operand:
        if isinstance(value, Memory):
            return self.read_bits(value.base, self.f.add(value.offset, offset), bits)
        return self.f.mask(self.f.lshr(self.code(value), offset), bits) if bits else 0

    def field(self, value: Value, form: int, index: int) -> Value:
        """A field of a union value that is known to have the form."""
        assert isinstance(value.type, Union)
        offset = field_offsets(value.type, form)[index]
        return self.cut(value, offset, value.type.forms[form].fields[index].type)

    def make(self, union: Union, form: int, fields: list[Value]) -> Value:
        """A union value; the fields have the types of the form's."""
        if is_dense(union):
            return Word(union, form)
        offsets = field_offsets(union, form)
        number = Word(Range(0, len(union.forms) - 1), form)
        return self.build(union, [(tag_offset(union), number), *zip(offsets, fields, strict=True)])

    def is_present(self, value: Value) -> Flag:
        """Whether an option has an item."""
        assert isinstance(value.type, Option)
        if is_dense(value.type):
            return self.f.icmp("ne", self.code(value), 0)
        whole = width(value.type)
        return self.f.icmp("ne", self._cut_bits(value, part(whole, 0, 1), 1), 0)

    def item(self, value: Value) -> Value:
        """The item of an option that has one."""
        assert isinstance(value.type, Option)
        item = value.type.item
        if isinstance(item, Nothing):
            return Word(item, 0)
        if is_dense(value.type):
            return self.from_code(item, self.f.sub(self.code(value), 1))
        return self.cut(value, part(width(value.type), 1, width(item)), item)

    def present(self, item: Value) -> Value:
        """An option with an item."""
        type_ = Option(item.type)
        if is_dense(type_):
            return Word(type_, self.f.add(self.code(item), 1))
        whole, bits = width(type_), width(item.type)
        one = Word(Range(0, 1), 1)
        return self.build(type_, [(part(whole, 0, 1), one), (part(whole, 1, bits), item)])

    def absent(self, type_: Option) -> Value:
        """`none`"""
        return self.zero_of(type_)

    def zero_of(self, type_: Type) -> Value:
        """The value whose bits are all zero."""
        if is_small(type_):
            return self.from_code(type_, 0)
        return Memory(type_, self.constant_bits(0, width(type_)), 0)

    # --- ranks ---

    def rank_of(self, value: Value) -> Operand:
        """The position of a value among all of its type."""
        f, type_ = self.f, value.type
        if is_dense(type_):
            return self.code(value)
        match type_:
            case Option():
                return f.choose(
                    self.is_present(value),
                    lambda: f.add(1, self.rank_of(self.item(value))),
                    lambda: 0,
                )
            case Union(_, forms):
                bases = [0]
                for form in forms:
                    count = 1
                    for field in form.fields:
                        count *= cardinality(field.type)
                    bases.append(bases[-1] + count)
                return self._by_form(value, lambda form: self._rank_in(value, form, bases[form]))
            case _:
                raise Unsupported(f"the rank of a value of {type_}")

    def _rank_in(self, value: Value, form: int, base: int) -> Operand:
        assert isinstance(value.type, Union)
        f, number = self.f, 0
        total: Operand = number
        for index, field in enumerate(value.type.forms[form].fields):
            scaled = f.mul(total, cardinality(field.type))
            total = f.add(scaled, self.rank_of(self.field(value, form, index)))
        return f.add(total, base)

    def _by_form(self, value: Value, of: Callable[[int], Operand]) -> Operand:
        """A number that depends on the form."""
        assert isinstance(value.type, Union)
        f, forms = self.f, value.type.forms
        tag = self.tag(value)
        if isinstance(tag, int):
            return of(tag)
        result = of(0)
        for form in range(1, len(forms)):
            # The fields' bits are there whatever the form: no branch is needed to read them.
            result = f.select(f.icmp("eq", tag, form), of(form), result)
        return result

    def unrank(self, type_: Type, index: Operand) -> Value:
        """The value at a position among all of its type; the position must be one."""
        f = self.f
        if isinstance(index, int) and cardinality(type_) <= 4096:
            return self.plain(type_, values_of(type_)[index])
        if is_dense(type_):
            return self.from_code(type_, index)
        match type_:
            case Option(item) if is_small(type_):
                inner = self.present(self.unrank(item, f.sub(index, 1)))
                chosen = f.select(f.icmp("eq", index, 0), 0, self.code(inner))
                return self.from_code(type_, chosen)
            case Union(_, forms) if is_small(type_):
                code: Operand = 0
                base = 0
                for number, form in enumerate(forms):
                    made = self._unrank_form(type_, number, f.sub(index, base))
                    code = f.select(f.icmp("uge", index, base), made, code)
                    count = 1
                    for field in form.fields:
                        count *= cardinality(field.type)
                    base += count
                return self.from_code(type_, code)
            case _:
                return self._unrank_by_table(type_, index)

    def _unrank_form(self, union: Union, number: int, index: Operand) -> Operand:
        f, fields = self.f, list[Value]()
        for field in reversed(union.forms[number].fields):
            count = cardinality(field.type)
            if count == 0:
                return 0
            fields.append(self.unrank(field.type, f.urem(index, count)))
            index = f.udiv(index, count)
        return self.code(self.make(union, number, fields[::-1]))

    def _unrank_by_table(self, type_: Type, index: Operand) -> Value:
        from modelcheck.compile.layout import pack

        count, bits = cardinality(type_), width(type_)
        if count > 4096:
            raise Unsupported(f"all {count} values of {type_}")
        words = max(1, -(-bits // WORD))
        codes = [pack(type_, value) for value in values_of(type_)]
        table = self.module.table(
            [code >> (WORD * i) & low_bits(WORD) for code in codes for i in range(words)] + [0]
        )
        offset = self.f.mul(index, words * WORD)
        if bits <= WORD:
            return self.from_code(type_, self.f.fetch(table, index))
        return Memory(type_, table, offset)

    # --- lists: length and elements ---

    def length(self, value: Value) -> Operand:
        """How many elements a list of them has."""
        assert isinstance(value.type, Set | Bag | Seq)
        return self._cut_bits(value, length_offset(value.type), length_width(value.type))

    def element(self, value: Value, index: Operand) -> Value:
        """An element of a list, from 0; the index must be inside its capacity."""
        f, type_ = self.f, value.type
        assert isinstance(type_, Set | Bag | Seq)
        if capacity(type_) == 0:
            return self.nothing(type_.element)
        if isinstance(index, int):
            return self.cut(value, element_offset(type_, index), type_.element)
        first, bits = element_offset(type_, 0), width(type_.element)
        step = f.mul(index, bits)
        back = width(type_) <= WORD
        at = f.sub(first, step) if back else f.add(first, step)
        return self.cut(value, at, type_.element)

    def entry(self, value: Value, index: Operand) -> Value:
        """The value of a map at key number `index`."""
        f, type_ = self.f, value.type
        assert isinstance(type_, Map)
        if isinstance(index, int):
            return self.cut(value, entry_offset(type_, index), type_.value)
        first, bits = entry_offset(type_, 0), width(type_.value)
        step = f.mul(index, bits)
        at = f.sub(first, step) if width(type_) <= WORD else f.add(first, step)
        return self.cut(value, at, type_.value)
