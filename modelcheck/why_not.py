"""One call of `why-not`: what disables an action in a state, and where it can be taken."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from attrs import define, field, frozen

from modelcheck import api
from modelcheck.console import AS_EXPECTED, NOT_DECIDED, progress, terminal_width
from modelcheck.core.hindrance import Attempt, attempts, furthest
from modelcheck.core.model import Action, Check
from modelcheck.core.outcome import VIOLATED, Found, Outcome
from modelcheck.core.semantics import Semantics
from modelcheck.core.trace import Trace
from modelcheck.core.types import Type
from modelcheck.core.values import MOST, State, Value, cardinality, show, values_of
from modelcheck.diagnostics import Diagnostic, Refused, listing, near
from modelcheck.enabling import Enabling, Unnameable, Wanted, first_taken, fits, nearest_from
from modelcheck.report import records
from modelcheck.report.itf import encode_state
from modelcheck.report.lanes import step_name, table
from modelcheck.report.refusals import not_judged
from modelcheck.report.text import plural
from modelcheck.report.why_not import attempt_record, hindrance, reasons, shares, unknown_action
from modelcheck.session import Session
from modelcheck.source import Span

_MOST_COUNTED = 20_000
"""States that are gone through where an action is never enabled."""

_MOST_FROM_STATE = 20_000
"""States that are visited on the way from the state that was asked about."""

_MOST_NAMED = 8
"""Values that are listed where another was written."""

_MOST_VALUES = 100_000
"""Values of an argument's type that are compared with what was written."""


@frozen
class Question:
    """What is asked: the action with values for its arguments, and where.

    arguments  as written, `_` for any; none for all choices
    at         the step of a trace after which the state is asked about; None: its last state
    trace      of which property, None for the first violation
    """

    action: str
    arguments: tuple[str, ...] = ()
    at: int | None = None
    trace: str | None = None


@frozen
class _Place:
    """The state that is asked about.

    said   where it is: "in the initial state"
    trace  of which property's trace it is a state, None for an initial state by itself
    step   after which step of that trace
    """

    state: State
    said: str
    initial: bool
    trace: str | None = None
    step: int = 0


