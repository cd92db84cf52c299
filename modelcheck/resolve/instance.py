"""An instance: a file with one check's settings, closed to a finite model."""

from __future__ import annotations

from attrs import define, field, frozen

from modelcheck.core.model import Check, Property
from modelcheck.core.types import Nothing
from modelcheck.diagnostics import Collector, Refused
from modelcheck.parse import tree
from modelcheck.resolve.axioms import judge_axioms
from modelcheck.resolve.checks import shown_budgets
from modelcheck.resolve.closing import SETTING, Closing
from modelcheck.resolve.file import ResolvedFile
from modelcheck.resolve.names import Module
from modelcheck.resolve.protocol import Budgets, Protocol
from modelcheck.resolve.refinement import refine
from modelcheck.resolve.scope import Scope
from modelcheck.resolve.terms import Elaborator


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
    settings = file.table.settings(declared)
    for each in overrides.settings:
        if file.table.judge_setting_name(each.name, collector):
            settings[each.name.name] = each
    closing = Closing(file.module, declared, settings, collector)
    try:
        made = _Instance(file, declared, overrides.faults, closing).check()
        collector.refuse_if_any()
    except Refused as refused:
        raise Refused(closing.with_settings(each) for each in refused.diagnostics) from None
    return made


@define(eq=False)
class _Instance:
    """Makes a check of a file whose parameters are set.

    over  budgets that replace those of the check
    """

    file: ResolvedFile
    declared: tree.Check
    over: tuple[tree.Budget, ...] | None
    closing: Closing
    collector: Collector = field(init=False)
    terms: Elaborator = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.collector, self.terms = self.closing.collector, self.closing.terms

    @property
    def module(self) -> Module:
        return self.file.module

    def check(self) -> Check:
        """The check with its model."""
        self.closing.everything()
        self.collector.refuse_if_any()
        budgets, shown = self.budgets()
        self.collector.refuse_if_any()
        protocol = Protocol(self.module, self.terms, self.collector, budgets, refine=self.refine)
        protocol.elaborate()
        self.collector.refuse_if_any()
        judge_axioms(protocol.axioms, self.collector)
        self.collector.refuse_if_any()
        settings = [(name, each.value.span.text) for name, each in self.closing.settings.items()]
        if shown:
            settings.append(("faults", shown))
        return Check(
            self.declared.name.name,
            protocol.model(tuple(settings)),
            self.file.table.expectations(self.declared),
            doc=self.declared.doc,
            span=self.declared.name.span,
        )

    def refine(self, concrete: Protocol, declared: tree.Refines) -> Property | None:
        return refine(concrete, declared, self.closing.constant_value)

    # --- faults ---------------------------------------------------------------------

    def budgets(self) -> tuple[Budgets | None, str]:
        """The budgets that replace the file's, and how they are shown."""
        own = self.file.table.faults(self.declared)
        over = self.over
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
        bound = None if isinstance(term.type, Nothing) else self.closing.constant_value(term)
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
