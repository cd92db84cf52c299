"""The examples of docs/templates.md are files that come out as expected, or pieces of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import modelcheck
from templates.test_templates import TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "templates.md").read_text("utf-8")
BLOCK = re.compile(r"^```model(?: file=(?P<name>\S+))?\n(?P<text>.*?)^```$", re.M | re.S)
FILES = {found["name"]: found["text"] for found in BLOCK.finditer(PAGE) if found["name"]}
PIECES = [found["text"] for found in BLOCK.finditer(PAGE) if not found["name"]]
TESTED = [*(ROOT / "tests" / "templates").glob("*.model"), *(ROOT / "protocols").rglob("*.model")]


@pytest.mark.parametrize("name", FILES)
def test_an_example_with_a_name_is_a_file_that_comes_out_as_it_expects(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], "utf-8")
    file = modelcheck.load(path)
    for check in file:
        outcome = modelcheck.check(file[check])
        assert outcome.as_expected, outcome.unmet


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.partition("(")[0])
def test_an_example_without_a_name_is_a_piece_of_a_tested_file(piece: str) -> None:
    assert any(f"\n{piece}" in path.read_text("utf-8") for path in TESTED)


def test_every_template_is_explained_with_all_its_parts_and_parameters() -> None:
    for name, template in TEMPLATES.items():
        assert f"`{name}" in PAGE
        for part in template.properties:
            assert re.search(rf"\b{part.name.name}\b", PAGE), f"{name}.{part.name.name}"
        for parameter in template.parameters:
            assert re.search(rf"\b{parameter.name.name}\b", PAGE), f"{name}: {parameter.name.name}"


def test_every_use_of_a_template_is_shown() -> None:
    shown = {
        found[1]
        for found in re.finditer(r"^use (\w+)", "\n".join([*FILES.values(), *PIECES]), re.M)
    }
    assert TEMPLATES.keys() - shown <= ALIKE


ALIKE = {"PerfectDetector", "EventuallyPerfectDetector"}
"""Used as EventuallyStrongDetector is, with one parameter less."""
