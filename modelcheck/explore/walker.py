"""Native code that walks, and what one thread of it needs."""

from __future__ import annotations

import ctypes
import math
from array import array
from collections.abc import Iterator
from itertools import accumulate

from attrs import field, frozen

from modelcheck.compile.ir import MASK, signed
from modelcheck.compile.jit import Native, compile_ir
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Initial
from modelcheck.compile.kernel.walk import GAMMA, Answer, Walk, add_walk, mix
from modelcheck.compile.lower.program import Program, lower
from modelcheck.core.model import Model
from modelcheck.explore.initial import Combinations, InitialTables
from modelcheck.explore.memory import Region
from modelcheck.explore.prepare import combinations

TRIES = 1 << 16
"""Combinations that a run draws before it asks for a list of those that `init` lets pass."""

MOST_LISTED = 1 << 24
"""Combinations that are gone through for such a list."""

_WORD_BYTES = 8
_SCANNED_AT_ONCE = 1 << 14


@frozen(eq=False)
class Walks:
    """A model's walks as machine code.

    tables  of the initial states; None if some variable has nothing to begin with
    """

    program: Program
    shape: Shape
    native: Native = field(repr=False)
    combinations: Combinations = field(repr=False)
    tables: InitialTables | None = field(repr=False)

    @property
    def total(self) -> int:
        """How many combinations of first values there are."""
        return math.prod(len(choice.values) for choice in self.combinations.choices)


def compile_walks(model: Model, level: int = 2) -> Walks:
    """Raises Unsupported, OutOfMemory."""
    program = lower(model)
    layout = program.layout
    shape = Shape(
        layout.words,
        layout.bits,
        program.goals.count,
        len(model.actions),
        model.constraint is not None,
    )
    add_walk(program.module, shape)
    native = compile_ir(program.module.text(), level)
    first = combinations(program, native)
    empty = any(not choice.values for choice in first.choices)
    tables = None if empty else InitialTables(first, shape, 0)
    return Walks(program, shape, native, first, tables)


@frozen
class Tally:
    """What some runs come to.

    enabled  of each action, its enabled instances
    hits     a byte for each event, not 0 if it was seen
    """

    runs: int
    steps: int
    longest: int
    lost: int
    enabled: tuple[int, ...]
    hits: bytes

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.runs + other.runs,
            self.steps + other.steps,
            max(self.longest, other.longest),
            self.lost + other.lost,
            tuple(a + b for a, b in zip(self.enabled, other.enabled, strict=True)),
            bytes(a | b for a, b in zip(self.hits, other.hits, strict=True)),
        )


def nothing(shape: Shape) -> Tally:
    return Tally(0, 0, 0, 0, (0,) * shape.actions, bytes(shape.hits))


