"""What can only be judged when the search has ended: `always possible`, `refines`, liveness."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from attrs import evolve, frozen

from modelcheck.compile import record
from modelcheck.compile.lower.claims import Predicate, lower_claims
from modelcheck.compile.lower.mapping import evaluated
from modelcheck.core.conclude import NO_VALUE, why_open
from modelcheck.core.model import (
    ERROR_KINDS,
    AlwaysPossible,
    ErrorKind,
    Liveness,
    Model,
    Obligation,
    Refinement,
)
from modelcheck.core.obligations import (
    CONSTRAINED,
    Broken,
    liveness_found,
    refined_liveness_found,
)
from modelcheck.core.outcome import Failure, Found, FoundKind, Verdict
from modelcheck.core.trace import Trace
from modelcheck.explore.engine import Run, too_long
from modelcheck.explore.liveness import Answer, Choices, Claim, FairRuns, Untold, claims_of, order
from modelcheck.explore.memory import OutOfMemory
from modelcheck.explore.passes import OutOfTime, Passes, Place
from modelcheck.explore.possible import Possibility, as_invariant
from modelcheck.explore.prepare import AT_ONCE, FOR_LONG_SEARCHES
from modelcheck.explore.probe import Probe, Seen
from modelcheck.explore.refined import Refining
from modelcheck.explore.search import memory_clause
from modelcheck.explore.store import Stopped
from modelcheck.explore.trace import Backtracker, Goal, Way

_LEAST_SECONDS = 0.3
"""A search that was cut by time still lets what it has found be judged for so long."""

_HURRY_SECONDS = 5
_MANY_STATES = 200_000
"""For so many, faster code is worth the time that it takes to make; not with little time left."""

NO_SHORT_LOOP = "a fair loop was found, but it is too long to be put together"

_KINDS: dict[type, FoundKind] = {
    AlwaysPossible: "always possible",
    Refinement: "refines",
    Liveness: "liveness",
}


@frozen(eq=False)
class Asked:
    """Obligations to be judged, under a name.

    model    whose terms they are: the abstract one of `through`, if that is given
    """

    name: str
    obligations: Sequence[Obligation]
    model: Model
    through: Refinement | None = None


@frozen(eq=False)
class Late:
    """A finding of a property of the whole graph.

    last  what the trace of a refinement ends with: "state" or "step"; None for no such trace
    """

    found: Found
    last: str | None = None


class Judge:
    """The properties of the whole graph, each judged once, in the order of the file.

    choices  of the binders of obligations

    Raises Unsupported.
    """

    def __init__(self, run: Run, choices: Choices) -> None:
        self.run, self.model, self._choices = run, run.model, choices
        limits = run.limits
        self.found: dict[str, Late] = {}
        self.errors: dict[ErrorKind, int] = {}
        """How far away an error was met here, for the kinds that were."""
        self.cut: str | None = None
        """Why something was not judged to its end."""
        self._judged: list[tuple[Predicate, str]] = []
        self._whole_probe: Probe | None = None
        self._deadline: float | None = None
        left = 0.0
        if limits.seconds is not None:
            left = max(_LEAST_SECONDS, limits.seconds - run.explored.seconds)
            self._deadline = time.monotonic() + left
        states = run.explored.levels.states
        hurry = self._deadline is not None and left < _HURRY_SECONDS
        self._level = FOR_LONG_SEARCHES if states > _MANY_STATES and not hurry else AT_ONCE
        self._judge_all()

    def _judge_all(self) -> None:
        run = self.run
        late = [
            p
            for p in self.model.properties
            if isinstance(p, AlwaysPossible | Refinement | Liveness)
        ]
        if run.explored.store is None:
            assert run.why_open is not None
            for each in late:
                self._undecided(each, run.why_open)
            return
        possible = [p for p in self.model.properties if isinstance(p, AlwaysPossible)]
        if possible and run.why_open is None:
            self._possible(possible)
        lively = self._lively([p for p in self.model.properties if isinstance(p, Liveness)])
        for each in late:
            match each:
                case AlwaysPossible() if run.why_open is not None:
                    self._undecided(each, run.why_open)
                case AlwaysPossible():
                    self._judged.append((Predicate(as_invariant(each)), f"in `{each.name}`"))
                case Refinement():
                    where = f"in the mapping of `{each.name}`"
                    self._judged.append((Predicate(evaluated(each)), where))
                    self._refined(each)
                    self._its_liveness(each)
                case Liveness():
                    self._judged += [(p, f"in `{each.name}`") for p in lively.get(each.name, ())]

    def _undecided(self, each: AlwaysPossible | Refinement | Liveness, reason: str) -> None:
        found = Found(each.name, _KINDS[type(each)], Verdict.UNDECIDED, reason=reason)
        self.found[each.name] = Late(found)

    def _within_limits(self, judge: Callable[[], None]) -> str | None:
        """Judge; the clause of the limit that was met, if one was."""
        try:
            judge()
            return None
        except (OutOfTime, Stopped):
            assert self.run.limits.seconds is not None
            clause = f"seconds: {self.run.limits.seconds:g}"
        except OutOfMemory:
            clause = memory_clause(self.run.store.budget)
        self.cut = why_open(False, (clause,))
        return self.cut

    def _in_passes(self, places: list[Place], judge: Callable[[Passes], None]) -> str | None:
        """The same, for what goes over all states."""
        passes = Passes(self.run.store, places, self._deadline)
        try:
            return self._within_limits(lambda: judge(passes))
        finally:
            passes.close()

    # --- always possible ---

    def _possible(self, properties: list[AlwaysPossible]) -> None:
        run = self.run
        shape, threads = run.shape, run.settings.threads
        code = Possibility(self.model, properties, shape, threads, self._level)

        def judge(passes: Passes) -> None:
            possible = code.judge(run.explored, passes)
            self._met(possible.errors)
            for number, each in enumerate(properties):
                if number in possible.unclear:
                    self._undecided(each, NO_VALUE)
                    continue
                goal = possible.goals[number]
                found = Found(each.name, "always possible", Verdict.HOLDS)
                if goal is not None:
                    trace = run.way(goal).trace
                    found = evolve(found, verdict=Verdict.FAILS, steps=goal.steps, trace=trace)
                self.found[each.name] = Late(found)

        reason = self._in_passes(code.places, judge)
        if reason is not None:
            for each in properties:
                if each.name not in self.found:
                    self._undecided(each, reason)

    def _met(self, errors: dict[ErrorKind, int]) -> None:
        for kind, steps in errors.items():
            self.errors[kind] = min(steps, self.errors.get(kind, steps))

    # --- refines ---

    def _refined(self, each: Refinement) -> None:
        run = self.run
        shape, threads = run.shape, run.settings.threads
        code = Refining(self.model, each, shape, threads, self._level)

        def judge(passes: Passes) -> None:
            refined = code.judge(run.explored, passes)
            self._met(refined.errors)
            if refined.unclear:
                self._undecided(each, NO_VALUE)
            elif refined.initial is not None:
                state = run.state(refined.initial)
                found = Found(each.name, "refines", Verdict.FAILS, 0, Trace((state,), ()))
                self.found[each.name] = Late(found, "state")
            elif refined.goal is not None:
                way = run.way(refined.goal)
                found = Found(each.name, "refines", Verdict.FAILS, refined.goal.steps, way.trace)
                self.found[each.name] = Late(found, "state" if way.end is None else "step")
            elif run.why_open is not None:
                self._undecided(each, run.why_open)
            else:
                self.found[each.name] = Late(Found(each.name, "refines", Verdict.HOLDS))

        reason = self._in_passes(code.places, judge)
        if reason is not None:
            self._undecided(each, run.why_open or reason)

    # --- liveness ---

    def _lively(self, properties: list[Liveness]) -> dict[str, list[Predicate]]:
        """Judge them all; the predicates of each, by its name."""
        open_ = self.run.why_open
        if self.model.constraint is not None:
            open_ = CONSTRAINED
        if open_ is not None:
            for each in properties:
                self._undecided(each, open_)
            return {}
        asked = [Asked(each.name, each.obligations, self.model) for each in properties]
        answers, reason, predicates = self._oblige(asked)
        for each in properties:
            answer = answers.get(each.name)
            if answer is not None:
                self.found[each.name] = Late(_liveness_found(each, answer))
            else:
                assert reason is not None
                self._undecided(each, reason)
        return predicates

    def _its_liveness(self, each: Refinement) -> None:
        """What the abstract model owes, where its steps are in order."""
        late = self.found.get(each.name)
        if not each.liveness or late is None or late.found.verdict is not Verdict.HOLDS:
            return
        if self.model.constraint is not None:
            self._undecided(each, CONSTRAINED)
            return
        asked = [
            Asked(f"{each.name}.{claimed.name}", claimed.obligations, each.abstract, each)
            for claimed in each.abstract.properties
            if isinstance(claimed, Liveness)
        ]
        answers, reason, predicates = self._oblige(asked)
        for name, own in predicates.items():
            self._judged += [(predicate, f"in `{name}`") for predicate in own]
        if reason is not None:
            self._undecided(each, reason)
            return
        if any(answer.unclear for answer in answers.values()):
            self._undecided(each, NO_VALUE)
            return
        broken = [(name, a.broken) for name, a in answers.items() if a.broken is not None]
        first = min(broken, key=lambda named: order(named[1]), default=None)
        if first is not None and isinstance(first[1], Untold):
            name, untold = first
            reason = f"`{name}` {untold.verdict.value}, with a trace too long to be put together"
            found = Found(each.name, "refines", untold.verdict, untold.steps, reason=reason)
        else:
            told = [(name, b) for name, b in broken if isinstance(b, Broken)]
            found = refined_liveness_found(each, told)
        self.found[each.name] = Late(found)

    def _oblige(
        self, asked: Sequence[Asked]
    ) -> tuple[dict[str, Answer], str | None, dict[str, list[Predicate]]]:
        """The answers, why there are not more of them, and what the predicates of each are."""
        predicates, own = list[Predicate](), dict[str, list[Predicate]]()
        claims = dict[str, tuple[Claim, ...]]()
        for each in asked:
            first = len(predicates)
            choices = partial(self._choices, model=each.model)
            claims[each.name] = claims_of(
                each.name, each.obligations, choices, predicates, each.through
            )
            own[each.name] = predicates[first:]
        answers: dict[str, Answer] = {}
        if not asked:
            return answers, None, own
        runs = FairRuns(self.run, tuple(predicates), self._level, self._deadline)

        def judge() -> None:
            truths = runs.truths()
            self._met(truths.errors)
            for each in asked:
                lines = len(each.obligations)
                answers[each.name] = runs.answer(lines, claims[each.name], truths)

        reason = self._within_limits(judge)
        return answers, reason, own

    # --- errors ---

    def error(self, kind: ErrorKind) -> Found:
        """The finding of an error, whoever has come upon it."""
        found = self.run.error(kind)
        late, early = self.errors.get(kind), found.steps
        if late is None or (early is not None and early < late):
            return self.unless_cut(found)
        if early == late and found.reason == "in `init`":
            return found
        probe = self._probe()
        goal = self._error_goal(kind, late, probe, met_early=early == late)
        backtracker = Backtracker(probe, self.run.explored, least=self.run.settings.least)
        way = backtracker.way(goal)
        failure, where = self._explain(kind, way, expanded=goal.expanding is not None)
        return Found(kind, kind, Verdict.FAILS, late, way.trace, failure=failure, reason=where)

    def unless_cut(self, found: Found) -> Found:
        """The finding of an error; it is not known to be absent if something was not judged."""
        if self.cut is not None and found.verdict is Verdict.HOLDS:
            return evolve(found, verdict=Verdict.UNDECIDED, reason=self.cut)
        return found

    def _probe(self) -> Probe:
        """Detailed code that also judges what is evaluated here."""
        if self._whole_probe is None:
            judged = tuple(predicate for predicate, _ in self._judged)
            shape = self.run.shape
            program = lower_claims(self.model, judged, detailed=True)
            self._whole_probe = Probe(self.model, AT_ONCE, shape, program)
        return self._whole_probe

    def _error_goal(self, kind: ErrorKind, steps: int, probe: Probe, *, met_early: bool) -> Goal:
        goals, number = probe.program.goals, ERROR_KINDS.index(kind)
        if not met_early:
            return Goal(steps, goals.judging + number)
        own = self.run.error_goal(kind, steps)
        expanding = None if own.expanding is None else goals.expanding + number
        return Goal(steps, goals.judging + number, expanding, goals.stepping + number)

    def _explain(self, kind: ErrorKind, way: Way, *, expanded: bool) -> tuple[Failure, str | None]:
        if way.end is not None:
            return self.run.explain_step(kind, way)
        seen: list[tuple[Seen, str]] = list(self.run.failures_at(way.last, expanded=expanded))
        own = len(self.model.properties)
        seen += [
            (each, self._judged[each.number - own][1])
            for each in self._probe().judge(way.last)
            if each.what == record.JUDGED and each.number >= own
        ]
        for each, where in seen:
            if each.failure is not None and each.failure.kind == kind:
                return each.failure, where
        raise AssertionError("the last state has the failure that was seen there")


def _liveness_found(each: Liveness, answer: Answer) -> Found:
    if answer.unclear:
        return Found(each.name, "liveness", Verdict.UNDECIDED, reason=NO_VALUE)
    if isinstance(answer.broken, Untold):
        verdict, steps = answer.broken.verdict, answer.broken.steps
        reason = NO_SHORT_LOOP if steps is None else too_long(steps)
        return Found(each.name, "liveness", verdict, steps, reason=reason)
    return liveness_found(each, answer.broken, answer.said)
