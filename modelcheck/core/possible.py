"""`always possible P`: from every reachable state, actions alone can lead to P."""

from __future__ import annotations

from collections.abc import Iterable

from modelcheck.core.conclude import NO_VALUE
from modelcheck.core.frame import Frame
from modelcheck.core.graph import Graph
from modelcheck.core.model import AlwaysPossible
from modelcheck.core.outcome import Found, Verdict
from modelcheck.core.safety import all_of
from modelcheck.core.search import Exploration
from modelcheck.core.shortest import shortest_path, trace_of
from modelcheck.core.targets import Target, Targets


def judge_always_possible(run: Exploration, each: AlwaysPossible, why_open: str | None) -> Found:
    """The finding; where it fails, the shortest trace to a state from which P is out of reach.

    Beyond a constraint nothing is known: what is cut off counts as possible there.
    """
    if why_open is not None:
        return Found(each.name, "always possible", Verdict.UNDECIDED, reason=why_open)
    graph, holds = run.graph, all_of(each.parts, run.semantics)
    goals, everywhere = [], True
    for number, state in enumerate(graph.states):
        frame = Frame(state, {})
        answer = run.safety.errors.ask(holds, frame, graph, number, f"in `{each.name}`")
        everywhere = everywhere and answer is not None
        if answer or not graph.inside[number]:
            goals.append(number)
    if not everywhere:
        return Found(each.name, "always possible", Verdict.UNDECIDED, reason=NO_VALUE)
    possible = can_reach(graph, goals)
    targets = Targets()
    for number, depth in enumerate(graph.depths):
        if number not in possible:
            targets.add(depth, Target(number))
    if not targets:
        return Found(each.name, "always possible", Verdict.HOLDS)
    trace = trace_of(graph, shortest_path(graph, targets), run.semantics.model.actions)
    return Found(each.name, "always possible", Verdict.FAILS, targets.steps, trace)


def can_reach(graph: Graph, goals: Iterable[int]) -> set[int]:
    """The states from which a path of actions, without faults, leads to one of the goals."""
    before: list[list[int]] = [[] for _ in graph.states]
    for source, edges in enumerate(graph.edges):
        for edge in edges:
            if not edge.fault:
                before[edge.target].append(source)
    reached = set(goals)
    waiting = list(reached)
    while waiting:
        for source in before[waiting.pop()]:
            if source not in reached:
                reached.add(source)
                waiting.append(source)
    return reached
