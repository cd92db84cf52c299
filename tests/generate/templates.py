"""Templates and their use."""

from __future__ import annotations

from attrs import evolve

from .chance import Stuck
from .draft import Draft
from .kinds import BOOL, Data, Kind, Num, number, size
from .world import PROPERTY

_NAMES = ["OncePerEvent", "Delivery", "Fairly"]
_INSTANCES = ["Sink", "Source"]


def declare_template(d: Draft, blocks: Draft, sorts_only: bool) -> str:
    """A template in the file whose blocks are given; its name."""
    chance = d.chance
    name = d.world.new_upper(chance.shuffled(_NAMES))
    kind = "sort" if sorts_only else "type"
    head = f"template {name}(Event: {kind}, effects(e: Event): int, done: bool, MOST: int)"
    lines = [head]
    options = {
        "invariant": ["invariant AtMost", "  forall e in Event: effects(e) <= MOST"],
        "invariant 2": ["invariant AtLeast", "  done implies exists e in Event: effects(e) >= 1"],
        "step": ["step Stays", "  done implies done'"],
        "step 2": ["step Grows", "  forall e in Event: effects(e)' >= effects(e)"],
        "reachable": ["reachable Done", "  done"],
    }
    if not d.constrained:
        options |= {
            "possible": ["always possible Undone", "  not done or MOST < 0"],
            "liveness": ["liveness Ends", "  eventually always done"],
            "liveness 2": [
                "liveness Once",
                "  forall e in Event: effects(e) == 0 ~> effects(e) >= 1 or done",
            ],
        }
    for each in chance.some(list(options), 2, 3):
        lines += [f"  {line}" for line in options[each]]
    blocks.add("template", name, lines)
    return name


def use_template(d: Draft, name: str, sorts_only: bool) -> None:
    """`use T(...)`, with `as` or without."""
    kinds: list[Kind] = list(d.world.sorts)
    if not sorts_only:
        kinds += [k for k in d.world.kinds if isinstance(k, Num | Data) and size(k) <= 4]
        kinds.append(BOOL)
    kind = d.chance.pick([k for k in kinds if size(k) <= 4])
    member = d.world.local(kind, PROPERTY)
    effects = d.terms.number(PROPERTY.bind(member, kind).repeated(size(kind)), 1)
    done = d.terms.test(PROPERTY.repeated(size(kind)), 1)
    most = d.terms.value(number(1, 3), evolve(PROPERTY, state=False), 0)
    bindings = [f"Event = {kind.ref}", f"effects({member}) = {effects.text}"]
    bindings += [f"done = {done.text}", f"MOST = {most.text}"]
    alias = d.world.new_upper(d.chance.shuffled(_INSTANCES)) if d.chance.roll(0.5) else ""
    tail = f" as {alias}" if alias else ""
    d.add("use", alias or name, [f"use {name}({', '.join(d.chance.shuffled(bindings))}){tail}"])


def declare_templates(d: Draft) -> None:
    """A template of the file's own."""
    if d.chance.feature("template", 0.18):
        sorts_only = bool(d.world.sorts) and d.chance.roll(0.35)
        name = declare_template(d, d, sorts_only)
        try:
            use_template(d, name, sorts_only)
        except Stuck:
            return
