"""Terms: from trees to typed core terms; the kinds are functions of the modules beside this one."""

from __future__ import annotations

from typing import assert_never

from attrs import define, evolve

from modelcheck.core import terms as core
from modelcheck.core.types import (
    NOTHING,
    Bag,
    Bool,
    Nothing,
    Option,
    Range,
    Set,
    Type,
)
from modelcheck.diagnostics import Label
from modelcheck.parse import tree
from modelcheck.resolve.binders import bind, quantified
from modelcheck.resolve.calls import call
from modelcheck.resolve.containers import (
    index_of,
    map_term,
    membership,
    seq_literal,
    set_literal,
    slice_of,
    subset,
)
from modelcheck.resolve.elaborating import Elaborating, is_literal
from modelcheck.resolve.forms import (
    make,
    upper_word,
    with_fields,
)
from modelcheck.resolve.names import (
    BoundValue,
    ParameterEntity,
)
from modelcheck.resolve.operators import binary, compare, negative
from modelcheck.resolve.patterns import match_pattern
from modelcheck.resolve.reading import get, lower_word, next_state
from modelcheck.resolve.scope import (
    Condition,
    Scope,
    both,
    either,
    wrap,
)
from modelcheck.resolve.types import describe, join
from modelcheck.source import Span


@define(eq=False)
class Elaborator(Elaborating):
    """Elaborates the terms of one file, open or with one check's settings."""

    def condition(self, term: tree.Term, scope: Scope) -> Condition:
        """The term, where a condition is wanted, with what it binds and establishes."""
        match term:
            case tree.Parenthesized(inner):
                return self.condition(inner, scope)
            case tree.And():
                return self._and(term, scope)
            case tree.Or():
                return self._or(term, scope)
            case tree.Not(operand):
                inside = self.condition(operand, scope)
                negation = core.Not(inside.term, span=term.span)
                return Condition(negation, (), inside.when_false, inside.when_true)
            case tree.Implies(left, right):
                premise = self.condition(left, scope)
                conclusion = self.condition(right, self.after(premise, scope, left.span))
                body = wrap(premise.lets, conclusion.term)
                return Condition(core.Implies(premise.term, body, span=term.span))
            case tree.Is():
                return self._is(term, scope)
            case _:
                elaborated = self.term(term, scope)
                if not isinstance(elaborated.type, Bool | Nothing):
                    self.collector.error(
                        "not-a-condition",
                        f"{describe(elaborated.type)} where a condition is wanted",
                        term.span,
                        help=("compare it: `x == y`, `x is Form`, `x in S`",),
                    )
                    elaborated = self.wrong(term.span)
                return Condition(elaborated)

    def term(self, term: tree.Term, scope: Scope, hint: Type | None = None) -> core.Term:
        """The term with its type. `hint` types literals (`{}`, `none`); it is not enforced."""
        match term:
            case tree.Parenthesized(inner):
                return self.term(inner, scope, hint)
            case tree.Name():
                return lower_word(self, term, scope)
            case tree.Upper():
                return upper_word(self, term, scope)
            case tree.IntLiteral(value):
                number = core.Number(value, type=Range(value, value), span=term.span)
                return self.checked(number, term.span)
            case tree.BoolLiteral(truth):
                return core.Truth(truth, span=term.span)
            case tree.NoneLiteral():
                type_ = hint if isinstance(hint, Option) else Option(NOTHING)
                return core.Absent(type=type_, span=term.span)
            case tree.SetLiteral():
                return set_literal(self, term, scope, hint)
            case tree.SeqLiteral():
                return seq_literal(self, term, scope, hint)
            case tree.TupleTerm():
                self.collector.error(
                    "tuple-outside-comparison",
                    "a tuple that is not compared",
                    term.span,
                    notes=("tuples exist for lexicographic comparison only: `(a, b) >= (c, d)`",),
                    help=("declare a record, `type Pair(a: A, b: B)`, and write `Pair(a, b)`",),
                )
                return self.wrong(term.span)
            case tree.Comprehension():
                binders, heads = bind(self, term.binders, scope)
                head = self.term(term.head, heads)
                return core.Collect(head, binders, type=Set(head.type), span=term.span)
            case tree.Call():
                return call(self, term, scope)
            case tree.Make():
                return make(self, term, scope)
            case tree.Get():
                return get(self, term, scope)
            case tree.Next():
                return next_state(self, term, scope)
            case tree.Index():
                return index_of(self, term, scope)
            case tree.Slice():
                return slice_of(self, term, scope)
            case tree.Negative(operand):
                return negative(self, term, operand, scope)
            case tree.Binary():
                return binary(self, term, scope)
            case tree.Compare():
                return compare(self, term, scope)
            case tree.In():
                return membership(self, term, scope)
            case tree.Subset():
                return subset(self, term, scope)
            case tree.With():
                return with_fields(self, term, scope)
            case tree.Quantified():
                return quantified(self, term, scope)
            case tree.If():
                return self._if(term, scope, hint)
            case tree.Each():
                return map_term(self, term, scope, hint)
            case tree.Not() | tree.And() | tree.Or() | tree.Implies() | tree.Is():
                return self.condition(term, scope).term
            case _:
                assert_never(term)

    def _and(self, term: tree.And, scope: Scope) -> Condition:
        left = self.condition(term.left, scope)
        right = self.condition(term.right, self.after(left, scope, term.left.span))
        first = left.term.operands if isinstance(left.term, core.And) else (left.term,)
        conjunction = core.And((*first, wrap(left.lets, right.term)), span=term.span)
        return Condition(conjunction, left.lets + right.lets, both(left.when_true, right.when_true))

    def _or(self, term: tree.Or, scope: Scope) -> Condition:
        left = self.condition(term.left, scope)
        right = self.condition(term.right, scope.know(left.when_false))
        first = left.term.operands if isinstance(left.term, core.Or) else (left.term,)
        disjunction = core.Or((*first, right.term), span=term.span)
        return Condition(
            disjunction,
            (),
            either(left.when_true, right.when_true),
            both(left.when_false, right.when_false),
        )

    def _is(self, term: tree.Is, scope: Scope) -> Condition:
        subject = self.term(term.subject, scope)
        condition, bound = match_pattern(
            term.pattern,
            subject,
            term.span,
            self.collector,
            lambda name, span: self._parameter_named(name, span, scope),
        )
        for name, _, span in bound:
            self.refuse_shadowing(name, span, scope, matched=True)
        whole = evolve(condition.term, span=term.span)
        if isinstance(subject.type, Nothing):
            whole = self.wrong(term.span)
        if not term.negated:
            return evolve(condition, term=whole)
        if bound:
            name, _, span = bound[0]
            self.collector.error(
                "binding-under-not",
                f"`{name}` is bound where the match has failed",
                span,
                help=("write `_` for the parts of a form after `is not`",),
            )
        return Condition(
            core.Not(whole, span=term.span), (), condition.when_false, condition.when_true
        )

    def _parameter_named(self, name: str, span: Span, scope: Scope) -> core.Term | None:
        entity = scope.module.find_upper(name)
        match entity:
            case ParameterEntity():
                return self.parameter_term(entity, span)
            case BoundValue():
                return evolve(entity.term, span=span)
            case _:
                return None

    def _if(self, term: tree.If, scope: Scope, hint: Type | None) -> core.Term:
        condition = self.condition(term.condition, scope)
        then_scope = self.after(condition, scope, term.condition.span)
        then = self.term(term.then, then_scope, hint)
        otherwise_scope = scope.know(condition.when_false)
        otherwise = self.term(term.otherwise, otherwise_scope, hint or then.type)
        if is_literal(term.then) and hint is None:
            then = self.term(term.then, then_scope, otherwise.type)
        joined = join(then.type, otherwise.type)
        if joined is None and {type(then.type), type(otherwise.type)} == {Set, Bag}:
            joined = then.type if isinstance(then.type, Bag) else otherwise.type
        if joined is None:
            self.collector.error(
                "branches-differ",
                f"`then` gives {describe(then.type)}, `else` {describe(otherwise.type)}",
                Span(term.span.source, term.span.start, term.span.start + len("if")),
                labels=(
                    Label(term.then.span, describe(then.type)),
                    Label(term.otherwise.span, describe(otherwise.type)),
                ),
                help=("give both branches one type",),
            )
            return self.wrong(term.span)
        if isinstance(joined, Option):
            then, otherwise = (
                each if isinstance(each.type, Nothing) else self.as_option(each, joined)
                for each in (then, otherwise)
            )
        return core.If(
            condition.term, wrap(condition.lets, then), otherwise, type=joined, span=term.span
        )
