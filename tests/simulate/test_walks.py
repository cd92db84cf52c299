"""Walks against the referee, and against the generator that the documents describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from modelcheck import load
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State
from modelcheck.explore.walker import Walker, compile_walks

from . import texts

CHECKS = [
    ("commit/two_phase", "correct"),
    ("consensus/paxos", None),
    ("eomp/alternating_bit", None),
    ("fencing/fenced_leader", "fenced"),
    ("fencing/fenced_leader", "read_before_fence"),
]

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def numbers(seed: int, run: int) -> Iterator[int]:
    """The random numbers of a run, as docs/simulate.md says."""
    s = mix(mix(seed + GAMMA & MASK) + (run + 1) * GAMMA & MASK)
    while True:
        s = s + GAMMA & MASK
        yield mix(s)


def test_the_generator_is_splitmix64() -> None:
    # The first outputs for the seed 1234567, as published with the reference implementation.
    s, outputs = 1234567, []
    for _ in range(3):
        s = s + GAMMA & MASK
        outputs.append(mix(s))
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def taken(semantics: Semantics, state: State) -> list[State]:
    """The states after each step, in the order of the file."""
    return [each.after for each in semantics.successors(state) if each.after is not None]


def walk(walker: Walker, run: int, steps: int) -> list[tuple[int, State]]:
    layout = walker.walks.program.layout
    walked = walker.retrace(run, steps)
    return [(at, layout.unpack(int.from_bytes(state, "little"))) for at, state in walked]


def longest(walker: Walker, run: int) -> int:
    """How many steps a run has."""
    walker.ignore(range(walker.shape.hit_bytes))
    walker.begin(run, run + 1)
    walker.walk()
    return walker.tally().steps


@pytest.mark.parametrize(("path", "name"), CHECKS)
@pytest.mark.parametrize("seed", [0, 7, (1 << 64) - 1])
def test_a_walk_is_a_run_of_the_model_by_the_numbers_of_the_documents(
    path: str, name: str | None, seed: int
) -> None:
    file = load(path)
    check = file[name or next(iter(file))]
    semantics = Semantics(check.model)
    walker = Walker(compile_walks(check.model, 0), seed, 60)
    for run in (0, 1, 1000):
        steps = longest(walker, run)
        walked = walk(walker, run, steps)
        random = numbers(seed, run)
        assert walked[0][1] in [state for state, _ in semantics.initial_states()]
        for (_, before), (position, after) in pairwise(walked):
            successors = taken(semantics, before)
            chosen = -1
            for number in range(len(successors)):
                if next(random) * (number + 1) >> 64 == 0:
                    chosen = number
            assert position == chosen
            assert after == successors[chosen]
        if steps < 60:
            last = walked[-1][1]
            assert all(after == last for after in taken(semantics, last))


def test_an_initial_state_is_drawn_until_init_lets_it_pass() -> None:
    check = texts.check_of(texts.CHOICES)
    semantics = Semantics(check.model)
    walker = Walker(compile_walks(check.model, 0), 3, 5)
    combinations = list(semantics.combinations())
    seen = Counter[State]()
    for run in range(400):
        random = numbers(3, run)
        while True:
            # Two nodes with three modes each, and a bit; the last changes fastest.
            number = 0
            for count in (3, 3, 2):
                number = number * count + (next(random) * count >> 64)
            if semantics.is_initial(combinations[number]):
                break
        state = walk(walker, run, 0)[0][1]
        assert state == combinations[number]
        seen[state] += 1
    assert set(seen) == {state for state, _ in semantics.initial_states()}
    assert all(20 < times < 70 for times in seen.values())  # 40 each, on average


def test_every_successor_is_as_likely_as_the_others() -> None:
    check = texts.check_of(texts.WIDE, MAX="6")
    walker = Walker(compile_walks(check.model, 0), 0, 1)
    positions = Counter(walker.retrace(run, 1)[1][0] for run in range(7000))
    assert sorted(positions) == list(range(7))
    # 1000 each; the deviation is about 30.
    assert all(abs(times - 1000) < 150 for times in positions.values())


def test_runs_of_different_seeds_and_numbers_differ() -> None:
    check = texts.check_of(texts.HUGE, Node="5")
    walks = compile_walks(check.model, 0)
    seen = {
        tuple(state for _, state in Walker(walks, seed, 20).retrace(run, 20))
        for seed in range(20)
        for run in range(20)
    }
    assert len(seen) == 400


@pytest.mark.parametrize(("seed", "steps"), [(0, 7), (1, 9), (5, 1000)])
def test_a_walk_that_is_stopped_anywhere_goes_on_as_if_it_had_not_been(
    seed: int, steps: int
) -> None:
    check = texts.check_of(texts.COUNTER)
    walks = compile_walks(check.model, 0)
    whole, pieces = Walker(walks, seed, steps), Walker(walks, seed, steps)
    whole.ignore(range(whole.shape.hit_bytes))
    whole.begin(0, 50)
    assert whole.walk().name == "DONE"
    # Every event stops this one, and is then forgotten.
    pieces.begin(0, 50)
    stops = 0
    while pieces.walk().name != "DONE" and stops < 10_000:
        for event in range(pieces.shape.hits):
            pieces.known[event] = 255 if pieces.hits[event] else 0
        stops += 1
    assert stops
    assert pieces.tally() == whole.tally()


def test_a_run_ends_where_no_step_changes_anything() -> None:
    check = texts.check_of(texts.ENDS)
    walker = Walker(compile_walks(check.model, 0), 0, 100)
    assert longest(walker, 0) == 3


def test_a_run_ends_outside_the_constraint() -> None:
    check = texts.check_of(texts.INSIDE)
    walker = Walker(compile_walks(check.model, 0), 0, 100)
    assert longest(walker, 0) == 4
