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


# What the others have only by halves.
MIXED = """
type N = 0..2
type U = A | B(x: N) | C(x: N, y: N)
type W = D(x: N) | E(y: N, x: N)
state
  v
    n: N in {1, 2}
    w: W = D(1)
    q: seq of N up to 3 = [1, 2]
    g: bag of N up to 3 = {1}
    u: U = A
    s: set of N = {}
    m: map N to N = 0
    d: map 0..1 to map 0..1 to N = 0
  each N
    own: N = 0
let is_less(a: N, b: N) = a < b
effect put(k: N, x: N)
  v.m[k] := x
action less(k in N)
  when is_less(k, v.n)
  put(v.n, k)
action write_outside(k in 0..4)
  v.m[k - 1] := 1
action read_outside(k in 0..3)
  v.n := v.m[k]
action deep(i in 0..1, j in 0..2)
  when v.n == 1
  v.d[i][j] := j
action deep_somewhere(j in 0..1)
  v.d[v.n mod 2][j] := 2
action keep
  if v.n == 1
    v.s += 1
  if v.n != 2
    v.s -= 0
  if v.n == 2
    v.s := {0}
action owned(k in 0..3)
  when v.n == 2
  k.own := 1
action cut(k in 0..5)
  v.q := prefix(v.q, k - 1)
action join
  v.q := v.q ++ [v.n]
action join_in_front(k in N)
  v.q := [k] ++ v.q
action twice
  v.q := v.q ++ v.q[2..3]
action bind(u in {A, B(v.n), C(0, v.n)} where u is C(a, b))
  v.n := if a < b then a else 2
action weigh
  v.n := (count x in v.g, y in v.g: x <= y) mod 3
  v.g += v.n
action less_of(k in v.g)
  v.g -= k
action of_some
  v.n := count x in (if v.n == 1 then {} else {v.n}): x > 0
action change(k in N)
  v.u := if k == 0 then A else if k == 1 then B(v.n) else C(v.n, k)
action turn(k in N)
  v.w := if k == 0 then D(v.n) else E(k, v.n)
action look
  v.n := v.w.x
action renew
  v.w := v.w with (x = 2 - v.w.x)
action set_inside(k in 1..3)
  v.w.x := k
action compare(k in N)
  when v.q == (if k == 0 then [] else [k]) ++ v.q[1..1]
  v.n := k
invariant Twice
  len(v.q) == 2 implies v.q[1] != v.q[2]
"""


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
    "mixed": lambda: walked(model(MIXED), 25),
    **{
        name: lambda name=name: _of_compile(name)  # type: ignore[misc]
        for name in corpus.SOURCES
        if name not in _TOO_LARGE
    },
}


@cache
def specimen(name: str) -> Specimen | Values:
    return SOURCES[name]()
