"""Which files are collected, and what their checks are called."""

from __future__ import annotations

import time

import pytest


def collected(run: pytest.RunResult) -> list[str]:
    return [line for line in run.outlines if "::" in line]


def test_every_check_is_an_item(lamp: pytest.Pytester) -> None:
    run = lamp.runpytest("--collect-only", "-q")
    assert run.ret == 0
    assert collected(run) == ["lamp.model::bright", "lamp.model::dark"]


def test_the_name_has_the_directories(project: pytest.Pytester, lamp: pytest.Pytester) -> None:
    directory = project.path / "protocols" / "light"
    directory.mkdir(parents=True)
    (project.path / "lamp.model").rename(directory / "lamp.model")
    run = lamp.runpytest("-q", "--collect-only")
    assert collected(run)[0] == "protocols/light/lamp.model::bright"
    chosen = lamp.runpytest("-v", "protocols/light/lamp.model::dark")
    chosen.assert_outcomes(passed=1)


def test_checks_run_beside_tests_in_python(lamp: pytest.Pytester) -> None:
    lamp.makepyfile("def test_one():\n    pass\n")
    lamp.runpytest().assert_outcomes(passed=3)


def test_a_file_without_checks_gives_no_items(project: pytest.Pytester) -> None:
    project.makefile(".model", library="type Colour = Red | Blue\n")
    run = project.runpytest()
    assert run.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    run.assert_outcomes()


def test_what_a_file_imports_is_read_beside_it(lamp: pytest.Pytester) -> None:
    directory = lamp.path / "deep"
    directory.mkdir()
    (directory / "colours.model").write_text("type Colour = Red | Blue\n", "utf-8")
    (directory / "light.model").write_text(
        'protocol Light\n\nimport "colours.model" (Colour)\n\n'
        "state\n  lamp\n    colour: Colour = Red\n\n"
        "action switch\n  lamp.colour := Blue\n\nstops when lamp.colour == Blue\n\n"
        "check one\n  expect holds\n",
        "utf-8",
    )
    lamp.runpytest("deep").assert_outcomes(passed=1)


def test_other_suffixes_and_directories_are_left_alone(project: pytest.Pytester) -> None:
    (project.path / "notes.models").write_text("not a specification", "utf-8")
    (project.path / "weights.model").mkdir()
    run = project.runpytest()
    assert run.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_collecting_can_be_switched_off(typo: pytest.Pytester) -> None:
    typo.makeini("[pytest]\nmodelcheck_collect = false\n")
    assert typo.runpytest().ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_file_on_the_command_line_is_collected_all_the_same(typo: pytest.Pytester) -> None:
    typo.makeini("[pytest]\nmodelcheck_collect = false\n")
    typo.runpytest("lamp.model").assert_outcomes(passed=2)
    typo.runpytest("lamp.model::dark").assert_outcomes(passed=1)


def test_without_the_plugin_nothing_is_collected(typo: pytest.Pytester) -> None:
    run = typo.runpytest("-p", "no:modelcheck")
    assert run.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_check_that_is_not_there_is_said_to_be_missing(lamp: pytest.Pytester) -> None:
    run = lamp.runpytest("lamp.model::bride")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["*not found*lamp.model::bride"])


def test_a_run_without_specifications_loads_no_more_than_the_plugin(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        """
        import sys

        def test_nothing_of_ours_is_loaded():
            ours = {name for name in sys.modules if name.split(".")[0] == "modelcheck"}
            assert ours == {"modelcheck", "modelcheck.pytest_plugin"}
            assert not {"lark", "rich", "click", "tqdm"} & set(sys.modules)
        """
    )
    project.runpytest_subprocess("-p", "no:hypothesispytest").assert_outcomes(passed=1)


def test_a_file_is_read_once(lamp: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    from modelcheck import api

    read: list[str] = []
    load = api.load_file

    def counted(path):  # type: ignore[no-untyped-def]
        read.append(path.as_posix())
        return load(path)

    monkeypatch.setattr(api, "load_file", counted)
    lamp.runpytest().assert_outcomes(passed=2)
    assert read == ["lamp.model"]


def test_many_files_are_collected_quickly(project: pytest.Pytester, lamp: pytest.Pytester) -> None:
    text = (lamp.path / "lamp.model").read_text("utf-8")
    for number in range(100):
        (project.path / f"lamp{number}.model").write_text(text, "utf-8")
    started = time.monotonic()
    run = project.runpytest("--collect-only", "-q")
    assert len(collected(run)) == 202
    # A second or so where nothing else runs.
    assert time.monotonic() - started < 30
