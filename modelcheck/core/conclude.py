"""From findings to an outcome: whatever the engine, in the same words."""

from __future__ import annotations

from collections.abc import Sequence

from modelcheck.core.expectations import judge
from modelcheck.core.model import Check, Liveness, Model
from modelcheck.core.outcome import Found, Outcome, Stats
from modelcheck.core.promises import too_many

ENDED_EARLY = "the search ended when everything listed was decided"
NO_VALUE = "it has no value in some reachable state"


def why_open(complete: bool, limits: Sequence[str]) -> str | None:
    """Why what was not found is not known to be absent; None if everything was searched."""
    if complete:
        return None
    if limits:
        return f"a limit stopped the search ({', '.join(limits)})"
    return ENDED_EARLY


def conclude(
    check: Check,
    found: tuple[Found, ...],
    stats: Stats,
    *,
    complete: bool,
    limits: tuple[str, ...],
    outside: int,
) -> Outcome:
    """The outcome.

    outside  how many states the constraint cut off
    """
    as_expected, unmet = judge(check, found, stats, complete=complete)
    warnings = tuple(_warnings(check.model, outside))
    return Outcome(check, stats, complete, limits, found, as_expected, unmet, warnings, outside)


def _warnings(model: Model, outside: int) -> list[str]:
    warnings = list(without_fairness(model).values())
    wide = too_many(model)
    if wide is not None:
        warnings.append(wide)
    if model.constraint is not None and outside == 0:
        warnings.append("the constraint cut nothing")
    elif model.constraint is not None:
        states = "1 state" if outside == 1 else f"{outside} states"
        warnings.append(f"verdicts are for states within the constraint; it cut {states}")
    return warnings


def without_fairness(model: Model) -> dict[str, str]:
    """For each liveness property, by name, that no action is fair; {} if one is."""
    if any(action.fairness for action in model.actions):
        return {}
    return {
        each.name: f"`{each.name}`: no action is fair, so stuttering alone breaks it"
        for each in model.properties
        if isinstance(each, Liveness)
    }
