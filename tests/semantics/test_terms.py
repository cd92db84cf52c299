"""What each kind of term means, and where it means nothing."""

from __future__ import annotations

import sys

import pytest

from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.terms import (
    Absent,
    And,
    Arithmetic,
    At,
    BagOf,
    Binder,
    Call,
    Collect,
    Combine,
    Compare,
    Concat,
    Count,
    End,
    Equal,
    Exists,
    Extreme,
    ExtremeOfTwo,
    Forall,
    Function,
    Get,
    If,
    Implies,
    In,
    IsEmpty,
    IsForm,
    IsPresent,
    Item,
    Let,
    Lookup,
    Majority,
    Make,
    MapOf,
    Multiplicity,
    Next,
    Not,
    Or,
    Prefix,
    Present,
    Read,
    Replace,
    Rest,
    Result,
    SeqOf,
    SetOf,
    Size,
    Slice,
    Subset,
    Subsets,
    Sum,
    The,
    Universe,
    Values,
)
from modelcheck.core.types import (
    BOOL,
    INT,
    Bag,
    Field,
    Form,
    Map,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Union,
)
from modelcheck.core.variables import Owner, Variable

from .build import binder, eq, less, lit, minus, name, plus, to

NODE = Sort("Node", 3, "n")
NUMBERS, BAG, SEQ = Set(INT), Bag(INT), Seq(INT)
ROLE = Union("Role", (Form("Idle"), Form("Busy", (Field("load", Range(0, 2)), Field("by", NODE)))))
IDLE = Make(0, (), type=ROLE)
MAYBE = Option(INT)
NONE = Absent(type=MAYBE)
EMPTY = SetOf((), type=NUMBERS)


def a_set(*items: int) -> SetOf:
    return SetOf(tuple(lit(i) for i in items), type=NUMBERS)


def a_bag(*items: int) -> BagOf:
    return BagOf(tuple(lit(i) for i in items), type=BAG)


def a_seq(*items: int) -> SeqOf:
    return SeqOf(tuple(lit(i) for i in items), type=SEQ)


def busy(load, by=0) -> Make:
    return Make(1, (lit(load) if isinstance(load, int) else load, lit(by)), type=ROLE)


def squares() -> MapOf:
    key = Range(1, 3)
    return MapOf("k", Arithmetic("*", name("k"), name("k"), type=INT), type=Map(key, INT))


def div(left: int, right: int) -> Arithmetic:
    return Arithmetic("div", lit(left), lit(right), type=INT)


def mod(left: int, right: int) -> Arithmetic:
    return Arithmetic("mod", lit(left), lit(right), type=INT)


BOOM = eq(div(1, 0), 1)
TRUE, FALSE = lit(True), lit(False)
X = name("x")


def over(collection) -> tuple[Binder, ...]:
    return (Binder("x", Values(collection), type=INT),)


def value_of(term, *, state=(), after=None, result=(), names=None):
    return Meanings().of(term)(Frame(state, dict(names or {}), after, result))


