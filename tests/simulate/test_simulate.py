"""What a simulation says: verdicts, traces, counts."""

from __future__ import annotations

import time

import pytest
from attrs import evolve

from modelcheck import load
from modelcheck.api import simulate
from modelcheck.core import referee
from modelcheck.core.model import Check
from modelcheck.core.outcome import Outcome, Verdict
from modelcheck.core.replay import replay
from modelcheck.core.sample import Sampled
from modelcheck.diagnostics import Refused
from modelcheck.explore.simulate import Settings

from . import texts


def same(one: Sampled, other: Sampled) -> bool:
    """Whether all but the time it took is equal, the traces too."""

    def told(sampled: Sampled) -> object:
        outcome = sampled.outcome
        traces = [
            (f.trace.states, [(s.action.name, s.arguments) for s in f.trace.steps])
            for f in outcome.found
            if f.trace is not None
        ]
        return evolve(sampled, outcome=evolve(outcome, check=one.outcome.check)), traces

    return told(one) == told(other)


def assert_sound(check: Check, *samples: Sampled) -> None:
    """Traces are runs, and not longer than the walks; what is said agrees with the referee."""
    whole = referee.check(check, keep_going=True)
    for sampled in samples:
        _assert_sound(check, sampled, whole)


def _assert_sound(check: Check, sampled: Sampled, whole: Outcome) -> None:
    for found in sampled.outcome.found:
        if found.verdict is Verdict.UNDECIDED:
            continue
        exact = whole[found.name]
        assert found.verdict is exact.verdict
        if found.trace is not None:
            assert replay(check.model, found.trace) is None
            assert found.steps == len(found.trace.steps)
            assert exact.steps is not None and found.steps >= exact.steps
            met = sampled.origin(found.name)
            assert met is not None and found.steps <= met.steps
            if found.failure is not None:
                assert found.failure.kind == found.kind


BROKEN = [
    ("fencing/fenced_leader", "read_before_fence", "NoLostUpdate"),
    ("fencing/fenced_leader", "reused_token", "NoLostUpdate"),
]


@pytest.mark.parametrize(("path", "name", "broken"), BROKEN)
def test_a_broken_variant_is_found_out(path: str, name: str, broken: str) -> None:
    check = load(path)[name]
    samples = [
        simulate(check, Settings(runs=500_000, seed=seed, steps=60, threads=2)) for seed in range(3)
    ]
    for sampled in samples:
        assert sampled.outcome.as_expected is True
        assert sampled.outcome[broken].verdict is Verdict.FAILS
    assert_sound(check, *samples)


def test_every_expected_failure_of_a_shipped_file_is_found_or_left_open() -> None:
    for path in ("commit/two_phase", "consensus/paxos", "eomp/alternating_bit"):
        file = load(path)
        for name in list(file)[:2]:
            check = file[name]
            sampled = simulate(check, Settings(runs=300, steps=60))
            assert sampled.outcome.as_expected is not False
            assert sampled.outcome.verdict != "holds"


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_threads_do_not_show(seed: int, threads: int) -> None:
    check = load("fencing/fenced_leader")["reused_token"]
    alone = simulate(check, Settings(runs=100_000, seed=seed, steps=60))
    assert same(alone, simulate(check, Settings(100_000, seed, 60, threads=threads)))
    everything = simulate(check, Settings(400, seed, 80, keep_going=True))
    assert everything.runs == 400
    assert same(everything, simulate(check, Settings(400, seed, 80, None, threads, True)))


def test_the_same_seed_gives_the_same_and_another_something_else() -> None:
    check = texts.check_of(texts.COUNTER)
    one, again = (simulate(check, Settings(seed=5)) for _ in range(2))
    assert same(one, again)
    assert not same(one, simulate(check, Settings(seed=6)))


