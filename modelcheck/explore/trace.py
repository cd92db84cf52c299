"""The one trace that is shown, of all shortest ones; no state knows its predecessor.

A level is known as a whole, so the steps into it are found by stepping the level
before once more. Backwards, level by level, every state that lies on a shortest
way to a goal is marked, with what the rest of the way costs for each process
that may act next; then the trace walks forward, taking the least of the
cheapest steps. It depends on the levels as sets alone, not on the order in
which threads found them.

Among the shortest ways: the fewest changes of the acting process, then the fewest
faults, then the least initial state, then step by step the earliest action with
the least arguments.

Cost: about one more search of the levels before the goal, in one thread, and
memory for every marked state.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable

from attrs import define, frozen

from modelcheck.compile import record
from modelcheck.compile.jit import NativeFunction
from modelcheck.compile.kernel.backward import (
    CHANGE,
    EXPAND,
    FINAL,
    JUDGE,
    NO_WAY,
    RELAX,
    TEST,
    Back,
)
from modelcheck.core.model import ERROR_KINDS
from modelcheck.core.trace import Process, Step, Trace
from modelcheck.core.values import State
from modelcheck.explore.probe import Probe, Seen
from modelcheck.explore.search import Explored

_ROOM = 1 << 10
_CHUNK = 1 << 14


@frozen(eq=False)
class Test:
    """What native code says of a state (and its index) or of a step (two states).

    data  the first operand of the function
    """

    function: NativeFunction
    data: int

    @property
    def address(self) -> int:
        """Of the function."""
        return function_address(self.function)


def function_address(function: NativeFunction) -> int:
    """Where the machine code is."""
    found = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    assert found is not None
    return found


@frozen
class Goal:
    """What a trace is to lead to, all of it `steps` away.

    judging    the event of a new state
    expanding  the event of a state's expansion, if states so far away were expanded
    stepping   the event of a step, which is then the last one
    state      the test that a state passes
    step       the test that a step passes
    """

    steps: int
    judging: int | None = None
    expanding: int | None = None
    stepping: int | None = None
    state: Test | None = None
    step: Test | None = None


@frozen(eq=False)
class Way:
    """A trace, and what it leads to.

    end   the record of the last step, if the goal is a step (or its failure)
    last  the last state
    """

    trace: Trace
    end: Seen | None
    last: State


@define(eq=False)
class _Marked:
    """The marked states of one level: their indices, addresses and rows, in arena order."""

    indices: array[int]
    states: array[int]
    rows: array[int]

    def __len__(self) -> int:
        return len(self.indices)


class Backtracker:
    """Finds ways through the states that a search has stored.

    least  take the least of all shortest ways, whoever acts
    """

    def __init__(self, probe: Probe, explored: Explored, *, least: bool = False) -> None:
        assert explored.store is not None
        self.probe, self.levels, self.least = probe, explored.levels, least
        self.shared = explored.store.address
        self.columns = len(probe.processes) + 1
        self._back = probe.native.function("back", 4)
        self._table_function = probe.native.function("mark_table", 1)
        self._find = probe.native.function("find_mark", 2)
        self._number = {process: i for i, process in enumerate(probe.processes)}
        faults = [int(action.fault and not least) for action in probe.model.actions]
        self._faults = array("q", faults or [0])
        self._row = array("q", [0] * (self.columns + 1))
        self._room = 0
        self._make_room(_ROOM)
        self._never = probe.program.goals.count

    def way(self, goal: Goal) -> Way:
        """The trace. There must be a way."""
        marked = self._mark(goal)
        return self._walk(goal, marked)

    # --- backwards ---

    def _mark(self, goal: Goal) -> list[_Marked]:
        """For each level, the states on a shortest way; the first level first."""
        ctx = self.probe.context
        ctx[Back.FAULTS] = self._faults.buffer_info()[0]
        ctx[Back.ROW] = self._row.buffer_info()[0]
        ctx[Back.SAME] = int(self.least)
        ctx[Back.CUR], ctx[Back.COUNTS], ctx[Back.RECORD] = self.probe.scratch
        ctx[Back.JUDGING] = self._event(goal.judging)
        ctx[Back.EXPANDING] = self._event(goal.expanding)
        ctx[Back.STEPPING] = self._event(goal.stepping)
        for test, function, data in (
            (goal.state, Back.STATE_TEST, Back.STATE_DATA),
            (goal.step, Back.STEP_TEST, Back.STEP_DATA),
        ):
            ctx[function], ctx[data] = (0, 0) if test is None else (test.address, test.data)
        ctx[Back.MODE] = 1
        found: list[_Marked] = []
        try:
            for depth in range(goal.steps, -1, -1):
                wanted = RELAX if found and len(found[-1]) else 0
                if depth == goal.steps:
                    wanted |= 0 if goal.judging is None else JUDGE
                    wanted |= 0 if goal.expanding is None else EXPAND
                    wanted |= 0 if goal.state is None else TEST
                elif depth == goal.steps - 1:
                    wanted |= 0 if goal.stepping is None and goal.step is None else FINAL
                if wanted & RELAX:
                    self._make_table(found[-1])
                found.append(self._pass(self.levels.ranges(depth), wanted))
        finally:
            ctx[Back.MODE] = 0
        found.reverse()
        return found

    def _event(self, event: int | None) -> int:
        return self._never if event is None else event

    def _pass(self, ranges: Iterable[tuple[int, int]], wanted: int) -> _Marked:
        ctx = self.probe.context
        ctx[Back.WANTED], ctx[Back.OUT_COUNT] = wanted, 0
        if wanted:
            for first, stop in ranges:
                while first < stop:
                    chunk = min(stop, first + _CHUNK)
                    first = self._back(self.probe.context_address, self.shared, first, chunk)
                    if ctx[Back.OUT_COUNT] == self._room:
                        self._make_room(2 * self._room)
        count = ctx[Back.OUT_COUNT]
        return _Marked(
            self._out_indices[:count],
            self._out_states[:count],
            self._out_rows[: count * (self.columns + 1)],
        )

    def _make_room(self, room: int) -> None:
        more = room - self._room
        nothing = bytes(8 * more)
        if self._room == 0:
            self._out_indices, self._out_states = array("q"), array("q")
            self._out_rows = array("q")
        self._out_indices.frombytes(nothing)
        self._out_states.frombytes(nothing)
        self._out_rows.frombytes(bytes(8 * more * (self.columns + 1)))
        self._room = room
        ctx = self.probe.context
        ctx[Back.OUT_ROOM] = room
        ctx[Back.OUT_INDICES] = self._out_indices.buffer_info()[0]
        ctx[Back.OUT_STATES] = self._out_states.buffer_info()[0]
        ctx[Back.OUT_ROWS] = self._out_rows.buffer_info()[0]

    def _make_table(self, marked: _Marked) -> None:
        ctx = self.probe.context
        size = 1 << (2 * len(marked)).bit_length()
        self._table = array("q", bytes(8 * size))
        ctx[Back.TABLE], ctx[Back.MASK] = self._table.buffer_info()[0], size - 1
        ctx[Back.STATES] = marked.states.buffer_info()[0]
        ctx[Back.ROWS] = marked.rows.buffer_info()[0]
        ctx[Back.ROW_COUNT] = len(marked)
        self._table_function(self.probe.context_address)

    # --- forwards ---

    def _walk(self, goal: Goal, marked: list[_Marked]) -> Way:
        first = marked[0]
        # The initial states lie in the arena in their order.
        costs = [self._rest(self._costs(first, row), None) for row in range(len(first))]
        least = min(costs)
        row = costs.index(least)
        here = _code_at(first.states[row], self.probe.program.layout.words)
        states, steps = [self.probe.program.layout.unpack(here)], list[Step]()
        acted: Process | None = None
        while True:
            level = marked[len(steps)]
            cost = self._costs(level, row)
            if len(steps) == goal.steps and cost[self.columns] < NO_WAY:
                return Way(Trace(tuple(states), tuple(steps)), None, states[-1])
            seen, row = self._next(goal, marked, len(steps), cost, acted, states[-1])
            action = self.probe.model.actions[seen.number]
            steps.append(Step(action, seen.arguments, seen.process, seen.result))
            if seen.what != record.NOT_TAKEN:
                assert seen.after is not None
                states.append(seen.after)
            if row < 0:
                return Way(Trace(tuple(states), tuple(steps)), seen, states[-1])
            acted = seen.process

    def _next(
        self,
        goal: Goal,
        marked: list[_Marked],
        depth: int,
        costs: list[int],
        acted: Process | None,
        state: State,
    ) -> tuple[Seen, int]:
        """The least of the cheapest steps, and the row of the state it leads to; -1: the goal."""
        wanted = self._rest(costs, acted)
        after = marked[depth + 1] if depth + 1 < len(marked) else None
        if after is not None and len(after):
            self._make_table(after)
        candidates: list[tuple[Seen, int]] = []
        events = self.probe.steps(state)
        for number, seen in enumerate(events):
            if seen.what not in (record.TAKEN, record.NOT_TAKEN):
                continue
            price = self._price(seen, acted)
            if depth + 1 == goal.steps and price == wanted:
                is_goal = self._is_goal(goal, events, number)
                if is_goal or self._passes(goal, state, seen):
                    candidates.append((seen, -1))
            if seen.code is None or after is None or not len(after):
                continue
            row = self._row_of(seen.code)
            if row < 0:
                continue
            who = None if self.least else seen.process
            if self._rest(self._costs(after, row), who) + price == wanted:
                candidates.append((seen, row))
        return min(candidates, key=lambda c: (c[0].number, c[0].arguments, c[1] < 0, c[1]))

    def _is_goal(self, goal: Goal, events: list[Seen], number: int) -> bool:
        """Whether the step of this record is what the goal speaks of."""
        event, goals = goal.stepping, self.probe.program.goals
        if event is None:
            return False
        seen = events[number]
        if event < len(self.probe.model.properties):
            return event in seen.violated
        kind = ERROR_KINDS[event - goals.stepping]
        if seen.failure is not None:
            return seen.failure.kind == kind
        failures = (each.failure for each in step_failures(events, number))
        return any(failure is not None and failure.kind == kind for failure in failures)

    def _passes(self, goal: Goal, state: State, seen: Seen) -> bool:
        """Whether the step passes the goal's test."""
        if goal.step is None or seen.code is None:
            return False
        words = self.probe.program.layout.words
        before = words_of(self.probe.program.layout.pack(state), words)
        after = words_of(seen.code, words)
        places = ctypes.addressof(before), ctypes.addressof(after)
        return bool(goal.step.function(goal.step.data, *places))

    def _row_of(self, code: int) -> int:
        """The row of a state in the table of marked ones, or -1."""
        room = words_of(code, self.probe.program.layout.words)
        return self._find(self.probe.context_address, ctypes.addressof(room))

    def _costs(self, marked: _Marked, row: int) -> list[int]:
        """The least cost, then the columns."""
        size = self.columns + 1
        return list(marked.rows[row * size : (row + 1) * size])

    def _rest(self, costs: list[int], acted: Process | None) -> int:
        """The least cost from a state to which a step of `acted` has led; None: no change."""
        if acted is None or self.least:
            return min(costs)
        own = costs[1 + self._number[acted]]
        return min(own, costs[self.columns], costs[0] + CHANGE)

    def _price(self, seen: Seen, acted: Process | None) -> int:
        if self.least:
            return 0
        change = CHANGE if acted is not None and seen.process != acted else 0
        return change + self._faults[seen.number]


def step_failures(events: list[Seen], number: int) -> list[Seen]:
    """The failures of step properties for the step of a record: the records just before it."""
    found = []
    while number > 0 and events[number - 1].what == record.STEP_PROPERTY:
        number -= 1
        found.append(events[number])
    return found[::-1]


def words_of(code: int, words: int) -> ctypes.Array[ctypes.c_uint64]:
    """A state's bits as native code reads them, with a spare word behind."""
    room = (ctypes.c_uint64 * (words + 1))()
    ctypes.memmove(room, code.to_bytes(8 * words, "little"), 8 * words)
    return room


def _code_at(address: int, words: int) -> int:
    return int.from_bytes(ctypes.string_at(address, 8 * words), "little")
