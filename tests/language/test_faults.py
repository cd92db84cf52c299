"""Faults and their budgets, deadlock, `stops when`, `constraint`, and how states are counted."""

from __future__ import annotations

import pytest

from modelcheck import api

from .small import counts, loaded, ran, refused, run, verdicts

CLIMB = """
state
  box
    x: 0..3 = 0

action up
  when box.x < 3
  box.x += 1

fault slip{bound}
  when box.x > 0
  box.x -= 1

fault fall
  when box.x == 3
  box.x := 0

stops when box.x == 3

reachable Top
  box.x == 3

always possible Back
  box.x == 0
"""


def climb(bound: str, check: str) -> str:
    return CLIMB.format(bound=bound) + f"\ncheck only\n  {check}\n"


@pytest.mark.parametrize(
    "bound, faults, numbers",
    [
        # x alone: 4 states; ups 3, slips 3, falls 1
        ("", "", (4, 1 + 3 + 3 + 1, 4)),
        # x and the slips taken, 0 or 1: slips only with 0 taken; (0, 1) is reached by up, slip
        (" at most 1", "", (8, 1 + 2 * 3 + 3 + 2, 6)),
        (" at most 0", "", (4, 1 + 3 + 1, 4)),
        # budgets of a check override those of the file
        (" at most 1", "faults slip = any", (4, 8, 4)),
        ("", "faults slip = 1", (8, 12, 6)),
        (" at most 3", "faults slip = 0", (4, 5, 4)),
        (" at most 1", "faults fall = 0", (8, 1 + 2 * 3 + 3, 6)),
        (" at most 1", "faults none", (4, 4, 4)),
        ("", "faults none", (4, 4, 4)),
    ],
)
def test_budgets_bound_steps_and_are_part_of_the_state(
    bound: str, faults: str, numbers: tuple[int, int, int]
) -> None:
    distinct, generated, depth = numbers
    text = climb(
        bound,
        f"{faults}\n  expect distinct {distinct}, generated {generated}"
        if faults
        else f"expect distinct {distinct}, generated {generated}",
    )
    assert counts(text) == numbers
    assert run(text).as_expected
    assert depth == run(text).stats.depth


def test_a_bound_counts_all_arguments_together() -> None:
    text = """
sort Node
state
  each Node
    up: bool = true

fault crash(n in Node) at most {}
  when n.up
  n.up := false

stops when true
"""
    # both up; one of two down; both down
    assert counts(text.format(2)) == (4, 5, 3)
    assert counts(text.format(1)) == (3, 3, 2)
    assert counts(text.format("1 + 1")) == (4, 5, 3)


def test_budgets_of_the_command_line_override_those_of_a_check() -> None:
    file = loaded(climb(" at most 1", "faults slip = 1, fall = 0\n  expect Top holds"))
    sizes = {
        given: api.check(file.instance("only", faults=given), keep_going=True).stats.distinct
        for given in ("none", "slip=0", "slip=1", "slip=2,fall=any", "slip=any")
    }
    assert sizes == {"none": 4, "slip=0": 4, "slip=1": 8, "slip=2,fall=any": 12, "slip=any": 4}


def test_a_fault_that_changes_nothing_uses_up_its_budget() -> None:
    text = """
state
  box
    x: bool = false

action flip
  box.x := not box.x

fault noise at most 2
  box.x := box.x
"""
    assert counts(text) == (2 * 3, 1 + 6 + 4, 4)


@pytest.mark.parametrize(
    "text",
    [
        "fair fault f\n  box.x := 1\n",
        "strongly fair fault f\n  box.x := 1\n",
        "action f at most 2\n  box.x := 1\n",
        "fault f at most -1\n  box.x := 1\n",
        "fault f at most true\n  box.x := 1\n",
        "action f\n  box.x := 1\nfault f\n  box.x := 2\n",
        "fault f\n  box.x := 1\nlet g = f\n",
        "fault f at most 1\n  when f > 0\n  box.x := 1\n",
        "action g\n  box.x := 1\ncheck c\n  faults g = 1\n  expect holds\n",
        "check c\n  faults unknown = 1\n  expect holds\n",
        "fault f\n  box.x := 1\ncheck c\n  faults f = -1\n  expect holds\n",
        "fault f\n  box.x := 1\ncheck c\n  faults f = 1, f = 2\n  expect holds\n",
    ],
)
def test_it_is_refused(text: str) -> None:
    assert refused(f"state\n  box\n    x: 0..3 = 0\n\n{text}")


