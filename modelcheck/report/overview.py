"""What a file offers: its protocol, its checks, what they expect and set."""

from __future__ import annotations

from collections.abc import Sequence

from modelcheck.core.model import Expectation
from modelcheck.report.text import visible
from modelcheck.report.words import expectation, settings


def overview(
    path: str,
    protocol: str | None,
    checks: Sequence[tuple[str, Sequence[Expectation], Sequence[tuple[str, str]]]],
) -> str:
    """A line for the file and one for each check.

    checks  name, expectations, settings
    """
    lines = [f"{visible(path)}  {protocol or '(library)'}"]
    rows = [
        (name, "expect " + ", ".join(map(expectation, expected)), settings(pairs))
        for name, expected, pairs in checks
    ]
    names = max((len(name) for name, _, _ in rows), default=0)
    expects = max((len(expected) for _, expected, _ in rows), default=0)
    lines += [
        f"  {name.ljust(names)}  {expected.ljust(expects)}  {set_}".rstrip()
        for name, expected, set_ in rows
    ]
    return "\n".join(lines)
