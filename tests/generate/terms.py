"""Terms of a wanted type in a scope: the parts that make them, and how they call each other."""

from __future__ import annotations

from attrs import define

from . import aggregates, arithmetic, binders, conditions, containers, values
from .chance import Chance, Stuck
from .expressions import Expr, call
from .kinds import BagOf, Bool, Kind, MapOf, Num, SeqOf, SetOf, fits
from .scoped import Bindings, Condition
from .world import Function, Read, Scope, World, telling

MOST_TIMES = 48
"""How often a term may be evaluated each time that its statement is."""


@define
class Terms:
    """Makes terms; every maker takes how deep it may still nest, and raises Stuck if it cannot."""

    chance: Chance
    world: World

    def value(self, kind: Kind, scope: Scope, depth: int) -> Expr:
        """A term that is a value of the type in every check, but for what is dared."""
        match kind:
            case Num() if not kind.ref:
                return arithmetic.number(self, scope, depth)
            case Num():
                return arithmetic.within(self, kind, scope, depth)
            case Bool():
                return self.test(scope, depth)
            case SetOf() | BagOf() | SeqOf():
                return containers.collection(self, kind, scope, depth)
            case MapOf():
                return containers.map_term(self, kind, scope, depth)
            case _:
                return values.value(self, kind, scope, depth)

    def number(self, scope: Scope, depth: int) -> Expr:
        """Any number, with its interval."""
        return arithmetic.number(self, scope, depth)

    def condition(self, scope: Scope, depth: int) -> Condition:
        """A condition, with what is known where it is true."""
        return conditions.condition(self, scope, depth)

    def test(self, scope: Scope, depth: int) -> Expr:
        """A condition for itself."""
        return conditions.condition(self, scope, depth).expr

    def binders(self, scope: Scope, count: int, depth: int) -> Bindings:
        """Binders with the names they bind."""
        return binders.binders(self, scope, count, depth)

    def of_any_kind(self, kind: Kind, scope: Scope, depth: int) -> Expr:
        """What can be of any type: an entry, an element, a branch, an application."""
        return aggregates.of_any_kind(self, kind, scope, depth)

    # --- what the parts share ---

    def read(self, kind: Kind, scope: Scope) -> Expr:
        """Something that is read, perhaps in the state after a step."""
        return self.as_term(self.chance.pick_by(telling, self.world.of_kind(scope, kind)), scope)

    def as_term(self, found: Read, scope: Scope) -> Expr:
        """The read as a term, with the interval if it is a number."""
        text = found.text
        if scope.primed and found.root is not None and not found.known and self.chance.roll(0.4):
            text += "'"
        return interval(Expr(text), found.kind)

    def functions(self, kind: Kind, scope: Scope) -> list[Function]:
        """The `let`s that give a value of the type and may be used here."""
        return [
            each
            for each in self.world.functions
            if fits(each.kind, kind)
            and (scope.state or not each.state)
            and (scope.ghosts or not each.ghosts)
        ]

    def apply(self, function: Function, scope: Scope, depth: int) -> Expr:
        """The `let` applied."""
        if function.parameters is None:
            return interval(Expr(function.name), function.kind)
        arguments = [self.value(kind, scope, depth - 1) for _, kind in function.parameters]
        return interval(call(function.name, *arguments), function.kind)

    def room(self, scope: Scope, times: int) -> None:
        """Raises Stuck if something evaluated so many times more would be too much."""
        if scope.times * max(1, times) > MOST_TIMES:
            raise Stuck


def interval(expr: Expr, kind: Kind) -> Expr:
    """The term, which has the type."""
    return expr.number(kind.low, kind.most) if isinstance(kind, Num) else expr
