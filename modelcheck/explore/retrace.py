"""Steps by name, in native code: what a walk is told with, and shortened with.

Detailed code hands over a record of every step. Here only those are kept that pass
a filter, so that one of a million successors costs no Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from enum import IntEnum, unique
from typing import TypeAlias

from modelcheck.compile import record
from modelcheck.compile.ir import MASK, WORD, Flag, Operand
from modelcheck.compile.jit import compile_ir
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.lower.program import Program, lower
from modelcheck.core.model import Model
from modelcheck.core.values import State
from modelcheck.explore.probe import Probe, Seen

Label: TypeAlias = tuple[int, ...]
"""A step of a state: the number of its action, then the words of its arguments."""

Successor: TypeAlias = tuple[bytes, int]
"""A state, and whether what is looked for shows in it."""

_WORD_BYTES = 8
_ROOM = 1 << 12
"""Successors of a state that are listed; the rest is left out."""

_NOBODY = -1


@unique
class _Ctx(IntEnum):
    LIST = 0
    """Pointer to the entries kept: a record, then a state."""
    COUNT = 1
    ROOM = 2
    WORK = 3
    """Records seen, and states stepped: what a search has cost."""

    # The filter. All that is asked must be so.
    WHATS = 4
    """A bit for each kind of record that is kept."""
    POSITION = 5
    """Of the steps that are taken, the one with this number; -1 for all."""
    TAKEN = 6
    KIND = 7
    """The kind of the failure; -1 for any."""
    HIT = 8
    """An event that the step itself has seen; -1 for none."""
    HITS = 9
    LABEL = 10
    """Pointer to a label, its length before it; null for any."""

    SIZE = 16


class Retracer:
    """Steps of packed states. Raises Unsupported.

    work  grows with what is asked, the same on every machine
    """

    def __init__(self, model: Model) -> None:
        program = self.program = lower(model, detailed=True)
        self.model = model
        self._size = program.layout.words * _WORD_BYTES
        self._entry = program.record_words + program.layout.words
        self._label_words = program.argument_words + 2
        _add_note(program)
        _add_expand(program)
        _add_replay(program)
        self.native = compile_ir(program.module.text(), 1)
        self._states = [(ctypes.c_uint64 * (program.layout.words + 1))() for _ in range(2)]
        self._rec = (ctypes.c_int64 * (program.record_words + 1))()
        self._hits = (ctypes.c_uint8 * (program.goals.count + _WORD_BYTES))()
        self._counts = (ctypes.c_int64 * max(1, len(model.actions)))()
        self._list = (ctypes.c_int64 * (_ROOM * self._entry))()
        self._ctx = (ctypes.c_int64 * _Ctx.SIZE)()
        self._ctx[_Ctx.LIST] = ctypes.addressof(self._list)
        self._ctx[_Ctx.HITS] = ctypes.addressof(self._hits)
        self._places = [
            ctypes.addressof(self._ctx),
            *map(ctypes.addressof, self._states),
            ctypes.addressof(self._hits),
            ctypes.addressof(self._counts),
            ctypes.addressof(self._rec),
        ]
        self._probe: Probe | None = None

    @property
    def work(self) -> int:
        return self._ctx[_Ctx.WORK]

    def unpack(self, state: bytes) -> State:
        return self.program.layout.unpack(int.from_bytes(state, "little"))

    # --- one state ---

    def expand(self, state: bytes, goal: int) -> tuple[bool, list[Successor]]:
        """Whether the event shows when the state is stepped; the first of its successors.

        A state outside the constraint has none.
        """
        self._load(state)
        self._filter(1 << record.TAKEN, room=_ROOM)
        hit = self.native.function("expand", 7)(*self._places, goal)
        count = min(self._ctx[_Ctx.COUNT], _ROOM)
        data, width = memoryview(self._list).cast("B"), self._entry * _WORD_BYTES
        skip = width - self._size
        return bool(hit), [
            (bytes(data[i * width + skip : (i + 1) * width]), data[i * width]) for i in range(count)
        ]

    def label(self, state: bytes, position: int) -> Label:
        """Of the step with this number among those that a state has."""
        words = self._one(state, 1 << record.TAKEN, position=position)
        return self._label_of(words)

    def taken(self, state: bytes, label: Label) -> tuple[Seen, bytes]:
        """A step that a state has, and the state after it."""
        words = self._one(state, 1 << record.TAKEN, label=label)
        return self._decode(words), self._state_in(words)

    def culprit(self, state: bytes, whats: Sequence[int], *, kind: int = -1, hit: int = -1) -> Seen:
        """The first of the records when the state is stepped that has the failure, or the event."""
        return self._decode(self._one(state, sum(1 << what for what in whats), kind=kind, hit=hit))

    def misjudged(self, state: bytes, kind: int) -> Seen:
        """The first failure of this kind when the state is judged."""
        self._load(state)
        self._filter(1 << record.JUDGED | 1 << record.CONSTRAINT, kind=kind)
        return self._kept("judging")

    def uninitial(self, state: bytes, kind: int) -> Seen:
        """The failure of `init` on a combination of first values."""
        self._load(state)
        self._filter(1 << record.INIT, kind=kind)
        return self._kept("accepting")

    def _kept(self, function: str) -> Seen:
        self.native.function(function, 6)(*self._places)
        return self._decode(self._list[: self._entry])

    def _one(self, state: bytes, whats: int, **wanted: int | Label) -> list[int]:
        self._load(state)
        self._filter(whats, **wanted)  # type: ignore[arg-type]
        self.native.function("expand", 7)(*self._places, _NOBODY)
        assert self._ctx[_Ctx.COUNT], "the step is there"
        return self._list[: self._entry]

    # --- several steps ---

    def replay(
        self, state: bytes, labels: Sequence[Label], goal: int
    ) -> tuple[bool, list[tuple[int, bytes]]]:
        """Take the steps from a state, one after the other, but for those that are not possible.

        Ends where the event shows: whether it did, and the positions in `labels` of the steps taken
        with the states after them. The first state is not judged.
        """
        words, stride = self.program.layout.words, self._label_words
        coded = (ctypes.c_int64 * ((len(labels) + 1) * stride))()
        coded[len(labels) * stride : len(labels) * stride + 2] = [1, _NOBODY]
        for number, label in enumerate(labels):
            at = number * stride
            coded[at : at + 1 + len(label)] = [len(label), *label]
        used = (ctypes.c_int64 * (len(labels) * (words + 1) + 1))()
        self._load(state)
        self._filter(1 << record.TAKEN)
        count = self.native.function("replay", 10)(
            *self._places, goal, ctypes.addressof(coded), len(labels), ctypes.addressof(used)
        )
        data, width = memoryview(used).cast("B"), (words + 1) * _WORD_BYTES
        taken = [
            (used[i * (words + 1)], bytes(data[i * width + _WORD_BYTES : (i + 1) * width]))
            for i in range(count)
        ]
        return self._hits[goal] != 0, taken

    # --- memory ---

    def _load(self, state: bytes) -> None:
        ctypes.memmove(self._states[0], state, self._size)

    def _filter(
        self,
        whats: int,
        *,
        position: int = -1,
        kind: int = -1,
        hit: int = -1,
        label: Label | None = None,
        room: int = 1,
    ) -> None:
        ctx = self._ctx
        ctx[_Ctx.WHATS], ctx[_Ctx.POSITION], ctx[_Ctx.KIND] = whats, position, kind
        ctx[_Ctx.HIT], ctx[_Ctx.ROOM], ctx[_Ctx.LABEL] = hit, room, 0
        ctx[_Ctx.COUNT] = ctx[_Ctx.TAKEN] = 0
        if label is not None:
            self._label = (ctypes.c_int64 * (len(label) + 1))(len(label), *label)
            ctx[_Ctx.LABEL] = ctypes.addressof(self._label)
        ctypes.memset(self._hits, 0, ctypes.sizeof(self._hits))

    def _label_of(self, words: Sequence[int]) -> Label:
        number = words[record.INDEX]
        count = sum(record.words_of(b.type) for b in self.model.actions[number].binders)
        return (number, *words[record.ARGUMENTS : record.ARGUMENTS + count])

    def _state_in(self, words: Sequence[int]) -> bytes:
        state = words[self.program.record_words :]
        code = sum((word & MASK) << WORD * i for i, word in enumerate(state))
        return code.to_bytes(self._size, "little")

    def _decode(self, words: Sequence[int]) -> Seen:
        if self._probe is None:
            self._probe = Probe(self.model)
        return self._probe.decode([*words, *[0] * len(self.model.properties)])


# --- code ----------------------------------------------------------------------------


def _add_note(program: Program) -> None:
    """`@note`: the record and the state at `cur` are kept, if the filter lets them pass."""
    f = Code(program.module, "internal ptr @note(ptr %ctx, ptr %rec, ptr %cur, ptr %s) nounwind")
    drop = f.label("drop")

    def only(condition: Flag) -> None:
        passed = f.label("passed")
        f.branch(condition, passed, drop)
        f.begin(passed)

    f.bump(f.word("%ctx", _Ctx.WORK))
    what = f.fetch("%rec", record.WHAT)
    place = f.word("%ctx", _Ctx.TAKEN)
    number = f.load(place)
    f.store(f.add(number, f.widen(f.icmp("eq", what, record.TAKEN))), place)
    mask = f.value(f"lshr i64 {f.fetch('%ctx', _Ctx.WHATS)}, {what}")
    only(f.truth(mask))
    position = f.fetch("%ctx", _Ctx.POSITION)
    only(f.any_of(f.icmp("slt", position, 0), f.icmp("eq", position, number)))
    kind = f.fetch("%ctx", _Ctx.KIND)
    same_kind = f.icmp("eq", kind, f.fetch("%rec", record.KIND))
    only(f.any_of(f.icmp("slt", kind, 0), same_kind))
    _test_hit(f, only)
    _test_label(f, only)
    count = f.word("%ctx", _Ctx.COUNT)
    entry_words = program.record_words + program.layout.words
    kept = f.load(count)
    f.store(f.add(kept, 1), count)
    only(f.icmp("slt", kept, f.fetch("%ctx", _Ctx.ROOM)))
    entry = f.word(f.pointer("%ctx", _Ctx.LIST), f.mul(kept, entry_words))
    f.copy(entry, "%rec", program.record_words)
    only(f.value("icmp ne ptr %cur, null", "c"))
    f.copy(f.word(entry, program.record_words), "%cur", program.layout.words)
    f.begin(drop)
    f.ret("ptr %cur")
    program.module.add(f)


def _test_hit(f: Code, only: Callable[[Flag], None]) -> None:
    """The event must have shown since the step before: it is taken back after each."""
    hit = f.fetch("%ctx", _Ctx.HIT)
    ask, end = f.label("ask"), f.label("asked")
    f.branch(f.icmp("sge", hit, 0), ask, end)
    f.begin(ask)
    place = f.byte(f.pointer("%ctx", _Ctx.HITS), hit)
    seen = f.value(f"load i8, ptr {place}, align 1")
    f.line(f"store i8 0, ptr {place}, align 1")
    only(f.value(f"icmp ne i8 {seen}, 0", "c"))
    f.begin(end)


def _test_label(f: Code, only: Callable[[Flag], None]) -> None:
    label = f.pointer("%ctx", _Ctx.LABEL)
    ask, end = f.label("ask"), f.label("asked")
    f.branch(f.value(f"icmp ne ptr {label}, null", "c"), ask, end)
    f.begin(ask)
    differing = f.cell(f.xor(f.fetch(label, 1), f.fetch("%rec", record.INDEX)))

    def compare(index: str) -> None:
        wanted = f.fetch(f.word(label, 2), index)
        argument = f.fetch(f.word("%rec", record.ARGUMENTS), index)
        f.store(f.or_(f.load(differing), f.xor(wanted, argument)), differing)

    same_action = f.icmp("eq", f.load(differing), 0)
    only(same_action)
    f.loop(0, f.sub(f.fetch(label, 0), 1), compare)
    only(f.icmp("eq", f.load(differing), 0))
    f.begin(end)


_PLACES = "ptr %ctx, ptr %s, ptr %cur, ptr %hits, ptr %counts, ptr %rec"
_STEP = "call ptr @step(ptr %s, ptr %ctx, ptr %cur, ptr %hits, ptr %counts, ptr %rec)"


def _is_hit(f: Code, goal: Operand) -> str:
    """Whether an event shows, as an i64; that of nobody never does."""
    shown = f.choose(
        f.icmp("slt", goal, 0),
        lambda: 0,
        lambda: f.value(f"zext i8 {f.value(_load_byte(f, goal))} to i64"),
    )
    return str(shown)


def _load_byte(f: Code, goal: Operand) -> str:
    return f"load i8, ptr {f.byte('%hits', goal)}, align 1"


def _add_expand(program: Program) -> None:
    """`@expand`: all successors; the first byte of an entry then says whether the event shows in
    the state. And `@judging`, `@accepting`: what these say of a state."""
    f = Code(program.module, f"i64 @expand({_PLACES}, i64 %goal) nounwind")
    inside, end = f.label("inside"), f.label("end")
    f.branch(f.value("call i1 @inside(ptr %s)", "c"), inside, end)
    f.begin(inside)
    f.bump(f.word("%ctx", _Ctx.WORK))
    f.value(_STEP)
    hit = _is_hit(f, "%goal")
    room, kept = f.fetch("%ctx", _Ctx.ROOM), f.fetch("%ctx", _Ctx.COUNT)
    count = f.select(f.icmp("slt", kept, room), kept, room)
    judged = f.label("judged")
    ask = f.label("ask")
    f.branch(f.icmp("slt", "%goal", 0), judged, ask)
    f.begin(ask)
    first = f.pointer("%ctx", _Ctx.LIST)
    # Failures of judging are not kept: nothing passes.
    f.store(0, f.word("%ctx", _Ctx.WHATS))

    def judge(index: str) -> None:
        entry = f.word(first, f.mul(index, program.record_words + program.layout.words))
        f.line(f"store i8 0, ptr {f.byte('%hits', '%goal')}, align 1")
        state = f.word(entry, program.record_words)
        f.line(f"call void @judge(ptr {state}, ptr %hits, ptr %rec, ptr %ctx)")
        f.store(f.widen(f.icmp("ne", _is_hit(f, "%goal"), 0)), entry)

    f.loop(0, count, judge)
    f.begin(judged)
    f.ret(f"i64 {hit}")
    f.begin(end)
    f.ret("i64 0")
    program.module.add(f)
    for name, text in (
        ("judging", "call void @judge(ptr %s, ptr %hits, ptr %rec, ptr %ctx)"),
        ("accepting", "%in = call i1 @accept(ptr %s, ptr %hits, ptr %rec, ptr %ctx)"),
    ):
        f = Code(program.module, f"i64 @{name}({_PLACES}) nounwind")
        f.line(text)
        f.ret("i64 0")
        program.module.add(f)


def _add_replay(program: Program) -> None:
    """`@replay`: see `Retracer.replay`; %used takes position and state of each step taken."""
    words, stride = program.layout.words, program.argument_words + 2
    heading = f"i64 @replay({_PLACES}, i64 %goal, ptr %labels, i64 %count, ptr %used) nounwind"
    f = Code(program.module, heading)
    at, taken = f.cell(0, "at"), f.cell(0, "taken")
    head, ask, go_on, end = f.label("head"), f.label("ask"), f.label("go.on"), f.label("end")
    label_place, count_place = f.word("%ctx", _Ctx.LABEL), f.word("%ctx", _Ctx.COUNT)
    f.begin(head)
    # Behind the last label one that fits nothing: the state is stepped all the same.
    f.branch(f.value("call i1 @inside(ptr %s)", "c"), ask, end)
    f.begin(ask)
    index = f.load(at)
    label = f.word("%labels", f.mul(index, stride))
    f.store_pointer(label, label_place)
    f.store(0, count_place)
    f.bump(f.word("%ctx", _Ctx.WORK))
    f.value(_STEP)
    f.branch(f.icmp("ne", _is_hit(f, "%goal"), 0), end, go_on)
    f.begin(go_on)
    more, step = f.label("more"), f.label("step")
    f.branch(f.icmp("slt", index, "%count"), more, end)
    f.begin(more)
    f.store(f.add(index, 1), at)
    f.branch(f.icmp("ne", f.load(count_place), 0), step, head)
    f.begin(step)
    after = f.word(f.pointer("%ctx", _Ctx.LIST), program.record_words)
    f.copy("%s", after, words)
    entry = f.word("%used", f.mul(f.load(taken), words + 1))
    f.store(index, entry)
    f.copy(f.word(entry, 1), after, words)
    f.bump(taken)
    f.store(0, f.word("%ctx", _Ctx.WHATS))
    f.line("call void @judge(ptr %s, ptr %hits, ptr %rec, ptr %ctx)")
    f.store(1 << record.TAKEN, f.word("%ctx", _Ctx.WHATS))
    f.branch(f.icmp("ne", _is_hit(f, "%goal"), 0), end, head)
    f.begin(end)
    f.ret(f"i64 {f.load(taken)}")
    program.module.add(f)
