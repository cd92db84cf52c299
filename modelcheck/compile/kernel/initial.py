"""Initial states: combinations of choices, counted through, of which `@accept` takes some."""

from __future__ import annotations

from modelcheck.compile.ir import MASK, Module, Operand, signed
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.expand import return_if_stopped
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Choice, Initial, Status, Thread

_SCANNED_BETWEEN_CHECKS = 1 << 12


def add_initial(module: Module, shape: Shape) -> None:
    """`@initial(ctx, initial)`."""
    add_set_bits(module)
    add_choose(module)
    _add_advance(module)
    _add_initial(module, shape)


def add_set_bits(module: Module) -> None:
    """Write the `width` lowest bits of %value, 1 to 64 of them, at bit %offset of a state."""
    heading = "internal void @set_bits(ptr %state, i64 %offset, i64 %width, i64 %value) nounwind"
    f = Code(module, heading)
    word, shift = f.word("%state", f.lshr("%offset", 6)), f.and_("%offset", 63)
    mask = f.lshr(signed(MASK), f.sub(64, "%width"))

    def write(place: str, bits: Operand, value: Operand) -> None:
        kept = f.and_(f.load(place), f.xor(bits, -1))
        f.store(f.or_(kept, value), place)

    write(word, f.shl(mask, shift), f.shl(f.and_("%value", mask), shift))

    def write_rest() -> None:
        # The shift is not 0 here, so this one is below 64.
        down = f.sub(64, shift)
        write(f.word(word, 1), f.lshr(mask, down), f.lshr(f.and_("%value", mask), down))

    f.when(f.icmp("ugt", f.add(shift, "%width"), 64), write_rest)
    f.ret()
    module.add(f)


def add_choose(module: Module) -> None:
    """Write value number %digit of a choice into a state."""
    heading = "internal void @choose(ptr %state, ptr %choice, i64 %digit) nounwind"
    f = Code(module, heading)
    offset, width = f.fetch("%choice", Choice.OFFSET), f.fetch("%choice", Choice.WIDTH)
    words = f.lshr(f.add(width, 63), 6)
    values = f.pointer("%choice", Choice.VALUES)
    first = f.word(values, f.mul(words, "%digit"))

    def write(index: str) -> None:
        done = f.shl(index, 6)
        part = f.smaller(f.sub(width, done), 64)
        arguments = f"ptr %state, i64 {f.add(offset, done)}, i64 {part}"
        f.line(f"call void @set_bits({arguments}, i64 {f.fetch(first, index)})")

    f.loop(0, words, write)
    f.ret()
    module.add(f)


def _add_advance(module: Module) -> None:
    """The next combination; false if there is none."""
    f = Code(module, "internal i1 @advance(ptr %initial) nounwind")
    digits = f.pointer("%initial", Initial.DIGITS)
    choices = f.pointer("%initial", Initial.CHOICES)
    state = f.pointer("%initial", Initial.STATE)
    at = f.cell(f.fetch("%initial", Initial.SLOTS))
    head, turn, last, carry, done = (f.label(n) for n in ("at", "turn", "last", "carry", "done"))
    f.begin(head)
    f.branch(f.icmp("eq", f.load(at), 0), last, turn)
    f.begin(last)
    f.ret("i1 false")
    f.begin(turn)
    f.store(f.sub(f.load(at), 1), at)
    choice = f.word(choices, f.mul(f.load(at), Choice.SIZE))
    cell = f.word(digits, f.load(at))
    following = f.add(f.load(cell), 1)
    wraps = f.icmp("eq", following, f.fetch(choice, Choice.COUNT))
    digit = f.select(wraps, 0, following)
    f.store(digit, cell)
    f.line(f"call void @choose(ptr {state}, ptr {choice}, i64 {digit})")
    f.branch(wraps, carry, done)
    f.begin(carry)
    f.jump(head)
    f.begin(done)
    f.ret("i1 true")
    module.add(f)


