"""How many states a model has, counted plainly and only as far as they are few."""

from __future__ import annotations

from attrs import frozen

from modelcheck.core.frame import Failed
from modelcheck.core.model import Model
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State


@frozen
class Size:
    """states, and how many enabled steps lead from them"""

    states: int
    steps: int


def size_of(model: Model, most_states: int, most_steps: int) -> Size | None:
    """The size of the model within its constraint; None if it has more states or steps."""
    semantics = Semantics(model)
    first = [state for state, failure in semantics.initial_states() if failure is None]
    found = set(first)
    frontier = [state for state in first if _inside(semantics, state)]
    states, steps = len(frontier), 0
    while frontier:
        state = frontier.pop()
        for instance in semantics.successors(state):
            steps += instance.enabled
            after = instance.after
            if after is None or after in found:
                continue
            found.add(after)
            if _inside(semantics, after):
                states += 1
                frontier.append(after)
        if states > most_states or steps > most_steps:
            return None
    return Size(states, steps)


def _inside(semantics: Semantics, state: State) -> bool:
    constraint = semantics.model.constraint
    if constraint is None:
        return True
    try:
        return bool(semantics.evaluate(constraint, state))
    except Failed:
        return False
