"""States and traces by name, and reports as text, for those who use the tool as a library.

    >>> import modelcheck
    >>> file = modelcheck.load("fencing/fenced_leader")
    >>> outcome = modelcheck.check(file["read_before_fence"])
    >>> trace = outcome["NoLostUpdate"].trace
    >>> state = modelcheck.state_as_dict(outcome.check.model, trace.states[3])
    >>> state["n1.role"], state["store.value"], state["service.holder"]
    (Waiting(1, 0), 0, 'n1')

A search keeps a state as nested tuples without names. What is here is for
reading a few of them, and would be slow for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, assert_never

from attrs import field, frozen

from modelcheck.core.model import Model
from modelcheck.core.outcome import Outcome
from modelcheck.core.proof import Proved
from modelcheck.core.trace import Step, Trace
from modelcheck.core.types import (
    Bag,
    Bool,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import State, Value, show, values_of
from modelcheck.diagnostics import Diagnostic, Refused
from modelcheck.report import proof
from modelcheck.report.cells import member_name
from modelcheck.report.lanes import step_name
from modelcheck.report.snippet import diagnostic
from modelcheck.report.summary import Columns, line, remarks
from modelcheck.report.text import WIDTH
from modelcheck.report.violation import by_trace, report
from modelcheck.report.words import surprises

Key: TypeAlias = "bool | int | str | Record | None"
"""A key of a map, which holds no collections."""

Plain: TypeAlias = "bool | int | str | Record | tuple[Plain, ...] | dict[Key, Plain] | None"
"""A value in Python's terms:

    bool, number     as such
    sort's member    its name: "n1"
    enum             the form's name: "Red"
    record, union    a Record
    option           None, or the item
    set, bag         a tuple in canonical order; of a bag with repeats
    sequence         a tuple
    map              a dict
"""


@frozen(repr=False)
class Record:
    """A form of a union, or a record, with its fields by name.

    >>> write = Record("Write", {"by": "n1", "token": 2})
    >>> write
    Write(n1, 2)
    >>> write.name, write["token"]
    ('Write', 2)
    """

    name: str
    # A dict has no hash. Forms of one name are then told apart by comparing them, which is enough.
    fields: Mapping[str, Plain] = field(factory=dict, hash=False)

    def __getitem__(self, name: str) -> Plain:
        return self.fields[name]

    def __repr__(self) -> str:
        """As the language writes it."""
        return _written(self)


def plain(type_: Type, value: Value) -> Plain:
    """A value of the type in Python's terms."""
    match type_:
        case Bool():
            return bool(value)
        case Int() | Range():
            assert isinstance(value, int)
            return int(value)
        case Sort():
            return show(type_, value)
        case Union(_, forms):
            assert isinstance(value, tuple) and isinstance(value[0], int)
            form = forms[value[0]]
            if type_.is_enum:
                return form.name
            pairs = zip(form.fields, value[1:], strict=True)
            return Record(form.name, {f.name: plain(f.type, v) for f, v in pairs})
        case Option(item):
            assert isinstance(value, tuple)
            return plain(item, value[0]) if value else None
        case Set(element) | Bag(element) | Seq(element):
            assert isinstance(value, tuple)
            return tuple(plain(element, v) for v in value)
        case Map(key, item):
            assert isinstance(value, tuple)
            return {
                _key(key, k): plain(item, v) for k, v in zip(values_of(key), value, strict=True)
            }
        case Nothing():
            return None
        case _:
            assert_never(type_)


def _key(type_: Type, value: Value) -> Key:
    key = plain(type_, value)
    assert not isinstance(key, tuple | dict), "keys hold no collections"
    return key


