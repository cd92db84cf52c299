"""A model as formulas: its initial states, its steps, what it claims of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import z3
from attrs import Factory, define, field, frozen

from modelcheck.core.model import (
    Action,
    ErrorKind,
    Event,
    Initial,
    Model,
    StepProperty,
)
from modelcheck.core.terms import (
    Bind,
    Binder,
    Domain,
    Guard,
    Interval,
    Subsets,
    Term,
    Universe,
    Values,
)
from modelcheck.core.types import Range, Set
from modelcheck.core.variables import Variable
from modelcheck.prove.algebra import Expr, both, equal, every, for_all, implied, negated, plus, some
from modelcheck.prove.choices import Alternative, accepted, alternatives, bind_lets
from modelcheck.prove.containers import contains
from modelcheck.prove.frame import Frame
from modelcheck.prove.reach import Reach
from modelcheck.prove.space import Space
from modelcheck.prove.symbols import Entries, Members, Sym, Unsupported, is_small, same, shapes
from modelcheck.prove.terms import frame_of
from modelcheck.prove.unknowns import typed, typed_entries, unknown, unknown_entries
from modelcheck.prove.updates import Written, execute
from modelcheck.prove.writing import state_after

COUNTER = Range(0, 1 << 62)


@frozen(eq=False)
class Instance:
    """An action with arguments, which may be constants of the solver, at a state.

    enabled  when every guard holds
    errors   for each kind when an evaluation, or the step, fails with it
    after    the state after it; anything where it is not taken
    result   when it returns something, and what
    """

    action: Action
    arguments: tuple[Sym, ...]
    enabled: Expr
    errors: dict[ErrorKind, Expr]
    after: Sequence[Sym] = field(repr=False)
    result: tuple[Expr, Sym] | None = None

    @property
    def taken(self) -> Expr:
        """When the step is possible."""
        return both(self.enabled, negated(some(self.errors.values())))


@define(eq=False)
class System:
    """The formulas of one model.

    strict  whether a failure under a quantifier over values of any number excludes a step: a proof
            about steps must not assume so, a search of a finite model knows no such quantifiers
    """

    model: Model
    strict: bool = True
    space: Space = Factory(Space)

    # --- states ---

    def state(self, name: str) -> list[Sym]:
        """A state of which nothing is known; its constants' names begin with `name`."""
        values: list[Sym] = []
        for variable in self.model.variables:
            label, key = f"{name}.{variable.full_name}", variable.owner.key
            if key is None:
                values.append(unknown(variable.type, label))
            else:
                values.append(unknown_entries(key, variable.type, label))
        for action in self.model.counters:
            values.append(unknown(COUNTER, f"{name}.faults.{action.name}"))
        return values

    def typed(self, state: Sequence[Sym]) -> Expr:
        """Whether every variable is within its type."""
        bounds, parts = self.space.bounds, []
        for variable in self.model.variables:
            value, key = state[variable.position], variable.owner.key
            if key is None:
                parts.append(typed(variable.type, value, bounds))
            else:
                assert isinstance(value, Entries)
                parts.append(typed_entries(key, variable.type, value, bounds))
        for action in self.model.counters:
            assert action.counter is not None and action.at_most is not None
            parts.append(typed(Range(0, action.at_most), state[action.counter], bounds))
        return every(parts)

    def initial(self, state: Sequence[Sym]) -> tuple[Expr, dict[ErrorKind, Expr]]:
        """Whether it is an initial state, and when `init` has no value for it."""
        frame = self.frame(state)
        parts = [
            self._first(variable, first, state[variable.position], frame)
            for variable, first in zip(self.model.variables, self.model.initial, strict=True)
        ]
        for action in self.model.counters:
            assert action.counter is not None
            parts.append(equal(state[action.counter], 0))
        combination = every(parts)
        with frame.reach.under(combination):
            holds = self.lines(self.model.init, frame)
        return both(combination, holds), frame.reach.failed

    def _first(self, variable: Variable, first: Initial, value: Sym, frame: Frame) -> Expr:
        key = variable.owner.key
        if key is None:
            return _begins(variable, first, value, frame)
        assert isinstance(value, Entries)
        if is_small(key):
            return every(_begins(variable, first, each, frame) for each in value.table.values())
        return every(
            for_all(
                s.variables, implied(s.typed, _begins(variable, first, value.at(s.value), frame))
            )
            for s in shapes(key, "k", self.space.bounds)
        )

    # --- terms ---

    def frame(
        self,
        state: Sequence[Sym],
        after: Sequence[Sym] | None = None,
        names: dict[str, Sym] | None = None,
        result: tuple[Expr, Sym] | None = None,
    ) -> Frame:
        """What a term about a state or step is evaluated in."""
        return frame_of(self.space, Reach(self.strict), state, names, after, result)

    def lines(self, parts: Sequence[Term], frame: Frame) -> Expr:
        """Whether all lines hold and have a value, asked from the first to the last."""
        values = []
        with frame.reach.going_on():
            for part in parts:
                value = frame.truth(part)
                values.append(value)
                frame.reach.settle(value)
        return both(*values, frame.reach.fine())

    def holds(self, parts: Sequence[Term], state: Sequence[Sym]) -> Expr:
        """Whether the lines of an invariant hold in the state, every value being there."""
        frame = frame_of(self.space, Reach(True), state)
        return self.lines(parts, frame)

    def step_holds(
        self, each: StepProperty, line: int | None, step: Instance, before: Sequence[Sym]
    ) -> Expr:
        """Whether a step property holds of the step: of all lines, or of one and those before."""
        parts = each.parts if line is None else each.parts[: line + 1]
        return every(
            self._event_holds(each, event, parts, step, before)
            for event in ((None,) if each.events is None else each.events)
            if event is None or event.action == step.action.name
        )

    def _event_holds(
        self,
        each: StepProperty,
        event: Event | None,
        parts: Sequence[Term],
        step: Instance,
        before: Sequence[Sym],
    ) -> Expr:
        names: dict[str, Sym] = {}
        if event is not None:
            for name, argument in zip(event.names, step.arguments, strict=True):
                if name is not None:
                    names[name] = argument
        frame = frame_of(self.space, Reach(True), before, names, step.after, step.result)
        if each.reads_result:
            returned = False if step.result is None else step.result[0]
            return implied(returned, self.lines(parts, frame))
        return self.lines(parts, frame)

    # --- steps ---

    def steps(self, state: Sequence[Sym]) -> Iterator[Instance]:
        """Every choice of arguments at the state, and every evaluation that fails before that."""
        for action in self.model.actions:
            yield from self.steps_of(action, state)

    def steps_of(self, action: Action, state: Sequence[Sym]) -> Iterator[Instance]:
        """Those of one action."""
        frame = self.frame(state)
        if action.at_most is not None:
            assert action.counter is not None
            frame.reach.settle(state[action.counter] < action.at_most)  # type: ignore[operator]
            if frame.reach.path[0] is False:
                return
        yield from self._choose(action, 0, frame)

    def _choose(self, action: Action, depth: int, frame: Frame) -> Iterator[Instance]:
        if depth == len(action.binders):
            step = self._step(action, frame)
            if step is not None:
                yield step
            return
        binder = action.binders[depth]
        options = _header_alternatives(binder, frame)
        if not options and frame.reach.failed:
            yield _failing(action, frame, depth)
        for option in options:
            if option.condition is False:
                continue
            inner = frame.branch()
            inner.names[binder.name] = option.value
            inner.reach.settle(option.condition)
            fits = accepted(binder, inner)
            if fits is False:
                if len(inner.reach.failed) > 0:
                    yield _failing(action, inner, depth + 1)
                continue
            inner.reach.settle(fits)
            bind_lets(binder, inner)
            yield from self._choose(action, depth + 1, inner)

    def _step(self, action: Action, frame: Frame) -> Instance | None:
        """The step whose arguments are in the frame; None if no guard can hold or fail."""
        reach = frame.reach
        last = max((i for i, s in enumerate(action.body) if isinstance(s, Guard)), default=-1)
        # The body binds names of its own; arguments are kept apart from them.
        arguments = tuple(frame.names[binder.name] for binder in action.binders)
        for statement in action.body[: last + 1]:
            match statement:
                case Guard(condition):
                    holds = frame.truth(condition)
                    if holds is False:
                        if not reach.failed:
                            return None
                        return Instance(action, arguments, False, dict(reach.failed), frame.state)
                    reach.settle(holds)
                case Bind(name, value):
                    frame.names[name] = frame.value(value)
                case _:
                    raise ValueError("a guard stands before every update")
        enabled = reach.here()
        written = Written(len(reach.path))
        execute(action.body[last + 1 :], frame, written)
        after = state_after(self.model, frame, written)
        if action.counter is not None:
            after[action.counter] = plus(after[action.counter], 1)
        return Instance(action, arguments, enabled, dict(reach.failed), after, written.returned)