MEANINGS = {
    "literals": (And((TRUE, eq(3, 3))), True),
    "universe": (Universe(NODE, type=Set(NODE)), (0, 1, 2)),
    "make": (busy(2, 1), (1, 2, 1)),
    "present": (Present(lit(4), type=MAYBE), (4,)),
    "is present": (IsPresent(NONE), False),
    "item": (Item(Present(lit(4), type=MAYBE), type=INT), 4),
    "is form": (IsForm(busy(1), 1), True),
    "get": (Get(busy(1, 2), "by", type=NODE), 2),
    "replace": (Replace(busy(1, 2), (("load", lit(0)),), type=ROLE), (1, 0, 2)),
    "a set is sorted, without repeats": (a_set(3, 1, 3), (1, 3)),
    "a bag is sorted, with repeats": (a_bag(3, 1, 3), (1, 3, 3)),
    "a sequence is neither": (a_seq(3, 1, 3), (3, 1, 3)),
    "map": (squares(), (1, 4, 9)),
    "in": (In(lit(3), a_set(1, 3)), True),
    "subset": (Subset(a_set(1), a_set(1, 3)), True),
    "union": (Combine("union", a_set(3), a_set(1, 3), type=NUMBERS), (1, 3)),
    "minus": (Combine("minus", a_set(1, 3), a_set(3), type=NUMBERS), (1,)),
    "intersect": (Combine("intersect", a_set(1, 3), a_set(3, 4), type=NUMBERS), (3,)),
    "size of a bag": (Size(a_bag(1, 1), type=INT), 2),
    "is empty": (IsEmpty(EMPTY), True),
    "max": (Extreme("max", a_set(1, 3), type=INT), 3),
    "min of two": (ExtremeOfTwo("min", lit(4), lit(2), type=INT), 2),
    "two of three are a majority": (
        Majority(SetOf((lit(0), lit(2)), type=Set(NODE)), NODE), True,
    ),
    "two of four are none": (
        Majority(a_set(0, 1), Range(0, 3)), False,
    ),
    "positions count from one": (At(a_seq(5, 6), lit(1), type=INT), 5),
    "slices": (Slice(a_seq(5, 6, 7), lit(2), lit(3), type=SEQ), (6, 7)),
    "a slice is clamped": (Slice(a_seq(5, 6, 7), lit(0), lit(9), type=SEQ), (5, 6, 7)),
    "a slice that ends before it starts": (Slice(a_seq(5, 6), lit(2), lit(1), type=SEQ), ()),
    "a slice below the start": (Slice(a_seq(5, 6), lit(-3), lit(-1), type=SEQ), ()),
    "a slice to the end": (Slice(a_seq(5, 6, 7), lit(3), None, type=SEQ), (7,)),
    "last": (End("last", a_seq(5, 6), type=INT), 6),
    "rest": (Rest(a_seq(5, 6), type=SEQ), (6,)),
    "a prefix is clamped": (Prefix(a_seq(5, 6), lit(9), type=SEQ), (5, 6)),
    "a negative prefix": (Prefix(a_seq(5, 6), lit(-1), type=SEQ), ()),
    "concat": (Concat(a_seq(5), a_seq(6), type=SEQ), (5, 6)),
    "lookup": (Lookup(squares(), lit(3), type=INT), 9),
    "multiplicity": (Multiplicity(a_bag(1, 1, 2), lit(1), type=INT), 2),
    "and stops early": (And((FALSE, BOOM)), False),
    "or stops early": (Or((TRUE, BOOM)), True),
    "implies stops early": (Implies(FALSE, BOOM), True),
    "if takes one branch": (If(TRUE, lit(1), div(1, 0), type=INT), 1),
    "tuples compare lexicographically": (Compare(">=", (lit(2), lit(1)), (lit(2), lit(1))), True),
    "division rounds down": (div(-7, 2), -4),
    "the remainder is never negative": (mod(-7, 2), 1),
    "let": (Let("x", lit(2), plus(X, X), type=INT), 4),
    "forall stops at the first that fails": (
        Forall(over(a_seq(1, 0)), Not(eq(X, 1))), False,
    ),
    "exists stops at the first that fits": (
        Exists(over(a_seq(1, 0)), eq(Arithmetic("div", lit(1), X, type=INT), 1)), True,
    ),
    "forall over nothing": (Forall(over(EMPTY), FALSE), True),
    "count goes through occurrences": (Count(over(a_bag(2, 2, 3)), eq(X, 2), type=INT), 2),
    "sum goes through occurrences": (Sum(over(a_seq(2, 2, 3)), X, type=INT), 7),
    "comprehension": (
        Collect(minus(4, X), (binder("x", to(1, 3), less(1, X)),), type=NUMBERS), (1, 2),
    ),
    "an interval that is empty": (Count((binder("x", to(2, 1)),), TRUE, type=INT), 0),
    "later binders read earlier ones": (
        Count((binder("x", to(1, 3)), binder("y", to(X, 3))), TRUE, type=INT), 6,
    ),
    "subsets": (
        Count((Binder("x", Subsets(a_set(1, 2, 3)), type=NUMBERS),), TRUE, type=INT), 8,
    ),
    "a binder's lets follow its where": (
        Sum((Binder("x", to(1, 3), less(1, X), (("y", plus(X, 1)),), type=INT),), name("y"),
            type=INT), 7,
    ),
    "the": (The(binder("x", to(1, 3)), eq(X, 2), type=INT), 2),
}  # fmt: skip


