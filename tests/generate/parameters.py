"""Parameters: numbers that bound types, and switches, enums, ranges, sets."""

from __future__ import annotations

from .draft import Draft
from .kinds import BOOL, Data, Num, number, set_of
from .world import Parameter

_NUMBERS = ["MAX", "CAP", "LIMIT"]


def number_parameters(d: Draft) -> None:
    """Numbers that bounds of types may use."""
    numbers: list[str] = []
    defaults = None
    for name in d.chance.some(_NUMBERS, 1, 2):
        least = d.chance.between(1, 2)
        most = least + d.chance.between(0, 1)
        kind = Num("int", least, least, most, top=str(least))
        values = tuple(str(v) for v in range(least, most + 1))
        default = d.chance.pick(values) if d.chance.roll(0.3) else None
        axis = d.chance.feature("axis", 0.12)
        d.world.upper.add(name)
        d.world.parameters.append(Parameter(name, kind, values, default))
        if default is None and not axis and not defaults:
            numbers.append(name)
            continue
        tail = "" if default is None else f" = {default}"
        d.add("param", name, [f"{'axis' if axis else 'param'} {name}: int{tail}"])
    if numbers:
        d.add("param", numbers[0], [f"param {', '.join(numbers)}: int"])


def typed_parameters(d: Draft) -> None:
    """Parameters that are switches, enums, ranges, sets."""
    if d.chance.feature("bool parameter", 0.45):
        default = d.chance.pick(["true", "false"])
        name = d.world.new_upper(["FAST", "SAFE", "RETRY"])
        tail = f" = {default}" if d.chance.roll(0.7) else ""
        word = "axis" if d.chance.feature("axis", 0.12) else "param"
        d.add("param", name, [f"{word} {name}: bool{tail}"])
        d.world.parameters.append(Parameter(name, BOOL, ("true", "false"), tail[3:] or None))
    enums = [k for k in d.world.kinds if isinstance(k, Data) and k.is_enum]
    if enums and d.chance.feature("enum parameter", 0.15):
        kind = d.chance.pick(enums)
        assert isinstance(kind, Data)
        forms = tuple(form.name for form in kind.forms)
        name = d.world.new_upper(["START", "KIND"])
        d.add("param", name, [f"param {name}: {kind.ref} = {forms[0]}"])
        d.world.parameters.append(Parameter(name, kind, forms, forms[0]))
    if d.chance.feature("range parameter", 0.12):
        kind2 = number(0, 2)
        name = d.world.new_upper(["FIRST", "BASE"])
        d.add("param", name, [f"param {name}: 0..2 = 1"])
        d.world.parameters.append(Parameter(name, kind2, ("0", "1", "2"), "1"))
    if d.world.sorts and d.chance.feature("set parameter", 0.12):
        sort = d.chance.pick(d.world.sorts)
        name = d.world.new_upper(["TRUSTED", "ALLOWED"])
        kind3 = set_of(sort)
        d.add("param", name, [f"param {name}: {kind3.ref}"])
        d.world.parameters.append(Parameter(name, kind3, (sort.ref, "{}")))
