"""Which part of a false predicate is to blame, and with which values."""

from __future__ import annotations

from fenced_leader_by_hand import NODE, SERVICE, VALUE

from modelcheck.core.frame import Frame
from modelcheck.core.terms import (
    And,
    Binder,
    Call,
    Compare,
    Equal,
    Forall,
    Function,
    Implies,
    Name,
    Next,
    Not,
    Number,
    Or,
    Read,
    Term,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.types import BOOL, INT, Set
from modelcheck.core.variables import Variable
from modelcheck.report.blame import Blame, Part, blame
from modelcheck.source import Source, Span

TEXT = Source("m.model", "x < y and y < 2 and x == 0 or f(n) implies m == n")
X = Variable("x", SERVICE, VALUE, 0)
Y = Variable("y", SERVICE, VALUE, 1)


def at(text: str) -> Span:
    start = TEXT.text.index(text)
    return Span(TEXT, start, start + len(text))


def read(variable: Variable) -> Read:
    return Read(variable, type=VALUE, span=at(variable.name))


def number(value: int) -> Number:
    return Number(value, type=INT, span=at("2"))


X_BELOW_Y = Compare("<", (read(X),), (read(Y),), span=at("x < y"))
Y_BELOW_2 = Compare("<", (read(Y),), (number(2),), span=at("y < 2"))
X_IS_0 = Equal(read(X), number(0), span=at("x == 0"))
M_IS_N = Equal(
    Name("m", type=NODE, span=at("m == n")), Name("n", type=NODE, span=at("n")), span=at("m == n")
)


def nodes(name: str) -> Binder:
    return Binder(name, Values(Universe(NODE, type=Set(NODE))), type=NODE)


def why(term: Term, x: int, y: int, after: tuple[int, int] | None = None) -> Blame:
    return blame(term, Frame((x, y), {}, after))


def values(found: Blame) -> list[tuple[str, str]]:
    return [(part.span.text, part.value) for part in found.parts]


def test_the_first_false_conjunct_is_to_blame() -> None:
    found = why(And((X_BELOW_Y, Y_BELOW_2, X_IS_0)), 1, 2)
    assert found.span == Y_BELOW_2.span
    assert values(found) == [("y", "2")]


def test_a_witness_of_a_failed_forall_is_named() -> None:
    found = why(Forall((nodes("n"), nodes("m")), M_IS_N), 0, 0)
    assert found.witnesses == (("n", "n1"), ("m", "n2"))
    assert [value for _, value in values(found)] == ["n2", "n1"]


def test_the_consequent_of_an_implication_is_to_blame() -> None:
    found = why(Implies(X_BELOW_Y, X_IS_0), 1, 2)
    assert values(found) == [("x", "1")]


def test_of_a_disjunction_all_parts_are_told() -> None:
    found = why(Or((X_BELOW_Y, X_IS_0)), 1, 1)
    assert values(found) == [("x", "1"), ("y", "1")]


def test_negation_looks_for_what_is_true() -> None:
    found = why(Not(Or((X_IS_0, X_BELOW_Y))), 1, 2)
    assert found.span == X_BELOW_Y.span


def test_the_value_after_a_step_is_read_there() -> None:
    found = why(Next(X_IS_0), 0, 0, after=(2, 0))
    assert values(found) == [("x", "2")]


def test_a_called_let_is_entered_and_the_call_kept() -> None:
    function = Function("f", (("k", VALUE),), BOOL, And((X_IS_0, X_BELOW_Y)))
    found = why(Call(function, (number(2),), span=at("f(n)")), 0, 0)
    assert found.span == X_BELOW_Y.span
    assert found.calls == (Part(at("f(n)"), "k = 2"),)
    assert found.witnesses == ()


def test_a_part_that_compares_nothing_speaks_for_itself() -> None:
    assert values(why(Truth(False, span=at("x")), 0, 0)) == [("x", "false")]
