"""Terms as formulas: the meaning of `core/meaning.py`, of a state that is not known.

Connectives, `if` and quantifiers evaluate as little as the language says, so a
term has no value under the same conditions as everywhere; these conditions go
to the `Reach` of the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

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
from modelcheck.core.types import Union
from modelcheck.prove.algebra import (
    Expr,
    at_most,
    both,
    choose,
    either,
    equal,
    implied,
    less,
    minus,
    negated,
    plus,
)
from modelcheck.prove.choices import quantified
from modelcheck.prove.containers import container, entry
from modelcheck.prove.fitting import judge
from modelcheck.prove.frame import Frame
from modelcheck.prove.reach import Reach
from modelcheck.prove.space import Space
from modelcheck.prove.symbols import (
    ABSENT,
    Sym,
    Tagged,
    Unsupported,
    merge,
    present,
    same,
    scalar,
    tagged,
)
from modelcheck.prove.unknowns import anything

_Union: TypeAlias = Make | Present | IsPresent | Item | IsForm | Get | Replace
_Relation: TypeAlias = Equal | Compare | Arithmetic | ExtremeOfTwo


def evaluate(term: Term, frame: Frame) -> Sym:
    """The term's value; where it has none, any, and the frame's `reach` knows when."""
    match term:
        case Truth() | Number():
            return term.value
        case Absent():
            return ABSENT
        case Parameter():
            value: Sym = frame.space.parameter(term.name, term.type)
            return value
        case Name():
            return frame.names[term.name]
        case Read():
            return _read(term, frame)
        case Next():
            assert frame.after is not None, "only a step has a state after"
            return frame.later().value(term.term)
        case Result():
            if frame.result is None:
                raise Unsupported("what an operation returns")
            frame.reach.fail("undefined", negated(frame.result[0]))
            return frame.result[1]
        case Let():
            frame.names[term.name] = frame.value(term.value)
            return frame.value(term.body)
        case Call():
            return _call(term, frame)
        case Make() | Present() | IsPresent() | Item() | IsForm() | Get() | Replace():
            return _union(term, frame)
        case Not() | And() | Or() | Implies() | If():
            return _connective(term, frame)
        case Equal() | Compare() | Arithmetic() | ExtremeOfTwo():
            return _relation(term, frame)
        case (
            Universe() | SetOf() | BagOf() | SeqOf() | MapOf() | In() | Subset() | Combine()
            | Size() | IsEmpty() | Extreme() | Majority() | At() | Slice() | End() | Rest()
            | Prefix() | Concat() | Lookup() | Multiplicity()
        ):  # fmt: skip
            return container(term, frame)
        case Collect() | Forall() | Exists() | Count() | Sum() | The():
            return quantified(term, frame)
        case _:
            assert_never(term)


def frame_of(
    space: Space,
    reach: Reach,
    state: Sequence[Sym],
    names: dict[str, Sym] | None = None,
    after: Sequence[Sym] | None = None,
    result: tuple[Expr, Sym] | None = None,
) -> Frame:
    """What a term about a state or step is evaluated in; see `Frame`."""
    return Frame(evaluate, space, reach, state, names or {}, after, result)


def _read(term: Read, frame: Frame) -> Sym:
    value = frame.state[term.variable.position]
    if term.index is None:
        return value
    key = term.variable.owner.key
    assert key is not None, "only variables of an `each` group have an index"
    return entry(value, key, frame.value(term.index), term.index.type, frame)


def _call(term: Call, frame: Frame) -> Sym:
    function, names = term.function, {}
    for (name, type_), argument in zip(function.parameters, term.arguments, strict=True):
        names[name] = value = frame.value(argument)
        judge(type_, value, argument.type, frame)
    result = frame.inside(names).value(function.body)
    judge(function.result, result, function.body.type, frame)
    return result


# --- unions, options ---------------------------------------------------------------


def _union(term: _Union, frame: Frame) -> Sym:
    match term:
        case Make():
            return _make(term, frame)
        case Present():
            return present(frame.value(term.item))
        case IsPresent():
            return _tagged(term.option, frame).is_form(1)
        case Item():
            option = _tagged(term.option, frame)
            frame.reach.fail("undefined", option.is_form(0))
            fields = option.forms[1]
            return anything(term.type) if fields is None else fields[0]
        case IsForm():
            return _tagged(term.subject, frame).is_form(term.form)
        case Get():
            return _get(term, frame)
        case Replace():
            return _replace(term, frame)
        case _:
            assert_never(term)


def _tagged(term: Term, frame: Frame) -> Tagged:
    value = frame.value(term)
    assert isinstance(value, Tagged)
    return value


def _make(term: Make, frame: Frame) -> Sym:
    assert isinstance(term.type, Union)
    form, fields = term.type.forms[term.form], []
    for each, argument in zip(form.fields, term.arguments, strict=True):
        value = frame.value(argument)
        judge(each.type, value, argument.type, frame)
        fields.append(value)
    return tagged(term.form, len(term.type.forms), tuple(fields))


def _get(term: Get, frame: Frame) -> Sym:
    subject, union = _tagged(term.subject, frame), term.subject.type
    assert isinstance(union, Union)
    result: Sym | None = None
    for number, (form, fields) in enumerate(zip(union.forms, subject.forms, strict=True)):
        position = form.position(term.field)
        if position is None:
            frame.reach.fail("undefined", subject.is_form(number))
        elif fields is not None:
            value = fields[position]
            result = value if result is None else merge(subject.is_form(number), value, result)
    return anything(term.type) if result is None else result


def _replace(term: Replace, frame: Frame) -> Sym:
    old, union = _tagged(term.subject, frame), term.type
    assert isinstance(union, Union)
    new: list[list[Sym] | None] = [None if f is None else list(f) for f in old.forms]
    for name, written in term.fields:
        # A form without the field ends the evaluation before the value is asked for.
        for number, form in enumerate(union.forms):
            if form.position(name) is None:
                frame.reach.fail("undefined", old.is_form(number))
        value = frame.value(written)
        for number, form in enumerate(union.forms):
            position, fields = form.position(name), new[number]
            if position is not None and fields is not None:
                with frame.reach.under(old.is_form(number)):
                    judge(form.fields[position].type, value, written.type, frame)
                fields[position] = value
    return Tagged(old.tag, tuple(None if f is None else tuple(f) for f in new))


# --- connectives, numbers ----------------------------------------------------------


def _connective(term: Not | And | Or | Implies | If, frame: Frame) -> Sym:
    reach = frame.reach
    match term:
        case Not(operand):
            return negated(frame.truth(operand))
        case And(operands) | Or(operands):
            conjunction, values = isinstance(term, And), []
            with reach.going_on():
                for each in operands:
                    value = frame.truth(each)
                    values.append(value)
                    if value is (not conjunction):
                        break
                    reach.settle(value if conjunction else negated(value))
            return both(*values) if conjunction else either(*values)
        case Implies(left, right):
            premise = frame.truth(left)
            if premise is False:
                return True
            with reach.under(premise):
                return implied(premise, frame.truth(right))
        case If(condition, then, otherwise):
            decided = frame.truth(condition)
            if isinstance(decided, bool):
                return frame.value(then if decided else otherwise)
            with reach.under(decided):
                first = frame.value(then)
            with reach.under(negated(decided)):
                second = frame.value(otherwise)
            return merge(decided, first, second)
        case _:
            assert_never(term)


def _relation(term: _Relation, frame: Frame) -> Sym:
    match term:
        case Equal(left, right):
            return same(frame.value(left), frame.value(right))
        case Compare():
            lefts = [scalar(frame.value(each)) for each in term.left]
            rights = [scalar(frame.value(each)) for each in term.right]
            return _compare(term.operator, lefts, rights)
        case Arithmetic():
            return _arithmetic(term, frame)
        case ExtremeOfTwo(which, left, right):
            a, b = scalar(frame.value(left)), scalar(frame.value(right))
            return choose(at_most(a, b) if which == "min" else at_most(b, a), a, b)
        case _:
            assert_never(term)


def _compare(operator: str, lefts: list[Any], rights: list[Any]) -> Expr:
    """Lexicographic: the last pair decides with equality where the operator has it."""
    if operator in (">", ">="):
        lefts, rights = rights, lefts
    result: Expr = operator in ("<=", ">=")
    for a, b in zip(reversed(lefts), reversed(rights), strict=True):
        if result is True:
            result = at_most(a, b)
        elif result is False:
            result = less(a, b)
        else:
            result = either(less(a, b), both(equal(a, b), result))
    return result


def _arithmetic(term: Arithmetic, frame: Frame) -> Expr:
    left, right = scalar(frame.value(term.left)), scalar(frame.value(term.right))
    match term.operator:
        case "+":
            return plus(left, right)
        case "-":
            return minus(left, right)
        case "*":
            return left * right
        case "div" | "mod":
            return _division(term.operator, left, right, frame)
        case _:
            assert_never(term.operator)


def _division(operator: str, dividend: Any, divisor: Any, frame: Frame) -> Any:
    frame.reach.fail("undefined", at_most(divisor, 0))
    if isinstance(divisor, int) and divisor <= 0:
        return 0
    # By a positive divisor the solver's division is the Euclidean one, and so is Python's.
    if isinstance(dividend, int) and isinstance(divisor, int):
        return dividend // divisor if operator == "div" else dividend % divisor
    return dividend / divisor if operator == "div" else dividend % divisor
