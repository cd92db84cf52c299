"""The formatter on generated files, and on every file of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck.api import decode
from modelcheck.parse.formatter import format_text
from modelcheck.parse.parser import parse
from modelcheck.source import Source

from .chance import Chance
from .population import model

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("specs", "protocols", "counterexamples", "benchmarks", "tests")
    for path in (ROOT / folder).rglob("*.model")
)


def _check(source: Source) -> None:
    once = Source(source.path, format_text(source))
    assert parse(once) == parse(source)
    assert format_text(once) == once.text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_of_the_repository_keep_their_tree_and_come_to_rest(path):
    _check(decode(path.as_posix(), path.read_bytes()))


@pytest.mark.parametrize("seed", range(1, 21))
def test_generated_files_keep_their_tree_and_come_to_rest(seed):
    for path, text in model(seed).files.items():
        _check(Source(path, text))
        _check(Source(path, _disarranged(text, seed)))


def _disarranged(text: str, seed: int) -> str:
    """The text with other spaces: they mean nothing within a line, nor does their number before."""
    chance = Chance(f"spaces {seed}")
    lines = []
    for line in text.split("\n"):
        words = line.lstrip(" ")
        indent = 3 * (len(line) - len(words)) // 2
        if "#" not in words and chance.roll(0.3):
            words = words.replace(", ", chance.pick([",", ",  ", " , "]))
            words = words.replace(" == ", chance.pick(["==", "  ==  "]))
        lines.append(" " * indent + words + ("  " if chance.roll(0.1) else ""))
        if not line and chance.roll(0.2):
            lines.append("")
    return "\n".join(lines)
