"""A term for a value: `Write(n1, 1, 2)`. Members of sorts, which no text can name, included."""

from __future__ import annotations

from typing import assert_never

from modelcheck.core.terms import Absent, BagOf, Make, Number, Present, SeqOf, SetOf, Term, Truth
from modelcheck.core.types import Bag, Bool, Int, Map, Nothing, Option, Range, Seq, Set, Sort, Type
from modelcheck.core.types import Union as UnionType
from modelcheck.core.values import Value


def constant(type_: Type, value: Value) -> Term | None:
    """The term; None for a value that holds a map, for which there is none."""
    match type_:
        case Bool():
            return Truth(bool(value))
        case Int() | Range() | Sort():
            assert isinstance(value, int)
            return Number(value, type=type_)
        case UnionType(_, forms):
            assert isinstance(value, tuple) and isinstance(value[0], int)
            fields = forms[value[0]].fields
            items = [constant(f.type, v) for f, v in zip(fields, value[1:], strict=True)]
            known = [each for each in items if each is not None]
            return Make(value[0], tuple(known), type=type_) if len(known) == len(items) else None
        case Option(item):
            assert isinstance(value, tuple)
            if not value:
                return Absent(type=type_)
            inner = constant(item, value[0])
            return None if inner is None else Present(inner, type=type_)
        case Set(element) | Bag(element) | Seq(element):
            assert isinstance(value, tuple)
            items = [constant(element, each) for each in value]
            known = [each for each in items if each is not None]
            if len(known) < len(items):
                return None
            if isinstance(type_, Set):
                return SetOf(tuple(known), type=type_)
            if isinstance(type_, Bag):
                return BagOf(tuple(known), type=type_)
            return SeqOf(tuple(known), type=type_)
        case Map() | Nothing():
            return None
        case _:
            assert_never(type_)
