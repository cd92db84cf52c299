"""`modelcheck why-not`: what disables an action, and where the nearest state is that enables it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcheck import api
from modelcheck.cli import program
from modelcheck.core.constant import constant
from modelcheck.core.frame import Frame
from modelcheck.core.hindrance import attempts
from modelcheck.core.limits import Limits
from modelcheck.core.meaning import Meanings
from modelcheck.core.search import explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.types import (
    BOOL,
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
from modelcheck.core.values import Value, values_of
from modelcheck.enabling import first_taken, nearest_from

FENCED = "fencing/fenced_leader"
NODE = Sort("Node", 2, "n")
COLOUR = Union("Colour", (Form("Red"), Form("Blue")))
LETTER = Union("Letter", (Form("Letter", (Field("by", NODE), Field("copies", Range(0, 3)))),))

LAMP = """\
protocol Lamp

param BRIGHTEST: int
type Level = 0..3

state
  lamp
    level: Level = 0
    broken: bool = false
  each Level
    seen: bool = false

action brighter
  when not lamp.broken
  when lamp.level < BRIGHTEST
  lamp.level := lamp.level + 1

action look(k in Level, twice in bool where k > 0)
  when lamp.level == k and not k.seen
  k.seen := true

action over
  when lamp.level == 2
  lamp.level := lamp.level + 2

fault smash at most 1
  lamp.broken := true

stops when true

invariant Dim
  lamp.level < 2

invariant Seen
  forall k in Level: not k.seen

check small
  BRIGHTEST = 1
  expect Dim holds

check bright
  BRIGHTEST = 2
  expect Dim fails, range

check safe like small
  faults none
  expect Dim holds

check dark
  BRIGHTEST = 0
  expect Dim holds
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lamp.model").write_text(LAMP, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*arguments: str) -> tuple[int, str]:
    words = ["why-not", "lamp.model", *arguments]
    result = CliRunner().invoke(program, words, standalone_mode=False)
    if isinstance(result.exception, Exception):
        raise result.exception
    return result.return_value, result.output


def test_the_first_false_conjunct_is_marked_with_its_values(here: Path) -> None:
    code, out = ask("small", "look", "1", "true")
    assert code == 0
    assert out.startswith("look(1, true) cannot be taken in the initial state\n")
    assert (
        """
disabled: look(1, true)
  --> lamp.model:19:8
   |
19 |   when lamp.level == k and not k.seen
   |        ^^^^^^^^^^    ^
   |        0             1
"""
        in out
    )


def test_choices_that_fail_alike_share_an_excerpt(here: Path) -> None:
    _, out = ask("small", "look")
    assert "disabled: look(1, false), look(1, true), look(2, false) and 3 more" in out
    assert out.count("disabled:") == 2  # the other: `where` rules out 0
    assert "the values are those of look(1, false)" in out


def test_the_nearest_state_comes_with_its_trace(here: Path) -> None:
    _, out = ask("small", "look")
    assert "look(1, false) can be taken after 1 step from the start:" in out
    assert "\n 1  brighter" in out and "\n 2  look(1, false)" in out


def test_an_argument_narrows_the_search(here: Path) -> None:
    _, out = ask("bright", "look", "2", "_")
    assert "look(2, false) can be taken after 2 steps from the start:" in out


def test_what_is_never_enabled_is_counted(here: Path) -> None:
    _, out = ask("small", "look", "3", "_")
    assert "look(3, _) can be taken in no reachable state\n" in out
    # Levels 0 and 1, seen or not at level 1 or after it, broken or not.
    assert "  in all 6: `lamp.level == k` is false\n" in out


def test_the_obstacle_of_each_state_is_counted(here: Path) -> None:
    _, out = ask("small", "over")
    assert "  in all 6: `lamp.level == 2` is false\n" in out


def test_a_state_of_a_trace_is_asked_about(here: Path) -> None:
    code, out = ask("bright", "brighter", "--trace", "Dim")
    assert code == 0
    assert out.startswith("brighter cannot be taken after step 2 of the trace of `Dim`\n")
    assert "from there on it can never be taken" in out
    assert "brighter can be taken at the start:" in out


def test_from_there_on_it_may_be_nearer_or_never(here: Path) -> None:
    _, out = ask("bright", "look", "1", "false", "--trace", "Dim", "--at", "2")
    assert "from there on it can never be taken" in out
    assert "look(1, false) can be taken after 1 step from the start:" in out


