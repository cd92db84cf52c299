"""A closed, finite instance: what a file and one check's settings come to.

Data only; its meaning is in `semantics`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field, frozen

from modelcheck.core.terms import Binder, Domain, Statement, Term
from modelcheck.core.types import Type
from modelcheck.core.variables import Owner, Variable
from modelcheck.source import Documented, Spanned


@frozen
class Initial:
    """How a variable begins: with one value, or, where there is a choice, with any of a domain."""

    value: Term | None = None
    choice: Domain | None = None


@frozen
class Fairness:
    """Weak, or strong; asked for each choice of the arguments at the positions `per`."""

    strong: bool
    per: tuple[int, ...]


@frozen
class Action(Documented):
    """A named choice, guards and updates.

    binders   all its nondeterminism, in order
    fairness  None for a fault, and for an action without `fair`
    at_most   for a fault how many steps it may take in a run, None for any number
    counter   the position in a State of the steps taken so far, None without bound
    process   the position of the argument that is the acting process, None if no
              argument indexes an `each` group
    """

    name: str
    fault: bool
    binders: tuple[Binder, ...] = field(repr=False)
    body: tuple[Statement, ...] = field(repr=False)
    fairness: Fairness | None = None
    at_most: int | None = None
    counter: int | None = None
    process: int | None = None


# --- properties --------------------------------------------------------------------


@frozen
class Invariant(Documented):
    """Holds in every reachable state. `parts` are its lines; a lemma is one too."""

    name: str
    parts: tuple[Term, ...] = field(repr=False)
    lemma: bool = False


@frozen
class Event:
    """Steps of an action, and for each argument the name it binds, or None."""

    action: str
    names: tuple[str | None, ...]


@frozen
class StepProperty(Documented):
    """Holds of every step, or with `events` of every step of these actions.

    reads_result  then only steps that return a value are judged
    """

    name: str
    events: tuple[Event, ...] | None
    parts: tuple[Term, ...] = field(repr=False)
    reads_result: bool = False


@frozen
class Reachable(Documented):
    """Holds in some reachable state."""

    name: str
    parts: tuple[Term, ...] = field(repr=False)


@frozen
class AlwaysPossible(Documented):
    """From every reachable state some path of actions, no faults, reaches one where it holds."""

    name: str
    parts: tuple[Term, ...] = field(repr=False)


@frozen
class Obligation(Spanned):
    """One temporal line, for every choice of `binders` (whose domains read no state).

    leads to           premise ~> goal
    always eventually  goal again and again
    eventually         goal once
    eventually always  goal for ever from some point on

    premise  only for "leads to", else None
    """

    kind: Literal["leads to", "always eventually", "eventually", "eventually always"]
    binders: tuple[Binder, ...]
    premise: Term | None
    goal: Term


@frozen
class Liveness(Documented):
    """Every obligation is met by every fair behaviour."""

    name: str
    obligations: tuple[Obligation, ...] = field(repr=False)


@frozen
class Refinement(Documented):
    """Every step, seen through `mapping`, is a step of `abstract` or changes nothing there.

    mapping   for each variable of `abstract`, in their order: a term over this model; for a
              variable of an `each` group (member name, term), the name being bound in the term
    liveness  whether the abstract protocol's liveness properties are claimed too
    """

    name: str
    abstract: Model = field(repr=False)
    mapping: tuple[tuple[str | None, Term], ...] = field(repr=False)
    liveness: bool = False


@frozen
class Operation(Documented):
    """What an object does for a caller, all at once.

    body  guards, then updates; a ReturnOperation in it, without a caller, is the answer
    """

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type | None
    body: tuple[Statement, ...] = field(repr=False)


@frozen
class SequentialObject(Documented):
    """What operations do if they happen one at a time; its variables are its whole state."""

    name: str
    variables: tuple[Variable, ...] = field(repr=False)
    initial: tuple[Initial, ...] = field(repr=False)
    operations: tuple[Operation, ...] = field(repr=False)


@frozen
class Linearizable(Documented):
    """Operations called through `name` appear to happen one at a time, as `object` says.

    Each takes effect between its call and its return.
    """

    name: str
    object: SequentialObject


@frozen
class SequentiallyConsistent(Documented):
    """The same, but each takes effect at any time, as long as its caller's order is kept."""

    name: str
    object: SequentialObject


Claim: TypeAlias = Linearizable | SequentiallyConsistent
"""Of calls and returns."""

Property: TypeAlias = (
    Invariant | StepProperty | Reachable | AlwaysPossible | Liveness | Refinement | Claim
)


@frozen(eq=False)
class History:
    """The claims about calls and returns that a state's history is kept for.

    Compared by identity: the numbers that states have for histories belong to this object.
    """

    claims: tuple[Claim, ...]


@frozen
class Model:
    """A protocol with everything set.

    settings    what the check set, as shown beside a verdict: ("Node", "2"), ("MAX", "3")
    owners      groups in the order of the file: the lanes of a trace
    variables   in the order of the file; a State has one entry for each, then one for each
                bounded fault, then one for the history, if there is one
    initial     for each variable how it begins; a variable of an `each` group for every member
    init        predicates that filter the initial combinations
    stops       where it may stop: not a deadlock; None if the file does not say
    constraint  states where it is false are judged, not counted and not expanded
    history     what its calls and returns are compared with; None if it claims nothing of them
    """

    name: str
    settings: tuple[tuple[str, str], ...]
    owners: tuple[Owner, ...] = field(repr=False)
    variables: tuple[Variable, ...] = field(repr=False)
    initial: tuple[Initial, ...] = field(repr=False)
    init: tuple[Term, ...] = field(repr=False)
    actions: tuple[Action, ...] = field(repr=False)
    properties: tuple[Property, ...] = field(repr=False)
    stops: Term | None = field(default=None, repr=False)
    constraint: Term | None = field(default=None, repr=False)
    history: History | None = field(default=None, repr=False)

    @property
    def history_position(self) -> int:
        """Where a State has the number of its history, if there is one: behind everything else."""
        return len(self.variables) + len(self.counters)

    @property
    def counters(self) -> tuple[Action, ...]:
        """The bounded faults, in the order of their counters in a State."""
        return tuple(a for a in self.actions if a.counter is not None)

    def property(self, name: str) -> Property:
        """The property called `name`; KeyError if there is none."""
        for each in self.properties:
            if each.name == name:
                return each
        raise KeyError(name)


# --- checks ------------------------------------------------------------------------

ErrorKind: TypeAlias = Literal["range", "capacity", "undefined", "two-writes"]

ERROR_KINDS: tuple[ErrorKind, ...] = ("range", "capacity", "undefined", "two-writes")
"""Judged in every check, whatever it names."""


@frozen
class ExpectHolds:
    """Every property, no deadlock, none of the four errors"""


@frozen
class ExpectProperty:
    name: str
    verdict: Literal["holds", "fails", "blocks", "livelocks"]
    steps: int | None = None


@frozen
class ExpectError:
    kind: Literal["deadlock", "range", "capacity", "undefined", "two-writes"]


@frozen
class ExpectCount:
    kind: Literal["distinct", "generated", "depth"]
    count: int


Expectation: TypeAlias = ExpectHolds | ExpectProperty | ExpectError | ExpectCount


@frozen
class Check(Documented):
    """A model and what is expected of it."""

    name: str
    model: Model = field(repr=False)
    expectations: tuple[Expectation, ...]
