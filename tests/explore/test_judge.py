"""What is judged when the search has ended, compared with the referee in every detail."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from generate import generate
from generate.loading import load

import modelcheck
from modelcheck import engines
from modelcheck.compile.kernel import SANITY, Tuning
from modelcheck.core import referee
from modelcheck.core.limits import Limits
from modelcheck.core.model import AlwaysPossible, Check, Liveness, Reachable, Refinement
from modelcheck.core.outcome import Found, Outcome, Verdict
from modelcheck.explore import passes, predicates
from modelcheck.explore.engine import Settings
from modelcheck.explore.memory import OutOfMemory

ROOT = Path(__file__).resolve().parents[2]


def same(outcome: Outcome, wanted: Outcome) -> None:
    for found, other in zip(outcome.found, wanted.found, strict=True):
        assert found == other, found.name
        assert found.trace == other.trace, found.name
    assert outcome.stats == wanted.stats
    assert (outcome.as_expected, outcome.unmet) == (wanted.as_expected, wanted.unmet)


def agree(check: Check, limits: Limits | None = None, tuning: Tuning | None = None) -> Outcome:
    """The outcome of a search that goes on; with one thread and two, and both ways to end."""
    limits = limits or Limits()
    for threads, keep_going in ((1, False), (2, True)):
        settings = Settings(threads, keep_going=keep_going, tuning=tuning)
        outcome = engines.native(check, limits, settings)
        same(outcome, referee.check(check, limits, keep_going))
    return outcome


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads are used for few states too."""
    monkeypatch.setattr(passes, "_FEW", 0)
    monkeypatch.setattr(passes, "CHUNK", 8)


# --- always possible ----------------------------------------------------------------------

ROOMS = """protocol Rooms

param LOCKS: bool = false
param PART: int = 0
param MOST: int = 4

type Side = 0..1

state
  place
    x: 0..4 = 0
    y: 0..4 = 0
  each Side
    on: bool = false

## The number, which there is not if it is the gap.
let same(v: 0..9, gap: 0..9) = the n in 0..9: n == v and n != gap

action right
  when place.x < 4
  place.x += 1

action up
  when place.y < 4
  place.y += 1

action down
  when place.y > 0
  place.y -= 1

action switch(n in Side)
  when place.y == n
  n.on := not n.on

action back
  when place.x == 4 and not LOCKS
  place.x := 0

fault fall at most 1
  when place.x > 0
  place.x -= 1

always possible Home
  place.x == 0 and place.y == 0

always possible Far
  place.x == 4
  place.y == 4

always possible Sometimes
  PART == 0 or PART == 3 or same(place.x, PART) == place.x
  PART != 3 or same(place.y, 2) == 2

reachable Low
  place.y <= MOST

invariant Early
  PART != 2 or same(place.x, 2) < 5

check open
  expect holds

check locked
  LOCKS = true
  expect Home fails

check narrow
  LOCKS = true
  MOST = 2
  expect Home fails

check unclear
  PART = 1
  expect undefined

check twice
  PART = 2
  expect undefined

check second_line
  PART = 3
  expect undefined
"""


ROOMS_CHECKS = ("open", "locked", "narrow", "unclear", "twice", "second_line")


@pytest.mark.parametrize("name", ROOMS_CHECKS)
@pytest.mark.parametrize("tuning", [None, SANITY], ids=["usual", "sanity"])
def test_what_is_possible_is_what_the_referee_says(
    small: None, name: str, tuning: Tuning | None
) -> None:
    agree(load({"main.model": ROOMS}).check(name), tuning=tuning)


def test_what_is_cut_off_counts_as_possible(small: None) -> None:
    # The language refuses the two together; the referee says what they would mean.
    check = load({"main.model": ROOMS}).check("narrow")
    low = next(p for p in check.model.properties if isinstance(p, Reachable))
    outcome = agree(evolve(check, model=evolve(check.model, constraint=low.parts[0])))
    assert outcome["Far"].verdict is Verdict.HOLDS


def test_only_actions_make_something_possible() -> None:
    check = load({"main.model": ROOMS}).check("locked")
    outcome = agree(check)
    assert (outcome["Home"].verdict, outcome["Home"].steps) == (Verdict.FAILS, 1)


def test_an_error_is_shown_where_it_is_met_first() -> None:
    file = load({"main.model": ROOMS})
    for name, verdict in (("unclear", "Sometimes"), ("twice", "Early"), ("second_line", None)):
        outcome = agree(file.check(name))
        assert outcome["undefined"].verdict is Verdict.FAILS
        if verdict is not None:
            assert outcome["undefined"].reason == f"in `{verdict}`"
        assert outcome["Sometimes"].verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("limits", [Limits(depth=2), Limits(states=10)], ids=str)
def test_of_a_search_that_was_cut_nothing_is_said(limits: Limits) -> None:
    agree(load({"main.model": ROOMS}).check("locked"), limits)


# --- refines ------------------------------------------------------------------------------

