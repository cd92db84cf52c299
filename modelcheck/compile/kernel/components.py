"""Fair components: where runs can stay for ever without being unfair, among the stored states.

A walk in depth first order over the states that are allowed, from those that are roots, finds
the strongly connected components (Pearce 2016: one number for each state). Steps are not
stored: a state is stepped when the walk comes to it, and once more if its component has other
states. What a component starves decides it, after Emerson and Lei 1987: a weak instance that is
always enabled and never taken makes it unfair; a strong one that is sometimes enabled and never
taken leaves the states where it is not enabled for another round.

    i64 @components(ctx)    a Status; called again, it goes on. NEED_ROOM: instances need room
    i64 @forget(ctx)        the states of NEXT have not been visited

The model's `@step` calls `@fair(ctx, action, strong, key, words)` before `@emit` for each step of
a fair action that changes the state; `key` has the arguments for which fairness is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, unique

from modelcheck.compile.ir import Flag, Module, Operand
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared, Status
from modelcheck.compile.kernel.store import address, line_address, line_of, state_hash

TOGETHER = 32
"""Successors that are looked up together."""

LAST_LABEL = (1 << 32) - 1
"""Of components, counted down from here; the numbers of states count up from 1."""

MOST_STATES = 1 << 30


@unique
class Walk(IntEnum):
    """The words of `ctx`."""

    STOP = 0
    """Not 0: return soon."""
    CUR = 1
    """Pointer to where successors are built: room for TOGETHER, and a word."""
    HITS = 2
    COUNTS = 3
    SHARED = 4
    FOUND = 5
    """Pointer to the indices of the successors that are looked up: TOGETHER words."""
    TAKES = 6
    """Pointer to the numbers of the instances that take them, or -1: TOGETHER words."""
    WAITING = 7
    INSTANCE = 8
    """The number of the instance that takes the next successor, or -1."""

    ALLOWED = 10
    """Pointer to a bitmap: the walk stays in these states."""
    ROOTS = 11
    """Pointer to a bitmap: it starts in these that are allowed."""
    MUST = 12
    """Pointer to a bitmap of which a component must have a state; or 0."""
    FAIR = 13
    """Pointer to a bitmap: the states of fair components are set."""
    NEXT = 14
    """Pointer to a bitmap: the states left for another round are set."""
    SIZE_WORDS = 15
    """The length of the bitmaps."""
    FAIR_COUNT = 16
    NEXT_COUNT = 17
    VISITED = 18
    """Pointer to a bitmap: the states that are visited are set; or 0."""

    MARKS = 20
    """Pointer to 32 bits for each index: 0 not visited; a number; the label of a component."""
    ORDER = 21
    """The next number."""
    LABEL = 22
    """The label of the last component."""
    FRAMES = 23
    """Pointer to the path of the walk, a word for each state; DEPTH of them."""
    DEPTH = 24
    STACK = 25
    """Pointer behind the stack of states whose component is not known, 32 bits each; it grows
    downwards, towards the frames. STACKED of them."""
    STACKED = 26
    PENDING = 27
    """Pointer to successors that are to be visited, 32 bits each; PENDING_COUNT of them."""
    PENDING_COUNT = 28
    PENDING_ROOM = 29
    ROOT_AT = 30
    """The word of the bitmaps in which the next root is looked for."""
    LOW = 31
    """The least number that a successor of the state being stepped has."""
    CHILD = 32
    """A successor that has not been visited, or -1."""
    LACKING = 33
    """Not 0: there was no room for a successor."""
    SEES_FAIR = 34
    """Not 0: a fair instance is enabled in the state being stepped."""

    PHASE = 36
    COUNT = 37
    """How many states the component has: the last ones of the stack."""
    AT = 38
    """How many of them have been looked at."""
    HAS_STRONG = 39
    TABLE = 40
    """Pointer to the entries of known instances: action + 1 or 0, number, key."""
    MASK = 41
    INSTANCES = 42
    INSTANCE_ROOM = 43
    SET_WORDS = 44
    """The length of the following sets of instances."""
    ALWAYS = 45
    SOMETIMES = 46
    TAKEN = 47
    ENABLED = 48
    STRONG = 49
    CROWDED = 50
    """Not 0: there was no room for an instance."""

    SIZE = 56


class Phase(IntEnum):
    """What the walk is at; and what a successor is looked up for."""

    WALK = 0
    """A state that is visited: its successors are kept until the walk comes back."""
    SEEK = 1
    """One whose successors had no room: the first that has not been visited."""
    CHECK = 2
    """A component: what is enabled and taken in it."""
    SIFT = 3
    """An unfair one: which states do not enable what it starves."""


_STATE = 32
"""Bits of a frame: the state; then how many of its successors are pending."""
_PENDING = 28
_SEEKS = 1 << 60
"""Some successors are neither visited nor pending."""
_INNER = 1 << 61
"""It can reach a state before it: it is not the first of its component."""
_FAIR = 1 << 62
"""A fair instance is enabled."""
_ONE_PENDING = 1 << _STATE


def entry_words(key_words: int) -> int:
    """The length of an entry of the table of instances."""
    return 2 + key_words


def add_components(module: Module, shape: Shape, key_words: int) -> None:
    """The functions; the model's, the accessors of the store and of bitmaps are beside them."""
    _add_small(module)
    _add_instance(module, key_words)
    _add_fair(module)
    _add_look(module)
    _add_emit(module, shape)
    _add_visit(module)
    _add_leave(module)
    _add_check(module)
    _add_walk(module)
    _add_forget(module)


