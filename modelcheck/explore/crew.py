"""Threads in which native code runs, while this one stays free to be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from modelcheck.compile.kernel.slots import Status

_TICK_SECONDS = 0.05


class Crew:
    """A fixed number of threads.

    stop  called to make native code return soon
    tick  called about 20 times a second while native code runs, in the thread that waits
    """

    def __init__(self, size: int, stop: Callable[[], None], tick: Callable[[], None]) -> None:
        self.size = size
        self._stop = stop
        self._tick = tick
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix="search")

    def run(self, calls: Sequence[Callable[[], int]]) -> list[Status]:
        """The results of the calls, each made in a thread of its own.

        If the wait is interrupted, the calls are stopped before the exception goes on.
        """
        futures: list[Future[int]] = []
        try:
            futures += [self._pool.submit(call) for call in calls]
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
