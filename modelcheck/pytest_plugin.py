"""For pytest: every check and every proof of a `.model` file is a test.

This is loaded into every run of pytest where modelcheck is installed. It costs
next to nothing until a file of ours turns up: whatever reads and searches is
imported then.
"""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import join
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from modelcheck.api import File
    from modelcheck.core.outcome import Outcome
    from modelcheck.core.proof import Proved
    from modelcheck.resolve.file import CheckInfo, ProofInfo

SUFFIX = ".model"
_NARROWEST = 40


class SpecificationWarning(pytest.PytestWarning):
    """A warning about a specification that can be used all the same."""


class NotAsExpected(Exception):
    """A check did not come out as its file expects, or was not decided."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.check.name)
        self.outcome = outcome


class NotProved(Exception):
    """A proof did not come out, or had no answer."""

    def __init__(self, proved: Proved) -> None:
        super().__init__(proved.proof.name)
        self.proved = proved


# --- options -------------------------------------------------------------------------


class _Options(NamedTuple):
    """What a run says about every check; None where it says nothing."""

    collect: bool
    engine: str | None
    states: int | None
    depth: int | None
    seconds: float | None
    vacuity: str | None = None


_OPTIONS = pytest.StashKey[_Options]()


def _count(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
        return number

    return parse


def _duration(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds) or seconds < 0:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


_VACUITY = ("error", "warn", "off")

_LIMITS: tuple[tuple[str, str, Callable[[str], Any], str], ...] = (
    ("states", "N", _count(1), "stop each check when N states have been seen"),
    ("depth", "N", _count(0), "look no further than N steps from the initial states"),
    ("seconds", "T", _duration, "stop each check after T seconds"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("modelcheck", "checks of .model files (modelcheck)")
    group.addoption("--modelcheck-engine", metavar="NAME", help="what searches")
    parser.addini("modelcheck_engine", "what searches the checks of .model files", default="")
    does = "what to do about properties that hold vacuously in a check: error, warn, off"
    group.addoption("--modelcheck-vacuity", choices=_VACUITY, help=f"{does} (default: off)")
    parser.addini("modelcheck_vacuity", does, default="")
    for name, metavar, parse, does in _LIMITS:
        group.addoption(
            f"--modelcheck-{name}",
            metavar=metavar,
            type=parse,
            help=f"{does}; one that is not decided then fails",
        )
        parser.addini(f"modelcheck_{name}", f"{does} of a .model file; empty: no limit", default="")
    parser.addini(
        "modelcheck_collect",
        "collect .model files; if false, only those named on the command line",
        type="bool",
        default=True,
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "modelcheck: a check or proof of a .model file")
    engine = config.getoption("--modelcheck-engine") or config.getini("modelcheck_engine") or None
    if engine is not None:
        _require_engine(engine)
    limits = {name: _limit(config, name, parse) for name, _, parse, _ in _LIMITS}
    vacuity = config.getoption("--modelcheck-vacuity") or config.getini("modelcheck_vacuity")
    if vacuity and vacuity not in _VACUITY:
        raise pytest.UsageError(f"modelcheck_vacuity: {vacuity!r} is not {', '.join(_VACUITY)}")
    collect = config.getini("modelcheck_collect")
    config.stash[_OPTIONS] = _Options(collect, engine, **limits, vacuity=vacuity or None)


def _require_engine(name: str) -> None:
    from modelcheck.api import ENGINES

    if name not in ENGINES:
        raise pytest.UsageError(f"modelcheck: no engine {name!r}; there is {', '.join(ENGINES)}")


def _limit(config: pytest.Config, name: str, parse: Callable[[str], Any]) -> Any:
    given = config.getoption(f"--modelcheck-{name}")
    if given is not None:
        return given
    text = config.getini(f"modelcheck_{name}")
    try:
        return parse(text) if text else None
    except ArgumentTypeError as error:
        raise pytest.UsageError(f"modelcheck_{name}: {error}") from None


# --- files and checks ----------------------------------------------------------------


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ModelFile | None:
    if file_path.suffix != SUFFIX:
        return None
    if parent.config.stash[_OPTIONS].collect or parent.session.isinitpath(file_path):
        collected: ModelFile = ModelFile.from_parent(parent, path=file_path)
        return collected
    return None


class ModelFile(pytest.File):
    """A `.model` file; it is read once, when it is collected."""

    file: File

    def collect(self) -> Iterator[CheckItem | ProofItem]:
        from modelcheck import api, shipped
        from modelcheck.readable import describe

        self.add_marker("modelcheck")
        self.file = api.load_file(shipped.shown(self.path))
        for warning in self.file.warnings:
            self.warn(SpecificationWarning(describe(warning, width=_width(self.config))))
        for check in self.file.checks:
            yield CheckItem.from_parent(self, name=check.name, info=check)
        for proof in self.file.proofs:
            yield ProofItem.from_parent(self, name=proof.name, info=proof)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return _failure(self, excinfo, 1) or super().repr_failure(excinfo)


class CheckItem(pytest.Item):
    """A check: it passes if every verdict is decided and is what the file expects."""

    def __init__(self, *, info: CheckInfo, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.info = info

    @property
    def file(self) -> File:
        assert isinstance(self.parent, ModelFile)
        return self.parent.file

    def runtest(self) -> None:
        from modelcheck import api
        from modelcheck.core.limits import Limits
        from modelcheck.readable import describe
        from modelcheck.report.words import verdict

        options = self.config.stash[_OPTIONS]
        limits = Limits(options.states, options.depth, options.seconds)
        check = self.file[self.name]
        if options.engine is None:
            outcome = api.check(check, limits)
        else:
            outcome = api.check(check, limits, options.engine)
        self.user_properties += [
            ("verdict", verdict(outcome)),
            ("states", outcome.stats.distinct),
            ("depth", outcome.stats.depth),
        ]
        if not outcome.as_expected:
            raise NotAsExpected(outcome)
        self._look_over(outcome, options.vacuity)
        self.add_report_section("call", "modelcheck", describe(outcome, width=_width(self.config)))

    def _look_over(self, outcome: Outcome, wanted: str | None) -> None:
        """Warn of, or fail for, what says nothing in this check, whatever others may give it."""
        if wanted in (None, "off"):
            return
        from modelcheck.diagnostics import Refused
        from modelcheck.readable import describe
        from modelcheck.report.vacuity import as_error, file_warnings

        found = file_warnings([outcome])
        if wanted == "error" and found:
            raise Refused(as_error(each) for each in found)
        for warning in found:
            self.warn(SpecificationWarning(describe(warning, width=_width(self.config))))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return _failure(self, excinfo, self.info.span.line) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        owner = self.file.protocol or self.path.stem
        return self.path, self.info.span.line - 1, f"{owner}.{self.name}"

    @property
    def command(self) -> str:
        """What shows a trace of the check, if the name of a property is added."""
        from modelcheck import shipped

        return join(["modelcheck", "trace", shipped.called(self.file.path), self.name])


class ProofItem(pytest.Item):
    """A proof: it passes if everything is proved."""

    def __init__(self, *, info: ProofInfo, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.info = info

    @property
    def file(self) -> File:
        assert isinstance(self.parent, ModelFile)
        return self.parent.file

    def runtest(self) -> None:
        from modelcheck import api
        from modelcheck.core.proof import Standing
        from modelcheck.readable import describe

        (proved,) = api.prove(self.file, self.name)
        self.user_properties.append(("verdict", proved.standing.value))
        if proved.standing is not Standing.PROVED:
            raise NotProved(proved)
        self.add_report_section("call", "modelcheck", describe(proved, width=_width(self.config)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return _failure(self, excinfo, self.info.span.line) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        owner = self.file.protocol or self.path.stem
        return self.path, self.info.span.line - 1, f"{owner}.{self.name}"

    @property
    def command(self) -> str:
        """What carries the proof out again."""
        from modelcheck import shipped

        return join(["modelcheck", "prove", shipped.called(self.file.path), self.name])


# --- failures ------------------------------------------------------------------------


class Report:
    """A failure as pytest prints it: our report, where a test in Python has a traceback.

    reprcrash  what the summary at the end says of it
    """

    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.reprcrash = place

    def __str__(self) -> str:
        return self.text

    def toterminal(self, terminal: Any) -> None:
        from modelcheck.report.render import paint

        terminal.line(paint(self.text) if terminal.hasmarkup else self.text)


class Place(NamedTuple):
    """Where a failure is, and what it is in one line."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


