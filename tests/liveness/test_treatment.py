"""How a loop is fair: worked out by hand, and on random lassos against the tests' own judge."""

from __future__ import annotations

import random

import pytest
from attrs import evolve
from click.testing import CliRunner

from modelcheck import api
from modelcheck.cli import program
from modelcheck.core.outcome import Verdict
from modelcheck.core.semantics import Semantics
from modelcheck.core.trace import Disabled, Step, Taken, Trace
from modelcheck.core.treatment import UnfairLoop, treatment, with_treatment
from modelcheck.report.violation import report
from modelcheck.source import Source

from .check_lasso import _unfair
from .random_graph import model_of, random_graph

RING = """\
protocol Ring

param N: int
type Slot = 0..N

state
  ring
    at: Slot = 0
    seen: set of Slot = {}

fair action forward
  ring.at := if ring.at == N then 0 else ring.at + 1

fair action look(s in Slot)
  when ring.at == s and s not in ring.seen and s > 1
  ring.seen += s

strongly fair action forget(s in Slot)
  when ring.at == s and s in ring.seen
  ring.seen -= s

liveness Full
  eventually size(ring.seen) == 2 and ring.at == 1

check small
  N = 3
  expect Full livelocks
"""


def outcome_of(text: str, engine: str = "native"):
    return api.check(api.load_source(Source("ring.model", text))["small"], engine=engine)


@pytest.mark.parametrize("engine", api.ENGINES)
def test_each_instance_that_is_enabled_on_the_loop_is_taken_or_disabled(engine):
    found = outcome_of(RING, engine)["Full"]
    assert found.verdict is Verdict.LIVELOCKS
    # Round without looking: the two that may look are disabled where the ring is elsewhere, and
    # nothing is ever seen that could be forgotten.
    said = [(each.action.name, each.arguments, each.how) for each in found.treatment]
    assert said == [
        ("forward", (), Taken(1)),
        ("look", (2,), Disabled(0)),
        ("look", (3,), Disabled(0)),
    ]


def test_the_report_says_it_below_the_loop():
    outcome = outcome_of(RING)
    text = report(outcome, outcome["Full"])
    assert (
        """
 4  forward  at=0
    loop back to the initial state
    fair to forward: taken in step 1
    fair to look(2), look(3): disabled in the initial state
"""
        in text
    )


def test_a_wide_loop_is_summed_up():
    text = RING.replace("s > 1", "s > 0").replace("N = 3", "N = 9")
    outcome = outcome_of(text)
    shown = report(outcome, outcome["Full"])
    assert "fair to look(1), look(2), look(3) and 6 more: disabled in the initial state" in shown


def test_fairness_per_some_arguments_names_them():
    text = RING.replace(
        "fair action look(s in Slot)", "fair per s action look(s in Slot, twice in bool)"
    )
    outcome = outcome_of(text)
    assert "fair to look(s = 2), look(s = 3): disabled" in report(outcome, outcome["Full"])


def test_what_stutters_is_fair_if_nothing_fair_is_enabled_there():
    text = RING.replace("fair action forward", "action forward")
    found = outcome_of(text)["Full"]
    assert found.trace is not None and found.trace.loop == len(found.trace.states) - 1
    assert found.treatment == ()


def test_a_strongly_fair_instance_must_be_taken():
    outcome = outcome_of(RING)
    found = outcome["Full"]
    # The same loop, were looking strongly fair, would starve it.
    strong = RING.replace("fair action look", "strongly fair action look")
    unfair = evolve(outcome_of(strong), found=(found,))
    with pytest.raises(UnfairLoop, match="unfair to `look`"):
        with_treatment(unfair)


def test_a_weakly_fair_instance_that_is_always_enabled_must_be_taken():
    model = outcome_of(RING).check.model
    start = (0, ())
    with pytest.raises(UnfairLoop, match="unfair to `forward`"):
        treatment(Semantics(model), Trace((start,), (), 0))


def test_an_unfair_loop_is_a_bug_of_ours(tmp_path, monkeypatch):
    path = tmp_path / "ring.model"
    path.write_text(RING, "utf-8")
    monkeypatch.setattr("modelcheck.core.treatment._taken", lambda model, trace: {})
    result = CliRunner().invoke(program, ["check", str(path)], standalone_mode=False)
    assert result.return_value == 70
    assert "UnfairLoop: the loop is unfair to `forward`" in result.stderr


@pytest.mark.parametrize("seed", range(60))
def test_random_lassos_are_fair_exactly_where_the_judge_of_the_tests_says_so(seed):
    chance = random.Random(seed)
    semantics = Semantics(model_of(random_graph(chance), []))
    fair = unfair = 0
    for _ in range(20):
        trace = random_lasso(semantics, chance)
        complaint = _unfair(semantics, trace)
        if complaint is None:
            fair += 1
            for each in treatment(semantics, trace):
                assert_true(semantics, trace, each)
        else:
            unfair += 1
            with pytest.raises(UnfairLoop):
                treatment(semantics, trace)
    assert fair + unfair == 20


def random_lasso(semantics, chance: random.Random) -> Trace:
    """A random run up to a state that was met before; or one that stays where it is."""
    initial = [state for state, failure in semantics.initial_states() if failure is None]
    states, steps = [chance.choice(initial)], []
    while chance.random() > 0.05:
        moves = [each for each in semantics.successors(states[-1]) if each.after is not None]
        if not moves:
            break
        move = chance.choice(moves)
        steps.append(Step(move.action, move.arguments, move.process, move.result))
        states.append(move.after)
        if move.after in states[:-1] and chance.random() < 0.5:
            return Trace(tuple(states), tuple(steps), states.index(move.after))
    return Trace(tuple(states), tuple(steps), len(states) - 1)


def assert_true(semantics, trace: Trace, each) -> None:
    """What is said of an instance is so in the step, or in the state, that it names."""
    match each.how:
        case Taken(step):
            taken = trace.steps[step - 1]
            asked = tuple(taken.arguments[i] for i in each.action.fairness.per)
            assert step > trace.loop
            assert (taken.action.name, asked) == (each.action.name, each.arguments)
            assert trace.states[step - 1] != trace.states[step]
        case Disabled(state):
            assert state >= trace.loop
            assert not any(
                (move.action.name, tuple(move.arguments[i] for i in each.action.fairness.per))
                == (each.action.name, each.arguments)
                and move.after not in (None, trace.states[state])
                for move in semantics.successors(trace.states[state])
            )
