"""How the loop of a livelock is fair, in a few lines below its table.

    fair to accept(w1): taken in step 5
    fair to refuse(w1), refuse(w2) and 4 more: disabled after step 7

Instances of one action that are treated alike share a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from modelcheck.core.outcome import Found, Verdict
from modelcheck.core.trace import Disabled, How, Taken, Treatment
from modelcheck.core.values import show
from modelcheck.report.lanes import call
from modelcheck.report.text import visible, wrap

_MOST_INSTANCES = 3  # of an action that are named in a line
_MOST_LINES = 8


def fair_loop(found: Found, width: int) -> list[str]:
    """The lines; none if the finding is no livelock, or nothing fair is enabled on its loop."""
    if found.verdict is not Verdict.LIVELOCKS:
        return []
    groups: dict[tuple[str, How], list[Treatment]] = {}
    for each in found.treatment:
        groups.setdefault((each.action.name, each.how), []).append(each)
    said = [f"fair to {_names(group)}: {_how(how)}" for (_, how), group in groups.items()]
    if len(said) > _MOST_LINES:
        left = said[_MOST_LINES - 1 :]
        said[_MOST_LINES - 1 :] = [f"fair to {len(left)} groups more; --format json has them"]
    return [line for text in said for line in wrap(text, width, "  ")]


def _names(group: Sequence[Treatment]) -> str:
    """`accept(w1), accept(w2) and 4 more`"""
    shown = [_name(each) for each in group[:_MOST_INSTANCES]]
    left = len(group) - len(shown)
    return ", ".join(shown) + (f" and {left:,} more" if left else "")


def _name(treatment: Treatment) -> str:
    """The action with the arguments that its fairness is asked for, and their names if not all."""
    action = treatment.action
    assert action.fairness is not None
    asked = [action.binders[position] for position in action.fairness.per]
    if len(asked) == len(action.binders):
        return call(action.name, asked, treatment.arguments)
    pairs = zip(asked, treatment.arguments, strict=True)
    named = ", ".join(f"{each.name} = {show(each.type, value)}" for each, value in pairs)
    return visible(f"{action.name}({named})") if named else action.name


def _how(how: How) -> str:
    match how:
        case Taken(step):
            return f"taken in step {step}"
        case Disabled(0):
            return "disabled in the initial state"
        case Disabled(state):
            return f"disabled after step {state}"
        case _:
            assert_never(how)
