"""Properties: from trees to core, those of templates included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from attrs import define, evolve

from modelcheck.core import terms as core
from modelcheck.core.model import AlwaysPossible as CoreAlwaysPossible
from modelcheck.core.model import (
    Event,
    Invariant,
    Liveness,
    Obligation,
    Property,
    Reachable,
    StepProperty,
)
from modelcheck.core.types import BOOL, INT, NOTHING, Sort, Type
from modelcheck.diagnostics import Collector, Label, listing, near, there_are
from modelcheck.parse import tree
from modelcheck.resolve.binders import bind
from modelcheck.resolve.forms import number_of
from modelcheck.resolve.names import (
    BoundType,
    BoundValue,
    LetEntity,
    Module,
    OpaqueFunction,
    TemplateEntity,
)
from modelcheck.resolve.scope import Bound, Scope, Site
from modelcheck.resolve.terms import Elaborator
from modelcheck.resolve.types import join
from modelcheck.source import Span

ARGUMENT = Site("an argument", ghosts=True)
PROPERTY = Site("a property", ghosts=True)
STEP = Site("a `step` property", ghosts=True, next=True)


@define(eq=False)
class Properties:
    """Elaborates properties.

    arguments  the names and types of each action's arguments
    returns    the types of what each action returns
    """

    terms: Elaborator
    collector: Collector
    arguments: Mapping[str, tuple[tuple[str, Type], ...]]
    returns: Mapping[str, Sequence[Type]]

    def property(self, declared: tree.Property, module: Module, prefix: str = "") -> Property:
        """One property; in a template its name is preceded by the instance's."""
        name = prefix + declared.name.name
        scope = Scope(module, PROPERTY)
        doc, span = declared.doc, declared.name.span
        match declared:
            case tree.Invariant():
                parts, _ = self.terms.conjunction(declared.body, scope)
                return Invariant(name, parts, declared.lemma, doc=doc, span=span)
            case tree.Reachable():
                parts, _ = self.terms.conjunction(declared.body, scope)
                return Reachable(name, parts, doc=doc, span=span)
            case tree.AlwaysPossible():
                parts, _ = self.terms.conjunction(declared.body, scope)
                return CoreAlwaysPossible(name, parts, doc=doc, span=span)
            case tree.Step():
                return self._step(declared, name, scope)
            case tree.Liveness():
                obligations = tuple(self._obligation(line, scope, ()) for line in declared.body)
                return Liveness(name, obligations, doc=doc, span=span)
            case _:
                assert_never(declared)

    # --- steps ----------------------------------------------------------------------

    def _step(self, declared: tree.Step, name: str, scope: Scope) -> StepProperty:
        events: tuple[Event, ...] | None = None
        returned = [each for types in self.returns.values() for each in types]
        if declared.events is not None:
            made: list[Event] = []
            returned = []
            bound: dict[str, Bound] = {}
            for position, event in enumerate(declared.events):
                each, names = self._event(event)
                if each is not None:
                    made.append(each)
                    returned += self.returns.get(each.action, ())
                if position == 0:
                    bound = names
                    continue
                bound = self._same_names(bound, names, declared.events[0], event)
            events = tuple(made)
            for each_name, what in bound.items():
                self.terms.refuse_shadowing(each_name, what.span, scope)
                scope = scope.bind(each_name, what)
        result: Type | None = None
        for type_ in returned:
            result = type_ if result is None else join(result, type_)
            if result is None:
                result = NOTHING
        step_site = evolve(STEP, result=result)
        with self.terms.watch() as reads:
            parts, _ = self.terms.conjunction(declared.body, scope.at(step_site))
        return StepProperty(
            name,
            events,
            parts,
            reads.result is not None,
            doc=declared.doc,
            span=declared.name.span,
        )

    def _event(self, event: tree.Event) -> tuple[Event | None, dict[str, Bound]]:
        """The event, and the names it binds; after an error they stand for anything."""
        action = event.action.name
        written = event.names or ()
        names: dict[str, Bound] = {}
        for each in written:
            if each.name in names:
                self.collector.error(
                    "repeated-binding",
                    f"`{each.name}` is bound twice",
                    each.span,
                    label="and again here",
                    labels=(Label(names[each.name].span, "bound here"),),
                    help=("give the second one another name and compare the two with `==`",),
                )
            elif each.name != "_":
                names[each.name] = Bound(NOTHING, each.span)
        if action not in self.arguments:
            close = near(action, self.arguments)
            self.collector.error(
                "unknown-action",
                f"no action or fault `{action}`",
                event.action.span,
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else there_are(list(self.arguments)),
                ),
            )
            return None, names
        arguments = self.arguments[action]
        if event.names is None:
            return Event(action, tuple(None for _ in arguments)), {}
        if len(event.names) != len(arguments):
            self.collector.error(
                "event-arguments",
                f"`{action}` takes {number_of(len(arguments), 'argument')}, not {len(event.names)}",
                event.span,
                help=(
                    f"write `{action}({', '.join(name for name, _ in arguments)})`, "
                    "with `_` for one that does not matter",
                ),
            )
            return None, names
        for each, (_, type_) in zip(written, arguments, strict=True):
            if each.name != "_":
                names[each.name] = Bound(type_, each.span)
        return Event(action, tuple(n.name if n.name != "_" else None for n in written)), names

    def _same_names(
        self,
        first: dict[str, Bound],
        second: dict[str, Bound],
        first_event: tree.Event,
        event: tree.Event,
    ) -> dict[str, Bound]:
        joined: dict[str, Bound] = {}
        agree = set(first) == set(second)
        for name, bound in {**second, **first}.items():
            type_: Type | None = NOTHING
            if name in first and name in second:
                type_ = join(first[name].type, second[name].type)
            agree = agree and type_ is not None
            joined[name] = evolve(bound, type=type_ or NOTHING)
        if not agree:
            self.collector.error(
                "event-names",
                "the events of one property bind different names",
                event.span,
                labels=(Label(first_event.span, "the first event"),),
                notes=(
                    "the property is read with the arguments of whichever action takes the step",
                ),
                help=(
                    "bind the same names, of the same types, in every event; `_` for the others",
                ),
            )
        return joined

    # --- liveness -------------------------------------------------------------------

    def _obligation(
        self, line: tree.Temporal, scope: Scope, outer: tuple[core.Binder, ...]
    ) -> Obligation:
        match line:
            case tree.ForallTemporal(binders, body):
                with self.terms.watch() as reads:
                    made, inner = bind(self.terms, binders, scope)
                if reads.state is not None:
                    self.collector.error(
                        "temporal-domain",
                        "the domain of a temporal `forall` reads the state",
                        reads.state,
                        notes=("the choice is made once, for the whole of a behaviour",),
                        help=(
                            "go through a type, and put the condition left of `~>`: "
                            "`forall m in Msg: m in net ~> ...`",
                        ),
                    )
                return self._obligation(body, inner, outer + made)
            case tree.LeadsTo(premise, conclusion):
                condition = self.terms.condition(premise, scope)
                # Names bound in the premise belong to the state in which it is true, not to the
                # later one in which the goal is.
                goal = self.terms.condition(conclusion, scope)
                return Obligation("leads to", outer, condition.term, goal.term, span=line.span)
            case tree.Modal(operator, body):
                goal = self.terms.condition(body, scope)
                return Obligation(operator, outer, None, goal.term, span=line.span)
            case _:
                assert_never(line)

    # --- templates ------------------------------------------------------------------

    def use(self, use: tree.Use, module: Module, wants: Callable[[str], bool]) -> list[Property]:
        """The properties of a template's instance that are wanted, named `Instance.Property`."""
        entity = module.find_upper(use.template.name)
        if not isinstance(entity, TemplateEntity):
            templates = [
                each
                for each in module.upper_names()
                if isinstance(module.find_upper(each), TemplateEntity)
            ]
            close = near(use.template.name, templates)
            self.collector.error(
                "unknown-template",
                f"no template `{use.template.name}`",
                use.template.span,
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else 'import it: `import "exactly_once.model" (ExactlyOnce)`',
                ),
            )
            return []
        instance = Module(module.source, None, entity.module)
        bind_parameters(
            entity.name,
            entity.declaration.parameters,
            use.bindings,
            instance,
            module,
            use.template.span,
            self.terms,
            self.collector,
        )
        prefix = (use.alias or use.template).name + "."
        return [
            self.property(each, instance, prefix)
            for each in entity.declaration.properties
            if wants(prefix + each.name.name)
        ]

    def template_alone(self, entity: TemplateEntity) -> None:
        """Check a template that may not be used anywhere, its parameters standing for anything."""
        instance = Module(entity.module.source, None, entity.module)
        open_parameters(entity.declaration.parameters, instance, self.terms)
        for each in entity.declaration.properties:
            self.property(each, instance)