CLOCK = """protocol Clock

param LAST: int = 3

type Side = 0..1

state
  face
    hour: 0..LAST = 0
    colour: 0..2 in 0..1
  each Side
    hand: bool = false

init
  face.colour != 1 or face.hour == 0

action tick
  when face.hour < LAST
  face.hour += 1

action wave(n in Side)
  when face.hour > 1
  n.hand := not n.hand

fault slip at most 1
  face.hour := 0

liveness Late
  face.hour == 1 ~> face.hour == 2
"""

WATCH = """protocol Watch

import "clock.model" (Clock)

param KIND: int = 0

type Side = 0..1

state
  works
    wheel: 0..7 = 0
    paint: 0..3 in 0..1
  each Side
    up: bool = false

action turn
  when works.wheel < 7
  works.wheel += 1

action wave(n in Side)
  when works.wheel > 3 or (KIND == 1 and works.wheel == 3)
  n.up := not n.up

action repaint
  when KIND == 2 and works.wheel == 5
  works.paint := 3

fault jolt at most 1
  when works.wheel == 7
  works.wheel := if KIND == 3 then 1 else if KIND == 4 then 4 else 0

## The number, which there is not if it is the gap.
let same(v: 0..9, gap: 0..9) = the n in 0..9: n == v and n != gap

invariant Sound
  KIND != 8 or same(works.wheel, 4) < 10

refines Clock with (
    LAST = 3,
    face.hour = if KIND == 5 and works.wheel == 6 then 9
                else if KIND == 6 or KIND == 8 then same(works.wheel, 4) div 2
                else works.wheel div 2,
    face.colour = if KIND == 7 then works.paint + 1 else works.paint,
    n.hand = n.up)
"""


def watch(kind: int, expect: str = "Clock holds") -> Check:
    text = f"{WATCH}\ncheck it\n  KIND = {kind}\n  expect {expect}\n"
    return load({"main.model": text, "clock.model": CLOCK}).check("it")


@pytest.mark.parametrize("kind", range(9))
def test_a_refinement_is_judged_as_the_referee_does(small: None, kind: int) -> None:
    agree(watch(kind, "Clock fails"), tuning=SANITY)
    agree(watch(kind), Limits(depth=6))


def found_in_watch(kind: int) -> Found:
    return agree(watch(kind))["Clock"]


def test_each_way_to_be_wrong_is_met() -> None:
    assert found_in_watch(0).verdict is Verdict.HOLDS
    assert found_in_watch(1).reason == "not a step of `Clock`"
    assert found_in_watch(2).reason is not None and "would be" in found_in_watch(2).reason
    assert found_in_watch(4).reason == "not a step of `Clock`"
    assert found_in_watch(5).steps == 6
    assert found_in_watch(6).verdict is Verdict.UNDECIDED
    assert (found_in_watch(7).reason, found_in_watch(7).steps) == (
        "not an initial state of `Clock`",
        0,
    )


def test_liveness_of_the_abstract_protocol_is_left_to_the_referee() -> None:
    text = WATCH.replace("n.hand = n.up)", "n.hand = n.up) and its liveness")
    for kind in (0, 1, 6):
        whole = f"{text}\ncheck it\n  KIND = {kind}\n  expect Clock holds\n"
        agree(load({"main.model": whole, "clock.model": CLOCK}).check("it"))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("protocols/commit/two_phase.model", "forgets_yes"),
        ("tests/refinement/wrong_mapping.model", "right"),
        ("tests/refinement/wrong_mapping.model", "wrong"),
    ],
)
def test_protocols_with_a_refinement_agree(path: str, name: str) -> None:
    agree(modelcheck.load(ROOT / path)[name])


# --- generated models -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 6, 8])
def test_generated_models_agree(small: None, seed: int) -> None:
    for check in load(generate(seed).files).checks():
        if any(
            isinstance(p, AlwaysPossible | Refinement | Liveness) for p in check.model.properties
        ):
            agree(check)


# --- limits -----------------------------------------------------------------------------------


def open_reasons(check: Check, limits: Limits) -> list[str]:
    outcome = engines.native(check, limits, Settings())
    assert outcome.complete
    found = [f for f in outcome.found if f.kind in ("refines", "always possible")]
    assert found
    assert {f.verdict for f in found} == {Verdict.UNDECIDED}
    assert all(f.verdict is not Verdict.HOLDS for f in outcome.found if f.kind == "undefined")
    return [f.reason or "" for f in found]


@pytest.mark.parametrize(
    "check", [watch(1), load({"main.model": ROOMS}).check("locked")], ids=["refines", "possible"]
)
def test_a_limit_of_time_leaves_it_open(monkeypatch: pytest.MonkeyPatch, check: Check) -> None:
    def late(*_: object) -> None:
        raise passes.OutOfTime

    monkeypatch.setattr(passes.Passes, "check_time", late)
    for reason in open_reasons(check, Limits(seconds=1000)):
        assert reason == "a limit stopped the search (seconds: 1000)"


def test_a_limit_of_memory_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OutOfMemory("the budget is spent")

    monkeypatch.setattr(predicates, "Bitmap", refuse)
    check = load({"main.model": ROOMS}).check("locked")
    for reason in open_reasons(check, Limits(memory=64 << 20)):
        assert reason == "a limit stopped the search (memory: 64M)"
