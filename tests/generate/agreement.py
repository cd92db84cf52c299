"""Whether an outcome is right, as far as a plain search and the semantics can say."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from modelcheck.core import referee
from modelcheck.core.frame import Failed
from modelcheck.core.model import (
    ERROR_KINDS,
    AlwaysPossible,
    Check,
    ExpectError,
    ExpectHolds,
    Invariant,
    Liveness,
    Reachable,
    Refinement,
    StepProperty,
)
from modelcheck.core.outcome import Found, Outcome, Verdict
from modelcheck.core.replay import replay

from .plain import Nearest, nearest

# The tests are no package; this one is run as a program, too.
_LASSO = "tests.liveness.check_lasso" if __package__ == "tests.generate" else "liveness.check_lasso"
complaint = import_module(_LASSO).complaint

_PLAIN = (Invariant, StepProperty, Reachable)
_ON_THE_GRAPH = (Liveness, AlwaysPossible, Refinement)
"""Judging these may come upon errors that a plain search does not see."""


def complaints(check: Check) -> Iterator[str]:
    """What is wrong with the referee's outcomes of the check: nothing, it is to be hoped."""
    whole, plain = referee.check(check, keep_going=True), nearest(check)
    yield from _counts(whole, plain)
    yield from _properties(whole, plain)
    yield from _errors(whole, plain)
    yield from _traces(whole)
    yield from _early(referee.check(check), whole)


def _counts(outcome: Outcome, plain: Nearest) -> Iterator[str]:
    stats = outcome.stats
    counts = (stats.distinct, stats.generated, stats.depth)
    if counts != (plain.distinct, plain.generated, plain.depth):
        yield f"counts {counts}, plainly {plain.distinct, plain.generated, plain.depth}"


def _properties(outcome: Outcome, plain: Nearest) -> Iterator[str]:
    for each in outcome.check.model.properties:
        if not isinstance(each, _PLAIN):
            continue
        found, steps = outcome[each.name], plain.found.get(each.name)
        wanted = Verdict.FAILS if steps is not None else Verdict.HOLDS
        if isinstance(each, Reachable):
            wanted = Verdict.HOLDS if steps is not None else Verdict.FAILS
        if steps is None and each.name in plain.unclear:
            wanted = Verdict.UNDECIDED
        if found.verdict is not wanted:
            yield f"`{each.name}` {found.verdict.value}, plainly {wanted.value}"
        elif found.steps != steps:
            yield f"`{each.name}` in {found.steps} steps, plainly in {steps}"


def _errors(outcome: Outcome, plain: Nearest) -> Iterator[str]:
    graph = any(isinstance(each, _ON_THE_GRAPH) for each in outcome.check.model.properties)
    names = [*ERROR_KINDS]
    if any(e in (ExpectHolds(), ExpectError("deadlock")) for e in outcome.check.expectations):
        names.append("deadlock")  # type: ignore[arg-type]
    for name in names:
        found, steps = outcome[name], plain.found.get(name)
        if steps is None and found.verdict is Verdict.FAILS and not graph:
            yield f"{name} after {found.steps} steps, plainly never"
        if steps is not None and (found.steps is None or found.steps > steps):
            yield f"{name} after {found.steps} steps, plainly after {steps}"
        if steps is not None and not graph and found.steps != steps:
            yield f"{name} after {found.steps} steps, plainly after {steps}"


def _traces(outcome: Outcome) -> Iterator[str]:
    model = outcome.check.model
    for found in outcome.found:
        if found.trace is None:
            continue
        wrong = replay(model, found.trace)
        if wrong is not None:
            yield f"the trace of `{found.name}`: {wrong}"
        wrong = _lasso(outcome, found)
        if wrong is not None:
            yield f"the lasso of `{found.name}`: {wrong}"


def _lasso(outcome: Outcome, found: Found) -> str | None:
    if found.kind != "liveness":
        finite = found.trace is not None and found.trace.loop is None
        if finite and found.trace is not None and found.steps != len(found.trace.steps):
            return f"{len(found.trace.steps)} steps, not {found.steps}"
        return None
    each = outcome.check.model.property(found.name)
    assert isinstance(each, Liveness)
    obligation = each.obligations[0] if found.part is None else found.part
    try:
        wrong: str | None = complaint(outcome.check.model, obligation, found)
        return wrong
    except Failed as failed:
        return f"undefined in the lasso: {failed.failure.reason}"


def _early(early: Outcome, whole: Outcome) -> Iterator[str]:
    """A search that may end when all is decided comes to what a whole search does."""
    if early.as_expected is not whole.as_expected:
        # What the check does not list may be found by the whole search only.
        unlisted = [f for f in whole.found if f.kind in ERROR_KINDS and f.verdict is Verdict.FAILS]
        if not (early.as_expected and unlisted and not early.complete):
            yield f"as expected: {early.as_expected}, after a whole search {whole.as_expected}"
    for found in early.found:
        if found.verdict not in (Verdict.UNDECIDED, whole[found.name].verdict):
            yield f"`{found.name}` {found.verdict.value}, after a whole search otherwise"
