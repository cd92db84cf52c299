"""`refines`: the abstract protocol at the concrete one's instance, and the mapping between them.

The abstract file is elaborated anew with its sorts and parameters replaced by
the concrete protocol's types and terms, so both speak of the same values.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from modelcheck.core import terms as core
from modelcheck.core.model import Property, Refinement
from modelcheck.core.types import NOTHING, Nothing, Range, Sort, Type, Union
from modelcheck.core.variables import Variable
from modelcheck.diagnostics import Label, listing, near, there_are
from modelcheck.parse import tree
from modelcheck.resolve.elaborating import CLOSED
from modelcheck.resolve.names import (
    BoundValue,
    Module,
    ParameterEntity,
    ProtocolEntity,
    SortEntity,
)
from modelcheck.resolve.protocol import Protocol
from modelcheck.resolve.scope import Bound, Scope, Site
from modelcheck.resolve.terms import Elaborator
from modelcheck.resolve.types import describe, fits
from modelcheck.source import Span

MAPPING = Site("a mapping", ghosts=True)


def refine_open(concrete: Protocol, declared: tree.Refines) -> Property | None:
    """The refinement with parameters open: for its diagnostics."""
    return refine(concrete, declared, lambda term: None)


def refine(
    concrete: Protocol,
    declared: tree.Refines,
    constant_value: Callable[[core.Term], int | None],
) -> Property | None:
    """The refinement as a property named after the abstract protocol; None after an error."""
    name = declared.protocol.name
    collector = concrete.collector
    entity = concrete.module.find_upper(name)
    if not isinstance(entity, ProtocolEntity):
        protocols = [
            each
            for each in concrete.module.upper_names()
            if isinstance(concrete.module.find_upper(each), ProtocolEntity)
        ]
        close = near(name, protocols)
        collector.error(
            "unknown-protocol",
            f"no protocol `{name}`",
            declared.protocol.span,
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else f'import it: `import "{name.lower()}.model" ({name})`',
            ),
        )
        return None
    before = len(collector.errors)
    abstract = _abstract(concrete, declared, entity.module, constant_value)
    mapping = _variables(concrete, declared, abstract)
    if len(collector.errors) > before:
        return None
    return Refinement(
        name,
        # What abstract callers do is not mapped.
        evolve(abstract.model(()), history=None),
        mapping,
        declared.liveness,
        doc=declared.doc,
        span=declared.protocol.span,
    )


def _abstract(
    concrete: Protocol,
    declared: tree.Refines,
    module: Module,
    constant_value: Callable[[core.Term], int | None],
) -> Protocol:
    """The abstract protocol, elaborated over the concrete one's sorts and parameters."""
    collector, terms = concrete.collector, concrete.terms
    given = {each.name.name: each for each in declared.mappings if each.field is None}
    sorts: dict[str, Type] = {}
    values: dict[ParameterEntity, core.Term] = {}

    def sort(entity: SortEntity) -> Type:
        if entity.name not in sorts:
            sorts[entity.name] = _sort(entity, given, concrete, declared)
        return sorts[entity.name]

    def parameter(entity: ParameterEntity, span: Span) -> core.Term:
        if entity not in values:
            values[entity] = _parameter(entity, given, concrete, declared, elaborator)
        return evolve(values[entity], span=span)

    elaborator = Elaborator(collector, terms.closed, sort, parameter, constant_value)
    known = [n for n, e in module.upper.items() if isinstance(e, SortEntity | ParameterEntity)]
    for each in declared.mappings:
        if each.field is None and not isinstance(
            module.upper.get(each.name.name), SortEntity | ParameterEntity
        ):
            close = near(each.name.name, known)
            collector.error(
                "unknown-mapping",
                f"`{module.protocol}` has no sort or parameter `{each.name.name}`",
                each.name.span,
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else there_are(known)
                    if known
                    else "variables are mapped as `group.variable = t`",
                ),
            )
    abstract = Protocol(module, elaborator, collector)
    abstract.elaborate()
    return abstract


def _sort(
    entity: SortEntity,
    given: dict[str, tree.Mapping],
    concrete: Protocol,
    declared: tree.Refines,
) -> Type:
    mapping = given.get(entity.name)
    terms, module = concrete.terms, concrete.module
    if mapping is None:
        if module.find_upper(entity.name) is None:
            concrete.collector.error(
                "unmapped-name",
                f"the abstract `{entity.name}` has no counterpart",
                declared.protocol.span,
                labels=(Label(entity.span, "declared here"),),
                help=(f"add `{entity.name} = ...` after `with`",),
            )
            return NOTHING
        return terms.types.named(entity.name, declared.protocol.span, module)
    value = mapping.value
    if isinstance(value, tree.Upper):
        type_ = terms.types.named(value.name, value.span, module)
        if isinstance(type_, Sort | Range | Nothing) or (
            isinstance(type_, Union) and type_.is_enum
        ):
            return type_
    concrete.collector.error(
        "sort-mapping",
        f"the sort `{entity.name}` is mapped to something that is not a type of members",
        value.span,
        help=("map it to a sort, an enum or a named range",),
    )
    return NOTHING


