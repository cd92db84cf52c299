"""Groups, initial states, `volatile` and `ghost`."""

from __future__ import annotations

import pytest

from .small import counts, loaded, names, refused, run, verdicts

REST = "\naction rest\n  box.x := box.x\n\nstops when true\n"


def test_every_combination_of_choices_that_init_accepts_is_an_initial_state() -> None:
    text = """
sort Node
state
  each Node
    up: bool in bool
    rank: 0..2 in 1..2
  box
    x: Node in Node
    y: 0..9 in {3, 5, 7}
    z: 0..9 = 4
"""
    check = "\ncheck only\n  Node = 2\n  expect holds\n"
    assert counts(f"{text}{REST}{check}") == ((2 * 2) ** 2 * 2 * 3, 192, 1)
    # x is up: half are left; some rank is 2: three of four; y below 7: two of three.
    init = """
init
  box.x.up
  exists n in Node: n.rank == 2
  box.y < 7
"""
    assert counts(f"{text}{init}{REST}{check}") == (24, 48, 1)


def test_a_name_bound_in_init_is_known_in_the_lines_below() -> None:
    text = """
type N = 0..2
type Maybe = N?
state
  box
    x: N? in Maybe
    y: N in N
init
  box.x is some(v) and v > 0
  box.y == v
"""
    assert counts(text + REST) == (2, 4, 1)


def test_an_initial_choice_may_be_of_options_and_of_subsets() -> None:
    text = """
type N = 0..2
state
  box
    x: N? in N
    s: set of N in subset of {0, 2}
"""
    assert counts(text + REST) == (12, 24, 1)


@pytest.mark.parametrize(
    "variable",
    [
        "volatile x: bool in bool",
        "x: 0..2 = box.y",
        "x: 0..2 in {box.y}",
        "x: 0..2 = 3",
        "x: 0..2 = true",
        "x: 0..2",
        "x: 0..2 = MAX + 1",
        "x: bool = first([])",
        "x: 0..2 in {MAX, MAX + 1}",
        "x: 0..2 in 0..3",
        "x: 0..2 in {max({0} minus {0})}",
        "x: bool in 0..1",
    ],
)
def test_such_an_initial_value_is_refused(variable: str) -> None:
    text = f"param MAX: int\nstate\n  box\n    y: 0..2 = 0\n    {variable}\n"
    rest = "\naction rest\n  box.y := box.y\n\ncheck only\n  MAX = 2\n  expect holds\n"
    assert refused(text + rest), variable


def test_initial_terms_read_parameters_and_lets() -> None:
    text = """
param MAX: int
let top = MAX - 1
let twice(n: int) = n + n
state
  box
    x: 0..9 = twice(top)

action rest
  box.x := box.x

invariant P
  box.x == 4

check only
  MAX = 3
  expect P holds
"""
    assert run(text).as_expected


def test_each_member_of_an_enum_a_range_or_a_sort_has_its_copy() -> None:
    text = """
sort Node
type Side = Left | Right
type Port = 3..5
state
  each Node
    a: bool = false
  each Side
    b: bool = false
  each Port
    c: bool = false

action set(n in Node, s in Side, p in Port)
  n.a := true
  s.b := true
  p.c := true

stops when true

check only
  Node = 2
  expect holds
"""
    # The first step sets one of 2, of 2, of 3; then in each direction more, never fewer:
    # nothing set yet, or a nonempty subset of each.
    assert run(text).stats.distinct == 1 + 3 * 3 * 7


def test_lose_resets_what_is_volatile_and_nothing_else() -> None:
    text = """
sort Node
type K = A | B
state
  each Node
    volatile v: map K to 0..2 = 1
    kept: 0..2 = 0
  box
    volatile w: 0..2 = 1
    also: 0..2 = 0
    step: 0..3 = 0

action write
  when box.step == 0
  box.step := 1
  for n in Node
    n.v[A] := 2
    n.kept := 2
  box.w    := 2
  box.also := 2

action forget(n in Node)
  when box.step == 1
  box.step := 2
  lose n

action forget_box
  when box.step == 2
  box.step := 3
  lose box

stops when box.step == 3

step OneLost on forget(n)
  n.v' == (each k in K: 1) and n.kept' == 2
  forall m in Node: m == n or m.v[A]' == 2 and m.v[B]' == 1
  box.w' == 2

step BoxLost on forget_box
  box.w' == 1 and box.also' == 2
  forall m in Node: m.v' == m.v

check only
  Node = 2
  expect holds
"""
    assert run(text).as_expected


