"""Values while code is written, and their bits in memory.

A value is a `Word` in a register, or a `Memory` where it has more than 64 bits.
A number in a register is itself (not its code), a boolean an i1; everything
else is its code.

Memory is read eight bytes at a time from any byte, so at most 57 bits from any
bit. Whoever holds values leaves a spare word behind them.
"""

from __future__ import annotations

from attrs import frozen

from modelcheck.compile.ir import Flag, Function, Module, Operand, low_bits, signed
from modelcheck.compile.layout import WORD, Unsupported, is_small, pack, width
from modelcheck.core.types import BOOL, Bag, Bool, Int, Map, Option, Range, Seq, Set, Type
from modelcheck.core.values import Value as Plain

_AT_ANY_BIT = 57
_HALF = 32
_UNROLLED_WORDS = 8


@frozen(eq=False)
class Word:
    """
    type  of the value; an Int for a number without known bounds
    code  a Flag for a boolean, the number or member for ranges and sorts, else the code
    """

    type: Type
    code: Operand | Flag

    @property
    def operand(self) -> Operand:
        assert not isinstance(self.type, Bool)
        return self.code

    @property
    def flag(self) -> Flag:
        assert isinstance(self.type, Bool) and not (
            isinstance(self.code, int) and not isinstance(self.code, bool)
        )
        return self.code


@frozen(eq=False)
class Memory:
    """Of `type`, from bit `offset` behind `base` on. Never changes while it can be named."""

    type: Type
    base: str
    offset: Operand


Value = Word | Memory


