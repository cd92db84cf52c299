"""IR that only the kernel needs: pointers, atomics, prefetches, long products."""

from __future__ import annotations

from collections.abc import Callable

from modelcheck.compile.ir import Flag, Function, Operand, constant

LINE_SLOTS = 8
"""Words in a cache line: a line of the table is looked at as a whole."""

LINE_BYTES = 64

MIX = -0x61C8864680B583EB
"""Odd, with no pattern: what it multiplies is mixed well enough to choose a place in a table."""


class Code(Function):
    """A function of the kernel."""

    # --- pointers ---

    def pointer(self, base: str, number: int, hint: str = "p", *, fixed: bool = False) -> str:
        """The pointer in word `number` behind `base`; `fixed` if it never changes."""
        mark = ", !invariant.load !{}" if fixed else ""
        return self.value(f"load ptr, ptr {self.word(base, number)}, align 8{mark}", hint)

    def pointer_at(self, base: str, index: Operand, hint: str = "p") -> str:
        """The pointer in word `index` of an array."""
        return self.value(f"load ptr, ptr {self.word(base, index)}, align 8", hint)

    def scaled(self, base: str, index: Operand, size: int, hint: str = "p") -> str:
        """The address of element `index` of an array of elements of `size` bytes."""
        kind = f"[{size} x i8]"
        return self.value(f"getelementptr inbounds {kind}, ptr {base}, i64 {index}", hint)

    def distance(self, high: str, low: str) -> str:
        """Bytes from `low` to `high`."""
        first = self.value(f"ptrtoint ptr {high} to i64")
        second = self.value(f"ptrtoint ptr {low} to i64")
        return self.value(f"sub i64 {first}, {second}")

    def same(self, a: str, b: str) -> str:
        """Whether two pointers are equal."""
        return self.value(f"icmp eq ptr {a}, {b}", "c")

    # --- cells: variables that are pointers or change in loops ---

    def cell(self, value: Operand, hint: str = "cell") -> str:
        """A variable of type i64; LLVM makes a register of it."""
        place = self.alloca(hint=hint)
        self.store(value, place)
        return place

    def pointer_cell(self, value: str, hint: str = "cell") -> str:
        place = self.alloca(hint=hint)
        self.set_pointer(place, value)
        return place

    def set_pointer(self, place: str, value: str) -> None:
        self.line(f"store ptr {value}, ptr {place}, align 8")

    def get_pointer(self, place: str, hint: str = "p") -> str:
        return self.value(f"load ptr, ptr {place}, align 8", hint)

    def bump(self, place: str, by: Operand = 1) -> None:
        """Add to a word in memory."""
        self.store(self.add(self.load(place), by), place)

    def repeat(self, condition: Callable[[], Flag], body: Callable[[], None]) -> None:
        """`while`."""
        head, inside, end = self.label("while"), self.label("do"), self.label("done")
        self.begin(head)
        self.branch(condition(), inside, end)
        self.begin(inside)
        body()
        self.jump(head)
        self.begin(end)

    # --- memory in common ---

    def fetch_add(self, place: str, value: Operand) -> str:
        """The word before the addition, which no other thread divides."""
        return self.value(f"atomicrmw add ptr {place}, i64 {value} monotonic, align 8")

    def swap_in(self, place: str, old: Operand, new: Operand, order: str) -> str:
        """Whether `new` has taken the place of `old`: `order` is release or monotonic."""
        text = f"cmpxchg ptr {place}, i64 {old}, i64 {new} {order} monotonic, align 8"
        return self.value(f"extractvalue {{ i64, i1 }} {self.value(text)}, 1", "c")

    def load_shared(self, place: str, order: str = "monotonic") -> str:
        return self.value(f"load atomic i64, ptr {place} {order}, align 8")

    def store_shared(self, value: Operand, place: str) -> None:
        self.line(f"store atomic i64 {constant(value)}, ptr {place} monotonic, align 8")

    def prefetch(self, place: str) -> None:
        kind = "void (ptr, i32, i32, i32)"
        self.module.declare(
            "llvm.prefetch.p0", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
        )
        self.line(f"call {kind} @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")

    def copy(self, target: str, source: str, words: int) -> None:
        """Copy a state; the places do not overlap."""
        if words == 1:
            self.store(self.load(source), target)
            return
        self.copy_bytes(target, source, 8 * words)

    def copy_bytes(self, target: str, source: str, size: Operand) -> None:
        """Copy whole words; the places do not overlap."""
        name = self.module.declare(
            "llvm.memcpy.p0.p0.i64", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        )
        places = f"ptr align 8 {target}, ptr align 8 {source}"
        self.line(f"call void {name}({places}, i64 {size}, i1 false)")

    def equal(self, a: str, b: str, words: int) -> Flag:
        """Whether two states are equal."""
        if words == 1:
            return self.icmp("eq", self.load(a), self.load(b))
        name = self.module.declare("memcmp", "declare i32 @memcmp(ptr, ptr, i64)")
        order = self.value(f"call i32 {name}(ptr {a}, ptr {b}, i64 {8 * words})")
        return self.value(f"icmp eq i32 {order}, 0", "c")

    def clear(self, target: str, size: Operand) -> None:
        """Zero `size` bytes."""
        name = self.module.declare(
            "llvm.memset.p0.i64", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        )
        self.line(f"call void {name}(ptr align 8 {target}, i8 0, i64 {size}, i1 false)")

    # --- arithmetic ---

    def product(self, a: Operand, b: Operand) -> tuple[str, str]:
        """The two words of an unsigned product: low, high."""
        wide_a = self.value(f"zext i64 {a} to i128")
        wide_b = self.value(f"zext i64 {b} to i128")
        wide = self.value(f"mul nuw i128 {wide_a}, {wide_b}")
        shifted = self.value(f"lshr i128 {wide}, 64")
        return self.value(f"trunc i128 {wide} to i64"), self.value(f"trunc i128 {shifted} to i64")

    def smaller(self, a: Operand, b: Operand) -> Operand:
        """The smaller one, unsigned."""
        return self.select(self.icmp("ult", a, b), a, b)

    # --- lines of the table ---

    def line_at(self, place: str) -> str:
        """The eight words of a line.

        Volatile, so that it is read once: other threads may be filling empty slots. A slot is
        filled once and then stays, and every slot is read or written in one piece.
        """
        return self.value(f"load volatile <8 x i64>, ptr {place}, align {LINE_BYTES}", "line")

    def splat(self, value: Operand) -> str:
        """The value in all eight words."""
        if isinstance(value, int):
            return "<" + ", ".join([f"i64 {value}"] * LINE_SLOTS) + ">"
        first = self.value(f"insertelement <8 x i64> poison, i64 {value}, i64 0")
        return self.value(
            f"shufflevector <8 x i64> {first}, <8 x i64> poison, <8 x i32> zeroinitializer"
        )

    def lanes_equal(self, line: str, value: Operand) -> str:
        """Which of the eight words equal the value: a mask of eight bits, as i64."""
        lanes = self.value(f"icmp eq <8 x i64> {line}, {self.splat(value)}")
        byte = self.value(f"bitcast <8 x i1> {lanes} to i8")
        return self.value(f"zext i8 {byte} to i64", "mask")
