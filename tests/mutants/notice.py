"""Whether a mutant is noticed: by the resolver, by a check, or by a warning about the file."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen
from mutants.mutate import Mutant

from modelcheck import api
from modelcheck.core.outcome import Outcome
from modelcheck.core.search import Limits
from modelcheck.diagnostics import Refused
from modelcheck.parse.parser import parse
from modelcheck.report.lint import file_warnings
from modelcheck.resolve.file import resolve
from modelcheck.source import Source

FIRST = (Limits(states=50), Limits(states=1_000))
"""Most mutants are noticed near the initial state: what a short search finds, a long one would."""
LAST = Limits(states=60_000)


class Unfinished(Exception):
    """A mutant has so many states that nothing can be said."""


@frozen
class Original:
    path: str
    source: Source
    warnings: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Original:
        """The file as it stands; it must come out as it says it should."""
        file = api.load_file(path)
        outcomes = [api.check(file[name]) for name in file]
        assert all(outcome.as_expected for outcome in outcomes)
        return cls(path.as_posix(), api.read_source(path), _warnings(outcomes))

    def mutants(self) -> list[Mutant]:
        from mutants.mutate import mutants

        return mutants(parse(self.source))


def noticed(original: Original, mutant: Mutant) -> str | None:
    """How the mutant is noticed, None if it survives."""
    try:
        api.allow_deep_recursion()
        read = api._read_import
        file = api.File(original.path, resolve(original.source, mutant.file, read))
        for limits in FIRST:
            for name in file:
                if (reason := _surprise(file, name, limits)[0]) is not None:
                    return reason
        outcomes = []
        for name in file:
            reason, outcome = _surprise(file, name, LAST)
            if reason is not None:
                return reason
            if outcome.as_expected is None:
                raise Unfinished(f"{name}: {outcome.stats.distinct} states")
            outcomes.append(outcome)
    except Refused as refused:
        return f"refused: {refused.diagnostics[0].id}"
    return min(_warnings(outcomes) - original.warnings, default=None)


def _surprise(file: api.File, name: str, limits: Limits) -> tuple[str | None, Outcome]:
    outcome = api.check(file[name], limits)
    if outcome.as_expected is not False:
        return None, outcome
    came = ", ".join(what for _, what in outcome.unmet) or "an error that it does not list"
    return f"{name}: {came}", outcome


def _warnings(outcomes: list[Outcome]) -> frozenset[str]:
    return frozenset(f"{each.id}: {each.headline}" for each in file_warnings(outcomes))
