"""A whole draft: every kind of declaration, as far as one file can have them all."""

from __future__ import annotations

from attrs import evolve

from .actions import declare_actions, declare_let
from .chance import Chance, Stuck
from .draft import Draft
from .proofs import declare_axiom
from .properties import declare_properties
from .reuse import (
    complete_abstract,
    declare_object,
    declare_refinement,
    import_library,
    use_imported,
)
from .state import declare_state
from .templates import declare_templates
from .types import declare_types

_DARING = [0.0, 0.0, 0.0, 0.03, 0.06, 0.15]


def behaviour(seed: int, attempt: int) -> Draft:
    """Everything but properties and checks. Raises Stuck if nothing came of it."""
    chance = Chance(f"{seed} {attempt}")
    daring = chance.pick(_DARING)
    d = Draft(chance)
    declare_types(d)
    if chance.feature("library", 0.12):
        import_library(d)
    extra = _maybe(d, "object", 0.3, declare_object) or []
    for _ in range(chance.pick([0, 0, 1])):
        _maybe(d, "constant let", 0.6, lambda d: declare_let(d, state=False))
    d.chance.daring = daring
    declare_state(d)
    if extra:
        _extend_state(d, extra)
    declare_actions(d)
    return d


def claims(d: Draft) -> None:
    """Properties, more than the file will keep, and what goes with them."""
    declare_properties(d)
    declare_templates(d)
    use_imported(d)
    _maybe(d, "refines", 0.16, declare_refinement)
    complete_abstract(d)
    d.chance.daring = 0.0
    _maybe(d, "axiom", 0.1, declare_axiom)
    _order(d)


def _maybe(d: Draft, name: str, probability: float, make):  # type: ignore[no-untyped-def]
    if not d.chance.feature(name, probability):
        return None
    try:
        return make(d)
    except Stuck:
        return None


def _extend_state(d: Draft, lines: list[str]) -> None:
    for number, block in enumerate(d.blocks):
        if block.word == "state":
            d.blocks[number] = evolve(block, lines=(*block.lines, *lines))


def _order(d: Draft) -> None:
    """Imports first, as people write them; the rest in any order that keeps like with like."""
    early = [b for b in d.blocks if b.word == "import"]
    rest = [b for b in d.blocks if b.word != "import"]
    if d.chance.feature("free order", 0.3):
        types = d.chance.shuffled([b for b in rest if b.word in ("type", "sort", "param")])
        others = [b for b in rest if b.word not in ("type", "sort", "param")]
        at = d.chance.between(0, min(3, len(others)))
        rest = [*others[:at], *types, *others[at:]]
    d.blocks = [*early, *rest]
