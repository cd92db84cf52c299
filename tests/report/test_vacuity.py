"""What holds and says nothing: each reason, its place, both engines, and what the exit code says.

The expected answers are worked out by hand: `x` counts 0, 1, 2, 3 and stays; the inbox is always
empty; `never` is never enabled.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcheck import api
from modelcheck.cli import program
from modelcheck.core.outcome import Outcome, Vacuity
from modelcheck.report.vacuity import file_warnings
from modelcheck.source import Source

COUNTER = """\
protocol Counter

sort Node

state
  box
    x: 0..4 = 0
  each Node
    n: 0..4 = 0
  channel inbox
    mail: set of 0..4 = {}

fair action up
  when box.x < 3
  box.x := box.x + 1

action never(k in Node)
  when box.x == 4
  k.n := 1

stops when box.x == 3

"""
CHECK = """

check small
  Node = 2
  expect holds
"""

NOTHING, NEVER, ALWAYS = (
    Vacuity.NOTHING_TO_CHOOSE,
    Vacuity.NEVER_TRIGGERED,
    Vacuity.CONDITION_NOT_NEEDED,
)

LINES: list[tuple[str, list[Vacuity | None]]] = [
    ("invariant P\n  box.x < 4", [None]),
    ("invariant P\n  box.x == 4 implies false", [NEVER]),
    ("invariant P\n  box.x == 3 implies box.x > 2", [None]),
    ("invariant P\n  box.x == 3 implies box.x < 4", [ALWAYS]),
    ("invariant P\n  box.x < 4\n  box.x == 4 implies false", [None, NEVER]),
    ("invariant P\n  forall m in inbox.mail: m == 0", [NOTHING]),
    ("invariant P\n  forall m in inbox.mail: m == 0 implies false", [NOTHING]),
    ("invariant P\n  forall k in Node: k.n == 0", [None]),
    ("invariant P\n  forall k in Node where k.n > 0: false", [NOTHING]),
    ("invariant P\n  forall k in Node: k.n > 0 implies false", [NEVER]),
    ("invariant P\n  forall k in Node: k.n == 0 implies box.x < 4", [ALWAYS]),
    ("invariant P\n  forall k in Node: forall m in inbox.mail: m > k.n", [NOTHING]),
    ("invariant P\n  forall i in 1..box.x: i < 4", [None]),
    ("step P on up\n  true", [None]),
    ("step P on never(_)\n  true", [NEVER]),
    ("step P on never(_)\n  box.x == 4 implies false", [NEVER]),
    ("step P on never(_)\n  forall m in inbox.mail: m == 0", [NOTHING]),
    ("step P\n  box.x == 3 implies false", [NEVER]),
    ("step P\n  box.x == 2 implies box.x' == 3", [None]),
    ("step P\n  box.x == 2 implies box.x' > 0", [ALWAYS]),
    ("liveness P\n  box.x == 1 ~> box.x == 3", [None]),
    ("liveness P\n  box.x == 4 ~> box.x == 0", [NEVER]),
    ("liveness P\n  box.x == 1 ~> box.x < 4", [ALWAYS]),
    ("liveness P\n  eventually box.x == 3", [None]),
    ("liveness P\n  always eventually box.x < 4", [ALWAYS]),
    ("liveness P\n  forall k in Node: k.n == 4 ~> box.x == 0", [NEVER]),
    ("liveness P\n  forall i in 2..1: box.x == i ~> box.x == 0", [NOTHING]),
    ("reachable P\n  box.x == 3", []),
    ("always possible P\n  box.x == 3", []),
]


def run(text: str, engine: str = "native") -> Outcome:
    file = api.load_source(Source("counter.model", COUNTER + text + CHECK))
    return api.check(file["small"], engine=engine)


@pytest.mark.parametrize("engine", api.ENGINES)
@pytest.mark.parametrize(("text", "expected"), LINES, ids=lambda each: str(each)[:60])
def test_each_line_has_its_reason(text: str, expected: list[Vacuity | None], engine: str) -> None:
    found = run(text, engine)["P"]
    assert found.verdict.value == "holds"
    assert [each.vacuity for each in found.said] == expected
    assert found.triggered is (not expected or any(e in (None, ALWAYS) for e in expected))


@pytest.mark.parametrize("engine", api.ENGINES)
def test_a_condition_without_which_there_is_no_value_is_needed(engine: str) -> None:
    # At first `box.x` is 0 and the set is empty; elsewhere the right side is true.
    text = "invariant P\n  box.x > 0 implies max({i | i in 1..box.x}) == box.x"
    outcome = run(text, engine)
    assert outcome["P"].said[0].vacuity is None
    assert outcome["undefined"].verdict.value == "holds"


def headlines(*texts: str) -> list[str]:
    return [each.headline for each in file_warnings([run(text) for text in texts])]


def only(text: str) -> list[str]:
    return [each for each in headlines(text) if "`never`" not in each]


def test_what_is_told_of_each_reason() -> None:
    assert only("invariant P\n  forall m in inbox.mail: m == 0") == [
        "`P` holds only because there is never a `m` to choose"
    ]
    assert only("invariant P\n  box.x == 4 implies false") == [
        "`P` holds only because what it speaks of never comes up"
    ]
    assert only("invariant P\n  box.x == 3 implies box.x < 4") == [
        "`P` holds whether or not its condition does"
    ]
    assert only("invariant P\n  box.x < 4\n  box.x == 4 implies false") == [
        "a line of `P` holds only because what it speaks of never comes up"
    ]


def test_a_step_that_is_never_taken_is_told_as_such() -> None:
    (warning,) = (
        each for each in file_warnings([run("step P on never(_)\n  true")]) if each.id == "vacuous"
    )
    assert warning.headline == "`P` holds only because what it speaks of never comes up"
    assert warning.notes == ("no step that it judges is taken in any check",)
    assert warning.primary is not None and warning.primary.span.text == "P"


def test_the_place_is_the_condition_of_the_line() -> None:
    (warning,) = (
        each
        for each in file_warnings([run("invariant P\n  box.x < 4\n  box.x == 4 implies false")])
        if each.id == "vacuous"
    )
    assert warning.primary is not None
    assert warning.primary.span.text == "box.x == 4"


def test_a_check_in_which_a_line_says_something_is_enough() -> None:
    text = (
        COUNTER.replace("box.x == 3", "box.x == TOP")
        .replace("< 3", "< TOP")
        .replace("protocol Counter\n", "protocol Counter\nparam TOP: int\n")
    )
    text += "invariant P\n  box.x == 2 implies box.x > 1\n"
    text += "\ncheck low\n  Node = 1, TOP = 1\n  expect holds\n"
    file = api.load_source(Source("counter.model", text))
    low = api.check(file["low"])
    high = api.check(file.instance("low", [("TOP", "3")]))
    assert [each.id for each in file_warnings([low]) if "`P`" in each.headline] == ["vacuous"]
    assert not [each for each in file_warnings([low, high]) if "`P`" in each.headline]
    assert not [each for each in file_warnings([high, low]) if "`P`" in each.headline]


# --- the command line ------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = COUNTER + "invariant P\n  box.x == 4 implies false" + CHECK
    text += "\ncheck other like small\n  expect P holds\n"
    Path("counter.model").write_text(text, "utf-8")
    return tmp_path


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(program, ["check", *arguments], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.output


def test_a_warning_changes_no_exit_code(here: Path) -> None:
    code, out = call("counter.model")
    assert code == 0
    assert "warning[vacuous]: `P`" in out and "warning[always-disabled]: `never`" in out


def test_an_error_is_as_a_verdict_that_is_not_as_expected(here: Path) -> None:
    code, out = call("counter.model", "--vacuity", "error")
    assert code == 1
    assert "error[vacuous]: `P`" in out
    assert out.endswith("counter.model: 2 of 2 checks as expected, 2 errors of vacuity\n")


def test_off_says_nothing(here: Path) -> None:
    code, out = call("counter.model", "--vacuity", "off")
    assert code == 0 and "vacuous" not in out and "always-disabled" not in out


def test_a_check_alone_is_looked_at_only_on_demand(here: Path) -> None:
    assert "vacuous" not in call("counter.model", "small")[1]
    assert "warning[vacuous]" in call("counter.model", "small", "--vacuity", "warn")[1]
    code, out = call("counter.model", "small", "--vacuity", "error")
    assert code == 1 and "1 of 1 check as expected, 2 errors of vacuity" in out


def test_a_limit_leaves_it_open(here: Path) -> None:
    code, out = call("counter.model", "--vacuity", "error", "--depth", "1")
    assert code == 3 and "vacuous" not in out


def test_json_has_the_lines(here: Path) -> None:
    _, out = call("counter.model", "small", "--format", "json")
    (check,) = json.loads(out)["files"][0]["checks"]
    (found,) = (each for each in check["properties"] if each["name"] == "P")
    (line,) = found["vacuous"]
    assert (line["line"], line["reason"]) == (1, "never triggered")
    assert (line["place"]["line"], found["triggered"]) == (24, False)
