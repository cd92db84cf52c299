"""The native walks against the referee and against brute force, on random graphs and by hand."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from attrs import evolve

from modelcheck import api
from modelcheck.compile.kernel import SANITY
from modelcheck.compile.kernel.descent import Descent
from modelcheck.core.limits import Limits
from modelcheck.core.model import Check, ExpectHolds
from modelcheck.core.outcome import Outcome, Verdict
from modelcheck.engines import native
from modelcheck.explore import components, fair, judge, owing
from modelcheck.explore.engine import Settings

from .brute_force import BruteForce
from .check_lasso import complaint
from .random_graph import Formula, RandomGraph, model_of, random_formula, random_graph

BATCHES, MODELS, FORMULAS = 4, 12, 8
FULL_BATCHES, FULL_MODELS = 20, 100
"""Under `--full`, 2,000 models."""


def random_case(seed: int, formulas: int) -> tuple[RandomGraph, list[Formula], Check]:
    chance = random.Random(seed)
    graph = random_graph(chance)
    chosen = [random_formula(chance, graph.size) for _ in range(formulas)]
    return graph, chosen, Check("random", model_of(graph, chosen), (ExpectHolds(),))


def compare(seed: int, formulas: int, *, brute: bool) -> Counter[str]:
    """The verdicts, after every finding was compared.

    brute  with brute force too, which takes seconds for some graphs
    """
    graph, chosen, check = random_case(seed, formulas)
    ours = api.check(check, threads=1 + seed % 2, keep_going=True)
    right = api.check(check, engine="referee", keep_going=True)
    assert ours.found == right.found, (seed, graph, chosen)
    assert [f.trace for f in ours.found] == [f.trace for f in right.found], (seed, graph, chosen)
    expected, seen = BruteForce(graph) if brute else None, Counter[str]()
    for formula, each in zip(chosen, check.model.properties, strict=True):
        found = ours[each.name]
        seen[found.verdict.value] += 1
        loop = None if found.trace is None else found.trace.loop
        if expected is not None:
            assert (found.verdict.value, loop) == expected.verdict(formula), (seed, graph, formula)
        if found.verdict is not Verdict.HOLDS:
            assert complaint(check.model, each.obligations[0], found) is None, (seed, formula)
    return seen


def compare_all(seeds: range, formulas: int, *, brute: bool) -> None:
    shares: Counter[str] = Counter()
    for seed in seeds:
        shares.update(compare(seed, formulas, brute=brute))
    # The comparison would be worth little if nearly all formulas held, or nearly none.
    total = sum(shares.values())
    assert shares["holds"] >= 0.2 * total, shares
    assert shares["blocks"] + shares["livelocks"] >= 0.2 * total, shares


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_graphs(batch: int) -> None:
    compare_all(range(batch * MODELS, (batch + 1) * MODELS), FORMULAS, brute=True)


@pytest.mark.full
@pytest.mark.parametrize("batch", range(FULL_BATCHES))
def test_many_random_graphs(batch: int) -> None:
    first = 1_000 + batch * FULL_MODELS
    compare_all(range(first, first + FULL_MODELS), 2, brute=False)


@pytest.mark.parametrize("seed", range(200, 206))
def test_a_store_in_which_everything_collides(seed: int) -> None:
    _, _, check = random_case(seed, FORMULAS)
    right = api.check(check, engine="referee", keep_going=True)
    for threads in (1, 2):
        settings = Settings(threads, keep_going=True, tuning=SANITY)
        ours = native(check, Limits(), settings)
        # How a loop is fair is added to what the engines find.
        assert ours.found == tuple(evolve(found, treatment=()) for found in right.found)
        assert [f.trace for f in ours.found] == [f.trace for f in right.found]


def test_without_room_for_pending_successors_they_are_looked_up_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = components.Finder.components

    def cramped(self: components.Finder, *arguments: object) -> components.Components:
        self._ctx[Descent.PENDING_ROOM] = 1
        return whole(self, *arguments)  # type: ignore[arg-type]

    cases = [random_case(seed, FORMULAS)[2] for seed in range(300, 306)]
    roomy = [api.check(check, keep_going=True) for check in cases]
    monkeypatch.setattr(components.Finder, "components", cramped)
    for check, outcome in zip(cases, roomy, strict=True):
        assert api.check(check, keep_going=True).found == outcome.found


# --- by hand ---------------------------------------------------------------------------

RING = """\
protocol Ring

