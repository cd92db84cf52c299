"""Source text and places in it.

A `Source` is one file as it was read. A `Span` is a half-open range of its
characters; every tree and every term carries one, so that a diagnostic or a
trace can point at the user's own text.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import attrs
from attrs import field, frozen


@attrs.define(eq=False, slots=False)
class Source:
    """One file: the path as the user wrote it, and its text.

    Sources are compared by identity: two reads of one file are two sources.
    """

    path: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0] + [i + 1 for i, character in enumerate(self.text) if character == "\n"]

    @property
    def line_count(self) -> int:
        """The number of lines; an empty text has one."""
        return len(self._line_starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (from 1), without its line end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] if number < self.line_count else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def line_start(self, number: int) -> int:
        """The offset of the first character of line `number` (from 1)."""
        return self._line_starts[number - 1]


@frozen
class Span:
    """Characters `start` to `end` (exclusive) of `source`."""

    source: Source = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        """The user's own characters."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line, from 1, on which the span starts."""
        return self.source.position(self.start)[0]

    def to(self, other: Span) -> Span:
        """The smallest span that covers both; they lie in one source."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))


@frozen
class Spanned:
    """What may come from a place in a file.

    The span takes no part in equality or printing: golden tests, caches and
    the comparison of terms must not depend on whitespace.
    """

    span: Span | None = field(default=None, eq=False, repr=False, kw_only=True)


@frozen
class Documented(Spanned):
    """What has a doc comment in the file."""

    doc: str | None = field(default=None, eq=False, repr=False, kw_only=True)
