"""Under which condition an evaluation is where it is, and where it has ended without a value.

Evaluation goes from left to right and ends at the first failure; so the
condition of a failure is that its place is reached, that something is wrong
there, and that nothing was wrong before. Conditions are put together only where
something can fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import Factory, define

from modelcheck.core.model import ErrorKind
from modelcheck.prove.algebra import Expr, both, either, every, exists, negated, some


@define(eq=False)
class Reach:
    """
    path    what holds here, innermost last
    failed  for each kind of error when it has happened
    bound   the variables of the quantifiers around
    strict  whether an element for which a quantifier's body has no value is a failure even if
            another one settles the quantifier; else it is none
    """

    strict: bool
    path: list[Expr] = Factory(list)
    failed: dict[ErrorKind, Expr] = Factory(dict)
    bound: list[Any] = Factory(list)

    def fail(self, kind: ErrorKind, condition: Expr) -> None:
        """Here something is wrong, if the condition holds."""
        if condition is False:
            return
        here = both(*self.path, self.fine(), condition)
        if here is not False:
            self.failed[kind] = either(self.failed.get(kind, False), here)

    def fine(self) -> Expr:
        """That nothing has failed so far."""
        return negated(some(self.failed.values()))

    def here(self) -> Expr:
        """That this place is reached, and nothing has failed before."""
        return both(every(self.path), self.fine())

    @contextmanager
    def under(self, condition: Expr) -> Iterator[None]:
        """What is evaluated inside is reached only under the condition."""
        length = len(self.path)
        self.path.append(condition)
        try:
            yield
        finally:
            del self.path[length:]

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Whatever `settle` adds to the path inside is forgotten at the end."""
        length = len(self.path)
        try:
            yield
        finally:
            del self.path[length:]

    def settle(self, condition: Expr) -> None:
        """From here on is reached only under the condition."""
        self.path.append(condition)

    @contextmanager
    def quantified(self, variables: Sequence[Any], domain: Expr) -> Iterator[None]:
        """What is evaluated inside speaks of any of the variables, which lie in the domain."""
        if not variables:
            with self.under(domain):
                yield
            return
        path, failed = self.path, self.failed
        self.path, self.failed = [domain], {}
        self.bound += variables
        try:
            yield
        finally:
            inside = self.failed
            self.path, self.failed = path, failed
            del self.bound[len(self.bound) - len(variables) :]
        if self.strict:
            for kind, condition in inside.items():
                self.fail(kind, exists(variables, condition))
