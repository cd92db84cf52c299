"""A protocol's declarations, elaborated: state, actions, properties.

Used with parameters open, to find what is wrong with the file whatever a check
sets, and with everything set, to make a check's model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import Factory, define, evolve, field

from modelcheck.core import terms as core
from modelcheck.core.dependence import dependence
from modelcheck.core.model import Action, Claim, Fairness, History, Model, Property
from modelcheck.core.proof import Axiom
from modelcheck.core.types import Nothing, Sort, Type, Union
from modelcheck.diagnostics import Collector, Severity
from modelcheck.parse import tree
from modelcheck.resolve import intervals
from modelcheck.resolve.binders import bind
from modelcheck.resolve.calls import function, parameter_types
from modelcheck.resolve.linearizable import Objects
from modelcheck.resolve.markers import Markers
from modelcheck.resolve.names import (
    EffectEntity,
    LetEntity,
    Module,
    ObjectEntity,
    ParameterEntity,
    TemplateEntity,
    TypeEntity,
)
from modelcheck.resolve.properties import Properties
from modelcheck.resolve.scope import Scope, Site
from modelcheck.resolve.state import StateBlock
from modelcheck.resolve.statements import Statements, Written
from modelcheck.resolve.terms import Elaborator

GUARD = Site("a guard")
BOUND = Site("a fault bound", state=False)
AXIOM = Site("an axiom", state=False)

Refine: TypeAlias = Callable[["Protocol", tree.Refines], Property | None]
Budgets: TypeAlias = Mapping[str, int | None]
"""Faults whose bound a check replaces; None is any number of steps."""


@define(eq=False)
class Protocol:
    """Elaborates one protocol's declarations in order.

    refine  elaborates a `refines`; None where it is to be left out (in an abstract protocol)
    only    the properties that a proof is about: then nothing is elaborated that it does not need
    """

    module: Module
    terms: Elaborator
    collector: Collector
    budgets: Budgets | None = None
    refine: Refine | None = None
    only: frozenset[str] | None = None
    statements: Statements = field(init=False)
    objects: Objects = field(init=False)
    actions: list[Action] = Factory(list)
    properties: list[Property] = Factory(list)
    axioms: list[Axiom] = Factory(list)
    returns: dict[str, list[Type]] = Factory(dict)
    init: list[core.Term] = Factory(list)
    stops: core.Term | None = None
    constraint: core.Term | None = None

    def __attrs_post_init__(self) -> None:
        self.module.owners.clear()
        self.module.variables.clear()
        self.module.initial.clear()
        claims = {
            each.name.name: each for each in self.declarations if isinstance(each, tree.Claim)
        }
        self.objects = Objects(self.terms, self.collector)
        markers = Markers(self.terms, self.collector, claims, self.objects.operations)
        self.statements = Statements(self.terms, self.collector, markers)

    @property
    def declarations(self) -> tuple[tree.AnyDeclaration, ...]:
        """The file's declarations."""
        assert self.module.file is not None
        return self.module.file.declarations

    def elaborate(self) -> None:
        """Everything that a model needs."""
        state = StateBlock(self.terms, self.collector, self.module)
        for each in self.declarations:
            if isinstance(each, tree.State):
                state.groups(each)
        for each in self.declarations:
            match each:
                case tree.Init():
                    parts, _ = self.terms.conjunction(
                        each.body, Scope(self.module, Site("`init`", ghosts=True))
                    )
                    self.init += parts
                case tree.StopsWhen(condition) if self.only is None:
                    scope = Scope(self.module, Site("`stops when`"))
                    self.stops = self.terms.condition(condition, scope).term
                case tree.Constraint(condition) if self.only is None:
                    scope = Scope(self.module, Site("a constraint"))
                    self.constraint = self.terms.condition(condition, scope).term
                case tree.Action():
                    if self.module.actions.get(each.name.name) is each:
                        self.actions.append(self._action(each))
        self._elaborate_properties()

    def _elaborate_properties(self) -> None:
        arguments = {
            action.name: tuple((b.name, b.type) for b in action.binders) for action in self.actions
        }
        properties = Properties(self.terms, self.collector, arguments, self.returns)
        for each in self.declarations:
            match each:
                case (
                    tree.Invariant()
                    | tree.Step()
                    | tree.Reachable()
                    | tree.AlwaysPossible()
                    | tree.Liveness()
                ) if self._wants(each.name.name):
                    self.properties.append(properties.property(each, self.module))
                case tree.Use():
                    self.properties += properties.use(each, self.module, self._wants)
                case tree.Axiom():
                    parts, _ = self.terms.conjunction(each.body, Scope(self.module, AXIOM))
                    name = each.name.name
                    self.axioms.append(Axiom(name, parts, doc=each.doc, span=each.name.span))
                case tree.Refines():
                    if self.refine is not None:
                        refinement = self.refine(self, each)
                        if refinement is not None:
                            self.properties.append(refinement)
                case tree.Linearizable() | tree.SequentiallyConsistent() if self.only is None:
                    claim = self.objects.bind(each, self.module)
                    if claim is not None:
                        self.properties.append(claim)

    def _wants(self, name: str) -> bool:
        return self.only is None or name in self.only

    def unused(self) -> None:
        """Elaborate what nothing may have used: types, lets, effects, templates, objects."""
        arguments = {a.name: tuple((b.name, b.type) for b in a.binders) for a in self.actions}
        properties = Properties(self.terms, self.collector, arguments, self.returns)
        for entity in [*self.module.upper.values(), *self.module.lower.values()]:
            match entity:
                case TypeEntity() if entity.module is self.module:
                    self.terms.types.declared(entity, entity.span)
                case ParameterEntity() if entity.module is self.module:
                    self.terms.parameter_term(entity, entity.span)
                case LetEntity() if entity.module is self.module:
                    types = parameter_types(self.terms, entity.parameters, entity.module)
                    function(self.terms, entity, types, entity.span)
                case EffectEntity() if entity.module is self.module:
                    self.statements.effect_alone(entity)
                case TemplateEntity() if entity.module is self.module:
                    properties.template_alone(entity)
                case ObjectEntity() if entity.module is self.module:
                    self.objects.alone(entity)
                case _:
                    pass

    # --- actions --------------------------------------------------------------------

    def _action(self, declared: tree.Action) -> Action:
        scope = Scope(self.module, GUARD)
        name = declared.name.name
        self.terms.indexing.clear()
        binders, inner = bind(self.terms, declared.binders, scope)
        written = Written()
        body = self.statements.body(declared.body, inner.at(Site("an action")), written)
        self.returns[name] = written.returns
        return Action(
            name,
            declared.fault,
            binders,
            body,
            self._fairness(declared, binders),
            self._bound(declared),
            None,
            self._process(declared, binders),
            doc=declared.doc,
            span=declared.name.span,
        )

    def _process(self, declared: tree.Action, binders: tuple[core.Binder, ...]) -> int | None:
        """The first argument that indexes an `each` group: by its type, a number by its use."""
        keys = [owner.key for owner in self.module.owners if owner.key is not None]
        for position, binder in enumerate(binders):
            if isinstance(binder.type, Sort | Union):
                if binder.type in keys:
                    return position
            elif binder.name in self.terms.indexing:
                return position
        return None

    def _fairness(self, declared: tree.Action, binders: tuple[core.Binder, ...]) -> Fairness | None:
        fairness = declared.fairness
        if fairness is None:
            return None
        names = [binder.name for binder in binders]
        if fairness.per is None:
            self._warn_of_wide_fairness(declared, binders)
            return Fairness(fairness.strong, tuple(range(len(binders))))
        positions: list[int] = []
        for each in fairness.per:
            if each.name not in names:
                self.collector.error(
                    "unknown-per",
                    f"`{declared.name.name}` has no argument `{each.name}`",
                    each.span,
                    help=("`per` names arguments of the action's own header",),
                )
                continue
            positions.append(names.index(each.name))
        return Fairness(fairness.strong, tuple(positions))

    def _warn_of_wide_fairness(
        self, declared: tree.Action, binders: tuple[core.Binder, ...]
    ) -> None:
        for written, binder in zip(declared.binders, binders, strict=True):
            if isinstance(binder.domain, core.Subsets | core.Interval):
                what = "a subset" if isinstance(binder.domain, core.Subsets) else "a position"
                others = [b.name for b in binders if b is not binder]
                self.collector.error(
                    "fairness-per-choice",
                    f"fairness is asked for each choice of {what}, `{binder.name}`",
                    written.span,
                    notes=(
                        "that each single choice is taken again and again is more than a "
                        "scheduler can promise",
                    ),
                    help=(
                        f"name the arguments that matter: `fair per {', '.join(others)} action`"
                        if others
                        else "drop `fair`, or give the action an argument to be fair to",
                    ),
                    severity=Severity.WARNING,
                )

    def _bound(self, declared: tree.Action) -> int | None:
        own: int | None = None
        if declared.at_most is not None:
            elaborated = self.terms.number(declared.at_most, Scope(self.module, BOUND))
            own = intervals.constant(elaborated.type)
            if own is None and self.terms.closed and not isinstance(elaborated.type, Nothing):
                own = self.terms.constant_value(elaborated)
                if not self.terms.settled(elaborated):
                    self._refuse_open_bound(declared, elaborated)
            if own is not None and own < 0:
                self.collector.error(
                    "negative-bound",
                    f"`at most` comes to {own}",
                    declared.at_most.span,
                    help=("give the number of times that the fault may happen, from 0 up",),
                )
        if declared.fault and self.budgets is not None and declared.name.name in self.budgets:
            return self.budgets[declared.name.name]
        return own

    def _refuse_open_bound(self, declared: tree.Action, bound: core.Term) -> None:
        name = dependence(bound)
        assert declared.at_most is not None
        self.collector.error(
            "open-bound",
            f"how often `{declared.name.name}` happens depends on `{name}`, "
            "which the proof leaves open",
            declared.at_most.span,
            notes=("steps of a fault are counted up to a number that is known",),
            help=(f"set `{name}` in the proof, or drop `at most`: then every number is proved",),
        )

    # --- the model ------------------------------------------------------------------

    def model(self, settings: tuple[tuple[str, str], ...]) -> Model:
        """The model, its bounded faults counted after the variables."""
        position = len(self.module.variables)
        actions: list[Action] = []
        for action in self.actions:
            if action.at_most is not None:
                action = evolve(action, counter=position)
                position += 1
            actions.append(action)
        claims = tuple(each for each in self.properties if isinstance(each, Claim))
        return Model(
            self.module.protocol or "",
            settings,
            tuple(self.module.owners),
            tuple(self.module.variables),
            tuple(self.module.initial),
            tuple(self.init),
            tuple(actions),
            tuple(self.properties),
            self.stops,
            self.constraint,
            History(claims) if claims else None,
        )
