"""Axioms and proofs."""

from __future__ import annotations

from collections.abc import Mapping

from .draft import Draft
from .kinds import Num
from .world import CONSTANT

_METHODS = {"by induction": 1.0, "by k-induction 2": 1.0, "by pdr": 1.0}


def declare_proof(d: Draft, chosen: Mapping[str, str], *, leaves_open: bool) -> bool:
    """A proof of some of the file's safety properties; False if there is nothing to prove.

    chosen       what a check sets: the proof sets it too, or leaves it open
    leaves_open  whether it may leave anything open
    """
    goals = [b.name for b in d.blocks if b.word in ("invariant", "step", "lemma")]
    if not goals or any(b.word == "constraint" for b in d.blocks):
        return False
    lines = [f"proof {d.world.new_upper(['Main'])}"]
    names = [kind.ref for kind in d.world.sorts]
    names += [p.name for p in d.world.parameters if isinstance(p.kind, Num)]
    open_names = d.chance.some(names, 0, 2) if leaves_open else []
    if open_names:
        lines.append(f"  for any {', '.join(open_names)}")
    fixed = [f"{name} = {value}" for name, value in chosen.items() if name not in open_names]
    if fixed:
        lines.append(f"  with {', '.join(fixed)}")
    lemmas = [b.name for b in d.blocks if b.word == "lemma"]
    left = [name for name in goals if name not in lemmas[:1]] or list(goals)
    for _ in range(d.chance.between(1, 2)):
        shown = d.chance.some(left, 1, 2) if left else []
        if not shown:
            break
        left = [name for name in left if name not in shown]
        helpful = [name for name in lemmas if name not in shown]
        using = f" using {helpful[0]}" if helpful and d.chance.roll(0.85) else ""
        lines.append(f"  {', '.join(shown)} {d.chance.weighted(_METHODS)}{using}")
    d.add("proof", "", lines)
    return True


def declare_axiom(d: Draft) -> None:
    """What is assumed of the parameters."""
    name = d.world.new_upper(["Fact"])
    d.add("axiom", name, [f"axiom {name}", f"  {d.terms.test(CONSTANT, 2).text}"])