class _Walk(Code):
    """A function of the walk; `%ctx` is its words."""

    def __getitem__(self, word: Walk) -> Operand:
        return self.fetch("%ctx", word)

    def __setitem__(self, word: Walk, value: Operand) -> None:
        self.store(value, self.word("%ctx", word))

    def at(self, word: Walk) -> str:
        """The pointer in a word."""
        return self.pointer("%ctx", word)

    # --- half words ---

    def half(self, base: str, index: Operand) -> Operand:
        place = self.scaled(base, index, 4)
        return self.value(f"zext i32 {self.value(f'load i32, ptr {place}, align 4')} to i64")

    def put_half(self, value: Operand, base: str, index: Operand) -> None:
        place = self.scaled(base, index, 4)
        half = self.value(f"trunc i64 {value} to i32")
        self.line(f"store i32 {half}, ptr {place}, align 4")

    def mark_of(self, index: Operand) -> Operand:
        return self.half(self.at(Walk.MARKS), index)

    def set_mark(self, index: Operand, value: Operand) -> None:
        self.put_half(value, self.at(Walk.MARKS), index)

    def stacked(self, number: Operand) -> Operand:
        """A state of the stack, the oldest is 0."""
        return self.half(self.at(Walk.STACK), self.xor(number, -1))

    def push(self, state: Operand) -> None:
        self.put_half(state, self.at(Walk.STACK), self.xor(self[Walk.STACKED], -1))
        self.bump(self.word("%ctx", Walk.STACKED))

    # --- bits ---

    def bit(self, bitmap: Walk, index: Operand) -> Flag:
        return self.value(f"call i1 @bit(ptr {self.at(bitmap)}, i64 {index})", "c")

    def set_bit(self, bitmap: Walk, index: Operand) -> None:
        self.line(f"call void @set_bit(ptr {self.at(bitmap)}, i64 {index})")

    def each_set_word(self, body: Callable[[str], None]) -> None:
        """For each word of the sets of instances."""
        self.loop(0, self[Walk.SET_WORDS], body)

    def top(self) -> str:
        """The place of the frame of the state that is visited."""
        return self.word(self.at(Walk.FRAMES), self.sub(self[Walk.DEPTH], 1))

    def step(self, index: Operand) -> None:
        """Step a state, and look up what waits."""
        self[Walk.SEES_FAIR] = 0
        self[Walk.WAITING] = 0
        self[Walk.INSTANCE] = -1
        state = address(self, self.at(Walk.SHARED), index)
        cur, hits, counts = (self.at(place) for place in (Walk.CUR, Walk.HITS, Walk.COUNTS))
        self.value(
            f"call ptr @step(ptr {state}, ptr %ctx, ptr {cur}, ptr {hits}, ptr {counts})", "cur"
        )
        self.line("call void @look(ptr %ctx)")

    def returns_when(self, condition: Flag, status: Status) -> None:
        go, go_on = self.label("return"), self.label("go.on")
        self.branch(condition, go, go_on)
        self.begin(go)
        self.ret(f"i64 {int(status)}")
        self.begin(go_on)


