"""Protocols whose counts others have found too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modelcheck.core.model import ExpectCount, ExpectProperty
from modelcheck.core.outcome import Verdict
from modelcheck.core.replay import replay

from .build import run
from .fenced_leader import fenced_leader
from .two_phase import two_phase


@pytest.mark.parametrize(
    "managers, distinct, generated", [(2, 56, 154), (3, 288, 1146), (5, 8832, 58146)]
)
def test_two_phase_commit_has_the_counts_that_tlc_finds(managers, distinct, generated):
    outcome = run(two_phase(managers))
    assert outcome.as_expected
    assert (outcome.stats.distinct, outcome.stats.generated) == (distinct, generated)
    assert outcome.stats.depth == 3 * managers + 2


def test_a_fenced_leader_holds():
    outcome = run(fenced_leader())
    assert outcome.as_expected, outcome.unmet
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (1080, 4101, 15)
    assert outcome["TwoLeaders"].steps == 5
    assert outcome["CounterFull"].steps == 6
    assert all(found.triggered for found in outcome.found)


def test_a_store_that_is_fenced_too_late_loses_an_update():
    model = fenced_leader(fence_on_takeover=False)
    outcome = run(model, ExpectProperty("NoLostUpdate", "fails", 9), ExpectCount("distinct", 1304))
    assert outcome.as_expected, outcome.unmet
    assert (outcome.stats.generated, outcome.stats.depth) == (5007, 17)
    assert replay(model, outcome["NoLostUpdate"].trace) is None


def test_a_token_handed_out_twice_loses_an_update():
    model = fenced_leader(fresh_tokens=False)
    outcome = run(model, ExpectProperty("NoLostUpdate", "fails", 10), keep_going=True)
    assert outcome.as_expected, outcome.unmet
    stats = outcome.stats
    assert (stats.distinct, stats.generated, stats.depth) == (4740, 22911, 41)
    trace = outcome["NoLostUpdate"].trace
    assert replay(model, trace) is None
    assert [step.action.name for step in trace.steps] == [
        "acquire", "take_over", "send", "crash", "restart", "resume", "take_over", "accept",
        "send", "accept",
    ]  # fmt: skip
    assert len({step.process for step in trace.steps[:8]}) == 2


@pytest.mark.parametrize("broken", [{}, {"fence_on_takeover": False}, {"fresh_tokens": False}])
def test_without_faults_there_are_thirteen_states_and_nothing_is_lost(broken):
    outcome = run(fenced_leader(faults=False, **broken), ExpectProperty("NoLostUpdate", "holds"))
    assert outcome.stats.distinct == 13
    assert outcome["NoLostUpdate"].verdict is Verdict.HOLDS


def test_outcomes_do_not_depend_on_the_hash_seed():
    program = """
from semantics.build import run
from semantics.fenced_leader import fenced_leader
for options in ({"fair": False}, {"fresh_tokens": False}, {"fence_on_takeover": False}):
    outcome = run(fenced_leader(**options))
    print([(f, f.trace and f.trace.states) for f in outcome.found])
"""
    tests = Path(__file__).resolve().parent.parent
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{tests}:{tests.parent}"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1 and len(said.pop()) > 1000


def test_without_fair_delivery_a_leader_waits_for_ever():
    outcome = run(fenced_leader(fair=False))
    found = outcome["NoLeaderWaitsForever"]
    assert found.verdict is Verdict.LIVELOCKS
    assert found.steps == 3 and found.trace.loop == 3
    assert any("no action is fair" in warning for warning in outcome.warnings)
