"""Passes over the states that a search has stored, by one thread or several."""

from __future__ import annotations

import ctypes
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from modelcheck.compile.jit import Native
from modelcheck.compile.kernel.slots import Shared, Status
from modelcheck.compile.kernel.whole import TOGETHER, Whole
from modelcheck.explore.crew import Crew
from modelcheck.explore.levels import Range
from modelcheck.explore.memory import Region
from modelcheck.explore.store import Store

CHUNK = 1 << 14
_FEW = 1 << 12
_WORD_BYTES = 8


class OutOfTime(Exception):
    """The limit of seconds was met."""


class Place:
    """What one thread needs to step states: its words, and where it builds and counts."""

    def __init__(self, words: int, hits: int, actions: int) -> None:
        self.ctx = (ctypes.c_int64 * (2 * Whole.SIZE))()
        self.hits = (ctypes.c_uint8 * (hits + 1))()
        self._rooms: list[Any] = []
        self.ctx[Whole.CUR] = self.room(TOGETHER * words + 1)
        self.ctx[Whole.COUNTS] = self.room(actions + 1)
        self.ctx[Whole.HITS] = ctypes.addressof(self.hits)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.ctx)

    def room(self, words: int) -> int:
        """The address of so many words, zero, that live as long as this."""
        room = (ctypes.c_int64 * words)()
        self._rooms.append(room)
        return ctypes.addressof(room)

    def keep(self, thing: object) -> None:
        """Let it live as long as this."""
        self._rooms.append(thing)


class Passes:
    """Calls of kernel functions for all states of some ranges, until a moment.

    deadline  on the monotonic clock; None is never

    An interruption stops the threads and goes on.
    """

    def __init__(self, store: Store, places: Sequence[Place], deadline: float | None) -> None:
        self.store, self.places, self.deadline = store, places, deadline
        self.crew = Crew(len(places), self._stop, self._tick)
        store.words[Shared.STOP] = 0
        for place in places:
            place.ctx[Whole.SHARED] = store.address

    def close(self) -> None:
        self.crew.close()

    def check_time(self) -> None:
        """Raises OutOfTime."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime

    def go(self, native: Native, name: str, ranges: Iterable[Range], *, down: bool = False) -> None:
        """Call the function for all of the ranges, `down` from the last state on.

        Raises OutOfTime.
        """
        self.check_time()
        function = native.function(name, 4)
        chunks = list(_chunks(ranges))
        if down:
            chunks.reverse()
        for place in self.places:
            place.ctx[Whole.STOP], place.ctx[Whole.DOWN] = 0, int(down)
        if sum(stop - first for first, stop in chunks) <= _FEW:
            for first, stop in chunks:
                function(self.places[0].address, self.store.address, first, stop)
            self.check_time()
            return
        numbers, lock = itertools.count(), threading.Lock()

        def take() -> int:
            with lock:
                return next(numbers)

        def work(place: Place) -> Callable[[], int]:
            def run() -> int:
                while (number := take()) < len(chunks):
                    first, stop = chunks[number]
                    if function(place.address, self.store.address, first, stop):
                        return Status.STOPPED
                return Status.DONE

            return run

        statuses = self.crew.run([work(place) for place in self.places])
        if Status.STOPPED in statuses:
            raise OutOfTime

    def _tick(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            self._stop()

    def _stop(self) -> None:
        self.store.words[Shared.STOP] = 1
        for place in self.places:
            place.ctx[Whole.STOP] = 1


def _chunks(ranges: Iterable[Range]) -> Iterable[Range]:
    for first, stop in ranges:
        for begin in range(first, stop, CHUNK):
            yield begin, min(stop, begin + CHUNK)


class Bitmap:
    """A bit for each index below `size`, all clear. Raises OutOfMemory; the store counts it."""

    def __init__(self, store: Store, size: int) -> None:
        self.words = -(-size // 64)
        bytes_ = _WORD_BYTES * (self.words + 1)
        store.reserve(bytes_)
        self._store, self._bytes = store, bytes_
        self._region = Region.of(bytes_)
        self.address = self._region.address

    def close(self) -> None:
        """Give the memory back."""
        self._region.close()
        self._store.reserve(-self._bytes)

    def __getitem__(self, index: int) -> bool:
        return bool(
            ctypes.c_uint8.from_address(self.address + (index >> 3)).value >> (index & 7) & 1
        )

    @property
    def bits(self) -> int:
        """All of them: bit i is that of index i."""
        return int.from_bytes(ctypes.string_at(self.address, 8 * self.words), "little")

    @bits.setter
    def bits(self, bits: int) -> None:
        ctypes.memmove(self.address, bits.to_bytes(8 * self.words, "little"), 8 * self.words)

    def __bool__(self) -> bool:
        """Whether any bit is set."""
        return any(ctypes.string_at(self.address, 8 * self.words).lstrip(b"\0")[:1])

    def any_set(self, first: int, stop: int) -> bool:
        """Whether any bit from `first` to below `stop` is set."""
        begin, end = first >> 3, -(-stop // 8)
        bits = int.from_bytes(ctypes.string_at(self.address + begin, end - begin), "little")
        return bool(bits >> (first & 7) & ((1 << (stop - first)) - 1))

    def all_set(self, first: int, stop: int) -> bool:
        """Whether all bits from `first` to below `stop` are set."""
        with self._region.words() as words, words.cast("B") as view:
            begin, end = -(-first // 8), stop // 8
            if begin >= end:
                return all(view[i >> 3] >> (i & 7) & 1 for i in range(first, stop))
            edges = [*range(first, 8 * begin), *range(8 * end, stop)]
            if not all(view[i >> 3] >> (i & 7) & 1 for i in edges):
                return False
            return all(
                view[at : min(end, at + CHUNK)] == _ONES[: min(end, at + CHUNK) - at]
                for at in range(begin, end, CHUNK)
            )


_ONES = bytes([0xFF]) * CHUNK
