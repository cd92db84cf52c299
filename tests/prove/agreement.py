"""What the formulas say of a state, and what the referee says: whole, so that they can be compared.

A state is asked about in two ways. *Known*: the encoding is given the state, and
folds everything. *Open*: it is given a state of which nothing is known, and what
comes out is read off where the solver has fixed the state. Where one of the two
differs from the referee, the referee is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import Any

import z3
from attrs import define, frozen

from modelcheck.core.model import ERROR_KINDS, Model
from modelcheck.core.values import State, Value
from modelcheck.prove.algebra import every, formula
from modelcheck.prove.bounded import Formulas, constants
from modelcheck.prove.decode import Decoder, known_state
from modelcheck.prove.scope import leaves
from modelcheck.prove.symbols import same
from modelcheck.prove.system import Instance, System
from tests.compile.agreement import Referee


class Disagreement(AssertionError):
    """The formulas say something else than the referee."""


@frozen
class Told:
    """
    steps   action, arguments and state after of each step
    failed  action, arguments and kind of each failure, and whether the instance is enabled
    """

    steps: frozenset[tuple[str, tuple[Value, ...], State]]
    failed: frozenset[tuple[str, tuple[Value, ...], str, bool]]


@frozen
class Judged:
    """Names of properties that are violated, or `reachable` and satisfied; `deadlock`; errors.

    in_state  in the state
    at_rest   by looking for steps, which is only done within the constraint
    in_step   by taking one, or trying to
    """

    in_state: frozenset[str]
    at_rest: frozenset[str]
    in_step: frozenset[str]


# --- the referee -------------------------------------------------------------------


class Right:
    """What the referee says."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.referee = Referee(model)
        self.names = {f"hit {each.name}": each.name for each in model.properties}

    def told(self, state: State) -> Told:
        steps, failed = [], []
        for each in self.referee.semantics.successors(state):
            if each.after is not None:
                steps.append((each.action.name, each.arguments, each.after))
            else:
                assert each.failure is not None
                kind = each.failure.kind
                failed.append((each.action.name, each.arguments, kind, each.enabled))
        return Told(frozenset(steps), frozenset(failed))

    def judged(self, state: State) -> Judged:
        here, moves = self.referee.judge(state), self.referee.moves(state)
        at_rest = self._names(moves.hits, "expanding") | ({"deadlock"} & moves.hits)
        return Judged(
            self._names(here.hits, "judging") | self._hit(here.hits),
            at_rest if here.inside else frozenset(),
            self._names(moves.hits, "stepping") | self._hit(moves.hits),
        )

    def _names(self, hits: frozenset[str], what: str) -> frozenset[str]:
        return frozenset(kind for kind in ERROR_KINDS if f"{what} {kind}" in hits)

    def _hit(self, hits: frozenset[str]) -> frozenset[str]:
        return frozenset(name for hit, name in self.names.items() if hit in hits)

    def initial(self, most: int, others: Sequence[State]) -> list[tuple[State, bool | str]]:
        """Whether each of some states is initial, or the kind of its failure.

        most    of the combinations of first values, and
        others  the first of these with one variable as another state has it
        """
        found: list[tuple[State, bool | str]] = []
        passed = dict(self.referee.semantics.initial_states())
        some = list(islice(self.referee.semantics.combinations(), most))
        for state in dict.fromkeys([*some, *_nearly(some[0], others)]):
            failure = passed.get(state)
            found.append((state, failure.kind if failure is not None else state in passed))
        return found

    def walked(self, most: int, seed: int = 1) -> list[State]:
        """States that steps in random order come to."""
        chance = Random(seed)
        todo = [s for s, failure in self.referee.semantics.initial_states() if failure is None][:5]
        known, taken, first = set(todo), list[State](), len(todo)
        while todo and len(taken) < most:
            # The first ones; then some that are near, and some that are far.
            far = chance.random() < 0.5
            place = 0 if len(taken) < first else -1 if far else chance.randrange(len(todo))
            state = todo.pop(place)
            taken.append(state)
            for _, _, after in sorted(self.told(state).steps):
                if after not in known:
                    known.add(after)
                    todo.append(after)
        return taken


def _nearly(state: State, others: Sequence[State]) -> Iterator[State]:
    """The state with one variable as others have it."""
    for position, values in enumerate(zip(*others, strict=True)):
        for value in set(values):
            yield (*state[:position], value, *state[position + 1 :])


# --- the formulas ------------------------------------------------------------------


