"""The runner reads what tools print, and compares only what is the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks import liveness, run
from benchmarks.cases import BENCHMARKS, PEERS, QUICK, USUAL, Case, known
from benchmarks.measure import Failed, Series, Settings, compare, disagreement
from benchmarks.measure import run as run_command
from benchmarks.tools import (
    Handwritten,
    Ours,
    Plan,
    Reading,
    Rumur,
    Spin,
    Tlc,
    Tool,
    Unreadable,
    with_constants,
)

OUTPUTS = Path(__file__).parent / "outputs"
FENCED = known()["fenced N=2 E=2 W=1 L=2"]
ONLY_US = [f"--without={tool}" for tool in ("Spin", "Rumur", "TLC", "C,")]


def output_of(tool: str) -> str:
    return (OUTPUTS / f"{tool}.txt").read_text(encoding="utf-8")


# --- what tools print ---------------------------------------------------------------------


def test_the_output_of_spin_is_read() -> None:
    assert Spin().read(output_of("spin")) == Reading(3_838, 15_583, seconds=0.01)


def test_a_count_that_spin_has_rounded_is_left_out() -> None:
    rounded = output_of("spin").replace("15583 transitions", "1.5583e+04 transitions")
    assert rounded != output_of("spin")
    assert Spin().read(rounded) == Reading(3_838, None, seconds=0.01)


def test_the_output_of_rumur_is_read_and_the_initial_state_counted() -> None:
    assert Rumur().read(output_of("rumur")) == Reading(3_838, 15_583, seconds=0.0)


def test_the_output_of_tlc_is_read_past_its_progress() -> None:
    """Written by hand in TLC's form; the other outputs beside it are recorded."""
    assert Tlc("").read(output_of("tlc")) == Reading(3_838, 15_583, 19, 65.0)


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [("202ms", 0.202), ("03s", 3.0), ("45min 35s", 2_735.0), ("01h 02min", 3_720.0)],
)
def test_durations_of_tlc_are_read(printed: str, seconds: float) -> None:
    text = output_of("tlc").replace("01min 05s", printed)
    assert Tlc("").read(text).seconds == pytest.approx(seconds)


def test_the_line_of_a_handwritten_search_is_read() -> None:
    tool = Handwritten("C", PEERS / "c")
    assert tool.read("288\t1146\t11\t0.001\tok\n") == Reading(288, 1_146, 11, 0.001)
    assert tool.read("288\t1146\t11\t0.001\t21.5\tok\n").bytes_per_state == 21.5


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (Spin(), output_of("spin").replace("errors: 0", "errors: 1")),
        (Spin(), output_of("spin").replace("Full", "Warning: Search not completed\n\nFull")),
        (Rumur(), output_of("rumur").replace("No error found", "1 error(s) found")),
        (Tlc(""), output_of("tlc").replace("0 states left", "7 states left")),
        (Tlc(""), "Error: Could not find or load main class tlc2.TLC"),
        (Handwritten("C", PEERS / "c"), "288\t1146\t11\t0.001\tviolation\n"),
        (Ours(), "error: no such check"),
    ],
)
def test_the_output_of_a_search_that_did_not_finish_well_is_refused(tool: Tool, text: str) -> None:
    with pytest.raises(Unreadable):
        tool.read(text)


def ours(check: Mapping[str, object]) -> str:
    return json.dumps({"schema": 1, "files": [{"checks": [check]}]})


def test_our_own_counts_are_read_with_and_without_statistics() -> None:
    check = {"complete": True, "distinct": 288, "generated": 1_146, "depth": 11, "seconds": 0.5}
    assert Ours().read(ours(check)) == Reading(288, 1_146, 11, 0.5)
    stats = {"seconds": 0.25, "bytes_per_state": 21.0}
    assert Ours().read(ours(check | {"stats": stats})) == Reading(288, 1_146, 11, 0.25, 21.0)
    assert Ours().read(ours({"complete": True, "stats": {"distinct": 288}})) == Reading(288)


def test_our_own_search_must_be_complete() -> None:
    with pytest.raises(Unreadable, match="did not finish"):
        Ours().read(ours({"complete": False, "distinct": 1, "limits": ["states: 1"]}))


# --- how tools are called -----------------------------------------------------------------


def test_the_constants_of_a_murphi_model_are_those_of_the_case() -> None:
    source = (PEERS / "murphi" / "fenced.m").read_text(encoding="utf-8")
    changed = with_constants(source, known()["fenced N=3 E=3 W=1 L=2"])
    for name, value in (("N", 3), ("E", 3), ("W", 1), ("L", 2), ("BUG", 0)):
        assert f" {name}: {value};" in changed


def test_options_that_are_not_asked_for_are_left_to_the_command_line(tmp_path: Path) -> None:
    plain = Ours().plan(FENCED, tmp_path).search
    assert "-j" not in plain and "--engine" not in plain
    chosen = Ours(threads=2, engine="referee").plan(FENCED, tmp_path).search
    assert chosen[-4:] == ("--engine", "referee", "-j", "2")


