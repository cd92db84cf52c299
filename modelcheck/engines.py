"""Joins the engines: the native one searches, the referee judges what it leaves open.

Invariants, step properties, `reachable`, deadlock and the four errors come from
the native search, `always possible`, `refines` and liveness from native passes
over the states that it has found. What those cannot take is judged by the
referee's code, on the graph that the search has found: its states and steps,
none of them recomputed.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from modelcheck.compile import record
from modelcheck.compile.layout import Unsupported
from modelcheck.core import referee
from modelcheck.core.conclude import conclude
from modelcheck.core.graph import NOT_TAKEN, Edge, Graph
from modelcheck.core.limits import Limits
from modelcheck.core.liveness import judge_liveness
from modelcheck.core.model import (
    ERROR_KINDS,
    AlwaysPossible,
    Check,
    ErrorKind,
    Liveness,
    Property,
    Refinement,
)
from modelcheck.core.outcome import Found, FoundKind, Outcome, Verdict
from modelcheck.core.possible import judge_always_possible
from modelcheck.core.progress import Progress
from modelcheck.core.refinement import judge_refinement, map_state, mapped_misfit
from modelcheck.core.safety import Safety
from modelcheck.core.search import Exploration
from modelcheck.core.semantics import Semantics
from modelcheck.core.shortest import shortest_path, trace_of
from modelcheck.core.targets import Target, Targets
from modelcheck.explore.engine import Run, Settings
from modelcheck.explore.judge import Judge, Late
from modelcheck.explore.probe import Seen

MOST_GRAPH_STATES = 200_000
"""The referee holds a graph in memory, and goes over it in Python."""


def native(
    check: Check,
    limits: Limits,
    settings: Settings,
    progress: Progress | None = None,
) -> Outcome:
    """The outcome, by the native engine; by the referee, with a warning, where it cannot."""
    try:
        run = Run(check, limits, settings, progress)
        return _outcome(run)
    except Unsupported as unsupported:
        outcome = referee.check(check, limits, settings.keep_going, progress)
        warning = f"searched by the slow engine: the fast one cannot take {unsupported.what}"
        return evolve(outcome, warnings=(*outcome.warnings, warning))


def _outcome(run: Run) -> Outcome:
    found = list(_all_found(run))
    explored = run.explored
    return conclude(
        run.check,
        tuple(found),
        run.stats,
        complete=explored.complete,
        limits=explored.limits,
        outside=explored.counts.outside,
    )


def _all_found(run: Run) -> Iterator[Found]:
    """For every property, for deadlock if it is judged, and for the errors."""
    answers = run.found()
    properties = run.model.properties
    left = [p for p, a in zip(properties, answers, strict=True) if a is None]
    judge = Judge(run) if left else None
    whole = _whole(run, left, judge)
    if whole is not None and judge is not None and (judge.errors or not _has_all(judge, left)):
        judge = None  # errors of both would have to be told from each other
    for each, answer in zip(properties, answers, strict=True):
        yield answer if answer is not None else _of_graph(run, judge, whole, each)
    deadlock = run.deadlock()
    if deadlock is not None:
        yield deadlock
    for kind in ERROR_KINDS:
        if whole is None:
            yield run.error(kind) if judge is None else judge.error(kind)
        else:
            found = whole.error(kind)
            yield found if judge is None else judge.unless_cut(found)


def _has_all(judge: Judge, left: list[Property]) -> bool:
    return all(each.name in judge.found for each in left)


def _whole(run: Run, left: list[Property], judge: Judge | None) -> _Whole | None:
    """The graph, if it can say anything that is not known, and is not too large."""
    if run.explored.levels.states > MOST_GRAPH_STATES:
        return None
    for each in left:
        missing = judge is None or each.name not in judge.found
        if missing and (run.why_open is None or isinstance(each, Refinement)):
            return _Whole(run)
    return None


_KINDS: dict[type, FoundKind] = {
    Liveness: "liveness",
    AlwaysPossible: "always possible",
    Refinement: "refines",
}


def _of_graph(run: Run, judge: Judge | None, whole: _Whole | None, each: Property) -> Found:
    late = None if judge is None else judge.found.get(each.name)
    if late is not None:
        return _told(run, each, late) if isinstance(each, Refinement) else late.found
    if whole is None:
        reason = run.why_open
        if reason is None:
            reason = f"this version decides it on graphs of up to {MOST_GRAPH_STATES:,} states"
        return Found(each.name, _KINDS[type(each)], Verdict.UNDECIDED, reason=reason)
    return whole.judge(each)


def _told(run: Run, each: Refinement, late: Late) -> Found:
    """With the trace's states as mapped, and what is wrong with the last of them."""
    found, name = late.found, each.abstract.name
    if found.trace is None:
        return found
    semantics = Semantics(run.model)
    mapped = tuple(map_state(semantics, each, state) for state in found.trace.states)
    reason = f"not a step of `{name}`"
    if late.last == "state":
        reason = mapped_misfit(each.abstract, mapped[-1]) or f"not an initial state of `{name}`"
    return evolve(found, trace=evolve(found.trace, mapped=mapped), reason=reason)


