"""The candidates that are inductive together with goals, and those of them that are needed.

All candidates are assumed of a state; those that a step can break are dropped, until
none can be broken. This is done in a finite instance, where a step that breaks
something is a pair of states: whatever else it breaks is dropped with it. A candidate is
spelled out for the elements of a state only when a solution contradicts it there, since
most of what is mined says nothing new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import z3
from attrs import Factory, define, field, frozen

from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument
from modelcheck.core.types import Set
from modelcheck.core.values import State, Value
from modelcheck.prove.algebra import (
    Expr,
    both,
    counted,
    formula,
    implied,
    negated,
    some,
)
from modelcheck.prove.decode import Decoder
from modelcheck.prove.induction import broken, equals
from modelcheck.prove.mining import Candidates, Clause, Instance, Row
from modelcheck.prove.solver import Incremental, Settings
from modelcheck.prove.symbols import Entries, Members, Sym, lift
from modelcheck.prove.system import Instance as Step
from modelcheck.prove.system import System
from modelcheck.prove.unknowns import typed, unknown

MOST_IN_SET = 3
"""States with larger sets are not looked at: a proof is judged again without this limit."""


@frozen(eq=False)
class Break:
    """A step that breaks something, all that is assumed being true before it."""

    before: State
    after: State


class TimeUp(Exception):
    """The solver did not answer in its time."""


@define(eq=False)
class Relative:
    """Steps of a finite instance from states in which goals and candidates hold.

    argument  of the instance
    known     invariants of the instance that are assumed before and after
    alive     the candidates that no step has broken so far, the shortest first
    roots     candidates that are wanted whether or not a goal needs them
    cores     for a goal, by its number, and for a candidate: what keeps steps from breaking it
    """

    instance: Instance
    candidates: Candidates
    argument: Argument
    known: tuple[Invariant, ...]
    settings: Settings
    alive: list[Clause] = Factory(list)
    roots: list[Clause] = Factory(list)
    cores: dict[int | Clause, list[Clause]] = Factory(dict)
    system: System = field(init=False)
    before: list[Sym] = field(init=False)
    after: list[Sym] = field(init=False)
    steps: list[Step] = field(init=False)
    solver: Incremental = field(init=False)
    _assumed: dict[Clause, Any] = Factory(dict)
    _spelled: set[tuple[Clause, tuple[Value, ...]]] = Factory(set)
    _atoms: dict[tuple[int, tuple[Value, ...]], tuple[Expr, list[Expr]]] = Factory(dict)
    _anywhere: dict[int, tuple[Expr, list[Expr]]] = Factory(dict)
    _number: int = 0

    def __attrs_post_init__(self) -> None:
        proof = self.instance.proof
        system = self.system = System(proof.model)
        self.before, self.after = system.state("s"), system.state("t")
        self.steps = list(system.steps(self.before))
        self.solver = Incremental(self.settings, simple=True)
        goals = tuple(each for each in self.argument.goals if isinstance(each, Invariant))
        self.add(system.typed(self.before), *(few(system.model.variables, self.before)))
        for axiom in proof.axioms:
            self.add(system.holds(axiom.parts, self.before))
        for each in (*self.known, *self.argument.lemmas, *goals):
            self.add(system.holds(each.parts, self.before))
        for each in self.known:
            self.add(system.holds(each.parts, self.after))
        self.add(some(both(step.taken, equals(step.after, self.after)) for step in self.steps))
        self.add(*system.space.facts())

    def add(self, *truths: Expr) -> None:
        """Assert the formulas for good."""
        self.solver.add(*(formula(each) for each in truths))

    # --- what can go wrong ---

    def goals_fail(self) -> list[Expr]:
        """For each goal and each lemma that was given: that the step breaks it."""
        found: list[Expr] = []
        for each in (*self.argument.goals, *self.argument.lemmas):
            if isinstance(each, Invariant):
                line = len(each.parts) - 1
                fails = negated(self.system.holds(each.parts, self.after))
                found.append(fails if line >= 0 else broken(self.system, each.parts, 0, self.after))
            else:
                found.append(
                    some(
                        both(
                            step.taken,
                            equals(step.after, self.after),
                            negated(self.system.step_holds(each, None, step, self.before)),
                        )
                        for step in self.steps
                    )
                )
        return found

    def fails(self, clause: Clause) -> Expr:
        """That some choice of elements contradicts the clause after the step."""
        if clause.shape not in self._anywhere:
            self._anywhere[clause.shape] = self.somewhere(clause.shape, self.after)
        condition, atoms = self._anywhere[clause.shape]
        return both(condition, *(_false(atoms, each) for each in clause.literals))

    def somewhere(self, shape: int, state: Sequence[Sym]) -> tuple[Expr, list[Expr]]:
        """Any choice of a shape's elements, with its atoms."""
        names: dict[str, Sym] = {}
        for binder in self.instance.here[shape].binders:
            value = unknown(binder.type, f"{shape}.{binder.name}")
            self.add(typed(binder.type, value, self.system.space.bounds))
            names[binder.name] = value
        return self.instance.literals(shape, state, names, self.system.space)

    # --- questions ---

    def ask(self, wrong: Expr, assumed: Iterable[Clause]) -> Break | set[Clause]:
        """A step from a state in which all assumed clauses hold, and after which `wrong` does.

        If there is none, the clauses that exclude it. Raises TimeUp.
        """
        if wrong is False:
            return set()
        self._number += 1
        chosen = z3.Bool(f"question{self._number}")
        self.add(implied(chosen, wrong))
        alive = list(assumed)
        indicators = {self.indicator(each): each for each in alive}
        while True:
            status = self.solver.check(chosen, *indicators)
            if status == z3.unsat:
                core = {each.get_id() for each in self.solver.core()}
                self.add(negated(chosen))
                return {c for i, c in indicators.items() if i.get_id() in core}
            if status != z3.sat:
                self.add(negated(chosen))
                raise TimeUp
            decoder = Decoder(self.solver.model())
            before = decoder.state(self.system.model, self.before)
            if not self.spell(before, alive):
                self.add(negated(chosen))
                return Break(before, decoder.state(self.system.model, self.after))

    def indicator(self, clause: Clause) -> Any:
        """What is assumed for the clause to hold before the step."""
        if clause not in self._assumed:
            self._assumed[clause] = z3.Bool(f"clause{len(self._assumed)}")
        return self._assumed[clause]

    def spell(self, state: State, alive: list[Clause]) -> bool:
        """Whether some clause is false in the state, and so is spelled out for its elements."""
        spelled = False
        for clause, row in failing(self.instance, state, alive):
            key = (clause, row.values)
            assert key not in self._spelled, "a clause that is spelled out cannot fail there"
            self._spelled.add(key)
            condition, atoms = self.atoms(clause.shape, row.values)
            holds = some(negated(_false(atoms, each)) for each in clause.literals)
            self.add(implied(both(self.indicator(clause), condition), holds))
            spelled = True
        return spelled

    def atoms(self, shape: int, values: tuple[Value, ...]) -> tuple[Expr, list[Expr]]:
        """The atoms for these elements, before the step."""
        key = (shape, values)
        if key not in self._atoms:
            binders = self.instance.here[shape].binders
            names = {b.name: lift(b.type, v) for b, v in zip(binders, values, strict=True)}
            self._atoms[key] = self.instance.literals(shape, self.before, names, self.system.space)
        return self._atoms[key]

    # --- the largest inductive subset ---

    def initially(self, clauses: list[Clause]) -> list[Clause]:
        """Those that hold in every initial state."""
        solver = Incremental(self.settings)
        initial, _ = self.system.initial(self.after)
        solver.add(formula(both(self.system.typed(self.after), initial)))
        for binder, value in self.bound(clauses):
            solver.add(formula(typed(binder, value, self.system.space.bounds)))
        while clauses:
            solver.push()
            solver.add(formula(some(self.fails(each) for each in clauses)))
            status = solver.check()
            if status == z3.unsat:
                break
            if status != z3.sat:
                raise TimeUp
            state = Decoder(solver.model()).state(self.system.model, self.after)
            solver.pop()
            clauses = remaining(self.instance, state, clauses)
        return clauses

    def bound(self, clauses: list[Clause]) -> Iterator[tuple[Any, Sym]]:
        """The names that the clauses' failing speaks of, with their types."""
        for shape in sorted({each.shape for each in clauses}):
            for binder in self.instance.here[shape].binders:
                yield binder.type, unknown(binder.type, f"{shape}.{binder.name}")

    def begin(self, clauses: list[Clause]) -> None:
        """Take these as the candidates, but for those that an initial state contradicts."""
        self.alive = self.initially(clauses)

    def needed(self, told: Callable[[int], None] | None = None) -> list[Clause] | Break:
        """Candidates that are inductive with the goals; a step that breaks a goal if none are.

        Those of the largest inductive subset are enough for the goals, if any are. It is not
        worked out as a whole: a clause is asked about once something needs it, and what a step
        breaks from a state in which all clauses hold is dropped. The shortest are preferred, and
        none can be left out of the answer to its question. Raises TimeUp.

        told  called with how many are left
        """
        goals = self.goals_fail()
        while True:
            wanted = list(self.wanted(len(goals)))
            each = next((e for e in wanted if e not in self.cores), None)
            if each is None:
                return self.without_spare(goals, [e for e in wanted if isinstance(e, Clause)])
            wrong = self.fails(each) if isinstance(each, Clause) else goals[each]
            chosen = [e for e in wanted if isinstance(e, Clause)]
            core = self.ask(wrong, chosen)
            if isinstance(core, Break):
                core = self.ask(wrong, self.alive)
            if isinstance(core, Break):
                if not isinstance(each, Clause):
                    return core
                self.keep(remaining(self.instance, core.after, self.alive))
                if told is not None:
                    told(len(self.alive))
                continue
            self.cores[each] = self.least(wrong, core, chosen)

    def without_spare(self, goals: list[Expr], chosen: list[Clause]) -> list[Clause]:
        """A part of an inductive set that is inductive and has all roots; the longest go first."""
        for each in [e for e in reversed(self.alive) if e in chosen and e not in self.roots]:
            rest = [other for other in chosen if other != each]
            kept = (self.fails(other) for other in rest)
            if all(isinstance(self.ask(wrong, rest), set) for wrong in (*goals, *kept)):
                chosen = rest
        return chosen

    def keep(self, clauses: list[Clause]) -> None:
        """Drop all other candidates, and what was concluded from them."""
        self.alive, left = clauses, set(clauses)
        self.roots = [each for each in self.roots if each in left]
        self.cores = {e: core for e, core in self.cores.items() if left.issuperset(core)}

    def wanted(self, goals: int) -> Iterator[int | Clause]:
        """The goals and roots, then the clauses that they need, and those that these need."""
        todo: list[int | Clause] = [*range(goals), *self.roots]
        seen: set[int | Clause] = set(todo)
        while todo:
            each = todo.pop(0)
            yield each
            for clause in self.cores.get(each, ()):
                if clause not in seen:
                    seen.add(clause)
                    todo.append(clause)

    def least(self, wrong: Expr, core: set[Clause], chosen: list[Clause]) -> list[Clause]:
        """A part of the core that is enough; what is chosen already is left out last."""
        kept = [each for each in self.alive if each in core]
        order = [each for each in reversed(kept) if each not in chosen]
        order += [each for each in reversed(kept) if each in chosen]
        for each in order:
            if each not in kept:
                continue
            smaller = self.ask(wrong, [other for other in kept if other != each])
            if isinstance(smaller, set):
                kept = [other for other in kept if other in smaller]
        return kept


