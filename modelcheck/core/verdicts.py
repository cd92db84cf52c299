"""From what a search has seen to one finding for each property and error."""

from __future__ import annotations

from typing import assert_never

from attrs import frozen

from modelcheck.core.conclude import NO_VALUE
from modelcheck.core.frame import Frame
from modelcheck.core.liveness import judge_liveness
from modelcheck.core.model import (
    ERROR_KINDS,
    AlwaysPossible,
    Claim,
    ErrorKind,
    Invariant,
    Linearizable,
    Liveness,
    Property,
    Reachable,
    Refinement,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import Found, FoundKind, Said, Verdict
from modelcheck.core.possible import judge_always_possible
from modelcheck.core.refinement import judge_refinement
from modelcheck.core.safety import first_violated, step_frame
from modelcheck.core.search import Exploration
from modelcheck.core.shortest import Path, shortest_path, trace_of
from modelcheck.core.trace import Trace
from modelcheck.core.vacuity import what_was_said


@frozen(eq=False)
class Case:
    """A search that has ended.

    why_open  why what was not found is not known to be absent; None if everything was searched
    """

    run: Exploration
    why_open: str | None

    def trace(self, path: Path) -> Trace:
        return trace_of(self.run.graph, path, self.run.semantics.model.actions)


def find_all(case: Case, *, deadlock: bool) -> tuple[Found, ...]:
    """A finding for every property, for deadlock if it is judged, and for the four errors."""
    found = [_of_property(case, each) for each in case.run.semantics.model.properties]
    if deadlock:
        found.append(_of_deadlock(case))
    # Last: judging the properties above may have come upon errors too.
    return (*found, *(_of_error(case, kind) for kind in ERROR_KINDS))


def _of_property(case: Case, each: Property) -> Found:
    match each:
        case Invariant():
            return _of_safety(case, each, "invariant")
        case StepProperty():
            return _of_safety(case, each, "step")
        case Reachable():
            return _of_reachable(case, each)
        case AlwaysPossible():
            return judge_always_possible(case.run, each, case.why_open)
        case Liveness():
            return judge_liveness(case.run, each, case.why_open)
        case Refinement():
            return judge_refinement(case.run, each, case.why_open)
        case Linearizable():
            return _of_claim(case, each, "linearizable")
        case SequentiallyConsistent():
            return _of_claim(case, each, "sequentially consistent")
        case _:
            assert_never(each)


def _of_safety(case: Case, each: Invariant | StepProperty, kind: FoundKind) -> Found:
    targets = case.run.safety.violated[each.name]
    said = what_was_said(case.run, each)
    if not targets:
        reason = NO_VALUE if each.name in case.run.safety.unclear else case.why_open
        verdict = Verdict.HOLDS if reason is None else Verdict.UNDECIDED
        return Found(each.name, kind, verdict, reason=reason, said=said)
    path = shortest_path(case.run.graph, targets)
    part = first_violated(each.parts, case.run.semantics, _frame_at_end(case, each, path))
    return Found(each.name, kind, Verdict.FAILS, targets.steps, case.trace(path), part, said=said)


def _of_claim(case: Case, each: Claim, kind: FoundKind) -> Found:
    targets, semantics = case.run.safety.violated[each.name], case.run.semantics
    assert semantics.tracker is not None, "a model with a claim has a history"
    claims = semantics.tracker.claims
    returned = any(claims[number].name == each.name for number in semantics.statements.returned)
    said = (Said(chosen=True, triggered=returned, needed=True),)
    if not targets:
        verdict = Verdict.HOLDS if case.why_open is None else Verdict.UNDECIDED
        return Found(each.name, kind, verdict, reason=case.why_open, said=said)
    trace = case.trace(shortest_path(case.run.graph, targets))
    return Found(each.name, kind, Verdict.FAILS, targets.steps, trace, said=said)


def _frame_at_end(case: Case, each: Invariant | StepProperty, path: Path) -> Frame:
    graph, actions = case.run.graph, case.run.semantics.model.actions
    if isinstance(each, Invariant):
        return Frame(graph.states[path.states[-1]], {})
    edge, name = path.edges[-1], actions[path.edges[-1].action].name
    event = next((e for e in each.events or () if e.action == name), None)
    return step_frame(graph.states[path.states[-2]], edge, graph.states[edge.target], event)


def _of_reachable(case: Case, each: Reachable) -> Found:
    targets = case.run.safety.witnessed[each.name]
    if targets:
        trace = case.trace(shortest_path(case.run.graph, targets))
        return Found(each.name, "reachable", Verdict.HOLDS, targets.steps, trace)
    reason = NO_VALUE if each.name in case.run.safety.unclear else case.why_open
    verdict = Verdict.FAILS if reason is None else Verdict.UNDECIDED
    return Found(each.name, "reachable", verdict, reason=reason)


def _of_deadlock(case: Case) -> Found:
    targets = case.run.safety.deadlocks
    if not targets:
        return _absent(case, "deadlock")
    trace = case.trace(shortest_path(case.run.graph, targets))
    return Found("deadlock", "deadlock", Verdict.FAILS, targets.steps, trace)


def _of_error(case: Case, kind: ErrorKind) -> Found:
    for state, failure in case.run.no_initial:
        if failure.kind == kind:
            trace, where = Trace((state,), ()), "in `init`"
            return Found(kind, kind, Verdict.FAILS, 0, trace, failure=failure, reason=where)
    targets = case.run.safety.errors.kinds[kind]
    if not targets:
        return _absent(case, kind)
    path = shortest_path(case.run.graph, targets)
    return Found(
        kind,
        kind,
        Verdict.FAILS,
        targets.steps,
        case.trace(path),
        failure=path.target.failure,
        reason=path.target.where,
    )


def _absent(case: Case, kind: FoundKind) -> Found:
    verdict = Verdict.HOLDS if case.why_open is None else Verdict.UNDECIDED
    return Found(kind, kind, verdict, reason=case.why_open)
