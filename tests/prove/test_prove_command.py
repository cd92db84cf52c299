"""`modelcheck prove`: options, exit codes, what is printed; the solver is played by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from click.testing import CliRunner, Result

import modelcheck
from modelcheck.cli import program
from modelcheck.core.proof import Instances, Proof, Proved
from modelcheck.prove.solver import Settings

from .tokens import (
    PROOF,
    TOKENS,
    everything_proved,
    no_answer,
    not_inductive,
    run_to_violation,
    tokens,
)


@define
class Solver:
    """Answers as it is told to, and keeps what it was asked."""

    answers: Proved = field(factory=everything_proved)
    asked: list[tuple[str, Settings]] = field(factory=list)
    general: list[tuple[str, tuple[str, ...]]] = field(factory=list)

    def prove(
        self, proof: Proof, instances: Instances, settings: Settings, progress: Any
    ) -> Proved:
        assert instances({"Node": 1, "MAX": 1}) is not None
        self.general.append((proof.name, proof.general))
        self.asked.append((proof.name, settings))
        return self.answers


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Solver:
    """A file `tokens.model`, and a solver played by hand."""
    monkeypatch.chdir(tmp_path)
    Path("tokens.model").write_text(TOKENS + PROOF, "utf-8")
    played = Solver()
    monkeypatch.setattr("modelcheck.proving.prove", played.prove)
    return played


def prove(*arguments: str) -> Result:
    result = CliRunner().invoke(program, ["prove", *arguments], standalone_mode=False)
    assert result.exception is None or not isinstance(result.exception, Exception), result.output
    return result


def code(*arguments: str) -> int:
    returned = prove(*arguments).return_value
    assert isinstance(returned, int)
    return returned


@pytest.mark.parametrize(
    ("came", "expected"),
    [(everything_proved, 0), (not_inductive, 1), (run_to_violation, 1), (no_answer, 3)],
)
def test_the_exit_code_says_what_came(
    solver: Solver, came: Callable[[], Proved], expected: int
) -> None:
    solver.answers = came()
    assert code("tokens.model") == expected


def test_the_report_is_printed_with_the_command_that_repeats_it(solver: Solver) -> None:
    solver.answers = not_inductive()
    shown = prove("tokens.model", "--seconds", "5", "--seed", "7").output
    assert shown.startswith("not inductive  Fencing for any Node, MAX")
    assert "= reproduce: modelcheck prove --seconds 5 --seed 7 tokens.model Fencing" in shown


def test_options_reach_the_solver(solver: Solver, tmp_path: Path) -> None:
    assert code("tokens.model", "-j", "3", "--seconds", "2.5", "--certificate", "out") == 0
    ((name, settings),) = solver.asked
    assert name == "Fencing"
    assert (settings.threads, settings.seconds, settings.seed) == (3, 2.5, 0)
    assert settings.certificate == Path("out")


def test_what_is_set_on_the_command_line_is_no_longer_open(solver: Solver) -> None:
    assert code("tokens.model", "-D", "MAX=1") == 0
    ((name, general),) = solver.general
    assert (name, general) == ("Fencing", ("Node",))
    assert "error[unknown-setting]" in prove("tokens.model", "-D", "MOST=1").output


def test_a_certificate_that_cannot_be_written_is_told(
    solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Proved:
        raise PermissionError("no room in out")

    monkeypatch.setattr("modelcheck.proving.prove", fail)
    result = prove("tokens.model", "--certificate", "out")
    assert result.return_value == 2
    assert "cannot write the certificate: no room in out" in result.output


def test_proofs_are_chosen_by_name(solver: Solver) -> None:
    other = "\nproof Other\n  for any Node, MAX\n  FenceNeverFalls by induction\n"
    Path("tokens.model").write_text(TOKENS + PROOF + other, "utf-8")
    assert code("tokens.model", "Other") == 0
    assert [name for name, _ in solver.asked] == ["Other"]
    assert code("tokens.model") == 0
    assert [name for name, _ in solver.asked] == ["Other", "Fencing", "Other"]


def test_a_file_without_proofs_and_an_unknown_name_are_refused(solver: Solver) -> None:
    Path("plain.model").write_text(TOKENS, "utf-8")
    assert "error[no-proofs]" in prove("plain.model").output
    assert code("plain.model") == 2
    assert "error[unknown-proof]" in prove("tokens.model", "Fence").output
    assert code("tokens.model", "Fence") == 2


def test_a_file_that_cannot_be_used_is_refused_and_the_others_are_proved(solver: Solver) -> None:
    Path("broken.model").write_text("protocol Broken\n", "utf-8")
    shown = prove("broken.model", "tokens.model")
    assert shown.return_value == 2
    assert "proved         Fencing" in shown.output


def test_the_document_has_what_the_report_has(solver: Solver) -> None:
    solver.answers = not_inductive()
    document = json.loads(prove("tokens.model", "--format", "json").output)
    assert document["schema"] == 1
    (file,) = document["files"]
    (proof,) = file["proofs"]
    assert (file["path"], proof["name"]) == ("tokens.model", "Fencing")
    assert proof["verdict"] == "not inductive"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--faults", "none"],
        ["--bounded", "3", "--certificate", "out"],
        ["--seconds", "0"],
    ],
)
def test_options_that_make_no_sense_are_refused(solver: Solver, arguments: list[str]) -> None:
    result = CliRunner().invoke(program, ["prove", "tokens.model", *arguments])
    assert result.exit_code == 2


# --- bounded -------------------------------------------------------------------------

CHECKS = """
check fine
  Node = 2, MAX = 2
  expect holds

