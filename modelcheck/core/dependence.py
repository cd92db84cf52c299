"""What a proof leaves open, and what depends on it."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import fields, has

from modelcheck.core.terms import Parameter, Read
from modelcheck.core.types import Sort

_ASIDE = ("span", "doc")


def dependence(part: object) -> str | None:
    """The first parameter, sort without a size or variable that a term, domain or type needs.

    None if it has its value, or its values, as it stands. Functions are looked into.
    """
    for each in _open_parts(part):
        return each.variable.name if isinstance(each, Read) else each.name
    return None


def read_in(part: object) -> str | None:
    """The name of the first variable that a term or domain reads; None if it reads none."""
    reads = (each for each in _open_parts(part) if isinstance(each, Read))
    return next((each.variable.name for each in reads), None)


def _open_parts(part: object) -> Iterator[Parameter | Sort | Read]:
    match part:
        case Parameter() | Sort(_, None) | Read():
            yield part
        case tuple():
            for each in part:
                yield from _open_parts(each)
        case _:
            kind = type(part)
            names = (f.name for f in fields(kind)) if has(kind) else ()
            for name in names:
                if name not in _ASIDE:
                    yield from _open_parts(getattr(part, name))
