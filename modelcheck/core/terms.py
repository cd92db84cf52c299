"""Terms, domains, places and statements: what guards, updates and properties are made of.

All sums are closed. A term has no side effect and binds nothing beyond its own
body: matching (`n.role is Leading(t, _) and t > 1`) has become a test
(`IsForm`) and, around what may use the names, `Let`s of the matched parts.

Every term carries its type and, where it comes from a file, its span; neither
takes part in equality.

Names: a bound name is unique among the names in scope (shadowing is refused),
so an environment may be one flat table.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import field, frozen

from modelcheck.core.types import BOOL, NOTHING, Type
from modelcheck.core.variables import Owner, Variable
from modelcheck.source import Spanned


@frozen
class _Typed(Spanned):
    type: Type = field(default=NOTHING, eq=False, repr=False, kw_only=True)


@frozen
class _Predicate(Spanned):
    type: Type = field(default=BOOL, eq=False, repr=False, kw_only=True)


# --- values and reading ------------------------------------------------------------


@frozen
class Truth(_Predicate):
    """`true` or `false`"""

    value: bool


@frozen
class Number(_Typed):
    value: int


@frozen
class Absent(_Typed):
    """`none`; its type is an Option"""


@frozen
class Parameter(_Typed):
    """A parameter that no setting has replaced; none is left in a closed model."""

    name: str


@frozen
class Universe(_Typed):
    """All values of the type `of`, as a set, in canonical order."""

    of: Type


@frozen
class Name(_Typed):
    """The value of a bound name: an action's, let's or event's argument, a binder's, a Let's."""

    name: str


@frozen
class Read(_Typed):
    """The value of a variable; `index` is the member if it is of an `each` group, else None."""

    variable: Variable
    index: Term | None = None


@frozen
class Next(_Typed):
    """`x'`: the term's value with every variable read in the state after the step.

    Bound names keep their values.
    """

    term: Term


@frozen
class Result(_Typed):
    """`result`: what the step's operation returned."""


# --- unions, options ---------------------------------------------------------------


@frozen
class Make(_Typed):
    """A value of the union `type` in its form number `form`; fields' ranges are judged."""

    form: int
    arguments: tuple[Term, ...]


@frozen
class Present(_Typed):
    """A value where an option is wanted; its type is an Option"""

    item: Term


@frozen
class IsPresent(_Predicate):
    """`v is some(_)`"""

    option: Term


@frozen
class Item(_Typed):
    """The item of an option; undefined for `none`."""

    option: Term


@frozen
class IsForm(_Predicate):
    """Whether the union value has the form number `form`."""

    subject: Term
    form: int


@frozen
class Get(_Typed):
    """A field of a union value; undefined if the value's form has no such field."""

    subject: Term
    field: str


@frozen
class Replace(_Typed):
    """`r with (a = 1)`: ranges are judged, a form without the field is undefined."""

    subject: Term
    fields: tuple[tuple[str, Term], ...]


# --- collections -------------------------------------------------------------------


@frozen
class SetOf(_Typed):
    """`{a, b}` as a set"""

    items: tuple[Term, ...]


@frozen
class BagOf(_Typed):
    """`{a, b}` where a bag is wanted: each item counts once for each time it is written."""

    items: tuple[Term, ...]


@frozen
class SeqOf(_Typed):
    """`[a, b]`"""

    items: tuple[Term, ...]


@frozen
class Collect(_Typed):
    """`{head | binders}`: a set"""

    head: Term
    binders: tuple[Binder, ...]


@frozen
class MapOf(_Typed):
    """`each k in K: t`; also a value put at every key. `name` goes through its Map type's keys."""

    name: str
    body: Term


@frozen
class In(_Predicate):
    """`x in C`: of a set, bag or sequence"""

    element: Term
    collection: Term


@frozen
class Subset(_Predicate):
    left: Term
    right: Term


@frozen
class Combine(_Typed):
    """Of two sets"""

    operator: Literal["union", "minus", "intersect"]
    left: Term
    right: Term


@frozen
class Size(_Typed):
    """The number of elements of a set, of occurrences in a bag, the length of a sequence."""

    collection: Term


