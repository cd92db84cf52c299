"""What is judged state by state and step by step, while the search goes on.

Invariants and `reachable` in every state, step properties on every step, and,
whatever a check names, deadlock and the four errors. Only the nearest places
are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define

from modelcheck.core.frame import Failed, Frame, Meaning
from modelcheck.core.graph import NOT_TAKEN, Edge, Graph
from modelcheck.core.model import (
    ERROR_KINDS,
    Claim,
    Event,
    Invariant,
    Linearizable,
    Property,
    Reachable,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.semantics import Instance, Semantics
from modelcheck.core.targets import Target, Targets
from modelcheck.core.terms import Term
from modelcheck.core.values import State, Value, show


@define(eq=False)
class Errors:
    """Where each of the four errors was found."""

    kinds: dict[str, Targets]

    @classmethod
    def none(cls) -> Errors:
        return cls({kind: Targets() for kind in ERROR_KINDS})

    def add(self, depth: int, target: Target) -> None:
        """A target that has a failure, at a state of this depth."""
        assert target.failure is not None
        self.kinds[target.failure.kind].add(depth, target)

    def ask(
        self,
        holds: Meaning,
        frame: Frame,
        graph: Graph,
        state: int,
        where: str,
        step: Edge | None = None,
    ) -> bool | None:
        """Whether it holds in the frame; None, and an error at the state or step, if undefined."""
        try:
            return bool(holds(frame))
        except Failed as failed:
            self.add(graph.depths[state], Target(state, step, failed.failure, where))
            return None


class Safety:
    """The answers so far.

    violated   for each invariant and step property, by name, where it is violated
    witnessed  for each `reachable`, where it is satisfied
    unclear    names of properties that have no value somewhere
    """

    def __init__(self, semantics: Semantics) -> None:
        self.errors = Errors.none()
        self.deadlocks = Targets()
        self.unclear: set[str] = set()
        self.violated: dict[str, Targets] = {}
        self.witnessed: dict[str, Targets] = {}
        self._of_states: list[tuple[str, Meaning, Targets, bool]] = []
        self._of_steps: list[tuple[StepProperty, Meaning, Targets]] = []
        self._stops = None
        if semantics.model.stops is not None:
            self._stops = semantics.meanings.of(semantics.model.stops)
        for each in semantics.model.properties:
            self._prepare(each, semantics)
        self._steps_of = {
            action.name: self._judging(action.name) for action in semantics.model.actions
        }

    def _prepare(self, each: Property, semantics: Semantics) -> None:
        match each:
            case Invariant():
                targets = self.violated[each.name] = Targets()
                self._of_states.append((each.name, all_of(each.parts, semantics), targets, False))
            case Reachable():
                targets = self.witnessed[each.name] = Targets()
                self._of_states.append((each.name, all_of(each.parts, semantics), targets, True))
            case StepProperty():
                targets = self.violated[each.name] = Targets()
                self._of_steps.append((each, all_of(each.parts, semantics), targets))
            case Linearizable() | SequentiallyConsistent():
                targets = self.violated[each.name] = Targets()
                self._of_states.append((each.name, _has_order(each, semantics), targets, False))
            case _:
                pass  # judged on the whole graph

    def _judging(self, action: str) -> list[tuple[StepProperty, Event | None, Meaning, Targets]]:
        """The step properties that speak of the action's steps, with the event that names it."""
        return [
            (each, event, holds, targets)
            for each, holds, targets in self._of_steps
            for event in ((None,) if each.events is None else each.events)
            if event is None or event.action == action
        ]

    def is_found(self, name: str) -> bool:
        """Whether something was seen that decides a property, `deadlock` or an error."""
        if name == "deadlock":
            return bool(self.deadlocks)
        if name in self.errors.kinds:
            return bool(self.errors.kinds[name])
        return bool(self.violated.get(name) or self.witnessed.get(name))

    # --- seen by the search ---

    def see_state(self, graph: Graph, number: int) -> None:
        """A state that was just discovered."""
        frame, depth = Frame(graph.states[number], {}), graph.depths[number]
        for name, holds, targets, wanted in self._of_states:
            answer = self.errors.ask(holds, frame, graph, number, f"in `{name}`")
            if answer is None:
                self.unclear.add(name)
            elif answer == wanted:
                targets.add(depth, Target(number))

    def see_step(self, graph: Graph, source: int, name: str, edge: Edge) -> None:
        """A step that was taken, of the action `name`."""
        for each, event, holds, targets in self._steps_of[name]:
            if each.reads_result and not edge.result:
                continue
            frame = step_frame(graph.states[source], edge, graph.states[edge.target], event)
            answer = self.errors.ask(holds, frame, graph, source, f"in `{each.name}`", edge)
            if answer is None:
                self.unclear.add(each.name)
            elif not answer:
                targets.add(graph.depths[source], Target(source, edge))

    def see_failure(self, graph: Graph, source: int, instance: Instance, action: int) -> None:
        """An instance that cannot be taken, or of which it is not known whether it is enabled."""
        step, where = None, None
        if instance.enabled:
            fault = int(instance.action.fault)
            step = Edge(action, instance.arguments, fault, instance.process, NOT_TAKEN)
        else:
            where = f"in a guard of `{_shown(instance)}`"
        self.errors.add(graph.depths[source], Target(source, step, instance.failure, where))

    def see_rest(self, graph: Graph, number: int) -> None:
        """A state without a step of an action that changes anything."""
        if self._stops is not None:
            frame = Frame(graph.states[number], {})
            answer = self.errors.ask(self._stops, frame, graph, number, "in `stops when`")
            if answer is not False:
                return
        self.deadlocks.add(graph.depths[number], Target(number))


def _shown(instance: Instance) -> str:
    """The instance as a trace names it, with the arguments it has: `accept(Write(n1, 1, 1))`."""
    pairs = zip(instance.action.binders, instance.arguments, strict=False)
    arguments = ", ".join(show(binder.type, value) for binder, value in pairs)
    return f"{instance.action.name}({arguments})" if arguments else instance.action.name


def step_frame(before: State, edge: Edge, after: State, event: Event | None) -> Frame:
    """What a property of a step is evaluated in."""
    names: dict[str, Value] = {}
    if event is not None:
        for name, argument in zip(event.names, edge.arguments, strict=True):
            if name is not None:
                names[name] = argument
    return Frame(before, names, after, edge.result)


def _has_order(each: Claim, semantics: Semantics) -> Meaning:
    """Whether the operations so far can be put in an order."""
    tracker = semantics.tracker
    assert tracker is not None, "a model with a claim has a history"
    number = [claim.name for claim in tracker.claims].index(each.name)
    return lambda frame: not tracker.is_violated(frame.state[-1], number)  # type: ignore[arg-type]


def all_of(parts: Sequence[Term], semantics: Semantics) -> Meaning:
    """Whether all lines of a property hold, asked from the first to the last."""
    meanings = [semantics.meanings.of(part) for part in parts]
    if len(meanings) == 1:
        return meanings[0]
    return lambda frame: all(holds(frame) for holds in meanings)


def first_violated(parts: Sequence[Term], semantics: Semantics, frame: Frame) -> Term | None:
    """The first of the lines that is false; None if they are all true, or there is only one."""
    if len(parts) == 1:
        return None
    return next((part for part in parts if not semantics.meanings.of(part)(frame)), None)
