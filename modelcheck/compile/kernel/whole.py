"""Properties of the whole graph, judged on the states that a search has stored.

What is possible: a bit for every state, by its index, set if a path of actions
leads to a goal. Passes over the states set more bits until none is added; a state
whose bit is set costs no more than to look at it.

    i64 @goals(ctx, shared, first, stop)
        judge every state, and set the bits of the goals: bitmap p is of property p
    i64 @spread_back(ctx, shared, first, stop)
        set the bit of each state with a step to a state that has it; from the last state to the
        first if DOWN is set
    i64 @is_clear(bits, s, index)
        whether a state's bit is not set

What is refined: `@map` gives a state as the abstract model sees it.

    i64 @refine(ctx, shared, first, stop)
        map every state, and ask of its steps, if STEPS is set, whether the abstract model has them
    i64 @is_misfit(ctx, s, index)
    i64 @is_no_step(ctx, s, after)

They return 1 if STOP was set, else 0, and can be called again. Several threads may work at once,
each with a `ctx` of its own; bits are set by atomic operations.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, unique

from modelcheck.compile.ir import Flag, Module, Operand
from modelcheck.compile.kernel.code import MIX, Code
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared
from modelcheck.compile.kernel.store import (
    add_accessors,
    address,
    line_address,
    line_of,
    state_hash,
)

TOGETHER = 16
"""Successors that are looked up together."""

_PAIRS_BYTES = 1 << 19
"""Of the memory of abstract steps, unless states are very wide."""

_LEAST_PAIR_BITS = 4


@unique
class Whole(IntEnum):
    """The words of `ctx`, for the concrete model."""

    STOP = 0
    """Not 0: return soon."""
    CUR = 1
    """Pointer to where successors are built: room for TOGETHER, and a word."""
    HITS = 2
    COUNTS = 3
    BITS = 4
    """Pointer to a bitmap; for `@goals` to the pointers to them."""
    SHARED = 5
    FOUND = 6
    NEWS = 7
    """Not 0: a bit was set."""
    DOWN = 8
    FAILED = 9
    """Bit k: a term of the mapping had no value, with an error of kind k."""
    MISFIT = 10
    """Not 0: a mapped state leaves the abstract model's types."""
    NO_STEP = 11
    """Not 0: a step is none of the abstract model."""
    STEPS = 12
    MAPPED = 13
    """Pointer to the state that is being stepped, mapped."""
    AFTER = 14
    """Pointer to a successor, mapped."""
    LEADS = 15
    """Pointer to the abstract module's `@leads`."""
    ABSTRACT = 16
    """Pointer to its `ctx`."""
    WAITING = 17
    """How many successors there are, from CUR on, that have not been looked up."""

    SIZE = 24


@unique
class Abstract(IntEnum):
    """The words of `ctx`, for the abstract model."""

    CUR = 0
    HITS = 1
    COUNTS = 2
    FROM = 3
    """Pointer to the state that is being stepped."""
    TO = 4
    """Pointer to the state that a step is to lead to."""
    FOUND = 5
    PAIRS = 6
    """Pointer to entries of two states, each a step that there is, or all zero."""

    SIZE = 8


def pair_words(words: int) -> int:
    """The length of an entry: a mark, and the two states."""
    return 1 + 2 * words


