"""What is needed to see a bug of ours again, saved in a directory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from modelcheck import api

COMMAND, FINDINGS = "command.txt", "findings.txt"


def save(file: api.File, command: Sequence[str], findings: str, where: Path) -> Path:
    """A new directory in `where`: the file with what it imports, the command line, the findings.

    command  in which {} stands for the file's path in the directory
    """
    directory = _new(where, PurePosixPath(file.path).stem)
    sources = api.sources(file)
    root = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in sources])
    places = {path: os.path.relpath(os.path.abspath(path), root) for path in sources}
    for path, source in sources.items():
        target = directory / places[path]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.text, encoding="utf-8")
    own = Path(places[file.path]).as_posix()
    line = " ".join(word.replace("{}", own) for word in command)
    (directory / COMMAND).write_text(line + "\n", encoding="utf-8")
    (directory / FINDINGS).write_text(findings + "\n", encoding="utf-8")
    return directory


def _new(where: Path, stem: str) -> Path:
    """A directory that was not there: `modelcheck-bug-two_phase`, `modelcheck-bug-two_phase-2`."""
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        directory = where / f"modelcheck-bug-{stem}{suffix}"
        try:
            directory.mkdir(parents=True)
        except FileExistsError:
            number += 1
            continue
        return directory
