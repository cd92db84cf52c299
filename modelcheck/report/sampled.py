"""A simulation as a line, and as plain data.

sampled 1,000  fenced             nothing violated; 998,204 steps, ...   Node = 2, MAX = 2
violated       read_before_fence  NoLostUpdate fails after 9 steps, as expected; ...
"""

from __future__ import annotations

from typing import Any

from modelcheck.core.model import (
    ERROR_KINDS,
    ExpectCount,
    ExpectError,
    ExpectHolds,
    ExpectProperty,
)
from modelcheck.core.outcome import VIOLATED, Found, Outcome, Verdict
from modelcheck.core.sample import Sampled
from modelcheck.report import records
from modelcheck.report.summary import few, remarks, unexpected
from modelcheck.report.text import plural, visible, wrap
from modelcheck.report.words import expectation, finding, is_listed, judged, settings

_HANG = " " * 4
_SAFETY = ("invariant", "step", "reachable")


def verdict(sampled: Sampled) -> str:
    """`violated`, or `sampled 1,000`: never that something holds."""
    if any(each.verdict in VIOLATED for each in judged(sampled.outcome)):
        return "violated"
    return f"sampled {sampled.runs:,}"


def line(sampled: Sampled, width: int | None = None) -> str:
    """What became of the check, and what weakens or qualifies it; no line end.

    width  where a line is broken; None: nowhere
    """
    outcome = sampled.outcome
    head = f"{verdict(sampled)}  {outcome.check.name}  {told(sampled)}"
    whole = f"{visible(head)}  {visible(settings(outcome.check.model.settings))}".rstrip()
    lines = [whole] if width is None else wrap(whole, width, _HANG)
    return "\n".join([*lines, *remarks(outcome)])


def told(sampled: Sampled) -> str:
    """What was found, what was left open, and how much was walked."""
    outcome = sampled.outcome
    surprise = unexpected(outcome)
    parts = [f"NOT AS EXPECTED: {surprise}"] if surprise else [*met(outcome)]
    parts += few(left_open(outcome))
    if outcome.limits:
        parts.append(f"stopped by {', '.join(outcome.limits)}")
    parts.append(walked(sampled))
    return "; ".join(parts)


def walked(sampled: Sampled) -> str:
    """`50 runs, 49,011 steps, at most 1,000 in a run`"""
    runs, steps = plural(sampled.runs, "run"), plural(sampled.steps, "step")
    return f"{runs}, {steps}, at most {sampled.longest:,} in a run"


def met(outcome: Outcome) -> list[str]:
    """The findings that are settled, and as the check expects them."""
    about = judged(outcome)
    settled = [f for f in about if f.verdict in VIOLATED]
    settled += [f for f in about if f.verdict is Verdict.HOLDS and is_listed(f, outcome)]
    said = ", ".join(finding(each) for each in settled)
    if not said:
        return ["nothing violated"]
    return [said + (", as expected" if outcome.as_expected else "")]


def left_open(outcome: Outcome) -> list[str]:
    """What the check lists, or `holds` stands for, and was not decided."""
    told: list[str] = []
    named = {each.name: each for each in outcome.found}
    for expected in outcome.check.expectations:
        match expected:
            case ExpectHolds():
                told += [
                    _undecided(each)
                    for each in outcome.found
                    if each.kind not in ERROR_KINDS
                    and each.kind not in ("invariant", "step", "deadlock")
                    and each.verdict is Verdict.UNDECIDED
                ]
            case ExpectCount():
                told.append(f"{expectation(expected)} is not decided")
            case ExpectProperty(name, _, steps):
                if named[name].verdict is Verdict.UNDECIDED:
                    told.append(_undecided(named[name]))
                elif steps is not None and (named[name].steps or 0) >= steps:
                    told.append(f"{expectation(expected)}: the number is not decided")
            case ExpectError(kind):
                if named[kind].verdict is Verdict.UNDECIDED:
                    told.append(_undecided(named[kind]))
    return told


def _undecided(found: Found) -> str:
    if found.kind not in _SAFETY and found.kind != found.name:
        return f"{found.name} is not judged"
    return f"{found.name} was not {'reached' if found.kind == 'reachable' else 'met'}"


def origin(sampled: Sampled, found: Found) -> list[str]:
    """Where a violation was met, and what became of the walk: sentences for a report."""
    came = sampled.origin(found.name)
    if came is None or found.steps is None:
        return []
    where = f"met in run {came.run + 1}, after {plural(came.steps, 'step')}"
    if found.steps < came.steps:
        return [f"{where}; shortened since, perhaps not to the shortest"]
    return [f"{where}; there may be a shorter way"] if came.steps else [where]


def record(sampled: Sampled) -> dict[str, Any]:
    """The check in the JSON document; docs/simulate.md describes what is not as in others."""
    outcome = sampled.outcome
    entry = records.check(outcome)
    violated = verdict(sampled) == "violated"
    # Nobody counted these.
    entry |= {"verdict": "violated" if violated else "sampled", "distinct": None, "depth": None}
    entry.pop("stats", None)
    entry["sample"] = {
        "seed": sampled.seed,
        "wanted": sampled.wanted,
        "most_steps": sampled.most_steps,
        "runs": sampled.runs,
        "steps": sampled.steps,
        "longest": sampled.longest,
        "lost": sampled.lost,
    }
    for each in entry["properties"]:
        came = sampled.origin(each["name"])
        each["met"] = None if came is None else {"run": came.run + 1, "steps": came.steps}
    return entry
