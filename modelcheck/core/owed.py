"""The graph of what a temporal obligation still owes.

`p ~> q` needs one bit beside the state: set where p holds and q does not,
cleared where q holds. `eventually g` needs one too: not yet. The other two
forms can be told from the state alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

from modelcheck.core.graph import Graph
from modelcheck.core.model import Obligation


@frozen(eq=False)
class Owed:
    """
    graph  the model's graph, with a state once for each value of the bit it is reached with
    base   for each state of it the number in the model's own graph
    owed   for each whether the goal is owed there (and therefore does not hold)
    """

    graph: Graph
    base: Sequence[int]
    owed: Sequence[bool]


def owed_graph(
    graph: Graph, obligation: Obligation, premise: Sequence[bool], goal: Sequence[bool]
) -> Owed:
    """For the values of the premise and the goal in each state of the graph."""
    match obligation.kind:
        case "always eventually":
            return Owed(graph, range(len(goal)), [not met for met in goal])
        case "eventually always":
            return Owed(graph, range(len(goal)), [True] * len(goal))
        case "eventually":
            return _with_bit(graph, True, lambda owed, state: owed and not goal[state])
        case "leads to":
            return _with_bit(
                graph, False, lambda owed, state: (owed or premise[state]) and not goal[state]
            )


def _with_bit(graph: Graph, first: bool, arrive: Callable[[bool, int], bool]) -> Owed:
    """The states with a bit: `first` before the run, then by `arrive(bit, state)`."""
    product, base, owed = Graph(), list[int](), list[bool]()
    numbers: dict[tuple[int, bool], int] = {}

    def number(state: int, bit: bool, depth: int) -> int:
        if (state, bit) not in numbers:
            numbers[state, bit] = product.add(graph.states[state], depth)
            base.append(state)
            owed.append(bit)
        return numbers[state, bit]

    for state, depth in enumerate(graph.depths):
        if depth == 0:
            number(state, arrive(first, state), 0)
    at = 0
    while at < len(base):  # grows as it goes
        for edge in graph.edges[base[at]]:
            target = number(edge.target, arrive(owed[at], edge.target), product.depths[at] + 1)
            product.edges[at].append(edge._replace(target=target))
        at += 1
    return Owed(product, base, owed)
