"""Proofs as written: what they leave open and set, what they name to be proved and used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attrs import define, field

from modelcheck.diagnostics import Collector, Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.checks import CheckTable
from modelcheck.resolve.names import TemplateEntity
from modelcheck.source import Span

Named: TypeAlias = tree.Property | tree.Claim | tree.Refines | tree.Axiom

_KINDS: dict[type, str] = {
    tree.Reachable: "a `reachable` property",
    tree.AlwaysPossible: "an `always possible` property",
    tree.Liveness: "a liveness property",
    tree.Refines: "a refinement",
    tree.Linearizable: "a claim about operations",
    tree.SequentiallyConsistent: "a claim about operations",
    tree.Step: "a `step` property",
}


@define(eq=False)
class ProofTable:
    """The proofs of a file by name, and what they may name."""

    checks: CheckTable
    collector: Collector
    proofs: dict[str, tree.Proof] = field(factory=dict)
    named: dict[str, Named] = field(factory=dict)
    axioms: dict[str, Named] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for each in self.declarations:
            match each:
                case tree.Proof():
                    self._add(each)
                case tree.Axiom():
                    self.axioms.setdefault(each.name.name, each)
                case _:
                    self.named.update(self._named_by(each))

    @property
    def declarations(self) -> tuple[tree.AnyDeclaration, ...]:
        """The file's declarations."""
        return self.checks.declarations

    def _add(self, proof: tree.Proof) -> None:
        first = self.proofs.setdefault(proof.name.name, proof)
        if first is not proof:
            self.collector.error(
                "duplicate-proof",
                f"two proofs are called `{proof.name.name}`",
                proof.name.span,
                labels=(Label(first.name.span, "the first"),),
                help=("name each proof after what it claims",),
            )

    def _named_by(self, each: tree.AnyDeclaration) -> Iterator[tuple[str, Named]]:
        match each:
            case tree.Refines():
                yield each.protocol.name, each
            case tree.Use():
                entity = self.checks.module.find_upper(each.template.name)
                if isinstance(entity, TemplateEntity):
                    prefix = (each.alias or each.template).name
                    for part in entity.declaration.properties:
                        yield f"{prefix}.{part.name.name}", part
            case (
                tree.Invariant()
                | tree.Step()
                | tree.Reachable()
                | tree.AlwaysPossible()
                | tree.Liveness()
                | tree.Linearizable()
                | tree.SequentiallyConsistent()
            ):
                yield each.name.name, each
            case _:
                pass

    # --- judgements -----------------------------------------------------------------

    def judge(self) -> None:
        """Report what is wrong with the names in proofs, and with there being one at all."""
        for proof in self.proofs.values():
            self._generalised(proof)
            self.checks.judge_settings(proof.settings)
            for goal in proof.goals:
                self._goal(goal)
        self._under_constraint()

    def _generalised(self, proof: tree.Proof) -> None:
        seen: dict[str, Span] = {}
        for each in proof.generalised:
            if each.name in seen:
                self._open_and_more(each, seen[each.name], "is left open twice")
            elif self.checks.judge_setting_name(each, self.collector):
                seen[each.name] = each.span
        for setting in proof.settings:
            if setting.name.name in seen:
                first = seen[setting.name.name]
                self._open_and_more(setting.name, first, "is left open and set")

    def _open_and_more(self, name: tree.Identifier, first: Span, what: str) -> None:
        self.collector.error(
            "open-and-set",
            f"`{name.name}` {what}",
            name.span,
            labels=(Label(first, "left open here"),),
            help=("a proof is for any value of a parameter, or for one: keep one of the two",),
        )

    def _goal(self, goal: tree.Goal) -> None:
        goals: dict[str, Span] = {}
        for path in goal.names:
            name = ".".join(part.name for part in path)
            span = path[0].span.to(path[-1].span)
            goals[name] = span
            declared = self._find(name, span, self.named)
            if declared is not None and not isinstance(declared, tree.Invariant | tree.Step):
                self._refuse_goal(name, declared, span)
        if goal.k is not None and goal.k < 1:
            self.collector.error(
                "no-induction",
                "an induction over no step",
                goal.span,
                help=("give the number of steps in a row that are assumed good, from 1 up",),
            )
        for each in goal.using:
            self._used(each, goals)

    def _refuse_goal(self, name: str, declared: Named, span: Span) -> None:
        self.collector.error(
            "not-provable",
            f"`{name}` is {_KINDS[type(declared)]}, which no induction proves",
            span,
            labels=(Label(_declared_at(declared), "declared here"),),
            notes=("an induction goes over steps: invariants and `step` properties",),
            help=("judge it in a check, which searches a finite instance",),
        )

    def _used(self, used: tree.Identifier, goals: dict[str, Span]) -> None:
        if used.name in goals:
            self.collector.error(
                "lemma-is-goal",
                f"`{used.name}` is to be proved, and used for it",
                used.span,
                labels=(Label(goals[used.name], "to be proved"),),
                notes=("goals are assumed before a step as lemmas are",),
                help=("leave it out after `using`",),
            )
            return
        declared = self._find(used.name, used.span, {**self.named, **self.axioms})
        if declared is None or isinstance(declared, tree.Invariant | tree.Axiom):
            return
        self.collector.error(
            "not-a-lemma",
            f"`{used.name}` is {_KINDS[type(declared)]}, and says nothing of one state",
            used.span,
            labels=(Label(_declared_at(declared), "declared here"),),
            notes=("a lemma strengthens what is known of the state before a step",),
            help=("use a `lemma` or an `invariant`",),
        )

    def _find(self, name: str, span: Span, among: dict[str, Named]) -> Named | None:
        if name in among:
            return among[name]
        close = near(name, [*self.named, *self.axioms])
        self.collector.error(
            "unknown-goal",
            f"no property or lemma `{name}` to prove or use",
            span,
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else "goals are invariants and `step` properties, `using` names lemmas",
            ),
        )
        return None

    def _under_constraint(self) -> None:
        constraints = [d for d in self.declarations if isinstance(d, tree.Constraint)]
        for proof in self.proofs.values() if constraints else ():
            self.collector.error(
                "proof-under-constraint",
                f"the proof `{proof.name.name}` stands in a file with a constraint",
                proof.name.span,
                labels=(Label(constraints[0].span, "the constraint"),),
                notes=("a proof speaks of every state, and a constraint leaves states out",),
                help=("bound what may happen by guards instead, or drop the proof",),
            )

    # --- values ---------------------------------------------------------------------

    def lemmas(self, goal: tree.Goal) -> tuple[tree.Identifier, ...]:
        """What is named after `using`, axioms aside: those are assumed in any case."""
        return tuple(each for each in goal.using if each.name not in self.axioms)

    def wanted(self, proof: tree.Proof) -> frozenset[str]:
        """The names of the properties that a proof is about."""
        return frozenset(self._wanted(proof.goals))

    def _wanted(self, goals: Iterable[tree.Goal]) -> Iterator[str]:
        for goal in goals:
            yield from (".".join(part.name for part in path) for path in goal.names)
            yield from (each.name for each in self.lemmas(goal))


def _declared_at(declared: Named) -> Span:
    return declared.protocol.span if isinstance(declared, tree.Refines) else declared.name.span
