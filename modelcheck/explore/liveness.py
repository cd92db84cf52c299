"""Whether every fair run does what it owes, on the states that a search has stored.

As `core.liveness`, with the same findings, for millions of states. What a goal's being owed adds
to a state need not be stored: while it is owed the goal does not hold, so the states in which a
run can owe it for ever are fair components among the states without the goal that can be reached,
without meeting it, from where it begins to be owed. If there are none, nothing can block either:
some fair run goes on from every state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

from attrs import evolve, field, frozen

from modelcheck.compile.jit import compile_ir
from modelcheck.compile.kernel.components import add_components
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared
from modelcheck.compile.kernel.store import add_accessors
from modelcheck.compile.kernel.whole import add_bits, add_goals
from modelcheck.compile.lower.claims import (
    Names,
    Predicate,
    key_words,
    lower_claims,
    without_faults,
)
from modelcheck.core.lasso import fair_loop
from modelcheck.core.model import Invariant, Model, Obligation, Refinement
from modelcheck.core.obligations import Binding, Broken
from modelcheck.core.outcome import Said, Verdict
from modelcheck.core.terms import Term
from modelcheck.core.trace import Step, Trace
from modelcheck.explore.components import Components, Walker
from modelcheck.explore.engine import MOST_STEPS, Run
from modelcheck.explore.fair import StoredGraph, TooFar
from modelcheck.explore.owing import shortest_owing
from modelcheck.explore.passes import Bitmap, Passes
from modelcheck.explore.possible import Back, make_indexed, places_of
from modelcheck.explore.predicates import Predicates, Truths
from modelcheck.explore.trace import Goal, Test


class TooLong(Exception):
    """A trace has more steps than anybody reads.

    verdict  what it would show
    steps    None if that is not known either
    """

    def __init__(self, verdict: Verdict, steps: int | None) -> None:
        super().__init__(steps)
        self.verdict, self.steps = verdict, steps


@frozen(eq=False)
class Claim:
    """An obligation for one choice of its binders.

    line           its position in the property
    goal, premise  positions among the predicates; a premise only for "leads to"
    """

    line: int
    obligation: Obligation
    binding: Binding
    goal: int
    premise: int | None


class Choices(Protocol):
    """The choices of an obligation's binders, whose domains read no state.

    Names have more than the binding if a pattern binds some.
    """

    def __call__(self, each: Obligation, model: Model) -> Iterable[tuple[Binding, Names]]:
        """The model is whose terms the obligation has."""


def claims_of(
    name: str,
    obligations: Sequence[Obligation],
    choices: Callable[[Obligation], Iterable[tuple[Binding, Names]]],
    predicates: list[Predicate],
    through: Refinement | None = None,
) -> tuple[Claim, ...]:
    """The claims of a property; what they speak of is added to the predicates.

    through  their terms are of its abstract model
    """
    found = list[Claim]()

    def number(term: Term, names: Names) -> int:
        predicates.append(Predicate(Invariant(name, (term,)), names, through))
        return len(predicates) - 1

    for line, each in enumerate(obligations):
        for binding, names in choices(each):
            goal = number(each.goal, names)
            premise = None if each.premise is None else number(each.premise, names)
            found.append(Claim(line, each, binding, goal, premise))
    return tuple(found)


@frozen(eq=False)
class Answer:
    """What was found of some claims.

    broken    the one that blocks soonest, or if none blocks the one that livelocks soonest
    too_long  the verdict and the steps of one whose trace nobody would read
    unclear   a predicate has no value somewhere
    said      what came up of each line, if nothing is broken
    """

    broken: Broken | None
    too_long: tuple[Verdict, int | None] | None = None
    unclear: bool = False
    said: tuple[Said, ...] = ()


@frozen(eq=False)
class FairRuns:
    """Code for claims about a search that has ended, and the walks through what it stored.

    predicates  what the claims speak of

    Raises Unsupported. Cost: a judging of every state, and for each claim a walk through the
    states that owe its goal; for one that is broken, also passes backwards, and another search.
    """

    run: Run
    predicates: Sequence[Predicate]
    level: int
    deadline: float | None
    _predicates: Predicates = field(init=False)

    @_predicates.default
    def _compile(self) -> Predicates:
        run = self.run
        model = evolve(run.model, properties=(), stops=None)
        program = lower_claims(model, self.predicates, fair=True)
        module, shape = program.module, self._shape
        add_accessors(module, shape)
        add_bits(module)
        add_goals(module, shape, len(self.predicates), program.goals.unclear)
        add_components(module, shape, key_words(model))
        native = compile_ir(module.text(), self.level)
        return Predicates(native, program, places_of(program, run.settings.threads))

    @property
    def _shape(self) -> Shape:
        return self.run.prepared.program.shape

    def truths(self) -> Truths:
        """The predicates in every state. Raises OutOfTime, OutOfMemory, Stopped."""
        store = self.run.explored.store
        assert store is not None
        passes = Passes(store, self._predicates.places, self.deadline)
        try:
            truths = self._predicates.judge(self.run.explored, passes)
            make_indexed(passes)
            return truths
        finally:
            passes.close()

    def answer(self, lines: int, claims: Sequence[Claim], truths: Truths) -> Answer:
        """What is found of the claims of a property of so many lines.

        Raises OutOfTime, OutOfMemory, Stopped.
        """
        asked = {claim.goal for claim in claims} | {
            claim.premise for claim in claims if claim.premise is not None
        }
        if not truths.unclear.isdisjoint(asked):
            return Answer(None, unclear=True)
        try:
            broken = self._first_broken(claims, truths)
        except TooLong as long:
            return Answer(None, (long.verdict, long.steps))
        return Answer(broken, said=self._said(lines, claims, truths) if broken is None else ())

    def _said(self, lines: int, claims: Sequence[Claim], truths: Truths) -> tuple[Said, ...]:
        """What came up of each line: see `core.antecedent`."""
        states, said = self.run.explored.levels.states, list[Said]()
        for line in range(lines):
            own = [claim for claim in claims if claim.line == line]
            triggered = any(c.premise is None or truths.maps[c.premise] for c in own)
            needed = any(truths.maps[c.goal].bits.bit_count() < states for c in own)
            said.append(Said(bool(own), triggered, needed))
        return tuple(said)

    def _first_broken(self, claims: Sequence[Claim], truths: Truths) -> Broken | None:
        walker = self._make_walker(self._predicates, self.run.model)
        broken: list[Broken] = []
        try:
            for claim in claims:
                blocks = any(each.verdict is Verdict.BLOCKS for each in broken)
                judge = _Judge(self, walker, claim, truths)
                try:
                    found = judge.broken(blocks_only=blocks)
                finally:
                    judge.close()
                if found is not None:
                    broken.append(found)
        finally:
            walker.close()
        blocking = [each for each in broken if each.verdict is Verdict.BLOCKS]
        return min(blocking or broken, key=Broken.length, default=None)

    def _make_walker(self, code: Predicates, model: Model) -> Walker:
        store = self.run.explored.store
        assert store is not None
        strong = any(a.fairness is not None and a.fairness.strong for a in model.actions)
        return Walker(
            code.native, code.program, store, key_words=key_words(model), has_strong=strong
        )

    # --- for broken claims ---

    def back_from(self, bits: Bitmap) -> None:
        """Set also the states from which actions lead to one that is set."""
        run = self.run
        store = run.explored.store
        assert store is not None
        back = Back(run.model, self._shape, run.settings.threads, self.level)
        passes = Passes(store, back.places, self.deadline)
        try:
            back.spread(bits, passes)
        finally:
            passes.close()

    def components_without_faults(self, allowed: Bitmap) -> Bitmap:
        """The states of fair components among these, when no fault happens."""
        run = self.run
        store = run.explored.store
        assert store is not None
        model = evolve(without_faults(run.model), properties=(), stops=None)
        program = lower_claims(model, (), fair=True)
        add_accessors(program.module, self._shape)
        add_bits(program.module)
        add_components(program.module, self._shape, key_words(model))
        native = compile_ir(program.module.text(), self.level)
        code = Predicates(native, program, places_of(program, 1))
        walker = self._make_walker(code, model)
        try:
            return walker.components(allowed, allowed, None, self.deadline).fair
        finally:
            walker.close()

    def is_set(self, bits: Bitmap) -> Test:
        """The test whether a state's bit is set."""
        return Test(self._predicates.native.function("is_set", 3), bits.address)


