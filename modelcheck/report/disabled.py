"""Why an action cannot be taken in a state: the first guard that is false.

Of all choices of the action's arguments the one that comes furthest speaks
for the action.
"""

from __future__ import annotations

from modelcheck.core.choices import choices
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.model import Action
from modelcheck.core.semantics import Semantics
from modelcheck.core.terms import Bind, Guard
from modelcheck.core.values import State, Value
from modelcheck.report.blame import blame, clause
from modelcheck.report.lanes import call


def why_disabled(semantics: Semantics, action: Action, state: State) -> str:
    """`acquire(n1)`: `service.granted < MAX` is false (`service.granted` is 2)"""
    frame = Frame(state, {})
    furthest, said = -1, _no_choice(semantics, action, state)
    for _ in choices(action.binders, semantics.meanings.of)(frame):
        arguments = tuple(frame.names[binder.name] for binder in action.binders)
        passed, reason = _first_obstacle(semantics, action, frame)
        if passed > furthest:
            furthest = passed
            reason = reason or _outcome(semantics, action, arguments, state)
            said = f"`{call(action.name, action.binders, arguments)}`: {reason}"
    return said


def _no_choice(semantics: Semantics, action: Action, state: State) -> str:
    for count, binder in enumerate(action.binders, start=1):
        walk = choices(action.binders[:count], semantics.meanings.of)
        if next((True for _ in walk(Frame(state, {}))), False):
            continue
        return f"`{action.name}`: there is no `{binder.name}` to choose"
    return f"`{action.name}`: it has no guard that is false"


def _first_obstacle(semantics: Semantics, action: Action, frame: Frame) -> tuple[int, str]:
    """How many guards hold, and what is wrong with the next, "" if all hold."""
    of = semantics.meanings.of
    passed = 0
    for statement in action.body:
        try:
            match statement:
                case Bind(name, value):
                    frame.names[name] = of(value)(frame)
                case Guard(condition):
                    if not of(condition)(frame):
                        return passed, clause(blame(condition, frame))
                    passed += 1
                case _:
                    continue
        except Failed as failed:
            return passed, failed.failure.reason
    return passed, ""


def _outcome(
    semantics: Semantics, action: Action, arguments: tuple[Value, ...], state: State
) -> str:
    """Of an instance whose guards all hold: why it leads nowhere."""
    for instance in semantics.successors(state):
        if instance.action is action and instance.arguments == arguments and instance.failure:
            return f"it is not taken: {instance.failure.reason}"
    return "it changes nothing"
