"""What the referee and the native code say of a state, written down so that it can be compared.

Both tell the same: what is judged in the state, every step with all that
belongs to it, and what was hit. Where the two differ, the referee is right.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import Factory, define, frozen

from modelcheck.compile import record
from modelcheck.compile.layout import unpack
from modelcheck.core.antecedent import lines_of
from modelcheck.core.frame import Failed, Frame, Meaning
from modelcheck.core.model import (
    ERROR_KINDS,
    Event,
    Invariant,
    Linearizable,
    Liveness,
    Model,
    Property,
    Reachable,
    SequentiallyConsistent,
    StepProperty,
)
from modelcheck.core.outcome import Failure
from modelcheck.core.safety import all_of
from modelcheck.core.semantics import Instance, Semantics
from modelcheck.core.values import State, Value
from modelcheck.explore.probe import Probe, Seen

Why = tuple[Any, ...]
"""A failure with its places, which do not count when failures are compared."""


def why(failure: Failure | None) -> Why | None:
    if failure is None:
        return None
    return failure.kind, failure.reason, failure.span, failure.other


@frozen
class Step:
    """A step that was taken, or failed, or of which it is not known whether it is enabled.

    violated  positions of the step properties that it violates
    unclear   position and failure of each step property that has no value for it
    """

    action: str
    arguments: tuple[Value, ...]
    process: object
    enabled: bool
    after: State | None
    result: tuple[Value, ...]
    failure: Why | None
    violated: frozenset[int] = frozenset()
    unclear: tuple[tuple[int, Why | None], ...] = ()


@frozen
class Judged:
    """What is said of a new state.

    inside    whether it satisfies the constraint
    failures  what has no value: "constraint", or a property's position; and why
    hits      names of goals
    lines     for each violated invariant its position, and which of its lines is the first that
              is false, from 1
    """

    inside: bool
    failures: tuple[tuple[int | str, Why | None], ...]
    hits: frozenset[str]
    lines: tuple[tuple[int, int], ...]


@frozen
class Moves:
    """The steps from a state.

    counts  for each action how many instances are enabled
    stops   why it is not known whether the state may be a last one
    """

    steps: tuple[Step, ...]
    counts: tuple[int, ...]
    stops: Why | None
    hits: frozenset[str]


def goal_names(model: Model) -> list[str]:
    """A name for each byte of `hits`."""
    properties = [each.name for each in model.properties]
    names = [f"hit {name}" for name in properties]
    for what in ("judging", "expanding", "stepping"):
        names += [f"{what} {kind}" for kind in ERROR_KINDS]
    names += ["deadlock"]
    for each in model.properties:
        # What a liveness property says is not asked while the search runs.
        lines = () if isinstance(each, Liveness) else lines_of(each)
        for index in range(len(lines)):
            names += [f"{what} {each.name} {index}" for what in ("chosen", "triggered", "needed")]
    names += [f"unclear {name}" for name in properties]
    return names + [f"initial {kind}" for kind in ERROR_KINDS]


# --- the referee -------------------------------------------------------------------


class Referee:
    """What the meaning says."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.semantics = semantics = Semantics(model)
        self.of_states: list[tuple[int, Meaning, bool]] = []
        self.of_steps: list[tuple[int, StepProperty, Meaning]] = []
        self.claims: list[int] = []
        for number, each in enumerate(model.properties):
            match each:
                case Invariant() | Reachable():
                    wanted = isinstance(each, Reachable)
                    self.of_states.append((number, all_of(each.parts, semantics), wanted))
                case StepProperty():
                    self.of_steps.append((number, each, all_of(each.parts, semantics)))
                case Linearizable() | SequentiallyConsistent():
                    self.claims.append(number)
                    continue
                case _:
                    pass
        self.constraint = self._meaning(model.constraint)
        self.stops = self._meaning(model.stops)

    def _meaning(self, term: Any) -> Meaning | None:
        return None if term is None else self.semantics.meanings.of(term)

    def judge(self, state: State) -> Judged:
        frame, hits = Frame(state, {}), set[str]()
        failures: list[tuple[int | str, Why | None]] = []
        lines: list[tuple[int, int]] = []
        inside = True
        if self.constraint is not None:
            answer, failure = _ask(self.constraint, frame)
            inside = answer is True
            if failure is not None:
                failures.append(("constraint", why(failure)))
                hits.add(f"judging {failure.kind}")
        for each in self.model.properties:
            if isinstance(each, Invariant):
                hits |= self._said(each, frame)
        for number, holds, wanted in self.of_states:
            name = self.model.properties[number].name
            answer, failure = _ask(holds, frame)
            if failure is not None:
                failures.append((number, why(failure)))
                hits |= {f"judging {failure.kind}", f"unclear {name}"}
            elif answer is wanted:
                hits.add(f"hit {name}")
                if not wanted:
                    lines.append((number, self._first_false(number, frame)))
        tracker = self.semantics.tracker
        for position, number in enumerate(self.claims):
            assert tracker is not None
            if tracker.is_violated(state[-1], position):  # type: ignore[arg-type]
                hits.add(f"hit {self.model.properties[number].name}")
        return Judged(inside, tuple(failures), frozenset(hits), tuple(lines))

    def _first_false(self, number: int, frame: Frame) -> int:
        each = self.model.properties[number]
        assert isinstance(each, Invariant)
        answers = (self.semantics.meanings.of(part)(frame) for part in each.parts)
        return 1 + next(i for i, answer in enumerate(answers) if not answer)

    def _said(self, each: Property, frame: Frame) -> set[str]:
        """What comes up of the lines of a property in a state, or in a step."""
        hits = set[str]()
        for index, line in enumerate(lines_of(each)):
            answers = {"chosen": self._answer(line.chosen, frame)}
            if line.chosen is None and isinstance(each, StepProperty):
                answers["chosen"] = True
            answers["triggered"] = self._answer(line.triggered, frame)
            stronger = self._answer(line.stronger, frame)
            answers["needed"] = line.stronger is not None and stronger is not True
            hits |= {f"{what} {each.name} {index}" for what, hit in answers.items() if hit}
        return hits

    def _answer(self, term: Any, frame: Frame) -> bool | None:
        meaning = self._meaning(term)
        return None if meaning is None else _ask(meaning, frame)[0]

    def moves(self, state: State) -> Moves:
        steps, hits, rests = list[Step](), set[str](), True
        counts = dict.fromkeys((action.name for action in self.model.actions), 0)
        tracker, returned = self.semantics.tracker, self.semantics.statements.returned
        returned.clear()
        for instance in self.semantics.successors(state):
            fault = instance.action.fault
            counts[instance.action.name] += instance.enabled
            rests = rests and (fault or instance.after == state)
            if instance.failure is not None:
                where = "stepping" if instance.enabled else "expanding"
                hits.add(f"{where} {instance.failure.kind}")
            steps.append(self._step(state, instance, hits))
        if tracker is not None:
            hits |= {f"triggered {tracker.claims[claim].name} 0" for claim in returned}
        stops = None
        if rests:
            answer, failure = (False, None) if self.stops is None else _ask(
                self.stops, Frame(state, {})
            )  # fmt: skip
            if failure is not None:
                stops = why(failure)
                hits.add(f"expanding {failure.kind}")
            elif not answer:
                hits.add("deadlock")
        return Moves(tuple(steps), tuple(counts.values()), stops, frozenset(hits))

    def _step(self, state: State, instance: Instance, hits: set[str]) -> Step:
        violated, unclear = set[int](), list[tuple[int, Why | None]]()
        if instance.after is not None:
            for number, event in self._judging(instance):
                each = self.model.properties[number]
                frame = _step_frame(state, instance, event)
                hits |= self._said(each, frame)
                answer, failure = _ask(
                    next(holds for n, _, holds in self.of_steps if n == number), frame
                )
                if failure is not None:
                    unclear.append((number, why(failure)))
                    hits |= {f"stepping {failure.kind}", f"unclear {each.name}"}
                elif not answer:
                    violated.add(number)
                    hits.add(f"hit {each.name}")
        return Step(
            instance.action.name,
            instance.arguments,
            instance.process,
            instance.enabled,
            instance.after,
            instance.result if instance.after is not None else (),
            why(instance.failure),
            frozenset(violated),
            tuple(unclear),
        )

    def _judging(self, instance: Instance) -> Iterator[tuple[int, Event | None]]:
        for number, each, _ in self.of_steps:
            if each.reads_result and not instance.result:
                continue
            for event in (None,) if each.events is None else each.events:
                if event is None or event.action == instance.action.name:
                    yield number, event


