"""Small models from text, and what the tool says of them."""

from __future__ import annotations

import re
from pathlib import Path

from modelcheck import api
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Refused
from modelcheck.source import Source

Count = tuple[int, int, int]


def loaded(text: str, path: str = "small.model") -> api.File:
    """The text as a protocol; if it has no check, one with sorts of two members is added."""
    if not re.search(r"^protocol ", text, re.MULTILINE):
        text = f"protocol Small\n{text}"
    if "\ncheck " not in text:
        sorts = re.findall(r"^sort (.*)", text, re.MULTILINE)
        settings = ", ".join(f"{name} = 2" for name in ", ".join(sorts).split(", ") if name)
        text += f"\ncheck only\n  {settings}\n  expect holds\n"
    return api.load_source(Source(path, text))


def run(text: str, check: str | None = None, *, all_states: bool = True) -> Outcome:
    """What is found by the check of this name, without one by the first."""
    file = loaded(text)
    return api.check(file[check or next(iter(file))], keep_going=all_states)


def ran(text: str) -> dict[str, Outcome]:
    """What every check of the text finds, as the command line would run it."""
    file = loaded(text)
    return {name: api.check(file[name]) for name in file}


def counts(text: str, check: str | None = None) -> Count:
    """Distinct states, generated ones, depth."""
    stats = run(text, check).stats
    return stats.distinct, stats.generated, stats.depth


def refused(text: str) -> list[str]:
    """The ids of what keeps the file, or one of its checks, from being run; empty if nothing."""
    try:
        file = loaded(text)
        for name in file:
            file[name]
    except Refused as refusal:
        return [each.id for each in refusal.diagnostics]
    return []


def verdicts(outcome: Outcome) -> dict[str, str]:
    """The verdict on every property, and on deadlock and the four errors if they were found."""
    return {
        found.name: found.verdict.value
        for found in outcome.found
        if found.kind != found.name or found.verdict.value != "holds"
    }


def names(outcome: Outcome, of: str) -> list[str]:
    """The actions on the trace to this finding."""
    trace = outcome[of].trace
    assert trace is not None
    return [step.action.name for step in trace.steps]


def beside(directory: Path, **files: str) -> Path:
    """Files `NAME.model` in a directory; the path of the last one."""
    path = directory
    for name, text in files.items():
        path = directory / f"{name}.model"
        path.write_text(text, "utf-8")
    return path
