"""Why an action cannot be taken in a state: the first guard that is false.

Of all choices of the action's arguments the one that comes furthest speaks
for the action.
"""

from __future__ import annotations

from typing import assert_never

from modelcheck.core.frame import Frame
from modelcheck.core.hindrance import (
    Answer,
    BudgetSpent,
    Changes,
    ChangesNothing,
    GuardFalse,
    NothingToChoose,
    NotTaken,
    NoValue,
    attempts,
    furthest,
)
from modelcheck.core.model import Action
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State
from modelcheck.report.blame import blame, clause
from modelcheck.report.lanes import call


def why_disabled(semantics: Semantics, action: Action, state: State) -> str:
    """`acquire(n1)`: `service.granted < MAX` is false (`service.granted` is 2)"""
    attempt = furthest(list(attempts(semantics, action, state)))
    if isinstance(attempt.answer, NothingToChoose):
        return f"`{action.name}`: {obstacle(attempt.answer, state)}"
    shown = call(action.name, action.binders, attempt.arguments)
    return f"`{shown}`: {obstacle(attempt.answer, state)}"


def obstacle(answer: Answer, state: State) -> str:
    """What comes of an attempt, as a clause."""
    match answer:
        case BudgetSpent(0):
            return "its budget is none"
        case BudgetSpent(most):
            return f"its budget of {most} is spent"
        case NothingToChoose(binder, ruled_out):
            if ruled_out:
                return f"no `{binder.name}` satisfies its `where`"
            return f"there is no `{binder.name}` to choose"
        case GuardFalse(guard, names):
            return clause(blame(guard.condition, Frame(state, dict(names))))
        case NoValue(failure):
            return failure.reason
        case NotTaken(failure):
            return f"it is not taken: {failure.reason}"
        case ChangesNothing():
            return "it changes nothing"
        case Changes():
            return "it can be taken"
        case _:
            assert_never(answer)