class Bits:
    """The function that is being written, and access to bits in it."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.f: Function = Function(module, "")

    # --- codes ---

    def code(self, value: Value) -> Operand:
        """The bits of a small value."""
        if isinstance(value, Memory):
            return self.read_bits(value.base, value.offset, width(value.type))
        match value.type:
            case Bool():
                return self.f.widen(value.flag)
            case Range(low):
                return self.f.sub(value.operand, low)
            case Int():
                raise Unsupported("a number without known bounds inside a collection")
            case _:
                return value.operand

    def from_code(self, type_: Type, code: Operand) -> Word:
        """The small value that has these bits."""
        match type_:
            case Bool():
                return Word(type_, self.f.truth(code))
            case Range(low):
                return Word(type_, self.f.add(code, low))
            case _:
                return Word(type_, code)

    def plain(self, type_: Type, value: Plain) -> Value:
        """A value that is known now."""
        bits = width(type_)
        if bits <= WORD:
            return self.from_code(type_, signed(pack(type_, value)))
        return Memory(type_, self.constant_bits(pack(type_, value), bits), 0)

    def constant_bits(self, code: int, bits: int) -> str:
        """A table with these bits, and a spare word."""
        words = -(-bits // WORD) + 1
        return self.module.table(code >> (WORD * i) & low_bits(WORD) for i in range(words))

    # --- reading ---

    def read(self, base: str, offset: Operand, type_: Type, hint: str = "v") -> Value:
        """The value at a bit offset."""
        if not is_small(type_):
            return Memory(type_, base, offset)
        return self.from_code(type_, self.read_bits(base, offset, width(type_), hint))

    def read_bits(self, base: str, offset: Operand, bits: int, hint: str = "v") -> Operand:
        """At most 64 bits from any bit on."""
        f = self.f
        if bits == 0:
            return 0
        if isinstance(offset, int):
            index, shift = divmod(offset, WORD)
            low = f.lshr(f.fetch(base, index, hint), shift)
            if shift + bits > WORD:
                low = f.or_(low, f.shl(f.fetch(base, index + 1, hint), WORD - shift))
            return low if shift + bits == WORD else f.mask(low, bits)
        if bits > _AT_ANY_BIT:
            low = self.read_bits(base, offset, _HALF)
            high = self.read_bits(base, f.add(offset, _HALF), bits - _HALF)
            return f.or_(low, f.shl(high, _HALF))
        pointer, shift_ = self._at_byte(base, offset)
        word = f.value(f"load i64, ptr {pointer}, align 1", hint)
        return f.mask(f.lshr(word, shift_), bits)

    def _at_byte(self, base: str, offset: Operand) -> tuple[str, Operand]:
        f = self.f
        return f.byte(base, f.lshr(offset, 3)), f.and_(offset, 7)

    def offset_of(self, first: int, stride: int, slot: Operand) -> Operand:
        """The bit at which copy number `slot` begins."""
        return self.f.add(self.f.mul(slot, stride), first)

    # --- writing ---

    def write(self, base: str, offset: Operand, value: Value) -> None:
        """Put a value at a bit offset, over what is there."""
        if isinstance(value, Memory) and not is_small(value.type):
            self.copy_bits(base, offset, value.base, value.offset, width(value.type))
        else:
            self.write_bits(base, offset, width(value.type), self.code(value))

    def write_bits(self, base: str, offset: Operand, bits: int, code: Operand) -> None:
        """Put at most 64 bits at a bit offset, over what is there."""
        f = self.f
        if bits == 0:
            return
        if isinstance(offset, int):
            index, shift = divmod(offset, WORD)
            first = min(bits, WORD - shift)
            self._replace(f.word(base, index), shift, first, code)
            if first < bits:
                self._replace(f.word(base, index + 1), 0, bits - first, f.lshr(code, first))
            return
        if bits > _AT_ANY_BIT:
            self.write_bits(base, offset, _HALF, f.mask(code, _HALF))
            self.write_bits(base, f.add(offset, _HALF), bits - _HALF, f.lshr(code, _HALF))
            return
        pointer, shift_ = self._at_byte(base, offset)
        word = f.value(f"load i64, ptr {pointer}, align 1")
        hole = f.xor(f.shl(low_bits(bits), shift_), -1)
        new = f.or_(f.and_(word, hole), f.shl(code, shift_))
        f.line(f"store i64 {new}, ptr {pointer}, align 1")

    def _replace(self, pointer: str, shift: int, bits: int, code: Operand) -> None:
        f = self.f
        if bits == WORD:
            f.store(code, pointer)
            return
        if shift + bits < WORD or shift == 0:
            code = f.mask(code, bits)
        hole = signed(~(low_bits(bits) << shift))
        f.store(f.or_(f.and_(f.load(pointer), hole), f.shl(code, shift)), pointer)

    def copy_bits(self, to: str, to_offset: Operand, base: str, offset: Operand, bits: int) -> None:
        """Any number of bits, over what is there; the two places do not overlap."""
        f = self.f
        if bits <= WORD:
            self.write_bits(to, to_offset, bits, self.read_bits(base, offset, bits))
            return
        constant = isinstance(to_offset, int) and isinstance(offset, int)
        if constant and bits <= _UNROLLED_WORDS * WORD:
            for at in range(0, bits, WORD):
                self._copy_part(to, to_offset, base, offset, at, min(WORD, bits - at))
            return
        chunks = bits // _HALF
        f.loop(0, chunks, lambda i: self._copy_chunk(to, to_offset, base, offset, i))
        self._copy_part(to, to_offset, base, offset, chunks * _HALF, bits % _HALF)

    def _copy_chunk(
        self, to: str, to_offset: Operand, base: str, offset: Operand, index: Operand
    ) -> None:
        f = self.f
        at = f.shl(index, 5)
        chunk = self.read_bits(base, f.add(offset, at), _HALF)
        self.write_bits(to, f.add(to_offset, at), _HALF, chunk)

    def _copy_part(
        self, to: str, to_offset: Operand, base: str, offset: Operand, at: int, bits: int
    ) -> None:
        f = self.f
        part = self.read_bits(base, f.add(offset, at), bits)
        self.write_bits(to, f.add(to_offset, at), bits, part)

    # --- building ---

    def buffer(self, type_: Type) -> str:
        """Zeroed room for a wide value, and a spare word."""
        words = -(-width(type_) // WORD) + 1
        cell = self.f.alloca(words, "wide")
        self.zero(cell, words)
        return cell

    def zero(self, base: str, words: int) -> None:
        """Clear words."""
        f = self.f
        if words <= _UNROLLED_WORDS:
            for i in range(words):
                f.store(0, f.word(base, i))
            return
        name = f.module.declare(
            "llvm.memset.p0.i64", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        )
        f.line(f"call void {name}(ptr {base}, i8 0, i64 {words * 8}, i1 false)")

    def build(self, type_: Type, parts: list[tuple[int, Value]]) -> Value:
        """A value from its parts and the bits at which they begin."""
        if is_small(type_):
            code: Operand = 0
            for offset, value in parts:
                code = self.f.or_(code, self.f.shl(self.code(value), offset))
            return self.from_code(type_, code)
        base = self.buffer(type_)
        for offset, value in parts:
            self.write(base, offset, value)
        return Memory(type_, base, 0)

    def cut(self, value: Value, offset: Operand, type_: Type) -> Value:
        """The part of a value that begins at a bit."""
        f = self.f
        if isinstance(value, Memory):
            return self.read(value.base, f.add(value.offset, offset), type_)
        code = f.mask(f.lshr(self.code(value), offset), width(type_))
        return self.from_code(type_, code if width(type_) else 0)

    # --- choice ---

    def phi(self, type_: Type, arms: list[tuple[Value, str]]) -> Value:
        """One of several values of a type, by the block from which control came."""
        f = self.f
        if not arms:
            return self.nothing(type_)
        if isinstance(type_, Bool):
            flags = [(arm.flag, block) for arm, block in arms if isinstance(arm, Word)]
            return Word(type_, f.phi_flag(flags))
        if all(isinstance(arm, Word) for arm, _ in arms):
            codes = [(arm.operand, block) for arm, block in arms if isinstance(arm, Word)]
            return Word(type_, f.phi(codes))
        wide = [(arm, block) for arm, block in arms if isinstance(arm, Memory)]
        if len(wide) == 1:
            return Memory(type_, wide[0][0].base, wide[0][0].offset)
        bases = ", ".join(f"[ {arm.base}, %{block} ]" for arm, block in wide)
        offset = f.phi([(arm.offset, block) for arm, block in wide])
        # Both phis stand at the head of the block: the offset's may have been a constant.
        return Memory(type_, f.value(f"phi ptr {bases}", "base"), offset)

    def nothing(self, type_: Type) -> Value:
        """Some value, where control never comes."""
        type_ = _closed(type_)
        if isinstance(type_, Bool):
            return Word(BOOL, False)
        if isinstance(type_, Int) or is_small(type_):
            return Word(type_, 0)
        return Memory(type_, "null", 0)


def _closed(type_: Type) -> Type:
    """A type of the same form that has a width."""
    match type_:
        case Int():
            return type_
        case Option(item):
            return Option(_finite(item))
        case Set(element, bound):
            return Set(_finite(element), 0 if bound is None else bound)
        case Bag(element, bound):
            return Bag(_finite(element), bound or 0)
        case Seq(element, bound):
            return Seq(_finite(element), bound or 0)
        case Map(key, value):
            return Map(key, _finite(value))
        case _:
            return type_


def _finite(type_: Type) -> Type:
    return Range(0, 0) if isinstance(type_, Int) else _closed(type_)
