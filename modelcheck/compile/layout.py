"""How values become bits.

A type has a width in bits, and every value of it one pattern of that width, so
equal values are equal bits. Unused bits are zero.

Types with few plain values (booleans, ranges, sorts, enums, and options of
these) are *dense*: a value's code is its rank among the type's values. Records
and unions put the form's number first, then the fields; options a bit, then the
item. A set over at most `WIDEST_BIT_SET` values has a bit for each, by rank;
other sets, bags and sequences have their length, then their elements, ascending
but for sequences. Maps have a value per key.

A value of at most 64 bits is one integer, its first part in the highest bits:
then integers compare as the values do (but for sequences). A wider one lies in
memory, its first part in the lowest bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, assert_never

from attrs import field, frozen

from modelcheck.core.linearizing import BITS
from modelcheck.core.model import Model
from modelcheck.core.types import (
    Bag,
    Bool,
    Form,
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
from modelcheck.core.values import State, Value, cardinality, values_of

WORD = 64
WIDEST_BIT_SET = 256
WIDEST_VALUE = 1 << 20
"""In bits. A wider variable would not be searched in anybody's lifetime."""


_MOST_KNOWN = 1 << 14


class Unsupported(Exception):
    """A model that this engine cannot take; the referee can.

    what  a clause for people: "a set of values that are wider than 64 bits"
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


# --- widths ------------------------------------------------------------------------


@lru_cache(maxsize=65536)
def is_dense(type_: Type) -> bool:
    """Whether a value's code is its rank."""
    match type_:
        case Bool() | Range() | Sort():
            return True
        case Union():
            return type_.is_enum
        case Option(item):
            return is_dense(item)
        case _:
            return False


@lru_cache(maxsize=65536)
def width(type_: Type) -> int:
    """How many bits a value has. Raises Unsupported above WIDEST_VALUE."""
    bits = _width(type_)
    if bits > WIDEST_VALUE:
        raise Unsupported(f"a value of {bits} bits")
    return bits


def _width(type_: Type) -> int:
    if is_dense(type_):
        return max(0, cardinality(type_) - 1).bit_length()
    match type_:
        case Union(_, forms):
            return tag_width(type_) + max((form_width(form) for form in forms), default=0)
        case Option(item):
            return 1 + width(item)
        case Set(element) if is_bit_set(type_):
            return cardinality(element)
        case Set(element) | Bag(element) | Seq(element):
            return length_width(type_) + capacity(type_) * width(element)
        case Map(key, value):
            return cardinality(key) * width(value)
        case Nothing():
            return 0
        case _:
            raise ValueError(f"{type_} has no width")


def form_width(form: Form) -> int:
    """The bits of all fields of a form."""
    return sum(width(field.type) for field in form.fields)


def tag_width(union: Union) -> int:
    """The bits that tell the form."""
    return max(0, len(union.forms) - 1).bit_length()


def is_small(type_: Type) -> bool:
    """Whether a value is one integer."""
    return width(type_) <= WORD


@lru_cache(maxsize=65536)
def is_bit_set(set_: Set) -> bool:
    """Whether the set has a bit per possible element, and no list of elements."""
    count = cardinality(set_.element)
    if count <= WORD or set_.bound is None:
        if count > WIDEST_BIT_SET:
            raise Unsupported(f"a set over {count} values without a bound")
        return True
    if count > WIDEST_BIT_SET:
        return False
    return count <= set_.bound.bit_length() + set_.bound * width(set_.element)


def capacity(collection: Set | Bag | Seq) -> int:
    """The most elements that a list of them has room for."""
    if collection.bound is None:
        raise Unsupported("a collection without a bound")
    if isinstance(collection, Set):
        return min(collection.bound, cardinality(collection.element))
    return collection.bound


def length_width(collection: Set | Bag | Seq) -> int:
    """The bits of the length of a list."""
    return capacity(collection).bit_length()


# --- parts -------------------------------------------------------------------------


def part(whole: int, before: int, bits: int) -> int:
    """Where a part begins in a value of `whole` bits, `before` bits of parts preceding it."""
    return whole - before - bits if whole <= WORD else before


@lru_cache(maxsize=65536)
def field_offsets(union: Union, form: int) -> tuple[int, ...]:
    """For each field of a form, the bit at which it begins."""
    whole, tag = width(union), tag_width(union)
    widths = [width(field.type) for field in union.forms[form].fields]
    starts = accumulate(widths, initial=tag)
    return tuple(part(whole, start, bits) for start, bits in zip(starts, widths, strict=False))


def tag_offset(union: Union) -> int:
    """The bit at which the form's number begins."""
    return part(width(union), 0, tag_width(union))


