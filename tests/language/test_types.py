"""Types: what their values are, what is refused, how initial values are made."""

from __future__ import annotations

import pytest

from modelcheck.core.values import show

from .small import counts, loaded, refused, run, verdicts

REST = "\naction rest\n  box.flag := box.flag\n\nstops when true\n"


def says(declarations: str, variables: str, term: str, settings: str = "") -> str:
    """Whether `term` holds, fails or is in error in the only state."""
    check = f"\ncheck only\n  {settings}\n  expect P holds\n" if settings else ""
    text = f"{declarations}\nstate\n  box\n    flag: bool = false\n{variables}\n{REST}"
    outcome = run(f"{text}\ninvariant P\n  {term}\n{check}")
    return verdicts(outcome)["P"]


@pytest.mark.parametrize(
    "type_, number",
    [
        ("bool", 2),
        ("0..3", 4),
        ("-2..2", 5),
        ("-3..-1", 3),
        ("-LAST..LAST - 1", 4),
        ("Node", 2),
        ("One", 1),
        ("Colour", 3),
        ("Pair", 6),  # 3 colours times 2
        ("Shape", 1 + 3 + 6),
        ("Node?", 3),
        ("Colour?", 4),
        ("bool?", 3),
        ("set of Node", 4),
        ("set of Node?", 8),  # sets of options: none, n1, n2 in or out
        ("set of Colour up to 1", 4),
        ("set of Colour up to 2", 7),
        ("set of Colour up to 9", 8),
        ("set of 1..0", 1),
        ("bag of Node up to 2", 6),  # 1 + 2 + 3
        ("seq of Node up to 2", 7),  # 1 + 2 + 4
        ("seq of Node up to 0", 1),
        ("map Node to Colour", 9),
        ("map Colour to bool", 8),
        ("map Node to map Colour to bool", 64),
        ("map 0..1 to set of bool", 16),
        ("map bool to Node?", 9),
        ("map Node? to bool", 8),
    ],
)
def test_a_type_has_so_many_values(type_: str, number: int) -> None:
    text = f"""
param LAST: int = 2
sort Node, One
type Colour = Red | Green | Blue
type Pair(c: Colour, half: 0..1)
type Shape = Point | Line(c: Colour) | Box(c: Colour, b: bool)
type Wanted = {type_}
state
  box
    x: Wanted in Wanted

action rest
  box.x := box.x

stops when true

check only
  Node = 2, One = 1
  expect holds
"""
    assert counts(text) == (number, 2 * number, 1)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("state\n  box\n    x: int = 0\n", "not-finite"),
        ("type T = int\nstate\n  box\n    x: set of T = {}\n", "not-finite"),
        ("type T = 0..255\nstate\n  box\n    x: set of T = {}\n", None),
        ("type T = 0..256\nstate\n  box\n    x: set of T = {}\n", "too-wide"),
        ("type T = 0..256\nstate\n  box\n    x: set of T up to 2 = {}\n", None),
        ("type T = set of bool\nstate\n  box\n    x: set of T = {}\n", "?"),
        ("type T = seq of bool up to 1\nstate\n  box\n    x: set of T = {}\n", "?"),
        ("type T = seq of bool up to 1\nstate\n  box\n    x: set of T up to 2 = {}\n", None),
        ("type T = seq of bool up to 1\nstate\n  box\n    x: bag of T up to 2 = {}\n", None),
        ("type T = seq of bool up to 1\ntype R(s: T)\nstate\n  box\n    x: bag of R up to 2 = {}\n",
         None),
        ("type T = seq of bool up to 1\nstate\n  box\n    x: map T to bool = false\n", "?"),
        ("type T = set of bool\ntype R(s: T)\nstate\n  box\n    x: set of R = {}\n", "?"),
        ("type T = set of bool\ntype R(s: T)\nstate\n  box\n    x: seq of R up to 1 = []\n", None),
        ("type T = map bool to bool\nstate\n  box\n    x: seq of T up to 1 = []\n", None),
        ("type T = bool?\nstate\n  box\n    x: T? = none\n", "?"),
        ("type A = B?\ntype B = A?\nstate\n  box\n    x: bool = true\n", "?"),
        ("type A(next: A)\nstate\n  box\n    x: bool = true\n", "?"),
    ],
)  # fmt: skip
def test_what_may_contain_what(text: str, reason: str | None) -> None:
    found = refused(f"{text}\naction rest\n  box.x := box.x\n")
    if reason is None:
        assert found == []
    elif reason == "?":
        assert found
    else:
        assert found == [reason]


