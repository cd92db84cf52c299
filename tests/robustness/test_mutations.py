"""Good files with bytes or words changed: each is read or refused, soon, and nothing else."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.diagnostics import Refused
from modelcheck.parse.tokens import scan

from .answers import ids, patience

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("protocols", "specs", "tests/calibration", "tests/refinement", "tests/parse")
    for path in (ROOT / folder).rglob("*.model")
)
BATCH = 100
"""Of mutations in one test, all from one seed: a failure names the seed and the number."""
QUICK, FULL = 10, 100

STRANGE = [
    "",
    "\t",
    "\n",
    "\n  ",
    "\n    ",
    "-1",
    "1000000000000000000",
    "9223372036854775807",
    "99999999999999999999",
    "??",
    "''",
    "..",
    "=>",
    "init",
    "constraint true",
    "stops when true",
    "set of set of bool",
    "map bool to",
    "up to -1",
    "subset of",
    "some(",
    "is not",
    "with (",
    "div 0",
    "x' ~> y",
    "proof P",
    "template T(E: type)",
    "object O()",
    "use T()",
    "return 1 by n",
    "call r.w(1) by n",
]


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def words_of(path: Path) -> list[tuple[int, int]]:
    return [(word.start, word.end) for word in scan(text_of(path)) if word.kind != "comment"]


def with_other_bytes(path: Path, rng: random.Random) -> bytes:
    """A few bytes changed, put in, left out, or copied to another place."""
    data = bytearray(text_of(path).encode())
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        place = rng.randrange(len(data))
        some = place + rng.choice([1, 1, 2, 5, 50])
        match rng.randrange(4):
            case 0:
                data[place] = rng.randrange(256)
            case 1:
                data.insert(place, rng.randrange(256))
            case 2:
                del data[place : min(some, len(data) - 1)]
            case _:
                elsewhere = rng.randrange(len(data))
                data[elsewhere:elsewhere] = data[place:some]
    return bytes(data)


def with_other_words(path: Path, rng: random.Random) -> bytes:
    """A few words left out, doubled, or replaced by a word of this or another file."""
    text, words = text_of(path), words_of(path)
    for start, end in sorted(rng.sample(words, rng.choice([1, 1, 1, 2, 3])), reverse=True):
        donor = rng.choice([path, rng.choice(FILES)])
        other_start, other_end = rng.choice(words_of(donor))
        other = rng.choice([text_of(donor)[other_start:other_end], rng.choice(STRANGE)])
        word = text[start:end]
        text = text[:start] + rng.choice(["", f"{word} {word}", other, other]) + text[end:]
    return text.encode()


@pytest.mark.parametrize(
    "seed",
    [*range(QUICK), *(pytest.param(i, marks=pytest.mark.full) for i in range(QUICK, FULL))],
)
def test_a_damaged_file_is_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    for number in range(BATCH):
        path = rng.choice(FILES)
        damage = rng.choice([with_other_bytes, with_other_words, with_other_words])
        data = damage(path, rng)
        try:
            read(path, data)
        except BaseException as error:
            error.add_note(f"seed {seed}, number {number}: {path.name} became\n{data!r}")
            raise


def read(path: Path, data: bytes) -> None:
    """Load the file and every instance of it, as if it stood in the original's place."""
    with patience():
        try:
            file = api.load_source(api.decode(path.as_posix(), data))
        except Refused as refused:
            assert ids(refused)
            return
        for name in file:
            try:
                file.instance(name)
            except Refused as refused:
                assert ids(refused)
