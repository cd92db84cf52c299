"""Values as Python objects, and their canonical order.

A value is an int, a bool, or a tuple of values:

    Bool       a bool
    Range      an int
    Sort       an int, the member's number from 0
    Union      (form's number, field, field, ...)
    Option     () for none, (item,) for some
    Set        a tuple, strictly ascending
    Bag        a tuple, ascending, with repeats
    Seq        a tuple in its own order
    Map        a tuple of values, in ascending order of the keys

Equal values are equal objects, and Python's own `<` on two values of one type
is the canonical order. The type must be known to print a value, and to tell
`True` from `1`.

A `State` is a tuple: for each variable its value, or for a variable of an
`each` group the tuple of its members' values; then the steps that each
bounded fault has taken; then, where a model claims that operations are
linearizable, the number of their history (see `linearizing`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Literal, TypeAlias, assert_never

from modelcheck.core.types import (
    Bag,
    Bool,
    Form,
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

Value: TypeAlias = "bool | int | tuple[Value, ...]"
State: TypeAlias = "tuple[Value, ...]"

NONE: Value = ()


def make_set(values: Iterable[Value]) -> tuple[Value, ...]:
    """The set of the values, each once, ascending."""
    return tuple(sorted(set(values)))


def make_bag(values: Iterable[Value]) -> tuple[Value, ...]:
    """The bag of the values, with repeats, ascending."""
    return tuple(sorted(values))


def is_finite(type_: Type) -> bool:
    """Whether the type has finitely many values, all sizes being known."""
    match type_:
        case Bool() | Range() | Nothing():
            return True
        case Int():
            return False
        case Sort():
            return type_.size is not None
        case Union():
            return all(is_finite(f.type) for form in type_.forms for f in form.fields)
        case Option():
            return is_finite(type_.item)
        case Set():
            return is_finite(type_.element)
        case Bag() | Seq():
            return is_finite(type_.element) and type_.bound is not None
        case Map():
            return is_finite(type_.key) and is_finite(type_.value)
        case _:
            assert_never(type_)


MOST_BITS = 65_536
MOST = 1 << MOST_BITS


def cardinality(type_: Type) -> int:
    """How many values the (finite) type has: exact up to MOST, and MOST for all above."""
    match type_:
        case Bool():
            return 2
        case Range(low, high):
            return max(0, high - low + 1)
        case Sort():
            assert type_.size is not None, "the sort's size is set by a check"
            return type_.size
        case Union(_, forms):
            return min(MOST, sum(_fields(form) for form in forms))
        case Option(item):
            return min(MOST, 1 + cardinality(item))
        case Set(element, bound):
            n = cardinality(element)
            return _power(2, n) if bound is None or bound >= n else _subsets(n, bound)
        case Bag(element, bound):
            assert bound is not None
            return _choose(cardinality(element) + bound, bound)
        case Seq(element, bound):
            assert bound is not None
            return _sequences(cardinality(element), bound)
        case Map(key, value):
            return _power(cardinality(value), cardinality(key))
        case Int():
            raise ValueError("a type without bounds has no cardinality")
        case Nothing():
            return 0
        case _:
            assert_never(type_)


# A type may have more values than memory has bits, so none of these computes a number that is
# much larger than MOST.


def _fields(form: Form) -> int:
    result = 1
    for field in form.fields:
        result = min(MOST, result * cardinality(field.type))
    return result


def _power(base: int, exponent: int) -> int:
    if base > 1 and exponent * (base.bit_length() - 1) >= MOST_BITS:
        return MOST
    return min(MOST, int(base**exponent))


def _choose(n: int, k: int) -> int:
    k = min(k, n - k)
    if k > 0 and k * max(1, n.bit_length() - k.bit_length() - 1) >= MOST_BITS:  # (n / k)^k, 2^k
        return MOST
    return min(MOST, comb(n, k))


def _subsets(n: int, most: int) -> int:
    """How many subsets of n values have at most `most` of them."""
    total = number = 1
    for size in range(1, most + 1):
        number = number * (n - size + 1) // size
        total += number
        if total >= MOST:
            return MOST
    return total


def _sequences(n: int, longest: int) -> int:
    """How many sequences of n values are at most `longest` long."""
    if n < 2:
        return min(MOST, 1 + n * longest)
    power = _power(n, longest + 1)
    return MOST if power == MOST else (power - 1) // (n - 1)


@lru_cache(maxsize=4096)
def values_of(type_: Type) -> tuple[Value, ...]:
    """All values of a finite type, ascending. Cost: their number; ask `cardinality` first."""
    match type_:
        case Bool():
            return (False, True)
        case Range(low, high):
            return tuple(range(low, high + 1))
        case Sort():
            assert type_.size is not None, "the sort's size is set by a check"
            return tuple(range(type_.size))
        case Union(_, forms):
            return tuple(
                (index, *fields)
                for index, form in enumerate(forms)
                for fields in product(*(values_of(f.type) for f in form.fields))
            )
        case Option(item):
            return (NONE, *((value,) for value in values_of(item)))
        case Set(element, bound):
            members = values_of(element)
            most = len(members) if bound is None else min(bound, len(members))
            return tuple(sorted(c for k in range(most + 1) for c in combinations(members, k)))
        case Bag(element, bound):
            assert bound is not None
            members = values_of(element)
            return tuple(
                sorted(
                    c for k in range(bound + 1) for c in combinations_with_replacement(members, k)
                )
            )
        case Seq(element, bound):
            assert bound is not None
            members = values_of(element)
            return tuple(sorted(c for k in range(bound + 1) for c in product(members, repeat=k)))
        case Map(key, value):
            return tuple(product(values_of(value), repeat=cardinality(key)))
        case Int():
            raise ValueError("a type without bounds cannot be enumerated")
        case Nothing():
            return ()
        case _:
            assert_never(type_)


@lru_cache(maxsize=4096)
def key_positions(type_: Type) -> dict[Value, int]:
    """For every value of a key's type, its position in a map or `each` group."""
    return {value: position for position, value in enumerate(values_of(type_))}


