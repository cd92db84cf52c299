"""Whether a mutant is noticed: by the resolver, by a check, or by a warning about the file."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from modelcheck import api
from modelcheck.core.limits import Limits
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Refused
from modelcheck.parse.parser import parse
from modelcheck.report.vacuity import file_warnings
from modelcheck.resolve.file import resolve
from modelcheck.source import Source
from mutants.mutate import Mutant, mutants

SHORT = (Limits(states=50), Limits(states=1_000))
"""Most mutants are noticed near the initial state. A limit never makes a verdict differ."""
WHOLE = Limits(states=150_000)


class Unfinished(Exception):
    """A mutant has so many states that nothing can be said."""


@frozen
class Original:
    """A file as it stands: what its mutants are compared with."""

    path: str
    source: Source
    warnings: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Original:
        """The file, which must come out as it says it should."""
        file = api.load_file(path)
        outcomes = [api.check(file[name]) for name in file]
        assert all(outcome.as_expected for outcome in outcomes)
        return cls(path.as_posix(), api.read_source(path), _warnings(outcomes))


def mutants_of(path: Path) -> list[Mutant]:
    return mutants(parse(api.read_source(path)))


def noticed(original: Original, mutant: Mutant) -> str | None:
    """How the mutant is noticed, None if it survives. Raises Unfinished."""
    try:
        file = _file(original, mutant)
        return _noticed_soon(file) or _noticed_late(file, original)
    except Refused as refused:
        return f"refused: {refused.diagnostics[0].id}"


def noticed_soon(original: Original, mutant: Mutant) -> str | None:
    """As `noticed`, but only by short searches."""
    try:
        return _noticed_soon(_file(original, mutant))
    except Refused as refused:
        return f"refused: {refused.diagnostics[0].id}"


def _file(original: Original, mutant: Mutant) -> api.File:
    api.allow_deep_recursion()
    resolved = resolve(original.source, mutant.file, api._read_import)
    return api.File(original.path, resolved)


def _noticed_soon(file: api.File) -> str | None:
    for limits in SHORT:
        for name in file:
            surprise = _surprise(api.check(file[name], limits))
            if surprise is not None:
                return surprise
    return None


def _noticed_late(file: api.File, original: Original) -> str | None:
    outcomes = []
    for name in file:
        outcome = api.check(file[name], WHOLE)
        surprise = _surprise(outcome)
        if surprise is not None:
            return surprise
        if outcome.as_expected is None:
            raise Unfinished(f"{name}: {outcome.stats.distinct} states")
        outcomes.append(outcome)
    return min(_warnings(outcomes) - original.warnings, default=None)


def _surprise(outcome: Outcome) -> str | None:
    """What differs from what the check expects; None if nothing does, or it is not decided."""
    if outcome.as_expected is not False:
        return None
    came = ", ".join(what for _, what in outcome.unmet) or "an error that it does not list"
    return f"{outcome.check.name}: {came}"


def _warnings(outcomes: list[Outcome]) -> frozenset[str]:
    return frozenset(f"{each.id}: {each.headline}" for each in file_warnings(outcomes))
