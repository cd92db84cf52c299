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

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from modelcheck.options import Seconds, options_named, search_options

if TYPE_CHECKING:
    from modelcheck.session import Session


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


# --- check, trace ----------------------------------------------------------------------


def _session(
    *,
    settings: tuple[tuple[str, str], ...],
    faults: str | None,
    states: int | None,
    depth: int | None,
    seconds: float | None,
    memory: int | None,
    threads: int | None,
    keep_going: bool,
    engine: str,
    trace_order: str,
    stats: bool,
    format_: str,
    color: Any,
    vacuity: Any = None,
    explain_fairness: bool = False,
    cross_check: bool = False,
) -> Session:
    from modelcheck.core.limits import Limits
    from modelcheck.session import Options, Session

    if engine == "referee" and trace_order == "least":
        raise click.UsageError("`--trace least` is for the native engine")
    limits = Limits(states, depth, seconds, memory)
    options = Options(
        limits,
        settings,
        faults,
        keep_going,
        engine,
        threads,
        trace_order == "least",
        stats,
        vacuity,
        explain_fairness,
        cross_check,
    )
    printer = Printer("never" if format_ == "json" else color)
    return Session(options, printer, as_json=format_ == "json")


@program.command()
@click.argument("arguments", nargs=-1, required=True, metavar="FILE... [CHECK]...")
@click.option(
    "--emit", type=click.Choice(["ir", "layout"]),
    help="Instead of searching, print the LLVM IR of each search, or how a state lies in memory.",
)  # fmt: skip
@click.option(
    "--vacuity", type=click.Choice(["error", "warn", "off"]),
    help="What to do about properties that hold because nothing they speak of came up, and about "
    "actions that were never enabled, in the checks that run. Without it: warn, if all checks of "
    "the file run as it is written.",
)  # fmt: skip
@click.option(
    "--explain-fairness", is_flag=True,
    help="Of each liveness property that holds say which `fair` marks it needs: each is dropped "
    "alone, and the property decided anew.",
)  # fmt: skip
@click.option(
    "--cross-check", is_flag=True,
    help="Compare each search with a bounded search by the solver, of a few steps, and with the "
    "file's proofs. Where they disagree, that is a bug of ours: exit code 70, and what is needed "
    "to see it again is saved in a directory.",
)  # fmt: skip
@search_options
def check(
    arguments: tuple[str, ...],
    emit: str | None,
    vacuity: Any,
    explain_fairness: bool,
    cross_check: bool,
    **options: Any,
) -> int:
    """Run the checks of files, or those of the given names.

    A FILE is a path (`.model` may be left out), a directory with all its *.model
    files, or the name of a shipped file: fencing/fenced_leader.

    Exit code: 0 if everything came out as the files expect, 1 if not, 2 if a file or
    the call is wrong, 3 if a limit left something open.
    """
    session = _session(
        vacuity=vacuity, explain_fairness=explain_fairness, cross_check=cross_check, **options
    )
    try:
        loaded = session.load(arguments)
        for file in loaded.files:
            if not loaded.wants(file):
                continue
            if emit is not None:
                session.emit(file, loaded.names, emit)
            else:
                session.check_file(file, loaded.names)
    finally:
        session.close()
    return session.code


