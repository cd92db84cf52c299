"""Markers: the statements of a protocol that tell of the calls and returns of operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import Factory, frozen

from modelcheck.core import terms as core
from modelcheck.core.types import Option, Type
from modelcheck.diagnostics import Collector, Label, listing, near, there_are
from modelcheck.parse import tree
from modelcheck.resolve.forms import number_of
from modelcheck.resolve.names import Module, ObjectEntity
from modelcheck.resolve.scope import Scope
from modelcheck.resolve.terms import Elaborator
from modelcheck.resolve.types import agree, describe

Signature: TypeAlias = tuple[tuple[Type, ...], Type | None]
"""The types of an operation's parameters and of its result, None if it returns nothing."""


@frozen(eq=False)
class Markers:
    """Elaborates markers.

    objects     the names that `call` may use
    operations  the signatures of the operations of an object
    """

    terms: Elaborator
    collector: Collector
    objects: dict[str, tree.Claim] = Factory(dict)
    operations: Callable[[tree.Claim, Module], dict[str, Signature]] = lambda *_: {}

    def marker(
        self, statement: tree.CallMarker | tree.ReturnMarker | tree.Abandon, scope: Scope, at: Scope
    ) -> core.CallOperation | core.ReturnOperation | core.AbandonOperation:
        """The marker as a statement.

        at  where what is returned is elaborated
        """
        span = statement.span
        match statement:
            case tree.CallMarker():
                return self._call(statement, scope)
            case tree.ReturnMarker(value, caller):
                who = self.terms.term(caller, scope)
                result = None if value is None else self._result(value, at)
                return core.ReturnOperation(result, who, span=span)
            case tree.Abandon(caller):
                return core.AbandonOperation(self.terms.term(caller, scope), span=span)

    def _call(self, call: tree.CallMarker, scope: Scope) -> core.CallOperation:
        name = call.object.name
        types: tuple[Type, ...] = ()
        if name not in self.objects:
            close = near(name, self.objects)
            self.collector.error(
                "unknown-object",
                f"no object is called `{name}`",
                call.object.span,
                help=(
                    f"did you mean {listing(close or self.objects, 'or')}?"
                    if self.objects
                    else f"declare what its operations must look like: "
                    f"`linearizable {name}: Register(...)`",
                ),
            )
        else:
            self._judge_operation(call, scope.module)
            signatures = self.operations(self.objects[name], scope.module)
            types, _ = signatures.get(call.operation.name, ((), None))
        if len(types) == len(call.arguments):
            arguments = tuple(
                self.terms.wanted(argument, scope, type_)
                for argument, type_ in zip(call.arguments, types, strict=True)
            )
        else:
            arguments = tuple(self.terms.term(argument, scope) for argument in call.arguments)
        caller = self.terms.term(call.caller, scope)
        return core.CallOperation(name, call.operation.name, arguments, caller, span=call.span)

    def _result(self, value: tree.Term, scope: Scope) -> core.Term:
        """What a step returns: a value that some operation of the objects may return."""
        types: list[Type] = []
        for claim in self.objects.values():
            signatures = self.operations(claim, scope.module)
            if not signatures:  # the object is not known: anything may be meant
                return self.terms.term(value, scope)
            found = [type_ for _, type_ in signatures.values() if type_ is not None]
            types += [each for each in found if each not in types]
        if len(types) == 1:
            return self.terms.wanted(value, scope, types[0])
        result = self.terms.term(value, scope)
        # Which operation returns is known when it does; a T may be meant for a T?.
        items = [each.item for each in types if isinstance(each, Option)]
        if types and not any(agree(result.type, each) for each in (*types, *items)):
            self.collector.error(
                "type-mismatch",
                f"{describe(result.type)} where the result of an operation is wanted",
                value.span,
                notes=("operations return " + " or ".join(map(describe, types)),),
            )
        return result

    def _judge_operation(self, call: tree.CallMarker, module: Module) -> None:
        """Whether the object has the operation, with so many parameters."""
        entity = module.find_upper(self.objects[call.object.name].object.name)
        if not isinstance(entity, ObjectEntity):
            return
        operations = {each.name.name: each for each in entity.declaration.operations}
        name = call.operation.name
        declared = operations.get(name)
        if declared is None:
            close = near(name, operations)
            self.collector.error(
                "unknown-operation",
                f"`{entity.name}` has no operation `{name}`",
                call.operation.span,
                labels=(Label(entity.span, "declared here"),),
                help=(f"did you mean {listing(close, 'or')}?" if close else there_are(operations),),
            )
        elif len(declared.parameters) != len(call.arguments):
            self.collector.error(
                "operation-arguments",
                f"`{name}` takes {number_of(len(declared.parameters), 'argument')}, "
                f"not {len(call.arguments)}",
                call.span,
                labels=(Label(declared.name.span, "declared here"),),
                help=("give one argument for each parameter of the operation",),
            )