def _failure(
    node: ModelFile | CheckItem | ProofItem, excinfo: pytest.ExceptionInfo[BaseException], line: int
) -> Report | None:
    """What is to be said of an exception; None if it is not one of ours."""
    from modelcheck import shipped
    from modelcheck.diagnostics import Refused
    from modelcheck.readable import describe
    from modelcheck.report.proof import claim
    from modelcheck.report.summary import told
    from modelcheck.report.text import visible

    width = _width(node.config)
    path = shipped.shown(node.path).as_posix()
    match excinfo.value:
        case NotAsExpected(outcome=outcome):
            assert isinstance(node, CheckItem)
            text = describe(outcome, command=node.command, width=width)
            message = told(outcome).removeprefix("NOT AS EXPECTED: ")
            if outcome.as_expected is None:
                text += "\n\n" + UNDECIDED
                message = f"not decided: {message}"
        case NotProved(proved=proved):
            assert isinstance(node, ProofItem)
            text = describe(proved, command=node.command, width=width)
            message = f"{proved.standing.value}: {proved.proof.name}{claim(proved.proof)}"
        case Refused() as refused:
            text = describe(refused, width=width)
            first, *others = refused.diagnostics
            message = f"error[{first.id}]: {first.headline}"
            message += f" (and {len(others)} more)" if others else ""
            if first.primary is not None:
                path, line = first.primary.span.source.path, first.primary.span.line
        case SpecificationWarning() as warning:  # warnings are errors in this run
            text = str(warning)
            message = text.partition("\n")[0]
        case MemoryError():
            text = message = f"not decided: out of memory in {node.nodeid}"
        case Exception():
            text = f"{BUG}\n\n{excinfo.getrepr(style='short')}"
            message = f"a bug in modelcheck: {excinfo.exconly()}".partition("\n")[0]
        case _:  # what pytest has for skipping, failing and leaving
            return None
    return Report(text, Place(path, line, visible(message)))


UNDECIDED = "not decided: the search ended before it could tell, and that is not a success"

BUG = """\
this is a bug in modelcheck, not in the specification
please report it, with the file, the command line and these lines"""


def _width(config: pytest.Config) -> int:
    """Columns of pytest's terminal; what goes to a file or another process is as wide as ours."""
    from modelcheck.report.text import WIDTH

    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.isatty:
        return max(config.get_terminal_writer().fullwidth, _NARROWEST)
    return max(get_terminal_size((WIDTH, 24)).columns, _NARROWEST)
