"""Statements as formulas: what a step writes, and the state after it.

As in `core/statements.py` and `core/writing.py`: a block collects its writes in
the old state, and all take effect at once. A `for` over values of any number is
a write with variables of the solver, at every place that some of them hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

from attrs import define, field, frozen

from modelcheck.core.terms import (
    AbandonOperation,
    Assign,
    AtField,
    AtKey,
    Bind,
    CallOperation,
    Change,
    Choice,
    Guard,
    Invoke,
    Lose,
    Place,
    Repeat,
    ReturnOperation,
    Statement,
    Term,
)
from modelcheck.core.types import Type
from modelcheck.core.variables import Owner
from modelcheck.prove.algebra import (
    Expr,
    both,
    either,
    every,
    negated,
)
from modelcheck.prove.choices import accepted, alternatives, bind_lets
from modelcheck.prove.containers import is_key
from modelcheck.prove.fitting import covers, judge
from modelcheck.prove.frame import Frame
from modelcheck.prove.symbols import (
    Sym,
    Unsupported,
    merge,
)

Into: TypeAlias = "str | tuple[Sym, Type]"
"""A step of a path: the name of a field, or a key and its type."""


@frozen(eq=False)
class Write:
    """
    condition  when it is executed
    variables  of the solver, for all of which it is executed; usually none
    source     the type of what is written
    """

    condition: Expr
    variables: tuple[Any, ...]
    operator: str
    place: Place
    member: Sym | None
    path: tuple[Into, ...]
    value: Sym
    source: Type


@define(eq=False)
class Written:
    """What the statements of a step have asked for so far.

    base   how much of the reach's path belongs to the guards
    outer  the conditions and variables of the quantifiers around
    """

    base: int
    writes: list[Write] = field(factory=list)
    lost: list[tuple[Expr, Owner, Sym | None]] = field(factory=list)
    returned: tuple[Expr, Sym] | None = None
    outer: list[tuple[Expr, tuple[Any, ...]]] = field(factory=list)

    def condition(self, frame: Frame) -> Expr:
        """When what stands here is executed."""
        path = frame.reach.path if self.outer else frame.reach.path[self.base :]
        return both(*(condition for condition, _ in self.outer), *path)

    @property
    def variables(self) -> tuple[Any, ...]:
        return tuple(v for _, variables in self.outer for v in variables)


def execute(statements: Sequence[Statement], frame: Frame, written: Written) -> None:
    """The statements one after the other."""
    for statement in statements:
        _execute(statement, frame, written)


def _execute(statement: Statement, frame: Frame, written: Written) -> None:
    match statement:
        case Guard():
            raise ValueError("a guard stands before every update, and in no block")
        case Bind(name, value):
            frame.names[name] = frame.value(value)
        case Assign(place, value):
            _write(":=", place, value, frame, written)
        case Change(place, operator, value):
            _write(operator, place, value, frame, written)
        case Choice(condition, then, otherwise):
            decided = frame.truth(condition)
            if decided is not False:
                with frame.reach.under(decided):
                    execute(then, frame, written)
            if decided is not True:
                with frame.reach.under(negated(decided)):
                    execute(otherwise, frame, written)
        case Repeat(binders, body):
            _repeat(binders, body, frame, written)
        case Lose():
            _lose(statement, frame, written)
        case Invoke():
            _invoke(statement, frame, written)
        case ReturnOperation(value):
            _return(value, frame, written)
        case CallOperation() | AbandonOperation():
            pass  # a history is no part of this encoding's states
        case _:
            assert_never(statement)


def _return(value: Term | None, frame: Frame, written: Written) -> None:
    if value is None:
        return
    result, condition = frame.value(value), written.condition(frame)
    if written.returned is None:
        written.returned = condition, result
    else:
        earlier, first = written.returned
        written.returned = either(earlier, condition), merge(earlier, first, result)


def _repeat(
    binders: Sequence[Any], body: Sequence[Statement], frame: Frame, written: Written
) -> None:
    if not binders:
        execute(body, frame, written)
        return
    first = binders[0]
    for option in alternatives(first, frame, once=True):
        if option.condition is False:
            continue
        frame.names[first.name] = option.value
        if option.variables:
            written.outer.append((_outside(frame, written), option.variables))
        with frame.reach.quantified(option.variables, option.condition):
            fits = accepted(first, frame)
            if fits is not False:
                with frame.reach.under(fits):
                    bind_lets(first, frame)
                    _repeat(binders[1:], body, frame, written)
        if option.variables:
            written.outer.pop()


def _outside(frame: Frame, written: Written) -> Expr:
    """What of the path a quantifier hides."""
    path = frame.reach.path if written.outer else frame.reach.path[written.base :]
    return every(path)


def _invoke(statement: Invoke, frame: Frame, written: Written) -> None:
    effect, names = statement.effect, {}
    for (name, type_), argument in zip(effect.parameters, statement.arguments, strict=True):
        names[name] = value = frame.value(argument)
        judge(type_, value, argument.type, frame)
    execute(effect.body, frame.inside(names), written)


def _lose(statement: Lose, frame: Frame, written: Written) -> None:
    member = None
    if statement.index is not None:
        member = frame.value(statement.index)
        _must_be_key(statement.owner, member, statement.index.type, frame)
    if written.variables:
        raise Unsupported("`lose` for values of any number")
    written.lost.append((written.condition(frame), statement.owner, member))


def _must_be_key(owner: Owner, member: Sym, type_: Type, frame: Frame) -> None:
    assert owner.key is not None
    if not covers(owner.key, type_):
        frame.reach.fail("undefined", negated(is_key(owner.key, member, frame)))


def _write(operator: str, place: Place, value: Term, frame: Frame, written: Written) -> None:
    member = None
    if place.index is not None:
        member = frame.value(place.index)
        _must_be_key(place.variable.owner, member, place.index.type, frame)
    path: list[Into] = []
    for each in place.path:
        match each:
            case AtKey(key):
                path.append((frame.value(key), key.type))
            case AtField(name):
                path.append(name)
            case _:
                assert_never(each)
    new = frame.value(value)
    condition = written.condition(frame)
    if condition is not False:
        written.writes.append(
            Write(
                condition, written.variables, operator, place, member, tuple(path), new, value.type
            )
        )
