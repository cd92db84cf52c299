"""What pytest offers for tests works for checks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest


def test_checks_are_chosen_by_keyword_and_marker(wrong: pytest.Pytester) -> None:
    wrong.runpytest("-k", "dark or hopeful").assert_outcomes(passed=1, failed=1, deselected=1)
    wrong.runpytest("-k", "lamp and not hopeful").assert_outcomes(passed=2, deselected=1)
    wrong.makepyfile("def test_one():\n    pass\n")
    wrong.runpytest("-m", "not modelcheck").assert_outcomes(passed=1, deselected=3)
    run = wrong.runpytest("-m", "modelcheck", "--strict-markers")
    run.assert_outcomes(passed=2, failed=1, deselected=1)


def test_the_first_failure_can_end_the_run(wrong: pytest.Pytester) -> None:
    text = (wrong.path / "lamp.model").read_text("utf-8")
    (wrong.path / "zebra.model").write_text(text, "utf-8")
    run = wrong.runpytest("-x")
    run.assert_outcomes(passed=2, failed=1)
    run.stdout.fnmatch_lines(["*stopping after 1 failures*"])


def test_only_what_failed_last_is_run_again(wrong: pytest.Pytester) -> None:
    wrong.runpytest().assert_outcomes(passed=2, failed=1)
    run = wrong.runpytest("--lf", "-v")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["lamp.model::hopeful FAILED*"])
    wrong.runpytest("--ff").assert_outcomes(passed=2, failed=1)


def test_a_file_that_was_refused_is_read_again(typo: pytest.Pytester) -> None:
    typo.runpytest().assert_outcomes(errors=1)
    (typo.path / "typo.model").write_text((typo.path / "lamp.model").read_text("utf-8"), "utf-8")
    typo.runpytest("--lf").assert_outcomes(passed=2)


def test_checks_can_be_marked_from_a_conftest(wrong: pytest.Pytester) -> None:
    wrong.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if item.name == "hopeful":
                    item.add_marker(pytest.mark.xfail(reason="known"))
                if item.name == "dark":
                    item.add_marker(pytest.mark.skip(reason="later"))
        """
    )
    wrong.runpytest().assert_outcomes(passed=1, xfailed=1, skipped=1)


def test_with_workers(wrong: pytest.Pytester) -> None:
    text = (wrong.path / "lamp.model").read_text("utf-8")
    (wrong.path / "typo.model").write_text(text.replace("not lamp.on\n", "not lamp.onn\n"), "utf-8")
    run = wrong.runpytest_subprocess("-n", "2")
    run.assert_outcomes(passed=2, failed=1, errors=1)
    run.stdout.fnmatch_lines(
        [
            "error[[]unknown-variable]: *",
            "  --> typo.model:19:7",
            "violated    hopeful  NOT AS EXPECTED: *",
            "*StaysDark, after step 1",
            "FAILED lamp.model::hopeful*",
        ]
    )
    assert "Traceback" not in run.stdout.str()


def test_junit_has_the_report_and_the_counts(wrong: pytest.Pytester) -> None:
    wrong.runpytest("--junitxml=report.xml", "--color=yes").assert_outcomes(passed=2, failed=1)
    cases = {
        case.get("name"): case
        for case in ElementTree.parse(wrong.path / "report.xml").iter("testcase")
    }
    assert list(cases) == ["bright", "dark", "hopeful"]
    assert {case.get("classname") for case in cases.values()} == {"lamp.model"}
    counts = {each.get("name"): each.get("value") for each in cases["dark"].iter("property")}
    assert counts == {"verdict": "holds", "states": "1", "depth": "1"}
    failure = cases["hopeful"].find("failure")
    assert failure is not None and failure.text is not None
    assert failure.get("message", "").startswith("expected holds, got StaysDark fails")
    assert "violated[invariant]: StaysDark, after step 1" in failure.text
    assert "\x1b" not in failure.text


def test_colours_are_those_of_the_command_line(wrong: pytest.Pytester) -> None:
    assert "\x1b" not in wrong.runpytest("--color=no").stdout.str()
    run = wrong.runpytest("--color=yes")
    assert "\x1b[1;31mviolated[invariant]" in run.stdout.str()


def test_the_line_of_a_check_that_passes_can_be_seen(lamp: pytest.Pytester) -> None:
    run = lamp.runpytest("-rP", "lamp.model::dark")
    run.stdout.fnmatch_lines(["holds       dark  1 state, depth 1  MOST = 0"])
    assert "holds  " not in lamp.runpytest("lamp.model::dark").stdout.str()


def test_a_warning_of_the_file_is_a_warning_of_the_run(lamp: pytest.Pytester) -> None:
    text = (lamp.path / "lamp.model").read_text("utf-8")
    text = text.replace("action switch", "fair action switch(c in subset of Colour)")
    (lamp.path / "lamp.model").write_text(f"{text}\n\ntype Colour = Red | Blue\n", "utf-8")
    run = lamp.runpytest()
    run.assert_outcomes(passed=2, warnings=1)
    run.stdout.fnmatch_lines(
        ["*SpecificationWarning: warning[[]fairness-per-choice]: *", "*--> lamp.model:*"]
    )
    strict = lamp.runpytest("-W", "error")
    strict.assert_outcomes(errors=1)
    strict.stdout.fnmatch_lines(["warning[[]fairness-per-choice]: *"])
    assert "Traceback" not in strict.stdout.str()


def test_durations_and_places_are_shown(wrong: pytest.Pytester) -> None:
    run = wrong.runpytest("--durations=0", "-vv")
    run.stdout.fnmatch_lines(["*call     lamp.model::hopeful*"])


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in another way")
def test_an_interrupted_search_ends_the_run(project: pytest.Pytester, interruptible: None) -> None:
    project.makefile(
        ".model",
        long="protocol Long\n\nstate\n  a\n    b: 0..9999999 = 0\n\n"
        "action up\n  when a.b < 9999999\n  a.b += 1\n\nstops when a.b == 9999999\n\n"
        "check all\n  expect holds\n",
    )
    project.makeconftest(
        """
        def pytest_runtest_call(item):
            print("running", flush=True)
        """
    )
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-s"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert run.stdout is not None
    for line in run.stdout:
        if "running" in line:
            break
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in output
    assert "a bug in modelcheck" not in output
