"""Safety properties: where they are judged, what a prime means, when they are vacuous."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.diagnostics import Refused
from modelcheck.source import Source

from .small import names, refused, run, verdicts

WALK = """
sort Node
type N = 0..3
state
  box
    x: N = 0
    last: Node in Node
    q: seq of N up to 3 = []
  each Node
    n: N = 0

action up(k in Node)
  when box.x < 3
  box.x    += 1
  k.n      += 1
  box.last := k

action rest(k in Node, m in Node)
  k.n := k.n

fault reset
  box.x := 0
  for k in Node
    k.n := 0

let total(extra: N): int = extra + (sum k in Node: k.n)
let of(k: Node) = k.n
let at_top = box.x == 3

stops when box.x == 3
"""


@pytest.mark.parametrize(
    "lines, steps",
    [
        ("step P\n  box.x' >= box.x", 2),  # a fault's step counts
        ("step P\n  box.x' != box.x", 1),  # and so does one that changes nothing: `rest`, `reset`
        ("step P on rest(_, _)\n  box.x' != box.x", 1),
        ("step P on up(_)\n  box.x' == box.x + 1", None),
        ("step P on up(k)\n  k.n' == k.n + 1 and forall m in Node: m == k or m.n' == m.n", None),
        ("step P on up(k), rest(k, _)\n  k.n' >= k.n", None),
        ("step P on up(k), rest(_, k)\n  box.last' == k", 1),
        ("step P on reset\n  box.x > 0", 1),
        ("step P on reset\n  box.x < 3", 4),
        ("step P on up(k)\n  box.last' == k\n  box.x < 2", 3),
        # a prime distributes over what stands before it
        ("step P on up(k)\n  of(k)' == of(k) + 1", None),
        ("step P on up(k)\n  total(0)' == total(1)", None),
        # the argument of a primed `let` is read after the step, too
        ("step P on up(_)\n  total(box.x)' == total(box.x) + 2", None),
        ("step P on up(_)\n  (sum k in Node: k.n)' == 1 + (sum k in Node: k.n)", None),
        ("step P on up(k)\n  (k.n == 1)' implies k.n == 0", None),
        ("step P on up(k)\n  forall m in Node: m.n' == (if m == k then m.n + 1 else m.n)", None),
        ("step P on up(k)\n  (forall m in Node: m.n <= box.x)'", None),
        ("step P on up(_)\n  (box.x + box.x)' == box.x' + box.x'", None),
        ("step P on up(_)\n  box.x'' == 1", "refused"),
        ("step P on up(k)\n  k'.n == 1", "refused"),
        ("step P on up(_)\n  (box.x' + 1)' == 1", "refused"),
        # a condition before the step may bind what is compared after it
        ("step P on up(k)\n  at_top' implies box.x == 2", None),
        ("step P on up(k)\n  at_top' implies k.n' == 3", 3),
        ("step P on up(x)\n  exists y in {box.x}: y + 1 == box.x'", None),
        ("step P\n  {m | m in Node where m.n > 0}' == {m | m in Node where m.n' > 0}", None),
        ("invariant P\n  total(0) == box.x", None),
        ("invariant P\n  box.x < 3", 3),
        ("invariant P\n  box.x' == 1", "refused"),
        ("reachable P\n  box.x' == 1", "refused"),
        ("step P on up(_), reset\n  box.x > 0", 1),
        ("step P on up(k), reset\n  box.x > 0", "refused"),
        ("step P on up(k), rest(m, _)\n  true", "refused"),  # every event binds the same names
        ("step P on up(k), reset\n  k.n > 0", "refused"),
        ("step P on up(k, m)\n  true", "refused"),
        ("step P on unknown(k)\n  true", "refused"),
        ("step P on rest(k, k)\n  true", "refused"),
    ],
)
def test_a_property_is_violated_after_so_many_steps(lines: str, steps: int | str | None) -> None:
    text = f"{WALK}\n{lines}\n"
    if steps == "refused":
        assert refused(text)
        return
    outcome = run(text)
    found = outcome["P"]
    assert (found.verdict.value, found.steps) == (
        ("holds", None) if steps is None else ("fails", steps)
    )


def test_of_several_lines_the_first_false_one_is_reported() -> None:
    text = f"{WALK}\ninvariant P\n  box.x < 4\n  box.x < 2\n  box.x < 1\n"
    found = run(text)["P"]
    assert found.steps == 1
    part = found.part
    assert part is not None and part.span is not None and part.span.text == "box.x < 1"


def test_a_line_after_a_false_one_is_not_reached() -> None:
    text = f"{WALK}\ninvariant P\n  len(box.q) > 0\n  box.q[1] == 0\n"
    assert verdicts(run(text)) == {"P": "fails"}


@pytest.mark.parametrize(
    "lines, verdict, steps",
    [
        ("reachable P\n  box.x == 0", "holds", 0),
        ("reachable P\n  at_top\n  exists k in Node: k.n == 3", "holds", 3),
        ("reachable P\n  forall k in Node: k.n == 2", "fails", None),
        # without faults there is no way back
        ("always possible P\n  box.x == 3", "holds", None),
        ("always possible P\n  box.x == 2", "fails", 3),
        ("always possible P\n  box.x == 0", "fails", 1),
        ("always possible P\n  box.x == 3\n  exists k in Node: k.n == 3", "fails", None),
    ],
)
def test_reachable_and_always_possible(lines: str, verdict: str, steps: int | None) -> None:
    found = run(f"{WALK}\n{lines}\n")["P"]
    assert found.verdict.value == verdict
    if steps is not None:
        assert found.steps == steps


def test_always_possible_starts_also_where_only_faults_lead() -> None:
    text = """
