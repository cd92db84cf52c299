"""The native search against a plain one, on models written by hand."""

from __future__ import annotations

import _thread
import itertools
import threading
import time
from collections.abc import Sequence
from functools import cache

import pytest
from attrs import evolve

from modelcheck.compile.kernel import SANITY, Tuning
from modelcheck.core.limits import Limits
from modelcheck.core.progress import Snapshot
from modelcheck.explore.crew import Crew
from modelcheck.explore.initial import Choice, Combinations
from modelcheck.explore.memory import OutOfMemory
from modelcheck.explore.search import INITIAL, NEVER, Decided, Explored, explore
from modelcheck.explore.store import Program, Store

from .models import Hand, counter, depth_of, grid, star, still, two_phase
from .plain import Plain, combinations_of, search

TUNINGS = {
    "default": Tuning(),
    "tags": Tuning(direct=False),
    "small": Tuning(buffer=3, block=4, segment=16, recent=2, lines=2),
    "small tags": Tuning(buffer=3, block=4, segment=16, recent=2, lines=2, direct=False),
    "not remembering": Tuning(recent=0, lines=2),
    "same hash": Tuning(same_hash=True, lines=2, buffer=7, block=1, segment=64),
    "sanity": SANITY,
}

MODELS = {
    model.name: model
    for model in (
        two_phase(3),
        two_phase(4),
        counter(700),
        star(900),
        evolve(grid(9, 1, bits=64), name="grid_of_64_bits"),
        grid(9, 2),
        grid(4, 5),
        evolve(grid(2, 9), name="grid_9"),
        still(
            Combinations(
                0b1011,
                (
                    Choice(3, 5, [1, 9, 30]),
                    Choice(60, 10, range(0, 900, 100)),
                    Choice(70, 130, [0, (1 << 130) - 1, 0x1234 << 60]),
                ),
            ),
            4,
            200,
            least=0xF0,
        ),
    )
}


PLAIN = Tuning()
SMALL = TUNINGS["small"]
SMALL_TAGS = TUNINGS["small tags"]


@cache
def program(model: Hand, tuning: Tuning) -> Program:
    return model.program(tuning)


def explored(
    model: Hand,
    tuning: Tuning = PLAIN,
    threads: int = 1,
    limits: Limits | None = None,
    decided: Decided = lambda first_hit: False,
) -> Explored:
    return explore(
        program(model, tuning),
        model.initial,
        limits or Limits(),
        decided=decided,
        threads=threads,
    )


def level_states(found: Explored, depth: int) -> list[int]:
    """The packed states of a level, in the arena's order."""
    assert found.store is not None
    return [
        sum(word << 64 * number for number, word in enumerate(found.store.state(index)))
        for first, end in found.levels.ranges(depth)
        for index in range(first, end)
    ]


def assert_same(found: Explored, plain: Plain) -> None:
    counts = found.counts
    assert counts == found.exact
    assert (counts.distinct, counts.outside) == (plain.distinct, plain.outside)
    assert (counts.generated, list(counts.enabled)) == (plain.generated, plain.enabled)
    assert counts.depth == plain.depth
    assert list(found.first_hit) == plain.first_hit
    assert len(found.levels) == len(plain.levels)
    for depth, states in enumerate(plain.levels):
        listed = level_states(found, depth)
        assert len(listed) == found.levels.size(depth)
        assert sorted(listed) == sorted(states)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("name", MODELS)