def test_a_step_that_cannot_be_taken_is_told(here: Path) -> None:
    _, out = ask("bright", "over", "--trace", "Dim")
    assert "over can be taken after step 2" in out
    assert "enabled: over" in out and "would become 4, outside 0..3" in out


def test_a_budget_of_none_and_a_spent_one(here: Path) -> None:
    _, out = ask("safe", "smash")
    assert "its budget is none" in out
    assert "smash can be taken in no reachable state\n  in all 3: its budget is none\n" in out


def test_what_can_be_taken_is_said(here: Path) -> None:
    code, out = ask("small", "brighter")
    assert code == 0
    assert out.startswith("brighter can be taken in the initial state\n")


def test_a_where_that_rules_everything_out(here: Path) -> None:
    _, out = ask("small", "look", "0", "_")
    assert "no `twice` satisfies its `where`" in out
    assert "  in all 6: no `twice` satisfies its `where`\n" in out


def test_a_limit_leaves_the_question_open(here: Path) -> None:
    code, out = ask("bright", "look", "2", "_", "--depth", "1")
    assert code == 3
    assert "is taken in no state visited: a limit stopped the search (depth: 1)" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("small", "lok"), "error[unknown-action]: no action `lok`"),
        (("small", "lok"), "did you mean `look`?"),
        (("smal", "look"), "error[unknown-check]: no check `smal`"),
        (
            ("small", "look", "1"),
            "error[why-not-arguments]: `look` has 2 arguments, and 1 is given",
        ),
        (("small", "look", "7", "_"), "error[why-not-arguments]: `7` is no value of `k`"),
        (("small", "look", "--trace", "Dim"), "error[no-trace]: `Dim` has no trace in `small`"),
        (("dark", "look", "--at", "0"), "error[no-trace]: `dark` violates nothing"),
        (("bright", "look", "--trace", "Dom"), "error[unknown-property]: no property `Dom`"),
        (("bright", "look", "--trace", "Dim", "--at", "9"), "error[no-trace]: there is no state"),
    ],
)
def test_a_question_that_cannot_be_asked(here: Path, arguments: tuple[str, ...], said: str) -> None:
    code, out = ask(*arguments)
    assert code == 2
    assert said in out


# --- against the semantics -------------------------------------------------------------


@pytest.mark.parametrize("name", ["fenced", "read_before_fence"])
def test_the_attempts_are_the_enabled_instances_and_no_others(name: str) -> None:
    semantics = Semantics(api.load(FENCED)[name].model)
    run = explore(semantics, Limits(depth=7), lambda _: False)
    for state in run.graph.states[::19]:
        right = {
            (each.action.name, each.arguments)
            for each in semantics.successors(state)
            if each.enabled
        }
        ours = {
            (action.name, each.arguments)
            for action in semantics.model.actions
            for each in attempts(semantics, action, state)
            if each.enabled
        }
        assert ours == right


def test_the_nearest_state_is_the_first_of_a_plain_search() -> None:
    check = api.load(FENCED)["fenced"]
    semantics = Semantics(check.model)
    run = explore(semantics, Limits(), lambda _: False)
    for action in check.model.actions:
        depths = [
            run.graph.depths[number]
            for number, state in enumerate(run.graph.states)
            for each in semantics.successors(state)
            if each.action.name == action.name and each.after is not None
        ]
        anything = (None,) * len(action.binders)
        found = first_taken(check, action, anything, Limits()).trace
        assert (None if found is None else len(found.steps) - 1) == min(depths, default=None)
        start = run.graph.states[0]
        again, sure = nearest_from(semantics, start, action, anything, 100_000)
        assert sure and (again is None) is (found is None)
        if again is not None and found is not None:
            assert len(again.steps) == len(found.steps)


def test_the_choice_that_comes_furthest_within_a_guard_stands_first(here: Path) -> None:
    # At level 1 `look(1, _)` has passed `lamp.level == k`, and fails only for what it has seen.
    _, out = ask("small", "look", "--trace", "Seen")
    first, second, *_ = [line for line in out.splitlines() if line.startswith("disabled:")]
    assert first == "disabled: look(1, false), look(1, true)"
    assert second.startswith("disabled: look(2, false), look(2, true)")


