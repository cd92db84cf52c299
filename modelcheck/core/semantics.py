"""THE meaning of a model: its initial states, and the steps from any state.

Slow and obvious on purpose. Whatever another engine says about a model, this
file and the ones it stands on (`meaning`, `statements`, `writing`) decide who
is right.

A step of an action is a choice of arguments for which every `where` and every
guard holds: then the instance is *enabled*. Its updates give the next state, or
a failure: then it is reported and not taken. An evaluation that fails before
the last guard has decided is reported too, but that instance is not enabled.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from attrs import evolve

from modelcheck.core.choices import acceptance, domain_values
from modelcheck.core.events import Event
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.linearizing import BEGIN, tracker_of
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Action, Initial, Model
from modelcheck.core.outcome import Failure
from modelcheck.core.statements import Statements, Written, guard_meaning
from modelcheck.core.terms import Guard, Term
from modelcheck.core.trace import Process, Step
from modelcheck.core.types import Range
from modelcheck.core.values import State, Value, cardinality, key_positions
from modelcheck.core.variables import Owner, Variable
from modelcheck.core.writing import reset, write_all


class Instance(NamedTuple):
    """An action with arguments at a state.

    after    the next state; None if the step cannot be taken
    failure  why it cannot, or why it is not known whether it is enabled
    enabled  False only where evaluation failed before the last guard had decided; `arguments`
             are then those that had been chosen
    """

    action: Action
    arguments: tuple[Value, ...]
    process: Process
    after: State | None
    result: tuple[Value, ...] = ()
    failure: Failure | None = None
    enabled: bool = True


class Semantics:
    """A model with the meanings of its terms built."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.meanings = Meanings()
        history = model.history
        self.tracker = None if history is None else tracker_of(history)
        self.statements = Statements(self.meanings, self.tracker)
        self._processes: dict[tuple[str, Value | None], Process] = {}
        self._actions = [_Steps(action, self) for action in model.actions]
        self._initial = [
            self._first_values(variable, first)
            for variable, first in zip(model.variables, model.initial, strict=True)
        ]
        self._filters = [self.meanings.of(term) for term in model.init]

    # --- states ---

    def initial_states(self) -> Iterator[tuple[State, Failure | None]]:
        """The initial states, ascending; with a failure where `init` has no value: not initial."""
        for state in self.combinations():
            try:
                if self.is_initial(state):
                    yield state, None
            except Failed as failed:
                yield state, failed.failure

    def combinations(self) -> Iterator[State]:
        """Every combination of first values, ascending: what `init` filters, one at a time."""
        counters = tuple(0 for _ in self.model.counters)
        history = () if self.tracker is None else (BEGIN,)
        owners = [variable.owner for variable in self.model.variables]
        copies = [None if owner.key is None else cardinality(owner.key) for owner in owners]
        slots: list[list[Value]] = []
        for values, count in zip(self._initial, copies, strict=True):
            slots += [values] if count is None else [values] * count
        for chosen in product(*slots):
            rest = iter(chosen)
            entries = (next(rest) if n is None else tuple(islice(rest, n)) for n in copies)
            yield (*entries, *counters, *history)

    def is_initial(self, state: State) -> bool:
        """Whether `init` lets the combination pass. Raises Failed."""
        return all(accept(Frame(state, {})) for accept in self._filters)

    def _first_values(self, variable: Variable, first: Initial) -> list[Value]:
        """Every value that the variable, or one member's, can have at first, ascending."""
        if first.value is not None:
            return [self.meanings.of(first.value)(Frame((), {}))]
        assert first.choice is not None, f"{variable.full_name} has no initial value"
        return sorted(domain_values(first.choice, self.meanings.of)(Frame((), {})))

    # --- steps ---

    def successors(self, state: State) -> Iterator[Instance]:
        """Every enabled instance and every failed evaluation, by action, then by arguments."""
        for steps in self._actions:
            yield from steps.at(state)

    def events(self, state: State, step: Step) -> list[Event]:
        """The calls and returns of a step of a run, in their order."""
        for steps in self._actions:
            if steps.action.name == step.action.name:
                return steps.events(state, step.arguments)
        raise KeyError(step.action.name)

    def after(self, state: State, written: Written) -> State:
        """The state after the writes, before fault counters move. Raises Failed."""
        for owner, member in written.lost:
            state = self._forget(state, owner, member)
        state = write_all(state, written.writes)
        return state if written.history is None else (*state[:-1], written.history)

    def _forget(self, state: State, owner: Owner, member: Value | None) -> State:
        for variable, first in zip(self.model.variables, self.model.initial, strict=True):
            if variable.volatile and variable.owner.name == owner.name:
                assert first.value is not None, "a volatile variable has one initial value"
                initial = self.meanings.of(first.value)(Frame((), {}))
                state = reset(state, variable.position, _slots(owner, member), initial)
        return state

    # --- names ---

    def process(self, owner: str, member: Value | None = None) -> Process:
        """The one object for this process."""
        key = (owner, member)
        if key not in self._processes:
            self._processes[key] = Process(owner, member)
        return self._processes[key]

    def evaluate(self, term: Term, state: State, names: dict[str, Value] | None = None) -> Value:
        """The value of a term that speaks of one state. Raises Failed."""
        value: Value = self.meanings.of(term)(Frame(state, dict(names or {})))
        return value