def _ask(holds: Meaning, frame: Frame) -> tuple[bool | None, Failure | None]:
    try:
        return bool(holds(frame)), None
    except Failed as failed:
        return None, failed.failure


def _step_frame(state: State, instance: Instance, event: Event | None) -> Frame:
    names: dict[str, Value] = {}
    if event is not None:
        pairs = zip(event.names, instance.arguments, strict=True)
        names = {name: value for name, value in pairs if name is not None}
    return Frame(state, names, instance.after, instance.result)


# --- native code -------------------------------------------------------------------


class Native:
    """What the machine code says."""

    def __init__(self, model: Model, level: int = 0) -> None:
        self.model = model
        self.probe = Probe(model, level)
        self.names = goal_names(model)

    @property
    def layout(self) -> Any:
        return self.probe.program.layout

    def _hits(self) -> frozenset[str]:
        return frozenset(n for n, hit in zip(self.names, self.probe.hits, strict=False) if hit)

    def judge(self, state: State) -> Judged:
        failures: list[tuple[int | str, Why | None]] = []
        for seen in self.probe.judge(state):
            what = "constraint" if seen.what == record.CONSTRAINT else seen.number
            failures.append((what, why(seen.failure)))
        lines = tuple(
            (number, self.probe.hits[number])
            for number, each in enumerate(self.model.properties)
            if isinstance(each, Invariant) and self.probe.hits[number]
        )
        return Judged(self.probe.inside(state), tuple(failures), self._hits(), lines)

    def moves(self, state: State) -> Moves:
        stops, steps = None, list[Step]()
        violated: frozenset[int] = frozenset()
        unclear: list[tuple[int, Why | None]] = []
        for seen in self.probe.steps(state):
            violated |= seen.violated
            if seen.what == record.STOPS:
                stops = why(seen.failure)
            elif seen.what == record.STEP_PROPERTY:
                assert seen.property is not None
                unclear.append((seen.property, why(seen.failure)))
            else:
                steps.append(self._step(seen, violated, tuple(unclear)))
                violated, unclear = frozenset(), []
        counts = tuple(self.probe.counts)[: len(self.model.actions)]
        return Moves(tuple(steps), counts, stops, self._hits())

    def _step(
        self, seen: Seen, violated: frozenset[int], unclear: tuple[tuple[int, Why | None], ...]
    ) -> Step:
        return Step(
            self.model.actions[seen.number].name,
            seen.arguments,
            seen.process,
            seen.what != record.GUARD,
            seen.after,
            seen.result,
            why(seen.failure),
            violated,
            unclear,
        )

    def first(self) -> list[list[Value]]:
        """For each variable, the values with which it may begin, ascending; every copy has them."""
        layout, native = self.layout, self.probe.native
        room = (ctypes.c_uint64 * (layout.words + 1))()
        native.function("first", 1)(ctypes.addressof(room))
        state = layout.unpack(int.from_bytes(bytes(room)[: 8 * layout.words], "little"))
        values: list[list[Value]] = []
        for position, entry in enumerate(layout.entries):
            if position in self.probe.program.choices:
                values.append(sorted(self._choices(position)))
            elif entry.copies is None:
                values.append([state[position]])
            else:
                [value] = set(state[position])  # type: ignore[arg-type]
                values.append([value])
        return values

    def _choices(self, position: int) -> list[Value]:
        choice = self.probe.native.function(f"choice.{position}", 1)
        type_ = self.layout.entries[position].type
        count, words = choice(0), record.words_of(type_)
        room = (ctypes.c_uint64 * (count * words + 1))()
        assert choice(ctypes.addressof(room)) == count
        raw = bytes(room)
        codes = (raw[8 * words * i : 8 * words * (i + 1)] for i in range(count))
        return [unpack(type_, int.from_bytes(code, "little")) for code in codes]


