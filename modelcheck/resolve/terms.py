"""Terms: from trees to typed core terms.

One walk does names, types and intervals. It runs twice: once for the file with
parameters open, where it finds what is wrong whatever a check sets, and once
for each check with everything set, where types are finite and intervals exact.

A term that has an error becomes `core.Truth(False)` of type `Nothing`, which
agrees with everything: one mistake, one diagnostic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, assert_never

from attrs import Factory, define, evolve, field

from modelcheck.core import terms as core
from modelcheck.core.model import Variable
from modelcheck.core.types import (
    BOOL,
    INT,
    NOTHING,
    Bag,
    Bool,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import cardinality, is_finite
from modelcheck.diagnostics import Collector, Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve import intervals
from modelcheck.resolve.builtins import (
    ARGUMENT_COUNTS,
    Unfit,
    apply,
    element_type,
    number_of_values,
    size_interval,
)
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.names import (
    BoundType,
    BoundValue,
    EffectEntity,
    FormEntity,
    GroupEntity,
    LetEntity,
    Module,
    ObjectEntity,
    OpaqueFunction,
    ParameterEntity,
    ProtocolEntity,
    SortEntity,
    TemplateEntity,
    TypeEntity,
)
from modelcheck.resolve.patterns import match_pattern
from modelcheck.resolve.scope import (
    Bound,
    Condition,
    Lets,
    Scope,
    Site,
    both,
    either,
    wrap,
)
from modelcheck.resolve.types import TypeTable, agree, describe, fits, join, keys_agree
from modelcheck.source import Span

LARGEST_DOMAIN = 1 << 20
"""More values than this are not gone through."""

LARGEST_SUBSET_BASE = 16
"""A domain of subsets has two to the power of this many members at most."""

CLOSED = Site("a constant", state=False)


@define
class Reads:
    """What a term was seen to read: the first place of each kind."""

    state: Span | None = None
    ghost: Span | None = None
    result: Span | None = None


@define(eq=False)
class Elaborator:
    """Elaborates the terms of one file, open or with one check's settings.

    closed          whether every parameter has a value and every sort a size
    parameter_term  what a parameter stands for
    """

    collector: Collector
    closed: bool
    sort: Callable[[SortEntity], Type]
    parameter_term: Callable[[ParameterEntity, Span], core.Term]
    constant_value: Callable[[core.Term], int | None]
    types: TypeTable = field(init=False)
    _functions: dict[object, tuple[core.Function, Reads]] = Factory(dict)
    _open_lets: list[LetEntity] = Factory(list)
    _watchers: list[Reads] = Factory(list)
    indexing: set[str] = Factory(set)
    """Bound names that were used to index an `each` group."""

    def __attrs_post_init__(self) -> None:
        self.types = TypeTable(self.collector, self.constant, self.sort)

    # --- entry points ---------------------------------------------------------------

    def constant(self, term: tree.Term, module: Module) -> int | None:
        """The number that a closed term comes to; None while a parameter is open, or after an error."""
        scope = Scope(module, CLOSED)
        elaborated = self.number(term, scope)
        if isinstance(elaborated.type, Nothing):
            return None
        exact = intervals.constant(elaborated.type)
        if exact is not None:
            return exact
        return self.constant_value(elaborated) if self.closed else None

    def wanted(self, term: tree.Term, scope: Scope, type_: Type) -> core.Term:
        """The term, where a value of `type_` is wanted."""
        return self.fit(self.term(term, scope, type_), type_, term.span)

    def number(self, term: tree.Term, scope: Scope) -> core.Term:
        """The term, where a number is wanted."""
        elaborated = self.term(term, scope)
        if is_number(elaborated.type) or isinstance(elaborated.type, Nothing):
            return elaborated
        self.collector.error(
            "not-a-number",
            f"{describe(elaborated.type)} where a number is wanted",
            term.span,
            help=("numbers come from literals, ranges, `size`, `len`, `count` and `sum`",),
        )
        return self.wrong(term.span)

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

    def conjunction(
        self, lines: Sequence[tree.Term], scope: Scope
    ) -> tuple[tuple[core.Term, ...], Scope]:
        """Lines of a body, one after the other: a name bound in one is known in those below."""
        parts: list[core.Term] = []
        lets: Lets = ()
        for line in lines:
            condition = self.condition(line, scope)
            parts.append(wrap(lets, condition.term))
            scope = self.after(condition, scope, line.span)
            lets = lets + condition.lets
        return tuple(parts), scope

    def after(self, condition: Condition, scope: Scope, span: Span) -> Scope:
        """The scope in which a condition is known to be true."""
        scope = scope.know(condition.when_true)
        for name, value in condition.lets:
            ghost = self._is_ghost(value)
            scope = scope.bind(name, Bound(value.type, value.span or span, ghost))
        return scope

    def _is_ghost(self, term: core.Term) -> bool:
        """Whether a matched part comes from a ghost: parts are fields of what was read."""
        match term:
            case core.Get(subject, _):
                return self._is_ghost(subject)
            case core.Item(option):
                return self._is_ghost(option)
            case core.Next(inner):
                return self._is_ghost(inner)
            case core.Lookup(subject, _) | core.At(subject, _):
                return self._is_ghost(subject)
            case core.Read(variable):
                return variable.ghost
            case _:
                return False

    @contextmanager
    def watch(self) -> Iterator[Reads]:
        """Notes what is read inside; it counts as read outside, too."""
        reads = Reads()
        self._watchers.append(reads)
        try:
            yield reads
        finally:
            self._watchers.pop()
            self.note(reads)

    def note(self, reads: Reads) -> None:
        """Count something as read here."""
        if self._watchers:
            outer = self._watchers[-1]
            outer.state = outer.state or reads.state
            outer.ghost = outer.ghost or reads.ghost
            outer.result = outer.result or reads.result

    def wrong(self, span: Span) -> core.Term:
        """Stands for a term with an error."""
        return core.Truth(False, type=NOTHING, span=span)

    # --- agreement ------------------------------------------------------------------

    def fit(self, term: core.Term, wanted: Type, span: Span) -> core.Term:
        """The term as one of the wanted type: a value becomes an option where one is wanted."""
        if fits(term.type, wanted):
            if not isinstance(wanted, Option) or isinstance(term.type, Nothing):
                return term
            return self._as_option(term, wanted)
        if isinstance(term.type, Option) and agree(term.type.item, wanted):
            self.collector.error(
                "option-unopened",
                f"{describe(term.type)} where {describe(wanted)} is wanted",
                span,
                help=("match it first: `v is some(x)` binds `x` to its value",),
            )
        else:
            self.collector.error(
                "type-mismatch",
                f"{describe(term.type)} where {describe(wanted)} is wanted",
                span,
            )
        return self.wrong(span)

    def alike(
        self, left: tree.Term, right: tree.Term, scope: Scope, span: Span
    ) -> tuple[core.Term, core.Term] | None:
        """Both sides of a comparison in one representation; None if they cannot be compared."""
        if _is_literal(left) and not _is_literal(right):
            second = self.term(right, scope)
            first = self.term(left, scope, second.type)
        else:
            first = self.term(left, scope)
            second = self.term(right, scope, first.type)
        if isinstance(first.type, Nothing) or isinstance(second.type, Nothing):
            return None
        joined = join(first.type, second.type)
        if joined is None and {type(first.type), type(second.type)} == {Set, Bag}:
            joined = first.type
        if joined is None:
            self.collector.error(
                "incomparable",
                f"{describe(first.type)} compared with {describe(second.type)}",
                span,
                labels=(
                    Label(left.span, describe(first.type)),
                    Label(right.span, describe(second.type)),
                ),
                help=(
                    "only values of one type can be equal; compare a field, or convert one side",
                ),
            )
            return None
        if isinstance(joined, Option):
            first, second = self._as_option(first, joined), self._as_option(second, joined)
        return first, second

    def _as_option(self, term: core.Term, type_: Option) -> core.Term:
        if isinstance(term.type, Option):
            return evolve(term, type=type_) if isinstance(term, core.Absent) else term
        return core.Present(term, type=type_, span=term.span)

    def checked(self, term: core.Term, span: Span) -> core.Term:
        """A number, refused if it might leave 64 bits."""
        if intervals.fits_64_bits(term.type):
            return term
        self.collector.error(
            "number-too-large",
            "a number that may need more than 64 bits",
            span,
            notes=(f"it may lie anywhere in {_shown(term.type)}",),
            help=("give the variables and parameters in it smaller ranges",),
        )
        return self.wrong(span)

    # --- all terms ------------------------------------------------------------------

    def term(self, term: tree.Term, scope: Scope, hint: Type | None = None) -> core.Term:
        """The term with its type. `hint` types literals (`{}`, `none`); it is not enforced."""
        match term:
            case tree.Parenthesized(inner):
                return self.term(inner, scope, hint)
            case tree.Name():
                return self._name(term, scope)
            case tree.Upper():
                return self._upper(term, scope)
            case tree.IntLiteral(value):
                number = core.Number(value, type=Range(value, value), span=term.span)
                return self.checked(number, term.span)
            case tree.BoolLiteral(truth):
                return core.Truth(truth, span=term.span)
            case tree.NoneLiteral():
                type_ = hint if isinstance(hint, Option) else Option(NOTHING)
                return core.Absent(type=type_, span=term.span)
            case tree.SetLiteral():
                return self._set_literal(term, scope, hint)
            case tree.SeqLiteral():
                return self._seq_literal(term, scope, hint)
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
                binders, heads = self.binders(term.binders, scope)
                head = self.term(term.head, heads)
                return core.Collect(head, binders, type=Set(head.type), span=term.span)
            case tree.Call():
                return self._call(term, scope)
            case tree.Make():
                return self._make(term, scope)
            case tree.Get():
                return self._get(term, scope)
            case tree.Next():
                return self._next(term, scope)
            case tree.Index():
                return self._index(term, scope)
            case tree.Slice():
                return self._slice(term, scope)
            case tree.Negative(operand):
                return self._negative(term, operand, scope)
            case tree.Binary():
                return self._binary(term, scope)
            case tree.Compare():
                return self._compare(term, scope)
            case tree.In():
                return self._in(term, scope)
            case tree.Subset():
                return self._subset(term, scope)
            case tree.With():
                return self._with(term, scope)
            case tree.Quantified():
                return self._quantified(term, scope)
            case tree.If():
                return self._if(term, scope, hint)
            case tree.Each():
                return self._each(term, scope, hint)
            case tree.Not() | tree.And() | tree.Or() | tree.Implies() | tree.Is():
                return self.condition(term, scope).term
            case _:
                assert_never(term)

    # --- connectives ----------------------------------------------------------------

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
            self.refuse_shadowing(name, span, scope)
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

    def refuse_shadowing(self, name: str, span: Span, scope: Scope) -> None:
        bound = scope.names.get(name)
        if bound is not None:
            where = bound.span
        else:
            entity = scope.module.find_lower(name)
            if entity is None:
                return
            where = entity.span
        self.collector.error(
            "shadowed-name",
            f"`{name}` already has a meaning here",
            span,
            label="bound again",
            labels=(Label(where, "first meaning"),),
            notes=("a name in a pattern or binder is always a new one",),
            help=(f"choose another name, or compare: `... is Form(x) and x == {name}`",),
        )

    # --- names ----------------------------------------------------------------------

    def _name(self, term: tree.Name, scope: Scope) -> core.Term:
        name = term.name
        bound = scope.names.get(name)
        if bound is not None:
            if bound.ghost:
                self.ghost_read(term.span, scope, f"`{name}`")
            return core.Name(name, type=bound.type, span=term.span)
        if name == "result" and scope.site.result is not None:
            self.note(Reads(result=term.span))
            return core.Result(type=scope.site.result, span=term.span)
        variable = scope.module.object_variables.get(name)
        if variable is not None:
            return self._read(variable, None, term.span, scope)
        entity = scope.module.find_lower(name)
        match entity:
            case LetEntity():
                return self._apply_let(entity, (), term.span, scope)
            case OpaqueFunction() | EffectEntity():
                self._wrong_count(name, term.span, entity.span, 0, None)
            case BoundValue():
                return evolve(entity.term, span=term.span)
            case GroupEntity():
                self.collector.error(
                    "group-as-value",
                    f"`{name}` is a group of variables, not a value",
                    term.span,
                    labels=(Label(entity.span, "declared here"),),
                    help=(f"read one of its variables: `{name}.{_first_variable(entity)}`",),
                )
            case None:
                self._unknown(name, term.span, scope)
            case _:
                assert_never(entity)
        return self.wrong(term.span)

    def _unknown(self, name: str, span: Span, scope: Scope) -> None:
        if name == "result":
            self.collector.error(
                "result-outside-step",
                "`result` where no operation returns",
                span,
                notes=("`result` is what the step's operation returned",),
                help=("use it in a `step` property `on` actions that `return` a value",),
            )
            return
        close = near(name, [*scope.names, *scope.module.lower_names()])
        members = [
            f"{owner}.{variable.name}"
            for variable in _all_variables(scope.module)
            if variable.name == name
            for owner in [_written(variable)]
        ]
        if members:
            help_ = f"it is a variable: write {listing(members[:4], 'or')}"
        elif close:
            help_ = f"did you mean {listing(close, 'or')}?"
        elif scope.names:
            help_ = f"known here are {listing(list(scope.names)[:6])}"
        else:
            help_ = "bind it in the header (`n in Node`), by `is`, or with `let`"
        self.collector.error("unknown-name", f"no `{name}` is known here", span, help=(help_,))

    def _upper(self, term: tree.Upper, scope: Scope) -> core.Term:
        name, span = term.name, term.span
        entity = scope.module.find_upper(name)
        match entity:
            case ParameterEntity():
                return self.parameter_term(entity, span)
            case BoundValue():
                return evolve(entity.term, span=span)
            case FormEntity():
                return self._make_form(entity.type, name, (), span, scope)
            case SortEntity() | BoundType():
                return self.universe(self.types.named(name, span, scope.module), span)
            case TypeEntity():
                type_ = self.types.declared(entity, span)
                if isinstance(type_, Union) and entity.name in [f.name for f in type_.forms]:
                    index = type_.form_index(entity.name)
                    if index is not None and not type_.forms[index].fields:
                        return core.Make(index, (), type=type_, span=span)
                return self.universe(type_, span)
            case TemplateEntity() | ObjectEntity() | ProtocolEntity():
                self.collector.error(
                    "not-a-value",
                    f"`{name}` is not a value",
                    span,
                    labels=(Label(entity.span, "declared here"),),
                    help=(
                        "templates are used by `use`, objects by `linearizable`, "
                        "protocols by `refines`",
                    ),
                )
            case None:
                self._unknown_upper(name, span, scope)
            case _:
                assert_never(entity)
        return self.wrong(span)

    def _unknown_upper(self, name: str, span: Span, scope: Scope) -> None:
        close = near(name, scope.module.upper_names())
        help_ = (
            f"did you mean {listing(close, 'or')}?"
            if close
            else "declare it: a `param`, a form of a `type`, or a `sort`"
        )
        self.collector.error(
            "unknown-constructor",
            f"no constructor, parameter or type `{name}`",
            span,
            help=(help_,),
        )

    def universe(self, type_: Type, span: Span) -> core.Term:
        """A type as the set of its values."""
        if isinstance(type_, Nothing):
            return self.wrong(span)
        if self.closed:
            if not is_finite(type_):
                self.collector.error(
                    "infinite-domain",
                    f"{describe(type_)} has infinitely many values",
                    span,
                    help=("go through a range: `x in 0..MAX`",),
                )
                return self.wrong(span)
            count = cardinality(type_)
            if count > LARGEST_DOMAIN:
                self._too_wide(span, f"a domain of {_big(count)} values")
                return self.wrong(span)
        return core.Universe(type_, type=Set(type_), span=span)

    def _too_wide(self, span: Span, headline: str) -> None:
        self.collector.error(
            "too-wide",
            headline,
            span,
            notes=(f"at most {LARGEST_DOMAIN:,} values are gone through",),
            help=("go through the values that can occur: a set in the state, or a smaller range",),
        )

    def _make(self, term: tree.Make, scope: Scope) -> core.Term:
        name = term.form.name
        entity = scope.module.find_upper(name)
        if isinstance(entity, FormEntity):
            return self._make_form(entity.type, name, term.arguments, term.span, scope)
        if isinstance(entity, TypeEntity):
            type_ = self.types.declared(entity, term.form.span)
            if isinstance(type_, Union) and type_.form_index(name) is not None:
                return self._make_form(entity, name, term.arguments, term.span, scope)
        for argument in term.arguments:
            self.term(argument, scope)
        if entity is None:
            self._unknown_upper(name, term.form.span, scope)
        else:
            self.collector.error(
                "not-a-constructor",
                f"`{name}` takes no arguments",
                term.form.span,
                labels=(Label(entity.span, "declared here"),),
                help=(
                    "arguments belong to a constructor of a `type`, "
                    "or to a `let`, whose name is lower-case",
                ),
            )
        return self.wrong(term.span)

    def _make_form(
        self,
        entity: TypeEntity,
        name: str,
        arguments: tuple[tree.Term, ...],
        span: Span,
        scope: Scope,
    ) -> core.Term:
        type_ = self.types.declared(entity, span)
        if not isinstance(type_, Union):
            return self.wrong(span)
        index = type_.form_index(name)
        assert index is not None, "a form belongs to its type"
        form = type_.forms[index]
        if len(arguments) != len(form.fields):
            signature = f"{name}({', '.join(f.name for f in form.fields)})"
            self.collector.error(
                "constructor-arguments",
                f"`{name}` takes {_number_of(len(form.fields), 'argument')}, not {len(arguments)}",
                span,
                labels=(Label(entity.span, "its type"),),
                help=(f"write `{signature if form.fields else name}`",),
            )
            for argument in arguments:
                self.term(argument, scope)
            return self.wrong(span)
        elaborated = tuple(
            self.wanted(argument, scope, each.type)
            for argument, each in zip(arguments, form.fields, strict=True)
        )
        return core.Make(index, elaborated, type=type_, span=span)

    # --- reading --------------------------------------------------------------------

    def ghost_read(self, span: Span, scope: Scope, what: str) -> None:
        self.note(Reads(ghost=span))
        if not scope.site.ghosts:
            self.collector.error(
                "ghost-read",
                f"{what} is a ghost, read in {scope.site.word}",
                span,
                notes=("a ghost records history for properties; it must not change behaviour",),
                help=("drop `ghost` from the variable if the protocol consults it",),
            )

    def _read(
        self, variable: Variable, index: core.Term | None, span: Span, scope: Scope
    ) -> core.Term:
        self.note(Reads(state=span))
        if not scope.site.state:
            self.collector.error(
                "state-in-constant",
                f"`{_written(variable)}.{variable.name}` is read in {scope.site.word}",
                span,
                notes=("only parameters and literals have a value here",),
                help=("move what depends on the state into a guard, an update or a property",),
            )
            return self.wrong(span)
        if variable.ghost:
            self.ghost_read(span, scope, f"`{_written(variable)}.{variable.name}`")
        if isinstance(index, core.Name):
            self.indexing.add(index.name)
        return core.Read(variable, index, type=variable.type, span=span)

    def _get(self, term: tree.Get, scope: Scope) -> core.Term:
        name = term.field.name
        subject_tree = _bare(term.subject)
        if isinstance(subject_tree, tree.Name) and subject_tree.name not in scope.names:
            entity = scope.module.find_lower(subject_tree.name)
            if isinstance(entity, GroupEntity):
                return self._group_variable(entity, term, scope)
        subject = self.term(term.subject, scope)
        type_ = subject.type
        if isinstance(type_, Nothing):
            return self.wrong(term.span)
        if isinstance(type_, Union) and any(f.position(name) is not None for f in type_.forms):
            return self._field(subject, type_, term, scope)
        found = member_variables(scope.module, type_, name)
        if len(found) > 1:
            self.collector.error(
                "ambiguous-member",
                f"`{name}` is a variable of several groups under such keys",
                term.span,
                labels=tuple(Label(v.span, "one of them") for v in found if v.span is not None),
                help=("name the variables differently, or key the groups by sorts",),
            )
        if found:
            return self._read(found[0], subject, term.span, scope)
        self._no_field(type_, term, scope)
        return self.wrong(term.span)

    def _group_variable(self, entity: GroupEntity, term: tree.Get, scope: Scope) -> core.Term:
        for variable in _all_variables(scope.module):
            if variable.owner.name == entity.name and variable.owner.kind != "each":
                if variable.name == term.field.name:
                    return self._read(variable, None, term.span, scope)
        names = [variable.name.name for variable in entity.declaration.variables]
        if not scope.site.state and not names:
            return self.wrong(term.span)
        close = near(term.field.name, names)
        self.collector.error(
            "unknown-variable",
            f"no state variable `{entity.name}.{term.field.name}`",
            term.span,
            help=(
                f"did you mean {listing([f'{entity.name}.{c}' for c in close], 'or')}?"
                if close
                else f"`{entity.name}` has {listing(names[:8])}",
            ),
        )
        return self.wrong(term.span)

    def _field(self, subject: core.Term, type_: Union, term: tree.Get, scope: Scope) -> core.Term:
        name = term.field.name
        possible = scope.facts.get(subject, frozenset(range(len(type_.forms))))
        lacking = [
            type_.forms[i] for i in sorted(possible) if type_.forms[i].position(name) is None
        ]
        having = [form for form in type_.forms if form.position(name) is not None]
        if lacking:
            self.collector.error(
                "unmatched-field",
                f"not every form of `{type_.name}` has `{name}`",
                term.span,
                notes=(
                    f"{listing([f.name for f in having])} {'has' if len(having) == 1 else 'have'} "
                    f"it, {listing([f.name for f in lacking][:4])} "
                    f"{'has' if len(lacking) == 1 else 'have'} not",
                ),
                help=(f"match the form first: `... is {having[0].name} and ...`",),
            )
            return self.wrong(term.span)
        result: Type = NOTHING
        forms = [type_.forms[i] for i in sorted(possible)] or having
        for form in forms:
            position = form.position(name)
            if position is not None:
                joined = join(result, form.fields[position].type)
                if joined is None:
                    self.collector.error(
                        "field-types-differ",
                        f"`{name}` has different types in the forms of `{type_.name}`",
                        term.span,
                        help=("match one form: `... is Form(x, _)` binds its part to `x`",),
                    )
                    return self.wrong(term.span)
                result = joined
        return core.Get(subject, name, type=result, span=term.span)

    def _no_field(self, type_: Type, term: tree.Get, scope: Scope) -> None:
        name = term.field.name
        if isinstance(type_, Option):
            self.collector.error(
                "field-of-option",
                f"{describe(type_)} has no field `{name}`",
                term.span,
                notes=("it may be `none`",),
                help=(f"match it first: `... is some(x) and x.{name} ...`",),
            )
            return
        names = (
            [f.name for form in type_.forms for f in form.fields]
            if isinstance(type_, Union)
            else []
        )
        names += [v.name for v in member_variables(scope.module, type_, None)]
        close = near(name, names)
        if close:
            help_ = f"did you mean {listing(close, 'or')}?"
        elif names:
            help_ = f"it has {listing(list(dict.fromkeys(names))[:8])}"
        else:
            help_ = "fields belong to records and forms, variables to groups and their members"
        self.collector.error(
            "unknown-field", f"{describe(type_)} has no `{name}`", term.field.span, help=(help_,)
        )

    def _next(self, term: tree.Next, scope: Scope) -> core.Term:
        if not scope.site.next:
            self.collector.error(
                "next-outside-step",
                f"`'` in {scope.site.word}",
                term.span,
                notes=(
                    "`x'` is the value after the step; it means something in `step` properties, "
                    "once for each term",
                ),
                help=("state it as a `step` property",),
            )
            return self.wrong(term.span)
        site = evolve(scope.site, next=False)
        # What is known of forms is known of the state before the step.
        inner = self.term(term.subject, evolve(scope, site=site, facts={}))
        return core.Next(inner, type=inner.type, span=term.span)

    def _index(self, term: tree.Index, scope: Scope) -> core.Term:
        subject = self.term(term.subject, scope)
        type_ = subject.type
        match type_:
            case Map(key, value):
                index = self.wanted(term.index, scope, key)
                return core.Lookup(subject, index, type=value, span=term.span)
            case Seq(element):
                index = self.number(term.index, scope)
                return core.At(subject, index, type=element, span=term.span)
            case Bag(element):
                item = self.wanted(term.index, scope, element)
                return core.Multiplicity(subject, item, type=size_interval(subject), span=term.span)
            case Nothing():
                self.term(term.index, scope)
            case _:
                self.term(term.index, scope)
                self.collector.error(
                    "not-indexable",
                    f"{describe(type_)} has no index",
                    term.span,
                    help=(
                        "maps are read by key, sequences by position, bags by element; "
                        "a set is asked with `in`",
                    ),
                )
        return self.wrong(term.span)

    def _sequence(self, term: tree.Term, scope: Scope, what: str) -> core.Term | None:
        subject = self.term(term, scope)
        if isinstance(subject.type, Seq):
            return subject
        if not isinstance(subject.type, Nothing):
            self.collector.error(
                "not-a-sequence",
                f"{describe(subject.type)} {what}",
                term.span,
                help=("only sequences have positions; sets are joined by `union`",),
            )
        return None

    def _slice(self, term: tree.Slice, scope: Scope) -> core.Term:
        subject = self._sequence(term.subject, scope, "has no positions")
        low = self.number(term.low, scope)
        high = None if term.high is None else self.number(term.high, scope)
        if subject is None:
            return self.wrong(term.span)
        return core.Slice(subject, low, high, type=subject.type, span=term.span)

    # --- literals -------------------------------------------------------------------

    def _set_literal(self, term: tree.SetLiteral, scope: Scope, hint: Type | None) -> core.Term:
        element = hint.element if isinstance(hint, Set | Bag) else None
        items, type_ = self._items(term.items, scope, element)
        if isinstance(hint, Bag):
            return core.BagOf(items, type=Bag(type_), span=term.span)
        return core.SetOf(items, type=Set(type_), span=term.span)

    def _seq_literal(self, term: tree.SeqLiteral, scope: Scope, hint: Type | None) -> core.Term:
        element = hint.element if isinstance(hint, Seq) else None
        items, type_ = self._items(term.items, scope, element)
        return core.SeqOf(items, type=Seq(type_, len(items)), span=term.span)

    def _items(
        self, items: tuple[tree.Term, ...], scope: Scope, element: Type | None
    ) -> tuple[tuple[core.Term, ...], Type]:
        elaborated: list[core.Term] = []
        type_: Type = NOTHING
        for item in items:
            each = self.term(item, scope, element)
            if isinstance(element, Option) and not isinstance(each.type, Option):
                each = self.fit(each, element, item.span)
            joined = join(type_, each.type)
            if joined is None:
                self.collector.error(
                    "mixed-elements",
                    f"{describe(each.type)} among elements that are each {describe(type_)}",
                    item.span,
                    help=("elements of one collection have one type; declare a union for several",),
                )
                each = self.wrong(item.span)
            else:
                type_ = joined
            elaborated.append(each)
        if isinstance(type_, Option):
            elaborated = [self._as_option(each, type_) for each in elaborated]
        return tuple(elaborated), type_

    def _each(self, term: tree.Each, scope: Scope, hint: Type | None) -> core.Term:
        (binder,), inner = self.binders((term.binder,), scope)
        domain = binder.domain
        if (
            not isinstance(domain, core.Values)
            or not isinstance(domain.term, core.Universe)
            or binder.where is not None
        ):
            if not isinstance(binder.type, Nothing):
                self.collector.error(
                    "each-domain",
                    "the keys of a map term are not all values of a type",
                    term.binder.span,
                    notes=("a map has a value for every key of its type",),
                    help=("write `each k in K: ...`, with `if` where some keys differ",),
                )
            return self.wrong(term.span)
        value_hint = hint.value if isinstance(hint, Map) else None
        body = self.term(term.body, inner, value_hint)
        if value_hint is not None and isinstance(value_hint, Option):
            body = self.fit(body, value_hint, term.body.span)
        return core.MapOf(binder.name, body, type=Map(domain.term.of, body.type), span=term.span)

    # --- operators ------------------------------------------------------------------

    def _negative(self, term: tree.Negative, operand: tree.Term, scope: Scope) -> core.Term:
        inner = self.number(operand, scope)
        if isinstance(inner.type, Nothing):
            return inner
        zero = core.Number(0, type=Range(0, 0), span=term.span)
        type_ = intervals.arithmetic("-", zero.type, inner.type)
        if isinstance(inner, core.Number):
            return core.Number(-inner.value, type=type_, span=term.span)
        return self.checked(
            core.Arithmetic("-", zero, inner, type=type_, span=term.span), term.span
        )

    def _binary(self, term: tree.Binary, scope: Scope) -> core.Term:
        operator = term.operator
        match operator:
            case "+" | "-" | "*" | "div" | "mod":
                return self._arithmetic(operator, term, scope)
            case "++":
                left = self._sequence(term.left, scope, "cannot be joined by `++`")
                right = self._sequence(term.right, scope, "cannot be joined by `++`")
                if left is None or right is None:
                    return self.wrong(term.span)
                joined = join(left.type, right.type)
                if not isinstance(joined, Seq):
                    return self._mixed(left.type, right.type, term)
                assert isinstance(left.type, Seq) and isinstance(right.type, Seq)
                a, b = left.type.bound, right.type.bound
                bound = None if a is None or b is None else a + b
                type_ = Seq(joined.element, bound)
                return core.Concat(left, right, type=type_, span=term.span)
            case "union" | "minus" | "intersect":
                return self._combine(operator, term, scope)
            case _:
                assert_never(operator)

    def _mixed(self, left: Type, right: Type, term: tree.Binary) -> core.Term:
        self.collector.error(
            "operands-differ",
            f"{describe(left)} and {describe(right)} under `{term.operator}`",
            term.span,
            help=("both sides hold elements of one type",),
        )
        return self.wrong(term.span)

    def _arithmetic(
        self, operator: Literal["+", "-", "*", "div", "mod"], term: tree.Binary, scope: Scope
    ) -> core.Term:
        left = self._operand(term.left, scope, operator)
        if operator in ("div", "mod"):
            right = self._divisor(term, scope)
        else:
            right = self._operand(term.right, scope, operator)
        if isinstance(left.type, Nothing) or isinstance(right.type, Nothing):
            return self.wrong(term.span)
        type_ = intervals.arithmetic(operator, left.type, right.type)
        return self.checked(
            core.Arithmetic(operator, left, right, type=type_, span=term.span), term.span
        )

    def _operand(self, term: tree.Term, scope: Scope, operator: str) -> core.Term:
        elaborated = self.term(term, scope)
        type_ = elaborated.type
        if isinstance(type_, Sort):
            self.collector.error(
                "arithmetic-on-sort",
                f"`{operator}` on a member of the sort `{type_.name}`",
                term.span,
                notes=("members of a sort are interchangeable: they have no number",),
                help=(
                    f"declare a range instead, `type {type_.name} = 0..N - 1`, "
                    "if the protocol counts them",
                ),
            )
            return self.wrong(term.span)
        if isinstance(type_, Set | Bag | Seq) and operator in "+-":
            words = {Set: "`union` and `minus`", Bag: "`+=` and `-=` in an update", Seq: "`++`"}
            self.collector.error(
                "arithmetic-on-collection",
                f"`{operator}` on {describe(type_)}",
                term.span,
                help=(f"here it is {words[type(type_)]}",),
            )
            return self.wrong(term.span)
        if is_number(type_) or isinstance(type_, Nothing):
            return elaborated
        self.collector.error(
            "arithmetic-on-other",
            f"`{operator}` on {describe(type_)}",
            term.span,
            help=("to count, write `if ... then 1 else 0`, or `count x in S: ...`",),
        )
        return self.wrong(term.span)

    def _divisor(self, term: tree.Binary, scope: Scope) -> core.Term:
        site = Site("a divisor", state=False)
        right = self._operand(term.right, Scope(scope.module, site), term.operator)
        if isinstance(right.type, Nothing):
            return right
        value = intervals.constant(right.type)
        if value is None and self.closed:
            value = self.constant_value(right)
        if value is not None and value <= 0:
            self.collector.error(
                "divisor-not-positive",
                f"division by {value}",
                term.right.span,
                help=("divide by a positive constant or parameter",),
            )
            return self.wrong(term.right.span)
        if value is not None and intervals.constant(right.type) is None:
            return core.Number(value, type=Range(value, value), span=term.right.span)
        return right

    def _combine(
        self, operator: Literal["union", "minus", "intersect"], term: tree.Binary, scope: Scope
    ) -> core.Term:
        left = self.term(term.left, scope)
        right = self.term(term.right, scope, left.type)
        for each, written in ((left, term.left), (right, term.right)):
            if not isinstance(each.type, Set | Nothing):
                self.collector.error(
                    "not-a-set",
                    f"{describe(each.type)} under `{operator}`",
                    written.span,
                    help=("one element is a set in braces: `s union {x}`",),
                )
                return self.wrong(term.span)
        if isinstance(left.type, Nothing) or isinstance(right.type, Nothing):
            return self.wrong(term.span)
        joined = join(left.type, right.type)
        if joined is None:
            return self._mixed(left.type, right.type, term)
        type_ = joined if operator == "union" else left.type
        if isinstance(element_type(type_), Nothing):
            type_ = joined
        return core.Combine(operator, left, right, type=type_, span=term.span)

    def _compare(self, term: tree.Compare, scope: Scope) -> core.Term:
        left, right = _bare_tuple(term.left), _bare_tuple(term.right)
        if isinstance(left, tree.TupleTerm) or isinstance(right, tree.TupleTerm):
            return self._compare_tuples(left, right, term, scope)
        operator = term.operator
        if operator == "==" or operator == "!=":
            pair = self.alike(term.left, term.right, scope, term.span)
            if pair is None:
                return self.wrong(term.span)
            equal = core.Equal(*pair, span=term.span)
            return core.Not(equal, span=term.span) if operator == "!=" else equal
        first = self._ordered(term.left, scope, operator)
        second = self._ordered(term.right, scope, operator)
        if isinstance(first.type, Nothing) or isinstance(second.type, Nothing):
            return self.wrong(term.span)
        return core.Compare(operator, (first,), (second,), span=term.span)

    def _ordered(self, term: tree.Term, scope: Scope, operator: str) -> core.Term:
        elaborated = self.term(term, scope)
        type_ = elaborated.type
        if is_number(type_) or isinstance(type_, Nothing):
            return elaborated
        if isinstance(type_, Sort):
            self.collector.error(
                "order-on-sort",
                f"`{operator}` on members of the sort `{type_.name}`",
                term.span,
                notes=("members of a sort are interchangeable: only `==` and `!=` apply",),
                help=("use a range if their order matters",),
            )
        elif isinstance(type_, Set):
            self.collector.error(
                "order-on-sets",
                f"`{operator}` on {describe(type_)}",
                term.span,
                help=("`s subset t` compares sets, `size(s)` counts them",),
            )
        elif isinstance(type_, Option):
            self.collector.error(
                "order-on-option",
                f"`{operator}` on {describe(type_)}",
                term.span,
                help=("match it first, `v is some(x)`, and compare `x`",),
            )
        else:
            self.collector.error(
                "not-ordered",
                f"`{operator}` on {describe(type_)}",
                term.span,
                help=("compare numbers: a field, a `len`, a position",),
            )
        return self.wrong(term.span)

    def _compare_tuples(
        self, left: tree.Term, right: tree.Term, term: tree.Compare, scope: Scope
    ) -> core.Term:
        if (
            not isinstance(left, tree.TupleTerm)
            or not isinstance(right, tree.TupleTerm)
            or len(left.items) != len(right.items)
        ):
            self.collector.error(
                "tuple-lengths",
                "a tuple compared with something of another length",
                term.span,
                help=("give both sides the same number of parts: `(a, b) >= (c, d)`",),
            )
            return self.wrong(term.span)
        operator = term.operator
        if operator == "==" or operator == "!=":
            equals: list[core.Term] = []
            for a, b in zip(left.items, right.items, strict=True):
                pair = self.alike(a, b, scope, term.span)
                if pair is None:
                    return self.wrong(term.span)
                equals.append(core.Equal(*pair, span=a.span))
            whole = core.And(tuple(equals), span=term.span)
            return core.Not(whole, span=term.span) if operator == "!=" else whole
        firsts = tuple(self._ordered(each, scope, operator) for each in left.items)
        seconds = tuple(self._ordered(each, scope, operator) for each in right.items)
        if any(isinstance(each.type, Nothing) for each in firsts + seconds):
            return self.wrong(term.span)
        return core.Compare(operator, firsts, seconds, span=term.span)

    def _in(self, term: tree.In, scope: Scope) -> core.Term:
        collection = self.term(term.collection, scope)
        if not isinstance(collection.type, Set | Bag | Seq | Nothing):
            self.collector.error(
                "not-a-collection",
                f"`in` asks {describe(collection.type)} for an element",
                term.collection.span,
                help=("ask a set, a bag, a sequence or a type; a map's keys are all of its type",),
            )
            self.term(term.element, scope)
            return self.wrong(term.span)
        wanted = element_type(collection.type)
        element = self.wanted(term.element, scope, wanted)
        if isinstance(element.type, Nothing):
            return self.wrong(term.span)
        inside = core.In(element, collection, span=term.span)
        return core.Not(inside, span=term.span) if term.negated else inside

    def _subset(self, term: tree.Subset, scope: Scope) -> core.Term:
        left = self.term(term.left, scope)
        right = self.term(term.right, scope, left.type)
        for each, written in ((left, term.left), (right, term.right)):
            if not isinstance(each.type, Set | Nothing):
                self.collector.error(
                    "subset-of-what",
                    f"`subset` compares sets, and this is {describe(each.type)}",
                    written.span,
                    help=("for one element write `x in S`",),
                )
                return self.wrong(term.span)
        if join(left.type, right.type) is None:
            self.collector.error(
                "incomparable",
                f"{describe(left.type)} compared with {describe(right.type)}",
                term.span,
                help=(
                    "only values of one type can be equal; compare a field, or convert one side",
                ),
            )
            return self.wrong(term.span)
        return core.Subset(left, right, span=term.span)

    def _with(self, term: tree.With, scope: Scope) -> core.Term:
        subject = self.term(term.subject, scope)
        type_ = subject.type
        if not isinstance(type_, Union):
            if not isinstance(type_, Nothing):
                self.collector.error(
                    "with-on-other",
                    f"`with` changes fields of a record, and this is {describe(type_)}",
                    term.subject.span,
                    help=("an entry of a map is changed by an update: `m[k] := v`",),
                )
            return self.wrong(term.span)
        possible = scope.facts.get(subject, frozenset(range(len(type_.forms))))
        fields: list[tuple[str, core.Term]] = []
        seen: set[str] = set()
        for name, value in term.fields:
            types = [
                form.fields[position].type
                for i in sorted(possible)
                for form in [type_.forms[i]]
                for position in [form.position(name.name)]
                if position is not None
            ]
            if len(types) < len(possible) or not types or name.name in seen:
                all_fields = [f.name for form in type_.forms for f in form.fields]
                close = near(name.name, all_fields)
                self.collector.error(
                    "with-field",
                    f"`{name.name}` cannot be replaced here",
                    name.span,
                    notes=("`with` names fields that every possible form has, each once",),
                    help=(
                        f"did you mean {listing(close, 'or')}?"
                        if close and name.name not in all_fields
                        else "match the form first, or drop the repeated field",
                    ),
                )
                self.term(value, scope)
                continue
            seen.add(name.name)
            fields.append((name.name, self.wanted(value, scope, types[0])))
        return core.Replace(subject, tuple(fields), type=type_, span=term.span)

    def _if(self, term: tree.If, scope: Scope, hint: Type | None) -> core.Term:
        condition = self.condition(term.condition, scope)
        then_scope = self.after(condition, scope, term.condition.span)
        then = self.term(term.then, then_scope, hint)
        otherwise_scope = scope.know(condition.when_false)
        otherwise = self.term(term.otherwise, otherwise_scope, hint or then.type)
        if _is_literal(term.then) and hint is None:
            then = self.term(term.then, then_scope, otherwise.type)
        joined = join(then.type, otherwise.type)
        if joined is None and {type(then.type), type(otherwise.type)} == {Set, Bag}:
            joined = then.type if isinstance(then.type, Bag) else otherwise.type
        if joined is None:
            self.collector.error(
                "branches-differ",
                f"`then` gives {describe(then.type)}, `else` {describe(otherwise.type)}",
                term.span,
                labels=(
                    Label(term.then.span, describe(then.type)),
                    Label(term.otherwise.span, describe(otherwise.type)),
                ),
                help=("give both branches one type",),
            )
            return self.wrong(term.span)
        if isinstance(joined, Option):
            then, otherwise = (
                each if isinstance(each.type, Nothing) else self._as_option(each, joined)
                for each in (then, otherwise)
            )
        return core.If(
            condition.term, wrap(condition.lets, then), otherwise, type=joined, span=term.span
        )

    # --- binders and quantifiers ----------------------------------------------------

    def binders(
        self, binders: Sequence[tree.Binder], scope: Scope
    ) -> tuple[tuple[core.Binder, ...], Scope]:
        """The binders in order, and the scope of what they bind."""
        done: list[core.Binder] = []
        for each in binders:
            name = each.name.name
            with self.watch() as reads:
                domain, type_ = self.domain(each.domain, scope)
            self.refuse_shadowing(name, each.name.span, scope)
            ghost = reads.ghost is not None
            scope = scope.bind(name, Bound(type_, each.name.span, ghost))
            where: core.Term | None = None
            lets: Lets = ()
            if each.where is not None:
                condition = self.condition(each.where, scope)
                where, lets = condition.term, condition.lets
                scope = self.after(condition, scope, each.where.span)
            done.append(core.Binder(name, domain, where, lets, type=type_, span=each.span))
        return tuple(done), scope

    def domain(self, domain: tree.Domain, scope: Scope) -> tuple[core.Domain, Type]:
        """What a binder goes through, and the type of its values."""
        match domain:
            case tree.InTerm(term):
                collection = self.term(term, scope)
                type_ = collection.type
                if not isinstance(type_, Set | Bag | Seq | Nothing):
                    self.collector.error(
                        "not-a-domain",
                        f"a binder goes through {describe(type_)}",
                        term.span,
                        help=(
                            "go through a type, a set, a bag, a sequence, "
                            "`1..len(s)` or `subset of D`",
                        ),
                    )
                    type_ = NOTHING
                return core.Values(collection, span=domain.span), element_type(type_)
            case tree.InRange(low, high):
                lowest, highest = self.number(low, scope), self.number(high, scope)
                return (
                    core.Interval(lowest, highest, span=domain.span),
                    self._interval_type(lowest.type, highest.type, domain.span),
                )
            case tree.InSubsets(of):
                return self._subsets(of, domain, scope)
            case tree.InBool():
                universe = core.Universe(BOOL, type=Set(BOOL), span=domain.span)
                return core.Values(universe, span=domain.span), BOOL
            case tree.InInt():
                self.collector.error(
                    "integers-as-domain",
                    "a binder goes through all numbers",
                    domain.span,
                    help=("give the range: `x in 0..MAX`",),
                )
                return core.Values(self.wrong(domain.span), span=domain.span), NOTHING
            case _:
                assert_never(domain)

    def _interval_type(self, low: Type, high: Type, span: Span) -> Type:
        if not isinstance(low, Range) or not isinstance(high, Range):
            return INT
        if self.closed and high.high - low.low >= LARGEST_DOMAIN:
            self._too_wide(span, f"a range of up to {_big(high.high - low.low + 1)} values")
            return NOTHING
        return Range(low.low, high.high)

    def _subsets(
        self, of: tree.Term, domain: tree.InSubsets, scope: Scope
    ) -> tuple[core.Domain, Type]:
        base = self.term(of, scope)
        type_ = base.type
        if not isinstance(type_, Set | Nothing):
            self.collector.error(
                "subsets-of-what",
                f"subsets of {describe(type_)}",
                of.span,
                help=("write `subset of` a type or a set",),
            )
            return core.Subsets(self.wrong(of.span), span=domain.span), NOTHING
        element = element_type(type_)
        count = number_of_values(element)
        if count is not None and count > LARGEST_SUBSET_BASE:
            self.collector.error(
                "too-many-subsets",
                f"subsets of a set over {_big(count)} values",
                of.span,
                notes=(f"at most {LARGEST_SUBSET_BASE} values have their subsets gone through",),
                help=("choose the members one by one, or fix their number by the parameters",),
            )
        return core.Subsets(base, span=domain.span), Set(element)

    def _quantified(self, term: tree.Quantified, scope: Scope) -> core.Term:
        binders, inner = self.binders(term.binders, scope)
        span = term.span
        match term.quantifier:
            case "forall":
                return core.Forall(binders, self.condition(term.body, inner).term, span=span)
            case "exists":
                return core.Exists(binders, self.condition(term.body, inner).term, span=span)
            case "count":
                body = self.condition(term.body, inner).term
                most = self._choices(binders)
                type_: Type = INT if most is None else Range(0, most)
                return self.checked(core.Count(binders, body, type=type_, span=span), span)
            case "sum":
                body = self.number(term.body, inner)
                if isinstance(body.type, Nothing):
                    return self.wrong(span)
                type_ = intervals.times(self._choices(binders), body.type)
                return self.checked(core.Sum(binders, body, type=type_, span=span), span)
            case "the":
                body = self.condition(term.body, inner).term
                if len(binders) != 1:
                    self.collector.error(
                        "the-one",
                        "`the` with more than one binder",
                        span,
                        help=("bind one name; ask for the others with `exists` in the body",),
                    )
                    return self.wrong(span)
                return core.The(binders[0], body, type=binders[0].type, span=span)
            case _:
                assert_never(term.quantifier)

    def _choices(self, binders: Sequence[core.Binder]) -> int | None:
        """At most how many choices there are; None if that is not known."""
        total = 1
        for binder in binders:
            count: int | None
            match binder.domain:
                case core.Values(term):
                    interval = size_interval(term)
                    count = interval.high if isinstance(interval, Range) else None
                case core.Interval():
                    count = number_of_values(binder.type)
                case core.Subsets(of):
                    members = number_of_values(element_type(of.type))
                    count = None if members is None else 1 << min(members, 64)
                case _:
                    assert_never(binder.domain)
            if count is None:
                return None
            total *= count
        return total

    # --- functions ------------------------------------------------------------------

    def _call(self, term: tree.Call, scope: Scope) -> core.Term:
        name = term.function.name
        if name in scope.names:
            self.collector.error(
                "not-a-function",
                f"`{name}` is a value, not a function",
                term.function.span,
                labels=(Label(scope.names[name].span, "bound here"),),
                help=("a sequence or map is read with brackets: `s[i]`, `m[k]`",),
            )
            return self.wrong(term.span)
        entity = scope.module.find_lower(name)
        match entity:
            case LetEntity():
                return self._apply_let(entity, term.arguments, term.span, scope)
            case OpaqueFunction():
                return self._apply_opaque(entity, term, scope)
            case EffectEntity():
                self.collector.error(
                    "effect-as-value",
                    f"the effect `{name}` has no value",
                    term.span,
                    labels=(Label(entity.span, "declared here"),),
                    help=("use it on a line of its own; a function is declared by `let`",),
                )
                return self.wrong(term.span)
            case GroupEntity() | BoundValue():
                self.collector.error(
                    "not-a-function",
                    f"`{name}` is not a function",
                    term.function.span,
                    labels=(Label(entity.span, "declared here"),),
                    help=("a sequence or map is read with brackets: `s[i]`, `m[k]`",),
                )
                return self.wrong(term.span)
            case None:
                if name in ARGUMENT_COUNTS:
                    return self._apply_builtin(name, term, scope)
            case _:
                assert_never(entity)
        for argument in term.arguments:
            self.term(argument, scope)
        functions = [
            each
            for each in scope.module.lower_names()
            if isinstance(scope.module.find_lower(each), LetEntity | OpaqueFunction)
        ]
        close = near(name, [*functions, *ARGUMENT_COUNTS])
        self.collector.error(
            "unknown-function",
            f"no function `{name}`",
            term.function.span,
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else f"declare it with `let {name}(...) = ...`",
            ),
        )
        return self.wrong(term.span)

    def _apply_builtin(self, name: str, term: tree.Call, scope: Scope) -> core.Term:
        arguments = tuple(self.term(each, scope) for each in term.arguments)
        counts = ARGUMENT_COUNTS[name]
        if len(arguments) not in counts:
            wanted = " or ".join(str(count) for count in counts)
            self.collector.error(
                "builtin-arguments",
                f"`{name}` takes {wanted} argument{'s' if counts != (1,) else ''}, "
                f"not {len(arguments)}",
                term.span,
                help=(f"for example `{_BUILTIN_EXAMPLES[name]}`",),
            )
            return self.wrong(term.span)
        if any(isinstance(each.type, Nothing) for each in arguments):
            return self.wrong(term.span)
        applied = apply(name, arguments, term.span)
        if isinstance(applied, Unfit):
            argument = arguments[applied.position]
            self.collector.error(
                "builtin-type",
                f"`{name}` of {describe(argument.type)}",
                term.arguments[applied.position].span,
                notes=(f"`{name}` takes {applied.wanted}",),
                help=(f"for example `{_BUILTIN_EXAMPLES[name]}`, with a collection of that kind",),
            )
            return self.wrong(term.span)
        return applied

    def _wrong_count(
        self, name: str, span: Span, declared: Span, given: int, wanted: int | None
    ) -> None:
        takes = "arguments" if wanted is None else _number_of(wanted, "argument")
        self.collector.error(
            "function-arguments",
            f"`{name}` takes {takes}, not {given}",
            span,
            labels=(Label(declared, "declared here"),),
            help=("give one argument for each of its parameters",),
        )

    def _apply_opaque(self, entity: OpaqueFunction, term: tree.Call, scope: Scope) -> core.Term:
        parameters = entity.declaration.parameters
        if len(parameters) != len(term.arguments):
            self._wrong_count(
                entity.name, term.span, entity.span, len(term.arguments), len(parameters)
            )
        for argument, parameter in zip(term.arguments, parameters, strict=False):
            if isinstance(parameter, tree.ValueParameter):
                self.wanted(argument, scope, self.types.of(parameter.type, entity.module))
        type_ = self.types.of(entity.declaration.type, entity.module)
        self.note(Reads(state=term.span))
        return core.Parameter(entity.name, type=type_, span=term.span)

    def _apply_let(
        self, entity: LetEntity, arguments: tuple[tree.Term, ...], span: Span, scope: Scope
    ) -> core.Term:
        if len(arguments) != len(entity.parameters):
            self._wrong_count(
                entity.name, span, entity.span, len(arguments), len(entity.parameters)
            )
            for argument in arguments:
                self.term(argument, scope)
            return self.wrong(span)
        signature = entity.signature or entity.module
        declared = self.parameter_types(entity.parameters, signature)
        elaborated = tuple(
            self.wanted(argument, scope, type_)
            for argument, type_ in zip(arguments, declared, strict=True)
        )
        if any(
            isinstance(each.type, Nothing) and not isinstance(type_, Nothing)
            for each, type_ in zip(elaborated, declared, strict=True)
        ):
            return self.wrong(span)
        made = self.function(
            entity,
            tuple(
                each.type if isinstance(type_, Int) else type_
                for each, type_ in zip(elaborated, declared, strict=True)
            ),
            span,
        )
        if made is None:
            return self.wrong(span)
        function, reads = made
        self._judge_reads(entity.name, reads, span, scope)
        if isinstance(function.result, Nothing):
            return self.wrong(span)
        return core.Call(function, elaborated, type=function.result, span=span)

    def _judge_reads(self, name: str, reads: Reads, span: Span, scope: Scope) -> None:
        if reads.state is not None:
            self.note(Reads(state=span))
            if not scope.site.state:
                self.collector.error(
                    "state-in-constant",
                    f"`{name}` reads the state in {scope.site.word}",
                    span,
                    labels=(Label(reads.state, "read here"),),
                    notes=("only parameters and literals have a value here",),
                    help=("move what depends on the state into a guard, an update or a property",),
                )
        if reads.ghost is not None:
            self.ghost_read(span, scope, f"what `{name}` reads")

    def parameter_types(
        self, parameters: Sequence[tree.HeadParameter], module: Module
    ) -> tuple[Type, ...]:
        """The types of a `let`'s or effect's parameters, which are all values."""
        types: list[Type] = []
        for each in parameters:
            if isinstance(each, tree.ValueParameter):
                types.append(self.types.of(each.type, module))
            else:
                self.collector.error(
                    "parameter-kind",
                    f"`{each.name.name}` is not a value",
                    each.span,
                    notes=("only objects and templates take types and functions",),
                    help=("give it a lower-case name and the type of its values: `n: Node`",),
                )
                types.append(NOTHING)
        return tuple(types)

    def function(
        self, entity: LetEntity, types: tuple[Type, ...], span: Span
    ) -> tuple[core.Function, Reads] | None:
        """The `let` for arguments of these types; made once for each. None if it contains itself."""
        key = (entity, types)
        if key in self._functions:
            return self._functions[key]
        if entity in self._open_lets:
            self.collector.error(
                "recursive-let",
                f"`{entity.name}` uses itself",
                span,
                labels=(Label(entity.span, "declared here"),),
                notes=("a `let` is an abbreviation: it has no recursion",),
                help=(
                    "go through the values with a quantifier, `sum`, `count` or a comprehension",
                ),
            )
            return None
        names = entity.renamed or tuple(p.name.name for p in entity.parameters)
        scope = Scope(entity.module, Site("a `let`", ghosts=True))
        spans = [p.span for p in entity.parameters]
        for name, type_, where in zip(names, types, spans, strict=True):
            self.refuse_shadowing(name, where, scope)
            scope = scope.bind(name, Bound(type_, where))
        self._open_lets.append(entity)
        with self.watch() as reads:
            if entity.result is None:
                body = self.term(entity.value, scope)
                result = body.type
            else:
                result = self.types.of(entity.result, entity.signature or entity.module)
                body = self.wanted(entity.value, scope, result)
                if isinstance(result, Int):
                    result = body.type
        self._open_lets.pop()
        made = core.Function(
            entity.name,
            tuple(zip(names, types, strict=True)),
            result,
            body,
            span=entity.span,
        )
        self._functions[key] = (made, reads)
        return made, reads


_BUILTIN_EXAMPLES = {
    "size": "size(network.writes)",
    "empty": "empty(network.writes)",
    "min": "min(a, b)",
    "max": "max(a, b)",
    "first": "first(n.log)",
    "last": "last(n.log)",
    "rest": "rest(n.log)",
    "prefix": "prefix(n.log, k)",
    "len": "len(n.log)",
    "majority": "majority(votes)",
}


def member_variables(module: Module, type_: Type, name: str | None) -> list[Variable]:
    """Variables called `name` (or all) of the `each` groups whose members have the type."""
    return [
        variable
        for variable in _all_variables(module)
        if variable.owner.kind == "each"
        and variable.owner.key is not None
        and _indexes(type_, variable.owner.key)
        and (name is None or variable.name == name)
    ]


def _indexes(type_: Type, key: Type) -> bool:
    if is_number(type_):
        return is_number(key)
    return not isinstance(key, Nothing) and keys_agree(type_, key)


def _all_variables(module: Module) -> list[Variable]:
    found: list[Variable] = []
    each: Module | None = module
    while each is not None:
        found += each.variables
        each = each.parent
    return found


def _written(variable: Variable) -> str:
    """What stands before the dot when the variable is read."""
    if variable.owner.kind == "each":
        return variable.owner.name[:1].lower()
    return variable.owner.name


def _first_variable(entity: GroupEntity) -> str:
    return entity.declaration.variables[0].name.name if entity.declaration.variables else "x"


def _bare(term: tree.Term) -> tree.Term:
    while isinstance(term, tree.Parenthesized):
        term = term.inner
    return term


def _bare_tuple(term: tree.Term) -> tree.Term:
    bare = _bare(term)
    return bare if isinstance(bare, tree.TupleTerm) else term


def _is_literal(term: tree.Term) -> bool:
    """Whether the term's type may depend on what it is compared with."""
    match _bare(term):
        case tree.SetLiteral() | tree.SeqLiteral() | tree.NoneLiteral() | tree.Comprehension():
            return True
        case _:
            return False


def _number_of(count: int, noun: str) -> str:
    words = {0: f"no {noun}s", 1: f"one {noun}"}
    return words.get(count, f"{count} {noun}s")


def _big(count: int) -> str:
    if count < 10**15:
        return f"{count:,}"
    return f"about 2^{count.bit_length() - 1}"


def _shown(type_: Type) -> str:
    assert isinstance(type_, Range)
    return f"{_bound(type_.low)}..{_bound(type_.high)}"


def _bound(number: int) -> str:
    if abs(number) < 10**21:
        return str(number)
    return f"{'-' if number < 0 else ''}2^{abs(number).bit_length() - 1}"
