"""What people who use model checkers daily complain of: slips that a tool lets pass, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from modelcheck import api

from .ask import call, outcome, told

PAIR = """\
protocol Pair

sort Node

state
  store
    left: 0..3 = 0
    right: 0..3 = 0
  each Node
    vote: 0..1 = 0

action both
  when store.left < 2
  store.left := store.left + 1

action pick(n in Node)
  n.vote := 1

stops when true

invariant Unmentioned
  store.right == 0

check small
  Node = 2
  expect holds
"""


def test_c19_a_write_to_what_is_not_declared_is_refused_with_what_is_meant(tmp_path: Path) -> None:
    code, out = told(tmp_path, PAIR.replace("  store.left := ", "  store.lefft := "))
    assert code == 2
    assert "no state variable `store.lefft`" in out and "did you mean `store.left`?" in out


def test_c20_what_is_not_written_keeps_its_value() -> None:
    assert outcome(PAIR).as_expected


def test_c20_two_writes_to_one_place_are_refused(tmp_path: Path) -> None:
    text = PAIR.replace("  n.vote := 1", "  n.vote := 1\n  n.vote := 0")
    code, out = told(tmp_path, text)
    assert code == 2
    assert "error[two-writes]" in out


@pytest.mark.parametrize("engine", api.ENGINES)
def test_c21_the_needs_exactly_one_and_names_those_that_fit(engine: str) -> None:
    text = PAIR.replace(
        "stops when true",
        "action ask\n  when (the n in Node: n.vote == 1).vote == 1\n  store.left := 3\n\n"
        "stops when true",
    )
    found = outcome(text, engine=engine)["undefined"]
    assert found.failure is not None
    assert found.failure.reason == "`the` has no value that fits"
    twice = outcome(text.replace("vote == 1).vote == 1", "vote < 2).vote == 1"), engine=engine)
    failure = twice["undefined"].failure
    assert failure is not None and failure.reason == "`the` has 2 values that fit: n1, n2"


def test_c21_a_choice_in_the_header_is_a_branch_for_each() -> None:
    counted = dict(outcome(PAIR).stats.enabled)
    # 3 values of `left`, 2 votes of each of 2 nodes; a choice for each node in each state.
    assert counted["pick"] == 3 * 4 * 2


@pytest.mark.parametrize(
    ("change", "options", "code"),
    [
        (("", ""), (), 0),
        (("store.right == 0", "store.left < 2"), (), 1),
        (("stops when true", "stops when false"), (), 1),
        (("store.left + 1", "store.left + 9"), (), 1),
        (("store.right == 0", "store.rigth == 0"), (), 2),
        (("", ""), ("--states", "3"), 3),
    ],
)
def test_c22_the_exit_code_tells_what_came(
    tmp_path: Path, change: tuple[str, str], options: tuple[str, ...], code: int
) -> None:
    assert told(tmp_path, PAIR.replace(*change), *options)[0] == code


def test_c22_a_bug_of_ours_has_a_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise AssertionError("planted")

    monkeypatch.setattr(api, "check", broken)
    assert told(tmp_path, PAIR)[0] == 70


def test_c23_workers_and_hash_seeds_change_nothing() -> None:
    said = set()
    for seed, threads in (("0", "1"), ("1", "2"), ("7", "5")):
        done = subprocess.run(
            [
                *(sys.executable, "-m", "modelcheck", "check", "commit/two_phase"),
                *("-j", threads, "--format", "json"),
            ],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        document = json.loads(done.stdout)
        for check in document["files"][0]["checks"]:
            del check["seconds"], check["stats"]
        said.add(json.dumps(document))
    assert len(said) == 1


def test_c25_a_counter_that_leaves_its_range_is_an_error_with_action_and_value(
    tmp_path: Path,
) -> None:
    text = PAIR.replace("  when store.left < 2\n", "")
    code, out = told(tmp_path, text)
    assert code == 1
    assert "violated[range]: `store.left` would become 4, outside 0..3, in step 4 of 4" in out
    assert "note: the step is both" in out


def test_c25_a_variable_without_bounds_is_refused(tmp_path: Path) -> None:
    code, out = told(tmp_path, PAIR.replace("left: 0..3", "left: int"))
    assert code == 2 and "error[not-finite]" in out


def test_every_call_above_is_of_this_tool() -> None:
    assert call("explain", "no-fairness")[0] == 0
