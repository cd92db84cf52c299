"""Terms: their values, and where they have none."""

from __future__ import annotations

import pytest

from .small import refused, run, verdicts

STATE = """
param BY: int = 3
sort Node
type N = 0..9
type K = A | B | C
type Port = 1..4
type Maybe = N?
type Item(a: N, b: N)
type T = Nil | One(x: N) | Two(x: N, y: N)
type Row = seq of N up to 3
type Rows = seq of Row up to 2
state
  box
    zero: N = 0
    n: N = 1
    i: 0..20 = 7
    neg: -9..9 = -7
    b: bool = true
    s: set of N = {1, 2}
    none_in: set of N = {}
    q: seq of N up to 4 = [5, 6, 7]
    q0: seq of N up to 4 = []
    rows: Rows = [[1], []]
    bag: bag of N up to 4 = {3, 3, 1}
    m: map K to N = each k in K: if k == A then 1 else 2
    mr: map K to Item = Item(0, 1)
    t: T = Two(1, 2)
    r: Item = Item(1, 2)
    o: Maybe = none
    votes: set of Node = {}
  each Node
    up: bool = true

action rest
  box.n := box.n

stops when true

let double(x: int): int = x + x
let small(x: N): 0..4 = x
let is_up(n: Node) = n.up
let first_of(s: Row): N = s[1]
let constant = 4
let both(a: bool, b: bool) = a and b
"""


def value(term: str) -> dict[str, str]:
    return verdicts(run(f"{STATE}\ninvariant P\n  {term}\n"))


