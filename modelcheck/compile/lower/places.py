"""Where an update writes, and how a step that cannot be taken is noted.

A place that is not there, a second write and a value that does not fit are noted while the
updates are done: the first of them, in the order of the meaning, is the step's failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from attrs import Factory, define, frozen

from modelcheck.compile.ir import Flag, Operand
from modelcheck.compile.layout import (
    Unsupported,
    capacity,
    element_offset,
    entry_offset,
    field_offsets,
    width,
)
from modelcheck.compile.lower.bits import Value, Word
from modelcheck.compile.lower.kept import Kept
from modelcheck.compile.lower.plan import Plan
from modelcheck.compile.lower.scope import Site
from modelcheck.compile.lower.terms import Terms
from modelcheck.compile.lower.values import Explain
from modelcheck.core.clauses import (
    no_field_clause,
    no_key_clause,
    outside_clause,
)
from modelcheck.core.model import ERROR_KINDS
from modelcheck.core.terms import (
    Place,
)
from modelcheck.core.types import (
    INT,
    Map,
    Seq,
    Type,
    Union,
)
from modelcheck.core.values import show

NOTHING_NOTED = (1 << 62) - 1

_MISFITS = 1 << 40
"""Misfits count only where no place is missing and nothing is written twice."""


@define(eq=False)
class Step:
    """The step that is being written.

    out       the successor
    noted     a cell: the order of the first failure noted so far
    noted_kind  a cell: its kind
    process, channel  cells, if who acts is asked: the first owner written, the first channel
    result    what was returned, and a cell that says whether
    orders    numbers of updates, in the order of the text
    gathered  updates that wait for the end of the step
    cleared   cells that must be zero when the step begins
    """

    out: str
    plan: Plan
    noted: str
    noted_kind: str
    process: str | None
    channel: str | None
    result: tuple[Kept, str] | None = None
    orders: int = 0
    gathered: list[Gathered] = Factory(list)
    cleared: list[str] = Factory(list)
    loses_done: bool = False


@frozen(eq=False)
class Gathered:
    """An update that waits: whether it is executed, and with what.

    keys  of its path: the value of each key or index, or the field's name
    """

    order: int
    operator: Literal[":=", "+=", "-="]
    place: Place
    span: Any
    executed: Flag
    member: Value | None
    slot: Operand | None
    keys: tuple[Value | str, ...]
    value: Value


@frozen(eq=False)
class Target:
    """Where a place is: its first bit in the successor, its type, and the positions on the way."""

    offset: Operand
    type: Type
    positions: tuple[Operand | str, ...]


class Places(Terms):
    """Places of updates, and failures that wait for the end of the step."""

    def record(self, site: Site, shown: Sequence[Value]) -> None:
        """Record which failure it is, where anybody will ask."""
        raise NotImplementedError

    # --- places ---

    def _resolve(self, write: Gathered, step: Step, missing: str) -> Target | None:
        """Where the place is; a place that is not there is noted, and control goes to `missing`."""
        f, variable = self.f, write.place.variable
        entry = self.layout.entries[variable.position]
        offset: Operand = entry.offset
        if write.slot is not None:
            offset = self.offset_of(entry.offset, entry.stride, write.slot)
        type_, positions = entry.type, list[Operand | str]()
        span = write.place.span or write.span
        for key in write.keys:
            if not f.reachable:
                return None
            here = self.read(step.out, offset, type_)
            if isinstance(key, str):
                offset, type_ = self._field_place(write, key, here, offset, span, step, missing)
                positions.append(key)
                continue
            index, at, type_ = self._key_place(write, key, here, type_, span, step, missing)
            offset = f.add(offset, at)
            positions.append(index)
        return Target(offset, type_, tuple(positions))

    def _field_place(
        self,
        write: Gathered,
        name: str,
        here: Value,
        offset: Operand,
        span: Any,
        step: Step,
        missing: str,
    ) -> tuple[Operand, Type]:
        f, union = self.f, here.type
        assert isinstance(union, Union)
        tag = self.tag(here)
        places = [form.position(name) for form in union.forms]
        types = {union.forms[i].fields[p].type for i, p in enumerate(places) if p is not None}
        if len(types) != 1:
            raise Unsupported(f"a write to `{name}`, which has a type of its own in every form")
        at: Operand = 0
        for number, place in enumerate(places):
            if place is None:
                clause = no_field_clause(name, union.forms[number].name)

                def describe(_: Sequence[Any], clause: str = clause) -> str:
                    return clause

                wrong = f.icmp("eq", tag, number)
                self._note_if(wrong, write.order, "undefined", describe, span, (), step, missing)
            else:
                begins = field_offsets(union, number)[place]
                at = f.select(f.icmp("eq", tag, number), begins, at)
        return f.add(offset, at), types.pop()

    def _key_place(
        self,
        write: Gathered,
        key: Value,
        here: Value,
        type_: Type,
        span: Any,
        step: Step,
        missing: str,
    ) -> tuple[Operand, Operand, Type]:
        """The position of a key or index, how many bits further it is, and the type there."""
        f = self.f
        if isinstance(type_, Map):
            key_type, keys = key.type, type_.key

            def misfit(kind: str, number: Operand, explain: Explain) -> None:
                self._note(
                    write.order, "undefined",
                    lambda shown: no_key_clause(keys, shown[0], key_type), span, (key,), step,
                )  # fmt: skip
                f.jump(missing)

            index = self.rank_of(self.coerce(key, keys, misfit))
            return index, self._step_to(type_, index), type_.value
        assert isinstance(type_, Seq) and isinstance(key, Word)
        length = self.length(here)
        index = f.sub(key.operand, 1)
        self._note_if(
            f.icmp("uge", index, length), write.order, "undefined",
            lambda shown: outside_clause(shown[0], shown[1]), span,
            (Word(INT, key.operand), Word(INT, length)), step, missing,
        )  # fmt: skip
        return index, self._step_to(type_, index), type_.element

    def _step_to(self, type_: Map | Seq, index: Operand) -> Operand:
        """From a container's first bit to that of a part."""
        f = self.f
        if isinstance(type_, Seq) and capacity(type_) == 0:
            return 0
        offset = entry_offset if isinstance(type_, Map) else element_offset
        first = offset(type_, 0)  # type: ignore[arg-type]
        bits = width(type_.value if isinstance(type_, Map) else type_.element)
        step = f.mul(index, bits)
        return f.sub(first, step) if width(type_) <= 64 else f.add(first, step)

    # --- failures that wait ---

    def _note(
        self,
        order: int,
        kind: Literal["range", "capacity", "undefined", "two-writes"],
        describe: Callable[[Sequence[Any]], str],
        span: Any,
        shown: Sequence[Value],
        step: Step,
        other: Any = None,
    ) -> None:
        """The step has failed, unless a failure that precedes this one was noted."""
        f = self.f
        rank = order + (_MISFITS if kind in ("range", "capacity") else 0)
        first, end = f.label("note"), f.label("noted")
        f.branch(f.icmp("slt", rank, f.load(step.noted)), first, end)
        f.begin(first)
        f.store(rank, step.noted)
        f.store(ERROR_KINDS.index(kind), step.noted_kind)
        self.record(Site(kind, describe, span, other, tuple(v.type for v in shown)), shown)
        f.begin(end)

    def _note_if(
        self,
        wrong: Flag,
        order: int,
        kind: Literal["range", "capacity", "undefined", "two-writes"],
        describe: Callable[[Sequence[Any]], str],
        span: Any,
        shown: Sequence[Value],
        step: Step,
        then: str,
    ) -> None:
        def happens() -> None:
            self._note(order, kind, describe, span, shown, step)
            self.f.jump(then)

        self.otherwise(wrong, happens)

    # --- names of places ---

    def _name_parts(self, write: Gathered) -> list[Value]:
        """The values that the name of the written place shows."""
        parts = [] if write.member is None else [write.member]
        return parts + [key for key in write.keys if not isinstance(key, str)]

    def _place_name(self, write: Gathered, shown: Sequence[Any]) -> str:
        """A written place as a trace names it: `n1.role`, `store.value`, `network.acks[n1]`."""
        variable, values = write.place.variable, list(shown)
        owner = variable.owner.name
        if write.member is not None:
            assert variable.owner.key is not None
            owner = show(variable.owner.key, values.pop(0))
        steps = []
        for key in write.keys:
            if isinstance(key, str):
                steps.append(f".{key}")
            else:
                steps.append(f"[{show(key.type, values.pop(0))}]")
        return f"{owner}.{variable.name}{''.join(steps)}"
