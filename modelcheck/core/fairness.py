"""Fair components: where a run can stay for ever without being unfair.

A fairness instance is a fair action with values for the arguments it is asked
for. It is enabled in a state, and taken on an edge, only by steps that change
the state. A run is unfair if from some point on an instance is never taken
although it is always enabled (weak) or enabled again and again (strong).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from modelcheck.core.graph import Edge, Graph
from modelcheck.core.lasso import FairInstance, Taken
from modelcheck.core.model import Action


@frozen(eq=False)
class FairGraph:
    """A whole graph with fairness.

    edges    for each state its steps, sorted, each with the number of the instance that takes it
    enabled  for each state the numbers of the instances enabled there
    """

    graph: Graph
    instances: tuple[FairInstance, ...]
    edges: Sequence[Sequence[Taken]]
    enabled: Sequence[frozenset[int]]

    def steps(self, state: int) -> Sequence[Taken]:
        """See Fair."""
        return self.edges[state]

    def enabled_in(self, state: int) -> frozenset[int]:
        """See Fair."""
        return self.enabled[state]


def with_fairness(graph: Graph, actions: Sequence[Action], *, faults: bool = True) -> FairGraph:
    """The graph with the fairness of its actions, with or without the steps of faults."""
    numbers: dict[FairInstance, int] = {}
    edges = []
    for source, steps in enumerate(graph.edges):
        kept = [edge for edge in steps if faults or not edge.fault]
        kept.sort(key=lambda edge: (edge.action, edge.arguments))
        edges.append([(edge, _instance(graph, actions, numbers, source, edge)) for edge in kept])
    enabled = [frozenset(i for _, i in steps if i is not None) for steps in edges]
    return FairGraph(graph, tuple(numbers), edges, enabled)


def _instance(
    graph: Graph,
    actions: Sequence[Action],
    numbers: dict[FairInstance, int],
    source: int,
    edge: Edge,
) -> int | None:
    """The number of the fairness instance that the edge takes, None if it takes none."""
    fairness = actions[edge.action].fairness
    if fairness is None or graph.states[edge.target] == graph.states[source]:
        return None
    arguments = tuple(edge.arguments[position] for position in fairness.per)
    instance = FairInstance(edge.action, arguments, fairness.strong)
    return numbers.setdefault(instance, len(numbers))


def fair_components(fair: FairGraph, states: Iterable[int]) -> list[list[int]]:
    """The largest strongly connected sets among the states in which a run can stay fairly.

    After Emerson and Lei 1987: a component that starves a weak instance starves it in
    every part; one that starves a strong instance may be fair where that is not enabled.
    """
    found = []
    waiting = [sorted(states)]
    while waiting:
        for component in strong_components(fair, waiting.pop()):
            weak, strong = starved(fair, component)
            if weak:
                continue
            if not strong:
                found.append(component)
                continue
            rest = [state for state in component if not fair.enabled[state] & strong]
            if rest:
                waiting.append(rest)
    return sorted(found)


def starved(fair: FairGraph, component: Sequence[int]) -> tuple[set[int], set[int]]:
    """The weak and strong instances that a run through all of the component does not take."""
    inside = set(component)
    taken = {i for s in component for edge, i in fair.edges[s] if edge.target in inside}
    always = frozenset.intersection(*(fair.enabled[state] for state in component))
    sometimes = frozenset.union(*(fair.enabled[state] for state in component))
    weak = {i for i in always - taken if not fair.instances[i].strong}
    strong = {i for i in sometimes - taken if fair.instances[i].strong}
    return weak, strong


def strong_components(fair: FairGraph, states: Sequence[int]) -> list[list[int]]:
    """The strongly connected components of the graph on these states, each ascending.

    Tarjan 1972, iterative. A state without edges is one too: stuttering makes it a loop.
    """
    inside = set(states)
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    components = []
    for root in states:
        if root in order:
            continue
        calls = [(root, 0)]
        while calls:
            state, position = calls.pop()
            if position == 0:
                order[state] = lowest[state] = len(order)
                stack.append(state)
                on_stack.add(state)
            edges = fair.edges[state]
            if position > 0:  # back from the target of the edge before
                child = edges[position - 1][0].target
                if child in on_stack:
                    lowest[state] = min(lowest[state], lowest[child])
            while position < len(edges):
                target = edges[position][0].target
                position += 1
                if target not in inside:
                    continue
                if target not in order:
                    calls += [(state, position), (target, 0)]
                    break
                if target in on_stack:
                    lowest[state] = min(lowest[state], order[target])
            else:
                if lowest[state] == order[state]:
                    components.append(_pop_component(state, stack, on_stack))
    return components


def _pop_component(root: int, stack: list[int], on_stack: set[int]) -> list[int]:
    component = []
    while True:
        state = stack.pop()
        on_stack.discard(state)
        component.append(state)
        if state == root:
            return sorted(component)
