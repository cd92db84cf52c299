"""Values of unions, options and sorts, and the patterns that match them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from .chance import Stuck
from .expressions import Expr, Level, call, literal
from .kinds import Bool, Data, Form, Kind, Num, Opt, Sort
from .world import Read, Scope, common_fields

if TYPE_CHECKING:
    from .terms import Terms


def value(t: Terms, kind: Kind, scope: Scope, depth: int) -> Expr:
    """A value of a union, option or sort."""
    options = {"value read": (2.0, lambda: t.read(kind, scope))}
    match kind:
        case Data():
            weight = 2.0 if depth >= 0 else 0.5
            options["constructor"] = (weight, lambda: _make(t, kind, scope, depth))
            if depth > 0:
                options["with"] = (4.0, lambda: _changed(t, kind, scope, depth))
        case Opt():
            options["none"] = (1.5, lambda: Expr("none"))
            options["value as option"] = (2.0, lambda: t.value(kind.item, scope, depth - 1))
        case Sort():
            pass
        case _:
            raise AssertionError(kind)
    if depth > 0:
        options["of any kind"] = (1.0, lambda: t.of_any_kind(kind, scope, depth))
    return t.chance.first_of(options)


def _make(t: Terms, kind: Data, scope: Scope, depth: int) -> Expr:
    form = t.chance.pick(kind.forms)
    if not form.fields:
        return Expr(form.name)
    return call(form.name, *(t.value(f, scope, depth - 1) for _, f in form.fields))


def _changed(t: Terms, kind: Data, scope: Scope, depth: int) -> Expr:
    """`r with (a = 1)`, of a record, or of what is known to have the field."""
    whole = [r for r in t.world.of_kind(scope, kind) if common_fields(kind)]
    found = t.chance.pick(whole)
    fields = t.chance.some(common_fields(kind), 1, 2)
    changes = ", ".join(f"{name} = {t.value(f, scope, depth - 1).text}" for name, f in fields)
    return Expr(f"{t.as_term(found, scope).text} with ({changes})", Level.WITH)


# --- patterns ----------------------------------------------------------------------


@frozen
class Pattern:
    """A pattern: the names it binds, and what it makes readable of its subject."""

    text: str
    names: tuple[tuple[str, Kind], ...] = ()
    known: tuple[Read, ...] = ()


def pattern(t: Terms, subject: Read, scope: Scope, depth: int) -> Pattern:
    """A pattern for what is read; names may bind."""
    return _Matcher(t, scope, depth).match(subject)


class _Matcher:
    """Makes one pattern: the names that it binds must all differ."""

    def __init__(self, t: Terms, scope: Scope, depth: int) -> None:
        self.t = t
        self.scope = scope
        self.depth = depth
        self.names: list[tuple[str, Kind]] = []

    def match(self, subject: Read) -> Pattern:
        kind = subject.kind
        if isinstance(kind, Opt):
            text = self._option(kind, self.depth)
            return Pattern(text, tuple(self.names))
        assert isinstance(kind, Data)
        form = self.t.chance.pick(kind.forms)
        text = self._form(form, self.depth, bare=0.5)
        known = tuple(
            Read(f"{subject.text}.{name}", f, subject.root, known=True) for name, f in form.fields
        )
        return Pattern(text, tuple(self.names), known)

    def _option(self, kind: Opt, depth: int) -> str:
        chance = self.t.chance
        if isinstance(kind.item, Data) and chance.feature("form of an option", 0.2):
            return self._form(chance.pick(kind.item.forms), depth, bare=0.3)
        if chance.roll(0.4):
            return "none"
        return f"some({self._part(kind.item, depth)})"

    def _form(self, form: Form, depth: int, bare: float) -> str:
        if not form.fields or self.t.chance.roll(bare):
            return form.name
        return f"{form.name}({', '.join(self._part(f, depth) for _, f in form.fields)})"

    def _part(self, kind: Kind, depth: int) -> str:
        """What stands for a part: a name, `_`, a literal, a parameter or a pattern."""
        chance = self.t.chance
        options = {"name in pattern": 3.0, "_": 1.5}
        if isinstance(kind, Num):
            options |= {"number in pattern": 1.0, "negative in pattern": 1.0}
            if any(isinstance(p.kind, Num) for p in self.t.world.parameters):
                options["parameter in pattern"] = 0.6
        if isinstance(kind, Bool):
            options["bool in pattern"] = 1.5
        if depth > 0 and isinstance(kind, Data | Opt):
            options["nested pattern"] = 2.0
        match chance.weighted(options):
            case "_":
                return "_"
            case "number in pattern":
                assert isinstance(kind, Num)
                return str(chance.between(max(0, kind.low), max(0, kind.high)))
            case "negative in pattern":
                return "-1"
            case "parameter in pattern":
                numbers = [p.name for p in self.t.world.parameters if isinstance(p.kind, Num)]
                return chance.pick(numbers)
            case "bool in pattern":
                return chance.pick(["true", "false"])
            case "nested pattern" if isinstance(kind, Opt):
                return self._option(kind, depth - 1)
            case "nested pattern":
                assert isinstance(kind, Data)
                return self._form(chance.pick(kind.forms), depth - 1, bare=0.2)
            case _:
                return self._name(kind)

    def _name(self, kind: Kind) -> str:
        scope = self.scope
        for name, bound in self.names:
            scope = scope.bind(name, bound)
        name = self.t.world.local(kind, scope)
        self.names.append((name, kind))
        return name


def negated_pattern(t: Terms, subject: Read) -> str:
    """A pattern that binds nothing, after `is not`."""
    kind = subject.kind
    if isinstance(kind, Opt):
        return t.chance.pick(["none", "some(_)"])
    if not isinstance(kind, Data):
        raise Stuck
    form = t.chance.pick(kind.forms)
    if not form.fields or t.chance.roll(0.5):
        return form.name
    parts = []
    for _, part in form.fields:
        if isinstance(part, Num) and t.chance.roll(0.4):
            parts.append(literal(max(0, part.low)).text)
        else:
            parts.append("_")
    return f"{form.name}({', '.join(parts)})"