@pytest.mark.parametrize("case", MEANINGS)
def test_a_term_has_its_value(case):
    term, value = MEANINGS[case]
    assert value_of(term) == value


UNDEFINED = {
    "index 3 is outside 1..2": At(a_seq(5, 6), lit(3), type=INT),
    "index 1 of an empty sequence": At(SeqOf((), type=SEQ), lit(1), type=INT),
    "`first` of an empty sequence": End("first", SeqOf((), type=SEQ), type=INT),
    "`rest` of an empty sequence": Rest(SeqOf((), type=SEQ), type=SEQ),
    "`max` of an empty collection": Extreme("max", EMPTY, type=INT),
    "`the` has no value that fits": The(binder("x", to(1, 3)), FALSE, type=INT),
    "`the` has 2 values that fit: n1, n2": The(binder("x", NODE), less(X, 2), type=NODE),
    "field `load` of `Idle`": Get(IDLE, "load", type=INT),
    "the item of `none`": Item(NONE, type=INT),
    "key 4 is outside 1..3": Lookup(squares(), lit(4), type=INT),
    "`div` by 0": div(1, 0),
    "`mod` by -2": mod(1, -2),
    "`result` of a step that returns nothing": Result(type=INT),
}


@pytest.mark.parametrize("reason", UNDEFINED)
def test_an_undefined_term_says_why(reason):
    with pytest.raises(Failed) as raised:
        value_of(UNDEFINED[reason])
    assert (raised.value.failure.kind, raised.value.failure.reason) == ("undefined", reason)


DOUBLE = Function("double", (("n", Range(0, 4)),), Range(0, 6), plus(name("n"), name("n")))


def double(argument: int) -> Call:
    return Call(DOUBLE, (lit(argument),), type=Range(0, 6))


OUTSIDE = {
    "`load` of `Busy` would be 3, outside 0..2": busy(3),
    "`load` of `Busy` would be -1, outside 0..2": Replace(busy(1), (("load", lit(-1)),), type=ROLE),
    "`n` of `double` would be 5, outside 0..4": double(5),
    "`double` would return 8, outside 0..6": double(4),
}


@pytest.mark.parametrize("reason", OUTSIDE)
def test_what_is_put_into_a_type_is_judged(reason):
    with pytest.raises(Failed) as raised:
        value_of(OUTSIDE[reason])
    assert (raised.value.failure.kind, raised.value.failure.reason) == ("range", reason)


def test_a_call_has_names_of_its_own():
    assert value_of(Let("n", lit(9), plus(double(3), name("n")), type=INT)) == 15


STORE = Owner("store", "single")
LEVEL = Read(Variable("level", STORE, INT, 0), type=INT)


def test_next_reads_the_state_after_and_keeps_the_names():
    later = Next(plus(LEVEL, X), type=INT)
    assert value_of(minus(later, LEVEL), state=(1,), after=(5,), names={"x": 10}) == 14


def test_result_is_what_the_step_returned():
    assert value_of(Result(type=INT), result=(7,)) == 7


def test_an_index_that_is_no_member_is_undefined():
    lanes = Owner("Lane", "each", Range(1, 2))
    level = Variable("level", lanes, INT, 0)
    assert value_of(Read(level, lit(2), type=INT), state=((5, 6),)) == 6
    with pytest.raises(Failed, match=r"key 3 is outside 1\.\.2"):
        value_of(Read(level, lit(3), type=INT), state=((5, 6),))


def test_members_of_a_sequence_come_in_its_own_order_each_once():
    first = The(Binder("x", Values(a_seq(3, 1, 3)), type=INT), eq(X, 3), type=INT)
    assert value_of(first) == 3


def test_true_and_one_are_two_terms():
    assert value_of(lit(True)) is True
    assert Equal(lit(True), lit(True)) != Equal(lit(1), lit(1))
    assert value_of(lit(1)) is not True


def test_two_hundred_nested_terms_are_no_trouble():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)  # as the api does
    try:
        term = lit(0)
        for _ in range(400):
            term = If(Or((BOOL_TERM, Not(Not(TRUE)))), plus(term, 1), lit(0), type=INT)
        assert value_of(term) == 400
    finally:
        sys.setrecursionlimit(before)


BOOL_TERM = Forall((binder("b", BOOL),), Or((name("b", BOOL), FALSE)))
