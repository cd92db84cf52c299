"""Terms as the language writes them: of those that mined lemmas are made of."""

from __future__ import annotations

from collections.abc import Sequence

from modelcheck.core.terms import (
    Absent,
    And,
    Arithmetic,
    Binder,
    Compare,
    Equal,
    Exists,
    Forall,
    Get,
    Implies,
    In,
    Interval,
    IsForm,
    Lookup,
    Make,
    Name,
    Not,
    Number,
    Or,
    Parameter,
    Present,
    Read,
    Subsets,
    Term,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.types import Sort, Type, Union

# How tightly a term holds together: one that does less than its place asks for stands in brackets.
_OPEN, _IMPLIES, _OR, _AND, _NOT, _RELATION, _SUM, _ATOM = range(8)


class Wordless(Exception):
    """A term that this file has no words for."""


def declaration(name: str, parts: Sequence[Term]) -> str:
    """The lemma, as a file would have it. Raises Wordless."""
    return "\n  ".join([f"lemma {name}", *(text(part) for part in parts)])


def text(term: Term) -> str:
    """The term in words. Raises Wordless."""
    return _worded(term)[0]


def _at_least(strength: int, term: Term) -> str:
    words, has = _worded(term)
    return words if has >= strength else f"({words})"


def _worded(term: Term) -> tuple[str, int]:
    match term:
        case Truth(value):
            return ("true" if value else "false"), _ATOM
        case Number(value):
            return str(value), _ATOM
        case Absent():
            return "none", _ATOM
        case Parameter(name) | Name(name):
            return name, _ATOM
        case Present(item):
            return _worded(item)
        case Universe(of):
            return _type(of), _ATOM
        case Read(variable, index):
            owner = variable.owner.name if index is None else _at_least(_ATOM, index)
            return f"{owner}.{variable.name}", _ATOM
        case Get(subject, field):
            return f"{_at_least(_ATOM, subject)}.{field}", _ATOM
        case Lookup(map_, key):
            return f"{_at_least(_ATOM, map_)}[{text(key)}]", _ATOM
        case Make(form, arguments):
            return _made(term.type, form, arguments), _ATOM
        case Arithmetic(operator, left, right) if operator in ("+", "-"):
            return f"{_at_least(_SUM, left)} {operator} {_at_least(_ATOM, right)}", _SUM
        case Equal() | In() | IsForm() | Compare():
            return _relation(term, True), _RELATION
        case Not(Equal() | In() | IsForm() as relation):
            return _relation(relation, False), _RELATION
        case Not(operand):
            return f"not {_at_least(_NOT, operand)}", _NOT
        case And(operands):
            return " and ".join(_at_least(_NOT, each) for each in operands), _AND
        case Or(operands):
            return " or ".join(_at_least(_AND, each) for each in operands), _OR
        case Implies(left, right):
            return f"{_at_least(_OR, left)} implies {_at_least(_OR, right)}", _IMPLIES
        case Forall(binders, body):
            return f"forall {_binders(binders)}: {text(body)}", _OPEN
        case Exists(binders, body):
            return f"exists {_binders(binders)}: {text(body)}", _OPEN
        case _:
            raise Wordless


def _relation(term: Equal | In | IsForm | Compare, positive: bool) -> str:
    match term:
        case Equal(left, right):
            operator = "==" if positive else "!="
            return f"{_at_least(_SUM, left)} {operator} {_at_least(_SUM, right)}"
        case In(element, collection):
            operator = "in" if positive else "not in"
            return f"{_at_least(_SUM, element)} {operator} {_at_least(_SUM, collection)}"
        case IsForm(subject, form):
            union = subject.type
            if not isinstance(union, Union):
                raise Wordless
            operator = "is" if positive else "is not"
            return f"{_at_least(_SUM, subject)} {operator} {union.forms[form].name}"
        case Compare(operator, (left,), (right,)):
            return f"{_at_least(_SUM, left)} {operator} {_at_least(_SUM, right)}"
        case _:
            raise Wordless


def _made(type_: Type, form: int, arguments: Sequence[Term]) -> str:
    if not isinstance(type_, Union):
        raise Wordless
    name = type_.forms[form].name
    return f"{name}({', '.join(text(each) for each in arguments)})" if arguments else name


def _type(type_: Type) -> str:
    if isinstance(type_, Sort | Union):
        return type_.name
    raise Wordless


def _binders(binders: Sequence[Binder]) -> str:
    return ", ".join(_binder(each) for each in binders)


def _binder(binder: Binder) -> str:
    if binder.lets:
        raise Wordless
    match binder.domain:
        case Values(term):
            domain = _at_least(_SUM, term)
        case Interval(low, high):
            domain = f"{_at_least(_SUM, low)}..{_at_least(_SUM, high)}"
        case Subsets():
            raise Wordless
    where = "" if binder.where is None else f" where {_at_least(_OR, binder.where)}"
    return f"{binder.name} in {domain}{where}"
