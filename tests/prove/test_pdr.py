"""Proofs whose lemmas the tool finds: for any size, never of what is false."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from modelcheck import api
from modelcheck.core.frame import Frame
from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument, Proof
from modelcheck.core.semantics import Semantics
from modelcheck.prove.engine import Judged, judge
from modelcheck.prove.pdr import judge_pdr
from modelcheck.prove.scope import Example, in_instance
from modelcheck.prove.solver import Settings
from modelcheck.prove.spacer import spacer
from modelcheck.prove.suggesting import Seen, suggest
from modelcheck.resolve.proof import instances, open_proof, proof_instance
from tests.prove.mined import BROKEN_TICKETS, MODELS, TICKETS, loaded, parts, reachable

SETTINGS = Settings(seconds=20.0)
SAFE = ["lock_server", "tickets"]
UNSAFE = ["lock_server_unsafe", "broken_tickets"]


def file_of(name: str, folder: Path) -> api.File:
    texts = {"tickets": TICKETS, "broken_tickets": BROKEN_TICKETS}
    if name in texts:
        return loaded(texts[name], folder)
    return api.load_file(MODELS / f"{name}.model")


def judged(file: api.File, name: str = "AnySize") -> Judged:
    proof, argument, _, _ = parts(file, name)
    return judge_pdr(proof, argument, (), instances(file.resolved, name), SETTINGS, reachable)


@pytest.mark.parametrize("name", SAFE)
def test_lemmas_are_found_that_prove_it_for_any_size(name: str, tmp_path: Path) -> None:
    found = judged(file_of(name, tmp_path))
    assert found.proved
    assert found.scope is None
    assert found.found
    assert all(query.answer == "proved" for query in found.queries)


@pytest.mark.parametrize("name", SAFE)
def test_found_lemmas_prove_it_when_they_are_in_the_file(name: str, tmp_path: Path) -> None:
    file = file_of(name, tmp_path)
    found = judged(file).found
    names = [lemma.split()[1] for lemma in found]
    proof, argument, _, _ = parts(file, "AnySize")
    goals = ", ".join(goal.name for goal in argument.goals)
    written = Path(file.path).read_text(encoding="utf-8") + "\n" + "\n\n".join(found)
    written += f"\n\nproof Again\n  for any {', '.join(proof.general)}\n"
    written += f"  {goals} by induction using {', '.join(names)}\n"
    again = loaded(written, tmp_path)
    opened = open_proof(again.resolved, "Again")
    ins = instances(again.resolved, "Again")
    assert judge(opened, opened.arguments[0], (), ins, SETTINGS).proved
    # What was proved for any size also holds in every state that the referee reaches.
    instance = proof_instance(again.resolved, "Again", dict.fromkeys(opened.general, 2))
    semantics = Semantics(instance.model)
    for lemma in map(instance.model.property, names):
        assert isinstance(lemma, Invariant)
        for state in reachable(instance):
            assert all(semantics.meanings.of(p)(Frame(state, {})) for p in lemma.parts)


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_twin_is_not_proved(name: str, tmp_path: Path) -> None:
    assert not judged(file_of(name, tmp_path)).proved


# Without the lemmas of the file, whatever `using` says.
SHIPPED = [
    ("fencing/fenced_leader", "Fencing", ("FenceNeverFalls", "NoLostUpdate")),
    ("fencing/tas_epoch", "Fencing", ("OneLeader", "NoStaleEffect")),
    ("eomp/seq_dedup", "AnyWindow", ("OneEffect", "Order", "NoLoss")),
    ("eomp/stored_results", "InOneStep", ("OneEffect",)),
    ("eomp/stored_results", "InOneStep", ("NoLoss",)),
    ("commit/two_phase", "AnySize", ("Atomicity", "Validity")),
]


@pytest.mark.parametrize(("path", "name", "goals"), SHIPPED)
def test_shipped_proofs_need_no_lemmas_by_hand(
    path: str, name: str, goals: tuple[str, ...]
) -> None:
    file = api.load(path)
    proof, argument, _, _ = parts(file, name)
    wanted = evolve(argument, goals=tuple(g for g in argument.goals if g.name in goals))
    made = instances(file.resolved, name)
    found = judge_pdr(proof, wanted, (), made, SETTINGS, reachable)
    assert found.proved
    assert found.scope is None


@pytest.mark.full
def test_an_election_is_safe_in_a_small_instance() -> None:
    file = api.load("consensus/raft_election")
    proof, argument, _, _ = parts(file, "AnySize")
    safety = tuple(goal for goal in argument.goals if goal.name == "ElectionSafety")
    made = instances(file.resolved, "AnySize")
    found = judge_pdr(proof, evolve(argument, goals=safety), (), made, SETTINGS, reachable)
    assert found.proved
    assert found.scope == (("Server", "2"), ("MAX_TERM", "2"))


def test_pdr_is_deterministic(tmp_path: Path) -> None:
    file = file_of("tickets", tmp_path)
    assert judged(file).found == judged(file).found


@pytest.mark.parametrize(
    ("name", "word"), [*((n, "proved") for n in SAFE), *((n, "violated") for n in UNSAFE)]
)
def test_spacer_is_right_about_a_small_instance(name: str, word: str, tmp_path: Path) -> None:
    file = file_of(name, tmp_path)
    proof, argument, _, _ = parts(file, "AnySize")
    sizes = {each: 1 if each == "MAX" else 2 for each in proof.general}
    instance = proof_instance(file.resolved, "AnySize", sizes)
    assert spacer(instance, in_instance(argument, instance), (), SETTINGS) == word


def test_without_states_spacer_is_asked_alone() -> None:
    file = api.load_file(MODELS / "lock_server.model")
    proof, argument, _, _ = parts(file, "AnySize")
    found = judge_pdr(proof, argument, (), instances(file.resolved, "AnySize"), SETTINGS)
    assert found.proved
    assert found.scope == (("Client", "2"),)


# --- suggestions -------------------------------------------------------------------------


def seen(file: api.File, name: str, *sizes: dict[str, int]) -> list[Seen]:
    made = [(each, proof_instance(file.resolved, name, each)) for each in sizes]
    return [Seen(each, proof, reachable(proof)) for each, proof in made]


def failing(
    file: api.File, name: str, without: str | None = None
) -> tuple[Proof, Argument, Example]:
    """A proof's last argument, without one of its lemmas or all, and why it fails."""
    proof = open_proof(file.resolved, name)
    argument = proof.arguments[-1]
    kept = tuple(each for each in argument.lemmas if without and each.name != without)
    wanting = evolve(argument, lemmas=kept)
    found = judge(proof, wanting, (), instances(file.resolved, name), SETTINGS).example
    assert found is not None
    return proof, wanting, found


