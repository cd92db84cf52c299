"""What people who use model checkers daily complain of: checks that pass and say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from .ask import data, told

COUNTER = """\
protocol Counter

state
  box
    x: 0..3 = 0

action up
  when box.x < 2
  box.x := box.x + 1

action never
  when box.x == 3
  box.x := 0

stops when box.x == 2

constraint box.x < 5

invariant P
  box.x == 3 implies false

check small
  expect holds
"""


def test_c09_a_state_that_must_be_reachable_and_is_not_fails_the_check(tmp_path: Path) -> None:
    text = COUNTER + "\nreachable Top\n  box.x == 3\n"
    code, out = told(tmp_path, text)
    assert code == 1
    assert "violated[reachable]: Top, in no state reached" in out


def test_c09_one_that_is_has_a_shortest_witness(tmp_path: Path) -> None:
    text = COUNTER + "\nreachable Two\n  box.x == 2\n"
    code, out = told(tmp_path, text, "small", "Two", command="trace")
    assert code == 0
    assert "reachable: Two, after 2 steps" in out and "\n 2  up" in out


def test_c10_what_never_restricts_and_never_happens_is_listed(tmp_path: Path) -> None:
    code, out = told(tmp_path, COUNTER)
    assert code == 0
    listed = [line.partition("]")[0] for line in out.splitlines() if line.startswith("warning")]
    assert listed == [
        "warning[always-disabled",
        "warning[constraint-cuts-nothing",
        "warning[vacuous",
    ]


def test_c10_and_can_be_made_an_error(tmp_path: Path) -> None:
    code, out = told(tmp_path, COUNTER, "--vacuity", "error")
    assert code == 1
    assert out.count("\nerror[") == 3 and "3 errors of vacuity" in out


@pytest.mark.parametrize("engine", ["native", "referee"])
def test_c10_the_counts_are_there(tmp_path: Path, engine: str) -> None:
    check = data(tmp_path, COUNTER, "--engine", engine)
    assert check["actions"] == [
        {"name": "up", "enabled": 2},
        {"name": "never", "enabled": 0},
    ]
    (found,) = (each for each in check["properties"] if each["name"] == "P")
    assert [line["reason"] for line in found["vacuous"]] == ["never triggered"]
