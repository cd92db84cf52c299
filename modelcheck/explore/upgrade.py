"""Better machine code while a search runs.

Code that is not optimised is there at once, and most searches are over before
optimised code would be. A search that goes on for a while has the same module
compiled again beside it, and changes over between two kernel calls: what both
know lies in memory, so nothing else changes.
"""

from __future__ import annotations

import atexit
from concurrent.futures import Future, ThreadPoolExecutor

from modelcheck.compile.apart import Apart
from modelcheck.compile.jit import Native
from modelcheck.explore.store import Program

_AFTER_SECONDS = 0.15

_pool: ThreadPoolExecutor | None = None


class Upgrade:
    """The change to a program's better code."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._apart: Apart | None = None
        self._coming: Future[Native | None] | None = None

    def is_ready(self, elapsed: float) -> bool:
        """Whether the program has just changed to better code.

        elapsed  seconds for which the search has run; after a while the better code is ordered
        """
        program = self._program
        if self._coming is None:
            if program.better is not None and elapsed > _AFTER_SECONDS:
                self._order(program.better)
            return False
        if program.better is None or not self._coming.done():
            return False
        program.better = None
        if self._coming.exception() is not None:  # no memory for it: what there is will do
            return False
        native = self._coming.result()
        if native is not None:
            program.native = native
        return native is not None

    def close(self) -> None:
        """The search has ended: what has not come is not wanted."""
        if self._apart is not None and self._coming is not None and not self._coming.done():
            self._apart.give_up()

    def _order(self, better: Apart) -> None:
        try:
            self._coming = _in_background().submit(better.result)
            self._apart = better
        except (RuntimeError, MemoryError):  # no room for a thread: what there is will do
            self._program.better = None


def _in_background() -> ThreadPoolExecutor:
    """One thread, which waits."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="compile")
        # The process must not end in the middle of it.
        atexit.register(_pool.shutdown, wait=True, cancel_futures=True)
    return _pool
