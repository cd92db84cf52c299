"""Code that liveness needs: predicates for given values of their names, and steps that say which
fairness instance takes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import evolve, field, frozen

from modelcheck.compile import record
from modelcheck.compile.ir import Operand
from modelcheck.compile.layout import Layout, is_small, layout_of, pack, width
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.mapping import Mapped, abstract_of
from modelcheck.compile.lower.program import Program
from modelcheck.compile.lower.scope import Scope
from modelcheck.core import values as core
from modelcheck.core.model import Action, Invariant, Model, Reachable, Refinement
from modelcheck.core.terms import Guard, Truth
from modelcheck.core.types import Int, Range, Type

Names: TypeAlias = Mapping[str, tuple[Type, core.Value]]
"""Bound names that do not change, with their values."""


@frozen(eq=False)
class Predicate:
    """Something that is true or false of a state, or has no value.

    invariant  broken where it is false, without value where it has none
    names      the values of the names that are bound around it
    through    it speaks of states as this refinement's abstract model sees them
    """

    invariant: Invariant
    names: Names = field(factory=dict)
    through: Refinement | None = None


def key_words(model: Model) -> int:
    """The most words that the arguments of an instance take."""
    return max((_key_words(action) for action in model.actions), default=0)


def _key_words(action: Action) -> int:
    fairness = action.fairness
    if fairness is None:
        return 0
    return sum(record.words_of(action.binders[position].type) for position in fairness.per)


def without_faults(model: Model) -> Model:
    """The model with its faults never enabled, and so with the same states."""
    never = (Guard(Truth(False)),)
    actions = tuple(
        evolve(action, binders=(), body=never, process=None) if action.fault else action
        for action in model.actions
    )
    return evolve(model, actions=actions)


def lower_claims(
    model: Model, predicates: Sequence[Predicate], *, fair: bool = False, detailed: bool = False
) -> Program:
    """Code of the model with its properties, then the predicates, in the place of properties.

    fair  its steps call `@fair`, see `kernel.components`

    Raises Unsupported.
    """
    judged = tuple(each.invariant for each in predicates)
    known = len(model.properties)
    model = evolve(model, properties=(*model.properties, *judged))
    numbered = {known + number: each for number, each in enumerate(predicates)}
    return _Claims(model, detailed, numbered, fair).program()


class _Claims(Mapped):
    """Some properties are predicates, by position."""

    def __init__(
        self, model: Model, detailed: bool, predicates: Mapping[int, Predicate], fair: bool
    ) -> None:
        super().__init__(model, detailed)
        self._predicates, self._fair = predicates, fair
        self._maps: dict[Refinement, tuple[str, Layout]] = {}

    def program(self) -> Program:
        for each in self._predicates.values():
            through = each.through
            if through is not None and through not in self._maps:
                name, layout = f"@map.{len(self._maps)}", layout_of(abstract_of(through))
                self.map_function(through, layout, name)
                self._maps[through] = name, layout
        return super().program()

    def _judge_one(self, number: int, each: Invariant | Reachable) -> None:
        predicate = self._predicates.get(number)
        if predicate is None or predicate.through is None:
            super()._judge_one(number, each)
            return
        f, own = self.f, self.layout
        name, layout = self._maps[predicate.through]
        seen = f.alloca(layout.words + 1, "mapped")
        f.store(0, f.word(seen, layout.words))
        mapped, end = f.label("mapped"), f.label("no.state")
        answer = f.value(f"call i64 {name}(ptr %s, ptr {seen})")
        # Where it cannot be mapped, whoever maps says so.
        f.branch(f.icmp("eq", answer, 0), mapped, end)
        f.begin(mapped)
        self._seen = seen
        self.layout = layout
        super()._judge_one(number, each)
        self.layout = own
        f.begin(end)

    def judged_scope(self, number: int, each: Invariant | Reachable, scope: Scope) -> Scope:
        predicate = self._predicates.get(number)
        if predicate is None:
            return scope
        if predicate.through is not None:
            scope = evolve(scope, state=self._seen)
        for name, (type_, value) in predicate.names.items():
            scope = scope.bind(name, self._constant(type_, value))
        return scope

    def _constant(self, type_: Type, value: core.Value) -> Value:
        if isinstance(type_, Int | Range):
            assert isinstance(value, int)
            return Word(type_, value)
        code = pack(type_, value)
        if is_small(type_):
            return self.from_code(type_, code)
        return Memory(type_, self.constant_bits(code, width(type_)), 0)

    def before_emit(
        self, number: int, action: Action, arguments: Sequence[Value], same: Operand
    ) -> None:
        fairness, f = action.fairness, self.f
        if not self._fair or fairness is None:
            return
        key = f.alloca(max(1, _key_words(action)), "key")

        def call() -> None:
            at = 0
            for position in fairness.per:
                type_ = action.binders[position].type
                at = self.put_words(key, at, self.retype(arguments[position], type_), type_)
            strong = int(fairness.strong)
            f.line(f"call void @fair(ptr %ctx, i64 {number}, i64 {strong}, ptr {key}, i64 {at})")

        f.when(f.icmp("eq", same, 0), call)
