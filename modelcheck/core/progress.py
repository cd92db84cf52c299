"""How far a running search is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen


@frozen
class Snapshot:
    """Counts of a moment; with several threads not exact.

    frontier  states of the level that is being expanded
    expanded  how many of them have been
    bytes     for states and the table of those seen; 0 where that is not known
    """

    distinct: int
    generated: int
    depth: int
    frontier: int
    expanded: int
    bytes: int
    seconds: float


Progress: TypeAlias = Callable[[Snapshot], None]
