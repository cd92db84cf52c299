"""A few models that have every operation of the encoding in them, and where they are looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tests.compile import corpus
from tests.compile.small import model

from . import values
from .agreement import Specimen, walked

# Numbers too many to be gone through one by one: the solver's own quantifiers.
QUANTIFIERS = """
type Big = 0..1100
state
  v
    n: 0..3 = 1
    s: set of 0..3 = {}
    f: bool = false
action count_up(k in 1..3 where exists i in Big: i > 1099 - v.n and i mod 7 == k)
  when forall i in Big where i < v.n: i in v.s or i < 2
  v.n := (v.n + k) mod 4
action keep
  v.s += v.n
  v.f := forall i in Big: i <= v.n or (exists j in 0..i: j == v.n)
action compare
  v.f := {i | i in Big where i > v.n} subset {i | i in Big where i > 1}
action drop
  when {i | i in Big where i > v.n} != {i | i in Big where i > 2}
  when 2 in {i | i in Big where i > v.n}
  v.s -= v.n
invariant Few
  exists i in Big: i == v.n + 1098
reachable Whole
  forall i in Big where i < 3: i in v.s
"""

# What a step may be about a subset of, and when nothing more can happen.
SUBSETS = """
sort S
state
  v
    s: set of S = {}
    left: 0..2 in 1..2
  each S
    n: 0..2 in 0..1
init
  exists m in S: m.n == 0
action take(some in subset of S where not (some subset v.s))
  when v.left > 0
  v.s := v.s union some
  v.left -= size(some)
action idle(some in subset of v.s)
  when v.left == 0
  for m in some
    m.n := m.n
action grow(m in S)
  when m not in v.s and v.left == 1
  m.n += 1
fault shrink(m in S) at most 1
  v.s -= m
stops when v.left == 0 and exists m in S: m.n == 0
constraint size(v.s) < 2 or v.left == 0
step Left on take(some)
  v.left' < v.left
  size(some) == 1 implies v.left' == v.left - 1
reachable All
  forall m in S: m in v.s
"""


_STATES = 15


class Values:
    """Stands in the place of a specimen."""

    def compare(self) -> None:
        values.compare()


def _of_compile(name: str) -> Specimen:
    made, states = corpus.SOURCES[name]()
    return Specimen(made, states[:: 1 + len(states) // _STATES])


_TOO_LARGE = ("wide", "large")
"""Their sets have so many possible elements that this encoding is slow, or has no table."""

SOURCES: dict[str, Callable[[], Specimen | Values]] = {
    "values": Values,
    "quantifiers": lambda: walked(model(QUANTIFIERS), 10),
    "subsets": lambda: walked(model(SUBSETS, "S = 2"), 30),
    **{
        name: lambda name=name: _of_compile(name)  # type: ignore[misc]
        for name in corpus.SOURCES
        if name not in _TOO_LARGE
    },
}


@cache
def specimen(name: str) -> Specimen | Values:
    return SOURCES[name]()
