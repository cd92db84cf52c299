"""Fair components of the states that a search has stored: the native walk, and its memory."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

from attrs import field, frozen

from modelcheck.compile.jit import Native
from modelcheck.compile.kernel.descent import LAST_LABEL, MOST_STATES, TOGETHER, Descent, Phase
from modelcheck.compile.kernel.slots import Shared, Status
from modelcheck.compile.kernel.starving import entry_words
from modelcheck.compile.lower.claims import key_words
from modelcheck.compile.lower.program import Program
from modelcheck.explore.crew import Crew
from modelcheck.explore.memory import OutOfMemory, Region
from modelcheck.explore.passes import Bitmap, OutOfTime
from modelcheck.explore.store import Store

_FIRST_INSTANCES = 64


@frozen(eq=False)
class Components:
    """What a walk has found.

    fair     the states of fair components
    visited  the states that the walk has visited
    """

    fair: Bitmap
    visited: Bitmap
    _marks: Region = field(repr=False)

    def same(self, index: int) -> Callable[[int], bool]:
        """Which states are in the component of a state that is in a fair one.

        Until the next walk.
        """
        fair, label = self.fair, self._label(index)
        return lambda other: self._label(other) == label and fair[other]

    def _label(self, index: int) -> int:
        return ctypes.c_uint32.from_address(self._marks.address + 4 * index).value

    def close(self) -> None:
        """Give the memory back."""
        self.fair.close()
        self.visited.close()


class Finder:
    """Walks through a store; one walk at a time. Raises OutOfMemory.

    native, program  code with `@components`, and the model that it is of

    Memory: for each index 4 bytes, and while it walks up to 12, of which the path of the walk
    takes what it needs; a bit for each of the five bitmaps. Time: a state is stepped once, and
    once more if its component has others.
    """

    def __init__(self, native: Native, program: Program, store: Store) -> None:
        self.native, self.program, self.store = native, program, store
        self.size = store.words[Shared.NEXT]
        if self.size > MOST_STATES:
            raise OutOfMemory(f"liveness is decided on up to {MOST_STATES:,} states")
        actions = program.model.actions
        self._key_words = key_words(program.model)
        self._rooms: list[object] = []
        self._taken = 0
        self._ctx = ctx = (ctypes.c_int64 * Descent.SIZE)()
        ctx[Descent.SHARED] = store.address
        ctx[Descent.CUR] = self._room(TOGETHER * program.layout.words + 1)
        ctx[Descent.HITS] = self._room(program.goals.count // 8 + 1)
        ctx[Descent.COUNTS] = self._room(len(actions) + 1)
        ctx[Descent.FOUND], ctx[Descent.TAKES] = self._room(TOGETHER), self._room(TOGETHER)
        fair = [action.fairness for action in actions if action.fairness is not None]
        ctx[Descent.HAS_STRONG] = int(any(fairness.strong for fairness in fair))
        self._marks = self._region(4 * self.size)
        self._path = self._region(8 * self.size + 64)
        self._pending = self._region(4 * self.size + 64)
        ctx[Descent.MARKS] = self._marks.address
        ctx[Descent.FRAMES] = self._path.address
        ctx[Descent.STACK] = self._path.address + self._path.size
        ctx[Descent.PENDING], ctx[Descent.PENDING_ROOM] = self._pending.address, self.size
        self._make_instances(_FIRST_INSTANCES)

    def _room(self, words: int) -> int:
        room = (ctypes.c_int64 * words)()
        self._rooms.append(room)
        return ctypes.addressof(room)

    def _region(self, size: int) -> Region:
        self.store.reserve(size)
        self._taken += size
        return Region.of(size, reserved=True)

    def close(self) -> None:
        """Give the memory back."""
        for region in (self._marks, self._path, self._pending):
            region.close()
        self.store.reserve(-self._taken)

    def _make_instances(self, room: int) -> None:
        """Empty sets and an empty table of so many instances."""
        ctx, words = self._ctx, room // 64
        entries = 2 * room
        ctx[Descent.TABLE] = self._room(entries * entry_words(self._key_words))
        ctx[Descent.MASK], ctx[Descent.INSTANCE_ROOM] = entries - 1, room
        ctx[Descent.INSTANCES] = ctx[Descent.CROWDED] = 0
        ctx[Descent.SET_WORDS] = words
        for each in (
            Descent.SOMETIMES,
            Descent.TAKEN,
            Descent.ENABLED,
            Descent.STRONG,
            Descent.ALWAYS,
        ):
            ctx[each] = self._room(words)
        ctypes.memset(ctx[Descent.ALWAYS], 0xFF, 8 * words)
        ctx[Descent.AT] = 0

    # --- walking ---

    def components(
        self, allowed: Bitmap, roots: Bitmap, must: Bitmap | None, deadline: float | None
    ) -> Components:
        """The fair components among the allowed states, from the roots.

        must      if given, a component must have one of these states
        deadline  on the monotonic clock

        Raises OutOfTime, OutOfMemory. An interruption stops the walk and goes on.
        """
        ctx, store = self._ctx, self.store
        fair, visited = Bitmap(store, self.size), Bitmap(store, self.size)
        ctypes.memset(self._marks.address, 0, self._marks.size)
        ctx[Descent.LABEL], ctx[Descent.VISITED] = LAST_LABEL, visited.address
        ctx[Descent.FAIR] = fair.address
        ctx[Descent.MUST] = 0 if must is None else must.address
        ctx[Descent.SIZE_WORDS] = fair.words
        before: Bitmap | None = None
        while True:
            left = Bitmap(store, self.size)
            ctx[Descent.ALLOWED], ctx[Descent.ROOTS] = allowed.address, roots.address
            ctx[Descent.NEXT], ctx[Descent.NEXT_COUNT] = left.address, 0
            ctx[Descent.ROOT_AT], ctx[Descent.ORDER] = 0, 1
            if ctx[Descent.LABEL] < 2 * MOST_STATES:
                raise OutOfMemory("there are too many components")
            self._walk(deadline)
            if ctx[Descent.NEXT_COUNT] == 0:
                for each in (left, before):
                    if each is not None:
                        each.close()
                return Components(fair, visited, self._marks)
            self.native.function("forget", 1)(ctypes.addressof(ctx))
            ctx[Descent.VISITED] = 0  # they have all been visited before
            if before is not None:
                before.close()
            allowed = roots = before = left

    def _walk(self, deadline: float | None) -> None:
        """Until it is done."""
        ctx = self._ctx
        ctx[Descent.STOP] = 0
        function, address = self.native.function("components", 1), ctypes.addressof(ctx)

        def stop() -> None:
            ctx[Descent.STOP] = 1

        def tick() -> None:
            if deadline is not None and time.monotonic() > deadline:
                stop()

        crew = Crew(1, stop, tick)
        try:
            while True:
                status = crew.run([lambda: function(address)])[0]
                if status is Status.DONE:
                    return
                if status is Status.STOPPED:
                    raise OutOfTime
                self._make_instances(2 * ctx[Descent.INSTANCE_ROOM])
        except BaseException:
            self._abandon()
            raise
        finally:
            crew.close()

    def _abandon(self) -> None:
        """The walk is not gone on with: the next one begins anew."""
        ctx = self._ctx
        ctx[Descent.DEPTH] = ctx[Descent.STACKED] = ctx[Descent.PENDING_COUNT] = 0
        ctx[Descent.PHASE] = Phase.WALK
