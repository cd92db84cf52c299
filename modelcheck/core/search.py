"""Breadth first, level by level, over the semantics.

A level is all states of one depth. It is expanded as a whole: states are judged
when they are discovered, steps while their level is expanded. Between levels
the search asks whether it may end.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from attrs import Factory, define

from modelcheck.core.frame import Failed, Frame
from modelcheck.core.graph import Edge, Graph
from modelcheck.core.limits import Limits
from modelcheck.core.outcome import Failure, Stats
from modelcheck.core.progress import Progress, Snapshot
from modelcheck.core.safety import Safety
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State

_BETWEEN_REPORTS_SECONDS = 0.1


@define(eq=False)
class Exploration:
    """What a search has seen.

    depth       how many levels have states within the constraint
    outside     how many of the graph's states violate it
    no_initial  states of which `init` does not say whether they are initial, and why
    complete    every state was expanded
    limits      the limits that stopped it, as clauses
    """

    semantics: Semantics
    graph: Graph
    safety: Safety
    generated: int = 0
    depth: int = 0
    outside: int = 0
    no_initial: list[tuple[State, Failure]] = Factory(list)
    enabled: list[int] = Factory(list)
    complete: bool = False
    limits: tuple[str, ...] = ()
    started: float = Factory(time.monotonic)

    @property
    def distinct(self) -> int:
        return len(self.graph.states) - self.outside

    @property
    def stats(self) -> Stats:
        """The counts so far."""
        names = (action.name for action in self.semantics.model.actions)
        return Stats(
            self.distinct,
            self.generated,
            self.depth,
            tuple(zip(names, self.enabled, strict=True)),
            time.monotonic() - self.started,
        )


def explore(
    semantics: Semantics,
    limits: Limits,
    decided: Callable[[Exploration], bool],
    progress: Progress | None = None,
) -> Exploration:
    """The states reachable within the limits, judged; up to the level in which `decided` says so.

    decided  asked after every level: whether all that was asked for is known
    """
    safety = Safety(semantics)
    found = Exploration(semantics, Graph(), safety, enabled=[0] * len(semantics.model.actions))
    _Search(found, limits, decided, progress).run()
    return found


class _Search:
    def __init__(
        self,
        found: Exploration,
        limits: Limits,
        decided: Callable[[Exploration], bool],
        progress: Progress | None,
    ) -> None:
        self.found = found
        self.limits = limits
        self.decided = decided
        self.progress = progress
        self.reported = found.started
        self.level = range(0)
        self.expanded = 0
        self.numbers: dict[State, int] = {}
        model = found.semantics.model
        self.positions = {action.name: i for i, action in enumerate(model.actions)}
        self.constraint = None
        if model.constraint is not None:
            self.constraint = found.semantics.meanings.of(model.constraint)

    def run(self) -> None:
        """Level by level, until everything is known or a limit is met."""
        if not self._begin():
            return
        depth, level = 0, range(len(self.found.graph.states))
        while True:
            self.level = level
            if not any(self.found.graph.inside[number] for number in level):
                self.found.complete = True
                return
            if self.decided(self.found):
                return
            self._stop_between_levels(depth)
            if self.found.limits or not self._expand_level(level, depth):
                return
            depth, level = depth + 1, range(level.stop, len(self.found.graph.states))

    def _begin(self) -> bool:
        """Whether there was room and time for all initial states: there may be too many."""
        semantics, most = self.found.semantics, self.limits.states
        for state in semantics.combinations():
            if self._out_of_time():
                return False
            try:
                if not semantics.is_initial(state):
                    continue
            except Failed as failed:
                self.found.no_initial.append((state, failed.failure))
                continue
            if most is not None and self.found.distinct >= most:
                self.found.limits += (f"states: {most}",)
                return False
            self._discover(state, 0)
            self.found.generated += 1
        return True

    def _stop_between_levels(self, depth: int) -> None:
        states, steps = self.limits.states, self.limits.depth
        if states is not None and self.found.distinct >= states:
            self.found.limits += (f"states: {states}",)
        if steps is not None and depth >= steps:
            self.found.limits += (f"depth: {steps}",)

    def _expand_level(self, level: range, depth: int) -> bool:
        """Whether there was time to expand the whole level."""
        for number in level:
            self.expanded = number - level.start
            if self._out_of_time():
                return False
            if self.found.graph.inside[number]:
                self._expand(number, depth)
        return True

    def _out_of_time(self) -> bool:
        now = time.monotonic()
        if self.progress is not None and now - self.reported > _BETWEEN_REPORTS_SECONDS:
            self.reported = now
            self.progress(self._snapshot(now))
        seconds = self.limits.seconds
        if seconds is not None and now - self.found.started > seconds:
            self.found.limits += (f"seconds: {seconds:g}",)
            return True
        return False

    def _snapshot(self, now: float) -> Snapshot:
        found = self.found
        return Snapshot(
            found.distinct,
            found.generated,
            found.depth,
            len(self.level),
            self.expanded,
            0,
            now - found.started,
        )

    def _expand(self, number: int, depth: int) -> None:
        """All steps from a state."""
        found, graph = self.found, self.found.graph
        state, edges = graph.states[number], graph.edges[number]
        rests = True
        for instance in found.semantics.successors(state):
            action = self.positions[instance.action.name]
            if instance.enabled:
                found.generated += 1
                found.enabled[action] += 1
            if instance.after is None:
                found.safety.see_failure(graph, number, instance, action)
                # An action that cannot go on is reported as such, and not as a deadlock too.
                rests = rests and instance.action.fault
                continue
            target = self._discover(instance.after, depth + 1)
            fault = int(instance.action.fault)
            edge = Edge(
                action, instance.arguments, fault, instance.process, target, instance.result
            )
            edges.append(edge)
            rests = rests and (instance.action.fault or target == number)
            found.safety.see_step(graph, number, instance.action.name, edge)
        if rests:
            found.safety.see_rest(graph, number)

    def _discover(self, state: State, depth: int) -> int:
        """The state's number; it is judged if it is new."""
        known = self.numbers.get(state)
        if known is not None:
            return known
        graph, safety = self.found.graph, self.found.safety
        number = self.numbers[state] = graph.add(state, depth)
        constraint = self.constraint
        if constraint is not None:
            frame = Frame(state, {})
            inside = safety.errors.ask(constraint, frame, graph, number, "in `constraint`")
            if inside is not True:
                graph.inside[number] = False
                self.found.outside += 1
        if graph.inside[number]:
            self.found.depth = depth + 1
        safety.see_state(graph, number)
        return number
