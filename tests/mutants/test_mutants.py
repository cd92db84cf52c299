"""Leaving any one guard or update out of a protocol is noticed, or there is a reason why not.

Mutants are the tests of a specification: one that nobody notices is a missing property or a
redundant line. Redundant lines are listed in `survivors.toml`, with the reason.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mutants.mutate import Mutant
from mutants.notice import Original, mutants_of, noticed

PROTOCOLS = Path(__file__).resolve().parents[2] / "protocols"
TOTALS = {
    # mutants, of which are noticed
    "fencing/fenced_leader": (45, 31),
    "commit/two_phase": (46, 32),
    "consensus/paxos": (18, 14),
    "consensus/raft_election": (35, 26),
    "eomp/alternating_bit": (33, 28),
    "fencing/tas_epoch": (43, 35),
    "eomp/seq_dedup": (31, 22),
    "eomp/stored_results": (52, 46),
    "detect/termination_ring": (20, 16),
    "detect/ct_consensus": (55, 44),
    "registers/quorum_register": (48, 42),
}
SLOW = {
    "commit/two_phase",
    "consensus/paxos",
    "consensus/raft_election",
    "detect/ct_consensus",
    "eomp/seq_dedup",
    "eomp/stored_results",
    "fencing/tas_epoch",
    "registers/quorum_register",
}
"""Files of which a whole search takes seconds: every check, for every mutant."""

LISTED: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("survivors.toml").read_text("utf-8")
)
MUTANTS = {name: mutants_of(PROTOCOLS / f"{name}.model") for name in TOTALS}


def survivors(file: str) -> set[str]:
    return {m for group in LISTED["survivors"] if group["file"] == file for m in group["mutants"]}


def late(file: str) -> set[str]:
    return set(LISTED["late"].get(file, ()))


@cache
def original(file: str) -> Original:
    return Original.read(PROTOCOLS / f"{file}.model")


def row(file: str, mutant: Mutant) -> Any:
    needs_all = mutant.name in survivors(file) | late(file)
    marks = [pytest.mark.full] if file in SLOW and needs_all else []
    return pytest.param(file, mutant, id=f"{file}: {mutant.name}", marks=marks)


@pytest.mark.parametrize(
    ("file", "mutant"), [row(file, mutant) for file in MUTANTS for mutant in MUTANTS[file]]
)
def test_a_mutant_is_noticed_or_listed_with_a_reason(file: str, mutant: Mutant) -> None:
    how = noticed(original(file), mutant)
    if mutant.name in survivors(file):
        assert how is None, f"it is noticed now, so it is no survivor: {how}"
    else:
        assert how is not None, "nothing notices it: a missing property, or a redundant line?"


@pytest.mark.parametrize("file", TOTALS)
def test_the_totals_are_those_stated(file: str) -> None:
    total, seen = TOTALS[file]
    assert len(MUTANTS[file]) == total
    assert len(survivors(file)) == total - seen


def test_45_mutants_of_the_fenced_leader_are_34_statements_and_11_conjuncts() -> None:
    parts = [mutant.name for mutant in MUTANTS["fencing/fenced_leader"] if ".." in mutant.name]
    assert len(parts) == 11
    assert len(survivors("fencing/fenced_leader") - set(parts)) == 10


@pytest.mark.parametrize("file", TOTALS)
def test_at_most_a_third_of_a_file_survives(file: str) -> None:
    assert 3 * len(survivors(file)) <= len(MUTANTS[file])


def test_every_shipped_protocol_has_mutants() -> None:
    shipped = {path.relative_to(PROTOCOLS).with_suffix("") for path in PROTOCOLS.rglob("*.model")}
    assert {path.as_posix() for path in shipped} == TOTALS.keys()


def test_what_is_listed_is_a_mutant_once_and_has_a_reason() -> None:
    assert LISTED.keys() == {"survivors", "late"}
    for file, mutants in MUTANTS.items():
        names = [mutant.name for mutant in mutants]
        groups = [group for group in LISTED["survivors"] if group["file"] == file]
        listed = [name for group in groups for name in group["mutants"]]
        listed += LISTED["late"].get(file, [])
        assert set(listed) <= set(names)
        assert len(set(listed)) == len(listed)
        assert all(group["why"].strip() for group in groups)
