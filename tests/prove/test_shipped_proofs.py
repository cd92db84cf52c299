"""What the shipped proofs prove, and that they prove nothing of what is broken.

A proof and a search share the front end only. So each lemma that a proof rests on is
also searched for (by `expect holds` of the files' checks), each variant that a search
finds broken must not be proved, and what a counterexample is said to be is asked of
the referee once more, by a search that shares nothing with the one that said it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from modelcheck import api, proving
from modelcheck.core.limits import Limits
from modelcheck.core.model import ExpectProperty, Invariant
from modelcheck.core.proof import Counterexample, Proved, Reach, Standing
from modelcheck.core.replay import replay
from modelcheck.core.search import explore
from modelcheck.core.semantics import Semantics
from modelcheck.prove.solver import Settings
from modelcheck.resolve.proof import instances, open_proof

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for path in (*ROOT.glob("protocols/*/*.model"), *ROOT.glob("tests/prove/models/*.model"))
    if "\nproof " in path.read_text(encoding="utf-8")
)
SAFE = [path for path in FILES if not path.stem.endswith("_unsafe")]
SETTINGS = Settings(seconds=20.0)


def shown(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@cache
def loaded(path: Path) -> api.File:
    return api.load_file(path)


def proofs(paths: list[Path]) -> list[Any]:
    return [
        pytest.param(path, each.name, id=f"{shown(path)}-{each.name}")
        for path in paths
        for each in loaded(path).proofs
    ]


@pytest.mark.parametrize(("path", "name"), proofs(SAFE))
def test_a_shipped_proof_proves(path: Path, name: str) -> None:
    (proved,) = api.prove(loaded(path), name, SETTINGS)
    assert proved.standing is Standing.PROVED, proved
    assert proved.alive is not None
    for each in proved.concluded:
        assert each.queries
        assert all(query.answer == "proved" for query in each.queries)


@pytest.mark.parametrize(("path", "name"), proofs([p for p in FILES if p not in SAFE]))
def test_an_unsafe_twin_is_not_proved(path: Path, name: str) -> None:
    (proved,) = api.prove(loaded(path), name, SETTINGS)
    assert proved.standing is Standing.VIOLATED
    judge(proved)


# --- broken variants -------------------------------------------------------------------


def variants() -> list[Any]:
    """Each check that expects a goal of a proof to fail: the proof with the check's switches."""
    found = []
    for path in SAFE:
        file = loaded(path)
        for info in file.checks:
            failing = {
                each.name
                for each in info.expectations
                if isinstance(each, ExpectProperty) and each.verdict == "fails"
            }
            for each in file.proofs:
                proof = open_proof(file.resolved, each.name)
                goals = {goal.name for argument in proof.arguments for goal in argument.goals}
                if not failing & goals:
                    continue
                switches = tuple(s for s in info.settings if s[0] not in (*proof.general, "faults"))
                if not {name for name, _ in each.settings} <= {name for name, _ in switches}:
                    continue  # the proof is about another variant
                label = f"{shown(path)}-{each.name}-{info.name}"
                found.append(pytest.param(path, each.name, switches, failing & goals, id=label))
    return found


@pytest.mark.parametrize(("path", "name", "switches", "failing"), variants())
def test_a_broken_variant_is_not_proved(
    path: Path, name: str, switches: tuple[tuple[str, str], ...], failing: set[str]
) -> None:
    (proved,) = api.prove(loaded(path), name, SETTINGS, replaced=switches)
    about = [
        each for each in proved.concluded if failing & {goal.name for goal in each.argument.goals}
    ]
    assert about
    for each in about:
        assert each.standing in (Standing.VIOLATED, Standing.NOT_INDUCTIVE), each
    assert proved.standing is not Standing.PROVED
    judge(proved)


def judge(proved: Proved) -> None:
    """That every counterexample is what it is said to be."""
    for each in proved.concluded:
        if each.counterexample is not None:
            judge_counterexample(each.counterexample)


def judge_counterexample(each: Counterexample) -> None:
    semantics = Semantics(each.model)
    whole = each.trace if each.initial else each.witness
    if each.reach is Reach.REACHABLE:
        assert whole is not None
        assert replay(each.model, whole) is None
    if not each.initial:
        before = each.trace.states[0]
        states = explore(semantics, Limits(states=20_000), lambda run: False)
        reached = before in set(states.graph.states)
        if each.reach is Reach.NOT_IN_SCOPE:
            assert not reached
        if states.complete and each.reach is not Reach.UNKNOWN:
            assert reached == (each.reach is Reach.REACHABLE)
    broken = each.model.property(each.name)
    if isinstance(broken, Invariant):
        last = each.trace.states[-1]
        assert not all(semantics.evaluate(p, last) for p in broken.parts[: each.line + 1])


# --- a lemma less ----------------------------------------------------------------------


SLOW = ("paxos", "stored_results", "tas_epoch")
"""With a lemma less these take the solver long to be sure of anything."""


def weakened() -> list[Any]:
    found = []
    for path in (each for each in SAFE if each.stem not in SLOW):
        for each in loaded(path).proofs:
            proof = open_proof(loaded(path).resolved, each.name)
            for number, argument in enumerate(proof.arguments):
                for lemma in argument.lemmas:
                    label = f"{shown(path)}-{each.name}-{number}-{lemma.name}"
                    found.append(pytest.param(path, each.name, number, lemma.name, id=label))
    return found


@pytest.mark.full
@pytest.mark.parametrize(("path", "name", "number", "lemma"), weakened())
def test_without_a_lemma_a_counterexample_is_one_or_the_lemma_was_not_needed(
    path: Path, name: str, number: int, lemma: str
) -> None:
    file = loaded(path)
    proof = open_proof(file.resolved, name)
    argument = proof.arguments[number]
    fewer = tuple(each for each in argument.lemmas if each.name != lemma)
    weaker = evolve(proof, arguments=(evolve(argument, lemmas=fewer),))
    proved = proving.prove(weaker, instances(file.resolved, name), SETTINGS)
    # The protocol is what it was: whatever is missing, nothing false can be reached.
    assert proved.standing is not Standing.VIOLATED
    judge(proved)
