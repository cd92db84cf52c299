"""Variables of the state, and who owns them."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from modelcheck.core.types import Type
from modelcheck.source import Documented, Spanned


@frozen
class Owner(Spanned):
    """Who holds variables, and a lane of a trace.

    key  for an `each` group the type of its members, else None
    """

    name: str
    kind: Literal["single", "each", "channel"]
    key: Type | None = None


@frozen
class Variable(Documented):
    """A variable of a group; `type` is that of one member's value.

    position  its index in a State
    """

    name: str
    owner: Owner
    type: Type = field(eq=False, repr=False)
    position: int
    volatile: bool = False
    ghost: bool = False

    @property
    def full_name(self) -> str:
        """`store.fence`, `Node.role`"""
        return f"{self.owner.name}.{self.name}"
