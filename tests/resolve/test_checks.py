"""Checks: settings, `like`, overrides, what each check alone makes wrong."""

from __future__ import annotations

import pytest

import modelcheck
from modelcheck.core.types import Range

from .files import ids, opened, problems

COUNTER = """\
protocol Counter

param MAX: int
param STEP: int = MAX div 2
axis STRICT: bool
sort Node

state
  store
    value: 0..MAX = 0
  each Node
    up: bool = STRICT

check small
  Node = 2, MAX = 2
  STRICT = true
  expect holds

check larger like small
  MAX = 6
  expect holds

check widest like larger
  Node = 3
  expect holds
"""


def settings(name: str, given: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    return dict(opened(COUNTER).instance(name, given).model.settings)


def test_a_check_takes_over_the_settings_of_the_one_it_is_like() -> None:
    assert settings("small") == {"Node": "2", "MAX": "2", "STRICT": "true"}
    assert settings("larger") == {"Node": "2", "MAX": "6", "STRICT": "true"}
    assert settings("widest") == {"Node": "3", "MAX": "6", "STRICT": "true"}


def test_the_command_line_overrides_a_check() -> None:
    assert settings("small", (("MAX", "5"),))["MAX"] == "5"
    made = opened(COUNTER).instance("small", (("MAX", "5"), ("Node", "1"))).model
    assert made.variables[0].type == Range(0, 5)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MAXX", "3", "unknown-setting"),
        ("MAX", "true", "type-mismatch"),
        ("MAX", "store.value", "state-in-constant"),
        ("MAX", "Nobody", "unknown-constructor"),
        ("Node", "0", "sort-size"),
        ("Node", "65", "sort-size"),
        ("MAX", "3 +", "missing-operand"),
    ],
)
def test_an_override_is_judged_like_a_setting(name: str, value: str, expected: str) -> None:
    with pytest.raises(modelcheck.Refused) as refused:
        opened(COUNTER).instance("small", ((name, value),))
    assert [each.id for each in refused.value.diagnostics] == [expected]


def test_a_default_may_read_other_parameters() -> None:
    text = COUNTER.replace("up: bool = STRICT", "up: bool = STEP == 3")
    assert opened(text)["larger"].model.variables[1].owner.name == "Node"
    assert ids(text.replace("MAX div 2", "STEP + 1")) == ["setting-cycle"] * 3


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  STRICT = true\n", "", ["unset-parameter"] * 3),
        ("Node = 2, ", "", ["unset-sort"] * 2),
        ("like larger", "like widest", ["like-cycle"]),
        ("like larger", "like largest", ["unknown-like"]),
        ("MAX = 6", "MAX = 6, MAX = 7", ["set-twice"]),
        ("value: 0..MAX = 0", "value: 0..MAX = 4", ["initial-range"]),
    ],
)
def test_each_check_is_judged_by_its_own_values(old: str, new: str, expected: list[str]) -> None:
    assert ids(COUNTER.replace(old, new)) == expected


def test_one_faulty_check_leaves_the_others_usable() -> None:
    file = opened(COUNTER.replace("value: 0..MAX = 0", "value: 0..MAX = 4"))
    assert problems(file, "small") == ["initial-range"]
    assert problems(file, "larger") == problems(file, "widest") == []


def test_a_diagnostic_that_depends_on_settings_tells_them() -> None:
    file = opened(COUNTER.replace("value: 0..MAX = 0", "value: 0..MAX = 4"))
    with pytest.raises(modelcheck.Refused) as refused:
        file.instance("small")
    (found,) = refused.value.diagnostics
    assert "in the check `small`, with Node = 2, MAX = 2, STRICT = true" in found.notes


def test_an_unknown_check_is_refused_with_near_names() -> None:
    with pytest.raises(modelcheck.Refused) as refused:
        opened(COUNTER).instance("lager")
    assert refused.value.diagnostics[0].help == ("did you mean `larger`?",)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("Falls holds", []),
        ("Falls fails in 2 steps", []),
        ("Falls blocks", ["safety-blocks"]),
        ("Ends blocks", []),
        ("Ends fails", ["liveness-fails"]),
        ("Some fails", []),
        ("Some fails in 2 steps", ["unreachable-steps"]),
        ("Somme holds", ["unknown-property"]),
        ("holds, Falls fails", ["holds-and-list"]),
        ("holds, distinct 3", []),
        ("deadlock, range, distinct 3, depth 2", []),
    ],
)
def test_expectations_fit_the_kind_of_property(expected: str, found: list[str]) -> None:
    text = f"""\
protocol Counter

state
  store
    value: 0..3 = 0

invariant Falls
  store.value == 0

reachable Some
  store.value == 1

liveness Ends
  eventually store.value == 3

check small
  expect {expected}
"""
    assert ids(text) == found