def open_parameters(
    parameters: Sequence[tree.HeadParameter], instance: Module, terms: Elaborator
) -> None:
    """Let a head's parameters stand for anything of their kind."""
    for each in parameters:
        name, span = each.name.name, each.name.span
        match each:
            case tree.TypeParameter():
                instance.upper[name] = BoundType(name, Sort(name), span)
            case tree.FunctionParameter():
                instance.lower[name] = OpaqueFunction(name, instance, each, span)
            case tree.ValueParameter(_, type_):
                term = core.Parameter(name, type=terms.types.of(type_, instance), span=span)
                instance.lower[name] = BoundValue(name, term, span)
            case tree.UpperParameter(_, type_):
                term = core.Parameter(name, type=terms.types.of(type_, instance), span=span)
                instance.upper[name] = BoundValue(name, term, span)
            case _:
                assert_never(each)


def bind_parameters(
    what: str,
    parameters: Sequence[tree.HeadParameter],
    bindings: Sequence[tree.Binding],
    instance: Module,
    user: Module,
    at: Span,
    terms: Elaborator,
    collector: Collector,
    site: Site = ARGUMENT,
) -> None:
    """Give a template's or object's parameters their arguments, read where it is used."""
    given = {each.name.name: each for each in bindings}
    known = [each.name.name for each in parameters]
    for binding in bindings:
        if binding.name.name not in known:
            close = near(binding.name.name, known)
            collector.error(
                "unknown-binding",
                f"`{what}` has no parameter `{binding.name.name}`",
                binding.name.span,
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else f"its parameters are {listing(known)}"
                    if known
                    else "it takes none",
                ),
            )
    for parameter in parameters:
        name = parameter.name.name
        found = given.get(name)
        if found is None:
            collector.error(
                "missing-binding",
                f"`{what}` needs `{name}`",
                at,
                labels=(Label(parameter.span, "declared here"),),
                help=(f"add `{_head(parameter)} = ...` in the parentheses",),
            )
            open_parameters((parameter,), instance, terms)
            continue
        _bind_one(parameter, found, instance, user, terms, collector, site)


