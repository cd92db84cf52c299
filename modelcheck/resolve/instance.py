"""An instance: a file with one check's settings, closed to a finite model."""

from __future__ import annotations

from attrs import define, evolve, field, frozen

from modelcheck.core import terms as core
from modelcheck.core.model import Check, Property
from modelcheck.core.types import NOTHING, Bool, Int, Nothing, Range, Sort, Type
from modelcheck.core.values import misfit
from modelcheck.diagnostics import Collector, Diagnostic, Label, Refused
from modelcheck.parse import tree
from modelcheck.resolve.checks import shown_budgets
from modelcheck.resolve.elaborating import bare
from modelcheck.resolve.file import ResolvedFile
from modelcheck.resolve.names import Module, ParameterEntity, SortEntity
from modelcheck.resolve.protocol import Budgets, Protocol
from modelcheck.resolve.refinement import refine
from modelcheck.resolve.scope import Scope, Site
from modelcheck.resolve.state import evaluate, shown_misfit
from modelcheck.resolve.terms import Elaborator
from modelcheck.source import Span

SETTING = Site("a setting", state=False)
SIZE = Site("the size of a sort", state=False)


@frozen
class Overrides:
    """What the command line sets instead of the file.

    faults  budgets that replace the file's; empty for `none`, None where nothing was said
    """

    settings: tuple[tree.Setting, ...] = ()
    faults: tuple[tree.Budget, ...] | None = None


def instantiate(file: ResolvedFile, name: str, overrides: Overrides | None = None) -> Check:
    """The check `name`, closed. Raises Refused with all that its settings make wrong.

    Raises KeyError if the file has no check of this name.
    """
    overrides = overrides or Overrides()
    declared = file.table.checks[name]
    collector = Collector()
    closing = _Closing(file, declared, overrides, collector)
    try:
        model_check = closing.check()
        collector.refuse_if_any()
    except Refused as refused:
        raise Refused(closing.with_settings(each) for each in refused.diagnostics) from None
    return model_check


