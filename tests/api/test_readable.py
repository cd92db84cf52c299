"""States, steps and reports as a program reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

import modelcheck
from modelcheck import Record, state_as_dict, walk
from modelcheck.core.types import (
    BOOL,
    INT,
    Bag,
    Field,
    Form,
    Map,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import Value
from modelcheck.readable import Plain, plain

NODE = Sort("Node", 2, "n")
COLOUR = Union("Colour", (Form("Red"), Form("Blue")))
WRITE = Union("Write", (Form("Write", (Field("by", NODE), Field("seen", Option(COLOUR)))),))
ROLE = Union("Role", (Form("Idle"), Form("Leading", (Field("terms", Seq(INT, 3)),))))


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (BOOL, True, True),
        (Range(0, 3), 2, 2),
        (NODE, 1, "n2"),
        (COLOUR, (1,), "Blue"),
        (WRITE, (0, 0, ((1,),)), Record("Write", {"by": "n1", "seen": "Blue"})),
        (ROLE, (0,), Record("Idle")),
        (ROLE, (1, (4, 5)), Record("Leading", {"terms": (4, 5)})),
        (Option(NODE), (), None),
        (Option(NODE), (0,), "n1"),
        (Set(NODE), (0, 1), ("n1", "n2")),
        (Bag(NODE, 3), (0, 0, 1), ("n1", "n1", "n2")),
        (Seq(BOOL, 3), (True, False), (True, False)),
        (Map(NODE, INT), (5, 6), {"n1": 5, "n2": 6}),
        (Map(Option(COLOUR), BOOL), (False, True, True), {None: False, "Red": True, "Blue": True}),
    ],
)
def test_a_value_in_the_terms_of_python(type_: Type, value: Value, expected: Plain) -> None:
    found = plain(type_, value)
    assert found == expected
    assert type(found) is type(expected)


def test_a_number_that_is_held_as_a_bool_is_a_number() -> None:
    assert repr(plain(INT, True)) == "1"


def test_a_map_may_have_records_for_keys() -> None:
    pair = Union("Pair", (Form("Pair", (Field("a", BOOL), Field("b", BOOL))),))
    table = plain(Map(pair, INT), (1, 2, 3, 4))
    assert isinstance(table, dict)
    assert table[Record("Pair", {"a": True, "b": False})] == 3


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (Record("Idle"), "Idle"),
        (Record("Write", {"by": "n1", "fast": True, "seen": None}), "Write(n1, true, none)"),
        (Record("Log", {"of": (1, 2), "at": {"n1": Record("Idle")}}), "Log([1, 2], {n1: Idle})"),
    ],
)
def test_a_record_is_shown_as_the_language_writes_it(record: Record, text: str) -> None:
    assert repr(record) == str(record) == text


def test_a_record_without_the_field_says_so() -> None:
    with pytest.raises(KeyError, match="seen"):
        Record("Idle")["seen"]


# --- states and traces ---------------------------------------------------------------


@pytest.fixture(scope="module")
def outcome() -> modelcheck.Outcome:
    return modelcheck.check(modelcheck.load("fencing/fenced_leader")["read_before_fence"])


def trace_of(outcome: modelcheck.Outcome, name: str) -> modelcheck.Trace:
    trace = outcome[name].trace
    assert trace is not None
    return trace


def test_a_state_has_every_variable_under_the_name_in_a_trace(outcome: modelcheck.Outcome) -> None:
    state = state_as_dict(outcome.check.model, trace_of(outcome, "NoLostUpdate").states[-1])
    assert state == {
        "service.granted": 2,
        "service.holder": "n2",
        "store.fence": 2,
        "store.value": 1,
        "n1.up": True,
        "n1.role": Record("Leading", {"token": 1, "seen": 1}),
        "n2.up": True,
        "n2.role": Record("Leading", {"token": 2, "seen": 1}),
        "network.writes": (),
    }


def test_bounded_faults_are_counted_under_their_names() -> None:
    file = modelcheck.load("fencing/fenced_leader")
    check = file.instance("reused_token", faults="crash=1,suspect=any")
    outcome = modelcheck.check(check)
    trace = trace_of(outcome, "NoLostUpdate")
    states = [state_as_dict(check.model, state) for state in trace.states]
    assert (states[0]["faults.crash"], states[-1]["faults.crash"]) == (0, 1)


def test_a_walk_visits_every_state_with_the_step_before_it(outcome: modelcheck.Outcome) -> None:
    model, trace = outcome.check.model, trace_of(outcome, "NoLostUpdate")
    first, *others = walk(model, trace)
    assert (first.number, first.step, first.text) == (0, None, "init")
    assert (first.arguments, first.changed) == ({}, {})
    assert [position.step for position in others] == list(trace.steps)
    assert [position.number for position in others] == list(range(1, 10))
    states = [state_as_dict(model, state) for state in trace.states]
    assert [position.state for position in (first, *others)] == states
    for before, after in zip((first, *others), others, strict=False):
        assert before.state | after.changed == after.state
    last = others[-1]
    assert last.text == "accept(Write(n2, 2, 1))"
    assert last.arguments == {"w": Record("Write", {"by": "n2", "token": 2, "value": 1})}


def test_a_step_that_is_not_taken_keeps_the_state_before_it(tmp_path: Path) -> None:
    path = tmp_path / "counter.model"
    path.write_text(
        "protocol Counter\n\nstate\n  a\n    b: 0..1 = 0\n\naction up\n  a.b += 1\n\n"
        "check small\n  expect range\n",
        "utf-8",
    )
    outcome = modelcheck.check(modelcheck.load(path)["small"])
    positions = list(walk(outcome.check.model, trace_of(outcome, "range")))
    assert [each.taken for each in positions] == [True, True, False]
    assert [each.state["a.b"] for each in positions] == [0, 1, 1]
    assert positions[-1].changed == {}


def test_numbered_members_are_named_after_their_group(tmp_path: Path) -> None:
    path = tmp_path / "slots.model"
    path.write_text(
        "protocol Slots\n\ntype Slot = 1..2\n\nstate\n  each Slot\n    full: bool = false\n\n"
        "action fill(s in Slot)\n  when not s.full\n  s.full := true\n\n"
        "stops when forall s in Slot: s.full\n\n"
        "reachable Full\n  forall s in Slot: s.full\n\ncheck small\n  expect holds\n",
        "utf-8",
    )
    outcome = modelcheck.check(modelcheck.load(path)["small"])
    last = list(walk(outcome.check.model, trace_of(outcome, "Full")))[-1]
    assert last.state == {"Slot 1.full": True, "Slot 2.full": True}
    assert last.text == "fill(2)"


# --- text ----------------------------------------------------------------------------


def test_an_outcome_is_described_as_the_command_line_prints_it(outcome: modelcheck.Outcome) -> None:
    text = modelcheck.describe(outcome, width=200)
    assert text.startswith("violated    read_before_fence  NoLostUpdate fails after 9 steps, as ex")
    assert "\n" not in text


def test_what_is_not_expected_is_described_with_its_trace(tmp_path: Path) -> None:
    path = tmp_path / "lamp.model"
    path.write_text(
        "protocol Lamp\n\nstate\n  lamp\n    on: bool = false\n\n"
        "action switch\n  lamp.on := not lamp.on\n\ninvariant Dark\n  not lamp.on\n\n"
        "check small\n  expect holds\n",
        "utf-8",
    )
    outcome = modelcheck.check(modelcheck.load(path)["small"])
    text = modelcheck.describe(outcome, command="modelcheck trace lamp small")
    assert " 1  switch  true" in text
    assert "violated[invariant]: Dark, after step 1" in text
    assert text.endswith("= reproduce: modelcheck trace lamp small Dark")
    assert "reproduce" not in modelcheck.describe(outcome)


def test_a_trace_is_described_as_a_table(outcome: modelcheck.Outcome) -> None:
    text = modelcheck.describe_trace(outcome, "NoLostUpdate")
    assert " 6  take_over(n2)                                           Leading(2, 0)\n" in text
    assert "violated[step]: NoLostUpdate, in step 9 of 9" in text
    whole = modelcheck.describe_trace(outcome, "NoLostUpdate", full=True)
    assert len(whole) > len(text)
    with pytest.raises(KeyError, match="Nonsense"):
        modelcheck.describe_trace(outcome, "Nonsense")


def test_a_refusal_is_described_with_place_reason_and_help(tmp_path: Path) -> None:
    path = tmp_path / "lamp.model"
    path.write_text(
        "protocol Lamp\n\nstate\n  lamp\n    on: bool = false\n    off: bool = lamp.onn\n", "utf-8"
    )
    with pytest.raises(modelcheck.Refused) as caught:
        modelcheck.load(path)
    text = modelcheck.describe(caught.value)
    assert text.startswith("error[")
    assert "lamp.model:6:" in text
    assert text.split("\n\n")[0] == modelcheck.describe(caught.value.diagnostics[0])
