"""Parameters, sorts and types."""

from __future__ import annotations

from attrs import evolve

from .chance import Stuck
from .draft import Draft
from .kinds import (
    BOOL,
    Bound,
    Data,
    Form,
    Kind,
    MapOf,
    Num,
    Opt,
    Sort,
    bag_of,
    is_element,
    is_plain,
    map_of,
    number,
    option,
    seq_of,
    set_of,
    size,
)
from .world import Parameter

_SORTS = ["Node", "Client", "Replica"]
_NUMBERS = ["MAX", "CAP", "LIMIT"]
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
    _parameters(d)
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
    _typed_parameters(d)


# --- parameters --------------------------------------------------------------------


def _parameters(d: Draft) -> None:
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


def _typed_parameters(d: Draft) -> None:
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


def part_kinds(d: Draft) -> list[Kind]:
    """Types that can be written where an element is wanted, so that none is too large."""
    kinds: list[Kind] = [BOOL, *d.world.sorts, *d.world.kinds, number(0, 1), number(0, 2)]
    kinds += [option(k) for k in [BOOL, *d.world.sorts, *d.world.kinds] if _optional(k)]
    return [k for k in kinds if is_element(k) and size(k) <= 20]


def _optional(kind: Kind) -> bool:
    return isinstance(kind, Sort | Data) or (isinstance(kind, Num) and kind.named) or kind == BOOL


def _alias(d: Draft) -> None:
    named = [k for k in [*d.world.kinds, *d.world.sorts] if isinstance(k, Num)]
    kind = d.chance.pick(named)
    assert isinstance(kind, Num)
    name = d.world.new_upper(["Ballot", "Epoch"])
    renamed = Num(name, kind.low, kind.high, kind.most, True, kind.top)
    _declared(d, renamed, [f"type {name} = {kind.ref}"])


def _option_alias(d: Draft) -> None:
    kind = d.chance.pick([k for k in [*d.world.kinds, *d.world.sorts] if _optional(k)])
    name = d.world.new_upper(["Maybe", "Perhaps"])
    _declared(d, Opt(name, kind), [f"type {name} = {kind.ref}?"])


def _collection_alias(d: Draft) -> None:
    name = d.world.new_upper(["Log", "Bunch", "History"])
    kind = collection(d, 10)
    _declared(d, evolve(kind, ref=name), [f"type {name} = {kind.ref}"])


_THEMES = {
    "seq": [
        "slice", "rest", "prefix", "++", "element", "domain sequence", "domain positions",
        "last", "append", "len", "write in sequence",
    ],
    "bag": ["domain bag", "multiplicity"],
    "map": ["entry", "each", "map of collections"],
    "map of maps": ["entry", "map of maps"],
    "set up to": ["domain set", "union", "minus"],
    "set": ["comprehension", "intersect", "subset"],
    "record": ["with", "constructor", "write in a field"],
    "union": ["with", "constructor", "is", "bool in pattern", "write in a field"],
}  # fmt: skip
"""What a file may be about, and the constructs that go with it."""


_ABOUT = {"seq": 4.0, "map of maps": 2.5}


def theme(d: Draft) -> str:
    """What this file is about."""
    name = d.chance.pick_by(lambda each: _ABOUT.get(each, 1.0), list(_THEMES))
    d.chance.favour(_THEMES[name])
    return name


def themed(d: Draft, name: str, most: int) -> Kind:
    """A type that suits what the file is about."""
    if name in ("record", "union"):
        declared = [k for k in d.world.kinds if isinstance(k, Data) and not k.is_enum]
        return d.chance.pick(
            [k for k in declared if (len(k.forms) > 1) == (name == "union") and size(k) <= most]
        )
    for _ in range(12):
        kind = collection(d, most, name)
        if name != "map of maps" or isinstance(getattr(kind, "value", None), MapOf):
            return kind
    raise Stuck


def collection(d: Draft, most: int, wanted: str = "") -> Kind:
    """A set, bag, sequence or map of at most so many values."""
    parts = part_kinds(d)
    plain = [k for k in parts if is_plain(k)]
    bound = bound_of(d)
    makers = {
        "set": (1.5, lambda: set_of(d.chance.pick(plain))),
        "set up to": (1.0, lambda: set_of(d.chance.pick(plain), bound)),
        "bag": (1.2, lambda: bag_of(d.chance.pick(plain), bound)),
        "seq": (2.6, lambda: seq_of(d.chance.pick(parts), bound)),
        "map": (2.2, lambda: map_of(d.chance.pick(keys(d)), _entry(d))),
    }
    if wanted:
        makers = {name: maker for name, maker in makers.items() if wanted.startswith(name)}
    for _ in range(8):
        made: Kind = d.chance.first_of(makers)  # type: ignore[arg-type]
        if size(made) <= most:
            return made
    raise Stuck


def _entry(d: Draft) -> Kind:
    parts = part_kinds(d)
    if d.chance.feature("map of maps", 0.35):
        return map_of(d.chance.pick(keys(d)), d.chance.pick([k for k in parts if size(k) <= 2]))
    if d.chance.feature("map of collections", 0.15):
        return set_of(d.chance.pick([k for k in parts if is_plain(k) and size(k) <= 2]))
    return d.chance.pick(parts)


def keys(d: Draft) -> list[Kind]:
    """Types that can be a map's key, and are small."""
    extra: list[Kind] = [BOOL, number(0, 1)] if d.chance.roll(0.2) else []
    return [k for k in [*d.world.members(), *extra] if size(k) <= 3]


def bound_of(d: Draft) -> Bound:
    """A capacity."""
    numbers = [p for p in d.world.parameters if isinstance(p.kind, Num) and p.kind.most <= 2]
    if numbers and d.chance.roll(0.4):
        parameter = d.chance.pick(numbers)
        assert isinstance(parameter.kind, Num)
        return Bound(parameter.name, max(0, parameter.kind.low), parameter.kind.most)
    count = d.chance.between(1, 3)
    return Bound(str(count), count, count)