# --- fairness instances ----------------------------------------------------------------


def _add_small(module: Module) -> None:
    f = Code(
        module,
        "internal i1 @any_starved(ptr %all, ptr %taken, ptr %strong, i64 %n, i64 %kind) nounwind",
    )
    found = f.cell(0)

    def one(i: str) -> None:
        kind = f.xor(f.xor(f.fetch("%strong", i), "%kind"), -1)
        starved = f.and_(f.and_(f.fetch("%all", i), f.xor(f.fetch("%taken", i), -1)), kind)
        f.store(f.or_(f.load(found), starved), found)

    f.loop(0, "%n", one)
    f.ret(f"i1 {f.icmp('ne', f.load(found), 0)}")
    module.add(f)


def _add_instance(module: Module, key_words: int) -> None:
    """The number of an instance; -1, and CROWDED, if there is no room for a new one."""
    heading = (
        "internal i64 @instance(ptr %ctx, i64 %action, i64 %strong, ptr %key, i64 %n) nounwind"
    )
    f = _Walk(module, heading)
    table, mask = f.at(Walk.TABLE), f[Walk.MASK]
    mixed = f.cell(f.mul(f.add("%action", 1), -0x61C8864680B583EB))

    def mix(i: str) -> None:
        product = f.mul(f.xor(f.load(mixed), f.fetch("%key", i)), -0x61C8864680B583EB)
        f.store(f.xor(product, f.lshr(product, 32)), mixed)

    f.loop(0, "%n", mix)
    at = f.cell(f.and_(f.load(mixed), mask))
    head, there, free, same, other = (
        f.label(name) for name in ("head", "there", "free", "same", "other")
    )
    f.begin(head)
    entry = f.word(table, f.mul(f.load(at), entry_words(key_words)))
    mark = f.load(entry)
    f.branch(f.icmp("eq", mark, 0), free, there)
    f.begin(there)
    differ = f.cell(f.widen(f.icmp("ne", mark, f.add("%action", 1))))

    def compare(i: str) -> None:
        unequal = f.widen(f.icmp("ne", f.fetch(entry, f.add(i, 2)), f.fetch("%key", i)))
        f.store(f.or_(f.load(differ), unequal), differ)

    f.loop(0, "%n", compare)
    f.branch(f.icmp("eq", f.load(differ), 0), same, other)
    f.begin(same)
    f.ret(f"i64 {f.fetch(entry, 1)}")
    f.begin(other)
    f.store(f.and_(f.add(f.load(at), 1), mask), at)
    f.jump(head)
    f.begin(free)
    number = f[Walk.INSTANCES]
    crowded, room = f.label("crowded"), f.label("room")
    f.branch(f.icmp("slt", number, f[Walk.INSTANCE_ROOM]), room, crowded)
    f.begin(crowded)
    f[Walk.CROWDED] = 1
    f.ret("i64 -1")
    f.begin(room)
    f.store(f.add("%action", 1), entry)
    f.store(number, f.word(entry, 1))
    f.loop(0, "%n", lambda i: f.store(f.fetch("%key", i), f.word(entry, f.add(i, 2))))
    f[Walk.INSTANCES] = f.add(number, 1)
    place = f.word(f.at(Walk.STRONG), f.lshr(number, 6))
    f.store(f.or_(f.load(place), f.shl("%strong", f.and_(number, 63))), place)
    f.ret(f"i64 {number}")
    module.add(f)


def _add_fair(module: Module) -> None:
    heading = (
        "internal void @fair(ptr %ctx, i64 %action, i64 %strong, ptr %key, i64 %n) "
        "alwaysinline nounwind"
    )
    f = _Walk(module, heading)
    f[Walk.SEES_FAIR] = 1

    def number() -> None:
        call = "call i64 @instance(ptr %ctx, i64 %action, i64 %strong, ptr %key, i64 %n)"
        instance = f.value(call)
        f[Walk.INSTANCE] = instance

        def enable() -> None:
            place = f.word(f.at(Walk.ENABLED), f.lshr(instance, 6))
            f.store(f.or_(f.load(place), f.shl(1, f.and_(instance, 63))), place)

        f.when(f.icmp("sge", instance, 0), enable)

    f.when(f.icmp("sge", f[Walk.PHASE], Phase.CHECK), number)
    f.ret()
    module.add(f)