def test_counts_levels_and_events_are_those_of_a_plain_search(
    name: str, tuning: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Levels of a few states are divided among the threads.
    monkeypatch.setattr("modelcheck.explore.search._LARGE_LEVEL", 5)
    found = explored(MODELS[name], TUNINGS[tuning], threads)
    assert found.complete
    assert not found.partial
    assert not found.limits
    assert_same(found, search(MODELS[name]))


# --- order, events ---


def test_initial_states_lie_in_the_order_of_their_combinations() -> None:
    model = MODELS["still"]
    wanted = list(dict.fromkeys(filter(model.accept, combinations_of(model.initial))))
    assert level_states(explored(model, SMALL), 0) == wanted
    assert level_states(explored(model, threads=2), 0) == wanted


def test_with_one_thread_states_lie_in_the_order_of_discovery() -> None:
    model, order = two_phase(3), [0]
    for state in order:  # it grows meanwhile
        order += dict.fromkeys(s for _, s in model.steps(state) if s not in order)
    found = explored(model, SMALL)
    assert [s for depth in range(len(found.levels)) for s in level_states(found, depth)] == order


def test_it_ends_with_the_level_that_decides() -> None:
    asked: list[tuple[int, ...]] = []

    def decided(first_hit: Sequence[int]) -> bool:
        asked.append(tuple(first_hit))
        return first_hit[1] != NEVER

    found = explored(two_phase(4), decided=decided)
    assert asked == [(NEVER, NEVER), (NEVER, 8)]
    assert found.first_hit == (NEVER, 8)
    assert not found.complete
    assert not found.partial
    assert not found.limits
    assert_same(found, search(two_phase(4), depth=9))


def test_an_event_of_an_initial_state_is_known_before_any_step() -> None:
    model = evolve(grid(9, 2), initial=Combinations(2 | 1 << 64))
    found = explored(model, decided=lambda first_hit: first_hit[0] == INITIAL)
    assert found.first_hit == (INITIAL, NEVER)
    assert found.counts.distinct == 1
    assert len(found.levels) == 1


# --- limits ---


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("depth", [0, 1, 4, 10])
def test_a_limit_of_depth_ends_it_between_levels(depth: int, threads: int) -> None:
    found = explored(two_phase(4), SMALL, threads, Limits(depth=depth))
    assert found.limits == (f"depth: {depth}",)
    assert not found.complete
    assert_same(found, search(two_phase(4), depth=depth))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("states", [0, 1, 2, 50, 1567, 1568])
def test_a_limit_of_states_ends_it_after_the_level_that_reaches_it(
    states: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelcheck.explore.search._LARGE_LEVEL", 5)
    model = two_phase(4)
    found = explored(model, SMALL, threads, Limits(states=states))
    if states == 0:
        assert found.counts.distinct == found.counts.generated == 0
        assert found.limits == ("states: 0",)
        return
    depth = next(d for d in range(99) if search(model, depth=d).distinct >= states)
    assert_same(found, search(model, depth=depth))
    assert found.limits == (f"states: {states}",)


@pytest.mark.parametrize("tuning", ["default", "small", "sanity"])
@pytest.mark.parametrize("states", [1, 2, 5, 29, 30])
def test_a_limit_of_states_ends_the_search_for_initial_ones(states: int, tuning: str) -> None:
    # Each state twice, of which every other one is accepted.
    choices = (Choice(0, 6, range(60)), Choice(70, 2, [1, 1]))
    model = still(Combinations(0, choices), 2, 72, least=30)
    found = explored(model, TUNINGS[tuning], limits=Limits(states=states))
    assert found.counts.distinct == states
    # The one that is one too many is not counted.
    assert found.counts.generated == 2 * states - 1
    assert found.limits == (f"states: {states}",)
    assert found.partial


def test_without_an_initial_state_it_is_complete() -> None:
    nothing = still(Combinations(0, (Choice(0, 4, range(9)),)), 1, 4, least=9)
    no_value = still(Combinations(0, (Choice(0, 4, ()), Choice(4, 4, range(3)))), 1, 8)
    for model in (nothing, no_value):
        found = explored(model)
        assert found.complete
        assert found.counts.distinct == found.counts.depth == 0


def endless(width: int = 40) -> Combinations:
    """More combinations than anybody can count, of which none is accepted."""
    return Combinations(0, tuple(Choice(4 * n, 4, range(16)) for n in range(width)))


def test_a_limit_of_time_ends_it_in_the_middle_of_anything() -> None:
    no_initial = still(endless(), 3, 160, least=(1 << 64) - 1)
    no_initial = evolve(no_initial, write_accept=lambda f: "false")
    for model in (no_initial, two_phase(10), counter(1 << 39), star(1 << 28)):
        program(model, PLAIN)
        for threads in (1, 2):
            began = time.monotonic()
            found = explored(model, PLAIN, threads, Limits(seconds=0.3))
            assert time.monotonic() - began < 0.9, (model.name, threads)
            assert found.limits == ("seconds: 0.3",)
            assert found.partial
            assert not found.complete
            assert found.exact.distinct <= found.counts.distinct
            assert found.exact.generated <= found.counts.generated


@pytest.mark.parametrize("threads", [1, 2])
def test_what_was_finished_before_time_was_up_is_exact(threads: int) -> None:
    model = two_phase(10)
    found = explored(model, PLAIN, threads, Limits(seconds=0.2))
    again = explored(model, PLAIN, 1, Limits(depth=len(found.levels) - 1))
    assert again.counts == again.exact == found.exact
    assert again.counts.depth == len(found.levels)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("tuning", ["default", "tags"])
def test_a_limit_of_memory_ends_it_before_more_is_taken(tuning: str, threads: int) -> None:
    memory = 50 << 20
    model = two_phase(9)
    found = explored(model, TUNINGS[tuning], threads, Limits(memory=memory))
    assert found.limits == ("memory: 50M",)
    assert found.partial
    assert memory * 0.6 < found.bytes <= memory
    assert found.counts.distinct > 1_000_000
    again = explored(model, limits=Limits(depth=len(found.levels) - 1))
    assert again.counts == found.exact


@pytest.mark.parametrize("tuning", ["default", "tags"])
def test_a_table_that_cannot_grow_in_its_place_moves(
    tuning: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "_room_for_table", lambda store: 0)
    model = two_phase(7)
    found = explored(model, TUNINGS[tuning])
    assert (found.counts.distinct, found.counts.generated) == (296_448, 2_744_706)
    # The system refuses a larger one: the smaller one comes back.
    whole = Store._set_table

    def refuse(store: Store, lines: int) -> None:
        if lines > 1 << 15:
            raise OutOfMemory
        whole(store, lines)

    monkeypatch.setattr(Store, "_set_table", refuse)
    cut = explored(model, TUNINGS[tuning])
    assert len(cut.limits) == 1
    assert cut.store is not None
    assert cut.store.sound
    assert 100_000 < cut.counts.distinct < 296_448


@pytest.mark.parametrize("memory", [0, 1000, 1 << 20, 3 << 20])
def test_too_little_memory_for_anything_is_said_so(memory: int) -> None:
    found = explored(two_phase(9), limits=Limits(memory=memory))
    assert len(found.limits) == 1
    assert found.limits[0].startswith("memory: ")
    assert not found.complete


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_stops_the_threads(threads: int, interruptible: None) -> None:
    before = threading.active_count()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    compiled = program(two_phase(11), PLAIN)
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        explore(
            compiled,
            Combinations(0),
            Limits(memory=2 << 30),
            decided=lambda first_hit: False,
            threads=threads,
        )
    assert time.monotonic() - began < 0.8
    timer.join()
    assert threading.active_count() == before


def test_progress_is_reported_while_a_level_is_expanded() -> None:
    model = two_phase(9)
    seen: list[Snapshot] = []
    explore(
        program(model, PLAIN),
        model.initial,
        Limits(seconds=0.8),
        decided=lambda first_hit: False,
        progress=seen.append,
    )
    assert len(seen) >= 3
    assert all(a.distinct <= b.distinct for a, b in itertools.pairwise(seen))
    assert all(0 <= each.expanded <= each.frontier for each in seen)


# --- lookup ---


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("name", ["two_phase_3", "grid_of_64_bits", "grid_9"])
def test_every_state_is_found_at_its_index_and_no_other_is(
    name: str, tuning: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelcheck.explore.search._LARGE_LEVEL", 5)
    model = MODELS[name]
    found = explored(model, TUNINGS[tuning], threads)
    store = found.store
    assert store is not None
    crew = Crew(threads, lambda: None, lambda: None)
    if not store.indexed:
        store.index(crew)
    crew.close()
    for depth in range(len(found.levels)):
        for first, end in found.levels.ranges(depth):
            for index in range(first, end):
                assert store.find(store.state(index)) == index
                assert depth_of(found.levels, index) == depth
    for word in (1 << 63, 12345, (1 << 64) - 1):
        assert store.find([word] * model.words) is None


# --- sizes ---


@pytest.mark.full
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("managers", "distinct", "generated"),
    # Counted by two other checkers (benchmarks/peers/README.md).
    [(7, 296_448, 2_744_706), (8, 1_745_408, 18_507_778), (9, 10_340_352, 123_558_402)],
)
def test_two_phase_commit_has_its_published_counts(
    managers: int, distinct: int, generated: int, threads: int
) -> None:
    found = explored(two_phase(managers), PLAIN, threads)
    assert (found.counts.distinct, found.counts.generated) == (distinct, generated)
    assert found.bytes <= 24 * distinct + (8 << 20)


@pytest.mark.parametrize("tuning", ["default", "tags", "small"])
def test_a_state_may_have_a_million_successors(tuning: str) -> None:
    points = 100_000 if tuning == "small" else 1_000_000
    found = explored(star(points), TUNINGS[tuning])
    assert found.counts.distinct == points + 1
    assert found.counts.enabled == (points, points)
    assert found.complete


def test_a_counter_to_ten_million_takes_seconds() -> None:
    found = explored(counter(10_000_000))
    assert found.counts.depth == found.counts.distinct == 10_000_001
    assert found.seconds < 20


def test_a_million_initial_states_and_many_combinations_take_seconds() -> None:
    million = still(Combinations(0, (Choice(0, 20, range(1_000_000)),)), 1, 20)
    assert explored(million).counts.distinct == 1_000_000
    choices = tuple(Choice(8 * (3 - n), 8, range(100)) for n in range(4))
    few = still(Combinations(0, choices), 1, 32, least=99 << 24 | 99 << 16 | 5 << 8)
    found = explored(few)
    assert found.counts.distinct == 95 * 100
    assert found.seconds < 20