def test_a_name_with_one_form_is_a_type_of_one_value_unless_it_is_another_type() -> None:
    assert says("type Only = Single", "    x: Only = Single", "size(Only) == 1") == "holds"
    assert says("type N = 0..2\ntype M = N", "    x: M = 2", "size(M) == 3") == "holds"
    alias = "type M = N\ntype N = 0..2"  # the order of declarations does not matter
    assert says(alias, "    x: M = 2", "size(M) == 3 and M == N") == "holds"


def test_a_value_is_accepted_where_an_option_is_wanted() -> None:
    declarations = """
type Colour = Red | Green
type R(c: Colour?)
let pick(c: Colour?): Colour? = c
"""
    variables = """
    c: Colour? = Red
    d: Colour? = none
    s: set of Colour? = {Red, none}
    q: seq of Colour? up to 2 = [none, Green]
    m: map bool to Colour? = Green
"""
    for term in [
        "box.c == Red and Red == box.c and box.c != Green and box.d != Red",
        "box.d == none and none == box.d and box.c != none",
        "(if box.flag then none else Red) == box.c",
        "(if box.flag then box.d else Red) == Red",
        "pick(Red) == box.c and pick(none) == box.d",
        "R(Red).c == box.c and R(none) != R(Red)",
        "Red in box.s and none in box.s and Green not in box.s",
        "box.s == {none, Red} and size(box.s) == 2",
        "box.q[1] == none and box.q[2] == Green and box.q == [none, Green]",
        "box.m[true] == Green",
        "box.m == (each b in bool: Green)",
        "box.c is some(Red) and box.c is some(_) and box.d is none",
        "box.c is some(x) and x == Red",
        "size({x | x in box.s where x is some(y) and y == Red}) == 1",
        "{Red} subset box.s and {Red} union box.s == box.s and {Red} intersect box.s == {Red}",
        "box.s minus {Red} == {none} and {Red, Green} minus box.s == {Green}",
        "[Green] ++ box.q == [Green, none, Green] and box.q ++ [Red] == [none, Green, Red]",
        "R(none) with (c = Red) == R(Red)",
    ]:
        assert says(declarations, variables, term) == "holds", term


def test_an_initial_value_goes_to_every_innermost_key() -> None:
    declarations = "type K = A | B\ntype V = 0..3\ntype Log = seq of V up to 2"
    variables = """
    m: map K to V = 2
    n: map K to map bool to V = 3
    l: map K to map bool to Log = [1]
    e: map K to V = each k in K: if k == A then 0 else 1
    f: map K to map bool to V = each k in K: each b in bool: if b and k == B then 1 else 0
"""
    variables += """
    g: map K to map bool to V = each b in bool: if b then 3 else 1
    h: map K to map K to map bool to V = each b in bool: if b then 3 else 1
    i: map bool to map bool to V = each b in bool: if b then 3 else 1
    j: map bool to map bool to V = each b in bool: each c in bool: if b then 3 else 1
"""
    for term in [
        "forall k in K: box.g[k][true] == 3 and box.g[k][false] == 1",
        "forall k in K, l in K: box.h[k][l][true] == 3 and box.h[k][l][false] == 1",
        "box.i[true][false] == 1 and box.i[false][true] == 3",
        "box.j[true][false] == 3 and box.j[false][true] == 1",
        "forall k in K: box.m[k] == 2",
        "forall k in K, b in bool: box.n[k][b] == 3",
        "forall k in K, b in bool: box.l[k][b] == [1] and box.l[k][b][1] == 1",
        "box.e[A] == 0 and box.e[B] == 1",
        "(sum k in K: sum b in bool: box.f[k][b]) == 1 and box.f[B][true] == 1",
    ]:
        assert says(declarations, variables, term) == "holds", term


