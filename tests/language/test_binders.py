"""Binders: domains, `where`, occurrences, and what later binders may read."""

from __future__ import annotations

import pytest

from .small import counts, names, refused, run, verdicts

STATE = """
sort Node
type N = 0..5
type Item(n: N, of: N)
type Two = N?
state
  box
    seq: seq of N up to 5 = [2, 1, 2, 3, 2]
    bag: bag of N up to 4 = {1, 4, 4}
    set: set of N = {1, 2, 4}
    opt: seq of Two up to 3 = [none, 3, none]
    m: map bool to N = each b in bool: if b then 3 else 4
    none_left: seq of N up to 1 = []
  each Node
    seen: set of N = {3, 5}

action rest
  box.set := box.set

stops when true

let above(n: int) = {x | x in box.set where x > n}
"""


@pytest.mark.parametrize(
    "term",
    [
        # Over a bag or a sequence `count` and `sum` visit occurrences, the others distinct values.
        "(count x in box.seq: x == 2) == 3",
        "(sum x in box.seq: x) == 10",
        "(count x in box.bag: true) == 3 and (sum x in box.bag: x) == 9",
        "(count x in box.set: true) == 3 and (sum x in box.set: x) == 7",
        "size({x | x in box.seq}) == 3 and {x | x in box.bag} == {1, 4}",
        "(the x in box.seq: x == 2) == 2",  # 2 is one value, though it stands there three times
        "(the x in box.bag: x > 1) == 4",
        "forall x in box.seq: exists i in 1..len(box.seq): box.seq[i] == x",
        "(count i in 1..len(box.seq): box.seq[i] == 2) == 3",
        "(count x in box.opt: x is none) == 2 and (count x in box.opt: x == 3) == 1",
        # Several binders: a later one may read an earlier one, and every `where` counts.
        "(count x in box.seq, y in box.bag: x == y) == 1",
        "(count x in 0..3, y in x..3: true) == 10",
        "(count x in 0..3, y in 0..3 where y > x: true) == 6",
        "(count x in 0..3 where x > 0, y in 0..3 where y < x: true) == 6",
        "(sum x in box.seq where x > 1: 1) == 4",
        "(sum x in {1, 2}, y in {x}: 10 * x + y) == 33",
        "(count s in subset of box.set: 1 in s) == 4",
        "(count s in subset of {n | n in Node}, n in s: true) == 4",
        "(count s in subset of box.set where size(s) == 2: true) == 3",
        # The order of binders does not matter to a set.
        "{x - y | x in {3, 4}, y in {1, 2}} == {1, 2, 3}",
        # Empty domains.
        "(forall x in 3..1: false) and not (exists x in box.none_left: true)",
        "(sum x in box.none_left: x) == 0 and (count x in {}: true) == 0",
        "(count s in subset of {y | y in box.set where y > 9}: true) == 1",
        # A `let` with parameters, quantified inside.
        "above(1) == {2, 4} and (forall n in 0..4: forall x in above(n): x > n)",
        "forall n in Node: (sum x in n.seen: x) == 8",
        "(sum n in Node, x in n.seen: x) == 16",
        "(sum b in bool: box.m[b]) == 7",
        "{b | b in bool where box.m[b] == 3} == {true}",
        # The body reaches as far to the right as it can.
        "exists x in box.set: x == 9 or true",
        "not exists x in box.set: x == 9 and true",
        "(forall x in box.set: x > 9) or true",
        "box.set == {} or forall x in box.set: x > 0 and x < 5",
        "forall x in box.set: x > 1 implies x in {2, 4}",
        # A name may be used again after its quantifier.
        "(exists x in box.set: x == 1) and (exists x in box.set: x == 4)",
        "{Item(x, y) | x in {1}, y in {2, 3}} == {Item(1, 3), Item(1, 2)}",
        # Names that a `where` binds reach later binders, the head and the body.
        "{y | x in box.opt where x is some(y)} == {3}",
        "(count x in box.opt where x is some(y), z in 0..y: z < y) == 3",
        "(sum x in box.opt where x is some(y): y) == 3",
        "forall x in box.opt where x is some(y): y == 3",
        "exists x in box.opt where x is some(y) and y > 2: y < 4",
    ],
)
def test_it_is_true(term: str) -> None:
    assert verdicts(run(f"{STATE}\ninvariant P\n  {term}\n"))["P"] == "holds"