@define
class WhyNot(Session):
    """Loads a file, answers the question, and shows; `code` is the exit code so far."""

    _answered: dict[str, Any] | None = field(default=None, init=False)

    def close(self) -> None:
        """Show what is shown at the end: the JSON document."""
        if self.as_json:
            document = records.document(self._diagnostics, ())
            del document["files"]
            document["why_not"] = self._answered
            self.printer.show(json.dumps(document, indent=2))

    def ask(self, file: api.File, name: str, question: Question) -> None:
        """Answer for one check of the file."""
        with self._guarded(f"why-not of {name} of {file.path}"):
            check = file.instance(name, self.options.settings, self.options.faults)
            action = _action(check, question.action)
            wanted = _wanted(action, question.arguments)
            place = self._place(file, check, question)
            if place is not None:
                self._answer(check, action, wanted, place)

    # --- where ---

    def _place(self, file: api.File, check: Check, question: Question) -> _Place | None:
        if question.at is None and question.trace is None:
            states = Semantics(check.model).initial_states()
            first = next((state for state, failure in states if failure is None), None)
            if first is None:
                api.check(check, self.options.limits)  # which says that there is none
                return None
            more = next((True for _, failure in states if failure is None), False)
            said = "in the first of the initial states" if more else "in the initial state"
            return _Place(first, said, True)
        # Not `run`: whether the check comes out as expected is not what is asked.
        with progress(check.name) as advance:
            outcome = api.check(
                check, self.options.limits, threads=self.options.threads, progress=advance
            )
        found = _traced(outcome, question.trace)
        assert found.trace is not None
        last = len(found.trace.states) - 1
        at = last if question.at is None else question.at
        if at > last:
            raise Refused([_no_such_step(found, at, last)])
        said = f"after step {at} of the trace of `{found.name}`" if at else "in the initial state"
        return _Place(found.trace.states[at], said, at == 0, found.name, at)

    # --- the answer ---

    def _answer(self, check: Check, action: Action, wanted: Wanted, place: _Place) -> None:
        semantics = Semantics(check.model)
        tried = [
            each
            for each in attempts(semantics, action, place.state)
            if fits(each.arguments, wanted)
        ]
        name = _shown(action, wanted)
        enabled = [each for each in tried if each.enabled]
        word = "can be taken" if enabled else "cannot be taken"
        self._codes.append(AS_EXPECTED)
        self._answered = {
            "check": check.name,
            "action": action.name,
            "trace": place.trace,
            "step": place.step,
            "state": encode_state(check.model, place.state),
            "enabled": bool(enabled),
            "attempts": [attempt_record(action, place.state, each) for each in tried],
            "from_there": None,
            "from_start": None,
            "never": None,
            "undecided": None,
        }
        self._say(f"{name} {word} {place.said}")
        self._say_apart(
            reasons(action, place.state, enabled or tried, terminal_width())
            if tried
            else _not_offered(action, wanted)
        )
        if not enabled:
            self._nearest(check, semantics, action, wanted, place, name)

    def _nearest(
        self,
        check: Check,
        semantics: Semantics,
        action: Action,
        wanted: Wanted,
        place: _Place,
        name: str,
    ) -> None:
        limits = self.options.limits
        threads = self.options.threads or api.processors()
        try:
            with progress(check.name) as advance:
                found = first_taken(check, action, wanted, limits, threads, advance)
        except Unnameable:
            self._say_apart("an argument that holds a map cannot be searched for")
            return
        if found.trace is None:
            self._never(semantics, action, wanted, found, name)
            return
        if not place.initial:
            after, sure = nearest_from(semantics, place.state, action, wanted, _MOST_FROM_STATE)
            if after is not None:
                self._record("from_there", records.run_of(check.model, after))
                steps = plural(len(after.steps) - 1, "step")
                self._show_way(check, after, f"after {steps} from there", "there")
            elif sure:
                self._say_apart("from there on it can never be taken")
            else:
                first = f"the first {_MOST_FROM_STATE:,} states"
                self._say_apart(f"from there on it is taken in none of {first}")
        self._record("from_start", records.run_of(check.model, found.trace))
        count = len(found.trace.steps) - 1
        where = f"after {plural(count, 'step')} from the start" if count else "at the start"
        self._show_way(check, found.trace, where, "init")

    def _record(self, key: str, value: Any) -> None:
        assert self._answered is not None
        self._answered[key] = value

    def _show_way(self, check: Check, trace: Trace, where: str, start: str) -> None:
        self._say_apart(f"{step_name(trace.steps[-1])} can be taken {where}:")
        self._say_apart(table(check.model, trace, width=terminal_width(), start=start))

    def _never(
        self, semantics: Semantics, action: Action, wanted: Wanted, found: Enabling, name: str
    ) -> None:
        if found.why_open is not None:
            self._codes.append(NOT_DECIDED)
            said = f"{name} is taken in no state visited: {found.why_open}"
        else:
            said = f"{name} can be taken in no reachable state"
        states, everything = found.states(_MOST_COUNTED)
        counted: Counter[str] = Counter()
        first: dict[str, Span | None] = {}
        for state in states:
            tried = [a for a in attempts(semantics, action, state) if fits(a.arguments, wanted)]
            text, span = _stops(action, wanted, tried, state)
            counted[text] += 1
            first.setdefault(text, span)
        ordered = sorted(counted.items(), key=lambda each: (-each[1], _start(first[each[0]])))
        complete = everything and found.why_open is None
        self._record("undecided", found.why_open)
        stops = [{"reason": text, "states": count} for text, count in ordered]
        self._record("never", {"complete": complete, "states": len(states), "stops": stops})
        self._say_apart("\n".join([said, *shares(ordered, len(states), everything=complete)]))


def _start(span: Span | None) -> int:
    return -1 if span is None else span.start


def _stops(
    action: Action, wanted: Wanted, tried: list[Attempt], state: State
) -> tuple[str, Span | None]:
    if not tried:
        return _not_offered(action, wanted), None
    return hindrance(furthest(tried), state)


