"""What the operations of a sequential object do, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from modelcheck.core.choices import domain_values
from modelcheck.core.events import Answer
from modelcheck.core.fits import judge
from modelcheck.core.frame import Failed, Frame, Meaning
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Claim, Initial, Operation, SequentialObject
from modelcheck.core.outcome import Failure
from modelcheck.core.statements import Statements, Written, guard_meaning
from modelcheck.core.terms import (
    Assign,
    Change,
    Choice,
    Guard,
    Invoke,
    Lose,
    Repeat,
    Statement,
)
from modelcheck.core.values import State, Value
from modelcheck.core.writing import write_all

Effect: TypeAlias = "tuple[State, Answer] | None"
"""The state after an operation, and its answer; None where it cannot take effect."""


class Sequential:
    """An object with the meanings of its operations built."""

    def __init__(self, declared: SequentialObject) -> None:
        self.declared = declared
        meanings = Meanings()
        self._operations = [_Operation(each, meanings) for each in declared.operations]
        self._initial = [_first_values(each, meanings) for each in declared.initial]

    def first(self) -> Iterator[State]:
        """The states in which the object may begin."""
        return product(*self._initial)

    def apply(self, operation: int, arguments: tuple[Value, ...], state: State) -> Effect:
        """Raises Failed."""
        return self._operations[operation].at(state, arguments)

    def writes(self, operation: int) -> bool:
        """Whether the operation has an update at all."""
        return _has_update(self.declared.operations[operation].body)


class _Operation:
    def __init__(self, operation: Operation, meanings: Meanings) -> None:
        self.names = [name for name, _ in operation.parameters]
        body = operation.body
        last = max((i for i, s in enumerate(body) if isinstance(s, Guard)), default=-1)
        self.guards = [guard_meaning(each, meanings) for each in body[: last + 1]]
        self.updates = Statements(meanings).block(body[last + 1 :])
        self.fits = None
        if operation.result is not None:
            what = f"the result of `{operation.name}`"
            self.fits = judge(operation.result, what, "would be", operation.span)

    def at(self, state: State, arguments: tuple[Value, ...]) -> Effect:
        frame = Frame(state, dict(zip(self.names, arguments, strict=True)))
        if not all(guard(frame) for guard in self.guards):
            return None
        written = Written()
        self.updates(frame, written)
        after = write_all(state, written.writes)
        answer = written.returned[0][0] if written.returned else ()
        if self.fits is not None and answer:
            self.fits(answer[0])
        return after, answer


def _first_values(first: Initial, meanings: Meanings) -> list[Value]:
    frame = Frame((), {})
    if first.value is not None:
        return [meanings.of(first.value)(frame)]
    assert first.choice is not None, "a variable has an initial value"
    domain: Meaning = domain_values(first.choice, meanings.of)
    return sorted(domain(frame))


def _has_update(body: tuple[Statement, ...]) -> bool:
    for statement in body:
        match statement:
            case Assign() | Change() | Lose():
                return True
            case Choice(_, then, otherwise):
                if _has_update(then) or _has_update(otherwise):
                    return True
            case Repeat(_, inner):
                if _has_update(inner):
                    return True
            case Invoke(effect, _):
                if _has_update(effect.body):
                    return True
            case _:
                pass
    return False


class Effects:
    """What the operations of a claim's object do, remembered. One thread at a time."""

    def __init__(self, claim: Claim) -> None:
        self.object = Sequential(claim.object)
        self._claim = claim
        self._known: dict[tuple[int, tuple[Value, ...], State], Effect | Failure] = {}

    def of(self, operation: int, arguments: tuple[Value, ...], state: State) -> Effect:
        """Of an operation in a state of the object. Raises Failed."""
        key = (operation, arguments, state)
        if key not in self._known:
            try:
                self._known[key] = self.object.apply(operation, arguments, state)
            except Failed as failed:
                name = self._claim.object.operations[operation].name
                self._known[key] = _as_called(failed, name, self._claim.name)
        known = self._known[key]
        if isinstance(known, Failure):
            raise Failed(known)
        return known


def _as_called(failed: Failed, operation: str, claim: str) -> Failure:
    """A failure inside an operation, as one of the step whose call or return led to it."""
    failure = failed.failure
    return Failure(failure.kind, f"{failure.reason}, in `{operation}` of `{claim}`")
