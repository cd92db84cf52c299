"""Whether a value fits the type it is put into, and the clause that says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from modelcheck.core.clauses import misfit_clause
from modelcheck.core.frame import Failed
from modelcheck.core.outcome import Failure
from modelcheck.core.types import (
    Bag,
    Bool,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import Value, misfit
from modelcheck.source import Span

Judge: TypeAlias = Callable[[Value], None]


def always_fits(type_: Type) -> bool:
    """Whether every value of the type's form is a value of the type."""
    match type_:
        case Bool() | Nothing() | Sort():
            return True
        case Int(low, high):
            return low is None and high is None
        case Range():
            return False
        case Union():
            return all(always_fits(f.type) for form in type_.forms for f in form.fields)
        case Option():
            return always_fits(type_.item)
        case Set() | Bag() | Seq():
            return type_.bound is None and always_fits(type_.element)
        case Map():
            return always_fits(type_.value)
        case _:
            assert_never(type_)


def judge(type_: Type, what: str, verb: str, span: Span | None) -> Judge | None:
    """What raises Failed for a value outside the type; None if no value can be outside.

    The clause begins with `what` and `verb`: "`token` of `Write`", "would be".
    """
    if always_fits(type_):
        return None

    def raise_misfit(value: Value) -> None:
        failure = misfit_failure(type_, value, what, verb, span)
        if failure is not None:
            raise Failed(failure)

    if not isinstance(type_, Range):
        return raise_misfit
    low, high = type_.low, type_.high

    def judge_number(value: Value) -> None:
        if not low <= value <= high:  # type: ignore[operator]
            raise_misfit(value)

    return judge_number


def misfit_failure(
    type_: Type, value: Value, what: str, verb: str, span: Span | None
) -> Failure | None:
    """The range or capacity failure of a value that leaves the type, None if it fits."""
    found = misfit(type_, value)
    if found is None:
        return None
    kind, part_type, part = found
    number = part if isinstance(part, int) else len(part)
    return Failure(kind, misfit_clause(kind, what, verb, type_, part_type, number), span)
