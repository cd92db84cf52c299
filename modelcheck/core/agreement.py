"""Whether what has looked at one instance in different ways says the same. Worded by `report`."""

from __future__ import annotations

from attrs import frozen


@frozen
class Agreement:
    """Nothing contradicts anything.

    steps   up to which a bounded search went along; -1 if not at all
    reason  a clause: why it did not go further
    open    what the solver did not know, by name
    proofs  names of the proofs of which the check is an instance
    """

    steps: int
    reason: str | None = None
    open: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()


@frozen
class Disagreement:
    """Two say different things of one property, deadlock or error, each in a clause: our bug."""

    name: str
    search: str
    other: str

    def __str__(self) -> str:
        return f"the search says that `{self.name}` {self.search}; {self.other}"
