"""The canonical trace, against the choice among all shortest paths one by one."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from modelcheck.core.graph import NOT_TAKEN, Edge, Graph
from modelcheck.core.shortest import shortest_path
from modelcheck.core.targets import Target, Targets
from modelcheck.core.trace import Process

PROCESSES = [Process("a"), Process("b"), Process("b", 1)]
FAULTS = (0, 0, 1)


def edge(chance: random.Random, target: int) -> Edge:
    action = chance.randrange(3)
    process = chance.choice(PROCESSES)
    return Edge(action, (chance.randrange(2),), FAULTS[action], process, target)


def random_graph(chance: random.Random) -> Graph:
    """A graph with all states reachable, numbered breadth first; steps are told apart by name."""
    width = chance.randint(1, 4)
    names = list(range(100))
    chance.shuffle(names)  # so that the order of discovery is not that of the values
    graph = Graph()
    for depth in range(chance.randint(2, 6)):
        below = [s for s, d in enumerate(graph.depths) if d == depth - 1]
        for _ in range(chance.randint(1, width)):
            state = graph.add((names.pop(),), depth)
            for source in {chance.choice(below)} if below else set():
                graph.edges[source].append(edge(chance, state))
    for source in range(len(graph.states)):
        for _ in range(chance.randint(0, 3)):
            target = chance.randrange(len(graph.states))
            if graph.depths[target] <= graph.depths[source] + 1:
                graph.edges[source].append(edge(chance, target))
        unique = {(e.action, e.arguments): e for e in graph.edges[source]}
        new = list(unique.values())
        kept = {e.target for e in new}
        graph.edges[source] = new + [
            e._replace(arguments=(9, e.target)) for e in graph.edges[source] if e.target not in kept
        ]
    return graph


def all_shortest(graph: Graph, targets: Targets) -> list[tuple[tuple[int, ...], tuple[Edge, ...]]]:
    """Every shortest path to a target, by walking everything."""
    found = []

    def walk(states: tuple[int, ...], edges: tuple[Edge, ...]) -> None:
        for target in targets.nearest:
            if target.state == states[-1]:
                if target.step is None and len(edges) == targets.steps:
                    found.append((states, edges))
                if target.step is not None and len(edges) + 1 == targets.steps:
                    found.append((states, (*edges, target.step)))
        if len(edges) < targets.steps:
            for each in graph.edges[states[-1]]:
                walk((*states, each.target), (*edges, each))

    for state, depth in enumerate(graph.depths):
        if depth == 0:
            walk((state,), ())
    return found


def rank(graph: Graph, path: tuple[tuple[int, ...], tuple[Edge, ...]]) -> tuple:
    states, edges = path
    changes = sum(a.process != b.process for a, b in pairwise(edges))
    faults = sum(each.fault for each in edges)
    return changes, faults, graph.states[states[0]], [(e.action, e.arguments) for e in edges]


@pytest.mark.parametrize("seed", range(300))
def test_the_trace_is_the_least_of_all_shortest_ones(seed):
    chance = random.Random(seed)
    graph = random_graph(chance)
    targets = Targets()
    for _ in range(chance.randint(1, 4)):
        state = chance.randrange(len(graph.states))
        kind = chance.choice(["state", "step", "not taken"])
        step = None
        if kind == "step" and graph.edges[state]:
            step = chance.choice(graph.edges[state])
        elif kind == "not taken":
            step = edge(chance, NOT_TAKEN)._replace(arguments=(7,))
        targets.add(graph.depths[state], Target(state, step))
    path = shortest_path(graph, targets)
    best = min(all_shortest(graph, targets), key=lambda each: rank(graph, each))
    assert len(path.edges) == targets.steps
    assert rank(graph, (path.states, path.edges)) == rank(graph, best)
    assert path.target in targets.nearest
