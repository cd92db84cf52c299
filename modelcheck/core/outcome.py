"""What a run found: verdicts, counts, traces. Worded for people by `report`."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from attrs import field, frozen

from modelcheck.core.model import Check, ErrorKind, Expectation, Obligation
from modelcheck.core.terms import Term
from modelcheck.core.trace import Trace, Treatment
from modelcheck.core.types import Type
from modelcheck.core.values import Value
from modelcheck.source import Span


class Verdict(Enum):
    """Of one property. UNDECIDED is never success."""

    HOLDS = "holds"
    FAILS = "fails"
    BLOCKS = "blocks"
    LIVELOCKS = "livelocks"
    UNDECIDED = "undecided"


VIOLATED = frozenset({Verdict.FAILS, Verdict.BLOCKS, Verdict.LIVELOCKS})


FoundKind: TypeAlias = Literal[
    "invariant",
    "step",
    "reachable",
    "always possible",
    "liveness",
    "refines",
    "linearizable",
    "sequentially consistent",
    "deadlock",
    "range",
    "capacity",
    "undefined",
    "two-writes",
]


@frozen
class Failure:
    """An evaluation that has no value, or a step that cannot be taken.

    kind    range, capacity, undefined, two-writes
    reason  a clause for people: "`store.value` would become 3, outside 0..2"
    """

    kind: ErrorKind
    reason: str
    span: Span | None = field(default=None, eq=False)
    other: Span | None = field(default=None, eq=False)


class Vacuity(Enum):
    """Why a line that holds says nothing, or less than it seems to."""

    NOTHING_TO_CHOOSE = "nothing to choose"
    """Its quantifier never had anything to go through."""
    NEVER_TRIGGERED = "never triggered"
    """Its condition was never true."""
    CONDITION_NOT_NEEDED = "condition not needed"
    """It was true everywhere without its condition: the property is stronger than it is written."""


@frozen
class Said:
    """What came up of a line of a property: see `antecedent`."""

    chosen: bool
    triggered: bool
    needed: bool

    @property
    def vacuity(self) -> Vacuity | None:
        """Why it says nothing, None if it says something."""
        if not self.chosen:
            return Vacuity.NOTHING_TO_CHOOSE
        if not self.triggered:
            return Vacuity.NEVER_TRIGGERED
        return None if self.needed else Vacuity.CONDITION_NOT_NEEDED

    def __or__(self, other: Said) -> Said:
        """What came up here or there."""
        return Said(
            self.chosen or other.chosen,
            self.triggered or other.triggered,
            self.needed or other.needed,
        )


@frozen
class Found:
    """What a property's verdict rests on.

    steps    length of the shortest trace, of a lasso without the loop's return; None without one
    part     the violated line, of liveness the obligation; None if there is only one line
    binding  for a liveness obligation under `forall`, the names and values chosen
    failure  for the four errors
    reason   for UNDECIDED, and where a word must be said (a mapped value outside its type; for
             `undefined` and the like what was evaluated: "in a guard of `send`")
    """

    name: str
    kind: FoundKind
    verdict: Verdict
    steps: int | None = None
    trace: Trace | None = field(default=None, repr=False)
    part: Term | Obligation | None = field(default=None, repr=False)
    binding: tuple[tuple[str, Type, Value], ...] = ()
    failure: Failure | None = None
    reason: str | None = None
    said: tuple[Said, ...] = ()
    """What came up of each line, in the order of the file; () if there is nothing to be asked."""
    treatment: tuple[Treatment, ...] = field(default=(), repr=False)
    """Of a livelock: how its loop is fair; filled in by whoever has checked that it is."""

    @property
    def triggered(self) -> bool:
        """False if what the property speaks of never came up in any line: it holds vacuously."""
        return not self.said or any(line.triggered for line in self.said)


@frozen
class Mark:
    """A `fair` mark, and what becomes of a property without it.

    weakened  with weak fairness in place of strong; None if the mark is weak
    dropped   without any; None if it is not asked, since weak fairness is not enough already
    """

    action: str
    strong: bool
    weakened: Found | None
    dropped: Found | None

    @property
    def needed(self) -> Literal["strong", "weak"] | None:
        """The fairness without which the property fails; None if it needs none, or if a limit
        left that undecided.
        """
        if self.weakened is not None and self.weakened.verdict in VIOLATED:
            return "strong"
        if self.dropped is not None and self.dropped.verdict in VIOLATED:
            return "weak"
        return None

    @property
    def undecided(self) -> str | None:
        """Why it is not known what becomes of the property; None if it is."""
        for found in (self.weakened, self.dropped):
            if found is not None and found.verdict is Verdict.UNDECIDED:
                return found.reason or "undecided"
        return None


@frozen
class Needs:
    """The fairness that a liveness property, which holds, holds thanks to.

    marks        each dropped alone, in the order of the file
    without_any  what becomes of it without any fairness; None if some mark is needed by itself
    """

    name: str
    marks: tuple[Mark, ...]
    without_any: Found | None


@frozen
class Measured:
    """What a search cost, apart from time.

    threads  that searched
    compile  seconds to make the model machine code
    bits     of a state
    words    of 64 bits that a state takes
    bytes    allocated for states and the table of those seen
    load     the share of the table that is in use
    """

    threads: int
    compile: float
    bits: int
    words: int
    bytes: int
    load: float


@frozen
class Stats:
    """Counts as the language page defines them.

    depth     number of states on the longest shortest path; 0 if there is no initial state
    enabled   for each action in the order of the file, how many of its instances were enabled
    """

    distinct: int
    generated: int
    depth: int
    enabled: tuple[tuple[str, int], ...]
    seconds: float = field(default=0.0, eq=False)
    measured: Measured | None = field(default=None, eq=False)
    """None if the engine does not measure."""


@frozen
class Outcome:
    """The result of a check.

    complete  every reachable state was visited and expanded
    limits    which limits stopped the search, as clauses ("states: 1000"), empty if none
    found     one for each property of the model that was judged, in the order of the file, then
              deadlock and the four errors where they were judged
    as_expected  True, False, or None where something listed is not decided
    unmet     the expectations that did not come out, with what came instead; one of the four
              errors that the check does not list has no entry, and makes as_expected False
    """

    check: Check
    stats: Stats
    complete: bool
    limits: tuple[str, ...]
    found: tuple[Found, ...]
    as_expected: bool | None
    unmet: tuple[tuple[Expectation, str], ...] = ()
    warnings: tuple[str, ...] = ()
    outside: int = 0
    """How many states the constraint has cut off."""
    needs: tuple[Needs, ...] | None = None
    """For each liveness property that holds what it needs; None if that was not asked."""

    @property
    def verdict(self) -> Literal["holds", "violated", "unfinished"]:
        """Of the check as a whole, whatever was expected."""
        if any(f.verdict in VIOLATED for f in self.found):
            return "violated"
        if not self.complete or any(f.verdict is Verdict.UNDECIDED for f in self.found):
            return "unfinished"
        return "holds"

    def __getitem__(self, name: str) -> Found:
        """What was found of the property (or error kind) `name`."""
        for each in self.found:
            if each.name == name:
                return each
        raise KeyError(name)
