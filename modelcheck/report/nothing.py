"""That a check has nothing to judge: there is no state, or nothing ever happens."""

from __future__ import annotations

from modelcheck.core.model import Model
from modelcheck.core.outcome import VIOLATED, Outcome
from modelcheck.diagnostics import Diagnostic, Label
from modelcheck.report.snippet import one_line


def nothing_to_judge(outcome: Outcome) -> Diagnostic | None:
    """Why the outcome says nothing although nothing was violated; None if it says something."""
    return no_initial_state(outcome) or no_step(outcome)


def no_initial_state(outcome: Outcome) -> Diagnostic | None:
    """That every property would hold of no states at all."""
    # Where `init` has no value, that is the error to report.
    failed = any(found.failure is not None for found in outcome.found)
    if outcome.stats.generated or failed or not outcome.complete:
        return None
    spans = [term.span for term in outcome.check.model.init if term.span is not None]
    return Diagnostic(
        "no-initial-state",
        f"`{outcome.check.name}` has no initial state",
        Label(spans[0].to(spans[-1])) if spans else None,
        notes=("`init` rules out every combination of the variables' first values",),
    )


def no_step(outcome: Outcome) -> Diagnostic | None:
    """That there are actions, and no state in which one is enabled: nothing ever happens.

    A deadlock that is found says so already, as does any other violation.
    """
    model, stats = outcome.check.model, outcome.stats
    moves = any(count for _, count in stats.enabled)
    violated = any(found.verdict in VIOLATED for found in outcome.found)
    if moves or violated or not outcome.complete or not _may_move(model):
        return None
    only = stats.distinct == 1
    where = "the initial state" if only else f"any of the {stats.distinct:,} initial states"
    first = next((a.span for a in model.actions if a.span is not None), None)
    return Diagnostic(
        "no-step",
        f"in `{outcome.check.name}` no step is enabled from {where}",
        None if first is None else Label(one_line(first), "nor is what follows"),
        notes=("every property is judged in the initial states only",),
        help=(
            f"`modelcheck why-not` says what disables an action: "
            f"`modelcheck why-not FILE {outcome.check.name} {model.actions[0].name}`",
        ),
    )


def _may_move(model: Model) -> bool:
    """Whether the file declares steps that this check has not ruled out by a budget of none."""
    return any(not action.fault for action in model.actions)
