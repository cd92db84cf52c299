"""Limits and engines, from the command line and from the configuration."""

from __future__ import annotations

import pytest

from modelcheck.api import ENGINES

BRIGHT = "lamp.model::bright"


@pytest.mark.parametrize(
    ("option", "clause"),
    [
        ("--modelcheck-depth=0", "stopped by depth: 0"),
        ("--modelcheck-states=1", "stopped by states: 1"),
        ("--modelcheck-seconds=0", "stopped by seconds: 0"),
    ],
)
def test_a_limit_on_the_command_line(lamp: pytest.Pytester, option: str, clause: str) -> None:
    run = lamp.runpytest(option, BRIGHT)
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([f"unfinished  bright  {clause}; *"])


@pytest.mark.parametrize("line", ["depth = 0", "states = 1", "seconds = 0"])
def test_a_limit_in_the_configuration(lamp: pytest.Pytester, line: str) -> None:
    lamp.makeini(f"[pytest]\nmodelcheck_{line}\n")
    lamp.runpytest(BRIGHT).assert_outcomes(failed=1)


def test_a_limit_in_pyproject(lamp: pytest.Pytester) -> None:
    lamp.makepyprojecttoml('[tool.pytest.ini_options]\nmodelcheck_states = "1"\n')
    lamp.runpytest(BRIGHT).assert_outcomes(failed=1)


def test_the_command_line_wins_over_the_configuration(lamp: pytest.Pytester) -> None:
    lamp.makeini("[pytest]\nmodelcheck_depth = 0\n")
    lamp.runpytest(BRIGHT, "--modelcheck-depth=5").assert_outcomes(passed=1)
    lamp.runpytest(BRIGHT, "-o", "modelcheck_depth=").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "option",
    [
        "--modelcheck-states=0",
        "--modelcheck-states=many",
        "--modelcheck-depth=-1",
        "--modelcheck-depth=1.5",
        "--modelcheck-seconds=-1",
        "--modelcheck-seconds=nan",
        "--modelcheck-seconds=soon",
        "--modelcheck-engine=psychic",
    ],
)
def test_a_wrong_option_is_a_wrong_call(lamp: pytest.Pytester, option: str) -> None:
    name, _, value = option.removeprefix("--modelcheck-").partition("=")
    said = [f"*no engine '{value}'; there is *" if name == "engine" else f"*'{value}' is not a *"]
    run = lamp.runpytest(option)
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(said)
    lamp.makeini(f"[pytest]\nmodelcheck_{name} = {value}\n")
    run = lamp.runpytest()
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(said)
    assert "Traceback" not in run.stderr.str()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_engine_can_be_chosen(
    lamp: pytest.Pytester, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from modelcheck import api

    asked: list[object] = []
    check = api.check

    def noted(*arguments):  # type: ignore[no-untyped-def]
        asked.append(arguments[2])
        return check(*arguments[:2])

    monkeypatch.setattr(api, "check", noted)
    lamp.runpytest(f"--modelcheck-engine={engine}").assert_outcomes(passed=2)
    lamp.makeini(f"[pytest]\nmodelcheck_engine = {engine}\n")
    lamp.runpytest().assert_outcomes(passed=2)
    assert asked == [engine] * 4


def test_the_options_are_in_the_help(project: pytest.Pytester) -> None:
    run = project.runpytest("--help")
    text = run.stdout.str()
    for name in ("engine", "states", "depth", "seconds"):
        assert f"--modelcheck-{name}" in text
        assert f"modelcheck_{name}" in text
    assert "modelcheck_collect" in text


VACUOUS = """\
protocol Idle

state
  box
    x: 0..2 = 0

action up
  when box.x < 1
  box.x := box.x + 1

stops when box.x == 1

invariant P
  box.x == 2 implies false

check small
  expect holds
"""


def test_what_holds_vacuously_passes_unless_it_is_asked_for(project: pytest.Pytester) -> None:
    project.makefile(".model", idle=VACUOUS)
    project.runpytest().assert_outcomes(passed=1)
    warned = project.runpytest("--modelcheck-vacuity=warn")
    warned.assert_outcomes(passed=1, warnings=1)
    warned.stdout.fnmatch_lines(["*warning[[]vacuous]: `P` holds only because*"])
    failed = project.runpytest("--modelcheck-vacuity=error")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["error[[]vacuous]: `P` holds only because*"])


def test_it_may_be_asked_for_in_the_configuration(project: pytest.Pytester) -> None:
    project.makefile(".model", idle=VACUOUS)
    project.makeini("[pytest]\nmodelcheck_vacuity = error\n")
    project.runpytest().assert_outcomes(failed=1)
    project.makeini("[pytest]\nmodelcheck_vacuity = loud\n")
    assert project.runpytest().ret == pytest.ExitCode.USAGE_ERROR