class Walker:
    """One thread's place in the runs `first` to below `last`, and its counts since `begin`."""

    def __init__(self, walks: Walks, seed: int, most_steps: int) -> None:
        assert walks.tables is not None
        self.walks, self.shape = walks, walks.shape
        shape = walks.shape
        self.first = self.last = 0
        hits, counts, state = shape.hit_bytes, shape.actions + 1, shape.words + 1
        # Pages of its own: what two threads write must not share a line of a cache.
        memory = self._memory = Region.of(
            _WORD_BYTES * (Walk.SIZE + 2 * counts + 3 * state) + 2 * hits
        )
        sizes = [Walk.SIZE, counts, counts, *[state] * 3]
        places = [memory.address + _WORD_BYTES * words for words in accumulate(sizes, initial=0)]
        self.ctx = (ctypes.c_int64 * Walk.SIZE).from_address(places[0])
        self._counts = (ctypes.c_int64 * counts).from_address(places[1])
        self._spare = (ctypes.c_int64 * counts).from_address(places[2])
        self._states = [(ctypes.c_uint64 * state).from_address(at) for at in places[3:6]]
        self.hits = (ctypes.c_uint8 * hits).from_address(places[6])
        self.known = (ctypes.c_uint8 * hits).from_address(places[6] + hits)
        self._log: ctypes.Array[ctypes.c_int64] | None = None
        self._starts = array("q")
        self._function = walks.native.function("walk", 1)
        ctx = self.ctx
        for number, place in (
            (Walk.HITS, self.hits),
            (Walk.KNOWN, self.known),
            (Walk.COUNTS, self._counts),
            (Walk.SPARE_COUNTS, self._spare),
            (Walk.SOURCE, self._states[0]),
            (Walk.FREE, self._states[1]),
            (Walk.CHOSEN, self._states[2]),
        ):
            ctx[number] = ctypes.addressof(place)
        ctx[Walk.KEY] = signed(mix(seed + GAMMA & MASK))
        ctx[Walk.MOST_STEPS] = most_steps
        tables = (ctypes.c_int64 * Initial.SIZE).from_address(walks.tables.address)
        ctx[Walk.BASE], ctx[Walk.SLOTS] = tables[Initial.BASE], tables[Initial.SLOTS]
        ctx[Walk.CHOICES] = tables[Initial.CHOICES]
        ctx[Walk.TRIES] = TRIES if walks.combinations.choices else 1
        ctx[Walk.STARTS_COUNT] = -1

    # --- runs ---

    def begin(self, first: int, last: int, last_steps: int | None = None) -> None:
        """Take on the runs from `first` to below `last`, of the last one `last_steps` steps."""
        self.first, self.last = first, last
        ctx = self.ctx
        most = ctx[Walk.MOST_STEPS]
        ctx[Walk.RUN], ctx[Walk.LAST] = first, last
        ctx[Walk.LAST_STEPS] = most if last_steps is None else last_steps
        ctx[Walk.STAGE] = ctx[Walk.STEP] = 0
        for kept in (Walk.STEPS, Walk.RUNS, Walk.LONGEST, Walk.LOST):
            ctx[kept] = 0
        ctypes.memset(self.hits, 0, ctypes.sizeof(self.hits))
        ctypes.memset(self._counts, 0, ctypes.sizeof(self._counts))

    def walk(self) -> Answer:
        """Go on, without Python's lock, until there is something to say."""
        return Answer(self._function(ctypes.addressof(self.ctx)))

    def stop(self, wanted: bool = True) -> None:
        """Make `walk` return soon."""
        self.ctx[Walk.STOP] = int(wanted)

    @property
    def run(self) -> int:
        """The run that it is in."""
        return self.ctx[Walk.RUN]

    @property
    def steps(self) -> int:
        """Since `begin`; of a walker that is at work, about so many."""
        return self.ctx[Walk.STEPS]

    @property
    def place(self) -> tuple[int, int, int]:
        """Run, step and stage, in the order in which runs come by them."""
        return self.ctx[Walk.RUN], self.ctx[Walk.STEP], self.ctx[Walk.STAGE]

    @property
    def state(self) -> int:
        """The state it is in, packed."""
        size = self.shape.words * _WORD_BYTES
        data = ctypes.string_at(self.ctx[Walk.SOURCE], size)
        return int.from_bytes(data, "little")

    def tally(self) -> Tally:
        """Since `begin`."""
        ctx = self.ctx
        return Tally(
            ctx[Walk.RUNS],
            ctx[Walk.STEPS],
            max(ctx[Walk.LONGEST], ctx[Walk.STEP]),
            ctx[Walk.LOST],
            tuple(self._counts[: self.shape.actions]),
            bytes(self.hits)[: self.shape.hits],
        )

    # --- events ---

    def news(self) -> list[int]:
        """The events that were hit and are not known; from now on they are."""
        new = [
            event for event in range(self.shape.hits) if self.hits[event] and not self.known[event]
        ]
        self.ignore(new)
        return new

    def ignore(self, events: list[int] | range) -> None:
        """Return no more because of these events."""
        for event in events:
            self.known[event] = 255

    # --- initial states ---

    def list_starts(self) -> Iterator[array[int]]:
        """The numbers of the combinations that `init` lets pass: all so far, again and again."""
        function = self.walks.native.function("starts", 4)
        out = (ctypes.c_int64 * (_SCANNED_AT_ONCE + 1))()
        starts, total = array("q"), self.walks.total
        for first in range(0, total, _SCANNED_AT_ONCE):
            count = min(_SCANNED_AT_ONCE, total - first)
            found = function(ctypes.addressof(self.ctx), first, count, ctypes.addressof(out))
            starts.extend(out[:found])
            yield starts

    def combination(self, number: int) -> int:
        """A combination of first values, packed."""
        self.walks.native.function("combine", 2)(ctypes.addressof(self.ctx), number)
        return self.state

    def use_starts(self, starts: array[int]) -> None:
        """Where drawing fails, begin in one of these; if there is none, the run is lost."""
        self._starts = starts
        self.ctx[Walk.STARTS] = starts.buffer_info()[0]
        self.ctx[Walk.STARTS_COUNT] = len(starts)

    # --- one run again ---

    def retrace(self, run: int, steps: int) -> list[tuple[int, bytes]]:
        """The first `steps` steps of a run: where the step chosen stood among the successors of the
        state before, and the state; the first entry is the initial state's."""
        words = self.shape.words + 1
        self._log = (ctypes.c_int64 * ((steps + 1) * words))()
        self.ctx[Walk.LOG] = ctypes.addressof(self._log)
        self.ignore(range(self.shape.hit_bytes))
        self.begin(run, run + 1, steps)
        while self.walk() is not Answer.DONE:
            pass
        assert self.ctx[Walk.STEPS] == steps, "a run is a function of its number"
        data, size = memoryview(self._log).cast("B"), words * _WORD_BYTES
        entries = [
            (self._log[i * words], bytes(data[i * size + _WORD_BYTES : (i + 1) * size]))
            for i in range(steps + 1)
        ]
        self.ctx[Walk.LOG], self._log = 0, None
        return entries
