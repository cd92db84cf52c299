"""Binders, quantifiers and comprehensions as formulas.

A domain is gone through value by value where that is possible, and with a
variable of the solver where it is not: for each shape of its elements one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple, assert_never

import z3

from modelcheck.core.terms import (
    Binder,
    Collect,
    Count,
    Exists,
    Forall,
    Interval,
    Subsets,
    Sum,
    Term,
    The,
    Universe,
    Values,
)
from modelcheck.core.types import NOTHING, Int, Range, Set, Type
from modelcheck.core.values import Value
from modelcheck.prove.algebra import (
    Expr,
    at_most,
    both,
    choose,
    equal,
    every,
    exists,
    for_all,
    implied,
    less,
    negated,
    some,
    total,
)
from modelcheck.prove.frame import Frame
from modelcheck.prove.space import occurs
from modelcheck.prove.symbols import (
    Counts,
    Members,
    Shape,
    Slots,
    Sym,
    Unsupported,
    is_small,
    lift,
    members_by,
    members_of,
    merge,
    same,
    scalar,
    shapes,
    universe,
)
from modelcheck.prove.unknowns import anything

MOST_SUBSETS = 1 << 8
"""Subsets of more values are not gone through one by one."""


class Alternative(NamedTuple):
    """A value of a domain, or all values of one shape.

    condition  whether it is in the domain
    variables  of the solver, that the value is made of; none if it is one value
    weight     how often it occurs
    """

    value: Sym
    condition: Expr
    variables: tuple[Any, ...] = ()
    weight: Expr = 1


def alternatives(binder: Binder, frame: Frame, *, once: bool = False) -> list[Alternative]:
    """What the binder's domain goes through, in its order where that is known.

    once  whether a value that is there twice must come once; else it may come twice
    """
    match binder.domain:
        case Values(Universe(of)):
            return _of_type(of, frame)
        case Values(term):
            collection = frame.value(term)
            found = _of_collection(collection, frame)
            return _first_only(found) if once and _may_repeat(collection) else found
        case Interval(low, high):
            first, last = frame.value(low), frame.value(high)
            return _of_interval(scalar(first), scalar(last), low.type, high.type)
        case Subsets(whole):
            members = frame.value(whole)
            assert isinstance(members, Members)
            return _subsets(members)
        case _:
            assert_never(binder.domain)


def _of_type(of: Type, frame: Frame) -> list[Alternative]:
    if is_small(of):
        return [Alternative(lift(of, value), True) for value in universe(of)]
    return [_of_shape(shape, True) for shape in shapes(of, "x", frame.space.bounds)]


def _of_shape(shape: Shape, condition: Expr) -> Alternative:
    return Alternative(shape.value, both(shape.typed, condition), shape.variables)


def _of_collection(collection: Sym, frame: Frame) -> list[Alternative]:
    match collection:
        case Members(element):
            if is_small(element):
                return [
                    Alternative(lift(element, value), bit)
                    for value, bit in collection.table.items()
                    if bit is not False
                ]
            if collection.items is not None:
                return [Alternative(value, condition) for condition, value in collection.items]
            return [
                _of_shape(shape, collection.has(shape.value))
                for shape in shapes(element, "x", frame.space.bounds)
            ]
        case Counts(element):
            if is_small(element):
                return [
                    Alternative(lift(element, value), less(0, n), weight=n)
                    for value, n in collection.table.items()
                    if n is not False
                ]
            return [
                _of_shape(shape, less(0, collection.count(shape.value)))
                for shape in shapes(element, "x", frame.space.bounds)
            ]
        case Slots():
            return [
                Alternative(each, less(i, collection.length))
                for i, each in enumerate(collection.slots)
            ]
        case _:
            raise TypeError("not a collection")


def _may_repeat(collection: Sym) -> bool:
    """Whether a value may come twice: a sequence may have it twice, a literal name it twice."""
    if isinstance(collection, Members):
        return collection.items is not None and not is_small(collection.element)
    return isinstance(collection, Slots)


def _first_only(options: list[Alternative]) -> list[Alternative]:
    """Each value where it first occurs."""
    found: list[Alternative] = []
    for each in options:
        earlier = some(both(e.condition, same(each.value, e.value)) for e in options[: len(found)])
        found.append(each._replace(condition=both(each.condition, negated(earlier))))
    return found


def _of_interval(first: Any, last: Any, low: Type, high: Type) -> list[Alternative]:
    lowest = first if isinstance(first, int) else low.low if isinstance(low, Range) else None
    highest = last if isinstance(last, int) else high.high if isinstance(high, Range) else None
    if lowest is not None and highest is not None:
        return [
            Alternative(i, both(at_most(first, i), at_most(i, last)))
            for i in range(lowest, highest + 1)
        ]
    (shape,) = shapes(Int(), "i")
    variable = scalar(shape.value)
    inside = both(at_most(first, variable), at_most(variable, last))
    return [Alternative(variable, inside, shape.variables)]


def _subsets(members: Members) -> list[Alternative]:
    table = members.table
    open_ = {value: bit for value, bit in table.items() if bit is not False}
    if 1 << len(open_) > MOST_SUBSETS:
        raise Unsupported("all subsets of so many values, one by one")
    return [
        Alternative(
            members_by(members.element, {v: v in chosen for v in open_}),
            every(open_[v] for v in chosen),
        )
        for chosen in subsets_of(tuple(open_))
    ]


def subsets_of(values: tuple[Value, ...]) -> list[tuple[Value, ...]]:
    """All subsets, in canonical order."""
    sizes = range(len(values) + 1)
    return sorted(chosen for size in sizes for chosen in combinations(values, size))


def accepted(binder: Binder, frame: Frame) -> Any:
    """Whether the `where` accepts the bound name."""
    return True if binder.where is None else frame.truth(binder.where)


def bind_lets(binder: Binder, frame: Frame) -> None:
    """Bind what the pattern in the `where` binds."""
    for name, value in binder.lets:
        frame.names[name] = frame.value(value)


# --- terms over choices ------------------------------------------------------------


def quantified(term: Collect | Forall | Exists | Count | Sum | The, frame: Frame) -> Sym:
    """The value of a quantifier, count, sum, comprehension or `the`."""
    match term:
        case Forall(binders, body):
            return _quantify(binders, body, frame, True)
        case Exists(binders, body):
            return _quantify(binders, body, frame, False)
        case Count(binders, body):
            return total(
                choose(both(condition, value), weight, 0)
                for condition, value, weight in _listed(binders, body, frame)
            )
        case Sum(binders, body):
            return total(
                choose(condition, value * weight, 0)
                for condition, value, weight in _listed(binders, body, frame)
            )
        case Collect():
            return _collect(term, frame)
        case The():
            return _the(term, frame)
        case _:
            assert_never(term)


def _quantify(binders: Sequence[Binder], body: Term, frame: Frame, universal: bool) -> Any:
    if not binders:
        return frame.truth(body)
    first, parts, reach = binders[0], [], frame.reach
    options = alternatives(first, frame)
    with reach.going_on():
        for option in options:
            if option.condition is False:
                continue
            frame.names[first.name] = option.value
            with reach.quantified(option.variables, option.condition):
                fits = accepted(first, frame)
                if fits is False:
                    continue
                with reach.under(fits):
                    bind_lets(first, frame)
                    inner = _quantify(binders[1:], body, frame, universal)
            chosen = both(option.condition, fits)
            if universal:
                part = for_all(option.variables, implied(chosen, inner))
            else:
                part = exists(option.variables, both(chosen, inner))
            parts.append(part)
            if part is (not universal):
                break
            reach.settle(part if universal else negated(part))
    return every(parts) if universal else some(parts)


def _listed(
    binders: Sequence[Binder], body: Term, frame: Frame
) -> Iterator[tuple[Expr, Any, Expr]]:
    """Every choice: whether there is one, the body's value, how often it occurs."""
    for condition, weight in walk(binders, frame):
        yield condition, scalar(frame.value(body)), weight