def _slots(owner: Owner, member: Value | None) -> Sequence[int] | None:
    if owner.key is None:
        return None
    positions = key_positions(owner.key)
    return list(positions.values()) if member is None else [positions[member]]


class _Steps:
    """One action's steps: its header, its guards, its updates."""

    def __init__(self, action: Action, semantics: Semantics) -> None:
        self.action = action
        self.semantics = semantics
        of = semantics.meanings.of
        self.names = [binder.name for binder in action.binders]
        self.header = [
            (binder.name, domain_values(binder.domain, of), acceptance(binder, of))
            for binder in action.binders
        ]
        last = max((i for i, s in enumerate(action.body) if isinstance(s, Guard)), default=-1)
        guards = action.body[: last + 1]
        self.guards = [guard_meaning(each, semantics.meanings) for each in guards]
        self.updates = semantics.statements.block(action.body[last + 1 :])
        self.lane = _lane(action, semantics.model)
        keys = {o.name: o.key for o in semantics.model.owners if o.key is not None}
        self.members: Container[Value] = key_positions(keys[self.lane]) if self.lane in keys else ()

    def at(self, state: State) -> Iterator[Instance]:
        """The action's instances at a state."""
        action = self.action
        if action.at_most is not None:
            assert action.counter is not None
            if state[action.counter] >= action.at_most:  # type: ignore[operator]
                return
        frame = Frame(state, {})
        for bound, failure in self._choose(frame, 0):
            if failure is None:
                try:
                    if not self._is_enabled(frame):
                        continue
                except Failed as failed:
                    failure = failed.failure
            arguments = tuple([frame.names[name] for name in self.names[:bound]])
            if failure is None:
                yield self._step(frame, arguments)
            else:
                yield self._failed(arguments, failure)

    def events(self, state: State, arguments: tuple[Value, ...]) -> list[Event]:
        """What happens to operations in the enabled instance with these arguments."""
        frame, written = Frame(state, {}), Written()
        for (name, _, accept), value in zip(self.header, arguments, strict=True):
            frame.names[name] = value
            if accept is not None:
                accept(frame)  # it binds names
        self._is_enabled(frame)  # so do guards
        with contextlib.suppress(Failed):  # a step that is not taken
            self.updates(frame, written)
        return written.events

    def _is_enabled(self, frame: Frame) -> bool:
        for guard in self.guards:  # noqa: SIM110  (asked for every choice: no generator)
            if not guard(frame):
                return False
        return True

    def _choose(self, frame: Frame, depth: int) -> Iterator[tuple[int, Failure | None]]:
        """All choices of the header from binder `depth` on: how many names are bound, or a failure.

        As `choices`, except that a failure ends only the choice it belongs to.
        """
        if depth == len(self.header):
            yield depth, None
            return
        name, domain, accept = self.header[depth]
        try:
            values = domain(frame)
        except Failed as failed:
            yield depth, failed.failure
            return
        for value in values:
            frame.names[name] = value
            try:
                accepted = accept is None or accept(frame)
            except Failed as failed:
                yield depth + 1, failed.failure
                continue
            if accepted:
                yield from self._choose(frame, depth + 1)

    def _step(self, frame: Frame, arguments: tuple[Value, ...]) -> Instance:
        """The enabled instance whose arguments are in the frame."""
        written = Written()
        after, failure = None, None
        try:
            self.updates(frame, written)
            after = self._counted(self.semantics.after(frame.state, written))
        except Failed as failed:
            failure = failed.failure
        result = written.returned[0][0] if written.returned else ()
        process = self._process(arguments, written)
        return Instance(self.action, arguments, process, after, result, failure)

    def _counted(self, after: State) -> State:
        """The state in which a bounded fault has taken one step more."""
        counter = self.action.counter
        if counter is None:
            return after
        return (*after[:counter], after[counter] + 1, *after[counter + 1 :])  # type: ignore[operator]

    def _failed(self, arguments: tuple[Value, ...], failure: Failure) -> Instance:
        process = self._process(arguments, Written())
        return Instance(self.action, arguments, process, None, (), failure, enabled=False)

    def _process(self, arguments: tuple[Value, ...], written: Written) -> Process:
        """Who acts: an argument that indexes a group, else the owner of the first write."""
        position = self.action.process
        if position is not None and position < len(arguments):
            member: Value | None = arguments[position]
            return self.semantics.process(self.lane, member if member in self.members else None)
        for owner, member in written.touched:
            if owner.kind != "channel":
                return self.semantics.process(owner.name, member)
        if written.touched:
            return self.semantics.process(written.touched[0][0].name)
        return self.semantics.process(self.lane)


def _lane(action: Action, model: Model) -> str:
    """The group that the acting process belongs to, or where a step without one is shown."""
    if action.process is not None:
        wanted = action.binders[action.process].type
        keyed = [owner for owner in model.owners if owner.key is not None]
        # A number's own range may be narrower than that of the members it picks from.
        numbered = [owner for owner in keyed if isinstance(owner.key, Range)]
        for owner in [each for each in keyed if each.key == wanted] or numbered:
            return owner.name
    return model.owners[0].name if model.owners else ""


def without_budgets(model: Model) -> Model:
    """The model with unbounded faults, and so without their counters in its states."""
    actions = tuple(evolve(action, at_most=None, counter=None) for action in model.actions)
    return evolve(model, actions=actions)
