"""Search and bounded search meet the same things, after the same number of steps.

They are compared for every property that both can judge, for deadlock and the
four errors; and every run that the solver finds is taken again by the referee.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelcheck import api, bounding, crossing
from modelcheck.core.agreement import Agreement, Disagreement
from modelcheck.core.limits import Limits
from modelcheck.core.model import Check
from modelcheck.core.outcome import Outcome, Verdict
from modelcheck.core.replay import replay
from modelcheck.diagnostics import Refused
from modelcheck.prove import bounded
from modelcheck.prove.solver import Settings
from modelcheck.source import Source
from tests.generate import generate
from tests.generate.loading import load

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("protocols/*/*.model"), *ROOT.glob("tests/calibration/*.model")])
MOST_STEPS = 4
FIRST = 1
QUICK_MODELS, FULL_MODELS, IN_A_TEST = 6, 1_000, 20


def searched(check: Check, steps: int) -> Outcome:
    """By the referee, as far as it takes to know all that is met in so many steps."""
    return api.check(check, Limits(depth=steps + 1), "referee", keep_going=True)


def compare(check: Check, steps: int = MOST_STEPS) -> None:
    if check.model.history is not None:
        return
    agreed = crossing.cross_check(searched(check, steps), most=steps, seconds=None)
    assert isinstance(agreed, Agreement), f"{check.name}: {agreed}"
    assert not agreed.open
    assert agreed.steps == steps or agreed.reason is not None


def of_seed(seed: int) -> None:
    """Compare one check of the model of this seed; which, depends on the seed."""
    loaded = load(generate(seed).files)
    names = [info.name for info in loaded.resolved.checks]
    try:
        compare(loaded.check(names[seed % len(names)]))
    except Refused:
        return  # no state, or no step: there is nothing to be searched
    except AssertionError as different:
        raise AssertionError(f"seed {seed}: {different}") from different


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_first_check_of_a_file(path: Path) -> None:
    file = api.load(path)
    for name in list(file)[:1]:
        compare(file[name], 2)


@pytest.mark.full
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_check_of_a_file(path: Path) -> None:
    file = api.load(path)
    for name in file:
        compare(file[name])


@pytest.mark.parametrize("seed", range(FIRST, FIRST + QUICK_MODELS))
def test_generated_models(seed: int) -> None:
    of_seed(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST, FIRST + FULL_MODELS, IN_A_TEST))
def test_many_generated_models(first: int) -> None:
    for seed in range(first, first + IN_A_TEST):
        of_seed(seed)


# --- by hand ---------------------------------------------------------------------------

COUNTER = """
protocol Counter

param LAST: 0..9

state
  it
    n: 0..3 = 0
    s: set of 0..3 up to 2 = {}
    m: map 0..1 to 0..1 = 0

action up
  when it.n < LAST
  it.n += 1
  it.s += it.n

action put(i in 0..1, j in 0..1)
  when it.n == 2
  it.m[i] := 0
  it.m[j] := 1

invariant Below
  it.n < 2

step Small
  it.n' - it.n <= it.n + 1
  it.n' != 3

reachable Two
  it.n == 2

always possible Zero
  it.n == 0

check short
  LAST = 1
  expect holds

check full
  LAST = 3
  expect Below fails in 2 steps
  expect Two holds
  expect two-writes
  expect capacity

check long
  LAST = 9
  expect holds
"""


def counter(name: str) -> Check:
    return api.load_source(Source("counter.model", COUNTER))[name]


def steps_of(outcome: Outcome) -> dict[str, int]:
    return {each.name: each.steps for each in outcome.found if each.steps is not None}


def test_what_is_met_and_after_how_many_steps() -> None:
    # The third step makes the set too large, and so it is not taken: 3 is never reached.
    outcome = bounding.check(counter("long"), 5)
    assert steps_of(outcome) == {"Below": 2, "Two": 2, "capacity": 3, "two-writes": 3}


def test_nothing_is_met_in_fewer_steps() -> None:
    assert steps_of(bounding.check(counter("long"), 1)) == {}
    assert set(steps_of(bounding.check(counter("long"), 2))) == {"Below", "Two"}


def test_a_deadlock_counts_the_steps_to_its_state() -> None:
    outcome = bounding.check(counter("short"), 4)
    assert steps_of(outcome) == {"deadlock": 1}


def test_a_bounded_search_never_says_that_something_holds() -> None:
    outcome = bounding.check(counter("short"), 6)
    assert not outcome.complete
    assert outcome.as_expected is False  # of the deadlock
    below = outcome["Below"]
    assert (below.verdict, below.reason) == (Verdict.UNDECIDED, "bounded 6")
    assert outcome["Zero"].verdict is Verdict.UNDECIDED
    assert outcome["Zero"].reason == "a bounded search says nothing of it"


def test_traces_are_runs_and_end_where_the_property_does() -> None:
    outcome = bounding.check(counter("long"), 5)
    for each in outcome.found:
        if each.trace is not None:
            assert replay(outcome.check.model, each.trace) is None
            assert len(each.trace.steps) == each.steps
    assert outcome["capacity"].failure is not None
    assert outcome["Below"].trace == searched(counter("long"), 5)["Below"].trace


def test_what_the_solver_does_not_know_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown: Any = lambda self, conditions: (None, "no reason")  # noqa: E731
    monkeypatch.setattr(bounded._Unrolling, "_any_of", unknown)
    outcome = bounding.check(counter("long"), 5)
    assert {each.verdict for each in outcome.found} == {Verdict.UNDECIDED}
    assert "no reason" in (outcome["Below"].reason or "")
    assert outcome.as_expected is None


def test_the_time_may_be_up() -> None:
    found = bounded.search(counter("long"), 5, Settings(), seconds=0.0)
    assert found.limits == ("seconds: 0",)
    assert found.steps == -1


def test_a_history_has_no_formula() -> None:
    file = api.load("registers/quorum_register")
    outcome = bounding.check(file[next(iter(file))], 3)
    assert {each.verdict for each in outcome.found} == {Verdict.UNDECIDED}
    assert "no formula" in (outcome.found[0].reason or "")


def test_a_run_that_the_referee_does_not_know_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modelcheck.prove.writing._put", lambda old, *rest: old)
    found = bounded.search(counter("full"), 3, Settings())
    assert found.met["deadlock"].steps == 0
    with pytest.raises(bounding.NotARun):
        bounding.outcome(counter("full"), found)
    assert isinstance(crossing.cross_check(api.check(counter("full"))), Disagreement)