def _false(atoms: list[Expr], literal: int) -> Any:
    return negated(atoms[literal]) if literal >= 0 else atoms[~literal]


def few(variables: Sequence[Any], state: Sequence[Sym]) -> Iterator[Expr]:
    """That no set has many elements."""
    for variable in variables:
        if not isinstance(variable.type, Set):
            continue
        value = state[variable.position]
        sets = list(value.table.values()) if isinstance(value, Entries) else [value]
        for each in sets:
            if isinstance(each, Members) and len(each.table) > MOST_IN_SET:
                number = counted(each.table.values())
                yield number <= MOST_IN_SET


def failing(
    instance: Instance, state: State, clauses: Iterable[Clause]
) -> Iterator[tuple[Clause, Row]]:
    """The clauses that are false in the state, each with elements that contradict it."""
    rows: dict[int, list[Row]] = {}
    for clause in clauses:
        if clause.shape not in rows:
            rows[clause.shape] = list(instance.rows(clause.shape, state))
        row = instance.fails(clause, rows[clause.shape])
        if row is not None:
            yield clause, row


def remaining(instance: Instance, state: State, clauses: list[Clause]) -> list[Clause]:
    """Those that hold in the state."""
    false = {clause for clause, _ in failing(instance, state, clauses)}
    return [each for each in clauses if each not in false]
