"""Bounded search: every run of up to k steps from an initial state, asked of the solver.

What is judged in a state, of its steps, and of a state that cannot go on, is
written down once, over the constants of one state; the steps, over those of two.
The rest is renaming: a run is a chain of states, longer by one in every round,
and a round asks for what is open in all runs of its length at once. So the first
round that has an answer has the shortest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import z3
from attrs import Factory, define, frozen

from modelcheck.core.model import (
    ERROR_KINDS,
    Check,
    Event,
    Invariant,
    Model,
    Reachable,
    StepProperty,
)
from modelcheck.core.terms import Term
from modelcheck.core.values import State
from modelcheck.prove.algebra import (
    Expr,
    both,
    either,
    every,
    for_all,
    formula,
    implied,
    negated,
    some,
)
from modelcheck.prove.decode import Decoder
from modelcheck.prove.frame import Frame
from modelcheck.prove.scope import leaves
from modelcheck.prove.solver import Settings, words
from modelcheck.prove.symbols import Sym, Unsupported, same
from modelcheck.prove.system import Instance, System

JUDGED = (Invariant, Reachable, StepProperty)
"""The properties that a bounded search can say something of."""

_MOST_SUBSETS = 1 << 8
"""Up to so many choices of a subset are gone through where all of them matter."""


@frozen
class Met:
    """What a run leads to.

    steps   as the explicit engines count them: a step that is judged, or fails, is one of them
    states  of a shortest run; without the end of a step that is judged
    """

    steps: int
    states: tuple[State, ...]


@frozen
class Bounded:
    """What runs of up to `steps` steps show.

    met       by the name of a property, `deadlock`, or a kind of error
    unsolved  names of which the solver did not know, with the number of steps and its reason: runs
              of fewer steps do not meet them
    limits    what else ended the search, as clauses
    """

    steps: int
    met: dict[str, Met]
    unsolved: dict[str, tuple[int, str]]
    limits: tuple[str, ...] = ()
    seconds: float = 0.0


def search(
    check: Check,
    most: int,
    settings: Settings,
    progress: Callable[[int, int], None] | None = None,
    seconds: float | None = None,
) -> Bounded:
    """What runs of up to `most` steps meet. Raises Unsupported.

    progress  called with the steps that are done, of how many
    seconds   for all of it; `settings` has those for one question
    """
    began = time.monotonic()
    deadline = None if seconds is None else began + seconds
    unrolling = _Unrolling(Formulas.of(check.model), settings, deadline)
    for steps in range(most + 1):
        if not unrolling.open or not unrolling.round(steps):
            break
        if progress is not None:
            progress(steps, most)
    limits = (f"seconds: {seconds:g}",) if unrolling.late else ()
    done = most if not limits else unrolling.steps
    taken = time.monotonic() - began
    return Bounded(done, unrolling.met, unrolling.unsolved, limits, taken)


def judged(model: Model) -> list[str]:
    """The names of these properties, of a deadlock and of the errors."""
    names = [each.name for each in model.properties if isinstance(each, JUDGED)]
    return [*names, "deadlock", *ERROR_KINDS]


# --- formulas ----------------------------------------------------------------------


@define(eq=False)
class Formulas:
    """Of one model, over the constants of `before`, and of `after` where there is a step.

    initial    that `before` is initial
    inside     that `before` is within the constraint
    step       that a step leads from `before` to `after`
    at_first   by name, what is met before there is an initial state: `init` has no value
    in_state   what is met in `before`, wherever it is
    at_rest    what is met in `before` by looking for steps, and not by taking one
    in_step    what is met by a step from `before`
    """

    model: Model
    before: list[Sym]
    after: list[Sym]
    initial: Expr
    inside: Expr = True
    step: Expr = False
    at_first: dict[str, Expr] = Factory(dict)
    in_state: dict[str, Expr] = Factory(dict)
    at_rest: dict[str, Expr] = Factory(dict)
    in_step: dict[str, Expr] = Factory(dict)

    @classmethod
    def of(cls, model: Model) -> Formulas:
        """Raises Unsupported."""
        if model.history is not None:
            raise Unsupported("claims about calls and returns")
        system = System(model)
        before, after = system.state("s"), system.state("t")
        initial, failed = system.initial(before)
        formulas = cls(model, before, after, initial, at_first=dict[str, Expr](failed.items()))
        formulas._judge_state(system)
        instances = list(system.steps(before))
        formulas.step = some(
            both(each.taken, _same(after, each.after))
            for each in instances
            if each.taken is not False
        )
        for each in instances:
            formulas._judge_instance(each)
        for one in model.properties:
            if isinstance(one, StepProperty):
                for each in instances:
                    formulas._judge_step(system, one, each)
        formulas._judge_rest(system, instances)
        at_rest = formulas.at_rest.items()
        formulas.at_rest = {name: both(formulas.inside, each) for name, each in at_rest}
        return formulas

    def _judge_state(self, system: System) -> None:
        if self.model.constraint is not None:
            frame = system.frame(self.before)
            self.inside = both(frame.truth(self.model.constraint), frame.reach.fine())
            _add_errors(self.in_state, frame)
        for each in self.model.properties:
            if isinstance(each, Invariant | Reachable):
                frame = system.frame(self.before)
                holds = _lines(each.parts, frame)
                wanted = holds if isinstance(each, Reachable) else negated(holds)
                self.in_state[each.name] = both(frame.reach.fine(), wanted)
                _add_errors(self.in_state, frame)

    def _judge_instance(self, instance: Instance) -> None:
        for kind, condition in instance.errors.items():
            _add(self.at_rest, kind, both(condition, negated(instance.enabled)))
            _add(self.in_step, kind, both(condition, instance.enabled))

    def _judge_step(self, system: System, each: StepProperty, instance: Instance) -> None:
        for event in (None,) if each.events is None else each.events:
            if event is not None and event.action != instance.action.name:
                continue
            names = {} if event is None else _bound(event, instance)
            frame = system.frame(self.before, instance.after, names, instance.result)
            happens = instance.taken
            if each.reads_result:
                happens = both(happens, False if instance.result is None else instance.result[0])
            if happens is False:
                continue
            with frame.reach.under(happens):
                holds = _lines(each.parts, frame)
            broken = both(happens, frame.reach.fine(), negated(holds))
            _add(self.in_step, each.name, broken)
            _add_errors(self.in_step, frame)

    def _judge_rest(self, system: System, instances: Sequence[Instance]) -> None:
        """A state without a step of an action that changes anything."""
        rests = every(self._stays(each) for each in instances if not each.action.fault)
        if self.model.stops is None:
            self.at_rest["deadlock"] = rests
            return
        frame = system.frame(self.before)
        with frame.reach.under(rests):
            stops = frame.truth(self.model.stops)
        self.at_rest["deadlock"] = both(rests, frame.reach.fine(), negated(stops))
        _add_errors(self.at_rest, frame)

    def _stays(self, instance: Instance) -> Expr:
        """That the instance neither fails nor changes anything, whatever subset it is about."""
        stays = both(
            negated(some(instance.errors.values())),
            instance.taken is False or implied(instance.taken, _same(self.before, instance.after)),
        )
        known = {each.get_id() for each in leaves(self.before)}
        chosen = [
            each
            for each in leaves(instance.arguments)
            if z3.is_const(each) and _is_open(each) and each.get_id() not in known
        ]
        if 1 << len(chosen) > _MOST_SUBSETS:
            return for_all(chosen, stays)
        return every(
            _replaced(stays, zip(chosen, map(z3.BoolVal, bits), strict=True))
            for bits in product((False, True), repeat=len(chosen))
        )


def _lines(parts: Sequence[Term], frame: Frame) -> Expr:
    """Whether all lines hold, asked from the first to the first that does not."""
    values = []
    with frame.reach.going_on():
        for part in parts:
            values.append(frame.truth(part))
            frame.reach.settle(values[-1])
    return every(values)


def _bound(event: Event, instance: Instance) -> dict[str, Sym]:
    pairs = zip(event.names, instance.arguments, strict=True)
    return {name: argument for name, argument in pairs if name is not None}


def _same(left: Sequence[Sym], right: Sequence[Sym]) -> Expr:
    return every(same(a, b) for a, b in zip(left, right, strict=True))


def _add(to: dict[str, Expr], name: str, condition: Expr) -> None:
    to[name] = either(to.get(name, False), condition)


def _add_errors(to: dict[str, Expr], frame: Frame) -> None:
    for kind, condition in frame.reach.failed.items():
        _add(to, kind, condition)


# --- runs --------------------------------------------------------------------------


@define(eq=False)
class _Unrolling:
    """The runs of a length that grows.

    open   names of what no run has met so far
    steps  how many are done; -1 if not even initial states are
    late   the time was up
    """

    formulas: Formulas
    settings: Settings
    deadline: float | None
    open: set[str] = Factory(lambda self: set(judged(self.formulas.model)), takes_self=True)
    met: dict[str, Met] = Factory(dict)
    unsolved: dict[str, tuple[int, str]] = Factory(dict)
    steps: int = -1
    late: bool = False
    _solver: z3.Solver = Factory(z3.Solver)
    _names: _Names = Factory(lambda self: _Names(self.formulas), takes_self=True)

    def __attrs_post_init__(self) -> None:
        self._solver.set("random_seed", self.settings.seed)

    def round(self, steps: int) -> bool:
        """Ask what runs of so many steps meet; False if the time was up before all was asked."""
        formulas = self.formulas
        if steps == 0:
            self._ask(formulas.at_first, 0, 0)
            self._require(formulas.initial, 0)
        else:
            self._require(formulas.inside, steps - 1)
            self._ask(formulas.in_step, steps, steps - 1)
            self._require(formulas.step, steps - 1)
        self._ask(formulas.in_state, steps, steps)
        self._ask(formulas.at_rest, steps, steps)
        if not self.late:
            self.steps = steps
        return not self.late

    def _require(self, condition: Expr, position: int) -> None:
        self._solver.add(formula(self._names.at(condition, position)))

    def _ask(self, conditions: dict[str, Expr], steps: int, last: int) -> None:
        """Which of the conditions, of the run's state number `last`, some run satisfies."""
        here = {
            name: formula(self._names.at(condition, last))
            for name, condition in conditions.items()
            if name in self.open and condition is not False
        }
        while here and not self.late:
            answer, reason = self._any_of(here.values())
            if answer is None:
                self._ask_one_by_one(here, steps, last, reason)
                return
            if not answer:
                return
            self._see(here, steps, last)
            here = {name: each for name, each in here.items() if name in self.open}

    def _ask_one_by_one(
        self, here: dict[str, z3.BoolRef], steps: int, last: int, reason: str
    ) -> None:
        """As `_ask`, where one question for all was too hard."""
        for name, condition in here.items():
            if name not in self.open or self.late:
                continue
            answer: bool | None = None
            if len(here) > 1:
                answer, reason = self._any_of([condition])
            if answer is None and not self.late:
                self.unsolved[name] = steps, reason
                self.open.discard(name)
            if answer:
                self._see(here, steps, last)

    def _any_of(self, conditions: Iterable[z3.BoolRef]) -> tuple[bool | None, str]:
        """Whether some run satisfies one of the conditions; None if that is not known, and why."""
        left = None if self.deadline is None else self.deadline - time.monotonic()
        if left is not None and left <= 0:
            self.late = True
            return None, "the time was up"
        limits = [each for each in (left, self.settings.seconds) if each is not None]
        if limits:
            self._solver.set("timeout", max(1, int(1000 * min(limits))))
        asked = z3.FreshConst(z3.BoolSort(), "asked")
        self._solver.add(z3.Implies(asked, z3.Or(list(conditions))))
        status = self._solver.check(asked)
        if status == z3.unknown:
            self.late = self.deadline is not None and time.monotonic() >= self.deadline
            return None, words(self._solver.reason_unknown())
        return status == z3.sat, ""

    def _see(self, here: dict[str, z3.BoolRef], steps: int, last: int) -> None:
        """Keep the run that the solver has just found, for all that it meets."""
        decoder = Decoder(self._solver.model())
        hit = [name for name, each in here.items() if name in self.open and decoder.truth(each)]
        assert hit, "the solver's run meets what was asked for"
        states = tuple(self._names.state(decoder, self.formulas.model, i) for i in range(last + 1))
        for name in hit:
            self.met[name] = Met(steps, states)
            self.open.discard(name)


