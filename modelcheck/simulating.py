"""One call of `simulate`: a check's random runs are walked, and what they show is shown."""

from __future__ import annotations

import json
import shlex
from typing import Any

from attrs import define, evolve, field

from modelcheck import api, shipped
from modelcheck.console import (
    AS_EXPECTED,
    NOT_AS_EXPECTED,
    NOT_DECIDED,
    Printer,
    line_width,
    terminal_width,
    walking,
)
from modelcheck.core.outcome import VIOLATED
from modelcheck.core.sample import Sampled
from modelcheck.diagnostics import Refused
from modelcheck.explore.simulate import RUNS, SEED, STEPS, Settings
from modelcheck.report import records, sampled, summary, violation
from modelcheck.report.nothing import no_initial_state
from modelcheck.report.words import judged
from modelcheck.session import Options, Session


def simulation(
    options: Options,
    printer: Printer,
    *,
    as_json: bool,
    runs: int | None,
    seed: int,
    steps: int,
) -> Simulation:
    """A simulation of so many runs; what else there is to say is in the options."""
    how = Settings(
        runs,
        seed,
        steps,
        options.limits.seconds,
        options.threads or api.processors(),
        options.keep_going,
    )
    return Simulation(options, printer, as_json=as_json, how=how)


@define
class Simulation(Session):
    """Loads a file, simulates a check, and shows; `code` is the exit code so far."""

    how: Settings = field(kw_only=True)
    _records: dict[str, list[dict[str, Any]]] = field(factory=dict, init=False)

    def close(self) -> None:
        """Show what is shown at the end: the JSON document."""
        if self.as_json:
            document = records.document(self._diagnostics, ())
            document["files"] = [
                {"path": path, "checks": checks} for path, checks in self._records.items()
            ]
            self.printer.show(json.dumps(document, indent=2))

    def simulate(self, file: api.File, name: str) -> None:
        """Simulate a check and show what came. After an interruption: raises KeyboardInterrupt."""
        with self._guarded(f"instance {name} of {file.path}") as failed:
            check = file.instance(name, self.options.settings, self.options.faults)
        if failed:
            return
        shown = False
        with self._guarded(f"simulation of {name} of {file.path}"):
            with walking(name, self.how.runs or RUNS) as advance:
                result = api.simulate(check, self.how, advance)
            if result.empty:
                nothing = no_initial_state(evolve(result.outcome, complete=True))
                if nothing is not None:
                    raise Refused([nothing])
            met = {True: AS_EXPECTED, False: NOT_AS_EXPECTED, None: NOT_DECIDED}
            self._codes.append(met[result.outcome.as_expected])
            self._records.setdefault(file.path, []).append(sampled.record(result))
            shown = True
        if not shown:
            return
        with self._guarded(f"report of {name} of {file.path}"):
            self._show(file, result)
        if result.interrupted:
            raise KeyboardInterrupt

    def _show(self, file: api.File, result: Sampled) -> None:
        outcome = result.outcome
        self._say(sampled.line(result, line_width()))
        found = [each for each in judged(outcome) if each.verdict in VIOLATED]
        for group in violation.by_trace(found):
            for number, each in enumerate(group):
                text = violation.report(
                    outcome,
                    each,
                    command=self._command(file, result, each.name),
                    width=terminal_width(),
                    with_trace=number == 0,
                    notes=sampled.origin(result, each),
                )
                self._say_apart(text)
        self._say(summary.closing(shipped.called(file.path), 1, [outcome.as_expected]))

    def _command(self, file: api.File, result: Sampled, name: str) -> str:
        """The command that meets a violation again."""
        met = result.origin(name)
        if met is None:
            return ""
        words = ["modelcheck", "simulate", shipped.called(file.path), result.outcome.check.name]
        if met.run >= RUNS:
            words += ["--runs", str(met.run + 1)]
        if result.seed != SEED:
            words += ["--seed", str(result.seed)]
        if result.most_steps != STEPS:
            words += ["--steps", str(result.most_steps)]
        for setting, value in self.options.settings:
            words += ["-D", f"{setting}={value}"]
        if self.options.faults is not None:
            words += ["--faults", self.options.faults]
        if self.options.keep_going:
            words.append("--keep-going")
        return shlex.join(words)
