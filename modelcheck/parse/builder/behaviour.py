"""Trees of names, state and actions."""

from __future__ import annotations

from typing import Any

from attrs import frozen
from lark import Token

from modelcheck.parse import tree as t
from modelcheck.parse.builder.base import Block, Names, Parameters, present
from modelcheck.parse.builder.terms import TermMaker
from modelcheck.source import Span


@frozen
class Protocol(t.Node):
    """The line `protocol X`."""

    name: t.Identifier


def modifier_of(token: Token | None) -> Any:
    """The word before a variable."""
    return None if token is None else str(token)


class BehaviourMaker(TermMaker):
    """A method for each rule of a declaration that says what can happen, and of a statement."""

    # --- declarations of names ---------------------------------------------------

    def protocol(self, span: Span, name: t.Identifier) -> Protocol:
        return Protocol(name, span=span)

    def import_(self, span: Span, path: Token, *names: t.Identifier) -> t.Import:
        return t.Import(
            str(path)[1:-1], names, path_span=self._span(path), doc=self._doc(span), span=span
        )

    def param(
        self, span: Span, word: Token, names: Names, type: t.TypeRef, default: t.Term | None
    ) -> t.Parameter:
        axis = word.type == "AXIS"
        return t.Parameter(names, type, default, axis, doc=self._doc(span), span=span)

    def sort(self, span: Span, names: Names) -> t.Sort:
        return t.Sort(names, doc=self._doc(span), span=span)

    def uppers(self, span: Span, *names: t.Identifier) -> Names:
        return names

    lowers = uppers

    def union(self, span: Span, name: t.Identifier, *forms: t.Form) -> t.Union:
        return t.Union(name, forms, doc=self._doc(span), span=span)

    def alias(self, span: Span, name: t.Identifier, type: t.TypeRef) -> t.Alias:
        return t.Alias(name, type, doc=self._doc(span), span=span)

    def record(
        self, span: Span, name: t.Identifier, fields: tuple[t.FieldDeclaration, ...]
    ) -> t.Union:
        form_span = Span(self.source, name.span.start, span.end)
        form = t.Form(name, fields, span=form_span)
        return t.Union(name, (form,), doc=self._doc(span), span=span)

    def bare_form(self, span: Span, name: t.Identifier) -> t.Form:
        return t.Form(name, span=span)

    def form_with_fields(
        self, span: Span, name: t.Identifier, fields: tuple[t.FieldDeclaration, ...]
    ) -> t.Form:
        return t.Form(name, fields, span=span)

    def fields(self, span: Span, *fields: t.FieldDeclaration) -> tuple[t.FieldDeclaration, ...]:
        return fields

    def field(self, span: Span, name: t.Identifier, type: t.TypeRef) -> t.FieldDeclaration:
        return t.FieldDeclaration(name, type, span=span)

    def let(
        self,
        span: Span,
        name: t.Identifier,
        parameters: Parameters | None,
        type: t.TypeRef | None,
        value: t.Term,
    ) -> t.Let:
        return t.Let(name, parameters, type, value, doc=self._doc(span), span=span)

    def head(self, span: Span, *parameters: t.HeadParameter | None) -> Parameters:
        return present(parameters)

    def value_parameter(self, span: Span, name: t.Identifier, type: t.TypeRef) -> t.ValueParameter:
        return t.ValueParameter(name, type, span=span)

    def upper_parameter(self, span: Span, name: t.Identifier, type: t.TypeRef) -> t.UpperParameter:
        return t.UpperParameter(name, type, span=span)

    def type_parameter(self, span: Span, name: t.Identifier, kind: Token) -> t.TypeParameter:
        return t.TypeParameter(name, "sort" if kind.type == "SORT" else "type", span=span)

    def function_parameter(
        self, span: Span, name: t.Identifier, parameters: Parameters, type: t.TypeRef
    ) -> t.FunctionParameter:
        return t.FunctionParameter(name, parameters, type, span=span)

    # --- state -------------------------------------------------------------------

    def state(self, span: Span, *groups: t.Group) -> t.State:
        return t.State(groups, doc=self._doc(span), span=span)

    def each_group(
        self, span: Span, name: t.Identifier, variables: tuple[t.Variable, ...]
    ) -> t.Group:
        return t.Group("each", name, variables, doc=self._doc(span), span=span)

    def single_group(
        self, span: Span, name: t.Identifier, variables: tuple[t.Variable, ...]
    ) -> t.Group:
        self.structure.place_name(name, "group")
        return t.Group("single", name, variables, doc=self._doc(span), span=span)

    def channel_group(
        self, span: Span, name: t.Identifier, variables: tuple[t.Variable, ...]
    ) -> t.Group:
        self.structure.place_name(name, "group")
        return t.Group("channel", name, variables, doc=self._doc(span), span=span)

    def variables(self, span: Span, *variables: t.Variable) -> tuple[t.Variable, ...]:
        return variables

    def variable(
        self, span: Span, modifier: Token | None, name: t.Identifier, type: t.TypeRef
    ) -> t.Variable:
        return t.Variable(name, type, modifier_of(modifier), doc=self._doc(span), span=span)

    def variable_with_initial(
        self,
        span: Span,
        modifier: Token | None,
        name: t.Identifier,
        type: t.TypeRef,
        initial: t.Term,
    ) -> t.Variable:
        doc = self._doc(span)
        return t.Variable(name, type, modifier_of(modifier), initial=initial, doc=doc, span=span)

    def variable_with_choice(
        self,
        span: Span,
        modifier: Token | None,
        name: t.Identifier,
        type: t.TypeRef,
        choice: t.Domain,
    ) -> t.Variable:
        doc = self._doc(span)
        return t.Variable(name, type, modifier_of(modifier), choice=choice, doc=doc, span=span)

    def init(self, span: Span, body: tuple[t.Term, ...]) -> t.Init:
        return t.Init(body, doc=self._doc(span), span=span)

    def body(self, span: Span, *terms: t.Term) -> tuple[t.Term, ...]:
        return terms

    # --- actions -----------------------------------------------------------------

    def action(
        self,
        span: Span,
        fairness: t.Fairness | None,
        name: t.Identifier,
        binders: tuple[t.Binder, ...] | None,
        at_most: t.Term | None,
        body: Block,
    ) -> t.Action:
        self.structure.guards(body)
        if at_most is not None:
            self.structure.bound_on_action(name, at_most)
        return t.Action(
            name, False, fairness, binders or (), at_most, body, doc=self._doc(span), span=span
        )

    def fault(
        self,
        span: Span,
        fairness: t.Fairness | None,
        name: t.Identifier,
        binders: tuple[t.Binder, ...] | None,
        at_most: t.Term | None,
        body: Block,
    ) -> t.Action:
        self.structure.guards(body)
        if fairness is not None:
            self.structure.fair_fault(name, fairness)
        return t.Action(
            name, True, None, binders or (), at_most, body, doc=self._doc(span), span=span
        )

    def fairness(self, span: Span, strongly: Token | None, per: Names | None) -> t.Fairness:
        return t.Fairness(strongly is not None, per, span=span)

    def choices(self, span: Span, binders: tuple[t.Binder, ...]) -> tuple[t.Binder, ...]:
        return binders

    def effect(
        self, span: Span, name: t.Identifier, parameters: Parameters, body: Block
    ) -> t.Effect:
        self.structure.place_name(name, "effect")
        self.structure.no_guards(body, "an effect")
        return t.Effect(name, parameters, body, doc=self._doc(span), span=span)

    def block(self, span: Span, *statements: t.Statement) -> Block:
        return statements

    def when(self, span: Span, condition: t.Term) -> t.When:
        return t.When(condition, span=span)

    def local_let(self, span: Span, name: t.Identifier, value: t.Term) -> t.LocalLet:
        return t.LocalLet(name, value, span=span)

    def update(self, span: Span, place: t.Term, operator: Token, value: t.Term) -> t.Update:
        match str(operator):
            case "+=":
                return t.Update(place, "+=", value, span=span)
            case "-=":
                return t.Update(place, "-=", value, span=span)
        return t.Update(place, ":=", value, span=span)

    def if_statement(
        self, span: Span, condition: t.Term, block: Block, *rest: Any
    ) -> t.IfStatement:
        elifs: list[tuple[t.Term, Block]] = list(rest[:-1])
        otherwise: Block | None = rest[-1]
        branches = ((condition, block), *elifs)
        for _, branch in branches:
            self.structure.no_guards(branch, "an `if` block")
        self.structure.no_guards(otherwise or (), "an `else` block")
        return t.IfStatement(branches, otherwise, span=span)

    def elif_(self, span: Span, condition: t.Term, block: Block) -> tuple[t.Term, Block]:
        return condition, block

    def for_(self, span: Span, binders: tuple[t.Binder, ...], body: Block) -> t.For:
        self.structure.no_guards(body, "a `for` block")
        return t.For(binders, body, span=span)

    def lose(self, span: Span, owner: t.Term) -> t.Lose:
        return t.Lose(owner, span=span)

    def effect_call(
        self, span: Span, effect: t.Identifier, arguments: tuple[t.Term, ...] | None
    ) -> t.EffectCall:
        return t.EffectCall(effect, arguments or (), span=span)

    def call_marker(
        self,
        span: Span,
        object: t.Identifier,
        operation: t.Identifier,
        arguments: tuple[t.Term, ...] | None,
        caller: t.Term,
    ) -> t.CallMarker:
        return t.CallMarker(object, operation, arguments or (), caller, span=span)

    def return_nothing(self, span: Span, caller: t.Term) -> t.ReturnMarker:
        return t.ReturnMarker(None, caller, span=span)

    def return_value(self, span: Span, value: t.Term, caller: t.Term) -> t.ReturnMarker:
        return t.ReturnMarker(value, caller, span=span)

    def abandon(self, span: Span, caller: t.Term) -> t.Abandon:
        return t.Abandon(caller, span=span)

    def returns(self, span: Span, value: t.Term) -> t.Returns:
        return t.Returns(value, span=span)
