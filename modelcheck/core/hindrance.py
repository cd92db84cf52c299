"""What keeps an action from being taken in a state: for each choice of its arguments one obstacle.

The questions are those of `semantics`, in its order; here each is answered even
where the answer is no.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import field, frozen

from modelcheck.core.choices import acceptance, domain_values
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.model import Action
from modelcheck.core.outcome import Failure
from modelcheck.core.semantics import Semantics
from modelcheck.core.terms import And, Bind, Binder, Guard, Term
from modelcheck.core.values import State, Value


@frozen
class BudgetSpent:
    """The fault has taken as many steps as it may."""

    most: int


@frozen
class NothingToChoose:
    """The binder has nothing to choose; all that its domain offers is ruled out by `where`, or
    it offers nothing.

    ruled_out  whether its `where` has ruled something out
    """

    binder: Binder
    ruled_out: bool


@frozen
class GuardFalse:
    """A guard is false, for the values of these names."""

    guard: Guard
    names: dict[str, Value] = field(hash=False)


@frozen
class NoValue:
    """Evaluation failed before the last guard had decided."""

    failure: Failure


@frozen
class NotTaken:
    """It is enabled, and its updates fail."""

    failure: Failure


@frozen
class ChangesNothing:
    """It is enabled, and its step leads to the state itself."""


@frozen
class Changes:
    """It is enabled, and its step leads elsewhere: there is no obstacle."""


Answer: TypeAlias = (
    BudgetSpent | NothingToChoose | GuardFalse | NoValue | NotTaken | ChangesNothing | Changes
)


@frozen
class Attempt:
    """A choice of arguments, and what comes of it.

    arguments  those chosen before it came to an end
    passed     how far it came: binders chosen, and conjuncts of guards that hold
    """

    arguments: tuple[Value, ...]
    passed: int
    answer: Answer

    @property
    def enabled(self) -> bool:
        return isinstance(self.answer, NotTaken | ChangesNothing | Changes)


def attempts(semantics: Semantics, action: Action, state: State) -> Iterator[Attempt]:
    """An attempt for each choice of the action's arguments, in their order; at least one."""
    if action.at_most is not None:
        assert action.counter is not None
        used = state[action.counter]
        assert isinstance(used, int)
        if used >= action.at_most:
            yield Attempt((), 0, BudgetSpent(action.at_most))
            return
    results: dict[tuple[Value, ...], tuple[State | None, Failure | None]] = {}
    for attempt in _choose(semantics, action, Frame(state, {}), 0):
        if not isinstance(attempt.answer, Changes):
            yield attempt
            continue
        if not results:  # asked only where something is enabled: it takes all steps
            results = {
                each.arguments: (each.after, each.failure)
                for each in semantics.successors(state)
                if each.action.name == action.name and each.enabled
            }
        after, failure = results[attempt.arguments]
        answer: Answer = attempt.answer
        if failure is not None:
            answer = NotTaken(failure)
        elif after == state:
            answer = ChangesNothing()
        yield Attempt(attempt.arguments, attempt.passed, answer)


def _choose(semantics: Semantics, action: Action, frame: Frame, depth: int) -> Iterator[Attempt]:
    arguments = tuple(frame.names[binder.name] for binder in action.binders[:depth])
    if depth == len(action.binders):
        yield _guards(semantics, action, frame, arguments)
        return
    binder, of = action.binders[depth], semantics.meanings.of
    accept = acceptance(binder, of)
    offered = accepted = False
    try:
        for value in domain_values(binder.domain, of)(frame):
            offered = True
            frame.names[binder.name] = value
            try:
                fits = accept is None or bool(accept(frame))
            except Failed as failed:
                accepted = True
                yield Attempt((*arguments, value), depth, NoValue(failed.failure))
                continue
            if fits:
                accepted = True
                yield from _choose(semantics, action, frame, depth + 1)
    except Failed as failed:
        yield Attempt(arguments, depth, NoValue(failed.failure))
        return
    if not accepted:
        yield Attempt(arguments, depth, NothingToChoose(binder, ruled_out=offered))


def _guards(
    semantics: Semantics, action: Action, frame: Frame, arguments: tuple[Value, ...]
) -> Attempt:
    of, passed = semantics.meanings.of, len(arguments)
    last = max((i for i, s in enumerate(action.body) if isinstance(s, Guard)), default=-1)
    try:
        for statement in action.body[: last + 1]:
            match statement:
                case Bind(name, value):
                    frame.names[name] = of(value)(frame)
                case Guard(condition):
                    for conjunct in _conjuncts(condition):
                        if not of(conjunct)(frame):
                            names = dict(frame.names)
                            return Attempt(arguments, passed, GuardFalse(statement, names))
                        passed += 1
                case _:
                    raise AssertionError("a guard stands before every update")
    except Failed as failed:
        return Attempt(arguments, passed, NoValue(failed.failure))
    return Attempt(arguments, passed, Changes())


def _conjuncts(term: Term) -> Iterator[Term]:
    """What is asked one after the other: the operands of `and`, and of those within."""
    if isinstance(term, And):
        for operand in term.operands:
            yield from _conjuncts(operand)
    else:
        yield term


def furthest(tried: list[Attempt]) -> Attempt:
    """The first attempt of those that came furthest: it speaks for the action."""
    return max(tried, key=lambda attempt: attempt.passed)
