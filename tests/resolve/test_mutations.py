"""Whatever the text, a file is loaded or refused; nothing else is raised."""

from __future__ import annotations

import random
import re

import pytest

import modelcheck
from modelcheck.shipped import protocols_directory, specs_directory

from .files import opened

QUICK, FULL = 300, 10_000
TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+|\n[ ]*|[ ]+|[^\sA-Za-z0-9_]")

GOOD = sorted(
    path
    for directory in (protocols_directory(), specs_directory())
    for path in directory.rglob("*.model")
)


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def mutated(chooser: random.Random, own: list[str], others: list[str]) -> str:
    """The tokens with one to four of them dropped, doubled, swapped or replaced."""
    changed = list(own)
    for _ in range(chooser.randint(1, 4)):
        at = chooser.randrange(len(changed))
        match chooser.randrange(5):
            case 0:
                del changed[at]
            case 1:
                changed.insert(at, changed[at])
            case 2:
                changed[at] = chooser.choice(changed)
            case 3:
                changed[at] = chooser.choice(others)
            case _:
                other = chooser.randrange(len(changed))
                changed[at], changed[other] = changed[other], changed[at]
    return "".join(changed)


def load_and_close(text: str, path: str) -> str:
    try:
        file = opened(text, path)
    except modelcheck.Refused as refused:
        assert refused.diagnostics
        return "refused"
    for name in file:
        try:
            file.instance(name)
        except modelcheck.Refused as refused:
            assert refused.diagnostics
    return "loaded"


def attack(number: int, seed: int) -> None:
    chooser = random.Random(seed)
    texts = [path.read_text("utf-8") for path in GOOD]
    everything = sorted({token for text in texts for token in tokens(text)})
    seen = set()
    for _ in range(number):
        which = chooser.randrange(len(GOOD))
        text = mutated(chooser, tokens(texts[which]), everything)
        try:
            seen.add(load_and_close(text, str(GOOD[which])))
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
    assert seen == {"refused", "loaded"}


def test_the_good_files_are_loaded() -> None:
    for path in GOOD:
        assert load_and_close(path.read_text("utf-8"), str(path)) == "loaded"


def test_a_mutated_file_is_loaded_or_refused() -> None:
    attack(QUICK, seed=1)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_many_mutated_files_are_loaded_or_refused(seed: int) -> None:
    attack(FULL // 4, seed=2 + seed)