def _failing(action: Action, frame: Frame, depth: int) -> Instance:
    arguments = tuple(frame.names[binder.name] for binder in action.binders[:depth])
    return Instance(action, arguments, False, dict(frame.reach.failed), frame.state)


def _header_alternatives(binder: Binder, frame: Frame) -> list[Alternative]:
    """As elsewhere, but a subset is one constant: each of its members may be in it or not."""
    if not isinstance(binder.domain, Subsets):
        return alternatives(binder, frame)
    whole = frame.value(binder.domain.of)
    assert isinstance(whole, Members) and isinstance(binder.type, Set)
    label = z3.FreshConst(z3.BoolSort(), binder.name).decl().name()
    element = whole.element
    chosen = unknown(Set(element), label)
    assert isinstance(chosen, Members)
    if is_small(element):
        bits = (implied(bit, whole.table.get(v, False)) for v, bit in chosen.table.items())
        return [Alternative(chosen, every(bits))]
    inside = (
        for_all(s.variables, implied(chosen.has(s.value), both(s.typed, whole.has(s.value))))
        for s in shapes(element, "x", frame.space.bounds)
    )
    return [Alternative(chosen, every(inside))]


def _begins(variable: Variable, first: Initial, value: Sym, frame: Frame) -> Expr:
    if first.value is not None:
        return same(value, frame.value(first.value))
    assert first.choice is not None, f"{variable.full_name} has no initial value"
    return in_domain(first.choice, variable, value, frame)


def in_domain(domain: Domain, variable: Variable, value: Sym, frame: Frame) -> Expr:
    """Whether a variable's value is one of a domain's."""
    match domain:
        case Values(Universe(of)):
            return typed(of, value, frame.space.bounds)
        case Values(term):
            return contains(frame.value(term), value)
        case Interval(low, high):
            first: Any = frame.value(low)
            last: Any = frame.value(high)
            return both(first <= value, value <= last)
        case Subsets(whole):
            members = frame.value(whole)
            assert isinstance(members, Members) and isinstance(value, Members)
            if is_small(value.element):
                bits = (implied(bit, members.table.get(v, False)) for v, bit in value.table.items())
                return every(bits)
            raise Unsupported("an initial subset of values of any number")
