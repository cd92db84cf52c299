"""Liveness on models small enough to see through."""

from __future__ import annotations

import pytest
from semantics.build import (
    NODE,
    Building,
    add,
    binder,
    eq,
    less,
    lit,
    minus,
    name,
    place,
    put,
    read,
    run,
    to,
    when,
)

from modelcheck.core.model import Liveness, Obligation
from modelcheck.core.outcome import Verdict
from modelcheck.core.replay import replay
from modelcheck.core.types import INT, Range

from .check_lasso import complaint


def claim(kind: str, goal, premise=None, binders=()) -> Liveness:
    return Liveness("P", (Obligation(kind, binders, premise, goal),))


def judged(model):
    found = run(model)["P"]
    if found.trace is not None:
        assert replay(model, found.trace) is None
        obligation = model.properties[0].obligations[0]
        assert complaint(model, obligation, found) is None
    return found


def walk(last: int, fair: str | None) -> Building:
    """x goes from 0 up to `last`, if it goes."""
    b = Building()
    x = b.number("x", 0, last)
    b.action("up", when(less(read(x), last)), add(x, 1), fair=fair)
    return b


def x_of(b: Building):
    return read(b.variables[0])


def test_stuttering_alone_violates_eventually_without_fairness():
    b = walk(3, None)
    found = judged(b.model(claim("eventually", eq(x_of(b), 3)), stops=lit(True)))
    assert (found.verdict, found.steps, found.trace.loop) == (Verdict.LIVELOCKS, 0, 0)


def test_a_fair_action_goes_on():
    b = walk(3, "weak")
    assert judged(b.model(claim("eventually", eq(x_of(b), 3)), stops=lit(True))).verdict is (
        Verdict.HOLDS
    )


def test_eventually_is_over_once_it_was_met():
    b = walk(3, "weak")
    assert judged(b.model(claim("eventually", eq(x_of(b), 1)))).verdict is Verdict.HOLDS
    found = judged(b.model(claim("always eventually", eq(x_of(b), 1))))
    assert (found.verdict, found.steps) == (Verdict.BLOCKS, 2)


def test_a_goal_that_no_path_reaches_blocks():
    b = walk(3, "weak")
    found = judged(b.model(claim("leads to", eq(x_of(b), 0), premise=eq(x_of(b), 2))))
    assert (found.verdict, found.steps, found.trace.loop) == (Verdict.BLOCKS, 2, 2)


def test_a_premise_that_meets_the_goal_owes_nothing():
    b = walk(3, None)
    found = judged(b.model(claim("leads to", less(x_of(b), 4), premise=eq(x_of(b), 2))))
    assert found.verdict is Verdict.HOLDS


def switch(fair_to_goal: str) -> Building:
    """x flickers between 0 and 1; from 1 it may go to 2 for good."""
    b = Building()
    x = b.number("x", 0, 2)
    b.action("on", when(eq(read(x), 0)), put(x, 1), fair="weak")
    b.action("off", when(eq(read(x), 1)), put(x, 0), fair="weak")
    b.action("out", when(eq(read(x), 1)), put(x, 2), fair=fair_to_goal)
    return b


def test_weak_fairness_may_be_dodged_by_flickering():
    b = switch("weak")
    found = judged(b.model(claim("eventually", eq(x_of(b), 2)), stops=lit(True)))
    assert (found.verdict, found.trace.loop, found.steps) == (Verdict.LIVELOCKS, 0, 1)
    assert [step.action.name for step in found.trace.steps] == ["on", "off"]


def test_strong_fairness_may_not():
    b = switch("strong")
    assert judged(b.model(claim("eventually", eq(x_of(b), 2)), stops=lit(True))).verdict is (
        Verdict.HOLDS
    )


def test_eventually_always_means_for_good():
    b = switch("strong")
    assert judged(b.model(claim("eventually always", eq(x_of(b), 2)))).verdict is Verdict.HOLDS
    b = switch("weak")
    found = judged(b.model(claim("eventually always", less(0, x_of(b)))))
    assert found.verdict is Verdict.LIVELOCKS