# --- deadlock ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "actions, steps",
    [
        ("action up\n  when box.x < 2\n  box.x += 1\n", 2),
        ("action up\n  when box.x < 2\n  box.x += 1\naction rest\n  box.x := box.x\n", 2),
        ("action up\n  box.x := 2\n", 1),
        ("fault up\n  when box.x < 2\n  box.x += 1\n", 0),
        ("action up\n  when box.x < 2\n  box.x += 1\nfault down\n  box.x := 0\n", 2),
        ("action turn\n  box.x := if box.x == 2 then 0 else 2\n", None),
        ("action up\n  when box.x < 2\n  box.x += 1\nstops when box.x == 2\n", None),
        ("action up\n  when box.x < 2\n  box.x += 1\nstops when box.x == 1\n", 2),
        # Where it may stop, it need not.
        ("action turn\n  box.x := if box.x == 2 then 0 else 2\nstops when box.x == 2\n", None),
    ],
)
def test_a_deadlock_is_a_state_without_an_action_that_changes_something(
    actions: str, steps: int | None
) -> None:
    outcome = run(f"state\n  box\n    x: 0..2 = 0\n\n{actions}")
    if steps is None:
        assert verdicts(outcome) == {}
    else:
        assert verdicts(outcome) == {"deadlock": "fails"}
        assert outcome["deadlock"].steps == steps


def test_a_state_whose_action_is_an_error_is_not_a_deadlock_too() -> None:
    state = "state\n  box\n    x: 0..2 = 0\n    q: seq of 0..2 up to 1 = []\n"
    too_far = run(f"{state}\naction up\n  box.x += 1\n")
    assert verdicts(too_far) == {"range": "fails"} and too_far["range"].steps == 3
    no_guard = run(f"{state}\naction up\n  when box.q[1] == 0\n  box.x := 1\n")
    assert verdicts(no_guard) == {"undefined": "fails"}
    of_a_fault = run(f"{state}\nfault up\n  box.x += 3\n")
    assert verdicts(of_a_fault) == {"range": "fails", "deadlock": "fails"}


def test_only_a_check_that_asks_judges_deadlock() -> None:
    text = """
state
  box
    x: 0..1 = 0

action up
  when box.x == 0
  box.x := 1

invariant Small
  box.x < 2

check all_of_it
  expect holds

check the_deadlock
  expect deadlock

check one_property
  expect Small holds

check a_count
  expect distinct 2
"""
    assert {name: each.as_expected for name, each in ran(text).items()} == {
        "all_of_it": False, "the_deadlock": True, "one_property": True, "a_count": True,
    }  # fmt: skip


# --- constraint --------------------------------------------------------------------


CONSTRAINED = """
state
  box
    x: 0..9 = {first}
    y: bool = false

action up
  when box.x < 9
  box.x += 1

action flip
  box.y := not box.y

constraint box.x <= 2

stops when true

invariant Small
  box.x <= {small}

reachable Outside
  box.x == 3

reachable Beyond
  box.x == 4
"""


def test_a_state_outside_the_constraint_is_judged_but_neither_counted_nor_expanded() -> None:
    outcome = run(CONSTRAINED.format(first=0, small=2))
    # x in 0..2 and y: six states, each with two successors; x == 3 is seen, x == 4 never.
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (6, 1 + 12, 4)
    assert verdicts(outcome) == {"Small": "fails", "Outside": "holds", "Beyond": "fails"}
    assert outcome["Small"].steps == 3


def test_an_initial_state_may_be_outside_the_constraint() -> None:
    outcome = run(CONSTRAINED.format(first=3, small=9))
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (0, 1, 0)
    assert verdicts(outcome) == {"Small": "holds", "Outside": "holds", "Beyond": "fails"}


def test_steps_that_leave_the_constraint_are_judged() -> None:
    text = CONSTRAINED.format(first=0, small=9) + "\nstep Inside on up\n  box.x' < 3\n"
    assert run(text)["Inside"].steps == 3


def test_liveness_under_a_constraint_is_refused() -> None:
    text = CONSTRAINED.format(first=0, small=9)
    assert refused(f"{text}\nliveness P\n  eventually box.y\n")


# --- counts ------------------------------------------------------------------------


def test_every_enabled_instance_is_generated_even_if_two_lead_to_one_state() -> None:
    text = """
state
  box
    x: 0..1 = 0

action set(a in 1..3, b in 1..2)
  box.x := 1

stops when true
"""
    assert counts(text) == (2, 1 + 2 * 6, 2)


def test_depth_is_the_number_of_states_on_the_longest_shortest_path() -> None:
    text = """
state
  box
    x: 0..4 in {0, 1}

action up
  when box.x < 4
  box.x += 1

action jump
  when box.x == 0
  box.x := 3

stops when true
"""
    # 0 and 1 at first; 2 and 3 after one step; 4 after two
    assert counts(text) == (5, 2 + 4 + 1, 3)


def test_an_instance_is_generated_though_its_step_is_not_taken() -> None:
    text = """
state
  box
    x: 0..1 = 1
    q: seq of 0..1 up to 1 = []

action too_far
  box.x += 1

action unknown
  when box.q[1] == 0
  box.x := 0

stops when true
"""
    outcome = run(text)
    assert verdicts(outcome) == {"range": "fails", "undefined": "fails"}
    assert outcome.stats.generated == 2
    assert outcome["range"].steps == 1 and outcome["undefined"].steps == 0
    assert outcome.stats.enabled == (("too_far", 1), ("unknown", 0))
