"""The real command line, with what people and scripts get wrong: an answer, and an exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from attrs import frozen

from .answers import model

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and pipes as POSIX has them")
GOOD = model()
WITH_FAULT = model(more="\nfault reset\n  when store.value == 3\n  store.value := 0\n")
CROWDED = model(state="".join(f"\n    w{i}: 0..9 in 0..9" for i in range(12)))
"""It has 10^12 initial states."""

FILES = {
    "good.model": GOOD,
    "fault.model": WITH_FAULT,
    "crowded.model": CROWDED,
    "bad.model": GOOD.replace("store.value >= 0", "store.valeu >= 0"),
    "empty.model": "",
    "self.model": 'import "self.model" (x)\nlet x = 1\n',
    "one.model": 'import "two.model" (y)\nlet x = y\n',
    "two.model": 'import "one.model" (x)\nlet y = x\n',
    "nowhere.model": 'import "gone.model" (x)\nlet y = x\n',
    "folder.model": 'import "folder" (x)\nlet y = x\n',
    "long.model": f'import "{"a" * 5_000}.model" (x)\nlet y = x\n',
    "high.model": f'import "{"../" * 3_000}x.model" (x)\nlet y = x\n',
    "nul.model": GOOD.replace("store.value >= 0", "tr\0ue"),
    "worse.model": 'import "nul.model" (T)\nlet y = 1\n',
}


@frozen
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("robust")
    for name, text in FILES.items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")
    (directory / "latin.model").write_bytes("# \u00fc\n".encode("latin-1") + GOOD.encode())
    (directory / "folder").mkdir()
    (directory / "file.model").mkdir()
    return directory


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "modelcheck", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def run(here: Path, *arguments: str, input: bytes = b"") -> Ran:
    done = subprocess.run(
        command(*arguments),
        cwd=here,
        env=environment(),
        input=input,
        capture_output=True,
        timeout=60,
    )
    ran = Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
    assert "Traceback" not in ran.out + ran.err
    assert "bug in modelcheck" not in ran.err
    return ran


# --- files ------------------------------------------------------------------------------

REFUSED = {
    "an import of itself": ("self.model", "import-cycle"),
    "imports in a circle": ("one.model", "import-cycle"),
    "an import from nowhere": ("nowhere.model", "no-such-import"),
    "an import of a directory": ("folder.model", "no-such-import"),
    "an import with a long name": ("long.model", "no-such-import"),
    "an import from far above": ("high.model", "no-such-import"),
    "an import of a damaged file": ("worse.model", "control-character"),
    "an empty file": ("empty.model", "empty-file"),
    "an empty directory": ("folder", "empty-directory"),
    "a directory with a file's name": ("file.model", "empty-directory"),
    "a file that is not there": ("gone.model", "no-such-file"),
    "a file in a directory that is not there": ("gone/gone.model", "no-such-file"),
    "a file's name as a directory": ("good.model/x.model", "no-such-file"),
    "a long name": ("a" * 5_000, "no-such-file"),
    "no name": ("", "no-such-file"),
    "bytes that are no text": ("latin.model", "not-utf8"),
    "a NUL": ("nul.model", "control-character"),
    "a misspelt name": ("bad.model", "unknown-variable"),
}


@pytest.mark.parametrize(("path", "id"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_used_is_refused(here: Path, path: str, id: str) -> None:
    ran = run(here, "check", path)
    assert (ran.code, ran.err) == (2, "")
    assert ran.out.startswith(f"error[{id}]: ")


def test_of_two_files_the_good_one_is_checked(here: Path) -> None:
    for order in (["good.model", "bad.model"], ["bad.model", "good.model"]):
        ran = run(here, "check", *order)
        assert ran.code == 2
        assert "good.model: 1 of 1 check as expected" in ran.out
        assert "--> bad.model:" in ran.out


def test_of_a_directory_everything_is_told(here: Path) -> None:
    ran = run(here, "check", ".", "--seconds", "0.5")
    assert ran.code == 2
    assert "good.model: 1 of 1 check as expected" in ran.out
    for path, id in REFUSED.values():
        if path in FILES:
            assert f"error[{id}]: " in ran.out


@POSIX
@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_a_device_is_not_a_file(here: Path, path: str) -> None:
    assert run(here, "check", path).out.startswith("error[not-a-file]: ")


def test_json_of_what_is_refused_is_a_document(here: Path) -> None:
    for path, id in REFUSED.values():
        if path in FILES:
            ran = run(here, "check", path, "--format", "json")
            assert ran.code == 2
            assert json.loads(ran.out)["diagnostics"][0]["id"] == id


# --- words of the call ------------------------------------------------------------------

WRONG_CALLS = {
    "an unknown check": (["good.model", "smal"], "error[unknown-check]"),
    "an unknown parameter": (["good.model", "-D", "M=3"], "error[unknown-setting]"),
    "a type as a parameter": (["good.model", "-D", "T=3"], "error[unknown-setting]"),
    "no value": (["good.model", "-D", "N"], "Error: "),
    "a torn value": (["good.model", "-D", "N=((("], "error[unclosed-bracket]"),
    "a deep value": (["good.model", "-D", "N=" + "(" * 5_000], "error[too-deep]"),
    "two lines as a value": (["good.model", "-D", "N=1\n2"], "error[bad-option]"),
    "a value that needs itself": (["good.model", "-D", "N=N"], "error[setting-cycle]"),
    "a value beyond 64 bits": (["good.model", "-D", "N=" + "9" * 30], "error[int-too-large]"),
    "a sort of none": (["good.model", "-D", "S=0"], "error[sort-size]"),
    "a sort of fewer": (["good.model", "-D", "S=-1"], "error[sort-size]"),
    "a sort of many": (["good.model", "-D", "S=1000000000"], "error[sort-size]"),
    "an unknown fault": (["fault.model", "--faults", "rest=1"], "error[unknown-fault]"),
    "a negative budget": (["fault.model", "--faults", "reset=-1"], "error[negative-budget]"),
    "a torn budget": (["fault.model", "--faults", "reset="], "error["),
    "no budget": (["fault.model", "--faults", ""], "error["),
    "an action as a fault": (["fault.model", "--faults", "change=1"], "error[budget-of-action]"),
    "an unknown option": (["good.model", "--fast"], "Error: "),
    "an unknown engine": (["good.model", "--engine", "psychic"], "Error: "),
    "no states": (["good.model", "--states", "0"], "Error: "),
    "states that are no number": (["good.model", "--states", "many"], "Error: "),
    "a negative depth": (["good.model", "--depth", "-1"], "Error: "),
    "negative time": (["good.model", "--seconds", "-1"], "Error: "),
    "no time": (["good.model", "--seconds", "nan"], "Error: "),
    "nothing at all": ([], "Error: "),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_a_wrong_call_is_refused(here: Path, arguments: list[str], said: str) -> None:
    ran = run(here, "check", *arguments)
    assert ran.code == 2
    assert said in ran.out + ran.err


@pytest.mark.parametrize("option", [["--states", "1"], ["--depth", "0"], ["--seconds", "0"]])
def test_a_limit_that_is_met_at_once_leaves_the_check_undecided(
    here: Path, option: list[str]
) -> None:
    ran = run(here, "check", "good.model", *option)
    assert ran.code == 3
    assert ran.out.startswith("unfinished")


@pytest.mark.parametrize("option", [["--states", "500"], ["--seconds", "1"]])
def test_initial_states_without_end_meet_the_limit(here: Path, option: list[str]) -> None:
    ran = run(here, "check", "crowded.model", *option)
    assert ran.code == 3
    assert ran.out.startswith("unfinished")


# --- standard streams -------------------------------------------------------------------

FORMATTED = {
    "a good text": (GOOD.encode(), 0, ""),
    "carriage returns": (GOOD.replace("\n", "\r\n").encode(), 0, ""),
    "a byte order mark": (b"\xef\xbb\xbf" + GOOD.encode(), 0, ""),
    "nothing": (b"", 2, "error[empty-file]"),
    "a NUL": (b"let a = \0", 2, "error[control-character]"),
    "no text": (b"\xff\xfe\xfd", 2, "error[not-utf8]"),
    "a torn text": (b"protocol\n", 2, "error["),
    "a deep text": (b"let a = " + b"(" * 10_000, 2, "error[too-deep]"),
}


@pytest.mark.parametrize(("data", "code", "said"), FORMATTED.values(), ids=FORMATTED)
def test_format_answers_whatever_comes_on_the_standard_input(
    here: Path, data: bytes, code: int, said: str
) -> None:
    ran = run(here, "format", "-", input=data)
    assert ran.code == code
    assert said in ran.err
    assert bool(ran.out) == (code == 0)


@POSIX
def test_format_without_a_standard_input_is_refused(here: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m modelcheck format - <&-', sys.executable],
        cwd=here,
        env=environment(),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert b"error[empty-file]" in done.stderr


@POSIX
def test_a_reader_who_leaves_ends_the_program_quietly(here: Path) -> None:
    process = subprocess.Popen(
        command("check", "good.model", "fault.model"),
        cwd=here,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


@POSIX
@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_change_no_exit_code(here: Path, redirection: str) -> None:
    script = f'"$0" -m modelcheck check good.model {redirection}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable],
        cwd=here,
        env=environment(),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stdout + done.stderr


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_is_said(here: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m modelcheck check good.model > /dev/full', sys.executable],
        cwd=here,
        env=environment(),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert done.stderr == b"cannot write the output: no space left on device\n"


# --- interruption -----------------------------------------------------------------------


@POSIX
@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_run_has_told_what_it_knew(here: Path) -> None:
    process = subprocess.Popen(
        command("check", "good.model", "crowded.model"),
        cwd=here,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    time.sleep(0.5)  # by now it looks for initial states
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert lines[0].startswith("holds")
    assert lines[1] == "good.model: 1 of 1 check as expected\n"
    assert "holds" not in out
    assert err.strip() == "interrupted"