def test_eventually_always_blocks_where_nothing_can_keep_it():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("on", when(eq(read(x), 0)), put(x, 1), fair="weak")
    b.action("off", when(eq(read(x), 1)), put(x, 0), fair="weak")
    found = judged(b.model(claim("eventually always", eq(read(x), 1))))
    assert (found.verdict, found.steps) == (Verdict.BLOCKS, 0)


def test_a_fault_that_never_ends_keeps_a_fair_run_away():
    b = Building()
    x = b.number("x", 0, 2)
    b.action("up", when(eq(read(x), 0)), put(x, 1), fair="weak")
    b.action("arrive", when(eq(read(x), 1)), put(x, 2), fair="weak")
    b.action("fall", when(eq(read(x), 1)), put(x, 0), fault=True)
    found = judged(b.model(claim("eventually", eq(read(x), 2)), stops=lit(True)))
    assert found.verdict is Verdict.LIVELOCKS


def test_a_bounded_fault_ends():
    b = Building()
    x = b.number("x", 0, 2)
    b.action("up", when(eq(read(x), 0)), put(x, 1), fair="weak")
    b.action("arrive", when(eq(read(x), 1)), put(x, 2), fair="weak")
    b.action("fall", when(eq(read(x), 1)), put(x, 0), fault=True, at_most=2)
    assert judged(b.model(claim("eventually", eq(read(x), 2)), stops=lit(True))).verdict is (
        Verdict.HOLDS
    )


def test_a_way_that_only_a_fault_opens_is_none():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("save", put(x, 1), fault=True)
    found = judged(b.model(claim("eventually", eq(read(x), 1)), stops=lit(True)))
    assert (found.verdict, found.steps) == (Verdict.BLOCKS, 0)


def test_an_action_that_changes_nothing_is_not_owed():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("idle", fair="strong")
    b.action("up", when(eq(read(x), 0)), put(x, 1))
    found = judged(b.model(claim("eventually", eq(read(x), 1))))
    assert (found.verdict, found.trace.loop) == (Verdict.LIVELOCKS, 0)


@pytest.mark.parametrize("per, verdict", [((0,), Verdict.HOLDS), ((), Verdict.LIVELOCKS)])
def test_fairness_is_asked_for_the_listed_arguments(per, verdict):
    """Each node turns in place for ever; to be fair to both is more than to be fair to one."""
    b = Building()
    turns = b.variable(b.owner("Node", NODE), "turn", Range(0, 1), 0)
    n = name("n", NODE)
    here = place(turns, n)
    b.action(
        "turn",
        put(here, minus(1, read(turns, n))),
        choose=(binder("n", NODE),),
        fair="weak",
        per=per,
        process=0,
    )
    last = read(turns, lit(1))
    assert judged(b.model(claim("eventually", eq(last, 1)))).verdict is verdict


def test_an_obligation_is_judged_for_every_choice_of_its_binders():
    b = walk(3, "weak")
    k = name("k")
    found = judged(
        b.model(
            claim("eventually", eq(x_of(b), k), binders=(binder("k", to(0, 4)),)), stops=lit(True)
        )
    )
    assert found.verdict is Verdict.BLOCKS
    assert found.binding == (("k", INT, 4),)


def test_several_lines_name_the_one_that_breaks():
    b = walk(3, "weak")
    good = Obligation("eventually", (), None, eq(x_of(b), 3))
    bad = Obligation("eventually", (), None, eq(x_of(b), 4))
    found = run(b.model(Liveness("P", (good, bad)), stops=lit(True)))["P"]
    assert found.part is bad


def test_a_step_that_cannot_be_taken_leads_nowhere():
    b = Building()
    x = b.number("x", 0, 1)
    b.action("up", add(x, 2), fair="weak")
    assert run(b.model(claim("eventually", eq(read(x), 1))))["P"].verdict is Verdict.BLOCKS


def test_liveness_is_left_open_under_a_constraint():
    b = walk(3, "weak")
    model = b.model(claim("eventually", eq(x_of(b), 3)), constraint=less(x_of(b), 2))
    assert run(model)["P"].verdict is Verdict.UNDECIDED
