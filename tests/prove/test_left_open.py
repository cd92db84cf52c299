"""What a proof leaves open: truth values, maps and sets, and the axioms about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.proof import Proved, Standing
from modelcheck.core.replay import replay

TRUTH = """
protocol Truth

param SAFE: bool
sort Node

state
  each Node
    n: 0..9 = 0

action go(n in Node)
  when n.n < 9
  n.n := if SAFE then 0 else n.n + 1

invariant Small
  forall n in Node: n.n < 3

proof Any
  for any Node, SAFE
  Small by induction

proof Kept
  for any Node
  with SAFE = true
  Small by induction
"""

QUORUMS = """
protocol Quorums

param OF: map Quorum to set of Node
sort Node, Quorum, Value
type Vote(by: Node, value: Value)

state
  each Node
    voted: bool = false
  channel network
    votes: set of Vote = {}
  ledger
    chosen: set of Value = {}

axiom Meet
  forall q in Quorum, r in Quorum: exists n in Node: n in OF[q] and n in OF[r]

action vote(n in Node, v in Value)
  when not n.voted
  n.voted       := true
  network.votes += Vote(n, v)

action choose(v in Value, q in Quorum)
  when forall n in Node where n in OF[q]: Vote(n, v) in network.votes
  ledger.chosen += v

lemma VotedOnce
  forall a in network.votes: a.by.voted
  forall a in network.votes, b in network.votes: a.by == b.by implies a == b

lemma ChosenByQuorum
  forall v in ledger.chosen:
      exists q in Quorum: forall n in Node where n in OF[q]: Vote(n, v) in network.votes

invariant Agreement
  forall v in ledger.chosen, w in ledger.chosen: v == w

proof AnySize
  for any Node, Quorum, Value, OF
  VotedOnce, ChosenByQuorum by induction
  Agreement by induction
"""


def proved(text: str, tmp_path: Path, name: str) -> Proved:
    path = tmp_path / "open.model"
    path.write_text(text.lstrip(), "utf-8")
    (found,) = api.prove(api.load(path), name)
    return found


def test_a_truth_value_that_is_open_is_tried_both_ways(tmp_path: Path) -> None:
    found = proved(TRUTH, tmp_path, "Any")
    assert found.standing is Standing.VIOLATED
    counterexample = found.concluded[0].counterexample
    assert counterexample is not None
    assert counterexample.instance == (("Node", "1"), ("SAFE", "false"))
    assert replay(counterexample.model, counterexample.trace) is None


def test_a_truth_value_that_is_set_is_not_open(tmp_path: Path) -> None:
    assert proved(TRUTH, tmp_path, "Kept").standing is Standing.PROVED


def test_quorums_that_meet_by_an_axiom_agree(tmp_path: Path) -> None:
    found = proved(QUORUMS, tmp_path, "AnySize")
    assert found.standing is Standing.PROVED
    assert found.alive is not None


def test_quorums_that_need_not_meet_disagree(tmp_path: Path) -> None:
    start, end = QUORUMS.index("axiom"), QUORUMS.index("action vote")
    found = proved(QUORUMS[:start] + QUORUMS[end:], tmp_path, "AnySize")
    assert found.standing is Standing.VIOLATED
    counterexample = found.concluded[-1].counterexample
    assert counterexample is not None and counterexample.name == "Agreement"
    assert replay(counterexample.model, counterexample.trace) is None


@pytest.mark.parametrize("line", ["exists q in Quorum, n in Node: n in OF[q] and n not in OF[q]"])
def test_axioms_that_contradict_one_another_prove_nothing(tmp_path: Path, line: str) -> None:
    found = proved(
        QUORUMS.replace("\naction vote", f"\naxiom No\n  {line}\n\naction vote"),
        tmp_path,
        "AnySize",
    )
    assert all(each.standing is Standing.PROVED for each in found.concluded)
    assert found.alive is None
    assert found.standing is Standing.UNKNOWN