def test_the_cases_that_are_run_by_default_exist() -> None:
    assert {*QUICK, *USUAL} <= known().keys()


def test_a_command_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"longer than 0\.1 s"):
        run_command(["sleep", "60"], tmp_path, limit=0.1)


def test_a_command_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="cannot run `no-such-command`"):
        run_command(["no-such-command"], tmp_path, limit=1)


# --- what is printed ----------------------------------------------------------------------


def measured(tool: Tool, distinct: int, seconds: float) -> Series:
    series = Series(tool, FENCED, Plan((), ()), Path())
    series.reading = Reading(distinct)
    series.search_times, series.run_times, series.peaks = [seconds], [2 * seconds], [10 * distinct]
    return series


def test_ratios_are_to_us_and_what_is_not_known_is_a_dash() -> None:
    text = "\n".join(run.section(FENCED, [measured(Ours(), 3_838, 2), measured(Spin(), 3_838, 3)]))
    assert "| Spin | 3,838 | 3.000 | 6.00 | 1,279 | - | 10.0 | 1.50 | 1.50 |" in text


def test_tools_with_different_counts_are_not_compared() -> None:
    every = [measured(Ours(), 3_838, 2), measured(Spin(), 3_839, 3)]
    assert disagreement(every) == "Spin: distinct 3,839, not 3,838"
    text = "\n".join(run.section(FENCED, every))
    assert "nothing is compared: Spin: distinct 3,839, not 3,838." in text
    assert "|" not in text


def test_a_tool_with_a_problem_is_named_beside_the_table() -> None:
    broken = Series(Spin(), FENCED, Plan((), ()), Path(), problem="no license")
    text = "\n".join(run.section(FENCED, [measured(Ours(), 3_838, 2), broken]))
    assert "| modelcheck |" in text
    assert "Spin did not take part: no license" in text


def test_a_run_ends_in_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["kafka P=1 R=1 E=3 T=1 L=2", "-n", "1", *ONLY_US]) == 0
    out = capsys.readouterr().out
    assert "691 distinct, 1,662 generated, depth 15." in out
    assert "| modelcheck | 691 |" in out


def test_an_unknown_case_is_refused_with_those_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run.main(["paxos A=9"]) == 2
    assert "paxos A=3 B=2 V=2" in capsys.readouterr().err


# --- the tools themselves -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "needs", "name"),
    [
        (Spin(), "spin", "fenced N=2 E=2 W=1 L=2"),
        (Rumur(), "rumur", "fenced N=2 E=2 W=1 L=2"),
        (Handwritten("C, yardstick", BENCHMARKS / "yardstick"), "gcc", "twophase N=6"),
        (Handwritten("C, yardstick", BENCHMARKS / "yardstick"), "gcc", "paxos A=3 B=3 V=2"),
        (Handwritten("C, simple", PEERS / "c"), "gcc", "kafka P=1 R=1 E=3 T=1 L=2"),
    ],
    ids=["spin", "rumur", "yardstick-twophase", "yardstick-paxos", "simple"],
)
def test_a_tool_that_is_installed_has_the_counts_of_the_table(
    tool: Tool, needs: str, name: str, tmp_path: Path
) -> None:
    missing = [each for each in (needs, "gcc") if shutil.which(each) is None]
    if missing:
        pytest.skip(f"no {' and no '.join(missing)} here")
    case: Case = known()[name]
    (series,) = compare(case, [tool], Settings(repeats=0, limit=120), tmp_path)
    assert series.problem is None
    assert series.reading is not None
    assert series.reading.distinct == case.counts.distinct
    assert disagreement([series]) is None


# --- liveness -----------------------------------------------------------------------------


def test_the_cost_of_liveness_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert liveness.main(["--small", "-n", "1"]) == 0
    printed = capsys.readouterr().out
    for row in liveness.ROWS:
        assert f"| {row.label} |" in printed


def test_a_row_has_its_own_properties_alone() -> None:
    plain, strong = (liveness.text_of(liveness.ROWS[i], liveness.SMALL) for i in (0, 4))
    assert "\nliveness " not in plain
    assert strong.count("\nliveness ") == 3
    assert strong.count("\nstrongly fair action ") == plain.count("\nfair action ") == 5


def test_a_fair_network_has_the_states_of_an_unfair_one() -> None:
    sizes = (liveness.SMALL, liveness.LARGE)
    names = ("fenced N=2 E=3 W=1 L=3", "fenced N=3 E=3 W=2 L=3")
    assert [known()[name].counts.distinct for name in names] == [s.distinct for s in sizes]


def test_a_count_that_differs_stops_the_measuring(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "TINY", liveness.Size(liveness.TINY.settings, 437))
    assert liveness.main(["--small", "-n", "1"]) == 1
    assert "436 states, holds" in capsys.readouterr().err
