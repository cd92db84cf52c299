"""Whether a model, seen through a mapping, behaves as an abstract one allows.

Every initial state must be seen as an initial state there, and every step as a
step of some action or fault there, or as no change. The abstract file's fault
budgets do not count: the mapping says nothing about their counters. An instance
there that has no value, or leaves a type, is no step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve, frozen

from modelcheck.core.choices import domain_values
from modelcheck.core.conclude import NO_VALUE
from modelcheck.core.fits import misfit_failure
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.graph import Graph
from modelcheck.core.liveness import NoValue, View, first_broken
from modelcheck.core.model import Initial, Liveness, Model, Refinement
from modelcheck.core.obligations import CONSTRAINED, Broken, refined_liveness_found
from modelcheck.core.outcome import Found, Verdict
from modelcheck.core.search import Exploration
from modelcheck.core.semantics import Semantics, without_budgets
from modelcheck.core.shortest import shortest_path, trace_of
from modelcheck.core.targets import Target, Targets
from modelcheck.core.terms import Term
from modelcheck.core.trace import Trace
from modelcheck.core.values import State, Value, show, values_of
from modelcheck.core.variables import Variable


def judge_refinement(run: Exploration, each: Refinement, why_open: str | None) -> Found:
    """The finding; where it fails, the shortest trace, with the states as mapped."""
    abstract = Semantics(without_budgets(each.abstract))
    mapped = _map_all(run, each)
    if mapped is None:
        return Found(each.name, "refines", Verdict.UNDECIDED, reason=NO_VALUE)
    targets = _violations(run.graph, mapped, abstract)
    if targets:
        path = shortest_path(run.graph, targets)
        trace = trace_of(run.graph, path, run.semantics.model.actions)
        trace = evolve(trace, mapped=tuple(mapped[state] for state in path.states))
        where = path.target.where
        return Found(each.name, "refines", Verdict.FAILS, targets.steps, trace, reason=where)
    if why_open is not None:
        return Found(each.name, "refines", Verdict.UNDECIDED, reason=why_open)
    if each.liveness:
        return _judge_its_liveness(run, each, abstract, mapped)
    return Found(each.name, "refines", Verdict.HOLDS)


# --- mapped states -----------------------------------------------------------------


def _map_all(run: Exploration, each: Refinement) -> list[State] | None:
    """Every state as the abstract model sees it; None, and an error, where a term has no value."""
    mapped, complete = [], True
    for number, state in enumerate(run.graph.states):
        try:
            mapped.append(map_state(run.semantics, each, state))
        except Failed as failed:
            here = Target(number, None, failed.failure, f"in the mapping of `{each.name}`")
            run.safety.errors.add(run.graph.depths[number], here)
            complete = False
    return mapped if complete else None


def map_state(semantics: Semantics, each: Refinement, state: State) -> State:
    """The state as the abstract model sees it. Raises Failed where a term has no value."""
    variables = each.abstract.variables
    pairs = zip(variables, each.mapping, strict=True)
    return tuple(_entry(semantics, v, name, term, state) for v, (name, term) in pairs)


def _entry(
    semantics: Semantics, variable: Variable, name: str | None, term: Term, state: State
) -> Value:
    """The value of an abstract variable, or of every member's."""
    key = variable.owner.key
    if key is None:
        return semantics.evaluate(term, state)
    assert name is not None, "the mapping of a group's variable names the member"
    return tuple(semantics.evaluate(term, state, {name: member}) for member in values_of(key))


def mapped_misfit(abstract: Model, state: State) -> str | None:
    """Why a mapped state is no state of the abstract model, None if it is one."""
    for variable, value in zip(abstract.variables, state, strict=True):
        key = variable.owner.key
        copies: Any = [value] if key is None else value
        for number, copy in enumerate(copies):
            owner = variable.owner.name if key is None else show(key, values_of(key)[number])
            what = f"`{owner}.{variable.name}` of `{abstract.name}`"
            failure = misfit_failure(variable.type, copy, what, "would be", None)
            if failure is not None:
                return failure.reason
    return None


# --- steps -------------------------------------------------------------------------


def _violations(graph: Graph, mapped: Sequence[State], abstract: Semantics) -> Targets:
    """The nearest states and steps that the abstract model does not allow."""
    model = abstract.model
    targets = Targets()
    misfits: dict[State, str | None] = {}
    successors: dict[State, frozenset[State]] = {}
    starts = _Initial(abstract)
    for number, state in enumerate(mapped):
        depth = graph.depths[number]
        if targets.steps is not None and depth > targets.steps:
            break
        if state not in misfits:
            misfits[state] = mapped_misfit(model, state)
        if misfits[state] is not None:
            targets.add(depth, Target(number, where=misfits[state]))
            continue  # what it does next is not asked
        if depth == 0 and not starts.has(state):
            targets.add(0, Target(number, where=f"not an initial state of `{model.name}`"))
        for edge in graph.edges[number]:
            after = mapped[edge.target]
            if after == state:
                continue
            if after not in misfits:
                misfits[after] = mapped_misfit(model, after)
            if state not in successors:
                steps = (instance.after for instance in abstract.successors(state))
                successors[state] = frozenset(s for s in steps if s is not None)
            if misfits[after] is None and after not in successors[state]:
                targets.add(depth, Target(number, edge, where=f"not a step of `{model.name}`"))
    return targets


@frozen(eq=False)
class _Initial:
    """The abstract model's initial states, asked one by one and never listed: they may be many."""

    abstract: Semantics

    def has(self, state: State) -> bool:
        """Whether a state, whose values fit their types, is initial."""
        model, nowhere = self.abstract.model, Frame((), {})
        for variable, begins, entry in zip(model.variables, model.initial, state, strict=True):
            first = self._first_values(begins, nowhere)
            copies: Any = [entry] if variable.owner.key is None else entry
            if any(copy not in first for copy in copies):
                return False
        try:
            return all(self.abstract.evaluate(term, state) for term in model.init)
        except Failed:
            return False

    def _first_values(self, begins: Initial, nowhere: Frame) -> Any:
        of = self.abstract.meanings.of
        if begins.value is not None:
            return (of(begins.value)(nowhere),)
        assert begins.choice is not None
        return domain_values(begins.choice, of)(nowhere)


# --- liveness ----------------------------------------------------------------------


def _judge_its_liveness(
    run: Exploration, each: Refinement, abstract: Semantics, mapped: Sequence[State]
) -> Found:
    """The abstract model's liveness properties, on the runs of this one under its fairness."""
    if run.semantics.model.constraint is not None:
        return Found(each.name, "refines", Verdict.UNDECIDED, reason=CONSTRAINED)
    broken: list[tuple[str, Broken]] = []
    for claimed in abstract.model.properties:
        if isinstance(claimed, Liveness):
            name = f"{each.name}.{claimed.name}"
            view = View(mapped, abstract.meanings.of, f"in `{name}`")
            try:
                found = first_broken(run, claimed.obligations, view)
            except NoValue:
                return Found(each.name, "refines", Verdict.UNDECIDED, reason=NO_VALUE)
            if found is not None:
                broken.append((name, found))
    judged = refined_liveness_found(each, broken)
    if judged.trace is None:
        return judged
    return evolve(judged, trace=_with_mapped(run.semantics, each, judged.trace))


def _with_mapped(semantics: Semantics, each: Refinement, trace: Trace) -> Trace:
    return evolve(trace, mapped=tuple(map_state(semantics, each, state) for state in trace.states))
