"""The command line from outside: what is printed, where, and the exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from attrs import frozen

COUNTER = dedent(
    """\
    protocol Counter

    param MAX: int
    param STEP: int = 1

    state
      centre
        ticks: 0..3 = 0

    action up
      when centre.ticks < MAX
      centre.ticks := centre.ticks + STEP

    fault reset
      when centre.ticks == 2
      centre.ticks := 0

    stops when centre.ticks >= MAX

    invariant Small
      centre.ticks <= 2

    reachable Two
      centre.ticks == 2

    check small
      MAX = 2
      expect holds

    check large
      MAX = 3
      expect Small fails in 3 steps
    """
)
TOO_FAR = COUNTER.replace("fails in 3 steps", "fails in 2 steps")
BROKEN = COUNTER.replace("centre.ticks <= 2", "centre.tikcs <= 2")


@frozen
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("counter", COUNTER), ("too_far", TOO_FAR), ("broken", BROKEN)):
        (tmp_path / f"{name}.model").write_text(text, encoding="utf-8")
    (tmp_path / "library.model").write_text("type Colour = Red | Blue\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, input: str | None = None, **environment: str) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "modelcheck", *arguments],
        input=input,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


# --- check -----------------------------------------------------------------------------


def test_a_file_whose_checks_come_out_as_expected_exits_0(here: Path) -> None:
    ran = run("check", "counter.model")
    assert ran == Ran(
        0,
        "holds       small  3 states, depth 3                                            MAX = 2\n"
        "violated    large  Small fails after 3 steps, as expected; at least 4 states    MAX = 3\n"
        "counter.model: 2 of 2 checks as expected\n",
        "",
    )


def test_checks_may_be_chosen_by_name(here: Path) -> None:
    ran = run("check", "counter.model", "large")
    assert ran.code == 0
    assert "small" not in ran.out and "1 of 1 check as expected" in ran.out


def test_an_unexpected_verdict_exits_1_and_shows_the_trace(here: Path) -> None:
    ran = run("check", "too_far.model")
    assert ran.code == 1
    assert ran.out == dedent(
        """\
        holds       small  3 states, depth 3                                            MAX = 2
        violated    large  NOT AS EXPECTED: expected Small fails in 2 steps, got Small fails in 3 steps; at least 4 states  MAX = 3

            step  centre
         0  init  0
         1  up    1
         2  up    2
         3  up    3

        violated[invariant]: Small, after step 3
          --> too_far.model:21:3
           |
        21 |   centre.ticks <= 2
           |   ^^^^^^^^^^^^
           |   3
           |
           = reproduce: modelcheck trace too_far.model large Small

        too_far.model: 1 of 2 checks as expected, 1 not as expected
        """  # noqa: E501
    )


def test_settings_and_faults_can_be_replaced_and_are_part_of_how_to_reproduce(here: Path) -> None:
    ran = run("check", "counter.model", "small", "-D", "MAX=3", "--faults", "none")
    assert ran.code == 1
    assert "MAX = 3" in ran.out
    assert (
        "= reproduce: modelcheck trace counter.model small Small -D MAX=3 --faults none" in ran.out
    )


def test_a_wrong_setting_is_told_once_and_not_for_each_check(here: Path) -> None:
    ran = run("check", "counter.model", "-D", "MAXX=3")
    assert ran.code == 2
    assert ran.out.count("error[unknown-setting]") == 1
    assert "0 of 2 checks as expected, 2 could not be run" in ran.out


def test_a_line_of_a_check_is_never_broken_for_a_program(here: Path) -> None:
    ran = run("check", "counter.model", COLUMNS="40")
    assert len(ran.out.splitlines()) == 3


def test_the_trace_of_a_check_is_first_of_what_it_did_not_expect(here: Path) -> None:
    text = COUNTER.replace("expect Small fails in 3 steps", "expect Two holds")
    text = text.replace("reachable Two", "step Up\n  centre.ticks' == 3\n\nreachable Two")
    (here / "other.model").write_text(text, encoding="utf-8")
    ran = run("trace", "other.model", "large", "-D", "STEP=2", "--keep-going")
    assert "violated[range]: `centre.ticks` would become 4" in ran.out


def test_an_error_of_evaluation_is_never_as_expected(here: Path) -> None:
    ran = run("check", "counter.model", "large", "-D", "STEP=2")
    assert ran.code == 1
    assert "violated[range]: `centre.ticks` would become 4, outside 0..3" in ran.out
    assert "up (not taken)" in ran.out


def test_a_limit_exits_3_with_true_counts(here: Path) -> None:
    ran = run("check", "counter.model", "small", "--states", "2")
    assert ran.code == 3
    assert ran.out.startswith("unfinished  small  stopped by states: 2; at least 2 states")


def test_a_bad_file_exits_2_and_the_others_still_run(here: Path) -> None:
    ran = run("check", "broken.model", "counter.model")
    assert ran.code == 2
    assert "  --> broken.model:21:3" in ran.out
    assert "counter.model: 2 of 2 checks as expected" in ran.out


def test_a_refusal_weighs_more_than_a_surprise(here: Path) -> None:
    assert run("check", "too_far.model", "broken.model").code == 2


def test_an_unknown_check_is_refused_with_near_names_and_nothing_else_runs(here: Path) -> None:
    ran = run("check", "counter.model", "smal")
    assert ran.code == 2
    assert ran.out == "error[unknown-check]: no check `smal`\n  = help: did you mean `small`?\n"


def test_a_later_word_may_be_a_directory(here: Path) -> None:
    (here / "more").mkdir()
    (here / "more" / "again.model").write_text(COUNTER, encoding="utf-8")
    ran = run("check", "counter.model", "more")
    assert ran.code == 0
    assert "counter.model: 2 of 2" in ran.out and "more/again.model: 2 of 2" in ran.out


def test_a_missing_file_is_refused(here: Path) -> None:
    ran = run("check", "countr.model")
    assert ran.code == 2
    assert "did you mean `counter.model`" in ran.out


def test_a_library_has_no_checks(here: Path) -> None:
    ran = run("check", "library.model")
    assert ran.code == 2
    assert "error[no-checks]: `library.model` is a library: it has no checks" in ran.out


def test_a_check_without_an_initial_state_is_refused(here: Path) -> None:
    text = COUNTER.replace("action up", "init\n  centre.ticks == 1\n\naction up")
    (here / "empty.model").write_text(text, encoding="utf-8")
    ran = run("check", "empty.model", "small")
    assert ran.code == 2
    assert "error[no-initial-state]: `small` has no initial state" in ran.out
    assert "0 of 1 check as expected, 1 could not be run" in ran.out


def test_warnings_about_a_file_come_only_when_all_its_checks_ran(here: Path) -> None:
    text = COUNTER.replace(
        "fault reset", "action idle\n  when MAX > 5\n  centre.ticks := 0\n\nfault reset"
    )
    (here / "idle.model").write_text(text, encoding="utf-8")
    ran = run("check", "idle.model")
    assert ran.code == 0
    assert "warning[always-disabled]: `idle` is enabled in no state visited" in ran.out
    assert "its guard `MAX > 5` is false in `small` and `large`" in ran.out
    assert "warning" not in run("check", "idle.model", "small").out


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "counter.model", "-D", "MAX"],
        ["check", "counter.model", "--states", "0"],
        ["check", "counter.model", "--engine", "psychic"],
        ["trace", "counter.model"],
        ["explain", "no-such-matter"],
        ["nonsense"],
    ],
)
def test_a_wrong_call_exits_2_and_says_why_on_stderr(here: Path, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_json_is_one_document_and_the_same_every_time(here: Path) -> None:
    first, second = (run("check", "counter.model", "--format", "json") for _ in range(2))
    assert first.code == 0
    document = json.loads(first.out)
    assert document["schema"] == 1
    (file,) = document["files"]
    small, large = file["checks"]
    assert (small["verdict"], small["distinct"], small["as_expected"]) == ("holds", 3, True)
    violated = next(p for p in large["properties"] if p["name"] == "Small")
    assert [entry["action"] for entry in violated["trace"]] == [None, "up", "up", "up"]
    again = json.loads(second.out)
    for check in (*file["checks"], *again["files"][0]["checks"]):
        del check["seconds"], check["stats"]
    assert document == again


def test_json_of_a_bad_file_has_the_diagnostics(here: Path) -> None:
    ran = run("check", "broken.model", "--format", "json")
    assert ran.code == 2
    (diagnostic,) = json.loads(ran.out)["diagnostics"]
    assert diagnostic["primary"]["file"] == "broken.model"
    assert diagnostic["primary"]["line"] == 21


def test_colour_changes_nothing_but_the_colour(here: Path) -> None:
    plain = run("check", "too_far.model")
    assert "\x1b" not in plain.out
    coloured = run("check", "too_far.model", "--color", "always")
    assert "\x1b[" in coloured.out
    assert "\x1b[" in run("check", "too_far.model", FORCE_COLOR="1").out
    assert "\x1b" not in run("check", "too_far.model", FORCE_COLOR="1", NO_COLOR="1").out


def test_what_an_ascii_terminal_cannot_show_is_escaped(here: Path) -> None:
    text = COUNTER.replace("<= 2", "<= zwei # größer")
    (here / "umlaut.model").write_text(text, encoding="utf-8")
    ran = run("check", "umlaut.model", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ran.code == 2
    assert "gr\\xf6\\xdfer" in ran.out
    assert "Traceback" not in ran.err


# --- trace -----------------------------------------------------------------------------


def test_a_trace_of_an_expected_failure_is_shown_and_exits_0(here: Path) -> None:
    ran = run("trace", "counter.model", "large")
    assert ran.code == 0
    assert " 3  up    3" in ran.out
    assert "violated[invariant]: Small, after step 3" in ran.out


def test_without_a_violation_the_trace_is_an_example(here: Path) -> None:
    ran = run("trace", "counter.model", "small")
    assert ran.code == 0
    assert ran.out.endswith("\nreachable: Two, after 2 steps\n")


def test_a_trace_of_an_unknown_property_is_refused(here: Path) -> None:
    ran = run("trace", "counter.model", "small", "Smal")
    assert ran.code == 2
    assert "error[unknown-property]: no property `Smal`" in ran.out
    assert "did you mean `Small`?" in ran.out


# --- format, list, explain, version ----------------------------------------------------


def test_format_is_idempotent_and_check_writes_nothing(here: Path) -> None:
    untidy = COUNTER.replace("MAX = 2", "MAX   =   2")
    path = here / "counter.model"
    path.write_text(untidy, encoding="utf-8")
    would = run("format", "--check", "counter.model")
    assert (would.code, would.out) == (1, "would format counter.model\n")
    assert path.read_text("utf-8") == untidy
    assert run("format", "counter.model").out == "formatted counter.model\n"
    assert run("format", "--check", "counter.model") == Ran(0, "", "")
    assert sorted(each.name for each in here.iterdir() if each.name.startswith(".")) == []


def test_format_reads_the_standard_input(here: Path) -> None:
    ran = run("format", "-", input="type  Colour = Red|Blue\n")
    assert ran.code == 0
    assert ran.out.split() == ["type", "Colour", "=", "Red", "|", "Blue"]


def test_format_of_a_broken_file_says_what_is_wrong(here: Path) -> None:
    (here / "torn.model").write_text("protocol\n", encoding="utf-8")
    ran = run("format", "torn.model", "counter.model")
    assert ran.code == 2
    assert "torn.model:1:" in ran.err


def test_list_shows_checks_and_expectations(here: Path) -> None:
    ran = run("list", "counter.model")
    assert ran.out == (
        "counter.model  Counter\n"
        "  small  expect holds                   MAX = 2\n"
        "  large  expect Small fails in 3 steps  MAX = 3\n"
    )


def test_without_files_list_shows_what_is_shipped(here: Path) -> None:
    ran = run("list")
    assert ran.code == 0
    assert "fencing/fenced_leader  FencedLeader" in ran.out


def test_the_version_loads_nothing_heavy(here: Path) -> None:
    script = (
        "import sys, modelcheck.cli as cli\n"
        "code = cli._run(['--version'])\n"
        "heavy = {'lark', 'rich', 'tqdm', 'z3', 'attrs'} & set(sys.modules)\n"
        "sys.exit(code or bool(heavy))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment)
    assert done.returncode == 0
    assert done.stdout.startswith(b"modelcheck ")


# --- when things go wrong --------------------------------------------------------------

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and closed pipes as POSIX has them")


def test_a_bug_of_ours_is_called_one(here: Path) -> None:
    script = (
        "import modelcheck.api as api, modelcheck.cli as cli\n"
        "def check(*_, **__): raise KeyError('oops')\n"
        "api.check = check\n"
        "cli.main(['check', 'counter.model', 'small'])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    plain = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment
    )
    assert plain.returncode == 70
    assert "this is a bug in modelcheck" in plain.stderr
    assert "search of small of counter.model" in plain.stderr
    assert "Traceback" not in plain.stderr
    debug = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**environment, "MODELCHECK_DEBUG": "1"},
    )
    assert "Traceback" in debug.stderr


@POSIX
def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "modelcheck", "check", *["counter.model"], "too_far.model"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 141
    assert errors == b""


@POSIX
@pytest.mark.usefixtures("interruptible")
def test_an_interruption_keeps_what_was_finished(here: Path) -> None:
    big = COUNTER.replace("0..3", "0..3000000").replace("MAX = 3", "MAX = 3000000")
    big = big.replace("centre.ticks <= 2", "centre.ticks >= 0")
    (here / "big.model").write_text(big, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "modelcheck", "check", "big.model"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert first.startswith(b"holds       small")
    assert b"Traceback" not in errors
