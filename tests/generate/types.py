"""Parameters, sorts and types."""

from __future__ import annotations

from attrs import evolve

from .chance import Stuck
from .draft import Draft
from .kinds import (
    Data,
    Form,
    Kind,
    Num,
    Opt,
    Sort,
    is_plain,
    size,
)
from .parameters import number_parameters, typed_parameters
from .parts import collection, is_optional, part_kinds

_SORTS = ["Node", "Client", "Replica"]
_RANGES = ["Level", "Term", "Slot", "Count"]
_ENUMS = [
    ("Color", ["Red", "Green", "Blue"]),
    ("Mode", ["Off", "On"]),
    ("Phase", ["Init", "Run", "Done"]),
]
_FIELDS = ["by", "value", "up", "step", "to", "from", "check", "term", "most", "key"]
_LARGEST_TYPE = 40


def declare_types(d: Draft) -> None:
    """The types that the rest of the file is about."""
    number_parameters(d)
    for name in d.chance.some(_SORTS, 1, 2) if d.chance.roll(0.92) else []:
        least = d.chance.pick([1, 2, 2, 2, 3])
        kind = Sort(d.world.new_upper([name]), least, max(least, d.chance.pick([2, 2, 3])))
        d.world.sorts.append(kind)
    if d.world.sorts:
        names = [kind.ref for kind in d.world.sorts]
        together = d.chance.roll(0.5)
        for group in [names] if together else [[name] for name in names]:
            d.add("sort", "", [f"sort {', '.join(group)}"])
    for _ in range(d.chance.between(1, 2)):
        _range(d)
    makers = {
        "enum": (0.8, _enum),
        "record": (0.8, _record),
        "union": (0.85, _union),
        "alias": (0.25, _alias),
        "option alias": (0.15, _option_alias),
        "collection alias": (0.3, _collection_alias),
        "single form": (0.08, _single_form),
        "record by its form": (0.12, _record_by_form),
    }
    for name, (probability, make) in makers.items():
        if d.chance.feature(name, probability):
            try:
                make(d)
            except Stuck:
                continue
    typed_parameters(d)


# --- types -------------------------------------------------------------------------


def _declared(d: Draft, kind: Kind, lines: list[str]) -> None:
    d.world.kinds.append(kind)
    d.add("type", kind.ref, lines)


def _range(d: Draft) -> None:
    name = d.world.new_upper([d.chance.pick(_RANGES), *_RANGES])
    text, low, high, most, top = _bounds(d)
    _declared(d, Num(name, low, high, most, True, top), [f"type {name} = {text}"])


def _bounds(d: Draft) -> tuple[str, int, int, int, str]:
    """A range as written, its bounds, and its upper bound as written."""
    low = d.chance.pick([0, 0, 0, 1, -1])
    numbers = [p for p in d.world.parameters if isinstance(p.kind, Num)]
    if numbers and d.chance.roll(0.65):
        parameter = d.chance.pick(numbers)
        assert isinstance(parameter.kind, Num)
        more = d.chance.pick([0, 0, 0, 1, -1 if low <= 0 else 0])
        top = parameter.name + {0: "", 1: " + 1", -1: " - 1"}[more]
        return (
            f"{low}..{top}", low, parameter.kind.low + more, parameter.kind.most + more, top,
        )  # fmt: skip
    high = low + d.chance.between(1, 2)
    return f"{low}..{high}", low, high, high, str(high)


def _enum(d: Draft) -> None:
    name, forms = d.chance.pick(_ENUMS)
    count = d.chance.between(2, len(forms))
    kind = Data(
        d.world.new_upper([name]), tuple(Form(d.world.new_upper([f])) for f in forms[:count])
    )
    _declared(d, kind, [f"type {kind.ref} = {' | '.join(f.name for f in kind.forms)}"])


def _record(d: Draft) -> None:
    name = d.world.new_upper(["Message", "Write", "Vote"])
    form = Form(name, _fields(d, d.chance.between(1, 2), 12))
    _declared(d, Data(name, (form,)), [f"type {_shown(form)}"])


def _record_by_form(d: Draft) -> None:
    """`type T = A(x: X)`"""
    name = d.world.new_upper(["Wrapped"])
    form = Form(d.world.new_upper(["Wrap"]), _fields(d, 1, 4))
    _declared(d, Data(name, (form,)), [f"type {name} = {_shown(form)}"])


def _single_form(d: Draft) -> None:
    """`type T = A`, where `A` is no type: one form, and a member for itself."""
    name, form = d.world.new_upper(["Unit"]), Form(d.world.new_upper(["Only"]))
    _declared(d, Data(name, (form,)), [f"type {name} = {form.name}"])


def _union(d: Draft) -> None:
    name = d.world.new_upper(["Role", "Status"])
    options = ["Idle", "Waiting", "Leading", "Gone"]
    forms = [Form(d.world.new_upper(["Idle"]))] if d.chance.roll(0.7) else []
    shared = _fields(d, 1, 4) if d.chance.roll(0.4) else ()
    while len(forms) < d.chance.between(2, 3):
        fields = shared if shared and d.chance.roll(0.6) else _fields(d, d.chance.between(1, 2), 6)
        forms.append(Form(d.world.new_upper([d.chance.pick(options), *options]), fields))
    kind = Data(name, tuple(forms))
    if size(kind) > _LARGEST_TYPE:
        raise Stuck
    if d.chance.roll(0.4):
        first, *rest = [_shown(form) for form in forms]
        lines = [f"type {name} = {first}", *(f"          | {each}" for each in rest)]
    else:
        lines = [f"type {name} = {' | '.join(_shown(form) for form in forms)}"]
    _declared(d, kind, lines)


def _shown(form: Form) -> str:
    if not form.fields:
        return form.name
    return f"{form.name}({', '.join(f'{name}: {kind.ref}' for name, kind in form.fields)})"


def _fields(d: Draft, count: int, most: int) -> tuple[tuple[str, Kind], ...]:
    kinds = [k for k in part_kinds(d) if is_plain(k) and size(k) <= 4]
    fields: list[tuple[str, Kind]] = []
    for _ in range(count):
        kind = d.chance.pick(kinds)
        total = size(kind)
        for _, other in fields:
            total *= size(other)
        if total <= most:
            fields.append((d.world.new_field(d.chance.shuffled(_FIELDS)), kind))
    if not fields:
        raise Stuck
    return tuple(fields)


def _alias(d: Draft) -> None:
    named = [k for k in [*d.world.kinds, *d.world.sorts] if isinstance(k, Num)]
    kind = d.chance.pick(named)
    assert isinstance(kind, Num)
    name = d.world.new_upper(["Ballot", "Epoch"])
    renamed = Num(name, kind.low, kind.high, kind.most, True, kind.top)
    _declared(d, renamed, [f"type {name} = {kind.ref}"])


def _option_alias(d: Draft) -> None:
    kind = d.chance.pick([k for k in [*d.world.kinds, *d.world.sorts] if is_optional(k)])
    name = d.world.new_upper(["Maybe", "Perhaps"])
    _declared(d, Opt(name, kind), [f"type {name} = {kind.ref}?"])


def _collection_alias(d: Draft) -> None:
    name = d.world.new_upper(["Log", "Bunch", "History"])
    kind = collection(d, 10)
    _declared(d, evolve(kind, ref=name), [f"type {name} = {kind.ref}"])