@frozen
class IsEmpty(_Predicate):
    collection: Term


@frozen
class Extreme(_Typed):
    """`min(S)`, `max(S)` of a collection of numbers; undefined if it is empty"""

    which: Literal["min", "max"]
    collection: Term


@frozen
class ExtremeOfTwo(_Typed):
    """`min(a, b)`, `max(a, b)`"""

    which: Literal["min", "max"]
    left: Term
    right: Term


@frozen
class Majority(_Predicate):
    """`members`, a set over the type `of`, has more than half of that type's values."""

    members: Term
    of: Type


@frozen
class At(_Typed):
    """`s[i]`, from 1; undefined outside"""

    sequence: Term
    index: Term


@frozen
class Slice(_Typed):
    """`s[low..high]`, clamped; to the end where `high` is None"""

    sequence: Term
    low: Term
    high: Term | None


@frozen
class End(_Typed):
    """`first(s)`, `last(s)`; undefined if it is empty"""

    which: Literal["first", "last"]
    sequence: Term


@frozen
class Rest(_Typed):
    """`rest(s)`: all but the first; undefined if it is empty"""

    sequence: Term


@frozen
class Prefix(_Typed):
    """`prefix(s, k)`: the first k elements, clamped"""

    sequence: Term
    length: Term


@frozen
class Concat(_Typed):
    """`s ++ t`"""

    left: Term
    right: Term


@frozen
class Lookup(_Typed):
    """`m[k]`; undefined if the key is not one of the map's keys"""

    map: Term
    key: Term


@frozen
class Multiplicity(_Typed):
    """`b[x]`: how often x is in the bag"""

    bag: Term
    item: Term


# --- connectives, numbers ----------------------------------------------------------


@frozen
class Not(_Predicate):
    operand: Term


@frozen
class And(_Predicate):
    """All of them, evaluated left to right until one is false"""

    operands: tuple[Term, ...]


@frozen
class Or(_Predicate):
    """One of them, evaluated left to right until one is true"""

    operands: tuple[Term, ...]


@frozen
class Implies(_Predicate):
    left: Term
    right: Term


@frozen
class Equal(_Predicate):
    """Both sides have one representation: a side that is wanted as an option has been made one"""

    left: Term
    right: Term


@frozen
class Compare(_Predicate):
    """Of numbers, lexicographic where there are several on each side"""

    operator: Literal["<", "<=", ">", ">="]
    left: tuple[Term, ...]
    right: tuple[Term, ...]


@frozen
class Arithmetic(_Typed):
    """`div` and `mod` are Euclidean; the divisor is positive"""

    operator: Literal["+", "-", "*", "div", "mod"]
    left: Term
    right: Term


@frozen
class If(_Typed):
    condition: Term
    then: Term
    otherwise: Term


@frozen
class Let(_Typed):
    """`body`, in which `name` stands for the value of `value`"""

    name: str
    value: Term
    body: Term


@frozen
class Function(Spanned):
    """A `let`, with types for parameters and result: arguments and result are judged.

    It may read the state and its own parameters, nothing else. No recursion.
    """

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    body: Term = field(repr=False)


@frozen
class Call(_Typed):
    """A function applied: arguments from left to right, then the body"""

    function: Function
    arguments: tuple[Term, ...]


# --- quantifiers -------------------------------------------------------------------


@frozen
class Values(Spanned):
    """The members of a set, bag or sequence term, in canonical order (a sequence: in its own)."""

    term: Term


@frozen
class Interval(Spanned):
    """The numbers `low..high`"""

    low: Term
    high: Term


@frozen
class Subsets(Spanned):
    """All subsets of a set, in canonical order of sets"""

    of: Term


Domain: TypeAlias = Values | Interval | Subsets


@frozen
class Binder(_Typed):
    """`name in domain where P`

    Distinct values of the domain, except that `count` and `sum` go through
    the occurrences of a bag or sequence.

    lets  names that the pattern in `where` binds, with their values; they may
          be read by later binders and by the body
    """

    name: str
    domain: Domain
    where: Term | None = None
    lets: tuple[tuple[str, Term], ...] = ()


