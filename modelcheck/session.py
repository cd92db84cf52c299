"""One call of `check` or `trace`: files are loaded, checks run, results shown as they come.

Whatever goes wrong with one file or check is told, and the others still run.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from attrs import Factory, define, field, frozen

from modelcheck import api, reproduction, shipped
from modelcheck.console import (
    AS_EXPECTED,
    NOT_AS_EXPECTED,
    NOT_DECIDED,
    REFUSED,
    OutputClosed,
    OutputLost,
    Printer,
    complain,
    line_width,
    progress,
    report_bug,
    terminal_width,
    timed,
    worst,
)
from modelcheck.core.agreement import Disagreement
from modelcheck.core.conclude import without_fairness
from modelcheck.core.model import Check
from modelcheck.core.needs import with_needs
from modelcheck.core.outcome import VIOLATED, Found, Outcome
from modelcheck.diagnostics import Diagnostic, Refused, Severity
from modelcheck.report import crossed, fairness, records, snippet, summary, vacuity, violation
from modelcheck.report.lint import no_fairness
from modelcheck.report.refusals import no_checks, not_judged, unknown_lanes
from modelcheck.report.words import judged, surprises

if TYPE_CHECKING:
    from modelcheck.core.limits import Limits
    from modelcheck.core.proof import Proved

Vacuity: TypeAlias = Literal["error", "warn", "off"]

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@frozen
class Options:
    """What the command line says about every check.

    settings  replaced parameters and sorts, as written: ("Node", "3")
    faults    replaced fault budgets, as written, None if the file's stand
    vacuity   what to do about what never came up in the checks that ran; None: warn, if these are
              all checks of the file as it is written
    """

    limits: Limits
    settings: tuple[tuple[str, str], ...] = ()
    faults: str | None = None
    keep_going: bool = False
    engine: str = "native"
    threads: int | None = None
    least: bool = False
    stats: bool = False
    vacuity: Vacuity | None = None
    explain_fairness: bool = False
    cross_check: bool = False

    @property
    def as_written(self) -> bool:
        """Whether checks run with the settings and faults that the file gives them."""
        return not self.settings and self.faults is None

    def again(self, path: str, check: str) -> list[str]:
        """The command that cross-checks a check again, as words."""
        words = ["modelcheck", "check", path, check, "--cross-check"]
        for setting, value in self.settings:
            words += ["-D", shlex.quote(f"{setting}={value}")]
        return words if self.faults is None else [*words, "--faults", shlex.quote(self.faults)]

    def command(self, path: str, check: str, name: str) -> str:
        """The command that shows a trace again."""
        words = ["modelcheck", "trace", path, check, name]
        for setting, value in self.settings:
            words += ["-D", f"{setting}={value}"]
        if self.faults is not None:
            words += ["--faults", self.faults]
        if self.least:
            words += ["--trace", "least"]
        return shlex.join(words)


class _Disagree(Exception):
    """Search, bounded search and proofs do not say the same."""


@define
class Session:
    """Loads, checks, and shows; `code` is the exit code so far.

    as_json  then nothing is shown before `close`
    """

    options: Options
    printer: Printer
    as_json: bool = False
    _codes: list[int] = field(factory=list, init=False)
    _diagnostics: list[Diagnostic] = field(factory=list, init=False)
    _results: dict[str, list[Outcome]] = field(factory=dict, init=False)
    _carried_out: dict[str, tuple[Proved, ...]] = field(factory=dict, init=False)
    _told: set[str] = field(factory=set, init=False)
    _said: bool = field(default=False, init=False)
    _apart: bool = field(default=False, init=False)

    @property
    def code(self) -> int:
        return worst(self._codes)

    def close(self) -> None:
        """Show what is shown at the end: the JSON document."""
        if self.as_json:
            document = records.document(self._diagnostics, self._results.items())
            self.printer.show(json.dumps(document, indent=2))

    # --- files ---

    def load(self, arguments: Sequence[str]) -> Loaded:
        """The files that the arguments name; what is no file is the name of a check in them.

        The first argument is a file; a later bare word is a check if some file has that check.
        """
        loaded = Loaded()
        words: list[str] = []
        for number, argument in enumerate(arguments):
            if number > 0 and self._name.fullmatch(argument):
                words.append(argument)
            else:
                self._load(argument, loaded)
        names = {name for file in loaded.files for name in self._names(file)}
        for word in words:
            if word not in names and shipped.look_up(word) is not None:
                self._load(word, loaded)
                continue
            loaded.some = True
            if word in names:
                loaded.names.append(word)
            elif not loaded.broken:  # else the check may be in the file that cannot be read
                self.tell([self._unknown(word, sorted(names))])
        return loaded

    # What a word after the files names.

    @property
    def _name(self) -> re.Pattern[str]:
        return _NAME

    def _names(self, file: api.File) -> Iterable[str]:
        return file

    def _unknown(self, word: str, names: Sequence[str]) -> Diagnostic:
        return api.unknown_check(word, names)

    def _load(self, argument: str, loaded: Loaded) -> None:
        with self._guarded(f"finding {argument}") as failed:
            for path in shipped.files(argument):
                if path not in loaded.paths:
                    loaded.paths.append(path)
                    loaded.broken |= not self._load_one(path, loaded)
        loaded.broken |= bool(failed)

    def _load_one(self, path: Path, loaded: Loaded) -> bool:
        with self._guarded(f"reading {path.as_posix()}") as failed:
            loaded.files.append(api.load_file(path))
        return not failed

    # --- checks ---

    def check_file(self, file: api.File, names: Sequence[str] = ()) -> None:
        """Run the file's checks, or those of the given names, and show a line for each."""
        chosen = [each for each in file.checks if not names or each.name in names]
        outcomes = self._results.setdefault(file.path, [])
        if not file.checks:
            self.tell([*file.warnings, no_checks(file.path, library=file.protocol is None)])
            return
        columns = summary.Columns.of(
            ((each.name, each.expectations) for each in chosen), file.reachable
        )
        with timed(shipped.called(file.path)):
            for each in chosen:
                outcome = self.run(file, each.name)
                if outcome is not None:
                    outcomes.append(outcome)
                    self._show_line(file, outcome, columns)
        self.tell(file.warnings)
        vacuous = 0
        with self._guarded(f"looking over {file.path}"):
            vacuous = self._look_over(file, outcomes)
        results = [outcome.as_expected for outcome in outcomes]
        self._say(summary.closing(shipped.called(file.path), len(chosen), results, vacuous))
        self._apart = True

    def _look_over(self, file: api.File, outcomes: Sequence[Outcome]) -> int:
        """Tell what never came up in any of the checks that ran; how much of it is an error."""
        wanted = self.options.vacuity
        whole = len(outcomes) == len(file.checks) and self.options.as_written
        if wanted == "off" or (wanted is None and not whole):
            return 0
        found = vacuity.file_warnings(outcomes)
        if wanted != "error":
            self.tell(found)
            return 0
        if found:
            # As a verdict that is not as expected, and not as a file that cannot be read.
            self._codes.append(NOT_AS_EXPECTED)
            self._show_diagnostics([vacuity.as_error(each) for each in found])
        return len(found)

    def run(self, file: api.File, name: str) -> Outcome | None:
        """The outcome of one check; None if it could not be run, which has then been told."""
        with self._guarded(f"instance {name} of {file.path}") as failed:
            check = file.instance(name, self.options.settings, self.options.faults)
        if failed:
            return None
        unfair = no_fairness(check)
        if unfair is not None:
            self.tell([unfair])
        with self._guarded(f"search of {name} of {file.path}"), progress(name) as advance:
            outcome = api.check(
                check,
                self.options.limits,
                self.options.engine,
                keep_going=self.options.keep_going,
                threads=self.options.threads,
                least=self.options.least,
                progress=advance,
            )
            met = {True: AS_EXPECTED, False: NOT_AS_EXPECTED, None: NOT_DECIDED}
            self._codes.append(met[outcome.as_expected])
            return self._explained(outcome)
        return None

    def _explained(self, outcome: Outcome) -> Outcome:
        """With what its liveness rests on, if that is asked."""
        if not self.options.explain_fairness:
            return outcome

        def decide(check: Check) -> Outcome:
            options = self.options
            with progress(f"{check.name}, other fairness") as advance:
                return api.check(
                    check,
                    options.limits,
                    options.engine,
                    threads=options.threads,
                    progress=advance,
                )

        return with_needs(outcome, decide)

    def _show_line(self, file: api.File, outcome: Outcome, columns: summary.Columns) -> None:
        with self._guarded(f"report of {outcome.check.name} of {file.path}"):
            line = summary.line(outcome, columns, line_width())
            self._say("\n".join([line, *_remarks(outcome)]))
            if outcome.needs:
                self._say("\n".join(fairness.needs(outcome)))
            if self.options.stats:
                self._say("\n".join(summary.measured(outcome)))
            self._show_findings(file, outcome, surprises(outcome))
        if self.options.cross_check:
            self._cross_check(file, outcome)

    def _cross_check(self, file: api.File, outcome: Outcome) -> None:
        """Say what the outcome was compared with; where something disagrees, save that."""
        name = outcome.check.name
        stage = f"cross-check of {name} of {file.path}"
        with self._guarded(stage):
            agreed = api.cross_check(outcome, self._proofs(file))
            if not isinstance(agreed, Disagreement):
                self._say(f"  {crossed.remark(agreed)}")
                return
            command = self.options.again("{}", name)
            directory = reproduction.save(file, command, str(agreed), Path.cwd())
            self._bug(stage, _Disagree(str(agreed)))
            complain(f"  saved in {directory.name}")

    def _proofs(self, file: api.File) -> tuple[Proved, ...]:
        """What comes of the file's proofs, carried out once."""
        if file.path not in self._carried_out:
            self._carried_out[file.path] = api.prove(file) if file.proofs else ()
        return self._carried_out[file.path]

    def _show_findings(
        self,
        file: api.File,
        outcome: Outcome,
        findings: Sequence[Found],
        *,
        full: bool = False,
        only: Sequence[str] = (),
    ) -> None:
        """Show the findings, one below the other where they have one trace."""
        path, name = shipped.called(file.path), outcome.check.name
        for group in violation.by_trace(findings):
            for number, found in enumerate(group):
                text = violation.report(
                    outcome,
                    found,
                    command=self.options.command(path, name, found.name),
                    full=full,
                    width=terminal_width(),
                    with_trace=number == 0,
                    only=only,
                )
                self._say_apart(text)

    def emit(self, file: api.File, names: Sequence[str], what: str) -> None:
        """Show what the native engine makes of the file's checks: "ir" or "layout"."""
        show = api.emit_ir if what == "ir" else api.emit_layout
        for each in file.checks:
            if names and each.name not in names:
                continue
            with self._guarded(f"code of {each.name} of {file.path}"):
                check = file.instance(each.name, self.options.settings, self.options.faults)
                comment = ";" if what == "ir" else "#"
                self.printer.show(f"{comment} {shipped.called(file.path)} {each.name}")
                self.printer.show(show(check))

    # --- traces ---

    def trace(
        self,
        file: api.File,
        name: str,
        wanted: Sequence[str],
        *,
        full: bool,
        only: Sequence[str] = (),
    ) -> None:
        """Run one check and show its traces: of the wanted properties, else the first there is.

        only  the lanes and variables to be shown; all if there are none
        """
        outcome = self.run(file, name)
        if outcome is None:
            return
        self._results.setdefault(file.path, []).append(outcome)
        line = summary.line(outcome, summary.Columns.of([]), line_width())
        self._say("\n".join([line, *_remarks(outcome)]))
        with self._guarded(f"report of {name} of {file.path}"):
            chosen = self._findings(outcome, wanted) if wanted else _most_telling(outcome)
            unknown = unknown_lanes(outcome, only)
            if unknown:
                raise Refused(unknown)
            self._show_findings(file, outcome, chosen, full=full, only=only)
            if not chosen and not wanted:
                self._say_apart("there is no trace to show")

    def _findings(self, outcome: Outcome, wanted: Sequence[str]) -> list[Found]:
        chosen = []
        for name in wanted:
            found = next((f for f in outcome.found if f.name == name), None)
            if found is None:
                self.tell([not_judged(outcome, name)])
            else:
                chosen.append(found)
        return chosen

    # --- telling ---

    def tell(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Show diagnostics; an error counts as a refusal."""
        diagnostics = list(diagnostics)
        if any(each.severity is Severity.ERROR for each in diagnostics):
            self._codes.append(REFUSED)
        self._show_diagnostics(diagnostics)

    def _show_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Show diagnostics, each once."""
        for diagnostic in diagnostics:
            text = snippet.diagnostic(diagnostic, terminal_width())
            if text not in self._told:  # what is wrong with the call is wrong for every check
                self._told.add(text)
                self._diagnostics.append(diagnostic)
                self._say_apart(text)

    def _say(self, text: str) -> None:
        if not self.as_json:
            self.printer.show(f"\n{text}" if self._apart else text)
        self._apart, self._said = False, True

    def _say_apart(self, text: str) -> None:
        """Say what has several lines, with an empty line before and after."""
        self._apart = self._apart or self._said
        self._say(text)
        self._apart = True

    @contextmanager
    def _guarded(self, stage: str) -> Iterator[list[int]]:
        """Tells what goes wrong inside; the list is empty if nothing did."""
        failed: list[int] = []
        try:
            yield failed
        except Refused as refused:
            failed.append(REFUSED)
            self.tell(refused.diagnostics)
        except MemoryError:
            failed.append(NOT_DECIDED)
            self._codes.append(NOT_DECIDED)
            complain(f"out of memory: {stage}")
        except (OutputClosed, OutputLost):
            raise
        except Exception as error:
            failed.append(self._bug(stage, error))

    def _bug(self, stage: str, error: BaseException) -> int:
        code = report_bug(stage, error)
        self._codes.append(code)
        return code


@define
class Loaded:
    """
    names   of the checks asked for; empty for all, or if `some` for none
    some    whether some checks were asked for by name
    broken  whether some file could not be used
    """

    files: list[api.File] = Factory(list)
    names: list[str] = Factory(list)
    paths: list[Path] = Factory(list)
    some: bool = False
    broken: bool = False

    def wants(self, file: api.File) -> bool:
        """Whether some check of the file is to run."""
        return not self.some or any(name in self.names for name in file)


def _most_telling(outcome: Outcome) -> list[Found]:
    """The first violation, or else the first example of something reachable.

    What the check did not expect comes before what it did, and that before what it is not about.
    """
    found = [*surprises(outcome), *judged(outcome), *outcome.found]
    violated = [each for each in found if each.verdict in VIOLATED]
    with_trace = [each for each in violated if each.trace is not None]
    examples = [f for f in outcome.found if f.kind == "reachable" and f.trace is not None]
    return (with_trace or violated or examples)[:1]


def _remarks(outcome: Outcome) -> list[str]:
    """The notes below a check, without what was told before its search."""
    told = no_fairness(outcome.check) is not None
    return summary.remarks(outcome, without_fairness(outcome.check.model).values() if told else ())
