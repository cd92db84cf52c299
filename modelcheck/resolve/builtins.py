"""The functions of the language: from elaborated arguments to a core term.

Each takes the call's place and its arguments, and either gives the term or
says what argument it wanted instead.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from modelcheck.core import terms as core
from modelcheck.core.types import (
    BOOL,
    INT,
    NOTHING,
    Bag,
    Nothing,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import cardinality, is_finite
from modelcheck.resolve.intervals import HIGHEST, is_number, larger, smaller
from modelcheck.source import Span

ARGUMENT_COUNTS: dict[str, tuple[int, ...]] = {
    "size": (1,),
    "empty": (1,),
    "min": (1, 2),
    "max": (1, 2),
    "first": (1,),
    "last": (1,),
    "rest": (1,),
    "prefix": (2,),
    "len": (1,),
    "majority": (1,),
}


EXAMPLES: dict[str, str] = {
    "size": "size(network.writes)",
    "empty": "empty(network.writes)",
    "min": "min(a, b)",
    "max": "max(a, b)",
    "first": "first(n.log)",
    "last": "last(n.log)",
    "rest": "rest(n.log)",
    "prefix": "prefix(n.log, k)",
    "len": "len(n.log)",
    "majority": "majority(votes)",
}


@frozen
class Unfit:
    """An argument of the wrong type: its position, and what was wanted in words."""

    position: int
    wanted: str


def apply(name: str, arguments: tuple[core.Term, ...], span: Span) -> core.Term | Unfit:
    """The built-in `name` applied; the number of arguments is right."""
    one = arguments[0]
    match name:
        case "size" | "empty":
            if not isinstance(one.type, Set | Bag | Seq | Nothing):
                return Unfit(0, "a set, a bag or a sequence")
            if name == "empty":
                return core.IsEmpty(one, span=span)
            return core.Size(one, type=size_interval(one), span=span)
        case "len":
            if not isinstance(one.type, Seq | Nothing):
                return Unfit(0, "a sequence")
            return core.Size(one, type=size_interval(one), span=span)
        case "min" | "max":
            return _extreme(name, arguments, span)
        case "first" | "last":
            if not isinstance(one.type, Seq | Nothing):
                return Unfit(0, "a sequence")
            which: Literal["first", "last"] = "first" if name == "first" else "last"
            return core.End(which, one, type=element_type(one.type), span=span)
        case "rest":
            if not isinstance(one.type, Seq | Nothing):
                return Unfit(0, "a sequence")
            return core.Rest(one, type=one.type, span=span)
        case "prefix":
            if not isinstance(one.type, Seq | Nothing):
                return Unfit(0, "a sequence")
            if not _is_number(arguments[1].type):
                return Unfit(1, "a number")
            return core.Prefix(one, arguments[1], type=one.type, span=span)
        case "majority":
            of = element_type(one.type)
            if not isinstance(one.type, Set) or not (_countable(of) or isinstance(of, Nothing)):
                return Unfit(0, "a set over a sort, an enum or a range")
            return core.Majority(one, of, type=BOOL, span=span)
        case _:
            raise ValueError(name)


def _extreme(name: str, arguments: tuple[core.Term, ...], span: Span) -> core.Term | Unfit:
    which: Literal["min", "max"] = "min" if name == "min" else "max"
    if len(arguments) == 2:
        left, right = arguments
        for position, each in enumerate(arguments):
            if not _is_number(each.type):
                return Unfit(position, "a number")
        bounds = smaller if name == "min" else larger
        return core.ExtremeOfTwo(which, left, right, type=bounds(left.type, right.type), span=span)
    one = arguments[0]
    element = element_type(one.type)
    if not isinstance(one.type, Set | Bag | Seq) or not _is_number(element):
        return Unfit(0, "a set of numbers, or two numbers")
    return core.Extreme(which, one, type=element, span=span)


def _is_number(type_: Type) -> bool:
    return is_number(type_) or isinstance(type_, Nothing)


def _countable(type_: Type) -> bool:
    match type_:
        case Sort() | Range():
            return True
        case Union():
            return type_.is_enum
        case _:
            return is_number(type_)


def element_type(type_: Type) -> Type:
    """What a set, bag or sequence holds."""
    return type_.element if isinstance(type_, Set | Bag | Seq) else NOTHING


def number_of_values(type_: Type) -> int | None:
    """How many values the type has; None while that is not known."""
    return cardinality(type_) if is_finite(type_) else None


def size_interval(collection: core.Term) -> Type:
    """The interval of a collection's size."""
    if isinstance(collection, core.Universe):
        count = number_of_values(collection.of)
        return INT if count is None else Range(min(count, HIGHEST), min(count, HIGHEST))
    type_ = collection.type
    match type_:
        case Set(element, bound):
            count = number_of_values(element)
            if count is None and bound is None:
                return INT
            limits = [each for each in (count, bound) if each is not None]
            return Range(0, min(*limits, HIGHEST))
        case Bag(_, bound) | Seq(_, bound):
            return INT if bound is None else Range(0, bound)
        case Nothing():
            return Range(0, 0)
        case _:
            return INT
