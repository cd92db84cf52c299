"""Truth values and numbers that are folded where they are known.

An `Expr` is a Python `bool` or `int`, or a term of the solver. Most of a formula
about a finite instance is known beforehand; folding it here keeps what the
solver gets small, and a model's text out of its way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import z3

Expr: TypeAlias = "z3.ExprRef | bool | int"


def both(*operands: Expr) -> Any:
    """All of them."""
    return every(operands)


def either(*operands: Expr) -> Any:
    """One of them at least."""
    return some(operands)


def every(operands: Iterable[Expr]) -> Any:
    """All of them; True of none."""
    open_: list[Any] = []
    for each in operands:
        if each is False:
            return False
        if each is not True:
            open_.append(each)
    if not open_:
        return True
    return open_[0] if len(open_) == 1 else z3.And(open_)


def some(operands: Iterable[Expr]) -> Any:
    """One of them at least; False of none."""
    open_: list[Any] = []
    for each in operands:
        if each is True:
            return True
        if each is not False:
            open_.append(each)
    if not open_:
        return False
    return open_[0] if len(open_) == 1 else z3.Or(open_)


def negated(operand: Expr) -> Any:
    """Not the operand."""
    if isinstance(operand, bool):
        return not operand
    truth: Any = operand
    return truth.arg(0) if z3.is_not(truth) else z3.Not(truth)


def implied(left: Expr, right: Expr) -> Any:
    """The left, and so the right."""
    if left is True:
        return right
    if left is False or right is True:
        return True
    if right is False:
        return negated(left)
    return z3.Implies(left, right)


def equal(left: Expr, right: Expr) -> Any:
    """Of two truth values, two numbers or two members."""
    if isinstance(left, bool | int) and isinstance(right, bool | int):
        return left == right
    if isinstance(left, bool):
        return right if left else negated(right)
    if isinstance(right, bool):
        return left if right else negated(left)
    if not isinstance(left, int) and not isinstance(right, int) and left.eq(right):
        return True
    return left == right


def choose(condition: Expr, then: Expr, otherwise: Expr) -> Any:
    """The one or the other, of one kind."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if _is_same(then, otherwise):
        return then
    if isinstance(then, bool):
        return either(condition, otherwise) if then else both(negated(condition), otherwise)
    if isinstance(otherwise, bool):
        return either(negated(condition), then) if otherwise else both(condition, then)
    return z3.If(condition, then, otherwise)


def _is_same(left: Expr, right: Expr) -> bool:
    if isinstance(left, bool | int) or isinstance(right, bool | int):
        return type(left) is type(right) and bool(left == right)
    return bool(left.eq(right))


def plus(left: Expr, right: Expr) -> Any:
    """Of numbers"""
    if _is(left, 0):
        return right
    return left if _is(right, 0) else left + right


def minus(left: Expr, right: Expr) -> Any:
    """Of numbers"""
    return left if _is(right, 0) else left - right


def total(numbers: Iterable[Expr]) -> Any:
    """The sum of numbers"""
    known, open_ = 0, []
    for each in numbers:
        if isinstance(each, int):
            known += each
        else:
            open_.append(each)
    if not open_:
        return known
    parts = [*open_, z3.IntVal(known)] if known else open_
    return parts[0] if len(parts) == 1 else z3.Sum(parts)


def counted(truths: Iterable[Expr]) -> Any:
    """How many of the truth values hold."""
    return total(choose(each, 1, 0) for each in truths)


def at_most(left: Expr, right: Expr) -> Any:
    """left <= right"""
    return left <= right


def less(left: Expr, right: Expr) -> Any:
    """left < right"""
    return left < right


def _is(number: Expr, value: int) -> bool:
    return isinstance(number, int) and number == value


def for_all(variables: Sequence[Any], body: Expr) -> Any:
    """The body, whatever the variables are."""
    if isinstance(body, bool) or not variables:
        return body
    return z3.ForAll(list(variables), body)


def exists(variables: Sequence[Any], body: Expr) -> Any:
    """The body, for some values of the variables."""
    if isinstance(body, bool) or not variables:
        return body
    return z3.Exists(list(variables), body)


def formula(truth: Expr) -> z3.BoolRef:
    """The truth value as the solver takes it."""
    if isinstance(truth, bool):
        return z3.BoolVal(truth)
    assert isinstance(truth, z3.BoolRef)
    return truth
