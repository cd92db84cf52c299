"""Atoms on known states, as Python functions: mining asks them millions of times.

Of the terms that `vocabulary` makes, and no others. What they mean in a formula is said
in `terms.py`; a test asks the referee whether both are right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from modelcheck.core.terms import (
    Absent,
    Arithmetic,
    Binder,
    Compare,
    Equal,
    Exists,
    Get,
    In,
    IsForm,
    Lookup,
    Make,
    Name,
    Number,
    Parameter,
    Present,
    Read,
    Term,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.types import Map, Union
from modelcheck.core.values import State, key_positions, values_of
from modelcheck.prove.symbols import Unsupported

Reader: TypeAlias = Callable[[State, dict[str, Any]], Any]
"""The value of a term in a state, with these bound names."""


def reader(term: Term) -> Reader:
    """The term as a function. Raises Unsupported if vocabularies have no such term."""
    match term:
        case Truth(value) | Number(value):
            return lambda state, names: value
        case Absent():
            return lambda state, names: ()
        case Name(name):
            return lambda state, names: names[name]
        case Read():
            return _read(term)
        case Get() | Lookup():
            return _part(term)
        case Present(item):
            inner = reader(item)
            return lambda state, names: (inner(state, names),)
        case Make(form, arguments):
            readers = [reader(each) for each in arguments]
            return lambda state, names: (form, *(each(state, names) for each in readers))
        case IsForm(subject, form):
            union = reader(subject)
            return lambda state, names: union(state, names)[0] == form
        case Equal() | Compare() | In() | Arithmetic():
            return _relation(term)
        case Exists((binder,), body):
            values, holds = domain(binder), reader(body)
            name = binder.name
            return lambda state, names: any(
                holds(state, {**names, name: value}) for value in values(state, names)
            )
        case Parameter():
            raise Unsupported("a parameter without a value")
        case _:
            raise Unsupported("a term that is not mined")


def domain(binder: Binder) -> Reader:
    """The values that the binder goes through, its `where` apart."""
    match binder.domain:
        case Values(Universe(of)):
            every = values_of(of)
            return lambda state, names: every
        case Values(term):
            return reader(term)
        case _:
            whole = values_of(binder.type)
            return lambda state, names: whole


def _read(term: Read) -> Reader:
    position = term.variable.position
    if term.index is None:
        return lambda state, names: state[position]
    key = term.variable.owner.key
    assert key is not None, "only variables of an `each` group have an index"
    places, index = key_positions(key), reader(term.index)

    def member(state: State, names: dict[str, Any]) -> Any:
        values: Any = state[position]
        return values[places[index(state, names)]]

    return member


def _part(term: Get | Lookup) -> Reader:
    if isinstance(term, Lookup):
        type_, entries, key = term.map.type, reader(term.map), reader(term.key)
        assert isinstance(type_, Map)
        keys = key_positions(type_.key)
        return lambda state, names: entries(state, names)[keys[key(state, names)]]
    union, subject = term.subject.type, reader(term.subject)
    assert isinstance(union, Union)
    places = [form.position(term.field) for form in union.forms]

    def field(state: State, names: dict[str, Any]) -> Any:
        value = subject(state, names)
        place = places[value[0]]
        assert place is not None, "a field is read where the form has it"
        return value[1 + place]

    return field


def _relation(term: Equal | Compare | In | Arithmetic) -> Reader:
    match term:
        case Equal():
            a, b = reader(term.left), reader(term.right)
            return lambda state, names: a(state, names) == b(state, names)
        case In():
            a, b = reader(term.element), reader(term.collection)
            return lambda state, names: a(state, names) in b(state, names)
        case Compare("<=", (left,), (right,)):
            a, b = reader(left), reader(right)
            return lambda state, names: a(state, names) <= b(state, names)
        case Arithmetic("+"):
            a, b = reader(term.left), reader(term.right)
            return lambda state, names: a(state, names) + b(state, names)
        case _:
            raise Unsupported("a term that is not mined")
