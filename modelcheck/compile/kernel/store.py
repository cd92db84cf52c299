"""The arena and the table of seen states, as other functions see them.

A state's place in the arena is its index. The table is an array of lines of
eight words; 0 is an empty slot. The upper bits of a state's hash choose the line
where it is looked for first; a line that is full sends on to the next one. A
line fills from its first slot on, and a slot never changes again until the table
grows, so a state that is not in a line that has an empty slot is not in the table.

A slot holds a tag, some bits of the hash, above 40 bits of the arena index plus 1.
Equal tags are followed by a comparison of the states: nothing is taken on trust.
If states are shorter than a word, the slot holds the state plus 1 instead, which
saves a visit to the arena for every state that is met again.
"""

from __future__ import annotations

from modelcheck.compile.ir import Module, Operand, signed
from modelcheck.compile.kernel.code import LINE_BYTES, Code
from modelcheck.compile.kernel.shape import Shape
from modelcheck.compile.kernel.slots import Shared

INDEX_BITS = 40

# Odd, with no pattern: digits of square roots and the like.
_KEYS = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB)
_SAME_HASH = 0x5851F42D4C957F2D
_UNROLLED_WORDS = 16


def add_accessors(module: Module, shape: Shape) -> None:
    """`@hash(s)`, `@address(shared, index)` and `@lookup(shared, s)`.

    `@lookup` gives the index of a state, or -1; it reads a table of tags.
    """
    _add_hash(module, shape)
    _add_address(module, shape)
    _add_lookup(module, shape)


# --- hash ---


def _fold(f: Code, a: Operand, b: Operand) -> Operand:
    """Both words of the product mixed: every bit depends on every bit of `a` and `b`."""
    low, high = f.product(a, b)
    return f.xor(low, high)


def _add_hash(module: Module, shape: Shape) -> None:
    """A multiplication for each two words, in the manner of wyhash (Wang Yi, 2019).

    The upper bits choose the line, the lower ones are the tag.
    """
    inline = "alwaysinline" if shape.words <= 4 else "noinline"
    f = Code(module, f"internal i64 @hash(ptr noalias readonly %s) {inline} nounwind")
    k0, k1, k2, k3 = (signed(key) for key in _KEYS)
    if shape.tuning.same_hash:
        f.ret(f"i64 {_SAME_HASH}")
    elif shape.words == 1:
        f.ret(f"i64 {f.mul(_fold(f, f.xor(f.load('%s'), k0), k1), k2)}")
    else:
        mixed = f.cell(k3)

        def take_pair(index: Operand) -> None:
            a = f.xor(f.xor(f.fetch("%s", index), k0), f.load(mixed))
            b = f.xor(f.fetch("%s", f.add(index, 1)), k1)
            f.store(_fold(f, a, b), mixed)

        if shape.words <= _UNROLLED_WORDS:
            for index in range(0, shape.words - 1, 2):
                take_pair(index)
        else:
            f.loop(0, shape.words // 2, lambda i: take_pair(f.shl(i, 1)))
        if shape.words % 2:
            last = f.xor(f.fetch("%s", shape.words - 1), f.load(mixed))
            f.store(_fold(f, f.xor(last, k0), k1), mixed)
        f.ret(f"i64 {_fold(f, f.xor(f.load(mixed), k2), k3)}")
    module.add(f)


def state_hash(f: Code, state: str) -> Operand:
    return f.value(f"call i64 @hash(ptr {state})", "hash")


def tag_of(f: Code, shape: Shape, hash_: Operand) -> Operand:
    """The tag where it lies in a slot."""
    return f.shl(f.mask(hash_, shape.tuning.tag_bits), INDEX_BITS)


def line_of(f: Code, hash_: Operand, lines: Operand) -> str:
    """The number of the line in which a state of this hash is looked for first."""
    return f.product(hash_, lines)[1]


def line_address(f: Code, table: str, line: Operand) -> str:
    return f.scaled(table, line, LINE_BYTES, "line")


def after_line(f: Code, line: Operand, lines: Operand) -> Operand:
    """The line that a full one sends on to."""
    following = f.add(line, 1)
    return f.select(f.icmp("eq", following, lines), 0, following)


# --- arena ---


def _add_address(module: Module, shape: Shape) -> None:
    heading = "internal ptr @address(ptr %shared, i64 %index) alwaysinline nounwind"
    f = Code(module, heading)
    segments = f.pointer("%shared", Shared.SEGMENTS, fixed=True)
    segment = f.pointer_at(segments, f.lshr("%index", shape.segment_bits))
    f.ret(f"ptr {f.scaled(segment, f.mask('%index', shape.segment_bits), shape.stride)}")
    module.add(f)


def address(f: Code, shared: str, index: Operand) -> str:
    """Where a state lies."""
    return f.value(f"call ptr @address(ptr {shared}, i64 {index})", "state")


# --- lookup ---


def tag_matches(f: Code, shape: Shape, line: str, tag: Operand, empty: Operand) -> Operand:
    """The slots of a line with this tag, as a mask; `empty` is the mask of its empty slots."""
    bits = f.splat(((1 << shape.tuning.tag_bits) - 1) << INDEX_BITS)
    tags = f.value(f"and <8 x i64> {line}, {bits}")
    # An empty slot has tag 0. Slots fill from the first on: those before it are in use.
    below = f.and_(f.sub(empty, 1), f.xor(empty, -1))
    return f.and_(f.lanes_equal(tags, tag), below)


def index_in(f: Code, place: str) -> Operand:
    """The arena index in a slot that is in use."""
    # Acquire: what the slot's writer wrote to the arena before is seen.
    return f.sub(f.mask(f.load_shared(place, "acquire"), INDEX_BITS), 1)


def _add_lookup(module: Module, shape: Shape) -> None:
    f = Code(module, "internal i64 @lookup(ptr %shared, ptr noalias readonly %s) nounwind")
    table = f.pointer("%shared", Shared.TABLE)
    lines = f.fetch("%shared", Shared.LINES)
    hash_ = state_hash(f, "%s")
    tag = tag_of(f, shape, hash_)
    at = f.cell(line_of(f, hash_, lines))
    head, absent = f.label("line"), f.label("absent")
    f.begin(head)
    place = line_address(f, table, f.load(at))
    line = f.line_at(place)
    empty = f.lanes_equal(line, 0)
    matches = f.cell(tag_matches(f, shape, line, tag, empty))

    def compare() -> None:
        mask = f.load(matches)
        index = index_in(f, f.word(place, f.lowest_bit(mask)))
        found = f.label("found")
        further = f.label("further")
        f.branch(f.equal(address(f, "%shared", index), "%s", shape.words), found, further)
        f.begin(found)
        f.ret(f"i64 {index}")
        f.begin(further)
        f.store(f.and_(mask, f.sub(mask, 1)), matches)

    f.repeat(lambda: f.icmp("ne", f.load(matches), 0), compare)
    f.store(after_line(f, f.load(at), lines), at)
    f.branch(f.icmp("ne", empty, 0), absent, head)
    f.begin(absent)
    f.ret("i64 -1")
    module.add(f)
