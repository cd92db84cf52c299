"""What is found of obligations, whoever has looked for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from attrs import frozen

from modelcheck.core.model import Liveness, Obligation, Refinement
from modelcheck.core.outcome import Found, Said, Verdict
from modelcheck.core.trace import Trace
from modelcheck.core.types import Type
from modelcheck.core.values import Value

CONSTRAINED = "liveness is not decided under a constraint"

Binding: TypeAlias = tuple[tuple[str, Type, Value], ...]


@frozen(eq=False)
class Broken:
    """A broken obligation, and the shortest trace that shows it."""

    verdict: Literal[Verdict.BLOCKS, Verdict.LIVELOCKS]
    steps: int
    trace: Trace
    obligation: Obligation
    binding: Binding

    def length(self) -> tuple[int, int]:
        """The steps before the loop, then all of them: what is shown is the shortest."""
        assert self.trace.loop is not None
        return self.trace.loop, self.steps


def liveness_found(each: Liveness, broken: Broken | None, said: tuple[Said, ...]) -> Found:
    """The finding, when all is known.

    said  what came up of each line, if nothing is broken
    """
    if broken is None:
        return Found(each.name, "liveness", Verdict.HOLDS, said=said)
    part = broken.obligation if len(each.obligations) > 1 else None
    return Found(
        each.name, "liveness", broken.verdict, broken.steps, broken.trace, part, broken.binding
    )


def refined_liveness_found(each: Refinement, broken: Sequence[tuple[str, Broken]]) -> Found:
    """The finding for a refinement whose steps are in order.

    broken  what is broken of each liveness property of the abstract model, with its name
    """
    if not broken:
        return Found(each.name, "refines", Verdict.HOLDS)
    blocking = [each for each in broken if each[1].verdict is Verdict.BLOCKS]
    name, worst = min(blocking or broken, key=lambda named: named[1].length())
    return Found(
        each.name,
        "refines",
        worst.verdict,
        worst.steps,
        worst.trace,
        worst.obligation,
        worst.binding,
        reason=f"`{name}` {worst.verdict.value}",
    )
