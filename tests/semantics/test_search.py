"""Counts, limits, errors and deadlock, on models small enough to count by hand."""

from __future__ import annotations

import pytest

from modelcheck.core.model import (
    ExpectCount,
    ExpectError,
    ExpectProperty,
    Invariant,
    Reachable,
    StepProperty,
)
from modelcheck.core.outcome import Verdict
from modelcheck.core.replay import replay
from modelcheck.core.semantics import Semantics
from modelcheck.core.terms import Arithmetic, Bind, Next, Or, SeqOf, Values
from modelcheck.core.types import INT, Seq

from .build import (
    NODE,
    Building,
    add,
    binder,
    eq,
    less,
    lit,
    name,
    ne,
    place,
    plus,
    put,
    read,
    run,
    to,
    when,
)


def counter(last: int = 3, *, stops_at: int | None = None, **others):
    """x counts from 0 to `last`: as many steps, and one state more."""
    b = Building("Counter")
    x = b.number("x", 0, last)
    b.action("up", when(less(read(x), last)), add(x, 1))
    stops = None if stops_at is None else eq(read(x), stops_at)
    properties = others.pop("properties", lambda x: ())(x)
    constraint = others.pop("constraint", lambda x: None)(x)
    return b.model(*properties, stops=stops, constraint=constraint)


def test_a_counter_is_counted():
    outcome = run(counter(3, stops_at=3))
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (4, 4, 4)
    assert stats.enabled == (("up", 3),)
    assert outcome.complete and outcome.as_expected and outcome.verdict == "holds"


def test_no_initial_state_is_depth_zero():
    b = Building()
    x = b.number("x", 0, 1)
    outcome = run(b.model(init=(eq(read(x), 1),)))
    assert (outcome.stats.distinct, outcome.stats.generated, outcome.stats.depth) == (0, 0, 0)


def test_initial_states_are_all_choices_that_init_accepts():
    b = Building()
    x = b.variable(b.owner("s"), "x", INT, choice=to(0, 2))
    y = b.variable(b.owner("Node", NODE), "y", INT, choice=to(0, 1))
    model = b.model(init=(ne(read(x), read(y, lit(0))),))
    states = [state for state, _ in Semantics(model).initial_states()]
    assert states == [
        (0, (1, 0)), (0, (1, 1)), (1, (0, 0)), (1, (0, 1)),
        (2, (0, 0)), (2, (0, 1)), (2, (1, 0)), (2, (1, 1)),
    ]  # fmt: skip


def test_a_final_state_is_a_deadlock_unless_it_stops_there():
    outcome = run(counter(3), ExpectError("deadlock"))
    assert outcome.as_expected
    assert outcome["deadlock"].steps == 3
    assert len(outcome["deadlock"].trace.states) == 4
    assert run(counter(3)).as_expected is False
    assert run(counter(3, stops_at=2)).as_expected is False


def test_a_step_that_changes_nothing_does_not_end_a_deadlock():
    b = Building()
    b.number("x", 0, 1)
    b.action("idle")
    outcome = run(b.model())
    assert outcome["deadlock"].verdict is Verdict.FAILS
    assert outcome.stats.generated == 2


def test_a_fault_does_not_end_a_deadlock():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("break_down", put(x, 1), fault=True)
    assert run(b.model())["deadlock"].steps == 0


def test_deadlock_is_judged_only_where_the_check_cares():
    outcome = run(counter(3), ExpectCount("distinct", 4))
    assert outcome.as_expected
    assert all(found.kind != "deadlock" for found in outcome.found)


def test_a_bounded_fault_counts_in_the_state():
    b = Building()
    x = b.number("x", 0, 9)
    b.action("up", add(x, 1), fault=True, at_most=2)
    b.action("wait")
    model = b.model(stops=lit(True))
    outcome = run(model)
    assert outcome.stats.distinct == 3
    assert outcome.stats.enabled == (("up", 2), ("wait", 3))


