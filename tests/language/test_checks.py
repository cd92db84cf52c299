"""Checks: settings, `like`, what may be expected, and when it came out."""

from __future__ import annotations

import pytest

from modelcheck import api
from modelcheck.core.limits import Limits

from .small import loaded, ran, refused

FILE = """
param MAX: int
param CAP: int = 1 + 1
param ON: bool = true
axis FAST: bool = false
sort Node
type N = 0..MAX
state
  each Node
    x: N = 0

action up(n in Node)
  when ON and n.x < MAX
  n.x += if FAST and n.x + 2 <= MAX then 2 else 1

fault down(n in Node) at most CAP
  when n.x > 0
  n.x := 0

stops when forall n in Node: n.x == MAX

invariant Low
  forall n in Node: n.x < 2

invariant Any
  true

reachable Full
  forall n in Node: n.x == MAX

liveness Fills
  eventually forall n in Node: n.x == MAX
"""


def outcomes(checks: str) -> dict[str, bool | None]:
    return {name: each.as_expected for name, each in ran(FILE + "\n" + checks).items()}


def test_expectations_come_out_or_do_not() -> None:
    found = outcomes("""
check a
  Node = 1, MAX = 3
  faults none
  expect Low fails in 2 steps

check too_few like a
  expect Low fails in 1 steps

check too_many like a
  expect Low fails in 3 steps

check any_number like a
  expect Low fails

check holds like a
  expect Low holds

check all like a
  expect holds

check others like a
  expect Any holds, Full holds

check full_fails like a
  expect Full fails

check counted like a
  expect Low fails in 2 steps, distinct 4, generated 4, depth 4

check counted_wrong like a
  expect Low fails in 2 steps, distinct 3

check stands_still like a
  expect Fills livelocks

check does_not_block like a
  expect Fills blocks

check blocks like a
  ON = false
  expect Fills blocks in 0 steps

check blocks_later like a
  ON = false
  expect Fills blocks in 1 steps

check dead like a
  ON = false
  expect deadlock

check not_dead like a
  expect deadlock

check no_error like a
  expect range

check low like a
  MAX = 1
  expect Low holds, Full holds, distinct 2

check several_lines like a
  expect Low fails
  expect distinct 4
  expect depth 4
""")
    assert {name for name, came in found.items() if came is not True} == {
        "too_few", "too_many", "holds", "all", "full_fails", "counted_wrong", "does_not_block",
        "blocks_later", "not_dead", "no_error",
    }  # fmt: skip
    assert None not in found.values()


def test_like_takes_over_settings_and_faults_and_no_expectations() -> None:
    file = loaded(
        FILE
        + """
check base
  Node = 1, MAX = 2, ON = false
  faults down = 1
  expect Low holds

check same like base
  expect Any holds

check more like same
  MAX = 3, FAST = true
  faults none
  expect Any holds

check again like more
  ON = true
  expect Any holds
"""
    )
    settings = {name: dict(file[name].model.settings) for name in file}
    assert settings["same"] == settings["base"]
    assert settings["again"]["MAX"] == "3" and settings["again"]["ON"] == "true"
    budgets = {name: file[name].model.actions[1].at_most for name in file}
    assert budgets == {"base": 1, "same": 1, "more": 0, "again": 0}
    assert all(len(file[name].expectations) == 1 for name in file)


def test_a_check_may_be_like_one_that_comes_later() -> None:
    assert outcomes("""
check first like second
  expect Any holds

check second
  Node = 1, MAX = 1
  expect Any holds
""") == {"first": True, "second": True}


def test_a_default_may_read_parameters_and_a_setting_of_the_command_line_wins() -> None:
    file = loaded(FILE + "\ncheck a\n  Node = 1, MAX = 2\n  expect Any holds\n")
    assert file["a"].model.actions[1].at_most == 2
    given = file.instance("a", settings=[("MAX", "4"), ("CAP", "0"), ("Node", "2")])
    assert api.check(given, keep_going=True).stats.distinct == 25


def test_settings_of_every_kind_of_parameter() -> None:
    text = """
type Colour = Red | Green
type R(c: Colour, n: 0..3)
sort Node
param C: Colour
param RS: set of R up to 3
param S: seq of Colour up to 2
param M: map Colour to int
param O: Maybe = none
param Q: Maybe
type Maybe = Colour?
state
  box
    c: Colour = C

invariant P
  C == Green and RS == {R(Red, 1)} and S == [Red, Green] and M[Red] == 1 and M[Green] == 2
  O == none and Q == Red

stops when true

check only
  Q = Red, C = Green, RS = {R(Red, 1)}, S = [Red, Green],
    Node = 1, M = each c in Colour: if c == Red then 1 else 2
  expect P holds
"""
    assert ran(text)["only"].as_expected


