"""Lower-case words and dots: bound names, variables of the state, fields of records, `x'`."""

from __future__ import annotations

from typing import assert_never

from attrs import evolve

from modelcheck.core import terms as core
from modelcheck.core.types import (
    NOTHING,
    Nothing,
    Option,
    Type,
    Union,
)
from modelcheck.core.variables import Variable
from modelcheck.diagnostics import Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.builtins import EXAMPLES
from modelcheck.resolve.calls import apply_let, wrong_count
from modelcheck.resolve.elaborating import Elaborating, Reads, bare, shortened
from modelcheck.resolve.names import (
    BoundValue,
    EffectEntity,
    GroupEntity,
    LetEntity,
    OpaqueFunction,
)
from modelcheck.resolve.scope import (
    Scope,
)
from modelcheck.resolve.types import describe, join
from modelcheck.resolve.variables import all_variables, first_variable, member_variables, written
from modelcheck.source import Span

_CONSTANTS = {
    "a setting": "a setting is a literal, a constructor or a parameter",
    "the size of a sort": "a sort is set to its number of members: `Node = 2`",
}
"""For some of the places where the state has no value: what does have one."""

PRIMED = "a term that has a `'` already"
"""The word for a place inside `(...)'`."""


def lower_word(e: Elaborating, term: tree.Name, scope: Scope) -> core.Term:
    name = term.name
    bound = scope.names.get(name)
    if bound is not None:
        if bound.ghost:
            e.ghost_read(term.span, scope, f"`{name}`, which comes from a ghost, is read")
        return core.Name(name, type=bound.type, span=term.span)
    if name == "result" and scope.site.result is not None:
        e.note(Reads(result=term.span))
        return core.Result(type=scope.site.result, span=term.span)
    variable = scope.module.object_variables.get(name)
    if variable is not None:
        return read(e, variable, None, term.span, scope)
    entity = scope.module.find_lower(name)
    match entity:
        case LetEntity():
            return apply_let(e, entity, (), term.span, scope)
        case OpaqueFunction() | EffectEntity():
            wrong_count(e, name, term.span, entity.span, 0, None)
        case BoundValue():
            return evolve(entity.term, span=term.span)
        case GroupEntity():
            e.collector.error(
                "group-as-value",
                f"`{name}` is a group of variables, not a value",
                term.span,
                labels=(Label(entity.span, "declared here"),),
                help=(f"read one of its variables: `{name}.{first_variable(entity)}`",),
            )
        case None:
            unknown_name(e, name, term.span, scope)
        case _:
            assert_never(entity)
    return e.wrong(term.span)


def unknown_name(
    e: Elaborating, name: str, span: Span, scope: Scope, matching: str | None = None
) -> None:
    """Report a name without a meaning; `matching` is a term by which `is` would bind it."""
    if name == "result":
        e.collector.error(
            "result-outside-step",
            "`result` where no operation returns",
            span,
            notes=("`result` is what the step's operation returned",),
            help=("use it in a `step` property `on` actions that `return` a value",),
        )
        return
    members = [
        f"{written(variable)}.{variable.name}"
        for variable in all_variables(scope.module)
        if variable.name == name
    ]
    upper = [each for each in scope.module.upper_names() if each.lower() == name.lower()]
    lower = scope.module.lower_names()
    if not scope.site.state:
        lower = [x for x in lower if not isinstance(scope.module.find_lower(x), GroupEntity)]
    earlier = e.bound.get(name)
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    if members and scope.site.state:
        help_ = f"it is a variable: write {listing(members[:4], 'or')}"
    elif matching is not None:
        help_ = f"a match binds names, a comparison does not: write `{matching}`"
    elif earlier is not None and _same_declaration(earlier, span):
        labels = (Label(earlier, "bound here"),)
        notes = (
            "a name is known inside its quantifier or block; one bound by `is`, where the match "
            "has succeeded: not in `else`, across `~>`, or outside an `or` or `not`",
        )
        help_ = "bind it again where it is needed"
    elif name in EXAMPLES and not upper:
        help_ = f"it is a function, for example `{EXAMPLES[name]}`"
    elif close := [*upper, *near(name, [*scope.names, *lower])]:
        help_ = f"did you mean {listing(close[:4], 'or')}?"
    elif scope.names:
        names = list(scope.names)[:6]
        help_ = f"known here {'is' if len(names) == 1 else 'are'} {listing(names)}"
    elif not scope.site.state:
        help_ = _CONSTANTS.get(
            scope.site.word, "write a literal, a constructor or a parameter: they have a value here"
        )
    else:
        help_ = "bind it in the header (`n in Node`), by `is`, or with `let`"
    e.collector.error(
        "unknown-name",
        f"no `{name}` is known here",
        span,
        labels=labels,
        notes=notes,
        help=(help_,),
    )


