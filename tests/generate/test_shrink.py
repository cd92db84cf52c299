"""The shrinker keeps what a file shows, and little else."""

from __future__ import annotations

from .generated import MAIN
from .loading import Loaded, load
from .shrink import shrink

TEXT = """protocol Wide

param MAX: int = 3
sort Node
type Level = 0..MAX

state
  each Node
    level: Level = 0
    seen: set of Node = {}
  store
    total: Level = 0

action raise(n in Node, m in Node where n != m)
  when n.level < MAX and m not in n.seen
  n.level := n.level + 1
  n.seen  += m

action add
  when store.total < MAX
  store.total := if store.total == 2 then store.total + 5 else store.total + 1

invariant Low
  forall n in Node: n.level <= 2 or store.total == 0

check small
  Node = 2
  expect holds
"""


def _leaves_its_range(file: Loaded) -> bool:
    from modelcheck.core import referee

    (check,) = file.checks()
    return referee.check(check, keep_going=True)["range"].steps is not None


def test_a_file_becomes_small_and_still_shows_it():
    smaller = shrink({MAIN: TEXT}, _leaves_its_range)
    assert _leaves_its_range(load(smaller))
    assert len(smaller[MAIN].split("\n")) <= 12
    assert "seen" not in smaller[MAIN]
