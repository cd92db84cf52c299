"""The state after a step, from what its statements have written: see `core/writing.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import z3

from modelcheck.core.model import Model
from modelcheck.core.types import INT, Bag, Int, Map, Range, Seq, Set, Type, Union
from modelcheck.core.variables import Owner, Variable
from modelcheck.prove.algebra import (
    Expr,
    both,
    choose,
    either,
    equal,
    every,
    less,
    minus,
    negated,
    plus,
)
from modelcheck.prove.choices import existing
from modelcheck.prove.containers import element_at, entry, pick
from modelcheck.prove.fitting import covers, judge
from modelcheck.prove.frame import Frame
from modelcheck.prove.space import occurs
from modelcheck.prove.symbols import (
    Counts,
    Entries,
    Members,
    Slots,
    Sym,
    Tagged,
    Unsupported,
    counts_of,
    entries_of,
    is_small,
    is_value,
    lift,
    members_by,
    merge,
    same,
    scalar,
    universe,
)
from modelcheck.prove.updates import Into, Write, Written


def state_after(model: Model, frame: Frame, written: Written) -> list[Sym]:
    """The state after the writes, before fault counters move; failures go to the reach."""
    base = list(frame.state)
    for condition, owner, member in written.lost:
        _forget(model, base, condition, owner, member, frame)
    for i, write in enumerate(written.writes):
        with frame.reach.under(write.condition):
            _resolve(base, write, frame)
        for earlier in written.writes[:i]:
            frame.reach.fail("two-writes", _clash(base, earlier, write, frame))
    after = list(base)
    removals = [w for w in written.writes if w.operator == "-=" and not _is_number(w)]
    others = [w for w in written.writes if w.operator != "-=" or _is_number(w)]
    for write in [*removals, *others]:
        position = write.place.variable.position
        after[position] = _put(after[position], write, frame)
    for write in written.writes:
        _judge(base, after, write, frame)
    return after


def _is_number(write: Write) -> bool:
    return isinstance(write.place.type, Range | Int)


def _forget(
    model: Model, state: list[Sym], condition: Expr, owner: Owner, member: Sym | None, frame: Frame
) -> None:
    for variable, first in zip(model.variables, model.initial, strict=True):
        if variable.volatile and variable.owner.name == owner.name:
            assert first.value is not None, "a volatile variable has one initial value"
            initial = frame.value(first.value)
            state[variable.position] = _reset(
                variable, state[variable.position], condition, member, initial
            )


def _reset(variable: Variable, old: Sym, condition: Expr, member: Sym | None, initial: Sym) -> Sym:
    key = variable.owner.key
    if key is None:
        return merge(condition, initial, old)
    assert isinstance(old, Entries)
    if is_small(key):
        hits = {k: True if member is None else is_value(key, member, k) for k in universe(key)}
        return entries_of(
            key, {k: merge(both(condition, hits[k]), initial, old.table[k]) for k in old.table}
        )

    def at(k: Sym) -> Sym:
        hit = True if member is None else same(k, member)
        return merge(both(condition, hit), initial, old.at(k))

    return Entries(key, at)


# --- places ------------------------------------------------------------------------


def _start(state: Sequence[Sym], write: Write) -> Sym:
    """The value of the written variable, or of the member's."""
    value = state[write.place.variable.position]
    if write.member is None:
        return value
    assert isinstance(value, Entries)
    return value.at(write.member)


def _resolve(base: Sequence[Sym], write: Write, frame: Frame) -> None:
    """Notes where the path leads nowhere."""
    if write.variables or not write.path:
        return  # with variables: who hits nothing writes nothing
    value, type_ = _start(base, write), write.place.variable.type
    for step in write.path:
        value, type_ = _enter(value, type_, step, frame)


def _enter(value: Sym, type_: Type, step: Into, frame: Frame) -> tuple[Sym, Type]:
    """Where one step of a path leads; of a field that several forms have, the first type."""
    if isinstance(step, str):
        assert isinstance(type_, Union) and isinstance(value, Tagged)
        found: Sym | None = None
        found_type: Type | None = None
        for number, (form, fields) in enumerate(zip(type_.forms, value.forms, strict=True)):
            position = form.position(step)
            if position is None:
                frame.reach.fail("undefined", value.is_form(number))
            elif fields is not None:
                here = fields[position]
                found = here if found is None else merge(value.is_form(number), here, found)
                found_type = found_type or form.fields[position].type
        if found is None or found_type is None:
            raise Unsupported("a path into a field that is never there")
        return found, found_type
    key, key_type = step
    if isinstance(type_, Map):
        return entry(value, type_.key, key, key_type, frame), type_.value
    assert isinstance(type_, Seq) and isinstance(value, Slots)
    return element_at(value, scalar(key), frame), type_.element


