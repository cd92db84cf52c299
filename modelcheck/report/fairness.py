"""What liveness rests on: the `fair` marks that a property needs, in lines below its check."""

from __future__ import annotations

from modelcheck.core.outcome import Found, Mark, Needs, Outcome, Verdict
from modelcheck.report.text import plural, visible

_MARGIN = " " * 12


def needs(outcome: Outcome) -> list[str]:
    """The lines; none if it was not asked, or if no liveness property holds."""
    lines = []
    for each in outcome.needs or ():
        lines.append(f"{_MARGIN}{visible(each.name)} {_sum(each)}")
        width = max((len(mark.action) for mark in each.marks), default=0)
        lines += [f"{_MARGIN}  {mark.action.ljust(width)}  {_said(mark)}" for mark in each.marks]
    return lines


def _sum(each: Needs) -> str:
    if not each.marks:
        return "holds without fairness: no action has any"
    if each.without_any is None:
        return "holds thanks to fairness:"
    if each.without_any.verdict is Verdict.UNDECIDED:
        return f"holds, and without any fairness it {_became(each.without_any)}:"
    if each.without_any.verdict is Verdict.HOLDS:
        return "holds without fairness:"
    return f"needs no mark by itself, and without any it {_became(each.without_any)}:"


def _said(mark: Mark) -> str:
    match mark.needed:
        case "strong":
            assert mark.weakened is not None
            return f"strong fairness needed: with weak it {_became(mark.weakened)}"
        case "weak":
            assert mark.dropped is not None
            word = "weak fairness is enough: " if mark.strong else "needed: "
            return f"{word}without it {_became(mark.dropped)}"
        case None:
            return "not needed" if mark.undecided is None else f"not decided: {mark.undecided}"


def _became(found: Found) -> str:
    """`livelocks, its loop 3 steps away`, `blocks after 1 step`"""
    match found.verdict:
        case Verdict.LIVELOCKS:
            assert found.trace is not None and found.trace.loop is not None
            away = found.trace.loop
            where = f"in a loop {plural(away, 'step')} away" if away else "in a loop from the start"
            if found.trace.loop == len(found.trace.states) - 1:
                where = f"standing still after {plural(away, 'step')}" if away else "standing still"
            return f"livelocks, {where}"
        case Verdict.BLOCKS:
            return f"blocks after {plural(found.steps or 0, 'step')}"
        case _:
            return f"is {found.verdict.value}" + (f" ({found.reason})" if found.reason else "")