@pytest.mark.parametrize(
    "term",
    [
        # Euclidean: the remainder is never negative
        "7 div 3 == 2 and 7 mod 3 == 1 and -7 div 3 == -3 and -7 mod 3 == 2",
        "box.neg div 3 == -3 and box.neg mod 3 == 2 and box.i div BY == 2 and box.i mod BY == 1",
        "-6 div 3 == -2 and -6 mod 3 == 0 and 0 div 3 == 0 and -1 mod 5 == 4",
        "box.neg div 1 == -7 and box.neg mod 1 == 0",
        "forall x in -9..9: x == 4 * (x div 4) + x mod 4 and x mod 4 >= 0 and x mod 4 < 4",
        # precedence and sides
        "2 + 3 * 4 == 14 and 2 * 3 + 4 == 10 and 10 - 3 - 2 == 5 and -2 * -3 == 6",
        "7 div 2 * 2 == 6 and 2 * 7 div 2 == 7 and 8 mod 5 * 2 == 6 and - 3 + 5 == 2",
        "-box.i == -7 and 3 - -2 == 5",
        "true or false and false",
        "not false or true and not (not true)",
        "(true implies false implies false) and not ((true implies true) implies false)",
        "not box.n == 2",
        "not 3 in box.s and 3 not in box.s",
        "box.s union {3} minus {1} == {2, 3}",
        "box.s minus {1} union {1} == box.s",
        "1 + 1 in box.s",
        "{1} union {2} subset box.s",
        "(1 < 2) == true",
        # tuples are compared from the left
        "(1, 2) < (1, 3) and (1, 9) < (2, 0) and not ((1, 2) < (1, 2)) and (1, 2) <= (1, 2)",
        "(2, 0) > (1, 9) and (1, 2) >= (1, 2) and (1, 2, 3) < (1, 2, 4)",
        "(1, 2) == (1, 2) and (1, 2) != (2, 1) and (box.b, 1) == (true, 1)",
        "(box.n, box.i) >= (0, 9)",
        # min, max
        "min(2, 3) == 2 and max(2, 3) == 3 and min(box.s) == 1 and max(box.s) == 2",
        "max({x * x | x in -3..2}) == 9 and min(-1, box.n) == -1",
        # sequences
        "box.q[1] == 5 and box.q[3] == 7 and len(box.q) == 3 and size(box.q) == 3",
        "first(box.q) == 5 and last(box.q) == 7 and rest(box.q) == [6, 7]",
        "box.q[2..3] == [6, 7] and box.q[2..] == [6, 7] and box.q[1..] == box.q",
        "box.q[0..2] == [5, 6] and box.q[-4..1] == [5] and box.q[2..99] == [6, 7]",
        "box.q[3..2] == [] and box.q[4..] == [] and box.q[9..] == [] and box.q[-9..-1] == []",
        "box.q[2..1] == [] and box.q[5..9] == [] and box.q[0..0] == []",
        "prefix(box.q, 2) == [5, 6] and prefix(box.q, 9) == box.q and prefix(box.q, 0) == []",
        "prefix(box.q, -1) == []",
        "box.q ++ [1] == [5, 6, 7, 1] and [] ++ box.q == box.q and box.q0 ++ [] == []",
        "[1, 2] != [2, 1] and len(box.q ++ box.q) == 6",
        "6 in box.q and 1 not in box.q and not (1 in box.q0)",
        "box.rows[1][1] == 1 and box.rows[2] == [] and [1] in box.rows and len(box.rows) == 2",
        "first(box.rows) == [1] and rest(box.rows) == [[]] and first_of(box.rows[1]) == 1",
        "empty(box.q0) and not empty(box.q) and rest([3]) == []",
        "forall i in 1..len(box.q): box.q[i] == 4 + i",
        # bags
        "box.bag[3] == 2 and box.bag[1] == 1 and box.bag[9] == 0 and size(box.bag) == 3",
        "box.bag == {1, 3, 3} and box.bag != {1, 3} and 3 in box.bag and 2 not in box.bag",
        # sets
        "{} subset box.s and box.s subset box.s and not (box.s subset {1})",
        "box.s intersect {2, 3} == {2} and box.s minus box.s == {} and {1, 1} == {1}",
        "size(box.s) == 2 and empty(box.none_in) and box.none_in == {}",
        # maps and records
        "box.m[A] == 1 and box.m[C] == 2 and box.m == (each k in K: if k != A then 2 else 1)",
        "(each k in K: 3) != box.m and (each k in K: k == A)[A]",
        "box.r with (a = 5) == Item(5, 2) and box.r with (b = 0, a = 9) == Item(9, 0)",
        "(box.r with (a = box.r.b, b = box.r.a)) == Item(2, 1) and box.r == Item(1, 2)",
        "box.mr[B] with (a = 3) == Item(3, 1)",
        "box.t is Two and box.t with (y = 5) == Two(1, 5)",
        # the
        "(the x in box.s: x > 1) == 2 and (the k in K: box.m[k] == 1) == A",
        # majority: more than half of the type
        "majority({A, B}) and not majority({A}) and not majority({}) and majority(K)",
        "majority(Node) and not majority(box.votes)",
        "not majority({p | p in Port where p < 3}) and majority({p | p in Port where p < 4})",
        # options
        "box.o == none and (if box.b then box.o else 3) == none",
        "(if box.b then 3 else box.o) == 3 and (if box.b then none else 3) == none",
        "box.o != 3 and 3 != box.o",
        # lets
        "double(3) == 6 and double(double(1)) == constant and small(4) == 4",
        "both(true, not false) and forall n in Node: is_up(n)",
        # a quantifier or an `if` last in a connective
        "false or exists n in Node: n.up",
        "true and if box.b then true else false",
        "true implies forall n in Node: n.up",
        "(if box.b then 1 else 2) + 1 == 2",
        "if box.b then 1 == 1 else 1 == 2",
        "(if box.b then A else B) == A",
        "(if false then 1 else if true then 2 else 3) == 2",
    ],
)
def test_it_is_true(term: str) -> None:
    assert value(term) == {"P": "holds"}


@pytest.mark.parametrize(
    "term",
    [
        "box.q[0] == 1",
        "box.q[4] == 1",
        "box.q[-1] == 1",
        "first(box.q0) == 1",
        "last(box.q0) == 1",
        "rest(box.q0) == []",
        "max(box.none_in) == 1",
        "min({x | x in box.s where x > 5}) == 1",
        "(the x in box.s: x > 5) == 1",
        "(the x in box.s: x > 0) == 1",
        "box.rows[2][1] == 1",
        # left to right
        "box.q[4] == 1 or true",
        "box.q[4] == 1 and false",
        "box.q[4] == 1 implies true",
        "true and box.q[4] == 1",
        "false or box.q[4] == 1",
        "(if box.q[4] == 1 then true else true)",
        "(if true then box.q[4] else 1) == 1",
        # quantifiers in the order of their domain: 1 is reached before 2
        "exists x in {1, 2}: if x == 1 then box.q[4] == 1 else true",
        "forall x in {1, 2}: if x == 1 then box.q[4] == 1 else false",
        "not forall x in box.q: if x == 5 then box.q[9] == 1 else false",
        "(count x in {1, 2}: box.q[x + 2] == 1) == 0",
        "{box.q[x] | x in {1, 4}} == {}",
        "exists x in box.q where box.q[x] == 1: true",
        "double(box.q[4]) > 0",
        "Item(1, box.q[4]) == Item(1, 1)",
        "box.q[4] == box.q[4]",
        "(box.q[4], 0) < (2, 0)",
        "box.r with (a = box.q[4]) == box.r",
        "(each k in K: box.q[4]) == box.m",
        "box.q[box.q[4]..] == []",
    ],
)
def test_it_is_reached_and_has_no_value(term: str) -> None:
    found = value(term)
    assert found == {"P": "undecided", "undefined": "fails"}