def test_what_holds_is_never_said_to_hold() -> None:
    for path, name in (("fencing/fenced_leader", "fenced"), ("commit/two_phase", "correct")):
        check = load(path)[name]
        sampled = simulate(check, Settings(runs=50, keep_going=True))
        outcome = sampled.outcome
        assert outcome.as_expected is None
        assert not outcome.complete
        assert all(f.verdict is Verdict.UNDECIDED or f.kind == "reachable" for f in outcome.found)


def test_a_violation_that_is_not_expected_ends_it() -> None:
    check = texts.check_of(texts.COUNTER.replace("Low fails", "holds"))
    sampled = simulate(check, Settings())
    assert sampled.outcome.as_expected is False
    assert sampled.runs < 20
    assert_sound(check, sampled)
    assert sampled.outcome["Low"].steps == 4


def test_a_number_of_steps_is_refuted_but_not_confirmed() -> None:
    for steps, expected in ((3, None), (4, None), (5, False)):
        text = texts.COUNTER.replace("Low fails", f"Low fails in {steps} steps")
        sampled = simulate(texts.check_of(text))
        assert sampled.outcome["Low"].steps == 4
        assert sampled.outcome.as_expected is expected


def test_counts_are_not_decided() -> None:
    sampled = simulate(texts.check_of(texts.CHOICES), Settings(20))
    assert sampled.outcome.as_expected is None
    assert sampled.runs == 20


def test_what_is_reachable_is_confirmed_when_it_is_met_and_else_left_open() -> None:
    text = texts.ENDS.replace("expect holds", "expect Top holds")
    assert simulate(texts.check_of(text)).outcome.as_expected is True
    text = texts.ENDS.replace("expect holds", "expect Top fails")
    assert simulate(texts.check_of(text)).outcome.as_expected is False
    assert simulate(texts.check_of(text), Settings(steps=2)).outcome.as_expected is None


def test_states_outside_the_constraint_are_judged_and_end_the_run() -> None:
    sampled = simulate(texts.check_of(texts.INSIDE), Settings(10, keep_going=True))
    assert sampled.outcome["Outside"].verdict is Verdict.HOLDS
    assert sampled.outcome["Beyond"].verdict is Verdict.UNDECIDED
    assert sampled.longest == 4
    assert sampled.outcome.warnings


ERRORS = [
    ("GUARD", "undefined", "in a guard of `guarded(1)`"),
    ("STEP", "range", None),
    ("TWICE", "two-writes", None),
    ("INIT", "undefined", "in `init`"),
    ("JUDGE", "undefined", "in `Judged`"),
    ("LIST", "capacity", None),
    ("STUCK", "deadlock", None),
]


@pytest.mark.parametrize(("setting", "kind", "where"), ERRORS)
def test_errors_and_deadlocks_are_met(setting: str, kind: str, where: str | None) -> None:
    check = texts.check_of(texts.ERRORS, **{setting: "true"})
    sampled = simulate(check, Settings(200))
    found = sampled.outcome[kind]
    assert sampled.outcome.as_expected is False
    assert found.verdict is Verdict.FAILS
    assert found.reason == where
    exact = referee.check(check, keep_going=True)[kind]
    if setting == "INIT":
        assert found.trace is not None and not found.trace.steps
    else:
        assert_sound(check, sampled)
        assert found.steps == exact.steps
    if exact.failure is not None:
        assert found.failure is not None
        assert (found.failure.kind, found.failure.span) == (exact.failure.kind, exact.failure.span)


def test_initial_states_that_are_rare_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modelcheck.explore.walker.TRIES", 3)
    check = texts.check_of(texts.RARE, Node="2")
    outcomes = [simulate(check, Settings(20, threads=n, keep_going=True)) for n in (1, 3)]
    assert same(*outcomes)
    assert outcomes[0].runs == 20
    assert outcomes[0].lost == 0
    assert_sound(check, *outcomes)


