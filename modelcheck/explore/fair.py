"""The graph of the stored states with fairness, looked at state by state."""

from __future__ import annotations

import time

from attrs import define, field

from modelcheck.compile import record
from modelcheck.core.graph import Edge
from modelcheck.core.lasso import FairInstance, Taken
from modelcheck.core.values import Value
from modelcheck.explore.engine import Run
from modelcheck.explore.passes import OutOfTime
from modelcheck.explore.probe import Seen

MOST_STATES = 500_000
"""Half a minute's work, and more than any loop that a person would read."""


class TooFar(Exception):
    """More states were asked for than are worth the time."""


@define(eq=False)
class StoredGraph:
    """A Fair graph whose states are indices of the arena. Costs Python for each state asked for.

    deadline  on the monotonic clock

    The table of the store must know the states' indices. Raises OutOfTime, TooFar.
    """

    run: Run
    deadline: float | None = None
    instances: list[FairInstance] = field(factory=list)
    _numbers: dict[FairInstance, int] = field(factory=dict, repr=False)
    _steps: dict[int, list[Taken]] = field(factory=dict, repr=False)

    def steps(self, state: int) -> list[Taken]:
        """See Fair."""
        found = self._steps.get(state)
        if found is None:
            self._check_limits()
            code = self.run.code(state)
            seen = [each for each in self.run.probe.steps(code) if each.what == record.TAKEN]
            found = [self._taken(each, code) for each in seen]
            found.sort(key=lambda taken: (taken[0].action, taken[0].arguments))
            self._steps[state] = found
        return found

    def _check_limits(self) -> None:
        if len(self._steps) >= MOST_STATES:
            raise TooFar
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime

    def enabled_in(self, state: int) -> frozenset[int]:
        """See Fair."""
        return frozenset(number for _, number in self.steps(state) if number is not None)

    def _taken(self, seen: Seen, source: int) -> Taken:
        assert seen.code is not None
        action = self.run.model.actions[seen.number]
        target = self.run.index(seen.code)
        edge = Edge(
            seen.number, seen.arguments, int(action.fault), seen.process, target, seen.result
        )
        if action.fairness is None or seen.code == source:
            return edge, None
        asked: tuple[Value, ...] = tuple(seen.arguments[p] for p in action.fairness.per)
        instance = FairInstance(seen.number, asked, action.fairness.strong)
        number = self._numbers.setdefault(instance, len(self._numbers))
        if number == len(self.instances):
            self.instances.append(instance)
        return edge, number
