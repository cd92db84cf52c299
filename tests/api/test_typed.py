"""A program that uses the Python interface is type-checked against it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

PROGRAM = """\
from collections.abc import Iterator
from pathlib import Path

import modelcheck
from modelcheck import Found, Limits, Outcome, Plain, Record, Refused, Trace, Verdict


def outcomes(path: Path) -> Iterator[Outcome]:
    try:
        file = modelcheck.load(path)
    except Refused as refused:
        print(modelcheck.describe(refused), [each.id for each in refused.diagnostics])
        return
    for name in file:
        check = file.instance(name, [("Node", "2")], faults="none")
        yield modelcheck.check(check, Limits(states=1_000, seconds=1.5), keep_going=True)


def tokens(outcome: Outcome, trace: Trace) -> list[Plain]:
    found: list[Plain] = []
    for position in modelcheck.walk(outcome.check.model, trace):
        role: Plain = position.state["n1.role"]
        if isinstance(role, Record) and role.name == "Leading":
            found.append(role["token"])
        if position.step is not None:
            name: str = position.step.action.name
            print(name, modelcheck.arguments_as_dict(position.step))
    return found


def first(outcome: Outcome) -> Found | None:
    return next((each for each in outcome.found if each.verdict is Verdict.FAILS), None)


for each in outcomes(Path("lamp.model")):
    verdict: str = each.verdict
    as_expected: bool | None = each.as_expected
    states: int = each.stats.distinct
    found = first(each)
    if found is not None and found.trace is not None:
        steps: int | None = found.steps
        print(tokens(each, found.trace), modelcheck.describe_trace(each, found.name))
    print(verdict, as_expected, states, modelcheck.__version__)
"""


@pytest.mark.full
def test_a_program_type_checks_strictly_and_a_slip_in_it_does_not(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(PROGRAM, "utf-8")
    slips = {
        "modelcheck.load(path)": "modelcheck.lead(path)",
        "seconds=1.5": 'seconds="1.5"',
        "steps: int | None": "steps: int",
        "position.step.action": "position.action",
    }
    wrong = PROGRAM
    for right, slip in slips.items():
        assert right in wrong
        wrong = wrong.replace(right, slip)
    (tmp_path / "wrong.py").write_text(wrong, "utf-8")
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"),
            "right.py", "wrong.py",
        ],
        cwd=tmp_path,
        env=None,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert not [line for line in errors if not line.startswith("wrong.py")], done.stdout
    assert len({line.split(":")[1] for line in errors}) == len(slips), done.stdout
