"""Types as the generator sees them: how they are written, and what is sure of their values."""

from __future__ import annotations

from math import comb
from typing import TypeAlias, assert_never

from attrs import frozen


@frozen
class Bool:
    ref: str = "bool"


@frozen
class Num:
    """A range.

    high, most  the least and the greatest upper bound that a check of the file gives it: all of
                low..high are values in every check, no value is above `most`
    top         the upper bound as written
    """

    ref: str
    low: int
    high: int
    most: int
    named: bool = False
    top: str = ""


@frozen
class Sort:
    """least, most: the sizes that checks give it"""

    ref: str
    least: int
    most: int


@frozen
class Form:
    name: str
    fields: tuple[tuple[str, Kind], ...] = ()


@frozen
class Data:
    """A record, an enum or a union."""

    ref: str
    forms: tuple[Form, ...]

    @property
    def is_enum(self) -> bool:
        return all(not form.fields for form in self.forms)


@frozen
class Opt:
    ref: str
    item: Kind


@frozen
class Bound:
    """What stands after `up to`: the text, and its least and greatest value."""

    text: str
    least: int
    most: int


@frozen
class SetOf:
    ref: str
    element: Kind
    bound: Bound | None = None


@frozen
class BagOf:
    ref: str
    element: Kind
    bound: Bound


@frozen
class SeqOf:
    ref: str
    element: Kind
    bound: Bound


@frozen
class MapOf:
    ref: str
    key: Kind
    value: Kind


Kind: TypeAlias = Bool | Num | Sort | Data | Opt | SetOf | BagOf | SeqOf | MapOf
Collection: TypeAlias = SetOf | BagOf | SeqOf

BOOL = Bool()
INT = Num("int", -8, 8, 8, top="8")
"""`int`, of a parameter of a `let` or effect: it is given small numbers only."""


def number(low: int, high: int) -> Num:
    """A range that is not written anywhere: of a term, or of a binder."""
    return Num(f"{low}..{high}", low, high, high, top=str(high))


def set_of(element: Kind, bound: Bound | None = None) -> SetOf:
    limit = f" up to {bound.text}" if bound else ""
    return SetOf(f"set of {element.ref}{limit}", element, bound)


def bag_of(element: Kind, bound: Bound) -> BagOf:
    return BagOf(f"bag of {element.ref} up to {bound.text}", element, bound)


def seq_of(element: Kind, bound: Bound) -> SeqOf:
    return SeqOf(f"seq of {element.ref} up to {bound.text}", element, bound)


def map_of(key: Kind, value: Kind) -> MapOf:
    return MapOf(f"map {key.ref} to {value.ref}", key, value)


def option(item: Kind) -> Opt:
    return Opt(f"{item.ref}?", item)


def size(kind: Kind) -> int:
    """How many values the type has at most."""
    match kind:
        case Bool():
            return 2
        case Num():
            return max(0, kind.most - kind.low + 1)
        case Sort():
            return kind.most
        case Data():
            return sum(_product([size(f) for _, f in form.fields]) for form in kind.forms)
        case Opt():
            return 1 + size(kind.item)
        case SetOf():
            n = size(kind.element)
            if kind.bound is None or kind.bound.most >= n:
                return int(2**n)
            return sum(comb(n, k) for k in range(kind.bound.most + 1))
        case BagOf():
            return comb(size(kind.element) + kind.bound.most, kind.bound.most)
        case SeqOf():
            return sum(size(kind.element) ** k for k in range(kind.bound.most + 1))
        case MapOf():
            return int(size(kind.value) ** size(kind.key))
        case _:
            assert_never(kind)


def _product(numbers: list[int]) -> int:
    result = 1
    for each in numbers:
        result *= each
    return result


def agree(left: Kind, right: Kind) -> bool:
    """Whether values of the two can be compared."""
    match left, right:
        case Num(), Num():
            return True
        case Opt(), Opt():
            return agree(left.item, right.item)
        case SetOf(), SetOf():
            return agree(left.element, right.element)
        case BagOf(), BagOf():
            return agree(left.element, right.element)
        case SeqOf(), SeqOf():
            return agree(left.element, right.element)
        case MapOf(), MapOf():
            return left.key == right.key and agree(left.value, right.value)
        case _:
            return left == right


def fits(kind: Kind, wanted: Kind) -> bool:
    """Whether every value of the type is one of the wanted type, whatever a check sets."""
    match kind, wanted:
        case Num(), Num():
            return kind.ref == wanted.ref or (wanted.low <= kind.low and kind.most <= wanted.high)
        case Opt(), Opt():
            return fits(kind.item, wanted.item)
        case SetOf(), SetOf():
            return fits(kind.element, wanted.element) and (
                wanted.bound is None or wanted.bound == kind.bound
            )
        case BagOf(), BagOf():
            return fits(kind.element, wanted.element) and wanted.bound == kind.bound
        case SeqOf(), SeqOf():
            return fits(kind.element, wanted.element) and (
                wanted.bound == kind.bound or kind.bound.most <= wanted.bound.least
            )
        case MapOf(), MapOf():
            return kind.key == wanted.key and fits(kind.value, wanted.value)
        case _:
            return kind == wanted


def is_element(kind: Kind) -> bool:
    """Whether the type is written as elements are: a name, an option or a range."""
    return " " not in kind.ref or isinstance(kind, Num)


def is_key(kind: Kind) -> bool:
    """Whether an `each` group or a map may be keyed by the type: a sort, an enum or named range."""
    return (
        isinstance(kind, Sort)
        or (isinstance(kind, Data) and kind.is_enum)
        or (isinstance(kind, Num) and kind.named)
    )


def is_plain(kind: Kind) -> bool:
    """Whether values of the type hold no collections, so that they may be members and keys."""
    match kind:
        case SetOf() | BagOf() | SeqOf() | MapOf():
            return False
        case Opt():
            return is_plain(kind.item)
        case Data():
            return all(is_plain(f) for form in kind.forms for _, f in form.fields)
        case _:
            return True


def holds_only_sequences(kind: Kind) -> bool:
    """Whether the only collections inside are sequences: a member of a bag or a bounded set."""
    match kind:
        case SetOf() | BagOf() | MapOf():
            return False
        case SeqOf():
            return holds_only_sequences(kind.element)
        case Opt():
            return holds_only_sequences(kind.item)
        case Data():
            return all(holds_only_sequences(f) for form in kind.forms for _, f in form.fields)
        case _:
            return True


def is_loose(kind: Kind) -> bool:
    """Whether a term of the type may look like one of another: `x` for an option, `{x}` for a bag.

    Such a term stands only where the type is wanted, so that it is one.
    """
    match kind:
        case Opt() | BagOf():
            return True
        case SetOf() | SeqOf():
            return is_loose(kind.element)
        case MapOf():
            return is_loose(kind.value)
        case _:
            return False
