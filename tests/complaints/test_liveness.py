"""What people who use model checkers daily complain of: liveness.

The numbers are those of a collection of public issue threads. Each test does what the complaint
asks of a better tool.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.limits import Limits
from modelcheck.core.outcome import Verdict
from modelcheck.core.replay import replay
from modelcheck.core.semantics import Semantics
from modelcheck.core.treatment import treatment

from .ask import call, outcome, told

# Three states. Round the first two the fair action is always enabled and never taken: no run may
# stay there. Looked at as a set, all three are one component in which it is not always enabled.
THREE = """\
protocol Three

state
  box
    x: 0..2 = 0

action flip
  when box.x < 2
  box.x := 1 - box.x

fair action leave
  when box.x < 2
  box.x := 2

fair action back
  when box.x == 2
  box.x := 0

liveness Leaves
  always eventually box.x == 2

check small
  expect holds
"""

UNFAIR = THREE.replace("fair action", "action")


@pytest.mark.parametrize("name", ["correct", "unfair_link"])
def test_c04_the_verdicts_do_not_depend_on_the_number_of_workers(name: str) -> None:
    check = api.load("eomp/alternating_bit")[name]
    first = api.check(check, threads=1)
    for threads in (2, 8) * 3:
        again = api.check(check, threads=threads)
        assert again.found == first.found
        assert [each.trace for each in again.found] == [each.trace for each in first.found]


@pytest.mark.parametrize("engine", api.ENGINES)
def test_c05_fairness_is_asked_of_runs_and_not_of_components(engine: str) -> None:
    assert outcome(THREE, engine=engine)["Leaves"].verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("file", "check", "name"),
    [
        ("eomp/alternating_bit", "unfair_link", "Delivered"),
        ("commit/two_phase", "tells_once", "Decide"),
    ],
)
def test_c05_every_lasso_is_a_real_run_whose_loop_is_fair(file: str, check: str, name: str) -> None:
    result = api.check(api.load(file)[check])
    found, model = result[name], result.check.model
    assert found.trace is not None and found.trace.loop is not None
    assert replay(model, found.trace) is None
    if found.verdict is Verdict.LIVELOCKS:
        assert treatment(Semantics(model), found.trace) == found.treatment


def test_c06_missing_fairness_is_said_before_the_search(tmp_path: Path) -> None:
    code, out = told(tmp_path, UNFAIR)
    assert code == 1
    first, rest = out.split("\n", 1)
    assert first.startswith("warning[no-fairness]: no action is fair")
    assert first.endswith("breaks `Leaves`")
    assert "mark with `fair` the actions" in rest.partition("violated ")[0]
    assert "no-fairness" not in told(tmp_path, UNFAIR.replace("holds", "Leaves livelocks"))[1]
    assert "no-fairness" not in told(tmp_path, THREE)[1]


def test_c06_even_of_a_search_that_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(api, "check", endless)
    code, out = told(tmp_path, UNFAIR)
    assert code == 3 and "warning[no-fairness]" in out


def test_c07_liveness_under_a_constraint_is_refused(tmp_path: Path) -> None:
    text = THREE.replace("liveness", "constraint box.x < 2\n\nliveness")
    code, out = told(tmp_path, text)
    assert code == 2
    assert "error[liveness-under-constraint]" in out


@pytest.mark.parametrize("engine", api.ENGINES)
@pytest.mark.parametrize("limits", [Limits(depth=1), Limits(states=2)])
def test_c07_a_search_that_was_cut_never_says_that_it_holds(limits: Limits, engine: str) -> None:
    text = THREE.replace("0..2", "0..9").replace("box.x == 2", "box.x == 9")
    text = text.replace("box.x < 2\n  box.x := 2", "box.x < 9\n  box.x := box.x + 1")
    result = outcome(text, limits=limits, engine=engine)
    found = result["Leaves"]
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason is not None and "a limit stopped the search" in found.reason
    assert result.verdict == "unfinished" and result.as_expected is None


def test_c08_a_model_without_behaviour_is_refused(tmp_path: Path) -> None:
    nothing = THREE.replace("action flip", "init\n  box.x == 1\n\naction flip")
    code, out = told(tmp_path, nothing)
    assert code == 2 and "error[no-initial-state]: `small` has no initial state" in out
    still = THREE.replace("x: 0..2 = 0", "x: 0..3 = 3") + "\nstops when true\n"
    still = still.replace("liveness Leaves\n  always eventually", "invariant Leaves\n  not")
    code, out = told(tmp_path, still)
    assert code == 2 and "error[no-step]: in `small` no step is enabled" in out


def test_c18_out_of_memory_is_an_orderly_end() -> None:
    code, out = call("check", "consensus/paxos", "correct", "--memory", "200K")
    assert code == 3
    assert out.startswith("unfinished  correct  stopped by memory")
    assert "at least" in out and "1 not decided" in out
