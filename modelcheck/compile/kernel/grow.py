"""The table grows: within its place if it holds the states, else it is filled anew."""

from __future__ import annotations

from modelcheck.compile.ir import Module, Operand
from modelcheck.compile.kernel.code import LINE_BYTES, LINE_SLOTS, Code
from modelcheck.compile.kernel.expand import add_pieces, return_if_stopped
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Job, Shared, Status, Thread
from modelcheck.compile.kernel.store import (
    after_line,
    line_address,
    line_of,
    state_hash,
    tag_of,
)

_BATCH = 64
_LINES_BETWEEN_CHECKS = 1 << 14
_GROUP_BITS = 4
_GROUP = 1 << _GROUP_BITS

ASIDE_ROOM = 1 << 12
"""States that `spread` can put aside."""


def add_growth(module: Module, shape: Shape) -> None:
    """`@clear`, `@index` and, if the table may hold states, `@refill` and `@spread`."""
    _add_clear(module, shape)
    _add_fill(module, shape, "index", direct=False)
    if shape.direct:
        _add_fill(module, shape, "refill", direct=True)
        _add_spread(module, shape)


def _add_clear(module: Module, shape: Shape) -> None:
    """`@clear(ctx, job)`: empty the lines whose numbers are the job's positions."""
    f = Code(module, "i64 @clear(ptr %ctx, ptr %job) nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    table = f.pointer(shared, Shared.TABLE)
    chunk, total = f.fetch("%job", Job.CHUNK), f.fetch("%job", Job.TOTAL)
    head, work, done = f.label("chunk"), f.label("work"), f.label("no.more")
    f.begin(head)
    return_if_stopped(f, shared)
    taken = f.fetch_add(f.word("%job", Job.CURSOR), chunk)
    f.branch(f.icmp("ult", taken, total), work, done)
    f.begin(work)
    size = f.sub(f.smaller(f.add(taken, chunk), total), taken)
    f.clear(line_address(f, table, taken), f.mul(size, LINE_BYTES))
    f.jump(head)
    f.begin(done)
    f.ret(f"i64 {int(Status.DONE)}")
    module.add(f)


def _add_fill(module: Module, shape: Shape, name: str, *, direct: bool) -> None:
    """Put the job's states, which differ, into a table that does not hold them."""
    f = Code(module, f"i64 @{name}(ptr %ctx, ptr %job) nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    hashes = f.alloca(_BATCH, "hashes")

    def run(first: str, at: Operand, count: Operand) -> None:
        table, lines = f.pointer(shared, Shared.TABLE), f.fetch(shared, Shared.LINES)
        # The index of a state is only known from where the piece lies in the job.
        index = _index_of(f, at)
        done = f.cell(0)

        def batch() -> None:
            return_if_stopped(f, shared)
            begun = f.load(done)
            size = f.smaller(f.sub(count, begun), _BATCH)

            def prefetch(number: str) -> None:
                hash_ = state_hash(f, f.scaled(first, f.add(begun, number), shape.stride))
                f.store(hash_, f.word(hashes, number))
                f.prefetch(line_address(f, table, line_of(f, hash_, lines)))

            def place(number: str) -> None:
                hash_ = f.fetch(hashes, number)
                offset = f.add(begun, number)
                if direct:
                    slot = f.add(f.load(f.scaled(first, offset, shape.stride)), 1)
                else:
                    slot = f.or_(tag_of(f, shape, hash_), f.add(f.add(index, offset), 1))
                _put(f, table, lines, line_of(f, hash_, lines), slot)

            f.loop(0, size, prefetch)
            f.loop(0, size, place)
            f.store(f.add(begun, size), done)
            f.store(f.add(at, f.load(done)), f.word("%ctx", Thread.POSITION))

        f.repeat(lambda: f.icmp("ult", f.load(done), count), batch)

    add_pieces(f, shape, shared, "%job", run)
    f.ret(f"i64 {int(Status.DONE)}")
    module.add(f)


def _index_of(f: Code, at: Operand) -> Operand:
    """The arena index at a position of the job."""
    sums, starts = f.pointer("%job", Job.SUMS), f.pointer("%job", Job.STARTS)
    number = f.cell(0)
    f.repeat(
        lambda: f.icmp("ule", f.fetch(sums, f.add(f.load(number), 1)), at),
        lambda: f.bump(number),
    )
    start, begun = f.fetch(starts, f.load(number)), f.fetch(sums, f.load(number))
    return f.add(start, f.sub(at, begun))


def _put(
    f: Code,
    table: str,
    lines: Operand,
    line: Operand,
    slot: Operand,
    *,
    alone: bool = False,
    at_end: str | None = None,
) -> None:
    """Into the first empty slot from this line on; behind the last one, jump to `at_end`.

    alone  no other thread writes to the table
    """
    at = f.cell(line)
    look, insert, further, done = (f.label(n) for n in ("look", "insert", "further", "put"))
    f.begin(look)
    place = line_address(f, table, f.load(at))
    empty = f.lanes_equal(f.line_at(place), 0)
    f.branch(f.icmp("ne", empty, 0), insert, further)
    f.begin(further)
    f.store(after_line(f, f.load(at), lines), at)
    if at_end is None:
        f.jump(look)
    else:
        f.branch(f.icmp("eq", f.load(at), 0), at_end, look)
    f.begin(insert)
    free = f.word(place, f.lowest_bit(empty))
    if alone:
        f.store(slot, free)
        f.jump(done)
    else:
        f.branch(f.swap_in(free, 0, slot, "monotonic"), done, look)
    f.begin(done)


def _add_spread(module: Module, shape: Shape) -> None:
    """`@spread(ctx, old, job)`: the table has grown from `old` lines to LINES, in place.

    From the last line to the first, states move to the line that is now theirs. As the number of
    a state's line rises with its hash, that line is not before those being emptied, among lines
    that are done; the few for which it is not are put aside and placed at the end. The job's
    CURSOR, 0 at first, counts the lines that are done. One thread, no look at the arena.

    CROWDED: too many to put aside. The table must be cleared and filled from the arena.
    """
    f = Code(module, "i64 @spread(ptr %ctx, i64 %old, ptr %job) nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    table, lines = f.pointer(shared, Shared.TABLE), f.fetch(shared, Shared.LINES)
    aside = f.pointer("%ctx", Thread.ASIDE, fixed=True)
    aside_count = f.word("%ctx", Thread.ASIDE_COUNT)
    cursor = f.word("%job", Job.CURSOR)
    taken = f.alloca(_GROUP * LINE_SLOTS, "taken")
    goals = f.alloca(_GROUP * LINE_SLOTS, "goals")
    state = f.alloca(hint="state")
    crowded = f.label("crowded")

    def target(slot: Operand) -> Operand:
        f.store(f.sub(slot, 1), state)
        return line_of(f, state_hash(f, state), lines)

    def empty_lines() -> None:
        left = f.sub("%old", f.load(cursor))
        size = f.smaller(left, _GROUP)
        lowest = f.sub(left, size)
        place, count = line_address(f, table, lowest), f.mul(size, LINE_BYTES)
        f.clear(taken, _GROUP * LINE_BYTES)
        f.copy_bytes(taken, place, count)
        f.clear(place, count)

        def aim(index: str) -> None:
            goal = target(f.fetch(taken, index))
            f.store(goal, f.word(goals, index))
            f.prefetch(line_address(f, table, goal))

        def move(index: str) -> None:
            # The first slot of each line, the second, ...: two that go to the same line do not
            # follow each other, or the second would wait until the first is written.
            number = f.add(f.shl(f.and_(index, _GROUP - 1), 3), f.lshr(index, _GROUP_BITS))
            slot, goal = f.fetch(taken, number), f.fetch(goals, number)
            behind, wait = f.label("behind"), f.label("wait")
            take, last = f.label("take"), f.label("last")
            f.branch(f.icmp("eq", slot, 0), last, take)
            f.begin(take)
            f.branch(f.icmp("uge", goal, lowest), behind, wait)
            f.begin(behind)
            # Behind the last line come lines that are not done.
            _put(f, table, lines, goal, slot, alone=True, at_end=wait)
            f.jump(last)
            f.begin(wait)
            _put_aside(f, aside, aside_count, slot, crowded)
            f.begin(last)

        f.loop(0, _GROUP * LINE_SLOTS, aim)
        f.loop(0, _GROUP * LINE_SLOTS, move)
        f.bump(cursor, size)

    def several_groups() -> None:
        return_if_stopped(f, shared)
        until = f.smaller(f.add(f.load(cursor), _LINES_BETWEEN_CHECKS), "%old")
        f.repeat(lambda: f.icmp("ult", f.load(cursor), until), empty_lines)

    f.repeat(lambda: f.icmp("ult", f.load(cursor), "%old"), several_groups)

    def put_back() -> None:
        f.store(f.sub(f.load(aside_count), 1), aside_count)
        slot = f.fetch(aside, f.load(aside_count))
        _put(f, table, lines, target(slot), slot, alone=True)

    f.repeat(lambda: f.icmp("ne", f.load(aside_count), 0), put_back)
    f.ret(f"i64 {int(Status.DONE)}")
    f.begin(crowded)
    f.store(0, aside_count)
    f.ret(f"i64 {int(Status.CROWDED)}")
    module.add(f)


def _put_aside(f: Code, aside: str, count: str, slot: Operand, crowded: str) -> None:
    room = f.label("room")
    f.branch(f.icmp("ult", f.load(count), ASIDE_ROOM), room, crowded)
    f.begin(room)
    f.store(slot, f.word(aside, f.load(count)))
    f.bump(count)
