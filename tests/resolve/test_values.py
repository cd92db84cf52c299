"""Values and their types: options, empty literals, bags, maps, intervals."""

from __future__ import annotations

import pytest

import modelcheck
from modelcheck.core.types import Map, Option, Range, Seq, Set, Sort
from modelcheck.resolve.closing import stems

from .files import ELECTION, check, ids, invariant, model, only_check, variable_type, verdict

COUNTER = """\
protocol Counter

param MAX: int = 3
type Value = 0..MAX

state
  store
    value: Value = 0
    last: Value? = none
"""


@pytest.mark.parametrize(
    "term",
    [
        "service.holder == none",
        "none != service.holder",
        "forall n in Node: service.holder != n",
        "forall n in Node: n == service.holder or n.up",
        "forall n in Node: (if n.up then n else none) != service.holder",
        "forall n in Node: (if n.up then none else n) == none",
        "forall n in Node: service.holder in {n, none}",
        "service.holder is none or service.holder is some(_)",
        "network.votes == {}",
        "{} == network.votes",
        "{} subset network.votes and empty(network.votes union {})",
        "forall n in Node: n.log == [] or [] != n.log ++ []",
        "forall n in Node: (if n.up then [] else n.log) == []",
        "(if service.holder == none then {} else network.votes) == {}",
    ],
)
def test_a_literal_takes_the_type_of_its_place(term: str) -> None:
    assert ids(invariant(term)) == []


@pytest.mark.parametrize(
    "update",
    ["service.holder := n", "service.holder := none", "service.holder := if n.up then n else none"],
)
def test_a_value_is_accepted_where_an_option_is_wanted(update: str) -> None:
    assert ids(f"{ELECTION}\naction go(n in Node)\n  {update}\n") == []


def test_an_option_is_not_accepted_where_a_value_is_wanted() -> None:
    text = "\naction go(n in Node)\n  network.votes += Vote(service.holder, 0)\n"
    assert ids(ELECTION + text) == ["option-unopened"]


def test_an_absent_value_equals_only_an_absent_value() -> None:
    text = COUNTER + "\naction go\n  store.last := 0\n"
    text += "\ninvariant NeverZero\n  store.last != 0\n" + check("", "NeverZero fails in 1 steps")
    assert verdict(text, "NeverZero") == "fails"


def test_a_set_fits_where_a_bag_is_wanted() -> None:
    text = """\
protocol Stock

state
  depot
    items: bag of 0..2 up to 3 = {1, 2}

action add
  when size(depot.items) == 2
  depot.items += 1

action check_in
  when size(depot.items) == 3
  depot.items := {0, 1}

invariant Few
  depot.items[1] <= 1
"""
    assert ids(text) == []
    assert verdict(text + check("", "Few fails in 1 steps"), "Few") == "fails"


def test_the_initial_value_of_nested_maps_goes_to_every_innermost_key() -> None:
    text = """\
protocol Matrix

sort Node

state
  table
    cells: map Node to map Node to 0..3 = 2

invariant AllTwo
  forall a in Node, b in Node: table.cells[a][b] == 2

stops when true
"""
    assert verdict(text + check(), "AllTwo") == "holds"


def test_an_initial_map_may_be_given_key_by_key() -> None:
    text = """\
protocol Ring

param N: int = 3
type Place = 1..N

state
  ring
    next: map Place to Place = each p in Place: p mod N + 1

invariant Round
  ring.next[N] == 1 and ring.next[1] == 2

stops when true
"""
    assert verdict(text + check(""), "Round") == "holds"


def test_a_bound_of_a_type_is_taken_from_the_check() -> None:
    text = ELECTION + check("Node = 3, MAX = 5")
    assert variable_type(text, "granted") == Range(0, 5)
    assert variable_type(text, "holder") == Option(Sort("Node", 3))
    assert variable_type(text, "log") == Seq(Range(0, 5), 2)


