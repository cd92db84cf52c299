"""Everything about the steps from one state, told by detailed code.

The search only counts; this says which step it was, with which arguments, who
took it, and why one failed. It serves traces, and tests that compare engines
step by step. Cost: about the size of a state's successors, in Python.
"""

from __future__ import annotations

import builtins
import ctypes
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from modelcheck.compile import record
from modelcheck.compile.histories import histories_of
from modelcheck.compile.ir import MASK, WORD, Function
from modelcheck.compile.jit import compile_ir
from modelcheck.compile.kernel import Shape, add_accessors
from modelcheck.compile.kernel.backward import Back, add_backward, add_nothing
from modelcheck.compile.layout import Layout, unpack
from modelcheck.compile.lower.program import Program, lower
from modelcheck.core.model import Model
from modelcheck.core.outcome import Failure
from modelcheck.core.trace import Process
from modelcheck.core.types import Int, Range, Type
from modelcheck.core.values import State, Value

_WORD_BYTES = 8
_MOST_KNOWN = 1 << 14


@frozen(eq=False)
class Seen:
    """What a record says.

    what      one of the kinds in `record`
    number    the action's, or for JUDGED the property's
    property  for STEP_PROPERTY, which one
    code      the state after a step that was taken, as bits
    lines     for each property that was violated since the record before, by position: its first
              line that does not hold, from 1
    violated  the positions of these properties
    """

    what: int
    number: int
    arguments: tuple[Value, ...]
    process: Process
    code: int | None
    result: tuple[Value, ...]
    failure: Failure | None
    property: int | None
    lines: Mapping[int, int] = field(factory=dict)
    violated: frozenset[int] = field(init=False)

    _layout: Layout | None = None

    @builtins.property
    def after(self) -> State | None:
        """The state after a step that was taken."""
        if self.code is None or self._layout is None:
            return None
        return self._layout.unpack(self.code)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "violated", frozenset(self.lines))


def note_function(program: Program, *, arrives: bool = False) -> None:
    """`@note`: the record, and the state built at `cur`, to the end of the list in `ctx`; then a
    byte for each property that has been hit since the entry before.

    ctx  the list, how many entries it has, for how many there is room; the hits
    """
    words, state = program.record_words, program.layout.words
    properties = len(program.model.properties)
    f = Function(program.module, "internal ptr @note(ptr %ctx, ptr %rec, ptr %cur, ptr %s)")
    if arrives:
        is_taken = f.icmp("eq", f.fetch("%rec", record.WHAT), record.TAKEN)
        f.when(is_taken, lambda: f.line("call void @arrive(ptr %cur)"))
    marks, lists = f.label("marks"), f.label("lists")
    f.branch(f.icmp("ne", f.fetch("%ctx", Back.MODE), 0), marks, lists)
    f.begin(marks)
    f.ret(f"ptr {f.value('call ptr @mark(ptr %ctx, ptr %rec, ptr %cur, ptr %s)')}")
    f.begin(lists)
    number, room = f.fetch("%ctx", 1), f.fetch("%ctx", 2)
    f.store(f.add(number, 1), f.word("%ctx", 1))
    fits, end = f.label("fits"), f.label("end")
    f.branch(f.icmp("slt", number, room), fits, end)
    f.begin(fits)
    base = f.load_pointer("%ctx")
    entry = f.word(base, f.mul(number, _entry_words(program)))
    copy = program.module.declare(
        "llvm.memcpy.p0.p0.i64", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    )
    f.line(f"call void {copy}(ptr {entry}, ptr %rec, i64 {words * 8}, i1 false)")
    clear = program.module.declare(
        "llvm.memset.p0.i64", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
    )
    hits, hit = f.load_pointer(f.word("%ctx", 3)), f.word(entry, words + state)
    f.line(f"call void {copy}(ptr {hit}, ptr {hits}, i64 {properties}, i1 false)")
    f.line(f"call void {clear}(ptr {hits}, i8 0, i64 {properties}, i1 false)")
    there = f.label("there")
    f.branch(f.value("icmp ne ptr %cur, null", "c"), there, end)
    f.begin(there)
    to = f.word(entry, words)
    f.line(f"call void {copy}(ptr {to}, ptr %cur, i64 {state * 8}, i1 false)")
    f.jump(end)
    f.begin(end)
    f.ret("ptr %cur")
    program.module.add(f)


