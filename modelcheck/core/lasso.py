"""A short fair loop within a fair component.

The loop begins as mere stuttering in the entry state. As long as it is unfair,
what it starves becomes a demand, and the loop is drawn anew: to the nearest
state or step that meets an open demand, until all are met, and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from attrs import frozen

from modelcheck.core.graph import Edge
from modelcheck.core.values import Value


@frozen
class FairInstance:
    """A fair action, by its position, and the arguments at the positions it is asked for."""

    action: int
    arguments: tuple[Value, ...]
    strong: bool

    @property
    def order(self) -> tuple[int, tuple[Value, ...]]:
        """By action, then by arguments."""
        return self.action, self.arguments


Taken: TypeAlias = "tuple[Edge, int | None]"
"""A step, and the number of the instance that takes it."""


class Fair(Protocol):
    """A graph with fairness, of which perhaps only a part has been looked at.

    instances  those met so far, by number
    """

    @property
    def instances(self) -> Sequence[FairInstance]: ...

    def steps(self, state: int) -> Sequence[Taken]:
        """The steps from a state, the earliest action with the least arguments first."""

    def enabled_in(self, state: int) -> frozenset[int]:
        """The instances that are enabled in a state."""


Where: TypeAlias = Callable[[int], bool]
"""Which states are meant."""


@frozen(eq=False)
class Demand:
    """Met by a visit to one of the states, or by a step of the instance."""

    states: Where | None
    instance: int | None = None

    def met_in(self, state: int) -> bool:
        """Whether a visit meets it."""
        return self.states is not None and self.states(state)


def fair_loop(fair: Fair, inside: Where, entry: int, must_visit: Where | None) -> list[Edge]:
    """The edges of a loop through `entry` that starves nothing; none if it only stutters.

    inside      the states of a fair component
    must_visit  if given, the loop visits one of these states
    """
    demands = [] if must_visit is None else [Demand(must_visit)]
    while True:
        loop = _tour(fair, inside, entry, demands)
        instance = _starved_by(fair, entry, loop)
        if instance is None:
            return [edge for edge, _ in loop]
        demands.append(_demand_of(fair, instance))


def _demand_of(fair: Fair, instance: int) -> Demand:
    """What an instance wants: to be taken; a weak one may also be disabled."""
    if fair.instances[instance].strong:
        return Demand(None, instance)
    return Demand(lambda state: instance not in fair.enabled_in(state), instance)


def _starved_by(fair: Fair, entry: int, loop: Sequence[Taken]) -> int | None:
    """The first instance that running round the loop for ever would starve."""
    visited = {entry, *(edge.target for edge, _ in loop)}
    taken = {instance for _, instance in loop}
    enabled = [fair.enabled_in(state) for state in visited]
    always, sometimes = frozenset.intersection(*enabled), frozenset.union(*enabled)
    starved = [
        number for number in sometimes - taken if fair.instances[number].strong or number in always
    ]
    return min(starved, key=lambda number: fair.instances[number].order, default=None)


def _tour(fair: Fair, inside: Where, entry: int, demands: Sequence[Demand]) -> list[Taken]:
    open_ = [demand for demand in demands if not demand.met_in(entry)]
    loop: list[Taken] = []
    here = entry
    while open_:
        way = _nearest(fair, inside, here, open_)
        loop += way
        visited = {edge.target for edge, _ in way}
        taken = {instance for _, instance in way} - {None}
        open_ = [d for d in open_ if d.instance not in taken and not any(map(d.met_in, visited))]
        here = loop[-1][0].target
    if here != entry:
        loop += _nearest(fair, inside, here, [Demand(lambda state: state == entry)])
    return loop


def _nearest(fair: Fair, inside: Where, start: int, demands: Iterable[Demand]) -> list[Taken]:
    """The first shortest way of at least one step that meets one of the demands."""
    instances = {demand.instance for demand in demands} - {None}
    arrived: dict[int, tuple[int, Taken]] = {}
    level = [start]
    while level:
        following = []
        for state in level:
            for taken in fair.steps(state):
                edge, instance = taken
                if not inside(edge.target):
                    continue
                if instance in instances or any(d.met_in(edge.target) for d in demands):
                    return [*_way(arrived, start, state), taken]
                if edge.target not in arrived and edge.target != start:
                    arrived[edge.target] = (state, taken)
                    following.append(edge.target)
        level = following
    raise AssertionError("in a fair component every demand can be met")


def _way(arrived: dict[int, tuple[int, Taken]], start: int, end: int) -> list[Taken]:
    way: list[Taken] = []
    while end != start:
        end, taken = arrived[end]
        way.append(taken)
    return way[::-1]
