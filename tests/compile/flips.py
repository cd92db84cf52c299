"""Mistakes, made on purpose: each turns one operation of the lowering into a wrong one.

A flip names the model of the corpus that notices it. Code that is wrong may run
for ever or crash, so a flip is tried in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from modelcheck.compile.ir import Function
from modelcheck.compile.lower import plan, steps, updates
from modelcheck.compile.lower.bits import Bits, Word
from modelcheck.compile.lower.collections import Collections
from modelcheck.compile.lower.domains import Domains
from modelcheck.compile.lower.plan import Plan
from modelcheck.compile.lower.steps import Steps
from modelcheck.compile.lower.terms import Terms
from modelcheck.compile.lower.updates import Updates
from modelcheck.compile.lower.values import Values
from modelcheck.core.types import Option, Range
from tests.flipping import Flip, Make, how_noticed

from .corpus import specimen

_SECONDS = 5


def is_caught(flip: Flip, by: str) -> str | None:
    """How the specimen notices the flip; None if it does not."""
    return how_noticed(flip, specimen(by).compare, _SECONDS)


# --- kinds of flips ----------------------------------------------------------------


def _as(name: str) -> Make:
    """Another method of the same object in its place."""
    return lambda _: lambda self, *a, **k: getattr(self, name)(*a, **k)


def _swapped(old: Callable[..., Any]) -> Callable[..., Any]:
    """The first two operands change places."""
    return lambda self, a, b, *rest: old(self, b, a, *rest)


def _arms_swapped(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, condition, a, b: old(self, condition, b, a)


def _negated(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *a, **k: self.f.not_(old(self, *a, **k))


def _plus(difference: int, at: int) -> Make:
    """An operand is greater than it should be."""

    def make(old: Callable[..., Any]) -> Callable[..., Any]:
        def flipped(self: Any, *a: Any) -> Any:
            f = self if isinstance(self, Function) else self.f
            changed = [f.add(x, difference) if i == at else x for i, x in enumerate(a)]
            return old(self, *changed)

        return flipped

    return make


def _more(old: Callable[..., Any]) -> Callable[..., Any]:
    """The result is one greater."""

    def flipped(self: Any, *a: Any) -> Any:
        f = self if isinstance(self, Function) else self.f
        return f.add(old(self, *a), 1)

    return flipped


def _always(value: Any) -> Make:
    return lambda _: lambda *a, **k: value


def _identity(at: int) -> Make:
    """Nothing is done: the result is an operand."""
    return lambda _: lambda *a, **k: a[at]


_nothing = _always(None)


def _predicate(wrong: str, right: str) -> Make:
    return lambda old: lambda self, p, a, b: old(self, wrong if p == right else p, a, b)


def _without(owner: Any, name: str, make: Make) -> Make:
    """While this runs, another operation is flipped."""

    def outer(old: Callable[..., Any]) -> Callable[..., Any]:
        def flipped(*a: Any, **k: Any) -> Any:
            with Flip(owner, name, make, "").applied():
                return old(*a, **k)

        return flipped

    return outer


def _flag(name: str) -> Make:
    """A named operand is negated."""
    return lambda old: lambda *a, **k: old(*a, **{**k, name: not k[name]})


def _operand(at: int, change: Callable[[Any], Any]) -> Make:
    """An operand is changed."""
    return lambda old: (
        lambda *a, **k: old(*[change(x) if i == at else x for i, x in enumerate(a)], **k)
    )


def _exchanged(i: int, j: int) -> Make:
    """Two operands change places."""

    def make(old: Callable[..., Any]) -> Callable[..., Any]:
        def flipped(*a: Any) -> Any:
            changed = list(a)
            changed[i], changed[j] = a[j], a[i]
            return old(*changed)

        return flipped

    return make


_never_wrong = _without(Values, "otherwise", lambda _: lambda self, wrong, happens: None)
"""Nothing that could go wrong is judged."""

_second_arm = _without(Function, "select", lambda _: lambda self, c, a, b: b)

_OTHER = {"min": "max", "max": "min"}


# --- flips of one operation each ---------------------------------------------------


def _phi_first(old: Callable[..., Any]) -> Callable[..., Any]:
    """A constant of the first arm in every arm."""

    def phi(self: Any, arms: Any, *rest: Any) -> Any:
        if arms and isinstance(arms[0][0], int):
            arms = [(arms[0][0], block) for _, block in arms]
        return old(self, arms, *rest)

    return phi


def _phi_flag_true(old: Callable[..., Any]) -> Callable[..., Any]:
    """True where control came from the first block."""
    return lambda self, arms: old(
        self, [(flag if i else True, block) for i, (flag, block) in enumerate(arms)]
    )


def _of_negated(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, flag: old(self, self.not_(flag))


def _is_negated(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, value: self.not_(old(self, value))


def _unconditional(binder: Any) -> Any:
    return evolve(binder, where=None)


def _whole_word(old: Callable[..., Any]) -> Callable[..., Any]:
    """What stands beside the bits in their word is lost."""
    return lambda self, pointer, shift, bits, code: old(
        self, pointer, shift, 64, self.f.shl(code, shift)
    )


def _code_is_number(old: Callable[..., Any]) -> Callable[..., Any]:
    """A number is stored as it is, though its range begins elsewhere than at 0."""
    return lambda self, value: (
        value.operand if isinstance(value.type, Range) and isinstance(value, Word)
        else old(self, value)
    )  # fmt: skip


def _number_is_code(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, type_, code: (
        Word(type_, code) if isinstance(type_, Range) else old(self, type_, code)
    )


def _no_item(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, item: self.zero_of(Option(item.type))


def _first_field(old: Callable[..., Any]) -> Callable[..., Any]:
    """The first field instead of any other of its type."""

    def field(self: Any, value: Any, form: int, index: int) -> Any:
        types = [each.type for each in value.type.forms[form].fields]
        return old(self, value, form, types.index(types[index]))

    return field


def _fields_reversed(old: Callable[..., Any]) -> Callable[..., Any]:
    """Where all fields have one type."""

    def make(self: Any, union: Any, form: int, fields: list[Any]) -> Any:
        same = len({field.type for field in fields}) == 1
        return old(self, union, form, fields[::-1] if same else fields)

    return make


def _several_hold(old: Callable[..., Any]) -> Callable[..., Any]:
    """What is said of all choices of several names is not asked."""
    return lambda self, binders, *rest: old(self, binders, *rest) if len(binders) == 1 else None


def _names_reversed(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, number, each, names, types: old(
        self, number, each, names[::-1], types[::-1]
    )


def _places_apart(old: Callable[..., Any]) -> Callable[..., Any]:
    """No two updates write one place."""
    return lambda *a: (False, *old(*a)[1:])


FLIPS = [
    # Arithmetic, as it is written
    Flip(Function, "add", _as("sub"), "large"),
    Flip(Function, "sub", _as("add"), "numbers"),
    Flip(Function, "mul", _as("add"), "around"),
    Flip(Function, "udiv", _more, "large"),
    Flip(Function, "urem", _more, "large"),
    Flip(Function, "and_", _as("or_"), "numbers"),
    Flip(Function, "or_", _as("xor"), "sets"),
    Flip(Function, "or_", _as("and_"), "options", "and"),
    Flip(Function, "xor", _as("or_"), "maps"),
    Flip(Function, "shl", _plus(1, 1), "options"),
    Flip(Function, "shl", _as("lshr"), "options", "right"),
    Flip(Function, "lshr", _plus(1, 1), "sets"),
    Flip(Function, "lshr", _as("shl"), "sets", "left"),
    Flip(Function, "mask", _plus(-1, 1), "numbers", "narrow"),
    Flip(Function, "mask", _plus(1, 1), "numbers", "wide"),
    Flip(Function, "widen", _of_negated, "numbers"),
    Flip(Function, "truth", _is_negated, "numbers"),
    Flip(Function, "not_", _identity(1), "numbers"),
    Flip(Function, "both", _as("any_of"), "numbers"),
    Flip(Function, "any_of", _as("both"), "numbers"),
    Flip(Function, "popcount", _more, "sets"),
    Flip(Function, "lowest_bit", _as("highest_bit"), "around"),
    Flip(Function, "highest_bit", _as("lowest_bit"), "around"),
    Flip(Function, "lowest_bit", _more, "large", "plus one"),
    Flip(Function, "select", _arms_swapped, "numbers"),
    Flip(Function, "either", _arms_swapped, "options"),
    Flip(Function, "choose", _arms_swapped, "large"),
    Flip(Function, "loop", _plus(1, 0), "sequences", "starts late"),
    Flip(Function, "loop", _plus(-1, 1), "sequences", "ends early"),
    Flip(Function, "loop", _plus(1, 1), "sequences", "ends late"),
    Flip(Function, "phi", _phi_first, "sets"),
    Flip(Function, "phi_flag", _phi_flag_true, "maps"),
    *(
        Flip(Function, "icmp", _predicate(wrong, right), by, f"{right} as {wrong}")
        for right, wrong, by in (
            ("eq", "ne", "around"), ("ne", "eq", "numbers"), ("slt", "sle", "rest"),
            ("slt", "sgt", "around"), ("sle", "slt", "numbers"), ("sgt", "sge", "numbers"),
            ("sge", "sgt", "numbers"), ("ult", "ule", "around"), ("ugt", "uge", "numbers"),
            ("uge", "ugt", "sequences"), ("ult", "slt", "large"), ("ugt", "sgt", "numbers"),
            ("uge", "sge", "sequences"),
        )
    ),
    # Bits
    Flip(Bits, "read_bits", _operand(3, lambda bits: max(0, bits - 1)), "numbers"),
    Flip(Bits, "write_bits", _operand(3, lambda bits: max(0, bits - 1)), "numbers"),
    Flip(Bits, "_replace", _whole_word, "numbers"),
    Flip(Bits, "_copy_part", _nothing, "large"),
    Flip(Bits, "_copy_chunk", _plus(1, 4), "large"),
    Flip(Bits, "zero", _nothing, "members"),
    Flip(Bits, "code", _code_is_number, "numbers"),
    Flip(Bits, "from_code", _number_is_code, "numbers"),
    # Values
    Flip(Values, "is_present", _negated, "options"),
    Flip(Values, "present", _no_item, "options"),
    Flip(Values, "tag", _more, "unions"),
    Flip(Values, "field", _first_field, "large"),
    Flip(Values, "make", _fields_reversed, "large"),
    Flip(Values, "rank_of", _more, "sets"),
    Flip(Values, "unrank", _plus(1, 1), "large"),
    Flip(Values, "equal", _negated, "numbers"),
    Flip(Values, "equal_bits", _always(True), "large"),
    Flip(Values, "_differing", _always(0), "large"),
    Flip(Values, "before", _negated, "large"),
    Flip(Values, "before", _swapped, "large", "swapped"),
    Flip(Values, "_seq_before", _swapped, "large"),
    Flip(Values, "_lexicographic", _operand(1, lambda parts: parts[::-1]), "large"),
    Flip(Values, "_union_before", _swapped, "large"),
    Flip(Values, "_option_before", _swapped, "large"),
    Flip(Values, "length", _more, "sequences"),
    Flip(Values, "element", _plus(1, 1), "sequences"),
    Flip(Values, "entry", _operand(2, lambda index: 0), "maps"),
    Flip(Values, "_to_range", _never_wrong, "numbers"),
    Flip(Values, "_judge_length", _nothing, "sequences"),
    Flip(Values, "judge_size", _identity(1), "sets"),
    Flip(Values, "_move_bits", _never_wrong, "sets"),
    Flip(Values, "set_bit", _plus(1, 1), "sets"),
    Flip(Values, "bit_count", _more, "sets"),
    Flip(Values, "_each_bit", _operand(2, lambda base: base + 1), "large"),
    Flip(Values, "put_element", _plus(1, 2), "around"),
    Flip(Values, "list_of", _plus(1, 2), "sequences"),
    # Collections
    Flip(Collections, "insert", _flag("distinct"), "bags"),
    Flip(Collections, "contains", _negated, "sequences"),
    Flip(Collections, "_has_bit", _negated, "sets"),
    Flip(Collections, "bit_at", _plus(1, 1), "sets"),
    Flip(Collections, "is_empty", _negated, "sets"),
    Flip(Collections, "multiplicity", _more, "bags"),
    Flip(Collections, "extreme", _operand(1, _OTHER.get), "sets"),
    Flip(Collections, "_extreme_of_seq", _operand(1, _OTHER.get), "around"),
    Flip(Collections, "subset", _swapped, "sets"),
    Flip(Collections, "_all_in", _swapped, "wide"),
    Flip(Collections, "combine", _operand(1, lambda operator: "intersect"), "sets", "intersects"),
    Flip(Collections, "combine", _operand(1, lambda operator: "union"), "sets", "unites"),
    Flip(Collections, "combine", _operand(1, lambda operator: "minus"), "sets", "takes away"),
    Flip(Collections, "_combine_lists", _operand(1, lambda operator: "union"), "wide"),
    Flip(Collections, "_words", _swapped, "large"),
    Flip(Collections, "bag_change", _operand(3, lambda removed: []), "bags", "removes nothing"),
    Flip(Collections, "bag_change", _operand(4, lambda added: []), "bags", "adds nothing"),
    Flip(Collections, "slice", _plus(1, 1), "sequences"),
    Flip(Collections, "slice", _plus(-1, 2), "sequences", "ends early"),
    Flip(Collections, "concat", _swapped, "large"),
    # Domains
    Flip(Domains, "accepted", _operand(1, _unconditional), "around", "without `where`"),
    Flip(Domains, "_jump_if_earlier", _nothing, "around"),
    Flip(Domains, "_above", _always(0), "sets", "no greater member"),
    Flip(Domains, "_each_member", _flag("occurrences"), "sequences"),
    # Terms
    Flip(Terms, "_forall", _several_hold, "around"),
    Flip(Terms, "_exists", _nothing, "sets"),
    Flip(Terms, "_compare", _negated, "numbers"),
    Flip(Terms, "_divide", _second_arm, "numbers", "without Euclid's correction"),
    Flip(Terms, "_clamped", _identity(1), "sequences"),
    Flip(Terms, "_fits", _always(True), "around"),
    Flip(Terms, "_majority", _negated, "around"),
    Flip(Terms, "undefined_if", _nothing, "sequences"),
    Flip(Terms, "judged", _identity(1), "unions"),
    Flip(Terms, "offset_of", _operand(3, lambda slot: 0), "around"),
    Flip(Terms, "_all", _operand(1, lambda operands: operands[:1]), "around"),
    # Updates
    Flip(Updates, "_judge_meeting", _nothing, "maps"),
    Flip(Updates, "_agree", _always(True), "maps"),
    Flip(Updates, "_same", _places_apart, "numbers"),
    Flip(Updates, "_do_together", _nothing, "numbers"),
    Flip(Updates, "_append", _never_wrong, "sequences"),
    Flip(Updates, "_summed", _exchanged(2, 3), "numbers"),
    Flip(Updates, "_masked", _identity(2), "around"),
    Flip(Updates, "_forget", _nothing, "members"),
    Flip(Updates, "_touch", _nothing, "around"),
    Flip(Updates, "_key_place", _never_wrong, "sequences"),
    Flip(updates, "_MISFITS", lambda _: 0, "maps", "in one order with the rest"),
    Flip(steps, "plan_of", lambda _: lambda body: Plan(frozenset(), True), "numbers"),
    Flip(plan, "_loses_first", _always(True), "members"),
    Flip(plan, "_exclude_each_other", _always(True), "numbers"),
    Flip(plan, "_meets_itself", _always(False), "members"),
    Flip(plan, "_differ", _always(True), "maps"),
    # Steps
    Flip(Steps, "copy_state", _nothing, "numbers"),
    Flip(Steps, "is_same", _always(True), "rest"),
    Flip(Steps, "is_same", _always(False), "rest", "never"),
    Flip(Steps, "_counter", _always(0), "around"),
    Flip(Steps, "speak", _nothing, "around"),
    Flip(Steps, "_rest", _nothing, "rest"),
    Flip(Steps, "property_function", _names_reversed, "around"),
    Flip(steps._Writer, "_not_taken", _nothing, "around"),
    Flip(steps._Writer, "_put_process", _nothing, "around"),
    Flip(steps._Writer, "_judge", _nothing, "around"),
]  # fmt: skip
