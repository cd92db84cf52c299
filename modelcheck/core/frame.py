"""What a term is evaluated in, and how an evaluation without a value ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from attrs import define

from modelcheck.core.clauses import no_key_clause
from modelcheck.core.outcome import Failure
from modelcheck.core.terms import Term
from modelcheck.core.types import Type
from modelcheck.core.values import State, Value, key_positions
from modelcheck.source import Span


@define(eq=False)
class Frame:
    """
    state   the state that variables are read in
    names   the bound names; flat, since names are unique in scope
    after   the state after the step, None where there is no step
    result  (value,) if the step returned a value from an operation, else ()
    """

    state: State
    names: dict[str, Value]
    after: State | None = None
    result: tuple[Value, ...] = ()


# `Any` and not `Value`: that a value has the form of its term's type is the resolver's
# promise, and spelling it out in casts would bury the meaning.
Meaning: TypeAlias = Callable[[Frame], Any]
Of: TypeAlias = Callable[[Term], Meaning]


class Failed(Exception):
    """An evaluation that has no value, or a step that cannot be taken."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def undefined(reason: str, span: Span | None) -> Failed:
    """To be raised where a term has no value."""
    return Failed(Failure("undefined", reason, span))


def slot(key: Type, index: Value, index_type: Type, span: Span | None) -> int:
    """The position of an index among the values of a key's type; undefined if it is none."""
    position = key_positions(key).get(index)
    if position is not None:
        return position
    raise no_key(key, index, index_type, span)


def no_key(key: Type, index: Value, index_type: Type, span: Span | None) -> Failed:
    """To be raised for an index that is none of the values of a key's type."""
    return undefined(no_key_clause(key, index, index_type), span)
