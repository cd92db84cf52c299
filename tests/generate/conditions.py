"""Conditions: what is asked, and what is known once the answer is yes or no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import values
from .aggregates import of_any_kind
from .chance import Stuck
from .expressions import (
    Expr,
    Level,
    call,
    compare,
    conjunction,
    disjunction,
    implication,
    negation,
)
from .kinds import BOOL, BagOf, Data, Kind, Num, Opt, SeqOf, SetOf, Sort, agree, is_loose
from .scoped import Condition
from .world import Read, Scope, telling

if TYPE_CHECKING:
    from .terms import Terms

_ORDER = ["<", "<=", ">", ">="]


def condition(t: Terms, scope: Scope, depth: int) -> Condition:
    """Any condition."""
    options = {
        "bool read": (1.5, lambda: _flag(t, scope)),
        "equality": (3.0, lambda: _equal(t, scope, depth)),
        "order": (2.5, lambda: _ordered(t, scope, depth)),
        "is": (4.0, lambda: _is(t, scope, depth)),
        "in": (1.8, lambda: _in(t, scope, depth)),
        "empty function": (0.6, lambda: _empty(t, scope)),
        "true or false": (0.2, lambda: _plain(Expr(t.chance.pick(["true", "false"])), scope)),
    }
    if depth > 0:
        options |= {
            "and": (2.5, lambda: _and(t, scope, depth)),
            "or": (2.0, lambda: _or(t, scope, depth)),
            "not": (1.2, lambda: _not(t, scope, depth)),
            "implies": (1.5, lambda: _implies(t, scope, depth)),
            "forall": (1.5, lambda: _quantified(t, "forall", scope, depth)),
            "exists": (1.5, lambda: _quantified(t, "exists", scope, depth)),
            "is not": (1.0, lambda: _is_not(t, scope)),
            "tuples": (0.8, lambda: _tuples(t, scope, depth)),
            "subset": (1.0, lambda: _subset(t, scope, depth)),
            "majority": (0.6, lambda: _majority(t, scope, depth)),
            "bool of any kind": (1.2, lambda: _plain(of_any_kind(t, BOOL, scope, depth), scope)),
        }
    return t.chance.first_of(options)


def _plain(expr: Expr, scope: Scope) -> Condition:
    return Condition(expr, scope, scope)


def _flag(t: Terms, scope: Scope) -> Condition:
    read = t.read(BOOL, scope)
    return _plain(negation(read) if t.chance.roll(0.3) else read, scope)


def _equal(t: Terms, scope: Scope, depth: int) -> Condition:
    """What is read, compared with something of its type."""
    found = t.chance.pick_by(telling, t.world.reads(scope))
    left = t.as_term(found, scope)
    alike = [r for r in t.world.reads(scope) if agree(r.kind, found.kind) and r != found]
    if alike and t.chance.roll(0.4):
        right = t.as_term(t.chance.pick(alike), scope)
    elif isinstance(found.kind, Num):
        right = t.number(scope, depth - 1)
    else:
        right = t.value(found.kind, scope, depth - 1)
    if left.text == right.text:
        raise Stuck
    if isinstance(found.kind, Num) and t.chance.roll(0.15):
        left, right = right, left
    return _plain(compare(t.chance.pick(["==", "==", "!="]), left, right), scope)


def _ordered(t: Terms, scope: Scope, depth: int) -> Condition:
    left, right = t.number(scope, depth - 1), t.number(scope, depth - 1)
    if left.text == right.text or left.high <= right.low or right.high <= left.low:
        raise Stuck  # the answer is nearly always the same
    return _plain(compare(t.chance.pick(_ORDER), left, right), scope)


def _tuples(t: Terms, scope: Scope, depth: int) -> Condition:
    sides = []
    count = t.chance.between(2, 3)
    for _ in range(2):
        items = [t.number(scope, depth - 1).text for _ in range(count)]
        sides.append(Expr(f"({', '.join(items)})"))
    return _plain(compare(t.chance.pick([*_ORDER, "==", "!="]), *sides), scope)


# --- patterns ----------------------------------------------------------------------


def _is(t: Terms, scope: Scope, depth: int) -> Condition:
    subject = _matchable(t, scope)
    made = values.pattern(t, subject, scope, depth)
    then = scope
    for name, kind in made.names:
        then = then.bind(name, kind)
    expr = Expr(f"{subject.text} is {made.text}", Level.COMPARE)
    return Condition(expr, then.know(made.known), scope.know(_other_fields(subject, made.text)))


def _is_not(t: Terms, scope: Scope) -> Condition:
    subject = _matchable(t, scope)
    text = values.negated_pattern(t, subject)
    expr = Expr(f"{subject.text} is not {text}", Level.COMPARE)
    known = scope.know(_other_fields(subject, text))
    return Condition(expr, known, scope.know(_fields(subject, text)))


def _other_fields(subject: Read, form: str) -> tuple[Read, ...]:
    """What is readable where a value of two forms has not this one."""
    if not isinstance(subject.kind, Data) or len(subject.kind.forms) != 2:
        return ()
    names = [each.name for each in subject.kind.forms]
    if form not in names:
        return ()
    return _fields(subject, names[1 - names.index(form)])


def _fields(subject: Read, form: str) -> tuple[Read, ...]:
    """What is readable where a value has the form."""
    if not isinstance(subject.kind, Data):
        return ()
    return tuple(
        Read(f"{subject.text}.{name}", kind, subject.root, known=True)
        for each in subject.kind.forms
        if each.name == form
        for name, kind in each.fields
    )


def _matchable(t: Terms, scope: Scope) -> Read:
    subjects = [r for r in t.world.reads(scope) if isinstance(r.kind, Data | Opt)]
    return t.chance.pick_by(telling, subjects)


# --- collections -------------------------------------------------------------------


def _in(t: Terms, scope: Scope, depth: int) -> Condition:
    found = _one(t, scope, SetOf, BagOf, SeqOf)
    assert isinstance(found.kind, SetOf | BagOf | SeqOf)
    element = t.value(found.kind.element, scope, depth - 1)
    operator = "not in" if t.chance.roll(0.3) else "in"
    return _plain(compare(operator, element, t.as_term(found, scope)), scope)


def _empty(t: Terms, scope: Scope) -> Condition:
    expr = call("empty", t.as_term(_one(t, scope, SetOf, BagOf, SeqOf), scope))
    return _plain(negation(expr) if t.chance.roll(0.5) else expr, scope)


def _subset(t: Terms, scope: Scope, depth: int) -> Condition:
    found = _one(t, scope, SetOf)
    left, right = t.as_term(found, scope), t.value(found.kind, scope, depth - 1)
    if t.chance.roll(0.5) and not is_loose(found.kind):
        left, right = right, left
    if left.text == "{}" or left.text == right.text:
        raise Stuck
    return _plain(compare("subset", left, right), scope)


def _majority(t: Terms, scope: Scope, depth: int) -> Condition:
    kind: Kind = t.chance.pick([k for k in t.world.members() if isinstance(k, Sort | Data | Num)])
    name = t.world.local(kind, scope)
    sets = [
        r
        for r in t.world.reads(scope)
        if isinstance(r.kind, SetOf) and r.kind.element in t.world.members()
    ]
    if sets and t.chance.roll(0.5):
        return _plain(call("majority", t.as_term(t.chance.pick(sets), scope)), scope)
    t.room(scope, 4)
    inner = t.condition(scope.bind(name, kind).repeated(4), depth - 1)
    text = f"majority({{{name} | {name} in {kind.ref} where {inner.expr.text}}})"
    return _plain(Expr(text), scope)


def _one(t: Terms, scope: Scope, *kinds: type) -> Read:
    return t.chance.pick_by(telling, [r for r in t.world.reads(scope) if isinstance(r.kind, kinds)])


# --- connectives -------------------------------------------------------------------


def _and(t: Terms, scope: Scope, depth: int) -> Condition:
    left = t.condition(scope, depth - 1)
    right = t.condition(left.then, depth - 1)
    return Condition(conjunction(left.expr, right.expr), right.then, scope)


def _or(t: Terms, scope: Scope, depth: int) -> Condition:
    left = t.condition(scope, depth - 1)
    right = t.condition(left.otherwise, depth - 1)
    return Condition(disjunction(left.expr, right.expr), scope, right.otherwise)


def _not(t: Terms, scope: Scope, depth: int) -> Condition:
    inner = t.condition(scope, depth - 1)
    return Condition(negation(inner.expr), inner.otherwise, scope)


def _implies(t: Terms, scope: Scope, depth: int) -> Condition:
    left = t.condition(scope, depth - 1)
    return _plain(implication(left.expr, t.test(left.then, depth - 1)), scope)


def _quantified(t: Terms, word: str, scope: Scope, depth: int) -> Condition:
    bound = t.binders(scope, 1 if t.chance.roll(0.7) else 2, depth - 1)
    body = t.test(bound.scope, depth - 1)
    return _plain(Expr(f"{word} {bound.text}: {body.text}", Level.OPEN), scope)
