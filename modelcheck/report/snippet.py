"""A diagnostic as text: headline, place, the user's own lines with marks, notes.

    error[two-writes]: `store.fence` is written twice in one step
      --> fenced_leader.model:59:3
       |
    58 |   store.fence := if FENCE_ON_TAKEOVER then t else store.fence
       |   ----------- first written here
    59 |   store.fence := t
       |   ^^^^^^^^^^^ and again here
       |
       = note: all updates of an action happen at once, so neither comes last

Carets mark the primary label, dashes the others. Lines of one file come in
their order, with `...` where some are left out; each further file has a block
of its own, headed `:::`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from modelcheck.diagnostics import Diagnostic, Label
from modelcheck.report.text import WIDTH, ShownLine, visible, visible_lines, wrap
from modelcheck.source import Source, Span

LONGEST_LINE = 120
_CONTEXT = 20  # columns shown before the first mark of a line that is cut
_MOST_LINES = 4  # of a span; of a longer one the first and the last line are shown


@frozen
class Mark:
    """A label to draw: carets if it is primary, else dashes."""

    span: Span
    text: str = ""
    primary: bool = True


@frozen
class _Segment:
    """The part of a mark that lies on one line, in display columns."""

    start: int
    end: int
    sign: str
    text: str


def diagnostic(item: Diagnostic, width: int = WIDTH) -> str:
    """The diagnostic as text, without a line end; its notes are wrapped at `width`."""
    marks = [] if item.primary is None else [Mark(item.primary.span, item.primary.text)]
    marks += [_secondary(label) for label in item.labels]
    footers = [("note", note) for note in item.notes] + [("help", help) for help in item.help]
    headline = f"{item.severity.value}[{item.id}]: {item.headline}"
    return excerpt(headline, marks, footers, width=width)


def _secondary(label: Label) -> Mark:
    return Mark(label.span, label.text, primary=False)


def excerpt(
    headline: str,
    marks: Sequence[Mark],
    footers: Iterable[tuple[str, str]] = (),
    *,
    at: Span | None = None,
    hanging: bool = False,
    width: int = WIDTH,
) -> str:
    """A headline, the marked lines and the footers (`= note: ...`).

    `at`, or else the first mark, names the place. With `hanging` every mark's text stands
    below it, as for values; else the last one of a line stands beside it.
    """
    lines = [" ".join(visible_lines(headline))]
    gutter = max((len(str(_last_line(mark.span))) for mark in marks), default=1)
    for number, source in enumerate(_sources(marks)):
        here = [mark for mark in marks if mark.span.source is source]
        place = at if at is not None and at.source is source else here[0].span
        line, column = source.position(place.start)
        arrow = "-->" if number == 0 else ":::"
        lines.append(f"{' ' * gutter}{arrow} {visible(source.path)}:{line}:{column}")
        lines.append(f"{' ' * gutter} |")
        lines += _block(source, here, gutter, hanging)
    shown = [_footer(kind, text, gutter, width) for kind, text in footers]
    if shown and marks:
        lines.append(f"{' ' * gutter} |")
    for footer in shown:
        lines += footer
    return "\n".join(line.rstrip() for line in lines)


def _sources(marks: Sequence[Mark]) -> list[Source]:
    """Each source once, in the order in which the marks name them."""
    found: list[Source] = []
    for mark in marks:
        if mark.span.source not in found:
            found.append(mark.span.source)
    return found


def _footer(kind: str, text: str, gutter: int, width: int) -> list[str]:
    head = f"{' ' * gutter} = {kind}: "
    lines: list[str] = []
    for line in visible_lines(text):
        # An indented line is an example: its layout is part of what it says.
        room = max(width - len(head), 40)
        lines += [line] if line.startswith(" ") or kind == "reproduce" else wrap(line, room)
    first, *rest = lines
    return [head + first] + [" " * len(head) + line for line in rest]


# --- the lines of one file -----------------------------------------------------------


def _block(source: Source, marks: Sequence[Mark], gutter: int, hanging: bool) -> list[str]:
    segments: dict[int, list[_Segment]] = {}
    shown: dict[int, ShownLine] = {}
    for mark in marks:
        for number in _lines_of(mark.span):
            if number not in shown:
                shown[number] = ShownLine.of(source.line(number))
                segments[number] = []
            segments[number].append(_segment(mark, number, source, shown[number]))
    lines: list[str] = []
    previous: int | None = None
    for number in sorted(shown):
        if previous is not None and number == previous + 2:
            between = ShownLine.of(source.line(previous + 1))
            lines += _marked(between, [], previous + 1, gutter, hanging)
        elif previous is not None and number > previous + 2:
            lines.append("...")
        lines += _marked(shown[number], segments[number], number, gutter, hanging)
        previous = number
    return lines


def _last_line(span: Span) -> int:
    return span.source.position(max(span.start, span.end - 1))[0]


def _lines_of(span: Span) -> list[int]:
    first, last = span.line, _last_line(span)
    if last - first < _MOST_LINES:
        return list(range(first, last + 1))
    return [first, last]


def _segment(mark: Mark, number: int, source: Source, line: ShownLine) -> _Segment:
    first, last = mark.span.line, _last_line(mark.span)
    text = source.line(number)
    offset = source.line_start(number)
    start = mark.span.start - offset if number == first else len(text) - len(text.lstrip())
    end = mark.span.end - offset if number == last else len(text.rstrip())
    column = line.column(start)
    width = max(1, line.column(end) - column)
    said = mark.text if number == last else ""
    sign = "^" if mark.primary else "-"
    return _Segment(column, column + width, sign, visible(said))


def _marked(
    line: ShownLine, segments: list[_Segment], number: int, gutter: int, hanging: bool
) -> list[str]:
    text, segments = _cut(line, segments)
    lines = [f"{number:>{gutter}} | {text}"]
    if segments:
        lines += [f"{' ' * gutter} | {row}" for row in _rows(segments, hanging)]
    return lines


def _cut(line: ShownLine, segments: list[_Segment]) -> tuple[str, list[_Segment]]:
    """The line, of a very long one what is around the first mark, and the marks moved along."""
    if line.width <= LONGEST_LINE:
        return "".join(line.pieces), segments
    low = max(0, min((s.start for s in segments), default=0) - _CONTEXT)
    low = min(low, line.width - LONGEST_LINE)
    high = low + LONGEST_LINE
    text, start = line.window(low, high)
    before = "..." if low > 0 else ""
    after = "..." if high < line.width else ""
    shift = len(before) - start
    moved = []
    for s in segments:
        from_, to = max(s.start, start), min(s.end, high)
        if from_ >= high:  # a mark beyond the cut: its text is said at the cut
            from_, to = high, high + 1
        moved.append(_Segment(from_ + shift, max(to, from_ + 1) + shift, s.sign, s.text))
    return before + text + after, moved


def _rows(segments: list[_Segment], hanging: bool) -> list[str]:
    """The marks, and below them the texts that do not fit beside them."""
    canvas = _Canvas()
    # Carets are drawn last: where marks overlap, the primary one is seen.
    for segment in sorted(segments, key=lambda s: (s.sign == "^", s.start - s.end)):
        canvas.put(0, segment.start, segment.sign * (segment.end - segment.start))
    with_text = sorted((s for s in segments if s.text), key=lambda s: (s.start, s.end))
    end = max(s.end for s in segments)
    if with_text and not hanging and with_text[-1].end == end:
        last = with_text.pop()
        canvas.put(0, last.end + 1, last.text)
    for segment in reversed(with_text):
        row = 1
        while not canvas.free(row, segment.start, len(segment.text) + 2):
            row += 1
        for above in range(1, row):
            canvas.put_if_free(above, segment.start, "|")
        canvas.put(row, segment.start, segment.text)
    return canvas.rows()


class _Canvas:
    """Rows of characters, written at columns."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []

    def _row(self, row: int, width: int) -> list[str]:
        while len(self._rows) <= row:
            self._rows.append([])
        cells = self._rows[row]
        cells.extend(" " * (width - len(cells)))
        return cells

    def put(self, row: int, column: int, text: str) -> None:
        self._row(row, column + len(text))[column : column + len(text)] = text

    def put_if_free(self, row: int, column: int, text: str) -> None:
        if self.free(row, column, len(text)):
            self.put(row, column, text)

    def free(self, row: int, column: int, width: int) -> bool:
        return all(c == " " for c in self._row(row, column + width)[column : column + width])

    def rows(self) -> list[str]:
        return ["".join(cells).rstrip() for cells in self._rows]


def one_line(span: Span) -> Span:
    """The first line of a span: the header of a declaration."""
    first = span.text.split("\n", 1)[0].rstrip()
    return Span(span.source, span.start, span.start + len(first))
