"""A proof's model and what it argues, from the declaration: open, or an instance of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, evolve, field

from modelcheck.core.model import Invariant, Model, StepProperty
from modelcheck.core.proof import Argument, Goal, Proof
from modelcheck.core.types import Bool
from modelcheck.diagnostics import Collector, Label, Refused
from modelcheck.parse import tree
from modelcheck.resolve.axioms import judge_axioms
from modelcheck.resolve.closing import Closing
from modelcheck.resolve.names import Module, ParameterEntity, SortEntity
from modelcheck.resolve.proof_table import ProofTable
from modelcheck.resolve.protocol import Protocol


def elaborate_proof(
    module: Module,
    table: ProofTable,
    name: str,
    sizes: Mapping[str, int] | None = None,
    others: Sequence[tree.Setting] = (),
) -> Proof:
    """The proof `name`. Raises Refused with all that is wrong with it, KeyError if there is none.

    sizes   of an instance, for each sort, number and truth value that is generalised; else None
    others  values that replace the proof's; what they set is no longer generalised
    """
    declared = _with(table.proofs[name], others)
    collector = Collector()
    for each in others:
        table.checks.judge_setting_name(each.name, collector)
    collector.refuse_if_any()
    closing = Closing(
        module,
        declared,
        {each.name.name: each for each in declared.settings},
        collector,
        frozenset(each.name for each in declared.generalised),
        sizes or {},
    )
    for each in others:
        table.checks.judge_setting_name(each.name, closing.collector)
    try:
        return _Proving(module, table, declared, closing, sizes is not None).proof()
    except Refused as refused:
        raise Refused(closing.with_settings(each) for each in refused.diagnostics) from None


def _with(declared: tree.Proof, others: Sequence[tree.Setting]) -> tree.Proof:
    """The proof with other settings."""
    names = {each.name.name for each in others}
    kept = tuple(each for each in declared.settings if each.name.name not in names)
    general = tuple(each for each in declared.generalised if each.name not in names)
    return evolve(declared, settings=(*kept, *others), generalised=general)


@define(eq=False)
class _Proving:
    """Makes one proof: `finite` for an instance."""

    module: Module
    table: ProofTable
    declared: tree.Proof
    closing: Closing
    finite: bool
    collector: Collector = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.collector = self.closing.collector

    def proof(self) -> Proof:
        """The proof. Raises Refused."""
        protocol = Protocol(
            self.module, self.closing.terms, self.collector, only=self.table.wanted(self.declared)
        )
        self.closing.everything()
        self.collector.refuse_if_any()
        protocol.elaborate()
        self.collector.refuse_if_any()
        model = self._model(protocol)
        arguments = tuple(self._argument(each, model) for each in self.declared.goals)
        self.collector.refuse_if_any()
        general = tuple(each.name for each in self.declared.generalised)
        return Proof(
            self.declared.name.name,
            general,
            tuple((each.name.name, each.value.span.text) for each in self.declared.settings),
            model,
            tuple(protocol.axioms),
            arguments,
            tuple(each.position for each in self.closing.fixed),
            tuple(n for n in general if isinstance(self.module.upper.get(n), SortEntity)),
            tuple(n for n in general if self._is_truth(n)),
            doc=self.declared.doc,
            span=self.declared.name.span,
        )

    def _is_truth(self, name: str) -> bool:
        entity = self.module.upper.get(name)
        if not isinstance(entity, ParameterEntity):
            return False
        return isinstance(self.closing.terms.types.of(entity.type, entity.module), Bool)

    def _model(self, protocol: Protocol) -> Model:
        sizes = [(name, str(size)) for name, size in self.closing.sizes.items()]
        written = [(n, each.value.span.text) for n, each in self.closing.settings.items()]
        model = protocol.model((*sizes, *written))
        if not self.finite:
            return model
        reading = judge_axioms(protocol.axioms, self.collector)
        self.collector.refuse_if_any()
        return evolve(model, init=(*model.init, *reading))

    def _argument(self, goal: tree.Goal, model: Model) -> Argument:
        found = {each.name: each for each in model.properties}
        goals: list[Goal] = []
        for path in goal.names:
            each = found[".".join(part.name for part in path)]
            assert isinstance(each, Invariant | StepProperty), "judged by the table"
            goals.append(each)
        lemmas: list[Invariant] = []
        for used in self.table.lemmas(goal):
            lemma = found[used.name]
            assert isinstance(lemma, Invariant), "judged by the table"
            self._judge_lemma(lemma, goals, used)
            lemmas.append(lemma)
        return Argument(tuple(goals), tuple(lemmas), goal.method, goal.k or 1, span=goal.span)

    def _judge_lemma(self, lemma: Invariant, goals: list[Goal], used: tree.Identifier) -> None:
        """A lemma that says what a goal says is no help: it would be assumed to be proved."""
        for goal in goals:
            if isinstance(goal, Invariant) and goal.parts == lemma.parts:
                assert goal.span is not None
                self.collector.error(
                    "lemma-is-goal",
                    f"the lemma `{lemma.name}` says what `{goal.name}` says",
                    used.span,
                    labels=(Label(goal.span, "to be proved with it"),),
                    notes=("goals are assumed before a step as lemmas are",),
                    help=("leave it out after `using`, or state what else must be known",),
                )
