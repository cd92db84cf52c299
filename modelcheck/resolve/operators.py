"""Arithmetic and comparison."""

from __future__ import annotations

from typing import Literal, assert_never

from modelcheck.core import terms as core
from modelcheck.core.types import (
    Bag,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
)
from modelcheck.parse import tree
from modelcheck.resolve import intervals
from modelcheck.resolve.containers import (
    combine,
    mixed,
    sequence,
)
from modelcheck.resolve.elaborating import Elaborating, bare
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.scope import (
    Scope,
    Site,
)
from modelcheck.resolve.types import describe, join


def negative(e: Elaborating, term: tree.Negative, operand: tree.Term, scope: Scope) -> core.Term:
    inner = e.number(operand, scope)
    if isinstance(inner.type, Nothing):
        return inner
    zero = core.Number(0, type=Range(0, 0), span=term.span)
    type_ = intervals.arithmetic("-", zero.type, inner.type)
    if isinstance(inner, core.Number):
        return core.Number(-inner.value, type=type_, span=term.span)
    return e.checked(core.Arithmetic("-", zero, inner, type=type_, span=term.span), term.span)


def binary(e: Elaborating, term: tree.Binary, scope: Scope) -> core.Term:
    operator = term.operator
    match operator:
        case "+" | "-" | "*" | "div" | "mod":
            return _arithmetic(e, operator, term, scope)
        case "++":
            left = sequence(e, term.left, scope, "cannot be joined by `++`")
            right = sequence(e, term.right, scope, "cannot be joined by `++`")
            if left is None or right is None:
                return e.wrong(term.span)
            joined = join(left.type, right.type)
            if not isinstance(joined, Seq):
                return mixed(e, left.type, right.type, term)
            assert isinstance(left.type, Seq) and isinstance(right.type, Seq)
            a, b = left.type.bound, right.type.bound
            bound = None if a is None or b is None else a + b
            type_ = Seq(joined.element, bound)
            return core.Concat(left, right, type=type_, span=term.span)
        case "union" | "minus" | "intersect":
            return combine(e, operator, term, scope)
        case _:
            assert_never(operator)


def _arithmetic(
    e: Elaborating, operator: Literal["+", "-", "*", "div", "mod"], term: tree.Binary, scope: Scope
) -> core.Term:
    left = _operand(e, term.left, scope, operator)
    if operator in ("div", "mod"):
        right = _divisor(e, term, scope)
    else:
        right = _operand(e, term.right, scope, operator)
    if isinstance(left.type, Nothing) or isinstance(right.type, Nothing):
        return e.wrong(term.span)
    type_ = intervals.arithmetic(operator, left.type, right.type)
    return e.checked(core.Arithmetic(operator, left, right, type=type_, span=term.span), term.span)


def _operand(e: Elaborating, term: tree.Term, scope: Scope, operator: str) -> core.Term:
    elaborated = e.term(term, scope)
    type_ = elaborated.type
    if isinstance(type_, Sort):
        e.collector.error(
            "arithmetic-on-sort",
            f"`{operator}` on a member of the sort `{type_.name}`",
            term.span,
            notes=("members of a sort are interchangeable: they have no number",),
            help=(
                f"declare a range instead, `type {type_.name} = 0..N - 1`, "
                "if the protocol counts them",
            ),
        )
        return e.wrong(term.span)
    if isinstance(type_, Set | Bag | Seq) and operator in "+-":
        words = {Set: "`union` and `minus`", Bag: "`+=` and `-=` in an update", Seq: "`++`"}
        e.collector.error(
            "arithmetic-on-collection",
            f"`{operator}` on {describe(type_)}",
            term.span,
            help=(f"here it is {words[type(type_)]}",),
        )
        return e.wrong(term.span)
    if is_number(type_) or isinstance(type_, Nothing):
        return elaborated
    e.collector.error(
        "arithmetic-on-other",
        f"`{operator}` on {describe(type_)}",
        term.span,
        help=("to count, write `if ... then 1 else 0`, or `count x in S: ...`",),
    )
    return e.wrong(term.span)