@define(eq=False)
class _Closing:
    """Gives every sort its size and every parameter its value."""

    file: ResolvedFile
    declared: tree.Check
    overrides: Overrides
    collector: Collector
    terms: Elaborator = field(init=False)
    settings: dict[str, tree.Setting] = field(init=False)
    stems: dict[str, str] = field(init=False)
    sizes: dict[str, Type] = field(factory=dict)
    values: dict[ParameterEntity, core.Term] = field(factory=dict)
    pending: list[ParameterEntity] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        table = self.file.table
        self.settings = table.settings(self.declared)
        for each in self.overrides.settings:
            if table.judge_setting_name(each.name, self.collector):
                self.settings[each.name.name] = each
        self.stems = stems(
            [e.name for e in self.module.upper.values() if isinstance(e, SortEntity)]
        )
        self.terms = Elaborator(
            self.collector, True, self.sort, self.parameter, self.constant_value
        )

    @property
    def module(self) -> Module:
        return self.file.module

    def check(self) -> Check:
        """The check with its model."""
        for entity in self.module.upper.values():
            if isinstance(entity, SortEntity):
                self.sort(entity)
            elif isinstance(entity, ParameterEntity):
                self.parameter(entity, entity.span)
        self.collector.refuse_if_any()
        budgets, shown = self.budgets()
        self.collector.refuse_if_any()
        protocol = Protocol(self.module, self.terms, self.collector, budgets, refine=self.refine)
        protocol.elaborate()
        self.collector.refuse_if_any()
        settings = [(name, each.value.span.text) for name, each in self.settings.items()]
        if shown:
            settings.append(("faults", shown))
        return Check(
            self.declared.name.name,
            protocol.model(tuple(settings)),
            self.file.table.expectations(self.declared),
            doc=self.declared.doc,
            span=self.declared.name.span,
        )

    def with_settings(self, found: Diagnostic) -> Diagnostic:
        """A remark on the file, told with the settings that made it wrong."""
        span = None if found.primary is None else found.primary.span
        check = self.declared.span
        if span is None or span.source is not check.source or _inside(span, check):
            return found
        shown = ", ".join(
            f"{name} = {each.value.span.text}" for name, each in self.settings.items()
        )
        if not shown:
            return found
        note = f"in the check `{self.declared.name.name}`, with {shown}"
        return evolve(found, notes=(*found.notes, note))

    def refine(self, concrete: Protocol, declared: tree.Refines) -> Property | None:
        return refine(concrete, declared, self.constant_value)

    def constant_value(self, term: core.Term) -> int | None:
        """The number that a closed term comes to."""
        if isinstance(term.type, Nothing):
            return None
        assert term.span is not None
        value = evaluate(term, self.collector, term.span)
        return value if isinstance(value, int) else None

    # --- sorts ----------------------------------------------------------------------

    def sort(self, entity: SortEntity) -> Type:
        """The sort with its size."""
        if entity.name not in self.sizes:
            self.sizes[entity.name] = self._sort(entity)
        return self.sizes[entity.name]

    def _sort(self, entity: SortEntity) -> Type:
        setting = self.settings.get(entity.name)
        if setting is None:
            self.collector.error(
                "unset-sort",
                f"the check `{self.declared.name.name}` gives the sort `{entity.name}` no size",
                self.declared.name.span,
                labels=(Label(entity.span, "declared here"),),
                help=(f"add `{entity.name} = 2` to its settings",),
            )
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
        size = None if isinstance(term.type, Nothing) else self.constant_value(term)
        if size is None:
            return NOTHING
        if not 1 <= size <= 64:
            self.collector.error(
                "sort-size",
                f"a sort of {size} members",
                setting.value.span,
                labels=(Label(entity.span, "declared here"),),
                help=("give it at least one member and at most 64",),
            )
            return NOTHING
        return Sort(entity.name, size, self.stems.get(entity.name, entity.name.lower()))

    # --- parameters -----------------------------------------------------------------

    def parameter(self, entity: ParameterEntity, span: Span) -> core.Term:
        """The parameter's value, as it stands at `span`."""
        if entity not in self.values:
            self.values[entity] = self._parameter(entity)
        return evolve(self.values[entity], span=span)

    def _parameter(self, entity: ParameterEntity) -> core.Term:
        type_ = self.terms.types.of(entity.type, entity.module)
        own = self.module.upper.get(entity.name) is entity
        setting = self.settings.get(entity.name) if own else None
        written = setting.value if setting is not None else entity.default
        if written is None:
            self.collector.error(
                "unset-parameter",
                f"the check `{self.declared.name.name}` does not set `{entity.name}`",
                self.declared.name.span,
                labels=(Label(entity.span, "it has no default"),),
                help=(
                    f"add `{entity.name} = ...` to its settings"
                    if own
                    else f"import `{entity.name}` by name to set it, or give it a default",
                ),
            )
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
        value = evaluate(term, self.collector, written.span)
        if value is None:
            return self.terms.wrong(written.span)
        outside = misfit(type_, value)
        if outside is not None:
            self.collector.error(
                "setting-range",
                f"`{entity.name}` is set to {shown_misfit(*outside)}",
                written.span,
                labels=(Label(entity.span, "declared here"),),
                help=("set a value of the parameter's type, or widen the type",),
            )
        if isinstance(type_, Bool):
            return core.Truth(bool(value), span=written.span)
        if isinstance(type_, Range | Int) and isinstance(value, int):
            return core.Number(value, type=Range(value, value), span=written.span)
        # `{}` alone would not say what it is a set of.
        return evolve(term, type=type_)

    # --- faults ---------------------------------------------------------------------

    def budgets(self) -> tuple[Budgets | None, str]:
        """The budgets that replace the file's, and how they are shown."""
        own = self.file.table.faults(self.declared)
        over = self.overrides.faults
        if over is not None and not over:
            own = ()
            over = None
        budgets: dict[str, int | None] = {}
        if own is None and over is None:
            return None, ""
        if own is not None and not own:
            budgets = {name: 0 for name, action in self.module.actions.items() if action.fault}
        written = [*(own or ())]
        for each in over or ():
            written = [b for b in written if b.fault.name != each.fault.name] + [each]
        for each in written:
            self._budget(each, budgets)
        if own is not None and not own and not over:
            return budgets, shown_budgets(())
        return budgets, shown_budgets(tuple(written))

    def _budget(self, budget: tree.Budget, budgets: dict[str, int | None]) -> None:
        if not self.file.table.judge_fault_name(budget.fault, self.collector):
            return
        if budget.bound is None:
            budgets[budget.fault.name] = None
            return
        term = self.terms.number(budget.bound, Scope(self.module, SETTING))
        bound = None if isinstance(term.type, Nothing) else self.constant_value(term)
        if bound is None:
            return
        if bound < 0:
            self.collector.error(
                "negative-budget",
                f"a budget of {bound}",
                budget.bound.span,
                help=("give a number from 0 up, or `any`",),
            )
            return
        budgets[budget.fault.name] = bound


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
