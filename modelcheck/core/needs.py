"""Which `fair` marks a verdict rests on: each is dropped alone, and the property decided anew.

A strongly fair action is made weakly fair first: only where that is enough is the
mark dropped altogether. A property that needs no mark by itself may still need one
of several; it is decided without any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import evolve

from modelcheck.core.model import (
    Action,
    Check,
    ExpectHolds,
    ExpectProperty,
    Fairness,
    Liveness,
    Property,
    Refinement,
)
from modelcheck.core.outcome import Found, Mark, Needs, Outcome, Verdict

Decide: TypeAlias = Callable[[Check], Outcome]
"""What searches a check."""

Others: TypeAlias = "dict[str, Found]"
"""What became of each property under another fairness."""


def with_needs(outcome: Outcome, decide: Decide) -> Outcome:
    """The outcome with what each liveness property needs that holds and that the check is about.

    Cost: a search for each fair action of the file, two for one that is strongly fair, and
    one without any fairness.
    """
    held = [each for each in outcome.check.model.properties if _holds_by_fairness(each, outcome)]
    if not held:
        return evolve(outcome, needs=())
    asking = _Asking(outcome.check, held, decide)
    fair = [action for action in outcome.check.model.actions if action.fairness is not None]
    changes = [(action, *asking.without(action)) for action in fair]
    marks = {each.name: _marks(each.name, changes) for each in held}
    unsure = any(not _needed(of) for of in marks.values())
    without = asking.under({a.name: None for a in fair}) if unsure and fair else {}
    needs = (
        Needs(
            each.name,
            marks[each.name],
            None if _needed(marks[each.name]) else without.get(each.name),
        )
        for each in held
    )
    return evolve(outcome, needs=tuple(needs))


def _holds_by_fairness(each: Property, outcome: Outcome) -> bool:
    """Whether it is a claim of liveness that holds, and that the check is about."""
    match each:
        case Liveness():
            pass
        case Refinement() if each.liveness:
            pass
        case _:
            return False
    listed = outcome.check.expectations
    about = ExpectHolds() in listed or any(
        isinstance(expected, ExpectProperty) and expected.name == each.name for expected in listed
    )
    return about and outcome[each.name].verdict is Verdict.HOLDS


def _marks(name: str, changes: Sequence[tuple[Action, Others | None, Others]]) -> tuple[Mark, ...]:
    marks = []
    for action, weak, none in changes:
        assert action.fairness is not None
        weakened = None if weak is None else weak[name]
        enough = weakened is None or weakened.verdict is Verdict.HOLDS
        dropped = none.get(name) if enough else None
        marks.append(Mark(action.name, action.fairness.strong, weakened, dropped))
    return tuple(marks)


def _needed(marks: Sequence[Mark]) -> bool:
    return any(mark.needed is not None for mark in marks)


class _Asking:
    """Decides the properties under other fairness."""

    def __init__(self, check: Check, held: Sequence[Property], decide: Decide) -> None:
        self.check, self.held, self.decide = check, tuple(held), decide

    def without(self, action: Action) -> tuple[Others | None, Others]:
        """With weak fairness, None if the action has no more than that; and without any."""
        assert action.fairness is not None
        weak = None
        if action.fairness.strong:
            weak = self.under({action.name: evolve(action.fairness, strong=False)})
            if all(found.verdict is not Verdict.HOLDS for found in weak.values()):
                return weak, {}
        return weak, self.under({action.name: None})

    def under(self, fairness: dict[str, Fairness | None]) -> Others:
        """What becomes of the properties if these actions have another fairness."""
        model = self.check.model
        actions = tuple(
            evolve(each, fairness=fairness[each.name]) if each.name in fairness else each
            for each in model.actions
        )
        expected = tuple(ExpectProperty(each.name, "holds") for each in self.held)
        changed = evolve(model, actions=actions, properties=self.held)
        outcome = self.decide(evolve(self.check, model=changed, expectations=expected))
        return {each.name: outcome[each.name] for each in self.held}
