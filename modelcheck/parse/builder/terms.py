"""Trees of types, binders, terms and patterns."""

from __future__ import annotations

from typing import Any

from lark import Token

from modelcheck.parse import tree as t
from modelcheck.parse.builder.base import Maker
from modelcheck.source import Span


class TermMaker(Maker):
    """A method for each rule of a type, binder, term or pattern."""

    # --- types -------------------------------------------------------------------

    def set_type(self, span: Span, element: t.ElementType, bound: t.Term | None) -> t.SetType:
        return t.SetType(element, bound, span=span)

    def bag_type(self, span: Span, element: t.ElementType, bound: t.Term) -> t.BagType:
        return t.BagType(element, bound, span=span)

    def seq_type(self, span: Span, element: t.ElementType, bound: t.Term) -> t.SeqType:
        return t.SeqType(element, bound, span=span)

    def map_type(self, span: Span, key: t.ElementType, value: t.TypeRef) -> t.MapType:
        return t.MapType(key, value, span=span)

    def named_type(self, span: Span, name: t.Identifier, option: Token | None) -> t.NamedType:
        return t.NamedType(name.name, option is not None, span=span)

    def basic_type(self, span: Span, name: Token, option: Token | None) -> t.BasicType:
        return t.BasicType("int" if name == "int" else "bool", option is not None, span=span)

    def range_type(self, span: Span, low: t.Term, high: t.Term) -> t.RangeType:
        return t.RangeType(low, high, span=span)

    # --- binders -----------------------------------------------------------------

    def binders(self, span: Span, *binders: t.Binder) -> tuple[t.Binder, ...]:
        return binders

    def binder(
        self, span: Span, name: t.Identifier, domain: t.Domain, where: t.Term | None
    ) -> t.Binder:
        return t.Binder(name, domain, where, span=span)

    def in_term(self, span: Span, term: t.Term) -> t.InTerm:
        return t.InTerm(term, span=span)

    def in_range(self, span: Span, low: t.Term, high: t.Term) -> t.InRange:
        return t.InRange(low, high, span=span)

    def in_subsets(self, span: Span, of: t.Term) -> t.InSubsets:
        return t.InSubsets(of, span=span)

    def in_basic(self, span: Span, name: Token) -> t.InBool | t.InInt:
        return t.InInt(span=span) if name == "int" else t.InBool(span=span)

    # --- terms -------------------------------------------------------------------

    def implies(self, span: Span, left: t.Term, right: t.Term) -> t.Implies:
        return t.Implies(left, right, span=span)

    def or_(self, span: Span, left: t.Term, right: t.Term) -> t.Or:
        return t.Or(left, right, span=span)

    def and_(self, span: Span, left: t.Term, right: t.Term) -> t.And:
        return t.And(left, right, span=span)

    def not_(self, span: Span, operand: t.Term) -> t.Not:
        return t.Not(operand, span=span)

    def quantified(
        self, span: Span, word: Token, binders: tuple[t.Binder, ...], body: t.Term
    ) -> t.Quantified:
        quantifier: Any = str(word)
        return t.Quantified(quantifier, binders, body, span=span)

    def if_term(self, span: Span, condition: t.Term, then: t.Term, otherwise: t.Term) -> t.If:
        return t.If(condition, then, otherwise, span=span)

    def each(self, span: Span, binder: t.Binder, body: t.Term) -> t.Each:
        return t.Each(binder, body, span=span)

    def compare(self, span: Span, left: t.Term, operator: Token, right: t.Term) -> t.Compare:
        sign: Any = str(operator)
        return t.Compare(sign, left, right, span=span)

    def is_(self, span: Span, subject: t.Term, pattern: t.Pattern) -> t.Is:
        return t.Is(subject, pattern, span=span)

    def is_not(self, span: Span, subject: t.Term, pattern: t.Pattern) -> t.Is:
        return t.Is(subject, pattern, True, span=span)

    def in_(self, span: Span, element: t.Term, collection: t.Term) -> t.In:
        return t.In(element, collection, span=span)

    def not_in(self, span: Span, element: t.Term, collection: t.Term) -> t.In:
        return t.In(element, collection, True, span=span)

    def subset(self, span: Span, left: t.Term, right: t.Term) -> t.Subset:
        return t.Subset(left, right, span=span)

    def with_(self, span: Span, subject: t.Term, *changes: tuple[t.Identifier, t.Term]) -> t.With:
        return t.With(subject, changes, span=span)

    def change(self, span: Span, name: t.Identifier, value: t.Term) -> tuple[t.Identifier, t.Term]:
        return name, value

    def binary(self, span: Span, left: t.Term, operator: Token, right: t.Term) -> t.Binary:
        sign: Any = str(operator)
        return t.Binary(sign, left, right, span=span)

    def negative(self, span: Span, minus: Token, operand: t.Term) -> t.Negative:
        return t.Negative(operand, span=span)

    def get(self, span: Span, subject: t.Term, field: t.Identifier) -> t.Get:
        return t.Get(subject, field, span=span)

    def next_(self, span: Span, subject: t.Term) -> t.Next:
        return t.Next(subject, span=span)

    def index(self, span: Span, subject: t.Term, index: t.Term) -> t.Index:
        return t.Index(subject, index, span=span)

    def slice(self, span: Span, subject: t.Term, low: t.Term, high: t.Term | None) -> t.Slice:
        return t.Slice(subject, low, high, span=span)

    def name(self, span: Span, name: t.Identifier) -> t.Name:
        return t.Name(name.name, span=span)

    def upper(self, span: Span, name: t.Identifier) -> t.Upper:
        return t.Upper(name.name, span=span)

    def make(self, span: Span, form: t.Identifier, arguments: tuple[t.Term, ...]) -> t.Make:
        return t.Make(form, arguments, span=span)

    def call(
        self, span: Span, function: t.Identifier, arguments: tuple[t.Term, ...] | None
    ) -> t.Call:
        return t.Call(function, arguments or (), span=span)

    def int_literal(self, span: Span, digits: Token) -> t.IntLiteral:
        return t.IntLiteral(self._number(digits), span=span)

    def bool_literal(self, span: Span, word: Token) -> t.BoolLiteral:
        return t.BoolLiteral(word == "true", span=span)

    def none_literal(self, span: Span) -> t.NoneLiteral:
        return t.NoneLiteral(span=span)

    def set_literal(self, span: Span, items: tuple[t.Term, ...] | None) -> t.SetLiteral:
        return t.SetLiteral(items or (), span=span)

    def seq_literal(self, span: Span, items: tuple[t.Term, ...] | None) -> t.SeqLiteral:
        return t.SeqLiteral(items or (), span=span)

    def comprehension(
        self, span: Span, head: t.Term, binders: tuple[t.Binder, ...]
    ) -> t.Comprehension:
        return t.Comprehension(head, binders, span=span)

    def parenthesized(self, span: Span, inner: t.Term) -> t.Parenthesized:
        return t.Parenthesized(inner, span=span)

    def tuple_term(self, span: Span, first: t.Term, rest: tuple[t.Term, ...]) -> t.TupleTerm:
        return t.TupleTerm((first, *rest), span=span)

    def arguments(self, span: Span, *terms: t.Term) -> tuple[t.Term, ...]:
        return terms

    # --- patterns ----------------------------------------------------------------

    def form_pattern(
        self, span: Span, name: t.Identifier, arguments: tuple[t.Pattern, ...] | None
    ) -> t.FormPattern:
        return t.FormPattern(name, arguments, span=span)

    def pattern_arguments(self, span: Span, *patterns: t.Pattern) -> tuple[t.Pattern, ...]:
        return patterns

    def some_pattern(self, span: Span, item: t.Pattern) -> t.SomePattern:
        return t.SomePattern(item, span=span)

    def none_pattern(self, span: Span) -> t.NonePattern:
        return t.NonePattern(span=span)

    def bind_pattern(self, span: Span, name: t.Identifier | Token) -> t.BindPattern:
        return t.BindPattern("_" if isinstance(name, Token) else name.name, span=span)

    def int_pattern(self, span: Span, digits: Token) -> t.IntPattern:
        return t.IntPattern(self._number(digits), span=span)

    def negative_pattern(self, span: Span, minus: Token, digits: Token) -> t.IntPattern:
        return t.IntPattern(-self._number(digits), span=span)

    def bool_pattern(self, span: Span, word: Token) -> t.BoolPattern:
        return t.BoolPattern(word == "true", span=span)