def test_a_written_value_beside_lose_wins_also_for_one_entry_of_a_map() -> None:
    text = """
sort Node
type K = A | B
state
  each Node
    volatile v: map K to 0..9 = 1
    volatile n: 0..9 = 5
    volatile s: set of K = {B}
    disk: 0..9 = 7

action prepare(x in Node)
  when x.n == 5
  x.v := each k in K: 3
  x.n := 6
  x.s := {A}

action crash(x in Node)
  when x.n == 6
  x.v[A] := x.disk
  lose x
  x.n += 1
  x.s += A

stops when true

## The entry that is written is kept, the other one is lost. A change counts from what was lost:
## 5 + 1, and {B} with A.
step Restored on crash(x)
  x.v[A]' == 7 and x.v[B]' == 1
  x.n' == 6
  x.s' == {A, B}

check only
  Node = 1
  expect Restored holds
"""
    assert run(text).as_expected


GHOST = """
sort Node
type Message(n: 0..2)
state
  box
    x: 0..2 = 0
    m: map bool to 0..2 = 0
    ghost g: 0..2 = 0
    ghost s: set of 0..2 = {}
    ghost o: Option = none
  each Node
    real: 0..2 = 0
    ghost h: bool = false
type Two = 0..2
type Option = Two?

let seen = box.g
let of(n: Node) = n.h
effect put(v: int)
  box.x := v
effect note(v: int)
  box.g := v
"""


@pytest.mark.parametrize(
    "text",
    [
        "action a\n  when box.g == 0\n  box.x := 1\n",
        "action a\n  when seen == 0\n  box.x := 1\n",
        "action a(n in Node)\n  when of(n)\n  box.x := 1\n",
        "action a\n  when exists n in Node: n.h\n  box.x := 1\n",
        "action a(v in box.s)\n  box.x := 1\n",
        "action a(v in 0..2 where v == box.g)\n  box.x := 1\n",
        "action a(v in 0..box.g)\n  box.x := 1\n",
        "action a\n  box.x := box.g\n",
        "action a\n  box.x += seen\n",
        "action a\n  let v = box.g\n  box.x := v\n",
        "action a\n  put(box.g)\n",
        "action a\n  box.m[box.g == 0] := 1\n",
        "action a\n  if box.g == 0\n    box.x := 1\n",
        "action a\n  if box.x == 0\n    box.x := 1\n  elif box.g == 0\n    box.x := 2\n",
        "action a\n  if box.g == 0\n    box.g := 1\n  else\n    box.x := 2\n",
        "action a\n  if box.g == 0\n    put(1)\n",
        "action a\n  if box.o is some(v)\n    box.x := v\n",
        "action a\n  for v in box.s\n    box.x := v\n",
        "action a\n  for n in Node where n.h\n    n.real := 1\n",
        "action a\n  let v = box.g\n  if v == 0\n    box.x := 1\n",
        "action a\n  let v = box.g\n  let w = v + 1\n  box.x := w\n",
        "stops when box.g == 0\n",
        "constraint box.g == 0\n",
        "effect bad(b: bool)\n  if b\n    box.x := 1\naction a\n  bad(box.g == 0)\n",
        "effect bad(n: Node)\n  box.x := if n.h then 1 else 0\naction a(n in Node)\n  bad(n)\n",
        "action a(n in Node)\n  n.real := if n.h then 1 else 0\n",
        "action a\n  let p = (the n in Node: n.h)\n  p.real := 1\n",
    ],
)
def test_nothing_real_reads_a_ghost(text: str) -> None:
    found = refused(GHOST + "\n" + text + "\naction rest\n  box.x := box.x\n")
    assert found and set(found) <= {"ghost-read", "ghost-condition"}


