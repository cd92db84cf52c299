"""Values as bits: nothing is lost, widths are as they are said to be, codes keep the order."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modelcheck.compile.layout import (
    WIDEST_BIT_SET,
    WORD,
    Entry,
    Layout,
    Unsupported,
    contains_sequence,
    is_bit_set,
    is_dense,
    is_small,
    layout_of,
    pack,
    rank,
    unpack,
    width,
)
from modelcheck.core.types import (
    BOOL,
    Bag,
    Field,
    Form,
    Map,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import Value, cardinality, make_bag, make_set, values_of

from .small import model

# --- types and values --------------------------------------------------------------

_RANGES = st.builds(
    lambda low, size: Range(low, low + size), st.integers(-5, 5), st.integers(0, 70)
)
_PLAIN = st.one_of(st.just(BOOL), _RANGES, st.builds(Sort, st.just("S"), st.integers(1, 9)))


def _union(fields: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    form = st.lists(fields, max_size=3).map(
        lambda types: tuple(Field(f"f{i}", type_) for i, type_ in enumerate(types))
    )
    return st.lists(form, min_size=1, max_size=4).map(
        lambda forms: Union("U", tuple(Form(f"F{i}", each) for i, each in enumerate(forms)))
    )


_ELEMENTS = st.one_of(_PLAIN, _PLAIN.map(Option), _union(st.one_of(_PLAIN, _PLAIN.map(Option))))


def _collections(element: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    bound = st.integers(0, 5)
    return st.one_of(
        st.builds(Set, element, st.none() | bound),
        st.builds(Bag, element, bound),
        st.builds(Seq, element, bound),
        st.builds(Map, st.one_of(st.just(BOOL), _RANGES), element),
    )


_TYPES = st.one_of(
    _ELEMENTS,
    _collections(_ELEMENTS),
    _union(_collections(_ELEMENTS)),
    _collections(_collections(_PLAIN)).filter(lambda t: isinstance(t, Map | Seq)),
    _collections(_PLAIN).map(Option),
)


def _values(type_: Type) -> st.SearchStrategy[Value]:
    match type_:
        case Range(low, high):
            return st.integers(low, high)
        case Sort():
            return st.integers(0, type_.size - 1)
        case Option(item):
            return st.just(()) | st.tuples(_values(item))
        case Union(_, forms):
            return st.one_of(
                st.tuples(st.just(i), *(_values(field.type) for field in form.fields))
                for i, form in enumerate(forms)
            )
        case Set(element, bound):
            most = 5 if bound is None else bound
            return st.lists(_values(element), max_size=most).map(make_set)
        case Bag(element, bound):
            return st.lists(_values(element), max_size=bound).map(make_bag)
        case Seq(element, bound):
            return st.lists(_values(element), max_size=bound).map(tuple)
        case Map(key, value):
            return st.tuples(*[_values(value)] * cardinality(key))
        case _:
            return st.booleans()


@st.composite
def _typed(draw, count: int = 1):
    type_ = draw(_TYPES)
    try:
        width(type_)
    except Unsupported:
        assume(False)
    return type_, *(draw(_values(type_)) for _ in range(count))


# --- values ------------------------------------------------------------------------


@given(_typed())
def test_a_value_comes_back_from_its_bits(typed):
    type_, value = typed
    code = pack(type_, value)
    assert unpack(type_, code) == value
    assert 0 <= code < 1 << width(type_)


@given(_typed(2))
def test_equal_bits_are_equal_values(typed):
    type_, a, b = typed
    assert (pack(type_, a) == pack(type_, b)) == (a == b)


@given(_typed(2))
def test_small_values_without_sequences_compare_as_their_codes(typed):
    type_, a, b = typed
    assume(is_small(type_) and not contains_sequence(type_))
    assert (pack(type_, a) < pack(type_, b)) == (a < b)


@given(_typed())
def test_few_plain_values_have_their_rank_as_code(typed):
    type_, value = typed
    assume(is_dense(type_))
    assert pack(type_, value) == rank(type_, value)
    assert width(type_) == max(0, cardinality(type_) - 1).bit_length()


@given(_typed())
def test_widths_are_those_of_the_parts(typed):
    type_, _ = typed
    assume(not is_dense(type_))
    assert width(type_) == _width_by_hand(type_)


def _width_by_hand(type_: Type) -> int:
    match type_:
        case Option(item):
            return 1 + width(item)
        case Union(_, forms):
            fields = [sum(width(field.type) for field in form.fields) for form in forms]
            return (len(forms) - 1).bit_length() + max(fields)
        case Map(key, value):
            return cardinality(key) * width(value)
        case Set(element) if is_bit_set(type_):
            return cardinality(element)
        case Set(element, bound):
            most = min(bound, cardinality(element))
            return most.bit_length() + most * width(element)
        case Bag(element, bound) | Seq(element, bound):
            return bound.bit_length() + bound * width(element)
        case _:
            raise AssertionError(type_)


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 255, 256])
def test_a_set_over_few_values_has_a_bit_for_each(count):
    type_ = Set(Range(0, count - 1))
    assert width(type_) == count
    for value in ((), (0,), (count - 1,), tuple(range(count))):
        assert unpack(type_, pack(type_, value)) == value
    assert pack(type_, tuple(range(count))) == (1 << count) - 1


def test_a_set_over_many_values_needs_a_bound():
    many = Range(0, WIDEST_BIT_SET)
    assert not is_bit_set(Set(many, 2))
    with pytest.raises(Unsupported, match="257 values without a bound"):
        width(Set(many))


def test_a_value_of_more_than_a_million_bits_is_refused():
    with pytest.raises(Unsupported, match="bits"):
        width(Seq(Range(0, 255), 1 << 18))


@pytest.mark.parametrize("bits", [1, 31, 62, 63, 64, 65, 127, 128, 129, 4096])
def test_parts_may_lie_across_words(bits):
    record = Union("R", (Form("R", (Field("a", Seq(BOOL, 1)), Field("b", Map(BOOL, BOOL)))),))
    type_ = Seq(record, -(-bits // width(record)))
    values = values_of(record)
    value = tuple(values[i % len(values)] for i in range(type_.bound))
    assert unpack(type_, pack(type_, value)) == value


# --- states ------------------------------------------------------------------------


def _of_sizes(*sizes: int) -> Layout:
    """The layout of variables of so many bits each."""
    lines = "\n".join(f"    v{i}: {_of_bits(size)}" for i, size in enumerate(sizes))
    keys = "\n".join(f"type K{size} = 1..{size}" for size in sorted(set(sizes)))
    return layout_of(model(f"{keys}\nstate\n  s\n{lines}\naction stay\n  s.v0 := s.v0"))


def _of_bits(size: int) -> str:
    return f"map K{size} to bool = false"


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([1], 1), ([63], 1), ([64], 1), ([65], 2), ([4096], 64), ([63, 1], 1), ([63, 2], 2),
        ([33, 33, 33], 2), ([65, 63], 2), ([40, 40, 40], 2), ([1] * 64, 1), ([64, 1, 64], 3),
        ([100, 28, 64], 3), ([130, 62, 1, 63], 4), ([21] * 6, 2), ([22] * 6, 3),
    ],
)  # fmt: skip
def test_a_state_takes_no_more_words_than_its_bits_need(sizes, words):
    layout = _of_sizes(*sizes)
    assert layout.bits == sum(sizes)
    assert layout.words == words
    _lies_apart(layout)
    for fill in (False, True):
        state = tuple((fill,) * size for size in sizes)
        assert layout.unpack(layout.pack(state)) == state
        assert layout.pack(state).bit_count() == (layout.bits if fill else 0)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 90), min_size=1, max_size=12), st.randoms())
def test_a_state_comes_back_from_its_bits(sizes, chance):
    layout = _of_sizes(*sizes)
    _lies_apart(layout)
    state = tuple(tuple(chance.random() < 0.5 for _ in range(size)) for size in sizes)
    assert layout.unpack(layout.pack(state)) == state


def test_members_of_a_group_and_counters_are_in_a_state():
    layout = layout_of(
        model(
            """
            sort S
            type Num = 0..4
            state
              each S
                n: Num = 0
              v
                q: seq of Num up to 20 = []
            fault crash(s in S) at most 5
              s.n := 1
            """,
            "S = 3",
        )
    )
    assert [entry.bits for entry in layout.entries] == [9, 65, 3]
    assert [entry.copies for entry in layout.entries] == [3, None, None]
    state = ((1, 2, 4), (4, 0, 4), 5)
    assert layout.unpack(layout.pack(state)) == state
    _lies_apart(layout)


def _lies_apart(layout: Layout) -> None:
    """Entries do not overlap, and lie within the words."""

    def end(entry: Entry) -> int:
        return entry.offset + entry.bits

    placed = sorted((e for e in layout.entries if e.bits), key=lambda e: e.offset)
    for a, b in pairwise(placed):
        assert end(a) <= b.offset
    assert all(end(entry) <= layout.words * WORD for entry in placed)


def test_the_number_of_plain_values_is_that_of_their_codes():
    type_ = Union("U", (Form("A"), Form("B", (Field("x", Range(0, 2)), Field("y", BOOL)))))
    codes = {pack(type_, value) for value in values_of(type_)}
    assert len(codes) == cardinality(type_) == 1 + prod((3, 2))
