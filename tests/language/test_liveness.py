"""Fairness, and the two ways in which a liveness property fails."""

from __future__ import annotations

import pytest

from .small import loaded, refused, run

# A lamp that goes 0, 1, 2 and back; `skip` jumps over 1.
LAMP = """
state
  lamp
    x: 0..4 = 0

{fair} action turn
  when lamp.x < 3
  lamp.x := (lamp.x + 1) mod 3

{more}

stops when true

liveness P
  {lines}
"""


def lamp(fair: str, lines: str, more: str = "") -> tuple[str, int | None]:
    found = run(LAMP.format(fair=fair, lines=lines, more=more).replace("\n action", "\naction"))[
        "P"
    ]
    return found.verdict.value, found.steps


SKIP = "action skip\n  when lamp.x == 0\n  lamp.x := 2\n"
LEAVE = "action leave\n  when lamp.x == 1\n  lamp.x := 4\n"
FALL = "fault fall{}\n  when lamp.x == 1\n  lamp.x := 3\n"


@pytest.mark.parametrize(
    "fair, lines, more, found",
    [
        ("fair", "always eventually lamp.x == 1", "", ("holds", None)),
        # without fairness a run may stand still at once
        ("", "always eventually lamp.x == 1", "", ("livelocks", 0)),
        ("", "eventually lamp.x == 1", "", ("livelocks", 0)),
        ("", "lamp.x == 1 ~> lamp.x == 2", "", ("livelocks", 1)),
        # satisfied at once
        ("", "eventually lamp.x == 0", "", ("holds", None)),
        ("", "lamp.x == 1 ~> lamp.x == 1", "", ("holds", None)),
        ("", "lamp.x == 1 ~> lamp.x < 2", "", ("holds", None)),
        ("", "lamp.x == 4 ~> lamp.x == 3", "", ("holds", None)),
        # never to come
        ("fair", "eventually lamp.x == 4", "", ("blocks", 0)),
        ("fair", "lamp.x == 2 ~> lamp.x == 4", "", ("blocks", 2)),
        ("fair", "always eventually lamp.x == 4", "", ("blocks", 0)),
        # to settle down: the goal is a state from which some path keeps it for ever
        ("fair", "eventually always lamp.x == 0", "", ("blocks", 0)),
        ("", "eventually always lamp.x == 0", "", ("livelocks", 2)),
        ("fair", "eventually always lamp.x < 3", "", ("holds", None)),
        # (a loop's last step returns, and is not counted)
        # a step aside, again and again, is fair to `turn`, which happens in between
        ("fair", "always eventually lamp.x == 1", SKIP, ("livelocks", 1)),
        ("strongly fair", "always eventually lamp.x == 1", SKIP, ("livelocks", 1)),
        # an action that leaves: nothing there may still be reached
        ("fair", "always eventually lamp.x == 1", LEAVE, ("blocks", 2)),
        ("fair", "eventually always lamp.x == 4", LEAVE, ("livelocks", 2)),
        ("fair", "lamp.x == 1 ~> lamp.x == 2", LEAVE, ("blocks", 2)),
        ("fair", "eventually lamp.x == 1", LEAVE, ("holds", None)),
        # faults are no path to a goal, but a way out of reach
        ("fair", "lamp.x == 1 ~> lamp.x == 3", FALL.format(""), ("blocks", 1)),
        ("fair", "lamp.x == 1 ~> lamp.x == 2", FALL.format(""), ("blocks", 2)),
        ("fair", "lamp.x == 1 ~> lamp.x == 2", FALL.format(" at most 0"), ("holds", None)),
        # several lines are a conjunction
        ("fair", "eventually lamp.x == 1\n  always eventually lamp.x == 2", "", ("holds", None)),
        ("fair", "eventually lamp.x == 1\n  eventually lamp.x == 4", "", ("blocks", 0)),
        # under outer `forall`s
        ("fair", "forall v in 0..2: lamp.x == v ~> lamp.x == (v + 1) mod 3", "", ("holds", None)),
        ("fair", "forall v in 0..3: always eventually lamp.x == v", "", ("blocks", 0)),
        ("fair", "forall v in 0..2, w in 0..2 where w != v: lamp.x == v ~> lamp.x == w", "",
         ("holds", None)),
        ("fair", "forall v in 0..2: forall w in v..2: eventually lamp.x == w", "", ("holds", None)),
        # the left side may be a disjunction, a conjunction, with names of its own
        ("fair", "lamp.x == 1 or lamp.x == 2 ~> lamp.x == 0", "", ("holds", None)),
    ],
)  # fmt: skip
def test_a_lamp(fair: str, lines: str, more: str, found: tuple[str, int | None]) -> None:
    assert lamp(fair, lines, more) == found


@pytest.mark.parametrize(
    "lines",
    [
        "lamp.x == 1 implies lamp.x == 1 ~> lamp.x == 2",
        "lamp.x == 1 ~> lamp.x == 2 ~> lamp.x == 0",
        "exists v in 0..2: eventually lamp.x == v",
        "lamp.x == 1",
        "not eventually lamp.x == 1",
        "eventually lamp.x == 1 and eventually lamp.x == 2",
        "forall v in 0..lamp.x: eventually lamp.x == v",
        "eventually lamp.x' == 1",
        "eventually eventually lamp.x == 1",
    ],
)
def test_it_is_refused(lines: str) -> None:
    assert refused(LAMP.format(fair="fair", lines=lines, more=""))


