"""What holds for a reason that says nothing: vacuously, or for want of faults.

All checks of a file are looked at together: a line that one of them gives
something to say is not vacuous.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import assert_never

from attrs import evolve, frozen

from modelcheck.core.antecedent import Line, lines_of
from modelcheck.core.model import (
    Action,
    Linearizable,
    Liveness,
    Property,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import VIOLATED, Found, Outcome, Said, Vacuity, Verdict
from modelcheck.core.terms import Exists, Let, Term
from modelcheck.diagnostics import Diagnostic, Label, Severity, listing
from modelcheck.report.lint import always_disabled
from modelcheck.report.snippet import one_line
from modelcheck.source import Span

_SILENT = (Vacuity.NOTHING_TO_CHOOSE, Vacuity.NEVER_TRIGGERED)
"""Why a line says nothing at all."""


def file_warnings(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    """What never came up in any of the checks; nothing is said if a limit has stopped one."""
    if not outcomes or any(outcome.limits for outcome in outcomes):
        return []
    faults = _withheld(outcomes)
    found = [
        *always_disabled(outcomes, {action.name for action in faults}),
        *_vacuous(outcomes),
        *_without_faults(faults),
        *_cuts_nothing(outcomes),
    ]
    return sorted(found, key=lambda diagnostic: diagnostic.order)


def as_error(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic where what is vacuous is not let pass."""
    return evolve(diagnostic, severity=Severity.ERROR)


# --- lines of properties -------------------------------------------------------------


@frozen
class _Silent:
    """The lines of a property that are vacuous for the same reason.

    whole  whether no other line of the property says anything
    """

    prop: Property
    lines: tuple[Line, ...]
    whole: bool


