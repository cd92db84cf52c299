"""The tracker of histories, and a checker that tries every order: they agree on random ones."""

from __future__ import annotations

from random import Random

import pytest

from .following import first_violated, tracker
from .histories import random_history
from .objects import OBJECTS, Object
from .wing_gong import Event, is_linearizable

EACH = 1_000
"""Histories of each of the seven objects."""

MANY = 5_000


def compare(of: Object, seed: int, count: int) -> None:
    chance, follower = Random(seed), tracker(of)
    refused = abandoned = 0
    for _ in range(count):
        history = random_history(chance, of)
        wrong = first_violated(follower, history)
        assert is_linearizable(history, of.run, of.first) == (wrong is None), history
        if wrong is not None:
            assert is_linearizable(history[: wrong - 1], of.run, of.first), history
            assert not is_linearizable(history[:wrong], of.run, of.first), history
        refused += wrong is not None
        abandoned += any(event.kind == "abandon" for event in history)
    assert 0.2 * count <= refused <= 0.8 * count, refused
    assert abandoned >= 0.2 * count, abandoned


@pytest.mark.parametrize("of", OBJECTS, ids=lambda of: of.name)
def test_both_say_the_same_and_at_the_same_event(of: Object) -> None:
    compare(of, 1, EACH)


@pytest.mark.full
@pytest.mark.parametrize("of", OBJECTS, ids=lambda of: of.name)
def test_both_say_the_same_of_many_more(of: Object) -> None:
    compare(of, 2, MANY)


def test_of_two_ways_that_differ_in_what_was_abandoned_both_are_kept() -> None:
    # 1 is read after cas(0, 2) and cas(2, 1), or after write(1); once 3 is written, only who has
    # write(1) to spare gets back to 1. The other way has more to spare, and none of it helps.
    cas = OBJECTS[1]
    history = []
    for caller, (operation, *arguments) in enumerate([("write", 1), ("cas", 0, 2), ("cas", 2, 1)]):
        history += [Event("call", caller, operation, tuple(arguments)), Event("abandon", caller)]
    read_1 = [Event("call", 0, "read"), Event("return", 0, answer=1)]
    history += [*read_1, Event("call", 0, "write", (3,)), Event("return", 0), *read_1]
    assert is_linearizable(history, cas.run, cas.first)
    assert first_violated(tracker(cas), history) is None
    again = [*history, Event("call", 0, "write", (3,)), Event("return", 0), *read_1]
    assert not is_linearizable(again, cas.run, cas.first)
    assert first_violated(tracker(cas), again) == len(again)
