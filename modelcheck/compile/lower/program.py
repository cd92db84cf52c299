"""A whole model as code.

    void @judge(ptr s, ptr hits)       a new state: its properties
    i1   @inside(ptr s)                whether it satisfies the constraint
    i1   @accept(ptr s, ptr hits)      whether `init` lets a first state pass
    ptr  @step(...)                    see `steps`
    void @first(ptr out)               the variables that begin with one value
    i64  @choice.N(ptr out)            all values with which variable N may begin, and how many
                                       there are; `out` may be null

Detailed code has an operand more, `ptr rec`, and hands over records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

from modelcheck.compile import record
from modelcheck.compile.histories import histories_of
from modelcheck.compile.ir import Function, Module
from modelcheck.compile.layout import Layout, Unsupported, layout_of
from modelcheck.compile.lower.bits import Value
from modelcheck.compile.lower.judging import Goals
from modelcheck.compile.lower.scope import Scope, Site
from modelcheck.compile.lower.steps import Steps, result_type
from modelcheck.compile.lower.weight import Weights
from modelcheck.core.model import (
    ERROR_KINDS,
    Claim,
    Invariant,
    Linearizable,
    Model,
    Reachable,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.terms import And, Term
from modelcheck.core.types import Type

MOST_CODE = 1_000_000
"""Operations of a model, loops counted once: to compile more takes minutes."""


@frozen(eq=False)
class Program:
    """The code of a model, and what is needed to read what it says.

    choices  positions of the variables that begin with a choice
    """

    model: Model
    module: Module
    layout: Layout
    goals: Goals
    sites: tuple[Site, ...]
    result_types: dict[int, Type]
    argument_words: int
    result_words: int
    payload_words: int
    choices: tuple[int, ...]

    @property
    def record_words(self) -> int:
        """The length of a record."""
        return record.ARGUMENTS + self.argument_words + self.result_words + self.payload_words


def lower(model: Model, *, detailed: bool = False) -> Program:
    """The model's code. Raises Unsupported."""
    return Lowering(model, detailed).program()


