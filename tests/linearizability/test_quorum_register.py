"""The quorum register, judged without the tool: its twin keeps every history, which Wing and Gong's
checker then puts in order, or does not."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from counts import quorum_register as twin
from counts.common import Graph

from .objects import OBJECTS
from .wing_gong import Event, is_linearizable

REGISTER = OBJECTS[0]


@cache
def _has_order(history: tuple[tuple[Any, ...], ...]) -> bool:
    callers: dict[str, int] = {}
    events = []
    for kind, name, *rest in history:
        caller = callers.setdefault(name, len(callers))
        if kind == "call":
            events.append(Event("call", caller, rest[0], tuple(rest[1:])))
        else:
            events.append(Event("return", caller, answer=rest[0]))
    return is_linearizable(events, REGISTER.run, REGISTER.first)


def first_without_order(graph: Graph) -> int | None:
    return graph.first(lambda s: not _has_order(s["history"]))


@pytest.mark.full
def test_with_write_back_every_history_has_an_order() -> None:
    graph = twin.explore(**twin.CHECKS["written_back"], keep=True)
    assert first_without_order(graph) is None
    assert len({dict(s)["history"] for s in graph.states}) > 100


def test_without_it_the_nearest_one_that_has_none_is_10_steps_away() -> None:
    graph = twin.explore(**twin.CHECKS["returned_at_once"], keep=True)
    assert first_without_order(graph) == 10
