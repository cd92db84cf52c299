"""Joins the engines: the native one searches; the referee takes what has no machine code.

Invariants, step properties, `reachable`, deadlock and the four errors come from
the native search, `always possible`, `refines` and liveness from native passes
over the states that it has found.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from modelcheck.compile.layout import Unsupported
from modelcheck.compile.lower.claims import Names
from modelcheck.core import referee
from modelcheck.core.choices import choices
from modelcheck.core.conclude import conclude
from modelcheck.core.frame import Frame
from modelcheck.core.limits import Limits
from modelcheck.core.model import ERROR_KINDS, Check, Model, Obligation, Refinement
from modelcheck.core.obligations import Binding
from modelcheck.core.outcome import Found, Outcome
from modelcheck.core.progress import Progress
from modelcheck.core.refinement import map_state, mapped_misfit
from modelcheck.core.semantics import Semantics
from modelcheck.explore.engine import Run, Settings
from modelcheck.explore.judge import Judge, Late


def native(
    check: Check,
    limits: Limits,
    settings: Settings,
    progress: Progress | None = None,
) -> Outcome:
    """The outcome, by the native engine; by the referee, with a warning, where it cannot."""
    try:
        run = Run(check, limits, settings, progress)
        return _outcome(run)
    except Unsupported as unsupported:
        outcome = referee.check(check, limits, settings.keep_going, progress)
        warning = f"searched by the slow engine: the fast one cannot take {unsupported.what}"
        return evolve(outcome, warnings=(*outcome.warnings, warning))


def _outcome(run: Run) -> Outcome:
    found = list(_all_found(run))
    explored = run.explored
    return conclude(
        run.check,
        tuple(found),
        run.stats,
        complete=explored.complete,
        limits=explored.limits,
        outside=explored.counts.outside,
    )


def _all_found(run: Run) -> Iterator[Found]:
    """For every property, for deadlock if it is judged, and for the errors."""
    answers = run.found()
    judge = Judge(run, _choices) if None in answers else None
    for each, answer in zip(run.model.properties, answers, strict=True):
        if answer is not None:
            yield answer
        else:
            assert judge is not None
            late = judge.found[each.name]
            yield _told(run, each, late) if isinstance(each, Refinement) else late.found
    deadlock = run.deadlock()
    if deadlock is not None:
        yield deadlock
    for kind in ERROR_KINDS:
        yield run.error(kind) if judge is None else judge.error(kind)


def _choices(each: Obligation, model: Model) -> Iterator[tuple[Binding, Names]]:
    """The choices of an obligation's binders."""
    nowhere = Frame((), {})
    types = {b.name: b.type for b in each.binders}
    types |= {name: term.type for b in each.binders for name, term in b.lets}
    for _ in choices(each.binders, Semantics(model).meanings.of)(nowhere):
        names = {name: (types[name], value) for name, value in nowhere.names.items()}
        yield tuple((b.name, b.type, nowhere.names[b.name]) for b in each.binders), names


def _told(run: Run, each: Refinement, late: Late) -> Found:
    """With the trace's states as mapped, and what is wrong with the last of them."""
    found, name = late.found, each.abstract.name
    if found.trace is None:
        return found
    semantics = Semantics(run.model)
    mapped = tuple(map_state(semantics, each, state) for state in found.trace.states)
    found = evolve(found, trace=evolve(found.trace, mapped=mapped))
    if late.last is None:
        return found
    reason = f"not a step of `{name}`"
    if late.last == "state":
        reason = mapped_misfit(each.abstract, mapped[-1]) or f"not an initial state of `{name}`"
    return evolve(found, reason=reason)
