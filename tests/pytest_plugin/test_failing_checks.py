"""What a failure says: our report, with the place, and no traceback."""

from __future__ import annotations

import pytest

REPORT = """\
violated    hopeful  NOT AS EXPECTED: expected holds, got StaysDark fails after 1 step; 3 states,
            depth 3
            MOST = 2

    step    lamp
 0  init    false, 0
 1  switch  true, 1

violated[invariant]: StaysDark, after step 1
  --> lamp.model:19:7
   |
19 |   not lamp.on
   |       ^^^^^^^
   |       true
   |
   = reproduce: modelcheck trace lamp.model hopeful StaysDark
"""

NO_START = """\
protocol Empty

state
  lamp
    on: bool = false

init
  lamp.on

action switch
  lamp.on := not lamp.on

check nothing
  expect holds
"""


def no_python(run: pytest.RunResult) -> None:
    """Nothing in the output is about our own source."""
    assert not [line for line in run.outlines if "Traceback" in line or ".py:" in line]


def test_a_check_that_is_not_as_expected_fails_with_its_report(wrong: pytest.Pytester) -> None:
    run = wrong.runpytest()
    run.assert_outcomes(passed=2, failed=1)
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    text = run.stdout.str()
    header = next(line for line in run.outlines if "Lamp.hopeful" in line)
    shown = text.partition(f"{header}\n")[2].partition("===")[0]
    assert shown == REPORT
    no_python(run)


def test_the_summary_says_what_came_instead(wrong: pytest.Pytester) -> None:
    run = wrong.runpytest()
    run.stdout.fnmatch_lines(
        ["FAILED lamp.model::hopeful - expected holds, got StaysDark fails after 1 step*"]
    )


@pytest.mark.parametrize("style", ["long", "short", "line", "native", "no"])
def test_every_style_of_traceback_is_without_one(wrong: pytest.Pytester, style: str) -> None:
    run = wrong.runpytest(f"--tb={style}")
    run.assert_outcomes(passed=2, failed=1)
    no_python(run)
    if style == "line":
        run.stdout.fnmatch_lines(["lamp.model:29: expected holds, got StaysDark fails*"])


def test_places_are_relative_to_the_working_directory(wrong: pytest.Pytester) -> None:
    directory = wrong.path / "protocols"
    directory.mkdir()
    (wrong.path / "lamp.model").rename(directory / "lamp.model")
    run = wrong.runpytest("--tb=line")
    run.stdout.fnmatch_lines(["protocols/lamp.model:29: *"])
    run = wrong.runpytest()
    run.stdout.fnmatch_lines(
        [
            "  --> protocols/lamp.model:19:7",
            "*reproduce: modelcheck trace protocols/lamp.model hopeful StaysDark",
        ]
    )


def test_what_was_expected_and_did_not_happen_is_a_failure(project: pytest.Pytester) -> None:
    project.makefile(".model", empty=NO_START.replace("init\n  lamp.on\n\n", "") + "\n")
    text = (project.path / "empty.model").read_text("utf-8")
    text = text.replace("expect holds", "expect deadlock")
    (project.path / "empty.model").write_text(text, "utf-8")
    run = project.runpytest()
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*NOT AS EXPECTED: expected deadlock, got *"])


def test_an_undecided_check_fails_and_says_so(lamp: pytest.Pytester) -> None:
    run = lamp.runpytest("--modelcheck-depth", "0", "lamp.model::bright")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(
        [
            "unfinished  bright  stopped by depth: 0; *",
            "not decided: the search ended before it could tell, and that is not a success",
            "FAILED lamp.model::bright - not decided: stopped by depth: 0; *",
        ]
    )
    no_python(run)


def test_a_check_without_initial_states_fails(project: pytest.Pytester) -> None:
    project.makefile(".model", empty=NO_START)
    run = project.runpytest()
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(
        ["error[[]no-initial-state]: `nothing` has no initial state", " --> empty.model:8:3"]
    )
    no_python(run)


def test_a_refused_setting_fails_its_check_alone(lamp: pytest.Pytester) -> None:
    text = (lamp.path / "lamp.model").read_text("utf-8")
    assert "  MOST = 0" in text
    (lamp.path / "lamp.model").write_text(text.replace("  MOST = 0", "  MOST = 0 - 1"), "utf-8")
    run = lamp.runpytest()
    run.assert_outcomes(passed=1, failed=1)
    no_python(run)


# --- refused files -------------------------------------------------------------------


def test_a_refused_file_is_an_error_with_its_diagnostic(typo: pytest.Pytester) -> None:
    run = typo.runpytest()
    run.assert_outcomes(errors=1)
    assert run.ret == pytest.ExitCode.INTERRUPTED
    run.stdout.fnmatch_lines(
        [
            "*ERROR collecting typo.model*",
            "error[[]unknown-variable]: no state variable `lamp.onn`",
            "  --> typo.model:19:7",
            "19 |   not lamp.onn",
            "   |       ^^^^^^^^",
            "   = help: *",
            "ERROR typo.model - error[[]unknown-variable]: no state variable `lamp.onn`*",
        ]
    )
    no_python(run)


def test_the_other_files_can_be_run_all_the_same(typo: pytest.Pytester) -> None:
    run = typo.runpytest("--continue-on-collection-errors")
    run.assert_outcomes(passed=2, errors=1)


def test_all_diagnostics_of_a_file_are_shown(project: pytest.Pytester) -> None:
    project.makefile(".model", two="protocol Two\n\nstate\n  a\n    b: C = 1\n    d: E = 1\n")
    run = project.runpytest()
    run.assert_outcomes(errors=1)
    run.stdout.fnmatch_lines(["*`C`*", "*`E`*", "ERROR two.model - error[[]*]: * (and 1 more)"])


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02",
        b"\xff\xfe\xfa",
        b"",
        b"not a specification at all",
        "protocol P\n\nlet \u202e = 1\n".encode(),
    ],
    ids=["zeros", "bytes", "nothing", "prose", "overrides"],
)
def test_a_file_of_something_else_is_never_a_traceback(
    project: pytest.Pytester, data: bytes
) -> None:
    (project.path / "other.model").write_bytes(data)
    run = project.runpytest()
    assert run.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.NO_TESTS_COLLECTED)
    no_python(run)
    assert "\u202e" not in run.stdout.str()


def test_a_link_that_leads_nowhere_is_no_traceback(project: pytest.Pytester) -> None:
    link = project.path / "gone.model"
    try:
        link.symlink_to(project.path / "nowhere")
    except OSError:
        pytest.skip("links need a privilege here")
    run = project.runpytest("gone.model")
    no_python(run)
    assert run.ret != 0


def test_a_bug_of_ours_is_called_one(
    lamp: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from modelcheck import api

    def broken(*_: object) -> None:
        raise IndexError("planted")

    monkeypatch.setattr(api, "check", broken)
    run = lamp.runpytest()
    run.assert_outcomes(failed=2)
    run.stdout.fnmatch_lines(
        [
            "this is a bug in modelcheck, not in the specification",
            "*IndexError: planted",
            "FAILED lamp.model::bright - a bug in modelcheck: IndexError: planted",
        ]
    )


def test_running_out_of_memory_is_not_a_success(
    lamp: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from modelcheck import api

    def hungry(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(api, "check", hungry)
    run = lamp.runpytest("lamp.model::dark")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["not decided: out of memory in lamp.model::dark"])
    no_python(run)
