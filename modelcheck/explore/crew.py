"""Threads in which native code runs, while this one stays free to be interrupted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from modelcheck.compile.kernel.slots import Status

_TICK_SECONDS = 0.05
_STACK_BYTES = 1 << 22
"""What native code needs of it is known and small; the default is taken from scarce addresses."""


def start_threads(wanted: int, name: str) -> tuple[ThreadPoolExecutor, int]:
    """A pool whose threads all run, and how many they are: fewer where there is no room for more.

    Raises MemoryError if there is none for even one.
    """
    pool = ThreadPoolExecutor(max_workers=wanted, thread_name_prefix=name)
    everybody, started = threading.Event(), 0
    before = threading.stack_size(_STACK_BYTES)
    try:
        for _ in range(wanted):
            # A pool starts a thread only if none is idle: each waits until all are there.
            pool.submit(everybody.wait)
            started += 1
    except (RuntimeError, MemoryError) as error:
        if started == 0:
            pool.shutdown(wait=False, cancel_futures=True)
            raise MemoryError("there is no room for a thread") from error
    finally:
        threading.stack_size(before)
        everybody.set()
    return pool, started


class Crew:
    """A fixed number of threads; fewer than wanted where there is no room for more.

    stop  called to make native code return soon
    tick  called about 20 times a second while native code runs, in the thread that waits
    """

    def __init__(self, size: int, stop: Callable[[], None], tick: Callable[[], None]) -> None:
        self._pool, self.size = start_threads(size, "search")
        self._stop = stop
        self._tick = tick

    def run(self, calls: Sequence[Callable[[], int]]) -> list[Status]:
        """The results of the calls, each made in a thread of its own.

        If the wait is interrupted, the calls are stopped before the exception goes on.
        """
        futures: list[Future[int]] = []
        try:
            for call in calls:
                futures.append(self._pool.submit(call))
            waiting = set(futures)
            while waiting:
                _, waiting = wait(waiting, _TICK_SECONDS, FIRST_COMPLETED)
                if waiting:
                    self._tick()
        except BaseException:
            # Again, if the first request came between two calls.
            while any(not future.done() for future in futures):
                self._stop()
                wait(futures, _TICK_SECONDS)
            raise
        return [Status(future.result()) for future in futures]

    def close(self) -> None:
        self._pool.shutdown()
