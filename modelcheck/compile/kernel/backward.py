"""Backwards along shortest paths: which states of a level lead to a goal, and at what cost.

A level is stepped once more with detailed code. A step that leads to a marked
state of the level after it marks its source; so does, where goals are looked
for, an event that is one. For every process that may act in a marked state, its
row has the cost of the rest of the way if that process acts next: changes of the
acting process above 32 bits of faults. The column after the processes' is the
cost where the way ends.

    i64 @back(ctx, shared, first, stop)   the states first .. stop - 1; how far it came before
                                          there was no room for marks
    void @mark_table(ctx)                 a table of the marked states of one level
    i64 @find_mark(ctx, state)            the row of a marked state, or -1
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, unique

from modelcheck.compile import record
from modelcheck.compile.ir import Function, Module, Operand
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.store import address, state_hash

CHANGE = 1 << 32
NO_WAY = (1 << 62) - 1


@unique
class Back(IntEnum):
    """The words of a pass, behind those of the list of records in `ctx`."""

    MODE = 4
    """0: records go to the list; 1: they mark."""
    TABLE = 5
    """Pointer to the table of the level after: row plus 1, or 0."""
    MASK = 6
    STATES = 7
    """Pointer to the pointers to the states of the rows in the table."""
    ROWS = 8
    """Pointer to their rows: the least cost of a change, then a cost for each column."""
    ROW_COUNT = 9
    ROW = 10
    """Pointer to the row of the state that is being stepped."""
    FAULTS = 11
    """Pointer to a word for each action: what a step of it costs."""
    SAME = 12
    """1: the cost is of no interest; all processes are one."""
    JUDGING = 13
    """The event of a new state that is a goal."""
    EXPANDING = 14
    """The event of a state's expansion that makes it a goal."""
    STEPPING = 15
    """The event of a step that is a goal."""
    WANTED = 16
    """1: judge, 2: states whose expansion is a goal, 4: steps that are goals, 8: steps to marks,
    16: states that pass the test."""
    OUT_STATES = 17
    OUT_ROWS = 18
    OUT_COUNT = 19
    OUT_ROOM = 20
    OUT_INDICES = 21
    CUR = 22
    COUNTS = 23
    RECORD = 24
    STATE_TEST = 25
    """Pointer to what says whether a state is a goal: of STATE_DATA, the state and its index."""
    STATE_DATA = 26
    STEP_TEST = 27
    """Pointer to what says whether a step is a goal: of STEP_DATA and the two states; or 0."""
    STEP_DATA = 28

    SIZE = 32


_UNROLLED_COLUMNS = 16

JUDGE, EXPAND, FINAL, RELAX, TEST = 1, 2, 4, 8, 16


def add_backward(module: Module, shape: Shape, columns: int, events: int) -> None:
    """The functions; the detailed model's and the accessors of the store are beside them.

    columns  processes, and one for the end of the way
    events   how many bytes of hits there are
    """
    _add_offer(module)
    _add_find(module, shape)
    _add_table(module)
    _add_relax(module, columns)
    _add_back(module, shape, columns, events)


def add_nothing(module: Module) -> None:
    """For detailed code of which only the list is wanted."""
    f = Function(module, "internal ptr @mark(ptr %ctx, ptr %rec, ptr %cur, ptr %s)")
    f.ret("ptr %cur")
    module.add(f)


def _row(f: Code, base: str, number: Operand, columns: Operand) -> str:
    """A row is the least cost, then the columns."""
    return f.word(base, f.mul(number, f.add(columns, 1)))


def _add_offer(module: Module) -> None:
    """The lower cost stays."""
    f = Code(module, "internal void @offer(ptr %row, i64 %column, i64 %cost)")
    place = f.word("%row", f.add("%column", 1))
    known = f.load(place)
    f.store(f.select(f.icmp("ult", "%cost", known), "%cost", known), place)
    f.ret()
    module.add(f)


def _add_find(module: Module, shape: Shape) -> None:
    f = Code(module, "i64 @find_mark(ptr %ctx, ptr %state)")
    table, mask = f.pointer("%ctx", Back.TABLE), f.fetch("%ctx", Back.MASK)
    states = f.pointer("%ctx", Back.STATES)
    at = f.cell(f.and_(f.lshr(state_hash(f, "%state"), 8), mask))
    head, there, same, other, absent = (
        f.label(hint) for hint in ("head", "there", "same", "other", "absent")
    )
    f.begin(head)
    entry = f.fetch(table, f.load(at))
    f.branch(f.icmp("eq", entry, 0), absent, there)
    f.begin(there)
    row = f.sub(entry, 1)
    f.branch(f.equal(f.pointer_at(states, row), "%state", shape.words), same, other)
    f.begin(same)
    f.ret(f"i64 {row}")
    f.begin(other)
    f.store(f.and_(f.add(f.load(at), 1), mask), at)
    f.jump(head)
    f.begin(absent)
    f.ret("i64 -1")
    module.add(f)