@pytest.mark.parametrize(
    ("without", "line"),
    [
        (
            "OrdersTellTheDecision",
            "forall o in network.orders: coordinator.decision == o.decision",
        ),
        (
            "CommitTakesEverybody",
            "forall p in Participant: coordinator.decision == Commit "
            "implies p.stage == Prepared or p.stage == Committed",
        ),
    ],
)
def test_the_lemma_that_was_left_out_is_suggested(without: str, line: str) -> None:
    file = api.load("commit/two_phase")
    proof, argument, example = failing(file, "AnySize", without)
    states = seen(file, "AnySize", dict(example.sizes), {"Participant": 2})
    suggestion = suggest(proof, argument, (), example, states, SETTINGS)
    assert suggestion == suggest(proof, argument, (), example, states, SETTINGS)
    assert suggestion is not None
    assert suggestion.text == f"lemma Suggested\n  {line}"
    assert suggestion.states == sum(len(each.states) for each in states)


def test_a_suggestion_excludes_the_counterexample_and_no_state_that_was_seen(
    tmp_path: Path,
) -> None:
    file = loaded(TICKETS, tmp_path)
    proof, argument, example = failing(file, "AnySize")
    sizes = [dict(example.sizes), dict.fromkeys(proof.general, 3)]
    states = seen(file, "AnySize", *sizes)
    suggestion = suggest(proof, argument, (), example, states, SETTINGS)
    assert suggestion is not None
    text = TICKETS.replace("by pdr", "by induction using Suggested")
    text = text.replace("proof AnySize", f"{suggestion.text}\n\nproof AnySize")
    accepted = loaded(text, tmp_path)
    for each in states:
        instance = proof_instance(accepted.resolved, "AnySize", each.sizes)
        lemma = instance.model.property("Suggested")
        assert isinstance(lemma, Invariant)
        meaning = Semantics(instance.model).meanings.of(lemma.parts[0])
        assert all(meaning(Frame(state, {})) for state in each.states)
        if dict(each.sizes) == dict(example.sizes):
            assert not meaning(Frame(example.states[0], {}))


def test_nothing_is_suggested_about_states_that_were_not_seen(tmp_path: Path) -> None:
    proof, argument, example = failing(loaded(TICKETS, tmp_path), "AnySize")
    assert suggest(proof, argument, (), example, [], SETTINGS) is None
