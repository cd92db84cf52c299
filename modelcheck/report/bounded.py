"""A search up to a number of steps as a line, and as plain data.

bounded 6      fenced             nothing violated in 6 steps   Node = 2, MAX = 2
violated       read_before_fence  NoLostUpdate fails after 9 steps, as expected   Node = 2, ...
"""

from __future__ import annotations

from typing import Any

from modelcheck.core.outcome import VIOLATED, Outcome
from modelcheck.report import records
from modelcheck.report.sampled import left_open, met
from modelcheck.report.summary import few, remarks, unexpected
from modelcheck.report.text import plural, visible, wrap
from modelcheck.report.words import judged, settings

_HANG = " " * 4


def verdict(outcome: Outcome, bound: int) -> str:
    """`violated`, or `bounded 6`: never that something holds."""
    if any(each.verdict in VIOLATED for each in judged(outcome)):
        return "violated"
    return f"bounded {bound}"


def line(outcome: Outcome, bound: int, width: int | None = None) -> str:
    """What became of the check, and what weakens or qualifies it; no line end.

    width  where a line is broken; None: nowhere
    """
    head = f"{verdict(outcome, bound)}  {outcome.check.name}  {told(outcome, bound)}"
    whole = f"{visible(head)}  {visible(settings(outcome.check.model.settings))}".rstrip()
    lines = [whole] if width is None else wrap(whole, width, _HANG)
    return "\n".join([*lines, *remarks(outcome)])


def told(outcome: Outcome, bound: int) -> str:
    """What was found, what was left open, and how far was looked."""
    surprise = unexpected(outcome)
    parts = [f"NOT AS EXPECTED: {surprise}"] if surprise else [*met(outcome)]
    parts += few(left_open(outcome))
    if outcome.limits:
        parts.append(f"stopped by {', '.join(outcome.limits)}")
    parts.append(f"no further than {plural(bound, 'step')}")
    return "; ".join(parts)


def record(outcome: Outcome, bound: int) -> dict[str, Any]:
    """The check in the JSON document; docs/json.md says what is not as in others."""
    entry = records.check(outcome)
    violated = verdict(outcome, bound) == "violated"
    # Nobody counted these.
    entry |= {"verdict": "violated" if violated else "bounded", "distinct": None, "depth": None}
    entry |= {"generated": None, "bound": bound}
    entry.pop("stats", None)
    return entry
