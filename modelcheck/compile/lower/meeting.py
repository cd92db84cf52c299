"""Updates of one step that write the same, or overlapping, places: whether both can happen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modelcheck.compile.ir import Flag
from modelcheck.compile.lower.bits import Value, Word
from modelcheck.compile.lower.places import Gathered, Places, Step, Target
from modelcheck.compile.lower.scope import Scope
from modelcheck.core.clauses import (
    twice_clause,
)
from modelcheck.core.types import (
    Map,
    Seq,
)


class Meeting(Places):
    """Comparisons of updates."""

    # --- updates that meet ---

    def _same(self, a: Gathered, x: Target, b: Gathered, y: Target) -> tuple[Flag, bool, bool]:
        """Whether one place covers the other; whether the first, the second is the outer one."""
        f = self.f
        same: Flag = True
        if a.slot is not None and b.slot is not None:
            same = f.icmp("eq", a.slot, b.slot)
        for p, q in zip(x.positions, y.positions, strict=False):
            plain = [isinstance(v, str) and not v.startswith("%") for v in (p, q)]
            same = f.both(same, p == q) if any(plain) else f.both(same, f.icmp("eq", p, q))
        return same, len(x.positions) <= len(y.positions), len(y.positions) <= len(x.positions)

    def _judge_meeting(
        self, a: Gathered, x: Target | None, b: Gathered, y: Target | None, step: Step
    ) -> None:
        """Note two writes unless the earlier and the later one can both happen."""
        f = self.f
        if x is None or y is None or a.place.variable.position != b.place.variable.position:
            return
        meet, covers, covered = self._same(a, x, b, y)
        if meet is False:
            return
        assigns = a.operator == b.operator == ":="
        changes = a.operator != ":=" and b.operator != ":="
        if covers and covered and changes and not isinstance(y.type, Seq):
            return
        both = f.both(f.both(a.executed, b.executed), meet)
        yes, end = f.label("meet"), f.label("apart")
        f.branch(both, yes, end)
        f.begin(yes)
        if assigns and f.reachable:
            fine: Flag
            if covers and covered:
                fine = self.equal(a.value, b.value)
            elif covers:
                fine = self._agree(a, b, x)
            else:
                fine = self._agree(b, a, y)
            clash = f.label("clash")
            f.branch(fine, end, clash)
            f.begin(clash)
        if f.reachable:
            left, right = self._name_parts(a), self._name_parts(b)

            def describe(shown: Sequence[Any]) -> str:
                first = self._place_name(a, shown[: len(left)])
                return twice_clause(first, self._place_name(b, shown[len(left) :]))

            shown = [*left, *right]
            self._note(b.order, "two-writes", describe, a.span, shown, step, b.span)
        f.begin(end)

    def _agree(self, outer: Gathered, inner: Gathered, at: Target) -> Flag:
        """Whether the outer value has, inside, the value assigned there."""
        f = self.f
        no, end = f.label("no"), f.label("agree")
        value: Value = outer.value
        for key in inner.keys[len(at.positions) :]:
            if not f.reachable:
                break
            value = self._inside(value, key, no)
        arms: list[tuple[Flag, str]] = []
        if f.reachable:
            same = self.equal(value, inner.value)
            arms.append((same, f.block))
        f.jump(end)
        f.begin(no)
        if f.reachable:
            arms.append((False, f.block))
        f.begin(end)
        return f.phi_flag(arms)

    def _inside(self, value: Value, key: Value | str, no: str) -> Value:
        f = self.f
        if isinstance(key, str):
            scope = Scope("null", {}, lambda site, shown: f.jump(no))
            return self.field_by_form(
                value, key, scope, None, lambda form, i: self.field(value, form, i)
            )
        if isinstance(value.type, Map):
            index = self.rank_of(self.coerce(key, value.type.key, lambda *_: f.jump(no)))
            return self.entry(value, index)
        assert isinstance(key, Word)
        position = f.sub(key.operand, 1)
        inside = f.label("inside")
        f.branch(f.icmp("ult", position, self.length(value)), inside, no)
        f.begin(inside)
        return self.element(value, position)
