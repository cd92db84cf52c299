"""Who acts, in models in which a number picks the member of a group."""

from __future__ import annotations

from language.small import loaded

from modelcheck.core.semantics import Semantics
from modelcheck.core.trace import Process


def _processes(text: str) -> list[Process]:
    semantics = Semantics(loaded(text)["only"].model)
    state, _ = next(iter(semantics.initial_states()))
    return [instance.process for instance in semantics.successors(state)]


def test_a_number_names_a_member_of_the_group_of_numbers_wherever_it_stands():
    assert _processes("""
type Level = 0..2
state
  store
    last: 0..1 = 0
  each Level
    busy: bool = false
action work(i in 1..2)
  i.busy := true
""") == [Process("Level", 1), Process("Level", 2)]


def test_a_number_that_is_no_member_names_the_group():
    assert _processes("""
type Level = 0..1
state
  each Level
    busy: bool = false
action work(i in 1..2)
  i.busy := true
""") == [Process("Level", 1), Process("Level")]
