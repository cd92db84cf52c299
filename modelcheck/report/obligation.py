"""A broken temporal promise: what was owed since when, and why it never comes."""

from __future__ import annotations

from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Liveness, Obligation
from modelcheck.core.outcome import Found, Verdict
from modelcheck.core.terms import Term
from modelcheck.core.trace import Trace
from modelcheck.core.values import State, Value, show
from modelcheck.report.snippet import Mark
from modelcheck.report.text import visible


def broken_promise(prop: Liveness, found: Found) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """Marks on the obligation and notes about the run."""
    owed = _obligation(prop, found)
    notes = []
    bound = ", ".join(f"{name} = {visible(show(t, value))}" for name, t, value in found.binding)
    if bound:
        notes.append(f"with {bound}")
    notes.append(_manner(found))
    if owed is None:
        marks = () if prop.span is None else (Mark(prop.span),)
        return marks, tuple(notes)
    return _marks(owed, found), tuple(notes)


def _obligation(prop: Liveness, found: Found) -> Obligation | None:
    """The obligation that is broken: the one found, or the only one."""
    for each in prop.obligations:
        if found.part is not None and found.part.span == each.span:
            return each
    return prop.obligations[0] if len(prop.obligations) == 1 else None


def _manner(found: Found) -> str:
    trace = found.trace
    if found.verdict is Verdict.BLOCKS:
        return "it blocks: no path of actions, faults excluded, leads from there to the goal"
    if trace is not None and trace.loop == len(trace.states) - 1:
        return "it livelocks: fairness asks for no step in the last state, so the run may stay"
    return "it livelocks: the goal stays within reach, and this fair run never takes the way to it"


def _marks(owed: Obligation, found: Found) -> tuple[Mark, ...]:
    goal = owed.goal.span
    if goal is None:
        return () if owed.span is None else (Mark(owed.span),)
    never = {
        "leads to": "never holds after that",
        "always eventually": "holds no more from some point on",
        "eventually": "never holds",
        "eventually always": "never holds for good",
    }
    marks = [Mark(goal, never[owed.kind])]
    if owed.premise is not None and owed.premise.span is not None:
        marks.append(Mark(owed.premise.span, _since(owed, found), primary=False))
    return tuple(marks)


def _since(owed: Obligation, found: Found) -> str:
    """From which state on the goal of a `~>` is owed."""
    trace = found.trace
    assert owed.premise is not None
    if trace is None:
        return ""
    names = {name: value for name, _, value in found.binding}
    last_goal = max(
        (i for i, s in enumerate(trace.states) if _holds(owed.goal, s, names)), default=-1
    )
    since = _first_after(owed.premise, trace, last_goal, names)
    if since is None:
        return ""
    return "holds in the initial state" if since == 0 else f"holds after step {since}"


def _first_after(premise: Term, trace: Trace, index: int, names: dict[str, Value]) -> int | None:
    later = range(index + 1, len(trace.states))
    return next((i for i in later if _holds(premise, trace.states[i], names)), None)


def _holds(term: Term, state: State, names: dict[str, Value]) -> bool:
    try:
        return bool(Meanings().of(term)(Frame(state, dict(names))))
    except Failed:
        return False
