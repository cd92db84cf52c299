"""What a term may see: bound names, what matching has established, and what the place permits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from attrs import evolve, field, frozen

from modelcheck.core.terms import Let, Term
from modelcheck.core.types import Type
from modelcheck.resolve.names import Module
from modelcheck.source import Span

Facts: TypeAlias = Mapping[Term, frozenset[int]]
"""For a term of a union type, the forms that its value may have here."""

Lets: TypeAlias = tuple[tuple[str, Term], ...]
"""Names bound by matching, with the matched parts, in order; later ones may use earlier ones."""

NO_FACTS: Facts = {}


@frozen
class Bound:
    """A bound name. `ghost` says that its value comes from a ghost variable."""

    type: Type
    span: Span = field(repr=False)
    ghost: bool = False


@frozen
class Site:
    """What may be read here. `word` names the place in diagnostics: "an initial value".

    state   variables may be read
    ghosts  ghost variables too
    next    `x'` may be written
    result  the type of `result`; None where it means nothing
    object  only an object's own variables may be read, and not the protocol's by way of a `let`
    """

    word: str
    state: bool = True
    ghosts: bool = False
    next: bool = False
    result: Type | None = None
    object: bool = False


@frozen
class Scope:
    """Where a term stands."""

    module: Module = field(repr=False)
    site: Site
    names: Mapping[str, Bound] = field(factory=dict)
    facts: Facts = field(factory=dict)

    def bind(self, name: str, bound: Bound) -> Scope:
        """With one more name."""
        return evolve(self, names={**self.names, name: bound})

    def know(self, facts: Facts) -> Scope:
        """With what a condition has established."""
        return evolve(self, facts=both(self.facts, facts)) if facts else self

    def at(self, site: Site) -> Scope:
        """At another kind of place."""
        return evolve(self, site=site)


def both(left: Facts, right: Facts) -> Facts:
    """What is known if both are."""
    merged = dict(left)
    for term, forms in right.items():
        merged[term] = merged[term] & forms if term in merged else forms
    return merged


def either(left: Facts, right: Facts) -> Facts:
    """What is known if one of them is, but not which."""
    return {term: left[term] | right[term] for term in left if term in right}


@frozen
class Condition:
    """An elaborated condition.

    lets                   the names it binds
    when_true, when_false  what is known of forms in either case
    """

    term: Term
    lets: Lets = ()
    when_true: Facts = field(factory=dict)
    when_false: Facts = field(factory=dict)


def wrap(lets: Lets, body: Term) -> Term:
    """`body`, in which the names stand for their values."""
    for name, value in reversed(lets):
        body = Let(name, value, body, type=body.type, span=body.span)
    return body
