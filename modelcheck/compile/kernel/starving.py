"""Which fairness instances a component enables and takes, and so whether it starves any.

void @fair(ctx, action, strong, key, words)
    the next successor is taken by this instance
void @restart(ctx)
    a component is to be checked, from its first state on
i1 @check_one(ctx)
    its next state; whether there is more to look at
i1 @sift_one(ctx)
    the same, where a strong instance is starved: which states are left
"""

from __future__ import annotations

from modelcheck.compile.ir import Flag, Module, Operand
from modelcheck.compile.kernel.code import MIX, Code
from modelcheck.compile.kernel.descent import Descent, DescentCode, Phase


def entry_words(key_words: int) -> int:
    """The length of an entry of the table of instances."""
    return 2 + key_words


def add_starving(module: Module, key_words: int) -> None:
    """The functions; those of the walk are beside them."""
    _add_any_starved(module)
    _add_instance(module, key_words)
    _add_fair(module)
    _add_check(module)


# --- instances -------------------------------------------------------------------------


def _add_any_starved(module: Module) -> None:
    f = Code(
        module,
        "internal i1 @any_starved(ptr %all, ptr %taken, ptr %strong, i64 %n, i64 %kind) nounwind",
    )
    found = f.cell(0)

    def one(i: str) -> None:
        kind = f.xor(f.xor(f.fetch("%strong", i), "%kind"), -1)
        starved = f.and_(f.and_(f.fetch("%all", i), f.xor(f.fetch("%taken", i), -1)), kind)
        f.store(f.or_(f.load(found), starved), found)

    f.loop(0, "%n", one)
    f.ret(f"i1 {f.icmp('ne', f.load(found), 0)}")
    module.add(f)


def _add_instance(module: Module, key_words: int) -> None:
    """The number of an instance; -1, and CROWDED, if there is no room for a new one."""
    heading = (
        "internal i64 @instance(ptr %ctx, i64 %action, i64 %strong, ptr %key, i64 %n) nounwind"
    )
    f = DescentCode(module, heading)
    table, mask = f.at(Descent.TABLE), f[Descent.MASK]
    mixed = f.cell(f.mul(f.add("%action", 1), MIX))

    def mix(i: str) -> None:
        product = f.mul(f.xor(f.load(mixed), f.fetch("%key", i)), MIX)
        f.store(f.xor(product, f.lshr(product, 32)), mixed)

    f.loop(0, "%n", mix)
    at = f.cell(f.and_(f.load(mixed), mask))
    head, there, free, same, other = (
        f.label(name) for name in ("head", "there", "free", "same", "other")
    )
    f.begin(head)
    entry = f.word(table, f.mul(f.load(at), entry_words(key_words)))
    mark = f.load(entry)
    f.branch(f.icmp("eq", mark, 0), free, there)
    f.begin(there)
    differ = f.cell(f.widen(f.icmp("ne", mark, f.add("%action", 1))))

    def compare(i: str) -> None:
        unequal = f.widen(f.icmp("ne", f.fetch(entry, f.add(i, 2)), f.fetch("%key", i)))
        f.store(f.or_(f.load(differ), unequal), differ)

    f.loop(0, "%n", compare)
    f.branch(f.icmp("eq", f.load(differ), 0), same, other)
    f.begin(same)
    f.ret(f"i64 {f.fetch(entry, 1)}")
    f.begin(other)
    f.store(f.and_(f.add(f.load(at), 1), mask), at)
    f.jump(head)
    f.begin(free)
    number = f[Descent.INSTANCES]
    crowded, room = f.label("crowded"), f.label("room")
    f.branch(f.icmp("slt", number, f[Descent.INSTANCE_ROOM]), room, crowded)
    f.begin(crowded)
    f[Descent.CROWDED] = 1
    f.ret("i64 -1")
    f.begin(room)
    f.store(f.add("%action", 1), entry)
    f.store(number, f.word(entry, 1))
    f.loop(0, "%n", lambda i: f.store(f.fetch("%key", i), f.word(entry, f.add(i, 2))))
    f[Descent.INSTANCES] = f.add(number, 1)
    place = f.word(f.at(Descent.STRONG), f.lshr(number, 6))
    f.store(f.or_(f.load(place), f.shl("%strong", f.and_(number, 63))), place)
    f.ret(f"i64 {number}")
    module.add(f)


def _add_fair(module: Module) -> None:
    heading = (
        "internal void @fair(ptr %ctx, i64 %action, i64 %strong, ptr %key, i64 %n) "
        "alwaysinline nounwind"
    )
    f = DescentCode(module, heading)
    f[Descent.SEES_FAIR] = 1

    def number() -> None:
        call = "call i64 @instance(ptr %ctx, i64 %action, i64 %strong, ptr %key, i64 %n)"
        instance = f.value(call)
        f[Descent.INSTANCE] = instance

        def enable() -> None:
            place = f.word(f.at(Descent.ENABLED), f.lshr(instance, 6))
            f.store(f.or_(f.load(place), f.shl(1, f.and_(instance, 63))), place)

        f.when(f.icmp("sge", instance, 0), enable)

    f.when(f.icmp("sge", f[Descent.PHASE], Phase.CHECK), number)
    f.ret()
    module.add(f)


