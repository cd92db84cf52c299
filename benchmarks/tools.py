"""How each tool is called, and how its output is read.

A tool is a frozen value with a `label`. `prepare` brings a case to where one command searches
it (generate, compile), in a directory of its own; `read` takes what that command printed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from attrs import frozen

from benchmarks.cases import BENCHMARKS, PARAMETERS, PEERS, Case


class Unreadable(Exception):
    """The output of a tool lacks what every finished search prints."""


@frozen
class Reading:
    """What a tool says about its search; None is what it does not say.

    seconds          of the search alone
    bytes_per_state  that the tool accounts for itself
    """

    distinct: int
    generated: int | None = None
    depth: int | None = None
    seconds: float | None = None
    bytes_per_state: float | None = None


@frozen
class Plan:
    """The commands that prepare a case, in order, and the one that searches it."""

    prepare: tuple[tuple[str, ...], ...]
    search: tuple[str, ...]


class Tool(Protocol):
    @property
    def label(self) -> str: ...

    @property
    def reports_search_time(self) -> bool:
        """If not, its search command does nothing else, and is timed from outside."""

    def takes(self, case: Case) -> bool: ...

    def plan(self, case: Case, directory: Path) -> Plan: ...

    def read(self, output: str) -> Reading: ...


def find(pattern: str, text: str) -> re.Match[str]:
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise Unreadable(f"nothing like `{pattern}` in:\n{text[-2000:]}")
    return match


def number(digits: str) -> int:
    return int(digits.replace(",", ""))


@frozen
class Ours:
    """This checker, through its command line.

    threads, engine  None leaves the option out, and the choice to the command line
    """

    threads: int | None = None
    engine: str | None = None
    reports_search_time: bool = True

    @property
    def label(self) -> str:
        return "modelcheck" if self.threads is None else f"modelcheck -j {self.threads}"

    def takes(self, case: Case) -> bool:
        return True

    def plan(self, case: Case, directory: Path) -> Plan:
        command = [sys.executable, "-m", "modelcheck", "check", str(case.path), case.check]
        command += ["--format", "json", *stats_option()]
        if self.engine is not None:
            command += ["--engine", self.engine]
        if self.threads is not None:
            command += ["-j", str(self.threads)]
        return Plan((), tuple(command))

    def read(self, output: str) -> Reading:
        """The statistics of the only check, or its own counts where there are no statistics."""
        try:
            (file,) = json.loads(output)["files"]
            (check,) = file["checks"]
            stats = check | check.get("stats", {})
            if not check["complete"]:
                raise Unreadable(f"the search did not finish: {check['limits']}")
            return Reading(
                stats["distinct"],
                stats.get("generated"),
                stats.get("depth"),
                stats.get("seconds"),
                stats.get("bytes_per_state"),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise Unreadable(f"not the JSON of one check: {error}\n{output[-2000:]}") from error


@cache
def stats_option() -> tuple[str, ...]:
    """`--stats` where this version has it."""
    command = (sys.executable, "-m", "modelcheck", "check", "--help")
    usage = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return ("--stats",) if "--stats" in usage else ()


@frozen
class Spin:
    """Full state vectors, no partial-order reduction, depth first: its fastest exact mode."""

    label: str = "Spin"
    reports_search_time: bool = True

    def takes(self, case: Case) -> bool:
        return three_acceptors(case)

    def plan(self, case: Case, directory: Path) -> Plan:
        source = PEERS / "promela" / f"{case.model}.pml"
        generate = ["spin", "-a", *macros(case, leave_out="A"), str(source)]
        compile_ = ["gcc", "-O2", "-march=native", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR"]
        compile_ += ["-DMEMLIM=16000", "-DVECTORSZ=2048", "-o", "pan", "pan.c"]
        return Plan((tuple(generate), tuple(compile_)), ("./pan", "-E", "-m2000000", "-w24"))

    def read(self, output: str) -> Reading:
        if "errors: 0" not in find(r"errors: \d+", output).group():
            raise Unreadable(f"pan found an error:\n{output[-2000:]}")
        if "Search not completed" in output:
            raise Unreadable("pan did not complete its search")
        return Reading(
            int(find(r"^\s*(\d+) states, stored", output).group(1)),
            _whole(find(r"^\s*([\d.e+]+) transitions", output).group(1)),
            seconds=float(find(r"^pan: elapsed time ([\d.e+-]+) seconds", output).group(1)),
        )


def _whole(text: str) -> int | None:
    """A count; None where pan has rounded it: 1.235584e+08."""
    return int(text) if text.isdigit() else None


@frozen
class Rumur:
    """Its own time is in whole seconds, so that the search is timed from outside."""

    threads: int = 1
    reports_search_time: bool = False

    @property
    def label(self) -> str:
        return "Rumur" if self.threads == 1 else f"Rumur, {self.threads} threads"

    def takes(self, case: Case) -> bool:
        return three_acceptors(case)

    def plan(self, case: Case, directory: Path) -> Plan:
        source = (PEERS / "murphi" / f"{case.model}.m").read_text(encoding="utf-8")
        (directory / "model.m").write_text(with_constants(source, case), encoding="utf-8")
        generate = ["rumur", "--deadlock-detection", "off", "--threads", str(self.threads)]
        generate += ["-o", "model.c", "model.m"]
        compile_ = ["gcc", "-O3", "-march=native", "-mcx16", "-w", "-o", "model", "model.c"]
        return Plan((tuple(generate), (*compile_, "-lpthread")), ("./model",))

    def read(self, output: str) -> Reading:
        find(r"No error found", output)
        found = find(r"([\d,]+) states, ([\d,]+) rules fired in (\d+)s", output)
        # The initial state is not a rule's.
        return Reading(
            number(found.group(1)), number(found.group(2)) + 1, seconds=float(found.group(3))
        )


TLA = {"twophase": "TwoPhase", "paxos": "Paxos", "fenced": "Fenced", "kafka": "KafkaTxn"}
"""The name of each model's module."""

UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


@frozen
class Tlc:
    """The time that it prints is of its whole run after the start of the virtual machine."""

    jar: str
    workers: int = 1
    reports_search_time: bool = True

    @property
    def label(self) -> str:
        return "TLC" if self.workers == 1 else f"TLC, {self.workers} workers"

    def takes(self, case: Case) -> bool:
        return True

    def plan(self, case: Case, directory: Path) -> Plan:
        module = TLA[case.model]
        shutil.copy(PEERS / "tla" / f"{module}.tla", directory)
        constants = "".join(f"  {name} = {value}\n" for name, value in (*case.settings, ("BUG", 0)))
        (directory / f"{module}.cfg").write_text(
            f"SPECIFICATION Spec\nINVARIANT Inv\nCONSTANTS\n{constants}", encoding="utf-8"
        )
        command = ["java", "-XX:+UseParallelGC", "-Xmx16g", "-cp", self.jar, "tlc2.TLC"]
        return Plan((), (*command, "-deadlock", "-workers", str(self.workers), module))

    def read(self, output: str) -> Reading:
        find(r"No error has been found", output)
        counts = r"^([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left"
        found = find(counts, output)
        depth = find(r"^The depth of the complete state graph search is (\d+)", output)
        took = find(r"^Finished in ((?:\d+[a-z]+ )+)at", output).group(1)
        return Reading(
            number(found.group(2)),
            number(found.group(1)),
            int(depth.group(1)),
            sum(int(n) * UNITS[unit] for n, unit in re.findall(r"(\d+)([a-z]+)", took)),
        )


@frozen
class Handwritten:
    """A C program that searches one model and prints its counts in one line."""

    label: str
    sources: Path
    reports_search_time: bool = True

    def takes(self, case: Case) -> bool:
        return (self.sources / f"{case.model}.c").exists()

    def plan(self, case: Case, directory: Path) -> Plan:
        source = str(self.sources / f"{case.model}.c")
        compile_ = ["gcc", "-O3", "-march=native", "-w", *macros(case), "-o", "search", source]
        return Plan((tuple(compile_),), ("./search",))

    def read(self, output: str) -> Reading:
        """distinct, generated, depth, seconds, perhaps bytes per state, verdict."""
        cells = output.split()
        if len(cells) < 5 or cells[-1] != "ok":
            raise Unreadable(f"not the line of a finished search: {output[-2000:]}")
        distinct, generated, depth, seconds, *more = cells[:-1]
        return Reading(
            int(distinct),
            int(generated),
            int(depth),
            float(seconds),
            float(more[0]) if more else None,
        )


def three_acceptors(case: Case) -> bool:
    """The Promela and Murphi models of Paxos are written for three."""
    return case.model != "paxos" or dict(case.settings)["A"] == 3


def macros(case: Case, leave_out: str = "") -> Iterator[str]:
    """The case's parameters as C macros, and the model as it is meant to be."""
    for name, value in (*case.settings, ("BUG", 0)):
        if name != leave_out:
            yield f"-D{name}={value}"


def with_constants(source: str, case: Case) -> str:
    """A Murphi text whose constants are those of the case."""
    for name in PARAMETERS[case.model]:
        value = dict(case.settings)[name]
        source, found = re.subn(
            rf"^(const|     ) {name}: \d+;", rf"\1 {name}: {value};", source, flags=re.MULTILINE
        )
        if found != 1:
            raise Unreadable(f"no constant `{name}` in the Murphi model of {case.model}")
    return source


def installed(threads: Sequence[int | None], engine: str | None) -> list[Tool]:
    """What can be run here: ourselves first, then the peers, then the yardsticks."""
    tools: list[Tool] = [Ours(each, engine) for each in threads]
    gcc = shutil.which("gcc") is not None
    if gcc and shutil.which("spin"):
        tools.append(Spin())
    if gcc and shutil.which("rumur"):
        tools += [Rumur(each or 1) for each in threads]
    jar = os.environ.get("TLA2TOOLS")
    if jar and shutil.which("java"):
        tools += [Tlc(jar, each or 1) for each in threads]
    if gcc:
        tools.append(Handwritten("C, simple", PEERS / "c"))
        tools.append(Handwritten("C, yardstick", BENCHMARKS / "yardstick"))
    return tools