def _vacuous(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    warnings = []
    for prop in outcomes[0].check.model.properties:
        said = _said([each for outcome in outcomes for each in outcome.found], prop)
        if said is None:
            continue
        lines = lines_of(prop)
        reasons = [each.vacuity for each in said]
        for reason in Vacuity:
            these = tuple(line for line, why in zip(lines, reasons, strict=True) if why is reason)
            if these:
                whole = all(why in _SILENT for why in reasons) or len(lines) == len(these)
                warnings.append(_warning(_Silent(prop, these, whole), reason))
    return warnings


def _said(found: Sequence[Found], prop: Property) -> tuple[Said, ...] | None:
    """What came up of each line in any check; None if it holds in none, or that is not known."""
    results = [each for each in found if each.name == prop.name]
    known = [each.said for each in results if each.said]
    unknown = any(each.verdict in VIOLATED and not each.said for each in results)
    holds = any(each.verdict is Verdict.HOLDS for each in results)
    if not holds or unknown or not known:
        return None
    return tuple(reduce(or_, column) for column in zip(*known, strict=True))


def _warning(silent: _Silent, reason: Vacuity) -> Diagnostic:
    match reason:
        case Vacuity.NOTHING_TO_CHOOSE:
            return _nothing_to_choose(silent)
        case Vacuity.NEVER_TRIGGERED:
            return _never_triggered(silent)
        case Vacuity.CONDITION_NOT_NEEDED:
            return _not_needed(silent)
        case _:
            assert_never(reason)


def _nothing_to_choose(silent: _Silent) -> Diagnostic:
    names = list(dict.fromkeys(name for line in silent.lines for name in _chosen(line.chosen)))
    spans = [line.span for line in silent.lines]
    return Diagnostic(
        "vacuous",
        f"{_what(silent)} only because there is never {_a(names)} to choose",
        _first(spans, silent.prop),
        _rest(spans),
        notes=("what it goes through is empty in every state of every check",),
        severity=Severity.WARNING,
    )


def _chosen(term: Term | None) -> list[str]:
    """The names of the outermost quantifier."""
    match term:
        case Exists(binders):
            return [binder.name for binder in binders]
        case Let(_, _, body):
            return _chosen(body)
        case _:
            return []


def _a(names: Sequence[str]) -> str:
    return f"a {listing(names, 'or')}" if names else "anything"


def _never_triggered(silent: _Silent) -> Diagnostic:
    spans = [line.condition for line in silent.lines if line.triggered is not None]
    never = {
        StepProperty: "no step that it judges is taken in any check",
        Liveness: "in no state of any check is its goal owed",
        Linearizable: "none of its operations returns in any check",
        SequentiallyConsistent: "none of its operations returns in any check",
    }
    note = never.get(type(silent.prop), "its condition is true in no state of any check")
    if isinstance(silent.prop, StepProperty) and len(spans) == len(silent.lines):
        note = "its condition is true of no step of any check"
    return Diagnostic(
        "vacuous",
        f"{_what(silent)} only because what it speaks of never comes up",
        _first(spans, silent.prop),
        _rest(spans),
        notes=(note,),
        severity=Severity.WARNING,
    )


def _not_needed(silent: _Silent) -> Diagnostic:
    spans = [line.condition or line.span for line in silent.lines]
    where = "of every step" if isinstance(silent.prop, StepProperty) else "in every state"
    if isinstance(silent.prop, Liveness):
        headline = f"{_what(silent)} because its goal is never missed"
        note = "the goal is true in every state of every check"
        help_ = "an invariant says more, and is cheaper"
    else:
        headline = f"{_what(silent)} whether or not its condition does"
        note = f"what the condition leads to is true {where} of every check"
        help_ = "leave the condition out, or add a check in which it matters"
    return Diagnostic(
        "condition-not-needed",
        headline,
        _first(spans, silent.prop),
        _rest(spans),
        notes=(note,),
        help=(help_,),
        severity=Severity.WARNING,
    )


def _what(silent: _Silent) -> str:
    name = silent.prop.name
    if silent.whole:
        return f"`{name}` holds"
    count = len(silent.lines)
    return f"a line of `{name}` holds" if count == 1 else f"{count} lines of `{name}` hold"


def _first(spans: Sequence[Span | None], prop: Property) -> Label | None:
    """The first place that is known, or else the head of the property."""
    known = [span for span in spans if span is not None]
    if known:
        return Label(one_line(known[0]))
    return Label(one_line(prop.span)) if isinstance(prop.span, Span) else None


def _rest(spans: Sequence[Span | None]) -> tuple[Label, ...]:
    return tuple(Label(one_line(span)) for span in spans[1:] if span is not None)


# --- for want of faults --------------------------------------------------------------


def _withheld(outcomes: Sequence[Outcome]) -> list[Action]:
    """The faults of the file, if every check sets the budgets of all of them to none."""
    budgets = [
        action.at_most for outcome in outcomes for action in outcome.check.model.actions
        if action.fault
    ]  # fmt: skip
    if any(budget != 0 for budget in budgets):
        return []
    return [action for action in outcomes[0].check.model.actions if action.fault]


def _without_faults(faults: Sequence[Action]) -> list[Diagnostic]:
    """That what holds may hold only for want of faults: once for a file, and not per property."""
    if not faults:
        return []
    spans = [action.span for action in faults]
    known = [span for span in spans if span is not None]
    return [
        Diagnostic(
            "without-faults",
            "no check lets a fault happen",
            Label(one_line(known[0])) if known else None,
            _rest(known),
            notes=(
                "in every check the budget of every fault is none",
                "what holds may hold only for want of faults",
            ),
            help=("add a check in which faults happen, or remove them from the file",),
            severity=Severity.WARNING,
        )
    ]


# --- the constraint ------------------------------------------------------------------


def _cuts_nothing(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    """That a constraint is true in every state of every check: perhaps it is misspelt."""
    constraint = outcomes[0].check.model.constraint
    complete = all(outcome.complete for outcome in outcomes)
    if constraint is None or not complete or any(outcome.outside for outcome in outcomes):
        return []
    return [
        Diagnostic(
            "constraint-cuts-nothing",
            "the constraint is true in every state of every check",
            None if constraint.span is None else Label(one_line(constraint.span)),
            help=("leave it out: without it liveness can be judged too",),
            severity=Severity.WARNING,
        )
    ]