# --- successors ------------------------------------------------------------------------


def _add_emit(module: Module, shape: Shape) -> None:
    f = _Walk(module, "internal ptr @emit(ptr %ctx, ptr %cur) nounwind")
    wait, sifts = f.label("wait"), f.label("sifts")
    f.branch(f.icmp("eq", f[Walk.PHASE], Phase.SIFT), sifts, wait)
    f.begin(sifts)
    f.ret("ptr %cur")
    f.begin(wait)
    shared = f.at(Walk.SHARED)
    line = line_of(f, state_hash(f, "%cur"), f.fetch(shared, Shared.LINES))
    f.prefetch(line_address(f, f.pointer(shared, Shared.TABLE), line))
    number = f[Walk.WAITING]
    f.store(f[Walk.INSTANCE], f.word(f.at(Walk.TAKES), number))
    f[Walk.INSTANCE] = -1
    waiting = f.add(number, 1)
    f[Walk.WAITING] = waiting
    room, full = f.label("room"), f.label("full")
    f.branch(f.icmp("slt", waiting, TOGETHER), room, full)
    f.begin(room)
    f.ret(f"ptr {f.byte('%cur', shape.stride)}")
    f.begin(full)
    f.line("call void @look(ptr %ctx)")
    f.ret(f"ptr {f.at(Walk.CUR)}")
    module.add(f)
    _add_lookup_all(module, shape)


def _add_lookup_all(module: Module, shape: Shape) -> None:
    """The indices of what waits, and their marks on the way."""
    f = _Walk(module, "internal void @find_all(ptr %ctx) nounwind")
    shared, first, found = f.at(Walk.SHARED), f.at(Walk.CUR), f.at(Walk.FOUND)
    marks = f.at(Walk.MARKS)

    def one(number: str) -> None:
        state = f.scaled(first, number, shape.stride)
        index = f.value(f"call i64 @lookup(ptr {shared}, ptr {state})")
        f.store(index, f.word(found, number))
        f.prefetch(f.scaled(marks, index, 4))

    f.loop(0, f[Walk.WAITING], one)
    f.ret()
    module.add(f)


def _add_look(module: Module) -> None:
    """What the successors that wait mean for the state being stepped."""
    f = _Walk(module, "internal void @look(ptr %ctx) nounwind")
    f.line("call void @find_all(ptr %ctx)")
    found, phase = f.at(Walk.FOUND), f[Walk.PHASE]

    def one(number: str) -> None:
        index = f.fetch(found, number)
        mark = f.mark_of(index)
        check, walk, end = f.label("check"), f.label("walk"), f.label("end")
        f.branch(f.icmp("eq", phase, Phase.CHECK), check, walk)

        f.begin(check)

        def take() -> None:
            instance = f.fetch(f.at(Walk.TAKES), number)

            def put() -> None:
                place = f.word(f.at(Walk.TAKEN), f.lshr(instance, 6))
                f.store(f.or_(f.load(place), f.shl(1, f.and_(instance, 63))), place)

            f.when(f.icmp("sge", instance, 0), put)

        f.when(f.icmp("eq", mark, f[Walk.LABEL]), take)
        f.jump(end)

        f.begin(walk)
        new, old = f.label("new"), f.label("old")
        f.branch(f.icmp("eq", mark, 0), new, old)
        f.begin(old)
        f[Walk.LOW] = f.smaller(mark, f[Walk.LOW])
        f.jump(end)
        f.begin(new)
        allowed = f.label("allowed")
        f.branch(f.bit(Walk.ALLOWED, index), allowed, end)
        f.begin(allowed)
        keep, seek = f.label("keep"), f.label("seek")
        f.branch(f.icmp("eq", phase, Phase.WALK), keep, seek)
        f.begin(seek)
        f[Walk.CHILD] = index
        f.jump(end)
        f.begin(keep)
        count = f[Walk.PENDING_COUNT]
        room, lack = f.label("room"), f.label("lack")
        f.branch(f.icmp("slt", count, f[Walk.PENDING_ROOM]), room, lack)
        f.begin(lack)
        f[Walk.LACKING] = 1
        f.jump(end)
        f.begin(room)
        f.put_half(index, f.at(Walk.PENDING), count)
        f[Walk.PENDING_COUNT] = f.add(count, 1)
        f.jump(end)
        f.begin(end)

    f.loop(0, f[Walk.WAITING], one)
    f[Walk.WAITING] = 0
    f.ret()
    module.add(f)


