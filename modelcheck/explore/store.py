"""The arena, the table and the words the kernel shares with Python; how they grow.

What must hold:

(1) Memory is counted before it is taken, and the peak while growing is what counts.
(2) Nothing grows while a thread is in the kernel.
(3) Every index below LIMIT has its place in the arena, and with as many states in it
    the table is no fuller than `_LOAD`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from attrs import define, field

from modelcheck.compile.apart import Apart
from modelcheck.compile.jit import Native
from modelcheck.compile.kernel.code import LINE_BYTES, LINE_SLOTS
from modelcheck.compile.kernel.grow import ASIDE_ROOM
from modelcheck.compile.kernel.insert import LOOK_AHEAD
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Job, Shared, Status, Thread
from modelcheck.explore.crew import Crew
from modelcheck.explore.levels import Range
from modelcheck.explore.memory import OutOfMemory, Region, address_space_is_limited

_LOAD = 0.8
_GROWTH = 1.4
"""8 / (_LOAD / _GROWTH) = 14: just after it has grown, the table takes 14 bytes for each state."""

_SMALL_GROWTH = 1.1
"""When memory is short, better than nothing."""

_SMALL_LINES = 1 << 17
"""Tables of up to 8 MiB double."""

_SPARE_SEGMENTS = 16
"""One segment for so many is added before it is needed."""

_HUGE_PAGES_FROM = 1 << 22
_LOG_ROOM = 1 << 16
_ALIGN = 128
_MOST_INDICES = (1 << 40) - 2


@define(eq=False)
class Program:
    """A model as machine code.

    better  faster code of the same, not made yet, if that is worth its time
    """

    native: Native = field(repr=False)
    shape: Shape
    better: Apart | None = field(default=None, repr=False)


class Stopped(Exception):
    """Growth was cut short, on request."""


class Workspace:
    """Arrays of words in one region, each beginning a cache line pair."""

    def __init__(self, size: int) -> None:
        self.region = Region.of(size)
        self.words = self.region.words()
        self._used = 0

    def take(self, size: int) -> tuple[int, memoryview]:
        """The address of `size` bytes, and the words."""
        offset = self._used
        self._used += -(-max(size, 8) // _ALIGN) * _ALIGN
        assert self._used <= self.region.size, "the workspace is too small"
        return self.region.address + offset, self.words[offset // 8 : (offset + size + 7) // 8]


@define(eq=False)
class Context:
    """A thread's words."""

    address: int
    words: memoryview = field(repr=False)
    hits: memoryview = field(repr=False)
    counts: memoryview = field(repr=False)


class JobWords:
    """A job, as the kernel reads it."""

    def __init__(self, workspace: Workspace, ranges: int) -> None:
        self.address, self.words = workspace.take(8 * Job.SIZE)
        self.words[Job.SUMS], self._sums = workspace.take(8 * (ranges + 1))
        self.words[Job.STARTS], self._starts = workspace.take(8 * ranges)

    def set(self, ranges: Sequence[Range], chunk: int) -> None:
        total = 0
        for number, (start, end) in enumerate(ranges):
            self._sums[number], self._starts[number] = total, start
            total += end - start
        self._sums[len(ranges)] = total
        self.words[Job.RANGES] = len(ranges)
        self.words[Job.TOTAL] = total
        self.words[Job.CHUNK] = max(1, chunk)
        self.words[Job.CURSOR] = 0


