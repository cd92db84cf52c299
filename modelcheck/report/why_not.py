"""Why an action cannot be taken in a state, choice by choice, and where it can.

disabled: acquire(n1), acquire(n2)
  --> protocols/fencing/fenced_leader.model:43:8
   |
43 |   when service.granted < MAX_TOKEN
   |        ^^^^^^^^^^^^^^^   ^^^^^^^^^
   |        2                 2
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, assert_never

from modelcheck.core.frame import Frame
from modelcheck.core.hindrance import (
    Attempt,
    BudgetSpent,
    Changes,
    ChangesNothing,
    GuardFalse,
    NothingToChoose,
    NotTaken,
    NoValue,
)
from modelcheck.core.model import Action
from modelcheck.core.values import State
from modelcheck.diagnostics import Diagnostic, listing, near
from modelcheck.report.blame import blame, quoted
from modelcheck.report.disabled import obstacle
from modelcheck.report.itf import encode
from modelcheck.report.lanes import call
from modelcheck.report.records import place
from modelcheck.report.snippet import Mark, excerpt, one_line
from modelcheck.report.text import plural
from modelcheck.report.violation import told_by
from modelcheck.source import Span

_MOST_REASONS = 5
_MOST_CHOICES = 3  # that are named in a headline


def reasons(action: Action, state: State, tried: Sequence[Attempt], width: int) -> str:
    """An excerpt for each reason, those that came furthest first, with the choices it stops."""
    groups: dict[Hashable, list[Attempt]] = {}
    for attempt in tried:
        groups.setdefault(_key(attempt, state), []).append(attempt)
    ordered = sorted(groups.values(), key=lambda group: -max(each.passed for each in group))
    shown = [_reason(action, state, group, width) for group in ordered[:_MOST_REASONS]]
    left = ordered[_MOST_REASONS:]
    if left:
        choices = sum(map(len, left))
        shown.append(f"and so on for {plural(choices, 'more choice')}")
    return "\n\n".join(shown)


def _key(attempt: Attempt, state: State) -> Hashable:
    """What attempts have in common that share an excerpt."""
    match attempt.answer:
        case GuardFalse(guard, names):
            span = blame(guard.condition, Frame(state, dict(names))).span
            return (span.start, span.end) if span is not None else id(guard)
        case NothingToChoose(binder, ruled_out):
            return binder.name, ruled_out
        case NoValue(failure) | NotTaken(failure):
            return failure
        case BudgetSpent() | ChangesNothing() | Changes():
            return type(attempt.answer).__name__
        case _:
            assert_never(attempt.answer)


def _reason(action: Action, state: State, group: Sequence[Attempt], width: int) -> str:
    first = group[0]
    word = "enabled" if first.enabled else "disabled"
    headline = f"{word}: {_names(action, group)}"
    match first.answer:
        case GuardFalse(guard, names):
            why = blame(guard.condition, Frame(state, dict(names)))
            told = told_by(headline, why, guard.condition.span)
            notes = list(told.notes)
            if len({_values(each, state) for each in group}) > 1:
                of = call(action.name, action.binders, first.arguments)
                notes.append(f"the values are those of {of}")
            footers = [("note", note) for note in notes]
            return excerpt(headline, told.marks, footers, at=told.at, hanging=True, width=width)
        case NothingToChoose(binder):
            text = obstacle(first.answer, state)
            return _plain(headline, text, binder.domain.span or binder.span, width)
        case NoValue(failure) | NotTaken(failure):
            return _plain(headline, failure.reason, failure.span, width)
        case BudgetSpent() | ChangesNothing() | Changes():
            span = None if action.span is None else one_line(action.span)
            return _plain(headline, obstacle(first.answer, state), span, width)
        case _:
            assert_never(first.answer)


def _values(attempt: Attempt, state: State) -> Hashable:
    """What the parts of a false guard were, to tell choices apart for which they differ."""
    answer = attempt.answer
    assert isinstance(answer, GuardFalse)
    why = blame(answer.guard.condition, Frame(state, dict(answer.names)))
    return tuple(part.value for part in why.parts), why.witnesses, why.choices


def _plain(headline: str, text: str, span: Span | None, width: int) -> str:
    if span is None:
        return f"{headline}: {text}"
    return excerpt(headline, [Mark(one_line(span), text)], at=span, width=width)


def _names(action: Action, group: Sequence[Attempt]) -> str:
    """`acquire(n1), acquire(n2) and 4 more`; arguments that were never chosen are left out."""
    names = [
        call(action.name, action.binders, each.arguments) if each.arguments else action.name
        for each in group
    ]
    names = list(dict.fromkeys(names))
    left = len(names) - _MOST_CHOICES
    if left <= 0:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_CHOICES])} and {left:,} more"


def attempt_record(action: Action, state: State, attempt: Attempt) -> dict[str, Any]:
    """An attempt as data, with the arguments that were chosen before it ended."""
    pairs = zip(action.binders, attempt.arguments, strict=False)
    span = hindrance(attempt, state)[1]
    return {
        "arguments": {binder.name: encode(binder.type, value) for binder, value in pairs},
        "enabled": attempt.enabled,
        "reason": obstacle(attempt.answer, state),
        "place": None if span is None else place(span),
    }


# --- nowhere enabled -------------------------------------------------------------------


def hindrance(attempt: Attempt, state: State) -> tuple[str, Span | None]:
    """What stops an attempt, in words that do not depend on the state."""
    match attempt.answer:
        case GuardFalse(guard, names):
            why = blame(guard.condition, Frame(state, dict(names)))
            if why.span is None:
                return "a guard is false", None
            return f"{quoted(why.span)} is {'true' if why.value else 'false'}", why.span
        case NothingToChoose(binder):
            return obstacle(attempt.answer, state), binder.domain.span
        case NoValue(failure):
            return "a guard has no value", failure.span
        case BudgetSpent():
            return obstacle(attempt.answer, state), None
        case NotTaken(failure):
            return f"its step cannot be taken: {failure.reason}", failure.span
        case ChangesNothing() | Changes():
            return "it can be taken", None
        case _:
            assert_never(attempt.answer)


def shares(counted: Sequence[tuple[str, int]], total: int, *, everything: bool) -> list[str]:
    """In how many states each thing stops the action, the commonest first.

    everything  whether these are all reachable states
    """
    of = plural(total, "reachable state") if everything else f"the first {plural(total, 'state')}"
    lines = []
    for text, count in counted[:_MOST_REASONS]:
        part = f"in all {total:,}" if count == total and total > 1 else f"in {count:,} of {of}"
        lines.append(f"  {part}: {text}")
    left = counted[_MOST_REASONS:]
    if left:
        lines.append(f"  in {sum(count for _, count in left):,}: something else")
    return lines


# --- what is refused -------------------------------------------------------------------


def unknown_action(name: str, actions: Sequence[Action]) -> Diagnostic:
    """That a file has no action of this name."""
    names = [action.name for action in actions]
    close = near(name, names)
    help = (f"did you mean {listing(close, 'or')}?",) if close else ()
    notes = () if close else (f"the actions are {listing(names)}",)
    return Diagnostic("unknown-action", f"no action `{name}`", notes=notes, help=help)
