"""Values of which the solver knows the scalars.

A *scalar* is an `Expr`: a truth value, a number, or a member of a sort (a number
where the sort has a size, else a constant of a sort of the solver). All else is
taken apart in Python:

    Tagged   union or option: which form, and the fields of every form it can have
    Members  set: whether a value is in it
    Counts   bag: how often
    Entries  map: what is at a key
    Slots    sequence: its length, and that many elements of a tuple

A set, bag or map over few values is a table by value, so the formula about it has
no quantifier; over many, or over a sort of any size, it is a function of what is
asked, and a variable of the state is an uninterpreted one. Its arguments are the
scalars of the element; the forms of unions are told apart beforehand, so that
`exists m in acks` becomes one quantifier over the fields of a message for each form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, TypeAlias, assert_never

import z3
from attrs import define

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
from modelcheck.core.values import Value, cardinality, is_finite, values_of
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
    some,
)

MOST_IN_TABLE = 1024
"""Above, a set over so many values is a function."""


class Unsupported(Exception):
    """What this encoding has no formula for; `what` is a noun phrase."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@define(eq=False)
class Tagged:
    """
    tag    which form: of two, whether it is the second (of an option: whether it is there), of
           more the number
    forms  the fields of each form, None where the value certainly has another
    """

    tag: Expr
    forms: tuple[tuple[Sym, ...] | None, ...]

    def is_form(self, number: int) -> Expr:
        """Whether the value has this form."""
        if self.forms[number] is None:
            return False
        if len(self.forms) == 2:
            return self.tag if number else negated(self.tag)
        return equal(self.tag, number)


@define(eq=False, slots=False)
class Members:
    """
    has    whether a value of the element's form is in the set
    items  (condition, value) of each possible element, if the set is given by a list of them
    known  whether each value is in it, if that is known for all of the type
    """

    element: Type
    has: Callable[[Sym], Expr]
    items: tuple[tuple[Expr, Sym], ...] | None = None
    known: Mapping[Value, Expr] | None = None

    @cached_property
    def table(self) -> Mapping[Value, Expr]:
        """Whether each value is in the set. Raises Unsupported where there are too many."""
        if self.known is not None:
            return self.known
        return {v: self.has(lift(self.element, v)) for v in universe(self.element)}


@define(eq=False, slots=False)
class Counts:
    """Of a bag: how often a value is in it."""

    element: Type
    count: Callable[[Sym], Expr]
    known: Mapping[Value, Expr] | None = None

    @cached_property
    def table(self) -> Mapping[Value, Expr]:
        """How often each value is in the bag. Raises Unsupported where there are too many."""
        if self.known is not None:
            return self.known
        return {v: self.count(lift(self.element, v)) for v in universe(self.element)}


@define(eq=False, slots=False)
class Entries:
    """Of a map, or of the members of a group."""

    key: Type
    at: Callable[[Sym], Sym]
    known: Mapping[Value, Sym] | None = None

    @cached_property
    def table(self) -> Mapping[Value, Sym]:
        """What is at each key. Raises Unsupported where there are too many."""
        if self.known is not None:
            return self.known
        return {v: self.at(lift(self.key, v)) for v in universe(self.key)}


@define(eq=False)
class Slots:
    """Of a sequence: what is behind its length counts for nothing."""

    element: Type
    length: Expr
    slots: tuple[Sym, ...]


Sym: TypeAlias = "Expr | Tagged | Members | Counts | Entries | Slots"


def is_small(type_: Type) -> bool:
    """Whether sets over the type are tables."""
    return is_finite(type_) and cardinality(type_) <= MOST_IN_TABLE


def universe(type_: Type) -> Sequence[Value]:
    """All values of a type whose sets are tables."""
    if not is_small(type_):
        raise Unsupported("a collection of so many values, taken apart")
    return values_of(type_)


# --- constants ---------------------------------------------------------------------