class Store:
    """What a search has stored.

    budget  bytes that all of it together may take
    """

    def __init__(self, program: Program, threads: int, budget: int) -> None:
        self.program, self.shape, self.budget = program, program.shape, budget
        self.lines = 0
        self._elsewhere = 0
        self._segments: list[Region] = []
        self._table: Region | None = None
        self.indexed = not self.shape.direct
        """The table knows the states' indices."""
        self.sound = True
        """The table holds every state: no growth of it was cut short."""
        segments = min(budget, 1 << 47) // self.shape.segment_bytes + 2
        self._make_workspace(threads, segments)
        self.words[Shared.LIMIT] = 0
        self._add_segment()
        self._set_table(self.shape.tuning.lines)

    # --- the words ---

    def _make_workspace(self, threads: int, segments: int) -> None:
        shape = self.shape
        per_thread = (
            8 * Thread.SIZE
            + (shape.buffer + 1) * (shape.stride + 16)
            + shape.recent * shape.recent_stride
            + 2 * (8 * shape.actions + shape.hit_bytes)
            + 8 * ASIDE_ROOM
            + 16 * _ALIGN
        )
        ranges = 2 * threads + 8
        shared = 8 * (Shared.SIZE + 2 * Job.SIZE + 4 * ranges + segments + _LOG_ROOM)
        shared += 2 * shape.hit_bytes + 8 * shape.actions + 8 * shape.words + 24 * _ALIGN
        self._workspace = workspace = Workspace(shared + threads * per_thread)
        self.address, self.words = workspace.take(8 * Shared.SIZE)
        self.words[Shared.SEGMENTS], self._segment_words = workspace.take(8 * segments)
        self.words[Shared.KNOWN], known = workspace.take(shape.hit_bytes)
        self.known = known.cast("B")
        self.words[Shared.LOG], self.log = workspace.take(8 * _LOG_ROOM)
        self.words[Shared.LEVEL_COUNTS], self.level_counts = workspace.take(8 * shape.actions)
        self.level, self._fill = JobWords(workspace, ranges), JobWords(workspace, ranges)
        self.words[Shared.JOB] = self.level.address
        self._state_address, self._state = workspace.take(8 * shape.words + 8)
        self.contexts = [self._make_context() for _ in range(threads)]

    def _make_context(self) -> Context:
        shape, take = self.shape, self._workspace.take
        address, words = take(8 * Thread.SIZE)
        words[Thread.SHARED] = self.address
        # The spare word: the entry being built may be written behind its end.
        words[Thread.BUFFER], _ = take(shape.buffer * shape.stride + 8)
        words[Thread.BUFFER_END] = words[Thread.BUFFER] + shape.buffer * shape.stride
        words[Thread.HITS], hits = take(shape.hit_bytes)
        words[Thread.COUNTS], counts = take(8 * shape.actions)
        words[Thread.SAVED_COUNTS], _ = take(8 * shape.actions)
        words[Thread.RECENT], _ = take(shape.recent * shape.recent_stride)
        words[Thread.HASHES], _ = take(8 * (shape.buffer + LOOK_AHEAD))
        words[Thread.CANDIDATES], _ = take(8 * shape.buffer)
        words[Thread.ASIDE], _ = take(8 * ASIDE_ROOM)
        return Context(address, words, hits.cast("B")[: shape.hits], counts[: shape.actions])

    # --- what is there ---

    @property
    def slots(self) -> int:
        return self.lines * LINE_SLOTS

    @property
    def bytes(self) -> int:
        """What the store takes, or will take when what it has reserved is used."""
        return (
            self.lines * LINE_BYTES
            + len(self._segments) * self.shape.segment_bytes
            + self._workspace.region.size
            + self._elsewhere
        )

    @property
    def inserted(self) -> int:
        """States in the arena."""
        return sum(context.words[Thread.INSERTED] for context in self.contexts)

    @property
    def inside(self) -> int:
        return sum(context.words[Thread.INSIDE] for context in self.contexts)

    @property
    def load(self) -> float:
        """Which share of the table's slots is in use."""
        return self.inserted / self.slots

    def used(self) -> list[Range]:
        """Where there are states in the arena: all that is reserved, but for rests of blocks."""
        rests = sorted((c.words[Thread.NEXT], c.words[Thread.BLOCK_END]) for c in self.contexts)
        found, start = [], 0
        for first, end in rests:
            if first < end:
                found.append((start, first))
                start = end
        found.append((start, self.words[Shared.NEXT]))
        return [(first, end) for first, end in found if first < end]

    def state(self, index: int) -> tuple[int, ...]:
        """A state's words, unsigned."""
        segment = self._segments[index >> self.shape.segment_bits]
        first = (index & (self.shape.segment - 1)) * self.shape.words
        words = segment.words()
        state = tuple(word & (1 << 64) - 1 for word in words[first : first + self.shape.words])
        words.release()
        return state

    def find(self, state: Sequence[int]) -> int | None:
        """A state's index; the table must be sound and know it."""
        assert self.indexed and self.sound
        for number, word in enumerate(state):
            self._state[number] = word - (1 << 64) if word >> 63 else word
        index = self.program.native.function("find", 2)(self.address, self._state_address)
        return None if index < 0 else index

    # --- growth ---

    def make_room(self, crew: Crew) -> None:
        """Grow until every thread can reserve a block.

        Raises OutOfMemory, with nothing lost; Stopped, with a table that is not sound.
        """
        wanted = self.words[Shared.NEXT] + len(self.contexts) * self.shape.block
        if wanted > _MOST_INDICES:
            raise OutOfMemory("states have 40-bit numbers")
        while len(self._segments) * self.shape.segment < wanted:
            self._add_segment()
        # A state with many successors is stepped again each time: some more at once, if there are.
        with contextlib.suppress(OutOfMemory):
            for _ in range(len(self._segments) // _SPARE_SEGMENTS):
                if len(self._segments) * self.shape.segment < int(self.slots * _LOAD):
                    self._add_segment()
        if int(self.slots * _LOAD) < wanted:
            self._grow_table(crew, wanted)
        self._set_limit()

    def _set_limit(self) -> None:
        arena = len(self._segments) * self.shape.segment
        self.words[Shared.LIMIT] = min(arena, int(self.slots * _LOAD), _MOST_INDICES)

    def reserve(self, size: int) -> None:
        """Count bytes that somebody else takes for the search. Raises OutOfMemory."""
        self._check(size)
        self._elsewhere += size

    def _check(self, more: int) -> None:
        if self.bytes + more > self.budget:
            raise OutOfMemory("the budget is spent")

    def _add_segment(self) -> None:
        self._check(self.shape.segment_bytes)
        segment = Region.of(self.shape.segment_bytes)
        if not self.shape.direct:
            segment.use_huge_pages()
        self._segment_words[len(self._segments)] = segment.address
        self._segments.append(segment)

    def _set_table(self, lines: int) -> None:
        """An empty table."""
        try:
            # Growth in place needs room behind it; that is only a range of addresses.
            table = Region.of(max(lines * LINE_BYTES, self._room_for_table()), reserved=True)
        except OutOfMemory:
            table = Region.of(lines * LINE_BYTES)
        table.use_huge_pages(after=_HUGE_PAGES_FROM)
        self._table, self.lines = table, lines
        self.words[Shared.TABLE], self.words[Shared.LINES] = table.address, lines
        self._set_limit()

    def _room_for_table(self) -> int:
        """Bytes of the largest table the budget can ever want; 0 where addresses are scarce."""
        if address_space_is_limited():
            return 0
        for_each_state = 8 * _GROWTH / _LOAD
        share = for_each_state / (for_each_state + self.shape.stride)
        return int(min(self.budget, 1 << 46) * share) + LINE_BYTES

    def _grow_table(self, crew: Crew, wanted: int) -> None:
        assert self._table is not None
        factor = 2.0 if self.lines < _SMALL_LINES else _GROWTH
        least = -(-int(wanted / _LOAD + 1) // LINE_SLOTS)
        lines = max(int(self.lines * factor), least)
        try:
            self._check((lines - self.lines) * LINE_BYTES)
        except OutOfMemory:
            lines = max(int(self.lines * _SMALL_GROWTH), least)
            self._check((lines - self.lines) * LINE_BYTES)
        old = self.lines
        in_place = lines * LINE_BYTES <= self._table.size
        self.sound = False
        if not in_place:
            # The old one goes first: the peak is the arena and one table.
            self._table.close()
            try:
                self._set_table(lines)
            except OutOfMemory:
                self._set_table(old)
                self._refill(crew, clear=0)
                self.sound = True
                raise
            self._refill(crew, clear=0)
        elif self.indexed:
            self.words[Shared.LINES] = self.lines = lines
            self._refill(crew, clear=old)
        else:
            self.words[Shared.LINES] = self.lines = lines
            self._fill.set([], 1)
            spread = self.program.native.function("spread", 3)
            context = self.contexts[0].address
            arguments = (context, old, self._fill.address)
            status = crew.run([lambda: spread(*arguments)])[0]
            if status is Status.CROWDED:
                self._refill(crew, clear=lines)
            elif status is not Status.DONE:
                raise Stopped
        self.sound = True

    def index(self, crew: Crew) -> None:
        """Make a table that holds states one that knows their indices. Raises Stopped."""
        self.sound = False
        self.indexed = True
        self._refill(crew, clear=self.lines)
        self.sound = True

    def _refill(self, crew: Crew, clear: int) -> None:
        """Put every state into a table of which so many lines are not empty."""
        if clear:
            self._fill.set([(0, clear)], 1 << 14)
            self._run(crew, "clear")
        self._fill.set(self.used(), 1 << 14)
        self._run(crew, "index" if self.indexed else "refill")

    def _run(self, crew: Crew, name: str) -> None:
        """Have all threads do a job, beside the level they may be in the middle of."""
        function, job = self.program.native.function(name, 2), self._fill.address
        pieces = [(c.words[Thread.POSITION], c.words[Thread.END]) for c in self.contexts]
        for context in self.contexts:
            context.words[Thread.POSITION] = context.words[Thread.END] = 0
        calls = [_call(function, c.address, job) for c in self.contexts]
        statuses = crew.run(calls)
        for context, (position, end) in zip(self.contexts, pieces, strict=True):
            context.words[Thread.POSITION], context.words[Thread.END] = position, end
        if any(status is not Status.DONE for status in statuses):
            raise Stopped


def _call(function: Callable[..., int], *arguments: int) -> Callable[[], int]:
    return lambda: function(*arguments)
