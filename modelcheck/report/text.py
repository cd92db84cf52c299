"""Text for people: what a character looks like on a terminal, and how wide it is.

A specification may hold anything. Control characters, and those that reorder
or hide their neighbours, are shown as escapes, so that what is read is what
the file says.
"""

from __future__ import annotations

import textwrap
import unicodedata

from attrs import frozen
from rich.cells import cell_len

TAB_STOP = 4
WIDTH = 100
"""Columns where no terminal says otherwise."""

# Cf holds the bidirectional overrides and the joiners; Zl and Zp break lines.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def _shown(character: str) -> str:
    if unicodedata.category(character) in _HIDDEN:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
    return character


def visible(text: str) -> str:
    """The text with control and format characters, line ends too, as escapes."""
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def visible_lines(text: str) -> list[str]:
    """The lines of a text that may hold several, each made visible; tabs become spaces."""
    return [visible(line.expandtabs(TAB_STOP)) for line in text.split("\n")]


@frozen
class ShownLine:
    """A source line as it is printed.

    pieces   for each character what is printed for it
    columns  for each character the display column at which it starts, then the line's width
    """

    pieces: tuple[str, ...]
    columns: tuple[int, ...]

    @classmethod
    def of(cls, line: str) -> ShownLine:
        """The line with tabs expanded and hidden characters escaped."""
        pieces: list[str] = []
        columns = [0]
        for character in line:
            if character == "\t":
                piece = " " * (TAB_STOP - columns[-1] % TAB_STOP)
            else:
                piece = _shown(character)
            pieces.append(piece)
            columns.append(columns[-1] + cell_len(piece))
        return cls(tuple(pieces), tuple(columns))

    @property
    def width(self) -> int:
        """The display width of the whole line."""
        return self.columns[-1]

    def column(self, index: int) -> int:
        """The display column of character `index`; past the end, just after the line."""
        if index < len(self.columns):
            return self.columns[index]
        return self.width + index - len(self.pieces)

    def window(self, low: int, high: int) -> tuple[str, int]:
        """The characters that lie in the display columns `low` to `high`, and where they start."""
        inside = [
            i
            for i in range(len(self.pieces))
            if self.columns[i] >= low and self.columns[i + 1] <= high
        ]
        if not inside:
            return "", low
        return "".join(self.pieces[i] for i in inside), self.columns[inside[0]]


def wrap(text: str, width: int, hang: str = "") -> list[str]:
    """The text in lines of at most `width`; only the later ones begin with `hang`.

    A word that is longer than a line is broken: nothing is left out.
    """
    if len(text) <= width:
        return [text]
    return textwrap.wrap(
        text,
        max(width, len(hang) + 1),
        subsequent_indent=hang,
        break_long_words=True,
        break_on_hyphens=False,
    )


def wrap_values(text: str, width: int, hang: str = "") -> list[str]:
    """As `wrap`, but a value goes to the next line whole if it fits there: `log=[1, 2],`.

    One that is longer than a line is broken inside its brackets, at a comma if there is one.
    """
    if len(text) <= width:
        return [text]
    lines: list[str] = []
    for piece in _pieces(text, max(width - len(hang), 1)):
        if lines and len((lines[-1] + piece).rstrip()) <= width:
            lines[-1] += piece
        else:
            lines[-1:] = [line.rstrip() for line in lines[-1:]]
            lines += wrap(f"{hang if lines else ''}{piece}", width, hang)
    return lines


def _pieces(text: str, room: int) -> list[str]:
    """The text cut where a reader pauses, into pieces that fit into `room` if that can be.

    A piece keeps the blank behind it, and an opening bracket stays with what it opens.
    """
    if len(text.rstrip()) <= room:
        return [text]
    commas, blanks, bracket = _pauses(text)
    if commas:
        return [piece for part in _cut(text, commas) for piece in _pieces(part, room)]
    if blanks and (not bracket or len(text[blanks[-1] :].rstrip()) <= room):
        return _cut(text, blanks)
    if not bracket:
        return [text]
    head, inside = text[:bracket], text[bracket:]
    parts = _cut(inside, _pauses(inside)[0])
    first, *rest = [piece for part in parts for piece in _pieces(part, room)]
    if len((head + first).rstrip()) <= room or not first.strip(")]}, "):
        return [head + first, *rest]
    return [head, first, *rest]


def _pauses(text: str) -> tuple[list[int], list[int], int]:
    """Where one may cut outside of brackets, after a comma and elsewhere; and the first bracket."""
    commas: list[int] = []
    blanks: list[int] = []
    depth = bracket = 0
    for index, character in enumerate(text[:-1], start=1):
        if character in "([{":
            depth += 1
            bracket = bracket or index
        elif character in ")]}":
            depth -= 1
        elif character == " " and depth <= 0:
            (commas if text[index - 2] == "," else blanks).append(index)
    return commas, blanks, bracket


def _cut(text: str, at: list[int]) -> list[str]:
    return [text[i:j] for i, j in zip([0, *at], [*at, len(text)], strict=True)]


def plural(count: int, noun: str) -> str:
    """`1 step`, `1,080 states`"""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
