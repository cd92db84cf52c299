"""Sequential objects, and protocols that claim to behave like one."""

from __future__ import annotations

from attrs import Factory, define, frozen

from modelcheck.core.model import (
    Claim,
    Linearizable,
    Operation,
    SequentiallyConsistent,
    SequentialObject,
)
from modelcheck.core.types import Type
from modelcheck.core.variables import Owner
from modelcheck.diagnostics import Collector, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.calls import parameter_types
from modelcheck.resolve.markers import Signature
from modelcheck.resolve.names import GroupEntity, LowerEntity, Module, ObjectEntity
from modelcheck.resolve.properties import bind_parameters, open_parameters
from modelcheck.resolve.scope import Bound, Scope, Site
from modelcheck.resolve.state import StateBlock
from modelcheck.resolve.statements import Statements, Written
from modelcheck.resolve.terms import Elaborator

ARGUMENT = Site("an argument of an object", state=False)


@frozen
class _Instance:
    """An object with its arguments: the names that its operations see."""

    entity: ObjectEntity
    module: Module


@define(eq=False)
class Objects:
    """Checks objects and their use."""

    terms: Elaborator
    collector: Collector
    _instances: dict[tree.Claim, _Instance | None] = Factory(dict)

    def bind(self, claim: tree.Claim, module: Module) -> Claim | None:
        """`linearizable name: Object(...)`; None after an error."""
        instance = self._instance(claim, module)
        if instance is None:
            return None
        made = self._body(instance.entity, instance.module)
        name, doc, span = claim.name.name, claim.doc, claim.name.span
        match claim:
            case tree.Linearizable():
                return Linearizable(name, made, doc=doc, span=span)
            case tree.SequentiallyConsistent():
                return SequentiallyConsistent(name, made, doc=doc, span=span)

    def operations(self, claim: tree.Claim, module: Module) -> dict[str, Signature]:
        """The types of each operation of the object that `claim` makes."""
        instance = self._instance(claim, module)
        if instance is None:
            return {}
        inside = instance.module
        return {
            each.name.name: (
                parameter_types(self.terms, each.parameters, inside),
                None if each.result is None else self.terms.types.of(each.result, inside),
            )
            for each in instance.entity.declaration.operations
        }

    def _instance(self, claim: tree.Claim, module: Module) -> _Instance | None:
        if claim not in self._instances:
            self._instances[claim] = self._bound(claim, module)
        return self._instances[claim]

    def _bound(self, claim: tree.Claim, module: Module) -> _Instance | None:
        entity = module.find_upper(claim.object.name)
        if not isinstance(entity, ObjectEntity):
            objects = [
                each
                for each in module.upper_names()
                if isinstance(module.find_upper(each), ObjectEntity)
            ]
            close = near(claim.object.name, objects)
            self.collector.error(
                "unknown-object-type",
                f"no object `{claim.object.name}`",
                claim.object.span,
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else f"there is {listing(objects)}; others are imported"
                    if objects
                    else 'import it: `import "register.model" (Register)`',
                ),
            )
            return None
        instance = Module(module.source, None, _without_state(entity.module))
        bind_parameters(
            entity.name,
            entity.declaration.parameters,
            claim.bindings,
            instance,
            module,
            claim.object.span,
            self.terms,
            self.collector,
            ARGUMENT,
        )
        return _Instance(entity, instance)

    def alone(self, entity: ObjectEntity) -> None:
        """Check an object that may not be used anywhere."""
        instance = Module(entity.module.source, None, _without_state(entity.module))
        open_parameters(entity.declaration.parameters, instance, self.terms)
        self._body(entity, instance)

    def _body(self, entity: ObjectEntity, instance: Module) -> SequentialObject:
        owner = Owner(entity.name, "single", span=entity.span)
        instance.owners.append(owner)
        StateBlock(self.terms, self.collector, instance).variables(
            entity.declaration.variables, owner
        )
        instance.object_variables.update({each.name: each for each in instance.variables})
        operations = [self._operation(each, instance) for each in entity.declaration.operations]
        return SequentialObject(
            entity.name,
            tuple(instance.variables),
            tuple(instance.initial),
            tuple(operations),
            doc=entity.declaration.doc,
            span=entity.span,
        )

    def _operation(self, operation: tree.Operation, instance: Module) -> Operation:
        scope = Scope(instance, Site("an operation", object=True))
        types = parameter_types(self.terms, operation.parameters, instance)
        for parameter, type_ in zip(operation.parameters, types, strict=True):
            name = parameter.name
            self.terms.refuse_shadowing(name.name, name.span, scope)
            scope = scope.bind(name.name, Bound(type_, name.span))
        result: Type | None = None
        if operation.result is not None:
            result = self.terms.types.of(operation.result, instance)
        written = Written()
        statements = Statements(self.terms, self.collector, None, result)
        body = statements.body(operation.body, scope, written)
        if result is not None and not written.returns:
            self.collector.error(
                "operation-without-result",
                f"`{operation.name.name}` returns nothing",
                operation.name.span,
                help=("say what it answers: `returns t`; or drop the result's type",),
            )
        names = (parameter.name.name for parameter in operation.parameters)
        return Operation(
            operation.name.name,
            tuple(zip(names, types, strict=True)),
            result,
            body,
            doc=operation.doc,
            span=operation.name.span,
        )


def _without_state(module: Module) -> Module:
    """What an object sees of its file: everything but groups, since its state is its own."""
    lower: dict[str, LowerEntity] = {
        name: each for name, each in module.lower.items() if not isinstance(each, GroupEntity)
    }
    return Module(module.source, module.file, module.parent, module.upper, lower)