def _same_declaration(earlier: Span, later: Span) -> bool:
    """Whether no line between the two begins in the first column."""
    if earlier.source is not later.source or earlier.start >= later.start:
        return False
    between = earlier.source.text[earlier.end : later.start]
    return not any(line[:1].strip(" #\r\n") for line in between.split("\n")[1:])


def read(
    e: Elaborating, variable: Variable, index: core.Term | None, span: Span, scope: Scope
) -> core.Term:
    e.note(Reads(state=span))
    if not scope.site.state:
        state_in_constant(e, f"{written(variable)}.{variable.name}", span, scope)
        return e.wrong(span)
    if variable.ghost:
        e.ghost_read(span, scope, f"the ghost `{written(variable)}.{variable.name}` is read")
    if isinstance(index, core.Name):
        e.indexing.add(index.name)
    return core.Read(variable, index, type=variable.type, span=span)


def state_in_constant(e: Elaborating, what: str, span: Span, scope: Scope) -> None:
    """Report that a variable has no value here."""
    e.collector.error(
        "state-in-constant",
        f"`{what}` is read in {scope.site.word}",
        span,
        notes=("only parameters and literals have a value here",),
        help=("move what depends on the state into a guard, an update or a property",),
    )


def get(e: Elaborating, term: tree.Get, scope: Scope) -> core.Term:
    name = term.field.name
    subject_tree = bare(term.subject)
    if isinstance(subject_tree, tree.Name) and subject_tree.name not in scope.names:
        entity = scope.module.find_lower(subject_tree.name)
        if isinstance(entity, GroupEntity):
            return _group_variable(e, entity, term, scope)
    subject = e.term(term.subject, scope)
    type_ = subject.type
    if isinstance(type_, Nothing):
        return e.wrong(term.span)
    if isinstance(type_, Union) and any(f.position(name) is not None for f in type_.forms):
        return _field(e, subject, type_, term, scope)
    found = member_variables(scope.module, type_, name)
    if len(found) > 1:
        e.collector.error(
            "ambiguous-member",
            f"`{name}` is a variable of several groups under such keys",
            term.span,
            labels=tuple(Label(v.span, "one of them") for v in found if v.span is not None),
            help=("name the variables differently, or key the groups by sorts",),
        )
    if found:
        return read(e, found[0], subject, term.span, scope)
    _no_field(e, type_, term, scope)
    return e.wrong(term.span)


def _group_variable(e: Elaborating, entity: GroupEntity, term: tree.Get, scope: Scope) -> core.Term:
    full_name = f"{entity.name}.{term.field.name}"
    for variable in all_variables(scope.module):
        if variable.owner.kind != "each" and variable.full_name == full_name:
            return read(e, variable, None, term.span, scope)
    names = [variable.name.name for variable in entity.declaration.variables]
    if term.field.name in names and not scope.site.state:
        # Constants are elaborated before the variables.
        state_in_constant(e, full_name, term.span, scope)
        return e.wrong(term.span)
    close = near(term.field.name, names)
    e.collector.error(
        "unknown-variable",
        f"no state variable `{entity.name}.{term.field.name}`",
        term.span,
        help=(
            f"did you mean {listing([f'{entity.name}.{c}' for c in close], 'or')}?"
            if close
            else f"`{entity.name}` has {listing(names[:8])}",
        ),
    )
    return e.wrong(term.span)