def _divisor(e: Elaborating, term: tree.Binary, scope: Scope) -> core.Term:
    site = Site("a divisor", state=False)
    right = _operand(e, term.right, Scope(scope.module, site), term.operator)
    if isinstance(right.type, Nothing):
        return right
    value = intervals.constant(right.type)
    if value is None and e.closed:
        value = e.constant_value(right)
    if value is not None and value <= 0:
        e.collector.error(
            "divisor-not-positive",
            f"division by {value}",
            term.right.span,
            help=("divide by a positive constant or parameter",),
        )
        return e.wrong(term.right.span)
    if value is not None and intervals.constant(right.type) is None:
        return core.Number(value, type=Range(value, value), span=term.right.span)
    return right


def compare(e: Elaborating, term: tree.Compare, scope: Scope) -> core.Term:
    left, right = _bare_tuple(term.left), _bare_tuple(term.right)
    if isinstance(left, tree.TupleTerm) or isinstance(right, tree.TupleTerm):
        return _compare_tuples(e, left, right, term, scope)
    operator = term.operator
    if operator == "==" or operator == "!=":
        pair = e.alike(term.left, term.right, scope, term.span)
        if pair is None:
            return e.wrong(term.span)
        equal = core.Equal(*pair, span=term.span)
        return core.Not(equal, span=term.span) if operator == "!=" else equal
    first = _ordered(e, term.left, scope, operator)
    second = _ordered(e, term.right, scope, operator)
    if isinstance(first.type, Nothing) or isinstance(second.type, Nothing):
        return e.wrong(term.span)
    return core.Compare(operator, (first,), (second,), span=term.span)


def _ordered(e: Elaborating, term: tree.Term, scope: Scope, operator: str) -> core.Term:
    elaborated = e.term(term, scope)
    type_ = elaborated.type
    if is_number(type_) or isinstance(type_, Nothing):
        return elaborated
    if isinstance(type_, Sort):
        e.collector.error(
            "order-on-sort",
            f"`{operator}` on members of the sort `{type_.name}`",
            term.span,
            notes=("members of a sort are interchangeable: only `==` and `!=` apply",),
            help=("use a range if their order matters",),
        )
    elif isinstance(type_, Set):
        e.collector.error(
            "order-on-sets",
            f"`{operator}` on {describe(type_)}",
            term.span,
            help=("`s subset t` compares sets, `size(s)` counts them",),
        )
    elif isinstance(type_, Option):
        e.collector.error(
            "order-on-option",
            f"`{operator}` on {describe(type_)}",
            term.span,
            help=("match it first, `v is some(x)`, and compare `x`",),
        )
    else:
        e.collector.error(
            "not-ordered",
            f"`{operator}` on {describe(type_)}",
            term.span,
            help=("compare numbers: a field, a `len`, a position",),
        )
    return e.wrong(term.span)


def _compare_tuples(
    e: Elaborating, left: tree.Term, right: tree.Term, term: tree.Compare, scope: Scope
) -> core.Term:
    if (
        not isinstance(left, tree.TupleTerm)
        or not isinstance(right, tree.TupleTerm)
        or len(left.items) != len(right.items)
    ):
        e.collector.error(
            "tuple-lengths",
            "a tuple compared with something of another length",
            term.span,
            help=("give both sides the same number of parts: `(a, b) >= (c, d)`",),
        )
        return e.wrong(term.span)
    operator = term.operator
    if operator == "==" or operator == "!=":
        equals: list[core.Term] = []
        for a, b in zip(left.items, right.items, strict=True):
            pair = e.alike(a, b, scope, term.span)
            if pair is None:
                return e.wrong(term.span)
            equals.append(core.Equal(*pair, span=a.span))
        whole = core.And(tuple(equals), span=term.span)
        return core.Not(whole, span=term.span) if operator == "!=" else whole
    firsts = tuple(_ordered(e, each, scope, operator) for each in left.items)
    seconds = tuple(_ordered(e, each, scope, operator) for each in right.items)
    if any(isinstance(each.type, Nothing) for each in firsts + seconds):
        return e.wrong(term.span)
    return core.Compare(operator, firsts, seconds, span=term.span)


def _bare_tuple(term: tree.Term) -> tree.Term:
    inner = bare(term)
    return inner if isinstance(inner, tree.TupleTerm) else term
