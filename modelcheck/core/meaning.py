"""The meaning of a term: a function from frames to values.

Denotational: a term's meaning is put together from the meanings of its parts,
once, and then applied to as many frames as there are states. Connectives, `if`
and quantifiers stop early, left to right and in domain order; everything else
evaluates all its parts from left to right. A term without a value raises
`Failed`.

This file has reading, unions, connectives and numbers; `containers` and
`choices` have the rest.
"""

from __future__ import annotations

import operator
from typing import Any, TypeAlias, assert_never

from modelcheck.core.choices import quantified_meaning
from modelcheck.core.clauses import NO_ITEM, NO_RESULT, division_clause, no_field_clause
from modelcheck.core.containers import container_meaning
from modelcheck.core.fits import Judge, judge
from modelcheck.core.frame import Frame, Meaning, Of, no_key, undefined
from modelcheck.core.terms import (
    Absent,
    And,
    Arithmetic,
    At,
    BagOf,
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
from modelcheck.core.types import Form, Sort, Union
from modelcheck.core.values import NONE, key_positions, values_of


class Meanings:
    """The meanings of the terms and functions of one model, each built once.

    Keyed by identity: to compare two terms is to walk them.
    """

    def __init__(self) -> None:
        self._terms: dict[int, tuple[Term, Meaning]] = {}
        self._calls: dict[int, tuple[Function, Meaning]] = {}

    def of(self, term: Term) -> Meaning:
        """The term's meaning."""
        known = self._terms.get(id(term))
        if known is None:
            # The term is kept beside its meaning, so that no other can get its id.
            known = self._terms[id(term)] = (term, self._build(term))
        return known[1]

    def of_function(self, function: Function) -> Meaning:
        """The meaning of a function's body, in a frame that has its parameters."""
        known = self._calls.get(id(function))
        if known is None:
            known = self._calls[id(function)] = (function, _function(function, self.of))
        return known[1]

    def _build(self, term: Term) -> Meaning:
        match term:
            case Truth() | Number() | Absent() | Parameter() | Universe():
                return _constant(term)
            case Name() | Read() | Next() | Result() | Let():
                return _reading(term, self.of)
            case Call():
                return _call(term, self.of, self.of_function(term.function))
            case Make() | Present() | IsPresent() | Item() | IsForm() | Get() | Replace():
                return _union(term, self.of)
            case Not() | And() | Or() | Implies() | If():
                return _connective(term, self.of)
            case Equal() | Compare() | Arithmetic() | ExtremeOfTwo():
                return _relation(term, self.of)
            case (
                SetOf() | BagOf() | SeqOf() | MapOf() | In() | Subset() | Combine() | Size()
                | IsEmpty() | Extreme() | Majority() | At() | Slice() | End() | Rest() | Prefix()
                | Concat() | Lookup() | Multiplicity()
            ):  # fmt: skip
                return container_meaning(term, self.of)
            case Collect() | Forall() | Exists() | Count() | Sum() | The():
                return quantified_meaning(term, self.of)
            case _:
                assert_never(term)


_Constant: TypeAlias = Truth | Number | Absent | Parameter | Universe
_Reading: TypeAlias = Name | Read | Next | Result | Let
_Union: TypeAlias = Make | Present | IsPresent | Item | IsForm | Get | Replace
_Connective: TypeAlias = Not | And | Or | Implies | If
_Relation: TypeAlias = Equal | Compare | Arithmetic | ExtremeOfTwo


def _constant(term: _Constant) -> Meaning:
    match term:
        case Truth() | Number():
            value = term.value
            return lambda frame: value
        case Absent():
            return lambda frame: NONE
        case Universe():
            universe = values_of(term.of)
            return lambda frame: universe
        case Parameter():
            raise ValueError(f"the parameter {term.name} is not set: the model is not closed")
        case _:
            assert_never(term)


# --- reading -----------------------------------------------------------------------


def _reading(term: _Reading, of: Of) -> Meaning:
    match term:
        case Name():
            name = term.name
            return lambda frame: frame.names[name]
        case Read():
            return _read(term, of)
        case Next():
            return _next(of(term.term))
        case Result():
            return _result(term)
        case Let():
            return _let(term.name, of(term.value), of(term.body))
        case _:
            assert_never(term)


def _read(term: Read, of: Of) -> Meaning:
    position = term.variable.position
    if term.index is None:
        return lambda frame: frame.state[position]
    index, index_type, span = of(term.index), term.index.type, term.span
    key = term.variable.owner.key
    assert key is not None, "only variables of an `each` group have an index"
    if isinstance(key, Sort):  # a member is its own position
        return lambda frame: frame.state[position][index(frame)]  # type: ignore[index]

    positions = key_positions(key)

    def read(frame: Frame) -> Any:
        members: Any = frame.state[position]
        member = index(frame)
        member_slot = positions.get(member)
        if member_slot is None:
            raise no_key(key, member, index_type, span)
        return members[member_slot]

    return read


def _next(body: Meaning) -> Meaning:
    def later(frame: Frame) -> Any:
        assert frame.after is not None, "only a step has a state after"
        return body(Frame(frame.after, frame.names, None, frame.result))

    return later


def _result(term: Result) -> Meaning:
    def result(frame: Frame) -> Any:
        if not frame.result:
            raise undefined(NO_RESULT, term.span)
        return frame.result[0]

    return result


def _let(name: str, value: Meaning, body: Meaning) -> Meaning:
    def let(frame: Frame) -> Any:
        frame.names[name] = value(frame)
        return body(frame)

    return let


def _function(function: Function, of: Of) -> Meaning:
    body = of(function.body)
    fit = judge(function.result, f"`{function.name}`", "would return", function.body.span)
    if fit is None:
        return body

    def judged(frame: Frame) -> Any:
        value = body(frame)
        fit(value)
        return value

    return judged


def _call(term: Call, of: Of, body: Meaning) -> Meaning:
    parameters = [
        (
            name,
            of(argument),
            judge(type_, f"`{name}` of `{term.function.name}`", "would be", argument.span),
        )
        for (name, type_), argument in zip(term.function.parameters, term.arguments, strict=True)
    ]

    def call(frame: Frame) -> Any:
        names = {}
        for name, argument, fit in parameters:
            names[name] = value = argument(frame)
            if fit is not None:
                fit(value)
        return body(Frame(frame.state, names, frame.after, frame.result))

    return call


# --- unions, options ---------------------------------------------------------------


def _union(term: _Union, of: Of) -> Meaning:
    match term:
        case Make():
            return _make(term, of)
        case Present():
            item = of(term.item)
            return lambda frame: (item(frame),)
        case IsPresent():
            option = of(term.option)
            return lambda frame: option(frame) != NONE
        case Item():
            return _item(term, of)
        case IsForm():
            subject, form = of(term.subject), term.form
            return lambda frame: subject(frame)[0] == form
        case Get():
            return _get(term, of)
        case Replace():
            return _replace(term, of)
        case _:
            assert_never(term)


def _make(term: Make, of: Of) -> Meaning:
    assert isinstance(term.type, Union)
    form, number = term.type.forms[term.form], term.form
    if not form.fields:
        value = (number,)
        return lambda frame: value
    fields = [
        (of(argument), judge_field(form, field.name, argument))
        for field, argument in zip(form.fields, term.arguments, strict=True)
    ]

    def make(frame: Frame) -> Any:
        made = [number]
        for argument, fit in fields:
            value = argument(frame)
            if fit is not None:
                fit(value)
            made.append(value)
        return tuple(made)

    return make


def judge_field(form: Form, name: str, value: Term) -> Judge | None:
    """What judges the value put into a form's field; None if the form has no such field."""
    index = form.position(name)
    if index is None:
        return None
    return judge(form.fields[index].type, f"`{name}` of `{form.name}`", "would be", value.span)


def _item(term: Item, of: Of) -> Meaning:
    option, span = of(term.option), term.span

    def item(frame: Frame) -> Any:
        value = option(frame)
        if not value:
            raise undefined(NO_ITEM, span)
        return value[0]

    return item


def position_in(union: Union, name: str) -> list[int | None]:
    """For each form of a union, where its field `name` is in a value; None if it has none."""

    def place(form: Form) -> int | None:
        index = form.position(name)
        return None if index is None else index + 1

    return [place(form) for form in union.forms]


def _get(term: Get, of: Of) -> Meaning:
    subject, union, name, span = of(term.subject), term.subject.type, term.field, term.span
    assert isinstance(union, Union)
    places = position_in(union, name)

    def get(frame: Frame) -> Any:
        value = subject(frame)
        place = places[value[0]]
        if place is None:
            raise undefined(no_field_clause(name, union.forms[value[0]].name), span)
        return value[place]

    return get


def _replace(term: Replace, of: Of) -> Meaning:
    subject, union = of(term.subject), term.type
    assert isinstance(union, Union)
    fields = [(position_in(union, name), name, of(value)) for name, value in term.fields]
    judges = [
        [judge_field(form, name, value) for name, value in term.fields] for form in union.forms
    ]

    def replace(frame: Frame) -> Any:
        old = subject(frame)
        form, new = old[0], list(old)
        for (places, name, meaning), fit in zip(fields, judges[form], strict=True):
            place = places[form]
            if place is None:
                raise undefined(no_field_clause(name, union.forms[form].name), term.span)
            new[place] = value = meaning(frame)
            if fit is not None:
                fit(value)
        return tuple(new)

    return replace


# --- connectives, numbers ----------------------------------------------------------


def _connective(term: _Connective, of: Of) -> Meaning:
    match term:
        case Not():
            operand = of(term.operand)
            return lambda frame: not operand(frame)
        case And():
            return _and([of(each) for each in term.operands])
        case Or():
            return _or([of(each) for each in term.operands])
        case Implies():
            left, right = of(term.left), of(term.right)
            return lambda frame: not left(frame) or right(frame)
        case If():
            condition, then, otherwise = of(term.condition), of(term.then), of(term.otherwise)
            return lambda frame: then(frame) if condition(frame) else otherwise(frame)
        case _:
            assert_never(term)


def _and(operands: list[Meaning]) -> Meaning:
    def conjunction(frame: Frame) -> bool:
        for operand in operands:  # noqa: SIM110  (a generator here would cost a frame per depth)
            if not operand(frame):
                return False
        return True

    return conjunction


def _or(operands: list[Meaning]) -> Meaning:
    def disjunction(frame: Frame) -> bool:
        for operand in operands:  # noqa: SIM110
            if operand(frame):
                return True
        return False

    return disjunction


def _relation(term: _Relation, of: Of) -> Meaning:
    match term:
        case Equal():
            left, right = of(term.left), of(term.right)
            return lambda frame: left(frame) == right(frame)
        case Compare():
            return _compare(term, of)
        case Arithmetic():
            return _arithmetic(term, of)
        case ExtremeOfTwo():
            extreme = min if term.which == "min" else max
            left, right = of(term.left), of(term.right)
            return lambda frame: extreme(left(frame), right(frame))
        case _:
            assert_never(term)


_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _compare(term: Compare, of: Of) -> Meaning:
    holds = _COMPARISONS[term.operator]
    if len(term.left) == 1:
        left, right = of(term.left[0]), of(term.right[0])
        return lambda frame: holds(left(frame), right(frame))
    lefts, rights = [of(each) for each in term.left], [of(each) for each in term.right]
    return lambda frame: holds([m(frame) for m in lefts], [m(frame) for m in rights])


def _arithmetic(term: Arithmetic, of: Of) -> Meaning:
    left, right = of(term.left), of(term.right)
    match term.operator:
        case "+":
            return lambda frame: left(frame) + right(frame)
        case "-":
            return lambda frame: left(frame) - right(frame)
        case "*":
            return lambda frame: left(frame) * right(frame)
        case "div" | "mod":
            return _division(term, left, right)
        case _:
            assert_never(term.operator)


def _division(term: Arithmetic, left: Meaning, right: Meaning) -> Meaning:
    # By a positive divisor, Python's own division is the Euclidean one.
    divide = operator.floordiv if term.operator == "div" else operator.mod

    def division(frame: Frame) -> Any:
        dividend, divisor = left(frame), right(frame)
        if divisor <= 0:
            raise undefined(division_clause(term.operator, divisor), term.span)
        return divide(dividend, divisor)

    return division
