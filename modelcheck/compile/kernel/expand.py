"""Levels: all states of a job are stepped, in one thread or several.

A thread claims a piece of the job by adding to its cursor, and works through it
in batches. If a batch is dropped, because there is no room or because somebody
asked to stop, its counts are taken back and it is stepped again by the next call:
what it had inserted is then found, so nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable

from modelcheck.compile.ir import Module, Operand
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Job, Shared, Status, Thread
from modelcheck.compile.kernel.store import address


def add_expansion(module: Module, shape: Shape) -> None:
    """`@expand(ctx, job)` and `@levels(ctx)`."""
    _add_expand(module, shape)
    _add_levels(module, shape)


def add_pieces(
    f: Code,
    shape: Shape,
    shared: str,
    job: str,
    run: Callable[[str, Operand, Operand], None],
) -> None:
    """Work through pieces of the job until there are none, and go on behind it.

    run(state, position, count)  is written for states that lie one behind the other; it advances
                                 POSITION as it goes, or returns from the function
    """
    position, end = f.word("%ctx", Thread.POSITION), f.word("%ctx", Thread.END)
    head, claim, claimed = f.label("piece"), f.label("claim"), f.label("claimed")
    work, done = f.label("work"), f.label("no.more")
    f.begin(head)
    f.branch(f.icmp("ult", f.load(position), f.load(end)), work, claim)

    f.begin(claim)
    chunk, total = f.fetch(job, Job.CHUNK), f.fetch(job, Job.TOTAL)
    taken = f.fetch_add(f.word(job, Job.CURSOR), chunk)
    f.branch(f.icmp("ult", taken, total), claimed, done)
    f.begin(claimed)
    f.store(taken, position)
    f.store(f.smaller(f.add(taken, chunk), total), end)
    f.jump(work)

    f.begin(work)
    at = f.load(position)
    sums, starts = f.pointer(job, Job.SUMS), f.pointer(job, Job.STARTS)
    number = f.cell(0)
    # There are few ranges: at most two for each thread, and one.
    f.repeat(
        lambda: f.icmp("ule", f.fetch(sums, f.add(f.load(number), 1)), at),
        lambda: f.bump(number),
    )
    offset = f.sub(at, f.fetch(sums, f.load(number)))
    index = f.add(f.fetch(starts, f.load(number)), offset)
    range_left = f.sub(f.fetch(sums, f.add(f.load(number), 1)), at)
    segment_left = f.sub(shape.segment, f.mask(index, shape.segment_bits))
    count = f.smaller(f.smaller(range_left, segment_left), f.sub(f.load(end), at))
    run(address(f, shared, index), at, count)
    f.jump(head)
    f.begin(done)


def return_if_stopped(f: Code, shared: str) -> None:
    stopped, go_on = f.label("stopped"), f.label("go.on")
    stop = f.load_shared(f.word(shared, Shared.STOP))
    f.branch(f.icmp("ne", stop, 0), stopped, go_on)
    f.begin(stopped)
    f.ret(f"i64 {int(Status.STOPPED)}")
    f.begin(go_on)


def _add_expand(module: Module, shape: Shape) -> None:
    f = Code(module, "i64 @expand(ptr %ctx, ptr %job) noinline nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    add_pieces(
        f, shape, shared, "%job", lambda state, at, count: _expand_run(f, shape, state, at, count)
    )
    f.ret(f"i64 {int(Status.DONE)}")
    module.add(f)


def _expand_run(f: Code, shape: Shape, first: str, at: Operand, count: Operand) -> None:
    """Batches of the `count` states from `first` on, which is at position `at`."""
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    buffer = f.pointer("%ctx", Thread.BUFFER, fixed=True)
    hits = f.pointer("%ctx", Thread.HITS, fixed=True)
    counts = f.pointer("%ctx", Thread.COUNTS, fixed=True)
    saved = f.pointer("%ctx", Thread.SAVED_COUNTS, fixed=True)
    enough = f.byte(buffer, shape.enough * shape.stride)
    state, left = f.pointer_cell(first, "state"), f.cell(count, "left")
    current = f.pointer_cell(buffer, "cur")
    batch, step, stepped = f.label("batch"), f.label("step"), f.label("stepped")
    full, drain, check, settled = (f.label(n) for n in ("full", "drain", "check", "settled"))
    dropped, done = f.label("dropped"), f.label("run.done")

    f.begin(batch)
    return_if_stopped(f, shared)
    if shape.actions:
        f.copy(saved, counts, shape.actions)
    f.set_pointer(current, buffer)

    f.begin(step)
    source = f.get_pointer(state)
    if shape.constraint:
        inside = f.label("inside")
        f.branch(f.value(f"call i1 @inside(ptr {source})", "c"), inside, stepped)
        f.begin(inside)
    arguments = f"ptr {source}, ptr %ctx, ptr {f.get_pointer(current)}, ptr {hits}, ptr {counts}"
    f.set_pointer(current, f.value(f"call ptr @step({arguments})", "cur"))
    f.begin(stepped)
    f.set_pointer(state, f.byte(f.get_pointer(state), shape.stride))
    f.store(f.sub(f.load(left), 1), left)
    f.branch(f.icmp("eq", f.load(left), 0), drain, full)
    f.begin(full)
    is_full = f.value(f"icmp uge ptr {f.get_pointer(current)}, {enough}", "c")
    f.branch(is_full, drain, step)

    f.begin(drain)
    abort = f.word("%ctx", Thread.ABORT)
    look_up = f.label("look.up")
    f.branch(f.icmp("ne", f.load(abort), 0), dropped, look_up)
    f.begin(look_up)
    f.line(f"call void @drain(ptr %ctx, ptr {f.get_pointer(current)})")
    f.jump(check)
    f.begin(check)
    f.branch(f.icmp("ne", f.load(abort), 0), dropped, settled)
    f.begin(dropped)
    if shape.actions:
        f.copy(counts, saved, shape.actions)
    status = f.load(abort)
    f.store(0, abort)
    f.ret(f"i64 {status}")

    f.begin(settled)
    f.store(f.add(at, f.sub(count, f.load(left))), f.word("%ctx", Thread.POSITION))
    f.branch(f.icmp("ne", f.load(left), 0), batch, done)
    f.begin(done)


def _add_levels(module: Module, shape: Shape) -> None:
    """Level after level, until Python is to have a say; only this thread inserts meanwhile.

    Returns DONE after a level: if the next one is empty, or large; if an event was seen for the
    first time; if MOST_INSIDE states are known; if the log is full. Otherwise in the middle of one.
    """
    f = Code(module, "i64 @levels(ptr %ctx) nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    job = f.pointer(shared, Shared.JOB, fixed=True)
    hits = f.pointer("%ctx", Thread.HITS, fixed=True)
    head, back, finished = f.label("level"), f.label("back"), f.label("finished")
    end = f.label("end")
    f.begin(head)
    status = f.value(f"call i64 @expand(ptr %ctx, ptr {job})")
    f.branch(f.icmp("ne", status, 0), back, finished)
    f.begin(back)
    f.ret(f"i64 {status}")

    f.begin(finished)
    size = _describe_next_level(f, shared, job)
    inserted = f.fetch("%ctx", Thread.INSERTED)
    log, logged = f.pointer(shared, Shared.LOG, fixed=True), f.fetch(shared, Shared.LOGGED)
    f.store(f.add(inserted, f.fetch(shared, Shared.OTHERS)), f.word(log, logged))
    f.store(f.add(logged, 1), f.word(shared, Shared.LOGGED))
    inside = f.fetch("%ctx", Thread.INSIDE)
    level_inside = f.sub(inside, f.fetch(shared, Shared.BEGUN_INSIDE))
    f.store(level_inside, f.word(shared, Shared.LEVEL_INSIDE))
    f.store(inside, f.word(shared, Shared.BEGUN_INSIDE))
    if shape.actions:
        counts = f.pointer("%ctx", Thread.COUNTS, fixed=True)
        f.copy(f.pointer(shared, Shared.LEVEL_COUNTS, fixed=True), counts, shape.actions)
    all_inside = f.add(inside, f.fetch(shared, Shared.OTHERS_INSIDE))
    reasons = [
        f.icmp("eq", level_inside, 0),
        f.icmp("uge", size, f.fetch(shared, Shared.LARGE)),
        f.icmp("uge", all_inside, f.fetch(shared, Shared.MOST_INSIDE)),
        f.icmp("uge", f.add(logged, 1), f.fetch(shared, Shared.LOG_ROOM)),
        _sees_news(f, shape, hits, f.pointer(shared, Shared.KNOWN, fixed=True)),
    ]
    stop = reasons[0]
    for reason in reasons[1:]:
        stop = f.any_of(stop, reason)
    f.branch(stop, end, head)
    f.begin(end)
    f.ret(f"i64 {int(Status.DONE)}")
    module.add(f)


def _sees_news(f: Code, shape: Shape, hits: str, known: str) -> str | bool:
    """Whether there is an event that has not been reported."""
    if not shape.hits:
        return False
    news = f.cell(0)

    def look(index: str) -> None:
        new = f.and_(f.fetch(hits, index), f.xor(f.fetch(known, index), -1))
        f.store(f.or_(f.load(news), new), news)

    f.loop(0, shape.hit_bytes // 8, look)
    return f.icmp("ne", f.load(news), 0)


def _describe_next_level(f: Code, shared: str, job: str) -> Operand:
    """Make the job that of the states inserted since the level began; how many there are.

    They are the rest of the block the thread had then, and the blocks it has taken since, which
    follow each other: nobody else took any.
    """
    begun = f.fetch(shared, Shared.BEGUN_NEXT)
    block_end = f.fetch(shared, Shared.BEGUN_BLOCK_END)
    first_block = f.fetch(shared, Shared.BEGUN_SHARED)
    next_, end = f.fetch("%ctx", Thread.NEXT), f.fetch("%ctx", Thread.BLOCK_END)
    same_block = f.icmp("eq", end, block_end)
    rest = f.sub(f.select(same_block, next_, block_end), begun)
    more = f.select(same_block, 0, f.sub(next_, first_block))
    size = f.add(rest, more)
    sums, starts = f.pointer(job, Job.SUMS), f.pointer(job, Job.STARTS)
    # The first range may be empty; it is passed over.
    for index, value in enumerate((0, rest, size)):
        f.store(value, f.word(sums, index))
    for index, value in enumerate((begun, first_block)):
        f.store(value, f.word(starts, index))
    f.store(2, f.word(job, Job.RANGES))
    f.store(size, f.word(job, Job.TOTAL))
    f.store(0, f.word(job, Job.CURSOR))
    f.store(next_, f.word(shared, Shared.BEGUN_NEXT))
    f.store(end, f.word(shared, Shared.BEGUN_BLOCK_END))
    f.store(f.fetch(shared, Shared.NEXT), f.word(shared, Shared.BEGUN_SHARED))
    return size
