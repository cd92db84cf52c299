"""What people who use model checkers daily complain of: traces, deadlock, explanation."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State
from modelcheck.report.cells import lanes
from modelcheck.report.lanes import LONGEST_TRACE, table
from modelcheck.report.violation import report

from .ask import outcome, told

# Five variables, so that cells name what has changed; a map of which only one key changes; a bag.
RECORDS = """\
protocol Records

type Key = A | B | C
type Entry(key: Key, value: 0..9)

state
  store
    values: map Key to 0..9 = 0
    last: Entry? = none
    log: seq of Entry up to 9 = []
    step: 0..9 = 0
    odd: bool = false
  channel wire
    sent: bag of Entry up to 9

action put(k in Key)
  when store.step < 5
  store.values[k] := store.step + 1
  store.last      := Entry(k, store.step)
  store.log       += Entry(k, store.step)
  store.step      := store.step + 1
  store.odd       := not store.odd
  wire.sent       += Entry(k, 0)

action take(m in wire.sent)
  when store.step == 3
  wire.sent -= m

stops when true

invariant Short
  store.step < 5 or size(wire.sent) > 3

check small
  expect Short fails
""".replace("bag of Entry up to 9\n", "bag of Entry up to 9 = {}\n")


def test_c11_the_changes_in_order_rebuild_every_state() -> None:
    result = outcome(RECORDS)
    trace = result["Short"].trace
    assert trace is not None and len(trace.steps) > 5
    store, wire = lanes(result.check.model)
    named, bag = _named(store.whole(trace.states[0])), _entries(wire.whole(trace.states[0]))
    assert set(named) == {"values", "last", "log", "step", "odd"}
    for before, after in zip(trace.states, trace.states[1:], strict=False):
        for name, value in _named(store.change(before, after, fault=False)).items():
            named[name] = _put(named[name], value) if name == "values" else value
        for line in wire.change(before, after, fault=False):
            if line.startswith("+ "):
                bag.append(line[2:])
            else:
                bag.remove(line[2:])
        assert named == _named(store.whole(after))
        assert sorted(bag) == sorted(_entries(wire.whole(after)))


def _entries(cell: tuple[str, ...]) -> list[str]:
    """The elements of a bag."""
    return re.findall(r"Entry\(\w, \d\)", " ".join(cell))


def _named(cell: tuple[str, ...]) -> dict[str, str]:
    """`last=Entry(A, 0), step=1` as a dict."""
    return dict(re.findall(r"(\w+)=((?:[^,\[({]|[\[({][^=]*[\])}])*)(?:, |$)", ", ".join(cell)))


def _put(old: str, change: str) -> str:
    """A map in which the keys of a change have its values."""
    keys = dict(re.findall(r"(\w+): (\w+)", old)) | dict(re.findall(r"(\w+): (\w+)", change))
    return "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}"


def wide(steps: int, variables: int) -> str:
    declared = "\n".join(f"    v{i}: 0..{steps} = 0" for i in range(variables))
    moved = "\n".join(f"  box.v{i} := box.v0 + 1" for i in range(variables))
    return (
        f"protocol Wide\n\nstate\n  box\n{declared}\n\naction up\n  when box.v0 < {steps}\n"
        f"{moved}\n\nstops when true\n\ninvariant Low\n  box.v0 < {steps}\n\n"
        f"check small\n  expect Low fails in {steps} steps\n"
    )


def test_c12_a_long_and_wide_trace_is_shown(tmp_path: Path) -> None:
    result = outcome(wide(1_000, 40))
    assert result.as_expected
    tracemalloc.start()
    try:
        text = report(result, result["Low"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200 << 20
    assert f"{1_000 - LONGEST_TRACE + 1} steps left out" in text
    assert "\n 1000  up" in text


def test_c12_and_may_be_narrowed_to_what_matters(tmp_path: Path) -> None:
    code, out = told(tmp_path, wide(30, 40), "small", "--only", "box.v7", command="trace")
    assert code == 0
    assert "\n 30  up    30\n" in out and "v8" not in out
    code, out = told(tmp_path, wide(3, 40), "small", "--only", "box.v70", command="trace")
    assert code == 2 and "error[unknown-lane]: no column or variable `box.v70`" in out


STUCK = """\
protocol Stuck

