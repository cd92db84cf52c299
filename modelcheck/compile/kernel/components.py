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

from modelcheck.compile.ir import Flag, Module
from modelcheck.compile.kernel.descent import TOGETHER, Descent, DescentCode, Phase
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared, Status
from modelcheck.compile.kernel.starving import add_starving
from modelcheck.compile.kernel.store import line_address, line_of, state_hash

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


def add_components(module: Module, shape: Shape, key_words: int) -> None:
    """The functions; the model's, the accessors of the store and of bitmaps are beside them."""
    add_starving(module, key_words)
    _add_look(module)
    _add_emit(module, shape)
    _add_visit(module)
    _add_leave(module)
    _add_walk(module)
    _add_forget(module)


# --- successors ------------------------------------------------------------------------


def _add_emit(module: Module, shape: Shape) -> None:
    f = DescentCode(module, "internal ptr @emit(ptr %ctx, ptr %cur) nounwind")
    wait, sifts = f.label("wait"), f.label("sifts")
    f.branch(f.icmp("eq", f[Descent.PHASE], Phase.SIFT), sifts, wait)
    f.begin(sifts)
    f.ret("ptr %cur")
    f.begin(wait)
    shared = f.at(Descent.SHARED)
    line = line_of(f, state_hash(f, "%cur"), f.fetch(shared, Shared.LINES))
    f.prefetch(line_address(f, f.pointer(shared, Shared.TABLE), line))
    number = f[Descent.WAITING]
    f.store(f[Descent.INSTANCE], f.word(f.at(Descent.TAKES), number))
    f[Descent.INSTANCE] = -1
    waiting = f.add(number, 1)
    f[Descent.WAITING] = waiting
    room, full = f.label("room"), f.label("full")
    f.branch(f.icmp("slt", waiting, TOGETHER), room, full)
    f.begin(room)
    f.ret(f"ptr {f.byte('%cur', shape.stride)}")
    f.begin(full)
    f.line("call void @look(ptr %ctx)")
    f.ret(f"ptr {f.at(Descent.CUR)}")
    module.add(f)
    _add_lookup_all(module, shape)


def _add_lookup_all(module: Module, shape: Shape) -> None:
    """The indices of what waits, and their marks on the way."""
    f = DescentCode(module, "internal void @find_all(ptr %ctx) nounwind")
    shared, first, found = f.at(Descent.SHARED), f.at(Descent.CUR), f.at(Descent.FOUND)
    marks = f.at(Descent.MARKS)

    def one(number: str) -> None:
        state = f.scaled(first, number, shape.stride)
        index = f.value(f"call i64 @lookup(ptr {shared}, ptr {state})")
        f.store(index, f.word(found, number))
        f.prefetch(f.scaled(marks, index, 4))

    f.loop(0, f[Descent.WAITING], one)
    f.ret()
    module.add(f)


def _add_look(module: Module) -> None:
    """What the successors that wait mean for the state being stepped."""
    f = DescentCode(module, "internal void @look(ptr %ctx) nounwind")
    f.line("call void @find_all(ptr %ctx)")
    found, phase = f.at(Descent.FOUND), f[Descent.PHASE]

    def one(number: str) -> None:
        index = f.fetch(found, number)
        mark = f.mark_of(index)
        check, walk, end = f.label("check"), f.label("walk"), f.label("end")
        f.branch(f.icmp("eq", phase, Phase.CHECK), check, walk)

        f.begin(check)

        def take() -> None:
            instance = f.fetch(f.at(Descent.TAKES), number)

            def put() -> None:
                place = f.word(f.at(Descent.TAKEN), f.lshr(instance, 6))
                f.store(f.or_(f.load(place), f.shl(1, f.and_(instance, 63))), place)

            f.when(f.icmp("sge", instance, 0), put)

        f.when(f.icmp("eq", mark, f[Descent.LABEL]), take)
        f.jump(end)

        f.begin(walk)
        new, old = f.label("new"), f.label("old")
        f.branch(f.icmp("eq", mark, 0), new, old)
        f.begin(old)
        f[Descent.LOW] = f.smaller(mark, f[Descent.LOW])
        f.jump(end)
        f.begin(new)
        allowed = f.label("allowed")
        f.branch(f.bit(Descent.ALLOWED, index), allowed, end)
        f.begin(allowed)
        keep, seek = f.label("keep"), f.label("seek")
        f.branch(f.icmp("eq", phase, Phase.WALK), keep, seek)
        f.begin(seek)
        f[Descent.CHILD] = index
        f.jump(end)
        f.begin(keep)
        count = f[Descent.PENDING_COUNT]
        room, lack = f.label("room"), f.label("lack")
        f.branch(f.icmp("slt", count, f[Descent.PENDING_ROOM]), room, lack)
        f.begin(lack)
        f[Descent.LACKING] = 1
        f.jump(end)
        f.begin(room)
        f.put_half(index, f.at(Descent.PENDING), count)
        f[Descent.PENDING_COUNT] = f.add(count, 1)
        f.jump(end)
        f.begin(end)

    f.loop(0, f[Descent.WAITING], one)
    f[Descent.WAITING] = 0
    f.ret()
    module.add(f)


