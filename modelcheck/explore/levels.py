"""Which states are in which level, in a word for each level.

States are counted in the order in which levels were finished; a level is from one
count to the next. Where a state with a given count lies in the arena is said by
pieces: with one thread there is one piece, with several a few for each large level.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]
"""Arena indices from the first to below the second."""


class Levels:
    """Levels that are known as a whole, the initial states first."""

    def __init__(self) -> None:
        self._bounds = array("Q", [0])
        self._piece_counts = array("Q")
        self._piece_starts = array("Q")

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @property
    def states(self) -> int:
        """In all levels."""
        return self._bounds[-1]

    def size(self, depth: int) -> int:
        """How many states a level has, those outside the constraint included."""
        return self._bounds[depth + 1] - self._bounds[depth]

    def ranges(self, depth: int) -> list[Range]:
        """Where a level's states lie; as sets of states, the same for any number of threads."""
        first, last = self._bounds[depth], self._bounds[depth + 1]
        found = []
        piece = bisect_right(self._piece_counts, first) - 1
        while first < last:
            count, start = self._piece_counts[piece], self._piece_starts[piece]
            end = last
            if piece + 1 < len(self._piece_counts):
                end = min(last, self._piece_counts[piece + 1])
            found.append((start + first - count, start + end - count))
            first, piece = end, piece + 1
        return found

    # --- written by the search ---

    def add_piece(self, count: int, start: int) -> None:
        """From this count on, states lie in the arena from `start` on."""
        if self._piece_counts:
            last_count, last_start = self._piece_counts[-1], self._piece_starts[-1]
            if start - last_start == count - last_count:
                return
            if last_count == count:
                self._piece_starts[-1] = start
                return
        self._piece_counts.append(count)
        self._piece_starts.append(start)

    def end(self, states: int) -> None:
        """A level ends: so many states are now in all levels."""
        self._bounds.append(states)

    def end_many(self, counts: memoryview) -> None:
        """Levels end, at each of these counts (signed words)."""
        self._bounds.frombytes(counts.tobytes())