def _overlap(one: Write, other: Write) -> Expr:
    """Whether the shorter path of the two leads to the other's place, or around it."""
    if one.place.variable.position != other.place.variable.position:
        return False
    hits: list[Expr] = []
    if one.member is not None and other.member is not None:
        hits.append(same(one.member, other.member))
    for a, b in zip(one.path, other.path, strict=False):
        if isinstance(a, str) or isinstance(b, str):
            hits.append(a == b)
        else:
            hits.append(same(a[0], b[0]))
    return every(hits)


def _clash(base: Sequence[Sym], first: Write, second: Write, frame: Frame) -> Expr:
    """When two writes, to overlapping places, cannot both happen."""
    if first.variables or second.variables:
        return False
    there = both(first.condition, second.condition, _overlap(first, second))
    if there is False:
        return False
    if first.operator == second.operator == ":=":
        outer, inner = sorted((first, second), key=lambda w: len(w.path))
        return both(there, negated(_agree(outer, inner)))
    if len(first.path) != len(second.path):
        return there
    changes = first.operator != ":=" and second.operator != ":="
    return False if changes and not isinstance(second.place.type, Seq) else there


def _agree(outer: Write, inner: Write) -> Expr:
    """Whether the value assigned to a place has, inside, the value assigned there."""
    value, type_ = outer.value, outer.place.type
    conditions: list[Expr] = []
    for step in inner.path[len(outer.path) :]:
        if isinstance(step, str):
            assert isinstance(type_, Union) and isinstance(value, Tagged)
            found: Sym | None = None
            types: list[Type] = []
            for number, (form, fields) in enumerate(zip(type_.forms, value.forms, strict=True)):
                position = form.position(step)
                if position is None:
                    conditions.append(negated(value.is_form(number)))
                elif fields is not None:
                    here = fields[position]
                    found = here if found is None else merge(value.is_form(number), here, found)
                    types.append(form.fields[position].type)
            if found is None:
                return False
            value, type_ = found, types[0]
        elif isinstance(type_, Map):
            assert isinstance(value, Entries)
            value, type_ = value.at(step[0]), type_.value
        else:
            assert isinstance(type_, Seq) and isinstance(value, Slots)
            index = scalar(step[0])
            conditions.append(both(less(0, index), negated(less(value.length, index))))
            if conditions[-1] is False:
                return False
            value, type_ = pick(value, minus(index, 1)), type_.element
    return both(*conditions, same(value, inner.value))


# --- writing -----------------------------------------------------------------------


Renaming: TypeAlias = "list[tuple[Any, Any]]"


def _put(old: Sym, write: Write, frame: Frame) -> Sym:
    """The variable's value after one write more."""
    variable = write.place.variable
    type_ = variable.type
    if write.member is None:
        return _into(old, type_, write.path, write, [], True)
    assert variable.owner.key is not None
    return _at_key(old, variable.owner.key, type_, write.member, write.path, write, [], True)


def _into(
    old: Sym,
    type_: Type,
    path: Sequence[Into],
    write: Write,
    renaming: Renaming,
    hit: Expr,
) -> Sym:
    """The value, at whose end of the path the write happens, if it hits."""
    if not path:
        return _leaf(old, write, renaming, hit)
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        assert isinstance(type_, Union) and isinstance(old, Tagged)
        forms: list[tuple[Sym, ...] | None] = []
        for form, fields in zip(type_.forms, old.forms, strict=True):
            position = form.position(step)
            if position is None or fields is None:
                forms.append(fields)
                continue
            inner = form.fields[position].type
            new = _into(fields[position], inner, rest, write, renaming, hit)
            forms.append((*fields[:position], new, *fields[position + 1 :]))
        return Tagged(old.tag, tuple(forms))
    if isinstance(type_, Map):
        return _at_key(old, type_.key, type_.value, step[0], rest, write, renaming, hit)
    assert isinstance(type_, Seq) and isinstance(old, Slots)
    index = renamed(step[0], renaming)
    slots = tuple(
        _into(each, type_.element, rest, write, renaming, both(hit, equal(scalar(index), i + 1)))
        for i, each in enumerate(old.slots)
    )
    return Slots(old.element, old.length, slots)