def walk(
    binders: Sequence[Binder], frame: Frame, condition: Expr = True, weight: Expr = 1
) -> Iterator[tuple[Expr, Expr]]:
    """Every choice of the binders, put into the frame while it is yielded; its condition, weight.

    Raises Unsupported where a domain has no list.
    """
    if not binders:
        yield condition, weight
        return
    first = binders[0]
    for option in alternatives(first, frame):
        if option.variables:
            raise Unsupported("counting, adding up or choosing among values of any number")
        if option.condition is False:
            continue
        frame.names[first.name] = option.value
        with frame.reach.under(option.condition):
            fits = accepted(first, frame)
            if fits is False:
                continue
            with frame.reach.under(fits):
                bind_lets(first, frame)
                chosen = both(condition, option.condition, fits)
                more = option.weight if _is_one(weight) else weight * option.weight
                yield from walk(binders[1:], frame, chosen, more)


def _is_one(weight: Expr) -> bool:
    return isinstance(weight, int) and weight == 1


def _collect(term: Collect, frame: Frame) -> Members:
    element = term.type.element if isinstance(term.type, Set) else NOTHING
    try:
        return members_of(element, list(_heads(term, frame.apart(), record=frame)))
    except Unsupported:
        return _collect_any(term, element, frame)


def _heads(term: Collect, apart: Frame, record: Frame) -> Iterator[tuple[Expr, Sym]]:
    """(condition, head) of every choice. Failures go to `record` once all could be listed."""
    apart.reach.path, apart.reach.failed = list(record.reach.path), dict(record.reach.failed)
    found = [(condition, apart.value(term.head)) for condition, _ in walk(term.binders, apart)]
    record.reach.failed = apart.reach.failed
    yield from found