# --- comparison --------------------------------------------------------------------


class Disagreement(AssertionError):
    """The two say different things."""


@define
class Tally:
    """How much was compared."""

    models: int = 0
    states: int = 0
    steps: int = 0

    def add(self, other: Tally) -> None:
        self.models += other.models
        self.states += other.states
        self.steps += other.steps


@define
class Comparison:
    """Both engines, the states seen, and those still to be asked about."""

    referee: Referee
    native: Native
    seen: set[State] = Factory(set)
    todo: list[State] = Factory(list)

    def first(self, most: int) -> None:
        """Compare how the variables begin, then `init` on at most so many combinations."""
        model, semantics = self.referee.model, self.referee.semantics
        wanted = [
            semantics._first_values(variable, first)
            for variable, first in zip(model.variables, model.initial, strict=True)
        ]
        _same(wanted, self.native.first()[: len(wanted)], "first values")
        for number, state in enumerate(semantics.combinations()):
            if number == most:
                break
            if self.accept(state):
                self.see(state)

    def accept(self, state: State) -> bool:
        """Compare whether `init` lets a combination pass."""
        wanted: tuple[bool, Why | None]
        try:
            wanted = self.referee.semantics.is_initial(state), None
        except Failed as failed:
            wanted = False, why(failed.failure)
        accepted, seen = self.native.probe.accept(state)
        _same(wanted, (accepted, why(seen[0].failure) if seen else None), f"init at {state}")
        hits = {f"initial {wanted[1][0]}"} if wanted[1] else set()
        _same(hits, self.native._hits(), f"hits of init at {state}")
        return wanted[0]

    def see(self, state: State) -> None:
        if state not in self.seen:
            self.seen.add(state)
            self.todo.append(state)

    def state(self, state: State) -> Moves:
        """Compare what is said of one state."""
        code = self.native.layout.pack(state)
        _same(state, self.native.layout.unpack(code), "unpack(pack(state))")
        _same(self.referee.judge(state), self.native.judge(state), f"judging {state}")
        wanted = self.referee.moves(state)
        _same(wanted, self.native.moves(state), f"steps from {state}")
        return wanted


