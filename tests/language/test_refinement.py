"""Refinement: steps, stuttering, groups, faults, liveness; and what a mapping may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Refused
from modelcheck.source import Source

ABSTRACT = """
protocol Clock
param LAST: int = 2
sort Node
type Hour = 0..LAST
state
  face
    hour: Hour = 0
  each Node
    seen: bool = false

fair action tick
  when face.hour < LAST
  face.hour := face.hour + 1

action look(n in Node)
  when not n.seen
  n.seen := true

fault stop at most 0
  when face.hour == 1
  face.hour := 0

liveness Ends
  eventually face.hour == LAST

stops when face.hour == LAST
"""

CONCRETE = """
protocol Watch
import "clock.model" (Clock)
param LAST: int = 2
sort Node
state
  watch
    minutes: 0..9 = {first}
  each Node
    looks: 0..2 = 0

{fair} action run
  when watch.minutes < {until}
  watch.minutes := watch.minutes + {pace}

action look(n in Node)
  when n.looks < 2
  n.looks := n.looks + {looks}

{more}

stops when true

refines Clock with ({mapping}){liveness}

check only
  Node = 2
  expect holds
"""

FINE = {
    "first": "0", "until": "5", "pace": "1", "looks": "1", "fair": "fair", "more": "",
    "mapping": "face.hour = watch.minutes div 2, n.seen = n.looks > 0", "liveness": "",
}  # fmt: skip


def refinement(directory: Path, **changes: str) -> Outcome:
    (directory / "clock.model").write_text(ABSTRACT)
    text = CONCRETE.format(**{**FINE, **changes}).replace("\n action", "\naction")
    file = api.load_source(Source(str(directory / "watch.model"), text))
    return api.check(file["only"], keep_going=True)


@pytest.mark.parametrize(
    "changes, verdict, steps",
    [
        ({}, "holds", None),
        # every second minute, and every second look, nothing changes there
        ({"mapping": "face.hour = watch.minutes div 2, n.seen = n.looks > 1"}, "holds", None),
        # two hours at once is no step
        ({"pace": "4", "until": "4"}, "fails", 1),
        ({"pace": "3", "until": "3"}, "holds", None),
        # not an initial state there
        ({"first": "2"}, "fails", 0),
        ({"first": "1"}, "holds", None),
        # going back is no action there, but it is a fault's step, whatever its budget
        ({"more": "fault back\n  when watch.minutes == 3\n  watch.minutes := 0\n"}, "holds", None),
        ({"more": "fault back\n  when watch.minutes == 4\n  watch.minutes := 0\n"}, "fails", 5),
        # two nodes in one step
        ({"more": "action all\n  for n in Node\n    n.looks := 1\n"}, "fails", 1),
        # an hour that the clock does not know
        ({"mapping": "face.hour = watch.minutes, n.seen = n.looks > 0"}, "fails", 3),
        # seen, and then not
        ({"more": "action blink(n in Node)\n  when n.looks == 2\n  n.looks := 0\n"}, "fails", 3),
    ],
)
def test_every_step_is_one_of_the_abstract_protocol_or_changes_nothing_there(
    tmp_path: Path, changes: dict[str, str], verdict: str, steps: int | None
) -> None:
    found = refinement(tmp_path, **changes)["Clock"]
    assert (found.verdict.value, found.steps) == (verdict, steps)


@pytest.mark.parametrize(
    "changes, verdict",
    [
        ({}, "holds"),
        ({"fair": ""}, "livelocks"),
        ({"until": "3"}, "blocks"),
    ],
)
def test_its_liveness_is_claimed_only_where_that_is_said(
    tmp_path: Path, changes: dict[str, str], verdict: str
) -> None:
    assert refinement(tmp_path, **changes)["Clock"].verdict.value == "holds"
    found = refinement(tmp_path, liveness=" and its liveness", **changes)["Clock"]
    assert found.verdict.value == verdict


@pytest.mark.parametrize(
    "mapping",
    [
        "face.hour = watch.minutes div 2",  # a variable is missing
        "n.seen = n.looks > 0",
        "face.hour = watch.minutes div 2, n.seen = n.looks > 0, n.seen = true",
        "face.hour = watch.minutes div 2, n.seen = n.looks",  # another type
        "face.hour = true, n.seen = true",
        "face.minute = 0, n.seen = true",
        "face.hour = face.hour, n.seen = true",
        "face.hour = 0, seen = true",
        "face.hour = 0, n.seen = true, UNKNOWN = 2",
        "face.hour = 0, n.seen = true, Node = watch",
    ],
)
def test_it_is_refused(tmp_path: Path, mapping: str) -> None:
    with pytest.raises(Refused):
        refinement(tmp_path, mapping=mapping)


def test_parameters_of_the_same_name_need_no_mention_and_others_may_be_given(
    tmp_path: Path,
) -> None:
    fine = FINE["mapping"]
    assert refinement(tmp_path, mapping=f"LAST = 2, Node = Node, {fine}").as_expected
    # With a last hour of 1 the second hour does not exist.
    assert refinement(tmp_path, mapping=f"LAST = 1, {fine}")["Clock"].steps == 4
    assert refinement(tmp_path, mapping=f"LAST = LAST + 1, {fine}").as_expected


def test_a_protocol_that_refines_is_judged_by_the_name_of_the_abstract_one(tmp_path: Path) -> None:
    (tmp_path / "clock.model").write_text(ABSTRACT)
    text = CONCRETE.format(**{**FINE, "pace": "4", "until": "4"})
    text = text.replace("expect holds", "expect Clock fails in 1 steps")
    file = api.load_source(Source(str(tmp_path / "watch.model"), text))
    assert api.check(file["only"]).as_expected
