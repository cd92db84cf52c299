"""Joins bounded search and the referee: what the solver found is a run, or it is not told.

The solver names states. Here every run is taken again, step by step, by the
meaning itself: that gives the steps their names, and a mistake in the formulas
cannot become a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import define, evolve, field

from modelcheck.core.conclude import conclude
from modelcheck.core.expectations import judges_deadlock
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.graph import Edge, Graph
from modelcheck.core.model import (
    ERROR_KINDS,
    AlwaysPossible,
    Check,
    Invariant,
    Linearizable,
    Liveness,
    Model,
    Property,
    Reachable,
    Refinement,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import Found, FoundKind, Outcome, Stats, Verdict
from modelcheck.core.safety import Safety
from modelcheck.core.search import Exploration
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State
from modelcheck.core.verdicts import Case, find_all
from modelcheck.prove import bounded
from modelcheck.prove.bounded import JUDGED, Bounded, Met
from modelcheck.prove.solver import Settings
from modelcheck.prove.symbols import Unsupported

_KINDS: dict[type, FoundKind] = {
    Invariant: "invariant",
    StepProperty: "step",
    Reachable: "reachable",
    AlwaysPossible: "always possible",
    Liveness: "liveness",
    Refinement: "refines",
    Linearizable: "linearizable",
    SequentiallyConsistent: "sequentially consistent",
}


class NotARun(Exception):
    """The solver's run is none of the model's, or leads to something else: a bug of ours.

    name    what it was to show
    reason  a clause
    """

    def __init__(self, name: str, states: tuple[State, ...], reason: str) -> None:
        super().__init__(f"the solver's run to `{name}` {reason}")
        self.name, self.states, self.reason = name, states, reason


def check(
    check: Check,
    most: int,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
    seconds: float | None = None,
) -> Outcome:
    """What runs of up to `most` steps show: never that something holds.

    Where the encoding has no formula for the model, that is why nothing is decided. Raises NotARun
    where the formulas are wrong.

    progress  called with the steps that are done, of how many
    seconds   for all of it; `settings` has those for one question
    """
    try:
        found = bounded.search(check, most, settings or Settings(), progress, seconds)
    except Unsupported as unsupported:
        reason = f"the encoding has no formula for {unsupported.what}"
        return outcome(check, Bounded(-1, {}, {}), reason)
    return outcome(check, found)


def outcome(check: Check, found: Bounded, nothing: str = "the time was up") -> Outcome:
    """The outcome of a bounded search, with traces. Raises NotARun.

    nothing  a clause: why not even initial states were asked for, if so
    """
    told = retraced(check.model, found.met)
    said = tuple(
        told.get(name)
        or Found(name, kind, Verdict.UNDECIDED, reason=_open(name, kind, found) or nothing)
        for name, kind in _asked(check)
    )
    stats = Stats(0, 0, 0, (), found.seconds)
    return conclude(check, said, stats, complete=False, limits=found.limits, outside=0)


def _asked(check: Check) -> list[tuple[str, FoundKind]]:
    """Name and kind of what an outcome has a finding for, in order."""
    names: list[tuple[str, FoundKind]] = [
        (each.name, _KINDS[type(each)]) for each in check.model.properties
    ]
    if judges_deadlock(check):
        names.append(("deadlock", "deadlock"))
    return names + [(kind, kind) for kind in ERROR_KINDS]


def _open(name: str, kind: FoundKind, found: Bounded) -> str | None:
    """Why nothing is known of a property; None if nothing was asked."""
    if kind in ("always possible", "liveness", "refines"):
        return "a bounded search says nothing of it"
    if name in found.unsolved:
        steps, reason = found.unsolved[name]
        return f"of runs of {steps} steps nothing is known: {reason}"
    return None if found.steps < 0 else f"bounded {found.steps}"


def retraced(model: Model, met: Mapping[str, Met]) -> dict[str, Found]:
    """A finding, with its trace, for all that the runs lead to. Raises NotARun."""
    properties: list[Property] = [e for e in model.properties if isinstance(e, JUDGED)]
    semantics = Semantics(evolve(model, properties=tuple(properties)))
    walk = _Walk(semantics, met)
    walk.run()
    found = find_all(Case(walk.seen, "only some runs were taken"), deadlock=True)
    told = {each.name: evolve(each, said=()) for each in found if each.trace is not None}
    for name, each in met.items():
        steps = told[name].steps if name in told else None
        if steps != each.steps:
            came = "shows nothing" if steps is None else f"shows it after {steps} steps"
            raise NotARun(name, each.states, f"of {each.steps} steps {came}")
    return {name: told[name] for name in met}


@define(eq=False)
class _Walk:
    """The solver's runs, taken together, and what there is to be seen on them.

    Runs are shortest, so a state has one place in all of them: the number of steps to it.
    """

    semantics: Semantics
    met: Mapping[str, Met]
    seen: Exploration = field(init=False)
    _numbers: dict[State, int] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        names = self.semantics.model.actions
        safety = Safety(self.semantics)
        self.seen = Exploration(self.semantics, Graph(), safety, enabled=[0] * len(names))

    def run(self) -> None:
        """Level by level."""
        longest = max((len(each.states) for each in self.met.values()), default=0)
        for depth in range(longest):
            level: dict[State, str] = {}
            for name, each in self.met.items():
                if depth < len(each.states):
                    level.setdefault(each.states[depth], name)
            for state, name in level.items():
                self._arrive(state, depth, name)
            for state in level:
                self._leave(state, depth)

    def _arrive(self, state: State, depth: int, name: str) -> None:
        """Judge a state that a run has come to."""
        if depth == 0 and not self._begins(state, name):
            return
        number, graph = self._numbers.get(state), self.seen.graph
        if number is None or graph.depths[number] != depth:
            where = "is not in the model" if number is None else "has a detour"
            raise NotARun(name, self.met[name].states, f"{where} at step {depth}")
        constraint = self.semantics.model.constraint
        if constraint is not None:
            holds, frame = self.semantics.meanings.of(constraint), Frame(state, {})
            inside = self.seen.safety.errors.ask(holds, frame, graph, number, "in `constraint`")
            graph.inside[number] = inside is True
        self.seen.safety.see_state(graph, number)

    def _begins(self, state: State, name: str) -> bool:
        """Whether `init` has a value for a first state, which is then known."""
        if all(each != state for each in self.semantics.combinations()):
            raise NotARun(name, self.met[name].states, "does not begin as the variables do")
        try:
            initial = self.semantics.is_initial(state)
        except Failed as failed:
            self.seen.no_initial.append((state, failed.failure))
            return False
        if not initial:
            raise NotARun(name, self.met[name].states, "does not begin in an initial state")
        self._numbers[state] = self.seen.graph.add(state, 0)
        return True

    def _leave(self, state: State, depth: int) -> None:
        """All steps from a state, judged."""
        number, graph, safety = self._numbers.get(state), self.seen.graph, self.seen.safety
        if number is None or not graph.inside[number]:
            return
        rests, positions = True, [each.name for each in self.semantics.model.actions]
        for each in self.semantics.successors(state):
            action, fault = positions.index(each.action.name), each.action.fault
            if each.after is None:
                safety.see_failure(graph, number, each, action)
                rests = rests and fault
                continue
            target = self._numbers.get(each.after)
            if target is None:
                target = self._numbers[each.after] = graph.add(each.after, depth + 1)
            edge = Edge(action, each.arguments, int(fault), each.process, target, each.result)
            graph.edges[number].append(edge)
            rests = rests and (fault or target == number)
            safety.see_step(graph, number, each.action.name, edge)
        if rests:
            safety.see_rest(graph, number)
