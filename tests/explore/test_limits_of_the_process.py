"""Whatever ends a search from outside: no hang, no crash, no verdict that was not earned."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TWO_PHASE = ROOT / "benchmarks" / "models" / "twophase.model"
COMMAND = [sys.executable, "-m", "modelcheck", "check"]
LARGE = [*COMMAND, str(TWO_PHASE), "n9"]
SMALL = [*COMMAND, str(TWO_PHASE), "n4"]
_LONG_SECONDS = 120
_MORE_ADDRESSES = 200 << 20


def run(*command: str, addresses: int | None = None) -> tuple[int, str, str]:
    """Exit code and both outputs."""

    def limit() -> None:
        assert addresses is not None
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))

    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=_LONG_SECONDS,
        preexec_fn=limit if addresses is not None else None,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_small_budget_of_memory_ends_it_honestly() -> None:
    code, out, err = run(*LARGE, "--memory", "50M")
    assert (code, err) == (3, "")
    assert out.startswith("unfinished  n9  stopped by memory: 50M; at least ")


def test_seconds_end_it_inside_a_level() -> None:
    code, out, err = run(*LARGE, "--seconds", "0.3", "-j", "1")
    assert (code, err) == (3, "")
    assert "stopped by seconds: 0.3; at least " in out


def addresses_of_version() -> int:
    """The most address space that `--version` takes, in bytes."""
    text = (
        "import sys; sys.argv = ['modelcheck', '--version']\n"
        "from modelcheck.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([l for l in open('/proc/self/status') if l.startswith('VmPeak')][0])"
    )
    _, out, _ = run(sys.executable, "-c", text)
    return int(out.split("VmPeak:")[1].split()[0]) << 10


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_scarce_addresses_end_it_honestly(threads: str) -> None:
    most = addresses_of_version() + _MORE_ADDRESSES
    code, out, err = run(*LARGE, "-j", threads, addresses=most)
    assert code == 3, (out, err)
    assert "holds" not in out.split("\n")[0].split()[:1]
    code, out, err = run(*SMALL, "-j", threads, addresses=most)
    assert code == 0, (out, err)


@pytest.mark.parametrize("command", ["check", "simulate"])
def test_a_full_disk_is_no_success(command: str) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    arguments = {"check": ["n4"], "simulate": ["n4", "--runs", "10", "--seed", "1"]}[command]
    with full.open("w") as lost:
        done = subprocess.run(
            [sys.executable, "-m", "modelcheck", command, str(TWO_PHASE), *arguments],
            stdout=lost,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_LONG_SECONDS,
        )
    assert done.returncode == 3
    assert "cannot write the output" in done.stderr


@pytest.mark.parametrize("times", [3, pytest.param(100, marks=pytest.mark.full)])
def test_killed_at_any_moment_it_leaves_nothing_behind_that_matters(times: int) -> None:
    chance = random.Random(times)
    for _ in range(times):
        process = subprocess.Popen(SMALL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(chance.uniform(0.0, 0.8))
        process.kill()
        process.communicate(timeout=_LONG_SECONDS)
    code, out, err = run(*SMALL)
    assert (code, err) == (0, "")
    assert "1,568 states, depth 14" in out


def test_an_interruption_inside_a_level_ends_it(interruptible: None) -> None:
    # A quarter of a minute's work at least: it cannot be over.
    command = [*COMMAND, str(TWO_PHASE), "n10"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=_LONG_SECONDS)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