class _Judge:
    """One claim."""

    def __init__(self, runs: FairRuns, walker: Walker, claim: Claim, truths: Truths) -> None:
        self.runs, self.run, self.walker, self.claim = runs, runs.run, walker, claim
        explored = self.run.explored
        assert explored.store is not None
        self.store = explored.store
        self.used = 0
        self._made: list[Bitmap | Components] = []
        for first, stop in self.store.used():
            self.used |= (1 << stop) - (1 << first)
        self.goal = truths.maps[claim.goal]
        self.open = self._bitmap(self.used & ~self.goal.bits)
        self.premise = None if claim.premise is None else truths.maps[claim.premise]

    def _bitmap(self, bits: int) -> Bitmap:
        made = Bitmap(self.store, self.store.words[Shared.NEXT])
        made.bits = bits
        self._made.append(made)
        return made

    def close(self) -> None:
        """Give the memory back."""
        for each in self._made:
            each.close()

    def broken(self, *, blocks_only: bool) -> Broken | None:
        """How the claim is broken, None if it is kept, or only livelocks and that is not asked."""
        allowed, must = self.open, None
        match self.claim.obligation.kind:
            case "leads to":
                assert self.premise is not None
                roots = self.premise
            case "always eventually":
                roots = self.open
            case "eventually":
                roots = self._bitmap(self._initial())
            case "eventually always":
                allowed = roots = self._bitmap(self.used)
                must = self.open
        found = self.walker.components(allowed, roots, must, self.runs.deadline)
        self._made.append(found)
        if not found.fair:
            return None
        blocked = self._blocked(found)
        if blocked:
            trace = self._way(blocked, Verdict.BLOCKS)
            return self._as_broken(Verdict.BLOCKS, trace, len(trace.steps))
        return None if blocks_only else self._livelock(found, must)

    def _initial(self) -> int:
        bits = 0
        for first, stop in self.run.explored.levels.ranges(0):
            bits |= (1 << stop) - (1 << first)
        return bits

    def _blocked(self, found: Components) -> Bitmap:
        """Where the goal is owed and no path of actions leads to it."""
        reach = self._bitmap(self.goal.bits)
        if self.claim.obligation.kind == "eventually always":
            # A state that reaches such a component has it as its goal: the way need not be fair.
            reach = self.runs.components_without_faults(self.goal)
            self._made.append(reach)
        self.runs.back_from(reach)
        return self._bitmap(found.visited.bits & ~reach.bits)

    def _livelock(self, found: Components, must: Bitmap | None) -> Broken:
        stem = self._way(found.fair, Verdict.LIVELOCKS)
        layout = self.run.prepared.lowered.layout
        entry = self.run.index(layout.pack(stem.states[-1]))
        graph = StoredGraph(self.run, self.runs.deadline)
        must_visit = None if must is None else must.__getitem__
        try:
            loop = fair_loop(graph, found.same(entry), entry, must_visit)
        except TooFar:
            raise TooLong(Verdict.LIVELOCKS, None) from None
        states = (*stem.states, *(self.run.state(edge.target) for edge in loop))
        actions = self.run.model.actions
        taken = (Step(actions[e.action], e.arguments, e.process, e.result) for e in loop)
        steps = (*stem.steps, *taken)
        # The last step of a loop returns.
        count = len(steps) - 1 if loop else len(steps)
        return self._as_broken(Verdict.LIVELOCKS, Trace(states, steps, len(stem.steps)), count)

    def _way(self, targets: Bitmap, verdict: Verdict) -> Trace:
        """The shortest trace to a target in which the goal is owed. It ends in a loop."""
        match self.claim.obligation.kind:
            case "leads to" | "eventually":
                trace = shortest_owing(
                    self.run, self.premise, self.open, targets, self.runs.deadline
                )
            case "always eventually" | "eventually always":
                levels = self.run.explored.levels
                steps = next(
                    depth
                    for depth in range(len(levels))
                    if any(targets.any_set(*piece) for piece in levels.ranges(depth))
                )
                if steps > MOST_STEPS:
                    raise TooLong(verdict, steps)
                trace = self.run.way(Goal(steps, state=self.runs.is_set(targets))).trace
        return evolve(trace, loop=len(trace.steps))

    def _as_broken(
        self,
        verdict: Literal[Verdict.BLOCKS, Verdict.LIVELOCKS],
        trace: Trace,
        steps: int,
    ) -> Broken:
        return Broken(verdict, steps, trace, self.claim.obligation, self.claim.binding)
