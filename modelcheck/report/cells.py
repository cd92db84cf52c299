"""What each lane of a trace says in each step.

A lane is a group, or one member of the `each` groups over one type; channels
come last. How a lane speaks depends on its variables alone, so that all its
cells read alike:

    short   one variable, or two that are no collections: their values, in the order of the
            file, all of them whenever one has changed: `1, n1`
    named   otherwise: what has changed, by name: `log=[1, 2], term=3`; of a map only the
            keys that have changed
    channel what was sent `+`, delivered `-`, or lost `x` (removed by a fault); of a variable
            that is no set or bag what has changed: `acks: {n1: {}}`

One special case: a lane whose first variable is a bool called `up`. It says
`down` when that is false, and nothing, or `up` where nothing else would be
said, when it is true. A step that takes a short lane down does not list its
volatile variables: the next `up` step lists them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeAlias

from attrs import evolve, frozen

from modelcheck.core.model import Model
from modelcheck.core.types import Bag, Bool, Map, Seq, Set, Sort, Type, Union
from modelcheck.core.values import State, Value, key_positions, show, values_of
from modelcheck.core.variables import Variable
from modelcheck.report.text import visible

Cell: TypeAlias = "tuple[str, ...]"
"""Lines of a cell; each may be wrapped further."""


@frozen
class _Slot:
    """A variable as one lane sees it; `member` is the position in an `each` group."""

    variable: Variable
    member: int | None = None

    def value(self, state: State) -> Value:
        value = state[self.variable.position]
        if self.member is None:
            return value
        assert isinstance(value, tuple)
        return value[self.member]


@frozen
class Lane:
    """A column of a trace."""

    head: str
    slots: tuple[_Slot, ...]
    channel: bool = False

    @property
    def _up(self) -> _Slot | None:
        first = self.slots[0]
        named_up = first.variable.name == "up" and isinstance(first.variable.type, Bool)
        return first if named_up and not self.channel else None

    @property
    def _rest(self) -> tuple[_Slot, ...]:
        return self.slots[1:] if self._up else self.slots

    @property
    def _short(self) -> bool:
        rest = self._rest
        return len(rest) <= 1 or (
            len(rest) == 2 and not any(_is_collection(slot.variable.type) for slot in rest)
        )

    def whole(self, state: State) -> Cell:
        """All values, as in step 0."""
        if self.channel:
            slots = [s for s in self.slots if s.value(state) != () or not _is_pile(s)]
            named = len(self.slots) > 1
            return tuple(_contents(slot, slot.value(state), named) for slot in slots)
        up = self._up
        said = [] if up is None or up.value(state) else ["down"]
        if self._short:
            said += [_value(slot, state) for slot in self._rest]
        else:
            said += [_named(slot, state, None) for slot in self._rest]
        return (", ".join(said or ["up"]),)

    def change(self, before: State, after: State, *, fault: bool) -> Cell:
        """What the step has changed, () if nothing."""
        changed = [slot for slot in self.slots if slot.value(before) != slot.value(after)]
        if not changed:
            return ()
        if self.channel:
            return tuple(
                line for s in changed for line in self._traffic(s, before, after, fault=fault)
            )
        up = self._up
        rises_or_falls = up is not None and up in changed
        down = up is not None and not up.value(after)
        rest = [slot for slot in changed if slot is not up]
        if self._short and not down:
            return self.whole(after)
        if self._short:
            if rises_or_falls:
                rest = [slot for slot in rest if not slot.variable.volatile]
            return (", ".join(["down", *(_value(slot, after) for slot in rest)]),)
        said = [_named(slot, after, before) for slot in rest]
        if rises_or_falls:
            said.insert(0, "down" if down else "up")
        return (", ".join(said),)

    def _traffic(self, slot: _Slot, before: State, after: State, *, fault: bool) -> list[str]:
        """Arrows for what entered and left a set or bag; for others the changed value."""
        type_ = slot.variable.type
        if not isinstance(type_, Set | Bag):
            shown = _changed_value(type_, slot.value(before), slot.value(after))
            return [f"{slot.variable.name}: {shown}"]
        old, new = slot.value(before), slot.value(after)
        assert isinstance(old, tuple) and isinstance(new, tuple)
        left, entered = Counter(old) - Counter(new), Counter(new) - Counter(old)
        prefix = f"{slot.variable.name} " if self._ambiguous(slot) else ""
        gone = "x" if fault else "-"
        return [
            f"{sign} {prefix}{visible(show(type_.element, message))}"
            for sign, messages in ((gone, left), ("+", entered))
            for message in sorted(messages.elements())
        ]

    def _ambiguous(self, slot: _Slot) -> bool:
        """Whether a message may look like one of another variable of the channel."""
        others = [s for s in self.slots if s is not slot]
        if not others:
            return False
        mine = slot.variable.type
        assert isinstance(mine, Set | Bag)
        if not isinstance(mine.element, Union):
            return True
        return any(
            isinstance(o.variable.type, Set | Bag)
            and _form_names(o.variable.type.element) & _form_names(mine.element)
            for o in others
        )


def _form_names(type_: Type) -> set[str]:
    return {form.name for form in type_.forms} if isinstance(type_, Union) else set()


def _is_pile(slot: _Slot) -> bool:
    return isinstance(slot.variable.type, Set | Bag)


def _is_collection(type_: Type) -> bool:
    return isinstance(type_, Set | Bag | Seq | Map)


def _value(slot: _Slot, state: State) -> str:
    return visible(show(slot.variable.type, slot.value(state)))


def _contents(slot: _Slot, value: Value, named: bool) -> str:
    shown = visible(show(slot.variable.type, value))
    return f"{slot.variable.name}: {shown}" if named or not _is_pile(slot) else shown


def _named(slot: _Slot, after: State, before: State | None) -> str:
    type_, new = slot.variable.type, slot.value(after)
    shown = show(type_, new) if before is None else _changed_value(type_, slot.value(before), new)
    return f"{slot.variable.name}={visible(shown)}"


def _changed_value(type_: Type, before: Value, after: Value) -> str:
    """The value; of a map only the keys whose values have changed."""
    if not isinstance(type_, Map):
        return visible(show(type_, after))
    assert isinstance(before, tuple) and isinstance(after, tuple)
    pairs = zip(values_of(type_.key), before, after, strict=True)
    inner = (
        f"{show(type_.key, key)}: {_changed_value(type_.value, old, new)}"
        for key, old, new in pairs
        if old != new
    )
    return "{" + ", ".join(inner) + "}"


# --- the lanes of a model ------------------------------------------------------------


def lanes(model: Model, prefix: str = "") -> tuple[Lane, ...]:
    """The lanes of a model's states: groups in the order of the file, then channels.

    `each` groups over one type share their members' lanes.
    """
    slots: dict[str, list[_Slot]] = {}
    channels: list[Lane] = []
    group_of: dict[Type, str] = {}
    for owner in model.owners:
        variables = [v for v in model.variables if v.owner == owner]
        if not variables:
            continue
        if owner.kind == "channel":
            lane_slots = tuple(_Slot(v) for v in variables)
            channels.append(Lane(prefix + owner.name, lane_slots, channel=True))
        elif owner.key is None:
            slots.setdefault(owner.name, []).extend(_Slot(v) for v in variables)
        else:
            group = group_of.setdefault(owner.key, owner.name)
            for key, position in key_positions(owner.key).items():
                head = member_name(group, owner.key, key)
                slots.setdefault(head, []).extend(_Slot(v, position) for v in variables)
    return (*(Lane(prefix + head, tuple(own)) for head, own in slots.items()), *channels)


def chosen(every: Sequence[Lane], only: Collection[str]) -> tuple[Lane, ...]:
    """The lanes, and of each the variables, that are named; all if nothing is.

    only  `n1`, `Node`, `n1.role`, `Node.role`, `service`, `service.holder`
    """
    if not only:
        return tuple(every)
    kept = []
    for lane in every:
        slots = tuple(slot for slot in lane.slots if not set(only).isdisjoint(_names(lane, slot)))
        if slots:
            kept.append(evolve(lane, slots=slots))
    return tuple(kept)


def lane_names(model: Model) -> list[str]:
    """What `chosen` knows in the model's own lanes, each once."""
    names = (n for lane in lanes(model) for slot in lane.slots for n in _names(lane, slot))
    return list(dict.fromkeys(names))


def _names(lane: Lane, slot: _Slot) -> tuple[str, ...]:
    """The names by which one may ask for a variable in its lane, the widest first."""
    owner, name = slot.variable.owner.name, slot.variable.name
    return lane.head, owner, f"{lane.head}.{name}", f"{owner}.{name}"


def member_name(group: str, key: Type, member: Value) -> str:
    """How a member is called: `n1`, `Left`; a number with its group, `Slot 1`."""
    shown = show(key, member)
    return shown if isinstance(key, Sort | Union) else f"{group} {shown}"