@define(eq=False)
class _Names:
    """The constants of the formulas, and those of a run in their places.

    _later  for each constant of the state after a step, by its number in the solver, the same one
            of the state before
    _used   for each formula, by its number, itself and the constants in it
    """

    formulas: Formulas
    _before: list[Any] = Factory(lambda self: list(leaves(self.formulas.before)), takes_self=True)
    _later: dict[int, Any] = Factory(dict)
    _used: dict[int, tuple[Any, list[Any]]] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        after = leaves(self.formulas.after)
        self._later = {new.get_id(): old for new, old in zip(after, self._before, strict=True)}

    def at(self, condition: Expr, position: int) -> Expr:
        """The condition of the run's state, or step, of this number."""
        if isinstance(condition, bool | int):
            return condition
        used = self._used.get(condition.get_id())
        if used is None:
            used = condition, list(constants(condition))
            self._used[condition.get_id()] = used
        return _replaced(condition, [(each, self._numbered(each, position)) for each in used[1]])

    def _numbered(self, constant: Any, position: int) -> Any:
        old = self._later.get(constant.get_id())
        # What a step chooses, it chooses anew in every step.
        return _numbered(constant, position) if old is None else _numbered(old, position + 1)

    def state(self, decoder: Decoder, model: Model, position: int) -> State:
        """The run's state of this number."""
        pairs = [(each, _numbered(each, position)) for each in self._before]
        values = {each.get_id(): new for each, new in pairs}
        return _Numbered(decoder.solution, values).state(model, self.formulas.before)


@define(eq=False)
class _Numbered(Decoder):
    """Reads the values of one state of a run."""

    values: dict[int, Any]

    def number(self, expr: Expr) -> int:
        return super().number(self._renamed(expr))

    def truth(self, expr: Expr) -> bool:
        return super().truth(self._renamed(expr))

    def _renamed(self, expr: Any) -> Any:
        return expr if isinstance(expr, bool | int) else self.values[expr.get_id()]


def _numbered(constant: Any, number: int) -> Any:
    return z3.Const(f"{constant.decl().name()}@{number}", constant.sort())


def _replaced(condition: Expr, pairs: Iterable[tuple[Any, Any]]) -> Expr:
    if isinstance(condition, bool | int):
        return condition
    return z3.substitute(condition, list(pairs))


def constants(term: Any) -> Iterator[Any]:
    """The constants in a term of the solver that it is free to choose."""
    seen: set[int] = set()
    todo = [term]
    while todo:
        each = todo.pop()
        if each.get_id() in seen:
            continue
        seen.add(each.get_id())
        if z3.is_quantifier(each):
            todo.append(each.body())
        elif _is_open(each):
            yield each
        else:
            todo += each.children()


def _is_open(term: Any) -> bool:
    return bool(z3.is_const(term)) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED
