"""The state: groups, variables, what they begin with."""

from __future__ import annotations

from contextlib import suppress
from math import log2

from .chance import Options, Stuck
from .draft import Draft
from .expressions import disjunction
from .kinds import (
    BOOL,
    BagOf,
    Bool,
    Data,
    Kind,
    MapOf,
    Num,
    SeqOf,
    SetOf,
    Sort,
    bag_of,
    set_of,
    size,
)
from .parts import bound_of, collection, part_kinds
from .themes import theme, themed
from .world import CONSTANT, PROPERTY, Variable

_GROUPS = ["server", "store", "clock", "control"]
_CHANNELS = ["network", "post"]
_VARIABLES = [
    "role", "value", "seen", "up", "log", "state", "by", "votes", "queue", "at", "fence", "type",
    "holder", "on", "action", "busy", "total", "mark", "last", "size", "depth", "range", "in_use",
]  # fmt: skip
_MOST_INITIAL = 60


class _Room:
    """How many bits of state, and how many initial states, are left; what is still to come."""

    def __init__(self, bits: float) -> None:
        self.bits = bits
        self.initial = 1
        self.theme = ""


def declare_state(d: Draft) -> None:
    """The `state` block, and an `init` block where there is something to filter."""
    room = _Room(d.chance.between(9, 15))
    lines = ["state"]
    room.theme = theme(d)
    each = d.chance.some(d.world.members(), 0, 2) if d.chance.roll(0.6) else []
    plans: list[tuple[str, Kind | None]] = [("single", None)]
    plans += [("each", key) for key in each if size(key) <= 3]
    if d.world.sorts and not each:
        plans.append(("each", d.chance.pick(d.world.sorts)))
    plans += [("channel", None)] if d.chance.feature("channel", 0.6) else []
    plans += [("single", None)] if d.chance.roll(0.3) else []
    for kind, key in d.chance.shuffled(plans):
        lines += _group(d, kind, key, room)
    if not d.world.variables:
        raise Stuck
    d.add("state", "", lines)
    if room.initial > 1 and d.chance.feature("init", 0.5):
        _init(d)


def _init(d: Draft) -> None:
    lines = ["init"]
    scope = PROPERTY
    for _ in range(d.chance.between(1, 2)):
        first, second = d.terms.condition(scope, 1), d.terms.condition(scope, 1)
        if d.chance.roll(0.3):
            lines.append(f"  {first.expr.text}")
            scope = first.then
        else:
            lines.append(f"  {disjunction(first.expr, second.expr).text}")
    d.add("init", "", lines)


def _group(d: Draft, kind: str, key: Kind | None, room: _Room) -> list[str]:
    if key is not None:
        name, header = key.ref, f"  each {key.ref}"
    else:
        name = d.world.new_lower(d.chance.shuffled(_CHANNELS if kind == "channel" else _GROUPS))
        header = f"  channel {name}" if kind == "channel" else f"  {name}"
    lines: list[str] = []
    count = 1 if kind == "channel" else d.chance.between(1, 3)
    for _ in range(count + 3):
        try:
            lines.append(_variable(d, name, kind, key, room))
        except Stuck:
            continue
        if len(lines) == count:
            break
    return [header, *lines] if lines else []


def _variable(d: Draft, group: str, group_kind: str, key: Kind | None, room: _Room) -> str:
    chance = d.chance
    members = 1 if key is None else size(key)
    kind = _kind(d, group_kind, room, room.bits / members)
    modifier = ""
    if group_kind != "channel":
        options = {"": 5.0, "volatile": 1.5, "ghost": 0.9}
        modifier = chance.weighted(options)
    written = _first_value(d, kind, members, room, choice=modifier != "volatile")
    room.bits -= members * log2(max(2, size(kind)))
    name = d.world.new_field(chance.shuffled(_VARIABLES))
    d.world.variables.append(
        Variable(
            group,
            name,
            kind,
            key,
            channel=group_kind == "channel",
            volatile=modifier == "volatile",
            ghost=modifier == "ghost",
        )
    )
    return f"    {modifier + ' ' if modifier else ''}{name}: {kind.ref} {written}"


