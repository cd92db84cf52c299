"""What every elaboration needs: places for mistakes, agreement of types, notes of what was read.

`Elaborating` is the part of the elaborator that the kinds of terms share; the
kinds themselves are functions in the modules beside this one, and `terms`
joins them. One walk does names, types and intervals. It runs twice: once for
the file with parameters open, where it finds what is wrong whatever a check
sets, and once for each check with everything set, where types are finite and
intervals exact.

A term that has an error becomes `core.Truth(False)` of type `Nothing`, which
agrees with everything: one mistake, one diagnostic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import Factory, define, evolve, field

from modelcheck.core import terms as core
from modelcheck.core.dependence import dependence, read_in
from modelcheck.core.types import (
    NOTHING,
    Bag,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Type,
)
from modelcheck.core.values import is_finite
from modelcheck.diagnostics import Collector, Label
from modelcheck.parse import tree
from modelcheck.resolve import intervals
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.names import (
    LetEntity,
    Module,
    ParameterEntity,
    SortEntity,
)
from modelcheck.resolve.scope import (
    Bound,
    Condition,
    Lets,
    Scope,
    Site,
    wrap,
)
from modelcheck.resolve.types import TypeTable, agree, describe, fits, join
from modelcheck.source import Span

CLOSED = Site("a constant term", state=False)


@define
class Reads:
    """What a term was seen to read: the first place of each kind."""

    state: Span | None = None
    ghost: Span | None = None
    result: Span | None = None


@define(eq=False)
class Elaborating(ABC):
    """Elaborates the terms of one file, open or with one check's settings.

    closed          whether every parameter has a value and every sort a size
    general         whether it is a proof's: what that generalises has none all the same
    parameter_term  what a parameter stands for
    """

    collector: Collector
    closed: bool
    sort: Callable[[SortEntity], Type]
    parameter_term: Callable[[ParameterEntity, Span], core.Term]
    constant_value: Callable[[core.Term], int | None]
    general: bool = False
    types: TypeTable = field(init=False)
    _functions: dict[object, tuple[core.Function, Reads]] = Factory(dict)
    _open_lets: list[LetEntity] = Factory(list)
    _watchers: list[Reads] = Factory(list)
    indexing: set[str] = Factory(set)
    """Bound names that were used to index an `each` group."""
    bound: dict[str, Span] = Factory(dict)
    """Where each name was last bound, whether it is still known or not."""

    def __attrs_post_init__(self) -> None:
        self.types = TypeTable(
            self.collector, self.closed, self.constant, self.sort, self.general, self.bound_term
        )

    @abstractmethod
    def term(self, term: tree.Term, scope: Scope, hint: Type | None = None) -> core.Term:
        """The term with its type. `hint` types literals (`{}`, `none`); it is not enforced."""

    @abstractmethod
    def condition(self, term: tree.Term, scope: Scope) -> Condition:
        """The term, where a condition is wanted, with what it binds and establishes."""

    def constant(self, term: tree.Term, module: Module) -> int | None:
        """The number a closed term comes to; None while a parameter is open, or after an error."""
        elaborated = self.bound_term(term, module)
        if isinstance(elaborated.type, Nothing):
            return None
        exact = intervals.constant(elaborated.type)
        if exact is not None:
            return exact
        read = read_in(elaborated) if self.general else None
        if read is not None:
            self.collector.error(
                "open-in-type",
                f"a bound of a type depends on `{read}`, which the proof leaves open",
                term.span,
                notes=("bounds depend on numbers, not on sets and maps",),
                help=(f"bound it by a number of its own, or set `{read}` in the proof",),
            )
            return None
        return self.constant_value(elaborated) if self.closed else None

    def bound_term(self, term: tree.Term, module: Module) -> core.Term:
        """A bound of a type as a term."""
        return self.number(term, Scope(module, CLOSED))

    def settled(self, part: core.Term | core.Domain) -> bool:
        """Whether a term or domain without state can be evaluated: all that it names is set."""
        return self.closed and not (self.general and dependence(part) is not None)

    def wanted(self, term: tree.Term, scope: Scope, type_: Type) -> core.Term:
        """The term, where a value of `type_` is wanted."""
        return self.fit(self.term(term, scope, type_), type_, term.span)

    def number(self, term: tree.Term, scope: Scope) -> core.Term:
        """The term, where a number is wanted."""
        elaborated = self.term(term, scope)
        if is_number(elaborated.type) or isinstance(elaborated.type, Nothing):
            return elaborated
        self.collector.error(
            "not-a-number",
            f"{describe(elaborated.type)} where a number is wanted",
            term.span,
            help=("numbers come from literals, ranges, `size`, `len`, `count` and `sum`",),
        )
        return self.wrong(term.span)

    def conjunction(
        self, lines: Sequence[tree.Term], scope: Scope
    ) -> tuple[tuple[core.Term, ...], Scope]:
        """Lines of a body, one after the other: a name bound in one is known in those below."""
        parts: list[core.Term] = []
        lets: Lets = ()
        for line in lines:
            condition = self.condition(line, scope)
            parts.append(wrap(lets, condition.term))
            scope = self.after(condition, scope, line.span)
            lets = lets + condition.lets
        return tuple(parts), scope

    def after(self, condition: Condition, scope: Scope, span: Span) -> Scope:
        """The scope in which a condition is known to be true."""
        scope = scope.know(condition.when_true)
        for name, value in condition.lets:
            ghost = self._is_ghost(value)
            scope = scope.bind(name, Bound(value.type, value.span or span, ghost))
        return scope

    def _is_ghost(self, term: core.Term) -> bool:
        """Whether a matched part comes from a ghost: parts are fields of what was read."""
        match term:
            case core.Get(subject, _):
                return self._is_ghost(subject)
            case core.Item(option):
                return self._is_ghost(option)
            case core.Next(inner):
                return self._is_ghost(inner)
            case core.Lookup(subject, _) | core.At(subject, _):
                return self._is_ghost(subject)
            case core.Read(variable):
                return variable.ghost
            case _:
                return False

    @contextmanager
    def watch(self, *, aside: bool = False) -> Iterator[Reads]:
        """Notes what is read inside; it counts as read outside, too, unless it stands `aside`."""
        reads = Reads()
        self._watchers.append(reads)
        try:
            yield reads
        finally:
            self._watchers.pop()
            if not aside:
                self.note(reads)

    def note(self, reads: Reads) -> None:
        """Count something as read here."""
        if self._watchers:
            outer = self._watchers[-1]
            outer.state = outer.state or reads.state
            outer.ghost = outer.ghost or reads.ghost
            outer.result = outer.result or reads.result

    def wrong(self, span: Span) -> core.Term:
        """Stands for a term with an error."""
        return core.Truth(False, type=NOTHING, span=span)

    def fit(self, term: core.Term, wanted: Type, span: Span) -> core.Term:
        """The term as one of the wanted type: a value becomes an option where one is wanted."""
        if fits(term.type, wanted):
            if not isinstance(wanted, Option) or isinstance(term.type, Nothing):
                return term
            return self.as_option(term, wanted)
        absent = term.type == Option(NOTHING)
        if isinstance(term.type, Option) and agree(term.type.item, wanted) and not absent:
            self.collector.error(
                "option-unopened",
                f"{describe(term.type)} where {describe(wanted)} is wanted",
                span,
                help=(f"match it first: `{shortened(span)} is some(x)` binds `x` to its value",),
            )
        else:
            self.collector.error(
                "type-mismatch",
                f"{describe(term.type)} where {describe(wanted)} is wanted",
                span,
                help=_enclosing(term.type, wanted),
            )
        return self.wrong(span)

    def operands(
        self, left: tree.Term, right: tree.Term, scope: Scope
    ) -> tuple[core.Term, core.Term]:
        """Both sides of an operator; the one tells what a literal on the other holds."""
        if is_literal(left) and not is_literal(right):
            second = self.term(right, scope)
            return self.term(left, scope, second.type), second
        first = self.term(left, scope)
        return first, self.term(right, scope, first.type)

    def alike(
        self, left: tree.Term, right: tree.Term, scope: Scope
    ) -> tuple[core.Term, core.Term] | None:
        """Both sides of a comparison in one representation; None if they cannot be compared."""
        first, second = self.operands(left, right, scope)
        if isinstance(first.type, Nothing) or isinstance(second.type, Nothing):
            return None
        joined = join(first.type, second.type)
        if joined is None and {type(first.type), type(second.type)} == {Set, Bag}:
            joined = first.type
        if joined is None:
            self.collector.error(
                "incomparable",
                f"{describe(first.type)} compared with {describe(second.type)}",
                between(left.span, right.span),
                labels=(
                    Label(left.span, describe(first.type)),
                    Label(right.span, describe(second.type)),
                ),
                help=(
                    "only values of one type can be equal; compare a field, or convert one side",
                ),
            )
            return None
        if isinstance(joined, Option):
            first, second = self.as_option(first, joined), self.as_option(second, joined)
        return first, second

    def as_option(self, term: core.Term, type_: Option) -> core.Term:
        if isinstance(term.type, Option):
            return evolve(term, type=type_) if isinstance(term, core.Absent) else term
        return core.Present(term, type=type_, span=term.span)

    def checked(self, term: core.Term, span: Span) -> core.Term:
        """A number, refused if it might leave 64 bits."""
        if intervals.fits_64_bits(term.type):
            return term
        self.collector.error(
            "number-too-large",
            "a number that may need more than 64 bits",
            span,
            notes=(f"it may lie anywhere in {_shown(term.type)}",),
            help=("give the variables and parameters in it smaller ranges",),
        )
        return self.wrong(span)

    def refuse_shadowing(
        self, name: str, span: Span, scope: Scope, *, matched: bool = False
    ) -> None:
        """Refuse to bind a name that is known; `matched` says that a pattern binds it."""
        self.bound[name] = span
        bound = scope.names.get(name)
        if bound is not None:
            where = bound.span
        else:
            entity = scope.module.find_lower(name)
            if entity is None:
                return
            where = entity.span
        self.collector.error(
            "shadowed-name",
            f"`{name}` already has a meaning here",
            span,
            label="bound again",
            labels=(Label(where, "first meaning"),),
            notes=("a name in a pattern or binder is always a new one",),
            help=(
                f"choose another name, and compare: `... is Form(x) and x == {name}`"
                if matched
                else "choose another name for the new one",
            ),
        )

    def counted(
        self, what: str, type_: Type, span: Span, domain: core.Domain | None = None
    ) -> bool:
        """Whether values of a type can be counted; of one that a proof leaves open they cannot.

        domain  where the values come from, if they are gone through
        """
        if not self.general or is_finite(type_):
            return True
        name = dependence(type_) or dependence(domain)
        self.collector.error(
            "open-count",
            f"`{what}` over something of any size, in a proof",
            span,
            notes=(
                f"the proof leaves `{name}` open, and does not know how many members that gives",
            ),
            help=(
                "say it with `forall`, `exists`, `empty` or `majority`, "
                "or set the size in the proof",
            ),
        )
        return False

    def ghost_read(self, span: Span, scope: Scope, what: str, labels: Sequence[Label] = ()) -> None:
        """A ghost is read: "the ghost `g.total` is read", if that is not permitted here."""
        self.note(Reads(ghost=span))
        if not scope.site.ghosts:
            self.collector.error(
                "ghost-read",
                f"{what} in {scope.site.word}",
                span,
                labels=labels,
                notes=("a ghost records history for properties; it must not change behaviour",),
                help=("drop `ghost` from the variable if the protocol consults it",),
            )


def is_literal(term: tree.Term) -> bool:
    """Whether the term's type may depend on what it is compared with."""
    match bare(term):
        case tree.SetLiteral() | tree.SeqLiteral() | tree.NoneLiteral() | tree.Comprehension():
            return True
        case _:
            return False


