"""What all checks of a file together say about it: actions and properties that never came up."""

from __future__ import annotations

from collections.abc import Sequence

from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Action
from modelcheck.core.outcome import Found, Outcome, Verdict
from modelcheck.core.terms import Guard
from modelcheck.diagnostics import Diagnostic, Label, Severity, listing
from modelcheck.report.snippet import one_line
from modelcheck.source import Span

_ENABLE_IT = "add a check that enables it, or remove the action"
_GO_ON = "a search ends when what its check lists is decided; `--keep-going` visits every state"


def file_warnings(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    """The warnings of a file all of whose checks ran, none stopped by a limit."""
    if not outcomes or any(outcome.limits for outcome in outcomes):
        return []
    found = [*_always_disabled(outcomes), *_vacuous(outcomes)]
    return sorted(found, key=lambda diagnostic: diagnostic.order)


def _always_disabled(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    enabled: dict[str, int] = {}
    for outcome in outcomes:
        for name, count in outcome.stats.enabled:
            enabled[name] = enabled.get(name, 0) + count
    # An early end is not proof: what was not visited may yet enable the action.
    everything = all(outcome.complete for outcome in outcomes)
    where = "reachable state" if everything else "state visited by any check"
    return [
        Diagnostic(
            "always-disabled",
            f"`{name}` is enabled in no {where}" + (" of any check" if everything else ""),
            _header(_action(outcomes[0], name)),
            notes=tuple(_false_guards(name, outcomes)),
            help=(_ENABLE_IT if everything else _GO_ON,),
            severity=Severity.WARNING,
        )
        for name, count in enabled.items()
        if count == 0
    ]


def _action(outcome: Outcome, name: str) -> Action | None:
    return next((a for a in outcome.check.model.actions if a.name == name), None)


def _header(declared: Action | None) -> Label | None:
    span = None if declared is None else declared.span
    return None if span is None else Label(one_line(span))


def _false_guards(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Guards that are false whatever the state is, and the checks in which they are."""
    checks_of: dict[str, list[str]] = {}
    for outcome in outcomes:
        action = _action(outcome, name)
        for statement in () if action is None else action.body:
            if isinstance(statement, Guard) and _is_false(statement):
                assert statement.condition.span is not None
                text = " ".join(statement.condition.span.text.split())
                checks_of.setdefault(text, []).append(outcome.check.name)
    return [f"its guard `{text}` is false in {listing(names)}" for text, names in checks_of.items()]


def _is_false(guard: Guard) -> bool:
    """Whether the guard is false without a look at a state or an argument."""
    if guard.condition.span is None:
        return False
    try:
        return not Meanings().of(guard.condition)(Frame((), {}))
    except (Failed, LookupError):  # it reads the state, which is empty here, or a name
        return False


def _vacuous(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    judged: dict[str, list[Found]] = {}
    for outcome in outcomes:
        for found in outcome.found:
            judged.setdefault(found.name, []).append(found)
    warnings = []
    for name, results in judged.items():
        holds = any(found.verdict is Verdict.HOLDS for found in results)
        if not holds or any(found.triggered for found in results):
            continue
        warnings.append(
            Diagnostic(
                "vacuous",
                f"`{name}` holds only because what it speaks of never comes up",
                _property_header(name, outcomes),
                notes=(_never(results[0]),),
                severity=Severity.WARNING,
            )
        )
    return warnings


def _never(found: Found) -> str:
    never = {
        "step": "no step that it judges is taken in any check",
        "liveness": "in no state of any check is its goal owed",
    }
    return never.get(found.kind, "its premise is true in no state of any check")


def _property_header(name: str, outcomes: Sequence[Outcome]) -> Label | None:
    for outcome in outcomes:
        for prop in outcome.check.model.properties:
            if prop.name == name and isinstance(prop.span, Span):
                return Label(one_line(prop.span))
    return None
