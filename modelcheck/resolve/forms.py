"""Upper-case words: constructors and their arguments, parameters, types as sets of their values."""

from __future__ import annotations

from typing import assert_never

from attrs import evolve

from modelcheck.core import terms as core
from modelcheck.core.types import (
    Form,
    Nothing,
    Set,
    Type,
    Union,
)
from modelcheck.diagnostics import Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.builtins import number_of_values
from modelcheck.resolve.elaborating import Elaborating, shortened
from modelcheck.resolve.names import (
    BoundType,
    BoundValue,
    FormEntity,
    ObjectEntity,
    ParameterEntity,
    ProtocolEntity,
    SortEntity,
    TemplateEntity,
    TypeEntity,
)
from modelcheck.resolve.scope import (
    Scope,
)
from modelcheck.resolve.types import describe, has_int
from modelcheck.source import Span

LARGEST_DOMAIN = 1 << 20
"""More values than this are not gone through."""


def upper_word(e: Elaborating, term: tree.Upper, scope: Scope) -> core.Term:
    name, span = term.name, term.span
    entity = scope.module.find_upper(name)
    match entity:
        case ParameterEntity():
            return e.parameter_term(entity, span)
        case BoundValue():
            return evolve(entity.term, span=span)
        case FormEntity():
            return _make_form(e, entity.type, name, (), span, scope)
        case SortEntity() | BoundType():
            return universe(e, e.types.named(name, span, scope.module), span)
        case TypeEntity():
            type_ = e.types.declared(entity, span)
            if isinstance(type_, Union) and entity.name in [f.name for f in type_.forms]:
                index = type_.form_index(entity.name)
                if index is not None and not type_.forms[index].fields:
                    return core.Make(index, (), type=type_, span=span)
            return universe(e, type_, span)
        case TemplateEntity() | ObjectEntity() | ProtocolEntity():
            e.collector.error(
                "not-a-value",
                f"`{name}` is not a value",
                span,
                labels=(Label(entity.span, "declared here"),),
                help=(
                    "templates are used by `use`, objects by `linearizable`, "
                    "protocols by `refines`",
                ),
            )
        case None:
            unknown_upper(e, name, span, scope)
        case _:
            assert_never(entity)
    return e.wrong(span)


def unknown_upper(e: Elaborating, name: str, span: Span, scope: Scope) -> None:
    close = near(name, scope.module.upper_names())
    help_ = (
        f"did you mean {listing(close, 'or')}?"
        if close
        else "declare it: a `param`, a form of a `type`, or a `sort`"
    )
    e.collector.error(
        "unknown-constructor",
        f"no constructor, parameter or type `{name}`",
        span,
        help=(help_,),
    )


def universe(e: Elaborating, type_: Type, span: Span) -> core.Term:
    """A type as the set of its values."""
    if isinstance(type_, Nothing):
        return e.wrong(span)
    if e.closed:
        if has_int(type_):
            e.collector.error(
                "infinite-domain",
                f"`{shortened(span)}` has infinitely many values",
                span,
                help=("go through a range: `x in 0..MAX`",),
            )
            return e.wrong(span)
        count = number_of_values(type_)
        if count is not None and count > LARGEST_DOMAIN:
            too_wide(e, span, f"a domain of {big(count)} values")
            return e.wrong(span)
    return core.Universe(type_, type=Set(type_), span=span)


def too_wide(e: Elaborating, span: Span, headline: str) -> None:
    e.collector.error(
        "domain-too-wide",
        headline,
        span,
        notes=(f"at most {LARGEST_DOMAIN:,} values are gone through",),
        help=("go through the values that can occur: a set in the state, or a smaller range",),
    )