def test_json_has_all_of_it(here: Path) -> None:
    code, out = ask("bright", "look", "1", "_", "--trace", "Dim", "--at", "1", "--format", "json")
    document = json.loads(out)
    assert code == 0 and list(document) == ["schema", "diagnostics", "why_not"]
    answer = document["why_not"]
    assert (answer["trace"], answer["step"], answer["enabled"]) == ("Dim", 1, True)
    assert [each["arguments"] for each in answer["attempts"]] == [
        {"k": 1, "twice": False},
        {"k": 1, "twice": True},
    ]
    _, out = ask("bright", "look", "2", "_", "--trace", "Dim", "--at", "1", "--format", "json")
    answer = json.loads(out)["why_not"]
    assert [each["action"] for each in answer["from_there"]] == [None, "brighter", "look"]
    assert [each["action"] for each in answer["from_start"]] == [None, *["brighter"] * 2, "look"]
    _, out = ask("small", "over", "--format", "json")
    answer = json.loads(out)["why_not"]
    assert answer["never"] == {
        "complete": True,
        "states": 6,
        "stops": [{"reason": "`lamp.level == 2` is false", "states": 6}],
    }
    assert answer["attempts"][0]["place"]["line"] == 23
    code, out = ask("small", "lok", "--format", "json")
    assert code == 2 and json.loads(out)["why_not"] is None


def test_whether_the_check_comes_out_as_expected_is_not_asked(here: Path) -> None:
    code, out = ask("small", "brighter", "-D", "BRIGHTEST=2", "--trace", "Dim")
    assert code == 0
    assert out.startswith("brighter cannot be taken after step 2 of the trace of `Dim`")


@pytest.mark.parametrize(
    ("type_", "count"),
    [
        (BOOL, 2),
        (Range(-1, 2), 4),
        (NODE, 2),
        (COLOUR, 2),
        (LETTER, 8),
        (Option(LETTER), 9),
        (Set(COLOUR), 4),
        (Set(Option(NODE)), 8),
        (Seq(NODE, 2), 7),
        (Bag(NODE, 2), 6),
    ],
    ids=str,
)
def test_there_is_a_term_for_every_value(type_: Type, count: int) -> None:
    values = values_of(type_)
    assert len(values) == count
    for value in values:
        term = constant(type_, value)
        assert term is not None and Meanings().of(term)(Frame((), {})) == value


def test_there_is_none_for_a_map() -> None:
    assert constant(Map(NODE, BOOL), (False, True)) is None


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("send", (1,)),  # n2
        ("restart", (1,)),
        ("accept", ((0, 1, 1, 1),)),  # Write(n2, 1, 1)
        ("accept", ((0, 0, 2, 2),)),
        ("refuse", ((0, 1, 1, 2),)),
    ],
)
def test_named_arguments_mean_the_same_in_both_engines(
    name: str, arguments: tuple[Value, ...]
) -> None:
    check = api.load(FENCED)["fenced"]
    action = next(each for each in check.model.actions if each.name == name)
    found = first_taken(check, action, arguments, Limits()).trace
    semantics = Semantics(check.model)
    (start,) = (state for state, _ in semantics.initial_states())
    again, sure = nearest_from(semantics, start, action, arguments, 100_000)
    assert sure and (found is None) == (again is None)
    if found is not None and again is not None:
        assert len(found.steps) == len(again.steps)
        assert found.steps[-1].arguments == arguments


WIDE = """\
protocol Wide

type Long(a: 0..4000000000, b: 0..4000000000, c: 0..4000000000)

state
  store
    kept: set of Long up to 2 = {}

action keep(n in 0..2)
  when size(store.kept) < 2
  store.kept += Long(n, n, n)

action drop
  when size(store.kept) == 2
  store.kept := {}

check small
  expect holds
"""


def test_what_the_fast_engine_cannot_take_is_searched_by_the_slow_one(here: Path) -> None:
    Path("lamp.model").write_text(WIDE, "utf-8")
    _, out = ask("small", "drop")
    assert "drop can be taken after 2 steps from the start:" in out
    Path("lamp.model").write_text(WIDE.replace("== 2", "== 3"), "utf-8")
    _, out = ask("small", "drop")
    # Nothing, one of three, two of three.
    assert "  in all 7: `size(store.kept) == 3` is false" in out
