"""Which of several shortest traces is shown: always the same one.

The fewest changes of the acting process, then the fewest faults, then the least initial state,
then step by step the earliest action of the file with the least arguments.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from modelcheck.core.values import show

from .small import run


def steps(text: str, of: str = "P") -> list[str]:
    """The steps of the trace as a table shows them: `up(n1)`."""
    trace = run(text)[of].trace
    assert trace is not None
    shown = []
    for step in trace.steps:
        pairs = zip(step.action.binders, step.arguments, strict=True)
        arguments = ", ".join(show(binder.type, value) for binder, value in pairs)
        shown.append(f"{step.action.name}({arguments})" if arguments else step.action.name)
    return shown


NODES = """
sort Node
type N = 0..3
state
  each Node
    x: N = 0
  box
    y: N = 0

stops when true
"""


def test_one_process_goes_on_as_long_as_it_can() -> None:
    text = f"""{NODES}
action up(n in Node)
  when n.x < 2
  n.x += 1

invariant P
  exists n in Node: n.x < 2
"""
    # Six orders of two steps each; one change is enough, and n1 comes before n2.
    assert steps(text) == ["up(n1)", "up(n1)", "up(n2)", "up(n2)"]


def test_a_change_of_process_weighs_more_than_a_fault() -> None:
    text = f"""{NODES}
action one(n in Node)
  when n.x == 0
  n.x := 1

action by_other(n in Node)
  when box.y == 0 and exists m in Node: m != n and m.x == 1
  box.y := 1

fault by_same(n in Node)
  when box.y == 0 and n.x == 1
  box.y := 1

invariant P
  box.y == 0
"""
    assert steps(text) == ["one(n1)", "by_same(n1)"]


def test_of_equally_many_changes_the_one_with_fewer_faults_is_shown() -> None:
    text = f"""{NODES}
fault a(n in Node)
  when n.x == 0
  n.x := 1

action b(n in Node)
  when n.x == 0
  n.x := 2

action finish(n in Node)
  when n.x > 0
  n.x := 3

invariant P
  forall n in Node: n.x < 3
"""
    assert steps(text) == ["b(n1)", "finish(n1)"]


def test_then_comes_the_earliest_action_of_the_file_with_the_least_arguments() -> None:
    text = f"""{NODES}
action later(k in N, n in Node)
  when box.y == 0 and k > 0
  n.x   := k
  box.y := 1

action sooner(n in Node)
  n.x := 1

invariant P
  forall n in Node: n.x == 0
"""
    assert steps(text) == ["later(1, n1)"]
    renamed = text.replace("later", "z").replace("sooner", "a")
    assert steps(renamed) == ["z(1, n1)"]  # the order of the file, not of the alphabet
    first = text.replace("action later", "action x").replace("action sooner", "action y")
    swapped = first.replace("box.y == 0 and k > 0", "box.y == 1 and k > 0")
    assert steps(swapped) == ["y(n1)"]


def test_the_least_initial_state_comes_before_the_earliest_action() -> None:
    text = """
type N = 0..3
state
  box
    x: N in {2, 1}
    y: N = 0

action of_two
  when box.x == 2
  box.y := 1

action of_one
  when box.x == 1
  box.y := 1

stops when true

invariant P
  box.y == 0
"""
    assert steps(text) == ["of_one"]


def test_values_are_ordered_by_their_declaration() -> None:
    text = """
sort Node
type Colour = Red | Green | Blue(n: 0..2)
type Maybe = Node?
state
  box
    c: Colour = Red
    done: bool = false

action set(o in Maybe, c in Colour, s in subset of Node)
  when {guard}
  box.done := true

stops when true

invariant P
  not box.done
