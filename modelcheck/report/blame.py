"""Why a predicate is false: its smallest false part, and the values that part was given.

From the predicate down: the first false conjunct, the first choice for which a
`forall` fails (kept as a witness), the right side of an implication, the
branch an `if` took, the body of a `let`. Where no single part is to blame, as
in a disjunction, the values of all of them are given. Of an `exists` that
fails the first choices are gone through, each with what is false for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import Factory, define, evolve, frozen

from modelcheck.core.choices import choices
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.meaning import Meanings
from modelcheck.core.terms import (
    Absent,
    And,
    Binder,
    Call,
    Compare,
    Equal,
    Exists,
    Forall,
    Function,
    Get,
    If,
    Implies,
    In,
    IsEmpty,
    IsForm,
    IsPresent,
    Item,
    Let,
    Majority,
    Make,
    Next,
    Not,
    Number,
    Or,
    Present,
    SetOf,
    Subset,
    Term,
    Truth,
    Universe,
)
from modelcheck.core.values import Value, show
from modelcheck.report.text import visible
from modelcheck.source import Span

_MOST_CHOICES = 3  # of an `exists` that fails


@frozen
class Part:
    """A piece of the user's text, and the value it had."""

    span: Span
    value: str


@frozen
class Blame:
    """
    span       the smallest part that decides, None if no place is known
    value      of that part: below a `not` it is true of what is false
    parts      what it compares, with the values
    witnesses  names chosen on the way there, with their values: ("n", "n2")
    calls      the calls of `let`s that lead there; the value says with which arguments: "k = 2"
    choices    of a quantifier that is a part what decides it: "for n = n1: `n.up` is false"
    """

    span: Span | None
    value: bool
    parts: tuple[Part, ...]
    witnesses: tuple[tuple[str, str], ...]
    calls: tuple[Part, ...]
    choices: tuple[str, ...] = ()


def blame(term: Term, frame: Frame) -> Blame:
    """Why the predicate is false in the frame (or true, if it is true)."""
    search = _Search()
    value = bool(search.meanings.of(term)(frame))
    return search.explain(term, frame, value)


def clause(why: Blame, known: Iterable[str] = ()) -> str:
    """The blame in one clause: `service.granted < MAX` is false (`service.granted` is 2)

    known  names whose values have been said
    """
    text = "it" if why.span is None else quoted(why.span)
    values = [f"{name} = {shown}" for name, shown in why.witnesses]
    known = {*known, *(name for name, _ in why.witnesses)}
    values += [
        f"{quoted(part.span)} is {part.value}"
        for part in why.parts
        if part.span != why.span and part.span.text not in known
    ]
    said = f"{text} is {_word(why.value)}"
    return f"{said} ({', '.join(values)})" if values else said


def quoted(span: Span) -> str:
    """The user's text in backticks, on one line."""
    return f"`{' '.join(span.text.split())}`"


def _word(value: bool) -> str:
    return "true" if value else "false"


