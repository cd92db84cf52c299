"""Lines, names and case."""

from __future__ import annotations

import pytest

from modelcheck.parse.words import RESERVED, STATEMENTS, words

from .small import refused, run, verdicts

ONE_NUMBER = """
state
  box
    x: 0..3 = 1

action rest
  box.x := box.x

stops when true
"""


def holds(term: str, before: str = "") -> bool:
    """Whether a term, which may have several lines, is true of a state with `box.x == 1`."""
    return verdicts(run(f"{before}{ONE_NUMBER}\ninvariant P\n{term}\n"))["P"] == "holds"


@pytest.mark.parametrize(
    "lines",
    [
        "  box.x ==\n    1",
        "  box.x + # a comment does not hide the sign\n    1 == 2",
        "  box.x == 1\n    and box.x < 2\n    or false",
        "  box.x == 2\n\n    # in between\n\n    implies false",
        "  if box.x == 1\n    then true else false",
        "  if box.x == 1 then\n    true else false",
        "  box.x in {\n1,\n2\n  }",
        "  forall y in {1, 2}:\n    y > 0",
        "  box.x in\n    {1}",
        "  (box.x,\n   2) < (1, 3)",
        "  {1} subset\n  {1, 2}",
    ],
)
def test_a_term_goes_on_in_the_next_line(lines: str) -> None:
    assert holds(lines)


def test_lines_of_a_body_are_a_conjunction_and_joined_lines_are_one_of_them() -> None:
    assert holds("  box.x == 1\n  box.x < 2")
    assert not holds("  box.x == 1\n  box.x > 1")
    assert holds("  box.x == 1\n  or box.x > 1")
    # `or` binds looser than the end of a line: the first line is true, the second false or true.
    assert holds("  box.x == 1\n  false\n  or true")


def test_a_union_may_be_written_over_several_lines() -> None:
    assert holds("  A != B(1)", "type T = A\n\n       # the other form\n       | B(x: 0..3)\n")
    assert holds("  A != B(1)", "type T =\n    A |\n    B(x: 0..3)\n")


def test_an_else_at_the_beginning_of_a_line_is_the_statement() -> None:
    text = """
state
  box
    x: 0..3 = 0

action flip
  if box.x == 0
    box.x := if true then 1 else 2
  else
    box.x := 0
"""
    outcome = run(text)
    assert verdicts(outcome) == {} and outcome.stats.distinct == 2


# All keywords but the reserved ones.
FREE = words(
    """action at axis bag by call channel check constraint effect eventually expect fair fault
    faults for generated ghost holds import init invariant lemma let like lose map most object
    of on operation param per possible proof protocol reachable refines returns seq set sort
    state step stops strongly template to type up use using volatile when with"""
)


@pytest.mark.parametrize("word", sorted(FREE))
def test_every_other_keyword_may_name_a_variable_and_a_field(word: str) -> None:
    text = f"""
type R({word}: 0..3)
state
  box
    {word}: 0..3 = 1
    r: R = R(2)

action put
  when box.{word} < 3
  box.{word} := box.{word} + 1
  box.r.{word} := box.{word}

action again
  box.r := box.r with ({word} = 0)

invariant P
  box.{word} + box.r.{word} >= 0
"""
    assert refused(text) == []


@pytest.mark.parametrize("word", sorted(FREE - STATEMENTS - {"channel"}))
def test_it_may_name_a_group_an_action_a_let_and_what_is_bound(word: str) -> None:
    text = f"""
type N = 0..3
type Maybe = N?
state
  {word}
    x: N = 0
    o: Maybe = none

let f({word}_of: N, n: N) = {word}_of == n

action {word}_done({word}_of in N where {word}_of < 3)
  {word}.x := {word}_of

stops when true
"""
    assert refused(text) == []
    bound = f"""
type N = 0..3
type Maybe = N?
state
  box
    x: N = 0
    o: Maybe = none

fault {word}({word} in N where {word} == 1) at most 1
  let also = {word}
  box.x := {word} + also

step P on {word}({word})
  {word} == 1 and box.x' == 2
  forall n in N where n == {word}: box.o is none

check {word}
  faults {word} = 1
  expect P holds
"""
    assert run(bound).as_expected


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_names_nothing(word: str) -> None:
    assert refused(f"state\n  box\n    {word}: bool = true\n")
    assert refused(f"type R({word}: 0..3)\nstate\n  box\n    x: bool = true\n")


