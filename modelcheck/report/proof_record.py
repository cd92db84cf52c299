"""A proof and what came of it as plain data; docs/json.md describes it."""

from __future__ import annotations

from typing import Any

from modelcheck.core.proof import Concluded, Counterexample, Proved, Query
from modelcheck.report.proof import run_of, verdict
from modelcheck.report.records import place
from modelcheck.report.records import run_of as entries_of


def record(proved: Proved) -> dict[str, Any]:
    """The proof in the JSON document."""
    proof = proved.proof
    return {
        "name": proof.name,
        "verdict": verdict(proved),
        "general": list(proof.general),
        "settings": dict(proof.settings),
        "axioms": [each.name for each in proof.axioms],
        "alive": None if proved.alive is None else dict(proved.alive),
        "seconds": round(proved.seconds, 3),
        "arguments": [_concluded(each) for each in proved.concluded],
    }


def _concluded(of: Concluded) -> dict[str, Any]:
    met = of.counterexample
    return {
        "goals": [goal.name for goal in of.argument.goals],
        "lemmas": [lemma.name for lemma in of.argument.lemmas],
        "method": of.argument.method,
        "k": of.argument.k,
        "verdict": of.standing.value,
        "reason": of.reason,
        "scope": None if of.scope is None else dict(of.scope),
        "found": list(of.found),
        "queries": [_query(each) for each in of.queries],
        "counterexample": None if met is None else _counterexample(met),
    }


def _query(of: Query) -> dict[str, Any]:
    return {
        "about": of.about,
        "name": of.name,
        "line": of.line + 1,
        "answer": of.answer,
        "seconds": round(of.seconds, 3),
        "reason": of.reason,
    }


def _counterexample(met: Counterexample) -> dict[str, Any]:
    """`trace` begins anywhere, `run` in an initial state."""
    part = met.model.property(met.name).parts[met.line]  # type: ignore[union-attr]
    run, suggestion = run_of(met), met.suggestion
    return {
        "name": met.name,
        "line": met.line + 1,
        "place": None if part.span is None else place(part.span),
        "instance": dict(met.instance),
        "trace": entries_of(met.model, met.trace),
        "reach": met.reach.value,
        "run": None if run is None else entries_of(met.model, run),
        "suggestion": (
            None if suggestion is None else {"text": suggestion.text, "states": suggestion.states}
        ),
    }
