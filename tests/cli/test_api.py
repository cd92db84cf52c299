"""The tool as a library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import modelcheck


def test_a_shipped_file_is_loaded_and_checked() -> None:
    file = modelcheck.load("fencing/fenced_leader")
    assert file.protocol == "FencedLeader"
    assert list(file) == ["fenced", "read_before_fence", "reused_token"]
    outcome = modelcheck.check(file["read_before_fence"])
    found = outcome["NoLostUpdate"]
    assert (found.verdict, found.steps) == (modelcheck.Verdict.FAILS, 9)
    assert outcome.as_expected


def test_settings_and_faults_may_be_replaced() -> None:
    file = modelcheck.load("fencing/fenced_leader")
    check = file.instance("fenced", [("Node", "1")], "none")
    assert dict(check.model.settings)["Node"] == "1"


def test_a_limit_leaves_the_verdict_open() -> None:
    check = modelcheck.load("fencing/fenced_leader")["fenced"]
    outcome = modelcheck.check(check, modelcheck.Limits(states=10))
    assert outcome.as_expected is None
    assert outcome.verdict == "unfinished"


def test_an_unknown_check_and_a_missing_file_are_refused() -> None:
    with pytest.raises(modelcheck.Refused, match="no check `fence`"):
        modelcheck.load("fencing/fenced_leader")["fence"]
    with pytest.raises(modelcheck.Refused, match="no file `nowhere`"):
        modelcheck.load("nowhere")


def test_an_unknown_engine_is_the_callers_mistake() -> None:
    check = modelcheck.load("fencing/fenced_leader")["fenced"]
    with pytest.raises(ValueError, match="no engine 'psychic'"):
        modelcheck.check(check, engine="psychic")


def test_imports_are_read_beside_the_file_and_then_from_the_specs(tmp_path: Path) -> None:
    (tmp_path / "colours.model").write_text("type Colour = Red | Blue\n", encoding="utf-8")
    path = tmp_path / "light.model"
    path.write_text(
        'protocol Light\n\nimport "colours.model" (Colour)\n\n'
        "state\n  lamp\n    colour: Colour = Red\n\n"
        "action switch\n  lamp.colour := Blue\n\nstops when lamp.colour == Blue\n\n"
        "check one\n  expect holds\n",
        encoding="utf-8",
    )
    outcome = modelcheck.check(modelcheck.load(path)["one"])
    assert outcome.stats.distinct == 2


def test_importing_the_package_is_cheap() -> None:
    script = "import sys, modelcheck; sys.exit(any(m in sys.modules for m in ('attrs', 'lark')))"
    assert subprocess.run([sys.executable, "-c", script], cwd=Path.cwd()).returncode == 0


def test_every_public_name_exists() -> None:
    for name in modelcheck.__all__:
        assert getattr(modelcheck, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = modelcheck.nonsense


NOTHING = """\
protocol Nothing

state
  lamp
    lit: bool = false

init
  lamp.lit

action dim
  when lamp.lit
  lamp.lit := false

stops when not lamp.lit

check small
  expect holds
"""


@pytest.mark.parametrize("engine", ["native", "referee"])
def test_a_check_without_an_initial_state_is_refused(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "nothing.model"
    path.write_text(NOTHING, encoding="utf-8")
    with pytest.raises(modelcheck.Refused, match="`small` has no initial state"):
        modelcheck.check(modelcheck.load(path)["small"], engine=engine)


@pytest.mark.parametrize("engine", ["native", "referee"])
def test_a_check_in_which_nothing_happens_is_refused(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "still.model"
    path.write_text(NOTHING.replace("init\n  lamp.lit\n\n", ""), encoding="utf-8")
    with pytest.raises(modelcheck.Refused, match="no step is enabled from the initial state"):
        modelcheck.check(modelcheck.load(path)["small"], engine=engine)


def test_a_file_without_actions_may_be_judged_in_its_initial_states(tmp_path: Path) -> None:
    path = tmp_path / "puzzle.model"
    text = NOTHING.replace("init\n  lamp.lit\n\n", "")
    text = text[: text.index("action")] + text[text.index("stops") :]
    path.write_text(text, encoding="utf-8")
    assert modelcheck.check(modelcheck.load(path)["small"]).as_expected
