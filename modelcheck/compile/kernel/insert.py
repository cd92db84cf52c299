"""From the model's `@emit` to the arena: batches of successors are looked up together.

Nearly all the time of a search is spent waiting for memory, and nearly all
successors have been seen before. So a batch is passed over several times:

1. Hash. A state that was looked up not long ago is dropped: that is so for about
   three of four on two-phase commit. For the others, the line of the table is
   prefetched; by the time the last is on its way, the first has arrived.
2. With tags only: prefetch the arena for those whose tag is found in the line.
3. Compare, and insert.

What must hold:

(1) A state is in the arena before its index is in the table; a slot is written with
    release and read with acquire.
(2) A state is remembered as looked up only if it is then looked up: whoever drops
    a batch forgets.
(3) A new state is judged by the thread that inserts it, before the thread returns.
"""

from __future__ import annotations

from modelcheck.compile.ir import Module, Operand
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared, Status, Thread
from modelcheck.compile.kernel.store import (
    after_line,
    index_in,
    line_address,
    line_of,
    state_hash,
    tag_matches,
    tag_of,
)

# The table's line depends on the upper bits of the hash; these are others.
_RECENT_SHIFT = 20

LOOK_AHEAD = 12
"""Entries; their words in HASHES are read behind the end of the batch too."""


def add_insertion(module: Module, shape: Shape) -> None:
    """`@emit`, `@drain` and what they need."""
    _add_emit(module, shape)
    _add_spill(module)
    _add_settle(module, shape)
    _add_reserve(module, shape)
    _add_forget(module, shape)
    if shape.direct:
        _Direct(module, shape).add()
    else:
        _Tagged(module, shape).add()


def _add_emit(module: Module, shape: Shape) -> None:
    """Accept the successor at %cur; where the next one is to be built."""
    f = Code(module, "internal ptr @emit(ptr %ctx, ptr %cur) alwaysinline nounwind")
    if shape.arrives:
        f.line("call void @arrive(ptr %cur)")
    following = f.byte("%cur", shape.stride)
    end = f.pointer("%ctx", Thread.BUFFER_END, fixed=True)
    full, go_on, start = f.label("full"), f.label("room"), f.block
    module.declare("llvm.expect.i1", "declare i1 @llvm.expect.i1(i1, i1)")
    is_full = f.value(f"call i1 @llvm.expect.i1(i1 {f.same(following, end)}, i1 false)", "c")
    f.branch(is_full, full, go_on)
    f.begin(full)
    emptied = f.value(f"call ptr @spill(ptr %ctx, ptr {following})")
    f.jump(go_on)
    f.begin(go_on)
    f.ret(f"ptr {f.value(f'phi ptr [ {following}, %{start} ], [ {emptied}, %{full} ]')}")
    module.add(f)


def _add_spill(module: Module) -> None:
    """The batch is full in the middle of a state: unless it is dropped, look it up."""
    f = Code(module, "internal ptr @spill(ptr %ctx, ptr %cur) noinline cold nounwind")
    dropped, check, drain = f.label("dropped"), f.label("check"), f.label("drain")
    stop = f.label("stop")
    f.branch(f.icmp("ne", f.fetch("%ctx", Thread.ABORT), 0), dropped, check)
    f.begin(check)
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    f.branch(f.icmp("ne", f.load_shared(f.word(shared, Shared.STOP)), 0), stop, drain)
    f.begin(stop)
    # A state may have so many successors that nobody wants to wait for them.
    f.store(Status.STOPPED, f.word("%ctx", Thread.ABORT))
    f.jump(dropped)
    f.begin(drain)
    f.line("call void @drain(ptr %ctx, ptr %cur)")
    f.jump(dropped)
    f.begin(dropped)
    f.ret(f"ptr {f.pointer('%ctx', Thread.BUFFER, fixed=True)}")
    module.add(f)


def _add_settle(module: Module, shape: Shape) -> None:
    """Judge and count the `count` new states from %first on."""
    heading = "internal void @settle(ptr %ctx, ptr %first, i64 %count) noinline nounwind"
    f = Code(module, heading)
    hits = f.pointer("%ctx", Thread.HITS, fixed=True)
    inside = f.cell(0)

    def judge(index: str) -> None:
        state = f.scaled("%first", index, shape.stride)
        f.line(f"call void @judge(ptr {state}, ptr {hits})")
        if shape.constraint:
            f.bump(inside, f.widen(f.value(f"call i1 @inside(ptr {state})", "c")))

    f.loop(0, "%count", judge)
    f.bump(f.word("%ctx", Thread.INSERTED), "%count")
    f.bump(f.word("%ctx", Thread.INSIDE), f.load(inside) if shape.constraint else "%count")
    f.ret()
    module.add(f)


