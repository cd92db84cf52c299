"""Short clauses: what is expected, and what was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, assert_never

from modelcheck.core.model import (
    ERROR_KINDS,
    Expectation,
    ExpectCount,
    ExpectError,
    ExpectHolds,
    ExpectProperty,
)
from modelcheck.core.outcome import VIOLATED, Found, Outcome, Verdict
from modelcheck.report.text import plural


def expectation(expected: Expectation) -> str:
    """As the file writes it: `NoLostUpdate fails in 9 steps`."""
    match expected:
        case ExpectHolds():
            return "holds"
        case ExpectProperty(name, verdict, None):
            return f"{name} {verdict}"
        case ExpectProperty(name, verdict, steps):
            assert steps is not None
            return f"{name} {verdict} in {plural(steps, 'step')}"
        case ExpectError(kind):
            return kind
        case ExpectCount(kind, count):
            return f"{kind} {count}"
        case _:
            assert_never(expected)


def settings(pairs: Iterable[tuple[str, str]]) -> str:
    """`Node = 2, MAX = 3, faults crash = 1`"""
    return ", ".join(
        f"faults {value}" if name == "faults" else f"{name} = {value}" for name, value in pairs
    )


def finding(found: Found) -> str:
    """What became of a property: `NoLostUpdate fails after 9 steps`, `deadlock after 3 steps`."""
    if found.verdict is Verdict.UNDECIDED:
        return f"{found.name} is undecided" + (f": {found.reason}" if found.reason else "")
    is_error = found.kind == found.name
    if is_error and found.verdict in VIOLATED:
        clause = found.name
    elif is_error:
        clause = f"no {found.name}"
    else:
        clause = f"{found.name} {found.verdict.value}"
    if found.kind == "reachable" and found.verdict is Verdict.HOLDS:
        clause = f"{found.name} is reached"
    elif found.verdict not in VIOLATED:
        return clause
    # The steps of a livelock lead into its loop, and say little by themselves.
    if found.steps is None or found.verdict is Verdict.LIVELOCKS:
        return clause
    if found.steps == 0:
        return f"{clause} in the initial state"
    return f"{clause} after {plural(found.steps, 'step')}"


def mismatch(expected: Expectation, came: str) -> str:
    """What was expected beside what came."""
    return f"expected {expectation(expected)}, got {came}"


def judged(outcome: Outcome) -> tuple[Found, ...]:
    """The findings that the check is about: all if it expects `holds`, else the listed ones.

    The four errors are judged in every check.
    """
    expected = outcome.check.expectations
    if any(isinstance(each, ExpectHolds) for each in expected):
        return outcome.found
    return tuple(f for f in outcome.found if f.kind in ERROR_KINDS or is_listed(f, outcome))


def is_listed(found: Found, outcome: Outcome) -> bool:
    """Whether the check names the property or error."""
    for expected in outcome.check.expectations:
        match expected:
            case ExpectProperty(name) | ExpectError(name) if name == found.name:
                return True
            case _:
                pass
    return False


def is_expected(found: Found, outcome: Outcome) -> bool:
    """Whether a violation is one that the check asks for, in the number of steps it asks for."""
    unmet = [expected for expected, _ in outcome.unmet]
    for expected in outcome.check.expectations:
        match expected:
            case ExpectProperty(name) | ExpectError(name) if name == found.name:
                return expected not in unmet
            case _:
                pass
    return False


def surprises(outcome: Outcome) -> list[Found]:
    """The violations that the check does not expect."""
    return [
        found
        for found in judged(outcome)
        if found.verdict in VIOLATED and not is_expected(found, outcome)
    ]


def verdict(outcome: Outcome) -> Literal["holds", "violated", "unfinished"]:
    """Of what the check is about: `holds` only if every state was visited."""
    found = judged(outcome)
    if any(each.verdict in VIOLATED for each in found):
        return "violated"
    if not outcome.complete or any(each.verdict is Verdict.UNDECIDED for each in found):
        return "unfinished"
    return "holds"
