"""Actions: processes, fairness, faults, ghosts, effects, two writes."""

from __future__ import annotations

import pytest

import modelcheck
from modelcheck.core.model import Fairness

from .files import ELECTION, check, ids, model, only_check, opened, problems, verdict

GHOST = """\
protocol Counter

sort Node

state
  store
    value: 0..3 = 0
    last: Node? = none
    ghost writes: 0..9 = 0
    ghost owner: Node? = none
  each Node
    up: bool = true
    ghost crashes: 0..3 = 0
"""


def action(body: str, header: str = "action go(n in Node)", base: str = ELECTION) -> str:
    lines = "".join(f"  {line}\n" for line in body.splitlines())
    return f"{base}\n{header}\n{lines}"


# --- processes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "body", "process"),
    [
        ("action go(n in Node)", "n.up := true", 0),
        ("action go(v in network.votes, n in Node)", "network.votes -= v\nn.up := true", 1),
        ("action go(v in network.votes)", "network.votes -= v", None),
        ("action go", "service.granted := 0", None),
        ("action go(n in Node, m in Node)", "m.up := n.up", 0),
    ],
)
def test_the_process_of_a_step_is_its_first_argument_that_indexes_a_group(
    header: str, body: str, process: int | None
) -> None:
    (made,) = model(action(body, header) + check()).actions
    assert made.process == process


def test_a_number_is_a_process_where_it_indexes_a_group() -> None:
    base = "protocol Ring\n\ntype Place = 0..2\n\nstate\n  each Place\n    up: bool = true\n"
    text = action("p.up := k > 0", "action go(k in 0..2, p in Place)", base) + check("")
    (made,) = model(text).actions
    assert made.process == 1


# --- fairness, faults ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "fairness"),
    [
        ("action go(n in Node, m in Node)", None),
        ("fair action go(n in Node, m in Node)", Fairness(False, (0, 1))),
        ("strongly fair action go(n in Node, m in Node)", Fairness(True, (0, 1))),
        ("fair per m action go(n in Node, m in Node)", Fairness(False, (1,))),
        ("strongly fair per m, n action go(n in Node, m in Node)", Fairness(True, (1, 0))),
    ],
)
def test_fairness_is_for_each_choice_of_the_named_arguments(
    header: str, fairness: Fairness | None
) -> None:
    (made,) = model(action("n.up := m.up", header) + check()).actions
    assert made.fairness == fairness


def test_fairness_over_subsets_is_warned_of_and_accepted() -> None:
    text = action("n.up := size(q) > 0", "fair action go(n in Node, q in subset of Node)")
    file = opened(text + check())
    assert [each.id for each in file.warnings] == ["fairness-per-choice"]
    assert problems(file, "small") == []
    narrowed = opened(text.replace("fair action", "fair per n action") + check())
    assert narrowed.warnings == ()


FAULTS = """
fault crash(n in Node) at most 2
  n.up := false

fault suspect
  service.holder := none
"""


@pytest.mark.parametrize(
    ("line", "given", "bounds"),
    [
        ("", None, [2, None]),
        ("faults none", None, [0, 0]),
        ("faults crash = 1", None, [1, None]),
        ("faults crash = any, suspect = MAX", None, [None, 3]),
        ("faults crash = 1", "suspect=0", [1, 0]),
        ("faults crash = 1", "none", [0, 0]),
        ("faults none", "crash=2", [2, 0]),
        ("", "crash=any", [None, None]),
    ],
)
def test_budgets_of_a_check_and_of_the_command_line_replace_those_of_the_file(
    line: str, given: str | None, bounds: list[int | None]
) -> None:
    settings = "Node = 2, MAX = 3" + (f"\n  {line}" if line else "")
    made = opened(ELECTION + FAULTS + check(settings)).instance("small", (), given)
    assert [each.at_most for each in made.model.actions] == bounds


def test_a_bounded_fault_is_counted_behind_the_variables() -> None:
    made = model(ELECTION + FAULTS + check())
    crash, suspect = made.actions
    assert crash.counter == len(made.variables)
    assert suspect.counter is None