class Lowering(Steps):
    """Writes the code of a model into a module of its own."""

    def __init__(self, model: Model, detailed: bool) -> None:
        super().__init__(Module())
        self.model, self.detailed = model, detailed
        self.layout = layout_of(model)
        self.histories = None if model.history is None else histories_of(model.history)
        self.weights = Weights()
        self.goals = Goals(model.properties)
        self.sites: list[Site] = []
        self.result_types: dict[int, Type] = {}
        self.property_names: dict[tuple[object, ...], str] = {}
        self.argument_words = max(
            (sum(record.words_of(b.type) for b in a.binders) for a in model.actions), default=0
        )
        self.result_words = 0
        self.payload_words = 0

    def program(self) -> Program:
        """The program. Raises Unsupported."""
        self._refuse_too_much()
        if self.detailed:
            self.result_words = max(
                map(self._words_returned, range(len(self.model.actions))), default=0
            )
        self.step_function()
        if self.histories is not None:
            self.histories.add_code(self.module)
        self._judge_function()
        self._inside_function()
        self._accept_function()
        choices = self._first()
        return Program(
            self.model,
            self.module,
            self.layout,
            self.goals,
            tuple(self.sites),
            self.result_types,
            self.argument_words,
            self.result_words,
            self.payload_words,
            choices,
        )

    def _refuse_too_much(self) -> None:
        """A `let` is written out wherever it is used: a chain of them may double it each time."""
        model, weights = self.model, Weights(unrolled=False)
        parts: list[object] = [*model.init, model.stops, model.constraint]
        for action in model.actions:
            parts += [*action.binders, *action.body]
        for each in model.properties:
            if isinstance(each, Invariant | Reachable | StepProperty):
                parts += each.parts
        if sum(map(weights.of, parts)) > MOST_CODE:
            raise Unsupported(f"`let`s that unfold to more than {MOST_CODE:,} operations")

    def _words_returned(self, number: int) -> int:
        type_ = result_type(self.model.actions[number])
        return 0 if type_ is None else record.words_of(type_)

    # --- states ---

    def _judge_function(self) -> None:
        extra = ", ptr noalias %rec, ptr %ctx" if self.detailed else ""
        heading = f"internal void @judge(ptr noalias readonly %s, {self.hits_operand}{extra})"
        f = self.f = Function(self.module, heading)
        if self.detailed:
            f.line("%at = alloca ptr, align 8")
            f.store_pointer("null", "%at")
        if self.model.constraint is not None:
            end = f.label("within")
            fail = self._judging_fails(record.CONSTRAINT, 0, end, unclear=False)
            self.test(self.model.constraint, Scope("%s", {}, fail), end, end)
            f.begin(end)
        for number, each in enumerate(self.model.properties):
            match each:
                case Invariant() | Reachable():
                    self._judge_one(number, each)
                case Linearizable() | SequentiallyConsistent():
                    self._judge_claim(number, each)
                case _:
                    pass
        f.ret()
        self.module.add(f)

    def _judging_fails(
        self, what: int, number: int, end: str, *, unclear: bool
    ) -> Callable[[Site, Sequence[Value]], None]:
        def fail(site: Site, shown: Sequence[Value]) -> None:
            kind = ERROR_KINDS.index(site.kind)
            self.record(site, shown)
            self.hit(self.goals.judging + kind)
            if unclear:
                self.hit(self.goals.unclear + number)
            self.note(what, number, kind)
            self.f.jump(end)

        return fail

    def _judge_one(self, number: int, each: Invariant | Reachable) -> None:
        f = self.f
        end, hit = f.label("judged"), f.label("hit")
        fail = self._judging_fails(record.JUDGED, number, end, unclear=True)
        scope = self.judged_scope(number, each, Scope("%s", {}, fail))
        if isinstance(each, Invariant):
            self.speak(number, scope)
            self.hit_unless(number, each.parts, scope, end)
        else:
            self.test(And(each.parts), scope, hit, end)
            f.begin(hit)
            self.hit(number)
        f.begin(end)

    def judged_scope(self, number: int, each: Invariant | Reachable, scope: Scope) -> Scope:
        """What the property is evaluated in."""
        return scope

    def _judge_claim(self, number: int, each: Claim) -> None:
        """The lowest bits of a history's number say which claims are violated in it."""
        f, history = self.f, self.model.history
        assert history is not None, "a model with a claim has a history"
        entry = self.layout.entries[self.model.history_position]
        claim = [claim.name for claim in history.claims].index(each.name)
        bits = self.read_bits("%s", entry.offset, entry.stride, "history")
        f.when(f.truth(f.lshr(bits, claim)), lambda: self.hit(number))

    def _inside_function(self) -> None:
        f = self.f = Function(self.module, "internal i1 @inside(ptr noalias readonly %s)")
        yes, no = f.label("yes"), f.label("no")
        if self.model.constraint is None:
            f.jump(yes)
        else:
            scope = Scope("%s", {}, lambda site, shown: f.jump(no))
            self.test(self.model.constraint, scope, yes, no)
        f.begin(yes)
        f.ret("i1 true")
        f.begin(no)
        f.ret("i1 false")
        self.module.add(f)

    def _accept_function(self) -> None:
        extra = ", ptr noalias %rec, ptr %ctx" if self.detailed else ""
        f = self.f = Function(
            self.module, f"internal i1 @accept(ptr noalias readonly %s, {self.hits_operand}{extra})"
        )
        if self.detailed:
            f.line("%at = alloca ptr, align 8")
            f.store_pointer("null", "%at")

        def fail(site: Site, shown: Sequence[Value]) -> None:
            kind = ERROR_KINDS.index(site.kind)
            self.record(site, shown)
            self.hit(self.goals.initial + kind)
            self.note(record.INIT, 0, kind)
            f.ret("i1 false")

        yes, no = f.label("yes"), f.label("no")
        # The predicates are separate: each is a meaning of its own, asked in order.
        self.test(And(self.model.init), Scope("%s", {}, fail), yes, no)
        f.begin(yes)
        f.ret("i1 true")
        f.begin(no)
        f.ret("i1 false")
        self.module.add(f)

    # --- first values ---

    def _first(self) -> tuple[int, ...]:
        f = self.f = Function(self.module, "void @first(ptr noalias %out)")
        choices: list[int] = []
        for variable, first in zip(self.model.variables, self.model.initial, strict=True):
            entry = self.layout.entries[variable.position]
            if first.value is None:
                choices.append(variable.position)
                continue
            value = self._first_value(first.value, entry.type)
            for copy in range(1 if entry.copies is None else entry.copies):
                self.write("%out", entry.offset + copy * entry.stride, value)
        f.ret()
        self.module.add(f)
        for position in choices:
            self._choice_function(position)
        return tuple(choices)

    def _first_value(self, term: Term, type_: Type) -> Value:
        scope = Scope("null", {}, lambda site, shown: self.f.unreachable())
        return self.coerce(self.value(term, scope), type_, lambda *_: self.f.unreachable())

    def _choice_function(self, position: int) -> None:
        f = self.f = Function(self.module, f"i64 @choice.{position}(ptr noalias %out)")
        type_ = self.layout.entries[position].type
        domain = self.model.initial[position].choice
        assert domain is not None
        words = record.words_of(type_)
        count = f.alloca(hint="count")
        f.store(0, count)

        def put(value: Value) -> None:
            fitting = self.coerce(value, type_, lambda *_: f.unreachable())
            number = f.load(count)
            wanted = f.value("icmp ne ptr %out, null", "c")
            at = f.mul(number, words)

            def store() -> None:
                for i in range(words):
                    f.store(0, f.word("%out", f.add(at, i)))
                self.write(f.word("%out", at), 0, fitting)

            f.when(wanted, store)
            f.store(f.add(number, 1), count)

        scope = Scope("null", {}, lambda site, shown: f.unreachable())
        self.each_value(domain, scope, put, 8)
        f.ret(f"i64 {f.load(count)}")
        self.module.add(f)
