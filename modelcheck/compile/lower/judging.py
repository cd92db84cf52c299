"""What code reports: events as bytes of `hits`, records in detailed code, and the functions that
judge the properties of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from attrs import evolve

from modelcheck.compile import record
from modelcheck.compile.ir import Function, Operand
from modelcheck.compile.lower.bits import Memory, Value, Word
from modelcheck.compile.lower.scope import Fail, Scope, Site
from modelcheck.compile.lower.updates import Updates
from modelcheck.core.antecedent import Line, lines_of
from modelcheck.core.model import ERROR_KINDS, Liveness, Property, StepProperty
from modelcheck.core.outcome import Said
from modelcheck.core.terms import (
    And,
    Term,
)
from modelcheck.core.types import Bool, Type

_MOST_LINES = 255

_TRIGGERED = 1
"""Of the three events of a line."""


class Goals:
    """The events that code reports, numbered: bytes of `hits`.

    violated, or witnessed  0 .. P-1, by the property's position in the model
    JUDGING   + kind: an error while a new state was judged
    EXPANDING + kind: an error in a guard, or in `stops when`
    STEPPING  + kind: an error in a step, or in a property of a step
    DEADLOCK
    SAID      three for each line: it had something to choose, its condition was true, and it was
              false without its condition
    UNCLEAR   + property: it had no value somewhere
    INITIAL   + kind: an error in `init`
    """

    def __init__(self, properties: Sequence[Property]) -> None:
        count = len(properties)
        # What is owed is known for every state when the search has ended.
        self.lines = [() if isinstance(each, Liveness) else lines_of(each) for each in properties]
        self._by_step = [isinstance(each, StepProperty) for each in properties]
        self._before = [0, *accumulate(map(len, self.lines))]
        self.judging = count
        self.expanding = count + 4
        self.stepping = count + 8
        self.deadlock = count + 12
        self.said = count + 13
        self.unclear = self.said + 3 * self._before[-1]
        self.initial = self.unclear + count
        self.count = self.initial + 4

    def of_line(self, number: int, index: int) -> int:
        """The first of the three events of a line of a property."""
        return self.said + 3 * (self._before[number] + index)

    def what_was_said(self, number: int, was_hit: Callable[[int], bool]) -> tuple[Said, ...]:
        """What came up of the lines of a property, of which something has been judged."""
        lines = enumerate(self.lines[number])
        return tuple(self._said(number, index, line, was_hit) for index, line in lines)

    def _said(self, number: int, index: int, line: Line, was_hit: Callable[[int], bool]) -> Said:
        event = self.of_line(number, index)
        chosen = line.chosen is None or was_hit(event)
        if line.triggered is not None:
            triggered = was_hit(event + 1)
        elif line.chosen is None and not self._by_step[number]:
            triggered = True  # some state is always judged, but perhaps no step
        else:
            triggered = was_hit(event)
        return Said(chosen, triggered, line.stronger is None or was_hit(event + 2))


class Judging(Updates):
    """Reports, and the properties of steps."""

    goals: Goals
    detailed: bool
    sites: list[Site]
    result_types: dict[int, Type]
    argument_words: int
    result_words: int
    payload_words: int
    property_names: dict[tuple[object, ...], str]

    # --- records ---

    def hit(self, goal: Operand, value: int = 1) -> None:
        """Report an event."""
        f = self.f
        pointer = f.byte("%hits", goal)
        f.line(f"store i8 {value}, ptr {pointer}, align 1")

    def hit_unless(self, number: int, parts: Sequence[Term], scope: Scope, holds: str) -> None:
        """To `holds` if all lines of a property hold, else report it.

        Detailed code reports which line is the first that does not, counted from 1.
        """
        f = self.f
        if not self.detailed:
            broken = f.label("broken")
            self.test(And(tuple(parts)), scope, holds, broken)
            f.begin(broken)
            self.hit(number)
            return
        after = f.label("broken")
        for index, part in enumerate(parts):
            further, broken = f.label("further"), f.label("broken")
            self.test(part, scope, further, broken)
            f.begin(broken)
            self.hit(number, min(index + 1, _MOST_LINES))
            f.jump(after)
            f.begin(further)
        f.jump(holds)
        f.begin(after)

    def returned(self, claim: int) -> None:
        """Report that an operation of the object returns: the claim has something to say."""
        assert self.model.history is not None
        name = self.model.history.claims[claim].name
        for number, each in enumerate(self.model.properties):
            if each.name == name:
                self.hit(self.goals.of_line(number, 0) + _TRIGGERED)

    def set_record(self, index: int, value: Operand) -> None:
        if self.detailed:
            self.f.store(value, self.f.word("%rec", index))

    def record(self, site: Site, shown: Sequence[Value]) -> None:
        if not self.detailed or not self.f.reachable:
            return
        self.sites.append(site)
        self.set_record(record.SITE, len(self.sites) - 1)
        at = record.ARGUMENTS + self.argument_words + self.result_words
        for value in shown:
            at = self.put_in_record(at, value, value.type)
        used = at - record.ARGUMENTS - self.argument_words - self.result_words
        self.payload_words = max(self.payload_words, used)

    def put_in_record(self, at: int, value: Value, type_: Type) -> int:
        """The value as a number of words; returns where the next begins."""
        return self.put_words("%rec", at, value, type_)

    def note(self, what: int, index: int, kind: Operand) -> None:
        """Hand the record over."""
        if not self.detailed:
            return
        f = self.f
        self.set_record(record.WHAT, what)
        self.set_record(record.INDEX, index)
        self.set_record(record.KIND, kind)
        cur = f.load_pointer("%at")
        f.store_pointer(
            f.value(f"call ptr @note(ptr %ctx, ptr %rec, ptr {cur}, ptr %s)", "cur"), "%at"
        )

    @property
    def hits_operand(self) -> str:
        """Whoever takes a record may look at the hits, too."""
        return "ptr %hits" if self.detailed else "ptr noalias %hits"

    def property_function(
        self, number: int, each: StepProperty, names: Sequence[str], types: Sequence[Type]
    ) -> str:
        """The function that judges a step: it reports what it finds, and returns the kind of an
        error, or -1. Its operands are the two states, `hits`, and the values of the names.
        """
        key = (number, tuple(names), tuple(types))
        name = self.property_names.get(key)
        if name is None:
            name = self.property_names[key] = f"@property.{len(self.property_names)}"
            before = self.f
            self._write_property(name, number, each, names, types)
            self.f = before
        return name

    def _write_property(
        self,
        name: str,
        number: int,
        each: StepProperty,
        names: Sequence[str],
        types: Sequence[Type],
    ) -> None:
        operands = ["ptr readonly %s", "ptr readonly %after", "ptr %hits"]
        for index, type_ in enumerate(types):
            if isinstance(self.nothing(type_), Word):
                operands.append(f"i64 %v{index}")
            else:
                operands += [f"ptr %v{index}", f"i64 %o{index}"]
        if self.detailed:
            operands.append("ptr %rec")
        f = self.f = Function(self.module, f"internal i64 {name}({', '.join(operands)})")
        bound: dict[str, Value] = {}
        for index, (bound_name, type_) in enumerate(zip(names, types, strict=True)):
            if not isinstance(self.nothing(type_), Word):
                bound[bound_name] = Memory(type_, f"%v{index}", f"%o{index}")
            elif isinstance(type_, Bool):
                bound[bound_name] = Word(type_, f.truth(f"%v{index}"))
            else:
                bound[bound_name] = Word(type_, f"%v{index}")
        result = (bound["result"], True) if each.reads_result else None

        def fail(site: Site, shown: Sequence[Value]) -> None:
            kind = ERROR_KINDS.index(site.kind)
            self.record(site, shown)
            self.hit(self.goals.stepping + kind)
            self.hit(self.goals.unclear + number)
            f.ret(f"i64 {kind}")

        scope = Scope("%s", bound, fail, "%after", result)
        self.speak(number, scope)
        holds = f.label("holds")
        self.hit_unless(number, each.parts, scope, holds)
        f.jump(holds)
        f.begin(holds)
        f.ret("i64 -1")
        self.module.add(f)

    def speak(self, number: int, scope: Scope) -> None:
        """Report what comes up of the lines of a property, unless that is known."""
        by_step = scope.after is not None
        for index, line in enumerate(self.goals.lines[number]):
            event = self.goals.of_line(number, index)
            if line.chosen is not None:
                self._once(event, line.chosen, scope, wanted=True)
            elif by_step:
                self.hit(event)
            if line.triggered is not None:
                self._once(event + 1, line.triggered, scope, wanted=True)
            if line.stronger is not None:
                self._once(event + 2, line.stronger, scope, wanted=False)

    def _once(self, event: int, condition: Term, scope: Scope, *, wanted: bool) -> None:
        """Report that a condition has the wanted value, unless that is known.

        One without a value is not true.
        """
        f = self.f
        known = f.value(f"load i8, ptr {f.byte('%hits', event)}, align 1", "known")
        ask, yes, end = f.label("ask"), f.label("said"), f.label("known")
        f.branch(f.value(f"icmp eq i8 {known}, 0", "c"), ask, end)
        f.begin(ask)
        no = yes if not wanted else end
        self.test(
            condition,
            evolve(scope, fail=self._jumps_to(no)),
            yes if wanted else end,
            no,
        )
        f.begin(yes)
        self.hit(event)
        f.jump(end)
        f.begin(end)

    def _jumps_to(self, label: str) -> Fail:
        return lambda site, shown: self.f.jump(label)
