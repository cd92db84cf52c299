"""Guards that can be asked early: before the choices that they do not depend on.

A guard is asked as soon as the names in it are bound. It must not overtake what may
end without a value: then a failure that the meaning reports would go unseen. So it
stays behind guards, domains and `where`s that may fail, and stays where it is if it
may fail itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
from attrs import frozen

from modelcheck.core.model import Action
from modelcheck.core.terms import (
    And,
    Arithmetic,
    At,
    Binder,
    Call,
    End,
    Extreme,
    Get,
    Guard,
    Item,
    Lookup,
    Make,
    Name,
    Read,
    Replace,
    Rest,
    Result,
    Statement,
    Term,
    The,
)
from modelcheck.core.types import Map, Option, Range, Type, Union
from modelcheck.source import Span


@frozen(eq=False)
class Early:
    """
    before  for each binder, the conditions to be asked before its values are gone through
    rest    the statements that stay
    """

    before: tuple[tuple[Term, ...], ...]
    rest: tuple[Statement, ...]


def early_guards(action: Action, guards: Sequence[Statement]) -> Early:
    """Which conditions of the guards go where; guards after a `let` stay."""
    binders = action.binders
    before: list[list[Term]] = [[] for _ in binders]
    rest: list[Statement] = []
    steady = [not any(map(may_fail, _parts(binder))) for binder in binders]
    bound = [{binder.name, *(name for name, _ in binder.lets)} for binder in binders]
    passable = True  # nothing that stays behind may fail, and no name has been bound
    for statement in guards:
        if not isinstance(statement, Guard):
            passable = False
            rest.append(statement)
            continue
        for condition in _conjuncts(statement.condition):
            place = _place(condition, bound, steady) if passable else None
            if place is None or may_fail(condition):
                rest.append(Guard(condition, span=statement.span))
                passable = passable and not may_fail(condition)
            else:
                before[place].append(condition)
    return Early(tuple(map(tuple, before)), tuple(rest))


def _place(condition: Term, bound: Sequence[set[str]], steady: Sequence[bool]) -> int | None:
    """The first binder that the condition may precede; None if there is none."""
    names = set(names_in(condition))
    place: int | None = None
    for number in range(len(bound) - 1, -1, -1):
        if not steady[number] or names & bound[number]:
            break
        place = number
    return place


def _conjuncts(term: Term) -> Iterator[Term]:
    if isinstance(term, And):
        for operand in term.operands:
            yield from _conjuncts(operand)
    else:
        yield term


def _parts(binder: Binder) -> Iterator[Any]:
    yield binder.domain
    if binder.where is not None:
        yield binder.where
    for _, value in binder.lets:
        yield value


def names_in(node: Any) -> Iterator[str]:
    """The names that occur in a term, bound inside it or not."""
    if isinstance(node, Name):
        yield node.name
    for part in _children(node):
        yield from names_in(part)


def may_fail(node: Any) -> bool:
    """Whether an evaluation of the term, or domain, may end without a value; yes if in doubt."""
    match node:
        case Item() | Replace() | At() | End() | Rest() | Extreme() | The() | Result():
            return True
        case Get(subject, field):
            union = subject.type
            if not isinstance(union, Union):
                return True
            if any(form.position(field) is None for form in union.forms):
                return True
        case Make(form, arguments):
            assert isinstance(node.type, Union)
            wanted = [each.type for each in node.type.forms[form].fields]
            if not _all_fit(arguments, wanted):
                return True
        case Read(variable, index) if index is not None:
            if index.type != variable.owner.key:
                return True
        case Lookup(map_, key):
            if not isinstance(map_.type, Map) or key.type != map_.type.key:
                return True
        case Arithmetic(operator, _, right) if operator in ("div", "mod"):
            if not (isinstance(right.type, Range) and right.type.low > 0):
                return True
        case Call(function, arguments):
            if not _all_fit(arguments, [type_ for _, type_ in function.parameters]):
                return True
            if not _fits(function.body.type, function.result) or may_fail(function.body):
                return True
        case _:
            pass
    return any(may_fail(part) for part in _children(node))


def _all_fit(arguments: Sequence[Term], types: Sequence[Type]) -> bool:
    return all(_fits(a.type, type_) for a, type_ in zip(arguments, types, strict=True))


def _fits(source: Type, to: Type) -> bool:
    """Whether every value of the one type certainly is one of the other."""
    match source, to:
        case Range(), Range():
            return to.low <= source.low and source.high <= to.high
        case Option(a), Option(b):
            return _fits(a, b)
        case _:
            return source == to


def _children(node: Any) -> Iterator[Any]:
    """The terms, binders and domains directly inside."""
    if isinstance(node, tuple):
        yield from node
    elif attrs.has(type(node)) and type(node).__module__ == "modelcheck.core.terms":
        for attribute in attrs.fields(type(node)):
            if attribute.name not in ("span", "type", "variable", "function"):
                part = getattr(node, attribute.name)
                if not isinstance(part, Span | str | int):
                    yield part
