"""Why an action cannot be taken in a state: the first guard that is false.

Of all choices of the action's arguments the one that comes furthest speaks
for the action.
"""

from __future__ import annotations

from modelcheck.core.choices import choices
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Action
from modelcheck.core.terms import Bind, Guard
from modelcheck.core.values import State
from modelcheck.report.blame import Blame, blame
from modelcheck.report.lanes import call


def why_disabled(action: Action, state: State) -> str:
    """`acquire(n1)`: `service.granted < MAX` is false (`service.granted` is 2)"""
    of = Meanings().of
    frame = Frame(state, {})
    furthest, said = -1, _no_choice(action, state)
    for _ in choices(action.binders, of)(frame):
        arguments = [frame.names[binder.name] for binder in action.binders]
        passed, reason = _first_obstacle(action, frame)
        if passed > furthest:
            furthest = passed
            said = f"`{call(action.name, action.binders, arguments)}`: {reason}"
    return said


def _no_choice(action: Action, state: State) -> str:
    of = Meanings().of
    for count, binder in enumerate(action.binders, start=1):
        frame = Frame(state, {})
        if next(choices(action.binders[:count], of)(frame), _NOTHING) is _NOTHING:
            return f"`{action.name}`: there is no `{binder.name}` to choose"
    return f"`{action.name}`: it has no guard that is false"


_NOTHING = object()


def _first_obstacle(action: Action, frame: Frame) -> tuple[int, str]:
    """How many guards hold, and what is wrong with the next."""
    of = Meanings().of
    passed = 0
    for statement in action.body:
        try:
            match statement:
                case Bind(name, value):
                    frame.names[name] = of(value)(frame)
                case Guard(condition):
                    if not of(condition)(frame):
                        return passed, _said(blame(condition, frame))
                    passed += 1
                case _:
                    continue
        except Failed as failed:
            return passed, failed.failure.reason
    if action.counter is not None and frame.state[action.counter] == action.at_most:
        return passed, f"all {action.at_most} of its steps are used"
    return passed, "it changes nothing"


def _said(why: Blame) -> str:
    text = "its guard" if why.span is None else f"`{' '.join(why.span.text.split())}`"
    values = ", ".join(
        f"`{' '.join(part.span.text.split())}` is {part.value}"
        for part in why.parts
        if part.span != why.span
    )
    return f"{text} is false" + (f" ({values})" if values else "")
