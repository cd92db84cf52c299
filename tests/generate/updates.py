"""Blocks of statements: what a step or an effect writes."""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import Factory, define, evolve

from .chance import Stuck
from .draft import Draft
from .expressions import literal
from .kinds import BagOf, Kind, MapOf, Num, SeqOf, SetOf, is_key, is_loose
from .places import are_one
from .world import Read, Scope, Variable

_BODY = "  "


@define
class Body:
    """Makes the statements of one body.

    written  variables that a statement has written; another write might clash
    guards   conditions under which the statements stay within their types, for the action's guards
    late     names bound after the guards, which those conditions may not use; None in a block or
             an effect, which have no guards
    places   those written in this very block, where a second write would be refused
    removed  those that something was taken from in this block, and may be added to
    loops    names of surrounding `for`s: a place that does not depend on them is written repeatedly
    """

    d: Draft
    written: list[Variable] = Factory(list)
    guards: list[str] = Factory(list)
    late: list[str] | None = Factory(list)
    loops: tuple[str, ...] = ()
    ghosts: bool = False
    places: list[str] = Factory(list)
    removed: list[str] = Factory(list)

    def statements(self, scope: Scope, count: int, depth: int) -> list[str]:
        """About so many statements; at least one. Raises Stuck if none can be made."""
        lines: list[str] = []
        for _ in range(count):
            try:
                more, scope = self._statement(scope, depth)
            except Stuck:
                continue
            lines += more
        if all(line.startswith("let ") for line in lines):
            raise Stuck
        return lines

    def _statement(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        options: dict[str, tuple[float, Callable[[], tuple[list[str], Scope]]]] = {
            "update": (5.0, lambda: (self._update(scope), scope)),
        }
        if not self.ghosts:
            options |= {
                "ghost update": (1.0, lambda: (self._ghost(scope, depth), scope)),
                "lose": (0.8, lambda: (self._lose(scope), scope)),
                "effect use": (1.0, lambda: (self._effect(scope), scope)),
                "local let": (0.8, lambda: self._let(scope)),
            }
        if depth > 0:
            options |= {
                "if statement": (1.0, lambda: (self._if(scope, depth), scope)),
                "for": (0.8, lambda: (self._for(scope, depth), scope)),
            }
        return self.d.chance.first_of(options)

    # --- updates --------------------------------------------------------------------

    def _update(self, scope: Scope) -> list[str]:
        place = self._place(scope)
        kind = place.kind
        assert place.root is not None
        if any(are_one(place.text, other) for other in self.places):
            raise Stuck
        match kind:
            case Num():
                lines = self._number(place, kind, scope)
            case SetOf() | BagOf():
                lines = self._members(place, kind, scope)
            case SeqOf():
                lines = self._sequence(place, kind, scope)
            case _:
                lines = [self._assign(place, scope)]
        self.written.append(place.root)
        self.places.append(place.text)
        self.d.world.touched.append(place.root)
        return lines

    def _place(self, scope: Scope) -> Read:
        """What to write: a variable, an entry, a field."""
        places = [
            read
            for read in self.d.world.reads(scope)
            if read.root is not None
            and read.root.ghost == self.ghosts
            and (read.root not in self.written or self.d.chance.dares(3))
        ]
        place = self.d.chance.pick_by(self._wish, places)
        # A channel, and what was matched, are rarer than the rest and more telling.
        telling = [p for p in places if p.known or (p.root is not None and p.root.channel)]
        if telling and self.d.chance.roll(0.35):
            place = self.d.chance.pick(telling)
        while isinstance(place.kind, MapOf) and self.d.chance.roll(0.75):
            key = self.d.terms.value(place.kind.key, scope, 0).text
            place = evolve(place, text=f"{place.text}[{key}]", kind=place.kind.value)
        if isinstance(place.kind, SeqOf) and self.d.chance.feature("write in sequence", 0.4):
            place = self._position(place, place.kind, scope)
        return place

    def _wish(self, place: Read) -> float:
        """How much it would help to write the place: most of all if nothing does yet."""
        assert place.root is not None
        inside = 1.0 if place.text.endswith(f".{place.root.name}") else 3.0
        return inside if place.root in self.d.world.touched else 5.0

    def _position(self, place: Read, kind: SeqOf, scope: Scope) -> Read:
        index = self.d.terms.number(scope, 0).text
        inner = evolve(place, text=f"{place.text}[{index}]", kind=kind.element)
        if not self.d.chance.dares():
            if not self._early(inner.text):
                raise Stuck
            self.guards.append(f"{index} >= 1 and {index} <= len({place.text})")
        return inner

    def _once(self, text: str) -> None:
        """Raises Stuck if the place is written again in every round of a loop."""
        for name in self.loops:
            own = text.startswith(f"{name}.") or f"[{name}]" in text
            if not own and not self.d.chance.dares():
                raise Stuck

    def _assign(self, place: Read, scope: Scope) -> str:
        self._once(place.text)
        if place.text in self.removed:
            raise Stuck
        value = self.d.terms.value(place.kind, scope, self.d.chance.pick([0, 0, 1, 1, 2]))
        if value.text == place.text:
            raise Stuck
        return f"{place.text} := {value.text}"

    def _number(self, place: Read, kind: Num, scope: Scope) -> list[str]:
        chance = self.d.chance
        how = chance.weighted({":= number": 1.5, "+= number": 1.2, "-= number": 0.8})
        if how == ":= number":
            return [self._assign(place, scope)]
        amount = literal(1)
        if chance.roll(0.2):
            amount = self.d.terms.number(scope, 0)
        if how == "+= number":
            line = f"{place.text} += {amount.text}"
            inside = f"{place.text} < {kind.top or kind.high}"
        else:
            line, inside = f"{place.text} -= {amount.text}", f"{place.text} > {kind.low}"
        if amount.text != "1":
            moved = f"{place.text} {how[0]} ({amount.text})"
            inside = f"{moved} >= {kind.low} and {moved} <= {kind.high}"
        return self._inside(inside, line)

    def _members(self, place: Read, kind: SetOf | BagOf, scope: Scope) -> list[str]:
        terms, chance = self.d.terms, self.d.chance
        word = "set" if isinstance(kind, SetOf) else "bag"
        how = chance.weighted(
            {
                f":= {word}": 0.6,
                f"+= {word} member": 2.0,
                f"-= {word} member": 1.2,
                f"+= {word} of members": 0.7,
                f"-= {word} of members": 0.6,
            }
        )
        if how.startswith(":="):
            return [self._assign(place, scope)]
        sign = how[:2]
        if how.endswith(" member"):
            value = terms.value(kind.element, scope, 1)
        elif isinstance(kind, SetOf):
            value = terms.value(SetOf(f"set of {kind.element.ref}", kind.element), scope, 1)
        else:
            value = terms.value(kind, scope, 0)
        line = f"{place.text} {sign} {value.text}"
        if sign == "-=" or kind.bound is None:
            return [line]
        return self._inside(f"size({place.text}) < {kind.bound.text}", line)

    def _sequence(self, place: Read, kind: SeqOf, scope: Scope) -> list[str]:
        if self.d.chance.weighted({":= sequence": 1.5, "append": 1.2}) == ":= sequence":
            return [self._assign(place, scope)]
        self._once(place.text)
        value = self.d.terms.value(kind.element, scope, 1)
        line = f"{place.text} += {value.text}"
        return self._inside(f"len({place.text}) < {kind.bound.text}", line)

    def _inside(self, condition: str, line: str) -> list[str]:
        """The line, only where the condition holds: by a guard or an `if`."""
        if self.d.chance.dares():
            return [line]
        if self._early(condition) and self.d.chance.roll(0.8):
            self.guards.append(condition)
            return [line]
        return [f"if {condition}", f"{_BODY}{line}"]

    def _early(self, text: str) -> bool:
        """Whether a guard could say it."""
        if self.late is None:
            return False
        words = re.findall(r"[a-z_][A-Za-z0-9_]*", text)
        return not any(word in words for word in self.late)

    # --- other statements -----------------------------------------------------------

    def _ghost(self, scope: Scope, depth: int) -> list[str]:
        """A write of a ghost, perhaps under a condition that reads one."""
        seeing = evolve(scope, ghosts=True)
        inner = evolve(self, ghosts=True, late=None, guards=[], places=list(self.places))
        if depth > 0 and self.d.chance.feature("ghost condition", 0.4):
            condition = self.d.terms.condition(seeing, 1)
            lines = inner.statements(condition.then, 1, 0)
            made = [f"if {condition.expr.text}", *_indented(lines)]
        else:
            made = inner.statements(seeing, 1, 0)
        self.written, self.places = inner.written, inner.places
        return made

    def _lose(self, scope: Scope) -> list[str]:
        world = self.d.world
        owners = [v for v in world.variables if v.volatile]
        groups = [v.group for v in owners if v.key is None]
        keys = [v.key for v in owners if v.key is not None]
        members = [r.text for r in world.reads(scope) if r.kind in keys and is_key(r.kind)]
        texts = list(dict.fromkeys([*groups, *members]))
        return [f"lose {self.d.chance.pick(texts)}"]

    def _effect(self, scope: Scope) -> list[str]:
        effect = self.d.chance.pick(
            [e for e in self.d.world.effects if not any(v in self.written for v in e.writes)]
        )
        if self.loops and not self.d.chance.dares():
            raise Stuck
        arguments = [self.d.terms.value(kind, scope, 1).text for _, kind in effect.parameters]
        self.written += [v for v in self.d.world.variables if v in effect.writes]
        return [f"{effect.name}({', '.join(arguments)})"]

    def _let(self, scope: Scope) -> tuple[list[str], Scope]:
        kind: Kind = self.d.chance.pick(self.d.world.reads(scope)).kind
        terms = self.d.terms
        value = terms.read(kind, scope) if is_loose(kind) else terms.value(kind, scope, 1)
        if value.text in ("{}", "[]"):
            raise Stuck
        if isinstance(kind, Num):
            kind = Num(f"{value.low}..{value.high}", value.low, value.high, value.high)
        name = self.d.world.local(kind, scope)
        if self.late is not None:
            self.late.append(name)
        return [f"let {name} = {value.text}"], scope.bind(name, kind)

    # --- blocks ---------------------------------------------------------------------

    def _if(self, scope: Scope, depth: int) -> list[str]:
        condition = self.d.terms.condition(scope, 1)
        before = list(self.written)
        after = list(before)
        lines = [f"if {condition.expr.text}"]
        lines += self._block(condition.then, depth, before, after)
        scope = condition.otherwise
        while len(lines) < 12 and self.d.chance.feature("elif", 0.25):
            condition = self.d.terms.condition(scope, 1)
            lines.append(f"elif {condition.expr.text}")
            lines += self._block(condition.then, depth, before, after)
            scope = condition.otherwise
        if self.d.chance.feature("else", 0.5):
            lines.append("else")
            lines += self._block(scope, depth, before, after)
        self.written = after
        return lines

    def _block(
        self, scope: Scope, depth: int, before: list[Variable], after: list[Variable]
    ) -> list[str]:
        inner = Body(self.d, list(before), [], None, self.loops, self.ghosts)
        lines = inner.statements(scope, self.d.chance.between(1, 2), depth - 1)
        after += [v for v in inner.written if v not in after]
        return _indented(lines)

    def _for(self, scope: Scope, depth: int) -> list[str]:
        bound = self.d.terms.binders(scope, 1, 1)
        loops = tuple(name for name, _ in bound.names)
        inner = Body(self.d, list(self.written), [], None, (*self.loops, *loops), self.ghosts)
        lines = inner.statements(bound.scope, self.d.chance.between(1, 2), depth - 1)
        self.written += [v for v in inner.written if v not in self.written]
        return [f"for {bound.text}", *_indented(lines)]


def _indented(lines: list[str]) -> list[str]:
    return [_BODY + line for line in lines]
