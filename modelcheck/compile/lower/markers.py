"""Markers in a step, `call`, `return` and `abandon`: the history goes on.

A state has the number of its history; the successor's is replaced at every
marker, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from modelcheck.compile import record
from modelcheck.compile.histories import NAME, Histories
from modelcheck.compile.ir import Operand
from modelcheck.compile.layout import width
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.meeting import Meeting
from modelcheck.compile.lower.places import Step
from modelcheck.compile.lower.scope import Scope, Site
from modelcheck.core.clauses import RETURNS_TWICE
from modelcheck.core.linearizing import BITS
from modelcheck.core.model import ERROR_KINDS, Model
from modelcheck.core.terms import AbandonOperation, CallOperation, ReturnOperation, Term
from modelcheck.core.types import INT, Int, Range, Type
from modelcheck.source import Span


class Markers(Meeting):
    """The code of markers. `histories` is None if the model claims nothing of its calls."""

    model: Model
    histories: Histories | None

    # Defined by who records details.
    returned: Callable[[int], None]

    def call_operation(self, statement: CallOperation, scope: Scope, step: Step) -> None:
        """`call reg.write(v) by c`"""
        histories = self.histories
        if histories is None:
            return
        tracker = histories.tracker
        claim, number = tracker.position(statement.object, statement.operation)
        operation = tracker.claims[claim].object.operations[number]
        arguments: list[Value] = []
        for (name, type_), argument in zip(operation.parameters, statement.arguments, strict=True):
            value, what = self.value(argument, scope), f"`{name}` of `{operation.name}`"
            arguments.append(self.judged(value, type_, scope, what, "would be", argument.span))
        caller = self._caller(statement.caller, scope)
        types = [type_ for _, type_ in operation.parameters]
        marker = histories.call(claim, number, types, caller.type)
        self._follow(histories, marker, [caller, *arguments], statement.span, scope, step)

    def return_operation(self, statement: ReturnOperation, scope: Scope, step: Step) -> None:
        """`return v by c`: what the step returns is kept, too."""
        f, histories = self.f, self.histories
        value = None if statement.value is None else self.value(statement.value, scope)
        caller = None
        if histories is not None:
            assert statement.caller is not None, "only an object returns to nobody"
            caller = self._caller(statement.caller, scope)
        self._keep_result(value, statement.span, scope, step)
        if histories is None or caller is None or not f.reachable:
            return
        values, result = [caller], None
        if value is not None:
            assert statement.value is not None
            result = statement.value.type
            values.append(self.retype(value, result))
        marker = histories.give_back(result, caller.type)
        after = self._follow(histories, marker, values, statement.span, scope, step)
        holder = f.lshr(after, BITS)
        for claim in range(len(histories.tracker.claims)):
            f.when(f.icmp("eq", holder, claim), lambda claim=claim: self.returned(claim))  # type: ignore[misc]

    def abandon_operation(self, statement: AbandonOperation, scope: Scope, step: Step) -> None:
        """`abandon c`"""
        if self.histories is not None:
            caller = self._caller(statement.caller, scope)
            marker = self.histories.abandon(caller.type)
            self._follow(self.histories, marker, [caller], statement.span, scope, step)

    def _caller(self, term: Term, scope: Scope) -> Value:
        """Who calls, in the type of the term, so that a caller is one value everywhere."""
        value = self.value(term, scope)
        return value if isinstance(term.type, Int) else self.retype(value, term.type)

    def _keep_result(
        self, value: Value | None, span: Span | None, scope: Scope, step: Step
    ) -> None:
        f = self.f
        assert step.result is not None
        kept, times = step.result
        number = f.load(times)
        first = f.label("first")
        again = f.label("again")
        f.branch(f.icmp("eq", number, 0), first, again)
        f.begin(again)
        if f.reachable:
            scope.fail(Site("two-writes", lambda _: RETURNS_TWICE, None, span, ()), ())
        f.begin(first)
        f.store(1 if value is None else 2, times)
        if value is not None:
            kept.put(self.retype(value, kept.type))

    # --- events ---

    def _follow(
        self,
        histories: Histories,
        marker: int,
        values: Sequence[Value],
        span: Span | None,
        scope: Scope,
        step: Step,
    ) -> Operand:
        """The answer: the number of the history after the event, and more above it."""
        f = self.f
        entry = self.layout.entries[self.model.history_position]
        before = self.read_bits(step.out, entry.offset, entry.stride, "history")
        count = histories.words(marker)
        words, at = f.alloca(count + 1, "event"), 0
        for value in values:
            at = self.put_words(words, at, value, value.type)
        operands = f"i64 {before}, i64 {marker}, ptr {words}, i64 {count}"
        after = f.value(f"call i64 {NAME}({operands})", "history")
        wrong, go_on = f.label("misuse"), f.label("history")
        f.branch(f.icmp("slt", after, 0), wrong, go_on)
        f.begin(wrong)
        self._fail(histories, after, span, scope)
        f.begin(go_on)
        self.write_bits(step.out, entry.offset, entry.stride, f.mask(after, BITS))
        return after

    def _fail(self, histories: Histories, answer: Operand, span: Span | None, scope: Scope) -> None:
        f = self.f

        def describe(shown: Sequence[Any]) -> str:
            return histories.reason(shown[0])

        number = f.urem(f.xor(answer, -1), len(ERROR_KINDS))
        for position, kind in enumerate(ERROR_KINDS):
            this, next_ = f.label(kind.replace("-", ".")), f.label("other")
            last = position == len(ERROR_KINDS) - 1
            f.branch(True if last else f.icmp("eq", number, position), this, next_)
            f.begin(this)
            scope.fail(Site(kind, describe, span, None, (INT,)), [Word(INT, answer)])
            f.begin(next_)

    def put_words(self, base: str, at: int, value: Value, type_: Type) -> int:
        """The value as a number of words behind `base`; returns where the next begins."""
        f = self.f
        if isinstance(type_, Int | Range):
            assert isinstance(value, Word)
            f.store(value.operand, f.word(base, at))
        elif isinstance(value, Word):
            f.store(self.code(value), f.word(base, at))
        else:
            assert isinstance(value, Memory)
            f.store(0, f.word(base, at + record.words_of(type_) - 1))
            self.copy_bits(f.word(base, at), 0, value.base, value.offset, width(type_))
        return at + record.words_of(type_)
