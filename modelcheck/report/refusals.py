"""What the command line refuses about files that are in order."""

from __future__ import annotations

from collections.abc import Sequence

from modelcheck.core.model import ERROR_KINDS, Refinement
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Diagnostic, listing, near, there_are
from modelcheck.report.cells import lane_names
from modelcheck.report.words import expectation


def no_checks(path: str, *, library: bool) -> Diagnostic:
    """That there is nothing to check in a file."""
    if library:
        return Diagnostic(
            "no-checks",
            f"`{path}` is a library: it has no checks",
            notes=("it is checked by the protocols that import it",),
        )
    return Diagnostic(
        "no-checks",
        f"`{path}` has no checks",
        help=("add `check small` with settings and an `expect` line",),
    )


def no_proofs(path: str) -> Diagnostic:
    """That there is nothing to prove in a file."""
    return Diagnostic(
        "no-proofs",
        f"`{path}` has no proofs",
        help=("add `proof Name` with `for any` and lines such as `P by induction`",),
    )


def not_judged(outcome: Outcome, name: str) -> Diagnostic:
    """That a check says nothing about a property, or that there is no such property."""
    check = outcome.check.name
    known = [p.name for p in outcome.check.model.properties] + ["deadlock", *ERROR_KINDS]
    if name in known:
        listed = ", ".join(expectation(each) for each in outcome.check.expectations)
        notes = (f"the check expects: {listed}",)
        return Diagnostic("not-judged", f"`{check}` does not judge `{name}`", notes=notes)
    close = near(name, known)
    help = (f"did you mean {listing(close, 'or')}?",) if close else ()
    return Diagnostic("unknown-property", f"no property `{name}`", help=help)


def unknown_lanes(outcome: Outcome, only: Sequence[str]) -> list[Diagnostic]:
    """For each name that is no lane, owner or variable of the check's model, that it is none."""
    model = outcome.check.model
    known = lane_names(model)
    for each in model.properties:
        if isinstance(each, Refinement):
            known += [f"{each.name}:{name}" for name in lane_names(each.abstract)]
    found = []
    for name in only:
        if name in known:
            continue
        close = near(name, known)
        help = (f"did you mean {listing(close, 'or')}?",) if close else (there_are(known),)
        found.append(Diagnostic("unknown-lane", f"no column or variable `{name}`", help=help))
    return found