@pytest.mark.parametrize(
    "check",
    [
        "check a\n  Node = 1\n  expect holds",  # MAX has neither default nor setting
        "check a\n  MAX = 1\n  expect holds",  # Node has no size
        "check a\n  Node = 1, MAX = 1, MAX = 2\n  expect holds",
        "check a\n  Node = 1, MAX = 1, UNKNOWN = 2\n  expect holds",
        "check a\n  Node = 0, MAX = 1\n  expect holds",
        "check a\n  Node = true, MAX = 1\n  expect holds",
        "check a\n  Node = 1, MAX = true\n  expect holds",
        "check a\n  Node = 1, MAX = 1, ON = 1\n  expect holds",
        "check a\n  Node = 1, MAX = -1\n  expect holds",
        "check a\n  Node = 1, MAX = 1",
        "check a\n  Node = 1, MAX = 1\n  expect Unknown holds",
        "check a\n  Node = 1, MAX = 1\n  expect holds, Low holds",
        "check a\n  Node = 1, MAX = 1\n  expect holds, deadlock",
        "check a\n  Node = 1, MAX = 1\n  expect Low blocks",
        "check a\n  Node = 1, MAX = 1\n  expect Low livelocks",
        "check a\n  Node = 1, MAX = 1\n  expect Fills fails",  # it blocks or livelocks
        "check a\n  Node = 1, MAX = 1\n  expect nothing",
        "check a like b\n  expect holds",
        "check a like a\n  expect holds",
        "check a like b\n  expect holds\ncheck b like a\n  expect holds",
        "check a\n  Node = 1, MAX = 1\n  expect Any holds\n"
        "check a\n  Node = 1, MAX = 1\n  expect Any holds",
    ],
)
def test_it_is_refused(check: str) -> None:
    assert refused(f"{FILE}\n{check}\n")


def test_errors_are_judged_whatever_a_list_names() -> None:
    text = """
param MAX: int = 2
state
  box
    x: 0..MAX = 0

action up
  box.x += 1

invariant Fine
  box.x >= 0

invariant Low
  box.x < 2

check named
  expect range

check unnamed
  expect Fine holds

## The search may end before the error is met.
check found_before
  expect Low fails

check searched_everything
  expect Low fails, distinct 3
"""
    found = {name: each.as_expected for name, each in ran(text).items()}
    assert found == {
        "named": True, "unnamed": False, "found_before": True, "searched_everything": False,
    }  # fmt: skip


def test_a_search_that_was_cut_off_decides_nothing_it_has_not_seen() -> None:
    text = (
        FILE
        + """
check a
  Node = 2, MAX = 3
  expect Low holds

check b like a
  expect Full holds

check c like a
  expect distinct 16

check d like a
  expect Fills holds

check e like a
  expect Low fails in 2 steps
"""
    )
    file = loaded(text)
    limits = Limits(depth=2)
    found = {name: api.check(file[name], limits) for name in file}
    assert {name: each.as_expected for name, each in found.items()} == {
        "a": False,  # violated within two steps
        "b": None, "c": None, "d": None,
        "e": True,
    }  # fmt: skip
    assert not found["b"].complete and found["b"].limits


# --- lemmas, proofs, axioms --------------------------------------------------------


PROOFS = """
param SET: set of Node
sort Node
param MAX: int
type N = 0..MAX
state
  each Node
    x: N = 0

action up(n in Node)
  when n.x < MAX
  n.x += 1

stops when true

axiom Some
  exists n in Node: n in SET

lemma Bounded
  forall n in Node: n.x <= MAX

lemma Wrong
  forall n in Node: n.x < 2

invariant Main
  forall n in Node: n.x >= 0

check only
  Node = 2, MAX = 2, SET = Node
  expect Bounded holds, Wrong fails in 2 steps
"""


def test_a_lemma_is_verified_like_an_invariant() -> None:
    assert ran(PROOFS)["only"].as_expected


@pytest.mark.parametrize(
    "proof, fine",
    [
        ("for any Node, MAX, SET\n  Main by induction using Bounded", True),
        ("for any Node, SET\n  with MAX = 3\n  Main, Bounded by k-induction 2", True),
        ("with Node = 2, MAX = 3, SET = Node\n  Main by pdr", True),
        ("for any SET, Node, MAX\n  Main by induction\n  Bounded by pdr", True),
        ("for any Node, MAX\n  Main by induction", False),
        ("for any Node, MAX, SET\n  Unknown by induction", False),
        ("for any Node, MAX, SET\n  Main by induction using Unknown", False),
        ("for any Nobody, Node, MAX, SET\n  Main by induction", False),
        ("for any Node, MAX, SET\n  with NOTHING = 3\n  Main by induction", False),
        ("for any Node, MAX, SET\n  Main by magic", False),
        ("for any Node, MAX, SET", False),
    ],
)
def test_a_proof_is_read_and_its_names_are_checked(proof: str, fine: bool) -> None:
    assert (refused(f"{PROOFS}\nproof P\n  {proof}\n") == []) == fine


def test_an_axiom_speaks_of_parameters() -> None:
    assert refused(f"{PROOFS}\naxiom Bad\n  forall n in Node: n.x == 0\n")
