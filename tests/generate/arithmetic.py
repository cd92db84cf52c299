"""Numbers, and how to keep them within a range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chance import Stuck
from .expressions import Expr, Level, binary, call, choice, compare, literal
from .kinds import BagOf, Num, SeqOf, SetOf, Sort, size
from .world import Scope

if TYPE_CHECKING:
    from .terms import Terms

_ANY = Num("", -(2**40), 2**40, 2**40)


def number(t: Terms, scope: Scope, depth: int) -> Expr:
    """Any number."""
    options = {
        "literal": (1.5, lambda: literal(t.chance.between(-1, 3))),
        "number read": (4.0, lambda: t.read(_ANY, scope)),
        "number parameter": (0.8, lambda: _parameter(t)),
    }
    if depth > 0:
        options |= {
            "+ or -": (2.0, lambda: _sum(t, scope, depth)),
            "*": (0.7, lambda: _product(t, scope, depth)),
            "div": (0.7, lambda: _divided(t, "div", scope, depth)),
            "mod": (0.7, lambda: _divided(t, "mod", scope, depth)),
            "negative": (0.5, lambda: _negative(t, scope, depth)),
            "size": (0.8, lambda: _size(t, "size", scope, depth)),
            "len": (0.8, lambda: _size(t, "len", scope, depth)),
            "size of type": (0.5, lambda: _size_of_type(t)),
            "multiplicity": (1.0, lambda: _multiplicity(t, scope, depth)),
            "min of two": (0.6, lambda: _of_two(t, "min", scope, depth)),
            "max of two": (0.6, lambda: _of_two(t, "max", scope, depth)),
            "extreme": (1.0, lambda: _extreme(t, scope, depth)),
            "count": (0.8, lambda: _count(t, scope, depth)),
            "sum": (0.8, lambda: _summed(t, scope, depth)),
            "number of any kind": (2.0, lambda: t.of_any_kind(_ANY, scope, depth)),
        }
    return t.chance.first_of(options)


def within(t: Terms, kind: Num, scope: Scope, depth: int) -> Expr:
    """A number of the range, unless one outside is dared."""
    options = {
        "literal in range": (1.5, lambda: literal(t.chance.between(kind.low, kind.high))),
        "read in range": (2.0, lambda: t.read(kind, scope)),
    }
    if kind.high < kind.low:
        raise Stuck
    if depth > 0:
        options |= {
            "clamped": (2.0, lambda: _clamped(t, kind, scope, depth)),
            "in range of any kind": (1.5, lambda: t.of_any_kind(kind, scope, depth)),
        }
        if t.chance.dares():
            return t.number(scope, depth - 1)
    return t.chance.first_of(options)


def _clamped(t: Terms, kind: Num, scope: Scope, depth: int) -> Expr:
    """Any number, forced into the range where that is necessary."""
    made = t.number(scope, depth - 1)
    if made.low >= kind.low and made.high <= kind.high:
        return made
    if kind.low == 0 and t.chance.roll(0.4):
        return binary("mod", made, literal(kind.high + 1)).number(0, kind.high)
    if made.level >= Level.SUM and t.chance.roll(0.25):
        inside = compare("<=", literal(kind.low), made)
        if made.high > kind.high:
            inside = compare("<=", made, literal(kind.high))
            if made.low < kind.low:
                return _between(made, kind)
        return choice(inside, made, literal(kind.low)).number(kind.low, kind.high)
    return _between(made, kind)


def _between(made: Expr, kind: Num) -> Expr:
    if made.high > kind.high:
        made = call("min", made, literal(kind.high))
    if made.low < kind.low or made.text.startswith("min"):
        made = call("max", literal(kind.low), made)
    return made.number(kind.low, kind.high)


def _parameter(t: Terms) -> Expr:
    found = t.chance.pick([p for p in t.world.parameters if isinstance(p.kind, Num)])
    assert isinstance(found.kind, Num)
    return Expr(found.name).number(found.kind.low, found.kind.most)


def _sum(t: Terms, scope: Scope, depth: int) -> Expr:
    left, right = t.number(scope, depth - 1), t.number(scope, depth - 1)
    if t.chance.roll(0.6):
        return binary("+", left, right).number(left.low + right.low, left.high + right.high)
    return binary("-", left, right).number(left.low - right.high, left.high - right.low)


def _product(t: Terms, scope: Scope, depth: int) -> Expr:
    left, right = t.number(scope, depth - 1), t.number(scope, depth - 1)
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    if max(corners) > 1000 or min(corners) < -1000:
        raise Stuck
    return binary("*", left, right).number(min(corners), max(corners))


def _divided(t: Terms, operator: str, scope: Scope, depth: int) -> Expr:
    left = t.number(scope, depth - 1)
    positive = [p for p in t.world.parameters if isinstance(p.kind, Num) and p.kind.low > 0]
    if positive and t.chance.roll(0.5):
        parameter = t.chance.pick(positive)
        assert isinstance(parameter.kind, Num)
        divisor, most = Expr(parameter.name), parameter.kind.most
        if t.chance.roll(0.3):
            divisor, most = binary("+", divisor, literal(1)), most + 1
    else:
        most = t.chance.between(1, 3)
        divisor = literal(most)
    made = binary(operator, left, divisor)
    if operator == "mod":
        return made.number(0, most - 1)
    return made.number(min(left.low, 0), max(left.high, 0))


def _negative(t: Terms, scope: Scope, depth: int) -> Expr:
    inner = t.number(scope, depth - 1)
    if inner.text.startswith("-"):
        raise Stuck
    return Expr(f"-{inner.at(Level.POSTFIX)}", Level.NEGATIVE, -inner.high, -inner.low)


def _size(t: Terms, function: str, scope: Scope, depth: int) -> Expr:
    wanted = SeqOf if function == "len" else (SetOf, BagOf, SeqOf)
    reads = [r for r in t.world.reads(scope) if isinstance(r.kind, wanted)]
    found = t.chance.pick(reads)
    assert isinstance(found.kind, SetOf | BagOf | SeqOf)
    inner = t.as_term(found, scope)
    if t.chance.roll(0.3):
        inner = t.value(found.kind, scope, depth - 1)
    bound = found.kind.bound
    most = size(found.kind.element) if bound is None else bound.most
    return call(function, inner).number(0, max(most, 3))


def _size_of_type(t: Terms) -> Expr:
    kind = t.chance.pick(t.world.sorts)
    assert isinstance(kind, Sort)
    return call("size", Expr(kind.ref)).number(kind.least, kind.most)


def _multiplicity(t: Terms, scope: Scope, depth: int) -> Expr:
    found = t.chance.pick([r for r in t.world.reads(scope) if isinstance(r.kind, BagOf)])
    assert isinstance(found.kind, BagOf)
    item = t.value(found.kind.element, scope, depth - 1)
    text = f"{t.as_term(found, scope).text}[{item.text}]"
    return Expr(text).number(0, found.kind.bound.most)


def _of_two(t: Terms, function: str, scope: Scope, depth: int) -> Expr:
    left, right = t.number(scope, depth - 1), t.number(scope, depth - 1)
    made = call(function, left, right)
    if function == "min":
        return made.number(min(left.low, right.low), min(left.high, right.high))
    return made.number(max(left.low, right.low), max(left.high, right.high))


def _extreme(t: Terms, scope: Scope, depth: int) -> Expr:
    """`min` or `max` of a collection, which must not be empty."""
    numbers = [
        r
        for r in t.world.reads(scope)
        if isinstance(r.kind, SetOf | BagOf | SeqOf) and isinstance(r.kind.element, Num)
    ]
    found = t.chance.pick(numbers)
    assert isinstance(found.kind, SetOf | BagOf | SeqOf) and isinstance(found.kind.element, Num)
    element = found.kind.element
    inner = t.as_term(found, scope)
    made = call(t.chance.pick(["min", "max"]), inner).number(element.low, element.most)
    if t.chance.dares():
        return made
    return choice(call("empty", inner), literal(t.chance.between(0, 2)), made)


def _count(t: Terms, scope: Scope, depth: int) -> Expr:
    bound = t.binders(scope, 1, depth - 1)
    body = t.test(bound.scope, depth - 1)
    most = bound.scope.times // scope.times
    return Expr(f"count {bound.text}: {body.text}", Level.OPEN).number(0, most)


def _summed(t: Terms, scope: Scope, depth: int) -> Expr:
    bound = t.binders(scope, 1, depth - 1)
    body = t.number(bound.scope, depth - 1)
    most = bound.scope.times // scope.times
    low, high = min(0, most * body.low), max(0, most * body.high)
    if high - low > 10_000:
        raise Stuck
    return Expr(f"sum {bound.text}: {body.text}", Level.OPEN).number(low, high)
