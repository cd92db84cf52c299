"""Measures this checker beside Spin, Rumur, TLC and hand-written C, and prints a table.

    python -m benchmarks.run                    the usual sizes, each tool five times
    python -m benchmarks.run --quick            small sizes, to see that everything works
    python -m benchmarks.run 'paxos A=3 B=4 V=2' --threads 1,2

See README.md for what is measured.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.cases import QUICK, USUAL, Case, known
from benchmarks.measure import Series, Settings, compare, disagreement
from benchmarks.tools import Tool, installed

COLUMNS = (
    "tool",
    "distinct",
    "search s",
    "command s",
    "states/s",
    "bytes/state",
    "peak/state",
    "search, ours = 1",
    "command, ours = 1",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if all tools that ran agree, 1 if some do not or cannot be read."""
    options = parser().parse_args(arguments)
    cases = known()
    names = options.case or (QUICK if options.quick else USUAL)
    unknown = [name for name in names if name not in cases]
    if unknown:
        print(f"no case `{unknown[0]}`; there are:", *cases, sep="\n  ", file=sys.stderr)
        return 2
    tools = [
        tool
        for tool in installed(options.threads, options.engine)
        if not any(tool.label.startswith(left_out) for left_out in options.without)
    ]
    settings = Settings(options.repeats, options.limit)
    print(heading(tools, settings))
    good = True
    for name in names:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
            every = compare(cases[name], tools, settings, Path(scratch))
        print("\n" + "\n".join(section(cases[name], every)), flush=True)
        good = good and disagreement(every) is None and all(s.problem is None for s in every)
    return 0 if good else 1


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description="This checker beside others."
    )
    result.add_argument("case", nargs="*", help="such as 'paxos A=3 B=3 V=2'")
    result.add_argument("--quick", action="store_true", help="small sizes only")
    result.add_argument("-n", "--repeats", type=int, default=5, help="default: 5")
    result.add_argument(
        "--threads",
        type=threads,
        default=(None,),
        metavar="N,...",
        help="of us, Rumur and TLC; a row for each (default: what our command line chooses, and 1)",
    )
    result.add_argument("--engine", help="of ours; default: what the command line chooses")
    result.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="TOOL",
        help="leave out the tools whose names begin like this",
    )
    result.add_argument(
        "--limit",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="a tool that takes longer is left out of a case; default: 600",
    )
    return result


def threads(text: str) -> tuple[int, ...]:
    """The numbers in `1,2`."""
    try:
        numbers = tuple(int(each) for each in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a list of numbers above 0")
    return numbers


def heading(tools: Sequence[Tool], settings: Settings) -> str:
    labels = ", ".join(tool.label for tool in tools)
    machine = f"{processor()}, {os.cpu_count()} cores, {platform.system()}"
    busy = f"load {os.getloadavg()[0]:.1f} at the start"
    return (
        f"Machine: {machine}, {busy}; Python {platform.python_version()}.\n"
        f"Medians of {settings.repeats}, tools in turn: {labels}."
    )


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def section(case: Case, every: Sequence[Series]) -> Iterator[str]:
    """A case as Markdown: no ratios, and no times, where the counts differ."""
    counts = case.counts
    yield f"### {case.name}"
    yield ""
    yield f"{counts.distinct:,} distinct, {counts.generated:,} generated, depth {counts.depth}."
    yield ""
    wrong = disagreement(every)
    if wrong is not None:
        yield f"The tools do not explore the same states, so nothing is compared: {wrong}."
    elif any(series.search_times for series in every):
        yield f"| {' | '.join(COLUMNS)} |"
        yield "|---" + "|---:" * (len(COLUMNS) - 1) + "|"
        ours = next((s for s in every if s.tool.label.startswith("modelcheck")), None)
        yield from (line(series, ours) for series in every if series.problem is None)
    for series in every:
        if series.problem is not None:
            yield f"\n{series.tool.label} did not take part: {series.problem}"


def line(series: Series, ours: Series | None) -> str:
    reading = series.reading
    assert reading is not None, "a tool without a problem was read"
    search, command = series.search_seconds, series.command_seconds
    cells = [
        series.tool.label,
        f"{reading.distinct:,}",
        decimal(search, 3),
        decimal(command, 2),
        decimal(reading.distinct / search, 0) if search else "-",
        decimal(reading.bytes_per_state, 1),
        decimal(series.peak_per_state, 1),
        decimal(ratio(search, ours.search_seconds if ours else None), 2),
        decimal(ratio(command, ours.command_seconds if ours else None), 2),
    ]
    return f"| {' | '.join(cells)} |"


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """How many times as long as ours."""
    return theirs / ours if theirs is not None and ours else None


def decimal(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:,.{places}f}"


if __name__ == "__main__":
    sys.exit(main())
