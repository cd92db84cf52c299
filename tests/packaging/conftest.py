"""What the packaging tests install from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a clone holds, so that nothing here touches the working tree."""
    copy = tmp_path_factory.mktemp("checkout") / "modelcheck"
    hidden = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.pyc")
    copy.mkdir()
    for name in ("modelcheck", "protocols", "specs", "docs", "tests", ".ci"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=hidden)
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, copy / name)
    return copy
