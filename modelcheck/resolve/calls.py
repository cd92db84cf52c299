"""Calls of the language's functions and of the file's, each made once per kind of argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from modelcheck.core import terms as core
from modelcheck.core.types import (
    INT,
    NOTHING,
    Bag,
    Nothing,
    Set,
    Type,
)
from modelcheck.diagnostics import Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.builtins import (
    ARGUMENT_COUNTS,
    EXAMPLES,
    Unfit,
    apply,
    element_type,
)
from modelcheck.resolve.elaborating import Elaborating, Reads, shortened
from modelcheck.resolve.forms import (
    number_of,
)
from modelcheck.resolve.names import (
    BoundValue,
    EffectEntity,
    GroupEntity,
    LetEntity,
    Module,
    OpaqueFunction,
)
from modelcheck.resolve.scope import (
    Bound,
    Scope,
    Site,
)
from modelcheck.resolve.types import describe
from modelcheck.source import Span


def call(e: Elaborating, term: tree.Call, scope: Scope) -> core.Term:
    name = term.function.name
    if name in scope.names:
        e.collector.error(
            "not-a-function",
            f"`{name}` is a value, not a function",
            term.function.span,
            labels=(Label(scope.names[name].span, "bound here"),),
            help=("a sequence or map is read with brackets: `s[i]`, `m[k]`",),
        )
        return e.wrong(term.span)
    entity = scope.module.find_lower(name)
    match entity:
        case LetEntity():
            return apply_let(e, entity, term.arguments, term.span, scope)
        case OpaqueFunction():
            return _apply_opaque(e, entity, term, scope)
        case EffectEntity():
            e.collector.error(
                "effect-as-value",
                f"the effect `{name}` has no value",
                term.span,
                labels=(Label(entity.span, "declared here"),),
                help=("use it on a line of its own; a function is declared by `let`",),
            )
            return e.wrong(term.span)
        case GroupEntity() | BoundValue():
            e.collector.error(
                "not-a-function",
                f"`{name}` is not a function",
                term.function.span,
                labels=(Label(entity.span, "declared here"),),
                help=("a sequence or map is read with brackets: `s[i]`, `m[k]`",),
            )
            return e.wrong(term.span)
        case None:
            if name in ARGUMENT_COUNTS:
                return _apply_builtin(e, name, term, scope)
        case _:
            assert_never(entity)
    for argument in term.arguments:
        e.term(argument, scope)
    if name == "some":
        _some_as_function(e, term)
        return e.wrong(term.span)
    functions = [
        each
        for each in scope.module.lower_names()
        if isinstance(scope.module.find_lower(each), LetEntity | OpaqueFunction)
    ]
    close = near(name, [*functions, *ARGUMENT_COUNTS])
    e.collector.error(
        "unknown-function",
        f"no function `{name}`",
        term.function.span,
        help=(
            f"did you mean {listing(close, 'or')}?"
            if close
            else f"declare it with `let {name}(...) = ...`",
        ),
    )
    return e.wrong(term.span)


def _some_as_function(e: Elaborating, term: tree.Call) -> None:
    inner = shortened(term.arguments[0].span) if len(term.arguments) == 1 else "..."
    e.collector.error(
        "unknown-function",
        "no function `some`",
        term.function.span,
        notes=("`some(x)` is a pattern: after `is` it binds `x` to the value of an option",),
        help=(
            "write the value itself, which an option takes as it is"
            if inner == "..."
            else f"write `{inner}`: an option takes the value itself",
        ),
    )


def _apply_builtin(e: Elaborating, name: str, term: tree.Call, scope: Scope) -> core.Term:
    arguments = tuple(e.term(each, scope) for each in term.arguments)
    counts = ARGUMENT_COUNTS[name]
    if len(arguments) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        e.collector.error(
            "builtin-arguments",
            f"`{name}` takes {wanted} argument{'s' if counts != (1,) else ''}, "
            f"not {len(arguments)}",
            term.span,
            help=(f"for example `{EXAMPLES[name]}`",),
        )
        return e.wrong(term.span)
    if any(isinstance(each.type, Nothing) for each in arguments):
        return e.wrong(term.span)
    one = arguments[0].type
    counts_them = name == "size" and isinstance(one, Set | Bag)
    if counts_them and not e.counted(name, element_type(one), term.span):
        return e.wrong(term.span)
    applied = apply(name, arguments, term.span)
    if isinstance(applied, Unfit):
        argument = arguments[applied.position]
        e.collector.error(
            "builtin-type",
            f"`{name}` of {describe(argument.type)}",
            term.arguments[applied.position].span,
            notes=(f"`{name}` takes {applied.wanted}",),
            help=(f"for example `{EXAMPLES[name]}`, with a collection of that kind",),
        )
        return e.wrong(term.span)
    return applied


def wrong_count(
    e: Elaborating, name: str, span: Span, declared: Span, given: int, wanted: int | None
) -> None:
    takes = "arguments" if wanted is None else number_of(wanted, "argument")
    e.collector.error(
        "function-arguments",
        f"`{name}` takes {takes}, not {given}",
        span,
        labels=(Label(declared, "declared here"),),
        help=("give one argument for each of its parameters",),
    )


def _apply_opaque(
    e: Elaborating, entity: OpaqueFunction, term: tree.Call, scope: Scope
) -> core.Term:
    parameters = entity.declaration.parameters
    if len(parameters) != len(term.arguments):
        wrong_count(e, entity.name, term.span, entity.span, len(term.arguments), len(parameters))
    for argument, parameter in zip(term.arguments, parameters, strict=False):
        if isinstance(parameter, tree.ValueParameter):
            e.wanted(argument, scope, e.types.of(parameter.type, entity.module))
    type_ = e.types.of(entity.declaration.type, entity.module)
    e.note(Reads(state=term.span))
    return core.Parameter(entity.name, type=type_, span=term.span)


def apply_let(
    e: Elaborating, entity: LetEntity, arguments: tuple[tree.Term, ...], span: Span, scope: Scope
) -> core.Term:
    if len(arguments) != len(entity.parameters):
        wrong_count(e, entity.name, span, entity.span, len(arguments), len(entity.parameters))
        for argument in arguments:
            e.term(argument, scope)
        return e.wrong(span)
    signature = entity.signature or entity.module
    declared = parameter_types(e, entity.parameters, signature)
    elaborated = tuple(
        e.wanted(argument, scope, type_)
        for argument, type_ in zip(arguments, declared, strict=True)
    )
    if any(
        isinstance(each.type, Nothing) and not isinstance(type_, Nothing)
        for each, type_ in zip(elaborated, declared, strict=True)
    ):
        return e.wrong(span)
    specialised = function(
        e,
        entity,
        tuple(
            each.type if type_ == INT else type_
            for each, type_ in zip(elaborated, declared, strict=True)
        ),
        span,
    )
    if specialised is None:
        return e.wrong(span)
    made, reads = specialised
    if scope.site.object and reads.state is not None:
        _refuse_in_object(e, entity, reads.state, span)
        return e.wrong(span)
    _judge_reads(e, entity.name, reads, span, scope)
    if isinstance(made.result, Nothing):
        return e.wrong(span)
    return core.Call(made, elaborated, type=made.result, span=span)


def _refuse_in_object(e: Elaborating, entity: LetEntity, read: Span, span: Span) -> None:
    """Report that an object's operation reads the protocol's state by way of a `let`."""
    argument = entity.signature is not None
    e.collector.error(
        "state-in-object",
        f"the argument `{entity.name}` of an object reads the protocol's state"
        if argument
        else f"`{entity.name}` reads the protocol's state in an operation of an object",
        read if argument else span,
        labels=(Label(span, "used here") if argument else Label(read, "read here"),),
        notes=("what an object does depends on its own state and on what it is called with",),
        help=("give the operation a parameter for the value",),
    )


def _judge_reads(e: Elaborating, name: str, reads: Reads, span: Span, scope: Scope) -> None:
    if reads.state is not None:
        e.note(Reads(state=span))
        if not scope.site.state:
            e.collector.error(
                "state-in-constant",
                f"`{name}` reads the state in {scope.site.word}",
                span,
                labels=(Label(reads.state, "read here"),),
                notes=("only parameters and literals have a value here",),
                help=("move what depends on the state into a guard, an update or a property",),
            )
    if reads.ghost is not None:
        e.ghost_read(span, scope, f"`{name}` reads a ghost", (Label(reads.ghost, "read here"),))


def parameter_types(
    e: Elaborating, parameters: Sequence[tree.HeadParameter], module: Module
) -> tuple[Type, ...]:
    """The types of a `let`'s or effect's parameters, which are all values."""
    types: list[Type] = []
    for each in parameters:
        if isinstance(each, tree.ValueParameter):
            types.append(e.types.of(each.type, module))
        else:
            e.collector.error(
                "parameter-kind",
                f"the parameter `{each.name.name}` is not a value",
                each.span,
                notes=("only objects and templates take types and functions",),
                help=("give it a lower-case name and the type of its values: `n: Node`",),
            )
            types.append(NOTHING)
    return tuple(types)


def function(
    e: Elaborating, entity: LetEntity, types: tuple[Type, ...], span: Span
) -> tuple[core.Function, Reads] | None:
    """The `let` for arguments of these types; made once for each. None after an error."""
    key = (entity, types)
    if key in e._functions:
        return e._functions[key]
    if entity in e._open_lets:
        e.collector.error(
            "recursive-let",
            f"`{entity.name}` uses itself",
            span,
            labels=(Label(entity.span, "declared here"),),
            notes=("a `let` is an abbreviation: it has no recursion",),
            help=("go through the values with a quantifier, `sum`, `count` or a comprehension",),
        )
        return None
    if not all(isinstance(each, tree.ValueParameter) for each in entity.parameters):
        return None  # reported where the parameters' types are found
    names = entity.renamed or tuple(p.name.name for p in entity.parameters)
    scope = Scope(entity.module, Site("a `let`", ghosts=True))
    spans = [p.span for p in entity.parameters]
    for name, type_, where in zip(names, types, spans, strict=True):
        e.refuse_shadowing(name, where, scope)
        scope = scope.bind(name, Bound(type_, where))
    e._open_lets.append(entity)
    with e.watch(aside=True) as reads:
        if entity.result is None:
            body = e.term(entity.value, scope)
            result = body.type
        else:
            result = e.types.of(entity.result, entity.signature or entity.module)
            body = e.wanted(entity.value, scope, result)
            if result == INT:
                result = body.type
    e._open_lets.pop()
    made = core.Function(
        entity.name,
        tuple(zip(names, types, strict=True)),
        result,
        body,
        span=entity.span,
    )
    e._functions[key] = (made, reads)
    return made, reads
