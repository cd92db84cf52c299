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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from modelcheck import shipped
from modelcheck.core.limits import Limits
from modelcheck.core.model import Check
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Diagnostic, Refused, listing, near, there_are
from modelcheck.source import Source

if TYPE_CHECKING:
    from modelcheck.core.agreement import Agreement, Disagreement
    from modelcheck.core.progress import Progress
    from modelcheck.core.proof import Proved
    from modelcheck.core.sample import Sampled
    from modelcheck.explore.simulate import Settings
    from modelcheck.parse import tree
    from modelcheck.prove.solver import Settings as ProofSettings
    from modelcheck.resolve.file import CheckInfo, ProofInfo, ResolvedFile

ENGINES = ("native", "referee")
"""How a model can be searched: the first is the default."""

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
    def proofs(self) -> tuple[ProofInfo, ...]:
        """What the file says of its proofs, in its order."""
        return self.resolved.proofs

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
        from modelcheck.parse.fragments import parse_budgets
        from modelcheck.resolve.instance import Overrides, instantiate

        if name not in list(self):
            raise Refused([unknown_check(name, list(self))])
        given = _settings(settings)
        budgets = None if faults is None else parse_budgets(faults, f"--faults {faults}")
        allow_deep_recursion()
        with _refusing_long_chains():
            return instantiate(self.resolved, name, Overrides(given, budgets))

    def prove(
        self,
        name: str | None = None,
        settings: ProofSettings | None = None,
        replaced: Sequence[tuple[str, str]] = (),
    ) -> tuple[Proved, ...]:
        """What comes of the proof `name`, or of each of the file's. Raises Refused.

        replaced  parameters and sorts by name, each with a value as the file would write it

        >>> (proved,) = load("tests/prove/models/lock_server.model").prove()
        >>> proved.standing.value, proved.proof.general
        ('proved', ('Client',))
        """
        return prove(self, name, settings, replaced=replaced)


def _settings(written: Sequence[tuple[str, str]]) -> tuple[tree.Setting, ...]:
    """Settings as the command line has them, parsed. Raises Refused."""
    from modelcheck.parse.fragments import parse_settings

    return tuple(
        setting
        for left, right in written
        for setting in parse_settings(f"{left} = {right}", f"-D {left}={right}")
    )


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
    engine: str = "native",
    *,
    keep_going: bool = False,
    threads: int | None = None,
    least: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """What a search of the check's model finds. Raises Refused if there is nothing to judge.

    engine      "native", or "referee": slow, and obviously right; they come to the same
    keep_going  search everything, even when all that the check lists is decided
    threads     how many search; None is one for each processor. The outcome does not depend on it
    least       of all shortest traces show the least in the order of the file, whoever acts
    progress    called now and then with the counts so far

    What ends a search is an outcome too, and never a success:

    >>> from modelcheck import Limits
    >>> outcome = check(load("fencing/fenced_leader")["fenced"], Limits(states=100))
    >>> outcome.verdict, outcome.as_expected, outcome.limits
    ('unfinished', None, ('states: 100',))
    """
    if engine not in ENGINES:
        raise ValueError(f"no engine {engine!r}; there is {', '.join(ENGINES)}")
    allow_deep_recursion()
    from modelcheck.core.treatment import with_treatment
    from modelcheck.report.nothing import nothing_to_judge

    wanted = limits or Limits()
    with _refusing_long_chains():
        if engine == "referee":
            from modelcheck.core import referee

            outcome = referee.check(check, wanted, keep_going, progress)
        else:
            from modelcheck import engines
            from modelcheck.explore.engine import Settings

            settings = Settings(threads or processors(), keep_going, least)
            outcome = engines.native(check, wanted, settings, progress)
    nothing = nothing_to_judge(outcome)
    if nothing is not None:
        raise Refused([nothing])
    return with_treatment(outcome)


