"""Axioms and proofs."""

from __future__ import annotations

from .draft import Draft
from .kinds import Num
from .world import CONSTANT

_METHODS = {"by induction": 1.0, "by k-induction 2": 1.0, "by pdr": 1.0}


def declare_proof(d: Draft) -> None:
    """A proof of some of the file's safety properties."""
    goals = [b.name for b in d.blocks if b.word in ("invariant", "step", "lemma")]
    if not goals:
        return
    lines = [f"proof {d.world.new_upper(['Main'])}"]
    names = [kind.ref for kind in d.world.sorts]
    numbers = [p for p in d.world.parameters if isinstance(p.kind, Num)]
    names += [p.name for p in numbers]
    open_names = d.chance.some(names, 0, 2)
    if open_names:
        lines.append(f"  for any {', '.join(open_names)}")
    fixed = [p for p in numbers if p.name not in open_names]
    if fixed and d.chance.feature("proof setting", 0.4):
        lines.append(f"  with {fixed[0].name} = {d.chance.pick(fixed[0].values)}")
    lemmas = [b.name for b in d.blocks if b.word == "lemma"]
    for _ in range(d.chance.between(1, 2)):
        using = f" using {lemmas[0]}" if lemmas and d.chance.roll(0.85) else ""
        shown = ", ".join(d.chance.some(goals, 1, 2))
        lines.append(f"  {shown} {d.chance.weighted(_METHODS)}{using}")
    d.add("proof", "", lines)


def declare_axiom(d: Draft) -> None:
    """What is assumed of the parameters."""
    name = d.world.new_upper(["Fact"])
    d.add("axiom", name, [f"axiom {name}", f"  {d.terms.test(CONSTANT, 2).text}"])
