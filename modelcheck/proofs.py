"""One call of `prove`: proofs of files are carried out, or checks searched up to a bound."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from modelcheck import api, shipped
from modelcheck.console import (
    AS_EXPECTED,
    NOT_AS_EXPECTED,
    NOT_DECIDED,
    REFUSED,
    asking,
    complain,
    line_width,
    terminal_width,
)
from modelcheck.core.model import Check
from modelcheck.core.outcome import VIOLATED, Outcome
from modelcheck.core.proof import Proved, Standing
from modelcheck.diagnostics import Diagnostic
from modelcheck.report import bounded, proof, proof_record, records, violation
from modelcheck.report.refusals import no_checks, no_proofs
from modelcheck.report.words import judged
from modelcheck.session import Loaded, Session

if TYPE_CHECKING:
    from modelcheck.prove.solver import Settings

_PROOF = re.compile(r"[A-Z][A-Za-z0-9_]*")

_CODES = {
    Standing.PROVED: AS_EXPECTED,
    Standing.VIOLATED: NOT_AS_EXPECTED,
    Standing.NOT_INDUCTIVE: NOT_AS_EXPECTED,
    Standing.UNKNOWN: NOT_DECIDED,
}


@frozen
class How:
    """What the command line says of queries; what is None is left to the solver's settings."""

    seconds: float | None = None
    threads: int | None = None
    seed: int | None = None
    certificate: Path | None = None

    def settings(self) -> Settings:
        """The same for the solver."""
        from modelcheck.prove.solver import Settings

        given = {"seconds": self.seconds, "seed": self.seed, "certificate": self.certificate}
        said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return Settings(threads=self.threads or api.processors(), **said)

    def words(self) -> list[str]:
        """The options again, threads aside: nothing depends on them."""
        words = [] if self.seconds is None else ["--seconds", f"{self.seconds:g}"]
        return words if self.seed is None else [*words, "--seed", str(self.seed)]


@define
class _Asking(Session):
    """
    how  what is said of queries
    """

    how: How = field(kw_only=True)
    _records: dict[str, list[dict[str, Any]]] = field(factory=dict, init=False)

    def chosen(self, file: api.File, loaded: Loaded) -> list[str]:
        """What is asked of the file, in its order."""
        return [each for each in self._names(file) if not loaded.some or each in loaded.names]

    def _document(self, key: str) -> None:
        if self.as_json:
            said = ((path, {key: entries}) for path, entries in self._records.items())
            self.printer.show(json.dumps(records.envelope(self._diagnostics, said), indent=2))


@define
class Proving(_Asking):
    """Loads files, carries their proofs out, and shows; `code` is the exit code so far."""

    @property
    def _name(self) -> re.Pattern[str]:
        return _PROOF

    def _names(self, file: api.File) -> Iterable[str]:
        return [each.name for each in file.proofs]

    def _unknown(self, word: str, names: Sequence[str]) -> Diagnostic:
        return api.unknown_proof(word, names)

    def close(self) -> None:
        """Show what is shown at the end: the JSON document."""
        self._document("proofs")

    def prove_file(self, file: api.File, loaded: Loaded) -> None:
        """Carry out the proofs that are asked for, and show what comes of each."""
        chosen = self.chosen(file, loaded)
        if loaded.some and not chosen:
            return
        self._records.setdefault(file.path, [])
        if not file.proofs:
            self.tell([no_proofs(file.path)])
        for name in chosen:
            for proved in self._proved(file, name):
                self._codes.append(_CODES[proved.standing])
                self._records[file.path].append(proof_record.record(proved))
                with self._guarded(f"report of {name} of {file.path}"):
                    self._show(file, proved)

    def _proved(self, file: api.File, name: str) -> tuple[Proved, ...]:
        with self._guarded(f"proof {name} of {file.path}"), asking(name) as advance:
            try:
                return api.prove(file, name, self.how.settings(), advance, self.options.settings)
            except OSError as error:
                if self.how.certificate is None:
                    raise
                self._codes.append(REFUSED)
                complain(f"cannot write the certificate: {error}")
        return ()

    def _show(self, file: api.File, proved: Proved) -> None:
        words = ["modelcheck", "prove", *self.how.words(), shipped.called(file.path)]
        words.append(proved.proof.name)
        for setting, value in self.options.settings:
            words += ["-D", f"{setting}={value}"]
        command = shlex.join(words)
        text = proof.report(proved, command, terminal_width())
        if proved.standing is Standing.PROVED:
            self._say(text)
        else:
            self._say_apart(text)


@define
class Bounded(_Asking):
    """Loads files, searches their checks up to a number of steps, and shows.

    bound  the number of steps
    """

    bound: int = field(kw_only=True)

    def close(self) -> None:
        """Show what is shown at the end: the JSON document."""
        self._document("checks")

    def search_file(self, file: api.File, loaded: Loaded) -> None:
        """Search the checks that are asked for, and show what comes of each."""
        chosen = self.chosen(file, loaded)
        if loaded.some and not chosen:
            return
        self._records.setdefault(file.path, [])
        if not file.checks:
            self.tell([no_checks(file.path, library=file.protocol is None)])
        for name in chosen:
            outcome = self._outcome(file, name)
            if outcome is None:
                continue
            met = {True: AS_EXPECTED, False: NOT_AS_EXPECTED, None: NOT_DECIDED}
            self._codes.append(met[outcome.as_expected])
            self._records[file.path].append(bounded.record(outcome, self.bound))
            with self._guarded(f"report of {name} of {file.path}"):
                self._show_outcome(file, outcome)

    def _outcome(self, file: api.File, name: str) -> Outcome | None:
        with self._guarded(f"instance {name} of {file.path}") as failed:
            check = file.instance(name, self.options.settings, self.options.faults)
        return None if failed else self._searched(check, file)

    def _searched(self, check: Check, file: api.File) -> Outcome | None:
        what = f"bounded search of {check.name} of {file.path}"
        with self._guarded(what), asking(check.name) as advance:
            return api.bounded(check, self.bound, self.how.settings(), advance)
        return None

    def _show_outcome(self, file: api.File, outcome: Outcome) -> None:
        self._say(bounded.line(outcome, self.bound, line_width()))
        found = [each for each in judged(outcome) if each.verdict in VIOLATED]
        for group in violation.by_trace(found):
            for number, each in enumerate(group):
                text = violation.report(
                    outcome,
                    each,
                    command=self._command(file, outcome),
                    width=terminal_width(),
                    with_trace=number == 0,
                )
                self._say_apart(text)

    def _command(self, file: api.File, outcome: Outcome) -> str:
        words = ["modelcheck", "prove", "--bounded", str(self.bound), *self.how.words()]
        words += [shipped.called(file.path), outcome.check.name]
        for setting, value in self.options.settings:
            words += ["-D", f"{setting}={value}"]
        if self.options.faults is not None:
            words += ["--faults", self.options.faults]
        return shlex.join(words)