def _kind(d: Draft, group_kind: str, room: _Room, bits: float) -> Kind:
    """A type for a variable that takes at most so many bits."""
    if bits < 1:
        raise Stuck
    most = int(2 ** min(bits, 5))
    parts = part_kinds(d)
    if group_kind == "channel":
        messages = [k for k in parts if isinstance(k, Sort | Data | Num) and 2 ** size(k) <= 256]
        message = d.chance.pick(messages)
        kind: Kind = set_of(message)
        if d.chance.roll(0.4):
            kind = bag_of(message, bound_of(d))
        elif d.chance.roll(0.3):
            kind = set_of(message, bound_of(d))
        if size(kind) > 2**bits:
            raise Stuck
        return kind
    if room.theme and most >= 16:
        name, room.theme = room.theme, ""
        with suppress(Stuck):
            return themed(d, name, most)
    options: Options[Kind] = {
        "number": (2.0, lambda: d.chance.pick([k for k in parts if isinstance(k, Num)])),
        "flag": (0.8, lambda: BOOL),
        "plain": (1.5, lambda: d.chance.pick([k for k in parts if not isinstance(k, Num)])),
        "data": (2.0, lambda: d.chance.pick([k for k in d.world.kinds if isinstance(k, Data)])),
        "declared": (0.7, lambda: d.chance.pick(_declared_collections(d, most))),
        "collection": (2.5, lambda: collection(d, most)),
    }
    for _ in range(6):
        kind = d.chance.first_of(options)
        if 1 < size(kind) <= most:
            return kind
    raise Stuck


def _declared_collections(d: Draft, most: int) -> list[Kind]:
    return [
        k for k in d.world.kinds if isinstance(k, SetOf | BagOf | SeqOf | MapOf) and size(k) <= most
    ]


# --- first values ------------------------------------------------------------------


def _first_value(d: Draft, kind: Kind, members: int, room: _Room, *, choice: bool) -> str:
    """`= term`, or `in domain` where there may be a choice."""
    if choice and d.chance.feature("initial choice", 0.22):
        try:
            return _choice(d, kind, members, room)
        except Stuck:
            pass
    try:
        return f"= {_sure(d, kind)}"
    except Stuck:
        if not choice:
            raise
        return _choice(d, kind, members, room)


def _sure(d: Draft, kind: Kind) -> str:
    """A term that has a value, and one of the type: anything else is refused."""
    daring, d.chance.daring = d.chance.daring, 0.0
    try:
        if isinstance(kind, MapOf) and (d.chance.roll(0.7) or ".." in kind.key.ref):
            while isinstance(kind, MapOf):
                kind = kind.value  # the same value at every innermost key
        return d.terms.value(kind, CONSTANT, d.chance.pick([0, 0, 1, 2])).text
    finally:
        d.chance.daring = daring


def _choice(d: Draft, kind: Kind, members: int, room: _Room) -> str:
    chance = d.chance
    options: list[tuple[str, int]] = []
    match kind:
        case Bool():
            options = [("bool", 2)]
        case Sort():
            options = [(kind.ref, kind.most)]
        case Num() if kind.high > kind.low:
            options = [(f"{kind.low}..{kind.low + 1}", 2), (f"{{{kind.low}, {kind.high}}}", 2)]
            if kind.named:
                options.append((kind.ref, size(kind)))
        case Data() if size(kind) <= 6:
            options = [(kind.ref, size(kind))]
        case SetOf() if kind.bound is None and isinstance(kind.element, Sort | Num | Data):
            if ".." not in kind.element.ref:
                options = [(f"subset of {kind.element.ref}", size(kind))]
        case _:
            raise Stuck
    text, count = chance.pick(options)
    if room.initial * count**members > _MOST_INITIAL:
        raise Stuck
    room.initial *= count**members
    return f"in {text}"