def test_types_by_name_are_those_they_stand_for() -> None:
    text = """\
protocol Queues

type Queue = seq of Job up to 2
type Job = 0..3
type Jobs = set of Job

state
  server
    queues: map Job to Queue = []
    seen: Jobs = {}
"""
    assert variable_type(text + check(""), "queues") == Map(Range(0, 3), Seq(Range(0, 3), 2))
    assert variable_type(text + check(""), "seen") == Set(Range(0, 3))


@pytest.mark.parametrize(
    ("sorts", "expected"),
    [
        (["Node"], ["n"]),
        (["Node", "Client"], ["n", "c"]),
        (["Node", "Network"], ["no", "ne"]),
        (["A", "AB"], ["a", "ab"]),
        (["Server", "Service"], ["serve", "servi"]),
    ],
)
def test_members_are_named_by_the_shortest_prefix_that_no_other_sort_has(
    sorts: list[str], expected: list[str]
) -> None:
    assert list(stems(sorts).values()) == expected


def test_members_of_a_sort_are_shown_under_their_stem() -> None:
    text = ELECTION + "\naction go(n in Node)\n  service.holder := n\n"
    (holder,) = (v for v in model(text + check()).variables if v.name == "holder")
    assert isinstance(holder.type, Option) and isinstance(holder.type.item, Sort)
    assert holder.type.item.stem == "n"


# --- numbers -------------------------------------------------------------------------


def test_an_addition_under_a_guard_needs_no_ceremony() -> None:
    text = COUNTER + "\naction add\n  when store.value < MAX\n  store.value := store.value + 1\n"
    text += "\nstops when store.value == MAX\n"
    outcome = modelcheck.check(only_check(text + check("")))
    assert outcome.as_expected


def test_an_addition_without_a_guard_leaves_the_range_when_it_is_taken() -> None:
    text = COUNTER + "\naction add\n  store.value := store.value + 1\n" + check("", "range")
    assert ids(text) == []
    assert modelcheck.check(only_check(text)).as_expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("4611686018427387904 + 4611686018427387903 > 0", []),
        ("4611686018427387904 + 4611686018427387904 > 0", ["number-too-large"]),
        ("BIG * BIG > 0", ["number-too-large"]),
        ("(BIG * BIG) mod 7 > 0", ["number-too-large"]),
        ("BIG - BIG == 0 and BIG + BIG > 0", []),
        ("(sum x in 1..1000: x * BIG) > 0", []),
        ("(sum x in 1..1000, y in 1..999999: BIG) > 0", ["number-too-large"]),
    ],
)
def test_a_term_that_might_leave_64_bits_is_refused(term: str, expected: list[str]) -> None:
    base = COUNTER.replace("param MAX", "param BIG: int = 4000000000000\nparam MAX")
    assert ids(invariant(term, base) + check("")) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("7 div MAX >= 0", []),
        ("store.value mod (MAX + 1) >= 0", []),
        ("7 div 0 >= 0", ["divisor-not-positive"]),
        ("7 mod (MAX - MAX) >= 0", ["divisor-not-positive"]),
        ("7 mod store.value >= 0", ["divisor-not-constant"]),
        ("forall d in 1..3: 7 mod d >= 0", ["divisor-not-constant"]),
    ],
)
def test_division_is_by_a_positive_constant(term: str, expected: list[str]) -> None:
    assert ids(invariant(term, COUNTER) + check("")) == expected


def test_division_rounds_down_and_leaves_no_negative_remainder() -> None:
    term = "(0 - 7) div 2 == -4 and (0 - 7) mod 2 == 1 and 7 div 2 == 3 and 7 mod 2 == 1"
    text = invariant(term, COUNTER) + "\nstops when true\n" + check("")
    assert verdict(text, "Claim") == "holds"


def test_tuples_are_compared_part_by_part() -> None:
    term = "(1, 5) < (2, 0) and not (2, 0) < (1, 5) and (1, 2) <= (1, 2) and (1, 2, 3) > (1, 2, 2)"
    text = invariant(term, COUNTER) + "\nstops when true\n" + check("")
    assert verdict(text, "Claim") == "holds"
