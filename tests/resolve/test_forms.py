"""What is known of a value's form, and which fields can therefore be read."""

from __future__ import annotations

import pytest

from .files import ELECTION, ids, invariant

UNREADABLE = ["unmatched-field"]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("n.role.term > 0", UNREADABLE),
        ("n.role is Elected and n.role.term > 0", []),
        ("n.role is Elected(_) and n.role.term > 0", []),
        ("n.role is Elected and n.role.seen > 0", UNREADABLE),
        ("n.role is Elected implies n.role.term > 0", []),
        ("n.role is not Idle implies n.role.term > 0", []),
        ("not (n.role is Idle) implies n.role.term > 0", []),
        ("n.role is Idle or n.role.term > 0", []),
        ("n.role is Idle or n.role is Elected or n.role.seen > 0", []),
        ("(n.role is Elected or n.role is Leading) and n.role.term > 0", []),
        ("(n.role is Elected or n.role is Leading) and n.role.seen > 0", UNREADABLE),
        ("(n.role is Elected or n.up) and n.role.term > 0", UNREADABLE),
        ("(if n.role is Idle then 0 else n.role.term) >= 0", []),
        ("(if n.role is Idle then n.role.term else 0) >= 0", UNREADABLE),
        ("(if n.role is Elected then 0 else n.role.term) >= 0", UNREADABLE),
        ("not (n.role is Elected and n.up) implies n.role.term > 0", UNREADABLE),
        ("not (n.role is Idle or n.up) implies n.role.term > 0", []),
        ("n.role is Elected(0) or n.role.term > 0", UNREADABLE),
        ("(exists m in Node: m.role is Elected and m.role.term > 0)", []),
        ("(exists m in Node: m.role is Elected and n.role.term > 0)", UNREADABLE),
        ("n.role is not Idle and n.role.term > 0", []),
        ("n.up and n.role is Leading and n.role.seen <= n.role.term", []),
    ],
)
def test_matching_narrows_the_forms_of_a_value(term: str, expected: list[str]) -> None:
    assert ids(invariant(f"forall n in Node: {term}")) == expected


def test_a_field_that_every_form_has_needs_no_match() -> None:
    base = ELECTION.replace("Role = Idle |", "Role =").replace("= Idle\n", "= Elected(0)\n")
    assert ids(invariant("forall n in Node: n.role.term <= MAX", base)) == []


def test_a_guard_narrows_what_follows_in_the_body() -> None:
    text = """
action go(n in Node)
  when n.role is Leading
  n.role.seen := n.role.term
"""
    assert ids(ELECTION + text) == []
    assert ids(ELECTION + text.replace("Leading", "Elected")) == UNREADABLE


def test_what_is_known_before_a_step_is_not_known_after_it() -> None:
    text = "\nstep S\n  forall n in Node: n.role is Elected implies {0} >= 0\n"
    assert ids(ELECTION + text.replace("{0}", "n.role.term")) == []
    assert ids(ELECTION + text.replace("{0}", "n.role.term'")) == UNREADABLE
    after = "\nstep S\n  forall n in Node: (n.role is Elected implies n.role.term >= 0)'\n"
    assert ids(ELECTION + after) == []


def test_with_replaces_fields_that_the_known_forms_have() -> None:
    text = "\naction go(n in Node)\n  when n.role is {0}\n  n.role := n.role with (seen = 0)\n"
    assert ids(ELECTION + text.replace("{0}", "Leading")) == []
    assert ids(ELECTION + text.replace("{0}", "not Idle")) == ["with-field"]


def test_an_option_of_a_union_is_matched_by_form_at_once() -> None:
    base = ELECTION.replace("holder: Node? = none", "holder: Node? = none\n    last: Role? = none")
    assert ids(invariant("service.last is Elected(t) implies t <= MAX", base)) == []
    assert ids(invariant("service.last is some(Elected(t)) implies t <= MAX", base)) == []
    assert ids(invariant("service.last is Elected implies service.last.term <= MAX", base)) == [
        "field-of-option"
    ]