def _collect_any(term: Collect, element: Type, frame: Frame) -> Members:
    """A comprehension over values of any number: a value is in it if some choice makes it."""
    kept = frame.apart()

    def has(value: Sym) -> Expr:
        frame_ = kept.apart()
        return _somewhere(term.binders, frame_, lambda: same(frame_.value(term.head), value))

    # What has no value is asked for once, where the comprehension stands.
    _somewhere(term.binders, frame, lambda: (frame.value(term.head), True)[1])
    return Members(element, has)


def _somewhere(binders: Sequence[Binder], frame: Frame, body: Callable[[], Any]) -> Any:
    """Whether some choice satisfies the body."""
    if not binders:
        return body()
    first, parts = binders[0], []
    for option in alternatives(first, frame):
        frame.names[first.name] = option.value
        with frame.reach.quantified(option.variables, option.condition):
            fits = accepted(first, frame)
            with frame.reach.under(fits):
                bind_lets(first, frame)
                inner = _somewhere(binders[1:], frame, body)
        parts.append(existing(option.variables, both(option.condition, fits, inner)))
    return some(parts)


def existing(variables: Sequence[Any], body: Any) -> Any:
    """Whether the body holds for some values of the variables.

    A variable that the body equates with something else is replaced by it, so that a
    comprehension of names, `{n | n in Node where P(n)}`, needs no quantifier.
    """
    open_ = list(variables)
    if isinstance(body, bool) or not open_:
        return body
    conjuncts = body.children() if z3.is_and(body) else [body]
    for variable in variables:
        for each in conjuncts:
            if not z3.is_eq(each):
                continue
            left, right = each.children()
            if right.eq(variable):
                left, right = right, left
            if left.eq(variable) and not any(occurs(v, right) for v in open_):
                body = z3.substitute(body, (variable, right))
                conjuncts = body.children() if z3.is_and(body) else [body]
                open_.remove(variable)
                break
    return exists(open_, body)


def _the(term: The, frame: Frame) -> Sym:
    found: list[tuple[Expr, Sym]] = []
    for condition, _ in walk([term.binder], frame):
        value = frame.names[term.binder.name]
        fits = both(condition, frame.truth(term.body))
        if isinstance(term.binder.domain, Values):
            # A sequence may hold a value twice: it counts once.
            earlier = some(both(c, same(value, other)) for c, other in found)
            fits = both(fits, negated(earlier))
        found.append((fits, value))
    number = total(choose(c, 1, 0) for c, _ in found)
    frame.reach.fail("undefined", negated(equal(number, 1)))
    result: Sym | None = None
    for condition, value in found:
        result = value if result is None else merge(condition, value, result)
    return anything(term.type) if result is None else result
