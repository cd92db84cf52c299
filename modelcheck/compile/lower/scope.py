"""What a term is evaluated in while code is written, and where evaluation without a value goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, frozen

from modelcheck.compile.ir import Flag
from modelcheck.compile.lower.bits import Value
from modelcheck.core.model import ErrorKind
from modelcheck.core.types import Type
from modelcheck.source import Span

Describe: TypeAlias = Callable[[Sequence[Any]], str]
"""From the plain values shown to the clause for people."""


@frozen(eq=False)
class Site:
    """A place in the code where an evaluation can end without a value, or a step fail.

    shown  the types of the values that are recorded when it happens
    """

    kind: ErrorKind
    describe: Describe
    span: Span | None
    other: Span | None
    shown: tuple[Type, ...]


Fail: TypeAlias = Callable[[Site, "Sequence[Value]"], None]
"""Writes what happens where evaluation ends at a site, with the values to show; ends the block."""


@frozen(eq=False)
class Scope:
    """
    state   a pointer to the state that variables are read in
    names   the bound names
    fail    where evaluation without a value goes
    after   a pointer to the state after the step, None where there is no step
    result  what the step's operation returned, and whether it did; None where there is none
    """

    state: str
    names: Mapping[str, Value]
    fail: Fail
    after: str | None = None
    result: tuple[Value, Flag] | None = None

    def bind(self, name: str, value: Value) -> Scope:
        """The scope with one name more."""
        return evolve(self, names={**self.names, name: value})
