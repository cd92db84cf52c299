"""Where a name that `is` binds may be used, and what a match tells of fields."""

from __future__ import annotations

import pytest

from .small import refused, run, verdicts

STATE = """
param TOP: int = 3
sort Node
type N = 0..3
type Maybe = N?
type Inner = Nil | Pair(a: N, b: N)
type T = A | B(x: N) | C(x: N, inner: Inner)
state
  box
    t: T = C(1, Pair(2, 3))
    u: T = B(2)
    o: Maybe = 2
    n: N = 0
    b: bool = true
  each Node
    r: T = B(1)

action rest
  box.n := box.n

stops when true

let three(n: N) = n == TOP
let part(v: T): N = if v is B(x) then x else if v is C(x, _) then x else 0
"""


@pytest.mark.parametrize(
    "lines",
    [
        "box.t is C",
        "box.t is C(1, _) and box.t is C(_, Pair(_, TOP)) and box.t is not C(2, _)",
        "box.t is C(x, Pair(a, b)) and x + a == b",
        "box.t is C(1, Pair(2, 3))",
        "not (box.t is C(1, Nil))",
        # to the right within a conjunction, into lines after it
        "box.t is C(x, _) and (x == 1 and (x < 2 or x > 2))",
        "(box.t is C(x, _)) and x == 1",
        "box.t is C(x, _)\n  x == 1\n  box.t is C(_, Pair(a, _)) and a > x\n  a == 2",
        # from the left of `implies` into its right
        "box.t is C(x, _) implies x == 1",
        "box.t is C(x, _) and x > 0 implies box.t is C(_, Pair(a, _)) and a == x + 1",
        "box.t is B(x) implies x == 9",
        "box.t is C(x, _) implies (box.u is B(y) implies y == x + 1)",
        # into `then`
        "if box.t is C(x, _) then x == 1 else true",
        "(if box.t is C(x, _) and x > 0 then x else 0) == 1",
        "part(box.t) == 1 and part(box.u) == 2 and part(A) == 0",
        # into a body and a head after `where`
        "forall n in Node where n.r is B(x): x == 1",
        "{x | n in Node where n.r is B(x)} == {1}",
        "(count n in Node where n.r is B(x) and x == 1: x > 0) == 2",
        # inside a quantifier's body
        "forall n in Node: n.r is B(x) and x == 1",
        "exists n in Node: n.r is B(x) and forall m in Node: m.r is B(y) and y == x",
        "(sum n in Node: if n.r is B(x) then x else 0) == 2",
        "(the v in N: box.u is B(x) and x == v) == 2",
        # the same name in branches that cannot see each other
        "box.t is B(x) and x == 9 or box.t is C(x, _) and x == 1",
        "(box.u is B(x) and x == 2) == (box.t is C(y, _) and y == 1)",
        "not (box.t is C(x, _) and x > 1)",
        # a condition that is a value, and its negation
        "(box.t is C(x, _) and x == 1) == true",
        # options
        "box.o is some(2) and box.o is some(v) and v == 2 and box.o is not none",
        "box.o is none or box.o is some(v) and three(v + 1)",
        "(if box.o is some(v) then v else 0) == 2",
        # narrowing: the fields of a form after a bare match
        "box.t is C and box.t.x == 1 and box.t.inner is Pair and box.t.inner.b == 3",
        "box.t is C implies box.t.inner == Pair(2, 3)",
        "if box.u is B then box.u.x == 2 else false",
        "box.u is not B or box.u.x == 2",
        "not (box.u is B) or box.u.x == 2",
        "(box.t is B or box.t is C) and box.t.x == 1",
        "box.t is not A and box.t.x == 1",
        "box.t is A or box.t.x == 1",
        "if box.t is A then false else box.t.x == 1",
        "box.t is C\n  box.t.inner is Pair\n  box.t.inner.a == 2",
        "forall n in Node where n.r is B: n.r.x == 1",
        "{n.r.x | n in Node where n.r is not A} == {1}",
        "box.t is C(_, p) and p is Pair and p.a == 2",
    ],
)
def test_it_is_true(lines: str) -> None:
    assert verdicts(run(f"{STATE}\ninvariant P\n  {lines}\n"))["P"] == "holds"