# --- the walk --------------------------------------------------------------------------


def _add_visit(module: Module) -> None:
    """Step the state of the last frame, for the first time or because room was lacking."""
    f = _Walk(module, "internal void @visit(ptr %ctx, i64 %phase) nounwind")
    place = f.top()
    frame = f.load(place)
    index = f.mask(frame, _STATE)
    f[Walk.PHASE] = "%phase"
    f[Walk.CHILD] = -1
    f[Walk.LACKING] = 0
    first = f.icmp("eq", "%phase", Phase.WALK)

    def number() -> None:
        f.set_mark(index, f[Walk.ORDER])
        f.bump(f.word("%ctx", Walk.ORDER))
        f.when(f.icmp("ne", f[Walk.VISITED], 0), lambda: f.set_bit(Walk.VISITED, index))

    f.when(first, number)
    own = f.mark_of(index)
    f[Walk.LOW] = own
    before = f[Walk.PENDING_COUNT]
    f.step(index)
    f[Walk.PHASE] = Phase.WALK
    pending = f.shl(f.sub(f[Walk.PENDING_COUNT], before), _STATE)
    low = f[Walk.LOW]
    f.set_mark(index, low)
    inner = f.select(f.icmp("ult", low, own), _INNER, 0)
    fair = f.select(f.icmp("ne", f[Walk.SEES_FAIR], 0), _FAIR, 0)
    lacks = f.icmp("ne", f[Walk.LACKING], 0)
    again = f.icmp("sge", f[Walk.CHILD], 0)
    seeks = f.select(f.any_of(lacks, again), _SEEKS, 0)
    kept = f.and_(frame, ~_SEEKS)
    f.store(f.or_(f.or_(f.or_(f.add(kept, pending), inner), fair), seeks), place)

    def descend() -> None:
        f.line(f"call void @enter(ptr %ctx, i64 {f[Walk.CHILD]})")

    f.when(again, descend)
    f.ret()
    module.add(f)
    f = _Walk(module, "internal void @enter(ptr %ctx, i64 %index) alwaysinline nounwind")
    depth = f[Walk.DEPTH]
    f.store("%index", f.word(f.at(Walk.FRAMES), depth))
    f[Walk.DEPTH] = f.add(depth, 1)
    f.ret()
    module.add(f)


