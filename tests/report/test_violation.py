"""A violation as a user sees it, from the line of the check down to the values."""

from __future__ import annotations

from attrs import evolve
from fenced_leader_by_hand import (
    ACTIONS,
    CHECK,
    MODEL,
    NO_LOST_UPDATE,
    NODE,
    SOURCE,
    STATES,
    TRACE,
    span,
)

from modelcheck.core.model import Action, Liveness, Obligation
from modelcheck.core.outcome import Failure, Found, Outcome, Stats, Verdict
from modelcheck.core.terms import Compare, Guard, Number, Read, Truth
from modelcheck.core.trace import Trace
from modelcheck.core.types import INT
from modelcheck.report.violation import report, violation
from modelcheck.source import Span

FOUND = Found("NoLostUpdate", "step", Verdict.FAILS, 10, TRACE)
STATS = Stats(4740, 22911, 41, ())


def test_a_step_property_shows_the_values_of_both_sides() -> None:
    assert violation(MODEL, FOUND, "modelcheck trace fenced_leader reused_token").splitlines() == [
        "violated[step]: NoLostUpdate, in step 10 of 10",
        " --> fenced_leader.model:2:3",
        "  |",
        "2 |   w.value == store.value + 1",
        "  |   ^^^^^^^    ^^^^^^^^^^^^^^^",
        "  |   1          2",
        "  |",
        "  = note: the step is accept(Write(n1, 1, 1))",
        "  = reproduce: modelcheck trace fenced_leader reused_token",
    ]


def test_the_report_is_the_trace_and_then_the_violation() -> None:
    outcome = Outcome(CHECK, STATS, False, (), (FOUND,), True)
    table, excerpt = report(outcome, FOUND).split("\n\n")
    assert table.startswith("     step  ")
    assert excerpt == violation(MODEL, FOUND)


def test_a_reached_state_is_no_violation() -> None:
    found = Found("TwoLeaders", "reachable", Verdict.HOLDS, 2, Trace(STATES[:3], TRACE.steps[:2]))
    outcome = Outcome(CHECK, STATS, True, (), (found,), True)
    assert report(outcome, found).endswith("\n\nreachable: TwoLeaders, after 2 steps")


def _guarded(name: str, *guards: Guard) -> Action:
    return evolve(ACTIONS[name], body=guards)


def test_a_deadlock_says_why_each_action_is_disabled() -> None:
    granted = Read(MODEL.variables[0], type=MODEL.variables[0].type, span=span("store.value"))
    bound = Compare("<", (granted,), (Number(1, type=INT),), span=span("store.value + 1"))
    stuck = evolve(
        MODEL,
        actions=(
            _guarded("acquire", Guard(Truth(True)), Guard(bound)),
            ACTIONS["accept"],
            ACTIONS["crash"],
        ),
    )
    trace = Trace(STATES[:2], TRACE.steps[:1])
    found = Found("deadlock", "deadlock", Verdict.FAILS, 1, trace)
    assert violation(stuck, found).splitlines() == [
        "violated[deadlock]: no action can be taken after step 1",
        "  = note: `acquire(n1)`: `store.value + 1` is false (`store.value` is 1)",
        "  = note: `accept`: there is no `w` to choose",
        "  = note: if this is how it ends, the file says so with `stops when`",
    ]


def test_an_error_shows_its_places_and_the_step_that_was_not_taken() -> None:
    places = (span("w.value"), span("store.value + 1"))
    failure = Failure("two-writes", "`w.value` is written twice", *places)
    trace = Trace(STATES[:2], TRACE.steps[:2])
    found = Found("two-writes", "two-writes", Verdict.FAILS, 2, trace, failure=failure)
    assert violation(MODEL, found).splitlines() == [
        "violated[two-writes]: `w.value` is written twice, in step 2 of 2",
        " --> fenced_leader.model:2:3",
        "  |",
        "2 |   w.value == store.value + 1",
        "  |   ^^^^^^^    --------------- the other write",
        "  |",
        "  = note: the step is take_over(n1)",
    ]


def test_liveness_says_what_was_owed_since_when_and_how_it_fails() -> None:
    premise = Truth(True, span=span("w.value"))
    goal = Truth(False, span=span("store.value + 1"))
    line = Span(SOURCE, premise.span.start, goal.span.end) if premise.span and goal.span else None
    owed = Obligation("leads to", (), premise, goal, span=line)
    prop = Liveness("Served", (owed,))
    model = evolve(MODEL, properties=(NO_LOST_UPDATE, prop))
    trace = Trace(STATES[:3], TRACE.steps[:2], loop=2)
    found = Found("Served", "liveness", Verdict.LIVELOCKS, 2, trace, binding=(("n", NODE, 1),))
    assert violation(model, found).splitlines() == [
        "violated[liveness]: Served livelocks",
        " --> fenced_leader.model:2:14",
        "  |",
        "2 |   w.value == store.value + 1",
        "  |   -------    ^^^^^^^^^^^^^^^ never holds after that",
        "  |   holds in the initial state",
        "  |",
        "  = note: with n = n2",
        "  = note: it livelocks: fairness asks for no step in the last state, so the run may stay",
    ]
    blocked = evolve(found, verdict=Verdict.BLOCKS, trace=evolve(trace, loop=None))
    assert violation(model, blocked).startswith("violated[liveness]: Served blocks after step 2\n")


def test_a_property_that_nothing_reaches_has_no_trace() -> None:
    found = Found("NoSuch", "reachable", Verdict.FAILS)
    assert violation(MODEL, found) == "violated[reachable]: NoSuch"