def _bind_one(
    parameter: tree.HeadParameter,
    binding: tree.Binding,
    instance: Module,
    user: Module,
    terms: Elaborator,
    collector: Collector,
    site: Site,
) -> None:
    name, span = parameter.name.name, binding.span
    match parameter:
        case tree.TypeParameter():
            instance.upper[name] = BoundType(
                name, _bound_type(binding, user, terms, collector), span
            )
        case tree.UpperParameter(_, type_ref):
            scope = Scope(user, site)
            type_ = terms.types.of(type_ref, instance)
            if isinstance(binding.value, tree.BasicType):
                _kind(collector, binding, parameter, "a type")
                return
            instance.upper[name] = BoundValue(name, terms.wanted(binding.value, scope, type_), span)
        case tree.ValueParameter(_, type_ref):
            if not isinstance(binding, tree.ValueBinding) or binding.parameters is not None:
                _kind(collector, binding, parameter, "a function")
                open_parameters((parameter,), instance, terms)
                return
            instance.lower[name] = LetEntity(
                name, user, (), type_ref, binding.value, span, signature=instance
            )
        case tree.FunctionParameter():
            if (
                not isinstance(binding, tree.ValueBinding)
                or binding.parameters is None
                or len(binding.parameters) != len(parameter.parameters)
            ):
                given = "a function of other parameters" if _functional(binding) else "a value"
                _kind(collector, binding, parameter, given)
                open_parameters((parameter,), instance, terms)
                return
            instance.lower[name] = LetEntity(
                name,
                user,
                parameter.parameters,
                parameter.type,
                binding.value,
                span,
                renamed=tuple(each.name for each in binding.parameters),
                signature=instance,
            )
        case _:
            assert_never(parameter)


def _head(parameter: tree.HeadParameter) -> str:
    """How an argument for the parameter begins: `inside(c)`, `done`."""
    if not isinstance(parameter, tree.FunctionParameter):
        return parameter.name.name
    return f"{parameter.name.name}({', '.join(p.name.name for p in parameter.parameters)})"


def _functional(binding: tree.Binding) -> bool:
    return isinstance(binding, tree.ValueBinding) and binding.parameters is not None


def _kind(
    collector: Collector, binding: tree.Binding, parameter: tree.HeadParameter, given: str
) -> None:
    wanted = "a function" if isinstance(parameter, tree.FunctionParameter) else "a value"
    collector.error(
        "binding-kind",
        f"`{binding.name.name}` stands for {wanted}, and is bound to {given}",
        binding.span,
        labels=(Label(parameter.span, "declared here"),),
        help=(f"write `{_head(parameter)} = ...`, with a term after `=`",),
    )


def _bound_type(
    binding: tree.Binding, user: Module, terms: Elaborator, collector: Collector
) -> Type:
    value = binding.value
    if isinstance(value, tree.BasicType):
        return BOOL if value.name == "bool" else INT
    if isinstance(value, tree.Upper):
        return terms.types.named(value.name, value.span, user)
    collector.error(
        "not-a-type-argument",
        f"`{binding.name.name}` is bound to a term, not to a type",
        value.span,
        help=("write the name of a type or sort, or `bool`",),
    )
    return NOTHING