@pytest.mark.parametrize(
    "text",
    [
        "action a\n  box.g := box.g\n",
        "action a\n  box.g := box.x\n",
        "action a\n  if box.g == 0\n    box.g := 1\n    note(2)\n",
        "action a\n  note(box.g)\n",
        "action a\n  for v in box.s\n    box.s -= v\n",
        "action a\n  let v = box.g\n  box.g := v\n",
        "action a(n in Node)\n  n.h := not n.h\n  n.real := 1\n",
        "action a\n  if box.o is some(v)\n    box.g := v\n",
        "invariant P\n  box.g >= 0\n",
        "step P\n  box.g' >= 0\n",
        "reachable P\n  seen == 0\n",
        "always possible P\n  seen == 0\n",
        "liveness P\n  seen == 0 ~> seen == 0\n",
    ],
)
def test_properties_and_ghosts_read_ghosts(text: str) -> None:
    assert refused(GHOST + "\n" + text + "\naction rest\n  box.x := box.x\n") == []


def test_the_bound_of_a_fault_reads_no_state_at_all() -> None:
    assert refused("state\n  box\n    x: 0..2 = 0\nfault a at most box.x\n  box.x := 1\n")


def test_a_ghost_changes_no_step_but_distinguishes_states() -> None:
    text = """
state
  box
    x: bool = false
    {}n: 0..2 = 0

action flip
  box.x := not box.x
  if box.n < 2
    box.n += 1
"""
    # (false, 0) (true, 1) (false, 2) (true, 2)
    assert counts(text.format("ghost ")) == counts(text.format("")) == (4, 5, 4)


def test_sending_and_receiving_is_adding_and_removing() -> None:
    text = """
sort Node
state
  channel net
    one: set of Node = {}
    two: bag of Node up to 2 = {}

action send(n in Node)
  when size(net.two) < 2
  net.one += n
  net.two += n

action receive(n in net.two)
  net.two -= n

fault drop(n in net.one)
  net.one -= n

check only
  Node = 2
  expect holds
"""
    assert run(text).as_expected
    assert [owner.kind for owner in loaded(text)["only"].model.owners] == ["channel"]


def test_two_groups_may_have_variables_of_one_name_but_not_one_group() -> None:
    text = "state\n  a\n    x: bool = true\n  b\n    x: bool = true\n"
    assert refused(text) == []
    assert refused("state\n  a\n    x: bool = true\n    x: bool = true\n")
    assert refused("state\n  a\n    x: bool = true\n  a\n    y: bool = true\n")


def test_a_deadlock_at_once_is_found_in_no_steps() -> None:
    outcome = run("state\n  box\n    x: bool = true\n")
    assert outcome["deadlock"].steps == 0 and names(outcome, "deadlock") == []
    assert verdicts(outcome) == {"deadlock": "fails"}


@pytest.mark.parametrize("key", ["1..3", "bool", "int", "Node?", "set of Node", "Pair", "Unknown"])
def test_a_group_has_a_copy_for_a_sort_a_named_enum_or_a_named_range(key: str) -> None:
    text = f"sort Node\ntype Pair(a: bool, b: bool)\nstate\n  each {key}\n    x: bool = true\n"
    assert refused(text)


def test_a_member_outside_its_group_has_no_variables() -> None:
    text = """
type Port = 1..2
state
  each Port
    w: 0..3 = 0
  box
    y: 0..3 = 0

action up
  when box.y < 3
  box.y += 1

stops when true

invariant P
  box.y > 0 implies box.y.w == 0
"""
    outcome = run(text)
    assert verdicts(outcome) == {"P": "undecided", "undefined": "fails"}
    assert outcome["undefined"].steps == 3


def test_a_choice_of_literals_for_every_key_has_the_type_of_an_entry() -> None:
    outcome = run("""
type Mark = Only | Other

state
  store
    marks: map bool to set of Mark? = if 1 < 2 then {none, Only} else {Only}

stops when true

invariant Both
  forall b in bool: store.marks[b] == {none, Only}
""")
    assert outcome.verdict == "holds"
