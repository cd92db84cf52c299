"""A short fair loop within a fair component.

The loop begins as mere stuttering in the entry state. As long as it is unfair,
what it starves becomes a demand, and the loop is drawn anew: to the nearest
state or step that meets an open demand, until all are met, and back.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from modelcheck.core.fairness import FairGraph
from modelcheck.core.graph import Edge


@frozen
class Demand:
    """Met by a visit to one of the states, or by a step of the instance."""

    states: frozenset[int]
    instance: int | None = None


def fair_loop(
    fair: FairGraph, component: Sequence[int], entry: int, must_visit: frozenset[int] | None
) -> list[Edge]:
    """The edges of a loop through `entry` that starves nothing; none if it only stutters.

    must_visit  if given, the loop visits one of these states
    """
    inside = frozenset(component)
    demands = [] if must_visit is None else [Demand(must_visit & inside)]
    while True:
        loop = _tour(fair, inside, entry, demands)
        instance = _starved_by(fair, entry, loop)
        if instance is None:
            return [edge for edge, _ in loop]
        elsewhere = frozenset(s for s in inside if instance not in fair.enabled[s])
        strong = fair.instances[instance].strong
        demands.append(Demand(frozenset() if strong else elsewhere, instance))


_Taken = tuple[Edge, "int | None"]


def _starved_by(fair: FairGraph, entry: int, loop: Sequence[_Taken]) -> int | None:
    """The first instance that running round the loop for ever would starve."""
    visited = {entry, *(edge.target for edge, _ in loop)}
    taken = {instance for _, instance in loop}
    for number, instance in enumerate(fair.instances):
        enabled = [number in fair.enabled[state] for state in visited]
        if number not in taken and (any(enabled) if instance.strong else all(enabled)):
            return number
    return None


def _tour(
    fair: FairGraph, inside: frozenset[int], entry: int, demands: Sequence[Demand]
) -> list[_Taken]:
    open_ = [demand for demand in demands if entry not in demand.states]
    loop: list[_Taken] = []
    here = entry
    while open_:
        states = frozenset[int]().union(*(demand.states for demand in open_))
        instances = {demand.instance for demand in open_} - {None}
        way = _nearest(fair, inside, here, states, instances)
        loop += way
        visited = {edge.target for edge, _ in way}
        taken = {instance for _, instance in way}
        open_ = [d for d in open_ if not d.states & visited and d.instance not in taken - {None}]
        here = loop[-1][0].target
    if here != entry:
        loop += _nearest(fair, inside, here, frozenset({entry}), set())
    return loop


def _nearest(
    fair: FairGraph,
    inside: frozenset[int],
    start: int,
    states: frozenset[int],
    instances: set[int | None],
) -> list[_Taken]:
    """The first shortest way of at least one step that ends in one of these states or instances."""
    arrived: dict[int, tuple[int, _Taken]] = {}
    level = [start]
    while level:
        following = []
        for state in level:
            for taken in fair.edges[state]:
                edge, instance = taken
                if edge.target not in inside:
                    continue
                if edge.target in states or instance in instances:
                    return [*_way(arrived, start, state), taken]
                if edge.target not in arrived and edge.target != start:
                    arrived[edge.target] = (state, taken)
                    following.append(edge.target)
        level = following
    raise AssertionError("in a fair component every demand can be met")


def _way(arrived: dict[int, tuple[int, _Taken]], start: int, end: int) -> list[_Taken]:
    way: list[_Taken] = []
    while end != start:
        end, taken = arrived[end]
        way.append(taken)
    return way[::-1]
