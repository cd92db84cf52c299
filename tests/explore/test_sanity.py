"""Where every state has the same hash, and nothing has room, results are the same.

The sanity build: a constant hash, a tag of one bit, a first table of 16 slots, batches of two
successors, blocks of two indices, segments of eight states.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelcheck import api
from modelcheck.compile.kernel import SANITY, Tuning
from modelcheck.core.limits import Limits
from modelcheck.explore.prepare import Prepared, combinations, prepare
from modelcheck.explore.search import Explored, explore

ROOT = Path(__file__).resolve().parents[2]
TINY = [
    ("tests/calibration/consensus.model", "v3"),
    ("tests/calibration/handover.model", "d2"),
    ("tests/calibration/transaction_commit.model", "rm3"),
    ("protocols/eomp/alternating_bit.model", "correct"),
    ("tests/calibration/two_phase_classic.model", "rm3"),
]
"""Of up to 300 states."""

SMALL = [
    ("tests/calibration/two_phase_classic.model", "rm4"),
    ("tests/calibration/alternating_bit.model", "d2q2"),
    ("protocols/fencing/fenced_leader.model", "fenced"),
    ("benchmarks/models/paxos.model", "a3b2v2_bug"),
    ("benchmarks/models/kafka.model", "p1r1e3t1l2"),
]


def searched(prepared: Prepared, threads: int) -> Explored:
    first = combinations(prepared.lowered, prepared.program.native)
    return explore(
        prepared.program, first, Limits(), decided=lambda first_hit: False, threads=threads
    )


def seen(explored: Explored) -> tuple[Any, ...]:
    """Counts, events, and the levels as sets of states."""
    store, levels = explored.store, explored.levels
    assert store is not None
    sets = tuple(
        frozenset(store.state(i) for first, stop in levels.ranges(d) for i in range(first, stop))
        for d in range(len(levels))
    )
    return explored.counts, explored.first_hit, explored.complete, sets


@pytest.mark.parametrize("repeats", [2, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.parametrize(("path", "name"), TINY, ids=lambda value: Path(value).stem)
def test_the_sanity_build_sees_the_same(path: str, name: str, repeats: int) -> None:
    compare(path, name, repeats)


@pytest.mark.full
@pytest.mark.parametrize(("path", "name"), SMALL, ids=lambda value: Path(value).stem)
def test_the_sanity_build_sees_the_same_of_more_states(path: str, name: str) -> None:
    compare(path, name, repeats=2)


def compare(path: str, name: str, repeats: int) -> None:
    model = api.load_file(ROOT / path)[name].model
    right = seen(searched(prepare(model, Tuning()), 1))
    for threads in (1, 2):
        prepared = prepare(model, SANITY)
        for _ in range(repeats):
            assert seen(searched(prepared, threads)) == right, threads
