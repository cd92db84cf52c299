"""The JSON document of `--format json`."""

from __future__ import annotations

import json
from typing import Any

from fenced_leader_by_hand import CHECK, MODEL, NODE, ROLE, STATES, TRACE, WRITE, span

from modelcheck.core.outcome import Found, Outcome, Stats, Verdict
from modelcheck.core.types import BOOL, INT, Bag, Map, Option, Range, Seq, Set, Type
from modelcheck.core.values import Value
from modelcheck.diagnostics import Diagnostic, Label
from modelcheck.report.itf import encode, encode_state
from modelcheck.report.records import document

FOUND = Found("NoLostUpdate", "step", Verdict.FAILS, 10, TRACE)
OUTCOME = Outcome(
    CHECK, Stats(4740, 22911, 41, (("acquire", 3),), 1.23456), False, (), (FOUND,), True
)


def test_values_are_encoded_as_itf_says() -> None:
    cases: list[tuple[Type, Value, Any]] = [
        (BOOL, True, True),
        (Range(0, 9), 3, 3),
        (INT, 2**53, {"#bigint": "9007199254740992"}),
        (INT, -(2**53) + 1, -(2**53) + 1),
        (NODE, 1, "n2"),
        (Option(NODE), (), {"tag": "None", "value": {}}),
        (Option(NODE), (0,), {"tag": "Some", "value": "n1"}),
        (WRITE, (0, 1, 2, 1), {"by": "n2", "token": 2, "value": 1}),
        (ROLE, (0,), {"tag": "Idle", "value": {}}),
        (ROLE, (2, 1, 0), {"tag": "Leading", "value": {"token": 1, "seen": 0}}),
        (Set(NODE), (0, 1), {"#set": ["n1", "n2"]}),
        (Bag(NODE, 3), (0, 0, 1), {"#map": [["n1", 2], ["n2", 1]]}),
        (Seq(NODE, 3), (1, 0), ["n2", "n1"]),
        (Map(NODE, BOOL), (False, True), {"#map": [["n1", False], ["n2", True]]}),
    ]
    for type_, value, expected in cases:
        assert encode(type_, value) == expected, type_


def test_a_truth_value_and_a_number_stay_apart() -> None:
    assert json.dumps(encode(Range(0, 1), True)) == "1"
    assert json.dumps(encode(BOOL, 1)) == "true"


def test_a_state_names_its_variables_as_a_reader_would() -> None:
    assert encode_state(MODEL, STATES[1]) == {
        "service.granted": 1,
        "service.holder": {"tag": "Some", "value": "n1"},
        "store.fence": 0,
        "store.value": 0,
        "Node.up": {"#map": [["n1", True], ["n2", True]]},
        "Node.role": {
            "#map": [
                ["n1", {"tag": "Elected", "value": {"token": 1}}],
                ["n2", {"tag": "Idle", "value": {}}],
            ]
        },
        "network.writes": {"#set": []},
    }


def test_a_document_has_the_whole_trace() -> None:
    (file,) = document([], [("fenced_leader.model", [OUTCOME])])["files"]
    (check,) = file["checks"]
    assert list(check) == [
        "name",
        "verdict",
        "as_expected",
        "expected",
        "unmet",
        "settings",
        "complete",
        "distinct",
        "generated",
        "depth",
        "seconds",
        "stats",
        "limits",
        "warnings",
        "actions",
        "properties",
        "fairness",
    ]
    assert check["seconds"] == 1.235
    assert check["settings"]["FRESH_TOKENS"] == "false"
    (found,) = check["properties"]
    assert found["steps"] == 10 and found["loop"] is None
    assert len(found["trace"]) == 11
    initial, first = found["trace"][:2]
    assert initial["action"] is None and initial["arguments"] == {}
    assert first["action"] == "acquire"
    assert first["arguments"] == {"n": "n1"}
    assert first["process"] == "n1"
    assert found["trace"][4]["fault"] is True


def test_diagnostics_are_plain_data() -> None:
    label = Label(span("w.value"), "here")
    item = Diagnostic("unknown-name", "no `w`", label, (label,), ("a fact",), ("a repair",))
    (shown,) = document([item], [])["diagnostics"]
    place = {
        "file": "fenced_leader.model",
        "line": 2,
        "column": 3,
        "end": {"line": 2, "column": 10},
        "text": "here",
    }
    assert shown == {
        "id": "unknown-name",
        "severity": "error",
        "headline": "no `w`",
        "primary": place,
        "labels": [place],
        "notes": ["a fact"],
        "help": ["a repair"],
    }


def test_the_document_is_the_same_every_time() -> None:
    once = json.dumps(document([], [("a.model", [OUTCOME])]))
    assert once == json.dumps(document([], [("a.model", [OUTCOME])]))
    assert json.loads(once)["schema"] == 1
