"""Where the tool meets the terminal: printing, progress, exit codes."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcheck.core.progress import Progress, Snapshot
    from modelcheck.report.render import Color

AS_EXPECTED = 0
NOT_AS_EXPECTED = 1
REFUSED = 2
NOT_DECIDED = 3
BUG = 70
INTERRUPTED = 130
CLOSED = 141
"""As a shell reports a program that wrote into a closed pipe."""

NARROWEST = 40
"""Columns to which a report is laid out at least."""

_BY_WEIGHT = (AS_EXPECTED, NOT_DECIDED, NOT_AS_EXPECTED, REFUSED, BUG)


def worst(codes: Iterable[int]) -> int:
    """The exit code of several results: a bug, a refusal, a surprise, an open end, success."""
    return max(codes, key=_BY_WEIGHT.index, default=AS_EXPECTED)


class OutputClosed(Exception):
    """Nobody reads our output any more: `| head`."""


class OutputLost(Exception):
    """The output cannot be written: the disk is full."""


def ensure_streams() -> None:
    """A program started without standard streams has them all the same."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


class Printer:
    """Writes reports to the standard output, each at once and whole."""

    def __init__(self, color: Color = "auto") -> None:
        from modelcheck.report.render import wants_color

        # What the terminal cannot show comes as an escape, never as an exception.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
        self._color = wants_color(sys.stdout, color)

    def show(self, text: str) -> None:
        """Print a report and a line end."""
        if self._color:
            from modelcheck.report.render import paint

            text = paint(text)
        write(text + "\n")


def write(text: str) -> None:
    """Write to the standard output. Raises OutputClosed, OutputLost."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise OutputClosed from None
    except OSError as error:  # Windows has another number for it
        if error.errno == errno.EINVAL and os.name == "nt":
            raise OutputClosed from None
        raise OutputLost((error.strerror or type(error).__name__).lower()) from None


def give_up_output() -> None:
    """Let the interpreter's last flush of a closed standard output succeed."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def terminal_width() -> int:
    """Columns of the terminal, or what COLUMNS says; 100 if the output is no terminal."""
    from shutil import get_terminal_size

    from modelcheck.report.text import WIDTH

    return max(get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def line_width() -> int | None:
    """Where a terminal breaks a line; None elsewhere: what a program reads is not broken."""
    return terminal_width() if sys.stdout.isatty() else None


@contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """A callback that shows the counts so far on the standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm  # type: ignore[import-untyped]

    with tqdm(desc=label, unit=" states", delay=1.0, leave=False, file=sys.stderr) as bar:

        def advance(so_far: Snapshot) -> None:
            left = max(0, so_far.frontier - so_far.expanded)
            shown = {"depth": str(so_far.depth), "frontier": f"{so_far.frontier:,}"}
            if so_far.bytes:
                shown["memory"] = size_text(so_far.bytes)
            rate = so_far.distinct / so_far.seconds if so_far.seconds > 0 else 0.0
            if rate > 0:
                # Of this level: nobody knows how many more there are.
                shown["level left"] = f"{left / rate:.0f} s"
            bar.set_postfix(shown, refresh=False)
            bar.update(so_far.distinct - bar.n)

        yield advance


@contextmanager
def walking(label: str, runs: int | None) -> Iterator[Callable[[int, int], None] | None]:
    """As `progress`, for random runs: how many, and their steps."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=label, total=runs, unit=" runs", delay=1.0, leave=False, file=sys.stderr) as bar:

        def advance(done: int, steps: int) -> None:
            bar.set_postfix({"steps": f"{steps:,}"}, refresh=False)
            bar.update(done - bar.n)

        yield advance


@contextmanager
def asking(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """As `progress`, for the queries of a proof: how many are answered, and how many there are."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=label, unit=" queries", delay=1.0, leave=False, file=sys.stderr) as bar:

        def advance(answered: int, total: int) -> None:
            bar.total = total
            bar.update(answered - bar.n)

        yield advance


def size_text(size: int) -> str:
    """Bytes for people: "7.3 GiB"."""
    for unit, exponent in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << exponent:
            return f"{size / (1 << exponent):.1f} {unit}"
    return f"{size} B"


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Says on the standard error, if that is a terminal, how long it took."""
    started = time.monotonic()
    yield
    if sys.stderr.isatty():
        complain(f"{what} took {time.monotonic() - started:.1f} s")


def complain(text: str) -> None:
    """A line on the standard error, lost if nobody listens."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=_stderr(), flush=True)


def _stderr() -> IO[Any]:
    reconfigure = getattr(sys.stderr, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return sys.stderr


def report_bug(stage: str, error: BaseException) -> int:
    """Say that something of ours broke; the exit code."""
    complain(f"this is a bug in modelcheck, not in the specification: {_short(error)}")
    complain(f"  stage: {stage}")
    if os.environ.get("MODELCHECK_DEBUG") == "1":
        complain("".join(traceback.format_exception(error, limit=-12)).rstrip())
    else:
        complain("  set MODELCHECK_DEBUG=1 to see where it happened")
    complain("  please report it, with the file, the command line and these lines")
    return BUG


def _short(error: BaseException) -> str:
    text = str(error).split("\n", 1)[0]
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