# --- the walk --------------------------------------------------------------------------


def _add_visit(module: Module) -> None:
    """Step the state of the last frame, for the first time or because room was lacking."""
    f = DescentCode(module, "internal void @visit(ptr %ctx, i64 %phase) nounwind")
    place = f.top()
    frame = f.load(place)
    index = f.mask(frame, _STATE)
    f[Descent.PHASE] = "%phase"
    f[Descent.CHILD] = -1
    f[Descent.LACKING] = 0
    first = f.icmp("eq", "%phase", Phase.WALK)

    def number() -> None:
        f.set_mark(index, f[Descent.ORDER])
        f.bump(f.word("%ctx", Descent.ORDER))
        f.when(f.icmp("ne", f[Descent.VISITED], 0), lambda: f.set_bit(Descent.VISITED, index))

    f.when(first, number)
    own = f.mark_of(index)
    f[Descent.LOW] = own
    before = f[Descent.PENDING_COUNT]
    f.step(index)
    f[Descent.PHASE] = Phase.WALK
    pending = f.shl(f.sub(f[Descent.PENDING_COUNT], before), _STATE)
    low = f[Descent.LOW]
    f.set_mark(index, low)
    inner = f.select(f.icmp("ult", low, own), _INNER, 0)
    fair = f.select(f.icmp("ne", f[Descent.SEES_FAIR], 0), _FAIR, 0)
    lacks = f.icmp("ne", f[Descent.LACKING], 0)
    again = f.icmp("sge", f[Descent.CHILD], 0)
    seeks = f.select(f.any_of(lacks, again), _SEEKS, 0)
    kept = f.and_(frame, ~_SEEKS)
    f.store(f.or_(f.or_(f.or_(f.add(kept, pending), inner), fair), seeks), place)

    def descend() -> None:
        f.line(f"call void @enter(ptr %ctx, i64 {f[Descent.CHILD]})")

    f.when(again, descend)
    f.ret()
    module.add(f)
    f = DescentCode(module, "internal void @enter(ptr %ctx, i64 %index) alwaysinline nounwind")
    depth = f[Descent.DEPTH]
    f.store("%index", f.word(f.at(Descent.FRAMES), depth))
    f[Descent.DEPTH] = f.add(depth, 1)
    f.ret()
    module.add(f)


def _add_leave(module: Module) -> None:
    """The state of the last frame is done: if it is the first of its component, so is that.

    A component of several states is then in the phase to be checked.
    """
    f = DescentCode(module, "internal void @leave(ptr %ctx) nounwind")
    frame = f.load(f.top())
    index = f.mask(frame, _STATE)
    own = f.mark_of(index)
    f[Descent.DEPTH] = f.sub(f[Descent.DEPTH], 1)
    f.push(index)
    first, inner = f.label("first"), f.label("inner")
    f.branch(f.icmp("ne", f.and_(frame, _INNER), 0), inner, first)
    f.begin(first)
    label = f.sub(f[Descent.LABEL], 1)
    f[Descent.LABEL] = label
    bottom = f.cell(f[Descent.STACKED])

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
    count = f.sub(f[Descent.STACKED], f.load(bottom))
    f[Descent.COUNT] = count
    f[Descent.AT] = 0
    wanted, alone, more, decided = (f.label(n) for n in ("wanted", "alone", "more", "decided"))
    f.branch(f.value("call i1 @must(ptr %ctx)", "c"), wanted, decided)
    f.begin(wanted)
    f.branch(f.icmp("eq", count, 1), alone, more)
    f.begin(more)
    f.line("call void @restart(ptr %ctx)")
    f.ret()
    f.begin(alone)
    # Where nothing fair is enabled a run may stay for ever; else it would starve that.
    f.when(f.icmp("eq", f.and_(frame, _FAIR), 0), lambda: f.set_bit(Descent.FAIR, index))
    f.jump(decided)
    f.begin(decided)
    f[Descent.STACKED] = f.sub(f[Descent.STACKED], count)
    f.ret()
    f.begin(inner)
    f.line(f"call void @rejoin(ptr %ctx, i64 {index})")
    f.ret()
    module.add(f)

    # Back in the state before: what its successor can reach, it can.
    f = DescentCode(module, "internal void @rejoin(ptr %ctx, i64 %index) nounwind")

    def lower() -> None:
        place = f.top()
        before = f.mask(f.load(place), _STATE)
        low = f.mark_of("%index")

        def inner() -> None:
            f.set_mark(before, low)
            f.store(f.or_(f.load(place), _INNER), place)

        f.when(f.icmp("ult", low, f.mark_of(before)), inner)

    f.when(f.icmp("ne", f[Descent.DEPTH], 0), lower)
    f.ret()
    module.add(f)

    # Whether the component has a state that it must have.
    f = DescentCode(module, "internal i1 @must(ptr %ctx) nounwind")
    asked, free, yes = f.label("asked"), f.label("free"), f.label("yes")
    f.branch(f.icmp("ne", f[Descent.MUST], 0), asked, free)
    f.begin(free)
    f.ret("i1 true")
    f.begin(asked)

    def look(number: str) -> None:
        state = f.stacked(f.sub(f.sub(f[Descent.STACKED], 1), number))
        further = f.label("further")
        f.branch(f.bit(Descent.MUST, state), yes, further)
        f.begin(further)

    f.loop(0, f[Descent.COUNT], look)
    f.ret("i1 false")
    f.begin(yes)
    f.ret("i1 true")
    module.add(f)


