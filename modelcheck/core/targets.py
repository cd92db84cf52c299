"""Where something was found, of which the nearest matter."""

from __future__ import annotations

from attrs import Factory, define, frozen

from modelcheck.core.graph import Edge
from modelcheck.core.outcome import Failure


@frozen(eq=False)
class Target:
    """A state of a graph, or a step from it.

    step     the step with which a trace ends; None where it ends in the state
    failure  for the four errors
    where    what was evaluated, where the trace does not show it: "in a guard of `send`"
    """

    state: int
    step: Edge | None = None
    failure: Failure | None = None
    where: str | None = None


@define(eq=False)
class Targets:
    """The nearest of the targets that were added; all of them are `steps` away."""

    steps: int | None = None
    nearest: list[Target] = Factory(list)

    def add(self, depth: int, target: Target) -> None:
        """A target whose state has this depth."""
        steps = depth if target.step is None else depth + 1
        if self.steps is None or steps < self.steps:
            self.steps, self.nearest = steps, []
        if steps == self.steps:
            self.nearest.append(target)

    def __bool__(self) -> bool:
        return bool(self.nearest)
