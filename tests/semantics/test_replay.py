"""A trace is accepted exactly if it is a run."""

from __future__ import annotations

from attrs import evolve

from modelcheck.core.model import ExpectProperty
from modelcheck.core.replay import replay

from .build import run
from .fenced_leader import fenced_leader

MODEL = fenced_leader(fence_on_takeover=False)
TRACE = run(MODEL, ExpectProperty("NoLostUpdate", "fails"))["NoLostUpdate"].trace


def test_what_the_search_found_replays():
    assert replay(MODEL, TRACE) is None


def test_a_step_that_is_not_enabled_is_named():
    steps = (TRACE.steps[1], *TRACE.steps[1:])
    assert replay(MODEL, evolve(TRACE, steps=steps)) == "step 1, `take_over`, is not enabled"


def test_a_step_that_leads_elsewhere_is_named():
    states = (TRACE.states[0], TRACE.states[0], *TRACE.states[2:])
    assert replay(MODEL, evolve(TRACE, states=states)) == "step 1, `acquire`, leads elsewhere"


def test_a_trace_begins_in_an_initial_state():
    states = (TRACE.states[1], *TRACE.states[1:])
    assert replay(MODEL, evolve(TRACE, states=states)) == "its first state is not an initial one"


def test_a_loop_returns_to_where_it_began():
    assert replay(MODEL, evolve(TRACE, loop=len(TRACE.states) - 1)) is None
    assert replay(MODEL, evolve(TRACE, loop=0)) is not None


def test_the_fixed_model_does_not_have_the_run_of_the_broken_one():
    assert replay(fenced_leader(), TRACE) is not None
