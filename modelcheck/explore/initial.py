"""The initial states' tables, as the kernel reads them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Choice as ChoiceWords
from modelcheck.compile.kernel.slots import Initial as InitialWords
from modelcheck.explore.memory import Region

_WORD = 64


@frozen
class Choice:
    """Some bits of the state have one of these values.

    offset  of the lowest bit, counted from the lowest of the first word
    width   in bits, at least 1, and more than 64 too
    values  packed, each below 2 ** width
    """

    offset: int
    width: int
    values: Sequence[int]


@frozen
class Combinations:
    """What initial states are taken from: a value of each choice, the first choice slowest.

    base  a packed state, for the bits that no choice covers
    """

    base: int
    choices: tuple[Choice, ...] = ()


class InitialTables:
    """Words for the kernel's `@initial`. Costs time and memory in proportion to the values.

    Raises OutOfMemory.
    """

    def __init__(self, combinations: Combinations, shape: Shape, most_inside: int) -> None:
        choices = combinations.choices
        widths = [-(-choice.width // _WORD) for choice in choices]
        values = sum(
            width * len(choice.values) for width, choice in zip(widths, choices, strict=True)
        )
        words = InitialWords.SIZE + len(choices) * (ChoiceWords.SIZE + 2)
        words += 2 * (shape.words + 1) + values
        self._region = Region.of(8 * words)
        self.address = self._region.address
        self._words = self._region.words()
        self._used = 0
        header = self._take(InitialWords.SIZE)[1]
        header[InitialWords.SLOTS] = len(choices)
        header[InitialWords.CHOICES], described = self._take(len(choices) * ChoiceWords.SIZE)
        header[InitialWords.DIGITS], _ = self._take(len(choices))
        header[InitialWords.SAVED_DIGITS], _ = self._take(len(choices))
        header[InitialWords.BASE], base = self._take(shape.words + 1)
        header[InitialWords.STATE], _ = self._take(shape.words + 1)
        header[InitialWords.MOST_INSIDE] = most_inside
        header[InitialWords.DONE] = int(any(not choice.values for choice in choices))
        self._header = header
        _write(base, [combinations.base], shape.words)
        for number, (choice, width) in enumerate(zip(choices, widths, strict=True)):
            address, room = self._take(width * len(choice.values))
            _write(room, choice.values, width)
            at = number * ChoiceWords.SIZE
            described[at + ChoiceWords.OFFSET] = choice.offset
            described[at + ChoiceWords.WIDTH] = choice.width
            described[at + ChoiceWords.COUNT] = len(choice.values)
            described[at + ChoiceWords.VALUES] = address

    @property
    def size(self) -> int:
        """In bytes."""
        return self._region.size

    @property
    def limited(self) -> bool:
        """There was an initial state beyond those that were wanted."""
        return bool(self._header[InitialWords.LIMITED])

    def _take(self, words: int) -> tuple[int, memoryview]:
        first = self._used
        self._used += words
        return self.address + 8 * first, self._words[first : first + words]


def _write(target: memoryview, values: Sequence[int], width: int) -> None:
    """Each value as `width` words, the lowest first."""
    size = 8 * width
    target.cast("B")[: size * len(values)] = b"".join(
        value.to_bytes(size, "little") for value in values
    )
