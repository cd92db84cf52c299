"""The state block: owners, variables, initial values."""

from __future__ import annotations

from typing import Any, assert_never

from attrs import define

from modelcheck.core import terms as core
from modelcheck.core.choices import domain_values
from modelcheck.core.dependence import read_in
from modelcheck.core.frame import Failed, Frame, Meaning
from modelcheck.core.meaning import Meanings
from modelcheck.core.model import Initial
from modelcheck.core.types import (
    Bag,
    Form,
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
from modelcheck.core.values import Value, cardinality, is_finite, misfit, show
from modelcheck.core.variables import Owner, Variable
from modelcheck.diagnostics import Collector, Label
from modelcheck.parse import tree
from modelcheck.resolve.binders import domain_of
from modelcheck.resolve.builtins import number_of_values
from modelcheck.resolve.forms import big
from modelcheck.resolve.names import Module
from modelcheck.resolve.scope import Scope, Site
from modelcheck.resolve.terms import Elaborator
from modelcheck.resolve.types import agree, describe, has_int
from modelcheck.source import Span

WIDEST_BIT_SET = 256
"""A set takes a bit for each value of its element's type up to here; above, it needs `up to`."""

LARGEST_KEY = 1 << 16
"""A map or `each` group has at most this many keys."""

INITIAL = Site("an initial value", state=False)


@define(eq=False)
class StateBlock:
    """Elaborates the variables of a protocol or an object into its module."""

    terms: Elaborator
    collector: Collector
    module: Module

    def groups(self, state: tree.State) -> None:
        """All groups of a `state` block."""
        seen: dict[str, Span] = {
            owner.name: owner.span for owner in self.module.owners if owner.span
        }
        for group in state.groups:
            name = group.name
            if name.name in seen:
                self.collector.error(
                    "duplicate-group",
                    f"the group `{name.name}` is declared twice",
                    name.span,
                    label="again here",
                    labels=(Label(seen[name.name], "first here"),),
                    help=("put its variables together under one heading",),
                )
                continue
            seen[name.name] = name.span
            owner = self._owner(group)
            self.variables(group.variables, owner)

    def _owner(self, group: tree.Group) -> Owner:
        name = group.name
        if group.kind != "each":
            return self._add(Owner(name.name, group.kind, span=name.span))
        key = self.terms.types.named(name.name, name.span, self.module)
        indexable = isinstance(key, Sort | Range | Int | Nothing) or (
            isinstance(key, Union) and key.is_enum
        )
        if not indexable:
            self.collector.error(
                "each-key",
                f"`each` over {describe(key)}",
                name.span,
                notes=("a group has one copy per member of a sort, an enum or a range",),
                help=(f"keep it under one owner, in a map: `up: map {name.name} to bool`",),
            )
            key = Range(0, 0)
        return self._add(Owner(name.name, "each", key, span=name.span))

    def _add(self, owner: Owner) -> Owner:
        self.module.owners.append(owner)
        return owner

    def variables(self, variables: tuple[tree.Variable, ...], owner: Owner) -> None:
        """The variables of one owner, in order."""
        seen: dict[str, Span] = {}
        for each in variables:
            name = each.name
            if name.name in seen:
                self.collector.error(
                    "duplicate-variable",
                    f"`{owner.name}` has two variables `{name.name}`",
                    name.span,
                    label="again here",
                    labels=(Label(seen[name.name], "first here"),),
                    help=("rename one of them",),
                )
                continue
            seen[name.name] = name.span
            variable, initial = self._variable(each, owner)
            self.module.variables.append(variable)
            self.module.initial.append(initial)

    def _variable(self, declared: tree.Variable, owner: Owner) -> tuple[Variable, Initial]:
        type_ = self.terms.types.of(declared.type, self.module)
        self._judge_type(type_, declared, owner)
        initial: core.Term | None = None
        choice: core.Domain | None = None
        scope = Scope(self.module, INITIAL)
        if declared.choice is not None:
            choice = self._choice(declared.choice, type_, declared, scope)
            if declared.modifier == "volatile":
                self.collector.error(
                    "volatile-choice",
                    f"the volatile `{declared.name.name}` begins with a choice",
                    declared.choice.span,
                    notes=("`lose` resets a volatile variable to its one initial value",),
                    help=("give it one value, or choose in an action",),
                )
        elif declared.initial is not None:
            initial = self.initial(declared.initial, type_, scope)
            self._judge_initial(initial, type_, declared)
        else:
            self.collector.error(
                "no-initial-value",
                f"`{declared.name.name}` has no initial value",
                declared.name.span,
                help=("end the line with `= t`, or with `in S` for any member of `S`",),
            )
        self._refuse_open(choice or initial, declared)
        variable = Variable(
            declared.name.name,
            owner,
            type_,
            len(self.module.variables),
            declared.modifier == "volatile",
            declared.modifier == "ghost",
            doc=declared.doc,
            span=declared.name.span,
        )
        return variable, Initial(initial, choice)

    def _refuse_open(self, begins: core.Term | core.Domain | None, declared: tree.Variable) -> None:
        read = read_in(begins) if self.terms.general else None
        if read is None:
            return
        written = declared.choice or declared.initial
        assert written is not None
        self.collector.error(
            "open-initial",
            f"`{declared.name.name}` begins as what depends on `{read}`, "
            "which the proof leaves open",
            written.span,
            notes=("in a proof sets and maps that are left open are read as the state is",),
            help=(
                f"let `{declared.name.name}` begin with any value of its type, "
                "and say in `init` which",
            ),
        )

    def _choice(
        self, written: tree.Domain, type_: Type, declared: tree.Variable, scope: Scope
    ) -> core.Domain:
        """Among what a variable begins, as values of its type."""
        choice, of = domain_of(self.terms, written, scope)
        if isinstance(type_, Option) and agree(type_.item, of) and not isinstance(of, Nothing):
            binder = core.Binder("<choice>", choice, type=of, span=written.span)
            item = core.Name(binder.name, type=of, span=written.span)
            some = core.Present(item, type=type_, span=written.span)
            values = core.Collect(some, (binder,), type=Set(type_), span=written.span)
            choice = core.Values(values, span=written.span)
        elif not agree(of, type_):
            self.collector.error(
                "choice-type",
                f"a choice of {describe(of)} for {describe(type_)}",
                written.span,
                help=("choose among values of the variable's own type",),
            )
        self._judge_choice(choice, type_, declared)
        return choice

    def initial(self, term: tree.Term, type_: Type, scope: Scope, depth: int = 0) -> core.Term:
        """An initial value; for a map, also the value at every key."""
        if isinstance(type_, Map):
            value = None if _is_no_map(term) else self.terms.term(term, scope, type_)
            if (
                value is None
                or not isinstance(value.type, Map)
                or _belongs_inside(value.type, type_)
            ):
                inner = self.initial(term, type_.value, scope, depth + 1)
                # No name of the language looks like this one, so it captures nothing.
                return core.MapOf(f"<key {depth}>", inner, type=type_, span=term.span)
            return self.terms.fit(value, type_, term.span)
        return self.terms.wanted(term, scope, type_)

    # --- judgements that need everything set ------------------------------------------

    def _judge_type(self, type_: Type, declared: tree.Variable, owner: Owner) -> None:
        if has_int(type_):
            written = declared.type.span
            if self.terms.closed or _writes_int(declared.type):
                self.collector.error(
                    "not-finite",
                    f"`{owner.name}.{declared.name.name}` has infinitely many values",
                    written,
                    notes=("exhaustive search needs finitely many states",),
                    help=(
                        "give it a range, such as `0..MAX`, and guard the action that raises it",
                    ),
                )
            return
        if not self.terms.closed:
            return
        copies = 1 if owner.key is None else number_of_values(owner.key) or 0
        if copies > LARGEST_KEY:
            self._too_many_keys(copies, owner.span or declared.span)
        else:
            self._judge_width(type_, declared.type.span, copies)

    def _too_many_keys(self, count: int, span: Span) -> None:
        self.collector.error(
            "too-many-keys",
            f"a map or group with {big(count)} keys",
            span,
            notes=(f"a map or an `each` group has at most {LARGEST_KEY:,} of them",),
            help=("use a smaller range in the check",),
        )

    def _judge_width(self, type_: Type, span: Span, copies: int) -> None:
        """Judge a part of a variable's type, of which each state has so many copies."""
        match type_:
            case Set(element, bound):
                count = cardinality(element) if is_finite(element) else 0
                if bound is None and count > WIDEST_BIT_SET:
                    shown = f"{count:,}" if count < 10**15 else f"2^{count.bit_length() - 1}"
                    self.collector.error(
                        "too-wide",
                        f"a set over {shown} possible values",
                        span,
                        notes=(
                            f"a set without a bound takes a bit for each value, "
                            f"up to {WIDEST_BIT_SET} of them",
                        ),
                        help=(
                            "say how many it holds at most, `set of T up to k`, "
                            "or choose smaller parameters",
                        ),
                    )
            case Map(key, value):
                copies *= cardinality(key) if is_finite(key) else 1
                if copies > LARGEST_KEY:
                    self._too_many_keys(copies, span)
                else:
                    self._judge_width(value, span, copies)
            case Option(item):
                self._judge_width(item, span, copies)
            case Bag(element) | Seq(element):
                self._judge_width(element, span, copies)
            case Union(_, forms):
                for form in forms:
                    self._judge_form(form, span, copies)
            case _:
                pass

    def _judge_form(self, form: Form, span: Span, copies: int) -> None:
        for each in form.fields:
            self._judge_width(each.type, span, copies)

    def _judge_initial(self, initial: core.Term, type_: Type, declared: tree.Variable) -> None:
        assert declared.initial is not None
        if self.collector.errors or not self.terms.settled(initial):
            return
        value = evaluate(initial, self.collector, declared.initial.span)
        if value is not None:
            self._judge_first(value, type_, declared, declared.initial.span)

    def _judge_choice(self, choice: core.Domain, type_: Type, declared: tree.Variable) -> None:
        assert declared.choice is not None
        if self.collector.errors or not self.terms.settled(choice):
            return
        of = domain_values(choice, Meanings().of)
        for value in sorted(_evaluated(of, self.collector, declared.choice.span) or ()):
            if not self._judge_first(value, type_, declared, declared.choice.span):
                return

    def _judge_first(self, value: Value, type_: Type, declared: tree.Variable, span: Span) -> bool:
        """Whether the variable may begin like this; if not, that is reported."""
        outside = misfit(type_, value)
        if outside is not None:
            self.collector.error(
                "initial-range",
                f"`{declared.name.name}` begins as {shown_misfit(*outside)}",
                span,
                labels=(Label(declared.type.span, "its type"),),
                help=("choose an initial value of the type, or widen the type",),
            )
        return outside is None


def _is_no_map(term: tree.Term) -> bool:
    """Whether the term is seen to be no map: its parts are typed by what stands at a key."""
    match term:
        case tree.Parenthesized(inner):
            return _is_no_map(inner)
        case tree.If(_, then, otherwise):
            return _is_no_map(then) or _is_no_map(otherwise)
        case tree.SetLiteral() | tree.SeqLiteral() | tree.NoneLiteral() | tree.Comprehension():
            return True
        case _:
            return False


def _belongs_inside(map_: Map, whole: Map) -> bool:
    """Whether a map's type is that of values of the whole, rather than of the whole itself."""
    if agree(map_, whole):
        return False
    inner = whole.value
    while isinstance(inner, Map) and not agree(map_, inner):
        inner = inner.value
    return isinstance(inner, Map)


def shown_misfit(kind: str, type_: Type, value: Value) -> str:
    """A value that does not fit its type, and why: "5, outside 0..2"."""
    if kind == "range" and isinstance(type_, Range):
        return f"{show(type_, value)}, outside {type_.low}..{type_.high}"
    return f"{show(type_, value)}, more than it can hold"


def evaluate(term: core.Term, collector: Collector, span: Span) -> Value | None:
    """The value of a closed term; None, with a diagnostic, if it has none."""
    value: Value | None = _evaluated(Meanings().of(term), collector, span)
    return value


def _evaluated(meaning: Meaning, collector: Collector, span: Span) -> Any:
    """What a closed meaning gives; None, with a diagnostic, if that is nothing."""
    try:
        return meaning(Frame((), {}))
    except Failed as failed:
        collector.error(
            "undefined-constant",
            f"a constant without a value: {failed.failure.reason}",
            failed.failure.span or span,
            help=("make the term defined for the values that this check sets",),
        )
        return None


def _writes_int(ref: tree.TypeRef) -> bool:
    """Whether `int` itself is written, rather than a bound that no check has set yet."""
    match ref:
        case tree.BasicType(name):
            return name == "int"
        case tree.SetType(element) | tree.BagType(element) | tree.SeqType(element):
            return _writes_int(element)
        case tree.MapType(key, value):
            return _writes_int(key) or _writes_int(value)
        case tree.NamedType() | tree.RangeType():
            return False
        case _:
            assert_never(ref)
