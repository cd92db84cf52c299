"""What the formulas of one proof or search share: parameters, bounds, majorities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import z3
from attrs import Factory, define

from modelcheck.core.terms import Arithmetic, Number, Parameter
from modelcheck.core.types import Bool, Type
from modelcheck.prove.algebra import (
    Expr,
    both,
    counted,
    every,
    exists,
    for_all,
    formula,
    implied,
    less,
    some,
)
from modelcheck.prove.symbols import Bounds, Members, Unsupported, is_small, shapes, universe

_MOST_MAJORITIES = 40
"""A majority of few is spelled out as the smallest majorities it may contain, up to so many."""


@define(eq=False)
class _Set:
    """A set, over a type of any size, that something asks for the majority of.

    variables  what the set depends on, apart from the state: of quantifiers around
    """

    variables: tuple[Any, ...]
    members: Members
    holds: Any


@define(eq=False)
class Space:
    """
    bounds      whether a scalar is within its type
    majorities  the sets that were asked for a majority, by the type they are over
    """

    bounds: Bounds = Factory(lambda self: Bounds(self.number), takes_self=True)
    majorities: dict[str, list[_Set]] = Factory(dict)
    _known: dict[tuple[str, int], tuple[Any, Any]] = Factory(dict)

    def parameter(self, name: str, type_: Type) -> Any:
        """A parameter that is left open."""
        return z3.Const(name, z3.BoolSort() if isinstance(type_, Bool) else z3.IntSort())

    def number(self, term: Any) -> Any:
        """The value of a bound: a term over parameters and literals."""
        match term:
            case Number(value):
                return value
            case Parameter(name):
                return self.parameter(name, term.type)
            case Arithmetic(operator, left, right) if operator in ("+", "-", "*"):
                a, b = self.number(left), self.number(right)
                return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}[operator]()
            case _:
                raise Unsupported("a bound of this form")

    # --- majorities ---

    def majority(self, members: Members, of: Type, bound: list[Any]) -> Expr:
        """Whether the set has more than half of the type's values."""
        if is_small(of):
            values = universe(of)
            return _more_than_half([members.table.get(v, False) for v in values])
        variable, *more = shapes(of, "m")
        if more or len(variable.variables) != 1:
            raise Unsupported("a majority of a union of any size")
        body = members.has(variable.value)
        if isinstance(body, bool) and not body:
            return False
        return self._asked(members, of, body, variable.variables[0], bound)

    def _asked(self, members: Members, of: Type, body: Any, element: Any, bound: list[Any]) -> Any:
        used = tuple(v for v in bound if occurs(v, body))
        places = [z3.Const(f"place{i}", v.sort()) for i, v in enumerate((element, *used))]
        canonical = body
        if not isinstance(body, bool):
            renamed = list(zip((element, *used), places, strict=True))
            canonical = z3.substitute(body, renamed)
        else:
            canonical = z3.BoolVal(body)
        name = repr(of)
        key = (name, canonical.get_id())
        known = self._known.get(key)
        if known is None:
            sorts = [v.sort() for v in used]
            number = len(self.majorities.get(name, []))
            label = f"majority{number}/{name}"
            function = z3.Function(label, *sorts, z3.BoolSort()) if sorts else z3.Bool(label)
            known = self._known[key] = (canonical, function)
            holds = function(*used) if used else function
            self.majorities.setdefault(name, []).append(_Set(used, members, holds))
        function = known[1]
        return function(*used) if used else function

    def facts(self) -> Iterator[Any]:
        """That majorities meet, and that what contains one is one, of all sets asked so far."""
        for sets in list(self.majorities.values()):
            for one in sets:
                yield from self._facts_of(one, one)
            for one, other in combinations(sets, 2):
                yield from self._facts_of(one, other)
                for first, second in ((one, other), (other, one)):
                    yield _contains(first, second)
                    yield from _contains_alike(first, second)

    def _facts_of(self, one: _Set, other: _Set) -> Iterator[Any]:
        element = one.members.element
        fresh = [z3.FreshConst(v.sort(), "q") for v in other.variables]
        shape = shapes(element, "m")[0]
        meets = exists(
            shape.variables,
            both(
                shape.typed,
                one.members.has(shape.value),
                _renamed(other.members.has(shape.value), other.variables, fresh),
            ),
        )
        holds = both(one.holds, _renamed(other.holds, other.variables, fresh))
        yield for_all([*one.variables, *fresh], implied(holds, meets))


def _contains(one: _Set, other: _Set) -> Any:
    """That if the other set contains the one, and the one is a majority, so is the other."""
    fresh = [z3.FreshConst(v.sort(), "q") for v in other.variables]
    shape = shapes(one.members.element, "m")[0]
    inside = for_all(
        shape.variables,
        implied(
            both(shape.typed, one.members.has(shape.value)),
            _renamed(other.members.has(shape.value), other.variables, fresh),
        ),
    )
    conclusion = _renamed(other.holds, other.variables, fresh)
    return for_all([*one.variables, *fresh], implied(both(one.holds, inside), conclusion))


def _contains_alike(one: _Set, other: _Set) -> Iterator[Any]:
    """The same for equal variables: the case that steps need, and one the solver has to be shown.

    Where only one of the two majorities is spoken of, nothing else suggests to ask for the other.
    """
    sorts = [v.sort() for v in one.variables]
    if not sorts or sorts != [v.sort() for v in other.variables]:
        return
    variables = list(one.variables)
    shape = shapes(one.members.element, "m")[0]
    has = _renamed(other.members.has(shape.value), other.variables, variables)
    holds = _renamed(other.holds, other.variables, variables)
    inside = for_all(shape.variables, implied(both(shape.typed, one.members.has(shape.value)), has))
    claim = formula(implied(both(one.holds, inside), holds))
    yield z3.ForAll(variables, claim, patterns=[one.holds, holds])


def _renamed(body: Any, variables: tuple[Any, ...], fresh: list[Any]) -> Any:
    if isinstance(body, bool) or not fresh:
        return body
    return z3.substitute(body, list(zip(variables, fresh, strict=True)))


def occurs(variable: Any, body: Any) -> bool:
    """Whether the variable stands in the formula."""
    if isinstance(body, bool):
        return False
    seen, todo = set(), [body]
    while todo:
        each = todo.pop()
        if each.get_id() in seen:
            continue
        seen.add(each.get_id())
        if each.eq(variable):
            return True
        todo += each.children() if not z3.is_quantifier(each) else [each.body()]
    return False


def _more_than_half(bits: list[Expr]) -> Expr:
    needed = len(bits) // 2 + 1
    ways = 1
    for i in range(needed):
        ways = ways * (len(bits) - i) // (i + 1)
    if ways <= _MOST_MAJORITIES:
        return some(every(chosen) for chosen in combinations(bits, needed))
    return less(len(bits) // 2, counted(bits))
