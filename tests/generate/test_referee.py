"""The referee on generated models: against a plain search, and against itself."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .agreement import complaints
from .loading import load
from .population import model

HERE = Path(__file__).resolve().parent

_OUTCOMES = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from generate import generate
from generate.test_referee import digest
for seed in map(int, sys.argv[2:]):
    print(digest(seed))
"""


def digest(seed: int) -> str:
    """A digest of everything that the referee says of a model's checks, traces included."""
    from modelcheck.core import referee
    from modelcheck.report import records

    said = [
        repr(records.check(referee.check(check, keep_going=True)) | {"seconds": 0, "stats": 0})
        for check in load(model(seed).files).checks()
    ]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


@pytest.mark.parametrize("seed", range(1, 21))
def test_outcomes_agree_with_a_plain_search(seed):
    _agrees(seed)


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_outcomes_of_many_models_agree_with_a_plain_search(block):
    for seed in range(1 + 50 * block, 51 + 50 * block):
        _agrees(seed)


def _agrees(seed: int) -> None:
    for check in load(model(seed).files).checks():
        assert list(complaints(check)) == [], (seed, check.name)


def test_outcomes_do_not_depend_on_the_hash_seed():
    seeds = [1, 2]
    said = [_in_another_process(seeds, hash_seed) for hash_seed in ("1", "2")]
    assert said[0] == said[1] == [digest(seed) for seed in seeds]


def _in_another_process(seeds: list[int], hash_seed: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", _OUTCOMES, str(HERE.parent), *map(str, seeds)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(HERE.parent.parent)},
    )
    return run.stdout.split()
