"""Binders: what a name goes through, everywhere in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chance import Stuck
from .expressions import Expr, Level, call, literal
from .kinds import (
    BOOL,
    BagOf,
    Data,
    Kind,
    Num,
    SeqOf,
    SetOf,
    Sort,
    is_element,
    is_loose,
    number,
    set_of,
    size,
)
from .scoped import Bindings
from .world import Scope

if TYPE_CHECKING:
    from .terms import Terms

Domain = tuple[str, Kind, int]
"""As written, the type of its values, and about how many there are."""

_LARGEST = 9


def binders(t: Terms, scope: Scope, count: int, depth: int) -> Bindings:
    """Binders in a row; a later one may read the names of those before."""
    written: list[str] = []
    names: list[tuple[str, Kind]] = []
    for _ in range(count):
        text, kind, times = domain(t, scope, depth)
        t.room(scope, times)
        name = t.world.local(kind, scope)
        scope = scope.bind(name, kind).repeated(times)
        names.append((name, kind))
        text = f"{name} in {text}"
        if t.chance.feature("where", 0.25):
            condition = t.condition(scope, max(0, depth - 1))
            text += f" where {condition.expr.text}"
            scope = condition.then
        written.append(text)
    return Bindings(", ".join(written), scope, tuple(names))


def domain(t: Terms, scope: Scope, depth: int) -> Domain:
    """What a binder goes through."""
    options = {
        "domain sort": (3.0, lambda: _type(t, t.world.sorts)),
        "domain type": (1.5, lambda: _type(t, t.world.kinds)),
        "domain range": (1.2, lambda: _range(t, scope)),
        "domain bool": (0.4, lambda: ("bool", BOOL, 2)),
        "domain set": (3.0, lambda: _collection(t, SetOf, scope)),
        "domain bag": (2.5, lambda: _collection(t, BagOf, scope)),
        "domain sequence": (2.0, lambda: _collection(t, SeqOf, scope)),
        "domain positions": (1.5, lambda: _positions(t, scope)),
        "domain subsets": (0.8, lambda: _subsets(t, scope)),
    }
    if depth > 0:
        options["domain term"] = (0.8, lambda: _term(t, scope, depth))
    return t.chance.first_of(options)


def _type(t: Terms, kinds: list[Sort] | list[Kind]) -> Domain:
    found = t.chance.pick([k for k in kinds if isinstance(k, Sort | Data | Num)])
    if size(found) > _LARGEST:
        raise Stuck
    return found.ref, found, size(found)


def _range(t: Terms, scope: Scope) -> Domain:
    low = literal(t.chance.between(-1, 1))
    high = t.number(Scope(state=False) if t.chance.roll(0.6) else scope, 0)
    if high.high - low.low + 1 > _LARGEST:
        raise Stuck
    kind = number(low.low, max(high.high, low.low))
    return f"{low.at(Level.SUM)}..{high.at(Level.SUM)}", kind, size(kind)


def _positions(t: Terms, scope: Scope) -> Domain:
    found = t.chance.pick([r for r in t.world.reads(scope) if isinstance(r.kind, SeqOf)])
    assert isinstance(found.kind, SeqOf)
    most = max(1, found.kind.bound.most)
    return f"1..{call('len', t.as_term(found, scope)).text}", number(1, most), most


def _collection(t: Terms, what: type[SetOf] | type[BagOf] | type[SeqOf], scope: Scope) -> Domain:
    found = t.chance.pick([r for r in t.world.reads(scope) if isinstance(r.kind, what)])
    assert isinstance(found.kind, SetOf | BagOf | SeqOf)
    element, bound = found.kind.element, found.kind.bound
    times = min(size(element), 6) if bound is None else bound.most
    return t.as_term(found, scope).text, element, max(1, times)


def _subsets(t: Terms, scope: Scope) -> Domain:
    bases: list[tuple[str, Kind]] = [(k.ref, k) for k in t.world.sorts]
    bases += [(k.ref, k) for k in t.world.kinds if isinstance(k, Data | Num)]
    bases += [(r.text, r.kind.element) for r in t.world.reads(scope) if isinstance(r.kind, SetOf)]
    text, element = t.chance.pick([base for base in bases if size(base[1]) <= 4])
    return f"subset of {text}", set_of(element), int(2 ** size(element))


def _term(t: Terms, scope: Scope, depth: int) -> Domain:
    """A set that is computed."""
    elements = [
        k for k in t.world.domains() if is_element(k) and not is_loose(k) and size(k) <= _LARGEST
    ]
    element = t.chance.pick(elements)
    made: Expr = t.value(set_of(element), scope, depth - 1)
    if made.text == "{}":
        raise Stuck
    return made.at(Level.SUM), element, size(element)
