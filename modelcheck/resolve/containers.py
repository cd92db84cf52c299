"""Terms that make, join and ask sets, bags, sequences and maps."""

from __future__ import annotations

from typing import Literal

from modelcheck.core import terms as core
from modelcheck.core.types import (
    NOTHING,
    Bag,
    Map,
    Nothing,
    Option,
    Seq,
    Set,
    Type,
)
from modelcheck.diagnostics import Label
from modelcheck.parse import tree
from modelcheck.resolve.binders import bind
from modelcheck.resolve.builtins import (
    element_type,
    size_interval,
)
from modelcheck.resolve.elaborating import Elaborating, between
from modelcheck.resolve.scope import (
    Scope,
)
from modelcheck.resolve.types import describe, join
from modelcheck.source import Span


def set_literal(
    e: Elaborating, term: tree.SetLiteral, scope: Scope, hint: Type | None
) -> core.Term:
    element = hint.element if isinstance(hint, Set | Bag) else None
    items, type_ = _items(e, term.items, scope, element)
    if isinstance(hint, Bag):
        return core.BagOf(items, type=Bag(type_), span=term.span)
    return core.SetOf(items, type=Set(type_), span=term.span)


def seq_literal(
    e: Elaborating, term: tree.SeqLiteral, scope: Scope, hint: Type | None
) -> core.Term:
    element = hint.element if isinstance(hint, Seq) else None
    items, type_ = _items(e, term.items, scope, element)
    return core.SeqOf(items, type=Seq(type_, len(items)), span=term.span)


def _items(
    e: Elaborating, items: tuple[tree.Term, ...], scope: Scope, element: Type | None
) -> tuple[tuple[core.Term, ...], Type]:
    elaborated: list[core.Term] = []
    type_: Type = NOTHING
    for item in items:
        each = e.term(item, scope, element)
        if isinstance(element, Option) and not isinstance(each.type, Option):
            each = e.fit(each, element, item.span)
        joined = join(type_, each.type)
        if joined is None:
            e.collector.error(
                "mixed-elements",
                f"{describe(each.type)} among elements that are each {describe(type_)}",
                item.span,
                help=("elements of one collection have one type; declare a union for several",),
            )
            each = e.wrong(item.span)
        else:
            type_ = joined
        elaborated.append(each)
    if isinstance(type_, Option):
        elaborated = [e.as_option(each, type_) for each in elaborated]
    return tuple(elaborated), type_


def map_term(e: Elaborating, term: tree.Each, scope: Scope, hint: Type | None) -> core.Term:
    (binder,), inner = bind(e, (term.binder,), scope)
    domain = binder.domain
    if (
        not isinstance(domain, core.Values)
        or not isinstance(domain.term, core.Universe)
        or binder.where is not None
    ):
        if not isinstance(binder.type, Nothing):
            e.collector.error(
                "each-domain",
                "the keys of a map term are not all values of a type",
                term.binder.span,
                notes=("a map has a value for every key of its type",),
                help=("write `each k in K: ...`, with `if` where some keys differ",),
            )
        return e.wrong(term.span)
    value_hint = hint.value if isinstance(hint, Map) else None
    body = e.term(term.body, inner, value_hint)
    if value_hint is not None and isinstance(value_hint, Option):
        body = e.fit(body, value_hint, term.body.span)
    return core.MapOf(binder.name, body, type=Map(domain.term.of, body.type), span=term.span)


def is_sequence(e: Elaborating, term: core.Term, span: Span, what: str) -> bool:
    """Whether the term is a sequence; if not, that is reported."""
    if isinstance(term.type, Seq):
        return True
    if not isinstance(term.type, Nothing):
        e.collector.error(
            "not-a-sequence",
            f"{describe(term.type)} {what}",
            span,
            help=("only sequences have positions; sets are joined by `union`",),
        )
    return False


