"""Protocols that claim to be linearizable, and what a search says of them."""

from __future__ import annotations

import pytest

from modelcheck import api
from modelcheck.core.outcome import Outcome, Verdict

from .texts import cell, shipped

ENGINES = ("referee", "native")


def names(outcome: Outcome, name: str) -> list[str]:
    trace = outcome[name].trace
    assert trace is not None
    return [step.action.name for step in trace.steps]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# --- what is published ---------------------------------------------------------------------


def test_a_single_copy_with_its_history_in_ghosts_has_as_many_states_as_published() -> None:
    outcome = api.check(shipped("single_copy_published")["one_server"])
    assert outcome.as_expected
    assert outcome.stats.distinct == 93  # stated in the test of Stateright's example


def test_one_server_is_linearizable_in_fewer_states(engine: str) -> None:
    outcome = api.check(shipped("single_copy")["one_server"], engine=engine)
    assert outcome.as_expected and outcome["reg"].verdict is Verdict.HOLDS
    assert outcome["reg"].triggered
    assert outcome.stats.distinct == 1 + 67


def test_two_servers_that_do_not_know_of_each_other_are_not(engine: str) -> None:
    outcome = api.check(shipped("single_copy")["two_servers"], engine=engine)
    # As published: a write, its answer, a read elsewhere, its answer.
    assert outcome.as_expected and outcome["reg"].steps == 1 + 4
    assert names(outcome, "reg") == ["start", "put", "read_next", "get", "finish"]


# --- what operations do ----------------------------------------------------------------------


def test_an_operation_that_takes_effect_as_it_returns_holds(engine: str) -> None:
    assert api.check(cell()["only"], engine=engine).as_expected


def test_a_write_that_takes_effect_after_it_has_returned_is_found(engine: str) -> None:
    late = """
action finish_early(c in Client)
  when c.work is Writing(v)
  c.work := Idle
  return by c
"""
    outcome = api.check(cell(late, "cell fails in 4 steps")["only"], engine=engine)
    assert outcome.as_expected
    assert names(outcome, "cell") == ["start_write", "finish_early", "start_read", "finish_read"]


def test_calls_of_one_step_follow_each_other_in_the_order_of_the_text(engine: str) -> None:
    wrong = """
action both(c in Client)
  when c.work == Idle
  call cell.write(1) by c
  return by c
  call cell.read() by c
  return memory.bit by c
"""
    assert api.check(cell(wrong, "two-writes")["only"], engine=engine).as_expected
    right = wrong.replace("  return memory.bit by c\n", "  c.work := Reading\n")
    outcome = api.check(cell(right, "cell fails in 2 steps")["only"], engine=engine)
    assert outcome.as_expected
    assert names(outcome, "cell") == ["both", "finish_read"]


# --- abandoned operations ----------------------------------------------------------------------

GIVE_UP = """
fault give_up(c in Client) at most {n}
  when c.work != Idle
  {update}
  c.work := Idle
  abandon c
"""


@pytest.mark.parametrize("update", ["", "memory.bit := if c.work is Writing(v) then v else 0"])
def test_an_abandoned_write_may_or_may_not_have_taken_effect(engine: str, update: str) -> None:
    without = cell(GIVE_UP.format(n=2, update=""))["only"]
    assert api.check(without, engine=engine).as_expected
    with_it = "memory.bit := if c.work is Writing(v) then v else memory.bit"
    assert api.check(cell(GIVE_UP.format(n=2, update=with_it))["only"], engine=engine).as_expected


def test_an_abandoned_write_may_take_effect_long_after(engine: str) -> None:
    text = """
fault give_up(c in Client) at most 1
  when c.work is Writing(v)
  c.work      := Idle
  memory.late := v
  abandon c

action arrive
  when memory.late is some(v)
  memory.bit  := v
  memory.late := none
"""
    assert api.check(cell(text)["only"], engine=engine).as_expected
    # Twice is once too often: read 1, write 0, read 1 again.
    twice = text.replace("  memory.late := none\n", "")
    outcome = api.check(cell(twice, "cell fails")["only"], engine=engine)
    assert outcome.as_expected and names(outcome, "cell").count("arrive") == 2


def test_who_has_nothing_open_may_be_abandoned_all_the_same(engine: str) -> None:
    leave = "fault leave(c in Client) at most 2\n  c.work := Idle\n  abandon c\n"
    assert api.check(cell(leave)["only"], engine=engine).as_expected


# --- misuse --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "clause", "steps"),
    [
        (
            "action again(c in Client)\n  when c.work == Reading\n  call cell.read() by c\n",
            "c1 calls while its operation before is open",
            2,
        ),
        (
            "action nothing(c in Client)\n  when c.work == Idle\n  return by c\n",
            "c1 returns without an open operation",
            1,
        ),
    ],
)
def test_misuse_is_undefined_with_the_place(
    engine: str, more: str, clause: str, steps: int
) -> None:
    outcome = api.check(cell(more, "undefined")["only"], engine=engine)
    found = outcome["undefined"]
    assert outcome.as_expected and found.steps == steps
    assert found.failure is not None and found.failure.reason == clause
    assert found.failure.span is not None
    assert found.failure.span.text in ("call cell.read() by c", "return by c")


def test_an_argument_outside_the_operations_type_is_judged(engine: str) -> None:
    more = """
action too_much(c in Client)
  when c.work == Idle
  call cell.write(memory.bit + 1) by c
  return by c
"""
    outcome = api.check(cell(more, "range")["only"], engine=engine)
    assert outcome.as_expected
    failure = outcome["range"].failure
    assert failure is not None
    assert failure.reason == "`v` of `write` would be 2, outside 0..1"


def test_an_object_that_leaves_its_type_is_reported_with_the_operation(engine: str) -> None:
    text = """
import "counter.model" (Counter)

action take(c in Client)
  when c.work == Idle
  call ticket.next() by c
  return 0 by c

linearizable ticket: Counter(LIMIT = 1)
"""
    outcome = api.check(cell(text, "range")["only"], engine=engine)
    assert outcome.as_expected and outcome["range"].steps == 2
    failure = outcome["range"].failure
    assert failure is not None
    assert failure.reason == "`Counter.value` would become 2, outside 0..1, in `next` of `ticket`"


def test_two_objects_are_told_apart_and_a_caller_has_one_operation_open(engine: str) -> None:
    text = """
import "counter.model" (Counter)

action take(c in Client)
  when c.work == Idle
  call ticket.next() by c
  return 1 by c

linearizable ticket: Counter(LIMIT = 5)
"""
    outcome = api.check(cell(text, "ticket fails in 1 steps")["only"], engine=engine)
    assert outcome.as_expected
    both = text.replace("  return 1 by c\n", "").replace("c.work == Idle", "c.work == Reading")
    outcome = api.check(cell(both, "undefined")["only"], engine=engine)
    assert outcome.as_expected and outcome["undefined"].steps == 2


def test_a_claim_is_vacuous_if_no_operation_of_its_object_ever_returns(engine: str) -> None:
    text = """
import "counter.model" (Counter)

linearizable ticket: Counter(LIMIT = 5)
"""
    outcome = api.check(cell(text, "holds", 1)["only"], engine=engine)
    assert outcome.as_expected
    assert (outcome["cell"].triggered, outcome["ticket"].triggered) == (True, False)
