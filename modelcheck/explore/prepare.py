"""A model made ready for a search: machine code, and where it begins."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence

from attrs import frozen

from modelcheck.compile import record
from modelcheck.compile.apart import Apart
from modelcheck.compile.jit import Native, compile_ir
from modelcheck.compile.kernel import Shape, Tuning, add_search
from modelcheck.compile.layout import WORD, unpack
from modelcheck.compile.lower.program import Program as Lowered
from modelcheck.compile.lower.program import lower
from modelcheck.core.model import Model
from modelcheck.core.terms import Values
from modelcheck.core.types import Seq
from modelcheck.explore.initial import Choice, Combinations
from modelcheck.explore.store import Program

AT_ONCE = 0
FOR_LONG_SEARCHES = 2
"""How much is optimised. Where it was measured, code made at 3 was not faster, and took longer."""


@frozen(eq=False)
class Prepared:
    """
    lowered  the model's code, and what is needed to read what it says
    program  the same as machine code, with the search
    seconds  that it took
    """

    lowered: Lowered
    program: Program
    seconds: float


def text_of(model: Model, tuning: Tuning | None = None) -> tuple[Lowered, Shape, str]:
    """The module of a search of the model. Raises Unsupported."""
    lowered = lower(model)
    shape = shape_of(lowered, tuning)
    add_search(lowered.module, shape)
    return lowered, shape, lowered.module.text()


def shape_of(lowered: Lowered, tuning: Tuning | None = None, *, arrives: bool = False) -> Shape:
    """What a kernel for the code is made for."""
    layout, model = lowered.layout, lowered.model
    return Shape(
        layout.words,
        layout.bits if layout.words == 1 else layout.words * WORD,
        lowered.goals.count,
        max(1, len(model.actions)),
        model.constraint is not None,
        arrives,
        tuning or Tuning(),
    )


def prepare(model: Model, tuning: Tuning | None = None) -> Prepared:
    """Compile the search. Raises Unsupported."""
    began = time.perf_counter()
    lowered, shape, text = text_of(model, tuning)
    program = Program(compile_ir(text, AT_ONCE), shape, Apart(text, FOR_LONG_SEARCHES))
    return Prepared(lowered, program, time.perf_counter() - began)


def combinations(lowered: Lowered, native: Native) -> Combinations:
    """The combinations of first values, of which `init` lets some pass."""
    layout = lowered.layout
    base = (ctypes.c_uint64 * (layout.words + 1))()
    native.function("first", 1)(ctypes.addressof(base))
    code = int.from_bytes(bytes(base)[: layout.words * 8], "little")
    choices: list[Choice] = []
    for position in lowered.choices:
        entry = layout.entries[position]
        values = _values(lowered, native, position)
        for copy in range(1 if entry.copies is None else entry.copies):
            offset = entry.offset + copy * entry.stride
            if entry.stride or not values:
                choices.append(Choice(offset, max(1, entry.stride), values))
    return Combinations(code, tuple(choices))


def _values(lowered: Lowered, native: Native, position: int) -> Sequence[int]:
    """The values with which a variable may begin, packed, ascending as values."""
    type_ = lowered.layout.entries[position].type
    function, words = native.function(f"choice.{position}", 1), record.words_of(type_)
    count = function(0)
    room = (ctypes.c_uint64 * (count * words + 1))()
    function(ctypes.addressof(room))
    if words == 1:
        codes = list(room[:count])
    else:
        raw, size = bytes(room), 8 * words
        codes = [int.from_bytes(raw[i * size : (i + 1) * size], "little") for i in range(count)]
    domain = lowered.model.initial[position].choice
    if isinstance(domain, Values) and isinstance(domain.term.type, Seq):
        codes.sort(key=lambda code: unpack(type_, code))  # a sequence has its own order
    return codes
