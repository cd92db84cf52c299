"""The next state from the old one and what a step writes.

All writes count from the old state, with the volatile variables of whoever is
lost reset first. Writes to one place combine: numbers and bags add up, a set
loses all that is removed and then gains all that is added. A second write that
does not combine is `two-writes`. What is written is judged at the end, on the
values after the step.

The first failure in this order is the step's: a place that is not there or a
second write, write by write in the order of execution; then a value that does
not fit, place by place in the order of their first writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from modelcheck.core.clauses import no_field_clause, outside_clause, twice_clause
from modelcheck.core.fits import misfit_failure
from modelcheck.core.frame import Failed, slot, undefined
from modelcheck.core.outcome import Failure
from modelcheck.core.terms import Place
from modelcheck.core.types import Bag, Int, Map, Range, Seq, Set, Type, Union
from modelcheck.core.values import State, Value, make_bag, make_set, show
from modelcheck.source import Span

Step: TypeAlias = "str | tuple[Value, Type]"
"""Into a value: by the name of a field, or by a key or index (and how to show it)."""


class Write(NamedTuple):
    """One update as it was executed.

    member, slot  of a variable of an `each` group, and its position there
    path          fields and keys into the variable's value
    value         by the operator: the new value, or what is added or removed
    may_misfit    whether the place's type has bounds that a value could leave
    """

    operator: str
    place: Place
    member: Value | None
    slot: int | None
    path: tuple[Step, ...]
    value: Any
    span: Span | None
    may_misfit: bool


class _Target(NamedTuple):
    """A place resolved in the state before the step: where its value is in Python's tuples."""

    position: int
    slot: int | None
    path: tuple[int, ...]

    def covers(self, other: _Target) -> bool:
        """Whether the other place is this one, or inside it."""
        return self[:2] == other[:2] and other.path[: len(self.path)] == self.path


def write_all(base: State, writes: Sequence[Write]) -> State:
    """The state in which all writes have happened. Raises Failed."""
    groups: dict[_Target, list[Write]] = {}
    types: dict[_Target, Type] = {}
    for write in writes:
        target, type_ = _resolve(base, write)
        types[target] = type_
        for other, earlier in groups.items():
            if target.covers(other) or other.covers(target):
                for each in earlier:
                    _combinable(each, other, write, target)
        groups.setdefault(target, []).append(write)
    after = list(base)
    for target, group in groups.items():
        # An assignment inside another one agrees with it, and the outer one does the work.
        if not any(other.covers(target) for other in groups if other is not target):
            _put(after, target, _combined(_get(base, target), group))
    for target, group in groups.items():
        _judge(types[target], _get(after, target), group[0])
    return tuple(after)


# --- places ------------------------------------------------------------------------


def _resolve(base: State, write: Write) -> tuple[_Target, Type]:
    """Where the place is, and its type: a field's is that of the form which the value has."""
    variable = write.place.variable
    value: Any = base[variable.position]
    if write.slot is not None:
        value = value[write.slot]
    type_, path = variable.type, []
    for step in write.path:
        index, type_ = _enter(type_, value, step, write.place.span or write.span)
        value = value[index]
        path.append(index)
    return _Target(variable.position, write.slot, tuple(path)), type_


def _enter(type_: Type, value: Any, step: Step, span: Span | None) -> tuple[int, Type]:
    """Where one step of a path leads: the index in Python's tuple, and the type there."""
    if isinstance(step, str):
        assert isinstance(type_, Union)
        form = type_.forms[value[0]]
        index = form.position(step)
        if index is None:
            raise undefined(no_field_clause(step, form.name), span)
        return index + 1, form.fields[index].type
    key, key_type = step
    if isinstance(type_, Map):
        return slot(type_.key, key, key_type, span), type_.value
    assert isinstance(type_, Seq) and isinstance(key, int)
    if not 1 <= key <= len(value):
        raise undefined(outside_clause(key, len(value)), span)
    return key - 1, type_.element


def _get(state: Sequence[Any], target: _Target) -> Any:
    value = state[target.position]
    if target.slot is not None:
        value = value[target.slot]
    for index in target.path:
        value = value[index]
    return value


def _put(state: list[Any], target: _Target, value: Any) -> None:
    path = target.path if target.slot is None else (target.slot, *target.path)
    state[target.position] = _replaced(state[target.position], path, value)


def _replaced(whole: Any, path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    index, rest = path[0], path[1:]
    return (*whole[:index], _replaced(whole[index], rest, value), *whole[index + 1 :])


def place_name(write: Write) -> str:
    """A written place as a trace names it: `n1.role`, `store.value`, `network.acks[n1]`."""
    variable = write.place.variable
    owner = variable.owner.name
    if write.member is not None and variable.owner.key is not None:
        owner = show(variable.owner.key, write.member)
    steps = (f".{s}" if isinstance(s, str) else f"[{show(s[1], s[0])}]" for s in write.path)
    return f"{owner}.{variable.name}{''.join(steps)}"


# --- combination -------------------------------------------------------------------


def _combinable(first: Write, at: _Target, second: Write, where: _Target) -> None:
    """Raises Failed(two-writes) unless the two writes, to overlapping places, can both happen."""
    if at == where:
        both_change = first.operator != ":=" and second.operator != ":="
        fine = both_change and not isinstance(second.place.type, Seq)
        if first.operator == second.operator == ":=":
            fine = first.value == second.value
    elif first.operator == second.operator == ":=":
        outer, inner = (first, second) if at.covers(where) else (second, first)
        fine = _agree(outer, inner)
    else:
        fine = False
    if not fine:
        name, other = place_name(first), place_name(second)
        raise Failed(Failure("two-writes", twice_clause(name, other), first.span, second.span))


def _agree(outer: Write, inner: Write) -> bool:
    """Whether the value assigned to a place has, inside, the value assigned there."""
    type_, value = outer.place.type, outer.value
    try:
        for step in inner.path[len(outer.path) :]:
            index, type_ = _enter(type_, value, step, None)
            value = value[index]
    except Failed:
        return False
    return bool(value == inner.value)


def _combined(old: Any, group: list[Write]) -> Any:
    """The value of a place after all writes to it."""
    if group[0].operator == ":=":
        return group[0].value
    added = [write.value for write in group if write.operator == "+="]
    removed = [write.value for write in group if write.operator == "-="]
    type_ = group[0].place.type
    if isinstance(type_, Range | Int):
        return old + sum(added) - sum(removed)
    if isinstance(type_, Set):
        return make_set(set(old).difference(*removed).union(*added))
    if isinstance(type_, Bag):
        left = Counter(old)
        for each in removed:
            left.subtract(each)  # below zero counts as zero: elements() leaves it out
        return make_bag([*left.elements(), *(x for each in added for x in each)])
    assert isinstance(type_, Seq) and not removed
    return (*old, added[0])


def _judge(type_: Type, value: Any, write: Write) -> None:
    if not write.may_misfit:
        return
    failure = misfit_failure(type_, value, f"`{place_name(write)}`", "would become", write.span)
    if failure is not None:
        raise Failed(failure)


def reset(state: State, position: int, slots: Sequence[int] | None, initial: Value) -> State:
    """The state with a variable back at its initial value; `slots`: only these members."""
    old: Any = state[position]
    new = initial
    if slots is not None:
        new = tuple(initial if i in slots else each for i, each in enumerate(old))
    return (*state[:position], new, *state[position + 1 :])