def _add_reserve(module: Module, shape: Shape) -> None:
    """A new block for the thread; false, and everybody is asked to stop, if there is no room."""
    f = Code(module, "internal i1 @reserve(ptr %ctx) noinline cold nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    limit = f.fetch(shared, Shared.LIMIT)
    place = f.word(shared, Shared.NEXT)
    again, room, take, full = (f.label(name) for name in ("again", "room", "take", "full"))
    f.begin(again)
    first = f.load_shared(place)
    end = f.add(first, shape.block)
    f.branch(f.icmp("ule", end, limit), room, full)
    f.begin(room)
    f.branch(f.swap_in(place, first, end, "monotonic"), take, again)
    f.begin(take)
    f.store(first, f.word("%ctx", Thread.NEXT))
    f.store(end, f.word("%ctx", Thread.BLOCK_END))
    f.ret("i1 true")
    f.begin(full)
    f.store(Status.NEED_ROOM, f.word("%ctx", Thread.ABORT))
    f.store_shared(1, f.word(shared, Shared.STOP))
    f.line("call void @forget(ptr %ctx)")  # keeps (2)
    f.ret("i1 false")
    module.add(f)


def _add_forget(module: Module, shape: Shape) -> None:
    f = Code(module, "internal void @forget(ptr %ctx) noinline cold nounwind")
    if shape.recent:
        recent = f.pointer("%ctx", Thread.RECENT, fixed=True)
        f.clear(recent, shape.recent * shape.recent_stride)
    f.ret()
    module.add(f)


class _Drain:
    """`@drain(ctx, end)`: the batch up to `end` is looked up, and is empty then."""

    def __init__(self, module: Module, shape: Shape) -> None:
        self.module = module
        self.shape = shape
        self.f = f = Code(module, "internal void @drain(ptr %ctx, ptr %end) noinline nounwind")
        self.shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
        self.buffer = f.pointer("%ctx", Thread.BUFFER, fixed=True)
        self.recent = f.pointer("%ctx", Thread.RECENT, fixed=True)
        self.hashes = f.pointer("%ctx", Thread.HASHES, fixed=True)
        self.table = f.pointer(self.shared, Shared.TABLE)
        self.lines = f.fetch(self.shared, Shared.LINES)
        self.alone = f.icmp("ne", f.fetch(self.shared, Shared.ALONE), 0)
        size = f.distance("%end", self.buffer)
        self.count = f.value(f"udiv exact i64 {size}, {shape.stride}", "count")
        self.kept = f.cell(0, "kept")
        # The next place in the arena, and the states that were put before it and not yet judged.
        self.index = f.cell(f.fetch("%ctx", Thread.NEXT), "index")
        self.block_end = f.cell(f.fetch("%ctx", Thread.BLOCK_END), "end")
        self.place = f.pointer_cell("null", "place")
        self.first = f.pointer_cell("null", "first")
        self.fresh = f.cell(0, "fresh")

    def add(self) -> None:
        f = self.f
        f.loop(0, self.count, self.filter)
        kept = f.load(self.kept)
        self.look_up(kept)
        self.finish()
        f.ret()
        self.module.add(f)

    def filter(self, index: str) -> None:
        raise NotImplementedError

    def look_up(self, kept: Operand) -> None:
        raise NotImplementedError

    def entry(self, index: Operand) -> str:
        return self.f.scaled(self.buffer, index, self.shape.stride, "entry")

    def recent_of(self, hash_: Operand) -> str:
        f = self.f
        number = f.mask(f.lshr(hash_, _RECENT_SHIFT), self.shape.recent.bit_length() - 1)
        return f.scaled(self.recent, number, self.shape.recent_stride, "recent")

    def begin_run(self) -> None:
        """Where the states of this block go."""
        f = self.f
        usable, end = f.label("usable"), f.label("begun")
        f.branch(f.icmp("ne", f.load(self.index), f.load(self.block_end)), usable, end)
        f.begin(usable)
        place = f.value(f"call ptr @address(ptr {self.shared}, i64 {f.load(self.index)})")
        f.set_pointer(self.place, place)
        f.set_pointer(self.first, place)
        f.begin(end)

    def make_room(self, given_up: str) -> None:
        """A place for one more state, or jump."""
        f = self.f
        full, room = f.label("block.full"), f.label("block.room")
        f.branch(f.icmp("eq", f.load(self.index), f.load(self.block_end)), full, room)
        f.begin(full)
        self.finish()
        f.store(0, self.fresh)
        reserved = f.label("reserved")
        f.branch(f.value("call i1 @reserve(ptr %ctx)", "c"), reserved, given_up)
        f.begin(reserved)
        f.store(f.fetch("%ctx", Thread.NEXT), self.index)
        f.store(f.fetch("%ctx", Thread.BLOCK_END), self.block_end)
        self.begin_run()
        f.begin(room)

    def claim(self, place: str, slot: Operand, order: str, won: str, lost: str) -> None:
        """Fill the empty slot, or somebody else has just done so."""
        f = self.f
        alone, together = f.label("alone"), f.label("together")
        f.branch(self.alone, alone, together)
        f.begin(alone)
        # A swap would wait until all that was written before, to the arena too, has got there.
        f.store(slot, place)
        f.jump(won)
        f.begin(together)
        f.branch(f.swap_in(place, 0, slot, order), won, lost)

    def accept(self) -> None:
        """The state at the next place is new."""
        f = self.f
        f.bump(self.index)
        f.bump(self.fresh)
        f.set_pointer(self.place, f.byte(f.get_pointer(self.place), self.shape.stride))

    def finish(self) -> None:
        """Judge what is new; keeps (3)."""
        f = self.f
        f.store(f.load(self.index), f.word("%ctx", Thread.NEXT))
        first, fresh = f.get_pointer(self.first), f.load(self.fresh)
        f.when(
            f.icmp("ne", fresh, 0),
            lambda: f.line(f"call void @settle(ptr %ctx, ptr {first}, i64 {fresh})"),
        )


class _Direct(_Drain):
    """Slots hold states. HASHES gets the number of each entry's line."""

    def filter(self, index: str) -> None:
        f, shape = self.f, self.shape
        state = self.entry(index)
        slot = f.add(f.load(state), 1)
        hash_ = state_hash(f, state)
        kept = f.load(self.kept)
        f.store(slot, f.word(self.buffer, kept))
        line = line_of(f, hash_, self.lines)
        f.store(line, f.word(self.hashes, kept))
        if shape.recent:
            recent = self.recent_of(hash_)
            is_new = f.icmp("ne", f.load(recent), slot)
            f.store(slot, recent)
            # For one that is dropped, a line that is at hand: a branch would be guessed wrong.
            wanted = f.value(
                f"select i1 {is_new}, ptr {line_address(f, self.table, line)}, ptr {recent}"
            )
            f.prefetch(wanted)
            f.store(f.add(kept, f.widen(is_new)), self.kept)
        else:
            f.prefetch(line_address(f, self.table, line))
            f.store(f.add(kept, 1), self.kept)

    def look_up(self, kept: Operand) -> None:
        f = self.f
        self.begin_run()
        given_up, done = f.label("given.up"), f.label("looked.up")
        f.loop(0, kept, lambda index: self._look_up_one(index, given_up))
        f.jump(done)
        f.begin(given_up)
        f.ret()
        f.begin(done)

    def _look_up_one(self, index: str, given_up: str) -> None:
        f = self.f
        # The processor forgets prefetches that come too fast; a second request finds the rest.
        ahead = f.fetch(self.hashes, f.add(index, LOOK_AHEAD))
        f.prefetch(line_address(f, self.table, ahead))
        slot = f.fetch(self.buffer, index)
        at = f.cell(f.fetch(self.hashes, index))
        look, absent, further = f.label("look"), f.label("absent"), f.label("further")
        insert, seen = f.label("insert"), f.label("seen")
        f.begin(look)
        place = line_address(f, self.table, f.load(at))
        line = f.line_at(place)
        f.branch(f.icmp("ne", f.lanes_equal(line, slot), 0), seen, absent)
        f.begin(absent)
        empty = f.lanes_equal(line, 0)
        f.branch(f.icmp("ne", empty, 0), insert, further)
        f.begin(further)
        f.store(after_line(f, f.load(at), self.lines), at)
        f.jump(look)
        f.begin(insert)
        self.make_room(given_up)
        new = f.label("new")
        self.claim(f.word(place, f.lowest_bit(empty)), slot, "monotonic", new, look)
        f.begin(new)
        f.store(f.sub(slot, 1), f.get_pointer(self.place))
        self.accept()
        f.begin(seen)


class _Tagged(_Drain):
    """Slots hold tags and indices. HASHES gets the hash of each entry that is kept."""

    def __init__(self, module: Module, shape: Shape) -> None:
        super().__init__(module, shape)
        self.candidates = self.f.pointer("%ctx", Thread.CANDIDATES, fixed=True)

    def filter(self, index: str) -> None:
        f, shape = self.f, self.shape
        state = self.entry(index)
        hash_ = state_hash(f, state)
        dropped = f.label("dropped")
        if shape.recent:
            recent = self.recent_of(hash_)
            # An entry without a state is 0.
            mark = f.or_(hash_, 1)
            alike, fresh = f.label("alike"), f.label("fresh")
            f.branch(f.icmp("eq", f.load(recent), mark), alike, fresh)
            f.begin(alike)
            f.branch(f.equal(f.word(recent, 1), state, shape.words), dropped, fresh)
            f.begin(fresh)
            f.store(mark, recent)
            f.copy(f.word(recent, 1), state, shape.words)
        f.prefetch(line_address(f, self.table, line_of(f, hash_, self.lines)))
        kept = f.load(self.kept)
        f.store(hash_, f.word(self.hashes, kept))
        f.when(f.icmp("ne", kept, index), lambda: f.copy(self.entry(kept), state, shape.words))
        f.store(f.add(kept, 1), self.kept)
        f.begin(dropped)

    def look_up(self, kept: Operand) -> None:
        f = self.f
        f.loop(0, kept, self._find_candidate)
        self.begin_run()
        given_up, done = f.label("given.up"), f.label("looked.up")
        f.loop(0, kept, lambda index: self._compare_one(index, given_up))
        f.jump(done)
        f.begin(given_up)
        f.ret()
        f.begin(done)

    def _find_candidate(self, index: str) -> None:
        """The first state of the same tag in the first line, if there is one: its index plus 1."""
        f, shape = self.f, self.shape
        hash_ = f.fetch(self.hashes, index)
        place = line_address(f, self.table, line_of(f, hash_, self.lines))
        line = f.line_at(place)
        matches = tag_matches(f, shape, line, tag_of(f, shape, hash_), f.lanes_equal(line, 0))
        cell = f.word(self.candidates, index)
        f.store(0, cell)

        def fetch() -> None:
            number = index_in(f, f.word(place, f.lowest_bit(matches)))
            state = f.value(f"call ptr @address(ptr {self.shared}, i64 {number})")
            f.prefetch(state)
            f.line(f"store ptr {state}, ptr {cell}, align 8")

        f.when(f.icmp("ne", matches, 0), fetch)

    def _compare_one(self, index: str, given_up: str) -> None:
        f, shape = self.f, self.shape
        state = self.entry(index)
        candidate = f.pointer_at(self.candidates, index)
        compare, search, seen = f.label("compare"), f.label("search"), f.label("seen")
        f.branch(f.same(candidate, "null"), search, compare)
        f.begin(compare)
        f.branch(f.equal(candidate, state, shape.words), seen, search)
        f.begin(search)
        self._search(index, state, given_up, seen)
        f.begin(seen)

    def _search(self, index: str, state: str, given_up: str, seen: str) -> None:
        """Line by line, from the first one on."""
        f, shape = self.f, self.shape
        hash_ = f.fetch(self.hashes, index)
        tag = tag_of(f, shape, hash_)
        at = f.cell(line_of(f, hash_, self.lines))
        look, further = f.label("look"), f.label("further")
        insert, new = f.label("insert"), f.label("new")
        f.begin(look)
        place = line_address(f, self.table, f.load(at))
        line = f.line_at(place)
        empty = f.lanes_equal(line, 0)
        matches = f.cell(tag_matches(f, shape, line, tag, empty))

        def compare() -> None:
            mask = f.load(matches)
            number = index_in(f, f.word(place, f.lowest_bit(mask)))
            other = f.value(f"call ptr @address(ptr {self.shared}, i64 {number})")
            differs = f.label("differs")
            f.branch(f.equal(other, state, shape.words), seen, differs)
            f.begin(differs)
            f.store(f.and_(mask, f.sub(mask, 1)), matches)

        f.repeat(lambda: f.icmp("ne", f.load(matches), 0), compare)
        f.branch(f.icmp("ne", empty, 0), insert, further)
        f.begin(further)
        f.store(after_line(f, f.load(at), self.lines), at)
        f.jump(look)
        f.begin(insert)
        self.make_room(given_up)
        f.copy(f.get_pointer(self.place), state, shape.words)
        slot = f.or_(tag, f.add(f.load(self.index), 1))
        # Release: keeps (1).
        self.claim(f.word(place, f.lowest_bit(empty)), slot, "release", new, look)
        f.begin(new)
        self.accept()
