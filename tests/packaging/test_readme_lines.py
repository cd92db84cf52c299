"""The two installation lines of the README, as a newcomer would paste them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.xdist_group("packaging")


def lines() -> list[str]:
    return re.findall(r"^\$ (python3 -m venv .*)$", (ROOT / "README.md").read_text("utf-8"), re.M)


def test_one_line_installs_and_runs_the_main_job_and_another_the_tests() -> None:
    use, test = lines()
    assert use.endswith(".venv/bin/modelcheck check fencing/fenced_leader")
    assert test.endswith("-e '.[test]' && .venv/bin/pytest")


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="the lines are for a POSIX shell")
def test_the_line_that_installs_and_runs_the_main_job_does_so(checkout: Path) -> None:
    """Installs the dependencies, so it needs a package index."""
    line = lines()[0].replace("python3", sys.executable, 1)
    done = subprocess.run(
        ["sh", "-c", line], cwd=checkout, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"1,080" in done.stdout
