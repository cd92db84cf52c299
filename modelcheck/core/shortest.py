"""The one trace that is shown, of all shortest ones.

Among the shortest paths to any of the targets: the fewest changes of the acting
process, then the fewest faults, then the least initial state, then step by step
the earliest action in the file with the least arguments. It depends on the
graph alone, not on the order in which the search met its edges.

Backwards along shortest paths, level by level, every state learns for each
process that may act there what the rest of the way costs if that process acts
next; then the trace walks forward, taking the least of the cheapest steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from attrs import frozen

from modelcheck.core.graph import NOT_TAKEN, Edge, Graph
from modelcheck.core.model import Action
from modelcheck.core.targets import Target, Targets
from modelcheck.core.trace import Process, Step, Trace

Cost: TypeAlias = tuple[int, int]
"""Changes of the acting process, and faults."""

Costs: TypeAlias = dict[Process | None, Cost]
"""By the process that acts next, None at the end of the way: the cost from here."""


@frozen(eq=False)
class Path:
    """A path in a graph: numbers of states, and the edges between them.

    target  what it leads to; if that is a step, it is the last edge
    """

    states: tuple[int, ...]
    edges: tuple[Edge, ...]
    target: Target


def shortest_path(graph: Graph, targets: Targets) -> Path:
    """The canonical one of the shortest paths from an initial state to one of the targets."""
    steps = targets.steps
    assert steps is not None and targets.nearest, "there is a target"
    ends: dict[int, Target] = {}
    last_steps: dict[int, list[tuple[Edge, Target]]] = {}
    for target in targets.nearest:
        if target.step is None:
            ends.setdefault(target.state, target)
        else:
            last_steps.setdefault(target.state, []).append((target.step, target))
    costs = _costs(graph, graph.levels(steps), ends, last_steps)
    return _walk(graph, costs, ends, last_steps, steps)


_Steps: TypeAlias = dict[int, list[tuple[Edge, Target]]]


def _costs(
    graph: Graph, levels: Sequence[range], ends: dict[int, Target], last_steps: _Steps
) -> dict[int, Costs]:
    """For every state on a shortest path to a target."""
    costs: dict[int, Costs] = {state: {None: (0, 0)} for state in ends}
    for state, final in last_steps.items():
        for edge, _ in final:
            _offer(costs, state, edge, (0, 0))
    for depth in range(len(levels) - 2, -1, -1):
        for state in levels[depth]:
            for edge in graph.edges[state]:
                if graph.depths[edge.target] == depth + 1 and edge.target in costs:
                    _offer(costs, state, edge, _rest(costs[edge.target], edge.process))
    return costs


def _offer(costs: dict[int, Costs], state: int, edge: Edge, rest: Cost) -> None:
    cost = (rest[0], rest[1] + edge.fault)
    here = costs.setdefault(state, {})
    known = here.get(edge.process)
    if known is None or cost < known:
        here[edge.process] = cost


def _rest(costs: Costs, acted: Process | None) -> Cost:
    """The least cost from a state to which a step of `acted` has led; None: no step."""
    return min(
        (changes + (acted is not None and process is not None and process != acted), faults)
        for process, (changes, faults) in costs.items()
    )


def _walk(
    graph: Graph,
    costs: dict[int, Costs],
    ends: dict[int, Target],
    last_steps: _Steps,
    steps: int,
) -> Path:
    starts = [state for state in costs if graph.depths[state] == 0]
    state = min(starts, key=lambda s: (_rest(costs[s], None), graph.states[s], s))
    states, edges = [state], list[Edge]()
    acted: Process | None = None
    while state not in ends:
        edge, target = _next_step(graph, costs, last_steps, state, acted, steps - len(edges))
        edges.append(edge)
        if edge.target != NOT_TAKEN:
            states.append(edge.target)
        if target is not None:
            return Path(tuple(states), tuple(edges), target)
        state, acted = edge.target, edge.process
    return Path(tuple(states), tuple(edges), ends[state])


def _next_step(
    graph: Graph,
    costs: dict[int, Costs],
    last_steps: _Steps,
    state: int,
    acted: Process | None,
    left: int,
) -> tuple[Edge, Target | None]:
    """The least of the cheapest steps from a state, and the target if it is one."""
    wanted = _rest(costs[state], acted)
    depth = graph.depths[state]
    candidates: list[tuple[Edge, Target | None]] = []
    if left == 1:
        candidates += [c for c in last_steps.get(state, []) if _price(c[0], acted) == wanted]
    for edge in graph.edges[state]:
        if edge.target in costs and graph.depths[edge.target] == depth + 1:
            changes, faults = _rest(costs[edge.target], edge.process)
            change, fault = _price(edge, acted)
            if (changes + change, faults + fault) == wanted:
                candidates.append((edge, None))
    return min(candidates, key=lambda c: (c[0].action, c[0].arguments, c[0].target))


def _price(edge: Edge, acted: Process | None) -> Cost:
    return (int(acted is not None and edge.process != acted), edge.fault)


def trace_of(graph: Graph, path: Path, actions: Sequence[Action], loop: int | None = None) -> Trace:
    """The path as a trace of the model whose actions these are."""
    return Trace(
        tuple(graph.states[state] for state in path.states),
        tuple(step_of(edge, actions) for edge in path.edges),
        loop,
    )


def step_of(edge: Edge, actions: Sequence[Action]) -> Step:
    """The edge as a step of a trace."""
    return Step(actions[edge.action], edge.arguments, edge.process, edge.result)
