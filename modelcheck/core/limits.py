"""How far a search may go."""

from __future__ import annotations

from attrs import frozen


@frozen
class Limits:
    """How far a search may go; None is as far as there are states.

    states   it ends after the level in which so many have been found, or while it still
             looks for initial states
    depth    steps from an initial state
    seconds  it ends wherever it is
    memory   bytes for states and the table of those seen, at any moment; None leaves it to the
             engine (the native one takes most of what is free). The referee knows no such limit
    """

    states: int | None = None
    depth: int | None = None
    seconds: float | None = None
    memory: int | None = None
