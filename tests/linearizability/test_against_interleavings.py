"""The tracker of sequential consistency, and a checker that tries every interleaving."""

from __future__ import annotations

from random import Random

import pytest

from modelcheck.core.linearizing import BEGIN

from .following import as_followed, first_violated, tracker
from .histories import random_history, random_program_orders
from .interleavings import is_sequentially_consistent
from .objects import OBJECTS, Object
from .wing_gong import Event, is_linearizable

EACH = 300
"""Histories of each of the seven objects."""

MANY = 2_000

REGISTER = OBJECTS[0]


def violated_by_definition(of: Object, history: list[Event]) -> int | None:
    """How many events it takes until those so far are not sequentially consistent."""
    for position, event in enumerate(history, start=1):
        # A call and an abandoned operation leave every order that there was.
        if event.kind == "return":
            so_far = history[:position]
            if not is_sequentially_consistent(so_far, of.run, of.first):
                return position
    return None


def compare(of: Object, seed: int, count: int) -> None:
    chance, follower = Random(seed), tracker(of, "sequentially consistent")
    strong = tracker(of)
    refused = weaker = abandoned = 0
    for number in range(count):
        history = (random_program_orders if number % 3 else random_history)(chance, of)
        wrong = first_violated(follower, history)
        assert wrong == violated_by_definition(of, history), history
        not_linearizable = first_violated(strong, history)
        if not_linearizable is None:
            assert wrong is None, history
        refused += wrong is not None
        weaker += wrong is None and not_linearizable is not None
        abandoned += any(event.kind == "abandon" for event in history)
    assert 0.1 * count <= refused <= 0.8 * count, refused
    assert weaker >= 0.03 * count, weaker
    assert abandoned >= 0.2 * count, abandoned


@pytest.mark.parametrize("of", OBJECTS, ids=lambda of: of.name)
def test_both_say_the_same_and_at_the_same_event(of: Object) -> None:
    compare(of, 1, EACH)


@pytest.mark.full
@pytest.mark.parametrize("of", OBJECTS, ids=lambda of: of.name)
def test_both_say_the_same_of_many_more(of: Object) -> None:
    compare(of, 2, MANY)


def operation(caller: int, name: str, *arguments: int, answer: int | None = None) -> list[Event]:
    return [Event("call", caller, name, arguments), Event("return", caller, answer=answer)]


def judged(history: list[Event]) -> int | None:
    found = first_violated(tracker(REGISTER, "sequentially consistent"), history)
    assert found == violated_by_definition(REGISTER, history)
    return found


def number(history: list[Event]) -> int:
    follower, found = tracker(REGISTER, "sequentially consistent"), BEGIN
    for event in history:
        found = follower.after(found, as_followed(follower, event))
    return found


def test_histories_with_one_future_have_one_number() -> None:
    read_0 = operation(0, "read", answer=0)
    assert number(read_0 * 3) == BEGIN
    write_1, read_1 = operation(0, "write", 1), operation(1, "read", answer=1)
    assert number([*read_0, *write_1]) == number(write_1) != BEGIN
    # Others see what a caller has done at a time of their own.
    others = [*operation(1, "read", answer=0), *operation(2, "write", 2)]
    assert number([*others, *write_1]) == number([*write_1, *others])
    assert number([*write_1, *read_1]) != number(write_1)


def test_a_read_of_an_old_value_by_somebody_else_is_consistent() -> None:
    history = [*operation(0, "write", 1), *operation(1, "read", answer=0)]
    assert judged(history) is None
    assert not is_linearizable(history, REGISTER.run, REGISTER.first)


def test_a_read_of_an_old_value_by_the_writer_is_not() -> None:
    assert judged([*operation(0, "write", 1), *operation(0, "read", answer=0)]) == 4


def test_two_readers_that_see_two_writes_in_opposite_orders_are_not() -> None:
    # IRIW: independent reads of independent writes, to one register.
    history = [*operation(0, "write", 1), *operation(1, "write", 2)]
    history += [*operation(2, "read", answer=1), *operation(2, "read", answer=2)]
    assert judged([*history, *operation(3, "read", answer=1)]) is None
    history += operation(3, "read", answer=2)
    assert judged(history) is None
    assert judged([*history, *operation(3, "read", answer=1)]) == len(history) + 2


def test_a_read_of_what_is_only_called_later_is_not_though_the_whole_history_is() -> None:
    history = [*operation(0, "read", answer=1), *operation(1, "write", 1)]
    assert is_sequentially_consistent(history, REGISTER.run, REGISTER.first)
    assert judged(history) == 2


def test_an_abandoned_write_comes_after_what_its_caller_had_called_before() -> None:
    gone = [Event("call", 0, "write", (2,)), Event("abandon", 0)]
    seen = [*operation(1, "read", answer=2), *operation(1, "read", answer=1)]
    assert judged([*operation(0, "write", 1), *gone, *seen]) == 8


def test_what_its_caller_calls_later_need_not_come_after_an_abandoned_write() -> None:
    gone = [Event("call", 0, "write", (2,)), Event("abandon", 0)]
    history = [*gone, *operation(0, "write", 1), *operation(1, "read", answer=1)]
    assert judged([*history, *operation(1, "read", answer=2)]) is None
    assert (
        judged([*history, *operation(1, "read", answer=2), *operation(1, "read", answer=1)]) == 10
    )
