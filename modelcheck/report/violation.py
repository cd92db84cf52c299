"""A violation: the property as the user wrote it, with the values its parts had.

violated[step]: NoLostUpdate, in step 9 of 9
   --> protocols/fencing/fenced_leader.model:101:3
    |
101 |   w.value == store.value + 1
    |   ^^^^^^^    ^^^^^^^^^^^^^^^
    |   1          2
    |
    = note: the step is accept(Write(n2, 2, 1))
    = reproduce: modelcheck trace fencing/fenced_leader read_before_fence NoLostUpdate
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attrs import evolve, frozen

from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import (
    AlwaysPossible,
    Invariant,
    Linearizable,
    Liveness,
    Model,
    Property,
    Reachable,
    Refinement,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import VIOLATED, Found, Outcome, Verdict
from modelcheck.core.semantics import Semantics
from modelcheck.core.terms import Term
from modelcheck.core.timeline import Timeline, timeline
from modelcheck.core.trace import Trace
from modelcheck.core.values import Value
from modelcheck.report.blame import Blame, blame, quoted
from modelcheck.report.disabled import why_disabled
from modelcheck.report.fair_loop import fair_loop
from modelcheck.report.lanes import margin_width, step_name, table
from modelcheck.report.obligation import broken_promise
from modelcheck.report.snippet import Mark, excerpt
from modelcheck.report.text import WIDTH, plural
from modelcheck.report.timeline import time_line, why_unplaced
from modelcheck.source import Span

_LONGEST_VALUE = 40  # a longer one is said in a note
_MOST_DISABLED = 6


@frozen
class Told:
    """What a violation's excerpt says."""

    headline: str
    at: Span | None = None
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    hanging: bool = False


def report(
    outcome: Outcome,
    found: Found,
    *,
    command: str = "",
    full: bool = False,
    width: int = WIDTH,
    with_trace: bool = True,
    notes: Sequence[str] = (),
    only: Collection[str] = (),
) -> str:
    """The trace of a finding, if it has one, then what it violates or shows; no line end.

    command     what shows it again, "" if nothing does
    with_trace  false if the trace stands above already, since another finding has the same
    notes       what else is to be said of a violation
    only        the lanes and variables of the trace to be shown; all if there are none
    """
    model = outcome.check.model
    parts = []
    if found.trace is not None and with_trace:
        abstract = _abstract(model, found.name)
        shown = table(model, found.trace, abstract=abstract, full=full, width=width, only=only)
        margin = " " * margin_width(found.trace)
        fair = [margin + each for each in fair_loop(found, max(width - len(margin), 20))]
        parts.append("\n".join([shown, *fair]))
    line = timeline_of(model, found)
    if line is not None:
        parts.append(time_line(line, width))
    if found.verdict in VIOLATED:
        parts.append(violation(model, found, command, width, notes))
    else:
        parts.append(_witness(found))
    return "\n\n".join(parts)


def timeline_of(model: Model, found: Found) -> Timeline | None:
    """The history that a violated claim has; None for other findings."""
    if found.trace is None or found.kind not in ("linearizable", "sequentially consistent"):
        return None
    claim = model.property(found.name)
    assert isinstance(claim, Linearizable | SequentiallyConsistent)
    return timeline(model, claim, found.trace)


def by_trace(findings: Sequence[Found]) -> list[list[Found]]:
    """The findings in their order, those that have one trace together."""
    groups: dict[object, list[Found]] = {}
    for number, found in enumerate(findings):
        trace = found.trace
        key: object = number
        if trace is not None:
            steps = tuple((step.action.name, step.arguments) for step in trace.steps)
            key = (trace.states, steps, trace.loop, trace.mapped)
        groups.setdefault(key, []).append(found)
    return list(groups.values())


