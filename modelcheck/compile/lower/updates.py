"""What an enabled instance does: its updates, written into the successor.

The successor begins as a copy of the state. Updates that meet no other are done
at once; the rest are gathered with what they would write, compared with each
other at the end of the step, and then done.

Which failure is a step's is decided as the meaning decides it: an evaluation
that has no value ends the step where it stands; then, in the order of the
updates, a place that is not there or a second write; then, in the same order, a
value that does not fit. So the latter two are noted, and the first counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from attrs import evolve, frozen

from modelcheck.compile.ir import Flag, Operand, constant
from modelcheck.compile.layout import (
    capacity,
    length_offset,
    length_width,
)
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.collections import most_of
from modelcheck.compile.lower.kept import Kept
from modelcheck.compile.lower.markers import Markers
from modelcheck.compile.lower.places import Gathered, Step, Target
from modelcheck.compile.lower.plan import Chain
from modelcheck.compile.lower.scope import Scope
from modelcheck.compile.lower.values import Explain, join
from modelcheck.compile.record import first_processes
from modelcheck.core.clauses import (
    misfit_clause,
)
from modelcheck.core.terms import (
    AbandonOperation,
    Assign,
    AtField,
    Bind,
    CallOperation,
    Change,
    Choice,
    Guard,
    Invoke,
    Lose,
    Place,
    Repeat,
    ReturnOperation,
    Statement,
)
from modelcheck.core.types import (
    INT,
    Bag,
    Int,
    Range,
    Seq,
    Set,
    Type,
)
from modelcheck.core.variables import Owner


class Updates(Markers):
    """The code of updates."""

    # --- statements ---

    def block(
        self, statements: Sequence[Statement], chain: Chain, scope: Scope, step: Step
    ) -> Scope:
        """Statements one after the other; the scope has what they bind."""
        for index, statement in enumerate(statements):
            here = (*chain, index)
            match statement:
                case Bind(name, value):
                    scope = scope.bind(name, self.value(value, scope))
                case Assign(place, value):
                    self._write(":=", place, value, statement.span, here, scope, step)
                case Change(place, operator, value):
                    self._write(operator, place, value, statement.span, here, scope, step)
                case Choice():
                    self._choice(statement, here, scope, step)
                case Repeat():
                    self._repeat(statement, here, scope, step)
                case Invoke():
                    self._invoke(statement, here, scope, step)
                case Lose():
                    self._lose(statement, scope, step)
                case CallOperation():
                    self.call_operation(statement, scope, step)
                case ReturnOperation():
                    self.return_operation(statement, scope, step)
                case AbandonOperation():
                    self.abandon_operation(statement, scope, step)
                case Guard():
                    raise ValueError("a guard stands before every update, and in no block")
        return scope

    def _choice(self, statement: Choice, chain: Chain, scope: Scope, step: Step) -> None:
        f = self.f
        yes, no, end = f.label("if"), f.label("else"), f.label("endif")
        self.test(statement.condition, scope, yes, no)
        f.begin(yes)
        if f.reachable:
            self.block(statement.then, (*chain, 1), scope, step)
        f.jump(end)
        f.begin(no)
        if f.reachable:
            self.block(statement.otherwise, (*chain, 0), scope, step)
        f.begin(end)

    def _repeat(self, statement: Repeat, chain: Chain, scope: Scope, step: Step) -> None:
        waits = any(each[: len(chain)] == chain for each in step.plan.together)
        before = self.force_unroll
        self.force_unroll = before or waits

        def one(inner: Scope) -> None:
            self.block(statement.body, chain, inner, step)

        self.choices(statement.binders, scope, one, self.weights.of(statement.body))
        self.force_unroll = before

    def _invoke(self, statement: Invoke, chain: Chain, scope: Scope, step: Step) -> None:
        effect, names = statement.effect, dict[str, Value]()
        for (name, type_), argument in zip(effect.parameters, statement.arguments, strict=True):
            value = self.value(argument, scope)
            what = f"`{name}` of `{effect.name}`"
            names[name] = self.judged(value, type_, scope, what, "would be", argument.span)
        self.block(effect.body, chain, evolve(scope, names=names), step)

    # --- losing ---

    def lose_all(
        self, statements: Sequence[Statement], chain: Chain, scope: Scope, step: Step
    ) -> Scope:
        """Only the `lose`s, before any update; where an evaluation fails, it ends."""
        for index, statement in enumerate(statements):
            here = (*chain, index)
            match statement:
                case Bind(name, value):
                    scope = scope.bind(name, self.value(value, scope))
                case Choice():
                    self._lose_in_choice(statement, here, scope, step)
                case Repeat():

                    def one(inner: Scope, s: Repeat = statement, at: Chain = here) -> None:
                        self.lose_all(s.body, at, inner, step)

                    weight = self.weights.of(statement.body)
                    self.choices(statement.binders, scope, one, weight)
                case Invoke(effect, arguments):
                    names = {}
                    for (name, type_), argument in zip(effect.parameters, arguments, strict=True):
                        given = self.value(argument, scope)
                        names[name] = self.judged(given, type_, scope, "", "", None)
                    self.lose_all(effect.body, here, evolve(scope, names=names), step)
                case Lose():
                    self._forget(statement.owner, self._lost_slot(statement, scope), step)
                case _:
                    pass
        return scope

    def _lose_in_choice(self, statement: Choice, chain: Chain, scope: Scope, step: Step) -> None:
        f = self.f
        yes, no, end = f.label("if"), f.label("else"), f.label("endif")
        self.test(statement.condition, scope, yes, no)
        f.begin(yes)
        self.lose_all(statement.then, (*chain, 1), scope, step)
        f.jump(end)
        f.begin(no)
        self.lose_all(statement.otherwise, (*chain, 0), scope, step)
        f.begin(end)

    def _lost_slot(self, statement: Lose, scope: Scope) -> Operand | None:
        if statement.index is None:
            return None
        assert statement.owner.key is not None
        index = self.value(statement.index, scope)
        return self.slot(statement.owner.key, index, scope, statement.span)

    def _lose(self, statement: Lose, scope: Scope, step: Step) -> None:
        slot = self._lost_slot(statement, scope)
        if not step.loses_done:
            self._forget(statement.owner, slot, step)
        self._touch(statement.owner, slot, step)

    def _forget(self, owner: Owner, slot: Operand | None, step: Step) -> None:
        """The volatile variables of an owner, or one member's, back to their first values."""
        for variable, first in zip(self.model.variables, self.model.initial, strict=True):
            if not variable.volatile or variable.owner.name != owner.name:
                continue
            assert first.value is not None, "a volatile variable has one initial value"
            entry = self.layout.entries[variable.position]
            scope = Scope(step.out, {}, lambda site, shown: self.f.unreachable())
            value = self.retype(self.value(first.value, scope), entry.type)
            if entry.copies is None:
                self.write(step.out, entry.offset, value)
            elif slot is not None:
                self.write(step.out, self.offset_of(entry.offset, entry.stride, slot), value)
            else:
                for copy in range(entry.copies):
                    self.write(step.out, entry.offset + copy * entry.stride, value)

    def _touch(self, owner: Owner, slot: Operand | None, step: Step) -> None:
        """Note who is written first: the process of a step without one."""
        f = self.f
        if step.process is None or step.channel is None:
            return
        cell = step.channel if owner.kind == "channel" else step.process
        owners = first_processes(self.model)[owner.name]
        code = owners if slot is None else f.add(slot, owners + 1)
        known = f.load(cell)
        f.store(f.select(f.icmp("slt", known, 0), code, known), cell)

    # --- writes ---

    def _write(
        self,
        operator: Literal[":=", "+=", "-="],
        place: Place,
        term: Any,
        span: Any,
        chain: Chain,
        scope: Scope,
        step: Step,
    ) -> None:
        member = slot = None
        owner = place.variable.owner
        if place.index is not None:
            assert owner.key is not None
            member = self.value(place.index, scope)
            slot = self.slot(owner.key, member, scope, place.span)
        keys: tuple[Value | str, ...] = tuple(
            each.name if isinstance(each, AtField) else self.value(each.key, scope)
            for each in place.path
        )
        value = self.value(term, scope)
        if not self.f.reachable:
            return
        self._touch(owner, slot, step)
        step.orders += 1
        gathered = Gathered(step.orders, operator, place, span, True, member, slot, keys, value)
        if chain in step.plan.together:
            step.gathered.append(self._put_off(gathered, step))
            return
        self._do(gathered, [gathered], step)

    def _put_off(self, write: Gathered, step: Step) -> Gathered:
        """The update with everything where it can be found at the end of the step."""
        f, executed = self.f, self.f.alloca(hint="executed")
        step.cleared.append(executed)
        f.store(1, executed)

        def kept(value: Value) -> Value:
            cell = Kept(self, value.type)
            cell.put(value)
            return _Later(cell)  # type: ignore[return-value]

        member = None if write.member is None else kept(write.member)
        slot: Any = None if write.slot is None else kept(Word(INT, write.slot))
        keys = tuple(key if isinstance(key, str) else kept(key) for key in write.keys)
        return evolve(
            write,
            executed=executed,
            member=member,
            slot=slot,
            keys=keys,
            value=kept(write.value),
        )

    def finish(self, step: Step) -> None:
        """Do the updates that were put off."""
        f = self.f
        writes = [self._taken_up(write) for write in step.gathered]
        targets: list[Target | None] = []
        for index, write in enumerate(writes):
            writes[index], target = self._placed(write, step)
            targets.append(target)
            for earlier, other in zip(writes[:index], targets[:index], strict=True):
                self._judge_meeting(earlier, other, writes[index], target, step)
        for index, write in enumerate(writes):
            if write.operator == ":=":
                f.when(write.executed, lambda w=write: self._do(w, [w], step))  # type: ignore[misc]
            else:
                self._do_together(index, writes, targets, step)

    def _taken_up(self, write: Gathered) -> Gathered:
        f = self.f

        def taken(value: Any) -> Any:
            return value.cell.get() if isinstance(value, _Later) else value

        slot: Any = write.slot
        if isinstance(slot, _Later):
            number = slot.cell.get()
            assert isinstance(number, Word)
            slot = number.operand
        assert isinstance(write.executed, str)
        return evolve(
            write,
            executed=f.icmp("ne", f.load(write.executed), 0),
            member=taken(write.member),
            slot=slot,
            keys=tuple(taken(key) for key in write.keys),
            value=taken(write.value),
        )

    def _placed(self, write: Gathered, step: Step) -> tuple[Gathered, Target | None]:
        """The update, executed only if its place is there; and its place."""
        f = self.f
        yes, no, end = f.label("placed"), f.label("not"), f.label("end")
        f.branch(write.executed, yes, no)
        f.begin(yes)
        missing = f.label("missing")
        target = self._resolve(write, step, missing)
        there = f.block if f.reachable else None
        f.jump(end)
        f.begin(missing)
        gone = f.block if f.reachable else None
        f.jump(end)
        f.begin(no)
        skipped = f.block if f.reachable else None
        f.jump(end)
        f.begin(end)
        flags = [(flag, b) for flag, b in ((True, there), (False, gone), (False, skipped)) if b]
        others = [b for b in (gone, skipped) if b]

        def met(value: Operand | str) -> Operand:
            assert there is not None
            return f.phi([(value, there), *((0, b) for b in others)])

        executed = f.phi_flag(flags)
        if target is None or there is None:
            return evolve(write, executed=executed), None
        positions = tuple(
            p if isinstance(p, str) and not p.startswith("%") else met(p) for p in target.positions
        )
        moved = Target(met(target.offset), target.type, positions)
        return evolve(write, executed=executed), moved

    # --- doing ---

    def _do(self, write: Gathered, group: Sequence[Gathered], step: Step) -> None:
        """One update, its place resolved, its value judged."""
        f = self.f
        end = f.label("written")
        target = self._resolve(write, step, end)
        if target is not None and f.reachable:
            self._put(write, target, group, [True] * len(group), step, end)
        f.begin(end)

    def _put(
        self,
        write: Gathered,
        target: Target,
        group: Sequence[Gathered],
        taking_part: Sequence[Flag],
        step: Step,
        end: str,
    ) -> None:
        """What all updates of a group make of their one place; a misfit is noted, then to `end`."""
        parts = self._name_parts(write)

        def misfit(kind: Literal["range", "capacity"], number: Operand, explain: Explain) -> None:
            def describe(shown: Sequence[Any]) -> str:
                part, found = explain(shown[0])
                what = f"`{self._place_name(write, shown[1:])}`"
                return misfit_clause(kind, what, "would become", target.type, part, found)

            shown = [Word(INT, number), *parts]
            self._note(write.order, kind, describe, write.span, shown, step)
            self.f.jump(end)

        if write.operator == ":=":
            fitting = self.coerce(write.value, target.type, misfit)
            self.write(step.out, target.offset, fitting)
            return
        if isinstance(target.type, Seq):
            self._append(target.type, target.offset, group, taking_part, step, misfit)
            return
        old = self.read(step.out, target.offset, target.type)
        new = self._changed(target.type, old, group, taking_part)
        self.write(step.out, target.offset, self.coerce(new, target.type, misfit))

    def _changed(
        self, type_: Type, old: Value, group: Sequence[Gathered], taking_part: Sequence[Flag]
    ) -> Value:
        pairs = [(w, self._masked(p, w.value)) for w, p in zip(group, taking_part, strict=True)]
        added = [value for w, value in pairs if w.operator == "+="]
        removed = [value for w, value in pairs if w.operator == "-="]
        match type_:
            case Range() | Int():
                return self._summed(old, added, removed)
            case Set():
                new = old
                for value in removed:
                    new = self.combine("minus", new, value)
                for value in added:
                    new = self.combine("union", new, value)
                return new
            case Bag():
                element = type_.element
                room = capacity(type_)
                for value in added:
                    assert isinstance(value.type, Bag)
                    element = join(element, value.type.element)
                    room += most_of(value.type)
                return self.bag_change(Bag(element, room), old, removed, added)
            case _:
                raise AssertionError(type_)

    def _summed(self, old: Value, added: list[Value], removed: list[Value]) -> Value:
        f = self.f
        assert isinstance(old, Word)
        total = old.operand
        for value in added:
            assert isinstance(value, Word)
            total = f.add(total, value.operand)
        for value in removed:
            assert isinstance(value, Word)
            total = f.sub(total, value.operand)
        return Word(INT, total)

    def _masked(self, condition: Flag, value: Value) -> Value:
        """The value if the condition holds, else nothing that would change anything."""
        f = self.f
        if condition is True:
            return value
        if isinstance(value.type, Int | Range) and isinstance(value, Word):
            return Word(INT, f.select(condition, value.operand, 0))
        if isinstance(value, Word):
            return Word(value.type, f.select(condition, value.operand, 0))
        zero = self.zero_of(value.type)
        assert isinstance(zero, Memory)
        if not f.reachable:
            return value
        base = f.value(
            f"select i1 {constant(condition)}, ptr {value.base}, ptr {zero.base}", "base"
        )
        return Memory(value.type, base, f.select(condition, value.offset, 0))

    def _append(
        self,
        type_: Seq,
        offset: Operand,
        group: Sequence[Gathered],
        taking_part: Sequence[Flag],
        step: Step,
        misfit: Any,
    ) -> None:
        """The one element that is appended, in place."""
        f = self.f
        for write, takes_part in zip(group, taking_part, strict=True):

            def append(write: Gathered = write) -> None:
                sequence = self.read(step.out, offset, type_)
                length = self.length(sequence)
                element = self.coerce(write.value, type_.element, misfit)
                more = f.add(length, 1)
                self.otherwise(
                    f.icmp("sge", length, capacity(type_)),
                    lambda: misfit("capacity", more, lambda n: (type_, n)),
                )
                if not f.reachable:
                    return
                at = f.add(offset, self._step_to(type_, length))
                self.write(step.out, at, element)
                begins = f.add(offset, length_offset(type_))
                self.write_bits(step.out, begins, length_width(type_), more)

            f.when(takes_part, append)

    def _do_together(
        self, index: int, writes: list[Gathered], targets: list[Target | None], step: Step
    ) -> None:
        """All changes to the place of update `index`, if it is the first that changes it."""
        f = self.f
        write, target = writes[index], targets[index]
        if target is None:
            return
        first = write.executed
        group, taking_part = [write], [write.executed]
        for other_index, (other, at) in enumerate(zip(writes, targets, strict=True)):
            if other is write or at is None or other.operator == ":=":
                continue
            if other.place.variable.position != write.place.variable.position:
                continue
            same, covers, covered = self._same(write, target, other, at)
            if not (covers and covered):
                continue
            meet = f.both(other.executed, same)
            if other_index < index:
                first = f.both(first, f.not_(meet))
            else:
                group.append(other)
                taking_part.append(meet)
        end = f.label("together")
        yes = f.label("first")
        f.branch(first, yes, end)
        f.begin(yes)
        if f.reachable:
            taking_part[0] = True
            self._put(write, target, group, taking_part, step, end)
        f.begin(end)


@frozen(eq=False)
class _Later:
    """A value in a cell, to be read at the end of the step."""

    cell: Kept

    @property
    def type(self) -> Type:
        return self.cell.type
