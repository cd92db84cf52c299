"""Sets, bags, sequences and maps as formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, assert_never

from modelcheck.core.terms import (
    At,
    BagOf,
    Combine,
    Concat,
    End,
    Extreme,
    In,
    IsEmpty,
    Lookup,
    Majority,
    MapOf,
    Multiplicity,
    Prefix,
    Rest,
    SeqOf,
    SetOf,
    Size,
    Slice,
    Subset,
    Universe,
)
from modelcheck.core.types import NOTHING, Bag, Map, Seq, Set, Type
from modelcheck.core.values import Value
from modelcheck.prove.algebra import (
    Expr,
    both,
    choose,
    counted,
    either,
    equal,
    every,
    for_all,
    implied,
    less,
    minus,
    negated,
    plus,
    some,
    total,
)
from modelcheck.prove.fitting import covers
from modelcheck.prove.frame import Frame
from modelcheck.prove.symbols import (
    Counts,
    Entries,
    Members,
    Slots,
    Sym,
    entries_of,
    is_small,
    is_value,
    lift,
    members_by,
    members_of,
    merge,
    same,
    scalar,
    shapes,
    universe,
)
from modelcheck.prove.unknowns import anything, typed

_Literal: TypeAlias = Universe | SetOf | BagOf | SeqOf | MapOf
_Question: TypeAlias = In | Subset | Combine | Size | IsEmpty | Extreme | Majority
_Part: TypeAlias = At | Slice | End | Rest | Prefix | Concat | Lookup | Multiplicity


def container(term: _Literal | _Question | _Part, frame: Frame) -> Sym:
    """The value of a term that makes, asks or takes apart a collection."""
    match term:
        case Universe() | SetOf() | BagOf() | SeqOf() | MapOf():
            return _literal(term, frame)
        case In() | Subset() | Combine() | Size() | IsEmpty() | Extreme() | Majority():
            return _question(term, frame)
        case At() | Slice() | End() | Rest() | Prefix() | Concat() | Lookup() | Multiplicity():
            return _part(term, frame)
        case _:
            assert_never(term)


# --- literals ----------------------------------------------------------------------


def _literal(term: _Literal, frame: Frame) -> Sym:
    match term:
        case Universe(of):
            return whole(of, frame)
        case SetOf(items):
            assert isinstance(term.type, Set)
            values = _values(items, frame)
            return members_of(term.type.element, [(True, each) for each in values])
        case BagOf(items):
            assert isinstance(term.type, Bag)
            values = _values(items, frame)
            return Counts(term.type.element, lambda v: counted(same(v, each) for each in values))
        case SeqOf(items):
            assert isinstance(term.type, Seq)
            return Slots(term.type.element, len(items), tuple(_values(items, frame)))
        case MapOf():
            return _map(term, frame)
        case _:
            assert_never(term)


def _values(items: Sequence[Any], frame: Frame) -> list[Sym]:
    return [frame.value(each) for each in items]


def whole(of: Type, frame: Frame) -> Members:
    """All values of a type."""
    if is_small(of):
        return members_by(of, dict.fromkeys(universe(of), True))
    bounds = frame.space.bounds
    return Members(of, lambda value: typed(of, value, bounds))


def _map(term: MapOf, frame: Frame) -> Sym:
    assert isinstance(term.type, Map)
    key = term.type.key
    if is_small(key):
        table: dict[Value, Sym] = {}
        for value in universe(key):
            frame.names[term.name] = lift(key, value)
            table[value] = frame.value(term.body)
        return entries_of(key, table)
    for shape in shapes(key, "k", frame.space.bounds):
        frame.names[term.name] = shape.value
        with frame.reach.quantified(shape.variables, shape.typed):
            frame.value(term.body)
    kept = frame.apart()

    def at(value: Sym) -> Sym:
        kept.names[term.name] = value
        return kept.value(term.body)

    return Entries(key, at)


# --- questions ---------------------------------------------------------------------


def _question(term: _Question, frame: Frame) -> Sym:
    match term:
        case In():
            element = frame.value(term.element)
            return contains(frame.value(term.collection), element)
        case Subset():
            return _subset(
                _members(frame.value(term.left)), _members(frame.value(term.right)), frame
            )
        case Combine():
            left, right = frame.value(term.left), frame.value(term.right)
            element = term.type.element if isinstance(term.type, Set) else NOTHING
            return combine(term.operator, _members(left), _members(right), element)
        case Size():
            return _size(frame.value(term.collection))
        case IsEmpty():
            return is_empty(frame.value(term.collection), frame)
        case Extreme():
            return _extreme(term, frame.value(term.collection), frame)
        case Majority():
            members = _members(frame.value(term.members))
            return frame.space.majority(members, term.of, frame.reach.bound)
        case _:
            assert_never(term)


def _members(value: Sym) -> Members:
    assert isinstance(value, Members)
    return value


def contains(collection: Sym, element: Sym) -> Expr:
    """Whether the element is in a set, bag or sequence."""
    match collection:
        case Members():
            return collection.has(element)
        case Counts():
            return less(0, collection.count(element))
        case Slots():
            return some(
                both(less(i, collection.length), same(each, element))
                for i, each in enumerate(collection.slots)
            )
        case _:
            raise TypeError("not a collection")


def _subset(left: Members, right: Members, frame: Frame) -> Expr:
    if left.items is not None:
        return every(implied(condition, right.has(each)) for condition, each in left.items)
    if is_small(left.element):
        return every(
            implied(bit, _has_value(right, left.element, value))
            for value, bit in left.table.items()
        )
    return every(
        for_all(s.variables, implied(left.has(s.value), right.has(s.value)))
        for s in shapes(left.element, "x", frame.space.bounds)
    )


def _has_value(members: Members, type_: Type, value: Value) -> Expr:
    if members.known is not None:
        return members.known.get(value, False)
    return members.has(lift(type_, value))


def combine(operator: str, left: Members, right: Members, element: Type) -> Members:
    """Of two sets."""
    if left.known is not None and right.known is not None:
        a, b = left.known, right.known
        if operator == "union":
            both_keys = {**a, **b}
            return members_by(
                element, {k: either(a.get(k, False), b.get(k, False)) for k in both_keys}
            )
        if operator == "minus":
            return members_by(
                element, {k: both(bit, negated(b.get(k, False))) for k, bit in a.items()}
            )
        return members_by(element, {k: both(bit, b.get(k, False)) for k, bit in a.items()})
    items = None
    if left.items is not None and operator != "union":
        wanted = operator == "intersect"
        items = tuple(
            (both(c, right.has(v) if wanted else negated(right.has(v))), v) for c, v in left.items
        )
    elif left.items is not None and right.items is not None:
        items = (*left.items, *right.items)
    joined: dict[str, Callable[[Sym], Expr]] = {
        "union": lambda v: either(left.has(v), right.has(v)),
        "minus": lambda v: both(left.has(v), negated(right.has(v))),
        "intersect": lambda v: both(left.has(v), right.has(v)),
    }
    return Members(element, joined[operator], items)


def _size(collection: Sym) -> Expr:
    match collection:
        case Members():
            return counted(collection.table.values())
        case Counts():
            return total(collection.table.values())
        case Slots():
            return collection.length
        case _:
            raise TypeError("not a collection")


def is_empty(collection: Sym, frame: Frame) -> Expr:
    """Whether nothing is in the collection."""
    match collection:
        case Members():
            if collection.items is not None:
                return every(negated(condition) for condition, _ in collection.items)
            if is_small(collection.element):
                return every(negated(bit) for bit in collection.table.values())
            return every(
                for_all(s.variables, negated(collection.has(s.value)))
                for s in shapes(collection.element, "x", frame.space.bounds)
            )
        case Counts():
            if is_small(collection.element):
                return every(equal(n, 0) for n in collection.table.values())
            return every(
                for_all(s.variables, equal(collection.count(s.value), 0))
                for s in shapes(collection.element, "x", frame.space.bounds)
            )
        case Slots():
            return equal(collection.length, 0)
        case _:
            raise TypeError("not a collection")


def _extreme(term: Extreme, collection: Sym, frame: Frame) -> Expr:
    there: list[tuple[Expr, Any]]
    match collection:
        case Members():
            there = [(bit, value) for value, bit in collection.table.items()]
        case Counts():
            there = [(less(0, n), value) for value, n in collection.table.items()]
        case Slots():
            there = [
                (less(i, collection.length), scalar(s)) for i, s in enumerate(collection.slots)
            ]
        case _:
            raise TypeError("not a collection")
    frame.reach.fail("undefined", every(negated(condition) for condition, _ in there))
    result: Any = None
    found: Expr = False
    for condition, value in there:
        if condition is False:
            continue
        if result is None:
            result, found = value, condition
            continue
        better = less(value, result) if term.which == "min" else less(result, value)
        result = choose(both(condition, either(negated(found), better)), value, result)
        found = either(found, condition)
    return 0 if result is None else result


# --- parts -------------------------------------------------------------------------


def _part(term: _Part, frame: Frame) -> Sym:
    match term:
        case At():
            sequence, index = _slots(frame.value(term.sequence)), frame.value(term.index)
            return element_at(sequence, scalar(index), frame)
        case Slice():
            return _slice(term, frame)
        case End(which, sequence_term):
            sequence = _slots(frame.value(sequence_term))
            frame.reach.fail("undefined", equal(sequence.length, 0))
            if which == "first":
                return pick(sequence, 0)
            return pick(sequence, minus(sequence.length, 1))
        case Rest():
            sequence = _slots(frame.value(term.sequence))
            frame.reach.fail("undefined", equal(sequence.length, 0))
            return Slots(sequence.element, minus(sequence.length, 1), sequence.slots[1:])
        case Prefix():
            sequence, length = _slots(frame.value(term.sequence)), frame.value(term.length)
            wanted = _clamp(scalar(length), 0, sequence.length)
            return Slots(sequence.element, wanted, sequence.slots)
        case Concat():
            return concat(_slots(frame.value(term.left)), _slots(frame.value(term.right)))
        case Lookup():
            map_type = term.map.type
            assert isinstance(map_type, Map)
            entries = frame.value(term.map)
            key = frame.value(term.key)
            return entry(entries, map_type.key, key, term.key.type, frame)
        case Multiplicity():
            bag = frame.value(term.bag)
            assert isinstance(bag, Counts)
            return bag.count(frame.value(term.item))
        case _:
            assert_never(term)


def _slots(value: Sym) -> Slots:
    assert isinstance(value, Slots)
    return value


def entry(entries: Sym, keys: Type, key: Sym, key_type: Type, frame: Frame) -> Sym:
    """What is at a key of a map or group; undefined if the key is none of its keys."""
    assert isinstance(entries, Entries)
    if not covers(keys, key_type):
        frame.reach.fail("undefined", negated(is_key(keys, key, frame)))
    return entries.at(key)


def is_key(keys: Type, key: Sym, frame: Frame) -> Expr:
    """Whether a value is one of the keys."""
    if is_small(keys):
        return some(is_value(keys, key, each) for each in universe(keys))
    return typed(keys, key, frame.space.bounds)


def element_at(sequence: Slots, index: Any, frame: Frame) -> Sym:
    """The element at a position from 1; undefined outside."""
    outside = either(less(index, 1), less(sequence.length, index))
    frame.reach.fail("undefined", outside)
    return pick(sequence, minus(index, 1))


def pick(sequence: Slots, position: Any) -> Sym:
    """The element at a position from 0; any where there is none."""
    slots = sequence.slots
    if isinstance(position, int):
        if 0 <= position < len(slots):
            return slots[position]
        position = 0
    if not slots:
        return anything(sequence.element)
    result = slots[0]
    for i, each in enumerate(slots[1:], start=1):
        result = merge(equal(position, i), each, result)
    return result


def _clamp(number: Any, low: Any, high: Any) -> Any:
    raised = choose(less(number, low), low, number)
    return choose(less(high, raised), high, raised)


def _slice(term: Slice, frame: Frame) -> Sym:
    sequence = _slots(frame.value(term.sequence))
    low = scalar(frame.value(term.low))
    high = sequence.length if term.high is None else scalar(frame.value(term.high))
    start = choose(less(low, 1), 1, low)
    end = choose(less(sequence.length, high), sequence.length, high)
    length = plus(minus(end, start), 1)
    length = choose(less(length, 0), 0, length)
    slots = []
    for i in range(len(sequence.slots)):
        position = plus(minus(start, 1), i)
        if isinstance(position, int) and position >= len(sequence.slots):
            break
        slots.append(pick(sequence, position))
    return Slots(sequence.element, length, tuple(slots))


def concat(left: Slots, right: Slots) -> Slots:
    """One behind the other."""
    slots: list[Sym] = []
    for i in range(len(left.slots) + len(right.slots)):
        result: Sym | None = left.slots[i] if i < len(left.slots) else None
        # The right one's slot j stands here if the left one has i - j elements.
        for j, each in enumerate(right.slots):
            if 0 <= i - j <= len(left.slots):
                here = equal(left.length, i - j)
                result = each if result is None else merge(here, each, result)
        assert result is not None
        slots.append(result)
    element = right.element if left.element == NOTHING else left.element
    return Slots(element, plus(left.length, right.length), tuple(slots))
