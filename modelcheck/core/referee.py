"""The referee: a check in, an outcome out, by the slow and obvious way."""

from __future__ import annotations

from modelcheck.core.expectations import all_decided, judge, judges_deadlock
from modelcheck.core.limits import Limits
from modelcheck.core.model import Check, Linearizable, Liveness
from modelcheck.core.outcome import Outcome
from modelcheck.core.search import Exploration, Progress, explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.verdicts import Case, find_all

__all__ = ["Limits", "Progress", "check"]

ENDED_EARLY = "the search ended when everything listed was decided"


def check(
    check: Check,
    limits: Limits | None = None,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """What a search of the check's model finds.

    keep_going  search everything, even when all that the check lists is decided
    progress    called now and then with the counts so far
    """
    run = explore(
        Semantics(check.model),
        limits or Limits(),
        lambda run: not keep_going and all_decided(check, run.safety.is_found),
        progress,
    )
    found = find_all(Case(run, _why_open(run)), deadlock=judges_deadlock(check))
    stats = run.stats
    as_expected, unmet = judge(check, found, stats, complete=run.complete)
    return Outcome(
        check, stats, run.complete, run.limits, found, as_expected, unmet, tuple(_warnings(run))
    )


def _why_open(run: Exploration) -> str | None:
    if run.complete:
        return None
    if run.limits:
        return f"a limit stopped the search ({', '.join(run.limits)})"
    return ENDED_EARLY


def _warnings(run: Exploration) -> list[str]:
    model = run.semantics.model
    warnings = []
    if not any(action.fairness for action in model.actions):
        warnings += [
            f"`{each.name}`: no action is fair, so stuttering alone breaks it"
            for each in model.properties
            if isinstance(each, Liveness)
        ]
    if model.constraint is not None and run.outside == 0:
        warnings.append("the constraint cut nothing")
    elif model.constraint is not None:
        states = "1 state" if run.outside == 1 else f"{run.outside} states"
        warnings.append(f"verdicts are for states within the constraint; it cut {states}")
    warnings += [
        f"`{each.name}`: its calls and returns are not followed by this version"
        for each in model.properties
        if isinstance(each, Linearizable)
    ]
    return warnings