def _field(
    e: Elaborating, subject: core.Term, type_: Union, term: tree.Get, scope: Scope
) -> core.Term:
    name = term.field.name
    possible = scope.facts.get(subject, frozenset(range(len(type_.forms))))
    lacking = [type_.forms[i] for i in sorted(possible) if type_.forms[i].position(name) is None]
    having = [form for form in type_.forms if form.position(name) is not None]
    if lacking:
        subject_text = shortened(term.subject.span)
        e.collector.error(
            "unmatched-field",
            f"not every form of `{type_.name}` has `{name}`",
            term.span,
            notes=(
                f"{listing([f.name for f in having])} {'has' if len(having) == 1 else 'have'} "
                f"it, {listing([f.name for f in lacking][:4])} "
                f"{'has' if len(lacking) == 1 else 'have'} not",
            ),
            help=(f"match the form first: `{subject_text} is {having[0].name} and ...`",),
        )
        return e.wrong(term.span)
    result: Type = NOTHING
    forms = [type_.forms[i] for i in sorted(possible)] or having
    for form in forms:
        position = form.position(name)
        if position is not None:
            joined = join(result, form.fields[position].type)
            if joined is None:
                e.collector.error(
                    "field-types-differ",
                    f"`{name}` has different types in the forms of `{type_.name}`",
                    term.span,
                    help=("match one form: `... is Form(x, _)` binds its part to `x`",),
                )
                return e.wrong(term.span)
            result = joined
    return core.Get(subject, name, type=result, span=term.span)


def _no_field(e: Elaborating, type_: Type, term: tree.Get, scope: Scope) -> None:
    name = term.field.name
    if isinstance(type_, Option):
        e.collector.error(
            "field-of-option",
            f"{describe(type_)} has no field `{name}`",
            term.span,
            notes=("it may be `none`",),
            help=(f"match it first: `{shortened(term.subject.span)} is some(x) and x.{name}`",),
        )
        return
    names = (
        [f.name for form in type_.forms for f in form.fields] if isinstance(type_, Union) else []
    )
    names += [v.name for v in member_variables(scope.module, type_, None)]
    close = near(name, names)
    if close:
        help_ = f"did you mean {listing(close, 'or')}?"
    elif names:
        help_ = f"it has {listing(list(dict.fromkeys(names))[:8])}"
    else:
        help_ = "fields belong to records and forms, variables to groups and their members"
    e.collector.error(
        "unknown-field", f"{describe(type_)} has no `{name}`", term.field.span, help=(help_,)
    )


def next_state(e: Elaborating, term: tree.Next, scope: Scope) -> core.Term:
    if scope.site.word == PRIMED:
        e.collector.error(
            "second-prime",
            "`'` inside a term that has one already",
            term.span,
            notes=("`'` applies to the whole term before it: `f(x)'` is all of it after the step",),
            help=("write it once, behind the whole term or behind each part that is meant",),
        )
        return e.wrong(term.span)
    if not scope.site.next:
        e.collector.error(
            "next-outside-step",
            f"`'` in {scope.site.word}",
            term.span,
            notes=("`x'` is the value after the step; it means something in `step` properties",),
            help=("state it as a `step` property",),
        )
        return e.wrong(term.span)
    subject = bare(term.subject)
    if isinstance(subject, tree.Name) and subject.name in scope.names:
        name = subject.name
        e.collector.error(
            "rigid-prime",
            f"`{name}` is the same before and after the step",
            term.span,
            labels=(Label(scope.names[name].span, "bound here"),),
            notes=("what a bound name stands for does not change; its variables may",),
            help=(f"put `'` behind what may change: `{name}.x'`, `{name}.x[k]'`",),
        )
        return e.wrong(term.span)
    site = evolve(scope.site, next=False, word=PRIMED)
    # What is known of forms is known of the state before the step.
    inner = e.term(term.subject, evolve(scope, site=site, facts={}))
    return core.Next(inner, type=inner.type, span=term.span)