def compare(model: Model, states: int, level: int = 0, initial: int = 60) -> Tally:
    """Compare all that is said of the first so many states that a search comes to.

    level    how much the machine code is optimised
    initial  the most combinations of first values

    Raises Disagreement, and Unsupported.
    """
    both = Comparison(Referee(model), Native(model, level))
    both.first(initial)
    tally = Tally(models=1)
    for state in both.todo:
        if tally.states == states:
            break
        tally.states += 1
        for step in both.state(state).steps:
            tally.steps += 1
            if step.after is not None:
                both.see(step.after)
    return tally


def compare_at(model: Model, states: Sequence[State], level: int = 0) -> Tally:
    """Compare all that is said of these states. Raises Disagreement, and Unsupported."""
    both = Comparison(Referee(model), Native(model, level))
    tally = Tally(models=1)
    for state in states:
        tally.states += 1
        tally.steps += len(both.state(state).steps)
    return tally


def _same(wanted: object, found: object, where: str) -> None:
    if wanted != found:
        raise Disagreement(f"{where}: {_difference(wanted, found)}")


def _difference(wanted: Any, found: Any) -> str:
    if isinstance(wanted, Judged | Moves):
        for name in wanted.__attrs_attrs__:  # type: ignore[union-attr]
            a, b = getattr(wanted, name.name), getattr(found, name.name)
            if a != b:
                return f"{name.name}: {_difference(a, b)}"
    if isinstance(wanted, tuple) and isinstance(found, tuple):
        for a, b in zip(wanted, found, strict=False):
            if a != b:
                return f"\n  referee {a}\n  native  {b}"
        return f"{len(wanted)} and {len(found)}: {(*wanted, *found)[min(len(wanted), len(found))]}"
    return f"\n  referee {wanted}\n  native  {found}"
