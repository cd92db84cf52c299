"""Actions that move one variable through its values, so that a model gets somewhere."""

from __future__ import annotations

from attrs import define

from .chance import Stuck
from .draft import Draft
from .kinds import BagOf, Bool, Data, Kind, MapOf, Num, Opt, SeqOf, SetOf, Sort, size
from .world import GUARD, Scope, Variable

_MOST_VALUES = 9


@define
class Drive:
    """The head, guards and first update of an action on one variable."""

    binders: list[str]
    arguments: list[tuple[str, Kind]]
    scope: Scope
    guards: list[str]
    update: str = ""


def drive(d: Draft) -> tuple[Drive, Variable]:
    """An update of a variable that nothing moves yet, if there is one."""
    variables = [v for v in d.world.variables if not v.ghost]
    variable = d.chance.pick_by(lambda v: 0.3 if v in d.world.touched else 4.0, variables)
    made = Drive([], [], GUARD, [])
    place = f"{variable.group}.{variable.name}"
    if variable.key is not None:
        place = f"{_bind(d, made, variable.key.ref, variable.key)}.{variable.name}"
    kind = variable.kind
    while isinstance(kind, MapOf):
        place, kind = f"{place}[{_bind(d, made, kind.key.ref, kind.key)}]", kind.value
    _move(d, made, place, kind)
    d.world.touched.append(variable)
    return made, variable


def _bind(d: Draft, made: Drive, domain: str, kind: Kind) -> str:
    if size(kind) > _MOST_VALUES:
        raise Stuck
    name = d.world.local(kind, made.scope)
    made.scope = made.scope.bind(name, kind).repeated(size(kind))
    made.binders.append(f"{name} in {domain}")
    made.arguments.append((name, kind))
    return name


def _any_value(d: Draft, made: Drive, kind: Kind) -> str:
    """A new argument that may be any value of the type."""
    if isinstance(kind, Opt) and kind.ref.endswith("?"):
        kind = kind.item
    if not isinstance(kind, Bool | Num | Sort | Data | Opt):
        raise Stuck
    return _bind(d, made, kind.ref, kind)


def _move(d: Draft, made: Drive, place: str, kind: Kind) -> None:
    match kind:
        case Bool():
            made.update = f"{place} := not {place}"
        case Num():
            _count(d, made, place, kind)
        case SeqOf() if d.chance.roll(0.4):
            made.guards.append(f"not empty({place})")
            shorter = [f"rest({place})", f"{place}[2..]", f"{place}[1..len({place}) - 1]"]
            made.update = f"{place} := {d.chance.pick(shorter)}"
        case SetOf() | BagOf() | SeqOf():
            value = _any_value(d, made, kind.element)
            made.update = f"{place} += {value}"
            if isinstance(kind, SetOf) and d.chance.roll(0.7):
                made.guards.append(f"{value} not in {place}")
            if kind.bound is not None and not d.chance.dares():
                measure = "len" if isinstance(kind, SeqOf) else "size"
                made.guards.append(f"{measure}({place}) < {kind.bound.text}")
        case Data() if any(form.fields for form in kind.forms) and d.chance.feature(
            "write in a field", 0.5
        ):
            form = d.chance.pick([form for form in kind.forms if form.fields])
            if len(kind.forms) > 1:
                made.guards.append(f"{place} is {form.name}")
            name, part = d.chance.pick(form.fields)
            _move(d, made, f"{place}.{name}", part)
        case _:
            value = _any_value(d, made, kind)
            made.update = f"{place} := {value}"
            if d.chance.roll(0.4):
                made.guards.append(f"{place} != {value}")


def _count(d: Draft, made: Drive, place: str, kind: Num) -> None:
    top = kind.top or str(kind.high)
    match d.chance.weighted({"choose": 1.0, "count": 1.0, "wrap": 1.0}):
        case "choose":
            value = _any_value(d, made, kind)
            made.update = f"{place} := {value}"
        case "count":
            if not d.chance.dares():
                made.guards.append(f"{place} < {top}")
            made.update = f"{place} += 1"
        case _:
            made.update = f"{place} := if {place} < {top} then {place} + 1 else {kind.low}"