def make(e: Elaborating, term: tree.Make, scope: Scope) -> core.Term:
    name = term.form.name
    entity = scope.module.find_upper(name)
    if isinstance(entity, FormEntity):
        return _make_form(e, entity.type, name, term.arguments, term.span, scope)
    if isinstance(entity, TypeEntity):
        type_ = e.types.declared(entity, term.form.span)
        if isinstance(type_, Union) and type_.form_index(name) is not None:
            return _make_form(e, entity, name, term.arguments, term.span, scope)
    for argument in term.arguments:
        e.term(argument, scope)
    if entity is None:
        unknown_upper(e, name, term.form.span, scope)
    else:
        e.collector.error(
            "not-a-constructor",
            f"`{name}` takes no arguments",
            term.form.span,
            labels=(Label(entity.span, "declared here"),),
            help=(
                "arguments belong to a constructor of a `type`, "
                "or to a `let`, whose name is lower-case",
            ),
        )
    return e.wrong(term.span)


def _make_form(
    e: Elaborating,
    entity: TypeEntity,
    name: str,
    arguments: tuple[tree.Term, ...],
    span: Span,
    scope: Scope,
) -> core.Term:
    type_ = e.types.declared(entity, span)
    if not isinstance(type_, Union):
        return e.wrong(span)
    index = type_.form_index(name)
    assert index is not None, "a form belongs to its type"
    form = type_.forms[index]
    if len(arguments) != len(form.fields):
        wrong_arguments(e, entity, form, len(arguments), span)
        for argument in arguments:
            e.term(argument, scope)
        return e.wrong(span)
    elaborated = tuple(
        e.wanted(argument, scope, each.type)
        for argument, each in zip(arguments, form.fields, strict=True)
    )
    return core.Make(index, elaborated, type=type_, span=span)


def wrong_arguments(
    e: Elaborating, entity: TypeEntity, form: Form, given: int, span: Span, *more: str
) -> None:
    """Report a constructor with too few or too many arguments; `more` is further help."""
    signature = f"{form.name}({', '.join(f.name for f in form.fields)})"
    e.collector.error(
        "constructor-arguments",
        f"`{form.name}` takes {number_of(len(form.fields), 'argument')}, not {given}",
        span,
        labels=(Label(_declared_at(entity, form.name), "declared here"),),
        help=(f"write `{signature if form.fields else form.name}`", *more),
    )


def with_fields(e: Elaborating, term: tree.With, scope: Scope) -> core.Term:
    subject = e.term(term.subject, scope)
    type_ = subject.type
    if not isinstance(type_, Union):
        if not isinstance(type_, Nothing):
            e.collector.error(
                "with-on-other",
                f"`with` changes fields of a record, and this is {describe(type_)}",
                term.subject.span,
                help=("an entry of a map is changed by an update: `m[k] := v`",),
            )
        return e.wrong(term.span)
    every = frozenset(range(len(type_.forms)))
    # Where no form is possible nothing is ever evaluated: any field will do.
    possible = scope.facts.get(subject, every) or every
    fields: list[tuple[str, core.Term]] = []
    seen: set[str] = set()
    for name, value in term.fields:
        types = [
            form.fields[position].type
            for i in sorted(possible)
            for form in [type_.forms[i]]
            for position in [form.position(name.name)]
            if position is not None
        ]
        if len(types) < len(possible) or not types or name.name in seen:
            all_fields = [f.name for form in type_.forms for f in form.fields]
            close = near(name.name, all_fields)
            e.collector.error(
                "with-field",
                f"`{name.name}` cannot be replaced here",
                name.span,
                notes=("`with` names fields that every possible form has, each once",),
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close and name.name not in all_fields
                    else "match the form first, or drop the repeated field",
                ),
            )
            e.term(value, scope)
            continue
        seen.add(name.name)
        fields.append((name.name, e.wanted(value, scope, types[0])))
    return core.Replace(subject, tuple(fields), type=type_, span=term.span)


def _declared_at(entity: TypeEntity, form: str) -> Span:
    declaration = entity.declaration
    if isinstance(declaration, tree.Union):
        for each in declaration.forms:
            if each.name.name == form:
                return each.name.span
    return entity.span


def number_of(count: int, noun: str) -> str:
    words = {0: f"no {noun}s", 1: f"one {noun}"}
    return words.get(count, f"{count} {noun}s")


def big(count: int) -> str:
    if count < 10**15:
        return f"{count:,}"
    return f"about 2^{count.bit_length() - 1}"
