"""Whether goals and lemmas are inductive: each action, each line a question of its own."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from attrs import define, frozen

from modelcheck.core.model import Action, Invariant, StepProperty
from modelcheck.core.proof import Argument, Goal, Proof
from modelcheck.core.terms import Term
from modelcheck.prove.algebra import Expr, both, every, negated, some
from modelcheck.prove.solver import Question, question
from modelcheck.prove.symbols import Sym, same
from modelcheck.prove.system import Instance, System

INITIAL = "initial states"
ANY = "what was proved before"
"""What a question is about, if it is not the steps of an action."""


@frozen(eq=False)
class Situation:
    """A question, with what its example would be made of.

    states  one after the other
    ends    for each choice of an action's arguments the condition that its step breaks the line
    """

    question: Question
    states: tuple[tuple[Sym, ...], ...]
    ends: tuple[tuple[Expr, Instance], ...]


@define(eq=False)
class Induction:
    """The questions of one argument.

    known   invariants that are assumed, having been proved before
    strict  as of a System: False for sorts of any size
    """

    proof: Proof
    argument: Argument
    known: tuple[Invariant, ...] = ()
    strict: bool = False

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        """What must be inductive together."""
        goals = tuple(goal for goal in self.argument.goals if isinstance(goal, Invariant))
        return (*goals, *self.argument.lemmas)

    @property
    def judged(self) -> tuple[Goal, ...]:
        """What must hold after every step, or of it."""
        return (*self.argument.goals, *self.argument.lemmas)

    def questions(self, done: Container[tuple[str, int]] = ()) -> Iterator[Question]:
        """First those about the initial states, then action by action.

        done  names and lines of which nothing is left to be asked
        """
        for k in range(self.argument.k):
            for asked in self.base_questions(k):
                if (asked.name, asked.line) not in done:
                    yield asked
        for action in self.proof.model.actions:
            for each in self.judged:
                for line in range(len(each.parts)):
                    step = None
                    if (each.name, line) not in done:
                        step = self.step_question(action, each, line)
                    if step is not None:
                        yield step

    def plain_questions(self) -> Iterator[Question]:
        """Whether lines follow from what was proved before: then no step need be asked about."""
        for each in self.invariants if self.known else ():
            for line in range(len(each.parts)):
                system, state, assertions = self.start()
                assertions += [system.holds(known.parts, state) for known in self.known]
                assertions.append(broken(system, each.parts, line, state))
                yield question(ANY, each.name, line, [*assertions, *system.space.facts()])

    # --- from the initial states ---

    def base_questions(self, steps: int) -> Iterator[Question]:
        """Whether every line holds after so many steps from an initial state."""
        for each in self.invariants:
            for line in range(len(each.parts)):
                yield self.base_question(each, line, steps)
        if steps + 1 < self.argument.k:
            for goal in self.argument.goals:
                if isinstance(goal, StepProperty):
                    for line in range(len(goal.parts)):
                        yield self.base_step_question(goal, line, steps)

    def base_question(self, each: Invariant, line: int, steps: int) -> Question:
        """Whether the line holds after so many steps from an initial state."""
        return self.base_situation(each, line, steps).question

    def base_situation(self, each: Invariant, line: int, steps: int) -> Situation:
        """A run of so many steps that ends where the line is broken."""
        system, state, assertions = self.start()
        states = self.walk(system, state, steps, assertions)
        assertions.append(broken(system, each.parts, line, states[-1]))
        asked = question(after(steps), each.name, line, [*assertions, *system.space.facts()])
        return Situation(asked, tuple(tuple(s) for s in states), ())

    def base_step_question(self, each: StepProperty, line: int, steps: int) -> Question:
        """Whether the line holds of every step that comes after so many."""
        system, state, assertions = self.start()
        last = self.walk(system, state, steps, assertions)[-1]
        failing = some(self.breaks(system, each, line, step, last) for step in system.steps(last))
        assertions.append(failing)
        return question(after(steps), each.name, line, [*assertions, *system.space.facts()])

    def walk(
        self, system: System, state: list[Sym], steps: int, assertions: list[Expr]
    ) -> list[list[Sym]]:
        """The states of a run of so many steps."""
        initial, _ = system.initial(state)
        assertions.append(initial)
        states = [state]
        for number in range(steps):
            states.append(self.next_state(system, states[-1], number, assertions))
        return states

    # --- a step ---

    def start(self) -> tuple[System, list[Sym], list[Expr]]:
        """A state of which only types and axioms are known."""
        system = System(self.proof.model, self.strict)
        state = system.state("s")
        assertions: list[Expr] = [system.typed(state)]
        assertions += [system.holds(axiom.parts, state) for axiom in self.proof.axioms]
        return system, state, assertions

    def suppose(self, system: System, state: Sequence[Sym], assertions: list[Expr]) -> None:
        """Goals, lemmas and what was proved before hold in the state."""
        for each in (*self.known, *self.invariants):
            assertions.append(system.holds(each.parts, state))

    def step_question(self, action: Action, each: Goal, line: int) -> Question | None:
        """Whether a step of the action keeps the line; None if it plainly does."""
        situation = self.situation(action, each, line)
        return None if situation is None else situation.question

    def situation(self, action: Action, each: Goal, line: int) -> Situation | None:
        """k states that keep all, and a step of the action that breaks the line."""
        system, state, assertions = self.start()
        states = [state]
        self.suppose(system, state, assertions)
        for number in range(self.argument.k - 1):
            state = self.next_state(system, state, number, assertions)
            self.suppose(system, state, assertions)
            states.append(state)
        ends = []
        for step in system.steps_of(action, state):
            condition = self.breaks(system, each, line, step, state)
            if condition is not False:
                ends.append((condition, step))
        if not ends:
            return None
        assertions.append(some(condition for condition, _ in ends))
        asked = question(action.name, each.name, line, [*assertions, *system.space.facts()])
        return Situation(asked, tuple(tuple(s) for s in states), tuple(ends))

    def breaks(
        self, system: System, each: Goal, line: int, step: Instance, state: Sequence[Sym]
    ) -> Expr:
        """That the step is taken, and what was proved before holds after it, but not the line."""
        taken = step.taken
        if taken is False:
            return False
        if isinstance(each, StepProperty):
            fails = negated(system.step_holds(each, line, step, state))
        else:
            fails = broken(system, each.parts, line, step.after)
        if fails is False:
            return False
        after = every(system.holds(known.parts, step.after) for known in self.known)
        return both(taken, after, fails)

    def next_state(
        self, system: System, state: Sequence[Sym], number: int, assertions: list[Expr]
    ) -> list[Sym]:
        """A state that some step leads to."""
        after = system.state(f"s{number + 1}")
        assertions.append(system.typed(after))
        assertions.append(related(system, state, after))
        return after


def after(steps: int) -> str:
    """What a question about a state is about that so many steps lead to."""
    if not steps:
        return INITIAL
    return f"{steps} step{'s' if steps > 1 else ''} from the initial states"


def related(system: System, before: Sequence[Sym], after: Sequence[Sym]) -> Expr:
    """Whether a step leads from the one state to the other."""
    return some(both(step.taken, equals(step.after, after)) for step in system.steps(before))


def equals(one: Sequence[Sym], other: Sequence[Sym]) -> Expr:
    """Whether two states are equal."""
    return every(same(a, b) for a, b in zip(one, other, strict=True))


def broken(system: System, parts: Sequence[Term], line: int, state: Sequence[Sym]) -> Expr:
    """That the line is false or has no value, those before it being true."""
    earlier = system.holds(parts[:line], state)
    return both(earlier, negated(system.holds(parts[: line + 1], state)))