# --- components ------------------------------------------------------------------------


def _add_check(module: Module) -> None:
    """A component of several states, one of them at a time."""
    f = DescentCode(module, "internal void @restart(ptr %ctx) nounwind")
    f[Descent.AT] = 0
    f[Descent.PHASE] = Phase.CHECK

    def clear(i: str) -> None:
        f.store(-1, f.word(f.at(Descent.ALWAYS), i))
        for each in (Descent.SOMETIMES, Descent.TAKEN):
            f.store(0, f.word(f.at(each), i))

    f.each_set_word(clear)
    f.ret()
    module.add(f)

    # Whether there is more to look at.
    f = DescentCode(module, "internal i1 @check_one(ptr %ctx) nounwind")
    _enabled_here(f)
    crowded, known = f.label("crowded"), f.label("known")
    f.branch(f.icmp("ne", f[Descent.CROWDED], 0), crowded, known)
    f.begin(crowded)
    f.ret("i1 true")
    f.begin(known)

    def gather(i: str) -> None:
        enabled = f.fetch(f.at(Descent.ENABLED), i)
        always, sometimes = f.word(f.at(Descent.ALWAYS), i), f.word(f.at(Descent.SOMETIMES), i)
        f.store(f.and_(f.load(always), enabled), always)
        f.store(f.or_(f.load(sometimes), enabled), sometimes)

    f.each_set_word(gather)
    at = f.add(f[Descent.AT], 1)
    done, more, weak, strong, fair = (
        f.label(name) for name in ("done", "more", "weak", "strong", "fair")
    )
    starves_weak = _starved(f, Descent.ALWAYS, 0)
    has_strong = f.icmp("ne", f[Descent.HAS_STRONG], 0)
    # Of weak instances nothing that comes later can make a component unfair again.
    settled = f.both(f.not_(starves_weak), f.not_(has_strong))
    f[Descent.AT] = at
    f.branch(f.any_of(settled, f.icmp("eq", at, f[Descent.COUNT])), done, more)
    f.begin(more)
    f.ret("i1 true")
    f.begin(done)
    finish = f.label("finish")
    f.branch(starves_weak, finish, strong)
    f.begin(strong)
    f.branch(f.both(has_strong, _starved(f, Descent.SOMETIMES, -1)), weak, fair)
    f.begin(weak)
    f[Descent.AT] = 0
    f[Descent.PHASE] = Phase.SIFT
    f.ret("i1 true")
    f.begin(fair)

    def mark(number: str) -> None:
        f.set_bit(Descent.FAIR, f.stacked(f.sub(f.sub(f[Descent.STACKED], 1), number)))

    f.loop(0, f[Descent.COUNT], mark)
    f.jump(finish)
    f.begin(finish)
    f.ret("i1 false")
    module.add(f)

    # The same, for a component that starves a strong instance.
    f = DescentCode(module, "internal i1 @sift_one(ptr %ctx) nounwind")
    index = _enabled_here(f)
    hit = f.cell(0)

    def meet(i: str) -> None:
        bad = f.and_(
            f.and_(f.fetch(f.at(Descent.SOMETIMES), i), f.fetch(f.at(Descent.STRONG), i)),
            f.xor(f.fetch(f.at(Descent.TAKEN), i), -1),
        )
        f.store(f.or_(f.load(hit), f.and_(bad, f.fetch(f.at(Descent.ENABLED), i))), hit)

    f.each_set_word(meet)

    def leave() -> None:
        f.set_bit(Descent.NEXT, index)
        f.bump(f.word("%ctx", Descent.NEXT_COUNT))

    f.when(f.icmp("eq", f.load(hit), 0), leave)
    at = f.add(f[Descent.AT], 1)
    f[Descent.AT] = at
    f.ret(f"i1 {f.icmp('ult', at, f[Descent.COUNT])}")
    module.add(f)


def _enabled_here(f: DescentCode) -> Operand:
    """Step the next state of the component; its index."""
    f.each_set_word(lambda i: f.store(0, f.word(f.at(Descent.ENABLED), i)))
    index = f.stacked(f.sub(f.sub(f[Descent.STACKED], 1), f[Descent.AT]))
    f.step(index)
    return index


def _starved(f: DescentCode, which: Descent, kind: int) -> Flag:
    """Whether one of the weak (0) or strong (-1) instances in a set is not taken."""
    sets = f"ptr {f.at(which)}, ptr {f.at(Descent.TAKEN)}, ptr {f.at(Descent.STRONG)}"
    return f.value(f"call i1 @any_starved({sets}, i64 {f[Descent.SET_WORDS]}, i64 {kind})", "c")
