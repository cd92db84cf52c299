"""What the machine leaves free, and the bookkeeping of levels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcheck.explore import memory
from modelcheck.explore.levels import Levels
from modelcheck.explore.memory import OutOfMemory, Region, available_memory
from modelcheck.explore.search import memory_clause

from .models import depth_of

MIB = 1 << 20


def groups(root: Path, monkeypatch: pytest.MonkeyPatch, own: str, files: dict[str, str]) -> None:
    """Make the control groups those of these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (root / "own").write_text(own, "utf-8")
    monkeypatch.setattr(memory, "_GROUPS", root)
    monkeypatch.setattr(memory, "_OWN_GROUPS", root / "own")


def test_a_control_group_and_those_around_it_limit_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "outer/memory.max": f"{100 * MIB}\n",
        "outer/memory.current": f"{60 * MIB}\n",
        "outer/memory.stat": f"anon 1\ninactive_file {5 * MIB}\n",
        "outer/inner/memory.max": "max\n",
        "outer/inner/memory.current": f"{50 * MIB}\n",
    }
    groups(tmp_path, monkeypatch, "0::/outer/inner\n", files)
    assert available_memory() == 45 * MIB


def test_the_first_version_of_control_groups_is_known_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "memory/job/memory.limit_in_bytes": f"{30 * MIB}",
        "memory/job/memory.usage_in_bytes": f"{10 * MIB}",
    }
    groups(tmp_path, monkeypatch, "5:cpu:/\n4:memory,hugetlb:/job\n", files)
    assert available_memory() == 20 * MIB


@pytest.mark.parametrize("own", ["", "nonsense", "0::/gone\n", "0::/\n"])
def test_without_such_files_the_machine_is_the_limit(
    own: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups(tmp_path, monkeypatch, own, {"memory.max": "max", "memory.current": "unclear"})
    assert available_memory() > MIB


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
def test_a_limit_of_the_address_space_counts() -> None:
    script = (
        "import psutil, resource\n"
        "from modelcheck.explore.memory import available_memory\n"
        "now = psutil.Process().memory_info().vms\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (now + {200 * MIB},) * 2)\n"
        "print(available_memory())\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 150 * MIB < int(run.stdout) <= 200 * MIB


def test_memory_that_nobody_has_is_refused() -> None:
    with pytest.raises(OutOfMemory):
        Region.of(1 << 62)
    region = Region.of(100)
    assert not any(region.words())


def test_a_limit_of_memory_is_written_as_people_do() -> None:
    assert memory_clause(50 * MIB) == "memory: 50M"
    assert memory_clause(8 << 30) == "memory: 8G"
    assert memory_clause(1536 * MIB) == "memory: 1.5G"
    assert memory_clause(100) == "memory: 100"


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=4),
        min_size=1,
        max_size=6,
    )
)
def test_levels_give_back_the_pieces_they_were_made_of(
    levels: list[list[tuple[int, int]]],
) -> None:
    # Each level is a list of pieces: how long, and how many indices are left out before.
    made, known, index, count = [], Levels(), 0, 0
    for pieces in levels:
        states: list[int] = []
        for length, gap in pieces:
            index += gap
            known.add_piece(count, index)
            states += range(index, index + length)
            index, count = index + length, count + length
        known.end(count)
        made.append(states)
    assert len(known) == len(made)
    for depth, states in enumerate(made):
        listed = [i for first, end in known.ranges(depth) for i in range(first, end)]
        assert listed == states
        assert known.size(depth) == len(states)
        assert all(depth_of(known, i) == depth for i in states)
