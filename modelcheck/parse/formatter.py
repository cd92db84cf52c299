"""The canonical layout of a text.

It works on the pieces of a text that parses, and on its comments, never on the
tree: line breaks, comments and parentheses are the user's. What it decides:

1. Two blanks for each level. A line that goes on from the one above has four
   more than that line's first; an alternative of a type stands under the `=`.
2. One blank around infix signs and after commas, none inside brackets, before
   `:` and around `..`, `.` and `'`.
3. `:=`, `+=` and `-=` of consecutive updates stand under each other.
4. Comments after code stand in one column, the one that the file uses most, or,
   where the code is too long for it, four blanks after the longest line of a run.
5. At most one empty line; one around declarations of several lines. Between
   declarations of one line the user may have one or none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from attrs import define

from modelcheck.parse.lines import Layout, Line, PhysicalLine, lay_out
from modelcheck.parse.parser import parse
from modelcheck.parse.tokens import RawToken
from modelcheck.parse.words import CLOSERS, INFIX_SYMBOLS, INFIX_WORDS, OPENERS, RESERVED, words
from modelcheck.source import Source

COMMENT_COLUMN: Final = 44
"""Characters before a comment after code, in a file that has no column of its own."""

CONTINUED: Final = 4
"""How much further than its first line a statement that goes on is indented."""

_UPDATES: Final = frozenset([":=", "+=", "-="])
_INFIX: Final = (INFIX_SYMBOLS - {".."}) | {"="}
_GLUED: Final = frozenset([".", ".."])
_BEFORE_TERM: Final = RESERVED - {"true", "false", "none"} | words(
    """when elif constraint where to of most by lose abandon return returns with always
    eventually on any"""
)
"""Words after which a term begins, so that a bracket or minus there is the term's own."""
_NAMING: Final = words("let effect action fault operation object template use check .")
"""What stands before a name, whatever that name is."""


@define
class _Row:
    """A line of the result.

    level     characters before the code or the comment
    column    characters before a comment after code, as the user has it
    operator  where the sign of an update begins in the code, None if it is no update
    line      the logical line of the code
    """

    level: int
    code: str = ""
    comment: str = ""
    operator: int | None = None
    line: Line | None = None
    column: int = 0

    @property
    def empty(self) -> bool:
        return not self.code and not self.comment

    @property
    def width(self) -> int:
        return self.level + len(self.code)


def format_text(source: Source) -> str:
    """The text of `source` in canonical layout. Raises Refused if it does not parse.

    Formatting a formatted text changes nothing, and formatting never changes the tree.
    """
    parse(source)
    layout = lay_out(source)
    rows = list(_rows(layout))
    _align_updates(rows)
    _place_comments(rows)
    return "".join(f"{row}\n" for row in _spaced(rows, layout))


# --- rows ----------------------------------------------------------------------------


def _rows(layout: Layout) -> Iterator[_Row]:
    levels = _levels(layout)
    owner = {
        part.number: line for piece in layout.pieces for line in piece.lines for part in line.parts
    }
    bars = {id(line): _bar_column(line) for piece in layout.pieces for line in piece.lines}
    for place, part in enumerate(layout.physical):
        line = owner.get(part.number)
        if line is None:
            comment = part.comment.text.rstrip() if part.comment else ""
            yield _Row(_comment_level(layout, levels, owner, place) if comment else 0, "", comment)
            continue
        level = levels[id(line)][-1][1]
        if part is not line.parts[0]:
            level = _continued_level(level, part, bars[id(line)])
        code, operator = _code(line, part)
        comment = part.comment.text.rstrip() if part.comment else ""
        column = part.comment.start - part.start if part.comment else 0
        yield _Row(level, code, comment, operator, line, column)


def _levels(layout: Layout) -> dict[int, list[tuple[int, int]]]:
    """For each line the blocks around it: their column in the text, and in the result."""
    levels = {}
    for piece in layout.pieces:
        blocks = [(0, 0)]
        for line in piece.lines:
            while line.indent < blocks[-1][0]:
                blocks.pop()
            if line.indent > blocks[-1][0]:
                blocks.append((line.indent, blocks[-1][1] + 2))
            levels[id(line)] = list(blocks)
    return levels


