"""The histories of a model's calls and returns, as machine code asks for them.

What comes after a history and an event is remembered in a table that code reads.
Only what is not there yet is asked of the tracker, through a function that code
may call: so the meaning is written once, and in a search of some length nearly
every answer is found without Python.

The table and the function have fixed addresses, which stand in the code.

    @history(number, marker, words, count)
        the number of the history after an event: of the marker, with these words for
        its caller and arguments; above its bits, for a return, the position of the
        claim of whose object it is; below 0 a failure
"""

from __future__ import annotations

import _thread
import ctypes
import mmap
import threading
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

from attrs import frozen

from modelcheck.compile.ir import Module
from modelcheck.compile.kernel.code import MIX, Code
from modelcheck.compile.layout import WORD, unpack
from modelcheck.compile.record import words_of
from modelcheck.core.events import Abandoned, Called, Caller, Event, Returned
from modelcheck.core.linearizing import BITS, Tracker, tracker_of
from modelcheck.core.model import ERROR_KINDS, History
from modelcheck.core.outcome import Failure
from modelcheck.core.types import Int, Range, Type
from modelcheck.core.values import Value

NAME = "@history"

ENTRY_WORDS = 8
"""A cache line: the answer, the history and marker, the event's words."""

MOST_WORDS = ENTRY_WORDS - 2
"""An event with more words is asked of Python every time."""

_ENTRY_BITS = 17
_TABLE_BYTES = 8 * ENTRY_WORDS << _ENTRY_BITS
_MOST_PROBES = 16

# The lowest bits of an answer in the table.
_BUSY = 1
_READY = 2

_KINDS = len(ERROR_KINDS)
_BROKEN = Failure("undefined", "the history could not be followed")


@frozen
class Marker:
    """What stands in the code for `call`, `return` or `abandon`.

    make   from the values to the event
    types  of the values: first the caller
    """

    key: tuple[object, ...]
    types: tuple[Type, ...]
    make: Callable[[Caller, tuple[Value, ...]], Event]
    caller_kind: int

    @property
    def words(self) -> int:
        """The length of its events."""
        return sum(map(words_of, self.types))


