"""A trace as a table: a column for each lane, a row for each step, changed cells only.

         step         service  store  n1             network
      0  init         0, none  0, 0   Idle
      1  acquire(n1)  1, n1           Elected(1)
      2  send(n1)                     Waiting(1, 0)  + Write(n1, 1, 1)
      3! crash(n1)                    down

`!` marks a fault. A table that is wider than the terminal wraps its cells;
where even that does not suffice, the lanes come in several tables one below
the other. Nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attrs import frozen

from modelcheck.core.model import Model
from modelcheck.core.terms import Binder
from modelcheck.core.trace import Step, Trace
from modelcheck.core.values import State, Value, show
from modelcheck.report.cells import Cell, Lane, chosen, lanes
from modelcheck.report.text import WIDTH, plural, visible, wrap_values

LONGEST_TRACE = 200
_NARROWEST = 14  # columns to which a lane may be squeezed before the table is split
_TALLEST = 4  # lines that a squeezed cell should not exceed by far
_WIDE_ENOUGH = 40  # columns that are enough for any lane, whatever is in it
_GAP = "  "


@frozen
class _Row:
    """number  of the step, with `!` for a fault; "" for a remark, which is all in `action`."""

    number: str
    action: str
    cells: tuple[Cell, ...] = ()


def table(
    model: Model,
    trace: Trace,
    *,
    abstract: Model | None = None,
    full: bool = False,
    width: int = WIDTH,
    start: str = "init",
    only: Collection[str] = (),
) -> str:
    """The trace as text, without a line end at its end.

    abstract  for a refinement, the model whose states `trace.mapped` holds
    full      whole states in every row instead of what has changed
    start     what the first row is called
    only      the lanes and variables to be shown, see `chosen`; all if there are none
    """
    columns = [(lane, trace.states) for lane in chosen(lanes(model), only)]
    if trace.mapped and abstract is not None:
        mapped = chosen(lanes(abstract, f"{abstract.name}:"), only)
        columns += [(lane, trace.mapped) for lane in mapped]
    rows = _rows(model, trace, columns, full, start)
    heads = [lane.head for lane, _ in columns]
    tables = [
        _lay_out([heads[i] for i in band], rows, band, width) for band in _bands(heads, rows, width)
    ]
    return "\n\n".join("\n".join(lines) for lines in tables)


def margin_width(trace: Trace) -> int:
    """How far a remark below the table is to be moved to the right to stand in line with it."""
    return len(str(len(trace.steps))) + 3


def call(name: str, binders: Sequence[Binder], arguments: Sequence[Value]) -> str:
    """`accept(Write(n1, 1, 1))`, an action with its arguments.

    A step on which evaluation failed early has only the arguments chosen so far: `accept(n1, ...)`.
    """
    if not binders:
        return name
    shown = [show(b.type, value) for b, value in zip(binders, arguments, strict=False)]
    if len(arguments) < len(binders):
        shown.append("...")
    return visible(f"{name}({', '.join(shown)})")


def step_name(step: Step) -> str:
    """The action of a step with its arguments."""
    return call(step.action.name, step.action.binders, step.arguments)


# --- rows ----------------------------------------------------------------------------


def _rows(
    model: Model,
    trace: Trace,
    columns: list[tuple[Lane, tuple[State, ...]]],
    full: bool,
    start: str,
) -> list[_Row]:
    last = len(trace.steps)
    skipped = range(0)
    if last > LONGEST_TRACE:
        skipped = range(LONGEST_TRACE // 2, last - LONGEST_TRACE // 2 + 1)
    rows = [_Row("0", start, tuple(lane.whole(states[0]) for lane, states in columns))]
    for number, step in enumerate(trace.steps, start=1):
        if number in skipped:
            if number == skipped.start:
                left_out = plural(len(skipped), "step")
                rows.append(_Row("", f"... {left_out} left out; --format json has all of them"))
            continue
        action = step_name(step)
        mark = "!" if step.action.fault else ""
        if number == len(trace.states):
            rows.append(_Row(f"{number}{mark}", f"{action} (not taken)"))
            continue
        whole = full or (len(skipped) > 0 and number == skipped.stop)
        cells = tuple(
            lane.whole(states[number])
            if whole
            else lane.change(states[number - 1], states[number], fault=step.action.fault)
            for lane, states in columns
        )
        rows.append(_Row(f"{number}{mark}", action + _budget(step, trace.states[number]), cells))
    if trace.loop is not None:
        rows.append(_Row("", _ending(trace, trace.loop)))
    return rows


def _ending(trace: Trace, loop: int) -> str:
    if loop == len(trace.states) - 1:
        return "stutters for ever"
    return f"loop back to step {loop}" if loop else "loop back to the initial state"


def _budget(step: Step, state: State) -> str:
    """` [1/2]` after a bounded fault: how many of its steps are used."""
    action = step.action
    if action.counter is None:
        return ""
    return f" [{state[action.counter]}/{action.at_most}]"


# --- layout --------------------------------------------------------------------------


def _number_width(rows: list[_Row]) -> int:
    return 1 + max(len(row.number.rstrip("!")) for row in rows)


def _action_width(rows: list[_Row], width: int) -> int:
    longest = max(len(row.action) for row in rows if row.number)
    return min(max(longest, len("step")), max(width // 3, _NARROWEST))


def _natural(head: str, index: int, rows: list[_Row]) -> int:
    cells = (row.cells[index] for row in rows if row.cells)
    return max([len(head), *(len(line) for cell in cells for line in cell)])


def _bands(heads: list[str], rows: list[_Row], width: int) -> list[list[int]]:
    """The lanes in as few groups as fit side by side, each squeezed as far as it may be."""
    room = width - _number_width(rows) - 2 - _action_width(rows, width)
    bands: list[list[int]] = [[]]
    used = 0
    for index, head in enumerate(heads):
        least = len(_GAP) + _least(_natural(head, index, rows))
        if bands[-1] and used + least > room:
            bands.append([])
            used = 0
        bands[-1].append(index)
        used += least
    return bands


def _least(natural: int) -> int:
    """The width below which a lane goes into the next table instead of into narrower cells."""
    return min(natural, max(_NARROWEST, min(natural // _TALLEST, _WIDE_ENOUGH)))


def _squeeze(natural: list[int], room: int) -> list[int]:
    """The widths, the widest made narrower until they fit into `room` if that can be."""
    widths = list(natural)
    for least in ([_least(width) for width in natural], [_NARROWEST] * len(natural)):
        while sum(widths) > room:
            wide = [i for i, width in enumerate(widths) if width > least[i]]
            if not wide:
                break
            widths[max(wide, key=lambda i: (widths[i], i))] -= 1
    return widths


def _lay_out(heads: list[str], rows: list[_Row], band: list[int], width: int) -> list[str]:
    number_width = _number_width(rows)
    natural = [max(len("step"), *(len(r.action) for r in rows if r.number))]
    natural += [_natural(head, index, rows) for head, index in zip(heads, band, strict=True)]
    room = width - number_width - 2 - len(_GAP) * len(band)
    widths = _squeeze(natural, room)
    table = [_cells(row, band) for row in rows if row.number]
    table.insert(0, [("step",), *((head,) for head in heads)])
    # A cell that wraps at its blanks may leave room on its right.
    widths = [
        max(len(part) for cells in table for part in _wrapped(cells[index], width))
        if width < natural[index]
        else width
        for index, width in enumerate(widths)
    ]
    lines = _print("", " ", table[0], widths, number_width)
    for row in rows:
        if not row.number:
            lines.append(" " * (number_width + 2) + row.action)
            continue
        mark = "!" if row.number.endswith("!") else " "
        lines += _print(row.number.rstrip("!"), mark, _cells(row, band), widths, number_width)
    return lines


def _cells(row: _Row, band: list[int]) -> list[Cell]:
    """The action, and the cells of the lanes; a step that is not taken has none."""
    return [(row.action,), *(row.cells[index] if row.cells else () for index in band)]


def _wrapped(cell: Cell, width: int) -> list[str]:
    return [part for line in cell for part in wrap_values(line, width, "  ")]


def _print(
    number: str, mark: str, cells: Sequence[Cell], widths: list[int], number_width: int
) -> list[str]:
    """One row: as many lines as its tallest cell has."""
    wrapped = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for index in range(max(len(cell) for cell in wrapped)):
        parts = [
            (cell[index] if index < len(cell) else "").ljust(width)
            for cell, width in zip(wrapped, widths, strict=True)
        ]
        head = f"{number:>{number_width}}{mark} " if index == 0 else " " * (number_width + 2)
        lines.append((head + _GAP.join(parts)).rstrip())
    return lines
