"""Native code and the referee say the same of every state: of the files here, and of drafts."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api

from .agreement import compare
from .drafts import draft

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted(
    path
    for pattern in (
        "protocols/*/*.model",
        "specs/*.model",
        "tests/calibration/*.model",
        "benchmarks/models/*.model",
        "tests/linearizability/*.model",
    )
    for path in ROOT.glob(pattern)
)

_QUICK_FILE, _FULL_FILE = 20, 2000
_QUICK_DRAFT, _FULL_DRAFT = 8, 60
_CHECKS = 4
"""In a quick run, of the many instances of a benchmark only the first."""


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_the_models_of_this_repository_agree(path):
    file = api.load(path)
    for name in list(file)[:_CHECKS]:
        compare(file[name].model, _QUICK_FILE)


@pytest.mark.full
@pytest.mark.parametrize("path", FILES, ids=_name)
def test_the_models_of_this_repository_agree_in_many_states(path):
    file = api.load(path)
    for name in file:
        compare(file[name].model, _FULL_FILE)


@pytest.mark.parametrize("block", range(4))
def test_generated_models_agree(block):
    for seed in range(1 + 25 * block, 26 + 25 * block):
        _agrees(seed, _QUICK_DRAFT)


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_many_generated_models_agree(block):
    for seed in range(1 + 100 * block, 101 + 100 * block):
        _agrees(seed, _FULL_DRAFT)


def test_optimised_code_agrees():
    for seed in range(2001, 2006):
        _agrees(seed, _QUICK_DRAFT, level=3)


@pytest.mark.full
@pytest.mark.parametrize("block", range(10))
def test_much_optimised_code_agrees(block):
    for seed in range(2001 + 20 * block, 2021 + 20 * block):
        _agrees(seed, _FULL_DRAFT, level=3)


def _agrees(seed: int, states: int, level: int = 0) -> None:
    model = draft(seed)
    if model is not None:
        compare(model, states, level, initial=20)