def test_a_field_that_every_form_has_needs_no_match() -> None:
    declarations = "type T = A(n: 0..3, x: bool) | B(y: bool, n: 0..3)"
    assert says(declarations, "    t: T = B(true, 2)", "box.t.n == 2") == "holds"
    text = f"{declarations}\nstate\n  box\n    t: T = A(0, true)\n"
    assert refused(f"{text}\ninvariant P\n  box.t.x\n")
    assert not refused(f"{text}\ninvariant P\n  box.t is A and box.t.x\n")


def test_a_type_is_a_set_of_its_members() -> None:
    declarations = "sort Node\ntype Colour = Red | Green\ntype N = 1..3"
    for term in [
        "size(Node) == 2 and size(Colour) == 2 and size(N) == 3",
        "N == {1, 2, 3} and Colour minus {Red} == {Green}",
        "2 in N and 4 not in N",
        "forall n in Node: n in Node and {n} subset Node",
        "size({s | s in subset of Node}) == 4",
    ]:
        assert says(declarations, "", term, "Node = 2") == "holds", term


def test_a_sort_of_one_member_is_enough() -> None:
    text = """
sort Node
state
  each Node
    up: bool = true

action flip(n in Node)
  n.up := not n.up

invariant Alone
  forall a in Node, b in Node: a == b
  (the n in Node: true) in Node
  majority(Node)

check only
  Node = 1
  expect holds
"""
    assert counts(text) == (2, 3, 2)


@pytest.mark.parametrize(
    "term",
    ["n < n", "n + 1 == 2", "n == 1", "n1 == n", "min(n, n) == n", "n in 1..2", "max(Node) == n"],
)
def test_nothing_can_tell_members_of_a_sort_apart(term: str) -> None:
    state = "sort Node\nstate\n  each Node\n    up: bool = true\n"
    text = f"{state}\ninvariant P\n  forall n in Node: {term}\n"
    assert refused(f"{text}\ncheck only\n  Node = 2\n  expect holds\n")


def test_members_have_the_shortest_distinct_prefix_of_their_sort() -> None:
    text = """
sort Node, Name, Acceptor
state
  box
    a: Node in Node
    b: Name in Name
    c: Acceptor in Acceptor

invariant P
  false

check only
  Node = 1, Name = 1, Acceptor = 1
  expect P fails
"""
    trace = run(text)["P"].trace
    assert trace is not None
    types = [variable.type for variable in loaded(text)["only"].model.variables]
    shown = [show(type_, value) for type_, value in zip(types, trace.states[0], strict=True)]
    assert shown == ["no1", "na1", "a1"]


@pytest.mark.parametrize(
    "term, fits",
    [
        ("9223372036854775807 > 0", True),
        ("-9223372036854775808 < 0", True),
        ("9223372036854775808 > 0", False),
        ("MAX + 1 > 0", False),  # MAX is the largest number
        ("MAX - 1 > 0", True),
        ("-MAX - 1 < 0", True),
        ("-MAX - 2 < 0", False),
        ("MAX * 2 > 0", False),
        ("(sum x in {1, 2}: MAX) > 0", False),
    ],
)
def test_a_term_that_might_leave_64_bits_is_refused(term: str, fits: bool) -> None:
    text = f"""
param MAX: int
state
  box
    x: bool = true

invariant P
  {term}

check only
  MAX = 9223372036854775807
  expect P holds
"""
    assert (refused(text) == []) == fits


def test_an_empty_range_has_no_values_and_harms_nobody() -> None:
    text = """
type Never = 1..0
state
  box
    x: Never? = none
    s: set of Never = {}

action never(n in Never)
  box.x := n

action nor(i in 1..0)
  box.x := none

action clear
  box.x := none

invariant Nothing
  forall n in Never: false
  not exists n in Never: true
  (count n in Never: true) == 0 and (sum n in Never: n) == 0
  size(Never) == 0 and (count i in 2..1: true) == 0

stops when true
"""
    outcome = run(text)
    assert verdicts(outcome) == {"Nothing": "holds"}
    assert outcome.stats.enabled == (("never", 0), ("nor", 0), ("clear", 1))