def _at_key(
    old: Sym,
    keys: Type,
    type_: Type,
    key: Sym,
    path: Sequence[Into],
    write: Write,
    renaming: Renaming,
    hit: Expr,
) -> Sym:
    assert isinstance(old, Entries)
    key = renamed(key, renaming)
    done = [variable for variable, _ in renaming]
    open_ = [v for v in write.variables if not any(v.eq(d) for d in done)]
    through = next((v for v in open_ if not isinstance(key, Tagged) and _is(key, v)), None)

    def at(k: Sym, before: Sym) -> Sym:
        if through is not None:
            return _into(before, type_, path, write, [*renaming, (through, scalar(k))], hit)
        return _into(before, type_, path, write, renaming, both(hit, same(k, key)))

    if is_small(keys):
        table = {}
        for value, before in old.table.items():
            here = both(hit, is_value(keys, key, value))
            table[value] = (
                before if here is False else _into(before, type_, path, write, renaming, here)
            )
        return entries_of(keys, table)
    return Entries(keys, lambda k: at(k, old.at(k)))


def _is(sym: Sym, variable: Any) -> bool:
    return isinstance(sym, z3.ExprRef) and bool(sym.eq(variable))


def _leaf(old: Sym, write: Write, renaming: Renaming, hit: Expr) -> Sym:
    """The value at the end of the path after the write."""
    condition = both(hit, renamed_expr(write.condition, renaming))
    value = renamed(write.value, renaming)
    done = [variable for variable, _ in renaming]
    open_ = [v for v in write.variables if not any(v.eq(d) for d in done)]
    if open_:
        return _leaf_of_many(old, write.operator, condition, value, open_)
    match write.operator, old:
        case ":=", _:
            return merge(condition, value, old)
        case operator, Members():
            assert isinstance(value, Members)
            return _changed_set(old, operator, value, condition)
        case operator, Counts():
            assert isinstance(value, Counts)
            return _changed_bag(old, operator, value, condition)
        case _, Slots():
            slots = [
                merge(both(condition, equal(old.length, i)), value, each)
                for i, each in enumerate(old.slots)
            ]
            # One more than fits is `capacity`; the slot is there so that it can be seen.
            return Slots(
                old.element, choose(condition, plus(old.length, 1), old.length), (*slots, value)
            )
        case operator, _:
            number = scalar(old)
            new = plus(number, scalar(value)) if operator == "+=" else minus(number, scalar(value))
            return choose(condition, new, number)


def _leaf_of_many(
    old: Sym, operator: str, condition: Expr, value: Sym, variables: list[Any]
) -> Sym:
    if operator == ":=" or not isinstance(old, Members):
        raise Unsupported("a `for` over values of any number that writes one place")
    assert isinstance(value, Members)

    def has(element: Sym) -> Expr:
        some = existing(variables, both(condition, value.has(element)))
        before = old.has(element)
        return either(before, some) if operator == "+=" else both(before, negated(some))

    return Members(old.element, has)


def _changed_set(old: Members, operator: str, value: Members, condition: Expr) -> Members:
    if is_small(old.element):
        table: dict[Any, Expr] = dict(old.table)
        changes = value.table if is_small(value.element) else _asked(old.element, value)
        for element, bit in changes.items():
            happens = both(condition, bit)
            if operator == "+=":
                table[element] = either(table.get(element, False), happens)
            elif element in table:
                table[element] = both(table[element], negated(happens))
        return members_by(old.element, table)

    def has(element: Sym) -> Expr:
        before, changed = old.has(element), both(condition, value.has(element))
        if operator == "+=":
            return either(before, changed)
        return both(before, negated(changed))

    return Members(old.element, has)


def _asked(element: Type, value: Members) -> dict[Any, Expr]:
    return {v: value.has(lift(element, v)) for v in universe(element)}


def _changed_bag(old: Counts, operator: str, value: Counts, condition: Expr) -> Counts:
    def changed(before: Expr, by: Expr) -> Expr:
        if operator == "+=":
            return plus(before, choose(condition, by, 0))
        left = minus(before, choose(condition, by, 0))
        return choose(less(left, 0), 0, left)

    if is_small(old.element) and is_small(value.element):
        keys = {**old.table, **value.table} if operator == "+=" else old.table
        return counts_of(
            old.element,
            {k: changed(old.table.get(k, 0), value.table.get(k, 0)) for k in keys},
        )
    return Counts(old.element, lambda v: changed(old.count(v), value.count(v)))


