"""Domains, binders, and the terms that go through choices.

`choices` of binders walks all ways to choose, first binder slowest: for each it
puts the names into the frame and yields. A binder's name is followed by its
`where`, the names its pattern binds, and the next binder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias, assert_never

from modelcheck.core.clauses import the_clause
from modelcheck.core.frame import Frame, Meaning, Of, undefined
from modelcheck.core.terms import (
    Binder,
    Collect,
    Count,
    Domain,
    Exists,
    Forall,
    Interval,
    Subsets,
    Sum,
    The,
    Values,
)
from modelcheck.core.types import Bag, Seq
from modelcheck.core.values import Value, make_set, show

Choices: TypeAlias = Callable[[Frame], Iterator[None]]
Quantified: TypeAlias = Collect | Forall | Exists | Count | Sum | The


def domain_values(domain: Domain, of: Of, *, occurrences: bool = False) -> Meaning:
    """What a domain goes through, in its order.

    occurrences  whether equal elements of a bag or sequence come as often as they are there
    """
    match domain:
        case Values(term):
            repeats = isinstance(term.type, Bag | Seq) and not occurrences
            return _distinct(of(term)) if repeats else of(term)
        case Interval(low, high):
            first, last = of(low), of(high)
            return lambda frame: range(first(frame), last(frame) + 1)
        case Subsets(whole):
            members = of(whole)
            return lambda frame: subsets(members(frame))
        case _:
            assert_never(domain)


def _distinct(collection: Meaning) -> Meaning:
    return lambda frame: dict.fromkeys(collection(frame))


def subsets(members: tuple[Value, ...]) -> list[tuple[Value, ...]]:
    """All subsets of a set, in canonical order."""
    sizes = range(len(members) + 1)
    return sorted(chosen for size in sizes for chosen in combinations(members, size))


def choices(binders: Sequence[Binder], of: Of, *, occurrences: bool = False) -> Choices:
    """All choices of the binders, in order; each is in the frame's names while it is yielded."""
    walk: Choices | None = None
    for binder in reversed(binders):
        walk = _choices_of_one(binder, walk, of, occurrences)
    return walk if walk is not None else _only_choice


def _only_choice(frame: Frame) -> Iterator[None]:
    yield


def _choices_of_one(binder: Binder, rest: Choices | None, of: Of, occurrences: bool) -> Choices:
    name, domain = binder.name, domain_values(binder.domain, of, occurrences=occurrences)
    accept = acceptance(binder, of)

    def walk(frame: Frame) -> Iterator[None]:
        names = frame.names
        for value in domain(frame):
            names[name] = value
            if accept is not None and not accept(frame):
                continue
            if rest is None:
                yield
            else:
                yield from rest(frame)

    return walk


def acceptance(binder: Binder, of: Of) -> Meaning | None:
    """Whether `where` accepts the binder's name, and binds what its pattern binds; None: always."""
    where = None if binder.where is None else of(binder.where)
    lets = [(name, of(value)) for name, value in binder.lets]
    if where is None and not lets:
        return None
    if not lets:
        return where

    def accept(frame: Frame) -> bool:
        if where is not None and not where(frame):
            return False
        for name, value in lets:
            frame.names[name] = value(frame)
        return True

    return accept


# --- terms over choices ------------------------------------------------------------


def quantified_meaning(term: Quantified, of: Of) -> Meaning:
    """The meaning of a quantifier, count, sum, comprehension or `the`."""
    match term:
        case Forall():
            return _forall(choices(term.binders, of), of(term.body))
        case Exists():
            return _exists(choices(term.binders, of), of(term.body))
        case Count():
            return _count(choices(term.binders, of, occurrences=True), of(term.body))
        case Sum():
            return _sum(choices(term.binders, of, occurrences=True), of(term.body))
        case Collect():
            walk, head = choices(term.binders, of), of(term.head)
            return lambda frame: make_set(_each(walk, head, frame))
        case The():
            return _the(term, choices([term.binder], of), of(term.body))
        case _:
            assert_never(term)


def _each(walk: Choices, body: Meaning, frame: Frame) -> Iterable[Any]:
    for _ in walk(frame):
        yield body(frame)


def _forall(walk: Choices, body: Meaning) -> Meaning:
    def forall(frame: Frame) -> bool:
        for _ in walk(frame):  # noqa: SIM110
            if not body(frame):
                return False
        return True

    return forall


def _exists(walk: Choices, body: Meaning) -> Meaning:
    def exists(frame: Frame) -> bool:
        for _ in walk(frame):  # noqa: SIM110
            if body(frame):
                return True
        return False

    return exists


def _count(walk: Choices, body: Meaning) -> Meaning:
    def count(frame: Frame) -> int:
        number = 0
        for _ in walk(frame):
            if body(frame):
                number += 1
        return number

    return count


def _sum(walk: Choices, body: Meaning) -> Meaning:
    def total(frame: Frame) -> int:
        number = 0
        for _ in walk(frame):
            number += body(frame)
        return number

    return total


def _the(term: The, walk: Choices, body: Meaning) -> Meaning:
    name, type_, span = term.binder.name, term.binder.type, term.span

    def the(frame: Frame) -> Any:
        fitting = [frame.names[name] for _ in walk(frame) if body(frame)]
        if len(fitting) == 1:
            return fitting[0]
        shown = tuple(show(type_, value) for value in fitting[:2])
        raise undefined(the_clause(len(fitting), shown), span)

    return the
