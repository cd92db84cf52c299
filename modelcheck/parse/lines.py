"""Lines as the grammar sees them: without comments, continued lines joined.

The grammar is given a *masked* text: comments, and line ends within a
continued line, are replaced by blanks one for one. So an offset into the
masked text is an offset into the user's text, and every span of the tree is
right without a table of corrections.

The same pass finds the pieces that are parsed one at a time: a piece begins
at each line that is not indented.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from attrs import frozen

from modelcheck.parse.tokens import RawToken, scan
from modelcheck.parse.words import (
    CLOSERS,
    DECLARATIONS,
    LINE_GOES_ON_AFTER,
    LINE_GOES_ON_BEFORE,
    OPENERS,
)
from modelcheck.source import Source


@frozen
class Comment:
    """`# text`; `alone` on its line, or after code; `doc` for `## text` alone on its line."""

    text: str
    start: int
    alone: bool

    @property
    def doc(self) -> bool:
        """Whether it documents what follows. A row of `###` is decoration."""
        return self.alone and self.text.startswith("##") and not self.text.startswith("###")

    @property
    def doc_text(self) -> str:
        """The text of a doc comment, without `##` and one blank."""
        return self.text[2:].removeprefix(" ").rstrip()


@frozen
class PhysicalLine:
    """One line of the text as it stands: its code, and the comment that ends it."""

    number: int
    start: int
    code: tuple[RawToken, ...]
    comment: Comment | None
    newline: RawToken | None

    @property
    def indent(self) -> int:
        """Characters before the first piece of code."""
        return self.code[0].start - self.start if self.code else 0


@frozen
class Line:
    """One or more physical lines that read as one."""

    parts: tuple[PhysicalLine, ...]
    tokens: tuple[RawToken, ...]

    @property
    def indent(self) -> int:
        """Characters before its first piece of code."""
        return self.parts[0].indent

    @property
    def first(self) -> RawToken:
        """The word that says what the line is."""
        return self.tokens[0]


@frozen
class Piece:
    """A line that is not indented, and the indented lines after it: in general a declaration."""

    lines: tuple[Line, ...]
    start: int
    end: int

    @property
    def tokens(self) -> Iterator[RawToken]:
        """All its code in order."""
        for line in self.lines:
            yield from line.tokens


@frozen
class Layout:
    """A text taken apart.

    masked    the text for the grammar; one line end longer than the source
    docs      doc comments, by the offset of the first piece of code of the line below
    head_doc  a doc comment before all code, with a blank line after it
    """

    source: Source
    masked: str
    physical: tuple[PhysicalLine, ...]
    pieces: tuple[Piece, ...]
    docs: dict[int, str]
    head_doc: str | None


def lay_out(source: Source) -> Layout:
    """Take a text apart; nothing is refused here."""
    physical = tuple(_physical_lines(source.text))
    lines = _join(physical)
    docs, head_doc = _doc_comments(physical)
    return Layout(
        source,
        _mask(source.text, physical, lines),
        physical,
        tuple(_pieces(lines, len(source.text) + 1)),
        docs,
        head_doc,
    )


def _physical_lines(text: str) -> Iterator[PhysicalLine]:
    number, start = 1, 1 if text.startswith("\ufeff") else 0
    code: list[RawToken] = []
    comment: Comment | None = None
    for token in scan(text):
        if token.kind == "newline":
            yield PhysicalLine(number, start, tuple(code), comment, token)
            number, start, code, comment = number + 1, token.end, [], None
        elif token.kind == "comment":
            comment = Comment(token.text, token.start, alone=not code)
        else:
            code.append(token)
    if code or comment or start < len(text):
        yield PhysicalLine(number, start, tuple(code), comment, None)


def _join(physical: tuple[PhysicalLine, ...]) -> list[Line]:
    """Logical lines, by the rules of the language page."""
    lines: list[Line] = []
    parts: list[PhysicalLine] = []
    open_brackets = 0

    def finish() -> None:
        if parts:
            lines.append(Line(tuple(parts), tuple(t for part in parts for t in part.code)))

    for part in physical:
        if not part.code:
            continue
        first = part.code[0]
        # A declaration ends whatever came before it, or one missing bracket
        # would swallow the rest of the file.
        declares = part.indent == 0 and first.text in DECLARATIONS
        goes_on = (
            bool(parts)
            and not declares
            and (
                open_brackets > 0
                or parts[-1].code[-1].text in LINE_GOES_ON_AFTER
                or first.text in LINE_GOES_ON_BEFORE
            )
        )
        if not goes_on:
            finish()
            parts, open_brackets = [], 0
        parts.append(part)
        for token in part.code:
            if token.text in OPENERS:
                open_brackets += 1
            elif token.text in CLOSERS:
                open_brackets = max(0, open_brackets - 1)
    finish()
    return lines


def _mask(text: str, physical: tuple[PhysicalLine, ...], lines: list[Line]) -> str:
    joined = {
        number for line in lines for number in range(line.parts[0].number, line.parts[-1].number)
    }
    masked: list[str] = []
    if text.startswith("\ufeff"):
        masked.append(" ")
    for part in physical:
        end = part.newline.start if part.newline else len(text)
        if part.comment is None:
            masked.append(text[part.start : end])
        else:
            masked.append(text[part.start : part.comment.start])
            masked.append(" " * (end - part.comment.start))
        if part.newline:
            blanks = " " * (len(part.newline.text) - 1)
            masked.append(blanks + (" " if part.number in joined else "\n"))
    masked.append("\n")
    return "".join(masked)


def _pieces(lines: list[Line], end: int) -> Iterator[Piece]:
    starts = [i for i, line in enumerate(lines) if line.indent == 0 or i == 0]
    for start, stop in pairwise([*starts, len(lines)]):
        following = lines[stop].parts[0].start if stop < len(lines) else end
        yield Piece(tuple(lines[start:stop]), lines[start].parts[0].start, following)


def _doc_comments(physical: tuple[PhysicalLine, ...]) -> tuple[dict[int, str], str | None]:
    docs: dict[int, str] = {}
    head: str | None = None
    block: list[str] = []
    seen_code = False
    for part in physical:
        if part.comment is not None and part.comment.doc:
            block.append(part.comment.doc_text)
            continue
        if block and part.code:
            docs[part.code[0].start] = "\n".join(block)
        elif block and not seen_code and head is None and part.comment is None:
            head = "\n".join(block)
        seen_code = seen_code or bool(part.code)
        block = []
    if block and not seen_code and head is None:
        head = "\n".join(block)
    return docs, head
