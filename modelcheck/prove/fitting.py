"""Whether a value fits the type it is put into; the failures `range` and `capacity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

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
from modelcheck.core.values import misfit
from modelcheck.prove.algebra import both, choose, exists, less, negated, total
from modelcheck.prove.frame import Frame
from modelcheck.prove.symbols import Counts, Entries, Members, Slots, Sym, Tagged, is_small, shapes
from modelcheck.prove.unknowns import typed


def covers(target: Type, source: Type) -> bool:
    """Whether every value of the source type is one of the target."""
    match target, source:
        case (_, Nothing()) | (Bool(), _) | (Sort(), _) | (Int(None, None), _):
            return True
        case Range(low, high), Range(first, last):
            return (low <= first and last <= high) or first > last
        case Union(_, forms), Union(_, others):
            return all(
                covers(f.type, g.type)
                for form, other in zip(forms, others, strict=True)
                for f, g in zip(form.fields, other.fields, strict=True)
            )
        case Option(item), Option(other_item):
            return covers(item, other_item)
        case Set(item, most), Set(other_item, other_most):
            return _holds_as_many(most, other_most) and covers(item, other_item)
        case Bag(item, most), Bag(other_item, other_most):
            return _holds_as_many(most, other_most) and covers(item, other_item)
        case Seq(item, most), Seq(other_item, other_most):
            return _holds_as_many(most, other_most) and covers(item, other_item)
        case Map(_, value), Map(_, other_value):
            return covers(value, other_value)
        case _:
            return target == source


def _holds_as_many(bound: int | None, other: int | None) -> bool:
    return bound is None or (other is not None and other <= bound)


def judge(type_: Type, sym: Sym, source: Type, frame: Frame) -> None:
    """Notes the failure of a value, of a term of type `source`, that does not fit."""
    if covers(type_, source):
        return
    reach = frame.reach
    match type_:
        case Bool() | Sort() | Nothing():
            return
        case Range() | Int():
            reach.fail("range", negated(frame.space.bounds.of(type_, sym)))
        case Union(_, forms):
            assert isinstance(sym, Tagged) and isinstance(source, Union)
            types = [[f.type for f in form.fields] for form in forms]
            sources = [[f.type for f in form.fields] for form in source.forms]
            _judge_forms(types, sources, sym, frame)
        case Option(item):
            assert isinstance(sym, Tagged) and isinstance(source, Option)
            _judge_forms([[], [item]], [[], [source.item]], sym, frame)
        case Set(element, bound):
            assert isinstance(sym, Members) and isinstance(source, Set)
            _judge_members(element, bound, sym, source.element, frame)
        case Bag(element, bound):
            assert isinstance(sym, Counts) and isinstance(source, Bag)
            if not is_small(sym.element):
                return  # what a bag over so many values holds was judged when it was made
            for value, count in sym.table.items():
                wrong = misfit(element, value)
                if wrong is not None:
                    reach.fail(wrong[0], less(0, count))
            if bound is not None:
                reach.fail("capacity", less(bound, total(sym.table.values())))
        case Seq(element, bound):
            assert isinstance(sym, Slots) and isinstance(source, Seq)
            for i, each in enumerate(sym.slots):
                with reach.under(less(i, sym.length)):
                    judge(element, each, source.element, frame)
            if bound is not None:
                reach.fail("capacity", less(bound, sym.length))
        case Map(key, item):
            assert isinstance(sym, Entries) and isinstance(source, Map)
            if is_small(key):
                for each in sym.table.values():
                    judge(item, each, source.value, frame)
                return
            for shape in shapes(key, "k", frame.space.bounds):
                entry = typed(item, sym.at(shape.value), frame.space.bounds)
                outside = exists(shape.variables, both(shape.typed, negated(entry)))
                reach.fail("range", outside)
        case _:
            assert_never(type_)


def _judge_forms(
    types: list[list[Type]], sources: list[list[Type]], sym: Tagged, frame: Frame
) -> None:
    for number, (form, other) in enumerate(zip(types, sources, strict=True)):
        fields: Sequence[Sym] = sym.forms[number] or ()
        if not fields:
            continue
        with frame.reach.under(sym.is_form(number)):
            for type_, source, value in zip(form, other, fields, strict=True):
                judge(type_, value, source, frame)


def _judge_members(
    element: Type, bound: int | None, sym: Members, source: Type, frame: Frame
) -> None:
    reach = frame.reach
    if is_small(sym.element):
        for value, bit in sym.table.items():
            wrong = misfit(element, value)
            if wrong is not None:
                reach.fail(wrong[0], bit)
        if bound is not None:
            number = total(choose(bit, 1, 0) for bit in sym.table.values())
            reach.fail("capacity", less(bound, number))
        return
    if covers(element, source):
        return
    for shape in shapes(sym.element, "x"):
        fits = typed(element, shape.value, frame.space.bounds)
        outside = both(sym.has(shape.value), negated(fits))
        reach.fail("range", exists(shape.variables, outside))
