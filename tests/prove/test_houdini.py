"""The candidates that goals need: inductive with them, and only where the goals hold."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from modelcheck import api
from modelcheck.core.proof import Argument, Proof
from modelcheck.prove.houdini import Break, Relative
from modelcheck.prove.induction import Induction
from modelcheck.prove.mining import Candidates, Instance, mine
from modelcheck.prove.scope import in_instance
from modelcheck.prove.solver import Settings, ask
from tests.prove.mined import BROKEN_TICKETS, MODELS, TICKETS, loaded, parts, reachable

SETTINGS = Settings(seconds=20.0)


def relative(file: api.File, name: str) -> tuple[Relative, Argument, Proof, Candidates]:
    proof, argument, sizes, instance = parts(file, name)
    candidates = mine(proof, instance, sizes, reachable(instance))
    here = in_instance(argument, instance)
    small = Instance(proof, instance, sizes, candidates.shapes)
    found = Relative(small, candidates, here, (), SETTINGS)
    found.begin(list(candidates.clauses))
    return found, here, instance, candidates


def test_what_is_needed_is_inductive_with_the_goals(tmp_path: Path) -> None:
    found, here, instance, candidates = relative(loaded(TICKETS, tmp_path), "AnySize")
    chosen = found.needed()
    assert not isinstance(chosen, Break)
    assert chosen
    lemma = found.instance.translated(candidates.lemma("Found", chosen))
    induction = Induction(instance, evolve(here, lemmas=(lemma,)), (), strict=True)
    assert all(ask(each, SETTINGS).status == "unsat" for each in induction.questions())


def test_nothing_of_what_is_needed_can_be_left_out(tmp_path: Path) -> None:
    found, here, instance, candidates = relative(loaded(TICKETS, tmp_path), "AnySize")
    chosen = found.needed()
    assert not isinstance(chosen, Break)
    for each in chosen:
        rest = [other for other in chosen if other != each]
        lemma = found.instance.translated(candidates.lemma("Found", rest))
        induction = Induction(instance, evolve(here, lemmas=(lemma,)), (), strict=True)
        assert any(ask(q, SETTINGS).status == "sat" for q in induction.questions())


def test_goals_that_are_false_are_broken_whatever_the_candidates(tmp_path: Path) -> None:
    for file, name in [
        (loaded(BROKEN_TICKETS, tmp_path), "AnySize"),
        (api.load_file(MODELS / "lock_server_unsafe.model"), "AnySize"),
    ]:
        assert isinstance(relative(file, name)[0].needed(), Break)


def test_houdini_is_deterministic() -> None:
    file = api.load_file(MODELS / "lock_server.model")
    assert relative(file, "AnySize")[0].needed() == relative(file, "AnySize")[0].needed()