@define
class _Search:
    meanings: Meanings = Factory(Meanings)
    witnesses: list[tuple[str, str]] = Factory(list)
    calls: list[Part] = Factory(list)
    choices: list[str] = Factory(list)

    def explain(self, term: Term, frame: Frame, value: bool) -> Blame:
        """Why `term` has the value that it has."""
        of = self.meanings.of
        match term:
            case Not(operand):
                why = self.explain(operand, frame, not value)
                written_as_one = operand.span == term.span == why.span  # `!=`, `not in`, `is not`
                return evolve(why, value=value) if written_as_one else why
            case And(operands) if not value:
                return self.explain(self._first(operands, frame, False), frame, False)
            case Or(operands) if value:
                return self.explain(self._first(operands, frame, True), frame, True)
            case Implies(_, right) if not value:
                return self.explain(right, frame, False)
            case Forall(_, body) if not value:
                return self._choose(term, body, frame, value)
            case Exists(_, body) if value:
                return self._choose(term, body, frame, value)
            case If(condition, then, otherwise):
                return self.explain(then if of(condition)(frame) else otherwise, frame, value)
            case Let(name, bound, body):
                frame.names[name] = of(bound)(frame)
                return self.explain(body, frame, value)
            case Next(inner):
                return self.explain(inner, _after(frame), value)
            case Call(function, arguments):
                given = [of(argument)(frame) for argument in arguments]
                names = {n: v for (n, _), v in zip(function.parameters, given, strict=True)}
                if term.span is not None:
                    self.calls.append(Part(term.span, _arguments(function, names)))
                inside = Frame(frame.state, names, frame.after, frame.result)
                return self.explain(function.body, inside, value)
            case _:
                return self._leaf(term, frame, value)

    def _first(self, operands: tuple[Term, ...], frame: Frame, value: bool) -> Term:
        return next(each for each in operands if bool(self.meanings.of(each)(frame)) is value)

    def _choose(self, term: Forall | Exists, body: Term, frame: Frame, value: bool) -> Blame:
        for _ in choices(term.binders, self.meanings.of)(frame):
            if bool(self.meanings.of(body)(frame)) is value:
                self.witnesses += _chosen(term.binders, frame)
                return self.explain(body, frame, value)
        raise AssertionError("a quantifier's value comes from one of its choices")

    def _leaf(self, term: Term, frame: Frame, value: bool) -> Blame:
        parts = tuple(dict.fromkeys(self._parts(term, frame)))
        if not parts and term.span is not None:
            parts = (Part(term.span, _word(value)),)
        witnesses, calls = tuple(self.witnesses), tuple(self.calls)
        return Blame(term.span, value, parts, witnesses, calls, tuple(self.choices))

    def _go_through(self, term: Forall | Exists, frame: Frame, value: bool) -> Iterator[str]:
        """What decides a quantifier: a choice that settles it, or the first of all there are."""
        settled = value is isinstance(term, Exists)
        of = self.meanings.of
        frame = evolve(frame, names=dict(frame.names))
        said = 0
        for _ in choices(term.binders, of)(frame):
            if bool(of(term.body)(frame)) is not value:
                continue
            if said == _MOST_CHOICES:
                yield "and so on for the other choices"
                return
            inside = evolve(frame, names=dict(frame.names))
            why = _Search(self.meanings).explain(term.body, inside, value)
            chosen = dict(_chosen(term.binders, frame))
            with_ = ", ".join(f"{name} = {shown}" for name, shown in chosen.items())
            yield f"for {with_}: {clause(why, chosen)}"
            said += 1
            if settled:
                return
        if not said:
            yield f"there is no {' and '.join(f'`{b.name}`' for b in term.binders)} to choose"

    def _parts(self, term: Term, frame: Frame) -> Iterator[Part]:
        """The operands of what is compared, with their values; constants speak for themselves."""
        match term:
            case Equal(left, right) | Subset(left, right):
                yield from self._values((left, right), frame)
            case Compare(_, left_, right_):
                yield from self._values((*left_, *right_), frame)
            case In(element, collection):
                yield from self._values((element, collection), frame)
            case IsForm(subject):
                yield from self._values((subject,), frame)
            case IsPresent(option):
                yield from self._values((option,), frame)
            case IsEmpty(inner) | Majority(inner):
                yield from self._values((inner,), frame)
            case And(operands) | Or(operands):
                for operand in operands:
                    yield from self._parts(operand, frame)
            case Implies(left, right):
                yield from self._parts(left, frame)
                yield from self._parts(right, frame)
            case Not(operand):
                yield from self._parts(operand, frame)
            case Next(inner):
                yield from self._parts(inner, _after(frame))
            case Forall() | Exists():
                for part in self._values((term,), frame):
                    value = part.value == _word(True)
                    if not (value and isinstance(term, Forall)):
                        self.choices += self._go_through(term, frame, value)
                    yield part
            case Let(name, bound, body):
                try:
                    frame.names[name] = self.meanings.of(bound)(frame)
                except Failed:
                    return
                yield from self._parts(body, frame)
            case _:
                yield from self._values((term,), frame)

    def _values(self, terms: tuple[Term, ...], frame: Frame) -> Iterator[Part]:
        for part in terms:
            term = _whole(part)
            if term.span is None or _is_constant(term):
                continue
            try:
                value = self.meanings.of(term)(frame)
            except Failed:  # beyond where evaluation stopped
                continue
            yield Part(term.span, visible(show(term.type, value)))


def _whole(term: Term) -> Term:
    """The term that the text at its place stands for: a pattern tests parts of its subject."""
    while True:
        match term:
            case Get(inner) | Item(inner) if inner.span == term.span:
                term = inner
            case _:
                return term


def _chosen(binders: Sequence[Binder], frame: Frame) -> list[tuple[str, str]]:
    return [(b.name, visible(show(b.type, frame.names[b.name]))) for b in binders]


def _arguments(function: Function, names: dict[str, Value]) -> str:
    shown = ((name, visible(show(type_, names[name]))) for name, type_ in function.parameters)
    return ", ".join(f"{name} = {value}" for name, value in shown)


def _after(frame: Frame) -> Frame:
    assert frame.after is not None, "only a step has a state after"
    return Frame(frame.after, frame.names, None, frame.result)


def _is_constant(term: Term) -> bool:
    match term:
        case Number() | Truth() | Absent() | Universe():
            return True
        case Make(_, items) | SetOf(items):
            return all(map(_is_constant, items))
        case Present(item):
            return _is_constant(item)
        case _:
            return False
