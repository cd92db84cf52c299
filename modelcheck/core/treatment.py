"""How the loop of a livelock is fair, worked out from the trace alone.

Each state of the loop is asked anew which instances of fair actions it enables,
so that nothing depends on who has found the loop. A loop that starves one is no
counterexample: then something of ours is wrong, and says so.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import evolve

from modelcheck.core.model import Action, Model
from modelcheck.core.outcome import Found, Outcome, Verdict
from modelcheck.core.semantics import Semantics
from modelcheck.core.trace import Disabled, How, Taken, Trace, Treatment
from modelcheck.core.values import State, Value

_Key: TypeAlias = tuple[int, tuple[Value, ...]]
"""A fairness instance: its action's position, and the arguments that the fairness is asked for."""


class UnfairLoop(AssertionError):
    """A loop starves an instance of a fair action: a bug of whoever has found it."""


def with_treatment(outcome: Outcome) -> Outcome:
    """The outcome in which every livelock says how its loop is fair. Raises UnfairLoop."""
    if all(found.verdict is not Verdict.LIVELOCKS for found in outcome.found):
        return outcome
    semantics = Semantics(outcome.check.model)
    found = tuple(_treated(semantics, each) for each in outcome.found)
    return evolve(outcome, found=found)


def _treated(semantics: Semantics, found: Found) -> Found:
    if found.verdict is not Verdict.LIVELOCKS or found.trace is None:
        return found
    return evolve(found, treatment=treatment(semantics, found.trace))


def treatment(semantics: Semantics, trace: Trace) -> tuple[Treatment, ...]:
    """How the loop is fair to each instance enabled on it, in the order of the file.

    Cost: all steps from every state of the loop, by the referee. Raises UnfairLoop.
    """
    assert trace.loop is not None, "the trace of a livelock has a loop"
    actions = semantics.model.actions
    loop = range(trace.loop, max(trace.loop + 1, len(trace.states) - 1))
    enabled = [_enabled(semantics, trace.states[number]) for number in loop]
    taken = _taken(semantics.model, trace)
    treatments = []
    for key in sorted(frozenset[_Key]().union(*enabled)):
        number, arguments = key
        action = actions[number]
        idle = [state for state, there in zip(loop, enabled, strict=True) if key not in there]
        how = _how(action, taken.get(key), idle)
        if how is None:
            raise UnfairLoop(f"the loop is unfair to `{action.name}` with {arguments}")
        treatments.append(Treatment(action, arguments, how))
    return tuple(treatments)


def _how(action: Action, taken: int | None, idle: list[int]) -> How | None:
    assert action.fairness is not None
    if taken is not None:
        return Taken(taken)
    if action.fairness.strong or not idle:
        return None
    return Disabled(idle[0])


def _enabled(semantics: Semantics, state: State) -> frozenset[_Key]:
    """The instances that could take a step that changes the state."""
    numbers = {action.name: number for number, action in enumerate(semantics.model.actions)}
    return frozenset(
        (numbers[each.action.name], _asked(each.action, each.arguments))
        for each in semantics.successors(state)
        if each.action.fairness is not None and each.after not in (None, state)
    )


def _taken(model: Model, trace: Trace) -> dict[_Key, int]:
    """For each instance that the loop takes, the first step that does."""
    numbers = {action.name: number for number, action in enumerate(model.actions)}
    taken: dict[_Key, int] = {}
    assert trace.loop is not None
    for number in range(trace.loop, len(trace.steps)):
        step = trace.steps[number]
        changes = trace.states[number] != trace.states[number + 1]
        if step.action.fairness is not None and changes:
            key = (numbers[step.action.name], _asked(step.action, step.arguments))
            taken.setdefault(key, number + 1)
    return taken


def _asked(action: Action, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    assert action.fairness is not None
    return tuple(arguments[position] for position in action.fairness.per)
