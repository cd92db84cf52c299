"""Intervals of numbers: what values a term may take, from what its parts may take.

The type of every number term is a `Range`, exact arithmetic on its bounds
included, or `Int` where a parameter has no value. So a constant term's
range is one number, and nothing of the language needs a declared width.
"""

from __future__ import annotations

from collections.abc import Callable

from modelcheck.core.types import INT, Int, Range, Type

LOWEST, HIGHEST = -(2**63), 2**63 - 1
"""What a number of the language can be. A term that might leave it is refused: nothing wraps."""


def is_number(type_: Type) -> bool:
    """Whether the type is one of numbers."""
    return isinstance(type_, Int | Range)


def fits_64_bits(type_: Type) -> bool:
    """Whether all values of the number type can be held in 64 bits; `Int` is judged later."""
    return not isinstance(type_, Range) or (type_.low >= LOWEST and type_.high <= HIGHEST)


def hull(left: Type, right: Type) -> Type:
    """The smallest interval with both; an empty range adds nothing."""
    if left == right:
        return left
    if isinstance(left, Range) and isinstance(right, Range):
        if left.low > left.high:
            return right
        if right.low > right.high:
            return left
        return Range(min(left.low, right.low), max(left.high, right.high))
    return INT


def arithmetic(operator: str, left: Type, right: Type) -> Type:
    """The interval of `left operator right`; for `div` and `mod` the divisor is positive."""
    if not isinstance(left, Range) or not isinstance(right, Range):
        return INT
    if left.low > left.high or right.low > right.high:
        return Range(0, -1)
    match operator:
        case "+":
            return Range(left.low + right.low, left.high + right.high)
        case "-":
            return Range(left.low - right.high, left.high - right.low)
        case "*":
            return _corners(lambda a, b: a * b, left, right)
        case "div":
            divisor = Range(max(1, right.low), max(1, right.high))
            return _corners(lambda a, b: a // b, left, divisor)
        case "mod":
            if left.low == left.high and right.low == right.high and right.low > 0:
                return Range(left.low % right.low, left.low % right.low)
            most = max(1, right.high) - 1
            if left.low >= 0 and left.high <= most and left.high < right.low:
                return left
            return Range(0, min(most, left.high) if left.low >= 0 else most)
        case _:
            raise ValueError(operator)


def _corners(operation: Callable[[int, int], int], left: Range, right: Range) -> Range:
    corners = [operation(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    return Range(min(corners), max(corners))


def smaller(left: Type, right: Type) -> Type:
    """The interval of `min(a, b)`."""
    if isinstance(left, Range) and isinstance(right, Range):
        return Range(min(left.low, right.low), min(left.high, right.high))
    return INT


def larger(left: Type, right: Type) -> Type:
    """The interval of `max(a, b)`."""
    if isinstance(left, Range) and isinstance(right, Range):
        return Range(max(left.low, right.low), max(left.high, right.high))
    return INT


def times(count: int | None, item: Type) -> Type:
    """The interval of a sum of 0 to `count` items; None is an unknown number of them."""
    if count is None or not isinstance(item, Range):
        return INT
    return Range(min(0, count * item.low), max(0, count * item.high))


def constant(type_: Type) -> int | None:
    """The only value of the interval, if there is one."""
    return type_.low if isinstance(type_, Range) and type_.low == type_.high else None
