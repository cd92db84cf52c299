"""The shortest way to a state in which a goal is owed, when that depends on the way."""

from __future__ import annotations

import time

from attrs import evolve

from modelcheck.compile.apart import Apart
from modelcheck.compile.jit import compile_ir
from modelcheck.compile.kernel import add_search
from modelcheck.compile.lower.owing import Known, lower_owing
from modelcheck.core.limits import Limits
from modelcheck.core.trace import Trace
from modelcheck.explore.engine import MOST_STEPS, Run, TooLong
from modelcheck.explore.memory import OutOfMemory
from modelcheck.explore.passes import Bitmap, OutOfTime
from modelcheck.explore.prepare import AT_ONCE, FOR_LONG_SEARCHES, combinations, shape_of
from modelcheck.explore.probe import Probe
from modelcheck.explore.search import NEVER, explore
from modelcheck.explore.store import Program
from modelcheck.explore.trace import Backtracker, Goal, function_address

_MANY_STATES = 200_000


def shortest_owing(
    run: Run,
    premise: Bitmap | None,
    open_: Bitmap,
    targets: Bitmap,
    deadline: float | None,
) -> Trace:
    """The trace to the nearest target in which the goal is owed; there must be one.

    premise  where it begins to be owed; None: it is owed from the beginning
    open_    where it does not hold

    A search of its own, of the states with a bit that says whether the goal is owed: it costs as
    much as the one before, twice if every state is met both ways, as far as the target.

    Raises OutOfTime, OutOfMemory, TooLong, Unsupported.
    """
    store, settings = run.store, run.settings
    assert store.indexed and store.sound
    known = Known(
        function_address(store.program.native.function("find", 2)),
        store.address,
        0 if premise is None else premise.address,
        open_.address,
        targets.address,
    )
    lowered = lower_owing(run.model, known)
    shape = shape_of(lowered, settings.tuning, arrives=True)
    add_search(lowered.module, shape)
    text = lowered.module.text()
    program = Program(compile_ir(text, AT_ONCE), shape, Apart(text, FOR_LONG_SEARCHES))
    initial = combinations(lowered, program.native)
    if premise is None:
        owed = 1 << lowered.layout.entries[-1].offset
        initial = evolve(initial, base=initial.base | owed)
    left = None if deadline is None else max(0.0, deadline - time.monotonic())
    limits = Limits(seconds=left, memory=max(1, store.budget - store.bytes))
    explored = explore(
        program,
        initial,
        limits,
        decided=lambda first_hit: first_hit[0] != NEVER,
        threads=settings.threads,
    )
    if explored.first_hit[0] == NEVER:
        if left is not None and explored.limits == (f"seconds: {left:g}",):
            raise OutOfTime
        raise OutOfMemory("there is no room for the search of a lasso")
    goal = Goal(max(0, explored.first_hit[0] + 1), judging=0)
    if goal.steps > MOST_STEPS:
        raise TooLong(goal.steps)
    detailed = lower_owing(run.model, known, detailed=True)
    level = FOR_LONG_SEARCHES if explored.levels.states > _MANY_STATES else AT_ONCE
    probe = Probe(detailed.model, level, shape, detailed)
    trace = Backtracker(probe, explored, least=settings.least).way(goal).trace
    return evolve(trace, states=tuple(state[:-1] for state in trace.states))
