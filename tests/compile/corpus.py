"""A few models that have every operation of the lowering in them, and where they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from modelcheck.core.model import Model
from modelcheck.core.values import State

from .agreement import Comparison, Disagreement, Native, Referee
from .small import model
from .tiny import FAMILIES, Family

_STATES = 12
_ACTIONS = 150


def _of_family(family: Family) -> tuple[Model, list[State]]:
    bodies = family.bodies(level=1)
    chosen = Random(2).sample(bodies, min(_ACTIONS, len(bodies)))
    made, _ = family.model(chosen)
    states = family.all_states(made)
    return made, Random(3).sample(states, min(_STATES, len(states)))


# Properties, failures on the way, arguments, faults, losses, results: what is around terms.
AROUND = """
sort S
type Num = 0..2
state
  v
    n: Num = 0
    m: Num in 0..1
    q: seq of Num up to 2 = [1]
  each S
    up: bool = true
    volatile w: Num = 1
    volatile x: Num = 2
  channel net
    sent: bag of Num up to 2 = {}
init
  v.n == 0 implies v.m < 2
  v.q[v.m + 1] == 1
action work(s in S where s.up, k in v.m..2)
  when v.q[k] <= k
  let next = v.n + k
  when next != 3
  v.n := next
  s.w := k
action choose(s in S, t in S where s != t, both in subset of S where s in both)
  when size(both) > v.n
  if t in both
    s.w := t.x
    t.w := s.w
  elif s.up
    v.n += size(both)
  else
    lose t
action send(k in Num)
  net.sent += k
  if k == v.n
    v.m := 1
action send_other(k in Num)
  if k != v.n
    net.sent += k
    v.m := 1
  if k > 1
    v.m := 2
action take(k in net.sent)
  net.sent -= k
  v.q += k
action double(i in 1..2, j in 1..2)
  v.q[i] := 1
  v.q[j] := v.n
action pile(s in S, t in S)
  s.w += 1
  t.w += v.m
  v.n -= 1
action spread
  for s in S where s.up
    s.w := v.n + 1
    v.n := s.x
action inside(k in 0..4)
  when k - v.n in Num
  v.m := if k in v.q then 1 else 0
action both_ways(i in 1..2)
  v.q := if v.m == 1 then [v.n] else []
  v.q[i] := 0
action ends
  v.n := if v.m == 0 then min({v.n, 2}) else max(v.q ++ [v.m])
  v.m := max({0, min(v.q)})
action most
  when majority({s | s in S where s.up}) or v.n == 2
  v.m := 1 - v.m
fault crash(s in S) at most 2
  s.up := false
  lose s
fault forget
  for s in S where s.up
    lose s
  v.n += 2
stops when v.q[1] > 1
constraint v.n < 2 or v.q[2] > 1
invariant Small
  v.n <= 1
  v.m <= 1
  v.q[1] == 1
invariant Pairs
  forall s in S, t in S where s.up: t.w <= 1 or s == t
invariant Silent
  v.m == 2 implies v.n == 1
reachable Twice
  len(v.q) == 2
  v.q[2] == v.n
step Grows
  v.n' >= v.n
