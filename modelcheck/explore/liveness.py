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

from modelcheck.compile.ir import Module
from modelcheck.compile.jit import compile_ir
from modelcheck.compile.kernel.components import add_components
from modelcheck.compile.kernel.store import add_accessors
from modelcheck.compile.kernel.whole import add_bits, add_goals
from modelcheck.compile.lower.claims import (
    Names,
    Predicate,
    key_words,
    lower_claims,
    without_faults,
)
from modelcheck.compile.lower.program import Program
from modelcheck.core.lasso import fair_loop
from modelcheck.core.model import Invariant, Model, Obligation, Refinement
from modelcheck.core.obligations import Binding, Broken
from modelcheck.core.outcome import Said, Verdict
from modelcheck.core.terms import Term
from modelcheck.core.trace import Step, Trace
from modelcheck.explore.components import Components, Finder
from modelcheck.explore.engine import MOST_STEPS, Run, TooLong
from modelcheck.explore.fair import StoredGraph, TooFar
from modelcheck.explore.levels import Range
from modelcheck.explore.owing import shortest_owing
from modelcheck.explore.passes import Bitmap, Passes
from modelcheck.explore.possible import Back, make_indexed, places_of
from modelcheck.explore.predicates import Predicates, Truths
from modelcheck.explore.trace import Goal, Test


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


@frozen
class Untold:
    """A broken claim whose trace nobody would read; its steps, if they are known."""

    verdict: Literal[Verdict.BLOCKS, Verdict.LIVELOCKS]
    steps: int | None


@frozen(eq=False)
class Answer:
    """What was found of some claims.

    broken   the one that blocks soonest, or if none blocks the one that livelocks soonest
    unclear  a predicate has no value somewhere
    said     what came up of each line, if nothing is broken
    """

    broken: Broken | Untold | None
    unclear: bool = False
    said: tuple[Said, ...] = ()


def order(broken: Broken | Untold) -> tuple[bool, bool, tuple[int, int]]:
    """The least is told: what blocks before what livelocks, and the shortest first."""
    length = (0, 0) if isinstance(broken, Untold) else broken.length()
    return broken.verdict is Verdict.LIVELOCKS, isinstance(broken, Untold), length


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
    _code: Predicates = field(init=False)

    @_code.default
    def _compile(self) -> Predicates:
        run = self.run
        program, module = self._walking(run.model, self.predicates)
        add_goals(module, run.shape, len(self.predicates), program.goals.unclear)
        native = compile_ir(module.text(), self.level)
        return Predicates(native, program, places_of(program, run.settings.threads))

    def _walking(self, model: Model, predicates: Sequence[Predicate]) -> tuple[Program, Module]:
        """Code for walks of the model, and the module that it is in."""
        model = evolve(model, properties=(), stops=None)
        program, shape = lower_claims(model, predicates, fair=True), self.run.shape
        add_accessors(program.module, shape)
        add_bits(program.module)
        add_components(program.module, shape, key_words(model))
        return program, program.module

    def truths(self) -> Truths:
        """The predicates in every state. Raises OutOfTime, OutOfMemory, Stopped."""
        passes = Passes(self.run.store, self._code.places, self.deadline)
        try:
            truths = self._code.judge(self.run.explored, passes)
            make_indexed(passes)
            return truths
        finally:
            passes.close()

    def answer(self, lines: int, claims: Sequence[Claim], truths: Truths) -> Answer:
        """What is found of the claims of a property of so many lines.

        Raises OutOfTime, OutOfMemory, Stopped.
        """
        if any(claim.goal in truths.unclear or claim.premise in truths.unclear for claim in claims):
            return Answer(None, unclear=True)
        broken = self._first_broken(claims, truths)
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

    def _first_broken(self, claims: Sequence[Claim], truths: Truths) -> Broken | Untold | None:
        finder = Finder(self._code.native, self._code.program, self.run.store)
        broken: list[Broken | Untold] = []
        try:
            for claim in claims:
                blocks = any(each.verdict is Verdict.BLOCKS for each in broken)
                judge = _Judge(self, finder, claim, truths)
                try:
                    found = judge.broken(blocks_only=blocks)
                finally:
                    judge.close()
                if found is not None:
                    broken.append(found)
        finally:
            finder.close()
        return min(broken, key=order, default=None)

    # --- for broken claims ---

    def back_from(self, bits: Bitmap) -> None:
        """Set also the states from which actions lead to one that is set."""
        run = self.run
        back = Back(run.model, run.shape, run.settings.threads, self.level)
        passes = Passes(run.store, back.places, self.deadline)
        try:
            back.spread(bits, passes)
        finally:
            passes.close()

    def components_without_faults(self, allowed: Bitmap) -> Components:
        """The fair components among these states, when no fault happens."""
        program, module = self._walking(without_faults(self.run.model), ())
        finder = Finder(compile_ir(module.text(), self.level), program, self.run.store)
        try:
            return finder.components(allowed, allowed, None, self.deadline)
        finally:
            finder.close()

    def is_set(self, bits: Bitmap) -> Test:
        """The test whether a state's bit is set."""
        return Test(self._code.native.function("is_set", 3), bits.address)