class _Whole:
    """The graph that a search has found, as the referee knows one."""

    def __init__(self, run: Run) -> None:
        self.run = run
        semantics = Semantics(run.model)
        self.exploration = Exploration(semantics, Graph(), Safety(semantics))
        self.exploration.complete = run.explored.complete
        self._read()

    def _read(self) -> None:
        run, graph = self.run, self.exploration.graph
        levels = run.explored.levels
        codes: list[int] = []
        for depth in range(len(levels)):
            for code in run.codes(depth):
                codes.append(code)
                state = run.prepared.lowered.layout.unpack(code)
                graph.add(state, depth, inside=run.is_inside(code))
        numbers = {code: number for number, code in enumerate(codes)}
        last = len(levels) - (0 if run.explored.complete else 1)
        self.expanded = last
        for number, code in enumerate(codes):
            if graph.depths[number] < last and graph.inside[number]:
                graph.edges[number] = [
                    self._edge(seen, numbers[seen.code])
                    for seen in run.probe.steps(code)
                    if seen.what == record.TAKEN and seen.code is not None
                ]

    def _edge(self, seen: Seen, target: int) -> Edge:
        fault = int(self.run.model.actions[seen.number].fault)
        return Edge(seen.number, seen.arguments, fault, seen.process, target, seen.result)

    def judge(self, each: Property) -> Found:
        """The finding of a property of the whole graph."""
        exploration, open_ = self.exploration, self.run.why_open
        match each:
            case Liveness():
                return judge_liveness(exploration, each, open_)
            case AlwaysPossible():
                return judge_always_possible(exploration, each, open_)
            case Refinement():
                return judge_refinement(exploration, each, open_)
            case _:
                raise AssertionError(each)

    def error(self, kind: ErrorKind) -> Found:
        """The finding of an error, whoever has come upon it."""
        late = self.exploration.safety.errors.kinds[kind]
        found = self.run.error(kind)
        if not late:
            return found
        assert late.steps is not None
        if found.steps is not None and found.steps < late.steps:
            return found
        targets = late
        if found.steps == late.steps:
            if found.reason == "in `init`":
                return found
            targets = self._met(kind, late.steps)
            for target in late.nearest:
                targets.add(self.exploration.graph.depths[target.state], target)
        path = shortest_path(self.exploration.graph, targets)
        trace = trace_of(self.exploration.graph, path, self.run.model.actions)
        return Found(
            kind,
            kind,
            Verdict.FAILS,
            targets.steps,
            trace,
            failure=path.target.failure,
            reason=path.target.where,
        )

    def _met(self, kind: ErrorKind, steps: int) -> Targets:
        """Where the search came upon the error, so many steps away."""
        graph, targets = self.exploration.graph, Targets()
        for number, state in enumerate(graph.states):
            depth = graph.depths[number]
            if depth == steps:
                expanded = depth < self.expanded
                for seen, where in self.run.failures_at(state, expanded=expanded):
                    if seen.failure is not None and seen.failure.kind == kind:
                        targets.add(depth, Target(number, None, seen.failure, where))
            elif depth == steps - 1 and graph.inside[number]:
                self._add_steps(kind, number, targets)
        return targets

    def _add_steps(self, kind: ErrorKind, number: int, targets: Targets) -> None:
        graph, run = self.exploration.graph, self.run
        depth, pending = graph.depths[number], list[Seen]()
        for seen in run.probe.steps(graph.states[number]):
            if seen.what == record.STEP_PROPERTY:
                pending.append(seen)
            elif seen.what == record.NOT_TAKEN:
                if seen.failure is not None and seen.failure.kind == kind:
                    edge = self._edge(seen, NOT_TAKEN)
                    targets.add(depth, Target(number, edge, seen.failure))
            elif seen.what == record.TAKEN:
                edge = next(
                    e
                    for e in graph.edges[number]
                    if (e.action, e.arguments) == (seen.number, seen.arguments)
                )
                for each in pending:
                    if each.failure is not None and each.failure.kind == kind:
                        assert each.property is not None
                        where = f"in `{run.model.properties[each.property].name}`"
                        targets.add(depth, Target(number, edge, each.failure, where))
                pending.clear()
