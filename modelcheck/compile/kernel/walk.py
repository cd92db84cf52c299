"""Random walks: run after run, until Python is to have a say.

A run is a function of the seed and of its own number, whoever walks it. Random
numbers come from SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
number generators, 2014):

    mix(z)     z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9
               z = (z ^ z >> 27) * 0x94D049BB133111EB
               z ^ z >> 31
    run r      begins with s = mix(mix(seed + G) + (r + 1) * G), G = 0x9E3779B97F4A7C15
    a number   s += G, then mix(s)
    below n    the upper half of the 128-bit product of a number and n

all modulo 2^64. A run takes a number for each choice of its initial state, again if
`init` does not let it pass, and then one for each successor of each state it comes
to: of n successors seen so far the last takes the place of the one chosen if its
number, below n, is 0. So each of k successors is chosen with a probability that differs
from 1/k by less than 2^-50, in one pass and without a list.

The model's functions are those of the search; `@emit` is here.
"""

from __future__ import annotations

from enum import IntEnum, unique

from modelcheck.compile.ir import MASK, Flag, Module, Operand, signed
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.initial import add_choose, add_set_bits
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Choice

GAMMA = 0x9E3779B97F4A7C15
_MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def mix(z: int) -> int:
    """SplitMix64's output function."""
    z = (z ^ z >> 30) * _MULTIPLIERS[0] & MASK
    z = (z ^ z >> 27) * _MULTIPLIERS[1] & MASK
    return z ^ z >> 31


@unique
class Walk(IntEnum):
    """The `ctx` of a walker: words, or pointers. What is said to be kept is for Python to read."""

    STOP = 0
    """Not 0: return soon. Python writes it."""
    KEY = 1
    """mix(seed + G)."""
    RANDOM = 2
    """The generator's state."""
    RUN = 3
    """The run that is being walked, or comes next; the walker ends before LAST."""
    LAST = 4
    STEP = 5
    """Steps taken so far in this run: at most MOST_STEPS, in run LAST - 1 at most LAST_STEPS."""
    MOST_STEPS = 6
    LAST_STEPS = 7
    STAGE = 8
    """Where in a run it goes on: a `Stage`."""

    # States: the one the walk is in; two places for successors, of which one holds that chosen.
    SOURCE = 9
    FREE = 10
    CHOSEN = 11
    COUNT = 12
    """Successors seen so far, and which of them (from 0) is the one chosen."""
    POSITION = 13
    SCANNING = 14
    """Not 0: nothing is chosen; CHANGED becomes 1 if a successor differs from its source."""
    CHANGED = 15

    HITS = 16
    KNOWN = 17
    """Pointer to bytes: 255 for the events of which Python need not hear."""
    COUNTS = 18
    SPARE_COUNTS = 19
    LOG = 20
    """Pointer to the position and the state after each step of a run, or null."""

    # Kept: steps, runs ended, steps of the longest, runs without an initial state.
    STEPS = 21
    RUNS = 22
    LONGEST = 23
    LOST = 24

    # Initial states.
    BASE = 25
    SLOTS = 26
    CHOICES = 27
    TRIES = 28
    """How often a combination is drawn before STARTS is needed."""
    STARTS = 29
    """Pointer to the numbers of combinations that are initial states; STARTS_COUNT of them,
    -1 while that is not known."""
    STARTS_COUNT = 30

    SIZE = 32


@unique
class Stage(IntEnum):
    """Where in a run a walker is."""

    BEFORE = 0
    """The run has not begun."""
    JUDGED = 1
    """SOURCE has been judged."""
    STEPPED = 2
    """And stepped: its successor is chosen."""


@unique
class Answer(IntEnum):
    """Why `@walk` returns."""

    DONE = 0
    STOPPED = 1
    EVENT = 2
    """Something was hit that is not KNOWN."""
    NEED_STARTS = 3


@unique
class _Start(IntEnum):
    FOUND = 0
    EVENT = 1
    NONE = 2
    UNKNOWN = 3


def add_walk(module: Module, shape: Shape) -> None:
    """`@walk(ctx)`, `@starts(ctx, first, count, out)` and `@combine(ctx, number)`."""
    add_set_bits(module)
    add_choose(module)
    _add_random(module)
    _add_emit(module, shape)
    _add_news(module, shape)
    _add_combine(module, shape)
    _add_start(module, shape)
    _add_walk(module, shape)
    _add_starts(module)


# --- random numbers ------------------------------------------------------------------


def _mixed(f: Code, z: Operand) -> Operand:
    z = f.mul(f.xor(z, f.lshr(z, 30)), signed(_MULTIPLIERS[0]))
    z = f.mul(f.xor(z, f.lshr(z, 27)), signed(_MULTIPLIERS[1]))
    return f.xor(z, f.lshr(z, 31))


def _add_random(module: Module) -> None:
    f = Code(module, "internal i64 @random(ptr %ctx) alwaysinline nounwind")
    place = f.word("%ctx", Walk.RANDOM)
    s = f.add(f.load(place), signed(GAMMA))
    f.store(s, place)
    f.ret(f"i64 {_mixed(f, s)}")
    module.add(f)
    f = Code(module, "internal i64 @below(ptr %ctx, i64 %n) alwaysinline nounwind")
    number = f.value("call i64 @random(ptr %ctx)")
    f.ret(f"i64 {f.product(number, '%n')[1]}")
    module.add(f)


# --- successors ----------------------------------------------------------------------


def _add_emit(module: Module, shape: Shape) -> None:
    f = Code(module, "internal ptr @emit(ptr %ctx, ptr %cur) alwaysinline nounwind")
    scan, sample = f.label("scan"), f.label("sample")
    f.branch(f.icmp("ne", f.fetch("%ctx", Walk.SCANNING), 0), scan, sample)
    f.begin(scan)
    same = f.equal("%cur", f.pointer("%ctx", Walk.SOURCE), shape.words)
    changed = f.word("%ctx", Walk.CHANGED)
    f.store(f.or_(f.load(changed), f.widen(f.not_(same))), changed)
    f.ret("ptr %cur")
    f.begin(sample)
    seen = f.fetch("%ctx", Walk.COUNT)
    count = f.add(seen, 1)
    f.store(count, f.word("%ctx", Walk.COUNT))
    taken = f.icmp("eq", f.value(f"call i64 @below(ptr %ctx, i64 {count})"), 0)
    position = f.word("%ctx", Walk.POSITION)
    f.store(f.select(taken, seen, f.load(position)), position)
    place = f.word("%ctx", Walk.CHOSEN)
    before = f.get_pointer(place)
    f.store_pointer(f.value(f"select i1 {taken}, ptr %cur, ptr {before}"), place)
    following = f.value(f"select i1 {taken}, ptr {before}, ptr %cur")
    f.ret(f"ptr {following}")
    module.add(f)

    heading = "internal ptr @emit_if(ptr %ctx, ptr %cur, i1 %enabled) alwaysinline nounwind"
    f = Code(module, heading)
    yes, no = f.label("yes"), f.label("no")
    f.branch("%enabled", yes, no)
    f.begin(yes)
    f.ret(f"ptr {f.value('call ptr @emit(ptr %ctx, ptr %cur)')}")
    f.begin(no)
    f.ret("ptr %cur")
    module.add(f)


def _add_news(module: Module, shape: Shape) -> None:
    """Whether something was hit that is not known."""
    f = Code(module, "internal i1 @news(ptr %ctx) alwaysinline nounwind")
    hits = f.pointer("%ctx", Walk.HITS, fixed=True)
    known = f.pointer("%ctx", Walk.KNOWN, fixed=True)
    news: Operand = 0
    for index in range(shape.hit_bytes // 8):
        news = f.or_(news, f.and_(f.fetch(hits, index), f.xor(f.fetch(known, index), -1)))
    f.ret(f"i1 {_flag(f.icmp('ne', news, 0))}")
    module.add(f)


def _flag(flag: Flag) -> str:
    return flag if isinstance(flag, str) else str(flag).lower()


# --- initial states ------------------------------------------------------------------


def _add_combine(module: Module, shape: Shape) -> None:
    """Combination number %number into SOURCE; the last choice changes fastest."""
    f = Code(module, "void @combine(ptr %ctx, i64 %number) nounwind")
    source = f.pointer("%ctx", Walk.SOURCE)
    f.copy(source, f.pointer("%ctx", Walk.BASE), shape.words)
    choices, slots = f.pointer("%ctx", Walk.CHOICES), f.fetch("%ctx", Walk.SLOTS)
    rest = f.cell("%number")

    def choose(index: str) -> None:
        slot = f.sub(f.sub(slots, 1), index)
        choice = f.word(choices, f.mul(slot, Choice.SIZE))
        count, number = f.fetch(choice, Choice.COUNT), f.load(rest)
        digit = f.value(f"urem i64 {number}, {count}")
        f.store(f.value(f"udiv i64 {number}, {count}"), rest)
        f.line(f"call void @choose(ptr {source}, ptr {choice}, i64 {digit})")

    f.loop(0, slots, choose)
    f.ret()
    module.add(f)


def _add_start(module: Module, shape: Shape) -> None:
    """A random initial state into SOURCE."""
    f = Code(module, "internal i64 @start(ptr %ctx) nounwind")
    source, hits = f.pointer("%ctx", Walk.SOURCE), f.pointer("%ctx", Walk.HITS)
    choices, slots = f.pointer("%ctx", Walk.CHOICES), f.fetch("%ctx", Walk.SLOTS)
    tries = f.cell(0, "tries")
    head, found, ask, event = f.label("try"), f.label("found"), f.label("ask"), f.label("event")
    again, listed, pick = f.label("again"), f.label("listed"), f.label("pick")
    none, unknown, no = f.label("none"), f.label("unknown"), f.label("no")
    f.begin(head)
    f.copy(source, f.pointer("%ctx", Walk.BASE), shape.words)

    def choose(index: str) -> None:
        choice = f.word(choices, f.mul(index, Choice.SIZE))
        digit = f.value(f"call i64 @below(ptr %ctx, i64 {f.fetch(choice, Choice.COUNT)})")
        f.line(f"call void @choose(ptr {source}, ptr {choice}, i64 {digit})")

    f.loop(0, slots, choose)
    f.branch(f.value(f"call i1 @accept(ptr {source}, ptr {hits})", "c"), found, ask)
    f.begin(found)
    f.ret(f"i64 {int(_Start.FOUND)}")
    f.begin(ask)
    f.branch(f.value("call i1 @news(ptr %ctx)", "c"), event, again)
    f.begin(event)
    f.ret(f"i64 {int(_Start.EVENT)}")
    f.begin(again)
    f.bump(tries)
    f.branch(f.icmp("slt", f.load(tries), f.fetch("%ctx", Walk.TRIES)), head, listed)
    f.begin(listed)
    count = f.fetch("%ctx", Walk.STARTS_COUNT)
    f.branch(f.icmp("sgt", count, 0), pick, none)
    f.begin(pick)
    index = f.value(f"call i64 @below(ptr %ctx, i64 {count})")
    number = f.fetch(f.pointer("%ctx", Walk.STARTS), index)
    f.line(f"call void @combine(ptr %ctx, i64 {number})")
    f.ret(f"i64 {int(_Start.FOUND)}")
    f.begin(none)
    f.branch(f.icmp("slt", count, 0), unknown, no)
    f.begin(unknown)
    f.ret(f"i64 {int(_Start.UNKNOWN)}")
    f.begin(no)
    f.ret(f"i64 {int(_Start.NONE)}")
    module.add(f)


def _add_starts(module: Module) -> None:
    """Of `count` combinations from number `first` on, those that are initial states: their numbers
    to `out`, and how many there are."""
    f = Code(module, "i64 @starts(ptr %ctx, i64 %first, i64 %count, ptr %out) nounwind")
    found = f.cell(0)

    def one(index: str) -> None:
        number = f.add("%first", index)
        f.line(f"call void @combine(ptr %ctx, i64 {number})")
        source, hits = f.pointer("%ctx", Walk.SOURCE), f.pointer("%ctx", Walk.HITS)
        accepted = f.value(f"call i1 @accept(ptr {source}, ptr {hits})", "c")
        f.store(number, f.word("%out", f.load(found)))
        f.store(f.add(f.load(found), f.widen(accepted)), found)

    f.loop(0, "%count", one)
    f.ret(f"i64 {f.load(found)}")
    module.add(f)


# --- the walk ------------------------------------------------------------------------


def _add_walk(module: Module, shape: Shape) -> None:
    f = Code(module, "i64 @walk(ptr %ctx) nounwind")
    before, judged, stepped = f.label("run"), f.label("judged"), f.label("stepped")
    stage = f.word("%ctx", Walk.STAGE)
    cases = [(int(Stage.JUDGED), judged), (int(Stage.STEPPED), stepped)]
    f.switch(f.load(stage), cases, before)
    f.begin(before)
    _begin_run(f, shape, before, judged)
    f.begin(judged)
    ended = f.label("ended")
    _step(f, shape, ended)
    f.begin(stepped)
    _advance(f, shape, judged, ended)
    f.begin(ended)
    _end_run(f)
    f.jump(before)
    module.add(f)


def _return_if(f: Code, condition: Flag, answer: Answer) -> None:
    leave, stay = f.label("leave"), f.label("stay")
    f.branch(condition, leave, stay)
    f.begin(leave)
    f.ret(f"i64 {int(answer)}")
    f.begin(stay)


def _return_if_stopped(f: Code) -> None:
    stop = f.load_shared(f.word("%ctx", Walk.STOP))
    _return_if(f, f.icmp("ne", stop, 0), Answer.STOPPED)


def _begin_run(f: Code, shape: Shape, before: str, judged: str) -> None:
    run = f.fetch("%ctx", Walk.RUN)
    _return_if(f, f.icmp("uge", run, f.fetch("%ctx", Walk.LAST)), Answer.DONE)
    _return_if_stopped(f)
    skipped = f.mul(f.add(run, 1), signed(GAMMA))
    key = f.add(f.fetch("%ctx", Walk.KEY), skipped)
    f.store(_mixed(f, key), f.word("%ctx", Walk.RANDOM))
    f.store(0, f.word("%ctx", Walk.STEP))
    started = f.value("call i64 @start(ptr %ctx)")
    found, none = f.label("found"), f.label("no.start")
    event, unknown = f.label("event"), f.label("unknown")
    cases = [
        (int(_Start.EVENT), event), (int(_Start.UNKNOWN), unknown), (int(_Start.NONE), none)
    ]  # fmt: skip
    f.switch(started, cases, found)
    f.begin(event)
    f.ret(f"i64 {int(Answer.EVENT)}")
    f.begin(unknown)
    f.ret(f"i64 {int(Answer.NEED_STARTS)}")
    f.begin(none)
    f.bump(f.word("%ctx", Walk.LOST))
    f.bump(f.word("%ctx", Walk.RUN))
    f.jump(before)
    f.begin(found)
    _judge(f, shape)
    f.jump(judged)


def _judge(f: Code, shape: Shape) -> None:
    """The state in SOURCE is new to the run."""
    source = f.pointer("%ctx", Walk.SOURCE)
    f.store(int(Stage.JUDGED), f.word("%ctx", Walk.STAGE))
    keep, go_on = f.label("keep"), f.label("go.on")
    log = f.pointer("%ctx", Walk.LOG)
    f.branch(f.value(f"icmp ne ptr {log}, null", "c"), keep, go_on)
    f.begin(keep)
    entry = f.word(log, f.mul(f.fetch("%ctx", Walk.STEP), shape.words + 1))
    f.store(f.fetch("%ctx", Walk.POSITION), entry)
    f.copy(f.word(entry, 1), source, shape.words)
    f.begin(go_on)
    f.line(f"call void @judge(ptr {source}, ptr {f.pointer('%ctx', Walk.HITS, fixed=True)})")
    _return_if(f, f.value("call i1 @news(ptr %ctx)", "c"), Answer.EVENT)


def _step(f: Code, shape: Shape, ended: str) -> None:
    """Choose a step of the state in SOURCE, which has been judged."""
    _return_if_stopped(f)
    is_last = f.icmp("eq", f.add(f.fetch("%ctx", Walk.RUN), 1), f.fetch("%ctx", Walk.LAST))
    most = f.select(is_last, f.fetch("%ctx", Walk.LAST_STEPS), f.fetch("%ctx", Walk.MOST_STEPS))
    go_on = f.label("go.on")
    f.branch(f.icmp("uge", f.fetch("%ctx", Walk.STEP), most), ended, go_on)
    f.begin(go_on)
    if shape.constraint:
        source, inside = f.pointer("%ctx", Walk.SOURCE), f.label("inside")
        f.branch(f.value(f"call i1 @inside(ptr {source})", "c"), inside, ended)
        f.begin(inside)
    f.store(0, f.word("%ctx", Walk.COUNT))
    _call_step(f, Walk.COUNTS)
    f.store(int(Stage.STEPPED), f.word("%ctx", Walk.STAGE))
    _return_if(f, f.value("call i1 @news(ptr %ctx)", "c"), Answer.EVENT)


def _call_step(f: Code, counts: Walk) -> None:
    source, free = f.pointer("%ctx", Walk.SOURCE), f.pointer("%ctx", Walk.FREE)
    hits = f.pointer("%ctx", Walk.HITS, fixed=True)
    arguments = f"ptr {source}, ptr %ctx, ptr {free}, ptr {hits}"
    end = f.value(f"call ptr @step({arguments}, ptr {f.pointer('%ctx', counts, fixed=True)})")
    f.store_pointer(end, f.word("%ctx", Walk.FREE))


def _advance(f: Code, shape: Shape, judged: str, ended: str) -> None:
    """Take the step that was chosen; end if there is none, or if no step changes anything."""
    some, move, scan = f.label("some"), f.label("move"), f.label("scan")
    f.branch(f.icmp("ne", f.fetch("%ctx", Walk.COUNT), 0), some, ended)
    f.begin(some)
    source, chosen = f.pointer("%ctx", Walk.SOURCE), f.pointer("%ctx", Walk.CHOSEN)
    f.branch(f.equal(source, chosen, shape.words), scan, move)
    f.begin(scan)
    f.store(0, f.word("%ctx", Walk.CHANGED))
    f.store(1, f.word("%ctx", Walk.SCANNING))
    _call_step(f, Walk.SPARE_COUNTS)
    f.store(0, f.word("%ctx", Walk.SCANNING))
    f.branch(f.icmp("ne", f.fetch("%ctx", Walk.CHANGED), 0), move, ended)
    f.begin(move)
    f.store_pointer(chosen, f.word("%ctx", Walk.SOURCE))
    f.store_pointer(source, f.word("%ctx", Walk.CHOSEN))
    f.bump(f.word("%ctx", Walk.STEP))
    f.bump(f.word("%ctx", Walk.STEPS))
    _judge(f, shape)
    f.jump(judged)


def _end_run(f: Code) -> None:
    step, longest = f.fetch("%ctx", Walk.STEP), f.word("%ctx", Walk.LONGEST)
    known = f.load(longest)
    f.store(f.select(f.icmp("ugt", step, known), step, known), longest)
    f.bump(f.word("%ctx", Walk.RUNS))
    f.bump(f.word("%ctx", Walk.RUN))
    f.store(int(Stage.BEFORE), f.word("%ctx", Walk.STAGE))