def pair_bits(words: int) -> int:
    """The memory of abstract steps has 2 ** pair_bits entries."""
    return max(_LEAST_PAIR_BITS, (_PAIRS_BYTES // (8 * pair_words(words))).bit_length() - 1)


# --- what is possible ------------------------------------------------------------------


def add_possibility(module: Module, shape: Shape, properties: int, unclear: int) -> None:
    """The functions; those of a model without faults, whose properties are invariants, are beside.

    unclear  the event that property 0 has no value; those of the others follow
    """
    add_accessors(module, shape)
    add_bits(module)
    add_goals(module, shape, properties, unclear)
    add_spread(module, shape)


def add_spread(module: Module, shape: Shape) -> None:
    """`@spread_back`; the accessors and the functions of bits are beside it."""
    _add_found(module, shape)
    _add_spread(module, shape)


def add_bits(module: Module) -> None:
    """`@bit`, `@set_bit`, `@is_clear` and `@is_set`."""
    f = Code(module, "internal i1 @bit(ptr %bits, i64 %index) alwaysinline nounwind")
    word = f.load_shared(f.word("%bits", f.lshr("%index", 6)))
    f.ret(f"i1 {f.truth(f.lshr(word, f.and_('%index', 63)))}")
    module.add(f)
    f = Code(module, "internal void @set_bit(ptr %bits, i64 %index) alwaysinline nounwind")
    place = f.word("%bits", f.lshr("%index", 6))
    one = f.shl(1, f.and_("%index", 63))
    f.line(f"{f.name()} = atomicrmw or ptr {place}, i64 {one} monotonic, align 8")
    f.ret()
    module.add(f)
    f = Code(module, "i64 @is_clear(ptr %bits, ptr %s, i64 %index) nounwind")
    f.ret(f"i64 {f.widen(f.not_(_bit(f, '%bits', '%index')))}")
    module.add(f)
    f = Code(module, "i64 @is_set(ptr %bits, ptr %s, i64 %index) nounwind")
    f.ret(f"i64 {f.widen(_bit(f, '%bits', '%index'))}")
    module.add(f)


def _bit(f: Code, bits: str, index: Operand) -> str:
    return f.value(f"call i1 @bit(ptr {bits}, i64 {index})", "c")


def _set_bit(f: Code, bits: str, index: Operand) -> None:
    f.line(f"call void @set_bit(ptr {bits}, i64 {index})")


def _add_found(module: Module, shape: Shape) -> None:
    """Successors: whether one has its bit set. They are looked up some at a time, so that the
    table's lines are on their way together.
    """
    f = Code(module, "internal void @look(ptr %ctx) nounwind")
    shared, bits = f.pointer("%ctx", Whole.SHARED), f.pointer("%ctx", Whole.BITS)
    first, found = f.pointer("%ctx", Whole.CUR), f.word("%ctx", Whole.FOUND)

    def look(number: str) -> None:
        def ask() -> None:
            state = f.scaled(first, number, shape.stride)
            index = f.value(f"call i64 @lookup(ptr {shared}, ptr {state})")
            f.store(f.widen(_bit(f, bits, index)), found)

        f.when(f.icmp("eq", f.load(found), 0), ask)

    f.loop(0, f.fetch("%ctx", Whole.WAITING), look)
    f.store(0, f.word("%ctx", Whole.WAITING))
    f.ret()
    module.add(f)

    f = Code(module, "internal ptr @emit(ptr %ctx, ptr %cur) nounwind")
    wait, full, end = f.label("wait"), f.label("full"), f.label("end")
    f.branch(f.icmp("eq", f.fetch("%ctx", Whole.FOUND), 0), wait, end)
    f.begin(end)
    f.ret("ptr %cur")
    f.begin(wait)
    shared = f.pointer("%ctx", Whole.SHARED)
    line = line_of(f, state_hash(f, "%cur"), f.fetch(shared, Shared.LINES))
    f.prefetch(line_address(f, f.pointer(shared, Shared.TABLE), line))
    waiting = f.add(f.fetch("%ctx", Whole.WAITING), 1)
    f.store(waiting, f.word("%ctx", Whole.WAITING))
    room = f.label("room")
    f.branch(f.icmp("slt", waiting, TOGETHER), room, full)
    f.begin(room)
    f.ret(f"ptr {f.byte('%cur', shape.stride)}")
    f.begin(full)
    f.line("call void @look(ptr %ctx)")
    f.ret(f"ptr {f.pointer('%ctx', Whole.CUR)}")
    module.add(f)


def _each_state(
    f: Code, shape: Shape, body: Callable[[str, str], None], *, down: Operand = 0
) -> None:
    """The body for each index and state, until STOP; then returns."""
    first, last = f.cell("%first"), f.cell("%stop")
    stopped, done = f.label("stopped"), f.label("finished")

    def go() -> None:
        proceed = f.label("proceed")
        stop = f.load_shared(f.word("%ctx", Whole.STOP))
        f.branch(f.icmp("ne", stop, 0), stopped, proceed)
        f.begin(proceed)
        downwards = f.icmp("ne", down, 0)
        index = f.select(downwards, f.sub(f.load(last), 1), f.load(first))
        f.store(f.add(f.load(first), f.widen(f.not_(downwards))), first)
        f.store(f.sub(f.load(last), f.widen(downwards)), last)
        assert isinstance(index, str)
        body(index, address(f, "%shared", index))

    f.repeat(lambda: f.icmp("slt", f.load(first), f.load(last)), go)
    f.jump(done)
    f.begin(stopped)
    f.ret("i64 1")
    f.begin(done)
    f.ret("i64 0")


def _inside(f: Code, state: str) -> str:
    return f.value(f"call i1 @inside(ptr {state})", "c")


def _step(f: Code, state: str) -> None:
    cur, hits, counts = (
        f.pointer("%ctx", place) for place in (Whole.CUR, Whole.HITS, Whole.COUNTS)
    )
    f.value(f"call ptr @step(ptr {state}, ptr %ctx, ptr {cur}, ptr {hits}, ptr {counts})", "cur")


def add_goals(module: Module, shape: Shape, properties: int, unclear: int) -> None:
    """`@goals`. Beyond a constraint nothing is known: what is cut off counts as possible there."""
    f = Code(module, "i64 @goals(ptr %ctx, ptr %shared, i64 %first, i64 %stop) nounwind")
    hits, maps = f.pointer("%ctx", Whole.HITS), f.pointer("%ctx", Whole.BITS)

    def mark(number: int, index: str, condition: Flag) -> None:
        bits = f.pointer(maps, number)
        f.when(condition, lambda: _set_bit(f, bits, index))

    def judge(index: str, state: str) -> None:
        for number in range(properties):
            f.line(f"store i8 0, ptr {f.byte(hits, number)}, align 1")
        f.line(f"call void @judge(ptr {state}, ptr {hits})")
        outside = f.not_(_inside(f, state))
        for number in range(properties):
            broken = f.value(f"load i8, ptr {f.byte(hits, number)}, align 1")
            # Where it has had no value, no bit will be asked for.
            holds = f.value(f"icmp eq i8 {broken}, 0", "c")
            mark(number, index, f.any_of(holds, outside))

    _each_state(f, shape, judge)
    module.add(f)


def _add_spread(module: Module, shape: Shape) -> None:
    f = Code(module, "i64 @spread_back(ptr %ctx, ptr %shared, i64 %first, i64 %stop) nounwind")
    bits, down = f.pointer("%ctx", Whole.BITS), f.fetch("%ctx", Whole.DOWN)

    def step(index: str, state: str) -> None:
        def ask() -> None:
            f.store(0, f.word("%ctx", Whole.FOUND))
            _step(f, state)
            f.line("call void @look(ptr %ctx)")

            def mark() -> None:
                _set_bit(f, bits, index)
                f.store(1, f.word("%ctx", Whole.NEWS))

            f.when(f.icmp("ne", f.fetch("%ctx", Whole.FOUND), 0), mark)

        f.when(f.not_(_bit(f, bits, index)), ask)

    _each_state(f, shape, step, down=down)
    module.add(f)


# --- what is refined -------------------------------------------------------------------


def add_abstract(module: Module, words: int) -> None:
    """`@leads(ctx)`: whether a step leads from one state to another. The abstract model's
    functions are beside it.

    Steps are remembered, so that usually a state's are enumerated once for all of them.
    """
    f = Code(module, "internal ptr @pair(ptr %ctx, ptr %to) nounwind")
    mixed: Operand = 0
    source = f.pointer("%ctx", Abstract.FROM)
    for place in (source, "%to"):
        for number in range(words):
            mixed = f.mul(f.xor(mixed, f.fetch(place, number)), MIX)
            mixed = f.xor(mixed, f.lshr(mixed, 32))
    size = 8 * pair_words(words)
    chosen = f.lshr(f.mul(mixed, MIX), 64 - pair_bits(words))
    entry = f.scaled(f.pointer("%ctx", Abstract.PAIRS), chosen, size)
    f.ret(f"ptr {entry}")
    module.add(f)

    f = Code(module, "internal ptr @emit(ptr %ctx, ptr %cur) nounwind")
    wanted = f.equal("%cur", f.pointer("%ctx", Abstract.TO), words)
    found = f.word("%ctx", Abstract.FOUND)
    f.store(f.or_(f.load(found), f.widen(wanted)), found)
    entry = f.value("call ptr @pair(ptr %ctx, ptr %cur)")
    f.store(1, entry)
    f.copy(f.word(entry, 1), f.pointer("%ctx", Abstract.FROM), words)
    f.copy(f.word(entry, 1 + words), "%cur", words)
    f.ret("ptr %cur")
    module.add(f)

    f = Code(module, "i64 @leads(ptr %ctx) nounwind")
    source, to = f.pointer("%ctx", Abstract.FROM), f.pointer("%ctx", Abstract.TO)
    entry = f.value(f"call ptr @pair(ptr %ctx, ptr {to})")
    known, ask = f.label("known"), f.label("ask")
    same = f.both(
        f.equal(f.word(entry, 1), source, words), f.equal(f.word(entry, 1 + words), to, words)
    )
    f.branch(f.both(f.icmp("ne", f.load(entry), 0), same), known, ask)
    f.begin(known)
    f.ret("i64 1")
    f.begin(ask)
    f.store(0, f.word("%ctx", Abstract.FOUND))
    cur, hits, counts = (
        f.pointer("%ctx", place) for place in (Abstract.CUR, Abstract.HITS, Abstract.COUNTS)
    )
    f.value(f"call ptr @step(ptr {source}, ptr %ctx, ptr {cur}, ptr {hits}, ptr {counts})", "cur")
    f.ret(f"i64 {f.fetch('%ctx', Abstract.FOUND)}")
    module.add(f)

    f = Code(module, "i64 @accepts(ptr %ctx, ptr %s) nounwind")
    accepted = f.value(f"call i1 @accept(ptr %s, ptr {f.pointer('%ctx', Abstract.HITS)})", "c")
    f.ret(f"i64 {f.widen(accepted)}")
    module.add(f)


def add_refinement(module: Module, shape: Shape, abstract_words: int) -> None:
    """The functions; the concrete model's and `@map` are beside them."""
    add_accessors(module, shape)
    _add_judged_step(module, abstract_words)
    f = Code(module, "internal ptr @emit(ptr %ctx, ptr %cur) nounwind")

    def judge() -> None:
        wrong = f.value("call i64 @judged_step(ptr %ctx, ptr %cur)")
        place = f.word("%ctx", Whole.NO_STEP)
        f.store(f.or_(f.load(place), wrong), place)

    f.when(f.icmp("eq", f.fetch("%ctx", Whole.NO_STEP), 0), judge)
    f.ret("ptr %cur")
    module.add(f)

    f = Code(module, "i64 @refine(ptr %ctx, ptr %shared, i64 %first, i64 %stop) nounwind")
    steps, mapped = f.fetch("%ctx", Whole.STEPS), f.pointer("%ctx", Whole.MAPPED)

    def one(index: str, state: str) -> None:
        answer = f.value(f"call i64 @map(ptr {state}, ptr {mapped})")
        fits, other, end = f.label("fits"), f.label("other"), f.label("end")
        f.branch(f.icmp("eq", answer, 0), fits, other)
        f.begin(other)
        place = f.word("%ctx", Whole.MISFIT)
        f.store(f.or_(f.load(place), f.widen(f.icmp("eq", answer, 1))), place)
        place = f.word("%ctx", Whole.FAILED)
        # 2 and more is an error: bit k for kind k.
        f.store(f.or_(f.load(place), f.lshr(f.shl(1, answer), 2)), place)
        f.jump(end)
        f.begin(fits)
        wanted = f.both(f.icmp("ne", steps, 0), f.icmp("eq", f.fetch("%ctx", Whole.NO_STEP), 0))
        f.when(wanted, lambda: f.when(_inside(f, state), lambda: _step(f, state)))
        f.begin(end)

    _each_state(f, shape, one)
    module.add(f)
    _add_tests(module)


def _add_judged_step(module: Module, words: int) -> None:
    """1 if no step of the abstract model leads from the mapped state to this one, mapped."""
    f = Code(module, "internal i64 @judged_step(ptr %ctx, ptr %after) nounwind")
    mapped, after = f.pointer("%ctx", Whole.MAPPED), f.pointer("%ctx", Whole.AFTER)
    answer = f.value(f"call i64 @map(ptr %after, ptr {after})")
    fits, ask, fine = f.label("fits"), f.label("ask"), f.label("fine")
    f.branch(f.icmp("eq", answer, 0), fits, fine)
    f.begin(fits)
    f.branch(f.equal(mapped, after, words), fine, ask)
    f.begin(ask)
    abstract, leads = f.pointer("%ctx", Whole.ABSTRACT), f.pointer("%ctx", Whole.LEADS)
    there = f.value(f"call i64 {leads}(ptr {abstract})")
    f.ret(f"i64 {f.widen(f.icmp('eq', there, 0))}")
    f.begin(fine)
    f.ret("i64 0")
    module.add(f)


def _add_tests(module: Module) -> None:
    f = Code(module, "i64 @is_misfit(ptr %ctx, ptr %s, i64 %index) nounwind")
    answer = f.value(f"call i64 @map(ptr %s, ptr {f.pointer('%ctx', Whole.MAPPED)})")
    f.ret(f"i64 {f.widen(f.icmp('eq', answer, 1))}")
    module.add(f)
    f = Code(module, "i64 @map_state(ptr %ctx, ptr %s) nounwind")
    f.ret(f"i64 {f.value(f'''call i64 @map(ptr %s, ptr {f.pointer('%ctx', Whole.MAPPED)})''')}")
    module.add(f)
    f = Code(module, "i64 @is_no_step(ptr %ctx, ptr %s, ptr %after) nounwind")
    answer = f.value(f"call i64 @map(ptr %s, ptr {f.pointer('%ctx', Whole.MAPPED)})")
    fits, no = f.label("fits"), f.label("no")
    f.branch(f.icmp("eq", answer, 0), fits, no)
    f.begin(fits)
    f.ret(f"i64 {f.value('call i64 @judged_step(ptr %ctx, ptr %after)')}")
    f.begin(no)
    f.ret("i64 0")
    module.add(f)
