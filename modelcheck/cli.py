"""The command line. Exit codes:

    0    every verdict as the file expects, and decided
    1    a verdict differs from what the file expects
    2    the specification or the call is wrong
    3    not decided: a limit was hit
    70   a bug of ours
    130  interrupted

Of several results the first of 70, 2, 1, 3 that occurs wins.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from modelcheck.console import (
    CLOSED,
    INTERRUPTED,
    NOT_DECIDED,
    REFUSED,
    OutputClosed,
    OutputLost,
    Printer,
    complain,
    ensure_streams,
    give_up_output,
    report_bug,
    worst,
)

if TYPE_CHECKING:
    from modelcheck.session import Session

_Command = TypeVar("_Command", bound=Callable[..., Any])


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    ensure_streams()
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        code = program.main(arguments, prog_name="modelcheck", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return REFUSED
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    except OutputClosed:
        give_up_output()
        return CLOSED
    except OutputLost as error:
        give_up_output()
        complain(f"cannot write the output: {error}")
        return NOT_DECIDED
    except Exception as error:
        return report_bug("command line", error)


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        import modelcheck

        click.echo(f"modelcheck {modelcheck.__version__}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
def program() -> None:
    """Explores every state a protocol can reach, and shows the shortest way it goes wrong."""


# --- options that `check` and `trace` share --------------------------------------------


def _settings(
    _: click.Context, __: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        name, equals, term = value.partition("=")
        if not equals or not name.strip() or not term.strip():
            raise click.BadParameter(f"{value!r} is not of the form NAME=value")
        pairs.append((name.strip(), term.strip()))
    return tuple(pairs)


class _Seconds(click.FloatRange):
    """A duration. Not-a-number passes every comparison with a bound, and would never end."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


_SEARCH_OPTIONS = (
    click.option(
        "-D", "settings", multiple=True, metavar="NAME=VALUE", callback=_settings,
        help="Set a parameter or the size of a sort to another value than the check does. "
        "What the file expects still applies.",
    ),
    click.option(
        "--faults", metavar="BUDGETS",
        help="Fault budgets instead of the check's: `crash=2,suspect=any`, or `none`.",
    ),
    click.option(
        "--states", type=click.IntRange(min=1), metavar="N",
        help="Stop when N states have been seen, at the end of a level.",
    ),
    click.option(
        "--depth", type=click.IntRange(min=0), metavar="N",
        help="Look no further than N steps from the initial states.",
    ),
    click.option(
        "--seconds", type=_Seconds(min=0), metavar="T", help="Stop after T seconds."
    ),
    click.option(
        "--keep-going", is_flag=True,
        help="Search every state, even when all that the check lists is decided.",
    ),
    click.option(
        "--engine", type=click.Choice(["referee"]), default="referee", show_default=True,
        help="What searches.",
    ),
    click.option(
        "--format", "format_", type=click.Choice(["text", "json"]), default="text",
        show_default=True, help="What is printed.",
    ),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto",
        show_default=True, help="Whether to use colours.",
    ),
)  # fmt: skip


def _search_options(command: _Command) -> _Command:
    for option in reversed(_SEARCH_OPTIONS):
        command = option(command)
    return command


def _session(
    *,
    settings: tuple[tuple[str, str], ...],
    faults: str | None,
    states: int | None,
    depth: int | None,
    seconds: float | None,
    keep_going: bool,
    engine: str,
    format_: str,
    color: Any,
) -> Session:
    from modelcheck.core.limits import Limits
    from modelcheck.session import Options, Session

    limits = Limits(states, depth, seconds)
    options = Options(limits, settings, faults, keep_going, engine)
    printer = Printer("never" if format_ == "json" else color)
    return Session(options, printer, as_json=format_ == "json")


# --- check, trace ----------------------------------------------------------------------


@program.command()
@click.argument("arguments", nargs=-1, required=True, metavar="FILE... [CHECK]...")
@_search_options
def check(arguments: tuple[str, ...], **options: Any) -> int:
    """Run the checks of files, or those of the given names.

    A FILE is a path (`.model` may be left out), a directory with all its *.model
    files, or the name of a shipped file: fencing/fenced_leader.

    Exit code: 0 if everything came out as the files expect, 1 if not, 2 if a file or
    the call is wrong, 3 if a limit left something open.
    """
    session = _session(**options)
    try:
        loaded = session.load(arguments)
        for file in loaded.files:
            if loaded.wants(file):
                session.check_file(file, loaded.names)
    finally:
        session.close()
    return session.code


@program.command()
@click.argument("file")
@click.argument("check", required=False)
@click.argument("properties", nargs=-1, metavar="[PROPERTY]...")
@click.option("--full", is_flag=True, help="Show whole states instead of what has changed.")
@_search_options
def trace(
    file: str, check: str | None, properties: tuple[str, ...], full: bool, **options: Any
) -> int:
    """Show how a check fails, expected or not.

    CHECK may be left out if the file has only one. Without PROPERTY: the first
    violation, or else the first example of something reachable. A PROPERTY may also be
    deadlock, range, capacity, undefined or two-writes.
    """
    session = _session(**options)
    try:
        loaded = session.load([file])
        if len(loaded.files) > 1:
            raise click.UsageError("a trace is of one file")
        for each in loaded.files:
            names = list(each)
            if check is None and len(names) != 1:
                raise click.UsageError(f"say which check: {', '.join(names) or 'there is none'}")
            session.trace(each, check or names[0], properties, full=full)
    finally:
        session.close()
    return session.code


# --- format, explain, list -------------------------------------------------------------


@program.command("format")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Change nothing; exit with 1 if a file would be changed.",
)
def format_(files: tuple[str, ...], only_check: bool) -> int:
    """Lay files out in the one way, in place.

    `-` reads the standard input and writes to the standard output.
    """
    from modelcheck.formatting import format_files

    return format_files(files, only_check)


@program.command()
@click.argument("id_", metavar="ID", required=False)
@click.option("--list", "list_", is_flag=True, help="List all ids, with a line about each.")
def explain(id_: str | None, list_: bool) -> int:
    """Explain a diagnostic by its id.

    The id stands in brackets in the first line of a diagnostic: two-writes.
    """
    from modelcheck.report import explanations

    printer = Printer("never")
    if list_:
        printer.show(explanations.overview())
        return 0
    if id_ is None:
        raise click.UsageError("say which diagnostic, or --list")
    page = explanations.page(id_)
    if page is None:
        raise click.UsageError(explanations.no_page(id_))
    printer.show(page)
    return 0


@program.command("list")
@click.argument("files", nargs=-1, metavar="[FILE]...")
def list_(files: tuple[str, ...]) -> int:
    """List checks and what they expect.

    Without FILE: those of the files that come with modelcheck, under the names by
    which `check` and `trace` find them.
    """
    from modelcheck import shipped
    from modelcheck.core.limits import Limits
    from modelcheck.report.overview import overview
    from modelcheck.session import Options, Session

    printer = Printer("never")
    session = Session(Options(Limits()), printer)
    for file in session.load(files or shipped.shipped_names()).files:
        checks = [(each.name, each.expectations, each.settings) for each in file.checks]
        printer.show(overview(shipped.called(file.path), file.protocol, checks))
    return worst([session.code])
