"""Giving every sort its size and every parameter its value, for a check or a proof."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, evolve, field

from modelcheck.core import terms as core
from modelcheck.core.dependence import dependence
from modelcheck.core.fits import always_fits
from modelcheck.core.model import Initial
from modelcheck.core.types import BOOL, NOTHING, Bool, Int, Nothing, Range, Set, Sort, Type
from modelcheck.core.values import Value, misfit
from modelcheck.core.variables import Owner, Variable
from modelcheck.diagnostics import Collector, Diagnostic, Label
from modelcheck.parse import tree
from modelcheck.resolve.binders import subsets_of
from modelcheck.resolve.elaborating import bare
from modelcheck.resolve.forms import universe
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.names import Module, ParameterEntity, SortEntity
from modelcheck.resolve.scope import Scope, Site
from modelcheck.resolve.state import evaluate, shown_misfit
from modelcheck.resolve.terms import Elaborator
from modelcheck.source import Span

SETTING = Site("a setting", state=False)
SIZE = Site("the size of a sort", state=False)

FIXED = "parameters"
"""The group of the parameters that a proof makes variables of."""


@define(eq=False)
class Closing:
    """Gives every sort its size and every parameter its value.

    general  what a proof leaves open: sorts have no size then, numbers and truth values are
             `Parameter`s, and all else is a variable that nothing writes
    sizes    what an instance of the proof puts in place of sorts, numbers and truth values
    fixed    the variables made of parameters
    """

    module: Module
    declared: tree.Check | tree.Proof
    settings: dict[str, tree.Setting]
    collector: Collector
    general: frozenset[str] = frozenset()
    sizes: Mapping[str, int] = field(factory=dict)
    fixed: list[Variable] = field(factory=list)
    terms: Elaborator = field(init=False)
    stems: dict[str, str] = field(init=False)
    sorts: dict[str, Type] = field(factory=dict)
    values: dict[ParameterEntity, core.Term] = field(factory=dict)
    pending: list[ParameterEntity] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.stems = stems(
            [e.name for e in self.module.upper.values() if isinstance(e, SortEntity)]
        )
        self.terms = Elaborator(
            self.collector,
            True,
            self.sort,
            self.parameter,
            self.constant_value,
            bool(self.general),
        )

    def everything(self) -> None:
        """Close what the file declares or imports."""
        for entity in self.module.upper.values():
            if isinstance(entity, SortEntity):
                self.sort(entity)
            elif isinstance(entity, ParameterEntity):
                self.parameter(entity, entity.span)

    def with_settings(self, found: Diagnostic) -> Diagnostic:
        """A remark on the file, told with the settings that made it wrong."""
        span = None if found.primary is None else found.primary.span
        block = self.declared.span
        if span is None or span.source is not block.source or _inside(span, block):
            return found
        shown = ", ".join(
            f"{name} = {each.value.span.text}" for name, each in self.settings.items()
        )
        if not shown:
            return found
        note = f"in {self._block}, with {shown}"
        return evolve(found, notes=(*found.notes, note))

    @property
    def _block(self) -> str:
        what = "proof" if isinstance(self.declared, tree.Proof) else "check"
        return f"the {what} `{self.declared.name.name}`"

    def constant_value(self, term: core.Term) -> int | None:
        """The number that a closed term comes to; None if it is left open."""
        if isinstance(term.type, Nothing) or not self.terms.settled(term):
            return None
        assert term.span is not None
        value = evaluate(term, self.collector, term.span)
        return value if isinstance(value, int) else None

    # --- sorts ----------------------------------------------------------------------

    def sort(self, entity: SortEntity) -> Type:
        """The sort with its size."""
        if entity.name not in self.sorts:
            self.sorts[entity.name] = self._sort(entity)
        return self.sorts[entity.name]

    def _sort(self, entity: SortEntity) -> Type:
        stem = self.stems.get(entity.name, entity.name.lower())
        if entity.name in self.sizes:
            return self._sized(entity, self.sizes[entity.name], self.declared.name.span)
        if entity.name in self.general:
            return Sort(entity.name, None, stem)
        setting = self.settings.get(entity.name)
        if setting is None:
            self._refuse_unset_sort(entity)
            return NOTHING
        written = bare(setting.value)
        if isinstance(written, tree.SetLiteral | tree.SeqLiteral | tree.Comprehension):
            count = None if isinstance(written, tree.Comprehension) else len(written.items)
            self.collector.error(
                "sort-size",
                f"the sort `{entity.name}` is set to a collection",
                setting.value.span,
                labels=(Label(entity.span, "declared here"),),
                notes=("members of a sort are interchangeable, and the tool names them",),
                help=(f"set it to its number of members: `{entity.name} = {count or 2}`",),
            )
            return NOTHING
        term = self.terms.number(setting.value, Scope(self.module, SIZE))
        if not isinstance(term.type, Nothing) and not self.terms.settled(term):
            self._refuse_open(entity.name, term, entity.span, setting.value.span)
            return NOTHING
        size = self.constant_value(term)
        return NOTHING if size is None else self._sized(entity, size, setting.value.span)

    def _sized(self, entity: SortEntity, size: int, span: Span) -> Type:
        if 1 <= size <= 64:
            return Sort(entity.name, size, self.stems.get(entity.name, entity.name.lower()))
        self.collector.error(
            "sort-size",
            f"a sort of {size} members",
            span,
            labels=(Label(entity.span, "declared here"),),
            help=("give it at least one member and at most 64",),
        )
        return NOTHING

    def _refuse_unset_sort(self, entity: SortEntity) -> None:
        if isinstance(self.declared, tree.Proof):
            self._refuse_unset_in_proof(entity, "the sort has no size yet", f"{entity.name} = 2")
            return
        self.collector.error(
            "unset-sort",
            f"the check `{self.declared.name.name}` gives the sort `{entity.name}` no size",
            self.declared.name.span,
            labels=(Label(entity.span, "declared here"),),
            help=(f"add `{entity.name} = 2` to its settings",),
        )

    def _refuse_unset_in_proof(
        self, entity: SortEntity | ParameterEntity, label: str, setting: str
    ) -> None:
        name = entity.name
        self.collector.error(
            "unset-in-proof",
            f"{self._block} neither sets `{name}` nor leaves it open",
            self.declared.name.span,
            labels=(Label(entity.span, label),),
            help=(f"prove it `for any {name}`, or for one value: `with {setting}`",),
        )

    def _refuse_open(self, name: str, part: core.Term | Type, declared: Span, span: Span) -> None:
        on = dependence(part)
        self.collector.error(
            "open-setting",
            f"whether `{name}` may be set to this depends on `{on}`, which the proof leaves open",
            span,
            labels=(Label(declared, "declared here"),),
            help=(f"name `{name}` after `for any` too, or set `{on}`",),
        )

    # --- parameters -----------------------------------------------------------------

    def parameter(self, entity: ParameterEntity, span: Span) -> core.Term:
        """The parameter's value, as it stands at `span`."""
        if entity not in self.values:
            self.values[entity] = self._parameter(entity)
        return evolve(self.values[entity], span=span)

    def _parameter(self, entity: ParameterEntity) -> core.Term:
        type_ = self.terms.types.of(entity.type, entity.module)
        own = self.module.upper.get(entity.name) is entity
        if own and entity.name in self.general:
            return self._open(entity, type_)
        setting = self.settings.get(entity.name) if own else None
        written = setting.value if setting is not None else entity.default
        if written is None:
            self._refuse_unset_parameter(entity, own)
            return self.terms.wrong(entity.span)
        if entity in self.pending:
            circle = [*self.pending[self.pending.index(entity) :], entity]
            self.collector.error(
                "setting-cycle",
                f"the value of `{entity.name}` depends on itself",
                written.span,
                notes=(f"the way round: {' -> '.join(each.name for each in circle)}",),
                help=("set one of the parameters to a literal",),
            )
            return self.terms.wrong(entity.span)
        self.pending.append(entity)
        module = self.module if setting is not None else entity.module
        term = self.terms.wanted(written, Scope(module, SETTING), type_)
        self.pending.pop()
        if isinstance(term.type, Nothing):
            return term
        return self._value(entity, term, type_, written.span)

    def _value(
        self, entity: ParameterEntity, term: core.Term, type_: Type, span: Span
    ) -> core.Term:
        """What a parameter of this type is set to."""
        open_ = term if dependence(term) is not None else type_
        if self.general and dependence(open_) is not None and not always_fits(type_):
            self._refuse_open(entity.name, open_, entity.span, span)
            return self.terms.wrong(span)
        if not self.terms.settled(term):
            return term if is_number(type_) else evolve(term, type=type_)
        value = evaluate(term, self.collector, span)
        if value is None:
            return self.terms.wrong(span)
        self._judge_value(entity, value, type_, span)
        if isinstance(type_, Bool):
            return core.Truth(bool(value), span=span)
        if isinstance(type_, Range | Int) and isinstance(value, int):
            return core.Number(value, type=Range(value, value), span=span)
        # `{}` alone would not say what it is a set of.
        return evolve(term, type=type_)

    def _judge_value(self, entity: ParameterEntity, value: Value, type_: Type, span: Span) -> None:
        outside = misfit(type_, value)
        if outside is not None:
            self.collector.error(
                "setting-range",
                f"`{entity.name}` is set to {shown_misfit(*outside)}",
                span,
                labels=(Label(entity.span, "declared here"),),
                help=("set a value of the parameter's type, or widen the type",),
            )

    def _refuse_unset_parameter(self, entity: ParameterEntity, own: bool) -> None:
        if isinstance(self.declared, tree.Proof) and own:
            self._refuse_unset_in_proof(entity, "it has no default", f"{entity.name} = ...")
            return
        self.collector.error(
            "unset-parameter",
            f"{self._block} does not set `{entity.name}`",
            self.declared.name.span,
            labels=(Label(entity.span, "it has no default"),),
            help=(
                f"add `{entity.name} = ...` to its settings"
                if own
                else f"import `{entity.name}` by name to set it, or give it a default",
            ),
        )

    # --- what a proof leaves open -----------------------------------------------------

    def _open(self, entity: ParameterEntity, type_: Type) -> core.Term:
        if isinstance(type_, Nothing):
            return self.terms.wrong(entity.span)
        if entity.name in self.sizes:
            value = self.sizes[entity.name]
            if isinstance(type_, Bool):
                return core.Truth(bool(value), type=BOOL, span=entity.span)
            self._judge_value(entity, value, type_, entity.span)
            return core.Number(value, type=Range(value, value), span=entity.span)
        if is_number(type_) or isinstance(type_, Bool):
            return core.Parameter(entity.name, type=type_, span=entity.span)
        return self._fixed(entity, type_)

    def _fixed(self, entity: ParameterEntity, type_: Type) -> core.Term:
        """A variable that begins as any value of its type, and keeps it."""
        values = universe(self.terms, type_, entity.span)
        if isinstance(values.type, Nothing):
            return values
        choice: core.Domain = core.Values(values, span=entity.span)
        if isinstance(type_, Set) and type_.bound is None:
            choice = subsets_of(type_.element, entity.span)
        if not self.fixed:
            self.module.owners.append(Owner(FIXED, "single", span=entity.span))
        variable = Variable(
            entity.name,
            self.module.owners[0],
            type_,
            len(self.module.variables),
            span=entity.span,
        )
        self.fixed.append(variable)
        self.module.variables.append(variable)
        self.module.initial.append(Initial(choice=choice))
        return core.Read(variable, type=type_, span=entity.span)


def _inside(span: Span, outer: Span) -> bool:
    return outer.start <= span.start and span.end <= outer.end


def stems(sorts: list[str]) -> dict[str, str]:
    """For each sort the shortest lower-case prefix that no other sort shares: n for n1, n2."""
    result: dict[str, str] = {}
    lower = {name: name.lower() for name in sorts}
    for name, word in lower.items():
        others = [other for each, other in lower.items() if each != name]
        length = 1
        while length < len(word) and any(other.startswith(word[:length]) for other in others):
            length += 1
        result[name] = word[:length]
    return result