@pytest.mark.parametrize(
    "term",
    [
        "exists x in y..3, y in 0..3: true",  # a later name
        "exists x in 0..3 where y > 0, y in 0..3: true",
        "exists x in box.m: true",
        "exists x in 3: true",
        "exists x in Node: x == 1",
        "exists x in int: true",
        "exists s in subset of box.bag: true",
        "exists s in subset of 0..3: true",
        "(exists x in box.set: x > 0) and x > 0",
        "(the x in box.set, y in box.set: x == y) == 1",
        "exists x in box.opt: x is some(y) or y > 0",
        "{y | x in box.opt where not (x is some(y))} == {}",
    ],
)
def test_it_is_refused(term: str) -> None:
    assert refused(f"{STATE}\ninvariant P\n  {term}\n"), term


@pytest.mark.parametrize("size, fits", [(16, True), (17, False)])
def test_subsets_are_gone_through_over_at_most_16_values(size: int, fits: bool) -> None:
    text = f"""
param SIZE: int
type N = 1..SIZE
state
  box
    x: bool = false

action never(s in subset of N)
  when false
  box.x := true

stops when true

check only
  SIZE = {size}
  expect holds
"""
    assert (refused(text) == []) == fits


def test_a_header_goes_through_distinct_values_in_every_combination() -> None:
    text = """
type N = 0..3
state
  box
    seq: seq of N up to 4 = [1, 2, 1, 1]
    bag: bag of N up to 3 = {3, 3}
    got: N = 0

action take(x in box.seq, y in box.bag, z in x..2 where z != 0)
  box.got := x

stops when true
"""
    # (1, 3, 1) (1, 3, 2) (2, 3, 2): three instances in each of the three states.
    assert counts(text) == (3, 1 + 3 * 3, 2)


def test_names_of_a_where_reach_the_later_binders_and_the_body_of_an_action() -> None:
    text = """
type N = 0..3
type Form = Empty | Full(n: N)
state
  box
    forms: set of Form = {Empty, Full(1), Full(3)}
    got: set of N = {}

action take(f in box.forms where f is Full(n) and n > 0, m in n..3)
  when m not in box.got
  box.got += m + n - n

stops when size(box.got) == 3

step Told on take(f, m)
  f is Full(n) and m >= n
"""
    outcome = run(text)
    assert outcome.stats.distinct == 8  # the subsets of {1, 2, 3}
    # By f and m, with what is left: Full(1) has 1, 2, 3 and Full(3) has 3.
    assert outcome.stats.generated == 1 + 3 * 4 + 4
    assert verdicts(outcome) == {"Told": "holds"}


def test_a_for_goes_through_its_block_for_every_choice() -> None:
    text = """
type N = 0..3
state
  box
    seq: seq of N up to 4 = [2, 1, 2]
    bag: bag of N up to 6 = {}
    total: 0..20 = 0
    m: map N to N = 0

action go
  when empty(box.bag)
  for x in box.seq
    box.bag += x
  for x in N where x > 0, y in x..3
    box.total += 1
    box.m[y] += 1

stops when true

## Distinct values of the sequence: 1 and 2. Pairs: 3 + 2 + 1, and as y comes 1, 2 and 3 times.
step Done on go
  box.bag[1]' == 1 and box.bag[2]' == 1 and size(box.bag)' == 2
  box.total' == 6
  box.m' == (each k in N: k)
"""
    assert verdicts(run(text)) == {"Done": "holds"}


def test_an_action_without_binders_has_one_instance() -> None:
    text = "state\n  box\n    x: bool = false\naction flip\n  box.x := not box.x\n"
    assert counts(text) == (2, 3, 2)


def test_an_action_and_a_property_may_have_parameters_named_alike() -> None:
    text = """
sort Node
state
  each Node
    x: 0..2 = 0

action up(n in Node)
  when n.x < 2
  n.x += 1

stops when forall n in Node: n.x == 2

step Up on up(k)
  forall n in Node: n == k or n.x' == n.x
"""
    assert run(text).as_expected
    assert names(run(text + "\nreachable Top\n  forall n in Node: n.x == 2\n"), "Top") == ["up"] * 4