step Taken on take(k)
  k > 0 implies len(v.q') > len(v.q)
  v.q[2]' == k
step Piled on pile(s, t)
  s.w' > t.w
step Worked on work(s, _), pile(s, _)
  s.w' != s.w
"""

# Values of more than a word, long lists, elements in order, sequences inside elements.
LARGE = """
type Num = 0..2
type Wide(a: 0..1000000000, b: 0..1000000000, c: 0..1000000000)
type Log = seq of 0..7 up to 3
type Packet(log: Log, to: 0..1)
type Big = 0..100
type Holder(log: Log?, half: bool)
type Half = 0..4294967295
type Word(a: Half, b: Half)
type Pair(a: 0..30, b: 0..30)
type Item = Plain(at: Big) | Listed(log: Log)
state
  v
    w: Wide = Wide(1, 2, 3)
    u: Wide? = none
    n: Num = 0
    s: set of Big = {}
    t: set of Packet up to 3 = {}
    g: bag of Packet up to 3 = {}
    i: bag of Item up to 3 = {}
    l: seq of Wide up to 3 = []
    m: map Num to Wide = Wide(0, 0, 7)
    o: bag of Num? up to 3 = {}
    h: bag of Holder up to 3 = {}
    d: bag of Word up to 3 = {}
    p: Pair? = none
action a1(k in 0..2)
  v.w := v.w with (a = v.w.b, b = v.w.c + k)
action a2(k in Num)
  v.u := if k == 0 then none else v.w
action a3(k in Big where k mod 33 == 1 or k > 98)
  v.s += k
action a4(k in v.s)
  v.s -= {k, 99}
action a5(k in v.s)
  v.s := v.s union {k * 2 mod 100} minus {2}
action a6(k in 0..1, j in 0..2)
  v.t += Packet(if j == 0 then [] else if j == 1 then [k] else [k, 7], k)
action a7(k in 0..1, j in 0..2)
  v.g += Packet(if j == 0 then [] else if j == 1 then [k] else [k, 7], 1 - k)
action a8(p in v.g)
  v.g -= p
  v.i += Listed(p.log)
action a9(p in v.t)
  v.t -= p
  v.i += Plain(v.n)
action b1
  v.l += v.w
action b2(i in 1..3)
  v.l[i] := v.m[i - 1]
action b3(k in Num)
  v.m[k] := v.w
action b4
  when v.l != [] and first(v.l) == v.w
  v.l := rest(v.l)
action b5
  v.n := count k in v.g: k.to == 1
action b6(k in Num)
  v.o += if k == 0 then none else k
action b7
  v.n := count k in v.o: k is some(1)
action b8(i in Num, j in Num)
  v.l := v.l[i..j]
action b9(k in Num)
  v.h += Holder(if k == 0 then none else if k == 1 then [] else [3], v.n == 1)
action c1(k in 0..3)
  v.d += Word(k * 1431655765, (3 - k) * 1431655765)
action c2(p in Pair where p.a mod 30 == 0 and p.b mod 15 == 0)
  v.p := p
action c3
  v.l := v.l ++ [v.w]
action c4
  v.l := [v.w] ++ prefix(v.l, 1)
invariant Few
  size(v.s) < 3
  max(v.s union {0}) < 99
reachable Greatest
  max(v.s union {0}) == 34
reachable Equal
  v.u == v.m[1]
  v.s subset {1, 34, 67}
step Stays
  v.l == v.l'
"""


# It comes to rest, in places where it may and where it may not.
REST = """
state
  v
    n: 0..6 = 6
    q: seq of 0..1 up to 6 = [0, 1, 0]
action down(k in 1..3)
  when v.n != 4 and k <= v.n
  v.n -= k
action same
  when v.n in {1, 2, 4}
  v.n := v.n
fault up at most 2
  v.n += 1
stops when v.q[v.n] == 1
"""


def _walked(text: str, most: int, settings: str = "") -> tuple[Model, list[State]]:
    """A model, and states that walks at random come to."""
    made, chance = model(text, settings), Random(4)
    referee = Referee(made)
    first = [s for s, failure in referee.semantics.initial_states() if failure is None]
    states = dict.fromkeys(first)
    while len(states) < most:
        state = chance.choice(first)
        for _ in range(15):
            onward = [step.after for step in referee.moves(state).steps if step.after is not None]
            if not onward:
                break
            state = chance.choice(onward)
            states[state] = None
    return made, list(states)


SOURCES: dict[str, Callable[[], tuple[Model, list[State]]]] = {
    **{family.name: lambda family=family: _of_family(family) for family in FAMILIES},  # type: ignore[misc]
    "around": lambda: _walked(AROUND, 60, "S = 2"),
    "rest": lambda: _walked(REST, 12),
    "large": lambda: _walked(LARGE, 60),
}


class Specimen:
    """A model with what the referee says of it, to be compared again and again."""

    def __init__(self, made: Model, states: Sequence[State]) -> None:
        self.model, self.states = made, states
        self.referee = Referee(made)
        self.judged = [self.referee.judge(state) for state in states]
        self.moves = [self.referee.moves(state) for state in states]

    def compare(self) -> None:
        """Raises Disagreement, or whatever else goes wrong with code that is wrong."""
        native = Native(self.model)
        both = Comparison(self.referee, native)
        both.first(20)
        told = zip(self.states, self.judged, self.moves, strict=True)
        for state, judged, moves in told:
            if native.layout.unpack(native.layout.pack(state)) != state:
                raise Disagreement("unpack(pack(state))")
            if native.judge(state) != judged or native.moves(state) != moves:
                raise Disagreement(str(state))


@cache
def specimen(name: str) -> Specimen:
    return Specimen(*SOURCES[name]())
