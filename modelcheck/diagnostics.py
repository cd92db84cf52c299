"""Diagnostics: what is wrong with a specification, as data.

They are collected here, sorted by place, and worded for people by `report`.
An id is a readable slug; each has a page in `report/explain/`, and a test
compares the ids used in the code with the pages that exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import Enum

from attrs import Factory, define, field, frozen

from modelcheck.source import Span


class Severity(Enum):
    """How bad it is: an error refuses the file, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@frozen
class Label:
    """A remark on a piece of the user's text; it may be terse, since it points."""

    span: Span
    text: str = ""


@frozen
class Diagnostic:
    """One matter, reported once.

    id        slug: `unknown-name`, `two-writes`
    headline  a lower-case clause that stands alone, no full stop, no advice
    primary   the smallest place that shows the matter (carets); None for a matter without a place
    labels    further places (dashes): declarations, first writes
    notes     facts
    help      things to do, only if probably right
    """

    id: str
    headline: str
    primary: Label | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """Sort key: by file, then by place, then by id."""
        if self.primary is None:
            return ("", -1, -1, self.id, self.headline)
        span = self.primary.span
        return (span.source.path, span.start, span.end, self.id, self.headline)


class Refused(Exception):
    """The specification cannot be used; `diagnostics` says why, sorted by place."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics), key=lambda d: d.order))
        super().__init__("; ".join(d.headline for d in self.diagnostics))


@define
class Collector:
    """Collects the diagnostics of a stage, each once."""

    found: list[Diagnostic] = Factory(list)
    _seen: set[tuple[str, int, int, str, str]] = field(factory=set, init=False)

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic, unless the same matter was reported at the same place."""
        if diagnostic.order not in self._seen:
            self._seen.add(diagnostic.order)
            self.found.append(diagnostic)

    def error(
        self,
        id: str,
        headline: str,
        at: Span | None,
        *,
        label: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
        help: Iterable[str] = (),
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Report a matter at a place."""
        primary = None if at is None else Label(at, label)
        self.report(
            Diagnostic(id, headline, primary, tuple(labels), tuple(notes), tuple(help), severity)
        )

    @property
    def errors(self) -> list[Diagnostic]:
        """What was found that refuses the file, sorted by place."""
        return sorted(
            (d for d in self.found if d.severity is Severity.ERROR), key=lambda d: d.order
        )

    @property
    def warnings(self) -> list[Diagnostic]:
        """What was found that does not refuse the file, sorted by place."""
        return sorted(
            (d for d in self.found if d.severity is Severity.WARNING), key=lambda d: d.order
        )

    def refuse_if_any(self) -> None:
        """Raise `Refused` if an error was reported."""
        if self.errors:
            raise Refused(self.errors)


def near(name: str, candidates: Iterable[str]) -> list[str]:
    """At most four of the candidates that resemble `name`, nearest first."""
    by_lower: dict[str, str] = {}
    for candidate in candidates:
        by_lower.setdefault(candidate.lower(), candidate)
    found = get_close_matches(name.lower(), list(by_lower), n=4, cutoff=0.6)
    return [by_lower[match] for match in found]


def listing(names: Iterable[str], conjunction: str = "and") -> str:
    """Names in backticks as a phrase: `a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) <= 1:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {conjunction} {quoted[-1]}"


def there_are(names: Iterable[str]) -> str:
    """The names there are, as a help: at most eight of them."""
    shown = list(names)[:8]
    return f"there {'is' if len(shown) == 1 else 'are'} {listing(shown)}"
