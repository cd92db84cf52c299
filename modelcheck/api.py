"""The tool as a library: load a file, check what it says.

    >>> import modelcheck
    >>> file = modelcheck.load("fencing/fenced_leader")
    >>> outcome = modelcheck.check(file["read_before_fence"])
    >>> outcome.verdict, outcome.as_expected
    ('violated', True)

The stages are decode, parse, resolve, instantiate, search. Each raises
`Refused` with everything it has found wrong, or hands on a result that the
next one can rely on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from modelcheck import shipped
from modelcheck.core.model import Check
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Diagnostic, Refused, listing, near
from modelcheck.source import Source

if TYPE_CHECKING:
    from modelcheck.core.limits import Limits
    from modelcheck.core.search import Progress
    from modelcheck.parse import tree
    from modelcheck.resolve.file import CheckInfo, ResolvedFile

ENGINES = ("referee",)
_DEEPEST_RECURSION = 20_000
"""Terms nest as deep as people write them; Python's own limit is meant for runaway recursion."""


@frozen
class File:
    """A file that has been read and resolved; no instance of it has been made yet.

    Iterating goes through the names of its checks, and `file[name]` is a check.

    >>> file = load("fencing/fenced_leader")
    >>> file.protocol, list(file)
    ('FencedLeader', ['fenced', 'read_before_fence', 'reused_token'])
    """

    path: str
    resolved: ResolvedFile

    @property
    def protocol(self) -> str | None:
        """The protocol's name, None for a library."""
        return self.resolved.protocol

    @property
    def checks(self) -> tuple[CheckInfo, ...]:
        """What the file says of its checks, in its order."""
        return self.resolved.checks

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What resolving found that does not refuse the file."""
        return self.resolved.warnings

    @property
    def reachable(self) -> frozenset[str]:
        """The names of the file's own `reachable` properties."""
        from modelcheck.parse import tree

        file = self.resolved.module.file
        declared = () if file is None else file.declarations
        return frozenset(each.name.name for each in declared if isinstance(each, tree.Reachable))

    def __iter__(self) -> Iterator[str]:
        return iter(each.name for each in self.checks)

    def __getitem__(self, name: str) -> Check:
        """The check `name`, closed, as the file has it. Raises Refused."""
        return self.instance(name)

    def instance(
        self,
        name: str,
        settings: Sequence[tuple[str, str]] = (),
        faults: str | None = None,
    ) -> Check:
        """The check `name` with some settings and fault budgets replaced. Raises Refused.

        settings  parameters and sorts by name, each with a value as the file would write it
        faults    budgets as `--faults` takes them: "crash=1,suspect=any", or "none"

        >>> file = load("fencing/fenced_leader")
        >>> smaller = file.instance("fenced", [("Node", "1")], faults="crash=1")
        >>> smaller.model.settings
        (('Node', '1'), ('MAX_TOKEN', '2'), ('MAX_VALUE', '2'), ('faults', 'crash = 1'))
        """
        from modelcheck.parse.fragments import parse_budgets, parse_settings
        from modelcheck.resolve.instance import Overrides, instantiate

        if name not in list(self):
            raise Refused([unknown_check(name, list(self))])
        given = [
            setting
            for left, right in settings
            for setting in parse_settings(f"{left} = {right}", f"-D {left}={right}")
        ]
        budgets = None if faults is None else parse_budgets(faults, f"--faults {faults}")
        allow_deep_recursion()
        with _refusing_long_chains():
            return instantiate(self.resolved, name, Overrides(tuple(given), budgets))


def load(path: str | os.PathLike[str]) -> File:
    """The file at `path`, or a shipped one of that name. Raises Refused.

    >>> load("fencing/fenced_leader").path
    'protocols/fencing/fenced_leader.model'
    >>> load("fencing/fence_leader")
    Traceback (most recent call last):
    modelcheck.diagnostics.Refused: no file `fencing/fence_leader`
    """
    return load_file(shipped.find(os.fspath(path)))


def load_file(path: Path) -> File:
    """The file at exactly this path. Raises Refused."""
    return load_source(read_source(path))


def load_source(source: Source) -> File:
    """A file whose text is at hand; its imports are read from disk. Raises Refused."""
    from modelcheck.parse.parser import parse
    from modelcheck.resolve.file import resolve

    allow_deep_recursion()
    with _refusing_long_chains():
        return File(source.path, resolve(source, parse(source), _read_import, shipped.importable))


def read_source(path: Path) -> Source:
    """The text of a file. Raises Refused."""
    return decode(path.as_posix(), shipped.read(path))


def decode(path: str, data: bytes) -> Source:
    """The text in `data`, which was read from `path`. Raises Refused."""
    from modelcheck.parse.decode import decode

    return decode(path, data)


def format_source(source: Source) -> str:
    """The text in the one layout. Raises Refused if it does not parse."""
    from modelcheck.parse.formatter import format_text

    allow_deep_recursion()
    return format_text(source)


def check(
    check: Check,
    limits: Limits | None = None,
    engine: str = "referee",
    *,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """What a search of the check's model finds.

    keep_going  search everything, even when all that the check lists is decided
    progress    called now and then with the counts so far

    What ends a search is an outcome too, and never a success:

    >>> from modelcheck import Limits
    >>> outcome = check(load("fencing/fenced_leader")["fenced"], Limits(states=100))
    >>> outcome.verdict, outcome.as_expected, outcome.limits
    ('unfinished', None, ('states: 100',))
    """
    from modelcheck.core import referee

    if engine not in ENGINES:
        raise ValueError(f"no engine {engine!r}; there is {', '.join(ENGINES)}")
    allow_deep_recursion()
    with _refusing_long_chains():
        return referee.check(check, limits or referee.Limits(), keep_going, progress)


def unknown_check(name: str, names: Sequence[str]) -> Diagnostic:
    """That no file has a check of this name."""
    close = near(name, names)
    help = (f"did you mean {listing(close, 'or')}?",) if close else ()
    return Diagnostic("unknown-check", f"no check `{name}`", help=help)


def allow_deep_recursion() -> None:
    """Raise Python's recursion limit; never lower what a caller has set."""
    if sys.getrecursionlimit() < _DEEPEST_RECURSION:
        sys.setrecursionlimit(_DEEPEST_RECURSION)


@contextmanager
def _refusing_long_chains() -> Iterator[None]:
    """Refuses a file in which names stand for names for thousands of levels.

    Each text in it is shallow, so it is not the parser that can tell.
    """
    try:
        yield
    except RecursionError:
        raise Refused(
            [
                Diagnostic(
                    "too-deep",
                    "names stand for other names in a chain that is too long to follow",
                    help=("let fewer `let`s, types or parameters build on one another",),
                )
            ]
        ) from None


def _read_import(importing: str, path: str) -> tuple[Source, tree.File] | None:
    """An imported file: beside the importing one, else among the shipped specs; None if nowhere."""
    from modelcheck.parse.parser import parse

    for directory in (Path(importing).parent, *shipped.specs_directories()):
        candidate = Path(os.path.normpath(directory / path))
        if _is_file(candidate):
            source = read_source(shipped.shown(candidate))
            return source, parse(source)
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that the system cannot hold
        return False