# --- what is asked ---------------------------------------------------------------------


def _action(check: Check, name: str) -> Action:
    """The action called so. Raises Refused."""
    for action in check.model.actions:
        if action.name == name:
            return action
    raise Refused([unknown_action(name, check.model.actions)])


def _wanted(action: Action, written: Sequence[str]) -> tuple[Value | None, ...]:
    """The values that were written for the arguments. Raises Refused."""
    if not written:
        return tuple(None for _ in action.binders)
    if len(written) != len(action.binders):
        names = ", ".join(binder.name for binder in action.binders)
        raise Refused(
            [
                Diagnostic(
                    "why-not-arguments",
                    f"`{action.name}` has {plural(len(action.binders), 'argument')}, and "
                    f"{len(written)} {'is' if len(written) == 1 else 'are'} given",
                    notes=(f"they are ({names})",) if names else (),
                    help=("write `_` for an argument that may be any",) if names else (),
                )
            ]
        )
    pairs = zip(action.binders, written, strict=True)
    return tuple(
        None if text == "_" else _value(binder.name, binder.type, text) for binder, text in pairs
    )


def _value(name: str, type_: Type, text: str) -> Value:
    """The value that is shown as the text. Raises Refused."""
    count = min(cardinality(type_), MOST)
    plain = "".join(text.split())
    shown: list[str] = []
    if count <= _MOST_VALUES:
        for value in values_of(type_):
            shown.append(show(type_, value))
            if "".join(shown[-1].split()) == plain:
                return value
    close = near(text, shown)
    help = (f"did you mean {listing(close, 'or')}?",) if close else ()
    note = f"`{name}` has {count:,} values"
    if not shown:
        note += ", too many to look through"
    elif count <= _MOST_NAMED:
        note = f"`{name}` is {listing(shown, 'or')}"
    message = f"`{text}` is no value of `{name}`"
    raise Refused([Diagnostic("why-not-arguments", message, notes=(note,), help=help)])


def _traced(outcome: Outcome, name: str | None) -> Found:
    """The finding whose trace is meant. Raises Refused."""
    check = outcome.check.name
    if name is not None:
        found = next((each for each in outcome.found if each.name == name), None)
        if found is None:
            raise Refused([not_judged(outcome, name)])
        if found.trace is None:
            raise Refused([_no_trace(f"`{name}` has no trace in `{check}`: it {_came(found)}")])
        return found
    violated = [each for each in outcome.found if each.verdict in VIOLATED]
    traced = [each for each in violated if each.trace is not None]
    if not traced:
        raise Refused([_no_trace(f"`{check}` violates nothing, so that it has no trace")])
    return traced[0]


def _came(found: Found) -> str:
    return found.verdict.value if found.verdict.value.endswith("s") else "is undecided"


def _no_trace(headline: str) -> Diagnostic:
    return Diagnostic(
        "no-trace",
        headline,
        help=("leave `--at` and `--trace` out to ask about the initial state",),
    )


def _no_such_step(found: Found, at: int, last: int) -> Diagnostic:
    return Diagnostic(
        "no-trace",
        f"there is no state after step {at} of the trace of `{found.name}`",
        notes=(f"its last state is the one after step {last}",),
    )


def _shown(action: Action, wanted: Wanted) -> str:
    """`accept(Write(n1, 1, 1))`, `send(n1, _)`, or only the name."""
    if all(value is None for value in wanted):
        return action.name
    pairs = zip(action.binders, wanted, strict=True)
    shown = ["_" if value is None else show(binder.type, value) for binder, value in pairs]
    return f"{action.name}({', '.join(shown)})"


def _not_offered(action: Action, wanted: Wanted) -> str:
    """That the wanted values are not among those that may be chosen."""
    named = [
        f"`{binder.name}` = {show(binder.type, value)}"
        for binder, value in zip(action.binders, wanted, strict=True)
        if value is not None
    ]
    return f"there is no {' with '.join(named)} to choose"
