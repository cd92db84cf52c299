"""The clauses that say why an evaluation has no value or a step cannot be taken.

One wording for every engine: an engine finds the place and the values.
"""

from __future__ import annotations

from typing import Literal

from modelcheck.core.types import Bag, Range, Seq, Set, Type
from modelcheck.core.values import Value, show


def misfit_clause(
    kind: Literal["range", "capacity"], what: str, verb: str, whole: Type, part: Type, number: int
) -> str:
    """Of a value that leaves a type: "`store.value` would become 3, outside 0..2".

    what, verb  how the clause begins: "`token` of `Write`", "would be"
    whole       the type of the place
    part        the type of what does not fit: `whole` itself, or one inside it
    number      the value that is outside a range; how many elements a collection would have
    """
    if kind == "range":
        assert isinstance(part, Range)
        if part is not whole:
            verb = "would hold"
        return f"{what} {verb} {number}, outside {part.low}..{part.high}"
    assert isinstance(part, Set | Bag | Seq)
    return f"{what} would hold {number} elements, more than {part.bound}"


def no_key_clause(keys: Type, index: Value, index_type: Type) -> str:
    """Of an index that is none of a map's or group's keys."""
    shown = show(index_type, index)
    if isinstance(keys, Range):
        return f"key {shown} is outside {keys.low}..{keys.high}"
    return f"{shown} is not one of the keys"


def outside_clause(position: int, length: int) -> str:
    """Of a position (from 1) that a sequence of this length does not have."""
    if not length:
        return f"index {position} of an empty sequence"
    return f"index {position} is outside 1..{length}"


def no_field_clause(name: str, form: str) -> str:
    """Of a field that the value's form does not have."""
    return f"field `{name}` of `{form}`"


def division_clause(operator: str, divisor: int) -> str:
    """Of a division by a number that is not positive."""
    return f"`{operator}` by {divisor}"


def the_clause(count: int, shown: tuple[str, ...]) -> str:
    """Of `the` where not exactly one value fits; `shown` are the first two that do."""
    if not count:
        return "`the` has no value that fits"
    more = ", …" if count > len(shown) else ""
    return f"`the` has {count} values that fit: {', '.join(shown)}{more}"


def empty_clause(word: str, noun: str) -> str:
    """Of `first`, `min` and the like of something empty: "a sequence", "a collection"."""
    return f"`{word}` of an empty {noun}"


def twice_clause(name: str, other: str) -> str:
    """Of two writes to overlapping places."""
    if name == other:
        return f"`{name}` is written twice"
    return f"`{name}` and, in the same step, `{other}` are written"


RETURNS_TWICE = "the step returns twice"
STILL_OPEN = "{} calls while its operation before is open"
NOTHING_OPEN = "{} returns without an open operation"
NO_ITEM = "the item of `none`"
NO_RESULT = "`result` of a step that returns nothing"
