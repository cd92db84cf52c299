"""`modelcheck simulate` from outside."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from . import texts

FENCED = ["fencing/fenced_leader"]


def run(*arguments: str, cwd: Path | None = None) -> tuple[int, str, str]:
    environment = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"} | {"NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "modelcheck", "simulate", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    path = tmp_path / "counter.model"
    path.write_text(texts.COUNTER, "utf-8")
    return path


def test_an_expected_violation_is_a_success(counter: Path) -> None:
    code, out, _ = run(str(counter))
    assert code == 0
    assert out.startswith("violated  small  Low fails after 4 steps, as expected; ")
    assert "perhaps not to the shortest" in out


def test_a_surprise_is_none(counter: Path) -> None:
    counter.write_text(texts.COUNTER.replace("Low fails", "holds"), "utf-8")
    code, out, _ = run(str(counter), "small")
    assert code == 1
    assert "NOT AS EXPECTED: expected holds, got Low fails after 4 steps" in out
    assert "violated[invariant]: Low, after step 4" in out


def test_nothing_met_is_not_decided(counter: Path) -> None:
    counter.write_text(texts.COUNTER.replace("Low fails", "holds"), "utf-8")
    code, out, _ = run(str(counter), "-D", "MAX=3", "--runs", "20")
    assert code == 3
    assert re.match(r"sampled 20  small  nothing violated; 20 runs, [\d,]+ steps", out)
    assert "1 not decided" in out


def test_the_command_shown_meets_the_same_again(counter: Path) -> None:
    _, out, _ = run(str(counter), "--seed", "11", "--steps", "40", "-D", "MAX=7", "--runs", "9999")
    command = re.search(r"reproduce: modelcheck simulate (.*)", out)
    assert command is not None
    assert "--seed 11 --steps 40 -D MAX=7" in command[1]
    assert run(*command[1].split())[1] == out


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_threads_do_not_show_in_the_output(threads: str) -> None:
    arguments = [*FENCED, "reused_token", "--steps", "60", "--runs", "100000"]
    documents = []
    for extra in (["-j", "1"], ["-j", threads]):
        code, out, _ = run(*arguments, *extra, "--format", "json")
        assert code == 0
        documents.append(re.sub(r'"seconds": [\d.]+', "", out))
    assert documents[0] == documents[1]


def test_json_says_what_was_walked() -> None:
    code, out, _ = run(*FENCED, "read_before_fence", "--format", "json", "--seed", "3")
    assert code == 0
    document = json.loads(out)
    (check,) = document["files"][0]["checks"]
    assert check["verdict"] == "violated"
    assert check["as_expected"] is True
    assert (check["distinct"], check["depth"], check["complete"]) == (None, None, False)
    sample = check["sample"]
    assert (sample["seed"], sample["wanted"], sample["most_steps"]) == (3, 1000, 1000)
    found = {each["name"]: each for each in check["properties"]}
    lost = found["NoLostUpdate"]
    assert lost["met"]["run"] == sample["runs"]
    assert lost["steps"] == len(lost["trace"]) - 1 <= lost["met"]["steps"]
    assert found["FenceNeverFalls"]["verdict"] == "undecided"
    assert found["FenceNeverFalls"]["met"] is None


def test_json_of_a_sample() -> None:
    code, out, _ = run(*FENCED, "fenced", "--format", "json", "--runs", "5")
    assert code == 3
    (check,) = json.loads(out)["files"][0]["checks"]
    assert (check["verdict"], check["as_expected"]) == ("sampled", None)
    assert check["sample"]["runs"] == 5


def test_wrong_calls_are_refused(counter: Path, tmp_path: Path) -> None:
    for arguments in (
        [str(counter), "--runs", "0"],
        [str(counter), "--steps", "0"],
        [str(counter), "--seed", "-1"],
        [str(counter), "--seed", str(1 << 64)],
        [str(counter), "--seconds", "nan"],
        [str(counter), "-j", "0"],
        [str(counter), "nowhere"],
        [*FENCED],
        [str(tmp_path / "nothing.model")],
    ):
        code, out, error = run(*arguments)
        assert code == 2, arguments
        assert out + error


def test_a_check_without_an_initial_state_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rare.model"
    path.write_text(texts.RARE.replace("n.mark == 7", "n.mark > 200"), "utf-8")
    code, out, _ = run(str(path), "-D", "Node=2")
    assert code == 2
    assert "[no-initial-state]" in out


def test_seconds_end_the_walking() -> None:
    began = time.monotonic()
    code, out, _ = run(*FENCED, "fenced", "--seconds", "0.5")
    assert code == 3
    assert "stopped by seconds: 0.5" in out
    assert time.monotonic() - began < 20


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("format_", ["text", "json"])
def test_an_interruption_is_honest(format_: str) -> None:
    process = subprocess.Popen(
        [
            sys.executable, "-m", "modelcheck", "simulate", *FENCED, "fenced",
            "--runs", "1000000000", "-j", "2", "--format", format_,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while psutil.Process(process.pid).num_threads() < 3:  # it does not walk yet
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, error = process.communicate(timeout=60)
    assert time.monotonic() - began < 5
    assert process.returncode == 130
    assert "interrupted" in error
    if format_ == "json":
        (check,) = json.loads(out)["files"][0]["checks"]
        assert check["limits"] == ["an interruption"]
        assert check["sample"]["runs"] > 0
    else:
        assert "stopped by an interruption" in out
        assert re.match(r"sampled [\d,]+  fenced", out)
