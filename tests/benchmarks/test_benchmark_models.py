"""The models under `benchmarks/` have the states that the peers' models have.

The numbers are read from the table in `benchmarks/peers/README.md`, where TLC, Spin and Rumur
agree. None of them is ours.
"""

from __future__ import annotations

from functools import cache

import psutil
import pytest
from _pytest.mark import ParameterSet

import modelcheck
from benchmarks.cases import LARGER, MODELS, PARAMETERS, Case, Row, known, table
from modelcheck.core.model import ExpectCount

QUICK = 4_000_000
"""Generated states up to which a row is always run."""

MOST_BYTES = 10 << 30
"""What the largest row may take: two-phase commit with 11 managers."""


@cache
def file_of(model: str) -> modelcheck.File:
    return modelcheck.load(MODELS / f"{model}.model")


def rows(broken: bool) -> list[ParameterSet]:
    """All rows, or those of them that say how BUG=1 fails."""
    found = []
    for row in table():
        case, counts = row.case, row.case.counts
        if broken and row.violation is None:
            continue
        marks = [] if counts.generated <= QUICK else [pytest.mark.full]
        found.append(pytest.param(row, marks=marks, id=f"{case.model}-{case.check}"))
    return found


def test_the_table_was_read() -> None:
    assert len(table()) == 28
    assert {row.case.model for row in table()} == set(PARAMETERS)
    fenced = next(row for row in table() if row.case.name == "fenced N=2 E=2 W=2 L=3")
    counts = fenced.case.counts
    assert (counts.distinct, counts.generated, counts.depth) == (19_700, 90_877, 23)
    assert fenced.violation == 9


@pytest.mark.parametrize("row", rows(broken=False))
def test_a_row_of_the_table_comes_out(row: Row) -> None:
    comes_out(row.case)


@pytest.mark.full
@pytest.mark.parametrize("case", LARGER, ids=lambda case: f"{case.model}-{case.check}")
def test_a_larger_case_comes_out(case: Case) -> None:
    comes_out(case)


def comes_out(case: Case) -> None:
    counts = case.counts
    if counts.distinct > 100_000_000 and psutil.virtual_memory().available < MOST_BYTES:
        pytest.skip("there are no 10 GB of free memory")
    limits = modelcheck.Limits(memory=MOST_BYTES)
    outcome = modelcheck.check(file_of(case.model)[case.check], limits)
    assert outcome.as_expected, outcome.unmet
    assert outcome.complete
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (
        counts.distinct,
        counts.generated,
        counts.depth,
    )


@pytest.mark.parametrize("row", rows(broken=True))
def test_the_broken_variant_fails_where_the_table_says(row: Row) -> None:
    outcome = modelcheck.check(file_of(row.case.model)[f"{row.case.check}_bug"])
    assert outcome.as_expected, outcome.unmet
    lengths = {each.steps for each in outcome.found if each.verdict is modelcheck.Verdict.FAILS}
    # The table counts states.
    assert lengths == ({row.violation - 1} if row.violation else set())


@pytest.mark.parametrize("case", known().values(), ids=lambda case: f"{case.model}-{case.check}")
def test_a_check_states_the_counts_and_sets_the_parameters_of_its_case(case: Case) -> None:
    check = file_of(case.model)[case.check]
    stated = {each.kind: each.count for each in check.expectations if isinstance(each, ExpectCount)}
    counts = case.counts
    assert stated == {
        "distinct": counts.distinct,
        "generated": counts.generated,
        "depth": counts.depth,
    }
    settings = dict(check.model.settings)
    for name, value in case.settings:
        assert settings[PARAMETERS[case.model][name]] == str(value)


def test_every_check_belongs_to_a_case() -> None:
    models = {path.stem for path in MODELS.glob("*.model")} - {"fenced_fair"}  # see liveness.py
    checks = {(model, check) for model in models for check in file_of(model)}
    whole = {(row.case.model, row.case.check) for row in table()}
    broken = {
        (row.case.model, f"{row.case.check}_bug") for row in table() if row.violation is not None
    }
    assert checks == whole | broken | {(case.model, case.check) for case in LARGER}


@pytest.mark.parametrize("case", [row.case for row in table() if row.case.model == "twophase"])
def test_two_phase_commit_has_as_many_states_as_its_closed_form(case: Case) -> None:
    n = dict(case.settings)["N"]
    assert case.counts.distinct == 6**n + 4**n + 2**n
