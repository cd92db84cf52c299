"""What a `proof` asks for, and what came of it. Worded for people by `report`.

A proof is about every size at once, so its model is *open*: a sort that it
generalises has no size, a number that it generalises is left a `Parameter`
term, and the bounds of a range may be terms over such parameters (`Int` with
bounds). A parameter that is a set or a map is a variable that no step writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal, Protocol, TypeAlias

from attrs import field, frozen

from modelcheck.core.model import Invariant, Model, StepProperty
from modelcheck.core.terms import Term
from modelcheck.core.trace import Trace
from modelcheck.source import Documented, Spanned

Method: TypeAlias = Literal["induction", "k-induction", "pdr"]
Goal: TypeAlias = Invariant | StepProperty


@frozen
class Axiom(Documented):
    """A fact about parameters, assumed; `parts` are its lines."""

    name: str
    parts: tuple[Term, ...] = field(repr=False)


@frozen
class Argument(Spanned):
    """`FenceNeverFalls by induction using TokenBelowGranted`: proved together, lemmas included.

    lemmas  in the order in which they are named; what an earlier argument has proved is assumed
    k       for k-induction: how many steps in a row; else 1
    """

    goals: tuple[Goal, ...]
    lemmas: tuple[Invariant, ...]
    method: Method
    k: int = 1


@frozen
class Proof(Documented):
    """One `proof` block, with an open model, or with a finite one for its instances.

    general   what it holds for any of: names of sorts and parameters, as written
    sorts     those of them that are sorts
    truths    those that are true or false
    settings  the rest, as written: ("MAX", "3")
    fixed     the variables of `model` that stand for parameters, by position
    """

    name: str
    general: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    model: Model = field(repr=False)
    axioms: tuple[Axiom, ...] = field(repr=False)
    arguments: tuple[Argument, ...] = field(repr=False)
    fixed: tuple[int, ...] = ()
    sorts: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()

    def shown(self, sizes: Mapping[str, int]) -> tuple[tuple[str, str], ...]:
        """The sizes and values of an instance, as the file would write them."""
        return tuple(
            (name, ("false", "true")[size] if name in self.truths else str(size))
            for name, size in sizes.items()
        )


class Instances(Protocol):
    """Finite instances of a proof."""

    def __call__(self, sizes: Mapping[str, int]) -> Proof | None:
        """The proof in which generalised sorts and numbers have these sizes and values, and
        truth values are 0 or 1.

        Its model is closed, as a check's is, and its axioms are also predicates of `init`. None if
        the file refuses these settings.
        """
        ...


# --- what came of it -----------------------------------------------------------------


class Standing(Enum):
    """Of an argument. Only PROVED is success."""

    PROVED = "proved"
    VIOLATED = "violated"
    """A reachable state or step contradicts a goal."""
    NOT_INDUCTIVE = "not inductive"
    """A state that the goals and lemmas allow, and a step from it that breaks one of them."""
    UNKNOWN = "unknown"


@frozen
class Query:
    """One question to the solver.

    about     "initial states", "what was proved before", or the action whose steps are asked about
    name      the goal or lemma that must hold afterwards
    line      which of its lines, from 0
    answer    "proved" (no counterexample exists), "counterexample", "unknown"
    reason    of "unknown": why
    """

    about: str
    name: str
    line: int
    answer: Literal["proved", "counterexample", "unknown"]
    seconds: float = field(default=0.0, eq=False)
    reason: str | None = None


class Reach(Enum):
    """Whether the search reaches the first state of a counterexample to induction."""

    REACHABLE = "reachable"
    NOT_IN_SCOPE = "not in this scope"
    UNKNOWN = "unknown"


@frozen
class Suggestion:
    """A lemma that would rule a counterexample to induction out.

    text    a `lemma` declaration, as the file would have it
    states  in how many reachable states of the checks it was seen to hold
    """

    text: str
    states: int


@frozen
class Counterexample:
    """To induction, in a finite instance; or a run from an initial state.

    instance  the sizes and values of what the proof generalises: ("Node", "2")
    model     the closed model that the trace's states belong to
    trace     for an invariant: states that satisfy goals and lemmas, the last one excepted; if it
              begins in an initial state and `initial` is set, it is a run
    name      the goal or lemma that fails
    line      which of its lines, from 0
    reach     whether the first state is reachable in this instance
    witness   then a run to the first state, followed by the trace
    """

    instance: tuple[tuple[str, str], ...]
    model: Model = field(repr=False)
    trace: Trace = field(repr=False)
    name: str
    line: int
    initial: bool
    reach: Reach
    witness: Trace | None = field(default=None, repr=False)
    suggestion: Suggestion | None = None


@frozen
class Concluded:
    """What came of one argument.

    queries         in the order in which they were asked
    found           lemmas that the tool found itself, as declarations (`pdr`)
    scope           the finite instance that it was proved for, and no more, and so is UNKNOWN; else
                    None
    reason          of UNKNOWN, and of a proof that an axiom has emptied: why, a clause
    """

    argument: Argument
    standing: Standing
    queries: tuple[Query, ...]
    counterexample: Counterexample | None = None
    found: tuple[str, ...] = ()
    scope: tuple[tuple[str, str], ...] | None = None
    reason: str | None = None


@frozen
class Proved:
    """What came of a proof.

    alive   the smallest instance in which the axioms hold and a step can be taken; None if none was
            found, and then nothing counts as proved
    """

    proof: Proof
    concluded: tuple[Concluded, ...]
    alive: tuple[tuple[str, str], ...] | None
    seconds: float = field(default=0.0, eq=False)

    @property
    def standing(self) -> Standing:
        """Of the proof as a whole: the worst of its arguments."""
        if self.alive is None:
            return Standing.UNKNOWN
        order = [Standing.VIOLATED, Standing.NOT_INDUCTIVE, Standing.UNKNOWN, Standing.PROVED]
        return min((each.standing for each in self.concluded), key=order.index)
