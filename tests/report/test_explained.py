"""From a specification's text to the explanation of what it violates."""

from __future__ import annotations

from textwrap import dedent

from modelcheck import api
from modelcheck.core.outcome import Outcome
from modelcheck.report.violation import by_trace, violation
from modelcheck.report.words import surprises
from modelcheck.source import Source

PROTOCOL = """\
protocol Shapes

sort Node
type Shape = Dot | Line(from: Node, to: Node?) | Box(inner: Size)
type Size = Small | Large(n: 0..9)

state
  table
    shape: Shape = Dot
    other: Shape = Box(Large(3))
    n: 0..9 = 0
  each Node
    up: bool = true
    seen: set of Node = {}

action draw(a in Node)
  when table.shape is Dot
  table.shape := Line(a, none)
  a.seen      += a
  table.n     := 5

stops when true

let points(s: Shape, a: Node) = s is Line(x, _) and x == a

"""

CHECK = """

check small
  Node = 2
  expect holds
"""


def outcome(rest: str) -> Outcome:
    text = PROTOCOL + dedent(rest).strip("\n") + CHECK
    return api.check(api.load_source(Source("shapes.model", text))["small"])


def explained(body: str) -> list[str]:
    """The explanation of `invariant P` from the line of the property on."""
    result = outcome(f"invariant P\n  {body}")
    lines = violation(result.check.model, result["P"]).splitlines()
    return [line.rstrip() for line in lines[3:]]


def notes(body: str) -> list[str]:
    return [line.partition("note: ")[2] for line in explained(body) if "note: " in line]


def test_a_pattern_shows_the_value_that_it_looked_into() -> None:
    assert explained("table.other is not Box(Large(_))") == [
        "27 |   table.other is not Box(Large(_))",
        "   |   ^^^^^^^^^^^",
        "   |   Box(Large(3))",
    ]
    assert explained("table.other is Box(Small)")[1:] == [
        "   |   ^^^^^^^^^^^",
        "   |   Box(Large(3))",
    ]


def test_a_let_shows_its_arguments_where_it_is_called() -> None:
    assert explained("forall a in Node: not points(table.shape, a)") == [
        "24 | let points(s: Shape, a: Node) = s is Line(x, _) and x == a",
        "   |                                 ^                   ^    ^",
        "   |                                 Line(n1, none)      n1   n1",
        "...",
        "27 |   forall a in Node: not points(table.shape, a)",
        "   |                         ----------------------",
        "   |                         s = Line(n1, none), a = n1",
        "   |",
        "   = note: with a = n1",
    ]


def test_an_exists_that_fails_goes_through_its_first_choices() -> None:
    assert notes("exists a in Node: a.up and a != a") == [
        "for a = n1: `a != a` is false",
        "for a = n2: `a != a` is false",
    ]
    assert notes("exists i in 1..9: i > table.n + 9") == [
        "for i = 1: `i > table.n + 9` is false (`table.n + 9` is 9)",
        "for i = 2: `i > table.n + 9` is false (`table.n + 9` is 9)",
        "for i = 3: `i > table.n + 9` is false (`table.n + 9` is 9)",
        "and so on for the other choices",
    ]
    assert notes("exists a in Node: exists b in a.seen: a == b and table.n == 1") == [
        "for a = n1: `exists b in a.seen: a == b and table.n == 1` is false",
        "for a = n2: `exists b in a.seen: a == b and table.n == 1` is false",
    ]
    assert notes("table.n == 0 or exists a in {b | b in Node where b.seen == Node}: a.up") == [
        "there is no `a` to choose",
    ]


def test_a_forall_among_the_parts_of_a_disjunction_names_its_choice() -> None:
    assert explained("table.n < 5 or forall a in Node: empty(a.seen)") == [
        "27 |   table.n < 5 or forall a in Node: empty(a.seen)",
        "   |   ^^^^^^^        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "   |   5              false",
        "   |",
        "   = note: for a = n1: `empty(a.seen)` is false (`a.seen` is {n1})",
    ]


def test_what_stands_below_a_not_is_called_true() -> None:
    assert notes("exists a in Node: not a.up") == [
        "for a = n1: `a.up` is true",
        "for a = n2: `a.up` is true",
    ]


def test_findings_with_one_trace_come_together() -> None:
    result = outcome(
        """
        invariant P
          table.n == 0
        reachable Never
          table.n == 9
        invariant Q
          table.shape is Dot
        """
    )
    groups = [[found.name for found in group] for group in by_trace(surprises(result))]
    assert groups == [["P", "Q"], ["Never"]]
