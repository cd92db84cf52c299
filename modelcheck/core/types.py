"""Types of values: finite sets, with their sizes known once a check has closed the model.

`Int` and `Nothing` are types of terms only: `Int` has no known bounds (a
parameter without a setting, or a `let` that takes any number), `Nothing` has
no value (the element of `{}`, the item of `none`, and a term that already has
an error). No variable of a closed model has either; in an open one, which only
a proof has, a variable may be an `Int` and a sort may have no size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from attrs import field, frozen

if TYPE_CHECKING:
    from modelcheck.core.terms import Term


@frozen
class Bool:
    """`false` before `true`"""


@frozen
class Int:
    """Whole numbers without known bounds.

    low, high  in a proof: terms over what it generalises, for a range whose bounds depend on it
    """

    low: Term | None = None
    high: Term | None = None


@frozen
class Range:
    """`low..high`, both included; empty where `low > high`."""

    low: int
    high: int


@frozen
class Sort:
    """Interchangeable members: only equality applies.

    size  how many members; None while no check has said so
    stem  what the members' names begin with: `n` for n1, n2, n3
    """

    name: str
    size: int | None = None
    stem: str = field(default="", eq=False)


@frozen
class Field:
    """One field of a form."""

    name: str
    type: Type


@frozen
class Form:
    """One alternative of a union: a name, and fields in order."""

    name: str
    fields: tuple[Field, ...] = ()

    def position(self, name: str) -> int | None:
        """The index of the field `name`, None if this form has none."""
        for index, each in enumerate(self.fields):
            if each.name == name:
                return index
        return None


@frozen
class Union:
    """Alternatives; a record is a union with one form, an enum one without fields.

    Two unions agree if their forms do: the name is for people.
    """

    name: str = field(eq=False)
    forms: tuple[Form, ...]

    @property
    def is_enum(self) -> bool:
        return all(not form.fields for form in self.forms)

    def form_index(self, name: str) -> int | None:
        """The position of the form `name`, None if there is none."""
        for index, form in enumerate(self.forms):
            if form.name == name:
                return index
        return None


@frozen
class Option:
    """`T?`: `none`, or a value of the item's type."""

    item: Type


@frozen
class Set:
    """Finite sets; `bound` limits the number of elements where it is given."""

    element: Type
    bound: int | None = None


@frozen
class Bag:
    """Multisets, `bound` occurrences in total; None only for the type of a term."""

    element: Type
    bound: int | None = None


@frozen
class Seq:
    """Sequences of at most `bound` elements; None only for the type of a term."""

    element: Type
    bound: int | None = None


@frozen
class Map:
    """Total maps; the key's type is finite."""

    key: Type
    value: Type


@frozen
class Nothing:
    """The type without values: part of every other."""


Type: TypeAlias = Bool | Int | Range | Sort | Union | Option | Set | Bag | Seq | Map | Nothing

BOOL = Bool()
INT = Int()
NOTHING = Nothing()
