"""Writing LLVM IR as text, with constants folded while it is written.

An operand of type i64 is a Python int or the name of an SSA value; one of type
i1 is a bool or a name. An operation on constants is done at once and writes
nothing, so that unrolled code costs the time of what is left of it.

Code after a terminator, and blocks to which nothing jumps, are not written:
operations there give 0. A caller need not ask whether a condition was constant.

Integers are 64 bits wide and wrap; the intervals of the model's terms are
checked before, so nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

Operand: TypeAlias = int | str
"""An i64: a constant or the name of a value."""

Flag: TypeAlias = bool | str
"""An i1."""

WORD = 64
MASK = (1 << WORD) - 1


def signed(value: int) -> int:
    """The constant as LLVM writes an i64: in -2^63 .. 2^63 - 1."""
    value &= MASK
    return value - (1 << WORD) if value >> (WORD - 1) else value


def low_bits(count: int) -> int:
    """A mask of `count` ones."""
    return (1 << count) - 1


class Module:
    """The text of a module: declarations, global constants, functions."""

    def __init__(self) -> None:
        self._declarations: dict[str, str] = {}
        self._tables: dict[tuple[int, ...], str] = {}
        self._functions: list[str] = []

    def declare(self, name: str, text: str) -> str:
        """A declaration or global, written once; returns `@name`."""
        self._declarations.setdefault(name, text)
        return f"@{name}"

    def table(self, values: Iterable[int]) -> str:
        """A constant array of i64; equal ones are shared."""
        key = tuple(signed(value) for value in values)
        name = self._tables.get(key)
        if name is None:
            name = self._tables[key] = f"table.{len(self._tables)}"
            items = ", ".join(f"i64 {value}" for value in key)
            self._declarations[name] = (
                f"@{name} = private unnamed_addr constant [{len(key)} x i64] [{items}]"
            )
        return f"@{name}"

    def add(self, function: Function) -> None:
        """A function that has been written to its end."""
        self._functions.append(function.text())

    def add_text(self, text: str) -> None:
        """Functions that are at hand as text."""
        self._functions.append(text)

    def text(self) -> str:
        """The whole module."""
        return "\n".join([*self._declarations.values(), "", *self._functions, ""])


class Function:
    """One function, written from its entry block on.

    heading  all between `define` and the brace:
             `internal i64 @twice(i64 %x) alwaysinline`
    """

    def __init__(self, module: Module, heading: str) -> None:
        self.module = module
        self._heading = heading
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._numbers = 0
        self._targets: set[str] = set()
        self.block = "entry"
        self.reachable = True

    def text(self) -> str:
        """The function's text; its last block must be terminated."""
        assert not self.reachable, f"{self._heading}: the last block has no end"
        lines = "\n".join(self._lines)
        allocas = "\n".join(self._allocas)
        return f"define {self._heading} {{\nentry:\n{allocas}\n{lines}\n}}\n"

    # --- names, raw lines ---

    def name(self, hint: str = "v") -> str:
        """A new value's name."""
        self._numbers += 1
        return f"%{hint}.{self._numbers}"

    def line(self, text: str) -> None:
        """An instruction without a result."""
        if self.reachable:
            self._lines.append(f"  {text}")

    def value(self, text: str, hint: str = "v") -> str:
        """The result of an instruction."""
        if not self.reachable:
            return "poison"
        name = self.name(hint)
        self._lines.append(f"  {name} = {text}")
        return name

    def mark(self) -> int:
        """The place reached, for `insert`."""
        return len(self._lines)

    def insert(self, mark: int, lines: Sequence[str]) -> None:
        """Instructions at a place that was marked, in the block that was open there."""
        self._lines[mark:mark] = [f"  {line}" for line in lines]

    def alloca(self, words: int = 1, hint: str = "cell") -> str:
        """Room for `words` i64 in the function's frame, one for all passes of a loop."""
        name = self.name(hint)
        kind = "i64" if words == 1 else f"[{words} x i64]"
        self._allocas.append(f"  {name} = alloca {kind}, align 8")
        return name

    # --- blocks ---

    def label(self, hint: str = "b") -> str:
        """A new block's name, to be jumped to and then begun."""
        self._numbers += 1
        return f"{hint}.{self._numbers}"

    def begin(self, label: str) -> None:
        """Write on in this block; from the current one, if it is open, it is jumped to."""
        self.jump(label)
        self.block = label
        self.reachable = label in self._targets
        if self.reachable:
            self._lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self._end(f"br label %{label}", label)

    def branch(self, condition: Flag, then: str, otherwise: str) -> None:
        """To `then` if the condition holds."""
        if isinstance(condition, bool):
            self.jump(then if condition else otherwise)
        else:
            self._end(f"br i1 {condition}, label %{then}, label %{otherwise}", then, otherwise)

    def switch(self, value: Operand, cases: Sequence[tuple[int, str]], otherwise: str) -> None:
        if isinstance(value, int):
            self.jump(next((label for number, label in cases if number == value), otherwise))
            return
        arms = " ".join(f"i64 {number}, label %{label}" for number, label in cases)
        targets = [label for _, label in cases]
        self._end(f"switch i64 {value}, label %{otherwise} [ {arms} ]", otherwise, *targets)

    def unreachable(self) -> None:
        self._end("unreachable")

    def ret(self, value: str = "void") -> None:
        """`void`, or type and value: `i64 %x`."""
        self._end(f"ret {value}")

    def _end(self, text: str, *targets: str) -> None:
        if self.reachable:
            self._lines.append(f"  {text}")
            self._targets.update(targets)
            self.reachable = False

    # --- structure ---

    def when(self, condition: Flag, then: Callable[[], None]) -> None:
        """`if` without `else`."""
        self.either(condition, then, lambda: None)

    def either(
        self, condition: Flag, then: Callable[[], None], otherwise: Callable[[], None]
    ) -> None:
        if isinstance(condition, bool):
            (then if condition else otherwise)()
            return
        yes, no, end = self.label("then"), self.label("else"), self.label("end")
        self.branch(condition, yes, no)
        self.begin(yes)
        then()
        self.jump(end)
        self.begin(no)
        otherwise()
        self.begin(end)

    def choose(
        self, condition: Flag, then: Callable[[], Operand], otherwise: Callable[[], Operand]
    ) -> Operand:
        """`if` as an i64, of which only one side is evaluated."""
        if isinstance(condition, bool):
            return (then if condition else otherwise)()
        yes, no, end = self.label("then"), self.label("else"), self.label("end")
        self.branch(condition, yes, no)
        arms: list[tuple[Operand, str]] = []
        for label, side in ((yes, then), (no, otherwise)):
            self.begin(label)
            value = side()
            if self.reachable:
                arms.append((value, self.block))
            self.jump(end)
        self.begin(end)
        return self.phi(arms)

    def phi(self, arms: Sequence[tuple[Operand, str]], hint: str = "v") -> Operand:
        """The value by the block from which control came; only open blocks may be listed."""
        if not arms or not self.reachable:
            return 0
        values = {value for value, _ in arms}
        if len(values) == 1 and (isinstance(arms[0][0], int) or len(arms) == 1):
            return arms[0][0]
        listed = ", ".join(f"[ {constant(value)}, %{block} ]" for value, block in arms)
        return self.value(f"phi i64 {listed}", hint)

    def phi_flag(self, arms: Sequence[tuple[Flag, str]]) -> Flag:
        """As `phi`."""
        if not arms or not self.reachable:
            return False
        if len({value for value, _ in arms}) == 1 and isinstance(arms[0][0], bool):
            return arms[0][0]
        if len(arms) == 1:
            return arms[0][0]
        listed = ", ".join(f"[ {constant(value)}, %{block} ]" for value, block in arms)
        return self.value(f"phi i1 {listed}", "c")

    def loop(
        self, low: Operand, high: Operand, body: Callable[[str], None], hint: str = "i"
    ) -> None:
        """`body(i)` for i from `low` to below `high` (signed)."""
        head, inside, end = self.label("head"), self.label("body"), self.label("done")
        cell = self.alloca(hint=hint)
        self.store(low, cell)
        self.begin(head)
        index = self.load(cell, hint)
        self.branch(self.icmp("slt", index, high), inside, end)
        self.begin(inside)
        body(index)
        self.store(self.add(index, 1), cell)
        self.jump(head)
        self.begin(end)

    # --- memory ---

    def load(self, pointer: str, hint: str = "v") -> str:
        return self.value(f"load i64, ptr {pointer}, align 8", hint)

    def store(self, value: Operand, pointer: str) -> None:
        self.line(f"store i64 {constant(value)}, ptr {pointer}, align 8")

    def load_pointer(self, cell: str, hint: str = "p") -> str:
        return self.value(f"load ptr, ptr {cell}, align 8", hint)

    def store_pointer(self, pointer: str, cell: str) -> None:
        self.line(f"store ptr {pointer}, ptr {cell}, align 8")

    def word(self, base: str, index: Operand) -> str:
        """The address of word `index` behind `base`."""
        if index == 0:
            return base
        return self.value(f"getelementptr inbounds i64, ptr {base}, i64 {index}", "p")

    def byte(self, base: str, offset: Operand) -> str:
        """The address `offset` bytes behind `base`."""
        if offset == 0:
            return base
        return self.value(f"getelementptr inbounds i8, ptr {base}, i64 {offset}", "p")

    def fetch(self, base: str, index: Operand, hint: str = "v") -> str:
        """Word `index` behind `base`."""
        return self.load(self.word(base, index), hint)

    # --- arithmetic ---

    def add(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            return signed(a + b)
        if a == 0:
            return b
        return a if b == 0 else self.value(f"add i64 {a}, {b}")

    def sub(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            return signed(a - b)
        return a if b == 0 else self.value(f"sub i64 {a}, {b}")

    def mul(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            return signed(a * b)
        if a == 0 or b == 0:
            return 0
        if a == 1:
            return b
        return a if b == 1 else self.value(f"mul i64 {a}, {b}")

    def udiv(self, a: Operand, b: int) -> Operand:
        """Unsigned, by a positive constant."""
        if isinstance(a, int):
            return signed((a & MASK) // b)
        return a if b == 1 else self.value(f"udiv i64 {a}, {b}")

    def urem(self, a: Operand, b: int) -> Operand:
        """Unsigned, by a positive constant."""
        if isinstance(a, int):
            return signed((a & MASK) % b)
        return 0 if b == 1 else self.value(f"urem i64 {a}, {b}")

    def and_(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            return signed(a & b)
        if a == 0 or b == 0:
            return 0
        if a == -1:
            return b
        return a if b == -1 else self.value(f"and i64 {a}, {b}")

    def or_(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            return signed(a | b)
        if a == 0:
            return b
        return a if b == 0 else self.value(f"or i64 {a}, {b}")

    def xor(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, int) and isinstance(b, int):
            return signed(a ^ b)
        if a == 0:
            return b
        return a if b == 0 else self.value(f"xor i64 {a}, {b}")

    def shl(self, a: Operand, b: Operand) -> Operand:
        """By less than 64; a constant may be any where control never comes."""
        if isinstance(b, int) and not 0 <= b < WORD:
            return 0
        if isinstance(a, int) and isinstance(b, int):
            return signed(a << b)
        if a == 0:
            return 0
        return a if b == 0 else self.value(f"shl i64 {a}, {b}")

    def lshr(self, a: Operand, b: Operand) -> Operand:
        """By less than 64; a constant may be any where control never comes."""
        if isinstance(b, int) and not 0 <= b < WORD:
            return 0
        if isinstance(a, int) and isinstance(b, int):
            return signed((a & MASK) >> b)
        if a == 0:
            return 0
        return a if b == 0 else self.value(f"lshr i64 {a}, {b}")

    def mask(self, a: Operand, count: int) -> Operand:
        """The lowest `count` bits."""
        return a if count >= WORD else self.and_(a, low_bits(count))

    def icmp(self, predicate: str, a: Operand, b: Operand) -> Flag:
        """A comparison: eq ne slt sle sgt sge ult ule ugt uge."""
        if isinstance(a, int) and isinstance(b, int):
            return _COMPARE[predicate](a, b)
        if a == b:
            return predicate in ("eq", "sle", "sge", "ule", "uge")
        return self.value(f"icmp {predicate} i64 {constant(a)}, {constant(b)}", "c")

    def select(self, condition: Flag, a: Operand, b: Operand) -> Operand:
        if isinstance(condition, bool):
            return a if condition else b
        if a == b and type(a) is type(b):
            return a
        return self.value(f"select i1 {condition}, i64 {constant(a)}, i64 {constant(b)}")

    def widen(self, flag: Flag) -> Operand:
        """1 for true, 0 for false."""
        if isinstance(flag, bool):
            return int(flag)
        return self.value(f"zext i1 {flag} to i64")

    def truth(self, value: Operand) -> Flag:
        """Whether the lowest bit is set."""
        if isinstance(value, int):
            return bool(value & 1)
        return self.value(f"trunc i64 {value} to i1", "c")

    def not_(self, flag: Flag) -> Flag:
        if isinstance(flag, bool):
            return not flag
        return self.value(f"xor i1 {flag}, true", "c")

    def both(self, a: Flag, b: Flag) -> Flag:
        if isinstance(a, bool):
            return b if a else False
        if isinstance(b, bool):
            return a if b else False
        return self.value(f"and i1 {a}, {b}", "c")

    def any_of(self, a: Flag, b: Flag) -> Flag:
        if isinstance(a, bool):
            return True if a else b
        if isinstance(b, bool):
            return True if b else a
        return self.value(f"or i1 {a}, {b}", "c")

    # --- bits ---

    def popcount(self, a: Operand) -> Operand:
        if isinstance(a, int):
            return (a & MASK).bit_count()
        name = self.module.declare("llvm.ctpop.i64", "declare i64 @llvm.ctpop.i64(i64)")
        return self.value(f"call i64 {name}(i64 {a})")

    def lowest_bit(self, a: Operand) -> Operand:
        """The position of the lowest one; 64 if there is none."""
        if isinstance(a, int):
            a &= MASK
            return (a & -a).bit_length() - 1 if a else WORD
        name = self.module.declare("llvm.cttz.i64", "declare i64 @llvm.cttz.i64(i64, i1)")
        return self.value(f"call i64 {name}(i64 {a}, i1 false)")

    def highest_bit(self, a: Operand) -> Operand:
        """The position of the highest one; -1 if there is none."""
        if isinstance(a, int):
            return (a & MASK).bit_length() - 1
        name = self.module.declare("llvm.ctlz.i64", "declare i64 @llvm.ctlz.i64(i64, i1)")
        zeros = self.value(f"call i64 {name}(i64 {a}, i1 false)")
        return self.sub(WORD - 1, zeros)


def constant(value: Operand | Flag) -> str:
    """The operand as LLVM writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: (a & MASK) < (b & MASK),
    "ule": lambda a, b: (a & MASK) <= (b & MASK),
    "ugt": lambda a, b: (a & MASK) > (b & MASK),
    "uge": lambda a, b: (a & MASK) >= (b & MASK),
}