check broken
  Node = 1, MAX = 1
  expect FenceWasGranted holds
"""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file with checks."""
    monkeypatch.chdir(tmp_path)
    Path("tokens.model").write_text(TOKENS + CHECKS, "utf-8")


@pytest.mark.usefixtures("checks")
def test_a_bounded_search_that_finds_nothing_has_decided_nothing() -> None:
    result = prove("--bounded", "1", "tokens.model", "fine")
    assert result.return_value == 3
    assert result.output.startswith("bounded 1  fine  nothing violated")


@pytest.mark.usefixtures("checks")
def test_the_document_of_a_bounded_search_counts_nothing() -> None:
    shown = prove("--bounded", "1", "tokens.model", "--format", "json").output
    fine, _ = json.loads(shown)["files"][0]["checks"]
    assert (fine["verdict"], fine["bound"], fine["distinct"]) == ("bounded", 1, None)


@pytest.mark.usefixtures("checks")
def test_a_violation_that_a_bounded_search_meets_is_shown() -> None:
    broken = TOKENS.replace("store.fence := n.token", "store.fence := MAX")
    text = broken + CHECKS.replace("FenceWasGranted holds", "FenceWasGranted fails")
    Path("tokens.model").write_text(text, "utf-8")
    expected = prove("--bounded", "2", "tokens.model", "broken")
    assert expected.return_value == 0
    assert expected.output.startswith("violated  broken  FenceWasGranted fails after 1 step")
    surprise = prove("--bounded", "2", "tokens.model", "fine")
    assert surprise.return_value == 1
    again = "modelcheck prove --bounded 2 tokens.model fine"
    assert f"= reproduce: {again}" in surprise.output


# --- the Python interface ------------------------------------------------------------


def test_all_proofs_of_a_file_or_one_can_be_asked_for(solver: Solver) -> None:
    (proved,) = tokens().prove()
    assert proved.standing is modelcheck.Standing.PROVED
    (again,) = tokens().prove("Fencing")
    assert again == proved
    assert modelcheck.describe(proved).startswith("proved         Fencing for any Node, MAX")
    with pytest.raises(modelcheck.Refused):
        tokens().prove("Nothing")