def _add_table(module: Module) -> None:
    f = Code(module, "i64 @mark_table(ptr %ctx)")
    table, mask = f.pointer("%ctx", Back.TABLE), f.fetch("%ctx", Back.MASK)
    states = f.pointer("%ctx", Back.STATES)
    f.clear(table, f.mul(f.add(mask, 1), 8))

    def insert(row: str) -> None:
        at = f.cell(f.and_(f.lshr(state_hash(f, f.pointer_at(states, row)), 8), mask))
        f.repeat(
            lambda: f.icmp("ne", f.fetch(table, f.load(at)), 0),
            lambda: f.store(f.and_(f.add(f.load(at), 1), mask), at),
        )
        f.store(f.add(row, 1), f.word(table, f.load(at)))

    f.loop(0, f.fetch("%ctx", Back.ROW_COUNT), insert)
    f.ret("i64 0")
    module.add(f)


def _add_relax(module: Module, columns: int) -> None:
    """A record of a step: what it offers to the row of its source."""
    f = Code(module, "internal ptr @mark(ptr %ctx, ptr %rec, ptr %cur, ptr %s)")
    what, action = f.fetch("%rec", record.WHAT), f.fetch("%rec", record.INDEX)
    row, wanted = f.pointer("%ctx", Back.ROW), f.fetch("%ctx", Back.WANTED)
    step, end, relax = f.label("step"), f.label("end"), f.label("relax")
    others = [(kind, end) for kind in (record.GUARD, record.STOPS, record.JUDGED)]
    f.switch(what, [*others, (record.CONSTRAINT, end), (record.INIT, end)], step)
    f.begin(step)
    same = f.icmp("ne", f.fetch("%ctx", Back.SAME), 0)
    process = f.select(same, 0, f.fetch("%rec", record.PROCESS))
    price = f.fetch(f.pointer("%ctx", Back.FAULTS), action)
    final, no_goal = f.label("final"), f.label("no_goal")
    f.branch(f.icmp("ne", f.and_(wanted, FINAL), 0), final, no_goal)
    f.begin(final)
    hits = f.pointer("%ctx", 3)
    place = f.byte(hits, f.fetch("%ctx", Back.STEPPING))
    seen = f.value(f"load i8, ptr {place}, align 1")
    goal = f.label("goal")
    f.branch(f.value(f"icmp ne i8 {seen}, 0", "c"), goal, no_goal)
    f.begin(goal)
    f.line(f"store i8 0, ptr {place}, align 1")
    f.line(f"call void @offer(ptr {row}, i64 {process}, i64 {price})")
    f.jump(no_goal)
    f.begin(no_goal)
    taken = f.icmp("eq", what, record.TAKEN)
    test, tested = f.label("test"), f.label("tested")
    asked = f.both(f.icmp("ne", f.fetch("%ctx", Back.STEP_TEST), 0), taken)
    f.branch(f.both(asked, f.icmp("ne", f.and_(wanted, FINAL), 0)), test, tested)
    f.begin(test)
    function, data = f.pointer("%ctx", Back.STEP_TEST), f.fetch("%ctx", Back.STEP_DATA)
    answer = f.value(f"call i64 {function}(i64 {data}, ptr %s, ptr %cur)")
    passes = f.label("passes")
    f.branch(f.icmp("ne", answer, 0), passes, tested)
    f.begin(passes)
    f.line(f"call void @offer(ptr {row}, i64 {process}, i64 {price})")
    f.jump(tested)
    f.begin(tested)
    f.branch(f.both(taken, f.icmp("ne", f.and_(wanted, RELAX), 0)), relax, end)
    f.begin(relax)
    found = f.value("call i64 @find_mark(ptr %ctx, ptr %cur)")
    marked = f.label("marked")
    f.branch(f.icmp("slt", found, 0), end, marked)
    f.begin(marked)
    there = _row(f, f.pointer("%ctx", Back.ROWS), found, columns)
    rest = _least(f, f.fetch(there, f.add(process, 1)), f.fetch(there, columns))
    rest = _least(f, rest, f.add(f.load(there), f.select(same, 0, CHANGE)))
    f.line(f"call void @offer(ptr {row}, i64 {process}, i64 {f.add(rest, price)})")
    f.begin(end)
    f.ret("ptr %cur")
    module.add(f)