def lift(type_: Type, value: Any) -> Sym:
    """The value, known."""
    match type_:
        case Bool():
            return bool(value)
        case Int() | Range() | Sort():
            return int(value)
        case Union(_, forms):
            fields = tuple(
                lift(f.type, v) for f, v in zip(forms[value[0]].fields, value[1:], strict=True)
            )
            return tagged(value[0], len(forms), fields)
        case Option(item):
            return tagged(1, 2, (lift(item, value[0]),)) if value else tagged(0, 2, ())
        case Set(element):
            return members_of(element, [(True, lift(element, each)) for each in value])
        case Bag(element):
            return counts_of(element, {each: value.count(each) for each in value})
        case Seq(element):
            return Slots(element, len(value), tuple(lift(element, each) for each in value))
        case Map(key, item):
            pairs = zip(values_of(key), value, strict=True)
            return entries_of(key, {k: lift(item, v) for k, v in pairs})
        case Nothing():
            raise ValueError("there is no value of the type without values")
        case _:
            assert_never(type_)


def tagged(form: int, forms: int, fields: tuple[Sym, ...]) -> Tagged:
    """A value whose form is known."""
    tag: Expr = bool(form) if forms == 2 else form
    return Tagged(tag, tuple(fields if i == form else None for i in range(forms)))


ABSENT = tagged(0, 2, ())


def present(item: Sym) -> Tagged:
    """An option that has this item."""
    return tagged(1, 2, (item,))


def members_of(element: Type, items: Sequence[tuple[Expr, Sym]]) -> Members:
    """The set of the values whose conditions hold."""
    listed = tuple(item for item in items if item[0] is not False)

    def has(value: Sym) -> Expr:
        return some(both(condition, same(value, each)) for condition, each in listed)

    return Members(element, has, listed)


def members_by(element: Type, table: Mapping[Value, Expr]) -> Members:
    """The set given by whether each value is in it."""

    def has(value: Sym) -> Expr:
        return some(both(bit, is_value(element, value, v)) for v, bit in table.items())

    return Members(element, has, known=table)


def counts_of(element: Type, table: Mapping[Value, Expr]) -> Counts:
    """The bag given by how often each value is in it."""

    def count(value: Sym) -> Expr:
        result: Expr = 0
        for v, n in table.items():
            result = choose(is_value(element, value, v), n, result)
        return result

    return Counts(element, count, table)


def entries_of(key: Type, table: Mapping[Value, Sym]) -> Entries:
    """The map given by what is at each key. A key that is none of them gets any entry."""

    def at(value: Sym) -> Sym:
        result: Sym | None = None
        for v, entry in table.items():
            hit = is_value(key, value, v)
            if hit is True:
                return entry
            if hit is not False:
                result = entry if result is None else merge(hit, entry, result)
        return next(iter(table.values())) if result is None else result

    return Entries(key, at, table)


def is_value(type_: Type, sym: Sym, value: Any) -> Expr:
    """Whether a value is this one."""
    if isinstance(sym, Tagged):
        form = value[0] if isinstance(type_, Union) else len(value)
        fields = sym.forms[form]
        if fields is None:
            return False
        types: Sequence[Type]
        if isinstance(type_, Union):
            types, values = [f.type for f in type_.forms[form].fields], value[1:]
        else:
            assert isinstance(type_, Option)
            types, values = [type_.item] * form, value
        parts = (is_value(t, f, v) for t, f, v in zip(types, fields, values, strict=True))
        return both(sym.is_form(form), *parts)
    if isinstance(sym, Members | Counts | Entries | Slots):
        return same(sym, lift(type_, value))
    return equal(scalar(sym), value)


def scalar(sym: Sym) -> Any:
    """The value, which is a truth value, a number or a member."""
    assert not isinstance(sym, Tagged | Members | Counts | Entries | Slots)
    return sym


# --- equality, choice --------------------------------------------------------------


def same(left: Sym, right: Sym) -> Expr:
    """Whether two values are equal."""
    match left, right:
        case Tagged(), Tagged():
            return both(equal(left.tag, right.tag), *_same_fields(left, right))
        case Members(), Members():
            return _same_tables(left, right, left.has, right.has, False)
        case Counts(), Counts():
            return _same_tables(left, right, left.count, right.count, 0)
        case Entries(), Entries():
            if _has_tables(left.key):
                pairs = ((entry, right.table[k]) for k, entry in left.table.items())
                return every(same(a, b) for a, b in pairs)
            return every(
                for_all(shape.variables, implied(shape.typed, same(left.at(v), right.at(v))))
                for shape in shapes(left.key, "k")
                for v in [shape.value]
            )
        case Slots(), Slots():
            return both(
                equal(left.length, right.length),
                *(
                    either_outside(i, left.length, same(a, b))
                    for i, (a, b) in enumerate(zip(left.slots, right.slots, strict=False))
                ),
                _no_longer(left, len(right.slots)),
                _no_longer(right, len(left.slots)),
            )
        case _:
            return equal(scalar(left), scalar(right))