def _entry_words(program: Program) -> int:
    """The length of an entry: a record, a state, a byte for each property."""
    bytes_ = len(program.model.properties)
    return program.record_words + program.layout.words + -(-bytes_ // _WORD_BYTES)


_ENTRIES = """
define void @probe.steps(ptr %s, ptr %ctx, ptr %cur, ptr %hits, ptr %counts, ptr %rec) {
  %end = call ptr @step(ptr %s, ptr %ctx, ptr %cur, ptr %hits, ptr %counts, ptr %rec)
  ret void
}
define void @probe.judge(ptr %s, ptr %hits, ptr %rec, ptr %ctx) {
  call void @judge(ptr %s, ptr %hits, ptr %rec, ptr %ctx)
  ret void
}
define i64 @probe.inside(ptr %s) {
  %in = call i1 @inside(ptr %s)
  %wide = zext i1 %in to i64
  ret i64 %wide
}
define i64 @probe.accept(ptr %s, ptr %hits, ptr %rec, ptr %ctx) {
  %in = call i1 @accept(ptr %s, ptr %hits, ptr %rec, ptr %ctx)
  %wide = zext i1 %in to i64
  ret i64 %wide
}
"""


class Probe:
    """Detailed code of a model, compiled. Raises Unsupported.

    shape    of the store that a search has filled, if ways back through it are wanted too
    program  its detailed code, if that is not simply the model's
    """

    def __init__(
        self,
        model: Model,
        level: int = 0,
        shape: Shape | None = None,
        program: Program | None = None,
    ) -> None:
        program = self.program = program or lower(model, detailed=True)
        self.model = program.model
        self._histories = None if model.history is None else histories_of(model.history)
        note_function(program, arrives=shape is not None and shape.arrives)
        self.processes = record.processes(model)
        if shape is None:
            add_nothing(program.module)
        else:
            add_accessors(program.module, shape)
            columns = len(self.processes) + 1
            add_backward(program.module, shape, columns, program.goals.count + 1)
        program.module.add_text(_ENTRIES)
        self.native = compile_ir(program.module.text(), level)
        words = program.layout.words
        self._state = (ctypes.c_uint64 * (words + 1))()
        self._cur = (ctypes.c_uint64 * (words + 1))()
        self._rec = (ctypes.c_int64 * (program.record_words + 1))()
        # A byte more: an event that never is.
        self.hits = (ctypes.c_uint8 * (program.goals.count + 1))()
        self.counts = (ctypes.c_int64 * max(1, len(model.actions)))()
        self._ctx = (ctypes.c_int64 * Back.SIZE)()
        self._ctx[3] = ctypes.addressof(self.hits)
        self._entry = _entry_words(program)
        # An action takes few arguments, each in many states.
        self._known_arguments: list[dict[tuple[int, ...], tuple[Value, ...]]] = [
            {} for _ in model.actions
        ]
        self._make_room(64)

    @property
    def context(self) -> ctypes.Array[ctypes.c_int64]:
        """The words of `ctx`."""
        return self._ctx

    @property
    def context_address(self) -> int:
        return ctypes.addressof(self._ctx)

    @property
    def scratch(self) -> tuple[int, int, int]:
        """Where a step may build states, count, and record."""
        places = (self._cur, self.counts, self._rec)
        cur, counts, rec = (ctypes.addressof(place) for place in places)
        return cur, counts, rec

    def _make_room(self, entries: int) -> None:
        self._list = (ctypes.c_int64 * (entries * self._entry))()
        self._ctx[0] = ctypes.addressof(self._list)
        self._ctx[2] = entries

    def _load(self, state: State | int) -> None:
        code = state if isinstance(state, int) else self.program.layout.pack(state)
        size = self.program.layout.words * _WORD_BYTES
        ctypes.memmove(self._state, code.to_bytes(size, "little"), size)

    def steps(self, state: State | int) -> list[Seen]:
        """All records of the steps from a state, in the order of the model.

        Afterwards `hits` has what was seen, and `counts` how many instances were enabled.
        """
        self._load(state)
        places = (self._state, self._ctx, self._cur, self.hits, self.counts, self._rec)
        return self._collect("probe.steps", *places)[1]

    def judge(self, state: State | int) -> list[Seen]:
        """The failures of judging a state; `hits` has what holds and what does not."""
        self._load(state)
        return self._collect("probe.judge", self._state, self.hits, self._rec, self._ctx)[1]

    def accept(self, state: State | int) -> tuple[bool, list[Seen]]:
        """Whether `init` lets the state pass, and its failure."""
        self._load(state)
        answer, seen = self._collect("probe.accept", self._state, self.hits, self._rec, self._ctx)
        return bool(answer), seen

    def inside(self, state: State | int) -> bool:
        """Whether the state satisfies the constraint."""
        self._load(state)
        return bool(self.native.function("probe.inside", 1)(ctypes.addressof(self._state)))

    def _collect(self, name: str, *places: Any) -> tuple[int, list[Seen]]:
        """What the function returns, and what it writes down."""
        function = self.native.function(name, len(places))
        while True:
            self._ctx[1] = 0
            ctypes.memset(self.hits, 0, ctypes.sizeof(self.hits))
            ctypes.memset(self.counts, 0, ctypes.sizeof(self.counts))
            answer = function(*map(ctypes.addressof, places))
            if self._histories is not None:
                self._histories.raise_if_broken()
            if self._ctx[1] <= self._ctx[2]:
                return answer, list(self._read(self._ctx[1]))
            self._make_room(2 * self._ctx[1])

    def _read(self, count: int) -> Iterator[Seen]:
        for number in range(count):
            start = number * self._entry
            words = self._list[start : start + self._entry]
            seen = self.decode(words)
            for number_hit, line in seen.lines.items():
                self.hits[number_hit] = line
            yield seen

    # --- decoding ---

    def decode(self, words: Sequence[int]) -> Seen:
        """One entry: a record, the words of the state after it, the properties hit."""
        program = self.program
        what, number = words[record.WHAT], words[record.INDEX]
        failure = None
        if words[record.KIND] >= 0:
            failure = self._failure(words)
        state = slice(program.record_words, program.record_words + program.layout.words)
        lines: dict[int, int] = {}
        if any(words[state.stop :]):
            hit = joined(words[state.stop :])
            bytes_ = ((i, hit >> 8 * i & 0xFF) for i in range(len(self.model.properties)))
            lines = {i: byte for i, byte in bytes_ if byte}
        if what in (record.JUDGED, record.STOPS, record.CONSTRAINT, record.INIT):
            nobody = Process("")
            return Seen(what, number, (), nobody, None, (), failure, None, lines)
        arguments = self._arguments(number, words)
        code = None
        if what in (record.TAKEN, record.STEP_PROPERTY):
            code = joined(words[state])
        return Seen(
            what,
            number,
            arguments,
            self.processes[words[record.PROCESS]],
            code,
            self._result(number, words),
            failure,
            words[record.PROPERTY] if what == record.STEP_PROPERTY else None,
            lines,
            program.layout,
        )

    def _failure(self, words: Sequence[int]) -> Failure:
        program = self.program
        site = program.sites[words[record.SITE]]
        at = record.ARGUMENTS + program.argument_words + program.result_words
        values = []
        for type_ in site.shown:
            values.append(_value(type_, words, at))
            at += record.words_of(type_)
        return Failure(site.kind, site.describe(values), site.span, site.other)

    def _arguments(self, number: int, words: Sequence[int]) -> tuple[Value, ...]:
        bound, known = words[record.BOUND], self._known_arguments[number]
        if bound == 0:
            return ()
        at = record.ARGUMENTS
        key = (bound, *words[at : at + self.program.argument_words])
        arguments = known.get(key)
        if arguments is None:
            values = []
            for binder in self.model.actions[number].binders[:bound]:
                values.append(_value(binder.type, words, at))
                at += record.words_of(binder.type)
            arguments = tuple(values)
            if len(known) < _MOST_KNOWN:
                known[key] = arguments
        return arguments

    def _result(self, number: int, words: Sequence[int]) -> tuple[Value, ...]:
        if words[record.RESULT] != 2:
            return ()
        at = record.ARGUMENTS + self.program.argument_words
        return (_value(self.program.result_types[number], words, at),)


def _value(type_: Type, words: Sequence[int], at: int) -> Value:
    if isinstance(type_, Int | Range):
        return words[at]
    return unpack(type_, joined(words[at : at + record.words_of(type_)]))


def joined(words: Sequence[int]) -> int:
    """One integer, the first word lowest."""
    return sum((word & MASK) << (WORD * i) for i, word in enumerate(words))
