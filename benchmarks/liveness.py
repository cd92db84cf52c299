"""Measures what liveness costs beside a plain search of the same states, and prints a table.

    python -m benchmarks.liveness                  five million states, each check five times
    python -m benchmarks.liveness --small -n 1     to see that everything works

See README.md for what is measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from attrs import field, frozen, mutable

from benchmarks.cases import MODELS
from benchmarks.measure import Failed, run

MODEL = MODELS / "fenced_fair.model"
SAFETY = "NoOlderAfterNewer"
ONE = ("AckArrives",)
THREE = ("AckArrives", "RefusalArrives", "StaleIsAnswered")


@frozen
class Size:
    """An instance, and how many states it has."""

    settings: str
    distinct: int


LARGE = Size("Node = 3, EPOCHS = 3, WRITES = 2, LOG = 3", 4_988_594)
SMALL = Size("Node = 2, EPOCHS = 3, WRITES = 1, LOG = 3", 211_680)
TINY = Size("Node = 1, EPOCHS = 2, WRITES = 1, LOG = 2", 436)

_LIMIT_SECONDS = 600


@frozen
class Row:
    """Properties to be judged, with weak or strong fairness of every delivery."""

    label: str
    properties: tuple[str, ...]
    strong: bool = False


ROWS = (
    Row("plain search", ()),
    Row("one `~>`, weak fairness", ONE),
    Row("one `~>`, strong fairness", ONE, strong=True),
    Row("three `~>`, weak fairness", THREE),
    Row("three `~>`, strong fairness", THREE, strong=True),
)


def text_of(row: Row, size: Size) -> str:
    """The model with the row's properties alone, and one check of them."""
    protocol = MODEL.read_text("utf-8").partition("\n## The counts")[0]
    blocks = [block for block in protocol.split("\n\n") if _belongs(block, row)]
    text = "\n\n".join(blocks)
    if row.strong:
        text = text.replace("\nfair action", "\nstrongly fair action")
    expected = ", ".join(f"{name} holds" for name in (SAFETY, *row.properties))
    return f"{text}\n\ncheck it\n  {size.settings}\n  expect {expected}\n"


def _belongs(block: str, row: Row) -> bool:
    kind, _, rest = block.strip().partition(" ")
    return kind != "liveness" or rest.split()[0] in row.properties


@mutable
class Cost:
    """What a row takes: seconds from start to end, and bytes resident at the peak."""

    row: Row
    seconds: list[float] = field(factory=list)
    peaks: list[int] = field(factory=list)


def measure(cost: Cost, directory: Path, size: Size) -> None:
    """Run the check once. Raises Failed if it does not come out as it must."""
    path = directory / "fenced_fair.model"
    path.write_text(text_of(cost.row, size), "utf-8")
    command = [sys.executable, "-m", "modelcheck", "check", str(path), "-j", "1"]
    done = run([*command, "--format", "json"], directory, _LIMIT_SECONDS)
    try:
        found = json.loads(done.output)["files"][0]["checks"][0]
    except (ValueError, LookupError) as error:
        raise Failed(done.output[-2000:]) from error
    if found["distinct"] != size.distinct or found["verdict"] != "holds":
        raise Failed(f"{cost.row.label}: {found['distinct']:,} states, {found['verdict']}")
    cost.seconds.append(done.seconds)
    cost.peaks.append(done.peak)


def table(costs: Sequence[Cost], idle: int) -> list[str]:
    """Markdown. Memory is the peak without that of a process that searches a few states."""
    lines = [
        "| check | command s | plain = 1 | memory, MiB | plain = 1 |",
        "|---|---:|---:|---:|---:|",
    ]
    plain_seconds = median(costs[0].seconds)
    plain_memory = max(1, median(costs[0].peaks) - idle)
    for cost in costs:
        seconds, memory = median(cost.seconds), median(cost.peaks) - idle
        lines.append(
            f"| {cost.row.label} | {seconds:.2f} | {seconds / plain_seconds:.2f} "
            f"| {memory / (1 << 20):.0f} | {memory / plain_memory:.2f} |"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """0, or 1 if a check does not come out as it must."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.liveness")
    parser.add_argument("-n", "--repeats", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a small instance")
    options = parser.parse_args(arguments)
    size = SMALL if options.small else LARGE
    idle, costs = Cost(ROWS[1]), [Cost(row) for row in ROWS]
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        try:
            measure(idle, Path(scratch), TINY)
            for _ in range(options.repeats):
                for cost in costs:
                    measure(cost, Path(scratch), size)
        except Failed as failure:
            print(failure, file=sys.stderr)
            return 1
    print(f"{size.distinct:,} states, one thread; medians of {options.repeats}, checks in turn.\n")
    print("\n".join(table(costs, idle.peaks[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