def _parameter(
    entity: ParameterEntity,
    given: dict[str, tree.Mapping],
    concrete: Protocol,
    declared: tree.Refines,
    abstract: Elaborator,
) -> core.Term:
    type_ = abstract.types.of(entity.type, entity.module)
    terms, module = concrete.terms, concrete.module
    mapping = given.get(entity.name)
    if mapping is not None:
        return terms.wanted(mapping.value, Scope(module, CLOSED), type_)
    own = module.find_upper(entity.name)
    at = declared.protocol.span
    if isinstance(own, ParameterEntity):
        return terms.fit(terms.parameter_term(own, at), type_, at)
    if isinstance(own, BoundValue):
        return terms.fit(own.term, type_, at)
    if entity.default is not None:
        return abstract.wanted(entity.default, Scope(entity.module, CLOSED), type_)
    concrete.collector.error(
        "unmapped-name",
        f"the abstract `{entity.name}` has no counterpart",
        at,
        labels=(Label(entity.span, "declared here"),),
        help=(f"add `{entity.name} = ...` after `with`",),
    )
    return abstract.wrong(at)


def _variables(
    concrete: Protocol, declared: tree.Refines, abstract: Protocol
) -> tuple[tuple[str | None, core.Term], ...]:
    """A term over the concrete state for each abstract variable, in the abstract file's order."""
    collector = concrete.collector
    wanted = abstract.module.variables
    found: dict[Variable, tuple[str | None, core.Term]] = {}
    first: dict[Variable, Span] = {}
    unknown = False
    for mapping in declared.mappings:
        if mapping.field is None:
            continue
        variable = _mapped_variable(mapping, wanted)
        if variable is None:
            names = [_as_mapped(v, mapping.name.name) for v in wanted]
            unknown = True
            written = f"{mapping.name.name}.{mapping.field.name}"
            close = near(written, names)
            collector.error(
                "unknown-abstract-variable",
                f"`{abstract.module.protocol}` has no variable `{written}`",
                mapping.name.span.to(mapping.field.span),
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else f"its variables are {listing(names[:8])}",
                ),
            )
            continue
        if variable in found:
            collector.error(
                "mapped-twice",
                f"`{_as_mapped(variable)}` is mapped twice",
                mapping.name.span.to(mapping.field.span),
                labels=(Label(first[variable], "first here"),),
                help=("keep one of the two",),
            )
            continue
        first[variable] = mapping.name.span.to(mapping.field.span)
        found[variable] = _mapped(mapping, variable, concrete)
    missing = [v for v in wanted if v not in found]
    if missing and not unknown:
        collector.error(
            "unmapped-variable",
            f"the mapping to `{declared.protocol.name}` leaves out "
            f"{listing([_as_mapped(v) for v in missing])}",
            declared.protocol.span,
            notes=("every variable of the abstract protocol is a term over this one's state",),
            help=(f"add `{_as_mapped(missing[0])} = ...`, a term over the state, after `with`",),
        )
    return tuple(found[v] for v in wanted if v in found)


def _mapped_variable(mapping: tree.Mapping, variables: list[Variable]) -> Variable | None:
    assert mapping.field is not None
    single = [v for v in variables if v.owner.kind != "each"]
    if any(v.owner.name == mapping.name.name for v in single):
        candidates = [v for v in single if v.owner.name == mapping.name.name]
    else:
        candidates = [v for v in variables if v.owner.kind == "each"]
    return next((v for v in candidates if v.name == mapping.field.name), None)


def _as_mapped(variable: Variable, member: str | None = None) -> str:
    """The left side of the variable's mapping; `member` is a name for the members of a sort."""
    if variable.owner.kind == "each":
        return f"{member or variable.owner.name[:1].lower()}.{variable.name}"
    return variable.full_name


def _mapped(
    mapping: tree.Mapping, variable: Variable, concrete: Protocol
) -> tuple[str | None, core.Term]:
    scope = Scope(concrete.module, MAPPING)
    member: str | None = None
    if variable.owner.kind == "each":
        assert variable.owner.key is not None
        member = mapping.name.name
        concrete.terms.refuse_shadowing(member, mapping.name.span, scope)
        scope = scope.bind(member, Bound(variable.owner.key, mapping.name.span))
    term = concrete.terms.term(mapping.value, scope, variable.type)
    if not fits(term.type, variable.type):
        concrete.collector.error(
            "mapping-type",
            f"`{_as_mapped(variable)}` is {describe(variable.type)}, "
            f"mapped to {describe(term.type)}",
            mapping.value.span,
            labels=() if variable.span is None else (Label(variable.span, "declared here"),),
            help=("types of the two levels agree if their forms and fields have the same names",),
        )
        return member, concrete.terms.wrong(mapping.value.span)
    return member, concrete.terms.fit(term, variable.type, mapping.value.span)
