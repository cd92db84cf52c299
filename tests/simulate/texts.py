"""Small specifications, and how they are loaded."""

from __future__ import annotations

from modelcheck.api import load_source
from modelcheck.core.model import Check
from modelcheck.source import Source


def check_of(text: str, **settings: str) -> Check:
    """The first check of a specification, some settings replaced."""
    file = load_source(Source("example.model", text))
    return file.instance(next(iter(file)), list(settings.items()))


CHOICES = """\
protocol Choices

sort Node

state
  each Node
    mode: 0..2 in 0..2
  store
    bit: bool in bool
    total: 0..9 = 0

init
  exists n in Node: n.mode == 1

action add(n in Node, k in 1..3)
  when store.total + k <= 9
  store.total := store.total + k

action flip
  store.bit := not store.bit

check two
  Node = 2
  expect distinct 1
"""

ENDS = """\
protocol Ends

state
  store
    value: 0..3 = 0

action up
  when store.value < 3
  store.value := store.value + 1

action stay
  when store.value == 3
  store.value := 3

stops when true

reachable Top
  store.value == 3

check run
  expect holds
"""

ERRORS = """\
protocol Errors

param GUARD: bool
param STEP: bool
param TWICE: bool
param INIT: bool
param JUDGE: bool
param LIST: bool
param STUCK: bool

state
  store
    value: 0..4 in 0..1
    list: seq of 0..9 up to 2 = []
    next: 0..4 = 0

init
  INIT implies store.list[1 + store.value] == 0

action tick
  when store.value < 3 or not STUCK
  store.value := if store.value < 4 then store.value + 1 else 0

action guarded(k in 1..2)
  when store.value == 4 and GUARD
  when store.list[k] == 0
  store.value := 0

action steps(k in 3..4)
  when STEP and store.value == 3
  store.value := store.value + k

action grows
  when LIST
  store.list := store.list ++ [store.value]

action twice
  when TWICE and store.value == 3
  store.value := 0
  if store.value == 3
    store.value := 1

invariant Judged
  JUDGE and store.value == 4 implies store.list[1] == 0

check errors
  GUARD = false, STEP = false, TWICE = false, INIT = false, JUDGE = false
  LIST = false, STUCK = false
  expect holds
"""


COUNTER = """\
protocol Counter

param MAX: int

state
  store
    value: 0..MAX = 0
    peak: 0..MAX = 0

action up
  when store.value < MAX
  store.value := store.value + 1

action down
  when store.value > 0
  store.value := store.value - 1

action note
  store.peak := store.value

stops when true

invariant Low
  store.value < 4

check small
  MAX = 9
  expect Low fails
"""

WIDE = """\
protocol Wide

param MAX: int

state
  store
    value: 0..MAX = 0
    rounds: 0..3 = 0

action jump(to in 0..MAX)
  when store.rounds < 3
  store.value := to
  store.rounds := store.rounds + 1

stops when true

invariant Never
  store.value <= MAX

invariant Small
  store.rounds == 3 implies store.value < 2

check wide
  MAX = 999999
  expect Small fails
"""

RARE = """\
protocol Rare

sort Node

state
  each Node
    mark: 0..99 in 0..99

init
  forall n in Node: n.mark == 7

action clear(n in Node)
  n.mark := 0

stops when true

reachable Cleared
  exists n in Node: n.mark == 0

invariant Marked
  forall n in Node: n.mark == 7

check rare
  Node = 3
  expect Marked fails
"""

HUGE = """\
protocol Huge

sort Node

state
  each Node
    flags: set of 0..19 = {}
    known: bool = false

action add(n in Node, k in 0..19)
  when k not in n.flags
  n.flags += k

action learn(n in Node)
  when size(n.flags) > 3
  n.known := true

action forget(n in Node, k in 0..19)
  when k in n.flags
  n.flags -= k

invariant FewKnow
  (count n in Node: n.known) < 3

check large
  Node = 40
  expect FewKnow fails
"""

INSIDE = """\
protocol Inside

state
  store
    value: 0..9 = 0

constraint store.value < 4

action up
  when store.value < 9
  store.value := store.value + 1

stops when true

reachable Outside
  store.value == 4

reachable Beyond
  store.value == 5

check cut
  expect Outside holds, Beyond fails
"""
