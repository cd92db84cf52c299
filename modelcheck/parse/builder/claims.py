"""Trees of objects, templates, properties, checks and proofs."""

from __future__ import annotations

from typing import Any

from attrs import frozen
from lark import Token

from modelcheck.parse import tree as t
from modelcheck.parse.builder.base import Block, Names, Parameters, present
from modelcheck.parse.builder.behaviour import BehaviourMaker
from modelcheck.source import Span


@frozen
class Faults:
    """A `faults` line."""

    span: Span
    budgets: tuple[t.Budget, ...]


@frozen
class Settings:
    """A line of settings."""

    settings: tuple[t.Setting, ...]


@frozen
class Expect:
    """An `expect` line."""

    expectations: tuple[t.Expectation, ...]


class ClaimMaker(BehaviourMaker):
    """A method for each rule of a declaration that says what has to hold."""

    # --- objects, templates ------------------------------------------------------

    def object(
        self,
        span: Span,
        name: t.Identifier,
        parameters: Parameters | None,
        variables: tuple[t.Variable, ...],
        *operations: t.Operation,
    ) -> t.Object:
        doc = self._doc(span)
        return t.Object(name, parameters or (), variables, operations, doc=doc, span=span)

    def operation(
        self,
        span: Span,
        name: t.Identifier,
        parameters: Parameters,
        result: t.TypeRef | None,
        body: Block,
    ) -> t.Operation:
        self.structure.guards(body)
        return t.Operation(name, parameters, result, body, doc=self._doc(span), span=span)

    def template(
        self,
        span: Span,
        name: t.Identifier,
        parameters: Parameters | None,
        *properties: t.Property,
    ) -> t.Template:
        return t.Template(name, parameters or (), properties, doc=self._doc(span), span=span)

    def use(
        self,
        span: Span,
        template: t.Identifier,
        bindings: tuple[t.Binding, ...] | None,
        alias: t.Identifier | None,
    ) -> t.Use:
        return t.Use(template, bindings or (), alias, doc=self._doc(span), span=span)

    def linearizable(
        self,
        span: Span,
        name: t.Identifier,
        object: t.Identifier,
        bindings: tuple[t.Binding, ...] | None,
    ) -> t.Linearizable:
        return t.Linearizable(name, object, bindings or (), doc=self._doc(span), span=span)

    def sequentially_consistent(
        self,
        span: Span,
        name: t.Identifier,
        object: t.Identifier,
        bindings: tuple[t.Binding, ...] | None,
    ) -> t.SequentiallyConsistent:
        doc = self._doc(span)
        return t.SequentiallyConsistent(name, object, bindings or (), doc=doc, span=span)

    def bindings(self, span: Span, *bindings: t.Binding | None) -> tuple[t.Binding, ...]:
        return present(bindings)

    def upper_binding(self, span: Span, name: t.Identifier, value: t.Term) -> t.TypeBinding:
        return t.TypeBinding(name, value, span=span)

    def basic_binding(self, span: Span, name: t.Identifier, value: Token) -> t.TypeBinding:
        type = t.BasicType("int" if value == "int" else "bool", span=self._span(value))
        return t.TypeBinding(name, type, span=span)

    def value_binding(
        self, span: Span, name: t.Identifier, parameters: Names | None, value: t.Term
    ) -> t.ValueBinding:
        return t.ValueBinding(name, parameters, value, span=span)

    def binding_names(self, span: Span, *names: t.Identifier | None) -> Names:
        return present(names)

    def name_or_blank(self, span: Span, name: t.Identifier | Token) -> t.Identifier:
        return t.Identifier("_", span=span) if isinstance(name, Token) else name

    # --- properties --------------------------------------------------------------

    def invariant(self, span: Span, name: t.Identifier, body: tuple[t.Term, ...]) -> t.Invariant:
        return t.Invariant(name, body, doc=self._doc(span), span=span)

    def lemma(self, span: Span, name: t.Identifier, body: tuple[t.Term, ...]) -> t.Invariant:
        return t.Invariant(name, body, True, doc=self._doc(span), span=span)

    def axiom(self, span: Span, name: t.Identifier, body: tuple[t.Term, ...]) -> t.Axiom:
        return t.Axiom(name, body, doc=self._doc(span), span=span)

    def step(
        self,
        span: Span,
        name: t.Identifier,
        events: tuple[t.Event, ...] | None,
        body: tuple[t.Term, ...],
    ) -> t.Step:
        return t.Step(name, events, body, doc=self._doc(span), span=span)

    def events(self, span: Span, *events: t.Event) -> tuple[t.Event, ...]:
        return events

    def event(self, span: Span, action: t.Identifier, names: Names | None) -> t.Event:
        return t.Event(action, names, span=span)

    def reachable(self, span: Span, name: t.Identifier, body: tuple[t.Term, ...]) -> t.Reachable:
        return t.Reachable(name, body, doc=self._doc(span), span=span)

    def always_possible(
        self, span: Span, name: t.Identifier, body: tuple[t.Term, ...]
    ) -> t.AlwaysPossible:
        return t.AlwaysPossible(name, body, doc=self._doc(span), span=span)

    def liveness(self, span: Span, name: t.Identifier, *body: t.Temporal) -> t.Liveness:
        return t.Liveness(name, body, doc=self._doc(span), span=span)

    def forall_temporal(
        self, span: Span, binders: tuple[t.Binder, ...], body: t.Temporal
    ) -> t.ForallTemporal:
        return t.ForallTemporal(binders, body, span=span)

    def always_eventually(self, span: Span, body: t.Term) -> t.Modal:
        return t.Modal("always eventually", body, span=span)

    def eventually_always(self, span: Span, body: t.Term) -> t.Modal:
        return t.Modal("eventually always", body, span=span)

    def eventually(self, span: Span, body: t.Term) -> t.Modal:
        return t.Modal("eventually", body, span=span)

    def leads_to(self, span: Span, premise: t.Term, conclusion: t.Term) -> t.LeadsTo:
        return t.LeadsTo(premise, conclusion, span=span)

    def stops(self, span: Span, condition: t.Term) -> t.StopsWhen:
        return t.StopsWhen(condition, doc=self._doc(span), span=span)

    def constraint(self, span: Span, condition: t.Term) -> t.Constraint:
        return t.Constraint(condition, doc=self._doc(span), span=span)

    def refines(
        self,
        span: Span,
        protocol: t.Identifier,
        mappings: tuple[t.Mapping, ...] | None,
        liveness: bool | None,
    ) -> t.Refines:
        doc = self._doc(span)
        return t.Refines(protocol, mappings or (), liveness is not None, doc=doc, span=span)

    def mappings(self, span: Span, *mappings: t.Mapping) -> tuple[t.Mapping, ...]:
        return mappings

    def upper_mapping(self, span: Span, name: t.Identifier, value: t.Term) -> t.Mapping:
        return t.Mapping(name, None, value, span=span)

    def lower_mapping(
        self, span: Span, name: t.Identifier, field: t.Identifier | None, value: t.Term
    ) -> t.Mapping:
        return t.Mapping(name, field, value, span=span)

    def its_liveness(self, span: Span) -> bool:
        return True

    # --- checks, proofs ----------------------------------------------------------

    def check(
        self,
        span: Span,
        name: t.Identifier,
        like: t.Identifier | None,
        *lines: Settings | Faults | Expect,
    ) -> t.Check:
        settings: list[t.Setting] = []
        expectations: list[t.Expectation] = []
        faults: Faults | None = None
        for line in lines:
            match line:
                case Settings():
                    settings += line.settings
                case Expect():
                    expectations += line.expectations
                case Faults():
                    if faults is not None:
                        self.structure.second_faults(faults.span, line.span)
                    faults = line
        if not expectations:
            self.structure.missing_expect(name)
        return t.Check(
            name,
            like,
            tuple(settings),
            faults.budgets if faults else None,
            tuple(expectations),
            doc=self._doc(span),
            span=span,
        )

    def settings(self, span: Span, *settings: t.Setting) -> Settings:
        return Settings(settings)

    def setting(self, span: Span, name: t.Identifier, value: t.Term) -> t.Setting:
        return t.Setting(name, value, span=span)

    def faults(self, span: Span, *budgets: t.Budget) -> Faults:
        return Faults(span, budgets)

    def budget(self, span: Span, fault: t.Identifier, bound: t.Term) -> t.Budget:
        return t.Budget(fault, bound, span=span)

    def unbounded(self, span: Span, fault: t.Identifier) -> t.Budget:
        return t.Budget(fault, None, span=span)

    def expect(self, span: Span, *expectations: t.Expectation) -> Expect:
        return Expect(expectations)

    def expect_holds(self, span: Span) -> t.ExpectHolds:
        return t.ExpectHolds(span=span)

    def expect_property(
        self, span: Span, path: Names, verdict: Token, steps: Token | None = None
    ) -> t.ExpectProperty:
        number = None if steps is None else self._number(steps)
        word: Any = str(verdict)
        return t.ExpectProperty(path, word, number, span=span)

    def expect_error(self, span: Span, kind: Token) -> t.ExpectError:
        word: Any = str(kind)
        return t.ExpectError(word, span=span)

    def expect_count(self, span: Span, kind: Token, count: Token) -> t.ExpectCount:
        word: Any = str(kind)
        return t.ExpectCount(word, self._number(count), span=span)

    def path(self, span: Span, *names: t.Identifier | None) -> Names:
        return present(names)

    goal_name = path

    def proof(
        self,
        span: Span,
        name: t.Identifier,
        generalised: Names | None,
        settings: Settings | None,
        *goals: t.Goal,
    ) -> t.Proof:
        return t.Proof(
            name,
            generalised or (),
            settings.settings if settings else (),
            goals,
            doc=self._doc(span),
            span=span,
        )

    def goal(self, span: Span, *parts: Any) -> t.Goal:
        *names, (method, k), using = parts
        return t.Goal(tuple(names), method, k, using or (), span=span)

    def method(self, span: Span, word: Token, k: Token | None = None) -> tuple[str, int | None]:
        return str(word), None if k is None else self._number(k)
