"""Values that outlive the pass of a loop, or the arm of a choice, in which they were found."""

from __future__ import annotations

from modelcheck.compile.layout import WORD, width
from modelcheck.compile.lower.bits import Bits, Value, Word
from modelcheck.core.types import Bool, Type


class Kept:
    """A value that outlives the pass of a loop in which it was found."""

    def __init__(self, bits: Bits, type_: Type) -> None:
        self._bits, self.type = bits, type_
        # Not cleared: that would happen in every pass of the loop.
        words = 1 if isinstance(bits.nothing(type_), Word) else width(type_) // WORD + 2
        self._base = bits.f.alloca(words, "kept")

    def put(self, value: Value) -> None:
        bits = self._bits
        if isinstance(value, Word) and not isinstance(value.type, Bool):
            bits.f.store(value.operand, self._base)
        elif isinstance(value, Word):
            bits.f.store(bits.f.widen(value.flag), self._base)
        else:
            bits.write(self._base, 0, value)

    def get(self) -> Value:
        bits, type_ = self._bits, self.type
        empty = bits.nothing(type_)
        if not isinstance(empty, Word):
            return bits.read(self._base, 0, type_)
        code = bits.f.load(self._base)
        return Word(type_, bits.f.truth(code) if isinstance(type_, Bool) else code)