def _bar_column(line: Line) -> int | None:
    """Where the alternatives of a type go: under the `=`, None if the line is no type."""
    if line.first.text != "type" or not any(t.text == "=" for t in line.parts[0].code):
        return None
    code, _ = _code(line, line.parts[0])
    return code.index("=")


def _continued_level(level: int, part: PhysicalLine, bar: int | None) -> int:
    if bar is not None and part.code and part.code[0].text == "|":
        return bar
    return level + CONTINUED


def _comment_level(
    layout: Layout,
    levels: dict[int, list[tuple[int, int]]],
    owner: dict[int, Line],
    place: int,
) -> int:
    """Where a comment on its own line goes.

    It belongs to the code below it, unless it is indented more than that and
    closes the block above.
    """
    comment = layout.physical[place].comment
    assert comment is not None
    column = comment.start - layout.physical[place].start
    below = next((p for p in layout.physical[place:] if p.code), None)
    above = next((p for p in reversed(layout.physical[:place]) if p.code), None)
    line_above = owner[above.number] if above else None
    if below is not None and line_above is owner[below.number]:
        line = owner[below.number]
        return _continued_level(levels[id(line)][-1][1], below, _bar_column(line))
    level = levels[id(owner[below.number])][-1][1] if below else 0
    if line_above is None or (below is not None and column <= below.indent):
        return level
    return max([level, *(new for old, new in levels[id(line_above)] if old <= column)])


# --- code ----------------------------------------------------------------------------


def _code(line: Line, part: PhysicalLine) -> tuple[str, int | None]:
    """The code of a physical line, and where the sign of an update begins in it."""
    first = line.tokens.index(part.code[0])
    text: list[str] = []
    operator: int | None = None
    depth = 0
    for number, token in enumerate(part.code):
        before = line.tokens[first + number - 1] if first + number > 0 else None
        earlier = line.tokens[first + number - 2] if first + number > 1 else None
        if number > 0 and before is not None and _blank(line, first + number, earlier, before):
            text.append(" ")
        depth += (token.text in OPENERS) - (token.text in CLOSERS)
        if token.text in _UPDATES and part is line.parts[0] and operator is None:
            operator = sum(map(len, text))
        text.append(token.text)
    return "".join(text), operator


def _blank(line: Line, index: int, earlier: RawToken | None, before: RawToken) -> bool:
    """Whether a blank stands before the token at `index`."""
    token = line.tokens[index]
    if before.text in OPENERS or token.text in CLOSERS or token.text in (",", ":", "'", "?"):
        return False
    if before.text in _GLUED or token.text in _GLUED:
        return token.text == ".." and _opens_after_sum(line, index)
    if before.text == "-" and _is_sign(line, index - 1):
        return False
    if token.text in ("(", "["):
        return not _applies(earlier, before)
    return True


def _opens_after_sum(line: Line, index: int) -> bool:
    """Whether `..` ends a slice whose first position is a sum: `s[i + 1 ..]`."""
    if line.tokens[index + 1].text != "]":
        return False
    depth = 0
    for number in range(index - 1, -1, -1):
        text = line.tokens[number].text
        depth += (text in CLOSERS) - (text in OPENERS)
        if depth < 0:
            return False
        if depth == 0 and text in _INFIX | INFIX_WORDS and not _is_sign(line, number):
            return True
    return False


def _applies(earlier: RawToken | None, before: RawToken) -> bool:
    """Whether a bracket after `before` is its arguments or index."""
    if before.text in (")", "]", "'"):
        return True
    if before.kind != "word":
        return False
    named = earlier is not None and earlier.text in _NAMING
    return named or before.text not in _BEFORE_TERM


