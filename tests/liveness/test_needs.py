"""Which `fair` marks a liveness property needs, on models small enough to see through."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from modelcheck import api
from modelcheck.cli import program
from modelcheck.core.limits import Limits
from modelcheck.core.needs import with_needs
from modelcheck.core.outcome import Verdict
from modelcheck.report.fairness import needs
from modelcheck.source import Source

# `door` is open every other moment: to go through it in the end takes strong fairness. `rest` is
# always enabled until it is done, and weak fairness is all it needs.
DOOR = """\
protocol Door

state
  door
    open: bool = false
  walker
    inside: bool = false
    rested: bool = false

fair action swing
  door.open := not door.open

strongly fair action enter
  when door.open and not walker.inside
  walker.inside := true

strongly fair action rest
  when not walker.rested
  walker.rested := true

liveness Enters
  eventually walker.inside

liveness Rests
  eventually walker.rested

liveness Swings
  always eventually door.open or not door.open

check small
  expect holds
"""

# Either of the two is enough.
TWO = """\
protocol Two

state
  lamp
    lit: bool = false

fair action switch
  when not lamp.lit
  lamp.lit := true

fair action light
  when not lamp.lit
  lamp.lit := true

stops when lamp.lit

liveness Lights
  eventually lamp.lit

check small
  expect holds
"""


def needed(text: str, engine: str = "native"):
    def decide(check):
        return api.check(check, engine=engine)

    outcome = decide(api.load_source(Source("door.model", text))["small"])
    assert outcome.as_expected
    return with_needs(outcome, decide)


@pytest.mark.parametrize("engine", api.ENGINES)
def test_each_mark_is_dropped_alone(engine):
    found = {each.name: each for each in needed(DOOR, engine).needs}
    enters = {mark.action: mark for mark in found["Enters"].marks}
    # A door that nobody swings stays shut; one that is shut again and again may starve the weak.
    assert {name: mark.needed for name, mark in enters.items()} == {
        "swing": "weak",
        "enter": "strong",
        "rest": None,
    }
    assert enters["enter"].weakened.verdict is Verdict.LIVELOCKS
    assert enters["enter"].dropped is None
    rests = {mark.action: mark.needed for mark in found["Rests"].marks}
    assert rests == {"swing": None, "enter": None, "rest": "weak"}
    assert found["Swings"].without_any.verdict is Verdict.HOLDS


def test_a_property_may_need_one_of_two_marks():
    (lights,) = needed(TWO).needs
    assert [mark.needed for mark in lights.marks] == [None, None]
    assert lights.without_any.verdict is Verdict.LIVELOCKS


def test_a_property_that_the_check_is_not_about_is_left_out():
    outcome = needed(DOOR.replace("expect holds", "expect Rests holds"))
    assert [each.name for each in outcome.needs] == ["Rests"]


def test_what_is_said():
    # Before anybody goes through the door, `rest` must have been taken: it is fair. To starve
    # `rest`, the door must first be opened and gone through.
    assert (
        "\n".join(needs(needed(DOOR)))
        == """\
            Enters holds thanks to fairness:
              swing  needed: without it livelocks, standing still after 1 step
              enter  strong fairness needed: with weak it livelocks, in a loop 1 step away
              rest   not needed
            Rests holds thanks to fairness:
              swing  not needed
              enter  not needed
              rest   weak fairness is enough: without it livelocks, in a loop 2 steps away
            Swings holds without fairness:
              swing  not needed
              enter  not needed
              rest   not needed"""
    )
    assert needs(needed(TWO))[0] == (
        "            Lights needs no mark by itself, and without any it livelocks, standing still:"
    )


def test_the_command_line_and_json(tmp_path):
    path = tmp_path / "two.model"
    path.write_text(TWO, "utf-8")
    words = ["check", str(path), "--explain-fairness"]
    result = CliRunner().invoke(program, words, standalone_mode=False)
    assert result.return_value == 0
    assert "Lights needs no mark by itself" in result.output
    result = CliRunner().invoke(program, [*words, "--format", "json"], standalone_mode=False)
    (check,) = json.loads(result.output)["files"][0]["checks"]
    mark = {
        "strong": False, "needed": None, "weakened": None, "dropped": "holds"
    }  # fmt: skip
    assert check["fairness"] == [
        {
            "property": "Lights",
            "marks": [{"action": "switch", **mark}, {"action": "light", **mark}],
            "without_any": "livelocks",
        }
    ]
    plain = CliRunner().invoke(program, [*words[:2], "--format", "json"], standalone_mode=False)
    assert json.loads(plain.output)["files"][0]["checks"][0]["fairness"] is None


def test_what_a_limit_leaves_open_is_neither_needed_nor_not():
    outcome = api.check(api.load_source(Source("two.model", TWO))["small"])

    def hurried(check):
        return api.check(check, Limits(states=1))

    (lights,) = with_needs(outcome, hurried).needs
    assert [mark.needed for mark in lights.marks] == [None, None]
    head, first, *_ = needs(with_needs(outcome, hurried))
    assert head.endswith(
        "holds, and without any fairness it is undecided (a limit stopped the search (states: 1)):"
    )
    assert first.endswith("not decided: a limit stopped the search (states: 1)")