def _add_walk(module: Module) -> None:
    f = DescentCode(module, "i64 @components(ptr %ctx) nounwind")
    head, walks, checks, over = (f.label(n) for n in ("head", "walks", "checks", "over"))
    f.begin(head)
    f.returns_when(f.icmp("ne", f.load_shared(f.word("%ctx", Descent.STOP)), 0), Status.STOPPED)
    f.branch(f.icmp("sge", f[Descent.PHASE], Phase.CHECK), checks, walks)

    f.begin(checks)
    check, sift = f.label("check"), f.label("sift")
    f.branch(f.icmp("eq", f[Descent.PHASE], Phase.CHECK), check, sift)
    f.begin(check)
    more = f.value("call i1 @check_one(ptr %ctx)", "more")
    f.returns_when(f.icmp("ne", f[Descent.CROWDED], 0), Status.NEED_ROOM)
    f.branch(more, head, over)
    f.begin(sift)
    f.branch(f.value("call i1 @sift_one(ptr %ctx)", "more"), head, over)
    f.begin(over)
    count = f[Descent.COUNT]
    f[Descent.PHASE] = Phase.WALK
    f[Descent.STACKED] = f.sub(f[Descent.STACKED], count)
    f.jump(head)

    f.begin(walks)
    idle, on = f.label("idle"), f.label("on")
    f.branch(f.icmp("eq", f[Descent.DEPTH], 0), idle, on)

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
    left = f.sub(f[Descent.PENDING_COUNT], 1)
    f[Descent.PENDING_COUNT] = left
    child = f.half(f.at(Descent.PENDING), left)
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
    f.line("call void @leave(ptr %ctx)")
    f.jump(head)
    module.add(f)


def _add_forget(module: Module) -> None:
    f = DescentCode(module, "i64 @forget(ptr %ctx) nounwind")

    def word(at: str) -> None:
        bits = f.cell(f.fetch(f.at(Descent.NEXT), at))

        def one() -> None:
            f.set_mark(f.add(f.shl(at, 6), f.lowest_bit(f.load(bits))), 0)
            f.store(f.and_(f.load(bits), f.sub(f.load(bits), 1)), bits)

        f.repeat(lambda: f.icmp("ne", f.load(bits), 0), one)

    f.loop(0, f[Descent.SIZE_WORDS], word)
    f.ret("i64 0")
    module.add(f)


def _next_root(f: DescentCode, head: str) -> None:
    """Enter the next root that has not been visited; return DONE if there is none."""
    word, done, search = f.label("word"), f.label("done"), f.label("search")
    f.begin(search)
    at = f[Descent.ROOT_AT]
    f.branch(f.icmp("ult", at, f[Descent.SIZE_WORDS]), word, done)
    f.begin(done)
    f.ret(f"i64 {int(Status.DONE)}")
    f.begin(word)
    roots = f.fetch(f.at(Descent.ROOTS), at)
    bits = f.cell(f.and_(roots, f.fetch(f.at(Descent.ALLOWED), at)))
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
    f[Descent.ROOT_AT] = f.add(at, 1)
    f.jump(search)
