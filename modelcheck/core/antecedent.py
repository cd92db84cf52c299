"""What must have come up for a line of a property to say anything.

Three questions are asked of a line, each of the states (or steps) that the line
is judged in, until one answers it:

    chosen     was there ever something to choose for its outermost quantifier?
    triggered  was its condition, the left side of an implication or of `~>`, ever true?
    needed     was it ever false without the condition, so that the condition is needed?
"""

from __future__ import annotations

from attrs import frozen

from modelcheck.core.model import (
    Invariant,
    Linearizable,
    Liveness,
    Obligation,
    Property,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.terms import (
    And,
    Binder,
    Exists,
    Forall,
    Implies,
    Let,
    Term,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.values import cardinality
from modelcheck.source import Span


@frozen
class Line:
    """The questions for a line of a property, as terms; None where the answer needs no search.

    chosen     true where there is a choice; None: there always is one
    triggered  true where the condition is; None: it has none, and speaks wherever it is judged
    stronger   the line without its condition; None: it has none
    condition  where the condition stands in the text
    """

    span: Span | None
    chosen: Term | None
    triggered: Term | None
    stronger: Term | None
    condition: Span | None = None


def lines_of(each: Property) -> tuple[Line, ...]:
    """The lines of which it can be said whether they say anything; none for other properties."""
    match each:
        case Invariant() | StepProperty():
            return tuple(_line(part) for part in each.parts)
        case Liveness():
            return tuple(_obligation(obligation) for obligation in each.obligations)
        case Linearizable() | SequentiallyConsistent():
            # Whether an operation was called is told by the steps, not asked of them.
            return (Line(each.span, None, Truth(True), None),)
        case _:
            return ()


def _line(term: Term) -> Line:
    return Line(term.span, chosen(term), antecedent(term), consequent(term), _condition(term))


def _obligation(each: Obligation) -> Line:
    """Of a temporal line: it says something if its goal was ever owed."""
    binders, premise = each.binders, each.premise
    some = Exists(binders, Truth(True)) if binders and not _always_some(binders) else None
    if premise is None:
        left = None
    else:
        left = Exists(binders, premise) if binders else premise
    goal = Forall(binders, each.goal) if binders else each.goal
    return Line(each.span, some, left, goal, None if premise is None else premise.span)


def chosen(line: Term) -> Term | None:
    """True where the outermost quantifiers have something to choose; None if they always do."""
    match line:
        case Forall(binders, body):
            inner = chosen(body)
            if inner is None and _always_some(binders):
                return None
            return Exists(binders, Truth(True) if inner is None else inner)
        case Let(name, value, body):
            inner = chosen(body)
            return None if inner is None else Let(name, value, inner)
        case And((only,)):
            return chosen(only)
        case _:
            return None


def antecedent(line: Term) -> Term | None:
    """True where the line's condition is; None if it has none."""
    match line:
        case Implies(left, _):
            return left
        case Forall(binders, body):
            inner = antecedent(body)
            return None if inner is None else Exists(binders, inner)
        case Let(name, value, body):
            inner = antecedent(body)
            return None if inner is None else Let(name, value, inner)
        case And((only,)):
            return antecedent(only)
        case _:
            return None


def consequent(line: Term) -> Term | None:
    """The line without its condition; None if it has none."""
    match line:
        case Implies(_, right):
            return right
        case Forall(binders, body):
            inner = consequent(body)
            return None if inner is None else Forall(binders, inner)
        case Let(name, value, body):
            inner = consequent(body)
            return None if inner is None else Let(name, value, inner)
        case And((only,)):
            return consequent(only)
        case _:
            return None


def _condition(line: Term) -> Span | None:
    match line:
        case Implies(left, _):
            return left.span
        case Forall(_, body) | Let(_, _, body) | And((body,)):
            return _condition(body)
        case _:
            return None


def _always_some(binders: tuple[Binder, ...]) -> bool:
    """Whether each binder goes through the values of a type that has some."""
    return all(
        binder.where is None
        and isinstance(binder.domain, Values)
        and isinstance(binder.domain.term, Universe)
        and cardinality(binder.domain.term.of) > 0
        for binder in binders
    )
