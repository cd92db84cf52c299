"""Sets, bags, sequences and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chance import Stuck
from .expressions import Expr, Level, binary, call, choice, literal
from .kinds import Collection, Kind, MapOf, SeqOf, SetOf, is_loose, size
from .world import Scope

if TYPE_CHECKING:
    from .terms import Terms


def collection(t: Terms, kind: Collection, scope: Scope, depth: int) -> Expr:
    """A set, bag or sequence that fits the type."""
    options = {
        "empty": (0.7, lambda: _empty(kind)),
        "collection read": (2.0, lambda: t.read(kind, scope)),
        "literal": (2.0, lambda: _literal(t, kind, scope, depth)),
    }
    if depth > 0:
        options["collection of any kind"] = (1.0, lambda: t.of_any_kind(kind, scope, depth))
        match kind:
            case SetOf():
                options |= {
                    "union": (1.0, lambda: _combined(t, "union", kind, scope, depth)),
                    "minus": (0.8, lambda: _combined(t, "minus", kind, scope, depth)),
                    "intersect": (0.8, lambda: _combined(t, "intersect", kind, scope, depth)),
                    "comprehension": (1.2, lambda: _comprehension(t, kind, scope, depth)),
                    "type as set": (0.7, lambda: _type(t, kind)),
                }
            case SeqOf():
                options |= {
                    "++": (2.5, lambda: _joined(t, kind, scope, depth)),
                    "slice": (3.5, lambda: _slice(t, kind, scope, depth)),
                    "prefix": (0.8, lambda: _prefix(t, kind, scope, depth)),
                    "rest": (0.8, lambda: _rest(t, kind, scope, depth)),
                }
            case _:
                pass
    return t.chance.first_of(options)


def _empty(kind: Collection) -> Expr:
    return Expr("[]" if isinstance(kind, SeqOf) else "{}")


def _literal(t: Terms, kind: Collection, scope: Scope, depth: int) -> Expr:
    most = 2 if kind.bound is None else min(2, kind.bound.least)
    if t.chance.dares():
        most = 3
    if most < 1:
        raise Stuck
    items = [t.value(kind.element, scope, depth - 1).text for _ in range(t.chance.between(1, most))]
    joined = ", ".join(items)
    return Expr(f"[{joined}]" if isinstance(kind, SeqOf) else f"{{{joined}}}")


def _combined(t: Terms, operator: str, kind: SetOf, scope: Scope, depth: int) -> Expr:
    if operator == "union" and kind.bound is not None and not t.chance.dares():
        raise Stuck
    left = t.read(kind, scope) if is_loose(kind) else t.value(kind, scope, depth - 1)
    if left.text == "{}":
        raise Stuck
    return binary(operator, left, t.value(kind, scope, depth - 1))


def _comprehension(t: Terms, kind: SetOf, scope: Scope, depth: int) -> Expr:
    if is_loose(kind) or (kind.bound is not None and not t.chance.dares()):
        raise Stuck
    bound = t.binders(scope, 1 if t.chance.roll(0.75) else 2, depth - 1)
    head = t.value(kind.element, bound.scope, depth - 1)
    return Expr(f"{{{head.text} | {bound.text}}}")


def _type(t: Terms, kind: SetOf) -> Expr:
    if kind.bound is not None or kind.element not in t.world.domains():
        raise Stuck
    if " " in kind.element.ref or ".." in kind.element.ref or kind.element.ref == "bool":
        raise Stuck
    if kind.element.ref.endswith("?"):
        raise Stuck
    return Expr(kind.element.ref)


def _joined(t: Terms, kind: SeqOf, scope: Scope, depth: int) -> Expr:
    """Two sequences, cut to what the type holds."""
    if is_loose(kind):
        raise Stuck
    left = t.value(kind, scope, depth - 1)
    joined = binary("++", left, t.value(kind, scope, depth - 1))
    if t.chance.dares() or kind.bound.least >= 4:
        return joined
    return call("prefix", joined, literal(kind.bound.least))


def _slice(t: Terms, kind: SeqOf, scope: Scope, depth: int) -> Expr:
    sequence = t.read(kind, scope)
    low = t.number(scope, 0).at(Level.SUM)
    if t.chance.roll(0.3):
        low = f"{low} + 1"
    if t.chance.roll(0.6):
        return Expr(f"{sequence.text}[{low}..]")
    return Expr(f"{sequence.text}[{low}..{t.number(scope, depth - 1).at(Level.SUM)}]")


def _prefix(t: Terms, kind: SeqOf, scope: Scope, depth: int) -> Expr:
    sequence = t.read(kind, scope) if is_loose(kind) else t.value(kind, scope, depth - 1)
    return call("prefix", sequence, t.number(scope, depth - 1))


def _rest(t: Terms, kind: SeqOf, scope: Scope, depth: int) -> Expr:
    sequence = t.read(kind, scope)
    if t.chance.dares():
        return call("rest", sequence)
    return choice(call("empty", sequence), Expr("[]"), call("rest", sequence))


def map_term(t: Terms, kind: MapOf, scope: Scope, depth: int) -> Expr:
    """A map: a value for every key."""
    options = {
        "map read": (1.0, lambda: t.read(kind, scope)),
        "each": (2.0, lambda: _each(t, kind, scope, depth)),
    }
    if depth > 0:
        options["map of any kind"] = (0.8, lambda: t.of_any_kind(kind, scope, depth))
    return t.chance.first_of(options)


def _each(t: Terms, kind: MapOf, scope: Scope, depth: int) -> Expr:
    times = size(kind.key)
    t.room(scope, times)
    if ".." in kind.key.ref:
        raise Stuck  # `each` goes through a type by its name
    name = t.world.local(kind.key, scope)
    inner = scope.bind(name, kind.key).repeated(times)
    value: Kind = kind.value
    body = t.value(value, inner, depth - 1)
    return Expr(f"each {name} in {kind.key.ref}: {body.text}", Level.OPEN)
