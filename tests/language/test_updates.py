"""What a step does: updates, how they combine, and the four errors of writing."""

from __future__ import annotations

import pytest

from .small import counts, refused, run, verdicts

STATE = """
sort Node
type N = 0..9
type K = A | B
type Maybe = N?
type Pair(a: N, b: N)
type T = Nil | One(x: N, p: Pair)
type Log = seq of N up to 3
state
  box
    done: bool = false
    n: N = 5
    k: N = 1
    z: -3..3 = 0
    t: T = One(1, Pair(2, 3))
    p: Pair = Pair(1, 2)
    s: set of N = {1, 2}
    u: set of N up to 3 = {1, 2}
    o: set of Maybe up to 4 = {}
    b: bag of N up to 4 = {1, 1, 2}
    q: seq of N up to 3 = [7, 8]
    ps: seq of Pair up to 2 = [Pair(1, 2), Pair(3, 4)]
    m: map K to N = 0
    mm: map K to map bool to N = 0
    ms: map K to set of N = {}
    ml: map K to Log = []
    maybe: Maybe = none
  each Node
    x: N = 0

effect put(v: N)
  box.n := v
effect add(v: N)
  box.n += v
effect both(v: N)
  put(v)
  box.k := v

stops when box.done
"""


def after(body: str) -> str:
    """An action with this body, which happens once."""
    if "box.t." in body:
        body = "when box.t is One\n" + body
    lines = "\n".join(f"  {line}" for line in body.strip().splitlines())
    return f"{STATE}\naction go\n  when not box.done\n{lines}\n  box.done := true\n"


