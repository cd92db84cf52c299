"""What the statements of a step do: guards decide, updates write.

Executing a block evaluates its terms in the old state, in the order of the
text, and collects what the step writes; nothing changes yet. `writing` turns
the collection into the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from attrs import Factory, define

from modelcheck.core.choices import choices
from modelcheck.core.events import Event
from modelcheck.core.fits import always_fits, judge
from modelcheck.core.frame import Frame, Meaning, Of, slot
from modelcheck.core.markers import marker_execution
from modelcheck.core.meaning import Meanings
from modelcheck.core.terms import (
    AbandonOperation,
    Assign,
    AtKey,
    Bind,
    CallOperation,
    Change,
    Choice,
    Effect,
    Guard,
    Invoke,
    Lose,
    Place,
    Repeat,
    ReturnOperation,
    Statement,
    Term,
)
from modelcheck.core.values import Value
from modelcheck.core.variables import Owner
from modelcheck.core.writing import Write
from modelcheck.source import Span

if TYPE_CHECKING:
    from modelcheck.core.linearizing import Tracker


@define(eq=False)
class Written:
    """What the statements of a step have asked for so far.

    touched   the owner (and member) of each write, the first of them being the process
    lost      owners, and members (None: all), whose volatile variables are reset
    returned  what the step's operation returned, and where
    events    calls, returns and abandoned operations, in order
    history   the number of the history after them; None if there were none
    """

    writes: list[Write] = Factory(list)
    touched: list[tuple[Owner, Value | None]] = Factory(list)
    lost: list[tuple[Owner, Value | None]] = Factory(list)
    returned: list[tuple[tuple[Value, ...], Span | None]] = Factory(list)
    events: list[Event] = Factory(list)
    history: int | None = None


Execution: TypeAlias = Callable[[Frame, Written], None]


class Statements:
    """The executions of the statements of one model, each built once.

    tracker   of the histories of calls and returns; None if nobody asks for them
    returned  positions of the claims of whose objects an operation has returned
    """

    def __init__(self, meanings: Meanings, tracker: Tracker | None = None) -> None:
        self._meanings, self._tracker = meanings, tracker
        self.returned: set[int] = set()
        self._effects: dict[int, tuple[Effect, Execution]] = {}

    def block(self, statements: Sequence[Statement]) -> Execution:
        """The statements one after the other."""
        executions = [self._build(statement) for statement in statements]

        def execute(frame: Frame, written: Written) -> None:
            for execution in executions:
                execution(frame, written)

        return execute

    def _effect(self, effect: Effect) -> Execution:
        known = self._effects.get(id(effect))
        if known is None:
            known = self._effects[id(effect)] = (effect, self.block(effect.body))
        return known[1]

    def _build(self, statement: Statement) -> Execution:
        of = self._meanings.of
        match statement:
            case Guard():
                raise ValueError("a guard stands before every update, and in no block")
            case Bind():
                return _bind(statement.name, of(statement.value))
            case Assign():
                return _write(":=", statement.place, statement.value, statement.span, of)
            case Change():
                return _write(
                    statement.operator, statement.place, statement.value, statement.span, of
                )
            case Choice():
                then, otherwise = self.block(statement.then), self.block(statement.otherwise)
                return _choice(of(statement.condition), then, otherwise)
            case Repeat():
                return self._repeat(statement)
            case Lose():
                return _lose(statement, of)
            case Invoke():
                return self._invoke(statement)
            case CallOperation() | ReturnOperation() | AbandonOperation():
                return marker_execution(statement, of, self._tracker, self.returned)
            case _:
                assert_never(statement)

    def _repeat(self, statement: Repeat) -> Execution:
        walk, body = choices(statement.binders, self._meanings.of), self.block(statement.body)

        def repeat(frame: Frame, written: Written) -> None:
            for _ in walk(frame):
                body(frame, written)

        return repeat

    def _invoke(self, statement: Invoke) -> Execution:
        effect, body = statement.effect, self._effect(statement.effect)
        parameters = [
            (
                name,
                self._meanings.of(argument),
                judge(type_, f"`{name}` of `{effect.name}`", "would be", argument.span),
            )
            for (name, type_), argument in zip(effect.parameters, statement.arguments, strict=True)
        ]

        def invoke(frame: Frame, written: Written) -> None:
            names = {}
            for name, argument, fit in parameters:
                names[name] = value = argument(frame)
                if fit is not None:
                    fit(value)
            body(Frame(frame.state, names), written)

        return invoke


def guard_meaning(statement: Statement, meanings: Meanings) -> Meaning:
    """A guard's condition; a `let` between guards binds, and lets pass."""
    match statement:
        case Guard():
            return meanings.of(statement.condition)
        case Bind():
            name, value = statement.name, meanings.of(statement.value)

            def bind(frame: Frame) -> bool:
                frame.names[name] = value(frame)
                return True

            return bind
        case _:
            raise ValueError("a guard stands before every update")


def _bind(name: str, value: Meaning) -> Execution:
    def bind(frame: Frame, written: Written) -> None:
        frame.names[name] = value(frame)

    return bind


def _choice(condition: Meaning, then: Execution, otherwise: Execution) -> Execution:
    def choose(frame: Frame, written: Written) -> None:
        (then if condition(frame) else otherwise)(frame, written)

    return choose


def _lose(statement: Lose, of: Of) -> Execution:
    owner = statement.owner
    index = None if statement.index is None else of(statement.index)
    index_type = None if statement.index is None else statement.index.type

    def lose(frame: Frame, written: Written) -> None:
        member = None
        if index is not None:
            assert owner.key is not None and index_type is not None
            member = index(frame)
            slot(owner.key, member, index_type, statement.span)  # undefined if it is no member
        written.lost.append((owner, member))
        written.touched.append((owner, member))

    return lose


def _write(operator: str, place: Place, value: Term, span: Span | None, of: Of) -> Execution:
    variable, owner, meaning = place.variable, place.variable.owner, of(value)
    may_misfit = not always_fits(place.type)
    index = None if place.index is None else of(place.index)
    index_type = None if place.index is None else place.index.type
    keys: list[Any] = [
        (of(step.key), step.key.type) if isinstance(step, AtKey) else step.name
        for step in place.path
    ]

    def write(frame: Frame, written: Written) -> None:
        member = member_slot = None
        if index is not None:
            assert owner.key is not None and index_type is not None
            member = index(frame)
            member_slot = slot(owner.key, member, index_type, place.span)
        path = tuple(key if isinstance(key, str) else (key[0](frame), key[1]) for key in keys)
        new = meaning(frame)
        written.writes.append(
            Write(operator, place, member, member_slot, path, new, span, may_misfit)
        )
        written.touched.append((owner, member))

    assert (owner.key is None) == (index is None), f"{variable.full_name}: an index if `each`"
    return write
