"""The meanings of terms over sets, bags, sequences and maps.

Sets and bags are kept ascending, so every result that might not be is sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

from modelcheck.core.clauses import empty_clause, outside_clause
from modelcheck.core.frame import Frame, Meaning, Of, no_key, undefined
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
)
from modelcheck.core.types import Map
from modelcheck.core.values import key_positions, make_bag, make_set, values_of

_Literal: TypeAlias = SetOf | BagOf | SeqOf | MapOf
_Question: TypeAlias = In | Subset | Combine | Size | IsEmpty | Extreme | Majority
_Sequence: TypeAlias = At | Slice | End | Rest | Prefix | Concat | Lookup | Multiplicity
Container: TypeAlias = _Literal | _Question | _Sequence


def container_meaning(term: Container, of: Of) -> Meaning:
    """The meaning of a term that makes, asks or takes apart a collection."""
    match term:
        case SetOf() | BagOf() | SeqOf() | MapOf():
            return _literal(term, of)
        case In() | Subset() | Combine() | Size() | IsEmpty() | Extreme() | Majority():
            return _question(term, of)
        case (
            At() | Slice() | End() | Rest() | Prefix() | Concat() | Lookup() | Multiplicity()
        ):  # fmt: skip
            return _part(term, of)
        case _:
            assert_never(term)


def _literal(term: _Literal, of: Of) -> Meaning:
    match term:
        case SetOf():
            return _items(make_set, [of(each) for each in term.items])
        case BagOf():
            return _items(make_bag, [of(each) for each in term.items])
        case SeqOf():
            return _items(tuple, [of(each) for each in term.items])
        case MapOf():
            return _map(term, of(term.body))
        case _:
            assert_never(term)


def _items(make: Callable[[list[Any]], tuple[Any, ...]], items: list[Meaning]) -> Meaning:
    return lambda frame: make([item(frame) for item in items])


def _map(term: MapOf, body: Meaning) -> Meaning:
    assert isinstance(term.type, Map)
    name, keys = term.name, values_of(term.type.key)

    def each(frame: Frame) -> Any:
        values = []
        for key in keys:
            frame.names[name] = key
            values.append(body(frame))
        return tuple(values)

    return each


def _question(term: _Question, of: Of) -> Meaning:
    match term:
        case In():
            element, collection = of(term.element), of(term.collection)
            return lambda frame: element(frame) in collection(frame)
        case Subset():
            left, right = of(term.left), of(term.right)
            return lambda frame: set(left(frame)).issubset(right(frame))
        case Combine():
            return _combine(term, of)
        case Size():
            collection = of(term.collection)
            return lambda frame: len(collection(frame))
        case IsEmpty():
            collection = of(term.collection)
            return lambda frame: not collection(frame)
        case Extreme():
            return _extreme(term, of(term.collection))
        case Majority():
            members, universe = of(term.members), frozenset(values_of(term.of))
            return lambda frame: 2 * len(universe.intersection(members(frame))) > len(universe)
        case _:
            assert_never(term)


def _combine(term: Combine, of: Of) -> Meaning:
    left, right = of(term.left), of(term.right)
    match term.operator:
        case "union":
            return lambda frame: make_set(left(frame) + right(frame))
        case "minus":
            return lambda frame: make_set(set(left(frame)).difference(right(frame)))
        case "intersect":
            return lambda frame: make_set(set(left(frame)).intersection(right(frame)))
        case _:
            assert_never(term.operator)


def _extreme(term: Extreme, collection: Meaning) -> Meaning:
    choose = min if term.which == "min" else max

    def extreme(frame: Frame) -> Any:
        numbers = collection(frame)
        if not numbers:
            raise undefined(empty_clause(term.which, "collection"), term.span)
        return choose(numbers)

    return extreme


def _part(term: _Sequence, of: Of) -> Meaning:
    match term:
        case At():
            return _at(term, of)
        case Slice():
            return _slice(term, of)
        case End() | Rest():
            return _end(term, of(term.sequence))
        case Prefix():
            sequence, length = of(term.sequence), of(term.length)
            return lambda frame: sequence(frame)[: max(0, length(frame))]
        case Concat():
            left, right = of(term.left), of(term.right)
            return lambda frame: left(frame) + right(frame)
        case Lookup():
            return _lookup(term, of)
        case Multiplicity():
            bag, item = of(term.bag), of(term.item)
            return lambda frame: bag(frame).count(item(frame))
        case _:
            assert_never(term)


def _at(term: At, of: Of) -> Meaning:
    sequence, index, span = of(term.sequence), of(term.index), term.span

    def at(frame: Frame) -> Any:
        elements, position = sequence(frame), index(frame)
        if not 1 <= position <= len(elements):
            raise undefined(outside_clause(position, len(elements)), span)
        return elements[position - 1]

    return at


def _slice(term: Slice, of: Of) -> Meaning:
    sequence, low = of(term.sequence), of(term.low)
    if term.high is None:
        return lambda frame: sequence(frame)[max(1, low(frame)) - 1 :]
    high = of(term.high)

    def cut(frame: Frame) -> Any:
        elements, start, end = sequence(frame), low(frame), high(frame)
        return elements[max(1, start) - 1 : max(0, end)]

    return cut


def _end(term: End | Rest, sequence: Meaning) -> Meaning:
    parts: dict[str, Any] = {"first": 0, "last": -1, "rest": slice(1, None)}
    word = term.which if isinstance(term, End) else "rest"
    part = parts[word]

    def end(frame: Frame) -> Any:
        elements = sequence(frame)
        if not elements:
            raise undefined(empty_clause(word, "sequence"), term.span)
        return elements[part]

    return end


def _lookup(term: Lookup, of: Of) -> Meaning:
    map_, key, key_type, span = of(term.map), of(term.key), term.key.type, term.span
    map_type = term.map.type
    assert isinstance(map_type, Map)
    keys, positions = map_type.key, key_positions(map_type.key)

    def lookup(frame: Frame) -> Any:
        values, index = map_(frame), key(frame)
        position = positions.get(index)
        if position is None:
            raise no_key(keys, index, key_type, span)
        return values[position]

    return lookup