@pytest.mark.parametrize(
    "body, term",
    [
        # every term reads the state before the step
        ("box.n := box.k\nbox.k := box.n", "box.n == 1 and box.k == 5"),
        ("box.n := box.n + 1\nlet y = box.n\nbox.k := y", "box.n == 6 and box.k == 5"),
        ("let y = box.n + 1\nbox.n := y + y - 4", "box.n == 8"),
        # numbers add up
        ("box.n += 2\nbox.n -= 3\nbox.n += box.k", "box.n == 5"),
        ("box.n += 9\nbox.n -= 9", "box.n == 5"),  # only the value after the step is judged
        ("box.z -= 3", "box.z == -3"),
        ("box.z += -2", "box.z == -2"),
        # sets lose what is removed, then gain what is added
        ("box.s -= 1\nbox.s += 3", "box.s == {2, 3}"),
        ("box.s += 1\nbox.s -= 1", "box.s == {1, 2}"),
        ("box.s -= 1\nbox.s += 1", "box.s == {1, 2}"),
        ("box.s -= 9", "box.s == {1, 2}"),
        ("box.s += {1, 3}\nbox.s -= {1, 2}", "box.s == {1, 3}"),
        ("box.s -= box.s", "box.s == {}"),
        ("box.s += {}\nbox.s -= {x | x in N where x > 1}", "box.s == {1}"),
        ("box.u += 3", "size(box.u) == 3"),
        ("box.u += {3, 4}\nbox.u -= {1, 2}", "box.u == {3, 4}"),
        ("box.o += none\nbox.o += 3\nbox.o += {none, 4}", "box.o == {none, 3, 4}"),
        # bags add up; what is not there cannot be removed, and nothing added is lost for it
        ("box.b += 2", "box.b[1] == 2 and box.b[2] == 2"),
        ("box.b -= 1\nbox.b -= 1", "box.b[1] == 0 and size(box.b) == 1"),
        ("box.b -= 2\nbox.b += 2", "box.b[2] == 1"),
        ("box.b -= 9\nbox.b -= 2\nbox.b -= 2", "box.b == {1, 1}"),
        ("box.b -= 9\nbox.b += 9", "box.b[9] == 1"),
        ("box.b += {1, 3}\nbox.b -= 2", "box.b[1] == 3 and box.b[3] == 1"),
        ("box.b -= {1, 2}", "box.b == {1}"),
        ("box.b -= box.b", "empty(box.b)"),
        ("box.b += 3\nbox.b += 3\nbox.b -= 1", "size(box.b) == 4"),
        ("for x in box.b\n  box.b += x\n  box.b -= 2", "box.b[1] == 3 and box.b[2] == 1"),
        # an append
        ("box.q += 9", "box.q == [7, 8, 9]"),
        ("box.q := rest(box.q) ++ [1, 2]", "box.q == [8, 1, 2]"),
        ("box.ml[A] += 4", "box.ml[A] == [4] and box.ml[B] == []"),
        # places inside values
        ("box.t.x := 4", "box.t == One(4, Pair(2, 3))"),
        ("box.t.p.a := 9\nbox.t.p.b += 1", "box.t == One(1, Pair(9, 4))"),
        ("box.p.a := box.p.b\nbox.p.b := box.p.a", "box.p == Pair(2, 1)"),
        ("box.m[A] := 1\nbox.m[B] += 2", "box.m[A] == 1 and box.m[B] == 2"),
        ("box.mm[A][true] := 1\nbox.mm[A][false] := 2", "box.mm[A][true] + box.mm[A][false] == 3"),
        ("box.ms[A] += 1\nbox.ms[A] += 2\nbox.ms[B] += 3", "size(box.ms[A]) == 2"),
        ("box.q[1] := 0\nbox.q[len(box.q)] += 1", "box.q == [0, 9]"),
        ("box.ps[2].a := 9", "box.ps == [Pair(1, 2), Pair(9, 4)]"),
        ("box.maybe := 3", "box.maybe == 3"),
        ("box.maybe := if box.n == 5 then none else 3", "box.maybe == none"),
        # blocks
        ("if box.n == 5\n  box.n := 1\nelif box.n == 5\n  box.n := 2\nelse\n  box.n := 3",
         "box.n == 1"),
        ("if box.n == 4\n  box.n := 1\nelif box.n == 5\n  box.n := 2\nelse\n  box.n := 3",
         "box.n == 2"),
        ("if box.n == 4\n  box.n := 1\nelif box.n == 3\n  box.n := 2\nelse\n  box.n := 3",
         "box.n == 3"),
        ("if box.n == 4\n  box.n := 1", "box.n == 5"),
        ("for n in Node\n  n.x := 3", "forall n in Node: n.x == 3"),
        ("for n in Node\n  for m in Node where m != n\n    m.x += 2", "forall n in Node: n.x == 2"),
        ("for n in Node\n  box.n += 1", "box.n == 7"),
        ("for i in 1..0\n  box.n := 0", "box.n == 5"),
        # effects
        ("put(2)", "box.n == 2 and box.k == 1"),
        ("both(2)", "box.n == 2 and box.k == 2"),
        ("add(1)\nadd(2)\nbox.n -= 1", "box.n == 7"),
        ("for i in 1..2\n  add(i)", "box.n == 8"),
        # one value, written twice
        ("put(2)\nboth(2)", "box.n == 2"),
        ("for i in 1..2\n  box.n := 3", "box.n == 3"),
        ("box.p := Pair(4, 2)\nbox.p.a := 4", "box.p == Pair(4, 2)"),
        ("box.p.a := 4\nbox.p := Pair(4, 5)", "box.p == Pair(4, 5)"),
        ("box.m := each k in K: 3\nbox.m[A] := 3", "box.m[A] == 3"),
        ("box.t := One(3, Pair(4, 5))\nbox.t.p.b := 5", "box.t == One(3, Pair(4, 5))"),
        ("box.mm[A] := each b in bool: 1\nbox.mm[A][true] := 1", "box.mm[A][true] == 1"),
        ("for k in K\n  box.m[A] := 2", "box.m[A] == 2 and box.m[B] == 0"),
    ],
)  # fmt: skip
def test_after_the_step_it_is_true(body: str, term: str) -> None:
    outcome = run(f"{after(body)}\ninvariant P\n  box.done implies {term}\n")
    assert verdicts(outcome) == {"P": "holds"}
    assert outcome.stats.distinct == 2


