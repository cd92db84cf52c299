"""A population of generated models, each with what it has and what it comes to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache

from attrs import field, frozen

from modelcheck.core import referee
from modelcheck.core.outcome import VIOLATED, Outcome

from .constructs import of_check, of_file, of_text
from .generated import Generated
from .loading import load
from .suitable import generate


@frozen
class Specimen:
    """A model, its first check searched as a whole."""

    generated: Generated
    constructs: frozenset[str] = field(repr=False)
    outcome: Outcome = field(repr=False)
    seconds: float = 0.0

    @property
    def states(self) -> int:
        return self.outcome.stats.distinct

    @property
    def violations(self) -> list[str]:
        """The kinds of what is violated."""
        return [each.kind for each in self.outcome.found if each.verdict in VIOLATED]


def specimen(made: Generated) -> Specimen:
    """The model's constructs and its outcome."""
    started = time.perf_counter()
    found: set[str] = set()
    loaded = load(made.files)
    for path, text in made.files.items():
        found |= of_text(text)
        if path in loaded.trees:
            found |= of_file(loaded.trees[path])
    closed = loaded.checks()
    for each in closed:
        found |= of_check(each)
    outcome = referee.check(closed[0], keep_going=True)
    return Specimen(made, frozenset(found), outcome, time.perf_counter() - started)


@lru_cache(maxsize=256)
def model(seed: int) -> Generated:
    """The model of the seed, made once."""
    return generate(seed)


def population(seeds: Iterable[int]) -> Iterator[Specimen]:
    """The models of the seeds."""
    return (specimen(model(seed)) for seed in seeds)
