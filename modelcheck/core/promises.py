"""How many promises the `fair` marks of a model are: one for each choice they are asked for.

They are counted by the types of the arguments, whether or not every choice ever comes up: that is
what the file promises, and what the loop of a counterexample has to be fair to.
"""

from __future__ import annotations

from math import prod

from attrs import frozen

from modelcheck.core.model import Action, Liveness, Model, Refinement
from modelcheck.core.terms import Interval, Subsets
from modelcheck.core.types import Int, Type
from modelcheck.core.values import cardinality

MANY = 1_000
"""Above it a warning says so. Nobody schedules a thousand things fairly one by one; the shipped
protocols ask for at most a few dozen, and a loop that is fair to a thousand is not read."""


@frozen
class Promises:
    """An action's, and how many."""

    action: Action
    count: int


def promises(model: Model) -> tuple[Promises, ...]:
    """For each fair action, in the order of the file."""
    return tuple(
        Promises(action, _count(action, action.fairness.per))
        for action in model.actions
        if action.fairness is not None
    )


def _count(action: Action, positions: tuple[int, ...]) -> int:
    return prod(_choices(action.binders[position].type) for position in positions)


def _choices(type_: Type) -> int:
    """How many values the type has; of a whole number that only a term bounds that is not known."""
    return 1 if isinstance(type_, Int) else cardinality(type_)


def judges_liveness(model: Model) -> bool:
    """Whether fairness matters to the model's properties."""
    return any(
        isinstance(each, Liveness) or (isinstance(each, Refinement) and each.liveness)
        for each in model.properties
    )


def too_many(model: Model) -> str | None:
    """That fairness is asked for more choices than anybody means, as a clause; None if it is not.

    Where it is asked for each subset or position, the file has been warned of already.
    """
    asked = promises(model)
    total = sum(each.count for each in asked)
    if total <= MANY or not judges_liveness(model):
        return None
    most = max(asked, key=lambda each: each.count)
    if _is_told(most.action):
        return None
    of = f"{shown(total)} choices"
    if len(asked) > 1:
        of += f", {shown(most.count)} of them of `{most.action.name}`"
    return f"fairness is asked for {of}: {_repair(most.action)}"


def shown(count: int) -> str:
    """The number, as far as it can be read."""
    return f"{count:,}" if count < 10**15 else "more than 10^15"


def _is_told(action: Action) -> bool:
    """Whether resolving warns that fairness is asked for each subset, or each position."""
    assert action.fairness is not None
    whole = len(action.fairness.per) == len(action.binders)
    domains = (binder.domain for binder in action.binders)
    return whole and any(isinstance(domain, Subsets | Interval) for domain in domains)


def _repair(action: Action) -> str:
    """How `per` would make it fewer."""
    assert action.fairness is not None
    per = action.fairness.per
    if len(per) == 1:
        binder = action.binders[per[0]]
        return (
            f"give the action an argument that says for whom, such as a field of `{binder.name}`, "
            "and ask `fair per` that"
        )
    # Who acts is whom a scheduler is fair to; else whatever there is least of.
    kept = action.process if action.process in per else None
    if kept is None:
        kept = min(per, key=lambda position: (_count(action, (position,)), position))
    return f"`fair per {action.binders[kept].name}` asks {shown(_count(action, (kept,)))}"
