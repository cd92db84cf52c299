"""Whether what a property speaks of ever came up, line by line.

`forall n: A implies B` says nothing if A is never true, `forall m in inbox: B`
nothing if the inbox is always empty, `step P on a(x)` nothing if `a` never
happens, and `p ~> q` nothing without p. Where B is true everywhere, A says
nothing. `antecedent` has the questions; here they are asked of a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from modelcheck.core.antecedent import Line, lines_of
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.graph import Edge
from modelcheck.core.model import Event, Property, StepProperty
from modelcheck.core.outcome import Said
from modelcheck.core.safety import step_frame
from modelcheck.core.search import Exploration
from modelcheck.core.terms import Term

_Frames: TypeAlias = Callable[[], Iterable[Frame]]


def what_was_said(run: Exploration, each: Property) -> tuple[Said, ...]:
    """For each line of the property, what came up of it in the states and steps seen."""

    def frames() -> Iterator[Frame]:
        return _steps(run, each) if isinstance(each, StepProperty) else _states(run)

    return tuple(_said(run, line, frames) for line in lines_of(each))


def _said(run: Exploration, line: Line, frames: _Frames) -> Said:
    chosen = line.chosen is None or _ever(run, line.chosen, True, frames)
    if line.triggered is not None:
        triggered = _ever(run, line.triggered, True, frames)
    elif line.chosen is not None:
        triggered = chosen
    else:  # it speaks wherever it is judged: of a step, if there is one
        triggered = next((True for _ in frames()), False)
    needed = line.stronger is None or _ever(run, line.stronger, False, frames)
    return Said(chosen, triggered, needed)


def _ever(run: Exploration, term: Term, wanted: bool, frames: _Frames) -> bool:
    """Whether it had the wanted value somewhere; to have none is not to be true."""
    holds = run.semantics.meanings.of(term)
    for frame in frames():
        try:
            value = bool(holds(frame))
        except Failed:
            value = False
        if value is wanted:
            return True
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