class _Judge:
    """One claim."""

    def __init__(self, runs: FairRuns, finder: Finder, claim: Claim, truths: Truths) -> None:
        self.runs, self.run, self.finder, self.claim = runs, runs.run, finder, claim
        self.used = _bits(self.run.store.used())
        self._made: list[Bitmap | Components] = []
        self.goal = truths.maps[claim.goal]
        self.open = self._bitmap(self.used & ~self.goal.bits)
        self.premise = None if claim.premise is None else truths.maps[claim.premise]

    def _bitmap(self, bits: int) -> Bitmap:
        made = Bitmap(self.run.store, self.finder.size)
        made.bits = bits
        self._made.append(made)
        return made

    def close(self) -> None:
        """Give the memory back."""
        for each in self._made:
            each.close()

    def broken(self, *, blocks_only: bool) -> Broken | Untold | None:
        """How the claim is broken, None if it is kept, or only livelocks and that is not asked."""
        allowed, must = self.open, None
        match self.claim.obligation.kind:
            case "leads to":
                assert self.premise is not None
                roots = self.premise
            case "always eventually":
                roots = self.open
            case "eventually":
                roots = self._bitmap(_bits(self.run.explored.levels.ranges(0)))
            case "eventually always":
                allowed = roots = self._bitmap(self.used)
                must = self.open
        found = self.finder.components(allowed, roots, must, self.runs.deadline)
        self._made.append(found)
        if not found.fair:
            return None
        blocked = self._blocked(found)
        if blocks_only and not blocked:
            return None
        verdict: Literal[Verdict.BLOCKS, Verdict.LIVELOCKS]
        verdict = Verdict.BLOCKS if blocked else Verdict.LIVELOCKS
        try:
            if blocked:
                trace = self._way(blocked)
                steps = len(trace.steps)
            else:
                trace, steps = self._lasso(found, must)
        except TooLong as long:
            return Untold(verdict, long.steps)
        return Broken(verdict, steps, trace, self.claim.obligation, self.claim.binding)

    def _blocked(self, found: Components) -> Bitmap:
        """Where the goal is owed and no path of actions leads to it."""
        reach = self._bitmap(self.goal.bits)
        if self.claim.obligation.kind == "eventually always":
            # A state that reaches such a component has it as its goal: the way need not be fair.
            homes = self.runs.components_without_faults(self.goal)
            self._made.append(homes)
            reach = homes.fair
        self.runs.back_from(reach)
        return self._bitmap(found.visited.bits & ~reach.bits)

    def _lasso(self, found: Components, must: Bitmap | None) -> tuple[Trace, int]:
        """A trace with a fair loop, and its steps without the one that returns."""
        stem = self._way(found.fair)
        layout = self.run.prepared.lowered.layout
        entry = self.run.index(layout.pack(stem.states[-1]))
        graph = StoredGraph(self.run, self.runs.deadline)
        must_visit = None if must is None else must.__getitem__
        try:
            loop = fair_loop(graph, found.same(entry), entry, must_visit)
        except TooFar:
            raise TooLong(None) from None
        states = (*stem.states, *(self.run.state(edge.target) for edge in loop))
        actions = self.run.model.actions
        taken = (Step(actions[e.action], e.arguments, e.process, e.result) for e in loop)
        steps = (*stem.steps, *taken)
        count = len(steps) - 1 if loop else len(steps)
        return Trace(states, steps, len(stem.steps)), count

    def _way(self, targets: Bitmap) -> Trace:
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
                    raise TooLong(steps)
                trace = self.run.way(Goal(steps, state=self.runs.is_set(targets))).trace
        return evolve(trace, loop=len(trace.steps))


def _bits(ranges: Iterable[Range]) -> int:
    """A bit for each index of some ranges."""
    bits = 0
    for first, stop in ranges:
        bits |= (1 << stop) - (1 << first)
    return bits
