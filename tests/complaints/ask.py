"""A specification and the command line, in one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from modelcheck import api
from modelcheck.cli import program
from modelcheck.core.outcome import Outcome
from modelcheck.source import Source


def call(*words: str) -> tuple[int, str]:
    """The exit code and what is printed."""
    result = CliRunner().invoke(program, words, standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.output


def told(directory: Path, text: str, *options: str, command: str = "check") -> tuple[int, str]:
    """The same for one file."""
    path = directory / "case.model"
    path.write_text(text, "utf-8")
    return call(command, str(path), *options)


def data(directory: Path, text: str, *options: str) -> dict[str, Any]:
    """The first check of the file, as JSON has it."""
    _, out = told(directory, text, *options, "--format", "json")
    first: dict[str, Any] = json.loads(out)["files"][0]["checks"][0]
    return first


def outcome(text: str, **how: Any) -> Outcome:
    """The outcome of the only check."""
    file = api.load_source(Source("case.model", text))
    (name,) = file
    return api.check(file[name], **how)
