"""Whether a check came out as it says it should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from modelcheck.core.model import (
    ERROR_KINDS,
    Check,
    Expectation,
    ExpectCount,
    ExpectError,
    ExpectHolds,
    ExpectProperty,
)
from modelcheck.core.outcome import VIOLATED, Found, Stats, Verdict


def judges_deadlock(check: Check) -> bool:
    """Whether a deadlock matters to the check: it expects that all holds, or a deadlock."""
    return any(
        isinstance(each, ExpectHolds) or each == ExpectError("deadlock")
        for each in check.expectations
    )


def all_decided(check: Check, is_found: Callable[[str], bool]) -> bool:
    """Whether everything the check lists is known although there are more states.

    is_found  asked for a property: whether it was seen violated or, of `reachable`, satisfied;
              and for `deadlock` and the four errors, whether one was seen
    """
    return bool(check.expectations) and all(_decided(e, is_found) for e in check.expectations)


def _decided(expected: Expectation, is_found: Callable[[str], bool]) -> bool:
    match expected:
        case ExpectHolds() | ExpectCount():
            return False
        case ExpectProperty(name):
            return is_found(name)
        case ExpectError(kind):
            return is_found(kind)
        case _:
            assert_never(expected)


Judgement = tuple[bool | None, tuple[tuple[Expectation, str], ...]]


def judge(check: Check, found: Sequence[Found], stats: Stats, *, complete: bool) -> Judgement:
    """Whether the outcome is as expected, None if that is not known; and what is not, with why.

    One of the four errors that the check does not list makes it False without an entry.
    """
    unmet: list[tuple[Expectation, str]] = []
    open_ = False
    for expected in check.expectations:
        met, came = _meets(expected, found, stats, complete)
        open_ = open_ or met is None
        if met is False:
            unmet.append((expected, came))
    if unmet or _unlisted_errors(check, found):
        return False, tuple(unmet)
    return None if open_ else True, ()


def _unlisted_errors(check: Check, found: Sequence[Found]) -> bool:
    listed = {each.kind for each in check.expectations if isinstance(each, ExpectError)}
    return any(
        each.kind in ERROR_KINDS and each.kind not in listed and each.verdict in VIOLATED
        for each in found
    )


def _meets(
    expected: Expectation, found: Sequence[Found], stats: Stats, complete: bool
) -> tuple[bool | None, str]:
    """Whether the expectation came out, None if that is not known; and what came."""
    match expected:
        case ExpectHolds():
            return _all_hold(found)
        case ExpectProperty():
            return _property(expected, _named(found, expected.name))
        case ExpectError(kind):
            return _occurs(_named(found, kind))
        case ExpectCount(kind, count):
            counts = {
                "distinct": stats.distinct, "generated": stats.generated, "depth": stats.depth
            }  # fmt: skip
            came = f"{kind} {counts[kind]}"
            return (counts[kind] == count if complete else None), came
        case _:
            assert_never(expected)


def _named(found: Sequence[Found], name: str) -> Found:
    return next(each for each in found if each.name == name)


def _all_hold(found: Sequence[Found]) -> tuple[bool | None, str]:
    broken = [each for each in found if each.verdict in VIOLATED]
    if broken:
        return False, ", ".join(clause(each) for each in broken)
    if any(each.verdict is Verdict.UNDECIDED for each in found):
        return None, ""
    return True, ""


def _property(expected: ExpectProperty, found: Found) -> tuple[bool | None, str]:
    """`fails` covers the two ways in which a liveness property fails."""
    if found.verdict is Verdict.UNDECIDED:
        return None, clause(found)
    same = found.verdict.value == expected.verdict
    if expected.verdict == "fails":
        same = found.verdict in VIOLATED
    in_time = expected.steps is None or expected.steps == found.steps
    return same and in_time, clause(found)


def _occurs(found: Found) -> tuple[bool | None, str]:
    if found.verdict is Verdict.UNDECIDED:
        return None, clause(found)
    return found.verdict in VIOLATED, clause(found)


def clause(found: Found) -> str:
    """What came: `P fails in 3 steps`, `P holds`, `no deadlock`, `range after 2 steps`."""
    if found.kind == found.name:
        if found.verdict in VIOLATED:
            return f"{found.name} after {_steps(found)}"
        return (
            f"no {found.name}" if found.verdict is Verdict.HOLDS else f"{found.name} is undecided"
        )
    if found.verdict in VIOLATED and found.steps is not None:
        return f"{found.name} {found.verdict.value} in {_steps(found)}"
    if found.verdict is Verdict.UNDECIDED:
        return f"{found.name} is undecided"
    return f"{found.name} {found.verdict.value}"


def _steps(found: Found) -> str:
    return "1 step" if found.steps == 1 else f"{found.steps} steps"
