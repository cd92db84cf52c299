"""Protocols that claim to be sequentially consistent, and what a search says of them."""

from __future__ import annotations

import pytest

from modelcheck import api
from modelcheck.core.outcome import Outcome, Verdict
from modelcheck.report.records import check as as_record
from modelcheck.report.violation import report

from .texts import cell, shipped, stronger

WEAK = "sequentially consistent"


@pytest.fixture(params=("referee", "native"))
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def names(outcome: Outcome, name: str) -> list[str]:
    trace = outcome[name].trace
    assert trace is not None
    return [step.action.name for step in trace.steps]


# --- two protocols ---------------------------------------------------------------------------


def test_clients_that_stay_at_servers_of_their_own_are_consistent(engine: str) -> None:
    outcome = api.check(shipped("own_server")["stay"], engine=engine)
    assert outcome.as_expected and outcome["reg"].verdict is Verdict.HOLDS
    assert outcome["reg"].triggered and outcome.complete


def test_they_are_not_linearizable_since_others_read_old_values(engine: str) -> None:
    outcome = api.check(stronger("own_server")["stay"], engine=engine)
    assert outcome["reg"].steps == 4
    assert names(outcome, "reg") == ["begin_write", "written", "begin_read", "have_read"]
    trace = outcome["reg"].trace
    assert trace is not None
    writer, reader = trace.steps[1].arguments[0], trace.steps[3].arguments[0]
    assert writer != reader


def test_a_client_that_misses_its_own_write_is_not_consistent(engine: str) -> None:
    outcome = api.check(shipped("own_server")["roam"], engine=engine)
    assert outcome.as_expected
    trace = outcome["reg"].trace
    assert trace is not None
    assert len({step.arguments for step in trace.steps}) == 1


def test_two_writes_seen_in_opposite_orders_are_not_consistent(engine: str) -> None:
    outcome = api.check(shipped("replicas")["last_wins"], engine=engine)
    # Nothing is missing in ten steps: two writes and two reads, called and returned, two copies.
    assert outcome.as_expected
    assert sorted(names(outcome, "reg")) == sorted(
        ["begin_write", "written", "replicate", "begin_read", "have_read"] * 2
    )


def test_seen_in_one_order_they_are_and_still_not_linearizable(engine: str) -> None:
    assert api.check(shipped("replicas")["in_order"], engine=engine).as_expected
    outcome = api.check(stronger("replicas")["in_order"], engine=engine)
    # Either reads its own value after the other has written: write, write, read.
    assert outcome["reg"].verdict is Verdict.FAILS and outcome["reg"].steps == 6


# --- what operations do ----------------------------------------------------------------------


def test_without_an_end_of_runs_there_is_no_end_of_states() -> None:
    outcome = api.check(cell(claim=WEAK)["only"], api.Limits(memory=16_000_000))
    assert outcome.verdict == "unfinished"
    assert outcome["cell"].verdict.value == "undecided"


def test_a_write_that_takes_effect_after_it_has_returned_may_be_missed_by_others(
    engine: str,
) -> None:
    late = """
action finish_early(c in Client)
  when c.work is Writing(v)
  c.work := Idle
  return by c
"""
    outcome = api.check(cell(late, "cell fails in 4 steps", claim=WEAK)["only"], engine=engine)
    assert outcome.as_expected
    trace = outcome["cell"].trace
    assert trace is not None
    # Nobody but the writer itself.
    assert len({step.arguments[0] for step in trace.steps}) == 1


def test_of_several_markers_in_a_step_each_is_judged(engine: str) -> None:
    text = """
action from_nowhere(c in Client, d in Client)
  when c != d and c.work == Reading and d.work == Idle
  c.work := Idle
  return 1 by c
  d.work := Writing(1)
  call cell.write(1) by d
"""
    outcome = api.check(cell(text, "cell fails in 2 steps", claim=WEAK)["only"], engine=engine)
    assert outcome.as_expected
    assert names(outcome, "cell") == ["start_read", "from_nowhere"]


@pytest.mark.parametrize(
    ("more", "clause"),
    [
        (
            "action again(c in Client)\n  when c.work == Reading\n  call cell.read() by c\n",
            "c1 calls while its operation before is open",
        ),
        (
            "action nothing(c in Client)\n  when c.work == Idle\n  return by c\n",
            "c1 returns without an open operation",
        ),
    ],
)
def test_misuse_is_undefined(engine: str, more: str, clause: str) -> None:
    outcome = api.check(cell(more, "undefined", claim=WEAK)["only"], engine=engine)
    found = outcome["undefined"]
    assert outcome.as_expected
    assert found.failure is not None and found.failure.reason == clause


def test_misuse_is_found_after_a_violation_too(engine: str) -> None:
    more = """
action lie(c in Client)
  when c.work == Idle
  c.work := Reading
  call cell.write(0) by c
  return 1 by c
  call cell.read() by c

action again(c in Client)
  when c.work == Reading
  call cell.read() by c
"""
    check = cell(more, "cell fails, undefined", claim=WEAK)["only"]
    outcome = api.check(check, api.Limits(depth=2), engine=engine, keep_going=True)
    assert outcome["cell"].steps == 1
    assert outcome["undefined"].steps == 2


# --- how it is shown -------------------------------------------------------------------------


def test_the_violation_is_called_by_its_name_and_drawn() -> None:
    outcome = api.check(shipped("replicas")["last_wins"])
    _, line, excerpt = report(outcome, outcome["reg"], width=100).split("\n\n")
    assert line.count("no place") == 1
    assert excerpt.startswith("violated[sequentially-consistent]: reg, after step 10")
    assert "returns 2; in every order that is left it answers 1" in excerpt
    assert "`reg` then has value = 1" in excerpt


def test_the_kind_and_the_operations_are_data() -> None:
    document = as_record(api.check(shipped("own_server")["roam"]))
    [found] = [each for each in document["properties"] if each["name"] == "reg"]
    assert found["kind"] == WEAK
    placed = [(each["operation"], each["placed"]) for each in found["operations"]]
    assert placed == [("write", True), ("read", False)]


def test_random_runs_judge_it_too() -> None:
    sampled = api.simulate(shipped("own_server")["roam"])
    assert sampled.outcome["reg"].verdict is Verdict.FAILS
