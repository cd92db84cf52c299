"""Spacer on a finite instance: the state as scalars, a rule for every step.

Its answer is not taken on trust: where it claims that the goals cannot fail, it has an
invariant, and the three questions about that are put to a solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import z3

from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument, Proof
from modelcheck.prove.algebra import Expr, both, every, formula, negated, some
from modelcheck.prove.induction import equals
from modelcheck.prove.scope import leaves
from modelcheck.prove.solver import Settings
from modelcheck.prove.symbols import Unsupported
from modelcheck.prove.system import System

Word = Literal["proved", "violated", "unknown"]


def spacer(
    proof: Proof, argument: Argument, known: Iterable[Invariant], settings: Settings
) -> Word:
    """Whether the goals hold in the finite instance, as far as Spacer says within its time.

    argument  of the instance, and `known` too: invariants that hold
    """
    try:
        rules = _Rules(proof, argument, tuple(known))
    except Unsupported:
        return "unknown"
    return rules.solved(settings)


class _Rules:
    """
    first   that a state is initial
    step    that a step leads from one state to another
    wrong   that a goal fails in the one state, or of the step
    """

    def __init__(self, proof: Proof, argument: Argument, known: tuple[Invariant, ...]) -> None:
        system = System(proof.model)
        before, after = system.state("s"), system.state("t")
        self.before, self.after = list(leaves(before)), list(leaves(after))
        assumed = every(system.holds(each.parts, before) for each in known)
        initial, _ = system.initial(before)
        self.first: Any = formula(both(system.typed(before), initial))
        self.step: list[Any] = []
        wrong: list[Expr] = []
        for step in system.steps(before):
            taken = both(assumed, step.taken)
            if taken is False:
                continue
            self.step.append(formula(both(taken, equals(step.after, after))))
            for each in argument.goals:
                if not isinstance(each, Invariant):
                    wrong.append(both(taken, negated(system.step_holds(each, None, step, before))))
        for each in (*argument.goals, *argument.lemmas):
            if isinstance(each, Invariant):
                wrong.append(both(assumed, negated(system.holds(each.parts, before))))
        self.wrong: Any = formula(some(wrong))
        self.facts = [formula(each) for each in system.space.facts()]

    def solved(self, settings: Settings) -> Word:
        """Spacer's word, confirmed."""
        fixed = z3.Fixedpoint()
        fixed.set("engine", "spacer")
        if settings.seconds is not None:
            fixed.set("timeout", max(1, int(1000 * settings.seconds)))
        state = z3.Function("state", *(each.sort() for each in self.before), z3.BoolSort())
        fails = z3.Bool("fails").decl()
        fixed.register_relation(state, fails)
        now, then = state(*self.before), state(*self.after)
        rules = [(now, [self.first]), (fails(), [now, self.wrong])]
        rules += [(then, [now, each]) for each in self.step]
        constants = {c.get_id(): c for c in [*self.before, *self.after]}
        for _, body in rules:
            for each in body:
                constants.update(_constants(each))
        fixed.declare_var(*constants.values())
        for head, body in rules:
            fixed.rule(head, [*body, *self.facts])
        try:
            status = fixed.query(fails())
        except z3.Z3Exception:
            return "unknown"
        if status == z3.sat:
            return "violated"
        if status != z3.unsat:
            return "unknown"
        cover: Any = fixed.get_cover_delta(-1, state)
        return "proved" if self._confirmed(cover, settings) else "unknown"

    def _confirmed(self, cover: Any, settings: Settings) -> bool:
        """Whether the invariant is one, and excludes that a goal fails."""
        now = z3.substitute_vars(cover, *self.before)
        then = z3.substitute_vars(cover, *self.after)
        questions = [
            [self.first, z3.Not(now)],
            [now, z3.Or(self.step), z3.Not(then)],
            [now, self.wrong],
        ]
        for each in questions:
            solver = z3.Solver()
            if settings.seconds is not None:
                solver.set("timeout", max(1, int(1000 * settings.seconds)))
            solver.add(*each, *self.facts)
            if solver.check() != z3.unsat:
                return False
        return True


def _constants(term: Any) -> dict[int, Any]:
    found: dict[int, Any] = {}
    seen: set[int] = set()
    todo = [term]
    while todo:
        each = todo.pop()
        if each.get_id() in seen:
            continue
        seen.add(each.get_id())
        if z3.is_const(each) and each.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[each.get_id()] = each
        elif z3.is_quantifier(each):
            todo.append(each.body())
        else:
            todo += each.children()
    return found
