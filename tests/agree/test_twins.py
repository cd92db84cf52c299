"""The referee sees what the hand-written models see: every state, every step, every distance.

A module under `tests/counts` is a twin of one file and shares no code with the tool. What is
compared are whole graphs as sets of labelled steps; equal counts would not do.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from types import ModuleType

import pytest
from _pytest.mark import ParameterSet
from attrs import evolve
from counts import (
    alternating_bit,
    alternating_bit_classic,
    atomic_commit,
    consensus,
    ct_consensus,
    fenced_leader,
    handover,
    paxos,
    paxos_tiny,
    quorum_register,
    raft_election,
    seq_dedup,
    stored_results,
    tas_epoch,
    termination_ring,
    transaction_commit,
    two_phase,
    two_phase_classic,
    voting,
    wrong_mapping,
)

import modelcheck
from agree.encode import neutral_graph, whole
from modelcheck.core.model import Claim, Model

ROOT = Path(__file__).resolve().parents[2]
TWINS = [
    alternating_bit,
    alternating_bit_classic,
    atomic_commit,
    consensus,
    ct_consensus,
    fenced_leader,
    handover,
    paxos,
    paxos_tiny,
    quorum_register,
    raft_election,
    seq_dedup,
    stored_results,
    tas_epoch,
    termination_ring,
    transaction_commit,
    two_phase,
    two_phase_classic,
    voting,
    wrong_mapping,
]
LARGE = {
    "ct_consensus-correct",
    "paxos-quorum_of_one",
    "paxos-ignores_votes",
    "paxos-forgets",
    "raft_election-correct",
    "raft_election-counts_old_votes",
    "seq_dedup-starts_over",
    "stored_results-appends",
    "tas_epoch-no_test",
    "tas_epoch-tests_then_sets",
    "two_phase_classic-rm5",
}


def pair(twin: ModuleType, check: str) -> ParameterSet:
    name = f"{Path(twin.FILE).stem}-{check}"
    return pytest.param(twin, check, id=name, marks=[pytest.mark.full] if name in LARGE else [])


PAIRS = [pair(twin, check) for twin in TWINS for check in twin.CHECKS]


@pytest.mark.parametrize(("twin", "check"), PAIRS)
def test_the_referee_and_the_twin_see_one_graph(twin: ModuleType, check: str) -> None:
    expected = twin.explore(**twin.CHECKS[check])
    run = whole(without_history(modelcheck.load(ROOT / twin.FILE)[check].model))
    found = neutral_graph(run)

    assert_same("initial states", found.initial, expected.initial)
    assert_same("states", found.states, expected.states)
    assert_same("steps", found.edges, expected.edges)
    assert_same("distances", found.steps.items(), expected.steps.items())
    assert found.faults & used(found.edges) == expected.faults & used(expected.edges)

    assert (run.distinct, run.depth) == (expected.distinct, expected.depth)
    if any(run.safety.errors.kinds.values()):  # the twins leave out what cannot be taken
        assert run.generated > expected.generated
    else:
        assert run.generated == expected.generated


def without_history(model: Model) -> Model:
    """What the protocol does, whatever is claimed of its calls and returns."""
    kept = tuple(each for each in model.properties if not isinstance(each, Claim))
    return evolve(model, properties=kept, history=None)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "protocols").rglob("*.model")), ids=lambda p: p.stem
)
def test_every_check_of_a_shipped_protocol_has_a_twin(path: Path) -> None:
    twins = [twin for twin in TWINS if path == ROOT / twin.FILE]
    assert [list(twin.CHECKS) for twin in twins] == [list(modelcheck.load(path))]


def used(edges: Collection[tuple[object, tuple[str, object], object]]) -> set[str]:
    return {name for _, (name, _), _ in edges}


def assert_same(what: str, found: Collection[object], expected: Collection[object]) -> None:
    """As `==`, but says which few differ: a whole graph is no message."""
    only_found, only_expected = set(found) - set(expected), set(expected) - set(found)
    assert not only_found, f"{what} that only the referee sees: {list(only_found)[:3]}"
    assert not only_expected, f"{what} that only the twin sees: {list(only_expected)[:3]}"