class Known:
    """What the encoding makes of states that it is given."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.system = System(model)

    def told(self, state: State) -> Told:
        given = known_state(self.model, state)
        return _told(self.model, list(self.system.steps(given)), [])

    def initial(self, state: State) -> bool | str:
        condition, errors = self.system.initial(known_state(self.model, state))
        return _initial(_solved([]), condition, errors)


class Open:
    """What the formulas about any state say of one that the solver has fixed."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.system = System(model)
        self.formulas = Formulas.of(model)
        self.state = self.system.state("s")
        self.instances = list(self.system.steps(self.state))
        self.first = self.system.initial(self.state)

    def _is(self, state: State) -> Any:
        given = known_state(self.model, state)
        return every(same(a, b) for a, b in zip(self.state, given, strict=True))

    def told(self, state: State) -> Told:
        return _told(self.model, self.instances, [self._is(state)], list(leaves(self.state)))

    def initial(self, state: State) -> bool | str:
        return _initial(_solved([self._is(state)]), *self.first)

    def judged(self, state: State) -> Judged:
        formulas, fixed = self.formulas, self._is(state)
        solver = z3.Solver()
        solver.add(formula(fixed))

        def hit(conditions: dict[str, Any]) -> frozenset[str]:
            return frozenset(
                name
                for name, condition in conditions.items()
                if solver.check(formula(condition)) == z3.sat
            )

        return Judged(hit(formulas.in_state), hit(formulas.at_rest), hit(formulas.in_step))


def _solved(conditions: list[Any]) -> Decoder:
    """Values that satisfy the conditions. Raises Disagreement if there are none."""
    solver = z3.Solver()
    solver.add(*(formula(each) for each in conditions))
    if solver.check() != z3.sat:
        raise Disagreement("no state is the one that was fixed")
    return _Solved(solver.model(), solver)


@define(eq=False)
class _Solved(Decoder):
    """Asks the solver where the values alone do not say, for quantifiers."""

    solver: z3.Solver

    def truth(self, expr: Any) -> bool:
        if isinstance(expr, bool):
            return expr
        value = self.solution.eval(expr, model_completion=True)
        if z3.is_true(value) or z3.is_false(value):
            return z3.is_true(value)
        return self.solver.check(expr) == z3.sat


def _initial(decoder: Decoder, condition: Any, errors: dict[Any, Any]) -> bool | str:
    failed = [kind for kind, each in errors.items() if decoder.truth(each)]
    if len(failed) > 1:
        raise Disagreement("an evaluation fails twice")
    return failed[0] if failed else decoder.truth(condition)


def _told(
    model: Model, instances: Sequence[Instance], fixed: list[Any], known: Sequence[Any] = ()
) -> Told:
    steps, failed = [], []
    decoder = _solved(fixed)
    for instance in instances:
        for each in _choices(instance, fixed, known, decoder):
            types = [binder.type for binder in instance.action.binders]
            pairs = zip(types, instance.arguments, strict=False)
            named = instance.action.name, tuple(each.value(t, a) for t, a in pairs)
            if each.truth(instance.taken):
                steps.append((*named, each.state(model, instance.after)))
            for kind, condition in instance.errors.items():
                if each.truth(condition):
                    failed.append((*named, kind, each.truth(instance.enabled)))
    # A value that a sequence holds twice gives one step, by two instances.
    return Told(frozenset(steps), frozenset(failed))


def _choices(
    instance: Instance, fixed: list[Any], known: Sequence[Any], decoder: Decoder
) -> Iterator[Decoder]:
    """For each subset that the instance may be about, the values with it."""
    names = {each.get_id() for each in known}
    bits = {
        bit.get_id(): bit
        for each in leaves(instance.arguments)
        for bit in constants(each)
        if z3.is_bool(bit) and bit.get_id() not in names
    }
    if not bits:
        yield decoder
        return
    for values in product((False, True), repeat=len(bits)):
        chosen = [bit == value for bit, value in zip(bits.values(), values, strict=True)]
        yield _solved([*fixed, *chosen])


# --- comparison --------------------------------------------------------------------


class Specimen:
    """A model with what the referee says of some of its states, to be compared again and again."""

    def __init__(self, model: Model, states: Sequence[State], first: int = 8) -> None:
        right = Right(model)
        self.model, self.states = model, states
        self.told = [right.told(state) for state in states]
        self.judged = [right.judged(state) for state in states]
        self.first = right.initial(first, states)

    def compare(self, *, known: bool = True, open_: bool = True) -> None:
        """Raises Disagreement, or whatever else comes of formulas that are wrong."""
        ways: list[Known | Open] = [*([Known(self.model)] if known else [])]
        ways += [Open(self.model)] if open_ else []
        for way in ways:
            for state, right in self.first:
                _same(right, way.initial(state), f"initial: {state}")
            for state, told in zip(self.states, self.told, strict=True):
                _same(told, way.told(state), f"steps from {state}")
            if isinstance(way, Open):
                for state, judged in zip(self.states, self.judged, strict=True):
                    _same(judged, way.judged(state), f"what is judged in {state}")


def walked(model: Model, most: int) -> Specimen:
    """The model in states that steps in random order come to."""
    return Specimen(model, Right(model).walked(most))


def _same(right: object, ours: object, what: str) -> None:
    if right != ours:
        raise Disagreement(f"{what}\n  rightly: {_only(right, ours)}\n  here: {_only(ours, right)}")


def _only(one: object, other: object) -> object:
    """What the one says and the other does not."""
    if isinstance(one, Told) and isinstance(other, Told):
        return sorted(one.steps - other.steps), sorted(one.failed - other.failed)
    return one
