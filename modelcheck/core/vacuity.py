"""Whether what a property speaks of ever came up.

`forall n: A implies B` says nothing if A is never true, `step P on a(x)` says
nothing if `a` never happens, and `p ~> q` nothing without p. A property is
*triggered* if for one of its lines the condition came up, or has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from modelcheck.core.antecedent import antecedent
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.graph import Edge
from modelcheck.core.model import Event, Invariant, Liveness, StepProperty
from modelcheck.core.safety import step_frame
from modelcheck.core.search import Exploration
from modelcheck.core.terms import Exists, Term


def is_triggered(run: Exploration, each: Invariant | StepProperty | Liveness) -> bool:
    """Whether in the states and steps seen the property had something to say."""
    match each:
        case Invariant():
            conditions = [antecedent(part) for part in each.parts]
            return _is_any_true(run, conditions, _states(run))
        case StepProperty():
            conditions = [antecedent(part) for part in each.parts]
            return _is_any_true(run, conditions, _steps(run, each))
        case Liveness():
            premises = [
                None
                if obligation.premise is None
                else Exists(obligation.binders, obligation.premise)
                if obligation.binders
                else obligation.premise
                for obligation in each.obligations
            ]
            return None in premises or _is_any_true(run, premises, _states(run))


def _is_any_true(run: Exploration, terms: list[Term | None], frames: Iterable[Frame]) -> bool:
    conditions = [None if term is None else run.semantics.meanings.of(term) for term in terms]
    for frame in frames:
        for holds in conditions:
            try:
                if holds is None or holds(frame):
                    return True
            except Failed:
                continue  # reported as an error by whoever judged the property
    return False


def _states(run: Exploration) -> Iterator[Frame]:
    return (Frame(state, {}) for state in run.graph.states)


def _steps(run: Exploration, each: StepProperty) -> Iterator[Frame]:
    """The steps that the property speaks of."""
    events: dict[int, list[Event | None]] = {}
    for number, action in enumerate(run.semantics.model.actions):
        named = [e for e in each.events or () if e.action == action.name]
        events[number] = [None] if each.events is None else [*named]
    graph = run.graph
    for source, edges in enumerate(graph.edges):
        for edge in edges:
            if each.reads_result and not edge.result:
                continue
            for event in events[edge.action]:
                yield _frame(run, source, edge, event)


def _frame(run: Exploration, source: int, edge: Edge, event: Event | None) -> Frame:
    return step_frame(run.graph.states[source], edge, run.graph.states[edge.target], event)
