"""Terms as code: values, and tests that jump.

Connectives, `if` and quantifiers are jumps, so they stop early as the meaning
does; whatever ends without a value goes where the scope says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from modelcheck.compile.ir import Flag, Operand
from modelcheck.compile.layout import (
    Layout,
    Unsupported,
)
from modelcheck.compile.lower.bits import Value, Word
from modelcheck.compile.lower.collections import set_type
from modelcheck.compile.lower.containers import ContainerTerms
from modelcheck.compile.lower.kept import Kept
from modelcheck.compile.lower.scope import Scope
from modelcheck.compile.lower.values import ANY, join
from modelcheck.core.clauses import (
    NO_ITEM,
    NO_RESULT,
    division_clause,
    no_field_clause,
    the_clause,
)
from modelcheck.core.terms import (
    Absent,
    And,
    Arithmetic,
    At,
    BagOf,
    Binder,
    Call,
    Collect,
    Combine,
    Compare,
    Concat,
    Count,
    End,
    Equal,
    Exists,
    Extreme,
    ExtremeOfTwo,
    Forall,
    Get,
    If,
    Implies,
    In,
    IsEmpty,
    IsForm,
    IsPresent,
    Item,
    Let,
    Lookup,
    Majority,
    Make,
    MapOf,
    Multiplicity,
    Name,
    Next,
    Not,
    Number,
    Or,
    Parameter,
    Prefix,
    Present,
    Read,
    Replace,
    Rest,
    Result,
    SeqOf,
    SetOf,
    Size,
    Slice,
    Subset,
    Sum,
    Term,
    The,
    Truth,
    Universe,
)
from modelcheck.core.types import (
    BOOL,
    INT,
    NOTHING,
    Bool,
    Option,
    Range,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import cardinality, show
from modelcheck.source import Span

_INLINE_DEPTH = 200


class Terms(ContainerTerms):
    """The code of terms."""

    layout: Layout
    _depth = 0

    # --- entry points ---

    def value(self, term: Term, scope: Scope) -> Value:
        """The term's value; control goes on only where it has one."""
        match term:
            case Truth(value):
                return Word(BOOL, value)
            case Number(value) if isinstance(term.type, Sort):  # a member that no text can name
                return Word(term.type, value)
            case Number(value):
                return Word(Range(value, value), value)
            case Absent():
                assert isinstance(term.type, Option)
                return self.absent(Option(NOTHING))
            case Parameter(name):
                raise ValueError(f"the parameter {name} is not set: the model is not closed")
            case Universe(of):
                return self.all_bits(set_type(of, cardinality(of)))
            case Name(name):
                return scope.names[name]
            case Read():
                return self._read(term, scope)
            case Next(inner):
                assert scope.after is not None, "only a step has a state after"
                later = Scope(scope.after, scope.names, scope.fail, None, scope.result)
                return self.value(inner, later)
            case Result():
                return self._result(term, scope)
            case Let(name, bound, body):
                return self.value(body, scope.bind(name, self.value(bound, scope)))
            case Call():
                return self._call(term, scope)
            case Make() | Present() | Item() | Get() | Replace():
                return self._union_term(term, scope)
            case If():
                return self._if(term, scope)
            case Arithmetic() | ExtremeOfTwo():
                return self._number(term, scope)
            case Count() | Sum():
                return self._aggregate(term, scope)
            case The():
                return self._the(term, scope)
            case (
                SetOf() | BagOf() | SeqOf() | MapOf() | Collect() | Combine() | Size()
                | Extreme() | At() | Slice() | End() | Rest() | Prefix() | Concat() | Lookup()
                | Multiplicity()
            ):  # fmt: skip
                return self._container(term, scope)
            case (
                IsPresent() | IsForm() | Not() | And() | Or() | Implies() | Equal() | Compare()
                | In() | Subset() | IsEmpty() | Majority() | Forall() | Exists()
            ):  # fmt: skip
                return Word(BOOL, self.flag(term, scope))
            case _:
                assert_never(term)

    def flag(self, term: Term, scope: Scope) -> Flag:
        """Whether a boolean term holds, as a value."""
        f = self.f
        match term:
            case Not(operand):
                return f.not_(self.flag(operand, scope))
            case IsPresent(option):
                return self.is_present(self.value(option, scope))
            case IsForm(subject, form):
                return f.icmp("eq", self.tag(self.value(subject, scope)), form)
            case Equal(left, right):
                a = self.value(left, scope)
                return self.equal(a, self.value(right, scope))
            case Compare():
                return self._compare(term, scope)
            case In(element, collection):
                return self._in(element, collection, scope)
            case Subset(left, right):
                a = self.value(left, scope)
                return self.subset(a, self.value(right, scope))
            case IsEmpty(collection):
                return self.is_empty(self.value(collection, scope))
            case Majority():
                return self._majority(term, scope)
            case And() | Or() | Implies() | Forall() | Exists():
                return self._by_jumps(term, scope)
            case If() if isinstance(term.type, Bool):
                return self._by_jumps(term, scope)
            case _:
                value = self.value(term, scope)
                assert isinstance(value, Word)
                return value.flag

    def _by_jumps(self, term: Term, scope: Scope) -> Flag:
        f = self.f
        yes, no, end = f.label("yes"), f.label("no"), f.label("truth")
        self.test(term, scope, yes, no)
        arms: list[tuple[Flag, str]] = []
        for label, flag in ((yes, True), (no, False)):
            f.begin(label)
            if f.reachable:
                arms.append((flag, f.block))
            f.jump(end)
        f.begin(end)
        return f.phi_flag(arms)

    def test(self, term: Term, scope: Scope, yes: str, no: str) -> None:
        """Jump to `yes` where the term holds, to `no` where it does not."""
        f = self.f
        match term:
            case Not(operand):
                self.test(operand, scope, no, yes)
            case And(operands):
                self._all(operands, scope, yes, no)
            case Or(operands):
                for operand in operands:
                    further = f.label("or")
                    self.test(operand, scope, yes, further)
                    f.begin(further)
                f.jump(no)
            case Implies(left, right):
                further = f.label("then")
                self.test(left, scope, further, yes)
                f.begin(further)
                self.test(right, scope, yes, no)
            case If(condition, then, otherwise):
                first, second = f.label("then"), f.label("else")
                self.test(condition, scope, first, second)
                f.begin(first)
                self.test(then, scope, yes, no)
                f.begin(second)
                self.test(otherwise, scope, yes, no)
            case Let(name, bound, body):
                self.test(body, scope.bind(name, self.value(bound, scope)), yes, no)
            case Forall(binders, body):
                self._forall(binders, body, scope, no)
                f.jump(yes)
            case Exists(binders, body):
                self._exists(binders, body, scope, yes)
                f.jump(no)
            case _:
                f.branch(self.flag(term, scope), yes, no)

    def _all(self, operands: Sequence[Term], scope: Scope, yes: str, no: str) -> None:
        for operand in operands:
            further = self.f.label("and")
            self.test(operand, scope, further, no)
            self.f.begin(further)
        self.f.jump(yes)

    def _forall(self, binders: Sequence[Binder], body: Term, scope: Scope, no: str) -> None:
        def one(inner: Scope) -> None:
            further = self.f.label("holds")
            self.test(body, inner, further, no)
            self.f.begin(further)

        self.choices(binders, scope, one, self.weights.of(body))

    def _exists(self, binders: Sequence[Binder], body: Term, scope: Scope, yes: str) -> None:
        def one(inner: Scope) -> None:
            further = self.f.label("fails")
            self.test(body, inner, yes, further)
            self.f.begin(further)

        self.choices(binders, scope, one, self.weights.of(body))

    # --- reading ---

    def _read(self, term: Read, scope: Scope) -> Value:
        entry = self.layout.entries[term.variable.position]
        hint = f"{term.variable.owner.name}.{term.variable.name}"
        if term.index is None:
            return self.read(scope.state, entry.offset, entry.type, hint)
        index = self.value(term.index, scope)
        key = term.variable.owner.key
        assert key is not None
        slot = self.slot(key, index, scope, term.span)
        offset = self.offset_of(entry.offset, entry.stride, slot)
        return self.read(scope.state, offset, entry.type, hint)

    def _result(self, term: Result, scope: Scope) -> Value:
        if scope.result is None:
            self.fail(scope, "undefined", lambda _: NO_RESULT, term.span)
            return self.nothing(term.type)
        value, returned = scope.result
        self.undefined_if(self.f.not_(returned), scope, lambda _: NO_RESULT, term.span)
        return value

    def _call(self, term: Call, scope: Scope) -> Value:
        function = term.function
        names: dict[str, Value] = {}
        for (name, type_), argument in zip(function.parameters, term.arguments, strict=True):
            value = self.value(argument, scope)
            what = f"`{name}` of `{function.name}`"
            names[name] = self.judged(value, type_, scope, what, "would be", argument.span)
        inner = Scope(scope.state, names, scope.fail, scope.after, scope.result)
        self._depth += 1
        if self._depth > _INLINE_DEPTH:
            raise Unsupported("a chain of that many `let`s")
        result = self.value(function.body, inner)
        self._depth -= 1
        return self.judged(
            result, function.result, scope, f"`{function.name}`", "would return", function.body.span
        )

    # --- unions, options ---

    def _union_term(self, term: Make | Present | Item | Get | Replace, scope: Scope) -> Value:
        match term:
            case Make():
                return self._make(term, scope)
            case Present(item):
                return self.present(self.value(item, scope))
            case Item(option):
                value = self.value(option, scope)
                missing = self.f.not_(self.is_present(value))
                self.undefined_if(missing, scope, lambda _: NO_ITEM, term.span)
                return self.item(value)
            case Get():
                return self._get(term, scope)
            case Replace():
                return self._with(term, scope)
            case _:
                assert_never(term)

    def _make(self, term: Make, scope: Scope) -> Value:
        union = term.type
        assert isinstance(union, Union)
        form = union.forms[term.form]
        fields = []
        for field, argument in zip(form.fields, term.arguments, strict=True):
            value = self.value(argument, scope)
            what = f"`{field.name}` of `{form.name}`"
            fields.append(self.judged(value, field.type, scope, what, "would be", argument.span))
        return self.make(union, term.form, fields)

    def _get(self, term: Get, scope: Scope) -> Value:
        subject = self.value(term.subject, scope)
        return self.field_by_form(
            subject, term.field, scope, term.span, lambda form, i: self.field(subject, form, i)
        )

    def field_by_form(
        self,
        subject: Value,
        name: str,
        scope: Scope,
        span: Span | None,
        of: Callable[[int, int], Value],
    ) -> Value:
        """`of(form, index of the field)` of the subject; undefined where its form has none such."""
        f, union = self.f, subject.type
        assert isinstance(union, Union)
        places = [form.position(name) for form in union.forms]
        fields = zip(union.forms, places, strict=True)
        none_type = next(form.fields[p].type for form, p in fields if p is not None)
        tag = self.tag(subject)
        if len(union.forms) == 1 and places[0] is not None:
            return of(0, places[0])
        arms: list[tuple[Value, str]] = []
        ends: list[str] = []
        labels = [f.label("form") for _ in places]
        end, none = f.label("field"), f.label("none")
        f.switch(tag, list(enumerate(labels)), none)
        f.begin(none)
        f.unreachable()
        for number, (place, label) in enumerate(zip(places, labels, strict=True)):
            f.begin(label)
            if place is None:
                clause = no_field_clause(name, union.forms[number].name)
                self.fail(scope, "undefined", lambda _, clause=clause: clause, span)  # type: ignore[misc]
                continue
            value = of(number, place)
            after = f.label("got")
            if f.reachable:
                arms.append((value, after))
            f.jump(after)
            ends.append(after)
        return self.meet(arms, end, none_type)

    def meet(self, arms: list[tuple[Value, str]], end: str, none: Type) -> Value:
        """One of several values, each known at the beginning of its block; goes on at `end`.

        none  a type of the form that the value would have, if there is no arm
        """
        f = self.f
        if not arms:
            f.begin(end)
            return self.nothing(none)
        type_ = arms[0][0].type
        for value, _ in arms[1:]:
            type_ = join(type_, value.type)
        met: list[tuple[Value, str]] = []
        for value, label in arms:
            f.begin(label)
            converted = self.retype(value, type_)
            met.append((converted, f.block))
            f.jump(end)
        f.begin(end)
        return self.phi(type_, met)

    def _with(self, term: Replace, scope: Scope) -> Value:
        f, old, union = self.f, self.value(term.subject, scope), term.type
        assert isinstance(union, Union)
        tag = self.tag(old)
        arms: list[tuple[Value, str]] = []
        labels = [f.label("form") for _ in union.forms]
        none = f.label("none")
        f.switch(tag, list(enumerate(labels)), none)
        f.begin(none)
        f.unreachable()
        for number, label in enumerate(labels):
            f.begin(label)
            if f.reachable:
                new = self._with_in(term, union, number, old, scope)
                after = f.label("got")
                if f.reachable:
                    arms.append((new, after))
                f.jump(after)
        return self.meet(arms, f.label("replaced"), union)

    def _with_in(self, term: Replace, union: Union, number: int, old: Value, scope: Scope) -> Value:
        form = union.forms[number]
        fields = [self.field(old, number, i) for i in range(len(form.fields))]
        for name, replacement in term.fields:
            place = form.position(name)
            if place is None:
                clause = no_field_clause(name, form.name)
                self.fail(scope, "undefined", lambda _, clause=clause: clause, term.span)  # type: ignore[misc]
                return self.nothing(union)
            value = self.value(replacement, scope)
            what = f"`{name}` of `{form.name}`"
            fields[place] = self.judged(
                value, form.fields[place].type, scope, what, "would be", replacement.span
            )
        return self.make(union, number, fields)

    # --- connectives, numbers ---

    def _if(self, term: If, scope: Scope) -> Value:
        f = self.f
        if isinstance(term.type, Bool):
            return Word(BOOL, self._by_jumps(term, scope))
        yes, no = f.label("then"), f.label("else")
        self.test(term.condition, scope, yes, no)
        arms: list[tuple[Value, str]] = []
        for label, side in ((yes, term.then), (no, term.otherwise)):
            f.begin(label)
            if f.reachable:
                value = self.value(side, scope)
                after = f.label("chosen")
                if f.reachable:
                    arms.append((value, after))
                f.jump(after)
        return self.meet(arms, f.label("if"), term.type)

    def _compare(self, term: Compare, scope: Scope) -> Flag:
        f = self.f
        lefts = [self.word(each, scope) for each in term.left]
        rights = [self.word(each, scope) for each in term.right]
        strict = {"<": "slt", "<=": "slt", ">": "sgt", ">=": "sgt"}[term.operator]
        last = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}[term.operator]
        result: Flag = f.icmp(last, lefts[-1], rights[-1])
        for a, b in list(zip(lefts, rights, strict=True))[-2::-1]:
            result = f.any_of(f.icmp(strict, a, b), f.both(f.icmp("eq", a, b), result))
        return result

    def _number(self, term: Arithmetic | ExtremeOfTwo, scope: Scope) -> Value:
        f = self.f
        left, right = self.value(term.left, scope), self.value(term.right, scope)
        assert isinstance(left, Word) and isinstance(right, Word)
        a, b = left.operand, right.operand
        type_ = term.type
        if not isinstance(type_, Range):
            type_ = _interval(term, left.type, right.type)
        if isinstance(term, ExtremeOfTwo):
            predicate = "slt" if term.which == "min" else "sgt"
            return Word(type_, f.select(f.icmp(predicate, a, b), a, b))
        match term.operator:
            case "+":
                return Word(type_, f.add(a, b))
            case "-":
                return Word(type_, f.sub(a, b))
            case "*":
                return Word(type_, f.mul(a, b))
            case "div" | "mod":
                return Word(type_, self._divide(term, left, right, scope))
            case _:
                assert_never(term.operator)

    def _divide(self, term: Arithmetic, left: Word, right: Word, scope: Scope) -> Operand:
        f, operator = self.f, term.operator
        a, b = left.operand, right.operand
        self.undefined_if(
            f.icmp("sle", b, 0),
            scope,
            lambda shown: division_clause(operator, shown[0]),
            term.span,
            [Word(INT, b)],
        )
        if isinstance(a, int) and isinstance(b, int):
            if b <= 0:
                return 0
            return a // b if operator == "div" else a % b
        if not f.reachable:
            return 0
        remainder = f.value(f"srem i64 {a}, {b}")
        wraps = f.icmp("slt", remainder, 0)
        if operator == "mod":
            return f.select(wraps, f.add(remainder, b), remainder)
        quotient = f.value(f"sdiv i64 {a}, {b}")
        return f.select(wraps, f.sub(quotient, 1), quotient)

    # --- over choices ---

    def _aggregate(self, term: Count | Sum, scope: Scope) -> Value:
        f, cell = self.f, self.f.alloca(hint="total")
        f.store(0, cell)

        def one(inner: Scope) -> None:
            if isinstance(term, Sum):
                f.store(f.add(self.word(term.body, inner), f.load(cell)), cell)
                return
            yes, no = f.label("counts"), f.label("next")
            self.test(term.body, inner, yes, no)
            f.begin(yes)
            f.store(f.add(f.load(cell), 1), cell)
            f.begin(no)

        self.choices(term.binders, scope, one, self.weights.of(term.body), occurrences=True)
        unknown = ANY if isinstance(term, Sum) else Range(0, ANY.high)
        return Word(term.type if isinstance(term.type, Range) else unknown, f.load(cell))

    def _the(self, term: The, scope: Scope) -> Value:
        f, binder = self.f, term.binder
        count = f.alloca(hint="fitting")
        f.store(0, count)
        kept: list[Kept] = []

        def one(inner: Scope) -> None:
            yes, no = f.label("fits"), f.label("next")
            self.test(term.body, inner, yes, no)
            f.begin(yes)
            value = inner.names[binder.name]
            if not kept:
                kept.extend([Kept(self, value.type), Kept(self, value.type)])
            number = f.load(count)
            for index, cell in enumerate(kept):
                f.when(
                    f.icmp("eq", number, index),
                    lambda cell=cell: cell.put(value),  # type: ignore[misc]
                )
            f.store(f.add(number, 1), count)
            f.begin(no)

        # Not unrolled: the kept values must have one type, and constants have their own.
        self.choices([binder], scope, one, self.weights.of(term.body))
        number = f.load(count)
        if not kept:
            self.fail(scope, "undefined", lambda _: the_clause(0, ()), term.span)
            return self.nothing(binder.type)
        # Where none fits nothing was kept, and nothing may be shown.
        none = f.icmp("eq", number, 0)
        self.undefined_if(none, scope, lambda _: the_clause(0, ()), term.span)
        shown = [Word(INT, number), *(cell.get() for cell in kept)]
        type_ = shown[1].type

        def describe(values: Sequence[Any]) -> str:
            return the_clause(values[0], tuple(show(type_, value) for value in values[1:]))

        self.undefined_if(f.icmp("ugt", number, 1), scope, describe, term.span, shown)
        return kept[0].get()


def _interval(term: Arithmetic | ExtremeOfTwo, left: Type, right: Type) -> Type:
    """The interval of a result whose term does not know it; ANY where it has none."""
    if not (isinstance(left, Range) and isinstance(right, Range)):
        return ANY
    ends = [(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    if isinstance(term, ExtremeOfTwo):
        choose = min if term.which == "min" else max
        return Range(choose(left.low, right.low), choose(left.high, right.high))
    match term.operator:
        case "+":
            results = [a + b for a, b in ends]
        case "-":
            results = [a - b for a, b in ends]
        case "*":
            results = [a * b for a, b in ends]
        case "div":
            if right.low < 1:
                return ANY
            results = [a // b for a, b in ends]
        case "mod":
            return Range(0, max(0, right.high - 1))
        case _:
            return ANY
    return Range(max(ANY.low, min(results)), min(ANY.high, max(results)))
