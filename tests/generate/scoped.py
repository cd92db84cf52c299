"""Pieces of text that bind names, with the scopes they leave behind."""

from __future__ import annotations

from attrs import frozen

from .expressions import Expr
from .kinds import Kind
from .world import Scope


@frozen
class Condition:
    """A condition, and the scopes in which it is known to be true and to be false."""

    expr: Expr
    then: Scope
    otherwise: Scope


@frozen
class Bindings:
    """Binders as written, and the scope of what they bind."""

    text: str
    scope: Scope
    names: tuple[tuple[str, Kind], ...] = ()
