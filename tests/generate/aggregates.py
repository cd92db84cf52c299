"""Terms of any type: entries, elements, branches, applications, `the`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chance import Stuck
from .expressions import Expr, Level, call, choice, compare, literal
from .kinds import BagOf, Kind, MapOf, Num, SeqOf, SetOf, Sort, fits, is_loose
from .world import Read, Scope

if TYPE_CHECKING:
    from .terms import Terms


def of_any_kind(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    """A term of the type; it may be undefined only where that is dared."""
    return t.chance.first_of(
        {
            "if": (1.0, lambda: _if(t, kind, scope, depth)),
            "entry": (2.0, lambda: _entry(t, kind, scope, depth)),
            "element": (2.0, lambda: _element(t, kind, scope, depth)),
            "the": (0.7, lambda: _the(t, kind, scope, depth)),
            "let applied": (1.5, lambda: _applied(t, kind, scope, depth)),
            "primed term": (1.0, lambda: _primed(t, kind, scope, depth)),
        }
    )


def _if(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    condition = t.condition(scope, depth - 1)
    then = t.value(kind, condition.then, depth - 1)
    return choice(condition.expr, then, t.value(kind, condition.otherwise, depth - 1))


def _entry(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    """An entry of a map, perhaps of a map in a map."""
    maps = [r for r in t.world.reads(scope) if isinstance(r.kind, MapOf)]
    found = t.chance.pick([r for r in maps if _leads_to(r.kind, kind)])
    text, of = t.as_term(found, scope).text, found.kind
    while isinstance(of, MapOf) and not fits(of, kind):
        text, of = f"{text}[{t.value(of.key, scope, depth - 1).text}]", of.value
    return _number(Expr(text), of)


def _leads_to(kind: Kind, wanted: Kind) -> bool:
    while isinstance(kind, MapOf):
        kind = kind.value
        if fits(kind, wanted):
            return True
    return False


def _element(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    """An element of a sequence that is certain to have one, unless it is dared."""
    found = t.chance.pick(
        [
            r
            for r in t.world.reads(scope)
            if isinstance(r.kind, SeqOf) and fits(r.kind.element, kind)
        ]
    )
    assert isinstance(found.kind, SeqOf)
    sequence = t.as_term(found, scope)
    how = t.chance.weighted({"first": 1.0, "last": 1.3, "position": 1.5})
    if how == "position":
        index = t.number(scope, depth - 1)
        made = Expr(f"{sequence.text}[{index.text}]")
        low = compare("<=", literal(1), index)
        high = compare("<=", index, call("len", sequence))
        safe = Expr(f"{low.text} and {high.text}", Level.AND)
    else:
        made, safe = call(how, sequence), Expr(f"not empty({sequence.text})", Level.NOT)
    made = _number(made, found.kind.element)
    if t.chance.dares():
        return made
    return choice(safe, made, t.value(kind, scope, depth - 1))


def _the(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    """The one value that fits, after asking whether it is one."""
    domains = [r for r in t.world.reads(scope) if _members(r, kind)]
    members: Kind
    if isinstance(kind, Sort) and t.chance.roll(0.5):
        domain, members, times = Expr(kind.ref), kind, kind.most
    else:
        found = t.chance.pick(domains)
        assert isinstance(found.kind, SetOf | BagOf | SeqOf)
        domain, members, times = t.as_term(found, scope), found.kind.element, 3
    t.room(scope, times)
    name = t.world.local(members, scope)
    body = t.test(scope.bind(name, members).repeated(times), depth - 1)
    the = _number(Expr(f"the {name} in {domain.text}: {body.text}", Level.OPEN), members)
    if t.chance.dares():
        return the
    count = Expr(f"count {name} in {domain.text}: {body.text}", Level.OPEN)
    once = compare("==", count, literal(1))
    if isinstance(members, Sort) and members.most == 1:
        raise Stuck
    return choice(once, the, t.value(kind, scope, depth - 1))


def _members(read: Read, kind: Kind) -> bool:
    return isinstance(read.kind, SetOf | BagOf | SeqOf) and fits(read.kind.element, kind)


def _applied(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    function = t.chance.pick(t.functions(kind, scope))
    if function.state and scope.times > 6:
        raise Stuck
    primed = scope.primed and function.state and t.chance.roll(0.4)
    applied = t.apply(function, scope.later() if primed else scope, depth)
    if primed:
        return Expr(f"{applied.text}'", Level.POSTFIX, applied.low, applied.high)
    return applied


def _primed(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    """`(a + b)'`: a whole term in the state after the step."""
    if not scope.primed or is_loose(kind):
        raise Stuck
    inner = t.value(kind, scope.later(), depth - 1)
    if inner.text in [name for name, _ in scope.names]:
        raise Stuck  # what a name stands for does not change
    return Expr(f"{inner.at(Level.POSTFIX)}'", Level.POSTFIX, inner.low, inner.high)


def _number(expr: Expr, kind: Kind) -> Expr:
    return expr.number(kind.low, kind.most) if isinstance(kind, Num) else expr
