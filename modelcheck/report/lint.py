"""What is odd about the actions of a file: never enabled in any check, or none of them fair."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from modelcheck.core.conclude import without_fairness
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Action, Check, ExpectProperty
from modelcheck.core.outcome import Outcome
from modelcheck.core.terms import Guard
from modelcheck.diagnostics import Diagnostic, Label, Severity, listing
from modelcheck.report.snippet import one_line

_ENABLE_IT = "add a check that enables it, or remove the action"
_GO_ON = "a search ends when what its check lists is decided; `--keep-going` visits every state"


def always_disabled(outcomes: Sequence[Outcome], without: Collection[str] = ()) -> list[Diagnostic]:
    """A warning for each action that no check has ever enabled, `without` some."""
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
        if count == 0 and name not in without
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


def no_fairness(check: Check) -> Diagnostic | None:
    """That liveness is about to be judged without any fairness: known before the search.

    Not where the check expects that the properties fail.
    """
    expected_to_fail = {
        each.name
        for each in check.expectations
        if isinstance(each, ExpectProperty) and each.verdict != "holds"
    }
    names = [name for name in without_fairness(check.model) if name not in expected_to_fail]
    if not names:
        return None
    spans = [check.model.property(name).span for name in names]
    known = [Label(one_line(span)) for span in spans if span is not None]
    return Diagnostic(
        "no-fairness",
        f"no action is fair, so a run that does nothing breaks {listing(names)}",
        known[0] if known else None,
        tuple(known[1:]),
        notes=("without `fair` an action that is enabled for ever need never be taken",),
        help=("mark with `fair` the actions that the implementation will not put off for ever",),
        severity=Severity.WARNING,
    )
