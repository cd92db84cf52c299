"""How far names reach that are bound by matching, headers, quantifiers and `let`."""

from __future__ import annotations

import pytest

from .files import ELECTION, ids, invariant


@pytest.mark.parametrize(
    "term",
    [
        "forall n in Node: n.role is Elected(t) and t > 0",
        "forall n in Node: n.role is Elected(t) and n.up and t > 0",
        "forall n in Node: (n.role is Elected(t) and n.up) and t > 0",
        "forall n in Node: n.role is Elected(t) implies t > 0",
        "forall n in Node: n.role is Elected(t) and n.up implies t > 0",
        "forall n in Node: (if n.role is Elected(t) then t else 0) >= 0",
        "forall n in Node where n.role is Elected(t): t > 0",
        "forall n in Node where n.role is Elected(t), m in Node where m.log == [t]: t > 0",
        "{t | n in Node where n.role is Elected(t)} subset Term",
        "(count n in Node where n.role is Elected(t): t > 0) < 2",
        "service.holder is some(n) and n.role is Leading(t, s)\n  t >= s and n.up",
        "forall v in network.votes: v is Vote(n, t) and n.role is Elected(u) implies t == u",
        "forall n in Node: n.role is Elected(t) and not (n.up and t > 0)",
        "forall n in Node: n.role is Elected(t) and (t > 0 or n.up)",
    ],
)
def test_a_name_bound_by_is_can_be_used_where_the_match_has_succeeded(term: str) -> None:
    assert ids(invariant(term)) == []


@pytest.mark.parametrize(
    "term",
    [
        "forall n in Node: t > 0 and n.role is Elected(t)",
        "forall n in Node: n.role is Elected(t) or t > 0",
        "forall n in Node: (n.role is Elected(t) or n.up) and t > 0",
        "forall n in Node: not (n.role is Elected(t)) and t > 0",
        "forall n in Node: (if n.role is Elected(t) then 0 else t) >= 0",
        "forall n in Node: (n.role is Elected(t) implies n.up) and t > 0",
        "(exists n in Node: n.role is Elected(t)) and t > 0",
        "forall n in Node: (count m in Node: m.role is Elected(t)) > 0 and t > 0",
        "forall n in Node: (n.role is Elected(t)) == n.up and t > 0",
        "(forall n in Node: n.up) and n.up",
        "(count m in Node where m.log == [t]: m.role is Elected(t)) > 0",
    ],
)
def test_a_name_bound_by_is_is_unknown_elsewhere(term: str) -> None:
    assert ids(invariant(term)) == ["unknown-name"]


def test_names_do_not_cross_leads_to() -> None:
    text = ELECTION + "\nliveness L\n  forall n in Node: n.role is Elected(t) ~> n.log == [t]\n"
    assert ids(text) == ["unknown-name"]
    within = ELECTION + "\nliveness L\n  forall n in Node: n.role is Elected(t) and t > 0 ~> n.up\n"
    assert ids(within) == []


def test_a_name_bound_in_a_guard_is_known_in_the_lines_after_it() -> None:
    text = """
action go(n in Node)
  when n.role is Elected(t)
  when t < MAX
  let next = t + 1
  service.granted := next
  n.role          := Leading(t, next)
"""
    assert ids(ELECTION + text) == []
    assert ids(ELECTION + text.replace("when t < MAX", "when next < MAX")) == ["unknown-name"]


def test_a_name_bound_in_an_if_is_known_in_its_block_only() -> None:
    text = """
action go(n in Node)
  if n.role is Elected(t)
    service.granted := t
  elif n.role is Leading(u, _)
    service.granted := {0}
"""
    for term, expected in {"u": [], "t": ["unknown-name"]}.items():
        assert ids(ELECTION + text.replace("{0}", term)) == expected
    otherwise = text.replace("elif n.role is Leading(u, _)", "else").replace("{0}", "t")
    assert ids(ELECTION + otherwise) == ["unknown-name"]


def test_a_later_binder_reads_an_earlier_one() -> None:
    assert ids(invariant("forall n in Node, t in n.log: t <= MAX")) == []
    assert ids(invariant("forall t in n.log, n in Node: t <= MAX")) == ["unknown-name"]


@pytest.mark.parametrize(
    "term",
    [
        "forall n in Node: exists n in Node: n.up",
        "forall n in Node: n.role is Elected(n)",
        "forall n in Node, t in Term: n.role is Elected(t)",
        "forall service in Node: service.up",
        "forall leads in Node: leads.up",
    ],
)
def test_a_bound_name_is_always_new(term: str) -> None:
    lets = "\nlet leads = service.holder != none\n"
    assert ids(invariant(term, ELECTION + lets)) == ["shadowed-name"]


def test_one_name_may_be_bound_in_separate_places() -> None:
    term = "(forall n in Node: n.up) or (exists n in Node: n.role is Elected(t) and t > 0)"
    assert ids(invariant(term + "\n  forall n in Node: n.role is Elected(t) implies t > 0")) == []


def test_a_let_sees_its_own_names_and_not_those_of_its_user() -> None:
    lets = "\nlet early(t: Term) = t < MAX\nlet lost = n.up\n"
    assert ids(ELECTION + lets) == ["unknown-name"]
    early = ELECTION + "\nlet early(t: Term) = t < MAX\n"
    assert ids(invariant("forall t in Term: early(t) or t == MAX", early)) == []
