"""Binders and what goes through them: domains, quantifiers, `count`, `sum`, `the`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from modelcheck.core import terms as core
from modelcheck.core.types import (
    BOOL,
    INT,
    NOTHING,
    Bag,
    Nothing,
    Range,
    Seq,
    Set,
    Type,
)
from modelcheck.parse import tree
from modelcheck.resolve import intervals
from modelcheck.resolve.builtins import (
    element_type,
    number_of_values,
    size_interval,
)
from modelcheck.resolve.elaborating import Elaborating
from modelcheck.resolve.forms import (
    LARGEST_DOMAIN,
    big,
    too_wide,
)
from modelcheck.resolve.scope import (
    Bound,
    Lets,
    Scope,
)
from modelcheck.resolve.types import describe
from modelcheck.source import Span

LARGEST_SUBSET_BASE = 16
"""A domain of subsets has two to the power of this many members at most."""


def bind(
    e: Elaborating, binders: Sequence[tree.Binder], scope: Scope
) -> tuple[tuple[core.Binder, ...], Scope]:
    """The binders in order, and the scope of what they bind."""
    done: list[core.Binder] = []
    for each in binders:
        name = each.name.name
        with e.watch() as reads:
            domain, type_ = domain_of(e, each.domain, scope)
        e.refuse_shadowing(name, each.name.span, scope)
        # Where ghosts may not be read, this one was reported: what is bound is no second mistake.
        ghost = reads.ghost is not None and scope.site.ghosts
        scope = scope.bind(name, Bound(type_, each.name.span, ghost))
        where: core.Term | None = None
        lets: Lets = ()
        if each.where is not None:
            condition = e.condition(each.where, scope)
            where, lets = condition.term, condition.lets
            scope = e.after(condition, scope, each.where.span)
        done.append(core.Binder(name, domain, where, lets, type=type_, span=each.span))
    return tuple(done), scope


def domain_of(e: Elaborating, domain: tree.Domain, scope: Scope) -> tuple[core.Domain, Type]:
    """What a binder goes through, and the type of its values."""
    match domain:
        case tree.InTerm(term):
            collection = e.term(term, scope)
            type_ = collection.type
            if not isinstance(type_, Set | Bag | Seq | Nothing):
                e.collector.error(
                    "not-a-domain",
                    f"a binder goes through {describe(type_)}",
                    term.span,
                    help=(
                        "go through a type, a set, a bag, a sequence, `1..len(s)` or `subset of D`",
                    ),
                )
                type_ = NOTHING
            return core.Values(collection, span=domain.span), element_type(type_)
        case tree.InRange(low, high):
            lowest, highest = e.number(low, scope), e.number(high, scope)
            return (
                core.Interval(lowest, highest, span=domain.span),
                _interval_type(e, lowest.type, highest.type, domain.span),
            )
        case tree.InSubsets(of):
            return _subsets(e, of, domain, scope)
        case tree.InBool():
            universe = core.Universe(BOOL, type=Set(BOOL), span=domain.span)
            return core.Values(universe, span=domain.span), BOOL
        case tree.InInt():
            e.collector.error(
                "integers-as-domain",
                "a binder goes through all numbers",
                domain.span,
                help=("give the range: `x in 0..MAX`",),
            )
            return core.Values(e.wrong(domain.span), span=domain.span), NOTHING
        case _:
            assert_never(domain)


def _interval_type(e: Elaborating, low: Type, high: Type, span: Span) -> Type:
    if not isinstance(low, Range) or not isinstance(high, Range):
        return INT
    if e.closed and high.high - low.low >= LARGEST_DOMAIN:
        too_wide(e, span, f"a range of up to {big(high.high - low.low + 1)} values")
        return NOTHING
    return Range(low.low, high.high)


def subsets_of(element: Type, span: Span) -> core.Subsets:
    """All sets over a type."""
    return core.Subsets(core.Universe(element, type=Set(element), span=span), span=span)


def _subsets(
    e: Elaborating, of: tree.Term, domain: tree.InSubsets, scope: Scope
) -> tuple[core.Domain, Type]:
    base = e.term(of, scope)
    type_ = base.type
    if not isinstance(type_, Set | Nothing):
        e.collector.error(
            "subsets-of-what",
            f"subsets of {describe(type_)}",
            of.span,
            help=("write `subset of` a type or a set",),
        )
        return core.Subsets(e.wrong(of.span), span=domain.span), NOTHING
    element = element_type(type_)
    count = number_of_values(element)
    if count is not None and count > LARGEST_SUBSET_BASE:
        e.collector.error(
            "too-many-subsets",
            f"subsets of a set over {big(count)} values",
            of.span,
            notes=(f"at most {LARGEST_SUBSET_BASE} values have their subsets gone through",),
            help=("choose the members one by one, or fix their number by the parameters",),
        )
    return core.Subsets(base, span=domain.span), Set(element)


def quantified(e: Elaborating, term: tree.Quantified, scope: Scope) -> core.Term:
    binders, inner = bind(e, term.binders, scope)
    span = term.span
    match term.quantifier:
        case "forall":
            return core.Forall(binders, e.condition(term.body, inner).term, span=span)
        case "exists":
            return core.Exists(binders, e.condition(term.body, inner).term, span=span)
        case "count" | "sum" if not _counted(e, term, binders):
            return e.wrong(span)
        case "count":
            body = e.condition(term.body, inner).term
            most = _choices(e, binders)
            type_: Type = INT if most is None else Range(0, most)
            return e.checked(core.Count(binders, body, type=type_, span=span), span)
        case "sum":
            body = e.number(term.body, inner)
            if isinstance(body.type, Nothing):
                return e.wrong(span)
            type_ = intervals.times(_choices(e, binders), body.type)
            return e.checked(core.Sum(binders, body, type=type_, span=span), span)
        case "the":
            body = e.condition(term.body, inner).term
            if len(binders) != 1:
                e.collector.error(
                    "the-one",
                    "`the` with more than one binder",
                    term.binders[1].span,
                    help=("bind one name; ask for the others with `exists` in the body",),
                )
                return e.wrong(span)
            return core.The(binders[0], body, type=binders[0].type, span=span)
        case _:
            assert_never(term.quantifier)


def _counted(e: Elaborating, term: tree.Quantified, binders: Sequence[core.Binder]) -> bool:
    return all(
        e.counted(term.quantifier, binder.type, written.span, binder.domain)
        for binder, written in zip(binders, term.binders, strict=True)
    )


def _choices(e: Elaborating, binders: Sequence[core.Binder]) -> int | None:
    """At most how many choices there are; None if that is not known."""
    total = 1
    for binder in binders:
        count: int | None
        match binder.domain:
            case core.Values(term):
                interval = size_interval(term)
                count = interval.high if isinstance(interval, Range) else None
            case core.Interval():
                count = number_of_values(binder.type)
            case core.Subsets(of):
                members = number_of_values(element_type(of.type))
                count = None if members is None else 1 << min(members, 64)
            case _:
                assert_never(binder.domain)
        if count is None:
            return None
        total *= count
    return total
