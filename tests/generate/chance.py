"""Every choice of the generator: seeded, and drawn towards what a file has not had yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from attrs import Factory, define, field

T = TypeVar("T")
Options: TypeAlias = Mapping[str, tuple[float, Callable[[], T]]]
"""What may be made: by name, how often, and the maker."""

_MUCH = 6.0
_FAVOURED, _IGNORED = 0.15, 0.25
"""Shares of the constructs that a file has much more often than others, and much less."""


class Stuck(Exception):
    """What was asked for cannot be made here: there is no name of the type, say."""


@define
class Chance:
    """A source of choices.

    daring  how often a partial term stands unguarded, or a value may leave its type
    """

    seed: str
    daring: float = 0.0
    random: Random = field(init=False)
    _used: Counter[str] = Factory(Counter)
    _favour: dict[str, float] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        self.random = Random(self.seed)

    def roll(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self.random.random() < probability

    def dares(self, times: int = 1) -> bool:
        """Whether to risk an error here, so many times as readily as elsewhere."""
        return self.daring > 0 and self.roll(times * self.daring)

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self.random.randint(low, high)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options. Raises Stuck if there are none."""
        if not options:
            raise Stuck
        return options[self.random.randrange(len(options))]

    def pick_by(self, weight: Callable[[T], float], options: Sequence[T]) -> T:
        """One of the options, drawn by weight. Raises Stuck if there are none."""
        if not options:
            raise Stuck
        (found,) = self.random.choices(options, [weight(option) for option in options])
        return found

    def favour(self, names: Sequence[str]) -> None:
        """Let the file have much of these constructs."""
        for name in names:
            self._favour[name] = _MUCH

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """The options in any order."""
        return self.random.sample(list(options), len(options))

    def some(self, options: Sequence[T], low: int, high: int) -> list[T]:
        """From `low` to `high` of the options, as far as there are that many."""
        count = min(self.between(low, high), len(options))
        return self.random.sample(list(options), count)

    def feature(self, name: str, probability: float) -> bool:
        """Whether the file has something optional; a file is drawn to some and away from others."""
        return self.roll(min(0.95, probability * self._factor(name)))

    def weighted(self, options: Mapping[str, float]) -> str:
        """A name, drawn by weight, the less often the more it has been drawn."""
        names = [name for name, weight in options.items() if weight > 0]
        if not names:
            raise Stuck
        weights = [options[name] * self._factor(name) / (1 + self._used[name]) for name in names]
        (name,) = self.random.choices(names, weights)
        self._used[name] += 1
        return name

    def first_of(self, options: Options[T]) -> T:
        """What one of the options makes, drawn by weight; another one is drawn if it is stuck."""
        left = dict(options)
        while left:
            name = self.weighted({each: weight for each, (weight, _) in left.items()})
            try:
                return left.pop(name)[1]()
            except Stuck:
                self._used[name] -= 1
        raise Stuck

    def _factor(self, name: str) -> float:
        """How much this file likes the construct."""
        if name not in self._favour:
            drawn = Random(f"{self.seed} {name}").random()
            liked = _MUCH if drawn < _FAVOURED else 1.0
            self._favour[name] = 0.3 if drawn > 1 - _IGNORED else liked
        return self._favour[name]