def _written(value: Plain) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | str():
            return str(value)
        case None:
            return "none"
        case Record(name, fields):
            inside = ", ".join(map(_written, fields.values()))
            return f"{name}({inside})" if fields else name
        case tuple():
            return f"[{', '.join(map(_written, value))}]"
        case dict():
            pairs = (f"{_written(k)}: {_written(v)}" for k, v in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            assert_never(value)


def state_as_dict(model: Model, state: State) -> dict[str, Plain]:
    """Every variable's value by the name that a trace gives it: `store.fence`, `n1.role`.

    Owners in the order of the file, of an `each` group member by member. How many steps the
    bounded faults have taken stands under their names: `faults.crash`.
    """
    named: dict[str, Plain] = {}
    for owner in model.owners:
        variables = [each for each in model.variables if each.owner == owner]
        if owner.key is None:
            for each in variables:
                named[each.full_name] = plain(each.type, state[each.position])
            continue
        for index, member in enumerate(values_of(owner.key)):
            head = member_name(owner.name, owner.key, member)
            for each in variables:
                values = state[each.position]
                assert isinstance(values, tuple)
                named[f"{head}.{each.name}"] = plain(each.type, values[index])
    for fault in model.counters:
        assert fault.counter is not None
        named[f"faults.{fault.name}"] = plain(Int(), state[fault.counter])
    return named


@frozen
class Position:
    """A position of a trace: a state, and the step that led to it.

    number     0 for the initial state, then that of the step
    step       None for the initial state
    text       the step as a trace shows it: `accept(Write(n1, 1, 1))`, or `init`
    arguments  of the step, by the names in the action's head
    state      as `state_as_dict` has it
    changed    what is not as it was before the step
    taken      false for the last step of a trace that ends with one of the four errors: it cannot
               be taken, and `state` is the one before it
    """

    number: int
    step: Step | None = field(repr=False)
    text: str
    arguments: dict[str, Plain]
    state: dict[str, Plain] = field(repr=False)
    changed: dict[str, Plain]
    taken: bool = True


def walk(model: Model, trace: Trace) -> Iterator[Position]:
    """The positions of a trace, from the initial state on. `trace.loop` says where it returns."""
    state = state_as_dict(model, trace.states[0])
    yield Position(0, None, "init", {}, state, {})
    for number, step in enumerate(trace.steps, start=1):
        before, taken = state, number < len(trace.states)
        if taken:
            state = state_as_dict(model, trace.states[number])
        changed = {name: value for name, value in state.items() if value != before[name]}
        yield Position(
            number, step, step_name(step), arguments_as_dict(step), state, changed, taken
        )


def arguments_as_dict(step: Step) -> dict[str, Plain]:
    """The arguments of a step, by the names in the action's head.

    Of a step whose evaluation failed early only those that had been chosen.
    """
    pairs = zip(step.action.binders, step.arguments, strict=False)
    return {binder.name: plain(binder.type, value) for binder, value in pairs}


# --- text ----------------------------------------------------------------------------


def describe(
    what: Outcome | Proved | Refused | Diagnostic, *, command: str = "", width: int = WIDTH
) -> str:
    """What the command line prints, without a line end.

    Of an outcome: the check's line, and the violations that the check did not expect. Of a proof:
    its verdict, and what stands against it.

    command  shows a trace again if the name of a property is added, or carries the proof out again;
             "" if nothing does
    width    columns in which to lay it out
    """
    match what:
        case Outcome():
            return _outcome(what, command, width)
        case Proved():
            return proof.report(what, command, width)
        case Refused():
            return "\n\n".join(diagnostic(each, width) for each in what.diagnostics)
        case Diagnostic():
            return diagnostic(what, width)
        case _:
            assert_never(what)


def _outcome(outcome: Outcome, command: str, width: int) -> str:
    parts = ["\n".join([line(outcome, Columns.of([]), width), *remarks(outcome)])]
    for group in by_trace(surprises(outcome)):
        for number, found in enumerate(group):
            again = f"{command} {found.name}" if command else ""
            parts.append(report(outcome, found, command=again, width=width, with_trace=number == 0))
    return "\n\n".join(parts)


def describe_trace(outcome: Outcome, name: str, *, full: bool = False, width: int = WIDTH) -> str:
    """The trace of a property or error as a table, and what it shows; no line end.

    full  whole states instead of what has changed

    Raises KeyError if the check does not judge `name`.
    """
    return report(outcome, outcome[name], full=full, width=width)
