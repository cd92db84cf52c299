"""Types that parts of others may have, and collections of them."""

from __future__ import annotations

from .chance import Options, Stuck
from .draft import Draft
from .kinds import (
    BOOL,
    Bound,
    Data,
    Kind,
    Num,
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


def part_kinds(d: Draft) -> list[Kind]:
    """Types that can be written where an element is wanted, so that none is too large."""
    kinds: list[Kind] = [BOOL, *d.world.sorts, *d.world.kinds, number(0, 1), number(0, 2)]
    kinds += [option(k) for k in [BOOL, *d.world.sorts, *d.world.kinds] if is_optional(k)]
    return [k for k in kinds if is_element(k) and size(k) <= 20]


def is_optional(kind: Kind) -> bool:
    return isinstance(kind, Sort | Data) or (isinstance(kind, Num) and kind.named) or kind == BOOL


def collection(d: Draft, most: int, wanted: str = "") -> Kind:
    """A set, bag, sequence or map of at most so many values."""
    parts = part_kinds(d)
    plain = [k for k in parts if is_plain(k)]
    bound = bound_of(d)
    makers: Options[Kind] = {
        "set": (1.5, lambda: set_of(d.chance.pick(plain))),
        "set up to": (1.0, lambda: set_of(d.chance.pick(plain), bound)),
        "bag": (1.2, lambda: bag_of(d.chance.pick(plain), bound)),
        "seq": (2.6, lambda: seq_of(d.chance.pick(parts), bound)),
        "map": (2.2, lambda: map_of(d.chance.pick(keys(d)), _entry(d))),
    }
    if wanted:
        makers = {name: maker for name, maker in makers.items() if wanted.startswith(name)}
    for _ in range(8):
        made = d.chance.first_of(makers)
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