state
  box
    x: 0..2 = 0

action home
  when box.x == 1
  box.x := 0

fault away
  when box.x == 0
  box.x := {}

stops when true

always possible Home
  box.x == 0
"""
    assert verdicts(run(text.format(1))) == {"Home": "holds"}
    lost = run(text.format(2))["Home"]
    assert (lost.verdict.value, lost.steps) == ("fails", 1)


@pytest.mark.parametrize(
    "lines, triggered",
    [
        ("invariant P\n  box.x == 4 implies false", False),
        ("invariant P\n  box.x == 3 implies true", True),
        ("invariant P\n  forall k in Node: k.n > 3 implies false", False),
        ("invariant P\n  forall k in Node: k.n > 2 implies box.x == 3", True),
        ("invariant P\n  box.x == 4 implies false\n  box.x < 4", True),
        ("step P on up(_)\n  true", True),
        ("step P on never\n  true", False),
        ("step P on up(_)\n  box.x == 3 implies false", False),
        ("step P\n  box.x == 3 implies box.x' != 2", True),
        ("liveness P\n  box.x == 4 ~> box.x == 0", False),
        ("liveness P\n  box.x == 3 ~> box.x == 3", True),
        ("liveness P\n  forall k in Node: k.n == 4 ~> box.x == 0", False),
    ],
)
def test_a_property_is_vacuous_if_what_it_speaks_of_never_comes_up(
    lines: str, triggered: bool
) -> None:
    never = "action never\n  when box.x == 4\n  box.x := 0\n"
    found = run(f"{WALK.replace('type N = 0..3', 'type N = 0..4')}\n{never}\n{lines}\n")["P"]
    assert (found.verdict.value, found.triggered) == ("holds", triggered)


def test_a_step_of_a_fault_is_judged_by_a_property_that_names_it() -> None:
    outcome = run(f"{WALK}\nstep P on reset\n  box.x == 0\n")
    assert outcome["P"].steps == 2
    assert names(outcome, "P") == ["up", "reset"]


# --- results -----------------------------------------------------------------------

CELL = """
object Cell(Value: type, first: Value)
  state
    value: Value = first
  operation read(): Value
    returns value
  operation write(v: Value)
    value := v
"""

CLIENT = """
protocol Client
import "cell.model" (Cell)
type N = 0..2
type Job = Idle | Busy
sort User
state
  box
    x: N = 0
  each User
    job: Job = Idle

action read(c in User)
  when c.job == Idle
  c.job := Busy
  call cell.read() by c

action answer(c in User)
  when c.job == Busy
  c.job := Idle
  return box.x by c

action done(c in User)
  when c.job == Busy
  c.job := Idle
  box.x := (box.x + 1) mod 3
  return by c

linearizable cell: Cell(Value = N, first = 0)
{more}

check only
  User = 1
  expect {expected}
"""


def client(directory: Path, more: str, expected: str = "P holds") -> api.File:
    (directory / "cell.model").write_text(CELL)
    text = CLIENT.format(more=more, expected=expected)
    return api.load_source(Source(str(directory / "client.model"), text))


def test_a_step_that_returns_nothing_is_not_judged_by_a_property_that_reads_the_result(
    tmp_path: Path,
) -> None:
    small = "step P\n  result < 2\n"
    found = api.check(client(tmp_path, small)["only"])["P"]
    assert (found.verdict.value, found.steps) == ("fails", 2 + 2 + 2)
    exact = "step P\n  result == box.x\n"
    found = api.check(client(tmp_path, exact)["only"])["P"]
    assert (found.verdict.value, found.triggered) == ("holds", True)
    # The result is what it is; it is no variable, and knows no after.
    with pytest.raises(Refused):
        client(tmp_path, "invariant P\n  result == 0\n")["only"]


def test_an_operation_with_a_result_that_returns_nothing_has_no_place(tmp_path: Path) -> None:
    outcome = api.check(client(tmp_path, "", "cell fails in 2 steps")["only"])
    assert outcome.as_expected
    assert names(outcome, "cell") == ["read", "done"]


def test_a_step_returns_at_most_once(tmp_path: Path) -> None:
    more = (
        "action both(c in User)\n  when c.job == Idle\n  call cell.read() by c\n"
        "  return box.x by c\n  return by c\n"
    )
    assert api.check(client(tmp_path, more, "two-writes")["only"]).as_expected
