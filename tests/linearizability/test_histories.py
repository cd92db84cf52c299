"""The table between machine code and the tracker: what happens when something goes wrong in it."""

from __future__ import annotations

import signal
import time
from typing import Any

import pytest

from modelcheck import api
from modelcheck.compile.histories import Histories, histories_of
from modelcheck.core.linearizing import Tracker
from modelcheck.core.types import INT

from .texts import cell


def test_what_goes_wrong_in_the_tracker_is_not_lost_in_machine_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(tracker: Tracker, number: int, event: Any) -> int:
        raise MemoryError("no room for a history")

    check = cell()["only"]
    monkeypatch.setattr(Tracker, "answer", fail)
    with pytest.raises(MemoryError, match="no room for a history"):
        api.check(check)
    monkeypatch.undo()
    assert api.check(check).as_expected  # nothing of it was remembered as an answer


def test_an_interruption_in_machine_code_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    history = cell()["only"].model.history
    assert history is not None
    histories, answers = histories_of(history), iter([KeyboardInterrupt()])

    def interrupted(self: Histories, *_: Any) -> int:
        for error in answers:
            raise error
        return 7

    monkeypatch.setattr(Histories, "_ask", interrupted)
    marker = histories.abandon(INT)
    # Whoever runs the tests in the background may have interruptions ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            assert histories._answer(0, marker, 0) == 7
            time.sleep(1)
    finally:
        signal.signal(signal.SIGINT, before)


def test_markers_alike_are_one_so_that_code_is_the_same_each_time() -> None:
    check = cell()["only"]
    text = api.emit_ir(check)
    assert "@history(" in text
    assert api.emit_ir(check) == text


def test_histories_count_as_memory_since_there_may_be_no_end_of_them() -> None:
    forever = "fault give_up(c in Client)\n  when c.work != Idle\n  c.work := Idle\n  abandon c\n"
    outcome = api.check(cell(forever)["only"], api.Limits(memory=16_000_000))
    assert outcome.verdict == "unfinished"
    assert outcome.limits == ("memory: 15.3M",)
    assert outcome["cell"].verdict.value == "undecided"