@pytest.mark.parametrize(
    "lines",
    [
        # never into `else`
        "if box.t is C(x, _) then true else x == 1",
        # nor out of `or` and `not`
        "box.t is C(x, _) or x == 1",
        "(box.t is C(x, _) or box.t is B(x)) and x == 1",
        "not (box.t is C(x, _)) or x == 1",
        "not (box.t is C(x, _)) and x == 1",
        "box.t is not C(x, _)",
        # nor out of an implication, a quantifier, a condition used as a value
        "(box.t is C(x, _) implies x == 1) and x == 1",
        "(exists n in Node: n.r is B(x)) and x == 1",
        "(box.t is C(x, _)) == true and x == 1",
        "(if box.t is C(x, _) then true else true) and x == 1",
        # nor to the left
        "x == 1 and box.t is C(x, _)",
        "x == 1\n  box.t is C(x, _)",
        # no narrowing without a match, after an `or` that allows another form, in `else`
        "box.t.x == 1",
        "box.t.inner == Nil",
        "(box.t is A or box.t is C) and box.t.x == 1",
        "box.t is B or box.t.x == 1",
        "if box.t is C then true else box.t.x == 1",
        "box.u is B and box.t.x == 1",
        "box.t is C implies true\n  box.t.inner == Nil",
        "not (box.t is C) and box.t.x == 1",
        # shapes
        "box.t is C(x)",
        "box.t is C(_, Pair)  and box.t is D",
        "box.t is some(x)",
        "box.o is B(x)",
        "box.t is x",
        "box.t is C(x, Pair(x, _))",
        "box.t is C(_, 3)",
        "box.t is C(true, _)",
    ],
)
def test_it_is_refused(lines: str) -> None:
    assert refused(f"{STATE}\ninvariant P\n  {lines}\n"), lines


@pytest.mark.parametrize(
    "body",
    [
        "  when box.t is C(x, _)\n  when x == 1\n  box.n := x\n",
        "  when box.t is C(x, _)\n  let y = x + 1\n  when y == 2\n  box.n := y + x\n",
        "  if box.t is C(x, _) and x == 1\n    box.n := x\n  elif box.t is B(x)\n    box.n := x\n",
        "  if box.t is C\n    box.n := box.t.x\n",
        "  if box.t is A\n    box.n := 0\n  else\n    box.n := box.t.x\n",
        "  when box.t is C\n  box.t.x := 2\n  box.t.inner := Nil\n",
        "  when box.t is C(_, Pair(_, _))\n  when box.t.inner is Pair\n  box.t.inner.a := box.n\n",
        "  for n in Node where n.r is B(x) and x > 0\n    box.n := x\n",
        "  for n in Node where n.r is B\n    n.r.x := 2\n",
        "  let c = box.t is C(x, _) and x == 1\n  when c\n  box.n := 1\n",
        "  box.n := if box.t is C(x, _) then x else 0\n",
    ],
)
def test_in_an_action_this_is_well_formed(body: str) -> None:
    assert refused(f"{STATE}\naction go\n{body}") == []


@pytest.mark.parametrize(
    "body",
    [
        "  if box.t is C(x, _)\n    box.n := 0\n  else\n    box.n := x\n",
        "  if box.t is C(x, _)\n    box.n := 0\n  box.n := x\n",
        "  if box.t is C(x, _)\n    box.n := 0\n  elif x == 1\n    box.n := 1\n",
        "  if box.t is C\n    box.n := 0\n  box.t.x := 1\n",
        "  let c = box.t is C(x, _) and x == 1\n  when c\n  box.n := x\n",
        "  let c = box.t is C\n  when c\n  box.n := box.t.x\n",
        "  box.t.x := 1\n",
        "  for n in Node where n.r is B(x)\n    box.n := x\n  box.n := x\n",
    ],
)
def test_in_an_action_this_is_refused(body: str) -> None:
    assert refused(f"{STATE}\naction go\n{body}")


def test_no_name_crosses_leads_to() -> None:
    assert refused(f"{STATE}\nliveness P\n  box.t is C(x, _) ~> box.n == x\n")
    assert not refused(f"{STATE}\nliveness P\n  box.t is C(x, _) and x > 0 ~> box.n == 0\n")


def test_narrowing_speaks_of_the_state_before_the_step() -> None:
    assert refused(f"{STATE}\nstep P\n  box.t is C and box.t.x' == 1\n")
    assert refused(f"{STATE}\nstep P\n  (box.t is C)' and box.t.x == 1\n")
    assert not refused(f"{STATE}\nstep P\n  box.t is C and box.t.x == 1\n")
    assert not refused(f"{STATE}\nstep P\n  (box.t is C and box.t.x == 1)'\n")
    # What is bound before the step keeps its value after it.
    text = f"""{STATE}
action change
  when box.t is C(1, _)
  box.t := B(2)

step P on change
  box.t is C(x, _) and box.t' is B(y) and y == x + 1
  (box.t is B(z) and z == x + 1)'
"""
    assert verdicts(run(text)) == {"P": "holds"}


def test_a_form_of_the_wrong_type_in_a_pattern_is_refused_and_a_literal_compared() -> None:
    text = """
type R(b: bool, n: -2..2)
state
  box
    r: R = R(true, -2)

stops when true
invariant P
  box.r is R(true, -2)
  box.r is not R(false, _)
  box.r is R(b, n) and b and n < 0
"""
    assert verdicts(run(text)) == {"P": "holds"}


def test_fields_can_be_replaced_where_no_form_is_left() -> None:
    """Such a branch is never taken; it is no reason to refuse the file."""
    outcome = run("""
type Pair(a: 0..1, b: 0..1)

state
  store
    pair: Pair = Pair(0, 0)

action swap
  if store.pair is Pair
    store.pair := Pair(store.pair.b, store.pair.a)
  else
    store.pair := store.pair with (a = 1)

stops when true
""")
    assert outcome.verdict == "holds"
