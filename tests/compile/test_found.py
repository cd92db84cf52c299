"""What once went wrong, one small model for each."""

from __future__ import annotations

from .agreement import compare
from .small import model


def test_an_action_whose_guard_has_no_value_is_no_deadlock():
    compare(
        model("""
        state
          store
            k: 0..2 = 0
            q: seq of 0..2 up to 2 = []
        action take
          when store.q[1] == store.k
          store.k := 0
        """),
        10,
    )


def test_a_number_that_picks_a_member_from_a_narrower_range_names_that_member():
    compare(
        model("""
        type Level = -1..2
        state
          each Level
            busy: bool = false
        action work(i in 1..2)
          i.busy := true
        """),
        10,
    )


def test_a_number_picks_a_member_of_the_group_of_numbers_wherever_it_stands():
    compare(
        model("""
        type Level = 0..1
        state
          store
            last: 0..1 = 0
          each Level
            busy: bool = false
        action work(i in 0..3)
          i.busy := true
        """),
        10,
    )


def test_no_set_at_all_equals_a_set_over_many_values():
    compare(
        model("""
        type W(x: 0..99, y: 0..2)
        state
          v
            s: set of W up to 2 = {}
        action add(x in 0..99 where x > 97)
          when v.s == {} or v.s union {} == {W(99, 1)}
          v.s += W(x, 1)
        """),
        10,
    )


def test_a_literal_index_may_be_greater_than_any_sequence_is_long():
    compare(
        model("""
        state
          v
            q: seq of 0..2 up to 2 = [1, 1]
        action take
          when len(v.q) >= 9 and v.q[9] == 1
          v.q := []
        action put
          v.q[3] := v.q[5]
        """),
        10,
    )


def test_the_item_of_an_option_that_is_none_for_certain_has_no_rank():
    compare(
        model("""
        type Num = 1..3
        state
          v
            s: set of Num = {1}
        action take(o in {none, 2})
          for n in Num where o is some(k) and k == n
            v.s += {k, n}
        action first
          v.s += {max([2, 3][5..]), 1}
        """),
        10,
    )


def test_a_number_whose_bounds_are_not_known_may_be_an_element():
    compare(
        model("""
        type Num = 0..2
        state
          v
            g: bag of Num up to 2 = {1}
            s: set of Num = {}
            n: Num = 1
        action count_them
          v.g += {(count z in (if v.n == 1 then v.g else {}): z > 0), v.n}
        action add_them(k in Num)
          v.s := {(sum z in (if v.n == 1 then v.g else {}): z - k), v.n}
        action collect(k in Num)
          v.s := {(sum z in (if k == x then v.g else {}): z) | x in Num}
        action set(k in Num)
          v.n := k
        """),
        80,
    )
