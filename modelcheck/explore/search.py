"""Breadth first, level by level, in native code.

A level is all states of one depth. It is expanded as a whole: states are judged
when they are discovered, steps while their level is expanded. Between levels the
search asks whether it may end. Small levels are left to the kernel, which does
many of them in one call; a large one is divided among threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import field, frozen

from modelcheck.compile.kernel.slots import Job, Shared, Status, Thread
from modelcheck.core.limits import Limits
from modelcheck.core.progress import Progress, Snapshot
from modelcheck.explore.crew import Crew
from modelcheck.explore.initial import Combinations, InitialTables
from modelcheck.explore.levels import Levels
from modelcheck.explore.memory import SHARE, OutOfMemory, available_memory
from modelcheck.explore.store import Program, Stopped, Store
from modelcheck.explore.upgrade import Upgrade

INITIAL = -1
"""The number of the expansion that finds the initial states."""

NEVER = -2
"""The number of an expansion that has not been."""

_LARGE_LEVEL = 1 << 12
_NO_LIMIT = (1 << 63) - 1
_BETWEEN_REPORTS_SECONDS = 0.1


@frozen
class Counts:
    """What was counted.

    distinct   states within the constraint
    outside    states that violate it
    generated  initial states and enabled instances, with repetitions
    enabled    of each action, its enabled instances
    depth      how many levels have states within the constraint
    """

    distinct: int
    outside: int
    generated: int
    enabled: tuple[int, ...]
    depth: int


Decided: TypeAlias = Callable[[Sequence[int]], bool]
"""Whether all that was asked for is known, given the expansion that first saw each event."""


@frozen
class Explored:
    """What a search has seen.

    counts     of all that was seen; if the last level was cut, there are at least so many
    exact      of the levels that were finished
    first_hit  for each event, the number of the expansion that first saw it: d if a step from a
               state of level d did, or one of the states discovered by it; INITIAL; NEVER
    levels     the finished ones: the last may be only discovered, not expanded
    complete   every state was expanded
    partial    a level was begun and not finished; `counts` and `exact` differ
    limits     the limits that stopped it, as clauses
    bytes      allocated for states and table
    load       share of the table's slots that is in use
    store      the states
    """

    counts: Counts
    exact: Counts
    first_hit: tuple[int, ...]
    levels: Levels
    complete: bool
    partial: bool
    limits: tuple[str, ...]
    seconds: float
    bytes: int
    load: float
    store: Store | None = field(repr=False)


def explore(
    program: Program,
    initial: Combinations,
    limits: Limits,
    *,
    decided: Decided,
    threads: int = 1,
    progress: Progress | None = None,
    beside: Callable[[], int] = lambda: 0,
) -> Explored:
    """The states reachable within the limits, up to the level with which `decided` says so.

    decided   asked with the initial states, and after every level that saw something new
    progress  called about ten times a second
    beside    the bytes that the search takes beside its store; they count

    The counts, the levels as sets and the events are the same for any number of threads. An
    interruption stops the threads and goes on.
    """
    search = _Search(program, limits, decided, threads, progress, beside)
    try:
        search.run(initial)
    finally:
        search.upgrade.close()
        search.crew.close()
    return search.explored()


def memory_clause(size: int) -> str:
    """A limit of memory as it is written: "memory: 50M"."""
    for unit, exponent in (("G", 30), ("M", 20), ("K", 10)):
        if size >= 1 << exponent:
            return f"memory: {size / (1 << exponent):.1f}".removesuffix(".0") + unit
    return f"memory: {size}"


class _Search:
    def __init__(
        self,
        program: Program,
        limits: Limits,
        decided: Decided,
        threads: int,
        progress: Progress | None,
        beside: Callable[[], int],
    ) -> None:
        self.program, self.limits, self.decided = program, limits, decided
        self.progress, self.beside = progress, beside
        self.started = self.reported = time.monotonic()
        self.crew = Crew(threads, self._stop, self._tick)
        self.levels = Levels()
        self.first_hit = [NEVER] * program.shape.hits
        self.upgrade = Upgrade(program)
        self.growing = False
        self.cut: tuple[str, ...] = ()
        self.complete = False
        self.between_levels = True
        if limits.memory is None:
            self.budget = int(SHARE * available_memory())
        else:
            self.budget = limits.memory
        self.store: Store | None = None
        self.depth = 0
        self.level_inside = 0
        self.exact = Counts(0, 0, 0, (0,) * program.shape.actions, 0)

    # --- the search ---

    def run(self, initial: Combinations) -> None:
        """Level by level, until everything is known or a limit is met."""
        try:
            self.store = Store(self.program, self.crew.size, self.budget)
            self._prepare()
            if not self._begin(initial):
                return
            news = True
            while True:
                if self.level_inside == 0:
                    self.complete = True
                    return
                if news and self.decided(self.first_hit):
                    return
                self._stop_between_levels()
                if self.cut:
                    return
                if not self._expand():
                    return
                news = self._note_hits(len(self.levels) - 2)
        except OutOfMemory:
            self._out_of_memory()

    def _prepare(self) -> None:
        words = self._store.words
        most = self.limits.states
        words[Shared.MOST_INSIDE] = _NO_LIMIT if most is None else min(most, _NO_LIMIT)
        words[Shared.LARGE] = _LARGE_LEVEL if self.crew.size > 1 else _NO_LIMIT

    @property
    def _store(self) -> Store:
        assert self.store is not None
        return self.store

    def _begin(self, initial: Combinations) -> bool:
        """Whether there was room and time for all initial states: there may be too many."""
        store, most = self._store, self._store.words[Shared.MOST_INSIDE]
        tables = InitialTables(initial, self.program.shape, most)
        store.reserve(tables.size)
        first = store.contexts[0].address
        self.between_levels = False
        finished = self._call("initial", [(first, tables.address)])
        if not finished:
            self._note_hits(INITIAL)
            return False
        if tables.limited:
            self._note_hits(INITIAL)
            self.cut += (f"states: {most}",)
            return False
        self.levels.add_piece(0, 0)
        self._end_level()
        self._note_hits(INITIAL)
        return True

    def _stop_between_levels(self) -> None:
        states, steps = self.limits.states, self.limits.depth
        if states is not None and self._store.inside >= states:
            self.cut += (f"states: {states}",)
        if steps is not None and len(self.levels) - 1 >= steps:
            self.cut += (f"depth: {steps}",)

    def _expand(self) -> bool:
        """Whether there was time to expand the level, and perhaps some after it."""
        size = self.levels.size(len(self.levels) - 1)
        self.between_levels = False
        if self.crew.size > 1 and size >= _LARGE_LEVEL:
            finished = self._expand_together(size)
        else:
            finished = self._expand_alone()
        if not finished:
            self._note_hits(len(self.levels) - 1)
        return finished

    def _expand_together(self, size: int) -> bool:
        store = self._store
        self._begin_level(min(4096, max(32, size // (16 * self.crew.size))))
        places = [(c.words[Thread.NEXT], c.words[Thread.BLOCK_END]) for c in store.contexts]
        begun = store.words[Shared.NEXT]
        job = store.level.address
        if not self._call("expand", [(c.address, job) for c in store.contexts]):
            return False
        rests, found = [], []
        for (next_, end), context in zip(places, store.contexts, strict=True):
            now, now_end = context.words[Thread.NEXT], context.words[Thread.BLOCK_END]
            if now_end == end:
                found.append((next_, now))
            else:
                found.append((next_, end))
                rests.append((now, now_end))
        for first, end in sorted(rests):
            found.append((begun, first))
            begun = end
        found.append((begun, store.words[Shared.NEXT]))
        count = self.levels.states
        for first, end in sorted(found):
            if first < end:
                self.levels.add_piece(count, first)
                count += end - first
        self._end_level()
        assert count == self.levels.states
        return True

    def _expand_alone(self) -> bool:
        """Levels in one thread, as many as the kernel does without asking."""
        store, words = self._store, self._store.words
        context = store.contexts[0].words
        self._begin_level(4096)
        room = len(store.log)
        if self.limits.depth is not None:
            room = min(room, self.limits.depth - len(self.levels) + 1)
        next_, end = context[Thread.NEXT], context[Thread.BLOCK_END]
        begun = words[Shared.NEXT]
        words[Shared.BEGUN_NEXT], words[Shared.BEGUN_BLOCK_END] = next_, end
        words[Shared.BEGUN_SHARED] = begun
        words[Shared.BEGUN_INSIDE] = context[Thread.INSIDE]
        words[Shared.OTHERS] = store.inserted - context[Thread.INSERTED]
        words[Shared.OTHERS_INSIDE] = store.inside - context[Thread.INSIDE]
        words[Shared.LOGGED], words[Shared.LOG_ROOM] = 0, room
        before = self.levels.states
        finished = self._call("levels", [(store.contexts[0].address,)])
        if next_ < end:
            self.levels.add_piece(before, next_)
        self.levels.add_piece(before + end - next_, begun)
        logged = words[Shared.LOGGED]
        self.levels.end_many(store.log[:logged])
        self.depth += logged
        if finished:
            self._count_level(words[Shared.LEVEL_INSIDE], logged_already=True)
        elif logged:
            self._count_logged()
        return finished

    # --- levels ---

    def _begin_level(self, chunk: int) -> None:
        store = self._store
        store.level.set(self.levels.ranges(len(self.levels) - 1), chunk)

    def _end_level(self) -> None:
        inside = self._store.inside
        self.levels.end(self._store.inserted)
        self._count_level(inside - self.exact.distinct, logged_already=False)

    def _count_level(self, inside: int, *, logged_already: bool) -> None:
        """A level has ended, with so many new states within the constraint."""
        self.level_inside = inside
        if not logged_already:
            self.depth += 1
        if not inside:
            self.depth -= 1
        self.between_levels = True
        self.exact = self._counts(self.depth)

    def _count_logged(self) -> None:
        """The last of several levels was not finished: the counts of those before."""
        store = self._store
        first = store.contexts[0]
        enabled = [
            logged + total - own
            for logged, total, own in zip(
                store.level_counts, self._enabled(), first.counts, strict=False
            )
        ]
        states = self.levels.states
        inside = store.words[Shared.BEGUN_INSIDE] + store.words[Shared.OTHERS_INSIDE]
        generated = first.words[Thread.GENERATED] + sum(enabled)
        self.exact = Counts(inside, states - inside, generated, tuple(enabled), self.depth)

    def _enabled(self) -> list[int]:
        counts = (context.counts for context in self._store.contexts)
        return [sum(each) for each in zip(*counts, strict=True)]

    def _counts(self, depth: int) -> Counts:
        store, enabled = self._store, self._enabled()
        generated = store.contexts[0].words[Thread.GENERATED] + sum(enabled)
        inside = store.inside
        return Counts(inside, store.inserted - inside, generated, tuple(enabled), depth)

    def _note_hits(self, expansion: int) -> bool:
        """Whether there are events that no expansion before has seen."""
        store, news = self._store, False
        for number, seen in enumerate(zip(*(c.hits for c in store.contexts), strict=True)):
            if any(seen) and not store.known[number]:
                store.known[number] = 1
                self.first_hit[number] = expansion
                news = True
        return news

    # --- native calls ---

    def _call(self, name: str, arguments: Sequence[tuple[int, ...]]) -> bool:
        """Call a kernel function in as many threads as there are arguments, until it is done.

        False if time was up, or memory.
        """
        store = self._store
        left = list(arguments)
        while left:
            function = self.program.native.function(name, len(arguments[0]))
            store.words[Shared.STOP] = 0
            store.words[Shared.ALONE] = int(len(arguments) == 1)
            if self._out_of_time():
                return False
            if self._is_full():
                self._out_of_memory()
                return False
            assert store.sound, "the table lacks states: to go on would count some twice"
            calls = [_bind(function, each) for each in left]
            statuses = self.crew.run(calls)
            left = [
                each
                for each, status in zip(left, statuses, strict=True)
                if status is not Status.DONE
            ]
            if Status.NEED_ROOM in statuses:
                store.words[Shared.STOP] = 0
                self.growing = True
                try:
                    store.make_room(self.crew)
                except OutOfMemory:
                    self._out_of_memory()
                    return False
                except Stopped:
                    pass
                self.growing = False
        return True

    def _stop(self) -> None:
        if self.store is not None:
            self.store.words[Shared.STOP] = 1

    def _tick(self) -> None:
        now = time.monotonic()
        # Not while the table grows: it would be left half filled.
        if not self.growing and self.upgrade.is_ready(now - self.started):
            self._stop()  # called again, the kernel goes on with the faster code
        if not self.growing and self._is_full():
            self._stop()
        if self.limits.seconds is not None and now - self.started > self.limits.seconds:
            self._stop()
        if self.progress is not None and now - self.reported > _BETWEEN_REPORTS_SECONDS:
            self.reported = now
            self.progress(self._snapshot(now))

    def _out_of_time(self) -> bool:
        seconds = self.limits.seconds
        if seconds is not None and time.monotonic() - self.started > seconds:
            clause = f"seconds: {seconds:g}"
            if clause not in self.cut:
                self.cut += (clause,)
            return True
        return False

    def _is_full(self) -> bool:
        return self.store is not None and self.store.bytes + self.beside() > self.budget

    def _out_of_memory(self) -> None:
        self.cut += (memory_clause(self.budget),)

    def _snapshot(self, now: float) -> Snapshot:
        store = self._store
        counts = self._counts(0)
        job = store.level.words
        return Snapshot(
            counts.distinct,
            counts.generated,
            self.depth + store.words[Shared.LOGGED],
            job[Job.TOTAL],
            min(job[Job.CURSOR], job[Job.TOTAL]),
            store.bytes,
            now - self.started,
        )

    # --- the result ---

    def explored(self) -> Explored:
        store, counts = self.store, self.exact
        if store is not None and not self.between_levels:
            counts = self._counts(self.depth)
            if counts.distinct > self.exact.distinct:
                counts = self._counts(self.depth + 1)
        return Explored(
            counts,
            self.exact,
            tuple(self.first_hit),
            self.levels,
            self.complete,
            not self.between_levels,
            self.cut,
            time.monotonic() - self.started,
            0 if store is None else store.bytes,
            0.0 if store is None else store.load,
            store,
        )


def _bind(function: Callable[..., int], arguments: tuple[int, ...]) -> Callable[[], int]:
    return lambda: function(*arguments)
