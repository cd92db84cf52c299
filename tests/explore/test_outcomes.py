"""The two engines come to the same outcome: verdicts, counts, traces, reasons, warnings.

Whole outcomes are compared, with every way to end a search: when all that a check
lists is decided, at a number of states, at a depth, and (under `--full`) never; for
one thread, two, and more than there are processors.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from modelcheck import api
from modelcheck.core.limits import Limits
from modelcheck.core.model import Check
from modelcheck.core.outcome import Outcome
from tests.generate import generate
from tests.generate.loading import load

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("protocols/*/*.model"), *ROOT.glob("tests/calibration/*.model")])
LARGE = frozenset(
    {
        "two_phase_classic-rm5",
        "voting-a3v2b2",
        "ct_consensus-correct",
        "ct_consensus-never_calm",
        "ct_consensus-two_of_four_down",
        "quorum_register-written_back",
        "quorum_register-one_replica",
    }
)
"""Checks that take the referee more than a few seconds."""

TOO_LARGE = frozenset({"rm8", "rm9", "rm11"})
"""Checks that take the referee hours, or more memory than there is."""

End: TypeAlias = tuple[dict[str, Any], Limits]

EARLY: tuple[End, ...] = (({}, Limits()), ({}, Limits(states=40)), ({}, Limits(depth=3)))
NEVER: End = ({"keep_going": True}, Limits())
THREADS = (1, 2, 7)
QUICK_MODELS = 8
FULL_MODELS = 300


def checks() -> Iterator[Any]:
    for path in FILES:
        for name in api.load(path):
            if name in TOO_LARGE:
                continue
            row = f"{path.stem}-{name}"
            marks = [pytest.mark.full] if row in LARGE else []
            yield pytest.param(path, name, id=row, marks=marks)


def differences(native: Outcome, referee: Outcome) -> Iterator[str]:
    """What is not the same, readably."""
    for part in ("stats", "complete", "limits", "as_expected", "unmet", "warnings"):
        ours, right = getattr(native, part), getattr(referee, part)
        if ours != right:
            yield f"{part}: {ours}, rightly {right}"
    for ours, right in zip(native.found, referee.found, strict=True):
        if ours != right:
            yield f"{ours}, rightly {right}"
        elif ours.trace != right.trace:
            yield f"the trace of {ours.name}"


def compare(check: Check, *ends: End, threads: tuple[int, ...] = THREADS) -> None:
    for how, limits in ends:
        right = api.check(check, limits, "referee", **how)
        for number in threads:
            ours = api.check(check, limits, "native", threads=number, **how)
            assert not list(differences(ours, right)), (check.name, how, limits, number)


@pytest.mark.parametrize(("path", "name"), list(checks()))
def test_files_of_the_repository(path: Path, name: str) -> None:
    compare(api.load(path)[name], *EARLY)


@pytest.mark.full
@pytest.mark.parametrize(("path", "name"), list(checks()))
def test_files_of_the_repository_searched_to_the_end(path: Path, name: str) -> None:
    compare(api.load(path)[name], NEVER)


@pytest.mark.parametrize("seed", range(1, 1 + QUICK_MODELS))
def test_generated_models(seed: int) -> None:
    for check in load(generate(seed).files).checks():
        compare(check, *EARLY, NEVER, threads=(1, 2))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 1 + FULL_MODELS))
def test_many_generated_models(seed: int) -> None:
    for check in load(generate(seed).files).checks():
        right = api.check(check, engine="referee", keep_going=True)
        ours = api.check(check, threads=1 + seed % 2, keep_going=True)
        assert not list(differences(ours, right)), check.name


def test_a_model_that_the_engine_cannot_take_is_searched_by_the_referee(tmp_path: Path) -> None:
    wide = tmp_path / "wide.model"
    wide.write_text(
        """\
protocol Wide

type Long(a: 0..4000000000, b: 0..4000000000, c: 0..4000000000)

state
  store
    kept: set of Long up to 2 = {}

action keep(n in 0..2)
  when size(store.kept) < 2
  store.kept += Long(n, n, n)

stops when size(store.kept) == 2

check small
  expect holds
""",
        encoding="utf-8",
    )
    outcome = api.check(api.load(wide)["small"])
    assert outcome.verdict == "holds"
    assert outcome.stats.distinct == 1 + 3 + 3
    assert any("slow engine" in warning for warning in outcome.warnings)


WITHOUT_VALUE = """\
protocol The

sort Node
type Place = 0..2
type Item = Small(at: Place) | Large(at: Place, to: Place) | Huge(by: Node)

state
  shelf
    items: set of Item = {Small(1)}
    last: Item? = none

action take(n in Node)
  let found = the i in shelf.items: i is Huge(m) and m == n
  shelf.last := found

action put(i in Item)
  when size(shelf.items) < 3
  shelf.items += i

action empty_it(b in bool)
  shelf.items := if b then {} else {Large(0, 1), Large(1, 1)}

check small
  Node = 2
  expect undefined
"""


def test_a_the_that_nothing_fits_shows_no_value(tmp_path: Path) -> None:
    path = tmp_path / "the.model"
    path.write_text(WITHOUT_VALUE, "utf-8")
    compare(api.load(path)["small"], *EARLY, NEVER, threads=(1, 2))