@pytest.mark.parametrize(
    "term, holds",
    [
        ("true or box.q[4] == 1", True),
        ("false and box.q[4] == 1", False),
        ("false implies box.q[4] == 1", True),
        ("len(box.q) > 3 and box.q[4] == 1", False),
        ("(if true then 1 else box.q[4]) == 1", True),
        ("if false then max(box.none_in) == 1 else true", True),
        ("exists x in {1, 2}: if x == 2 then box.q[4] == 1 else true", True),
        ("forall x in {1, 2}: if x == 2 then box.q[4] == 1 else false", False),
        ("exists x in box.q: if x == 7 then box.q[9] == 1 else x == 6", True),
        ("forall x in box.q0: box.q[9] == 1", True),
        ("(count x in box.q0: box.q[9] == 1) == 0", True),
        ("exists x in box.q where x == 5: x == 5 or box.q[9] == 1", True),
        ("empty(box.none_in) or max(box.none_in) == 1", True),
        ("(the x in box.s: x == 1 or x == 9 and box.q[9] == 1) == 1", True),
        ("box.n == 2 and small(9) == 9", False),
        ("box.n == 2 and Item(99, 0) == box.r", False),
    ],
)
def test_what_is_not_reached_need_not_have_a_value(term: str, holds: bool) -> None:
    assert value(term) == {"P": "holds" if holds else "fails"}


@pytest.mark.parametrize(
    "term",
    [
        "Item(10, 0) == box.r",
        "small(5) == 5",
        "box.r with (a = 10) == box.r",
        "exists x in 0..12: One(x) == box.t",
        "double(5) == 10 and small(box.i) == 7",
        "first_of([12]) == 12",
        "{Item(x, 0) | x in 8..11} == {}",
    ],
)
def test_an_argument_outside_its_type_is_an_error_wherever_it_is_reached(term: str) -> None:
    assert value(term) == {"P": "undecided", "range": "fails"}


@pytest.mark.parametrize(
    "term",
    [
        "A == 1",
        "box.b == 1",
        "box.s == [1, 2]",
        "A < B",
        "box.s < {1}",
        "box.o < 3",
        "box.r < Item(2, 2)",
        "(1, 2) < (1, 2, 3)",
        "(1, 2) < 3",
        "(A, 2) < (B, 3)",
        "1 < 2 < 3",
        "1 == 1 == true",
        "box.n == 1 is Nil",
        "box.n div box.n == 1",
        "box.n div 0 == 1",
        "box.n mod -3 == 1",
        "forall x in 1..2: 4 div x > 0",
        "box.n + A == 1",
        "box.b + 1 == 2",
        "box.s + box.s == box.s",
        "-A == A",
        "box.n and box.b",
        "not box.n",
        "if box.n then true else false",
        "(if box.b then 1 else A) == 1",
        "if box.b then true",
        "{1, A} == {}",
        "[1, true] == []",
        "1 + forall x in 1..2: true",
        "forall x in 1..2: true and 1",
        "min(1) == 1",
        "min(A, B) == A",
        "max(K) == A",
        "size(3) == 1",
        "len(box.s) == 1",
        "first(box.s) == 1",
        "majority(box.q)",
        "majority(3)",
        "box.m[1] == 1",
        "box.s[1] == 1",
        "box.n.x == 1",
        "box.r.c == 1",
        "box.r with (c = 1) == box.r",
        "box.r with (a = 1, a = 2) == box.r",
        "box.t with (y = 1) == box.t",
        "box.n with (a = 1) == 1",
        "double() == 1",
        "double(1, 2) == 1",
        "double(A) == 1",
        "constant(1) == 4",
        "unknown(1) == 1",
        "Item(1) == box.r",
        "Item == box.r",
        "Unknown == box.r",
        "(the x in K, y in K: x == y) == A",
        "(each k in {A}: 1) == box.m",
        "(each k in K where k == A: 1) == box.m",
        "box.n' == 1",
        "box == box",
        "box.none == 1",
        "(1, 2) in {(1, 2)}",
        "result == 1",
        "1..2 == {1, 2}",
    ],
)
def test_it_is_refused(term: str) -> None:
    assert refused(f"{STATE}\ninvariant P\n  {term}\n"), term