param SIZE: int = 8
type Seat = 0..SIZE - 1

state
  token
    at: Seat = 0

ACTION

liveness Home
  always eventually token.at == 0

liveness Away
  forall s in Seat: always eventually token.at == s

check ring
  SIZE = 300
  EXPECT
"""


def run(tmp_path: Path, text: str, name: str, engine: str = "native") -> Outcome:
    path = tmp_path / "model.model"
    path.write_text(text, "utf-8")
    return api.check(api.load(path)[name], engine=engine)


def ring(mark: str, expect: str) -> str:
    """A token that goes round, by one action with an instance for each seat; or stays."""
    action = f"""\
{mark}action pass(s in Seat)
  when token.at == s
  token.at := (s + 1) mod SIZE"""
    return RING.replace("ACTION", action).replace("EXPECT", expect)


def test_a_component_of_many_instances_each_taken(tmp_path: Path) -> None:
    outcome = run(tmp_path, ring("fair ", "expect holds"), "ring")
    assert outcome.as_expected, outcome.found
    assert outcome.stats.distinct == 300


def test_without_fairness_it_stays(tmp_path: Path) -> None:
    outcome = run(tmp_path, ring("", "expect Home livelocks, Away livelocks"), "ring")
    assert outcome.as_expected, outcome.found
    trace = outcome["Home"].trace
    assert trace is not None
    assert (len(trace.steps), trace.loop) == (1, 1)


SWITCH = """\
protocol Switch

state
  lamp
    on: bool = false
    broken: bool = false

fair action press
  when not lamp.broken
  lamp.on := not lamp.on

MARK action break
  when lamp.on
  lamp.broken := true

liveness Broken
  eventually lamp.broken

check switch
  expect Broken EXPECT
"""


@pytest.mark.parametrize(
    ("mark", "expect"), [("fair", "livelocks"), ("strongly fair", "holds"), ("", "livelocks")]
)
def test_what_is_enabled_again_and_again_wants_strong_fairness(
    tmp_path: Path, mark: str, expect: str
) -> None:
    text = SWITCH.replace("MARK", mark).replace("EXPECT", expect).replace("\n action", "\naction")
    for engine in ("native", "referee"):
        outcome = run(tmp_path, text, "switch", engine)
        assert outcome.as_expected, (engine, outcome.found)


COUNTER = """\
protocol Counter

state
  counter
    at: 0..1000000 = 0

fair action up
  when counter.at < 1000000
  counter.at := counter.at + 1

liveness Full
  eventually counter.at == 1000000

liveness Past
  counter.at == 5 ~> counter.at == 4

check all
  expect Full holds, Past blocks in 5 steps
"""


def test_a_walk_as_deep_as_there_are_states(tmp_path: Path) -> None:
    outcome = run(tmp_path, COUNTER, "all")
    assert outcome.as_expected, outcome.found
    assert outcome.stats.distinct == 1_000_001


def test_a_search_that_is_cut_decides_no_liveness(tmp_path: Path) -> None:
    path = tmp_path / "model.model"
    path.write_text(COUNTER, "utf-8")
    outcome = api.check(api.load(path)["all"], Limits(states=1000))
    assert outcome["Full"].verdict is Verdict.UNDECIDED
    assert outcome["Past"].verdict is Verdict.UNDECIDED
    assert outcome.as_expected is None


REFINES = """\
protocol Worker
import "ABSTRACT" (Job)

state
  worker
    step: 0..3 = 0

MARK action work
  when worker.step < 3
  worker.step := worker.step + 1

refines Job with (job.done = worker.step == 3) and its liveness

check all
  expect Job EXPECT
"""

JOB = """\
protocol Job

state
  job
    done: bool = false