def length_offset(collection: Set | Bag | Seq) -> int:
    """The bit at which the length of a list begins."""
    return part(width(collection), 0, length_width(collection))


def element_offset(collection: Set | Bag | Seq, index: int) -> int:
    """The bit at which element `index` (from 0) of a list begins."""
    bits = width(collection.element)
    return part(width(collection), length_width(collection) + index * bits, bits)


def entry_offset(map_: Map, index: int) -> int:
    """The bit at which the value of key number `index` begins."""
    bits = width(map_.value)
    return part(width(map_), index * bits, bits)


def contains_sequence(type_: Type) -> bool:
    """Whether integers do not compare as the values do."""
    match type_:
        case Union(_, forms):
            return any(contains_sequence(f.type) for form in forms for f in form.fields)
        case Option(item):
            return contains_sequence(item)
        case Seq() | Set() | Bag() | Map():
            return True
        case _:
            return False


# --- values ------------------------------------------------------------------------


def pack(type_: Type, value: Any) -> int:
    """The bits of a value, the lowest first in memory."""
    match type_:
        case Bool() | Sort():
            return int(value)
        case Range(low):
            return int(value) - low
        case Nothing() | Int():
            raise ValueError(f"no bits for a value of {type_}")
        case Option(item) if is_dense(type_):
            return 1 + pack(item, value[0]) if value else 0
        case Option(item):
            bits = width(item)
            whole = 1 + bits
            if not value:
                return 0
            return 1 << part(whole, 0, 1) | pack(item, value[0]) << part(whole, 1, bits)
        case Union(_, forms):
            code: int = value[0] << tag_offset(type_)
            offsets = field_offsets(type_, value[0])
            for field, offset, each in zip(forms[value[0]].fields, offsets, value[1:], strict=True):
                code |= pack(field.type, each) << offset
            return code
        case Set(element) if is_bit_set(type_):
            return sum(1 << rank(element, each) for each in value)
        case Set(element) | Bag(element) | Seq(element):
            code = len(value) << length_offset(type_)
            for index, each in enumerate(value):
                code |= pack(element, each) << element_offset(type_, index)
            return code
        case Map(_, item):
            code = 0
            for index, each in enumerate(value):
                code |= pack(item, each) << entry_offset(type_, index)
            return code
        case _:
            assert_never(type_)


def unpack(type_: Type, code: int) -> Value:
    """The value that has these bits."""
    match type_:
        case Bool():
            return bool(code)
        case Sort():
            return code
        case Range(low):
            return code + low
        case Nothing() | Int():
            raise ValueError(f"no bits for a value of {type_}")
        case Option(item) if is_dense(type_):
            return (unpack(item, code - 1),) if code else ()
        case Option(item):
            bits = width(item)
            whole = 1 + bits
            if not _cut(code, part(whole, 0, 1), 1):
                return ()
            return (unpack(item, _cut(code, part(whole, 1, bits), bits)),)
        case Union(_, forms):
            form = _cut(code, tag_offset(type_), tag_width(type_))
            offsets = field_offsets(type_, form)
            fields = zip(forms[form].fields, offsets, strict=True)
            return (form, *(unpack(f.type, _cut(code, at, width(f.type))) for f, at in fields))
        case Set(element) if is_bit_set(type_):
            members = values_of(element)
            return tuple(members[i] for i in range(len(members)) if code >> i & 1)
        case Set(element) | Bag(element) | Seq(element):
            length = _cut(code, length_offset(type_), length_width(type_))
            bits = width(element)
            return tuple(
                unpack(element, _cut(code, element_offset(type_, i), bits)) for i in range(length)
            )
        case Map(key, item):
            bits = width(item)
            return tuple(
                unpack(item, _cut(code, entry_offset(type_, i), bits))
                for i in range(cardinality(key))
            )
        case _:
            assert_never(type_)


def _cut(code: int, offset: int, bits: int) -> int:
    return code >> offset & ((1 << bits) - 1)


def rank(type_: Type, value: Any) -> int:
    """The position of a value among all of its type."""
    return _ranks(type_)[value]


@lru_cache(maxsize=4096)
def _ranks(type_: Type) -> dict[Value, int]:
    return {value: position for position, value in enumerate(values_of(type_))}


# --- states ------------------------------------------------------------------------


@frozen
class Entry:
    """Where a variable, or a fault's counter, is in a state.

    name    for people
    type    of one copy; of a counter a range
    offset  the bit at which the first copy begins; copies follow each other
    stride  the bits of one copy
    copies  how many: members of an `each` group; None for a single one
    """

    name: str
    type: Type
    offset: int
    stride: int
    copies: int | None

    @property
    def bits(self) -> int:
        return self.stride * (1 if self.copies is None else self.copies)


