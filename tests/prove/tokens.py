"""A small file with a proof, and what may come of it, written by hand."""

from __future__ import annotations

from pathlib import Path

from modelcheck.api import File, load_source
from modelcheck.core.proof import (
    Concluded,
    Counterexample,
    Proof,
    Proved,
    Query,
    Reach,
    Standing,
    Suggestion,
)
from modelcheck.core.trace import Process, Step, Trace
from modelcheck.resolve.proof import open_proof, proof_instance
from modelcheck.source import Source

_FILE = Path(__file__).with_name("tokens.model").read_text("utf-8")

TOKENS = _FILE[: _FILE.index("\nproof Fencing")]
"""What the proof is about."""

PROOF = _FILE.removeprefix(TOKENS)
"""The proof: its first argument lacks a lemma."""

INSTANCE = (("Node", "1"), ("MAX", "1"))


def opened(text: str, path: str = "tokens.model") -> File:
    """The file, read and resolved."""
    return load_source(Source(path, text))


def tokens() -> File:
    """The file with its proof."""
    return opened(TOKENS + PROOF)


def fencing() -> Proof:
    """Its proof, open."""
    return open_proof(tokens().resolved, "Fencing")


def instance() -> Proof:
    """Its proof for one node and one token."""
    return proof_instance(tokens().resolved, "Fencing", {"Node": 1, "MAX": 1})


def stray_token(
    reach: Reach = Reach.NOT_IN_SCOPE, suggestion: Suggestion | None = None
) -> Counterexample:
    """A node has a token that was never granted, and writes with it."""
    model = instance().model
    write = Step(model.actions[1], (0,), Process("Node", 0))
    trace = Trace(((0, 0, (1,)), (0, 1, (1,))), (write,))
    return Counterexample(
        INSTANCE, model, trace, "FenceWasGranted", 1, False, reach, suggestion=suggestion
    )


def proved_queries(name: str, line: int) -> tuple[Query, ...]:
    """That the line holds at first and after both actions."""
    return tuple(
        Query(about, name, line, "proved", 0.01) for about in ("initial states", "grant", "write")
    )


def everything_proved() -> Proved:
    """A proof without fault."""
    proof = fencing()
    first, second = proof.arguments
    return Proved(
        proof,
        (
            Concluded(first, Standing.PROVED, proved_queries("FenceWasGranted", 0)),
            Concluded(second, Standing.PROVED, proved_queries("FenceNeverFalls", 0)[1:]),
        ),
        INSTANCE,
        0.25,
    )


def not_inductive(met: Counterexample | None = None) -> Proved:
    """The first argument has a counterexample, the second is proved."""
    proof = fencing()
    first, second = proof.arguments
    asked = (
        *proved_queries("FenceWasGranted", 0),
        Query("write", "FenceWasGranted", 1, "counterexample", 0.5),
    )
    return Proved(
        proof,
        (
            Concluded(first, Standing.NOT_INDUCTIVE, asked, met or stray_token()),
            Concluded(second, Standing.PROVED, proved_queries("FenceNeverFalls", 0)[1:]),
        ),
        INSTANCE,
        0.75,
    )


def no_answer() -> Proved:
    """One query of the first argument has no answer, the second argument is proved."""
    proof = fencing()
    first, second = proof.arguments
    asked = (
        *proved_queries("FenceWasGranted", 0),
        Query("write", "FenceWasGranted", 1, "unknown", 20.0, "timeout"),
    )
    return Proved(
        proof,
        (
            Concluded(first, Standing.UNKNOWN, asked, reason="one query has no answer"),
            Concluded(second, Standing.PROVED, proved_queries("FenceNeverFalls", 0)[1:]),
        ),
        INSTANCE,
        20.5,
    )


def run_to_violation() -> Proved:
    """The first argument is violated by a run."""
    model = instance().model
    grant = Step(model.actions[0], (0,), Process("Node", 0))
    trace = Trace(((0, 0, (0,)), (0, 1, (1,))), (grant,))
    met = Counterexample(INSTANCE, model, trace, "FenceWasGranted", 1, True, Reach.REACHABLE)
    proof = fencing()
    first, second = proof.arguments
    return Proved(
        proof,
        (
            Concluded(first, Standing.VIOLATED, (), met),
            Concluded(second, Standing.PROVED, ()),
        ),
        INSTANCE,
    )