def test_a_listed_initial_state_is_as_likely_as_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from collections import Counter

    from modelcheck.explore.walker import Walker, compile_walks

    monkeypatch.setattr("modelcheck.explore.walker.TRIES", 1)
    text = texts.RARE.replace("n.mark == 7", "n.mark < 2")
    walker = Walker(compile_walks(texts.check_of(text, Node="2").model, 0), 0, 0)
    starts = list(walker.list_starts())[-1]
    assert len(starts) == 4
    walker.use_starts(starts)
    seen = Counter(walker.retrace(run, 0)[0][1] for run in range(1000))
    assert len(seen) == 4
    assert all(190 < times < 310 for times in seen.values())


def test_runs_without_an_initial_state_are_no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modelcheck.explore.walker.TRIES", 3)
    monkeypatch.setattr("modelcheck.explore.simulate.MOST_LISTED", 1000)
    sampled = simulate(texts.check_of(texts.RARE), Settings(20))
    assert (sampled.runs, sampled.lost) == (0, 20)
    assert sampled.outcome.as_expected is None
    assert "20 runs found no combination" in sampled.outcome.warnings[0]


def test_no_initial_state_is_noticed() -> None:
    text = texts.RARE.replace("n.mark == 7", "n.mark > 200")
    sampled = simulate(texts.check_of(text), Settings(20))
    assert sampled.empty
    assert sampled.runs == 0
    assert sampled.outcome.as_expected is None


def test_an_instance_that_nobody_could_exhaust() -> None:
    check = texts.check_of(texts.HUGE)
    sampled = simulate(check, Settings(100, steps=2000, threads=2))
    found = sampled.outcome["FewKnow"]
    assert sampled.outcome.as_expected is True
    assert found.trace is not None
    assert replay(check.model, found.trace) is None
    # Three nodes each learn after four flags.
    assert found.steps == 15


def test_a_state_with_a_million_successors() -> None:
    check = texts.check_of(texts.WIDE, MAX="999999")
    began = time.monotonic()
    sampled = simulate(check, Settings(2, keep_going=True))
    assert (sampled.runs, sampled.steps) == (2, 6)
    assert dict(sampled.outcome.stats.enabled) == {"jump": 6_000_000}
    assert time.monotonic() - began < 30
    broken = texts.WIDE.replace("store.value < 2", "store.value == 2")
    sampled = simulate(texts.check_of(broken, MAX="999999"), Settings(2))
    found = sampled.outcome["Small"]
    assert found.trace is not None
    assert len(found.trace.steps) == 3
    assert time.monotonic() - began < 60


def test_time_is_a_limit() -> None:
    check = load("fencing/fenced_leader")["fenced"]
    began = time.monotonic()
    sampled = simulate(check, Settings(seconds=0.5, threads=2))
    assert time.monotonic() - began < 5
    assert sampled.outcome.limits == ("seconds: 0.5",)
    assert sampled.runs > 100
    assert sampled.wanted is None
    assert sampled.outcome.as_expected is None


def test_steps_are_fast() -> None:
    check = load("fencing/fenced_leader")["fenced"]
    sampled = simulate(check, Settings(seconds=1.0))
    assert sampled.steps > 500_000  # about twenty times as many on a quiet machine


def test_a_model_that_has_no_native_code_is_refused() -> None:
    wide = "value: 0..3 = 0\n    list: seq of 0..255 up to 200000 = []"
    text = texts.ENDS.replace("value: 0..3 = 0", wide)
    with pytest.raises(Refused) as refused:
        simulate(texts.check_of(text))
    assert [each.id for each in refused.value.diagnostics] == ["not-native"]


def test_an_interruption_ends_it_and_nothing_is_lost() -> None:
    check = load("fencing/fenced_leader")["fenced"]
    calls: list[int] = []

    def interrupt(runs: int, steps: int) -> None:
        calls.append(runs)
        if runs > 1000:
            raise KeyboardInterrupt

    sampled = simulate(check, Settings(1 << 40, threads=2), interrupt)
    assert sampled.interrupted
    assert sampled.runs > 1000
    assert sampled.steps >= sampled.runs
    assert sampled.outcome.limits == ("an interruption",)
    assert sampled.outcome.as_expected is None