def test_temporal_words_stand_in_liveness_only() -> None:
    text = LAMP.format(fair="fair", lines="eventually lamp.x == 1", more="")
    for line in ("eventually lamp.x == 1", "lamp.x == 1 ~> lamp.x == 2"):
        assert refused(f"{text}\ninvariant Q\n  {line}\n")


# Two toggles; one process acts on `x`, the other enables and disables `go` again and again.
DOOR = """
state
  door
    open: bool = false
    through: bool = false

fair action swing
  when not door.through
  door.open := not door.open

{fair} action go
  when door.open
  door.through := true

stops when true

liveness P
  eventually door.through
"""


@pytest.mark.parametrize(
    "fair, verdict",
    [
        ("fair", "livelocks"),  # never enabled for ever
        ("strongly fair", "holds"),  # enabled again and again
    ],
)
def test_strong_fairness_is_for_what_is_enabled_again_and_again(fair: str, verdict: str) -> None:
    assert run(DOOR.format(fair=fair))["P"].verdict.value == verdict


# One of two clients is served at a time; who was served asks again.
SERVER = """
sort Client
type Way = Short | Long
state
  server
    last: Client? = none
    by: Way = Short

{fair} action serve(c in Client, w in Way)
  server.last := c
  server.by   := w

stops when true

liveness EveryClient
  forall c in Client: always eventually server.last == c

liveness EveryWay
  forall w in Way: always eventually server.by == w

liveness EveryPair
  forall c in Client, w in Way: always eventually server.last == c and server.by == w

liveness Some
  eventually server.last != none
"""


@pytest.mark.parametrize(
    "fair, held",
    [
        ("", ""),
        ("fair", "EveryClient EveryWay EveryPair Some"),
        ("fair per c", "EveryClient Some"),
        ("fair per w", "EveryWay Some"),
        ("fair per c, w", "EveryClient EveryWay EveryPair Some"),
        ("strongly fair per c", "EveryClient Some"),
        ("strongly fair", "EveryClient EveryWay EveryPair Some"),
    ],
)
def test_fairness_is_asked_for_each_choice_of_the_arguments_it_names(fair: str, held: str) -> None:
    outcome = run(SERVER.format(fair=fair).replace("\n action", "\naction"))
    holding = {f.name for f in outcome.found if f.kind == "liveness" and f.verdict.value == "holds"}
    assert holding == set(held.split())


def test_strong_fairness_per_an_argument_is_met_by_some_choice_of_the_rest() -> None:
    # The door to the left and the one to the right are open in turns; each lets anyone through.
    text = """
sort Guest
type Side = Left | Right
state
  house
    open: Side = Left
    inside: set of Guest = {{}}

fair action turn
  house.open := if house.open == Left then Right else Left

{fair} action enter(g in Guest, s in Side)
  when house.open == s and g not in house.inside
  house.inside += g

stops when true

liveness P
  forall g in Guest: eventually g in house.inside
"""
    found = {
        fair: run(text.format(fair=fair))["P"].verdict.value
        for fair in ("fair", "fair per g", "strongly fair", "strongly fair per g",
                     "strongly fair per s")
    }  # fmt: skip
    assert found == {
        # each single choice is disabled again and again
        "fair": "livelocks",
        # some choice for g is always enabled
        "fair per g": "holds",
        "strongly fair": "holds",
        "strongly fair per g": "holds",
        # a side serves somebody as long as anyone is outside, and so in the end all
        "strongly fair per s": "holds",
    }


@pytest.mark.parametrize(
    "text",
    [
        "fair per d action a(c in Client)\n  server.last := c\n",
        "per c action a(c in Client)\n  server.last := c\n",
        "fair per action a(c in Client)\n  server.last := c\n",
    ],
)
def test_per_names_arguments_of_the_action(text: str) -> None:
    assert refused(SERVER.format(fair="fair") + "\n" + text)


@pytest.mark.parametrize(
    "fair, warns",
    [
        ("fair action a(s in subset of Client)", True),
        ("fair per s action a(s in subset of Client)", False),
        ("fair per c action a(c in Client, s in subset of Client)", False),
        ("fair action a(c in Client)", False),
        ("action a(s in subset of Client)", False),
    ],
)
def test_a_warning_says_when_fairness_ranges_over_subsets(fair: str, warns: bool) -> None:
    text = f"{SERVER.format(fair='fair')}\n{fair}\n  server.last := none\n"
    ids = [each.id for each in loaded(text).warnings]
    assert ids == (["fairness-per-choice"] if warns else [])


def test_an_unbounded_crash_can_keep_a_fair_action_from_happening_for_ever() -> None:
    text = """
state
  node
    up: bool = true
    done: bool = false

fair action work
  when node.up and not node.done
  node.done := true

fair action restart
  when not node.up
  node.up := true

fault crash{}
  when node.up
  node.up := false

stops when node.done

liveness Done
  eventually node.done
"""
    assert run(text.format(""))["Done"].verdict.value == "livelocks"
    assert run(text.format(" at most 2"))["Done"].verdict.value == "holds"
