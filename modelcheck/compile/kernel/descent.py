"""The words of a walk in depth first order through the stored states, and how code speaks of them.

See `components` for what the walk is for.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, unique

from modelcheck.compile.ir import Flag, Operand
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.slots import Status
from modelcheck.compile.kernel.store import address

TOGETHER = 32
"""Successors that are looked up together."""

LAST_LABEL = (1 << 32) - 1
"""Of components, counted down from here; the numbers of states count up from 1."""

MOST_STATES = 1 << 30


@unique
class Descent(IntEnum):
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


class DescentCode(Code):
    """A function of the walk; `%ctx` is its words."""

    def __getitem__(self, word: Descent) -> Operand:
        return self.fetch("%ctx", word)

    def __setitem__(self, word: Descent, value: Operand) -> None:
        self.store(value, self.word("%ctx", word))

    def at(self, word: Descent) -> str:
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
        return self.half(self.at(Descent.MARKS), index)

    def set_mark(self, index: Operand, value: Operand) -> None:
        self.put_half(value, self.at(Descent.MARKS), index)

    def stacked(self, number: Operand) -> Operand:
        """A state of the stack, the oldest is 0."""
        return self.half(self.at(Descent.STACK), self.xor(number, -1))

    def push(self, state: Operand) -> None:
        self.put_half(state, self.at(Descent.STACK), self.xor(self[Descent.STACKED], -1))
        self.bump(self.word("%ctx", Descent.STACKED))

    # --- bits ---

    def bit(self, bitmap: Descent, index: Operand) -> Flag:
        return self.value(f"call i1 @bit(ptr {self.at(bitmap)}, i64 {index})", "c")

    def set_bit(self, bitmap: Descent, index: Operand) -> None:
        self.line(f"call void @set_bit(ptr {self.at(bitmap)}, i64 {index})")

    def each_set_word(self, body: Callable[[str], None]) -> None:
        """For each word of the sets of instances."""
        self.loop(0, self[Descent.SET_WORDS], body)

    def top(self) -> str:
        """The place of the frame of the state that is visited."""
        return self.word(self.at(Descent.FRAMES), self.sub(self[Descent.DEPTH], 1))

    def step(self, index: Operand) -> None:
        """Step a state, and look up what waits."""
        self[Descent.SEES_FAIR] = 0
        self[Descent.WAITING] = 0
        self[Descent.INSTANCE] = -1
        state = address(self, self.at(Descent.SHARED), index)
        cur, hits, counts = (
            self.at(place) for place in (Descent.CUR, Descent.HITS, Descent.COUNTS)
        )
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
