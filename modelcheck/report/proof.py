"""What came of a proof, as lines and excerpts.

    not inductive  Fencing for any Node, MAX  (0.4 s)
                   FenceWasGranted by induction using TokenWasGranted: proved, 8 queries
                   NoLostUpdate by induction: not inductive, 4 queries

A counterexample to induction is two states, of which the first need not be one that
can be reached: it is shown whole, under `assumed`, and said to be what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modelcheck.core.model import Invariant, StepProperty
from modelcheck.core.outcome import Found, FoundKind, Verdict
from modelcheck.core.proof import (
    Argument,
    Concluded,
    Counterexample,
    Proof,
    Proved,
    Query,
    Reach,
    Standing,
)
from modelcheck.core.trace import Trace
from modelcheck.diagnostics import listing
from modelcheck.report.lanes import step_name, table
from modelcheck.report.text import WIDTH, plural, visible, wrap
from modelcheck.report.violation import violation

_STANDING_WIDTH = len(Standing.NOT_INDUCTIVE.value)
_HANG = " " * (_STANDING_WIDTH + 2)
_MOST_OPEN = 6
_NOT_ALIVE = (
    "no instance was found in which the axioms hold and a step can be taken: "
    "such a proof says nothing, and does not count"
)


def report(proved: Proved, command: str = "", width: int = WIDTH) -> str:
    """Everything about a proof, verdict first; no line end.

    command  what carries it out again, "" if nothing does
    """
    parts = [summary(proved, width)]
    known: list[str] = []
    for each in proved.concluded:
        if each.counterexample is not None:
            parts.append(counterexample(each, each.counterexample, command, width, known))
        if each.standing is Standing.UNKNOWN:
            parts.append(unknown(each, command, width))
        if each.standing is Standing.PROVED:
            known += [name for name in _invariants(each.argument) if name not in known]
    return "\n\n".join(parts)


def verdict(proved: Proved) -> str:
    """`proved`, `violated`, `not inductive` or `unknown`."""
    return proved.standing.value


# --- the lines of a proof ------------------------------------------------------------


def summary(proved: Proved, width: int = WIDTH) -> str:
    """The verdict, and a line for each argument."""
    proof = proved.proof
    head = f"{verdict(proved).ljust(_STANDING_WIDTH)}  {proof.name}{claim(proof)}"
    lines = wrap(visible(f"{head}  ({proved.seconds:.1f} s)"), width, _HANG)
    for each in proved.concluded:
        lines += _hanging(f"{argument(each.argument)}: {_came(each)}", width)
        lines += [line for text in _remarks(each) for line in _hanging(text, width)]
    if proved.alive is None:
        lines += _hanging(f"note: {_NOT_ALIVE}", width)
    return "\n".join(lines)


def _hanging(text: str, width: int) -> list[str]:
    return wrap(_HANG + visible(text), width, _HANG + "  ")


def claim(proof: Proof) -> str:
    """What it is claimed for: ` for any Node, MAX, with LIMIT = 3`."""
    general = f" for any {', '.join(proof.general)}" if proof.general else ""
    settings = instance(proof.settings)
    if not settings:
        return general
    return f"{general}, with {settings}" if general else f" with {settings}"


def instance(sizes: Iterable[tuple[str, str]]) -> str:
    """`Node = 2, MAX = 3`"""
    return ", ".join(f"{name} = {value}" for name, value in sizes)


def argument(of: Argument) -> str:
    """As the file writes it: `A, B by k-induction 2 using L`."""
    goals = ", ".join(goal.name for goal in of.goals)
    method = f"{of.method} {of.k}" if of.method == "k-induction" else of.method
    lemmas = ", ".join(lemma.name for lemma in of.lemmas)
    return f"{goals} by {method}" + (f" using {lemmas}" if lemmas else "")


def _came(of: Concluded) -> str:
    queries = f"{len(of.queries):,} {'query' if len(of.queries) == 1 else 'queries'}"
    scope = "" if of.scope is None else f", proved for {instance(of.scope)} only"
    return f"{of.standing.value}{scope}, {queries}"


def _remarks(of: Concluded) -> list[str]:
    remarks = []
    if of.reason is not None and of.standing is not Standing.UNKNOWN:
        remarks.append(f"note: {of.reason}")
    return [*remarks, *(f"found: {' '.join(each.split())}" for each in of.found)]


# --- counterexamples -----------------------------------------------------------------


def counterexample(
    of: Concluded,
    met: Counterexample,
    command: str,
    width: int = WIDTH,
    known: Sequence[str] = (),
) -> str:
    """The run or the two states, what is false in the last of them, and where that leads.

    known  invariants that arguments before have proved
    """
    run = run_of(met)
    trace = met.trace if run is None else run
    start = "assumed" if run is None else "init"
    parts = [
        table(met.model, trace, width=width, start=start),
        _excerpt(of, met, command, width, known),
    ]
    if met.suggestion is not None:
        said = (
            "this lemma would rule the first state out; it was true in all "
            f"{plural(met.suggestion.states, 'reachable state')} that were looked at:"
        )
        parts.append("\n".join([*wrap(said, width), "", *_indented(met.suggestion.text)]))
    return "\n\n".join(parts)


def run_of(met: Counterexample) -> Trace | None:
    """A run from an initial state that shows it; None if only states that were assumed do."""
    if met.witness is not None:
        return met.witness
    return met.trace if met.initial else None


def _indented(text: str) -> list[str]:
    return [f"    {visible(line)}" for line in text.splitlines()]


def _excerpt(
    of: Concluded, met: Counterexample, command: str, width: int, known: Sequence[str]
) -> str:
    run = run_of(met)
    found = as_found(met)
    notes = [f"the instance is {instance(met.instance)}"] if met.instance else []
    if run is not None:
        lemmas = [lemma.name for lemma in of.argument.lemmas]
        if met.name in lemmas:
            notes.append(f"a lemma that is false somewhere proves nothing: `{met.name}`")
        return violation(met.model, found, command, width, notes)
    kind = found.kind
    last = step_name(met.trace.steps[-1])
    kept = "does not hold of" if kind == "step" else "is not kept by"
    headline = f"unproved[{kind}]: {met.name} {kept} {last}"
    notes = [_assumed(of, met, known), _reached(met), *notes]
    return violation(met.model, found, command, width, notes, headline)


def as_found(met: Counterexample) -> Found:
    """The counterexample as a search would have found it."""
    run = run_of(met)
    trace = met.trace if run is None else run
    prop = met.model.property(met.name)
    assert isinstance(prop, Invariant | StepProperty), "only these are proved"
    kind: FoundKind = "invariant" if isinstance(prop, Invariant) else "step"
    return Found(met.name, kind, Verdict.FAILS, len(trace.steps), trace, prop.parts[met.line])


def _assumed(of: Concluded, met: Counterexample, known: Sequence[str]) -> str:
    """What is true in the states before the last."""
    own = _invariants(of.argument)
    names = [*own, *(name for name in known if name not in own)]
    states = len(met.trace.states) - 1
    which = "the first state" if states == 1 else f"the first {states} states"
    if not names:
        return f"{which} may be any at all: no invariant is assumed"
    verb = "satisfies" if states == 1 else "satisfy"
    return f"{which} {verb} {listing(names)}"


def _invariants(of: Argument) -> list[str]:
    return [each.name for each in (*of.goals, *of.lemmas) if isinstance(each, Invariant)]


def _reached(met: Counterexample) -> str:
    match met.reach:
        case Reach.REACHABLE:
            return "the first state can be reached: no lemma rules it out"
        case Reach.NOT_IN_SCOPE:
            return (
                "the first state cannot be reached in this instance: a lemma that rules it out "
                "would help"
            )
        case Reach.UNKNOWN:
            return "whether the first state can be reached is not known"


# --- what was not answered -----------------------------------------------------------


def unknown(of: Concluded, command: str, width: int = WIDTH) -> str:
    """Which queries had no answer, and why."""
    lines = [f"unknown: {argument(of.argument)}"]
    if of.reason is not None:
        lines.append(f"  = note: {of.reason}")
    asked = [each for each in of.queries if each.answer == "unknown"]
    lines += [f"  = note: {query(each)}" for each in asked[:_MOST_OPEN]]
    if len(asked) > _MOST_OPEN:
        lines.append(f"  = note: and {len(asked) - _MOST_OPEN} more")
    if command:
        lines.append(f"  = reproduce: {command}")
    return "\n".join(part for line in lines for part in wrap(visible(line), width, "    "))


def query(of: Query) -> str:
    """`NoLostUpdate, line 2, after accept: timeout`"""
    where = f"in {of.about}" if of.about == "initial states" else f"after {of.about}"
    reason = f": {of.reason}" if of.reason else ""
    return f"`{of.name}`, line {of.line + 1}, {where} was not answered{reason}"