def violation(
    model: Model,
    found: Found,
    command: str = "",
    width: int = WIDTH,
    notes: Sequence[str] = (),
    headline: str | None = None,
) -> str:
    """The excerpt of a violation, without its trace; `headline` replaces the usual one."""
    told = _told(model, found)
    footers = [("note", note) for note in told.notes]
    if found.reason:
        footers.append(("note", found.reason))
    footers += [("note", note) for note in notes]
    if command:
        footers.append(("reproduce", command))
    return excerpt(
        headline or told.headline,
        told.marks,
        footers,
        at=told.at,
        hanging=told.hanging,
        width=width,
    )


def _witness(found: Found) -> str:
    """Of a trace that shows no violation: what it is an example of."""
    if found.kind == "reachable" and found.steps is not None:
        return f"reachable: {found.name}, after {plural(found.steps, 'step')}"
    return f"{found.verdict.value}: {found.name}" + (f" ({found.reason})" if found.reason else "")


def _abstract(model: Model, name: str) -> Model | None:
    for each in model.properties:
        if isinstance(each, Refinement) and each.name == name:
            return each.abstract
    return None


def _told(model: Model, found: Found) -> Told:
    if found.kind == "deadlock":
        return _deadlock(model, found)
    if found.failure is not None:
        return _failure(found)
    try:
        prop = model.property(found.name)
    except KeyError:
        return Told(f"violated[{found.kind}]: {found.name}")
    told = _property(prop, found)
    line = timeline_of(model, found)
    return told if line is None else evolve(told, notes=(*told.notes, *why_unplaced(line)))


# --- properties ----------------------------------------------------------------------


def _property(prop: Property, found: Found) -> Told:
    kind = found.kind.replace(" ", "-")
    trace = found.trace
    whole = prop.span
    match prop:
        case Invariant(name, parts):
            headline = f"violated[{kind}]: {name}, {_after(trace)}"
            if trace is None:
                return _plain(headline, whole)
            return _with_values(headline, found, parts, Frame(trace.states[-1], {}), whole)
        case StepProperty(name, _, parts):
            headline = f"violated[{kind}]: {name}, {_in_step(trace)}"
            if trace is None or len(trace.states) != len(trace.steps) + 1:
                return _plain(headline, whole)
            frame = Frame(
                trace.states[-2],
                _event_names(prop, trace),
                trace.states[-1],
                trace.steps[-1].result,
            )
            told = _with_values(headline, found, parts, frame, whole)
            step = f"the step is {step_name(trace.steps[-1])}"
            return evolve(told, notes=(step, *told.notes))
        case Reachable(name, parts):
            return _plain(f"violated[{kind}]: {name}, in no state reached", _span_of(parts, whole))
        case AlwaysPossible(name, parts):
            headline = f"violated[{kind}]: {name}, out of reach {_after(trace)}"
            note = "no path of actions, faults excluded, leads from there to a state where it holds"
            return evolve(_plain(headline, _span_of(parts, whole)), notes=(note,))
        case Liveness(name):
            headline = f"violated[{kind}]: {name} {found.verdict.value}"
            marks, notes = broken_promise(prop, found)
            if found.verdict is Verdict.BLOCKS:
                headline += f" {_after(trace)}"
            at = marks[0].span if marks else None
            return Told(headline, at, marks, notes)
        case Refinement(name) if found.verdict is Verdict.LIVELOCKS:
            return _plain(f"violated[{kind}]: {name} livelocks", whole)
        case Refinement(name) if found.verdict is Verdict.BLOCKS:
            return _plain(f"violated[{kind}]: {name} blocks {_after(trace)}", whole)
        case Refinement(name):
            return _plain(f"violated[{kind}]: {name}, {_in_step(trace)}", whole)
        case _:
            return _plain(f"violated[{kind}]: {found.name}, {_after(trace)}", whole)


def _plain(headline: str, span: Span | None) -> Told:
    return Told(headline, span, () if span is None else (Mark(span),))


