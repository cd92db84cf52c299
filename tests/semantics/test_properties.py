"""Step properties, reachability, possibility, vacuity, expectations."""

from __future__ import annotations

from modelcheck.core.model import (
    AlwaysPossible,
    Event,
    ExpectHolds,
    ExpectProperty,
    Invariant,
    Liveness,
    Obligation,
    Reachable,
    StepProperty,
)
from modelcheck.core.outcome import Verdict
from modelcheck.core.terms import Compare, Forall, Implies, Next, Result, ReturnOperation
from modelcheck.core.types import INT

from .build import Building, add, binder, eq, less, lit, name, plus, put, read, run, to, when


def climber():
    """up(by) raises x by 1 or 2 as far as 4; a fault resets it."""
    b = Building("Climber")
    x = b.number("x", 0, 4)
    by = name("by")
    b.action("up", when(less(plus(read(x), by), 5)), add(x, by), choose=(binder("by", to(1, 2)),))
    b.action("fall", put(x, 0), fault=True)
    return b, x


def test_a_step_property_on_an_action_binds_its_arguments():
    b, x = climber()
    rises = StepProperty(
        "Rises", (Event("up", ("d",)),), (eq(Next(read(x)), plus(read(x), name("d"))),)
    )
    slow = StepProperty("Slow", (Event("up", ("d",)),), (less(name("d"), 2),))
    outcome = run(b.model(rises, slow, stops=lit(True)))
    assert outcome["Rises"].verdict is Verdict.HOLDS and outcome["Rises"].triggered
    assert outcome["Slow"].steps == 1
    assert [step.arguments for step in outcome["Slow"].trace.steps] == [(2,)]


def test_a_step_property_speaks_of_faults_and_of_steps_that_change_nothing():
    b, x = climber()
    never_down = StepProperty("NeverDown", None, (Compare(">=", (Next(read(x)),), (read(x),)),))
    changes = StepProperty("Changes", None, (less(read(x), Next(read(x))),))
    outcome = run(b.model(never_down, changes, stops=lit(True)))
    assert outcome["NeverDown"].steps == 2
    assert outcome["Changes"].steps == 1
    assert [step.action.name for step in outcome["Changes"].trace.steps] == ["fall"]


def test_a_property_of_the_result_is_for_steps_that_return():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("ask", when(eq(read(x), 0)), put(x, 1))
    b.action("answer", when(eq(read(x), 1)), put(x, 0), ReturnOperation(lit(7), lit(0)))
    every = (Event("ask", ()), Event("answer", ()))
    seven = StepProperty("Seven", every, (eq(Result(type=INT), 7),), reads_result=True)
    eight = StepProperty("Eight", None, (eq(Result(type=INT), 8),), reads_result=True)
    never = StepProperty("Never", (Event("ask", ()),), (eq(Result(type=INT), 8),), True)
    outcome = run(b.model(seven, eight, never))
    assert outcome["Seven"].verdict is Verdict.HOLDS
    assert outcome["Eight"].steps == 2
    assert outcome["Eight"].trace.steps[-1].result == (7,)
    assert outcome["Never"].verdict is Verdict.HOLDS and not outcome["Never"].triggered
    assert outcome["undefined"].verdict is Verdict.HOLDS


def test_reachable_shows_its_shortest_witness():
    b, x = climber()
    top, beyond = Reachable("Top", (eq(read(x), 4),)), Reachable("Beyond", (eq(read(x), 5),))
    outcome = run(b.model(top, beyond, stops=lit(True)))
    assert (outcome["Top"].verdict, outcome["Top"].steps) == (Verdict.HOLDS, 2)
    assert len(outcome["Top"].trace.steps) == 2
    assert (outcome["Beyond"].verdict, outcome["Beyond"].steps) == (Verdict.FAILS, None)


def test_what_only_a_fault_makes_possible_is_not_always_possible():
    b, x = climber()
    high = AlwaysPossible("High", (eq(read(x), 4),))
    three = AlwaysPossible("Three", (eq(read(x), 3),))
    outcome = run(b.model(high, three, stops=lit(True)))
    assert outcome["High"].verdict is Verdict.HOLDS
    assert (outcome["Three"].verdict, outcome["Three"].steps) == (Verdict.FAILS, 2)


# --- vacuity -----------------------------------------------------------------------


def test_an_implication_whose_left_side_never_holds_is_vacuous():
    b, x = climber()

    def whenever(title: str, value: int) -> Invariant:
        body = Implies(eq(read(x), name("v")), lit(True))
        return Invariant(title, (Forall((binder("v", to(value, value)),), body),))

    plain = Invariant("Plain", (less(read(x), 9),))
    outcome = run(b.model(whenever("Four", 4), whenever("Five", 5), plain, stops=lit(True)))
    assert [found.triggered for found in outcome.found[:3]] == [True, False, True]


def test_one_line_that_says_something_is_enough():
    b, x = climber()
    never = Implies(eq(read(x), 5), lit(True))
    outcome = run(b.model(Invariant("P", (never, less(read(x), 9))), stops=lit(True)))
    assert outcome["P"].triggered


def test_an_event_that_never_happens_is_vacuous():
    b, _ = climber()
    b.action("fly", when(lit(False)))
    outcome = run(b.model(StepProperty("P", (Event("fly", ()),), (lit(True),)), stops=lit(True)))
    assert outcome["P"].verdict is Verdict.HOLDS and not outcome["P"].triggered


def test_leads_to_without_its_premise_is_vacuous():
    b, x = climber()
    claim = Obligation("leads to", (), eq(read(x), 5), lit(True))
    outcome = run(b.model(Liveness("P", (claim,)), stops=lit(True)))
    assert outcome["P"].verdict is Verdict.HOLDS and not outcome["P"].triggered


# --- expectations ------------------------------------------------------------------


def test_fails_covers_both_ways_in_which_liveness_fails():
    b, x = climber()
    claim = Liveness("P", (Obligation("always eventually", (), None, eq(read(x), 0)),))
    model = b.model(claim, stops=lit(True))
    assert run(model, ExpectProperty("P", "fails")).as_expected
    assert run(model, ExpectProperty("P", "blocks", 1)).as_expected
    outcome = run(model, ExpectProperty("P", "livelocks"))
    assert outcome.unmet == ((ExpectProperty("P", "livelocks"), "P blocks in 1 step"),)


def test_holds_is_about_every_property():
    b, x = climber()
    model = b.model(Reachable("Five", (eq(read(x), 5),)), stops=lit(True))
    outcome = run(model)
    assert outcome.as_expected is False
    assert outcome.unmet == ((ExpectHolds(), "Five fails"),)
