"""A check in, findings out: the native engine as a whole.

Invariants, step properties, `reachable`, deadlock and the four errors are judged
while the search runs. Properties of the whole graph are left open here, with the
graph for whoever decides them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from attrs import frozen

from modelcheck.compile import record
from modelcheck.compile.histories import histories_of
from modelcheck.compile.ir import MASK, WORD
from modelcheck.compile.kernel import Shape, Tuning
from modelcheck.compile.lower.judging import Goals
from modelcheck.core.conclude import NO_VALUE, why_open
from modelcheck.core.expectations import all_decided, judges_deadlock
from modelcheck.core.limits import Limits
from modelcheck.core.model import (
    ERROR_KINDS,
    Action,
    Check,
    Claim,
    ErrorKind,
    Invariant,
    Linearizable,
    Property,
    Reachable,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import Failure, Found, FoundKind, Measured, Said, Stats, Verdict
from modelcheck.core.progress import Progress
from modelcheck.core.terms import Term
from modelcheck.core.trace import Trace
from modelcheck.core.values import State, Value, show
from modelcheck.explore.prepare import AT_ONCE, FOR_LONG_SEARCHES, combinations, prepare
from modelcheck.explore.probe import Probe, Seen, joined
from modelcheck.explore.search import NEVER, Explored, explore
from modelcheck.explore.store import Store
from modelcheck.explore.trace import Backtracker, Goal, Way, step_failures

_MANY_STEPS = 4_000_000
"""Above it the code that finds ways back is worth being optimised."""

MOST_STEPS = 200_000
"""Of a trace: nobody reads a longer one, and it would take minutes to put together."""

_KINDS: dict[type, FoundKind] = {
    Invariant: "invariant",
    StepProperty: "step",
    Linearizable: "linearizable",
    SequentiallyConsistent: "sequentially consistent",
}


class TooLong(Exception):
    """A trace has more steps than anybody reads; None if it is not known how many."""

    def __init__(self, steps: int | None) -> None:
        super().__init__(steps)
        self.steps = steps


Answer: TypeAlias = "Found | None"
"""What was found of a property; None if it is one of the whole graph."""


@frozen(eq=False)
class Settings:
    """How to search.

    threads     how many; the result does not depend on it
    keep_going  search everything, even when all that the check lists is decided
    least       of all shortest traces show the least, whoever acts and whatever fails
    tuning      sizes and switches of the kernel, for tests
    """

    threads: int = 1
    keep_going: bool = False
    least: bool = False
    tuning: Tuning | None = None


class Run:
    """A search of a check's model that has ended. Raises Unsupported."""

    def __init__(
        self,
        check: Check,
        limits: Limits,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.check, self.model, self.limits = check, check.model, limits
        self._numbers = {each.name: i for i, each in enumerate(self.model.properties)}
        self.settings = settings or Settings()
        self.prepared = prepare(self.model, self.settings.tuning)
        self.goals: Goals = self.prepared.lowered.goals
        self._probe: Probe | None = None
        native = self.prepared.program.native
        self.explored: Explored = explore(
            self.prepared.program,
            combinations(self.prepared.lowered, native),
            limits,
            decided=self._decided,
            threads=self.settings.threads,
            progress=progress,
            beside=self._beside,
        )
        if self.model.history is not None:
            histories_of(self.model.history).raise_if_broken()
        self.why_open = why_open(self.explored.complete, self.explored.limits)

    # --- counts ---

    @property
    def stats(self) -> Stats:
        """The counts; of a run that was cut inside a level there are at least so many."""
        counts = self.explored.counts
        names = [action.name for action in self.model.actions]
        enabled = tuple(zip(names, counts.enabled, strict=False))
        return Stats(
            counts.distinct,
            counts.generated,
            counts.depth,
            enabled,
            self.explored.seconds,
            self._measured(),
        )

    def _measured(self) -> Measured:
        layout, explored = self.prepared.lowered.layout, self.explored
        return Measured(
            self.settings.threads,
            self.prepared.seconds,
            layout.bits,
            layout.words,
            explored.bytes,
            explored.load,
        )

    # --- while it runs ---

    def _beside(self) -> int:
        """Bytes that are not in the store."""
        history = self.model.history
        return 0 if history is None else histories_of(history).tracker.bytes

    def _decided(self, first_hit: Sequence[int]) -> bool:
        if self.settings.keep_going:
            return False
        return all_decided(self.check, lambda name: self._steps(name, first_hit) is not None)

    def _steps(self, name: str, first_hit: Sequence[int]) -> int | None:
        """How far away something is that decides a property, `deadlock` or an error."""
        goals = self.goals
        if name == "deadlock":
            return _at(first_hit[goals.deadlock], 0)
        if name in ERROR_KINDS:
            kind = ERROR_KINDS.index(name)
            found = [
                _at(first_hit[goals.judging + kind], 1),
                _at(first_hit[goals.expanding + kind], 0),
                _at(first_hit[goals.stepping + kind], 1),
            ]
            return min((steps for steps in found if steps is not None), default=None)
        return _at(first_hit[self._numbers[name]], 1)

    # --- findings ---

    def found(self) -> tuple[Answer, ...]:
        """For every property, in the order of the file."""
        return tuple(self._of_property(i, each) for i, each in enumerate(self.model.properties))

    def _of_property(self, number: int, each: Property) -> Answer:
        match each:
            case Invariant() | StepProperty() | Linearizable() | SequentiallyConsistent():
                return self._of_safety(number, each)
            case Reachable():
                return self._of_reachable(number, each)
            case _:
                return None

    def _of_safety(self, number: int, each: Invariant | StepProperty | Claim) -> Found:
        kind = _KINDS[type(each)]
        said = self.what_was_said(number)
        steps = self._steps(each.name, self.explored.first_hit)
        if steps is None:
            reason = self._why_undecided(number)
            verdict = Verdict.HOLDS if reason is None else Verdict.UNDECIDED
            return Found(each.name, kind, verdict, reason=reason, said=said)
        if steps > MOST_STEPS:
            reason = too_long(steps)
            return Found(each.name, kind, Verdict.FAILS, steps, reason=reason, said=said)
        if isinstance(each, StepProperty):
            way = self.way(Goal(steps, stepping=number))
        else:
            way = self.way(Goal(steps, judging=number))
        parts = each.parts if isinstance(each, Invariant | StepProperty) else ()
        part = self._broken_line(number, parts, way)
        return Found(each.name, kind, Verdict.FAILS, steps, way.trace, part, said=said)

    def _broken_line(self, number: int, parts: Sequence[Term], way: Way) -> Term | None:
        """The first line that is false; None if there is only one."""
        if len(parts) < 2:
            return None
        if way.end is None:
            self.probe.judge(way.last)
            line = self.probe.hits[number]
        else:
            line = way.end.lines.get(number, 0)
        return parts[line - 1] if 0 < line <= len(parts) else None

    def _of_reachable(self, number: int, each: Reachable) -> Found:
        steps = self._steps(each.name, self.explored.first_hit)
        if steps is not None and steps > MOST_STEPS:
            long = too_long(steps)
            return Found(each.name, "reachable", Verdict.HOLDS, steps, reason=long)
        if steps is not None:
            way = self.way(Goal(steps, judging=number))
            return Found(each.name, "reachable", Verdict.HOLDS, steps, way.trace)
        reason = self._why_undecided(number)
        verdict = Verdict.FAILS if reason is None else Verdict.UNDECIDED
        return Found(each.name, "reachable", verdict, reason=reason)

    def _why_undecided(self, number: int) -> str | None:
        return NO_VALUE if self._was_hit(self.goals.unclear + number) else self.why_open

    def what_was_said(self, number: int) -> tuple[Said, ...]:
        """What came up of the lines of a property."""
        return self.goals.what_was_said(number, self._was_hit)

    def _was_hit(self, event: int) -> bool:
        return self.explored.first_hit[event] != NEVER

    def deadlock(self) -> Found | None:
        """What was found of deadlock; None if the check does not judge it."""
        if not judges_deadlock(self.check):
            return None
        steps = self._steps("deadlock", self.explored.first_hit)
        if steps is None:
            return self._absent("deadlock")
        if steps > MOST_STEPS:
            reason = too_long(steps)
            return Found("deadlock", "deadlock", Verdict.FAILS, steps, reason=reason)
        way = self.way(Goal(steps, expanding=self.goals.deadlock))
        return Found("deadlock", "deadlock", Verdict.FAILS, steps, way.trace)

    def error(self, kind: ErrorKind) -> Found:
        """What was found of one of the four errors, while the search ran."""
        number = ERROR_KINDS.index(kind)
        if self._was_hit(self.goals.initial + number):
            state, failure = self._no_initial(kind)
            trace = Trace((state,), ())
            return Found(kind, kind, Verdict.FAILS, 0, trace, failure=failure, reason="in `init`")
        steps = self._steps(kind, self.explored.first_hit)
        if steps is None:
            return self._absent(kind)
        if steps > MOST_STEPS:
            failure = Failure(kind, too_long(steps))
            return Found(kind, kind, Verdict.FAILS, steps, failure=failure)
        way = self.way(self.error_goal(kind, steps))
        failure, where = self._explain(kind, way, steps)
        return Found(kind, kind, Verdict.FAILS, steps, way.trace, failure=failure, reason=where)

    def error_goal(self, kind: ErrorKind, steps: int) -> Goal:
        """The places where the error occurs that are so far away."""
        goals, number = self.goals, ERROR_KINDS.index(kind)
        expanding = goals.expanding + number
        # States so far away count only if they were expanded.
        expanded = _at(self.explored.first_hit[expanding], 0) == steps
        return Goal(
            steps, goals.judging + number, expanding if expanded else None, goals.stepping + number
        )

    def _absent(self, kind: FoundKind) -> Found:
        verdict = Verdict.HOLDS if self.why_open is None else Verdict.UNDECIDED
        return Found(kind, kind, verdict, reason=self.why_open)

    # --- states ---

    @property
    def store(self) -> Store:
        """What the search has stored; there is nothing if it was refused its memory."""
        store = self.explored.store
        assert store is not None
        return store

    @property
    def shape(self) -> Shape:
        """What the code of the search was made for."""
        return self.prepared.program.shape

    def codes(self, depth: int) -> Iterator[int]:
        """The states of a level, as bits, in the order of the arena."""
        for first, stop in self.explored.levels.ranges(depth):
            for index in range(first, stop):
                yield self.code(index)

    def code(self, index: int) -> int:
        """The state that lies at an index of the arena, as bits."""
        return joined(self.store.state(index))

    def state(self, index: int) -> State:
        """The state that lies at an index of the arena."""
        return self.prepared.lowered.layout.unpack(self.code(index))

    def index(self, code: int) -> int:
        """Where a state that was found lies; the table must know."""
        words = self.prepared.lowered.layout.words
        index = self.store.find([code >> (WORD * i) & MASK for i in range(words)])
        assert index is not None
        return index

    def is_inside(self, code: int) -> bool:
        """Whether a state satisfies the constraint."""
        return self.model.constraint is None or self.probe.inside(code)

    # --- ways ---

    @property
    def probe(self) -> Probe:
        """Detailed code, compiled when it is first asked for."""
        if self._probe is None:
            many = self.explored.counts.generated > _MANY_STEPS
            level = FOR_LONG_SEARCHES if many else AT_ONCE
            self._probe = Probe(self.model, level, self.shape)
        return self._probe

    def way(self, goal: Goal) -> Way:
        """The one trace to a goal."""
        return Backtracker(self.probe, self.explored, least=self.settings.least).way(goal)

    def _explain(self, kind: ErrorKind, way: Way, steps: int) -> tuple[Failure, str | None]:
        """The failure at the end of a way, and where it is if the trace does not show it."""
        if way.end is not None:
            return self.explain_step(kind, way)
        for seen, where in self.failures_at(way.last, expanded=True):
            if seen.failure is not None and seen.failure.kind == kind:
                return seen.failure, where
        raise AssertionError("the last state has the failure that was seen there")

    def explain_step(self, kind: ErrorKind, way: Way) -> tuple[Failure, str | None]:
        """The failure of the step that a way ends with, or of a property of it, and where it is."""
        assert way.end is not None
        if way.end.failure is not None:
            return way.end.failure, None
        before = way.trace.states[-2]
        events = self.probe.steps(before)
        step = way.trace.steps[-1]
        for number, seen in enumerate(events):
            same = self.model.actions[seen.number] is step.action
            if seen.what == record.TAKEN and same and seen.arguments == step.arguments:
                for each in step_failures(events, number):
                    if each.failure is not None and each.failure.kind == kind:
                        assert each.property is not None
                        return each.failure, f"in `{self.model.properties[each.property].name}`"
        raise AssertionError("the last step has the failure that was seen there")

    def failures_at(self, state: State, *, expanded: bool) -> Iterator[tuple[Seen, str]]:
        """The failures that a state itself has, in the order in which they are met."""
        for seen in self.probe.judge(state):
            if seen.what == record.CONSTRAINT:
                yield seen, "in `constraint`"
            else:
                yield seen, f"in `{self.model.properties[seen.number].name}`"
        if expanded and self.probe.inside(state):
            for seen in self.probe.steps(state):
                if seen.what == record.GUARD:
                    action = self.model.actions[seen.number]
                    yield seen, f"in a guard of `{_shown(action, seen.arguments)}`"
                elif seen.what == record.STOPS:
                    yield seen, "in `stops when`"

    def _no_initial(self, kind: ErrorKind) -> tuple[State, Failure]:
        """The first combination of which `init` does not say whether it is initial."""
        lowered = self.prepared.lowered
        first = combinations(lowered, self.prepared.program.native)
        for values in itertools.product(*(choice.values for choice in first.choices)):
            code = first.base
            for choice, value in zip(first.choices, values, strict=True):
                mask = ((1 << choice.width) - 1) << choice.offset
                code = code & ~mask | value << choice.offset
            _, seen = self.probe.accept(code)
            for each in seen:
                if each.failure is not None and each.failure.kind == kind:
                    return lowered.layout.unpack(code), each.failure
        raise AssertionError("some combination has the failure that was seen")


def too_long(steps: int) -> str:
    return f"a trace of {steps:,} steps is not put together"


def _at(expansion: int, later: int) -> int | None:
    """Steps to what an expansion saw in its own states (0 later) or beyond them (1 later)."""
    if expansion == NEVER:
        return None
    return max(0, expansion + later)


def _shown(action: Action, arguments: tuple[Value, ...]) -> str:
    """The instance as a trace names it, with the arguments it has: `accept(Write(n1, 1, 1))`."""
    shown = ", ".join(
        show(binder.type, value) for binder, value in zip(action.binders, arguments, strict=False)
    )
    return f"{action.name}({shown})" if shown else action.name
