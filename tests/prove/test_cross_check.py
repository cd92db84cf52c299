"""`check --cross-check`: what disagrees is told as a bug of ours, with what is needed to see it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from modelcheck import api, cli, crossing
from modelcheck.core.agreement import Agreement, Disagreement
from modelcheck.core.limits import Limits
from modelcheck.core.outcome import Outcome, Verdict
from modelcheck.core.proof import Argument, Concluded, Proved, Standing
from modelcheck.reproduction import save

ELECTION = """\
protocol Election

import "lib/numbers.model" (Small)

sort Node

param ONCE: bool = true

state
  service
    leader: Node? = none
  each Node
    votes: Small = 0

action vote(n in Node)
  when ONCE implies n.votes == 0
  n.votes += 1
  service.leader := n

fault forget at most 1
  service.leader := none

invariant Few
  forall n in Node: n.votes <= 1

reachable Everyone
  forall n in Node: n.votes == 1

stops when forall n in Node: n.votes > 0

proof AnySize
  for any Node
  Few by induction

check once
  Node = 2
  expect holds

check again
  Node = 2
  ONCE = false
  expect Few fails
  expect range
"""
NUMBERS = """\
type Small = 0..2
"""


@pytest.fixture
def election(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "numbers.model").write_text(NUMBERS, encoding="utf-8")
    path = tmp_path / "election.model"
    path.write_text(ELECTION, encoding="utf-8")
    return path


def changed(outcome: Outcome, name: str, **how: Any) -> Outcome:
    """The outcome with another finding for one property."""
    found = tuple(evolve(each, **how) if each.name == name else each for each in outcome.found)
    return evolve(outcome, found=found)


def disagreement(outcome: Outcome, proved: tuple[Proved, ...] = ()) -> Disagreement:
    agreed = crossing.cross_check(outcome, proved)
    assert isinstance(agreed, Disagreement)
    return agreed


def proved(file: api.File, standing: Standing = Standing.PROVED, **how: Any) -> Proved:
    """What comes of the file's proof, as it is claimed."""
    from modelcheck.resolve.proof import open_proof

    proof = open_proof(file.resolved, "AnySize")
    argument: Argument = proof.arguments[0]
    return Proved(proof, (Concluded(argument, standing, (), **how),), (("Node", "1"),))


# --- agreement -------------------------------------------------------------------------


def test_an_early_end_is_gone_along_with(election: Path) -> None:
    outcome = api.check(api.load(str(election))["again"])
    # It ended when a range was left, in the third step.
    assert not outcome.complete
    assert crossing.cross_check(outcome) == Agreement(3)


def test_a_limit_is_gone_along_with(election: Path) -> None:
    for depth in range(4):
        outcome = api.check(api.load(str(election))["once"], Limits(depth=depth))
        assert isinstance(crossing.cross_check(outcome), Agreement)


def test_a_proof_counts_for_the_checks_that_are_its_instances(election: Path) -> None:
    file = api.load(str(election))
    outcome = api.check(file["once"])
    assert crossing.cross_check(outcome, (proved(file),)) == Agreement(6, proofs=("AnySize",))
    other = api.check(file["again"])
    agreed = crossing.cross_check(other, (proved(file),))
    assert isinstance(agreed, Agreement) and agreed.proofs == ()


def test_more_faults_than_a_proof_allows_are_none_of_its_instances(election: Path) -> None:
    file = api.load(str(election))
    outcome = api.check(file.instance("once", faults="forget=2"))
    agreed = crossing.cross_check(outcome, (proved(file),))
    assert isinstance(agreed, Agreement) and agreed.proofs == ()
    fewer = api.check(file.instance("once", faults="none"))
    assert crossing.cross_check(fewer, (proved(file),)) == Agreement(6, proofs=("AnySize",))


def test_what_is_not_proved_for_any_size_says_nothing(election: Path) -> None:
    file = api.load(str(election))
    wrong = changed(api.check(file["once"]), "Few", verdict=Verdict.FAILS)
    for claimed in (
        proved(file, Standing.UNKNOWN),
        proved(file, scope=(("Node", "2"),)),
        evolve(proved(file), alive=None),
    ):
        assert isinstance(crossing.cross_check(wrong, (claimed,)), Agreement)


# --- disagreement ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "name", "how"),
    [
        ("again", "Few", {"steps": 1}),
        ("again", "Few", {"verdict": Verdict.HOLDS, "steps": None}),
        ("once", "Few", {"verdict": Verdict.FAILS, "steps": 2}),
        ("once", "Everyone", {"steps": 3}),
        ("once", "deadlock", {"verdict": Verdict.FAILS, "steps": 0}),
        ("once", "range", {"verdict": Verdict.FAILS, "steps": 2}),
        ("again", "range", {"verdict": Verdict.HOLDS, "steps": None}),
    ],
)
def test_another_finding_is_noticed(
    election: Path, check: str, name: str, how: dict[str, Any]
) -> None:
    outcome = api.check(api.load(str(election))[check], keep_going=True)
    assert isinstance(crossing.cross_check(outcome), Agreement)
    wrong = disagreement(changed(outcome, name, **how))
    assert wrong.name == name
    assert name in str(wrong)


def test_a_property_that_is_proved_must_not_be_violated(election: Path) -> None:
    file = api.load(str(election))
    wrong = changed(api.check(file["once"]), "Few", verdict=Verdict.FAILS, steps=9)
    assert disagreement(wrong, (proved(file),)) == Disagreement(
        "Few", "fails after 9 steps", "the proof `AnySize` proves it for any size"
    )


# --- the command -----------------------------------------------------------------------


def test_the_command_says_what_was_compared(
    election: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["check", str(election), "once", "--cross-check"])
    assert left.value.code == 0
    said = "cross-checked by bounded search up to 6 steps and by the proof AnySize"
    assert said in capsys.readouterr().out


def test_a_disagreement_is_a_bug_and_is_saved(
    election: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = election.parent / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("modelcheck.prove.writing._put", lambda old, *rest: old)
    with pytest.raises(SystemExit) as left:
        cli.main(["check", str(election), "again", "--cross-check"])
    assert left.value.code == 70
    told = capsys.readouterr().err
    assert "this is a bug in modelcheck" in told
    saved = here / "modelcheck-bug-election"
    assert saved.name in told
    assert (saved / "election.model").read_text("utf-8") == ELECTION
    assert (saved / "lib" / "numbers.model").read_text("utf-8") == NUMBERS
    assert "bounded search" in (saved / "findings.txt").read_text("utf-8")
    command = (saved / "command.txt").read_text("utf-8").split()
    assert command == ["modelcheck", "check", "election.model", "again", "--cross-check"]
    # In the directory, the command does the same again; here without the mistake.
    again = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=saved,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    assert again.returncode == 0, again.stderr


def test_a_saved_bug_overwrites_none(election: Path, tmp_path: Path) -> None:
    file = api.load(str(election))
    first, second = (save(file, ["modelcheck", "{}"], "findings", tmp_path) for _ in range(2))
    assert first != second


def test_a_shipped_import_is_saved_where_it_is_looked_for(tmp_path: Path) -> None:
    file = api.load("fencing/fenced_leader")
    directory = save(file, ["modelcheck", "check", "{}"], "findings", tmp_path)
    own = (directory / "command.txt").read_text("utf-8").split()[-1]
    copied = api.load(str(directory / own))
    assert list(copied) == list(file)
