"""Outcomes and diagnostics as plain data, for `--format json`. docs/json.md describes it.

Keys come in a fixed order, and nothing but `seconds` differs between two runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modelcheck.core.antecedent import lines_of
from modelcheck.core.model import Model, Refinement
from modelcheck.core.outcome import Found, Needs, Outcome
from modelcheck.core.promises import judges_liveness, promises
from modelcheck.core.trace import Disabled, Step, Taken, Trace, Treatment
from modelcheck.core.values import show
from modelcheck.diagnostics import Diagnostic, Label
from modelcheck.report import timeline
from modelcheck.report.cells import member_name
from modelcheck.report.itf import encode, encode_state
from modelcheck.report.violation import timeline_of
from modelcheck.report.words import expectation, judged, mismatch, verdict
from modelcheck.source import Span

SCHEMA = 1


def envelope(
    diagnostics: Iterable[Diagnostic], files: Iterable[tuple[str, dict[str, Any]]]
) -> dict[str, Any]:
    """What every document has: for each path what else is said of the file."""
    return {
        "schema": SCHEMA,
        "diagnostics": [diagnostic(item) for item in diagnostics],
        "files": [{"path": path, **said} for path, said in files],
    }


def document(
    diagnostics: Iterable[Diagnostic], files: Iterable[tuple[str, Iterable[Outcome]]]
) -> dict[str, Any]:
    """Everything that one call of the tool found."""
    said = ((path, {"checks": [check(each) for each in outcomes]}) for path, outcomes in files)
    return envelope(diagnostics, said)


# --- diagnostics ---------------------------------------------------------------------


def diagnostic(item: Diagnostic) -> dict[str, Any]:
    """A diagnostic; lines and columns count from 1, `end` is exclusive."""
    return {
        "id": item.id,
        "severity": item.severity.value,
        "headline": item.headline,
        "primary": None if item.primary is None else _label(item.primary),
        "labels": [_label(label) for label in item.labels],
        "notes": list(item.notes),
        "help": list(item.help),
    }


def _label(label: Label) -> dict[str, Any]:
    return {**place(label.span), "text": label.text}


def place(span: Span) -> dict[str, Any]:
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.path,
        "line": line,
        "column": column,
        "end": {"line": end_line, "column": end_column},
    }


# --- outcomes ------------------------------------------------------------------------


def check(outcome: Outcome) -> dict[str, Any]:
    """The result of a check."""
    model, stats = outcome.check.model, outcome.stats
    about = judged(outcome)
    return {
        "name": outcome.check.name,
        "verdict": verdict(outcome),
        "as_expected": outcome.as_expected,
        "expected": [expectation(expected) for expected in outcome.check.expectations],
        "unmet": [mismatch(expected, came) for expected, came in outcome.unmet],
        "settings": dict(model.settings),
        "complete": outcome.complete,
        "distinct": stats.distinct,
        "generated": stats.generated,
        "depth": stats.depth,
        "seconds": round(stats.seconds, 3),
        "stats": _stats(outcome),
        "limits": list(outcome.limits),
        "warnings": list(outcome.warnings),
        "actions": [{"name": name, "enabled": enabled} for name, enabled in stats.enabled],
        "properties": [
            {**_found(model, found), "judged": found in about} for found in outcome.found
        ],
        "fairness": None if outcome.needs is None else [_needs(each) for each in outcome.needs],
    }


def _needs(needs: Needs) -> dict[str, Any]:
    """The marks that a liveness property needs; verdicts where something was decided anew."""
    return {
        "property": needs.name,
        "marks": [
            {
                "action": mark.action,
                "strong": mark.strong,
                "needed": mark.needed,
                "weakened": None if mark.weakened is None else mark.weakened.verdict.value,
                "dropped": None if mark.dropped is None else mark.dropped.verdict.value,
            }
            for mark in needs.marks
        ],
        "without_any": None if needs.without_any is None else needs.without_any.verdict.value,
    }


def _stats(outcome: Outcome) -> dict[str, Any]:
    """What the search cost; null where the engine does not measure it."""
    stats, cost = outcome.stats, outcome.stats.measured
    seconds = stats.seconds
    return {
        "distinct": stats.distinct,
        "generated": stats.generated,
        "depth": stats.depth,
        "seconds": round(seconds, 6),
        "states_per_second": round(stats.distinct / seconds) if seconds > 0 else None,
        "threads": None if cost is None else cost.threads,
        "compile_seconds": None if cost is None else round(cost.compile, 6),
        "bits_per_state": None if cost is None else cost.bits,
        "words_per_state": None if cost is None else cost.words,
        "bytes": None if cost is None else cost.bytes,
        "bytes_per_state": (
            None if cost is None else round(cost.bytes / max(1, stats.distinct), 3)
        ),
        "table_load": None if cost is None else round(cost.load, 4),
        "fairness_instances": _promises(outcome.check.model),
    }


def _promises(model: Model) -> int | None:
    """How many choices fairness is asked for; null where no liveness is judged."""
    if not judges_liveness(model):
        return None
    return sum(each.count for each in promises(model))


def _found(model: Model, found: Found) -> dict[str, Any]:
    trace = found.trace
    abstract = next(
        (
            p.abstract
            for p in model.properties
            if isinstance(p, Refinement) and p.name == found.name
        ),
        None,
    )
    failure = found.failure
    return {
        "name": found.name,
        "kind": found.kind,
        "verdict": found.verdict.value,
        "triggered": found.triggered,
        "vacuous": _vacuous(model, found),
        "steps": found.steps,
        "reason": found.reason if failure is None else failure.reason,
        "place": None if failure is None or failure.span is None else place(failure.span),
        "binding": {name: show(type_, value) for name, type_, value in found.binding},
        "trace": None if trace is None else run_of(model, trace, abstract),
        "loop": None if trace is None else trace.loop,
        **_operations(model, found),
        "treatment": [_treatment(each) for each in found.treatment],
    }


def _vacuous(model: Model, found: Found) -> list[dict[str, Any]]:
    """The lines that say nothing in this check, or less than it seems, counted from 1."""
    prop = next((each for each in model.properties if each.name == found.name), None)
    lines = () if prop is None else lines_of(prop)
    return [
        {
            "line": number,
            "reason": said.vacuity.value,
            "place": None if line.span is None else place(line.span),
        }
        for number, (line, said) in enumerate(zip(lines, found.said, strict=False), start=1)
        if said.vacuity is not None
    ]


def _treatment(treatment: Treatment) -> dict[str, Any]:
    """How a loop is fair to an instance: exactly one of `taken` and `disabled` is a number."""
    action, how = treatment.action, treatment.how
    assert action.fairness is not None
    binders = [action.binders[position] for position in action.fairness.per]
    pairs = zip(binders, treatment.arguments, strict=True)
    return {
        "action": action.name,
        "arguments": {binder.name: encode(binder.type, value) for binder, value in pairs},
        "strong": action.fairness.strong,
        "taken": how.step if isinstance(how, Taken) else None,
        "disabled": how.state if isinstance(how, Disabled) else None,
    }


def _operations(model: Model, found: Found) -> dict[str, Any]:
    """The history of a violated claim; other findings have none."""
    line = timeline_of(model, found)
    return {} if line is None else {"operations": timeline.record(line)}


def run_of(model: Model, trace: Trace, abstract: Model | None = None) -> list[dict[str, Any]]:
    """The initial state, then an entry for each step; a step not taken has no state."""
    entries: list[dict[str, Any]] = [
        {"action": None, "arguments": {}, "process": None, "fault": False}
    ]
    entries += [_step(model, step) for step in trace.steps]
    for number, entry in enumerate(entries):
        taken = number < len(trace.states)
        entry["state"] = encode_state(model, trace.states[number]) if taken else None
        if abstract is not None and number < len(trace.mapped):
            entry["mapped"] = encode_state(abstract, trace.mapped[number])
    return entries


def _step(model: Model, step: Step) -> dict[str, Any]:
    pairs = zip(step.action.binders, step.arguments, strict=False)  # see `lanes.call`
    return {
        "action": step.action.name,
        "arguments": {binder.name: encode(binder.type, value) for binder, value in pairs},
        "process": _process(model, step),
        "fault": step.action.fault,
    }


def _process(model: Model, step: Step) -> str:
    """`store`, or the member's name: `n1`; of a number with its group, `Slot 1`."""
    process = step.process
    if process.member is None:
        return process.owner
    for owner in model.owners:
        if owner.name == process.owner and owner.key is not None:
            return member_name(owner.name, owner.key, process.member)
    return process.owner