class Histories:
    """A tracker, and the table of its answers.

    broken  what went wrong in the tracker; code was told of a failure, and goes on
    """

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.broken: BaseException | None = None
        self._markers: list[Marker] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._failures: list[Failure] = []
        self._lock = threading.Lock()
        # Pages of it that nobody writes take no memory.
        self._memory = mmap.mmap(-1, _TABLE_BYTES)
        self._table = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)
        self._function = kind(self._answer)

    # --- markers ---

    def call(self, claim: int, operation: int, types: Sequence[Type], caller: Type) -> int:
        """The number of a marker: a call with arguments of these types."""
        return self._number(
            ("call", claim, operation),
            (caller, *types),
            lambda who, values: Called(claim, operation, values, who),
        )

    def give_back(self, result: Type | None, caller: Type) -> int:
        """The number of a marker: a return of a value of this type, or of nothing."""
        kind = -1 if result is None else self.tracker.kind(result)
        return self._number(
            ("return",),
            (caller,) if result is None else (caller, result),
            lambda who, values: Returned(values, kind, who),
        )

    def abandon(self, caller: Type) -> int:
        """The number of a marker: an operation is abandoned."""
        return self._number(("abandon",), (caller,), lambda who, values: Abandoned(who))

    def _number(
        self,
        key: tuple[object, ...],
        types: tuple[Type, ...],
        make: Callable[[Caller, tuple[Value, ...]], Event],
    ) -> int:
        key = (*key, types)
        with self._lock:
            if key not in self._numbers:
                self._numbers[key] = len(self._markers)
                self._markers.append(Marker(key, types, make, self.tracker.kind(types[0])))
            return self._numbers[key]

    def words(self, marker: int) -> int:
        """The length of a marker's events."""
        return self._markers[marker].words

    # --- answers ---

    def _answer(self, number: int, marker: int, address: int) -> int:
        """Called by machine code, from any thread."""
        interrupted = False
        while True:
            try:
                answer = self._ask(number, self._markers[marker], address)
                break
            except KeyboardInterrupt:
                interrupted = True  # code cannot be left from here
            except BaseException as error:
                self.broken = error
                answer = self._as_failure(_BROKEN)
                break
        if interrupted:
            _thread.interrupt_main()
        return answer

    def _ask(self, number: int, marker: Marker, address: int) -> int:
        words = (ctypes.c_int64 * marker.words).from_address(address)
        values, at = [], 0
        for type_ in marker.types:
            size = words_of(type_)
            values.append(_value(type_, words[at : at + size]))
            at += size
        who = Caller(marker.caller_kind, values[0])
        event = marker.make(who, tuple(values[1:]))
        known = self.tracker.answer(number, event)
        if isinstance(known, Failure):
            return self._as_failure(known)
        holder = self.tracker.holder(number, who) if isinstance(event, Returned) else None
        return known | (holder or 0) << BITS

    def _as_failure(self, failure: Failure) -> int:
        with self._lock:
            if failure not in self._failures:
                self._failures.append(failure)
            position = self._failures.index(failure)
        return -1 - (position * _KINDS + ERROR_KINDS.index(failure.kind))

    def raise_if_broken(self) -> None:
        """Raise what went wrong in the tracker, where code was running that could not."""
        broken, self.broken = self.broken, None
        if broken is not None:
            ctypes.memset(self._table, 0, _TABLE_BYTES)  # what code was told is remembered there
            raise broken

    def reason(self, answer: int) -> str:
        """What a failure that code was told of says."""
        return self._failures[(-1 - answer) // _KINDS].reason

    # --- code ---

    def add_code(self, module: Module) -> None:
        """`@history`"""
        f = Code(module, f"internal i64 {NAME}(i64 %number, i64 %marker, ptr %words, i64 %count)")
        f.line(f"%table = inttoptr i64 {self._table} to ptr")
        address = ctypes.cast(self._function, ctypes.c_void_p).value
        f.line(f"%ask = inttoptr i64 {address} to ptr")
        ask, look, missing = f.label("ask"), f.label("look"), f.label("missing")
        key = f.or_(f.shl("%number", BITS), "%marker")
        at, left = f.cell(0, "at"), f.cell(_MOST_PROBES, "left")
        f.branch(f.icmp("sgt", "%count", MOST_WORDS), ask, look)

        f.begin(look)
        mixed = f.cell(key, "mixed")

        def mix(index: str) -> None:
            folded = f.mul(f.load(mixed), MIX)
            f.store(f.xor(f.xor(folded, f.lshr(folded, 29)), f.fetch("%words", index)), mixed)

        f.loop(0, "%count", mix)
        f.store(f.lshr(f.mul(f.load(mixed), MIX), WORD - _ENTRY_BITS), at)
        probe, full, known, other = (f.label(n) for n in ("probe", "full", "known", "other"))
        f.jump(probe)
        f.begin(probe)
        entry = f.scaled("%table", f.load(at), 8 * ENTRY_WORDS)
        mark = f.load_shared(entry, "acquire")
        f.branch(f.icmp("eq", mark, 0), missing, full)
        f.begin(full)
        there = f.both(f.icmp("eq", f.and_(mark, _BUSY), 0), f.icmp("eq", f.fetch(entry, 1), key))
        differing = f.cell(f.widen(f.not_(there)), "differing")

        def compare(index: str) -> None:
            wrong = f.xor(f.fetch("%words", index), f.fetch(f.word(entry, 2), index))
            f.store(f.or_(f.load(differing), wrong), differing)

        f.loop(0, "%count", compare)
        f.branch(f.icmp("eq", f.load(differing), 0), known, other)
        f.begin(known)
        f.ret(f"i64 {f.value(f'ashr i64 {mark}, 2')}")
        f.begin(other)
        f.store(f.mask(f.add(f.load(at), 1), _ENTRY_BITS), at)
        f.store(f.sub(f.load(left), 1), left)
        f.branch(f.icmp("eq", f.load(left), 0), ask, probe)

        f.begin(missing)
        new = self._asked(f)
        free, end = f.label("free"), f.label("end")
        f.branch(f.swap_in(entry, 0, _BUSY, "monotonic"), free, end)
        f.begin(free)
        f.store(key, f.word(entry, 1))
        f.loop(
            0,
            "%count",
            lambda index: f.store(f.fetch("%words", index), f.word(f.word(entry, 2), index)),
        )
        published = f.or_(f.shl(new, 2), _READY)
        f.line(f"store atomic i64 {published}, ptr {entry} release, align 8")
        f.jump(end)
        f.begin(end)
        f.ret(f"i64 {new}")

        f.begin(ask)
        f.ret(f"i64 {self._asked(f)}")
        module.add(f)

    def _asked(self, f: Code) -> str:
        address = f.value("ptrtoint ptr %words to i64")
        return f.value(f"call i64 %ask(i64 %number, i64 %marker, i64 {address})")


def _value(type_: Type, words: Sequence[int]) -> Value:
    if isinstance(type_, Int | Range):
        return words[0]
    mask = (1 << WORD) - 1
    return unpack(type_, sum((word & mask) << WORD * i for i, word in enumerate(words)))


_HISTORIES: WeakKeyDictionary[History, Histories] = WeakKeyDictionary()
_HISTORIES_LOCK = threading.Lock()


def histories_of(history: History) -> Histories:
    """The one table of these claims."""
    with _HISTORIES_LOCK:
        if history not in _HISTORIES:
            _HISTORIES[history] = Histories(tracker_of(history))
        return _HISTORIES[history]
