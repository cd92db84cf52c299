"""Whether a trace shows what a liveness verdict claims, asked of the semantics alone."""

from __future__ import annotations

from modelcheck.core.model import Model, Obligation
from modelcheck.core.outcome import Found, Verdict
from modelcheck.core.replay import replay
from modelcheck.core.semantics import Semantics


def complaint(model: Model, obligation: Obligation, found: Found) -> str | None:
    """None if the trace replays, owes the goal and, for a livelock, goes round fairly."""
    trace, semantics = found.trace, Semantics(model)
    wrong = replay(model, trace)
    if wrong is not None:
        return wrong
    names = {name: value for name, _, value in found.binding}
    met = [semantics.evaluate(obligation.goal, state, names) for state in trace.states]
    loop = range(trace.loop, len(trace.states))
    if obligation.kind == "eventually always":
        owes = found.verdict is Verdict.BLOCKS or not all(met[i] for i in loop)
    elif obligation.kind == "always eventually":
        owes = not any(met[i] for i in loop)
    else:
        since = 0
        if obligation.kind == "leads to":
            held = [semantics.evaluate(obligation.premise, s, names) for s in trace.states]
            since = max(
                (i for i in range(trace.loop + 1) if held[i] and not any(met[i:])), default=None
            )
            if since is None:
                return "nothing is owed in the loop"
        owes = not any(met[since:])
    if not owes:
        return "the goal is met"
    return _unfair(semantics, trace) if found.verdict is Verdict.LIVELOCKS else None


def _unfair(semantics: Semantics, trace) -> str | None:
    states = trace.states[trace.loop :]
    enabled = [_enabled(semantics, state) for state in states]
    taken = {
        (step.action.name, _asked(step.action, step.arguments))
        for step, before, after in zip(trace.steps[trace.loop :], states, states[1:], strict=False)
        if step.action.fairness is not None and before != after
    }
    for action in semantics.model.actions:
        if action.fairness is None:
            continue
        instances = {key for each in enabled for key in each if key[0] == action.name}
        for key in instances - taken:
            if action.fairness.strong or all(key in each for each in enabled):
                return f"the loop starves {key}"
    return None


def _enabled(semantics: Semantics, state) -> set:
    return {
        (each.action.name, _asked(each.action, each.arguments))
        for each in semantics.successors(state)
        if each.action.fairness is not None and each.after not in (None, state)
    }


def _asked(action, arguments) -> tuple:
    return tuple(arguments[position] for position in action.fairness.per)