# --- judging -----------------------------------------------------------------------


def _judge(base: Sequence[Sym], after: Sequence[Sym], write: Write, frame: Frame) -> None:
    """Notes that what is at the place after the step does not fit there."""
    if write.variables:
        return
    source = _source(write)
    with frame.reach.under(write.condition):
        for condition, type_, value in _leaves(base, after, write, write.place.variable.type):
            if condition is not False and not covers(type_, source):
                with frame.reach.under(condition):
                    judge(type_, value, source, frame)


def _source(write: Write) -> Type:
    """A type that the value after the step surely has."""
    if write.operator == ":=":
        return write.source
    match write.place.type, write.source:
        case Set(element), Set(added):
            return Set(added if write.operator == "+=" else element)
        case Bag(element), Bag(added):
            return Bag(added if write.operator == "+=" else element)
        case Seq(), added:
            return Seq(added)
        case _:
            return INT


def _leaves(
    base: Sequence[Sym], after: Sequence[Sym], write: Write, type_: Type
) -> list[tuple[Expr, Type, Sym]]:
    """The value at the place after the step, for each form that its path may lead through."""
    found: list[tuple[Expr, Type, Sym, Sym]] = [
        (True, type_, _start(base, write), _start(after, write))
    ]
    for step in write.path:
        inner: list[tuple[Expr, Type, Sym, Sym]] = []
        for condition, here, old, new in found:
            if isinstance(step, str):
                assert isinstance(here, Union)
                assert isinstance(old, Tagged) and isinstance(new, Tagged)
                for number, form in enumerate(here.forms):
                    position, a, b = form.position(step), old.forms[number], new.forms[number]
                    if position is not None and a is not None and b is not None:
                        inner.append(
                            (
                                both(condition, old.is_form(number)),
                                form.fields[position].type,
                                a[position],
                                b[position],
                            )
                        )
            elif isinstance(here, Map):
                assert isinstance(old, Entries) and isinstance(new, Entries)
                inner.append((condition, here.value, old.at(step[0]), new.at(step[0])))
            else:
                assert isinstance(here, Seq)
                assert isinstance(old, Slots) and isinstance(new, Slots)
                if not old.slots or not new.slots:
                    continue  # no element is there, before or after
                position = minus(scalar(step[0]), 1)
                inner.append((condition, here.element, pick(old, position), pick(new, position)))
        found = inner
    return [(condition, here, new) for condition, here, _, new in found]


# --- renaming ----------------------------------------------------------------------


def renamed_expr(expr: Expr, renaming: Renaming) -> Expr:
    """The formula with variables of the solver replaced."""
    if not renaming or isinstance(expr, bool | int):
        return expr
    if not any(occurs(variable, expr) for variable, _ in renaming):
        return expr
    pairs = [(variable, _term(variable, new)) for variable, new in renaming]
    return z3.substitute(expr, pairs)


def _term(variable: Any, new: Any) -> Any:
    if isinstance(new, bool):
        return z3.BoolVal(new)
    return z3.IntVal(new) if isinstance(new, int) else new


def renamed(sym: Sym, renaming: Renaming) -> Sym:
    """The value with variables of the solver replaced."""
    if not renaming:
        return sym
    match sym:
        case Tagged(tag, forms):
            return Tagged(
                renamed_expr(tag, renaming),
                tuple(
                    None if fields is None else tuple(renamed(f, renaming) for f in fields)
                    for fields in forms
                ),
            )
        case Members():
            has: Callable[[Sym], Expr] = lambda v: renamed_expr(sym.has(v), renaming)  # noqa: E731
            return Members(sym.element, has)
        case Counts():
            return Counts(sym.element, lambda v: renamed_expr(sym.count(v), renaming))
        case Entries():
            return Entries(sym.key, lambda k: renamed(sym.at(k), renaming))
        case Slots():
            slots = tuple(renamed(each, renaming) for each in sym.slots)
            return Slots(sym.element, renamed_expr(sym.length, renaming), slots)
        case _:
            return renamed_expr(scalar(sym), renaming)
