"""The generator: what its models are made of, and that a seed always gives the same one."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from .construct_names import ALL
from .keeping import VARIABLE
from .population import Specimen, population
from .report import Report
from .suitable import generate

FEW, MANY = range(1, 91), range(1, 601)
HERE = Path(__file__).resolve().parent


@lru_cache
def _few() -> tuple[Specimen, ...]:
    return tuple(population(FEW))


def test_a_population_is_large_and_violated_enough():
    report = Report.of(_few())
    assert report.larger() >= 0.5, report.lines()
    assert report.violated() >= 0.2, report.lines()
    assert report.verdicts["holds"] >= 0.1 * report.models, report.lines()


def test_a_small_population_lacks_next_to_nothing():
    report = Report.of(_few())
    missing = [name for name in ALL if report.constructs[name] == 0]
    assert not missing
    assert len(report.rare()) <= 0.1 * len(ALL), report.rare()


@pytest.mark.full
def test_every_construct_is_in_one_of_twenty_models():
    report = Report.of(population(MANY))
    assert report.rare() == [], [(name, report.share(name)) for name in report.rare()]
    assert report.larger() >= 0.5
    assert report.violated() >= 0.2


def test_every_kind_of_violation_occurs():
    kinds = {kind for each in _few() for kind in each.violations}
    assert {"invariant", "step", "liveness", "range", "undefined", "capacity"} <= kinds


def test_constructs_are_named_once():
    assert len(ALL) == len(set(ALL))


def test_what_is_measured_is_what_is_listed():
    measured = {name for each in _few() for name in each.constructs}
    assert measured <= set(ALL) | {"in", "domain: a set"}, measured - set(ALL)


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_seed_gives_the_same_text_whatever_the_hash_seed(hash_seed):
    seeds = [3, 11]
    script = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[1])\n"
        "from generate import generate\n"
        "for seed in map(int, sys.argv[2:]):\n"
        "    print(hashlib.sha256(repr(sorted(generate(seed).files.items())).encode()).hexdigest())"
    )
    anew = {name: value for name, value in os.environ.items() if name != VARIABLE}
    run = subprocess.run(
        [sys.executable, "-c", script, str(HERE.parent), *map(str, seeds)],
        capture_output=True,
        text=True,
        check=True,
        env={**anew, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(HERE.parent.parent)},
    )
    expected = [
        hashlib.sha256(repr(sorted(generate(seed).files.items())).encode()).hexdigest()
        for seed in seeds
    ]
    assert run.stdout.split() == expected


def test_different_seeds_give_different_texts():
    texts = {each.generated.text for each in _few()}
    assert len(texts) == len(FEW)
