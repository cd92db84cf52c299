"""What a proof leaves open, and what depends on it."""

from __future__ import annotations

from attrs import fields, has

from modelcheck.core.terms import Parameter, Read
from modelcheck.core.types import Sort

_ASIDE = ("span", "doc")


def dependence(part: object) -> str | None:
    """The first parameter, sort without a size or variable that a term, domain or type needs.

    None if it has its value, or its values, as it stands. Functions are looked into.
    """
    match part:
        case Parameter(name) | Sort(name, None):
            return name
        case Read(variable):
            return variable.name
        case tuple():
            inside = list(part)
        case _:
            kind = type(part)
            names = (f.name for f in fields(kind)) if has(kind) else ()
            inside = [getattr(part, name) for name in names if name not in _ASIDE]
    return next((name for name in map(dependence, inside) if name is not None), None)