@program.command()
@click.argument("file")
@click.argument("check", required=False)
@click.argument("properties", nargs=-1, metavar="[PROPERTY]...")
@click.option("--full", is_flag=True, help="Show whole states instead of what has changed.")
@click.option(
    "--only", multiple=True, metavar="NAME",
    help="Show only this column or variable: n1, Node, n1.role, service.holder. May be repeated.",
)  # fmt: skip
@search_options
def trace(
    file: str,
    check: str | None,
    properties: tuple[str, ...],
    full: bool,
    only: tuple[str, ...],
    **options: Any,
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
            session.trace(each, check or names[0], properties, full=full, only=only)
    finally:
        session.close()
    return session.code


# --- simulate --------------------------------------------------------------------------


@program.command()
@click.argument("file")
@click.argument("check", required=False)
@click.option(
    "--runs",
    type=click.IntRange(min=1, max=1 << 48),
    metavar="N",
    help="Walk N runs.  [default: 1000; with --seconds as many as there is time for]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=(1 << 64) - 1),
    metavar="S",
    default=0,
    show_default=True,
    help="Of the random numbers. The same seed gives the same runs.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1, max=1_000_000),
    metavar="K",
    default=1000,
    show_default=True,
    help="End a run after K steps.",
)
@click.option(
    "--keep-going",
    is_flag=True,
    help="Walk all runs, even when all that the check lists was met, or a surprise.",
)
@options_named("-D", "--faults", "--seconds", "-j", "--format", "--color")
def simulate(
    file: str,
    check: str | None,
    runs: int | None,
    seed: int,
    steps: int,
    settings: tuple[tuple[str, str], ...],
    faults: str | None,
    seconds: float | None,
    threads: int | None,
    keep_going: bool,
    format_: str,
    color: Any,
) -> int:
    """Walk random runs of a check, where there are too many states to visit.

    CHECK may be left out if the file has only one. The walking ends when all that the check
    lists was met, or something it does not expect. A violation is shown with its trace,
    shortened. That nothing was met proves nothing: the exit code is then 3.
    """
    from modelcheck.core.limits import Limits
    from modelcheck.session import Options
    from modelcheck.simulating import simulation as simulation_of

    limits, as_json = Limits(seconds=seconds), format_ == "json"
    options = Options(limits, settings, faults, keep_going, threads=threads)
    printer = Printer("never" if as_json else color)
    simulation = simulation_of(options, printer, as_json=as_json, runs=runs, seed=seed, steps=steps)
    try:
        loaded = simulation.load([file])
        if len(loaded.files) > 1:
            raise click.UsageError("a simulation is of one file")
        for each in loaded.files:
            names = list(each)
            if check is None and len(names) != 1:
                raise click.UsageError(f"say which check: {', '.join(names) or 'there is none'}")
            simulation.simulate(each, check or names[0])
    finally:
        simulation.close()
    return simulation.code


# --- why-not ---------------------------------------------------------------------------


@program.command("why-not")
@click.argument("file")
@click.argument("check")
@click.argument("action")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
@click.option(
    "--at",
    type=click.IntRange(min=0),
    metavar="STEP",
    help="Ask about the state after this step of a trace, 0 being the initial state.  "
    "[default: the initial state, or with --trace the trace's last]",
)
@click.option(
    "--trace", "property_", metavar="PROPERTY",
    help="Of whose trace; by default that of the first violation.",
)  # fmt: skip
@options_named(
    "-D", "--faults", "--states", "--depth", "--seconds", "--memory", "-j", "--format", "--color"
)
def why_not(
    file: str,
    check: str,
    action: str,
    arguments: tuple[str, ...],
    at: int | None,
    property_: str | None,
    settings: tuple[tuple[str, str], ...],
    faults: str | None,
    states: int | None,
    depth: int | None,
    seconds: float | None,
    memory: int | None,
    threads: int | None,
    format_: str,
    color: Any,
) -> int:
    """Say what disables an action, and where the nearest state is in which it can be taken.

    An ARGUMENT is a value as traces show it, or `_` for any; without one, all choices
    are asked about. The state is the initial one, unless --at or --trace says otherwise.
    """
    from modelcheck.core.limits import Limits
    from modelcheck.session import Options
    from modelcheck.why_not import Question, WhyNot

    limits = Limits(states, depth, seconds, memory)
    as_json = format_ == "json"
    options = Options(limits, settings, faults, threads=threads)
    session = WhyNot(options, Printer("never" if as_json else color), as_json)
    try:
        loaded = session.load([file])
        if len(loaded.files) > 1:
            raise click.UsageError("the question is about one file")
        for each in loaded.files:
            session.ask(each, check, Question(action, arguments, at, property_))
    finally:
        session.close()
    return session.code


# --- prove -----------------------------------------------------------------------------


@program.command()
@click.argument("arguments", nargs=-1, required=True, metavar="FILE... [PROOF]...")
@click.option(
    "--seconds",
    type=Seconds(min=0, min_open=True),
    metavar="T",
    help="Give up a query after T seconds.  [default: 20]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=(1 << 32) - 1),
    metavar="S",
    help="Of the solver's random choices.  [default: 0]",
)
@click.option(
    "--certificate",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write every query into DIR, in SMT-LIB, so that another solver may answer it.",
)
@click.option(
    "--bounded", "bound", type=click.IntRange(min=0), metavar="K",
    help="Instead of proofs: search CHECKs from their initial states, K steps far.",
)  # fmt: skip
@options_named("-D", "--faults", "-j", "--format", "--color")
def prove(
    arguments: tuple[str, ...],
    seconds: float | None,
    seed: int | None,
    certificate: Path | None,
    bound: int | None,
    settings: tuple[tuple[str, str], ...],
    faults: str | None,
    threads: int | None,
    format_: str,
    color: Any,
) -> int:
    """Carry out the proofs of files, or those of the given names.

    A proof holds for every size of the sorts and every value of the parameters that it leaves
    open; what -D sets is no longer open. With --bounded the words after the files are names of
    checks, and -D and --faults change them.

    Exit code: 0 if everything is proved, 1 if something is violated or not inductive, 2 if a
    file or the call is wrong, 3 if the solver has no answer. A bounded search that finds no
    violation has decided nothing: 3.
    """
    from modelcheck.core.limits import Limits
    from modelcheck.proofs import Bounded, How, Proving
    from modelcheck.session import Options

    if bound is None and faults is not None:
        raise click.UsageError("`--faults` is for checks: a proof allows every fault")
    if bound is not None and certificate is not None:
        raise click.UsageError("`--certificate` is for proofs")
    how = How(seconds, threads, seed, certificate)
    as_json = format_ == "json"
    options = Options(Limits(), settings, faults, threads=threads)
    printer = Printer("never" if as_json else color)
    if bound is None:
        proving = Proving(options, printer, as_json=as_json, how=how)
        try:
            loaded = proving.load(arguments)
            for file in loaded.files:
                proving.prove_file(file, loaded)
        finally:
            proving.close()
        return proving.code
    searching = Bounded(options, printer, as_json=as_json, how=how, bound=bound)
    try:
        loaded = searching.load(arguments)
        for file in loaded.files:
            searching.search_file(file, loaded)
    finally:
        searching.close()
    return searching.code


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