@frozen
class Layout:
    """The state of a model as `words` words of 64 bits; `entries` as in a State."""

    entries: tuple[Entry, ...]
    bits: int
    words: int
    _known: tuple[dict[int, Value], ...] = field(init=False, repr=False, eq=False)

    @_known.default
    def _nothing_known(self) -> tuple[dict[int, Value], ...]:
        return tuple({} for _ in self.entries)

    def pack(self, state: State) -> int:
        """A state's bits, as one integer, the first word lowest."""
        code = 0
        for entry, value in zip(self.entries, state, strict=True):
            copies: Any = [value] if entry.copies is None else value
            for index, copy in enumerate(copies):
                code |= pack(entry.type, copy) << (entry.offset + index * entry.stride)
        return code

    def table(self) -> str:
        """For people: what lies where."""
        plural = "word" if self.words == 1 else "words"
        lines = [f"{self.bits} bits in {self.words} {plural} of 64"]
        rows = [("bits", "each", "copies", "name")]
        for entry in sorted(self.entries, key=lambda e: e.offset):
            last = entry.offset + entry.bits - 1
            place = f"{entry.offset}..{last}" if entry.bits else "none"
            copies = "" if entry.copies is None else str(entry.copies)
            rows.append((place, str(entry.stride), copies, entry.name))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        for place, each, copies, name in rows:
            cells = (place.rjust(widths[0]), each.rjust(widths[1]), copies.rjust(widths[2]))
            lines.append("  ".join((*cells, name)))
        return "\n".join(lines)

    def unpack(self, code: int) -> State:
        """The state that has these bits."""
        return tuple(self._entries(code))

    def _entries(self, code: int) -> Iterator[Value]:
        for entry, known in zip(self.entries, self._known, strict=True):
            if entry.copies is None:
                yield _unpacked(entry, known, _cut(code, entry.offset, entry.stride))
            else:
                yield tuple(
                    [
                        _unpacked(
                            entry, known, _cut(code, entry.offset + i * entry.stride, entry.stride)
                        )
                        for i in range(entry.copies)
                    ]
                )


def _unpacked(entry: Entry, known: dict[int, Value], code: int) -> Value:
    """A value of the entry; variables take few values, each many times."""
    value = known.get(code)
    if value is None:
        value = unpack(entry.type, code)
        if len(known) < _MOST_KNOWN:
            known[code] = value
    return value


def layout_of(model: Model) -> Layout:
    """Where everything is in a state. Raises Unsupported."""
    wanted: list[tuple[str, Type, int | None]] = [
        (v.full_name, v.type, None if v.owner.key is None else cardinality(v.owner.key))
        for v in model.variables
    ]
    for action in model.counters:
        assert action.at_most is not None
        wanted.append((f"{action.name} so far", Range(0, action.at_most), None))
    if model.history is not None:
        wanted.append(("history", Range(0, (1 << BITS) - 1), None))
    sizes = [width(type_) * (1 if n is None else n) for _, type_, n in wanted]
    if sum(sizes) > WIDEST_VALUE:
        raise Unsupported(f"a state of {sum(sizes)} bits")
    offsets = _place(sizes)
    entries = tuple(
        Entry(name, type_, offset, width(type_), n)
        for (name, type_, n), offset in zip(wanted, offsets, strict=True)
    )
    return Layout(entries, sum(sizes), max(1, -(-sum(sizes) // WORD)))


def _place(sizes: Sequence[int]) -> list[int]:
    """An offset for each size: within a word where that costs no more words, else on end."""
    words = max(1, -(-sum(sizes) // WORD))
    offsets = [0] * len(sizes)
    large = [i for i, size in enumerate(sizes) if size > WORD]
    small = [i for i, size in enumerate(sizes) if size <= WORD]
    free: list[list[int]] = []  # the first free bit and the end of each gap
    at = 0
    for i in large:
        offsets[i] = at
        end = at + sizes[i]
        at = -(-end // WORD) * WORD
        if at > end:
            free.append([end, at])
    free += [[start, start + WORD] for start in range(at, words * WORD, WORD)]
    for i in sorted(small, key=lambda i: -sizes[i]):
        gap = next((g for g in free if g[1] - g[0] >= sizes[i]), None)
        if gap is None:
            return [0, *accumulate(sizes)][:-1]
        offsets[i] = gap[0]
        gap[0] += sizes[i]
    return offsets if at <= words * WORD else [0, *accumulate(sizes)][:-1]