def bare(term: tree.Term) -> tree.Term:
    while isinstance(term, tree.Parenthesized):
        term = term.inner
    return term


def _shown(type_: Type) -> str:
    assert isinstance(type_, Range)
    return f"{_bound(type_.low)}..{_bound(type_.high)}"


def _bound(number: int) -> str:
    if abs(number) < 10**21:
        return str(number)
    return f"{'-' if number < 0 else ''}2^{abs(number).bit_length() - 1}"


def _enclosing(type_: Type, wanted: Type) -> tuple[str, ...]:
    """What to do if one element stands where a collection of such is wanted, or `none`."""
    if type_ == Option(NOTHING):
        return ("write a `?` behind the declared type if the value may be absent",)
    match wanted:
        case Set(element) | Bag(element) if agree(type_, element):
            return ("put braces around it: one element is no set",)
        case Seq(element) if agree(type_, element):
            return ("put brackets around it: one element is no sequence",)
        case _:
            return ()


def between(left: Span, right: Span) -> Span:
    """The operator between two operands; both and what is between them, if it is not alone."""
    gap = Span(left.source, left.end, right.start)
    operator = gap.text.strip()
    if gap.start > gap.end or not operator or " " in operator or "\n" in operator:
        return left.to(right)
    start = gap.start + gap.text.index(operator)
    return Span(left.source, start, start + len(operator))


def shortened(span: Span) -> str:
    """The user's own term, to be repeated in a help; `...` if it is long."""
    text = " ".join(span.text.split())
    return text if len(text) <= 30 else "..."
