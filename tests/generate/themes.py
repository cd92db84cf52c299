"""Collections, and what a file is about: some constructs are rare unless a file goes for them."""

from __future__ import annotations

from .chance import Stuck
from .draft import Draft
from .kinds import (
    Data,
    Kind,
    MapOf,
    size,
)
from .parts import collection

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