def _add_leave(module: Module) -> None:
    """The state of the last frame is done: if it is the first of its component, so is that.

    1 if the component is to be checked.
    """
    f = _Walk(module, "internal i1 @leave(ptr %ctx) nounwind")
    frame = f.load(f.top())
    index = f.mask(frame, _STATE)
    own = f.mark_of(index)
    f[Walk.DEPTH] = f.sub(f[Walk.DEPTH], 1)
    f.push(index)
    first, inner, end = f.label("first"), f.label("inner"), f.label("end")
    f.branch(f.icmp("ne", f.and_(frame, _INNER), 0), inner, first)
    f.begin(first)
    label = f.sub(f[Walk.LABEL], 1)
    f[Walk.LABEL] = label
    bottom = f.cell(f[Walk.STACKED])

    def belongs() -> Flag:
        least = f.cell(0)
        f.when(
            f.icmp("ugt", f.load(bottom), 0),
            lambda: f.store(
                f.widen(f.icmp("uge", f.mark_of(f.stacked(f.sub(f.load(bottom), 1))), own)), least
            ),
        )
        return f.icmp("ne", f.load(least), 0)

    def join() -> None:
        below = f.sub(f.load(bottom), 1)
        f.set_mark(f.stacked(below), label)
        f.store(below, bottom)

    f.repeat(belongs, join)
    count = f.sub(f[Walk.STACKED], f.load(bottom))
    f[Walk.COUNT] = count
    f[Walk.AT] = 0
    alone, more, unfair = f.label("alone"), f.label("more"), f.label("unfair")
    wanted = f.label("wanted")
    f.branch(f.value("call i1 @must(ptr %ctx)", "c"), wanted, unfair)
    f.begin(wanted)
    f.branch(f.icmp("eq", count, 1), alone, more)
    f.begin(more)
    f.line("call void @restart(ptr %ctx)")
    f.ret("i1 true")
    f.begin(alone)

    def stays() -> None:
        f.set_bit(Walk.FAIR, index)
        f.bump(f.word("%ctx", Walk.FAIR_COUNT))

    # Where nothing fair is enabled a run may stay for ever; else it would starve that.
    f.when(f.icmp("eq", f.and_(frame, _FAIR), 0), stays)
    f.jump(unfair)
    f.begin(unfair)
    f[Walk.STACKED] = f.sub(f[Walk.STACKED], count)
    f.jump(end)
    f.begin(inner)
    f.jump(end)
    f.begin(end)
    f.line("call void @rejoin(ptr %ctx, i64 " + f"{index})")
    f.ret("i1 false")
    module.add(f)

    # Back in the state before: what its successor can reach, it can.
    f = _Walk(module, "internal void @rejoin(ptr %ctx, i64 %index) nounwind")

    def lower() -> None:
        place = f.top()
        before = f.mask(f.load(place), _STATE)
        low = f.mark_of("%index")

        def inner() -> None:
            f.set_mark(before, low)
            f.store(f.or_(f.load(place), _INNER), place)

        f.when(f.icmp("ult", low, f.mark_of(before)), inner)

    f.when(f.icmp("ne", f[Walk.DEPTH], 0), lower)
    f.ret()
    module.add(f)

    # Whether the component has a state that it must have.
    f = _Walk(module, "internal i1 @must(ptr %ctx) nounwind")
    asked, free, yes = f.label("asked"), f.label("free"), f.label("yes")
    f.branch(f.icmp("ne", f[Walk.MUST], 0), asked, free)
    f.begin(free)
    f.ret("i1 true")
    f.begin(asked)

    def look(number: str) -> None:
        state = f.stacked(f.sub(f.sub(f[Walk.STACKED], 1), number))
        further = f.label("further")
        f.branch(f.bit(Walk.MUST, state), yes, further)
        f.begin(further)

    f.loop(0, f[Walk.COUNT], look)
    f.ret("i1 false")
    f.begin(yes)
    f.ret("i1 true")
    module.add(f)