def slice_of(e: Elaborating, term: tree.Slice, scope: Scope) -> core.Term:
    subject = e.term(term.subject, scope)
    sliced = is_sequence(e, subject, term.subject.span, "has no positions")
    low = e.number(term.low, scope)
    high = None if term.high is None else e.number(term.high, scope)
    if not sliced:
        return e.wrong(term.span)
    return core.Slice(subject, low, high, type=subject.type, span=term.span)


def index_of(e: Elaborating, term: tree.Index, scope: Scope) -> core.Term:
    subject = e.term(term.subject, scope)
    type_ = subject.type
    match type_:
        case Map(key, value):
            index = e.wanted(term.index, scope, key)
            return core.Lookup(subject, index, type=value, span=term.span)
        case Seq(element):
            index = e.number(term.index, scope)
            return core.At(subject, index, type=element, span=term.span)
        case Bag(element):
            item = e.wanted(term.index, scope, element)
            return core.Multiplicity(subject, item, type=size_interval(subject), span=term.span)
        case Nothing():
            e.term(term.index, scope)
        case _:
            e.term(term.index, scope)
            e.collector.error(
                "not-indexable",
                f"{describe(type_)} has no index",
                term.span,
                help=(
                    "maps are read by key, sequences by position, bags by element; "
                    "a set is asked with `in`",
                ),
            )
    return e.wrong(term.span)


def membership(e: Elaborating, term: tree.In, scope: Scope) -> core.Term:
    collection = e.term(term.collection, scope)
    if not isinstance(collection.type, Set | Bag | Seq | Nothing):
        e.collector.error(
            "not-a-collection",
            f"`in` asks {describe(collection.type)} for an element",
            term.collection.span,
            help=("ask a set, a bag, a sequence or a type; a map's keys are all of its type",),
        )
        e.term(term.element, scope)
        return e.wrong(term.span)
    wanted = element_type(collection.type)
    element = e.wanted(term.element, scope, wanted)
    if isinstance(element.type, Nothing):
        return e.wrong(term.span)
    inside = core.In(element, collection, span=term.span)
    return core.Not(inside, span=term.span) if term.negated else inside


def subset(e: Elaborating, term: tree.Subset, scope: Scope) -> core.Term:
    left, right = e.operands(term.left, term.right, scope)
    for each, written in ((left, term.left), (right, term.right)):
        if not isinstance(each.type, Set | Nothing):
            e.collector.error(
                "subset-of-what",
                f"`subset` compares sets, and this is {describe(each.type)}",
                written.span,
                help=("for one element write `x in S`",),
            )
            return e.wrong(term.span)
    if join(left.type, right.type) is None:
        return mixed(e, left.type, right.type, term, "subset")
    return core.Subset(left, right, span=term.span)


def combine(
    e: Elaborating,
    operator: Literal["union", "minus", "intersect"],
    term: tree.Binary,
    scope: Scope,
) -> core.Term:
    left, right = e.operands(term.left, term.right, scope)
    for each, written in ((left, term.left), (right, term.right)):
        if not isinstance(each.type, Set | Nothing):
            e.collector.error(
                "not-a-set",
                f"{describe(each.type)} under `{operator}`",
                written.span,
                help=("one element is a set in braces: `s union {x}`",),
            )
            return e.wrong(term.span)
    if isinstance(left.type, Nothing) or isinstance(right.type, Nothing):
        return e.wrong(term.span)
    joined = join(left.type, right.type)
    if joined is None:
        return mixed(e, left.type, right.type, term, operator)
    type_ = joined if operator == "union" else left.type
    if isinstance(element_type(type_), Nothing):
        type_ = joined
    return core.Combine(operator, left, right, type=type_, span=term.span)


def mixed(
    e: Elaborating, left: Type, right: Type, term: tree.Binary | tree.Subset, operator: str
) -> core.Term:
    """Two collections whose elements differ."""
    e.collector.error(
        "operands-differ",
        f"{describe(left)} and {describe(right)} under `{operator}`",
        between(term.left.span, term.right.span),
        labels=(
            Label(term.left.span, describe(left)),
            Label(term.right.span, describe(right)),
        ),
        help=("both sides hold elements of one type",),
    )
    return e.wrong(term.span)
