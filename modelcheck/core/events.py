"""What happens to an object's operations: they are called, they return, they are abandoned."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from modelcheck.core.values import Value

Answer: TypeAlias = "tuple[Value, ...]"
"""What an operation returns: (value,), or () for nothing."""


class Caller(NamedTuple):
    """Who calls: a value, and the number that a tracker has for its type."""

    kind: int
    value: Value


class Called(NamedTuple):
    """`call reg.write(v) by c`: positions of the claim and of the operation."""

    claim: int
    operation: int
    arguments: tuple[Value, ...]
    caller: Caller


class Returned(NamedTuple):
    """`return v by c`; `kind` is the number of the answer's type, -1 without a value."""

    answer: Answer
    kind: int
    caller: Caller


class Abandoned(NamedTuple):
    """`abandon c`"""

    caller: Caller


Event: TypeAlias = Called | Returned | Abandoned