def _add_check(module: Module) -> None:
    """A component of several states, one of them at a time."""
    f = _Walk(module, "internal void @restart(ptr %ctx) nounwind")
    f[Walk.AT] = 0
    f[Walk.PHASE] = Phase.CHECK

    def clear(i: str) -> None:
        f.store(-1, f.word(f.at(Walk.ALWAYS), i))
        for each in (Walk.SOMETIMES, Walk.TAKEN):
            f.store(0, f.word(f.at(each), i))

    f.each_set_word(clear)
    f.ret()
    module.add(f)

    # Whether there is more to look at.
    f = _Walk(module, "internal i1 @check_one(ptr %ctx) nounwind")
    _enabled_here(f)
    crowded, known = f.label("crowded"), f.label("known")
    f.branch(f.icmp("ne", f[Walk.CROWDED], 0), crowded, known)
    f.begin(crowded)
    f.ret("i1 true")
    f.begin(known)

    def gather(i: str) -> None:
        enabled = f.fetch(f.at(Walk.ENABLED), i)
        always, sometimes = f.word(f.at(Walk.ALWAYS), i), f.word(f.at(Walk.SOMETIMES), i)
        f.store(f.and_(f.load(always), enabled), always)
        f.store(f.or_(f.load(sometimes), enabled), sometimes)

    f.each_set_word(gather)
    at = f.add(f[Walk.AT], 1)
    done, more, weak, strong, fair = (
        f.label(name) for name in ("done", "more", "weak", "strong", "fair")
    )
    starves_weak = _starved(f, Walk.ALWAYS, 0)
    has_strong = f.icmp("ne", f[Walk.HAS_STRONG], 0)
    # Of weak instances nothing that comes later can make a component unfair again.
    settled = f.both(f.not_(starves_weak), f.not_(has_strong))
    f[Walk.AT] = at
    f.branch(f.any_of(settled, f.icmp("eq", at, f[Walk.COUNT])), done, more)
    f.begin(more)
    f.ret("i1 true")
    f.begin(done)
    finish = f.label("finish")
    f.branch(starves_weak, finish, strong)
    f.begin(strong)
    f.branch(f.both(has_strong, _starved(f, Walk.SOMETIMES, -1)), weak, fair)
    f.begin(weak)
    f[Walk.AT] = 0
    f[Walk.PHASE] = Phase.SIFT
    f.ret("i1 true")
    f.begin(fair)

    def mark(number: str) -> None:
        f.set_bit(Walk.FAIR, f.stacked(f.sub(f.sub(f[Walk.STACKED], 1), number)))

    f.loop(0, f[Walk.COUNT], mark)
    f.bump(f.word("%ctx", Walk.FAIR_COUNT), f[Walk.COUNT])
    f.jump(finish)
    f.begin(finish)
    f.ret("i1 false")
    module.add(f)

    # The same, for a component that starves a strong instance.
    f = _Walk(module, "internal i1 @sift_one(ptr %ctx) nounwind")
    index = _enabled_here(f)
    hit = f.cell(0)

    def meet(i: str) -> None:
        bad = f.and_(
            f.and_(f.fetch(f.at(Walk.SOMETIMES), i), f.fetch(f.at(Walk.STRONG), i)),
            f.xor(f.fetch(f.at(Walk.TAKEN), i), -1),
        )
        f.store(f.or_(f.load(hit), f.and_(bad, f.fetch(f.at(Walk.ENABLED), i))), hit)

    f.each_set_word(meet)

    def leave() -> None:
        f.set_bit(Walk.NEXT, index)
        f.bump(f.word("%ctx", Walk.NEXT_COUNT))

    f.when(f.icmp("eq", f.load(hit), 0), leave)
    at = f.add(f[Walk.AT], 1)
    f[Walk.AT] = at
    f.ret(f"i1 {f.icmp('ult', at, f[Walk.COUNT])}")
    module.add(f)


def _enabled_here(f: _Walk) -> Operand:
    """Step the next state of the component; its index."""
    f.each_set_word(lambda i: f.store(0, f.word(f.at(Walk.ENABLED), i)))
    index = f.stacked(f.sub(f.sub(f[Walk.STACKED], 1), f[Walk.AT]))
    f.step(index)
    return index


def _starved(f: _Walk, which: Walk, kind: int) -> Flag:
    """Whether one of the weak (0) or strong (-1) instances in a set is not taken."""
    sets = f"ptr {f.at(which)}, ptr {f.at(Walk.TAKEN)}, ptr {f.at(Walk.STRONG)}"
    return f.value(f"call i1 @any_starved({sets}, i64 {f[Walk.SET_WORDS]}, i64 {kind})", "c")


