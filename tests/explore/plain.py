"""The same search, as plain as can be: what the native one is compared with."""

from __future__ import annotations

from itertools import product

from attrs import define, field

from modelcheck.explore.initial import Combinations
from modelcheck.explore.search import INITIAL, NEVER

from .models import Hand


@define
class Plain:
    """What was seen; levels as sets of packed states."""

    distinct: int = 0
    outside: int = 0
    generated: int = 0
    depth: int = 0
    enabled: list[int] = field(factory=list)
    levels: list[set[int]] = field(factory=list)
    first_hit: list[int] = field(factory=list)


def combinations_of(given: Combinations) -> list[int]:
    """All of them, packed, in order."""
    found = []
    for values in product(*(choice.values for choice in given.choices)):
        state = given.base
        for choice, value in zip(given.choices, values, strict=True):
            mask = ((1 << choice.width) - 1) << choice.offset
            state = state & ~mask | value << choice.offset
        found.append(state)
    return found


def search(model: Hand, depth: int | None = None) -> Plain:
    """All levels; or up to that depth."""
    found = Plain(enabled=[0] * model.actions, first_hit=[NEVER] * model.hits)
    known: set[int] = set()
    level: set[int] = set()

    def see(event: int, expansion: int) -> None:
        if found.first_hit[event] == NEVER:
            found.first_hit[event] = expansion

    def discover(state: int, into: set[int], expansion: int) -> None:
        if state in known:
            return
        known.add(state)
        into.add(state)
        if is_inside(state):
            found.distinct += 1
        else:
            found.outside += 1
        for event in model.judged(state):
            see(event, expansion)

    def is_inside(state: int) -> bool:
        return model.inside is None or model.inside(state)

    for state in combinations_of(model.initial):
        if model.accept(state):
            found.generated += 1
            discover(state, level, INITIAL)
    number = 0
    while True:
        found.levels.append(level)
        if not any(map(is_inside, level)):
            return found
        found.depth += 1
        if number == depth:
            return found
        following: set[int] = set()
        for state in level:
            if is_inside(state):
                for action, successor in model.steps(state):
                    found.enabled[action] += 1
                    found.generated += 1
                    for event in model.step_events(state, successor):
                        see(event, number)
                    discover(successor, following, number)
        level, number = following, number + 1