Misfit: TypeAlias = 'tuple[Literal["range", "capacity"], Type, Value]'


def misfit(type_: Type, value: Value) -> Misfit | None:
    """Where a value of the right form leaves the type: "range" or "capacity", the part's type, it.

    None if it fits. A type without bounds fits everything.
    """
    match type_:
        case Bool() | Int() | Nothing() | Sort():
            return None
        case Range(low, high):
            assert isinstance(value, int)
            return None if low <= value <= high else ("range", type_, value)
        case Union(_, forms):
            assert isinstance(value, tuple)
            form = forms[value[0]]  # type: ignore[index]
            return _first_misfit((f.type, v) for f, v in zip(form.fields, value[1:], strict=True))
        case Option(item):
            assert isinstance(value, tuple)
            return _first_misfit((item, v) for v in value)
        case Set(element, bound) | Bag(element, bound) | Seq(element, bound):
            assert isinstance(value, tuple)
            inner = _first_misfit((element, v) for v in value)
            if inner is None and bound is not None and len(value) > bound:
                return ("capacity", type_, value)
            return inner
        case Map(_, item):
            assert isinstance(value, tuple)
            return _first_misfit((item, v) for v in value)
        case _:
            assert_never(type_)


def _first_misfit(
    parts: Iterable[tuple[Type, Value]],
) -> Misfit | None:
    for type_, value in parts:
        found = misfit(type_, value)
        if found is not None:
            return found
    return None


def show(type_: Type, value: Value) -> str:
    """A value as the language writes it: `Write(n1, 1, 2)`, `{n1, n2}`, `none`."""
    match type_:
        case Bool():
            return "true" if value else "false"
        case Int() | Range():
            return str(int(value))  # type: ignore[arg-type]
        case Sort():
            assert isinstance(value, int)
            return f"{type_.stem or type_.name.lower()}{value + 1}"
        case Union(_, forms):
            assert isinstance(value, tuple)
            form = forms[value[0]]  # type: ignore[index]
            if not form.fields:
                return form.name
            shown = (show(f.type, v) for f, v in zip(form.fields, value[1:], strict=True))
            return f"{form.name}({', '.join(shown)})"
        case Option(item):
            assert isinstance(value, tuple)
            return show(item, value[0]) if value else "none"
        case Set(element) | Bag(element):
            assert isinstance(value, tuple)
            return "{" + ", ".join(show(element, v) for v in value) + "}"
        case Seq(element):
            assert isinstance(value, tuple)
            return "[" + ", ".join(show(element, v) for v in value) + "]"
        case Map(key, item):
            assert isinstance(value, tuple)
            pairs = zip(values_of(key), value, strict=True)
            return "{" + ", ".join(f"{show(key, k)}: {show(item, v)}" for k, v in pairs) + "}"
        case Nothing():
            return "?"
        case _:
            assert_never(type_)