@pytest.mark.parametrize(
    "body, error",
    [
        ("box.n += 5", "range"),
        ("box.n -= 6", "range"),
        ("box.n := box.n + 5", "range"),
        ("box.p.a := 10", "range"),
        ("box.p := box.p with (a = 10)", "range"),
        ("box.s += 10", "range"),
        ("box.q += 10", "range"),
        ("box.q[1] := 10", "range"),
        ("box.m[A] := 10", "range"),
        ("box.maybe := 10", "range"),
        ("put(10)", "range"),
        ("if Pair(10, 1).b == 1\n  box.n := 1", "range"),
        ("box.u += {3, 4}", "capacity"),
        ("box.b += {3, 4}", "capacity"),
        ("box.q := box.q ++ box.q", "capacity"),
        ("box.ml[A] := [1, 2, 3, 4]", "capacity"),
        ("box.q[3] := 1", "undefined"),
        ("box.q[0] := 1", "undefined"),
        ("box.n := box.q[3]", "undefined"),
        ("let y = box.q[3]\nbox.n := 1", "undefined"),
        ("if box.q[3] == 1\n  box.n := 1", "undefined"),
        ("for i in 1..3 where box.q[i] > 0\n  box.n := 1", "undefined"),
        ("for k in K\n  box.n := if k == A then 1 else 2", "two-writes"),
        ("for k in K\n  box.q += 1", "two-writes"),
        ("put(1)\nput(2)", "two-writes"),
        ("put(1)\nadd(1)", "two-writes"),
        ("put(5)\nadd(0)", "two-writes"),  # `:=` beside a change, even one by nothing
        ("box.p := Pair(4, 2)\nbox.p.a := 3", "two-writes"),
        ("box.p.a += 1\nbox.p := Pair(2, 2)", "two-writes"),
        ("box.m := each k in K: 3\nbox.m[A] += 0", "two-writes"),
        ("box.m := each k in K: 3\nbox.m[A] := 4", "two-writes"),
        ("let one = 1\nlet two = 2\nbox.q[one] := 1\nbox.q[two - 1] := 2", "two-writes"),
        ("box.t := Nil\nbox.t.x := 1", "two-writes"),
    ],
)
def test_the_step_is_reported_and_not_taken(body: str, error: str) -> None:
    outcome = run(after(body))
    assert verdicts(outcome) == {error: "fails"}
    assert outcome[error].steps == 1
    assert (outcome.stats.distinct, outcome.stats.generated) == (1, 2)


@pytest.mark.parametrize(
    "body, id",
    [
        ("box.n := 1\nbox.n := 2", "two-writes"),
        ("box.n := 1\nbox.n += 2", "two-writes"),
        ("box.q += 1\nbox.q += 2", "two-writes"),
        ("box.q -= 1", "remove-from-sequence"),
        ("box.done += 1", "change-of-other"),
        ("box.t += 1", "change-of-other"),
        ("box.n + 1 := 2", "?"),
        ("first(box.q) := 2", "not-a-place"),
        ("box.q[1..2] := []", "not-a-place"),
        ("box.b[1] := 2", "not-a-place"),
        ("A := B", "?"),
        ("box := 1", "?"),
        ("when box.n == 5\nbox.n := 1\nwhen true", "guard-after-update"),
        ("if true\n  when true", "guard-in-block"),
        ("let y = 1\nlet y = 2", "shadowed-name"),
        ("box.nothing := 1", "unknown-variable"),
        ("unknown(1)", "unknown-effect"),
        ("put(1, 2)", "effect-arguments"),
        ("put(true)", "type-mismatch"),
        ("lose box", "nothing-to-lose"),
    ],
)
def test_the_file_is_refused(body: str, id: str) -> None:
    found = refused(after(body))
    assert found == [id] or (id == "?" and found)


def test_an_effect_has_no_guards_and_does_not_use_itself() -> None:
    state = "state\n  box\n    n: 0..3 = 0\n"
    assert refused(f"{state}\neffect e(v: int)\n  when v == 1\n  box.n := v\n")
    assert "recursive-effect" in refused(f"{state}\neffect e(v: int)\n  e(v)\n")
    mutual = "\neffect e(v: int)\n  f(v)\neffect f(v: int)\n  e(v)\n"
    assert "recursive-effect" in refused(state + mutual)


def test_all_nondeterminism_stands_in_the_header() -> None:
    text = """
type N = 0..2
state
  box
    n: N = 0
    m: N = 0

action both(x in N, y in N where x != y)
  box.n := x
  box.m := y

stops when true
"""
    # From everywhere to the six pairs of different numbers.
    assert counts(text) == (1 + 6, 1 + 7 * 6, 2)


def test_a_message_that_is_taken_and_put_back_stays() -> None:
    text = """
sort Node
state
  box
    got: set of Node = {}
  channel net
    messages: set of Node = {}

action send(n in Node)
  net.messages += n

action duplicate(n in net.messages)
  net.messages -= n
  net.messages += n
  box.got += n

stops when box.got == Node

step Kept on duplicate(n)
  n in net.messages'
"""
    outcome = run(text)
    assert verdicts(outcome) == {"Kept": "holds"}
    assert outcome.stats.distinct == 9  # of each node: unsent, sent, got


def test_two_members_that_are_one_are_written_once_or_twice_as_the_values_say() -> None:
    text = """
sort Node
state
  each Node
    x: 0..3 = 0

action both(n in Node, m in Node)
  n.x := 1
  m.x := {}

stops when true
"""
    same = run(text.format(1))
    assert verdicts(same) == {} and same.stats.distinct == 4
    different = run(text.format(2))
    assert verdicts(different) == {"two-writes": "fails"}
    assert different["two-writes"].steps == 1
