"""What refines does, and a mapping with one thing wrong in it is found, with both levels shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import frozen

import modelcheck
from modelcheck import Verdict

ROOT = Path(__file__).resolve().parents[2]
TWO_PHASE = ROOT / "protocols/commit/two_phase.model"
PAXOS = ROOT / "protocols/consensus/paxos.model"
PAXOS_TINY = ROOT / "tests/calibration/paxos_tiny.model"
VOTING = ROOT / "tests/calibration/voting.model"
WRONG_MAPPING = ROOT / "tests/refinement/wrong_mapping.model"


# --- right mappings ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "check", "abstract"),
    [
        pytest.param(TWO_PHASE, "correct", "AtomicCommit", id="two-phase-atomic-commit"),
        pytest.param(PAXOS, "correct", "Consensus", id="paxos-consensus"),
        pytest.param(PAXOS_TINY, "a3v2b1", "Voting", id="tiny-paxos-voting"),
        pytest.param(WRONG_MAPPING, "right", "Voting", id="one-ballot-voting"),
    ],
)
def test_a_protocol_refines_its_specification(path: Path, check: str, abstract: str) -> None:
    found = modelcheck.check(modelcheck.load(path)[check])[abstract]
    assert (found.kind, found.verdict) == ("refines", Verdict.HOLDS)


def test_the_voting_that_tiny_paxos_refines_refines_consensus_itself() -> None:
    tiny = modelcheck.load(PAXOS_TINY)["a3v2b1"].model
    same = modelcheck.load(VOTING).instance("a3v2b2", [("LAST", "1")])
    assert (
        dict(same.model.settings)
        == dict(tiny.settings)
        == {
            "Acceptor": "3",
            "Value": "2",
            "LAST": "1",
        }
    )
    assert modelcheck.check(same, keep_going=True)["Consensus"].verdict is Verdict.HOLDS


# --- wrong mappings ---------------------------------------------------------------------


@frozen
class Seeded:
    """A file whose `refines` says something else, and what comes of it.

    steps  after which the shortest trace shows that it is wrong
    lanes  of the abstract protocol in that trace
    shows  an abstract value in that trace
    """

    path: Path
    check: str
    right: str
    wrong: str
    abstract: str
    steps: int
    lanes: tuple[str, ...]
    shows: str
    note: str = "not a step of"


STAGE = "(p.stage = p.stage)"
PARTICIPANTS = ("AtomicCommit:p1", "AtomicCommit:p2")
ACCEPTORS = ("Voting:a1", "Voting:a2", "Voting:a3")
SEEDED = {
    "two values swapped": Seeded(
        TWO_PHASE,
        "correct",
        STAGE,
        "(p.stage = if p.stage == Committed then Aborted\n"
        "    else if p.stage == Aborted then Committed else p.stage)",
        "AtomicCommit",
        1,
        PARTICIPANTS,
        "Committed",
    ),
    "an initial state that is none": Seeded(
        TWO_PHASE,
        "correct",
        STAGE,
        "(p.stage = if p.stage == Working then Prepared else p.stage)",
        "AtomicCommit",
        0,
        PARTICIPANTS,
        "Prepared",
        "not an initial state of",
    ),
    "a step that stutters but must not": Seeded(
        TWO_PHASE,
        "correct",
        STAGE,
        "(p.stage = if p.stage == Prepared then Working else p.stage)",
        "AtomicCommit",
        8,
        PARTICIPANTS,
        "Committed",
    ),
    "a step that must stutter but does not": Seeded(
        PAXOS,
        "correct",
        "where chosen(v)}",
        "where exists m in network.proposals: m.value == v}",
        "Consensus",
        8,
        ("Consensus:outcome",),
        "{v1, v2}",
    ),
    "another variable": Seeded(
        PAXOS_TINY,
        "a3v2b1",
        "a.max_bal = a.max_bal)",
        "a.max_bal = a.max_vbal)",
        "Voting",
        5,
        ACCEPTORS,
        "votes={Vote(0, v1)}",
    ),
    "another member": Seeded(
        WRONG_MAPPING,
        "right",
        "a.votes = if a.voted",
        "a.votes = if exists o in Acceptor: o != a and o.voted",
        "Voting",
        3,
        ACCEPTORS,
        "Vote(0, v1)",
    ),
    "a variable that is hidden": Seeded(
        WRONG_MAPPING,
        "wrong",
        "",
        "",
        "Voting",
        3,
        ACCEPTORS,
        "Vote(0, v1)",
    ),
}


@pytest.mark.parametrize("seeded", SEEDED.values(), ids=SEEDED)
def test_a_wrong_mapping_is_found_and_both_levels_are_shown(seeded: Seeded, tmp_path: Path) -> None:
    text = seeded.path.read_text("utf-8")
    if seeded.right:
        assert text.count(seeded.right) == 1
        text = text.replace(seeded.right, seeded.wrong)
    path = placed(tmp_path, text)

    out = trace(path, seeded.check, seeded.abstract)
    steps = f"step {seeded.steps} of {seeded.steps}" if seeded.steps else "the initial state"
    assert f"violated[refines]: {seeded.abstract}, in {steps}\n" in out
    assert f"note: {seeded.note} `{seeded.abstract}`" in out
    heads = " ".join(line for line in out.splitlines() if line.lstrip().startswith("step "))
    for lane in (*concrete_lanes(path, seeded.check), *seeded.lanes):
        assert lane in heads.split()
    assert seeded.shows in out


# --- and its liveness -------------------------------------------------------------------


def with_liveness(path: Path, mapping: str) -> str:
    text = path.read_text("utf-8")
    assert text.count(mapping) == 1
    return text.replace(mapping, f"{mapping} and its liveness")


def test_two_phase_commit_has_the_liveness_of_atomic_commitment(tmp_path: Path) -> None:
    path = placed(tmp_path, with_liveness(TWO_PHASE, STAGE))
    outcome = modelcheck.check(modelcheck.load(path)["correct"])
    assert outcome.as_expected
    assert outcome["AtomicCommit"].verdict is Verdict.HOLDS


def test_a_coordinator_that_stays_away_breaks_the_liveness_it_should_have(tmp_path: Path) -> None:
    path = placed(tmp_path, with_liveness(TWO_PHASE, STAGE))
    outcome = modelcheck.check(modelcheck.load(path)["never_recovers"], keep_going=True)
    assert outcome["AtomicCommit"].verdict in (Verdict.FAILS, Verdict.BLOCKS)
    assert outcome["AtomicCommit"].steps == 3

    out = trace(path, "never_recovers", "AtomicCommit")
    assert "`AtomicCommit.Decide` blocks" in out
    assert "AtomicCommit:p1" in out and "stutters for ever" in out


def test_paxos_does_not_promise_that_a_value_is_chosen(tmp_path: Path) -> None:
    mapping = "(outcome.chosen = {v | v in Value where chosen(v)})"
    path = placed(tmp_path, with_liveness(PAXOS, mapping))
    outcome = modelcheck.check(modelcheck.load(path)["correct"])
    assert outcome["Consensus"].verdict in (Verdict.FAILS, Verdict.LIVELOCKS)
    assert "`Consensus.Termination` livelocks" in trace(path, "correct", "Consensus")


def test_safety_alone_is_refined_without_the_liveness(tmp_path: Path) -> None:
    outcome = modelcheck.check(modelcheck.load(TWO_PHASE)["never_recovers"], keep_going=True)
    assert outcome["AtomicCommit"].verdict is Verdict.HOLDS
    assert outcome["Decide"].verdict is Verdict.BLOCKS


# --- helpers ----------------------------------------------------------------------------


def placed(directory: Path, text: str) -> Path:
    """The text as a file beside the Voting that it may import, under either path."""
    for place in ("here", "calibration"):
        (directory / place).mkdir()
        (directory / place / VOTING.name).write_bytes(VOTING.read_bytes())
    path = directory / "here/seeded.model"
    path.write_text(text, encoding="utf-8")
    return path


def concrete_lanes(path: Path, check: str) -> list[str]:
    """A lane for each single group; the members of `each` groups are named by the mapping."""
    owners = modelcheck.load(path)[check].model.owners
    return [owner.name for owner in owners if owner.kind == "single"]


def trace(path: Path, check: str, name: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "modelcheck", "trace", str(path), check, name],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout
