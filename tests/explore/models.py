"""Models written in IR by hand, each with a plain Python function for its steps.

They are small stand-ins for what the model's compiler will write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from attrs import field, frozen

from modelcheck.compile.ir import Module
from modelcheck.compile.jit import compile_ir
from modelcheck.compile.kernel import Shape, Tuning, add_search
from modelcheck.compile.kernel.code import Code
from modelcheck.explore.initial import Combinations
from modelcheck.explore.levels import Levels
from modelcheck.explore.store import Program

Successors: TypeAlias = Iterable[tuple[int, int]]
"""Action and packed state."""

JUDGE = "internal void @judge(ptr noalias readonly %s, ptr noalias %hits)"
INSIDE = "internal i1 @inside(ptr noalias readonly %s)"
STEP = (
    "internal ptr @step(ptr noalias readonly %s, ptr %ctx, ptr %cur, ptr noalias %hits,"
    " ptr noalias %counts)"
)
ACCEPT = "internal i1 @accept(ptr noalias readonly %s, ptr noalias %hits)"


@frozen(eq=False)
class Hand:
    """A model twice: functions in IR, and in Python.

    judged       the events of a state
    step_events  those of a step
    """

    name: str
    words: int
    bits: int
    actions: int
    write_step: Callable[[StepWriter], None] = field(repr=False)
    steps: Callable[[int], Successors] = field(repr=False)
    initial: Combinations = field(factory=lambda: Combinations(0))
    hits: int = 1
    write_judge: Callable[[Code], None] | None = None
    judged: Callable[[int], Iterable[int]] = lambda state: ()
    write_inside: Callable[[Code], str] | None = None
    inside: Callable[[int], bool] | None = None
    write_accept: Callable[[Code], str] | None = None
    accept: Callable[[int], bool] = lambda state: True
    step_events: Callable[[int, int], Iterable[int]] = lambda before, after: ()

    def shape(self, tuning: Tuning) -> Shape:
        return Shape(
            self.words, self.bits, self.hits, self.actions, self.inside is not None, tuning=tuning
        )

    def program(self, tuning: Tuning | None = None, level: int = 1) -> Program:
        shape = self.shape(tuning or Tuning())
        return Program(compile_ir(self.text(shape), level), shape)

    def text(self, shape: Shape) -> str:
        module = Module()
        add_search(module, shape)
        self._add_model(module)
        return module.text()

    def _add_model(self, module: Module) -> None:
        f = Code(module, JUDGE)
        if self.write_judge is not None:
            self.write_judge(f)
        f.ret()
        module.add(f)
        for heading, writer in ((INSIDE, self.write_inside), (ACCEPT, self.write_accept)):
            f = Code(module, heading)
            f.ret(f"i1 {'true' if writer is None else writer(f)}")
            module.add(f)
        step = StepWriter(module, self.words)
        self.write_step(step)
        step.end()


class StepWriter(Code):
    """`@step` in the making."""

    def __init__(self, module: Module, words: int) -> None:
        super().__init__(module, STEP)
        self.words = words
        self.current = self.pointer_cell("%cur", "cur")

    def successor(self, action: int, values: Sequence[str | int]) -> None:
        """A step of this action to the state of these words."""
        current = self.get_pointer(self.current)
        for number, value in enumerate(values):
            self.store(value, self.word(current, number))
        self.set_pointer(self.current, self.value(f"call ptr @emit(ptr %ctx, ptr {current})"))
        self.bump(self.word("%counts", action))

    def hit(self, event: int) -> None:
        self.line(f"store i8 1, ptr {self.byte('%hits', event)}")

    def end(self) -> None:
        self.ret(f"ptr {self.get_pointer(self.current)}")
        self.module.add(self)


# --- two-phase commit ---


def two_phase(managers: int) -> Hand:
    """Two-phase commit with messages that stay, as in Lamport's TwoPhase, in one word.

    2 bits for each manager (working, prepared, committed, aborted), 2 for the coordinator (init,
    committed, aborted), one for each manager it knows to be prepared, one for each message.
    """
    n = managers
    tm, known, sent = 2 * n, 2 * n + 2, 3 * n + 2
    commit, abort = 4 * n + 2, 4 * n + 3
    everyone = (1 << n) - 1

    def steps(state: int) -> Successors:
        if state >> tm & 3 == 0:
            if state >> known & everyone == everyone:
                yield 0, state | 2 << tm | 1 << commit
            yield 1, state | 3 << tm | 1 << abort
        for r in range(n):
            if state >> tm & 3 == 0 and state >> (sent + r) & 1:
                yield 2, state | 1 << (known + r)
            rest = state & ~(3 << 2 * r)
            if state >> 2 * r & 3 == 0:
                yield 3, rest | 1 << 2 * r | 1 << (sent + r)
                yield 4, rest | 3 << 2 * r
            if state >> commit & 1:
                yield 5, rest | 2 << 2 * r
            if state >> abort & 1:
                yield 6, rest | 3 << 2 * r

    def write(f: StepWriter) -> None:
        s = f.load("%s")

        def bit(number: int) -> str:
            return f.icmp("ne", f.and_(s, 1 << number), 0)  # type: ignore[return-value]

        def step_if(action: int, condition: str | bool, value: str | int) -> None:
            f.when(condition, lambda: f.successor(action, [value]))

        undecided = f.icmp("eq", f.and_(s, 3 << tm), 0)
        ready = f.icmp("eq", f.and_(s, everyone << known), everyone << known)
        step_if(0, f.both(undecided, ready), f.or_(s, 2 << tm | 1 << commit))
        step_if(1, undecided, f.or_(s, 3 << tm | 1 << abort))
        committing, aborting = bit(commit), bit(abort)
        for r in range(n):
            rest = f.and_(s, ~(3 << 2 * r))
            step_if(2, f.both(undecided, bit(sent + r)), f.or_(s, 1 << (known + r)))
            works = f.icmp("eq", f.and_(s, 3 << 2 * r), 0)
            step_if(3, works, f.or_(rest, 1 << 2 * r | 1 << (sent + r)))
            step_if(4, works, f.or_(rest, 3 << 2 * r))
            step_if(5, committing, f.or_(rest, 2 << 2 * r))
            step_if(6, aborting, f.or_(rest, 3 << 2 * r))

    low = int("01" * n, 2)

    def both(state: int) -> Iterable[int]:
        high_bits, low_bits = state >> 1 & low, state & low
        if high_bits & ~low_bits and high_bits & low_bits:
            yield 0
        if state >> commit & 1:
            yield 1

    def write_judge(f: Code) -> None:
        s = f.load("%s")
        high_bits, low_bits = f.and_(f.lshr(s, 1), low), f.and_(s, low)
        committed = f.icmp("ne", f.and_(high_bits, f.xor(low_bits, -1)), 0)
        aborted = f.icmp("ne", f.and_(high_bits, low_bits), 0)
        f.when(f.both(committed, aborted), lambda: f.line("store i8 1, ptr %hits"))
        f.when(
            f.icmp("ne", f.and_(s, 1 << commit), 0),
            lambda: f.line(f"store i8 1, ptr {f.byte('%hits', 1)}"),
        )

    return Hand(
        f"two_phase_{n}",
        1,
        4 * n + 4,
        7,
        write,
        steps,
        hits=2,
        write_judge=write_judge,
        judged=both,
    )


# --- small ones ---


def counter(last: int) -> Hand:
    """A line of `last` + 1 states."""

    def write(f: StepWriter) -> None:
        s = f.load("%s")
        f.when(f.icmp("ult", s, last), lambda: f.successor(0, [f.add(s, 1)]))

    return Hand("counter", 1, 40, 1, write, lambda s: [(0, s + 1)] if s < last else [], hits=0)


def star(points: int) -> Hand:
    """A state with so many successors, each of which leads back."""

    def write(f: StepWriter) -> None:
        f.either(
            f.icmp("eq", f.load("%s"), 0),
            lambda: f.loop(1, points + 1, lambda i: f.successor(0, [i])),
            lambda: f.successor(1, [0]),
        )

    def steps(state: int) -> Successors:
        return [(1, 0)] if state else [(0, i) for i in range(1, points + 1)]

    return Hand("star", 1, 32, 2, write, steps)


def grid(side: int, words: int, *, bits: int | None = None) -> Hand:
    """A walk over `words` coordinates below `side`, one in each word, with events.

    Outside the constraint are states in which all coordinates are at their end; event 0 is a state
    whose first two coordinates are 2 and 1, event 1 a step of the last coordinate to 3.
    """
    shift = 64 - bits if bits else 0  # coordinates in the upper bits, if all are to be used

    def split(state: int) -> list[int]:
        return [(state >> (64 * w) & (1 << 64) - 1) >> shift for w in range(words)]

    def join(values: Sequence[int]) -> int:
        return sum(value << shift << (64 * w) for w, value in enumerate(values))

    def steps(state: int) -> Successors:
        values = split(state)
        for w, value in enumerate(values):
            if value < side - 1:
                yield w % 2, join([*values[:w], value + 1, *values[w + 1 :]])
            if value:
                yield 2, join([*values[:w], 0, *values[w + 1 :]])

    def write(f: StepWriter) -> None:
        values = [f.fetch("%s", w) for w in range(words)]
        for w, value in enumerate(values):
            up = f.add(value, 1 << shift)

            def go(to: str | int, action: int, w: int = w) -> None:
                f.successor(action, [*values[:w], to, *values[w + 1 :]])

            def rise(w: int = w, up: str | int = up) -> None:
                if w == words - 1:
                    at_end = f.icmp("eq", f.lshr(up, shift), 3)
                    f.when(at_end, lambda: f.hit(1))
                f.successor(w % 2, [*values[:w], up, *values[w + 1 :]])

            f.when(f.icmp("ult", f.lshr(value, shift), side - 1), rise)
            f.when(f.icmp("ne", value, 0), partial(go, 0, 2))

    def write_judge(f: Code) -> None:
        first = f.icmp("eq", f.lshr(f.fetch("%s", 0), shift), 2)
        if words > 1:
            first = f.both(first, f.icmp("eq", f.lshr(f.fetch("%s", 1), shift), 1))
        f.when(first, lambda: f.line("store i8 1, ptr %hits"))

    def judged(state: int) -> Iterable[int]:
        values = split(state)
        if values[0] == 2 and (words == 1 or values[1] == 1):
            yield 0

    def write_inside(f: Code) -> str:
        total = f.lshr(f.fetch("%s", 0), shift)
        for w in range(1, words):
            total = f.add(total, f.lshr(f.fetch("%s", w), shift))
        return str(f.icmp("ult", total, words * (side - 1))).lower()

    def is_inside(state: int) -> bool:
        return sum(split(state)) < words * (side - 1)

    return Hand(
        f"grid_{words}",
        words,
        bits or 64 * words,
        3,
        write,
        steps,
        hits=2,
        write_judge=write_judge,
        judged=judged,
        write_inside=write_inside,
        inside=is_inside,
        step_events=lambda before, after: (
            [1] if split(before)[-1] == 2 and split(after)[-1] == 3 else []
        ),
    )


def still(combinations: Combinations, words: int, bits: int, least: int = 0) -> Hand:
    """No steps; initial are the combinations whose first word is at least `least` (unsigned)."""

    def write_accept(f: Code) -> str:
        return str(f.icmp("uge", f.load("%s"), least)).lower()

    return Hand(
        "still",
        words,
        bits,
        0,
        lambda f: None,
        lambda s: [],
        combinations,
        hits=0,
        write_accept=write_accept,
        accept=lambda s: s & (1 << 64) - 1 >= least,
    )


def depth_of(levels: Levels, index: int) -> int | None:
    """The level in which the state at an index is; None if it is in none."""
    for depth in range(len(levels)):
        if any(first <= index < stop for first, stop in levels.ranges(depth)):
            return depth
    return None