def simulate(
    check: Check,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sampled:
    """What random runs of the check's model show: never that it holds. Raises Refused.

    progress  called now and then with the runs and steps so far

    >>> sampled = simulate(load("fencing/fenced_leader")["read_before_fence"])
    >>> sampled.outcome["NoLostUpdate"].verdict.value, sampled.runs
    ('fails', 50)
    """
    from modelcheck.compile.layout import Unsupported
    from modelcheck.explore import simulate as engine
    from modelcheck.explore.memory import OutOfMemory

    allow_deep_recursion()
    with _refusing_long_chains():
        try:
            return engine.simulate(check, settings, progress)
        except Unsupported as unsupported:
            raise Refused([_not_native(unsupported.what)]) from None
        except OutOfMemory as error:
            raise MemoryError(str(error)) from None


def prove(
    file: File,
    name: str | None = None,
    settings: ProofSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
    replaced: Sequence[tuple[str, str]] = (),
) -> tuple[Proved, ...]:
    """What comes of the proof `name`, or of each of the file's. Raises Refused.

    replaced  parameters and sorts by name, each with a value as the file would write it; what a
              proof holds for any of, it then holds for this value of
    progress  called with how many queries of an argument are answered, and how many there are
    """
    from modelcheck import proving
    from modelcheck.prove.solver import Settings as ProofSettings
    from modelcheck.report.refusals import no_proofs
    from modelcheck.resolve.proof import instances, open_proof

    others = _settings(replaced)
    names = [each.name for each in file.proofs]
    if name is not None and name not in names:
        raise Refused([unknown_proof(name, names)])
    if not names:
        raise Refused([no_proofs(file.path)])
    allow_deep_recursion()
    chosen = names if name is None else [name]
    with _refusing_long_chains():
        return tuple(
            proving.prove(
                open_proof(file.resolved, each, others),
                instances(file.resolved, each, others),
                settings or ProofSettings(),
                progress,
            )
            for each in chosen
        )


def bounded(
    check: Check,
    steps: int,
    settings: ProofSettings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """What the solver finds in at most so many steps from an initial state. Raises Refused.

    That nothing is found does not mean that anything holds: such an outcome is never complete.
    Every run that the solver finds is taken again by the referee.
    """
    from modelcheck import bounding

    allow_deep_recursion()
    with _refusing_long_chains():
        return bounding.check(check, steps, settings, progress)


def cross_check(outcome: Outcome, proved: Sequence[Proved] = ()) -> Agreement | Disagreement:
    """Whether a bounded search, and what has been proved, go with the outcome of a search.

    proved  what came of the file's proofs; those that are not about this check do not count

    >>> outcome = check(load("fencing/fenced_leader")["read_before_fence"])
    >>> cross_check(outcome).steps
    6
    """
    from modelcheck import crossing

    allow_deep_recursion()
    with _refusing_long_chains():
        return crossing.cross_check(outcome, proved)


def sources(file: File) -> dict[str, Source]:
    """The file's text and those of all that it imports, by the path at which they are looked for.

    That is beside the importing file, also for a shipped one.
    """
    from modelcheck.parse import tree
    from modelcheck.parse.parser import parse

    found = {file.path: file.resolved.source}
    todo = [(file.path, file.resolved.source.path, parse(file.resolved.source))]
    while todo:
        place, path, parsed = todo.pop()
        for each in parsed.declarations:
            if not isinstance(each, tree.Import):
                continue
            imported = _read_import(path, each.path)
            target = os.path.normpath(os.path.join(os.path.dirname(place), each.path))
            if imported is not None and target not in found:
                found[target] = imported[0]
                todo.append((target, imported[0].path, imported[1]))
    return found


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def emit_ir(check: Check) -> str:
    """The module of the check's search as LLVM IR, not optimised. Raises Refused."""
    from modelcheck.compile.layout import Unsupported
    from modelcheck.explore.prepare import text_of

    try:
        return text_of(check.model)[2]
    except Unsupported as unsupported:
        raise Refused([_not_native(unsupported.what)]) from None


def emit_layout(check: Check) -> str:
    """How a state of the check's model lies in words, as a table. Raises Refused."""
    from modelcheck.compile.layout import Unsupported, layout_of

    try:
        return layout_of(check.model).table()
    except Unsupported as unsupported:
        raise Refused([_not_native(unsupported.what)]) from None


def _not_native(what: str) -> Diagnostic:
    return Diagnostic(
        "not-native",
        f"the native engine cannot take {what}",
        help=("`modelcheck check --engine referee` searches it, slowly",),
    )


def unknown_check(name: str, names: Sequence[str]) -> Diagnostic:
    """That no file has a check of this name."""
    close = near(name, names)
    help = f"did you mean {listing(close, 'or')}?" if close else there_are(names)
    return Diagnostic("unknown-check", f"no check `{name}`", help=(help,) if names else ())


def unknown_proof(name: str, names: Sequence[str]) -> Diagnostic:
    """That no file has a proof of this name."""
    close = near(name, names)
    help = f"did you mean {listing(close, 'or')}?" if close else there_are(names)
    return Diagnostic("unknown-proof", f"no proof `{name}`", help=(help,) if names else ())


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
    """An imported file: beside the importing one, else among the shipped specs; None if nowhere.

    The importing file itself is what was meant only if there is nothing else.
    """
    from modelcheck.parse.parser import parse

    directories = (Path(importing).parent, *shipped.specs_directories())
    candidates = [Path(os.path.normpath(directory / path)) for directory in directories]
    found = [each for each in candidates if _is_file(each)]
    others = [each for each in found if not _is_same(each, importing)]
    for candidate in others or found:
        source = read_source(shipped.shown(candidate))
        return source, parse(source)
    return None


def _is_same(path: Path, other: str) -> bool:
    return os.path.abspath(path) == os.path.abspath(other)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that the system cannot hold
        return False
