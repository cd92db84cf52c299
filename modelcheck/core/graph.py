"""The explored part of a model's state graph, and graphs made from it.

States are numbered in the order of their discovery, breadth first, so a level
of the search is a range of numbers and a state's depth follows from its number.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from attrs import Factory, define

from modelcheck.core.trace import Process
from modelcheck.core.values import State, Value


class Edge(NamedTuple):
    """A step that was taken or, with a negative `target`, one that cannot be.

    action  its position in the model
    fault   1 for a fault, 0 for an action: to be added up
    """

    action: int
    arguments: tuple[Value, ...]
    fault: int
    process: Process
    target: int
    result: tuple[Value, ...] = ()


NOT_TAKEN = -1


@define(eq=False)
class Graph:
    """
    states  by number; in a graph made from another, several may be equal
    depths  for each state the number of steps of a shortest path to it
    edges   for each state the steps taken from it; empty while it is not expanded
    inside  for each state whether it satisfies the constraint; the others are never expanded
    """

    states: list[State] = Factory(list)
    depths: list[int] = Factory(list)
    edges: list[list[Edge]] = Factory(list)
    inside: list[bool] = Factory(list)

    def add(self, state: State, depth: int, *, inside: bool = True) -> int:
        """The number of a state that was not in the graph."""
        self.states.append(state)
        self.depths.append(depth)
        self.edges.append([])
        self.inside.append(inside)
        return len(self.states) - 1

    def levels(self, last: int) -> list[range]:
        """The states of each depth from 0 to `last`."""
        starts = [0]
        for number, depth in enumerate(self.depths):
            if depth > last:
                return [*_ranges(starts), range(starts[-1], number)]
            while depth >= len(starts):
                starts.append(number)
        return [*_ranges(starts), range(starts[-1], len(self.states))]


def _ranges(starts: list[int]) -> list[range]:
    return [range(a, b) for a, b in itertools.pairwise(starts)]
