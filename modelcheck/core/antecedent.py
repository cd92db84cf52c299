"""What must be true somewhere for a line of a property to say anything."""

from __future__ import annotations

from modelcheck.core.terms import And, Exists, Forall, Implies, Let, Term


def antecedent(line: Term) -> Term | None:
    """The condition; None if the line is unconditional."""
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