def _least(f: Code, a: Operand, b: Operand) -> Operand:
    return f.select(f.icmp("ult", a, b), a, b)


def _add_back(module: Module, shape: Shape, columns: int, events: int) -> None:
    f = Code(module, "i64 @back(ptr %ctx, ptr %shared, i64 %first, i64 %stop)")
    row, hits = f.pointer("%ctx", Back.ROW), f.pointer("%ctx", 3)
    rec = f.pointer("%ctx", Back.RECORD)
    wanted = f.fetch("%ctx", Back.WANTED)
    at = f.cell("%first")
    head, inside, full, done = f.label("head"), f.label("state"), f.label("full"), f.label("done")
    f.begin(head)
    index = f.load(at)
    room = f.label("room")
    f.branch(f.icmp("slt", index, "%stop"), room, done)
    f.begin(room)
    count = f.fetch("%ctx", Back.OUT_COUNT)
    f.branch(f.icmp("slt", count, f.fetch("%ctx", Back.OUT_ROOM)), inside, full)
    f.begin(inside)
    state = address(f, "%shared", index)
    _each_column(f, columns + 1, lambda column: f.store(NO_WAY, f.word(row, column)))
    f.clear(hits, events)

    def judge() -> None:
        f.line(f"call void @judge(ptr {state}, ptr {hits}, ptr {rec}, ptr %ctx)")
        _end_if(f, row, hits, Back.JUDGING, columns)

    f.when(f.icmp("ne", f.and_(wanted, JUDGE), 0), judge)

    def test() -> None:
        function, data = f.pointer("%ctx", Back.STATE_TEST), f.fetch("%ctx", Back.STATE_DATA)
        answer = f.value(f"call i64 {function}(i64 {data}, ptr {state}, i64 {index})")
        f.when(f.icmp("ne", answer, 0), lambda: f.store(0, f.word(row, columns)))

    f.when(f.icmp("ne", f.and_(wanted, TEST), 0), test)

    def step() -> None:
        within = f.value(f"call i1 @inside(ptr {state})", "c")

        def go() -> None:
            cur, counts = f.pointer("%ctx", Back.CUR), f.pointer("%ctx", Back.COUNTS)
            f.value(
                f"call ptr @step(ptr {state}, ptr %ctx, ptr {cur}, ptr {hits}, ptr {counts}, "
                f"ptr {rec})"
            )
            f.when(
                f.icmp("ne", f.and_(wanted, EXPAND), 0),
                lambda: _end_if(f, row, hits, Back.EXPANDING, columns),
            )

        f.when(within, go)

    f.when(f.icmp("ne", f.and_(wanted, EXPAND | FINAL | RELAX), 0), step)
    least = f.cell(NO_WAY)
    _each_column(
        f,
        columns - 1,
        lambda c: f.store(_least(f, f.load(least), f.fetch(row, f.add(c, 1))), least),
    )
    best = f.load(least)
    f.store(best, row)
    any_way = f.icmp("ult", _least(f, best, f.fetch(row, columns)), NO_WAY)

    def mark() -> None:
        out = _row(f, f.pointer("%ctx", Back.OUT_ROWS), count, columns)
        _each_column(f, columns + 1, lambda c: f.store(f.fetch(row, c), f.word(out, c)))
        place = f.word(f.pointer("%ctx", Back.OUT_STATES), count)
        f.set_pointer(place, state)
        f.store(index, f.word(f.pointer("%ctx", Back.OUT_INDICES), count))
        f.store(f.add(count, 1), f.word("%ctx", Back.OUT_COUNT))

    f.when(any_way, mark)
    f.store(f.add(index, 1), at)
    f.jump(head)
    f.begin(full)
    f.ret(f"i64 {index}")
    f.begin(done)
    f.ret("i64 %stop")
    module.add(f)


def _each_column(f: Code, count: int, body: Callable[[Operand], None]) -> None:
    if count <= _UNROLLED_COLUMNS:
        for column in range(count):
            body(column)
    else:
        f.loop(0, count, body)


def _end_if(f: Code, row: str, hits: str, which: Back, columns: int) -> None:
    """The way may end here if the event was reported."""
    place = f.byte(hits, f.fetch("%ctx", which))
    seen = f.value(f"load i8, ptr {place}, align 1")
    f.when(f.value(f"icmp ne i8 {seen}, 0", "c"), lambda: f.store(0, f.word(row, columns)))