def test_a_let_does_not_call_itself() -> None:
    assert refused(f"{STATE}\nlet f(x: N): N = f(x)\n") == ["recursive-let"]
    assert "recursive-let" in refused(f"{STATE}\nlet f(x: N): N = g(x)\nlet g(x: N): N = f(x)\n")


def test_a_written_type_of_a_let_is_judged_on_its_value() -> None:
    text = f"{STATE}\nlet half(x: N): 0..4 = x div 2 + box.zero\n"
    assert verdicts(run(f"{text}\ninvariant P\n  half(9) == 4\n")) == {"P": "holds"}
    assert refused(f"{STATE}\nlet f(x: N): bool = x\n")


def test_when_lines_are_read_from_the_first_to_the_last() -> None:
    text = """
state
  box
    q: seq of 0..3 up to 2 = []

action safe
  when len(box.q) > 0
  when box.q[1] == 1
  box.q := []

action push
  when len(box.q) == 0
  box.q += 2

stops when len(box.q) > 0
"""
    assert verdicts(run(text)) == {}
    swapped = text.replace(
        "  when len(box.q) > 0\n  when box.q[1] == 1", "  when box.q[1] == 1\n  when len(box.q) > 0"
    )
    outcome = run(swapped)
    assert verdicts(outcome) == {"undefined": "fails"} and outcome["undefined"].steps == 0


def test_a_where_of_a_header_is_judged_before_the_guards() -> None:
    text = """
state
  box
    q: seq of 0..3 up to 2 = []

action never(x in 0..3 where box.q[1] == x)
  when false
  box.q := []

action guarded(x in 0..3 where len(box.q) > 0 and box.q[1] == x)
  box.q := []

action clear
  box.q := []

stops when true
"""
    assert verdicts(run(text)) == {"undefined": "fails"}
    assert verdicts(run(text.replace("where box.q[1] == x", "where false"))) == {}


@pytest.mark.parametrize(
    "lines, steps",
    [
        ("stops when box.q[1] == 0\n", 3),  # asked where no action changes anything
        ("stops when true\nconstraint box.x < 1 or box.q[1] == 0\n", 1),
        ("stops when true\nliveness P\n  eventually box.x == 2 and box.q[1] == 0\n", 2),
        ("stops when true\nstep P\n  (box.x == 2 implies box.q[1] == 0)'\n", 2),
        ("stops when true\nreachable P\n  box.x == 1 and box.q[1] == 0\n", 1),
        ("stops when true\nalways possible P\n  box.x == 1 and box.q[1] == 0\n", 1),
    ],
)
def test_whatever_has_no_value_is_reported_where_it_is_asked_first(lines: str, steps: int) -> None:
    text = """
state
  box
    q: seq of 0..3 up to 2 = []
    x: 0..3 = 0

action go
  when box.x < 3
  box.x += 1
"""
    outcome = run(f"{text}\n{lines}")
    found = verdicts(outcome)
    assert found.pop("undefined") == "fails" and outcome["undefined"].steps == steps
    assert set(found.values()) <= {"undecided"}


def test_a_name_inside_a_let_is_not_one_of_the_place_that_uses_it() -> None:
    text = """
sort Node
state
  each Node
    x: 0..3 = 0

let others(n: Node) = count m in Node: m != n
let same(m: Node) = others(m)
effect bump(n: Node, m: Node)
  n.x += 1
  m.x += 2

action go(n in Node, m in Node where m != n)
  when forall k in Node: k.x == 0
  bump(m, n)

stops when true

invariant P
  forall m in Node: others(m) == 1 and same(m) == 1
  forall n in Node, m in Node: others(n) == others(m)

step Q on go(n, m)
  n.x' == 2 and m.x' == 1
"""
    assert verdicts(run(text)) == {"P": "holds", "Q": "holds"}