"""
    for guard, shown in [
        ("true", "set(none, Red, {})"),
        ("o is some(_)", "set(n1, Red, {})"),
        ("c != Red", "set(none, Green, {})"),
        ("c is Blue", "set(none, Blue(0), {})"),
        ("not empty(s)", "set(none, Red, {n1})"),
        ("size(s) == 2 or s == {n | n in Node where n.later}", None),
    ]:
        if shown is not None:
            assert steps(text.replace("{guard}", guard)) == [shown]


@pytest.mark.parametrize(
    "body, who",
    [
        # the first argument that indexes an `each` group
        ("a(s in Side, n in Node)\n  n.x := 1", "Side left"),
        ("a(n in Node, s in Side)\n  s.z := 1", "Node 0"),
        ("a(k in 1..2, n in Node)\n  n.x := k", "Node 0"),
        ("a(p in 1..2)\n  p.w := 1", "Port 1"),
        # without one, the owner of the first place it writes that is no channel
        ("a\n  net.m += 1\n  box.y := 1", "box"),
        ("a(k in 1..2)\n  net.m += 1\n  box.y := 1", "box"),
        ("a\n  for n in Node\n    n.x := 1\n  box.y := 1", "Node 0"),
        ("a\n  put(1)\n  other.v := 1", "box"),
        ("a\n  net.m += 1", "net"),
        ("a(r in box.refs)\n  r.who.x := 1", "Node 1"),
    ],
)
def test_the_process_of_a_step(body: str, who: str) -> None:
    text = f"""
sort Node
type Side = Left | Right
type Port = 1..2
type Ref(who: Node)
type N = 0..3
state
  each Node
    x: N = 0
  each Side
    z: N = 0
  each Port
    w: N = 0
  box
    y: N = 0
    refs: set of Ref = {{Ref(the n in Node: false)}}
  other
    v: N = 0
  channel net
    m: set of N = {{}}

effect put(v: N)
  box.y := v

action {body}

stops when true

step P
  false
"""
    text = text.replace("{Ref(the n in Node: false)}", "{}")
    if "refs" in body:
        text = text.replace(
            "\nstops when", "\naction fill(n in Node)\n  box.refs := {Ref(n)}\n\nstops when"
        ).replace("step P\n  false", "step P on a(_)\n  false")
        who = "Node 0"
    trace = run(text)["P"].trace
    assert trace is not None
    process = trace.steps[-1].process
    member = process.member
    shown = process.owner if member is None else f"{process.owner} {member}"
    assert shown.replace("Side (0,)", "Side left") == who


SEVERAL = """
protocol Several
sort Node
type Mode = Off | On(by: Node) | Both
type N = 0..2
type Maybe = Node?
state
  each Node
    volatile seen: set of Node = {}
    n: N in {0, 1}
  box
    mode: Mode = Off
    last: Maybe in Node
    log: seq of Node up to 1 = []
  channel net
    sent: bag of Node up to 1 = {}

action send(n in Node)
  when size(net.sent) < 1
  net.sent += n

fair action take(n in Node, m in net.sent)
  net.sent -= m
  n.seen   += m
  if len(box.log) < 1
    box.log += n

action switch(s in subset of Node where size(s) == 1)
  box.mode := if box.mode == Off then On(the n in s: true) else Both
  box.last := none

fault crash(n in Node) at most 1
  lose n
  n.n := 2

stops when true

invariant Few
  forall n in Node: size(n.seen) < 2

step Keeps
  forall n in Node: n.seen subset n.seen'

reachable Far
  box.mode == Both and len(box.log) == 1

liveness Settles
  eventually always empty(net.sent)

check everything
  Node = 2
  expect holds
"""


def test_the_output_is_the_same_byte_for_byte_whatever_python_s_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "several.model").write_text(SEVERAL)
    said = set()
    for seed in "012":
        for format_ in ("text", "json"):
            done = subprocess.run(
                [sys.executable, "-m", "modelcheck", "check", "--format", format_, "several.model"],
                cwd=tmp_path,
                env={
                    **os.environ,
                    "PYTHONHASHSEED": seed,
                    "PYTHONPATH": os.pathsep.join(sys.path),
                },
                capture_output=True,
                check=False,
            )
            assert done.returncode == 1 and not done.stderr.strip(b"\n"), done.stderr
            said.add((format_, without_times(done.stdout)))
    assert len(said) == 2


def without_times(output: bytes) -> bytes:
    return re.sub(rb'[0-9.]+ ?m?s\b|"(\w*seconds|states_per_second)": [0-9.e-]+', b"TIME", output)