def _same_fields(left: Tagged, right: Tagged) -> Iterator[Expr]:
    for form, (a, b) in enumerate(zip(left.forms, right.forms, strict=True)):
        if a and b:
            fields = every(same(x, y) for x, y in zip(a, b, strict=True))
            yield implied(left.is_form(form), fields)


def either_outside(index: int, length: Expr, truth: Expr) -> Expr:
    """Whether the slot is behind the end, or what is said of it holds."""
    return implied(less(index, length), truth)


def _no_longer(slots: Slots, most: int) -> Expr:
    """That the sequence is no longer than the other one can be."""
    return True if len(slots.slots) <= most else slots.length <= most


def _has_tables(type_: Type) -> bool:
    return is_small(type_)


def _same_tables(
    left: Members | Counts,
    right: Members | Counts,
    of_left: Callable[[Sym], Expr],
    of_right: Callable[[Sym], Expr],
    nothing: Expr,
) -> Expr:
    if _has_tables(left.element) and _has_tables(right.element):
        keys = {**left.table, **right.table}
        pairs = ((left.table.get(k, nothing), right.table.get(k, nothing)) for k in keys)
        return every(equal(a, b) for a, b in pairs)
    element = right.element if isinstance(left.element, Nothing) else left.element
    return every(
        for_all(shape.variables, equal(of_left(shape.value), of_right(shape.value)))
        for shape in shapes(element, "x")
    )