action finish
  job.done := true

liveness Finishes
  eventually job.done

check job
  expect Finishes livelocks
"""


@pytest.mark.parametrize(("mark", "expect"), [("fair", "holds"), ("", "livelocks")])
def test_what_an_abstract_model_owes(tmp_path: Path, mark: str, expect: str) -> None:
    (tmp_path / "job.model").write_text(JOB, "utf-8")
    text = REFINES.replace("ABSTRACT", "job.model").replace("MARK", mark)
    text = text.replace("EXPECT", expect).replace("\n action", "\naction")
    ours, right = (run(tmp_path, text, "all", engine) for engine in ("native", "referee"))
    assert ours.as_expected, ours.found
    assert ours.found == right.found
    assert [f.trace for f in ours.found] == [f.trace for f in right.found]


WIDE = """\
protocol Wide

state
  one
    at: 0..3 = 0
    asked: bool = false
  padding
PADDING

action ask
  when one.at == 0
  one.asked := true
  one.at := 1

action answer
  when one.at == 1
  one.at := 2

action go_on
  when one.at >= 1
  one.at := 3
  one.asked := false

fair per v action turn(v in 0..3)
  when one.at == 3 and v == one.at
  one.asked := not one.asked

liveness Answered
  one.asked ~> one.at == 2

liveness Settles
  eventually one.at == 3

check all
  expect Answered blocks, Settles livelocks
"""


@pytest.mark.parametrize("bits", [3, 4, 62, 63, 64, 65, 127, 128, 129])
def test_states_of_any_width(tmp_path: Path, bits: int) -> None:
    """The bit that says what is owed lies behind the others, if need be in a word of its own."""
    sizes = [min(31, bits - 3 - at) for at in range(0, bits - 3, 31)]
    padding = [f"    p{i}: 0..{2**size - 1} = {2**size - 1}" for i, size in enumerate(sizes)]
    text = WIDE.replace("PADDING", "\n".join(padding or ["    p: 0..0 = 0"]))
    ours, right = (run(tmp_path, text, "all", engine) for engine in ("native", "referee"))
    assert ours.stats.measured is not None
    assert ours.stats.measured.bits == bits
    assert ours.as_expected, ours.found
    assert ours.found == right.found
    assert [f.trace for f in ours.found] == [f.trace for f in right.found]


# --- traces that nobody would read -----------------------------------------------------

TWO_WAYS = """\
protocol TwoWays

state
  walker
    at: 0..3 = 0

fair action go_round
  when walker.at <= 1
  walker.at := 1 - walker.at

action fall
  when walker.at == 1
  walker.at := 2

action rest
  when walker.at == 2
  walker.at := 3

liveness Both
  eventually walker.at == 2
  walker.at == 3 ~> walker.at == 0

check all
  expect Both blocks in 3 steps
"""


def test_what_blocks_comes_first_even_if_a_loop_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = run(tmp_path, TWO_WAYS, "all", "referee")
    monkeypatch.setattr(fair, "MOST_STATES", 1)
    ours = run(tmp_path, TWO_WAYS, "all")
    assert ours.found == right.found
    assert ours["Both"].verdict is Verdict.BLOCKS


def test_a_loop_that_is_too_long_livelocks_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TWO_WAYS.replace("  walker.at == 3 ~> walker.at == 0\n", "").replace(
        "blocks in 3 steps", "livelocks"
    )
    assert run(tmp_path, text, "all")["Both"].steps == 1
    monkeypatch.setattr(fair, "MOST_STATES", 1)
    found = run(tmp_path, text, "all")["Both"]
    assert (found.verdict, found.steps, found.trace) == (Verdict.LIVELOCKS, None, None)
    assert found.reason == judge.NO_SHORT_LOOP


def test_a_way_that_is_too_long_is_told_by_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owing, "MOST_STEPS", 4)
    text = COUNTER.replace("1000000", "20")
    found = run(tmp_path, text, "all")["Past"]
    assert (found.verdict, found.steps, found.trace) == (Verdict.BLOCKS, 5, None)