# --- ghosts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("when store.writes < 3\nstore.value := 0", ["ghost-read"]),
        ("store.value := store.writes", ["ghost-read"]),
        ("store.writes := store.value", []),
        ("store.writes := store.writes + 1", []),
        ("let w = store.writes\nstore.writes := w + 1", []),
        ("let w = store.writes\nstore.value := w", ["ghost-read"]),
        ("if store.writes > 2\n  store.writes := 0", []),
        ("if store.writes > 2\n  store.value := 0", ["ghost-condition"]),
        ("if store.writes > 2\n  store.writes := 0\nelse\n  store.value := 0", ["ghost-condition"]),
        ("if store.owner is some(o)\n  store.owner := none", []),
        ("if store.owner is some(o)\n  o.crashes := 0", []),
        ("if store.owner is some(o)\n  o.up := false", ["ghost-condition"]),
        ("for k in 0..store.writes\n  store.value := k", ["ghost-condition"]),
        ("for m in Node where m.crashes > 0\n  m.crashes := 0", []),
        ("for m in Node where m.crashes > 0\n  m.up := true", ["ghost-condition"]),
        ("n.crashes := if n.up then 0 else n.crashes", []),
        ("n.up := n.crashes == 0", ["ghost-read"]),
    ],
)
def test_a_ghost_cannot_change_what_the_protocol_does(body: str, expected: list[str]) -> None:
    assert ids(action(body, base=GHOST)) == expected


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("invariant P\n  store.writes >= 0", []),
        ("step P\n  store.writes' >= store.writes", []),
        ("reachable P\n  exists n in Node: n.crashes > 1", []),
        ("init\n  store.writes == 0", []),
        ("stops when store.writes == 9", ["ghost-read"]),
        ("constraint store.writes < 5", ["ghost-read"]),
        ("action go(k in 0..store.writes)\n  store.value := k", ["ghost-read"]),
        ("action go(n in Node where n.crashes == 0)\n  n.up := true", ["ghost-read"]),
        ("fault f at most store.writes\n  store.value := 0", ["state-in-constant"]),
        ("let old = store.writes > 3\n\nstops when old", ["ghost-read"]),
        ("let old = store.writes > 3\n\ninvariant P\n  not old", []),
    ],
)
def test_ghosts_are_for_properties(declaration: str, expected: list[str]) -> None:
    assert ids(f"{GHOST}\n{declaration}\n") == expected


# --- effects -------------------------------------------------------------------------

EFFECT = f"""{GHOST}
effect note(v: 0..9)
  store.writes := v

effect put(v: 0..9)
  store.value := v
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("note(3)", []),
        ("put(3)\nnote(3)", []),
        ("note(store.writes)", []),
        ("put(store.writes)", ["ghost-read"]),
        ("if store.writes > 2\n  note(0)", []),
        ("if store.writes > 2\n  put(0)", ["ghost-condition"]),
        ("note()", ["effect-arguments"]),
        ("note(n)", ["type-mismatch"]),
        ("take(1)", ["unknown-effect"]),
    ],
)
def test_an_effect_obeys_the_rules_of_the_place_where_it_is_used(
    body: str, expected: list[str]
) -> None:
    assert ids(action(body, base=EFFECT)) == expected


def test_an_effect_reads_the_state_before_the_step() -> None:
    text = """\
protocol Swap

state
  a
    x: 0..3 = 1
  b
    y: 0..3 = 2

effect first_half()
  a.x := b.y

action swap
  first_half()
  b.y := a.x

invariant Different
  a.x != b.y
"""
    assert verdict(text + check("", "Different holds"), "Different") == "holds"


# --- two writes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("service.granted := 0\nservice.granted := 1", ["two-writes"]),
        ("service.granted := 0\nservice.granted := 0", []),
        ("service.granted += 1\nservice.granted += 1", []),
        ("service.granted := 0\nservice.granted += 1", ["two-writes"]),
        ("n.log += 0\nn.log += 1", ["two-writes"]),
        ("network.votes += Vote(n, 0)\nnetwork.votes -= Vote(n, 1)", []),
        ("network.votes := {}\nnetwork.votes += Vote(n, 0)", ["two-writes"]),
        ("if n.up\n  n.up := false\nelse\n  n.up := true", []),
        ("n.up := true\nif n.role == Idle\n  n.up := false", []),
    ],
)
def test_two_writes_that_certainly_collide_are_refused(body: str, expected: list[str]) -> None:
    assert ids(action(body)) == expected


def test_two_writes_that_may_collide_are_judged_when_the_step_is_taken() -> None:
    body = "n.up := true\nm.up := false"
    text = action(body, "action go(n in Node, m in Node)") + check("Node = 2", "two-writes")
    assert ids(text) == []
    assert verdict(text, "two-writes") == "fails"
    apart = text.replace("m in Node)", "m in Node where m != n)").replace(" two-writes", " holds")
    assert "two-writes" not in [
        found.name for found in modelcheck.check(only_check(apart)).found if found.trace
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("lose n", ["nothing-to-lose"]),
        ("lose service", ["nothing-to-lose"]),
        ("lose nobody", ["unknown-name"]),
        ("lose n.up", ["lose-what"]),
    ],
)
def test_lose_needs_something_volatile(body: str, expected: list[str]) -> None:
    assert ids(action(body)) == expected
    volatile = ELECTION.replace("role: Role", "volatile role: Role")
    assert ids(action("lose n", base=volatile)) == []
