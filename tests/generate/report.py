"""What a population is made of: `python -m tests.generate.report --models 400 --seed 1`."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable

from attrs import Factory, define

from .constructs import ALL
from .population import Specimen, population
from .suitable import LEAST

LEAST_SHARE = 0.05
"""The share of models that is to have each construct."""


@define
class Report:
    """Counts over a population."""

    models: int = 0
    constructs: Counter[str] = Factory(Counter)
    sizes: list[int] = Factory(list)
    kinds: Counter[str] = Factory(Counter)
    verdicts: Counter[str] = Factory(Counter)
    expected: Counter[str] = Factory(Counter)
    attempts: int = 0

    @classmethod
    def of(cls, specimens: Iterable[Specimen]) -> Report:
        report = cls()
        for each in specimens:
            report.add(each)
        return report

    def add(self, each: Specimen) -> None:
        """Count one model more."""
        self.models += 1
        self.constructs.update(each.constructs)
        self.sizes.append(each.states)
        self.verdicts[each.outcome.verdict] += 1
        self.kinds.update(set(each.violations))
        self.expected[str(each.outcome.as_expected)] += 1
        self.attempts += each.generated.attempt + 1

    def share(self, construct: str) -> float:
        """The share of models that have the construct."""
        return self.constructs[construct] / max(1, self.models)

    def rare(self) -> list[str]:
        """The constructs in too few of the models."""
        return [name for name in ALL if self.share(name) < LEAST_SHARE]

    def larger(self, states: int = LEAST) -> float:
        """The share of models with more states than that."""
        return sum(size > states for size in self.sizes) / max(1, self.models)

    def violated(self) -> float:
        return self.verdicts["violated"] / max(1, self.models)

    def lines(self) -> list[str]:
        """The report as text."""
        lines = [f"{self.models} models, {self.attempts} drafts", "", "states"]
        for low, high in ((0, 50), (50, 200), (200, 1000), (1000, 10**9)):
            count = sum(low < size <= high for size in self.sizes)
            bound = f"{low + 1} to {high}" if high < 10**9 else f"more than {low}"
            lines.append(f"  {bound:<16}{self._percent(count)}")
        lines += ["", "verdicts of the first check, searched as a whole"]
        lines += [f"  {name:<16}{self._percent(n)}" for name, n in self.verdicts.most_common()]
        lines += ["", "violated, by kind"]
        lines += [f"  {name:<16}{self._percent(n)}" for name, n in self.kinds.most_common()]
        lines += ["", "as expected"]
        lines += [f"  {name:<16}{self._percent(n)}" for name, n in self.expected.most_common()]
        lines += ["", "constructs"]
        ordered = sorted(ALL, key=lambda name: (self.constructs[name], name))
        lines += [f"  {name:<40}{self._percent(self.constructs[name])}" for name in ordered]
        return lines

    def _percent(self, count: int) -> str:
        return f"{100 * count / max(1, self.models):5.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    started = time.perf_counter()
    seeds = range(arguments.seed, arguments.seed + arguments.models)
    report = Report.of(population(seeds))
    print("\n".join(report.lines()))
    rare = report.rare()
    print(f"\n{len(ALL)} constructs, in fewer than 5 % of the models: {', '.join(rare) or 'none'}")
    print(f"{report.larger():.0%} over {LEAST} states, {report.violated():.0%} violated")
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