def merge(condition: Expr, then: Sym, otherwise: Sym) -> Sym:
    """The one value or the other."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if then is otherwise:
        return then
    match then, otherwise:
        case Tagged(), Tagged():
            forms = tuple(
                _merge_fields(condition, a, b)
                for a, b in zip(then.forms, otherwise.forms, strict=True)
            )
            return Tagged(choose(condition, then.tag, otherwise.tag), forms)
        case Members(), Members():
            return _merge_members(condition, then, otherwise)
        case Counts(), Counts():
            a, b = then, otherwise
            element = _wider(a.element, b.element)
            if _has_tables(a.element) and _has_tables(b.element):
                keys = {**a.table, **b.table}
                return counts_of(
                    element,
                    {k: choose(condition, a.table.get(k, 0), b.table.get(k, 0)) for k in keys},
                )
            return Counts(element, lambda v: choose(condition, a.count(v), b.count(v)))
        case Entries(), Entries():
            if _has_tables(then.key):
                table = otherwise.table
                return entries_of(
                    then.key, {k: merge(condition, v, table[k]) for k, v in then.table.items()}
                )
            first, second = then, otherwise
            return Entries(then.key, lambda v: merge(condition, first.at(v), second.at(v)))
        case Slots(), Slots():
            return Slots(
                _wider(then.element, otherwise.element),
                choose(condition, then.length, otherwise.length),
                _merge_slots(condition, then.slots, otherwise.slots),
            )
        case _:
            return choose(condition, scalar(then), scalar(otherwise))


def _merge_fields(
    condition: Expr, then: tuple[Sym, ...] | None, otherwise: tuple[Sym, ...] | None
) -> tuple[Sym, ...] | None:
    if then is None or otherwise is None:
        return then if otherwise is None else otherwise
    return tuple(merge(condition, a, b) for a, b in zip(then, otherwise, strict=True))


def _merge_members(condition: Expr, then: Members, otherwise: Members) -> Members:
    element = _wider(then.element, otherwise.element)
    if _has_tables(then.element) and _has_tables(otherwise.element):
        keys = {**then.table, **otherwise.table}
        a, b = then.table, otherwise.table
        return members_by(
            element, {k: choose(condition, a.get(k, False), b.get(k, False)) for k in keys}
        )
    return Members(element, lambda v: choose(condition, then.has(v), otherwise.has(v)))


def _wider(left: Type, right: Type) -> Type:
    return right if isinstance(left, Nothing) else left


def _merge_slots(
    condition: Expr, then: tuple[Sym, ...], otherwise: tuple[Sym, ...]
) -> tuple[Sym, ...]:
    shared = [merge(condition, a, b) for a, b in zip(then, otherwise, strict=False)]
    return (*shared, *then[len(shared) :], *otherwise[len(shared) :])


# --- shapes ------------------------------------------------------------------------


class Shape(NamedTuple):
    """All values of a type without collections whose unions have certain forms.

    forms      of the unions in it, in order of occurrence
    variables  one for each scalar
    typed      whether the variables are within the type
    """

    forms: tuple[int, ...]
    variables: tuple[Any, ...]
    value: Sym
    typed: Expr


def shapes(type_: Type, name: str, bounds: Bounds | None = None) -> list[Shape]:
    """The shapes of a type, with new variables."""
    return [
        Shape(forms, tuple(scalars), value, typed)
        for forms, scalars, value, typed in _shapes(type_, name, bounds or NO_BOUNDS)
    ]


def _shapes(
    type_: Type, name: str, bounds: Bounds
) -> Iterator[tuple[tuple[int, ...], list[Any], Sym, Expr]]:
    match type_:
        case Bool() | Range() | Int() | Sort():
            variable = z3.FreshConst(solver_sort(type_), name)
            yield (), [variable], variable, bounds.of(type_, variable)
        case Union(_, forms):
            for number, form in enumerate(forms):
                yield from _form_shapes(
                    number, len(forms), [f.type for f in form.fields], name, bounds
                )
        case Option(item):
            yield (0,), [], ABSENT, True
            yield from _form_shapes(1, 2, [item], name, bounds)
        case Set() | Bag() | Seq() | Map():
            raise Unsupported("a collection inside an element, of any size")
        case Nothing():
            return
        case _:
            assert_never(type_)


def _form_shapes(
    number: int, count: int, types: list[Type], name: str, bounds: Bounds
) -> Iterator[tuple[tuple[int, ...], list[Any], Sym, Expr]]:
    for chosen in product(*(list(_shapes(t, name, bounds)) for t in types)):
        forms = (number, *(f for each in chosen for f in each[0]))
        scalars = [s for each in chosen for s in each[1]]
        value = tagged(number, count, tuple(each[2] for each in chosen))
        yield forms, scalars, value, every(each[3] for each in chosen)


def taken_apart(sym: Sym) -> list[tuple[Expr, tuple[int, ...], tuple[Any, ...]]]:
    """Each shape that a value without collections may have: when it has it, forms, scalars."""
    if not isinstance(sym, Tagged):
        if isinstance(sym, Members | Counts | Entries | Slots):
            raise Unsupported("a collection inside an element, of any size")
        return [(True, (), (sym,))]
    result: list[tuple[Expr, tuple[int, ...], tuple[Any, ...]]] = []
    for number, fields in enumerate(sym.forms):
        here = sym.is_form(number)
        if here is False or fields is None:
            continue
        for chosen in product(*(taken_apart(each) for each in fields)):
            condition = both(here, *(each[0] for each in chosen))
            if condition is not False:
                forms = (number, *(f for each in chosen for f in each[1]))
                scalars = tuple(s for each in chosen for s in each[2])
                result.append((condition, forms, scalars))
    return result


def solver_sort(type_: Type) -> Any:
    """The solver's sort of a scalar type."""
    match type_:
        case Bool():
            return z3.BoolSort()
        case Range() | Int():
            return z3.IntSort()
        case Sort():
            return z3.IntSort() if type_.size is not None else z3.DeclareSort(type_.name)
        case _:
            raise Unsupported("a collection inside an element, of any size")


@define(eq=False)
class Bounds:
    """Which scalars are within their type.

    number  the value of a bound, which in a proof may depend on what it generalises; None if such
            bounds do not matter
    """

    number: Callable[[Any], Expr] | None

    def of(self, type_: Type, value: Any) -> Expr:
        """Whether the scalar is a value of the type."""
        match type_:
            case Range(low, high):
                return both(low <= value, value <= high)
            case Int(low, high) if self.number is not None:
                return both(
                    True if low is None else at_most(self.number(low), value),
                    True if high is None else at_most(value, self.number(high)),
                )
            case Sort() if type_.size is not None:
                return both(value >= 0, value < type_.size)
            case _:
                return True


NO_BOUNDS = Bounds(None)
