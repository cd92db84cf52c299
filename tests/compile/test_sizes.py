"""Large everything: states, sets, terms, numbers of actions, domains; agreed on, or refused."""

from __future__ import annotations

import pytest

from modelcheck.compile.layout import Unsupported, layout_of
from modelcheck.compile.lower.program import lower
from modelcheck.explore.probe import Probe

from .agreement import compare, compare_at
from .small import model


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 128, 129, 1024, 1025, 4096])
def test_states_of_many_sizes_agree(bits):
    flags = model(f"""
        type K = 1..{bits}
        state
          s
            on: map K to bool = false
        action first
          s.on[1] := not s.on[1]
        action last
          s.on[{bits}] := not s.on[{bits}]
        action copy
          s.on[{bits}] := s.on[1]
        action some(k in K where k mod 61 == 3 or k == {bits})
          s.on[k] := not s.on[{bits} + 1 - k]
        invariant Equal
          s.on[1] == s.on[{bits}]
        step Stays
          s.on == s.on'
        """)
    assert layout_of(flags).bits == bits
    compare(flags, 12 if bits < 1000 else 3)


def test_few_of_a_million_values_agree():
    compare(
        model("""
        type Big = 0..1048575
        state
          v
            s: set of Big up to 3 = {}
            k: 0..3 = 1
        action add
          v.s += 1048575 - v.k * 349525
        action step
          v.k := (v.k + 1) mod 4
        action double(x in v.s)
          v.s := {min(2 * y, 1048575) | y in v.s} union {x}
        action remove(x in v.s)
          v.s -= x
        invariant Small
          forall x in v.s: x < 1048575
          size(v.s) < 3
        """),
        150,
    )


def test_an_action_for_each_of_a_million_values_agrees():
    many = model("""
        type Big = 0..999999
        state
          v
            x: Big = 0
            y: Big = 0
        action pick(k in Big where k mod 249999 == v.x mod 7)
          when k > v.y
          v.x := k
        invariant Free
          exists k in Big: k * 2 == v.y + 6
        reachable Every
          (count k in Big: k > v.x) == 999998
        """)
    compare_at(many, [(3, 249_999)])


def test_all_values_of_a_record_of_a_million_agree():
    compare(
        model("""
        type Point(x: 0..99, y: 0..99, z: 0..99)
        state
          v
            at: Point? = none
        action go(p in Point where p.x == p.y and p.y == p.z and p.x mod 33 == 0)
          v.at := p
        """),
        1,
    )


def _nested(depth: int) -> str:
    term = "v.n"
    for level in range(depth):
        term = f"(if v.n == {level % 3} then 1 else {term})" if level % 2 else f"max({term}, v.m)"
    return term


@pytest.mark.parametrize("depth", [20, 130])
def test_deep_terms_agree(depth):
    compare(
        model(f"""
        state
          v
            n: 0..2 in 0..2
            m: 0..2 in 0..2
        action turn
          v.n := {_nested(depth)}
        action ask
          when {"not (" * depth}v.n == v.m{")" * depth}
          v.m := 0
        """),
        9,
    )


def test_deep_functions_agree():
    term = "v.n"
    for level in range(200):
        term = f"{'min' if level % 3 else 'max'}({term}, {level % 2})"
    compare(
        model(f"""
        state
          v
            n: 0..2 in 0..2
        action turn
          v.n := {term}
        """),
        3,
    )


def test_deep_connectives_agree():
    term = "v.n == 1"
    for level in range(190):
        term = f"({term} {'and' if level % 3 else 'implies'} v.m != {level % 3})"
    compare(
        model(f"""
        state
          v
            n: 0..2 in 0..2
            m: 0..2 in 0..2
        action ask
          when {term}
          v.m := 0
        """),
        9,
    )


def test_three_hundred_actions_agree():
    actions = "\n".join(
        f"action a{i}(k in 0..{i % 3})\n  when v.n <= {i % 5} + k\n  v.n := (v.n * {i} + k) mod 11"
        for i in range(300)
    )
    compare(model(f"state\n  v\n    n: 0..10 = 0\n{actions}"), 11)


def test_many_properties_agree():
    properties = "\n".join(
        f"invariant I{i}\n  v.n != {i % 12}\n  v.n < {i % 7 + 5}\nstep S{i}\n  v.n' > v.n - {i % 9}"
        for i in range(100)
    )
    text = "state\n  v\n    n: 0..10 = 0\naction go(k in 0..10)\n  v.n := k\n"
    compare(model(f"{text}{properties}"), 11)


def test_long_sequences_and_bags_agree():
    compare(
        model("""
        state
          v
            q: seq of 0..9 up to 40 = [1, 2]
            g: bag of 0..9 up to 30 = {3, 3}
            n: 0..40 = 0
        action double
          v.q := v.q ++ v.q
        action grow(k in v.q where k mod 2 == 0)
          v.g += {k, k, 9 - k}
        action half
          v.q := v.q[1..len(v.q) div 2]
        action set(i in 1..40 where i mod 13 == 1)
          v.q[i] := 9
        action total
          v.n := sum k in v.g: k
        """),
        60,
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            """
            state
              v
                q: seq of 0..999 up to 999999 = []
            action add(k in 1..3)
              v.q += k
            """,
            "bits",
        ),
    ],
)
def test_what_is_too_large_is_refused(text, why):
    with pytest.raises(Unsupported, match=why):
        Probe(model(text))


def test_lets_that_double_thirty_times_are_refused_and_not_unfolded():
    lets = ["let l0 = 1", *(f"let l{i} = l{i - 1} + l{i - 1}" for i in range(1, 30))]
    doubling = model(
        """
        state
          s
            x: 0..3 = 0
        action go
          when s.x < 3
          s.x := s.x + 1
        invariant Positive
          l29 + s.x > 0
        """
        + "\n        ".join(["", *lets, ""])
    )
    with pytest.raises(Unsupported, match="unfold"):
        lower(doubling)