def _is_sign(line: Line, index: int) -> bool:
    """Whether the minus at `index` belongs to the operand after it."""
    if index == 0:
        return True
    before = line.tokens[index - 1]
    if before.kind == "word":
        after_dot = index > 1 and line.tokens[index - 2].text == "."
        return before.text in _BEFORE_TERM and not after_dot
    return before.text in OPENERS or before.text in _INFIX or before.text in (",", ":", "..")


# --- columns -------------------------------------------------------------------------


def _align_updates(rows: list[_Row]) -> None:
    run: list[_Row] = []

    def align() -> None:
        column = max((row.operator or 0 for row in run), default=0)
        for row in run:
            assert row.operator is not None
            padding = " " * (column - row.operator)
            row.code = row.code[: row.operator] + padding + row.code[row.operator :]
        run.clear()

    for row in rows:
        if run and row.line is run[-1].line:
            continue  # the update goes on
        if row.operator is None or (run and run[-1].level != row.level):
            align()
        if row.operator is not None:
            run.append(row)
    align()


def _place_comments(rows: list[_Row]) -> None:
    runs = _runs(rows)
    # Placing can make another column the usual one. Once placed, no comment is
    # left of the column, so that it only moves to the right, and comes to rest.
    usual = None
    while usual != (usual := _usual_column(runs)):
        for run in runs:
            longest = max(row.width for row in run)
            for row in run:
                row.column = usual if longest + 2 <= usual else longest + 4
    for run in runs:
        for row in run:
            row.comment = " " * (row.column - row.width) + row.comment


def _runs(rows: list[_Row]) -> list[list[_Row]]:
    """Consecutive lines of code that have comments."""
    runs: list[list[_Row]] = [[]]
    for row in rows:
        if row.code and row.comment:
            runs[-1].append(row)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _usual_column(runs: list[list[_Row]]) -> int:
    """The column of most comments, the least of several, if it is that of more than one."""
    columns = Counter(row.column for run in runs for row in run)
    count, column = max(((n, -column) for column, n in columns.items()), default=(0, 0))
    return -column if count > 1 else COMMENT_COLUMN


# --- empty lines ---------------------------------------------------------------------


def _spaced(rows: list[_Row], layout: Layout) -> Iterator[str]:
    """The lines of the result, with the empty lines that belong between them."""
    wanted = _separated(layout)
    starts = {id(piece.lines[0]) for piece in layout.pieces}
    gap: list[_Row] = []
    above: Line | None = None
    piece_above: Line | None = None
    for row in rows:
        if row.line is None:
            gap.append(row)
            continue
        if id(row.line) in starts and row.line is not above:
            apart = piece_above is not None and id(row.line) in wanted
            yield from _gap(gap, above is not None, apart)
            piece_above = row.line
        else:
            after_header = above is piece_above and row.line is not above
            while after_header and gap and gap[0].empty:
                gap.pop(0)
            yield from _gap(gap, True, False)
        gap, above = [], row.line
        yield _text(row)
    while gap and gap[-1].empty:
        gap.pop()
    yield from _gap(gap, above is not None, False)


def _separated(layout: Layout) -> set[int]:
    """The declarations that an empty line has to precede, by their first lines."""
    wanted = set()
    for above, below in zip(layout.pieces, layout.pieces[1:], strict=False):
        short = len(above.lines) == len(below.lines) == 1
        if not short or above.lines[0].first.text == "protocol":
            wanted.add(id(below.lines[0]))
    return wanted


def _gap(gap: list[_Row], code_above: bool, apart: bool) -> Iterator[str]:
    """Comments and empty lines between two lines of code; with `apart`, at least one is empty."""
    lines: list[str] = []
    missing = apart and not any(row.empty for row in gap)
    for row in gap:
        if missing and row.level == 0:
            lines.append("")
            missing = False
        if not row.empty or (lines[-1] if lines else "code" if code_above else ""):
            lines.append(_text(row))
    if missing:
        lines.append("")
    yield from lines


def _text(row: _Row) -> str:
    return "" if row.empty else " " * row.level + row.code + row.comment
