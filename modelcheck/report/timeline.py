"""A history as a time line: a lane for each caller, time from left to right.

    step     1         3              6  7              10
    Writer   [ write(1) -------------------------------- ...
    Alice              [ read(): 1 ---]
    Bob                                  [ read(): 0 ---]  no place

A bracket opens at a call and closes at a return; `x` is where an operation was
abandoned, and `...` follows one that is open. A line that is too wide becomes a
list of calls and returns.
"""

from __future__ import annotations

from typing import Any

from modelcheck.core.events import Caller
from modelcheck.core.timeline import Interval, Timeline
from modelcheck.core.values import State, show
from modelcheck.report.text import visible

_MOST_SHOWN = 4
NO_PLACE = "no place"


def time_line(line: Timeline, width: int) -> str:
    """The time line, or where it does not fit a list; no line end."""
    drawn = _drawn(line)
    if max(map(len, drawn)) <= width:
        return "\n".join(drawn)
    return "\n".join(_listed(line))


def why_unplaced(line: Timeline) -> list[str]:
    """What the operation that cannot be placed might have answered, as notes."""
    unplaced = line.unplaced
    if unplaced is None:
        return []
    interval = line.intervals[unplaced.interval]
    who = f"{_caller(line, interval.caller)}'s `{_call(interval)}`"
    came = f"returns {_answer(interval)}" if interval.answer else "returns"
    if not unplaced.possible:
        could = "it has not taken effect in any order that is left"
    else:
        result = interval.operation.result
        answers = [
            show(result, each[0]) if each and result is not None else "nothing"
            for each in unplaced.possible
        ]
        could = f"in every order that is left it answers {_either(answers)}"
    states = _either([_state(line, each) for each in unplaced.states])
    return [f"{who} {came}; {could}", f"`{line.claim.name}` then has {states}"]


def record(line: Timeline) -> list[dict[str, Any]]:
    """The operations as plain data, for `--format json`."""
    placed = None if line.unplaced is None else line.unplaced.interval
    return [
        {
            "caller": _caller(line, each.caller),
            "operation": each.operation.name,
            "arguments": {
                name: show(type_, value)
                for (name, type_), value in zip(
                    each.operation.parameters, each.arguments, strict=True
                )
            },
            "call": each.called,
            "return": None if each.abandoned else each.ended,
            "abandoned": each.ended if each.abandoned else None,
            "answer": _answer(each) if each.answer else None,
            "placed": number != placed,
        }
        for number, each in enumerate(line.intervals)
    ]


# --- words ---------------------------------------------------------------------------


def _caller(line: Timeline, caller: Caller) -> str:
    return visible(show(line.callers[caller.kind], caller.value))


def _call(interval: Interval) -> str:
    pairs = zip(interval.operation.parameters, interval.arguments, strict=True)
    arguments = ", ".join(show(type_, value) for (_, type_), value in pairs)
    return visible(f"{interval.operation.name}({arguments})")


def _answer(interval: Interval) -> str:
    assert interval.answer_type is not None
    return visible(show(interval.answer_type, interval.answer[0]))


def _label(interval: Interval) -> str:
    return f"{_call(interval)}: {_answer(interval)}" if interval.answer else _call(interval)


def _state(line: Timeline, state: State) -> str:
    pairs = zip(line.claim.object.variables, state, strict=True)
    return ", ".join(f"{each.name} = {show(each.type, value)}" for each, value in pairs)


def _either(words: list[str]) -> str:
    shown = words[:_MOST_SHOWN]
    if len(shown) < len(words):
        shown = [*shown[:-1], f"{len(words) - len(shown) + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


# --- drawn ---------------------------------------------------------------------------


def _drawn(line: Timeline) -> list[str]:
    columns, edge = _columns(line)
    callers = sorted({each.caller for each in line.intervals})
    names = {caller: _caller(line, caller) for caller in callers}
    head = max(len("step"), *map(len, names.values())) + 2
    rows = {caller: [" "] * edge for caller in callers}
    ends = dict.fromkeys(callers, "")
    for number, each in enumerate(line.intervals):
        row, begin = rows[each.caller], columns[each.begin]
        stop = edge if each.end is None else columns[each.end]
        row[begin:stop] = f"[ {_label(each)} ".ljust(stop - begin, "-")
        if each.end is None:
            ends[each.caller] = " ..."
        else:
            row[stop] = "x" if each.abandoned else "]"
        if line.unplaced is not None and number == line.unplaced.interval:
            ends[each.caller] = f"  {NO_PLACE}"
    lines = ["step".ljust(head) + _steps(line, columns, edge)]
    lines += [names[c].ljust(head) + "".join(rows[c]).rstrip() + ends[c] for c in callers]
    return [each.rstrip() for each in lines]


def _events(line: Timeline) -> list[tuple[int, int, Interval, bool]]:
    """Position, step, operation, and whether it is the call; in their order."""
    found = [(each.begin, each.called, each, True) for each in line.intervals]
    found += [
        (each.end, each.ended, each, False)
        for each in line.intervals
        if each.end is not None and each.ended is not None
    ]
    return sorted(found, key=lambda event: event[0])


def _columns(line: Timeline) -> tuple[dict[int, int], int]:
    """Where each event is drawn, so that labels and numbers of steps fit; and the right edge."""
    columns: dict[int, int] = {}
    at = edge = 0
    for position, step, interval, is_call in _events(line):
        if not is_call:
            at = max(at, columns[interval.begin] + len(_label(interval)) + 4)
        columns[position] = at
        if is_call and interval.end is None:
            edge = max(edge, at + len(_label(interval)) + 4)
        edge = max(edge, at + 1)
        at += len(str(step)) + 1
    return columns, edge


def _steps(line: Timeline, columns: dict[int, int], edge: int) -> str:
    """The numbers of the steps above the events; of several in one step once."""
    row, last = "", None
    for position, step, _, _ in _events(line):
        if step != last:
            row = row.ljust(columns[position]) + str(step)
        last = step
    return row


# --- listed --------------------------------------------------------------------------


def _listed(line: Timeline) -> list[str]:
    lines = []
    for position, step, each, is_call in _events(line):
        who, what = _caller(line, each.caller), _call(each)
        if is_call:
            text = f"{who} calls {what}"
        elif each.abandoned:
            text = f"{who} is gone: {what} may take effect, or never"
        else:
            text = f"{who} returns {_answer(each)}" if each.answer else f"{who} returns"
            text += f" from {what}"
        unplaced = line.unplaced
        if unplaced is not None and line.intervals[unplaced.interval].end == position:
            text += f": {NO_PLACE}"
        lines.append(f"{step:>4}  {text}")
    return lines