def _add_walk(module: Module) -> None:
    f = _Walk(module, "i64 @components(ptr %ctx) nounwind")
    head, walks, checks, over = (f.label(n) for n in ("head", "walks", "checks", "over"))
    f.begin(head)
    f.returns_when(f.icmp("ne", f.load_shared(f.word("%ctx", Walk.STOP)), 0), Status.STOPPED)
    f.branch(f.icmp("sge", f[Walk.PHASE], Phase.CHECK), checks, walks)

    f.begin(checks)
    check, sift = f.label("check"), f.label("sift")
    f.branch(f.icmp("eq", f[Walk.PHASE], Phase.CHECK), check, sift)
    f.begin(check)
    more = f.value("call i1 @check_one(ptr %ctx)", "more")
    f.returns_when(f.icmp("ne", f[Walk.CROWDED], 0), Status.NEED_ROOM)
    f.branch(more, head, over)
    f.begin(sift)
    f.branch(f.value("call i1 @sift_one(ptr %ctx)", "more"), head, over)
    f.begin(over)
    count = f[Walk.COUNT]
    f[Walk.PHASE] = Phase.WALK
    last = f.stacked(f.sub(f[Walk.STACKED], 1))
    f[Walk.STACKED] = f.sub(f[Walk.STACKED], count)
    f.line(f"call void @rejoin(ptr %ctx, i64 {last})")
    f.jump(head)

    f.begin(walks)
    idle, on = f.label("idle"), f.label("on")
    f.branch(f.icmp("eq", f[Walk.DEPTH], 0), idle, on)

    f.begin(idle)
    _next_root(f, head)

    f.begin(on)
    frame = f.load(f.top())
    new, known = f.label("new"), f.label("known")
    f.branch(f.icmp("eq", f.mark_of(f.mask(frame, _STATE)), 0), new, known)
    f.begin(new)
    f.line(f"call void @visit(ptr %ctx, i64 {int(Phase.WALK)})")
    f.jump(head)

    f.begin(known)
    take, none = f.label("take"), f.label("none")
    pending = f.mask(f.lshr(frame, _STATE), _PENDING)
    f.branch(f.icmp("ne", pending, 0), take, none)
    f.begin(take)
    f.store(f.sub(frame, _ONE_PENDING), f.top())
    left = f.sub(f[Walk.PENDING_COUNT], 1)
    f[Walk.PENDING_COUNT] = left
    child = f.half(f.at(Walk.PENDING), left)
    fresh, seen = f.label("fresh"), f.label("seen")
    f.branch(f.icmp("eq", f.mark_of(child), 0), fresh, seen)
    f.begin(fresh)
    f.line(f"call void @enter(ptr %ctx, i64 {child})")
    f.jump(head)
    f.begin(seen)
    # It was visited in the meantime, and may be before this one on the path, or reach one that is.
    f.line(f"call void @rejoin(ptr %ctx, i64 {child})")
    f.jump(head)

    f.begin(none)
    again, leaves = f.label("again"), f.label("leaves")
    f.branch(f.icmp("ne", f.and_(frame, _SEEKS), 0), again, leaves)
    f.begin(again)
    f.line(f"call void @visit(ptr %ctx, i64 {int(Phase.SEEK)})")
    f.jump(head)
    f.begin(leaves)
    f.value("call i1 @leave(ptr %ctx)", "checks")
    f.jump(head)
    module.add(f)


def _add_forget(module: Module) -> None:
    f = _Walk(module, "i64 @forget(ptr %ctx) nounwind")

    def word(at: str) -> None:
        bits = f.cell(f.fetch(f.at(Walk.NEXT), at))

        def one() -> None:
            f.set_mark(f.add(f.shl(at, 6), f.lowest_bit(f.load(bits))), 0)
            f.store(f.and_(f.load(bits), f.sub(f.load(bits), 1)), bits)

        f.repeat(lambda: f.icmp("ne", f.load(bits), 0), one)

    f.loop(0, f[Walk.SIZE_WORDS], word)
    f.ret("i64 0")
    module.add(f)


def _next_root(f: _Walk, head: str) -> None:
    """Enter the next root that has not been visited; return DONE if there is none."""
    word, done, search = f.label("word"), f.label("done"), f.label("search")
    f.begin(search)
    at = f[Walk.ROOT_AT]
    f.branch(f.icmp("ult", at, f[Walk.SIZE_WORDS]), word, done)
    f.begin(done)
    f.ret(f"i64 {int(Status.DONE)}")
    f.begin(word)
    roots = f.fetch(f.at(Walk.ROOTS), at)
    bits = f.cell(f.and_(roots, f.fetch(f.at(Walk.ALLOWED), at)))
    scan, some, enter, next_bit, next_word = (
        f.label(n) for n in ("scan", "some", "enter", "next.bit", "next.word")
    )
    f.begin(scan)
    f.branch(f.icmp("ne", f.load(bits), 0), some, next_word)
    f.begin(some)
    index = f.add(f.shl(at, 6), f.lowest_bit(f.load(bits)))
    f.branch(f.icmp("eq", f.mark_of(index), 0), enter, next_bit)
    f.begin(enter)
    f.line(f"call void @enter(ptr %ctx, i64 {index})")
    f.jump(head)
    f.begin(next_bit)
    f.store(f.and_(f.load(bits), f.sub(f.load(bits), 1)), bits)
    f.jump(scan)
    f.begin(next_word)
    f[Walk.ROOT_AT] = f.add(at, 1)
    f.jump(search)