def _span_of(parts: tuple[Term, ...], otherwise: Span | None) -> Span | None:
    spans = [part.span for part in parts if part.span is not None]
    return spans[0].to(spans[-1]) if spans else otherwise


def _event_names(prop: StepProperty, trace: Trace) -> dict[str, Value]:
    step = trace.steps[-1]
    for event in prop.events or ():
        if event.action == step.action.name:
            pairs = zip(event.names, step.arguments, strict=True)
            return {name: value for name, value in pairs if name is not None}
    return {}


def _with_values(
    headline: str, found: Found, parts: tuple[Term, ...], frame: Frame, whole: Span | None
) -> Told:
    """The false part of a predicate, marked, with the values in it."""
    part = next((each for each in parts if each is found.part), None)
    try:
        if part is None:
            of = Meanings().of
            part = next(each for each in parts if not of(each)(frame))
        why = blame(part, frame)
    except (Failed, StopIteration):
        return _plain(headline, _span_of(parts, whole))
    return told_by(headline, why, whole)


def told_by(headline: str, why: Blame, whole: Span | None) -> Told:
    """The marks and notes that say why a predicate has the value that it has."""
    marks, notes = [], []
    if why.witnesses:
        notes.append("with " + ", ".join(f"{name} = {value}" for name, value in why.witnesses))
    for part in sorted(why.parts, key=lambda p: (p.span.start, p.span.end)):
        if len(part.value) <= _LONGEST_VALUE:
            marks.append(Mark(part.span, part.value))
        else:
            marks.append(Mark(part.span))
            notes.append(f"{quoted(part.span)} is {part.value}")
    notes += why.choices
    at = why.span or whole
    if not marks and at is not None:
        marks.append(Mark(at))
    for call in why.calls:
        if len(call.value) <= _LONGEST_VALUE:
            marks.append(Mark(call.span, call.value, primary=False))
        else:
            marks.append(Mark(call.span, primary=False))
            notes.append(f"{quoted(call.span)} has {call.value}")
    return Told(headline, at, tuple(marks), tuple(notes), hanging=True)


# --- deadlock and the four errors ----------------------------------------------------


def _deadlock(model: Model, found: Found) -> Told:
    headline = f"violated[deadlock]: no action can be taken {_after(found.trace)}"
    if found.trace is None:
        return Told(headline)
    # Faults do not count: the environment need not help.
    actions = [action for action in model.actions if not action.fault]
    state = found.trace.states[-1]
    semantics = Semantics(model)
    lines = [why_disabled(semantics, action, state) for action in actions[:_MOST_DISABLED]]
    left = len(actions) - len(lines)
    if left > 0:
        lines.append(f"and so on for {plural(left, 'more action')}")
    notes = tuple(lines)
    if model.stops is None:
        notes += ("if this is how it ends, the file says so with `stops when`",)
    return Told(headline, notes=notes)


def _failure(found: Found) -> Told:
    failure = found.failure
    assert failure is not None
    trace = found.trace
    taken = trace is None or len(trace.steps) < len(trace.states)
    where = _after(trace) if taken else _in_step(trace)
    headline = f"violated[{failure.kind}]: {failure.reason}, {where}"
    marks = [] if failure.span is None else [Mark(failure.span)]
    if failure.other is not None:
        marks.append(Mark(failure.other, "the other write", primary=False))
    notes: tuple[str, ...] = ()
    if not taken:
        assert trace is not None
        notes = (f"the step is {step_name(trace.steps[-1])}",)
    return Told(headline, failure.span, tuple(marks), notes)


# --- where in the trace --------------------------------------------------------------


def _after(trace: Trace | None) -> str:
    if trace is None or not trace.steps:
        return "in the initial state"
    return f"after step {len(trace.states) - 1}"


def _in_step(trace: Trace | None) -> str:
    if trace is None or not trace.steps:
        return "in the initial state"
    return f"in step {len(trace.steps)} of {len(trace.steps)}"
