"""The formulas say of single states what the referee says: steps, failures, what is judged.

Of states that the encoding is given, and of any state, read off where the solver
has fixed it: see `agreement`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.model import Model
from modelcheck.prove.symbols import Unsupported
from tests.compile.small import model
from tests.generate import generate
from tests.generate.loading import load

from .agreement import Disagreement, Specimen, walked
from .corpus import SOURCES, specimen

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("protocols/*/*.model"), *ROOT.glob("tests/calibration/*.model")])
FIRST = 1
QUICK_MODELS, FULL_MODELS, IN_A_TEST = 5, 200, 10


def compare(made: Model, most: int) -> None:
    if made.history is None:
        walked(made, most).compare()


def of_seed(seed: int, most: int = 6) -> None:
    """Compare one check of the model of this seed; which, depends on the seed."""
    loaded = load(generate(seed).files)
    names = [info.name for info in loaded.resolved.checks]
    try:
        compare(loaded.check(names[seed % len(names)]).model, most)
    except Disagreement as different:
        raise Disagreement(f"seed {seed}: {different}") from different


@pytest.mark.parametrize("name", SOURCES)
def test_every_operation(name: str) -> None:
    specimen(name).compare()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_first_check_of_a_file(path: Path) -> None:
    file = api.load(path)
    for name in list(file)[:1]:
        try:
            compare(file[name].model, 4)
        except Unsupported as unsupported:
            pytest.skip(f"no formula for {unsupported.what}")


@pytest.mark.full
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_check_of_a_file(path: Path) -> None:
    file = api.load(path)
    for name in file:
        try:
            compare(file[name].model, 12)
        except Unsupported:
            continue


@pytest.mark.parametrize("seed", range(FIRST, FIRST + QUICK_MODELS))
def test_generated_models(seed: int) -> None:
    of_seed(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST, FIRST + FULL_MODELS, IN_A_TEST))
def test_many_generated_models(first: int) -> None:
    for seed in range(first, first + IN_A_TEST):
        of_seed(seed, 12)


def test_two_writes_into_an_empty_literal_are_no_crash() -> None:
    made = model(
        """
        state
          v
            q: seq of 0..1 up to 2 = [1]
            n: 0..2 = 0
        action shorten(i in 1..2)
          v.q := if v.n == 1 then [v.n] else []
          v.q[i] := 0
        action go_on
          v.n := (v.n + 1) mod 3
        """
    )
    compare(made, 10)


def test_a_loop_over_a_sequence_takes_each_value_once() -> None:
    made = model(
        """
        state
          v
            q: seq of 0..1 up to 3 = [1, 1, 0]
            n: 0..9 = 0
        action add
          when v.n < 6
          for x in v.q
            v.n += x + 1
        action turn
          v.q := rest(v.q) ++ [first(v.q)]
        """
    )
    compare(made, 10)


def test_a_missing_write_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = specimen("rest")
    assert isinstance(made, Specimen)
    monkeypatch.setattr("modelcheck.prove.writing._put", lambda old, *rest: old)
    with pytest.raises(Disagreement):
        made.compare()
