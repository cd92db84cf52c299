"""Axioms of which everything is set: they are true, or the settings are not meant."""

from __future__ import annotations

from modelcheck.core.dependence import dependence
from modelcheck.core.proof import Axiom
from modelcheck.core.terms import Term
from modelcheck.diagnostics import Collector, Label
from modelcheck.resolve.state import evaluate


def judge_axioms(axioms: list[Axiom], collector: Collector) -> tuple[Term, ...]:
    """Report each line that is false; the lines that read variables are given back."""
    reading: list[Term] = []
    for axiom in axioms:
        for part in axiom.parts:
            if dependence(part) is None:
                _judge(axiom, part, collector)
            else:
                reading.append(part)
    return tuple(reading)


def _judge(axiom: Axiom, part: Term, collector: Collector) -> None:
    assert part.span is not None and axiom.span is not None
    value = evaluate(part, collector, part.span)
    if value is not None and not value:
        collector.error(
            "axiom-false",
            f"the axiom `{axiom.name}` is false for what is set",
            part.span,
            labels=(Label(axiom.span, "assumed by every proof of the file"),),
            help=("set values for which it is true, or weaken the axiom",),
        )
