"""Running commands, and what they cost."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from attrs import field, frozen, mutable

from benchmarks.cases import Case
from benchmarks.tools import Plan, Reading, Tool, Unreadable


class Failed(Exception):
    """A tool that cannot take part in a comparison, and why."""


@frozen
class Run:
    """One command that has ended.

    seconds  from its start to its end
    peak     the most memory that was resident, in bytes; of the command, not of its children
    """

    output: str
    code: int
    seconds: float
    peak: int


def run(command: Sequence[str], directory: Path, limit: float) -> Run:
    """Runs a command to its end, with standard error in its output.

    Raises Failed if it cannot be started or takes longer than `limit` seconds.
    """
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(command, cwd=directory, stdout=output, stderr=output)
        except OSError as error:
            raise Failed(f"cannot run `{command[0]}`: {error}") from error
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(limit, stop)
        timer.start()
        # `wait4` because it gives the resources of this child alone.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if late.is_set():
            raise Failed(f"`{command[0]}` took longer than {limit:g} s")
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Run(text, process.returncode, seconds, usage.ru_maxrss * 1024)


@mutable
class Series:
    """All that is measured of one tool on one case.

    setup  seconds to generate and compile, once
    """

    tool: Tool
    case: Case
    plan: Plan
    directory: Path
    setup: float = 0.0
    reading: Reading | None = None
    problem: str | None = None
    search_times: list[float] = field(factory=list)
    run_times: list[float] = field(factory=list)
    peaks: list[int] = field(factory=list)

    def prepare(self, limit: float) -> None:
        """Generates and compiles."""
        try:
            for command in self.plan.prepare:
                done = run(command, self.directory, limit)
                if done.code != 0:
                    raise Failed(f"`{command[0]}` failed:\n{done.output[-2000:]}")
                self.setup += done.seconds
        except Failed as failure:
            self.problem = str(failure)

    def search(self, limit: float, keep: bool) -> None:
        """Runs the search once; its times count if `keep`."""
        if self.problem is not None:
            return
        try:
            done = run(self.plan.search, self.directory, limit)
            self.reading = self.tool.read(done.output)
        except (Failed, Unreadable) as failure:
            self.problem = str(failure)
            return
        if keep:
            reported = self.reading.seconds if self.tool.reports_search_time else None
            self.search_times.append(done.seconds if reported is None else reported)
            self.run_times.append(done.seconds)
            self.peaks.append(done.peak)

    @property
    def search_seconds(self) -> float | None:
        return median(self.search_times) if self.search_times else None

    @property
    def command_seconds(self) -> float | None:
        """From the model's text to the verdict."""
        return self.setup + median(self.run_times) if self.run_times else None

    @property
    def peak_per_state(self) -> float | None:
        if self.reading is None or not self.peaks:
            return None
        return median(self.peaks) / self.reading.distinct


@frozen
class Settings:
    """How often, and how long at most a single command."""

    repeats: int
    limit: float


def compare(case: Case, tools: Sequence[Tool], settings: Settings, scratch: Path) -> list[Series]:
    """All tools on one case.

    Everything is compiled and run once before anything is timed. Then the tools take turns, so
    that what else the machine does meets all of them alike.
    """
    every = []
    for place, tool in enumerate(each for each in tools if each.takes(case)):
        directory = scratch / f"{case.model}-{case.check}-{place}"
        directory.mkdir()
        every.append(Series(tool, case, tool.plan(case, directory), directory))
    for series in every:
        series.prepare(settings.limit)
        series.search(settings.limit, keep=False)
    if disagreement(every):
        return every
    for _ in range(settings.repeats):
        for series in every:
            series.search(settings.limit, keep=True)
    return every


def disagreement(every: Sequence[Series]) -> str | None:
    """Which counts differ from what is known of the case, if any do."""
    wrong = []
    for series in every:
        seen, known = series.reading, series.case.counts
        if seen is None:
            continue
        for name in ("distinct", "generated", "depth"):
            count = getattr(seen, name)
            if count is not None and count != getattr(known, name):
                wrong.append(f"{series.tool.label}: {name} {count:,}, not {getattr(known, name):,}")
    return "; ".join(wrong) or None