def _add_initial(module: Module, shape: Shape) -> None:
    f = Code(module, "i64 @initial(ptr %ctx, ptr %initial) nounwind")
    shared = f.pointer("%ctx", Thread.SHARED, fixed=True)
    buffer = f.pointer("%ctx", Thread.BUFFER, fixed=True)
    hits = f.pointer("%ctx", Thread.HITS, fixed=True)
    generated, abort = f.word("%ctx", Thread.GENERATED), f.word("%ctx", Thread.ABORT)
    state = f.pointer("%initial", Initial.STATE)
    slots = f.fetch("%initial", Initial.SLOTS)
    choices = f.pointer("%initial", Initial.CHOICES)
    digits = f.pointer("%initial", Initial.DIGITS)
    saved = f.pointer("%initial", Initial.SAVED_DIGITS)

    f.copy(state, f.pointer("%initial", Initial.BASE), shape.words)

    def choose(index: str) -> None:
        choice = f.word(choices, f.mul(index, Choice.SIZE))
        digit = f.fetch(digits, index)
        f.line(f"call void @choose(ptr {state}, ptr {choice}, i64 {digit})")

    f.loop(0, slots, choose)

    current = f.pointer_cell(buffer, "cur")
    scanned, room = f.cell(0, "scanned"), f.cell(0, "room")
    saved_generated = f.cell(0, "saved")
    batch, more, finished = f.label("batch"), f.label("more"), f.label("finished")
    f.begin(batch)
    return_if_stopped(f, shared)
    f.branch(f.icmp("ne", f.fetch("%initial", Initial.DONE), 0), finished, more)
    f.begin(finished)
    f.ret(f"i64 {int(Status.DONE)}")
    f.begin(more)
    f.loop(0, slots, lambda i: f.store(f.fetch(digits, i), f.word(saved, i)))
    f.store(f.load(generated), saved_generated)
    f.set_pointer(current, buffer)
    f.store(0, scanned)
    # All that are in the batch may be new: none may be one too many.
    left = f.sub(f.fetch("%initial", Initial.MOST_INSIDE), f.fetch("%ctx", Thread.INSIDE))
    f.store(f.smaller(left, shape.enough), room)

    scan, take, put, following = (f.label(n) for n in ("scan", "take", "put", "following"))
    one_too_many, exhausted, check, look_up = (
        f.label(n) for n in ("one.too.many", "exhausted", "check", "look.up")
    )
    f.begin(scan)
    accepted = f.value(f"call i1 @accept(ptr {state}, ptr {hits})", "c")
    f.branch(accepted, take, following)
    f.begin(take)
    f.branch(f.icmp("eq", f.load(room), 0), one_too_many, put)
    f.begin(one_too_many)
    f.store(1, f.word("%initial", Initial.LIMITED))
    f.jump(exhausted)
    f.begin(put)
    place = f.get_pointer(current)
    f.copy(place, state, shape.words)
    if shape.arrives:
        f.line(f"call void @arrive(ptr {place})")
    f.set_pointer(current, f.byte(place, shape.stride))
    f.store(f.sub(f.load(room), 1), room)
    f.bump(generated)
    f.jump(following)
    f.begin(following)
    f.bump(scanned)
    f.branch(f.value("call i1 @advance(ptr %initial)", "c"), check, exhausted)
    f.begin(exhausted)
    f.store(1, f.word("%initial", Initial.DONE))
    f.jump(look_up)
    f.begin(check)
    is_full = f.icmp("eq", f.load(room), 0)
    is_empty = f.same(f.get_pointer(current), buffer)
    is_long = f.icmp("uge", f.load(scanned), _SCANNED_BETWEEN_CHECKS)
    full = f.both(is_full, f.not_(is_empty))
    f.branch(f.any_of(full, is_long), look_up, scan)

    f.begin(look_up)
    f.line(f"call void @drain(ptr %ctx, ptr {f.get_pointer(current)})")
    status = f.load(abort)
    dropped = f.label("dropped")
    f.branch(f.icmp("ne", status, 0), dropped, batch)
    f.begin(dropped)
    f.loop(0, slots, lambda i: f.store(f.fetch(saved, i), f.word(digits, i)))
    f.store(f.load(saved_generated), generated)
    f.store(0, f.word("%initial", Initial.DONE))
    f.store(0, f.word("%initial", Initial.LIMITED))
    f.store(0, abort)
    f.ret(f"i64 {status}")
    module.add(f)