@frozen
class Forall(_Predicate):
    binders: tuple[Binder, ...]
    body: Term


@frozen
class Exists(_Predicate):
    binders: tuple[Binder, ...]
    body: Term


@frozen
class Count(_Typed):
    """How many choices satisfy the body"""

    binders: tuple[Binder, ...]
    body: Term


@frozen
class Sum(_Typed):
    """The sum of the body over all choices"""

    binders: tuple[Binder, ...]
    body: Term


@frozen
class The(_Typed):
    """The only value that satisfies the body; undefined if there is none, or more than one"""

    binder: Binder
    body: Term


Term: TypeAlias = (
    Truth
    | Number
    | Absent
    | Parameter
    | Universe
    | Name
    | Read
    | Next
    | Result
    | Make
    | Present
    | IsPresent
    | Item
    | IsForm
    | Get
    | Replace
    | SetOf
    | BagOf
    | SeqOf
    | Collect
    | MapOf
    | In
    | Subset
    | Combine
    | Size
    | IsEmpty
    | Extreme
    | ExtremeOfTwo
    | Majority
    | At
    | Slice
    | End
    | Rest
    | Prefix
    | Concat
    | Lookup
    | Multiplicity
    | Not
    | And
    | Or
    | Implies
    | Equal
    | Compare
    | Arithmetic
    | If
    | Let
    | Call
    | Forall
    | Exists
    | Count
    | Sum
    | The
)


# --- statements --------------------------------------------------------------------


@frozen
class AtKey:
    """Into a map (by key) or a sequence (by position from 1)"""

    key: Term


@frozen
class AtField:
    """Into a field of a union value; undefined if its form has none"""

    name: str


@frozen
class Place(_Typed):
    """What an update writes: a variable, the member it belongs to, and a path into its value.

    type  of the value at the end of the path
    """

    variable: Variable
    index: Term | None = None
    path: tuple[AtKey | AtField, ...] = ()


@frozen
class Guard(Spanned):
    """`when P`; in an action, never in a block"""

    condition: Term


@frozen
class Bind(Spanned):
    """`let name = t`, or a name bound by matching, for the statements after it in the same block"""

    name: str
    value: Term


@frozen
class Assign(Spanned):
    """`place := t`"""

    place: Place
    value: Term


@frozen
class Change(Spanned):
    """`place += t`, `place -= t`, by the place's type:

    numbers    t is a number
    sets       t is a set of what is added or removed (also where one element was written)
    bags       t is a bag (also where one element was written)
    sequences  t is the one element appended; only +=
    """

    place: Place
    operator: Literal["+=", "-="]
    value: Term


@frozen
class Choice(Spanned):
    """`if`: a block, or another"""

    condition: Term
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@frozen
class Repeat(Spanned):
    """`for`: the block for every choice; all its updates happen in the one step"""

    binders: tuple[Binder, ...]
    body: tuple[Statement, ...]


@frozen
class Lose(Spanned):
    """`lose n`, `lose coordinator`: the owner's volatile variables return to their first values"""

    owner: Owner
    index: Term | None = None


@frozen
class Effect(Spanned):
    """A named block of updates; ranges of arguments are judged. No guards, no recursion."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    body: tuple[Statement, ...] = field(repr=False)


@frozen
class Invoke(Spanned):
    """An effect used as a statement"""

    effect: Effect
    arguments: tuple[Term, ...]


@frozen
class CallOperation(Spanned):
    """`call reg.write(v) by c`"""

    object: str
    operation: str
    arguments: tuple[Term, ...]
    caller: Term


@frozen
class ReturnOperation(Spanned):
    """`return v by c`; `value` is None where nothing is returned.

    In an operation of an object, `returns v`: then `caller` is None.
    """

    value: Term | None
    caller: Term | None


@frozen
class AbandonOperation(Spanned):
    """`abandon c`"""

    caller: Term


Statement: TypeAlias = (
    Guard
    | Bind
    | Assign
    | Change
    | Choice
    | Repeat
    | Lose
    | Invoke
    | CallOperation
    | ReturnOperation
    | AbandonOperation
)
