"""Arithmetic and comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, assert_never

from attrs import evolve, fields

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
from modelcheck.diagnostics import Label
from modelcheck.parse import tree
from modelcheck.resolve import intervals
from modelcheck.resolve.containers import (
    combine,
    is_sequence,
    mixed,
)
from modelcheck.resolve.elaborating import Elaborating, bare
from modelcheck.resolve.equated import match_meant
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.names import BoundType
from modelcheck.resolve.scope import (
    Scope,
)
from modelcheck.resolve.types import describe, join
from modelcheck.source import Span


def negative(e: Elaborating, term: tree.Negative, operand: tree.Term, scope: Scope) -> core.Term:
    literal = bare(operand)
    if isinstance(literal, tree.IntLiteral):  # the least number's magnitude alone is too large
        value = -literal.value
        return core.Number(value, type=Range(value, value), span=term.span)
    inner = e.number(operand, scope)
    if isinstance(inner.type, Nothing):
        return inner
    zero = core.Number(0, type=Range(0, 0), span=term.span)
    type_ = intervals.arithmetic("-", zero.type, inner.type)
    if isinstance(inner, core.Number):
        return e.checked(core.Number(-inner.value, type=type_, span=term.span), term.span)
    return e.checked(core.Arithmetic("-", zero, inner, type=type_, span=term.span), term.span)


def binary(e: Elaborating, term: tree.Binary, scope: Scope) -> core.Term:
    operator = term.operator
    match operator:
        case "+" | "-" | "*" | "div" | "mod":
            return _arithmetic(e, operator, term, scope)
        case "++":
            left, right = e.operands(term.left, term.right, scope)
            what = "cannot be joined by `++`"
            if not is_sequence(e, left, term.left.span, what):
                return e.wrong(term.span)
            if not is_sequence(e, right, term.right.span, what):
                return e.wrong(term.span)
            joined = join(left.type, right.type)
            if not isinstance(joined, Seq):
                return mixed(e, left.type, right.type, term, operator)
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
    # Both sides first: where both are of a wrong type, that is one mistake.
    left = e.term(term.left, scope)
    divides = operator in ("div", "mod")
    right = _constant(e, term.right, scope) if divides else e.term(term.right, scope)
    if not _is_operand(e, left, term.left.span, operator, scope):
        return e.wrong(term.span)
    if not _is_operand(e, right, term.right.span, operator, scope):
        return e.wrong(term.span)
    if isinstance(left.type, Nothing) or isinstance(right.type, Nothing):
        return e.wrong(term.span)
    if divides:
        right = _divisor(e, right, term.right.span)
        if isinstance(right.type, Nothing):
            return e.wrong(term.span)
    type_ = intervals.arithmetic(operator, left.type, right.type)
    return e.checked(core.Arithmetic(operator, left, right, type=type_, span=term.span), term.span)


def _is_operand(e: Elaborating, term: core.Term, span: Span, operator: str, scope: Scope) -> bool:
    """Whether arithmetic applies; if not, that is reported."""
    type_ = term.type
    if is_number(type_) or isinstance(type_, Nothing):
        return True
    if isinstance(type_, Sort):
        e.collector.error(
            "arithmetic-on-sort",
            f"`{operator}` on a member of the sort `{type_.name}`",
            span,
            notes=("members of a sort are interchangeable: they have no number",),
            help=(
                "give the template or object a function for the number: `rank(x: T): int`"
                if isinstance(scope.module.find_upper(type_.name), BoundType)
                else f"declare a range instead, `type {type_.name} = 0..N - 1`, "
                "if the protocol counts them",
            ),
        )
    elif isinstance(type_, Set | Bag | Seq) and operator in "+-":
        words = {
            "+": {Set: "`union`", Bag: "`+=` in an update", Seq: "`++`"},
            "-": {Set: "`minus`", Bag: "`-=` in an update", Seq: "`rest(s)` or `prefix(s, k)`"},
        }
        e.collector.error(
            "arithmetic-on-collection",
            f"`{operator}` on {describe(type_)}",
            span,
            help=(f"write {words[operator][type(type_)]}",),
        )
    else:
        e.collector.error(
            "arithmetic-on-other",
            f"`{operator}` on {describe(type_)}",
            span,
            help=("to count, write `if ... then 1 else 0`, or `count x in S: ...`",),
        )
    return False


def _constant(e: Elaborating, term: tree.Term, scope: Scope) -> core.Term:
    """What stands after `div` or `mod`: neither the state nor a bound name may be read there."""
    for name in _names(term):
        if name.name in scope.names:
            label = Label(scope.names[name.name].span, "bound here")
            return _not_constant(e, name.span, f"the bound name `{name.name}`", (label,))
    with e.watch() as reads:
        elaborated = e.term(term, Scope(scope.module, evolve(scope.site, ghosts=True)))
    if reads.state is not None and scope.site.state:
        return _not_constant(e, reads.state, "the state")
    return elaborated


def _not_constant(e: Elaborating, at: Span, what: str, labels: Sequence[Label] = ()) -> core.Term:
    e.collector.error(
        "divisor-not-constant",
        f"division by a term that reads {what}",
        at,
        labels=labels,
        notes=("`div` and `mod` divide by a positive constant or parameter, so they have a value",),
        help=("look for the quotient: `the q in 0..MAX: q * d <= x and x < (q + 1) * d`",),
    )
    return e.wrong(at)


def _names(part: object) -> Iterator[tree.Name]:
    """The lower-case names in a term."""
    if isinstance(part, tree.Name):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _names(each)
    elif isinstance(part, tree.Node):
        for field in fields(type(part)):
            yield from _names(getattr(part, field.name))


def _divisor(e: Elaborating, term: core.Term, span: Span) -> core.Term:
    value = intervals.constant(term.type)
    if value is None and e.closed:
        value = e.constant_value(term)
    if value is not None and value <= 0:
        e.collector.error(
            "divisor-not-positive",
            f"division by {value}",
            span,
            help=("divide by a positive constant or parameter",),
        )
        return e.wrong(span)
    if value is not None and intervals.constant(term.type) is None:
        return core.Number(value, type=Range(value, value), span=span)
    return term


def compare(e: Elaborating, term: tree.Compare, scope: Scope) -> core.Term:
    left, right = _bare_tuple(term.left), _bare_tuple(term.right)
    if isinstance(left, tree.TupleTerm) or isinstance(right, tree.TupleTerm):
        return _compare_tuples(e, left, right, term, scope)
    operator = term.operator
    if operator == "==" or operator == "!=":
        if match_meant(e, term, scope):
            return e.wrong(term.span)
        pair = e.alike(term.left, term.right, scope)
        if pair is None:
            return e.wrong(term.span)
        equal = core.Equal(*pair, span=term.span)
        return core.Not(equal, span=term.span) if operator == "!=" else equal
    first, second = e.term(term.left, scope), e.term(term.right, scope)
    if not _is_ordered(e, first, term.left.span, operator):
        return e.wrong(term.span)
    if not _is_ordered(e, second, term.right.span, operator):
        return e.wrong(term.span)
    if isinstance(first.type, Nothing) or isinstance(second.type, Nothing):
        return e.wrong(term.span)
    return core.Compare(operator, (first,), (second,), span=term.span)


def _is_ordered(e: Elaborating, term: core.Term, span: Span, operator: str) -> bool:
    """Whether `<` and its like apply; if not, that is reported."""
    type_ = term.type
    if is_number(type_) or isinstance(type_, Nothing):
        return True
    if isinstance(type_, Sort):
        e.collector.error(
            "order-on-sort",
            f"`{operator}` on members of the sort `{type_.name}`",
            span,
            notes=("members of a sort are interchangeable: only `==` and `!=` apply",),
            help=("use a range if their order matters",),
        )
    elif isinstance(type_, Set):
        e.collector.error(
            "order-on-sets",
            f"`{operator}` on {describe(type_)}",
            span,
            help=("`s subset t` compares sets, `size(s)` counts them",),
        )
    elif isinstance(type_, Option):
        e.collector.error(
            "order-on-option",
            f"`{operator}` on {describe(type_)}",
            span,
            help=("match it first, `v is some(x)`, and compare `x`",),
        )
    else:
        e.collector.error(
            "not-ordered",
            f"`{operator}` on {describe(type_)}",
            span,
            help=("compare numbers: a field, a `len`, a position",),
        )
    return False


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
            pair = e.alike(a, b, scope)
            if pair is None:
                return e.wrong(term.span)
            equals.append(core.Equal(*pair, span=a.span))
        whole = core.And(tuple(equals), span=term.span)
        return core.Not(whole, span=term.span) if operator == "!=" else whole
    firsts = tuple(e.term(each, scope) for each in left.items)
    seconds = tuple(e.term(each, scope) for each in right.items)
    for a, b, first, second in zip(left.items, right.items, firsts, seconds, strict=True):
        if not _is_ordered(e, first, a.span, operator):
            return e.wrong(term.span)
        if not _is_ordered(e, second, b.span, operator):
            return e.wrong(term.span)
    if any(isinstance(each.type, Nothing) for each in firsts + seconds):
        return e.wrong(term.span)
    return core.Compare(operator, firsts, seconds, span=term.span)


def _bare_tuple(term: tree.Term) -> tree.Term:
    inner = bare(term)
    return inner if isinstance(inner, tree.TupleTerm) else term
