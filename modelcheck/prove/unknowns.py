"""Values of which nothing is known, and when a value is within its type.

A variable of the state over a type of any size is an uninterpreted function, one for
each shape of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, assert_never

import z3

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
from modelcheck.prove.algebra import (
    Expr,
    at_most,
    both,
    choose,
    equal,
    every,
    for_all,
    implied,
    less,
    negated,
    total,
)
from modelcheck.prove.symbols import (
    Bounds,
    Counts,
    Entries,
    Members,
    Slots,
    Sym,
    Tagged,
    Unsupported,
    counts_of,
    either_outside,
    entries_of,
    is_small,
    members_by,
    merge,
    shapes,
    solver_sort,
    taken_apart,
    universe,
)


def unknown(type_: Type, name: str, sorts: tuple[Any, ...] = (), at: tuple[Any, ...] = ()) -> Sym:
    """A value of which nothing is known: constants, or functions of `at`.

    sorts  the solver's sorts of `at`
    """

    def leaf(sort: Any, suffix: str = "") -> Any:
        if not sorts:
            return z3.Const(name + suffix, sort)
        return z3.Function(name + suffix, *sorts, sort)(*at)

    match type_:
        case Bool() | Range() | Int() | Sort():
            if isinstance(type_, Sort) and type_.size == 1:
                return 0
            if isinstance(type_, Range) and type_.low == type_.high:
                return type_.low
            return leaf(solver_sort(type_))
        case Union(_, forms):
            fields = tuple(
                tuple(
                    unknown(f.type, f"{name}.{form.name}.{f.name}", sorts, at) for f in form.fields
                )
                for form in forms
            )
            return Tagged(_unknown_tag(len(forms), leaf), fields)
        case Option(item):
            some_ = (unknown(item, f"{name}.item", sorts, at),)
            return Tagged(_unknown_tag(2, leaf), ((), some_))
        case Set(element):
            if is_small(element):
                return members_by(
                    element,
                    {v: leaf(z3.BoolSort(), f"[{i}]") for i, v in enumerate(universe(element))},
                )
            return Members(element, _predicate(element, name, z3.BoolSort(), sorts, at, False))
        case Bag(element):
            if is_small(element):
                return counts_of(
                    element,
                    {v: leaf(z3.IntSort(), f"[{i}]") for i, v in enumerate(universe(element))},
                )
            return Counts(element, _predicate(element, name, z3.IntSort(), sorts, at, 0))
        case Map(key, item):
            return unknown_entries(key, item, name, sorts, at)
        case Seq(element, bound):
            if bound is None:
                raise Unsupported("a sequence of any length")
            slots = tuple(unknown(element, f"{name}[{i}]", sorts, at) for i in range(bound))
            return Slots(element, leaf(z3.IntSort(), ":len") if bound else 0, slots)
        case Nothing():
            raise ValueError("there is no value of the type without values")
        case _:
            assert_never(type_)


def anything(type_: Type) -> Sym:
    """A value where there is none, so that no matter which is right."""
    if isinstance(type_, Nothing):
        raise Unsupported("an element of an empty literal")
    label = z3.FreshConst(z3.BoolSort(), "nothing").decl().name()
    return unknown(type_, label)


def _unknown_tag(forms: int, leaf: Callable[..., Any]) -> Expr:
    if forms == 1:
        return 0
    tag: Expr = leaf(z3.BoolSort() if forms == 2 else z3.IntSort(), ":form")
    return tag


def unknown_entries(
    key: Type, item: Type, name: str, sorts: tuple[Any, ...] = (), at: tuple[Any, ...] = ()
) -> Entries:
    """A map of which nothing is known."""
    if is_small(key):
        return entries_of(
            key,
            {v: unknown(item, f"{name}[{i}]", sorts, at) for i, v in enumerate(universe(key))},
        )

    def entry(value: Sym) -> Sym:
        result: Sym | None = None
        for condition, forms, scalars in taken_apart(value):
            label = name + "".join(f"/{f}" for f in forms)
            more = tuple(_sort_of(each) for each in scalars)
            here = unknown(item, label, (*sorts, *more), (*at, *scalars))
            result = here if result is None else merge(condition, here, result)
        assert result is not None
        return result

    return Entries(key, entry)


def _predicate(
    element: Type, name: str, sort: Any, sorts: tuple[Any, ...], at: tuple[Any, ...], nothing: Expr
) -> Callable[[Sym], Expr]:
    """A function of a value: for each of its shapes one of its scalars."""

    def ask(value: Sym) -> Expr:
        result: Expr = nothing
        for condition, forms, scalars in taken_apart(value):
            label = name + "".join(f"/{f}" for f in forms)
            function_sorts = (*sorts, *(_sort_of(each) for each in scalars))
            arguments = (*at, *scalars)
            if function_sorts:
                here = z3.Function(label, *function_sorts, sort)(*arguments)
            else:
                here = z3.Const(label, sort)
            result = choose(condition, here, result)
        return result

    return ask


def _sort_of(value: Expr) -> Any:
    if isinstance(value, bool):
        return z3.BoolSort()
    return z3.IntSort() if isinstance(value, int) else value.sort()


def typed(type_: Type, sym: Sym, bounds: Bounds) -> Expr:
    """Whether every part of the value is within its type; capacities over tables included."""
    match type_:
        case Bool() | Range() | Int() | Sort():
            return bounds.of(type_, sym)
        case Union(_, forms):
            assert isinstance(sym, Tagged)
            inside = _is_some_form(sym)
            types = [[f.type for f in form.fields] for form in forms]
            return both(inside, *_typed_forms(types, sym, bounds))
        case Option(item):
            assert isinstance(sym, Tagged)
            return every(_typed_forms([[], [item]], sym, bounds))
        case Set(element, bound):
            assert isinstance(sym, Members)
            if is_small(element):
                bits = list(sym.table.values())
                bound = None if bound is None or bound >= len(bits) else bound
                return _within(bound, [choose(bit, 1, 0) for bit in bits])
            return every(
                for_all(s.variables, implied(sym.has(s.value), s.typed))
                for s in shapes(element, "x", bounds)
            )
        case Bag(element, bound):
            assert isinstance(sym, Counts)
            if is_small(element):
                counts = list(sym.table.values())
                return both(*(n >= 0 for n in counts), _within(bound, counts))
            return every(
                for_all(
                    s.variables,
                    both(sym.count(s.value) >= 0, either_typed(sym.count(s.value), s.typed)),
                )
                for s in shapes(element, "x", bounds)
            )
        case Map(key, item):
            assert isinstance(sym, Entries)
            return typed_entries(key, item, sym, bounds)
        case Seq(element, bound):
            assert isinstance(sym, Slots)
            parts = (
                either_outside(i, sym.length, typed(element, each, bounds))
                for i, each in enumerate(sym.slots)
            )
            most = True if bound is None else sym.length <= bound
            return both(sym.length >= 0, most, *parts)
        case Nothing():
            return True
        case _:
            assert_never(type_)


def either_typed(count: Expr, typed_: Expr) -> Expr:
    """That what is there at all is within its type."""
    return implied(negated(equal(count, 0)), typed_)


def typed_entries(key: Type, item: Type, sym: Entries, bounds: Bounds) -> Expr:
    """Whether every entry is within the item's type."""
    if is_small(key):
        return every(typed(item, each, bounds) for each in sym.table.values())
    return every(
        for_all(s.variables, implied(s.typed, typed(item, sym.at(s.value), bounds)))
        for s in shapes(key, "k", bounds)
    )


def _typed_forms(types: list[list[Type]], sym: Tagged, bounds: Bounds) -> Iterator[Expr]:
    for number, (form, fields) in enumerate(zip(types, sym.forms, strict=True)):
        if fields:
            parts = every(typed(t, f, bounds) for t, f in zip(form, fields, strict=True))
            yield implied(sym.is_form(number), parts)


def _is_some_form(sym: Tagged) -> Expr:
    if isinstance(sym.tag, int) or len(sym.forms) == 2:
        return True
    return both(sym.tag >= 0, less(sym.tag, len(sym.forms)))


def _within(bound: int | None, counts: list[Expr]) -> Expr:
    return True if bound is None else at_most(total(counts), bound)
