"""Refinement of models small enough to see through."""

from __future__ import annotations

from modelcheck.core.model import ExpectProperty, Initial, Liveness, Obligation, Refinement
from modelcheck.core.outcome import Verdict
from modelcheck.core.terms import Arithmetic, If
from modelcheck.core.types import INT, Range

from .build import (
    NODE,
    Building,
    add,
    binder,
    eq,
    less,
    lit,
    name,
    place,
    plus,
    put,
    read,
    run,
    to,
    when,
)  # fmt: skip


def clock(hours: int = 3, *, fair: bool = True):
    """hour goes round; it is often zero again."""
    b = Building("Clock")
    hour = b.number("hour", 0, hours - 1)
    goes_on = Arithmetic("mod", plus(read(hour), 1), lit(hours), type=INT)
    b.action("tick", put(hour, goes_on), fair="weak" if fair else None)
    often = Obligation("always eventually", (), None, eq(read(hour), 0))
    return b.model(Liveness("Midnight", (often,)))


def seconds(*, refines=None, skips=False, leaps=False, liveness=False, fair=True, start=0):
    """half counts half hours, and may leap a whole one or skip to the start."""
    b = Building("Halves")
    half = b.number("half", 0, 5, start)
    b.action(
        "half_tick", put(half, Arithmetic("mod", plus(read(half), 1), lit(6), type=INT)),
        fair="weak" if fair else None,
    )  # fmt: skip
    if leaps:
        b.action("leap", when(eq(read(half), 3)), put(half, 0))
    if skips:
        b.action("skip", when(eq(read(half), 0)), add(half, 2))
    seen = refines or Arithmetic("div", read(half), lit(2), type=INT)
    claim = Refinement("Clock", clock(), ((None, seen),), liveness)
    return b.model(claim)


def test_steps_of_the_abstract_model_and_unseen_ones_are_allowed():
    outcome = run(seconds(skips=True))
    assert outcome.as_expected, outcome.unmet


def test_a_step_that_the_abstract_model_does_not_have_is_shown():
    outcome = run(seconds(leaps=True), ExpectProperty("Clock", "fails", 4))
    found = outcome["Clock"]
    assert outcome.as_expected
    assert found.reason == "not a step of `Clock`"
    assert found.trace.mapped == ((0,), (0,), (1,), (1,), (0,))


def test_an_initial_state_must_be_seen_as_one():
    found = run(seconds(start=2))["Clock"]
    assert (found.verdict, found.steps) == (Verdict.FAILS, 0)
    assert found.reason == "not an initial state of `Clock`"
    assert found.trace.mapped == ((1,),)


def test_a_mapped_value_must_fit():
    b = Building("M")
    x = b.number("x", 0, 5)
    b.action("up", when(less(read(x), 5)), add(x, 1))
    found = run(b.model(Refinement("Clock", clock(), ((None, read(x)),))))["Clock"]
    assert (found.verdict, found.steps) == (Verdict.FAILS, 3)
    assert found.reason == "`s.hour` of `Clock` would be 3, outside 0..2"


def test_a_mapping_without_a_value_is_undefined():
    b = Building("M")
    x = b.number("x", 0, 1)
    seen = Arithmetic("div", lit(0), read(x), type=INT)
    outcome = run(b.model(Refinement("Clock", clock(), ((None, seen),))))
    assert outcome["Clock"].verdict is Verdict.UNDECIDED
    assert outcome["undefined"].reason == "in the mapping of `Clock`"


def test_the_abstract_liveness_is_claimed_only_if_asked():
    assert run(seconds(fair=False)).as_expected
    assert run(seconds(liveness=True)).as_expected
    found = run(seconds(fair=False, liveness=True))["Clock"]
    assert found.verdict is Verdict.LIVELOCKS
    assert found.reason == "`Clock.Midnight` livelocks"
    assert found.trace.mapped[-1] == (1,)


def test_the_abstract_budgets_do_not_count():
    b = Building("Abstract")
    x = b.number("x", 0, 9)
    b.action("jump", add(x, 1), fault=True, at_most=1)
    abstract = b.model()
    b = Building("Concrete")
    y = b.number("y", 0, 3)
    b.action("jump", when(less(read(y), 3)), add(y, 1))
    model = b.model(Refinement("Abstract", abstract, ((None, read(y)),)), stops=lit(True))
    assert run(model).as_expected


def test_members_are_mapped_one_by_one():
    def switches(title: str, on: int):
        b = Building(title)
        up = b.variable(b.owner("Node", NODE), "up", Range(0, on), choice=to(0, on))
        n = name("n", NODE)
        b.action(
            "flip", put(place(up, n), If(eq(read(up, n), 0), lit(on), lit(0), type=INT)),
            choose=(binder("n", NODE),), process=0,
        )  # fmt: skip
        return b, up

    (abstract, _), (concrete, up) = switches("Switches", 1), switches("Dimmers", 2)
    concrete.initial[0] = Initial(lit(0))
    m = name("m", NODE)
    bright = If(eq(read(up, m), 0), lit(0), lit(1), type=INT)
    claim = Refinement("Switches", abstract.model(), (("m", bright),))
    assert run(concrete.model(claim)).as_expected
