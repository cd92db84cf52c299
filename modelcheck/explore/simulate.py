"""Random runs instead of all states: for instances that are too big to exhaust.

Runs are numbered. Each is a function of the seed and its number, so that threads
may walk any of them in any order. The simulation ends with the earliest event, by
number of the run and step in it, with which everything is decided; what threads
have walked beyond it is not counted. So the result does not depend on how many
there are.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeAlias

from attrs import Factory, define, evolve, frozen

from modelcheck.compile.histories import histories_of
from modelcheck.compile.kernel.walk import Answer, Stage
from modelcheck.compile.lower.judging import Goals
from modelcheck.core.expectations import all_decided, judge, judges_deadlock
from modelcheck.core.model import (
    ERROR_KINDS,
    AlwaysPossible,
    Check,
    Expectation,
    ExpectError,
    ExpectHolds,
    ExpectProperty,
    Invariant,
    Linearizable,
    Liveness,
    Model,
    Property,
    Reachable,
    Refinement,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import Found, FoundKind, Outcome, Stats, Verdict
from modelcheck.core.sample import Origin, Sampled
from modelcheck.explore.crew import start_threads
from modelcheck.explore.telling import Met, Teller, Told
from modelcheck.explore.walker import (
    MOST_LISTED,
    Tally,
    Walker,
    Walks,
    compile_walks,
    nothing,
)

RUNS, SEED, STEPS = 1000, 0, 1000

Progress: TypeAlias = Callable[[int, int], None]
"""Runs and steps so far."""

_TICK_SECONDS = 0.05
_SHORT_SECONDS = 0.05
_LONG_SECONDS = 0.2
_NO_END = 1 << 62
_MOST_STARTS = 64

_VIOLATED = frozenset({Verdict.FAILS, Verdict.BLOCKS, Verdict.LIVELOCKS})
_KINDS: dict[type, FoundKind] = {
    Invariant: "invariant",
    StepProperty: "step",
    Reachable: "reachable",
    AlwaysPossible: "always possible",
    Liveness: "liveness",
    Refinement: "refines",
    Linearizable: "linearizable",
    SequentiallyConsistent: "sequentially consistent",
}


@frozen
class Settings:
    """
    runs     how many; None for as many as `seconds` allows, or RUNS
    steps    where a run ends at the latest
    seconds  when the walking ends at the latest
    """

    runs: int | None = None
    seed: int = SEED
    steps: int = STEPS
    seconds: float | None = None
    threads: int = 1
    keep_going: bool = False


def simulate(
    check: Check, settings: Settings | None = None, progress: Progress | None = None
) -> Sampled:
    """What random runs of the check's model show. Raises Unsupported, OutOfMemory.

    An interruption ends it; the result is then about the runs that were walked until then.
    """
    simulation = _Simulation(check, settings or Settings(), progress)
    if simulation.walks.tables is None:
        simulation.empty = True
    else:
        simulation.run()
    return _Verdicts(simulation).sampled()


@define(eq=False)
class _Block:
    """Runs from `first` to below `last`, which have all been walked."""

    first: int
    last: int
    tally: Tally


@define(eq=False)
class _Simulation:
    """
    met      for each event where it was first met
    end      where everything is decided; None while it is not
    limits   what stopped it, as clauses
    empty    there is no initial state
    tally    of all that counts
    """

    check: Check
    settings: Settings
    progress: Progress | None
    walks: Walks = Factory(lambda self: compile_walks(self.check.model), takes_self=True)
    met: dict[int, Met] = Factory(dict)
    end: Met | None = None
    limits: tuple[str, ...] = ()
    interrupted: bool = False
    empty: bool = False
    started: float = Factory(time.monotonic)
    tally: Tally = Factory(lambda self: nothing(self.walks.shape), takes_self=True)
    _blocks: list[_Block] = Factory(list)
    _starts: array[int] | None = None
    _next: int = 0
    _size: int = 1
    _stopping: bool = False
    _reported: float = 0.0

    @property
    def goals(self) -> Goals:
        return self.walks.program.goals

    @property
    def _last(self) -> int:
        """The number below which runs are wanted."""
        if self.settings.runs is not None:
            return self.settings.runs
        return RUNS if self.settings.seconds is None else _NO_END

    def walker(self) -> Walker:
        return Walker(self.walks, self.settings.seed, self.settings.steps)

    # --- runs, in threads ---

    def run(self) -> None:
        pool, threads = start_threads(self.settings.threads, "walk")
        with pool:
            walkers = [self.walker() for _ in range(threads)]
            for each in walkers:
                each.ignore(self._without_news())
            try:
                self._run(walkers, pool)
            except KeyboardInterrupt:
                self.interrupted = True
            finally:
                for each in walkers:
                    each.stop()
        if self.check.model.history is not None:
            histories_of(self.check.model.history).raise_if_broken()
        self._count(walkers)

    def _without_news(self) -> list[int]:
        goals = self.goals
        ignored = list(range(goals.said, goals.initial))
        if not judges_deadlock(self.check):
            ignored.append(goals.deadlock)
        return ignored

    def _run(self, walkers: Sequence[Walker], pool: ThreadPoolExecutor) -> None:
        working: dict[Future[Answer], tuple[Walker, float]] = {}

        def go_on(walker: Walker) -> None:
            walker.stop(False)
            working[pool.submit(walker.walk)] = walker, time.monotonic()

        for walker in walkers:
            if self._assign(walker):
                go_on(walker)
        while working:
            done, _ = wait(working, _TICK_SECONDS, FIRST_COMPLETED)
            self._tick(walkers)
            for future in done:
                walker, since = working.pop(future)
                answer = future.result()
                if answer is Answer.DONE:
                    self._adapt(time.monotonic() - since)
                    self._blocks.append(_Block(walker.first, walker.last, walker.tally()))
                    more = self._assign(walker)
                else:
                    more = self._answer(walker, answer)
                if more and not self._stopping:
                    go_on(walker)
            if self.end is not None:
                for walker, _ in working.values():
                    if walker.run >= self.end.run:
                        walker.stop()

    def _assign(self, walker: Walker) -> bool:
        """Whether there are runs left for the walker."""
        first = self._next
        if first >= self._last or (self.end is not None and first > self.end.run):
            walker.begin(first, first)
            return False
        self._next = min(first + self._size, self._last)
        walker.begin(first, self._next)
        return True

    def _adapt(self, seconds: float) -> None:
        """A block takes about a tenth of a second."""
        if seconds < _SHORT_SECONDS:
            self._size = min(2 * self._size, 1 << 20)
        elif seconds > _LONG_SECONDS:
            self._size = max(self._size // 2, 1)

    def _answer(self, walker: Walker, answer: Answer) -> bool:
        """Whether the walker is to go on in its block."""
        if answer is Answer.EVENT:
            run, step, stage = walker.place
            for event in walker.news():
                met = Met(run, step, stage, walker.state if stage == Stage.BEFORE else None)
                if event not in self.met or met.place < self.met[event].place:
                    self.met[event] = met
            self.end = self._decided()
        elif answer is Answer.NEED_STARTS:
            self._list_starts(walker)
        return not self.empty and (self.end is None or walker.run < self.end.run)

    def _tick(self, walkers: Sequence[Walker]) -> None:
        now = time.monotonic()
        seconds = self.settings.seconds
        if seconds is not None and now - self.started > seconds and not self._stopping:
            self._stopping = True
            self.limits = (f"seconds: {seconds:g}",)
            for each in walkers:
                each.stop()
        if self.progress is not None and now - self._reported > 2 * _TICK_SECONDS:
            self._reported = now
            done = [block.tally for block in self._blocks]
            steps = sum(tally.steps for tally in done) + sum(each.steps for each in walkers)
            self.progress(sum(tally.runs for tally in done), steps)

    def _list_starts(self, asking: Walker) -> None:
        """All initial states, if they can be listed: drawing has come upon none."""
        if self._starts is None:
            starts = array("q")
            if self.walks.total <= MOST_LISTED:
                for listed in self.walker().list_starts():
                    starts = listed
                    if self._out_of_time():
                        return
                self.empty = not starts
            self._starts = starts
        asking.use_starts(self._starts)

    def _out_of_time(self) -> bool:
        seconds = self.settings.seconds
        return seconds is not None and time.monotonic() - self.started > seconds

    # --- what is decided ---

    def _decided(self) -> Met | None:
        """The earliest event with which everything is decided."""
        if self.settings.keep_going:
            return None
        known: set[str] = set()
        for event, met in sorted(self.met.items(), key=lambda item: item[1].place):
            name = self.name_of(event)
            known.add(name)
            expected = self._is_expected_to_be_met(name)
            if not expected or all_decided(self.check, known.__contains__):
                return met
        return None

    def name_of(self, event: int) -> str:
        """The property, the error or `deadlock` that the event is about."""
        goals, properties = self.goals, self.check.model.properties
        if event < len(properties):
            return properties[event].name
        if event == goals.deadlock:
            return "deadlock"
        first = goals.initial if event >= goals.initial else goals.judging
        return ERROR_KINDS[(event - first) % len(ERROR_KINDS)]

    def _is_expected_to_be_met(self, name: str) -> bool:
        """Whether that it was met leaves it open if everything comes out as the check expects."""
        reachable = any(
            each.name == name and isinstance(each, Reachable)
            for each in self.check.model.properties
        )
        everything = False
        for each in self.check.expectations:
            match each:
                case ExpectProperty(other, verdict) if other == name:
                    return (verdict == "holds") == reachable
                case ExpectError(kind) if kind == name:
                    return True
                case ExpectHolds():
                    everything = True
                case _:
                    pass
        return reachable or not (everything or name in ERROR_KINDS)

    # --- what counts ---

    def _count(self, walkers: Sequence[Walker]) -> None:
        end = self.end
        if end is None or self._stopping or self.interrupted:
            tallies = [block.tally for block in self._blocks]
            done = {block.first for block in self._blocks}
            tallies += [
                each.tally()
                for each in walkers
                if each.first < each.last and each.first not in done
            ]
        else:
            tallies = [block.tally for block in self._blocks if block.last <= end.run]
            reached = [block.first for block in self._blocks if block.first <= end.run]
            reached += [each.first for each in walkers if each.first <= end.run]
            tallies.append(self._walk_again(max(reached), end))
        for tally in tallies:
            self.tally += tally

    def _walk_again(self, first: int, end: Met) -> Tally:
        """The runs from `first` to the end, without what came after it."""
        walker = self._watcher()
        if end.stage == Stage.BEFORE:
            walker.begin(first, end.run)
        else:
            walker.begin(first, end.run + 1, end.step)
        while walker.walk() is not Answer.DONE:
            pass
        return walker.tally()

    def path(self, met: Met) -> list[tuple[int, bytes]]:
        """The walk to an event: see `Walker.retrace`."""
        return self._watcher().retrace(met.run, met.step)

    def some_starts(self) -> list[bytes]:
        """A few initial states, the same ones every time."""
        lister, size = self.walker(), 8 * self.walks.shape.words
        numbers = next(lister.list_starts())[:_MOST_STARTS]
        return [lister.combination(number).to_bytes(size, "little") for number in numbers]

    def _watcher(self) -> Walker:
        """A walker that goes the ways of others once more."""
        walker = self.walker()
        walker.ignore(range(walker.shape.hit_bytes))
        walker.use_starts(array("q") if self._starts is None else self._starts)
        return walker


class _Verdicts:
    """From events to an outcome."""

    def __init__(self, simulation: _Simulation) -> None:
        self.simulation, self.check = simulation, simulation.check
        self.model: Model = simulation.check.model
        end, met = simulation.end, simulation.met
        self.met = {
            event: each
            for event, each in sorted(met.items())
            if end is None or each.place <= end.place
        }
        self.interrupted = simulation.interrupted
        self.origins: list[tuple[str, Origin]] = []
        self._teller: Teller | None = None

    def sampled(self) -> Sampled:
        simulation, tally = self.simulation, self.simulation.tally
        found = [self._of_property(i, each) for i, each in enumerate(self.model.properties)]
        if judges_deadlock(self.check):
            found.append(self._of_event("deadlock", "deadlock", [simulation.goals.deadlock]))
        goals = simulation.goals
        for number, kind in enumerate(ERROR_KINDS):
            firsts = (goals.initial, goals.judging, goals.expanding, goals.stepping)
            found.append(self._of_event(kind, kind, [first + number for first in firsts]))
        as_expected, unmet = _judge(self.check, found)
        actions = [action.name for action in self.model.actions]
        stats = Stats(
            0,
            tally.runs + sum(tally.enabled),
            0,
            tuple(zip(actions, tally.enabled, strict=True)),
            time.monotonic() - simulation.started,
        )
        limits = simulation.limits
        if self.interrupted:
            limits += ("an interruption",)
        outcome = Outcome(
            self.check, stats, False, limits, tuple(found), as_expected, unmet,
            tuple(self._warnings()),
        )  # fmt: skip
        settings = simulation.settings
        wanted = settings.runs
        if wanted is None and settings.seconds is None:
            wanted = RUNS
        return Sampled(
            outcome, settings.seed, wanted, settings.steps, tally.runs, tally.steps,
            tally.longest, tally.lost, self.simulation.empty, tuple(self.origins),
            self.interrupted,
        )  # fmt: skip

    def _warnings(self) -> list[str]:
        warnings = []
        lost = self.simulation.tally.lost
        if lost:
            runs = "1 run" if lost == 1 else f"{lost} runs"
            warnings.append(f"{runs} found no combination of first values that `init` lets pass")
        if self.model.constraint is not None:
            warnings.append("a run ends in a state outside the constraint")
        return warnings

    # --- findings ---

    def _of_property(self, number: int, each: Property) -> Found:
        kind = _KINDS[type(each)]
        if isinstance(each, AlwaysPossible | Liveness | Refinement):
            reason = "random runs do not judge it"
            return Found(each.name, kind, Verdict.UNDECIDED, reason=reason)
        met = self.met.get(number)
        if isinstance(each, Reachable):
            if met is not None:
                return Found(each.name, kind, Verdict.HOLDS, met.step)
            reason = f"not reached in {_runs(self.simulation.tally.runs)}"
            return Found(each.name, kind, Verdict.UNDECIDED, reason=reason)
        found = self._of_event(each.name, kind, [number])
        if met is not None:  # the runs that were counted may end before it
            return found
        hits = self.simulation.tally.hits
        said = self.simulation.goals.what_was_said(number, lambda event: bool(hits[event]))
        return evolve(found, said=said)

    def _of_event(self, name: str, kind: FoundKind, events: Sequence[int]) -> Found:
        """Of what is violated as soon as one of the events was met."""
        met = [(self.met[event].place, event) for event in events if event in self.met]
        if not met:
            reason = f"not met in {_runs(self.simulation.tally.runs)}"
            return Found(name, kind, Verdict.UNDECIDED, reason=reason)
        event = min(met)[1]
        place = self.met[event]
        if not _is_about(self.check, name):
            return Found(name, kind, Verdict.FAILS, place.step)
        told, steps = self._tell(event, place)
        self.origins.append((name, Origin(place.run, steps)))
        return Found(
            name,
            kind,
            Verdict.FAILS,
            len(told.trace.steps),
            told.trace,
            failure=told.failure,
            reason=told.reason,
        )

    def _tell(self, event: int, met: Met) -> tuple[Told, int]:
        """What is to be said, and how many steps the walk had."""
        if self._teller is None:
            self._teller = Teller(self.model)
        teller = self._teller
        if met.state is not None:
            return teller.tell_initial(event, met.state), 0
        path = teller.path(self.simulation.path(met))
        shortener = teller.shortener(event, path, self.simulation.some_starts())
        try:
            if not self.interrupted:
                shortener.shorten()
        except KeyboardInterrupt:
            self.interrupted = True
        told = teller.tell(event, shortener.path)
        return told, met.step + len(told.trace.steps) - len(shortener.path)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"


def _is_about(check: Check, name: str) -> bool:
    """Whether the check judges what has this name."""
    listed = {
        each.name if isinstance(each, ExpectProperty) else each.kind
        for each in check.expectations
        if isinstance(each, ExpectProperty | ExpectError)
    }
    everything = any(isinstance(each, ExpectHolds) for each in check.expectations)
    return everything or name in listed or name in ERROR_KINDS


def _judge(
    check: Check, found: Sequence[Found]
) -> tuple[bool | None, tuple[tuple[Expectation, str], ...]]:
    """As `judge`; but that a trace is not the shortest does not mean that there is none shorter."""
    steps = {each.name: each.steps for each in found if each.verdict in _VIOLATED}

    def is_open(expected: Expectation) -> bool:
        if not isinstance(expected, ExpectProperty) or expected.steps is None:
            return False
        seen = steps.get(expected.name)
        return seen is not None and seen >= expected.steps

    left = tuple(each for each in check.expectations if not is_open(each))
    listed = evolve(check, expectations=left)
    as_expected, unmet = judge(listed, found, Stats(0, 0, 0, ()), complete=False)
    if as_expected and left != check.expectations:
        as_expected = None
    return as_expected, unmet
