"""Steps: the choices of an action's header, its guards, its updates, what is judged on the way.

    ptr @step(ptr s, ptr ctx, ptr cur, ptr hits, ptr counts)

writes every successor of the state at `s` in place, the first at `cur`, and
calls `@emit` for each, which says where the next is to be built.

Detailed code has a record too, and calls `@note` instead: for every step, and
every failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from modelcheck.compile import record
from modelcheck.compile.ir import Flag, Function, Operand
from modelcheck.compile.layout import WORD
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.early import early_guards
from modelcheck.compile.lower.judging import Judging
from modelcheck.compile.lower.kept import Kept
from modelcheck.compile.lower.places import NOTHING_NOTED, Step
from modelcheck.compile.lower.plan import plan_of
from modelcheck.compile.lower.scope import Fail, Scope, Site
from modelcheck.compile.lower.values import join
from modelcheck.core.model import ERROR_KINDS, Action, Event, StepProperty
from modelcheck.core.terms import (
    Bind,
    Choice,
    Guard,
    Invoke,
    Repeat,
    ReturnOperation,
    Statement,
)
from modelcheck.core.types import NOTHING, Bool, Type

_COPIED_ONE_BY_ONE = 16


class Steps(Judging):
    """The code of actions."""

    # --- the function ---

    def step_function(self) -> None:
        """`@step`, and the functions of the step properties."""
        extra = ", ptr noalias %rec" if self.detailed else ""
        heading = (
            "internal ptr @step(ptr noalias readonly %s, ptr %ctx, ptr %cur, "
            f"{self.hits_operand}, ptr noalias %counts{extra})"
        )
        f = self.f = Function(self.module, heading)
        f.line("%at = alloca ptr, align 8")
        f.store_pointer("%cur", "%at")
        rests = f.alloca(hint="rests")
        f.store(1, rests)
        for number, action in enumerate(self.model.actions):
            self._action(number, action, rests)
        self._rest(rests)
        f.ret(f"ptr {f.load_pointer('%at', 'cur')}")
        self.module.add(f)

    def _rest(self, rests: str) -> None:
        """A state without a step of an action that changes anything."""
        f = self.f
        yes, end, deadlock = f.label("rests"), f.label("moves"), f.label("deadlock")
        f.branch(f.icmp("ne", f.load(rests), 0), yes, end)
        f.begin(yes)
        if self.model.stops is not None:

            def fail(site: Site, shown: Sequence[Value]) -> None:
                self.record(site, shown)
                self.hit(self.goals.expanding + ERROR_KINDS.index(site.kind))
                self.note(record.STOPS, 0, ERROR_KINDS.index(site.kind))
                f.jump(end)

            self.test(self.model.stops, Scope("%s", {}, fail), end, deadlock)
        f.begin(deadlock)
        self.hit(self.goals.deadlock)
        f.begin(end)

    # --- actions ---

    def _action(self, number: int, action: Action, rests: str) -> None:
        f = self.f
        end = f.label(f"after.{number}")
        enabled = f.alloca(hint="enabled")
        f.store(0, enabled)
        if action.at_most is not None:
            taken = self._counter(action)
            go = f.label("budget")
            f.branch(f.icmp("slt", taken, action.at_most), go, end)
            f.begin(go)
        _Writer(self, number, action, rests, enabled).write()
        f.jump(end)
        f.begin(end)
        counter = f.word("%counts", number)
        f.store(f.add(f.load(counter), f.load(enabled)), counter)

    def _counter(self, action: Action) -> Operand:
        """How many steps a bounded fault has taken."""
        assert action.counter is not None
        entry = self.layout.entries[action.counter]
        value = self.read("%s", entry.offset, entry.type)
        assert isinstance(value, Word)
        return value.operand

    def copy_state(self, out: str) -> None:
        """The state into the successor."""
        f, words = self.f, self.layout.words
        if words <= _COPIED_ONE_BY_ONE:
            for i in range(words):
                f.store(f.fetch("%s", i), f.word(out, i))
            return
        name = self.module.declare(
            "llvm.memcpy.p0.p0.i64", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        )
        f.line(f"call void {name}(ptr {out}, ptr %s, i64 {words * 8}, i1 false)")

    def is_same(self, out: str) -> Flag:
        """Whether the successor is the state itself."""
        f, words = self.f, self.layout.words
        if words > _COPIED_ONE_BY_ONE:
            everything = words * WORD
            return self.equal_bits(Memory(NOTHING, "%s", 0), Memory(NOTHING, out, 0), everything)
        differing: Operand = 0
        for i in range(words):
            differing = f.or_(differing, f.xor(f.fetch("%s", i), f.fetch(out, i)))
        return f.icmp("eq", differing, 0)

    def before_emit(
        self, number: int, action: Action, arguments: Sequence[Value], same: Operand
    ) -> None:
        """What is done for a step that was taken; `same` is 1 if it changes nothing."""


class _Writer:
    """Writes the code of one action."""

    def __init__(self, steps: Steps, number: int, action: Action, rests: str, enabled: str) -> None:
        self.steps, self.number, self.action = steps, number, action
        self.rests, self.enabled = rests, enabled
        last = max((i for i, s in enumerate(action.body) if isinstance(s, Guard)), default=-1)
        self.early = early_guards(action, action.body[: last + 1])
        self.guards = self.early.rest
        self.updates = action.body[last + 1 :]
        self.plan = plan_of(self.updates)
        weights = steps.weights
        self.weight = (
            weights.of(self.guards) + weights.of(self.updates) + 2 * steps.layout.words + 8
        )
        self.returns = list(_returns(self.updates))

    def write(self) -> None:
        scope = Scope("%s", {}, self._guard_fails([], "unused"))
        self._choose(0, scope, [])

    # --- header and guards ---

    def _choose(self, depth: int, scope: Scope, arguments: list[Value]) -> None:
        steps, f, binders = self.steps, self.steps.f, self.action.binders
        if depth == len(binders):
            self._guarded(scope, arguments)
            return
        binder, rest = binders[depth], binders[depth + 1 :]
        after = f.label("next")
        outer = evolve(scope, fail=self._guard_fails(arguments, after))
        for condition in self.early.before[depth]:
            holds = f.label("guard")
            steps.test(condition, outer, holds, after)
            f.begin(holds)
        inside = steps.weights.chosen(rest, self.weight)
        if binder.where is not None:
            inside += steps.weights.of(binder.where)

        def one(value: Value) -> None:
            skip = f.label("skip")
            chosen = [*arguments, value]
            inner = evolve(scope.bind(binder.name, value), fail=self._guard_fails(chosen, skip))
            inner = steps.accepted(binder, inner, skip)
            self._choose(depth + 1, inner, chosen)
            f.begin(skip)

        steps.each_value(binder.domain, outer, one, inside)
        f.begin(after)

    def _guard_fails(self, arguments: Sequence[Value], then: str) -> Fail:
        """What happens where an evaluation fails before the last guard has decided."""

        def fail(site: Site, shown: Sequence[Value]) -> None:
            steps = self.steps
            kind = ERROR_KINDS.index(site.kind)
            steps.record(site, shown)
            self._put_arguments(arguments)
            self._put_process(arguments, None)
            steps.set_record(record.RESULT, 0)
            steps.hit(steps.goals.expanding + kind)
            if not self.action.fault:
                steps.f.store(0, self.rests)
            steps.note(record.GUARD, self.number, kind)
            steps.f.jump(then)

        return fail

    def _put_arguments(self, arguments: Sequence[Value]) -> None:
        steps = self.steps
        if not steps.detailed or not steps.f.reachable:
            return
        steps.set_record(record.BOUND, len(arguments))
        at = record.ARGUMENTS
        for binder, value in zip(self.action.binders, arguments, strict=False):
            at = steps.put_in_record(at, steps.retype(value, binder.type), binder.type)

    def _guarded(self, scope: Scope, arguments: list[Value]) -> None:
        steps, f = self.steps, self.steps.f
        skip = f.label("disabled")
        scope = evolve(scope, fail=self._guard_fails(arguments, skip))
        for statement in self.guards:
            match statement:
                case Guard(condition):
                    holds = f.label("guard")
                    steps.test(condition, scope, holds, skip)
                    f.begin(holds)
                case Bind(name, value):
                    scope = scope.bind(name, steps.value(value, scope))
                case _:
                    raise ValueError("a guard stands before every update")
        if f.reachable:
            self._enabled(scope, arguments)
        f.begin(skip)

    # --- updates ---

    def _enabled(self, scope: Scope, arguments: list[Value]) -> None:
        steps, f = self.steps, self.steps.f
        f.store(f.add(f.load(self.enabled), 1), self.enabled)
        self._put_arguments(arguments)
        out = f.load_pointer("%at", "out")
        step = self._step(out)
        failed_kind = f.alloca(hint="kind")
        failed, done = f.label("failed"), f.label("done")

        def fail(site: Site, shown: Sequence[Value]) -> None:
            steps.record(site, shown)
            f.store(ERROR_KINDS.index(site.kind), failed_kind)
            f.jump(failed)

        steps.copy_state(out)
        mark = f.mark()
        inner = evolve(scope, fail=fail)
        if not self.plan.loses_first:
            stop = f.label("lost")
            quiet = evolve(scope, fail=lambda site, shown: f.jump(stop))
            steps.lose_all(self.updates, (), quiet, step)
            f.begin(stop)
            step.loses_done = True
        inner = steps.block(self.updates, (), inner, step)
        steps.finish(step)
        f.insert(mark, [f"store i64 0, ptr {cell}, align 8" for cell in step.cleared])
        taken, noted = f.label("taken"), f.label("misfit")
        f.branch(f.icmp("eq", f.load(step.noted), NOTHING_NOTED), taken, noted)
        f.begin(noted)
        f.store(f.load(step.noted_kind), failed_kind)
        f.jump(failed)
        f.begin(taken)
        if f.reachable:
            self._taken(inner, arguments, out, step)
        f.jump(done)
        f.begin(failed)
        if f.reachable:
            self._not_taken(f.load(failed_kind), arguments, step)
        f.begin(done)

    def _step(self, out: str) -> Step:
        steps, f = self.steps, self.steps.f
        noted, kind = f.alloca(hint="noted"), f.alloca(hint="kind")
        f.store(NOTHING_NOTED, noted)
        process = channel = None
        if steps.detailed:
            process, channel = f.alloca(hint="process"), f.alloca(hint="channel")
            f.store(-1, process)
            f.store(-1, channel)
        step = Step(out, self.plan, noted, kind, process, channel)
        if self.returns:
            type_ = result_type(self.action) or NOTHING
            steps.result_types[self.number] = type_
            times = f.alloca(hint="returned")
            f.store(0, times)
            step.result = (Kept(steps, type_), times)
        return step

    def _not_taken(self, kind: Operand, arguments: Sequence[Value], step: Step) -> None:
        steps, f = self.steps, self.steps.f
        steps.hit(f.add(kind, steps.goals.stepping))
        if not self.action.fault:
            f.store(0, self.rests)
        self._put_process(arguments, step)
        steps.set_record(record.RESULT, 0)
        steps.note(record.NOT_TAKEN, self.number, kind)

    def _put_process(self, arguments: Sequence[Value], step: Step | None) -> None:
        """Who acts: an argument that indexes a group, else the owner of the first write."""
        steps, f, position = self.steps, self.steps.f, self.action.process
        if not steps.detailed or not f.reachable:
            return
        lane = record.lane(self.action, steps.model)
        who: Operand = record.first_processes(steps.model).get(lane, 0)
        if position is not None and position < len(arguments):
            who = f.add(self._member_number(lane, arguments[position]), who)
        elif step is not None and step.process is not None and step.channel is not None:
            channel, first = f.load(step.channel), f.load(step.process)
            who = f.select(f.icmp("slt", channel, 0), who, channel)
            who = f.select(f.icmp("slt", first, 0), who, first)
        steps.set_record(record.PROCESS, who)

    def _member_number(self, lane: str, value: Value) -> Operand:
        """The position of a member of this group, from 1; 0 if it has no such member."""
        steps, f = self.steps, self.steps.f
        key = next((o.key for o in steps.model.owners if o.name == lane), None)
        if key is None:
            return 0
        stranger, end = f.label("stranger"), f.label("member")
        member = steps.coerce(value, key, lambda *_: f.jump(stranger))
        arms: list[tuple[Operand, str]] = []
        if f.reachable:
            number = f.add(steps.rank_of(member), 1)
            arms.append((number, f.block))
        f.jump(end)
        f.begin(stranger)
        if f.reachable:
            arms.append((0, f.block))
        f.begin(end)
        return f.phi(arms)

    def _taken(self, scope: Scope, arguments: list[Value], out: str, step: Step) -> None:
        steps, f = self.steps, self.steps.f
        if self.action.counter is not None:
            entry = steps.layout.entries[self.action.counter]
            taken = steps.read(out, entry.offset, entry.type)
            assert isinstance(taken, Word)
            more = f.add(taken.operand, 1)
            steps.write_bits(out, entry.offset, entry.stride, more)
        same: Operand = 0
        if not self.action.fault:
            same = f.widen(steps.is_same(out))
            f.store(f.and_(f.load(self.rests), same), self.rests)
        result = None
        if step.result is not None:
            kept, times = step.result
            result = (kept.get(), f.icmp("eq", f.load(times), 2))
        self._put_process(arguments, step)
        self._put_result(step)
        self._judge(scope, arguments, out, result)
        if steps.detailed:
            steps.note(record.TAKEN, self.number, -1)
        else:
            steps.before_emit(self.number, self.action, arguments, same)
            f.store_pointer(f.value(f"call ptr @emit(ptr %ctx, ptr {out})", "cur"), "%at")

    def _put_result(self, step: Step) -> None:
        steps, f = self.steps, self.steps.f
        if not steps.detailed:
            return
        if step.result is None:
            steps.set_record(record.RESULT, 0)
            return
        kept, times = step.result
        steps.set_record(record.RESULT, f.load(times))
        if not isinstance(kept.type, type(NOTHING)):
            at = record.ARGUMENTS + steps.argument_words
            f.when(
                f.icmp("eq", f.load(times), 2),
                lambda: _ignore(steps.put_in_record(at, kept.get(), kept.type)),
            )

    def _judge(
        self,
        scope: Scope,
        arguments: list[Value],
        out: str,
        result: tuple[Value, Flag] | None,
    ) -> None:
        """The properties that speak of this step."""
        steps = self.steps
        for number, each in enumerate(steps.model.properties):
            if not isinstance(each, StepProperty):
                continue
            for event in each.events or (None,):
                if event is None or event.action == self.action.name:
                    self._call(number, each, event, arguments, out, result)

    def _call(
        self,
        number: int,
        each: StepProperty,
        event: Event | None,
        arguments: list[Value],
        out: str,
        result: tuple[Value, Flag] | None,
    ) -> None:
        steps, f = self.steps, self.steps.f
        if each.reads_result and result is None:
            return
        passed, names = list[Value](), list[str]()
        if event is not None:
            for name, value, binder in zip(
                event.names, arguments, self.action.binders, strict=True
            ):
                if name is not None:
                    names.append(name)
                    passed.append(steps.retype(value, binder.type))
        end = f.label("judged")
        if each.reads_result:
            assert result is not None
            names.append("result")
            passed.append(result[0])
            go = f.label("returned")
            f.branch(result[1], go, end)
            f.begin(go)
        function = steps.property_function(number, each, names, [v.type for v in passed])
        operands = ["ptr %s", f"ptr {out}", "ptr %hits"]
        for value in passed:
            operands += _operands(steps, value)
        if steps.detailed:
            operands.append("ptr %rec")
            failed = f.value(f"call i64 {function}({', '.join(operands)})", "kind")
            bad = f.label("undefined")
            f.branch(f.icmp("sge", failed, 0), bad, end)
            f.begin(bad)
            steps.set_record(record.PROPERTY, number)
            steps.note(record.STEP_PROPERTY, self.number, failed)
            # The record is handed over without a new state: the next is built in the same place.
        else:
            f.value(f"call i64 {function}({', '.join(operands)})", "kind")
        f.begin(end)


def _operands(steps: Steps, value: Value) -> list[str]:
    """A value as arguments of a call."""
    if isinstance(value, Memory):
        return [f"ptr {value.base}", f"i64 {value.offset}"]
    if isinstance(value.type, Bool):
        return [f"i64 {steps.f.widen(value.flag)}"]
    return [f"i64 {value.operand}"]


def result_type(action: Action) -> Type | None:
    """The type of what an action returns; None if it never returns anything."""
    returns = _returns(action.body)
    type_: Type = NOTHING
    for each in returns:
        if each.value is not None:
            type_ = join(type_, each.value.type)
    return type_ if returns else None


def _returns(body: Sequence[Statement]) -> list[ReturnOperation]:
    found: list[ReturnOperation] = []
    for statement in body:
        match statement:
            case ReturnOperation():
                found.append(statement)
            case Choice(_, then, otherwise):
                found += [*_returns(then), *_returns(otherwise)]
            case Repeat(_, inner):
                found += _returns(inner)
            case Invoke(effect, _):
                found += _returns(effect.body)
            case _:
                pass
    return found


def _ignore(_: Any) -> None:
    pass
