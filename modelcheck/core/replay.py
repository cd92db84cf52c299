"""Whether a trace is a run of a model, asked of the semantics step by step."""

from __future__ import annotations

from modelcheck.core.model import Action, Model
from modelcheck.core.semantics import Instance, Semantics
from modelcheck.core.trace import Step, Trace
from modelcheck.core.values import State


def replay(model: Model, trace: Trace) -> str | None:
    """None if the trace is a run of the model; else why not: "step 3, `send`, leads elsewhere".

    The last step may be one that cannot be taken: then it must be enabled, and fail.
    """
    semantics = Semantics(model)
    if not trace.states:
        return "the trace has no state"
    first = trace.states[0]
    if not any(s == first and failure is None for s, failure in semantics.initial_states()):
        return "its first state is not an initial one"
    if len(trace.steps) not in (len(trace.states) - 1, len(trace.states)):
        return f"{len(trace.steps)} steps do not lie between {len(trace.states)} states"
    for number, step in enumerate(trace.steps):
        after = trace.states[number + 1] if number + 1 < len(trace.states) else None
        complaint = _replay_step(semantics, trace.states[number], step, after)
        if complaint is not None:
            return f"step {number + 1}, `{step.action.name}`, {complaint}"
    return _replay_loop(trace)


def _replay_step(
    semantics: Semantics, before: State, step: Step, after: State | None
) -> str | None:
    instance = _instance(semantics, before, step)
    if instance is None:
        return "is not enabled"
    if (instance.process, instance.result) != (step.process, step.result) and after is not None:
        return "is another process's, or returns something else"
    if instance.after != after:
        return "leads elsewhere"
    return None


def _instance(semantics: Semantics, state: State, step: Step) -> Instance | None:
    """The enabled instance with the step's action and arguments."""
    for each in semantics.successors(state):
        same = _is_same(each.action, step.action) and each.arguments == step.arguments
        if same and each.enabled:
            return each
    return None


def _is_same(action: Action, other: Action) -> bool:
    return action.name == other.name


def _replay_loop(trace: Trace) -> str | None:
    if trace.loop is None:
        return None
    if not 0 <= trace.loop < len(trace.states):
        return "the loop returns to no state of the trace"
    if trace.states[trace.loop] != trace.states[-1]:
        return "the loop does not return to the state it began in"
    return None
