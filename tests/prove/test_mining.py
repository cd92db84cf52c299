"""Candidate lemmas: what they are made of, that states have the last word, how they read."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.frame import Frame
from modelcheck.core.model import Invariant
from modelcheck.core.semantics import Semantics
from modelcheck.prove.mining import Instance, mine
from modelcheck.prove.wording import declaration, text
from modelcheck.resolve.proof import open_proof
from tests.prove.mined import TICKETS, loaded, parts, reachable


def mined(file: api.File, name: str, wide: bool = False) -> list[str]:
    proof, _, sizes, instance = parts(file, name)
    candidates = mine(proof, instance, sizes, reachable(instance), wide)
    return [text(candidates.term(each)) for each in candidates.clauses]


def test_what_is_mined_is_what_one_would_say(tmp_path: Path) -> None:
    found = mined(loaded(TICKETS, tmp_path), "AnySize")
    assert "desk.serving <= desk.drawn" in found
    assert "forall g in Guest where g.stage is Holding: g.stage.number <= desk.drawn" in found
    assert (
        "forall g in Guest where g.stage is Holding, g2 in Guest where g2.stage is Served: "
        "g.stage.number != g2.stage.number"
    ) in found


def test_mining_is_deterministic(tmp_path: Path) -> None:
    file = loaded(TICKETS, tmp_path)
    assert mined(file, "AnySize") == mined(file, "AnySize")


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    ("path", "name"), [("fencing/fenced_leader", "Fencing"), ("commit/two_phase", "AnySize")]
)
def test_a_candidate_holds_in_the_states_for_the_referee_too(
    path: str, name: str, wide: bool
) -> None:
    proof, _, sizes, instance = parts(api.load(path), name)
    states = reachable(instance)
    candidates = mine(proof, instance, sizes, states, wide)
    here = Instance(proof, instance, sizes, candidates.shapes)
    semantics = Semantics(instance.model)
    some = states[:: max(1, len(states) // 10)]
    for clause in candidates.clauses[::20]:
        meaning = semantics.meanings.of(here.translated(candidates.term(clause)))
        assert all(meaning(Frame(state, {})) for state in some), text(candidates.term(clause))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("protocols/fencing/fenced_leader.model", "Fencing"),
        ("protocols/commit/two_phase.model", "AnySize"),
    ],
)
def test_a_candidate_written_into_the_file_is_read_as_itself(
    path: str, name: str, wide: bool, tmp_path: Path
) -> None:
    whole = Path(__file__).parents[2] / path
    proof, _, sizes, instance = parts(api.load_file(whole), name)
    candidates = mine(proof, instance, sizes, reachable(instance), wide)
    terms = [candidates.term(each) for each in candidates.clauses[:: 10 if wide else 3]]
    written = (
        whole.read_text(encoding="utf-8")
        + f"\n{declaration('Mined', terms)}\n"
        + f"\nproof Again\n  for any {', '.join(proof.general)}\n"
        + f"  {proof.arguments[0].goals[0].name} by induction using Mined\n"
    )
    again = open_proof(loaded(written, tmp_path).resolved, "Again")
    lemma = again.model.property("Mined")
    assert isinstance(lemma, Invariant)
    assert list(lemma.parts) == terms