def test_arguments_come_in_canonical_order_each_once():
    b = Building()
    line = b.variable(
        b.owner("s"), "line", Seq(INT, 3), SeqOf((lit(2), lit(1), lit(2)), type=Seq(INT, 3))
    )
    b.action("see", choose=(binder("v", Values(read(line))), binder("w", to(0, name("v")))))
    model = b.model(stops=lit(True))
    instances = list(Semantics(model).successors(((2, 1, 2),)))
    assert [each.arguments for each in instances] == [(2, 0), (2, 1), (2, 2), (1, 0), (1, 1)]


# --- the four errors ---------------------------------------------------------------


def test_a_step_out_of_range_is_reported_and_not_taken():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("up", add(x, 1))
    model = b.model()
    outcome = run(model, ExpectError("range"), keep_going=True)
    assert outcome.as_expected
    assert (outcome.stats.distinct, outcome.stats.generated) == (2, 3)
    found = outcome["range"]
    assert found.failure.reason == "`s.x` would become 2, outside 0..1"
    assert found.steps == len(found.trace.steps) == len(found.trace.states) == 2
    assert replay(model, found.trace) is None


def test_an_unlisted_error_is_never_as_expected():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("up", add(x, 1))
    outcome = run(b.model(), ExpectCount("distinct", 2))
    assert outcome.as_expected is False
    assert outcome.unmet == ()


def one_over(variable):
    return Arithmetic("div", lit(1), read(variable), type=INT)


def test_an_undefined_guard_is_reported_and_not_enabled():
    b = Building()
    x = b.number("x", 0, 1, 1)
    b.action("down", put(x, 0))
    b.action("try_it", when(eq(one_over(x), plus(name("k"), 1))), choose=(binder("k", to(0, 1)),))
    outcome = run(b.model(), ExpectError("undefined"), keep_going=True)
    found = outcome["undefined"]
    assert outcome.as_expected
    assert outcome.stats.enabled == (("down", 2), ("try_it", 1))
    assert (found.steps, len(found.trace.states)) == (1, 2)
    assert found.failure.reason == "`div` by 0"
    assert found.reason == "in a guard of `try_it(0)`"


def test_guards_stop_at_the_first_that_is_false():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("skip", when(ne(read(x), 0)), when(eq(one_over(x), 1)))
    assert run(b.model())["undefined"].verdict is Verdict.HOLDS


def test_a_let_between_guards_is_evaluated_in_its_place():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("skip", when(ne(read(x), 0)), Bind("y", one_over(x)), when(eq(name("y"), 1)))
    b.action("stumble", Bind("y", one_over(x)), when(eq(name("y"), 1)))
    outcome = run(b.model(), ExpectError("undefined"))
    assert outcome["undefined"].reason == "in a guard of `stumble`"


def test_a_let_after_the_guards_is_part_of_the_step():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("stumble", Bind("y", one_over(x)), put(x, name("y")))
    outcome = run(b.model(), ExpectError("undefined"))
    assert outcome.stats.enabled == (("stumble", 1),)
    assert len(outcome["undefined"].trace.steps) == 1


def test_a_property_without_a_value_is_undefined_and_undecided():
    def properties(x):
        return (Invariant("P", (eq(one_over(x), 1),)),)

    outcome = run(counter(1, stops_at=1, properties=properties))
    assert outcome["undefined"].reason == "in `P`"
    assert outcome["P"].verdict is Verdict.UNDECIDED
    assert outcome.as_expected is False


def test_an_init_without_a_value_is_undefined():
    b = Building()
    x = b.number("x", 0, 1)
    outcome = run(b.model(init=(eq(one_over(x), 1),)))
    assert (outcome["undefined"].steps, outcome["undefined"].reason) == (0, "in `init`")


# --- when the search ends ----------------------------------------------------------


def below(bound: int):
    return lambda x: (Invariant("Below", (less(read(x), bound),)),)


def test_the_search_ends_with_the_level_in_which_everything_listed_is_decided():
    model = counter(9, properties=below(3))
    outcome = run(model, ExpectProperty("Below", "fails", 3))
    assert outcome.as_expected
    assert not outcome.complete and outcome.limits == ()
    assert outcome.stats.distinct == 4
    assert run(model, ExpectProperty("Below", "fails"), keep_going=True).stats.distinct == 10