state
  box
    x: 0..3 = 0
    done: bool = false

action up
  when not box.done and box.x < 2
  box.x := box.x + 1

action finish
  when box.x == 3
  box.done := true

check small
  expect holds
"""


def test_c14_a_state_where_it_may_stop_is_no_deadlock() -> None:
    assert outcome(STUCK + "\nstops when box.x == 2\n").as_expected


def test_c14_a_deadlock_says_of_each_action_what_disables_it(tmp_path: Path) -> None:
    code, out = told(tmp_path, STUCK)
    assert code == 1
    assert "violated[deadlock]: no action can be taken after step 2" in out
    assert "note: `up`: `box.x < 2` is false (`box.x` is 2)" in out
    assert "note: `finish`: `box.x == 3` is false (`box.x` is 2)" in out


FAULTY = """\
protocol Faulty

state
  box
    x: 0..3 = 0

fair action up
  when box.x < LIMIT
  box.x := box.x + 1

stops when STOPS

invariant Low
  box.x < TOP

liveness Rises
  eventually box.x == GOAL

check small
  expect holds
"""
RIGHT = {"LIMIT": "3", "STOPS": "true", "TOP": "4", "GOAL": "3"}


@pytest.mark.parametrize(
    ("wrong", "headline"),
    [
        ({"TOP": "2"}, "violated[invariant]: Low, after step 2"),
        ({"STOPS": "false"}, "violated[deadlock]: no action can be taken after step 3"),
        ({"LIMIT": "4"}, "violated[range]: `box.x` would become 4, outside 0..3, in step 4 of 4"),
        ({"LIMIT": "2"}, "violated[liveness]: Rises blocks in the initial state"),
        ({"GOAL": "(if box.x == 3 then 2 else 3)", "LIMIT": "3"}, "violated[liveness]: Rises"),
        ({"TOP": "tall"}, "error[unknown-name]"),
    ],
)
def test_c15_there_is_one_line_with_the_kind_the_name_and_the_place(
    tmp_path: Path, wrong: dict[str, str], headline: str
) -> None:
    text = FAULTY
    for name, value in (RIGHT | wrong).items():
        text = text.replace(name, value)
    code, out = told(tmp_path, text)
    assert code != 0
    said = [line for line in out.splitlines() if re.match(r"violated\[|error\[", line)]
    assert len(said) == 1 and said[0].startswith(headline), out
    if "deadlock" not in headline:  # which is nowhere in the file
        assert re.search(r"--> .*case\.model:\d+:\d+$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "check"), [("fencing/fenced_leader", "reused_token"), ("commit/two_phase", "no_log")]
)
def test_c24_no_shorter_trace_exists(file: str, check: str) -> None:
    result = api.check(api.load(file)[check])
    semantics = Semantics(result.check.model)
    for found in result.found:
        if found.kind != "invariant" or found.trace is None:
            continue
        parts = semantics.model.property(found.name).parts
        bad = found.trace.states[-1]
        assert not all(semantics.evaluate(part, bad) for part in parts)
        # Breadth first, with nothing but successors: no state of an earlier level is bad.
        level: list[State] = [state for state, _ in semantics.initial_states()]
        seen = set(level)
        for _ in range(found.steps):
            assert all(all(semantics.evaluate(p, state) for p in parts) for state in level)
            after = (each.after for state in level for each in semantics.successors(state))
            level = [state for state in dict.fromkeys(after) if state not in seen | {None}]
            seen.update(level)
        assert bad in level


def test_a_table_of_nothing_but_steps_is_still_a_table() -> None:
    result = outcome(wide(3, 2))
    trace = result["Low"].trace
    assert trace is not None
    assert "box" not in table(result.check.model, trace, only=["elsewhere"])
