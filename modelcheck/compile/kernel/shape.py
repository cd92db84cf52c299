"""What a kernel is made for, and the sizes that follow."""

from __future__ import annotations

from attrs import field, frozen

_WORD_BYTES = 8
_PAGE_BYTES = 1 << 12
_BUFFER_BYTES = 1 << 17
_RECENT_BYTES = 1 << 16
_SEGMENT_BYTES = 1 << 22


def _power_of_two_at_most(number: int) -> int:
    return 1 << (number.bit_length() - 1)


@frozen
class Tuning:
    """Sizes and switches. None is a default for the width of the state.

    A sanity build makes everything small and every hash bad: all results must be the same.

    buffer     successors that are looked up together, at least 2
    block      indices a thread reserves at once, a power of two
    segment    states in a segment of the arena, a power of two and at least `block`
    recent     how many states a thread remembers to have looked up, a power of two; 0 is none
    tag_bits   of the hash in a slot of the table, 1 to 24
    same_hash  every state has the same hash
    direct     a state of fewer than 64 bits may itself be the table's entry
    lines      of the first table
    """

    buffer: int | None = None
    block: int = 1024
    segment: int | None = None
    recent: int | None = None
    tag_bits: int = 24
    same_hash: bool = False
    direct: bool = True
    lines: int = 1 << 11


SANITY = Tuning(
    buffer=2, block=2, segment=8, recent=4, tag_bits=1, same_hash=True, direct=False, lines=2
)
"""Everything collides, nothing has room."""


@frozen
class Shape:
    """What a kernel is made for.

    words       of a state
    bits        of a state that may be 1, counted from the lowest of the first word
    hits        how many events the model's functions report
    actions     how many counts `step` keeps
    constraint  whether states may lie outside
    arrives     the model's `@arrive` completes a state before anybody looks at it
    """

    words: int
    bits: int
    hits: int
    actions: int
    constraint: bool = False
    arrives: bool = False
    tuning: Tuning = field(factory=Tuning)

    @property
    def stride(self) -> int:
        """Bytes of a state."""
        return _WORD_BYTES * self.words

    @property
    def direct(self) -> bool:
        """The table holds the states themselves, plus 1; it does not know their indices."""
        return self.tuning.direct and self.words == 1 and self.bits < 64

    @property
    def buffer(self) -> int:
        """Entries of a batch."""
        if self.tuning.buffer is not None:
            return self.tuning.buffer
        return min(1024, max(64, _BUFFER_BYTES // self.stride))

    @property
    def enough(self) -> int:
        """Entries of a batch after which no other state is stepped."""
        return max(1, self.buffer * 3 // 4)

    @property
    def block(self) -> int:
        return min(self.tuning.block, self.segment)

    @property
    def segment(self) -> int:
        """States in a segment of the arena."""
        if self.tuning.segment is not None:
            return self.tuning.segment
        return _power_of_two_at_most(max(1024, _SEGMENT_BYTES // self.stride))

    @property
    def segment_bits(self) -> int:
        return self.segment.bit_length() - 1

    @property
    def segment_bytes(self) -> int:
        """In whole pages, with the spare word behind the last state."""
        return -(-(self.segment * self.stride + _WORD_BYTES) // _PAGE_BYTES) * _PAGE_BYTES

    @property
    def recent(self) -> int:
        """Entries of the memory of recent states."""
        if self.tuning.recent is not None:
            return self.tuning.recent
        return _power_of_two_at_most(max(16, _RECENT_BYTES // self.recent_stride))

    @property
    def recent_stride(self) -> int:
        """Bytes of an entry of that memory: the state, and its hash unless it is short."""
        return _WORD_BYTES if self.direct else self.stride + _WORD_BYTES

    @property
    def hit_bytes(self) -> int:
        """Bytes of an array of hits, padded to whole words."""
        return (self.hits + _WORD_BYTES) // _WORD_BYTES * _WORD_BYTES