@pytest.mark.parametrize("word", sorted(STATEMENTS | {"each"}))
def test_no_group_is_named_like_a_statement(word: str) -> None:
    assert refused(f"state\n  {word}\n    x: bool = true\n\naction a\n  {word}.x := false\n")


def test_no_group_is_named_channel() -> None:
    assert refused("state\n  channel\n    x: bool = true\n")
    assert refused("state\n  channel channel\n    x: set of bool = {}\n")


@pytest.mark.parametrize(
    "text",
    [
        "sort node\n",
        "type colour = Red | Green\n",
        "type Colour = red | Green\n",
        "param max: int\n",
        "type R(A: bool)\n",
        "let Double(x: 0..1) = x\n",
        "let double(X: 0..1) = X\n",
        "invariant small\n  true\n",
        "step small\n  true\n",
        "lemma small\n  true\n",
        "template small(x: bool)\n  invariant P\n    x\n",
        "action Go\n  box.x := box.x\n",
        "effect Go()\n  box.x := box.x\n",
        "action go(X in 0..1)\n  box.x := X\n",
        "invariant P\n  forall X in 0..1: X >= 0\n",
        "check Small\n  expect holds\n",
    ],
)
def test_case_tells_kinds_apart(text: str) -> None:
    assert refused(ONE_NUMBER + "\n" + text)


def test_an_upper_case_name_in_a_pattern_is_a_form_or_a_parameter() -> None:
    text = """
param LIMIT: int = 2
type T = A | B(x: 0..3, c: C)
type C = Red | Green
state
  box
    t: T = B(2, Green)
    n: C = Red

action rest
  box.t := box.t

invariant Matches
  box.t is B(LIMIT, Green)
  box.t is B(2, _)
  box.t is not B(LIMIT, Red)
  box.t is not B(3, Green)
  box.n is Red

stops when true
"""
    assert verdicts(run(text)) == {"Matches": "holds"}


@pytest.mark.parametrize(
    "text",
    [
        "action go(x in 0..1)\n  when box.o is some(x)\n  box.x := x\n",
        "action go\n  let x = 1\n  when box.o is some(x)\n  box.x := x\n",
        "action go(x in 0..1, x in 0..1)\n  box.x := x\n",
        "action go(x in 0..1)\n  let x = 2\n  box.x := x\n",
        "action go\n  for x in 0..1\n    for x in 0..1\n      box.x := x\n",
        "invariant P\n  forall x in 0..1: exists x in 0..1: x == 0\n",
        "invariant P\n  box.o is some(box)\n",
        "let y = 1\ninvariant P\n  box.o is some(y)\n",
        "invariant P\n  box.o is some(y) and box.o is some(y)\n",
        "invariant P\n  box.o is some(y)\n  box.o is some(y)\n",
        "type R(a: 0..1, b: 0..1)\ninvariant P\n  R(0, 1) is R(y, y)\n",
    ],
)
def test_a_name_that_binds_may_not_be_known_already(text: str) -> None:
    state = "type N = 0..3\nstate\n  box\n    x: N = 1\n    o: N? = none\n"
    found = refused(f"{state}\n{text}")
    assert found in (["shadowed-name"], ["repeated-binding"])


def test_a_name_may_be_bound_again_where_the_first_is_not_known() -> None:
    text = """
type N = 0..3
state
  box
    o: N? = none
    x: N = 1

action go(x in N)
  box.o := x

action come(x in N)
  when box.o is some(y) and y == x or box.o is none
  let z = x
  box.x := z

invariant Either
  box.o is some(y) and y >= 0 or box.o is some(y) and y < 0 or box.o is none
  (exists y in N: y == 3) and (exists y in N: y == 0)

stops when true
"""
    assert verdicts(run(text)) == {"Either": "holds"}
