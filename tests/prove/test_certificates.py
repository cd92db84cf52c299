"""Certificates, asked again of another solver.

The second solver shares no code with the first. What is finite has no quantifiers,
and there the two must give the same answers. With quantifiers each solver gives up
on some questions: those are listed, and none may be contradicted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modelcheck import api
from modelcheck.core.proof import Standing
from modelcheck.prove.certificate import INDEX
from modelcheck.prove.solver import Settings

from .test_shipped_proofs import SAFE, loaded, proofs

cvc5 = pytest.importorskip("cvc5")

EFFORT = 4_000_000
"""Of the second solver for each question, in its own measure: not in seconds."""

CONFIRMED = 0.8
"""The share of questions with quantifiers that the second solver answers: at least so many."""


def answer(path: Path) -> str:
    """What the second solver says: "sat", "unsat", or "unknown" and why."""
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("rlimit-per", str(EFFORT))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    said = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return said
        said = str(command.invoke(solver, parser.getSymbolManager())).strip() or said


def entries(directory: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((directory / INDEX).read_text())["files"]
    assert sorted(each["file"] for each in listed) == sorted(
        path.name for path in directory.glob("*.smt2")
    )
    return listed


def certified(
    path: Path, name: str, directory: Path, replaced: tuple[tuple[str, str], ...] = ()
) -> list[dict[str, Any]]:
    settings = Settings(certificate=directory)
    (proved,) = api.prove(loaded(path), name, settings, replaced=replaced)
    assert proved.standing is Standing.PROVED
    found = entries(directory / name)
    asked = {(q.about, q.name, q.line + 1) for each in proved.concluded for q in each.queries}
    assert asked <= {(each["about"], each["name"], each["line"]) for each in found}
    assert [each["answer"] for each in found].count("sat") == 1
    return found


QUICK = ("lock_server", "toy_consensus", "two_phase", "seq_dedup")


@pytest.mark.parametrize(("path", "name"), proofs([p for p in SAFE if p.stem in QUICK]))
def test_a_small_finite_instance_is_confirmed(path: Path, name: str, tmp_path: Path) -> None:
    confirm(path, name, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize(("path", "name"), proofs([p for p in SAFE if p.stem not in QUICK]))
def test_a_finite_instance_is_confirmed(path: Path, name: str, tmp_path: Path) -> None:
    confirm(path, name, tmp_path)


def confirm(path: Path, name: str, tmp_path: Path) -> None:
    """Every answer about the finite instance of size 2, without exception."""
    (info,) = (each for each in loaded(path).proofs if each.name == name)
    replaced = tuple((each, "2") for each in info.general)
    for each in certified(path, name, tmp_path, replaced):
        assert not each["quantifiers"]
        assert answer(tmp_path / name / each["file"]) == each["answer"], each


@pytest.mark.full
@pytest.mark.parametrize(("path", "name"), proofs(SAFE))
def test_of_any_size_nothing_is_contradicted(
    path: Path, name: str, tmp_path: Path, record_property: Any
) -> None:
    found = certified(path, name, tmp_path)
    said = {each["file"]: answer(tmp_path / name / each["file"]) for each in found}
    unknown = [file for file, word in said.items() if word.startswith("unknown")]
    record_property("not answered by the second solver", unknown)
    for each in found:
        if each["file"] not in unknown:
            assert said[each["file"]] == each["answer"], each
    assert len(unknown) <= (1 - CONFIRMED) * len(found), unknown
    assert not [each for each in found if each["file"] in unknown and not each["quantifiers"]]


def test_a_false_certificate_is_not_confirmed(tmp_path: Path) -> None:
    """The other solver is asked in earnest: a question turned round gets another answer."""
    path = next(each for each in SAFE if each.stem == "lock_server")
    file = loaded(path)
    name = file.proofs[0].name
    found = certified(path, name, tmp_path, tuple((n, "2") for n in file.proofs[0].general))
    for each in found:
        text = (tmp_path / name / each["file"]).read_text()
        weaker = tmp_path / "weaker.smt2"
        lines = [line for line in text.splitlines() if not line.startswith("(set-info")]
        last = max(i for i, line in enumerate(lines) if line.startswith("(assert"))
        weaker.write_text("\n".join([*lines[:last], "(check-sat)"]))
        assert answer(weaker) == "sat"
    assert api.load(str(path)).proofs
