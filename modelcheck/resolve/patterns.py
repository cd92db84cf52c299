"""Matching: from `v is Leading(t, _)` to tests on `v` and the parts that names stand for.

Core has no patterns. A pattern becomes a conjunction of tests, and each name
it binds becomes a `Let` of the part it stands for, around whatever may use it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from attrs import Factory, define

from modelcheck.core import terms as core
from modelcheck.core.types import BOOL, NOTHING, Bool, Nothing, Option, Range, Type, Union
from modelcheck.diagnostics import Collector, Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.scope import Condition
from modelcheck.resolve.types import agree, describe
from modelcheck.source import Span


@define
class Matched:
    """What a pattern has come to so far: tests, names, forms known, and names that may not bind."""

    tests: list[core.Term] = Factory(list)
    lets: list[tuple[str, core.Term, Span]] = Factory(list)
    facts: dict[core.Term, frozenset[int]] = Factory(dict)
    refutable: int = 0
    """Tests beyond the first: without any, a failed match excludes the form."""


def match_pattern(
    pattern: tree.Pattern,
    subject: core.Term,
    span: Span,
    collector: Collector,
    parameter: Callable[[str, Span], core.Term | None],
) -> tuple[Condition, list[tuple[str, core.Term, Span]]]:
    """The condition that `subject` has the pattern's form, and the names that are bound.

    parameter  what a parameter's name stands for; None if it is not one
    """
    matched = Matched()
    matcher = _Matcher(matched, collector, parameter)
    matcher.match(pattern, subject)
    tests = tuple(matched.tests)
    term: core.Term
    if not tests:
        term = core.Truth(True, span=span)
    elif len(tests) == 1:
        term = tests[0]
    else:
        term = core.And(tests, span=span)
    excluded: dict[core.Term, frozenset[int]] = {}
    if matched.refutable == 0 and isinstance(term, core.IsForm):
        union = term.subject.type
        if isinstance(union, Union):
            every = frozenset(range(len(union.forms)))
            excluded[term.subject] = every - {term.form}
    lets = tuple((name, value) for name, value, _ in matched.lets)
    return Condition(term, lets, matched.facts, excluded), matched.lets


@define
class _Matcher:
    matched: Matched
    collector: Collector
    parameter: Callable[[str, Span], core.Term | None]

    def match(self, pattern: tree.Pattern, subject: core.Term) -> None:
        match pattern:
            case tree.BindPattern(name):
                if name != "_":
                    self.bind(name, subject, pattern.span)
            case tree.FormPattern():
                self.form(pattern, subject)
            case tree.SomePattern(item):
                option = self.option(subject, pattern.span)
                if option is not None:
                    self.test(core.IsPresent(subject, span=pattern.span))
                    self.match(item, core.Item(subject, type=option.item, span=subject.span))
                else:
                    self.lost(item)
            case tree.NonePattern():
                if self.option(subject, pattern.span) is not None:
                    present = core.IsPresent(subject, span=pattern.span)
                    self.test(core.Not(present, span=pattern.span))
            case tree.IntPattern(value):
                number = core.Number(value, type=Range(value, value), span=pattern.span)
                self.literal(subject, number, pattern.span)
            case tree.BoolPattern(truth):
                self.literal(subject, core.Truth(truth, type=BOOL, span=pattern.span), pattern.span)
            case _:
                assert_never(pattern)

    def test(self, term: core.Term) -> None:
        if self.matched.tests:
            self.matched.refutable += 1
        self.matched.tests.append(term)

    def bind(self, name: str, subject: core.Term, span: Span) -> None:
        for other, _, first in self.matched.lets:
            if other == name:
                self.collector.error(
                    "repeated-binding",
                    f"the pattern binds `{name}` twice",
                    span,
                    label="and again here",
                    labels=(Label(first, "bound here"),),
                    help=("give the second part another name and compare the two with `==`",),
                )
                return
        self.matched.lets.append((name, subject, span))

    def lost(self, pattern: tree.Pattern) -> None:
        """Bind the names of a pattern that cannot match, so that their uses are no errors too."""
        match pattern:
            case tree.BindPattern(name):
                if name != "_":
                    wrong = core.Truth(False, type=NOTHING, span=pattern.span)
                    self.bind(name, wrong, pattern.span)
            case tree.FormPattern():
                for argument in pattern.arguments or ():
                    self.lost(argument)
            case tree.SomePattern(item):
                self.lost(item)
            case tree.NonePattern() | tree.IntPattern() | tree.BoolPattern():
                pass
            case _:
                assert_never(pattern)

    def option(self, subject: core.Term, span: Span) -> Option | None:
        type_ = subject.type
        if isinstance(type_, Option):
            return type_
        if not isinstance(type_, Nothing):
            self.collector.error(
                "not-an-option",
                f"{describe(type_)} is never `none`",
                span,
                notes=("only a value of a type `T?` is `none` or `some(x)`",),
                help=("compare the value itself, or declare it with `?`",),
            )
        return None

    def literal(self, subject: core.Term, literal: core.Term, span: Span) -> None:
        type_: Type = subject.type
        wanted = isinstance(type_, Bool) if literal.type == BOOL else is_number(type_)
        if isinstance(type_, Option) and agree(type_.item, literal.type):
            self.test(core.IsPresent(subject, span=span))
            subject = core.Item(subject, type=type_.item, span=subject.span)
            wanted = True
        if not wanted:
            if not isinstance(type_, Nothing):
                self.mismatch(type_, literal.type, span)
            return
        self.test(core.Equal(subject, literal, span=span))

    def mismatch(self, type_: Type, other: Type, span: Span) -> None:
        self.collector.error(
            "pattern-mismatch",
            f"{describe(type_)} never has the form of {describe(other)}",
            span,
            help=("match it with a form of its own type, or with `_`",),
        )

    def form(self, pattern: tree.FormPattern, subject: core.Term) -> None:
        type_ = subject.type
        name = pattern.name.name
        if isinstance(type_, Option) and isinstance(type_.item, Union):
            # `row is Real` on an option is short for `row is some(Real)`.
            self.test(core.IsPresent(subject, span=pattern.name.span))
            subject = core.Item(subject, type=type_.item, span=subject.span)
            type_ = type_.item
        index = type_.form_index(name) if isinstance(type_, Union) else None
        if index is None:
            self.not_a_form(pattern, subject, type_)
            self.lost(pattern)
            return
        assert isinstance(type_, Union)
        form = type_.forms[index]
        # A union with one form needs no test, but the first test is what reports show.
        if len(type_.forms) > 1 or not self.matched.tests:
            self.test(core.IsForm(subject, index, span=pattern.span))
        known = self.matched.facts.get(subject, frozenset(range(len(type_.forms))))
        self.matched.facts[subject] = known & {index}
        if pattern.arguments is None:
            return
        if len(pattern.arguments) != len(form.fields):
            self.collector.error(
                "pattern-arguments",
                f"`{name}` has {_fields(len(form.fields))}, the pattern {len(pattern.arguments)}",
                pattern.span,
                help=(
                    f"write `{_example(name, [f.name for f in form.fields])}`, "
                    f"with `_` for a part that does not matter, or `{name}` alone",
                ),
            )
            self.lost(pattern)
            return
        for argument, each in zip(pattern.arguments, form.fields, strict=True):
            part = core.Get(subject, each.name, type=each.type, span=subject.span)
            self.match(argument, part)

    def not_a_form(self, pattern: tree.FormPattern, subject: core.Term, type_: Type) -> None:
        name = pattern.name.name
        if pattern.arguments is None:
            value = self.parameter(name, pattern.name.span)
            if value is not None:
                if not agree(type_, value.type):
                    self.mismatch(type_, value.type, pattern.span)
                else:
                    self.test(core.Equal(subject, value, span=pattern.span))
                return
        if isinstance(type_, Nothing):
            return
        if not isinstance(type_, Union):
            self.collector.error(
                "no-forms",
                f"{describe(type_)} has no form `{name}`",
                pattern.name.span,
                notes=("`is` asks for a form of a union, for `some(x)` or for `none`",),
                help=("compare with `==`",),
            )
            return
        forms = [form.name for form in type_.forms]
        close = near(name, forms)
        self.collector.error(
            "unknown-form",
            f"`{type_.name}` has no form `{name}`",
            pattern.name.span,
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else f"its forms are {listing(forms[:8])}",
            ),
        )


def _fields(count: int) -> str:
    return {0: "no fields", 1: "one field"}.get(count, f"{count} fields")


def _example(name: str, fields: list[str]) -> str:
    return f"{name}({', '.join(fields)})" if fields else name
