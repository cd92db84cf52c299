"""Where the words lie that Python and the kernel share. All are i64, or pointers."""

from __future__ import annotations

from enum import IntEnum, unique


@unique
class Shared(IntEnum):
    """One for a search. What threads write lies in cache lines of its own."""

    TABLE = 0
    LINES = 1
    SEGMENTS = 2
    """Pointer to the pointers to the arena's segments."""
    LIMIT = 3
    """Indices below it may be reserved: the arena has them, and the table is not too full."""
    ALONE = 4
    """Not 0: one thread inserts, and no other."""

    STOP = 8
    """Not 0: every thread returns soon. Written by threads that need room, and by Python."""

    NEXT = 16
    """The first index that no thread has reserved. Threads add to it."""

    # What `levels` needs, which runs in one thread.
    JOB = 24
    """Pointer to the job that is the level."""
    KNOWN = 25
    """Pointer to the events that have been reported, a byte each."""
    LOG = 26
    """Pointer to the log: for each finished level, how many states there are with the next one."""
    LOGGED = 27
    LOG_ROOM = 28
    OTHERS = 29
    """States inserted by threads that are at rest."""
    OTHERS_INSIDE = 30
    MOST_INSIDE = 31
    """With so many states within the constraint, return after the level."""
    LARGE = 32
    """A next level of so many states is left to Python."""
    # Where the next level begins: thread 0's place and the shared one, and how many were inside.
    BEGUN_NEXT = 33
    BEGUN_BLOCK_END = 34
    BEGUN_SHARED = 35
    BEGUN_INSIDE = 36
    LEVEL_INSIDE = 37
    """How many states of the last finished level's successors were new and inside."""
    LEVEL_COUNTS = 38
    """Pointer to thread 0's counts at the end of the last finished level."""

    SIZE = 48


@unique
class Thread(IntEnum):
    """One for a thread: the `ctx` of the model's functions."""

    SHARED = 0
    BUFFER = 1
    """Pointer to the batch: successors that have not been looked up."""
    BUFFER_END = 2
    """Where the batch is full."""
    NEXT = 3
    """The next index of the thread's block, which ends at BLOCK_END; the rest stays for later."""
    BLOCK_END = 4
    INSERTED = 5
    INSIDE = 6
    """How many of the inserted states satisfy the constraint."""
    ABORT = 7
    """The successors of the batch are dropped, and it is stepped again: a status."""
    POSITION = 8
    """The piece of the job that this thread has claimed and not done: POSITION to below END."""
    END = 9
    HITS = 10
    COUNTS = 11
    SAVED_COUNTS = 12
    """Pointer to the counts when the batch began."""
    RECENT = 13
    """Pointer to states looked up not long ago."""
    HASHES = 14
    """Pointer to a word for each entry of the batch."""
    CANDIDATES = 15
    """Pointer to another."""
    ASIDE = 16
    """Pointer to states that `spread` cannot place yet; ASIDE_COUNT of them."""
    ASIDE_COUNT = 17
    GENERATED = 18
    """Initial states found, repetitions included."""

    SIZE = 32


@unique
class Job(IntEnum):
    """Work that threads divide: ranges of positions, numbered through from 0 to TOTAL."""

    CURSOR = 0
    """The first position that no thread has claimed. Threads add to it."""

    TOTAL = 8
    CHUNK = 9
    RANGES = 10
    SUMS = 11
    """Pointer to RANGES + 1 positions: where each range begins."""
    STARTS = 12
    """Pointer to RANGES arena indices: what lies at that position."""

    SIZE = 16


@unique
class Initial(IntEnum):
    """The combinations of initial values that are left."""

    SLOTS = 0
    """How many choices make a combination."""
    CHOICES = 1
    """Pointer to a `Choice` for each."""
    DIGITS = 2
    """Pointer to the number chosen of each; the last one changes fastest."""
    SAVED_DIGITS = 3
    BASE = 4
    """Pointer to the state without any choice."""
    STATE = 5
    """Pointer to the combination."""
    DONE = 6
    """1: there is no combination left."""
    MOST_INSIDE = 7
    LIMITED = 8
    """1: MOST_INSIDE states were found, and there is another."""

    SIZE = 16


@unique
class Choice(IntEnum):
    """One of the values of some bits of a state."""

    OFFSET = 0
    """In bits."""
    WIDTH = 1
    COUNT = 2
    VALUES = 3
    """Pointer to ceil(width / 64) words for each."""

    SIZE = 4


@unique
class Status(IntEnum):
    """What a kernel function returns."""

    DONE = 0
    NEED_ROOM = 1
    """There is no index left; called again after growth, it goes on."""
    STOPPED = 2
    """STOP was set; called again, it goes on."""
    CROWDED = 3
    """`spread` has no place for what must wait: the table has to be filled anew."""