def test_a_check_that_expects_counts_searches_everything():
    model = counter(9, properties=below(3))
    outcome = run(model, ExpectProperty("Below", "fails"), ExpectCount("distinct", 10))
    assert outcome.as_expected and outcome.complete


def test_a_wrong_number_of_steps_is_not_as_expected():
    outcome = run(counter(9, properties=below(3)), ExpectProperty("Below", "fails", 4))
    assert outcome.as_expected is False
    assert outcome.unmet == ((ExpectProperty("Below", "fails", 4), "Below fails in 3 steps"),)


def test_a_state_limit_ends_at_a_level_with_true_counts():
    outcome = run(counter(9, stops_at=9, properties=below(20)), states=4)
    assert (outcome.stats.distinct, outcome.stats.depth) == (4, 4)
    assert outcome.limits == ("states: 4",)
    assert outcome.verdict == "unfinished" and outcome.as_expected is None
    assert outcome["Below"].verdict is Verdict.UNDECIDED


def test_a_depth_limit_counts_steps():
    outcome = run(counter(9, stops_at=9), depth=3)
    assert (outcome.stats.distinct, outcome.limits) == (4, ("depth: 3",))


def test_a_violation_found_before_a_limit_stays_found():
    outcome = run(counter(9, stops_at=9, properties=below(3)), states=5)
    assert outcome["Below"].verdict is Verdict.FAILS
    assert outcome.as_expected is False


def test_no_time_is_unfinished():
    outcome = run(counter(9, stops_at=9), seconds=-1.0)
    assert outcome.verdict == "unfinished" and outcome.limits == ("seconds: -1",)


def test_a_limit_that_is_not_met_is_no_limit():
    outcome = run(counter(3, stops_at=3), states=100, depth=100, seconds=100.0)
    assert outcome.complete and outcome.as_expected


def test_progress_is_told_and_an_interrupt_passes_through():
    from modelcheck.core.model import Check, ExpectHolds
    from modelcheck.core.referee import check

    def interrupt(stats):
        raise KeyboardInterrupt

    b = Building()
    x = b.number("x", 0, 30_000)
    b.action("up", when(less(read(x), 30_000)), add(x, 1))
    with pytest.raises(KeyboardInterrupt):
        check(Check("c", b.model(), (ExpectHolds(),)), progress=interrupt)


# --- constraint --------------------------------------------------------------------


def test_what_violates_the_constraint_is_judged_and_not_counted():
    def properties(x):
        return (
            Reachable("Four", (eq(read(x), 4),)),
            Reachable("Five", (eq(read(x), 5),)),
            StepProperty("ToThree", None, (less(Next(read(x)), 4),)),
        )

    model = counter(9, properties=properties, constraint=lambda x: less(read(x), 4))
    outcome = run(model, ExpectCount("distinct", 4))
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (4, 5, 4)
    assert outcome.complete
    assert outcome["Four"].steps == 4
    assert outcome["Five"].verdict is Verdict.FAILS
    assert outcome["ToThree"].steps == 4
    assert outcome.warnings == ("verdicts are for states within the constraint; it cut 1 state",)


def test_a_constraint_that_cuts_nothing_is_pointed_out():
    outcome = run(counter(3, stops_at=3, constraint=lambda x: less(read(x), 9)))
    assert outcome.warnings == ("the constraint cut nothing",)


# --- properties --------------------------------------------------------------------


def test_only_the_first_false_line_is_the_violated_part():
    lines = lit(True), lit(False), lit(False)
    outcome = run(counter(1, stops_at=1, properties=lambda x: (Invariant("P", lines),)))
    assert outcome["P"].part is lines[1]


def test_a_place_is_written_by_member():
    b = Building()
    y = b.variable(b.owner("Node", NODE), "y", INT, 0)
    n = name("n", NODE)
    b.action(
        "up", when(eq(read(y, n), 0)), put(place(y, n), 1), choose=(binder("n", NODE),), process=0
    )
    outcome = run(b.model(stops=Or((eq(read(y, lit(0)), 1), eq(read(y, lit(1)), 1)))))
    assert (outcome.stats.distinct, outcome.stats.generated) == (4, 5)
