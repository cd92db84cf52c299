"""From where an event was met to a finding with a trace."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from modelcheck.compile import record
from modelcheck.compile.lower.judging import Goals
from modelcheck.core.model import ERROR_KINDS, Model, StepProperty
from modelcheck.core.outcome import Failure
from modelcheck.core.trace import Step, Trace
from modelcheck.core.values import show
from modelcheck.explore.probe import Seen
from modelcheck.explore.retrace import Label, Retracer
from modelcheck.explore.shorten import Path, Shortener


@frozen
class Met:
    """Where an event was met.

    stage  a `Stage`
    state  if the run had not begun: the combination of which `init` does not say whether it is
           an initial state
    """

    run: int
    step: int
    stage: int
    state: int | None = None

    @property
    def place(self) -> tuple[int, int, int]:
        """Runs come by places in ascending order."""
        return self.run, self.step, self.stage


@frozen(eq=False)
class Told:
    """What a finding says; see `Found`."""

    trace: Trace = field(repr=False)
    failure: Failure | None = None
    reason: str | None = None


class Teller:
    """Tells walks as traces, shortened. Raises Unsupported."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.retracer = Retracer(model)
        self.goals: Goals = self.retracer.program.goals

    def tell_initial(self, event: int, state: int) -> Told:
        """Of a combination for which `init` has no value."""
        packed = state.to_bytes(8 * self.retracer.program.layout.words, "little")
        seen = self.retracer.uninitial(packed, event - self.goals.initial)
        return Told(Trace((self.retracer.unpack(packed),), ()), seen.failure, "in `init`")

    def path(self, walk: Sequence[tuple[int, bytes]]) -> Path:
        """A walk without its loops, and with its steps by name.

        walk  for each state the position of the step that led there
        """
        last = {state: index for index, (_, state) in enumerate(walk)}
        at = last[walk[0][1]]
        states, labels = [walk[0][1]], list[Label]()
        while at < len(walk) - 1:
            position, after = walk[at + 1]
            labels.append(self.retracer.label(states[-1], position))
            states.append(after)
            at = last[after]
        return Path(tuple(states), tuple(labels))

    def shortener(self, event: int, path: Path, starts: Sequence[bytes]) -> Shortener:
        return Shortener(self.retracer, event, path, starts)

    def tell(self, event: int, path: Path) -> Told:
        """The path as a trace, and what shows at its end."""
        states = [self.retracer.unpack(state) for state in path.states]
        steps = [
            self._step(self.retracer.taken(state, label)[0])
            for state, label in zip(path.states, path.labels, strict=False)
        ]
        last, failure, reason = self._end(event, path.states[-1])
        if last is not None:
            steps.append(self._step(last))
            if last.after is not None:
                states.append(last.after)
        return Told(Trace(tuple(states), tuple(steps)), failure, reason)

    def _step(self, seen: Seen) -> Step:
        return Step(self.model.actions[seen.number], seen.arguments, seen.process, seen.result)

    def _end(self, event: int, state: bytes) -> tuple[Seen | None, Failure | None, str | None]:
        """The step that a trace ends with, if it is not a state; what failed, and where."""
        goals, retracer = self.goals, self.retracer
        if goals.judging <= event < goals.judging + len(ERROR_KINDS):
            seen = retracer.misjudged(state, event - goals.judging)
            where = "constraint"
            if seen.what == record.JUDGED:
                where = self.model.properties[seen.number].name
            return None, seen.failure, f"in `{where}`"
        if goals.expanding <= event < goals.expanding + len(ERROR_KINDS):
            whats = (record.GUARD, record.STOPS)
            seen = retracer.culprit(state, whats, kind=event - goals.expanding)
            if seen.what == record.STOPS:
                return None, seen.failure, "in `stops when`"
            return None, seen.failure, f"in a guard of `{self._shown(seen)}`"
        if goals.stepping <= event < goals.stepping + len(ERROR_KINDS):
            whats = (record.NOT_TAKEN, record.STEP_PROPERTY)
            seen = retracer.culprit(state, whats, kind=event - goals.stepping)
            if seen.property is None:
                return seen, seen.failure, None
            where = self.model.properties[seen.property].name
            return seen, seen.failure, f"in `{where}`"
        if event < goals.judging and self._is_of_steps(event):
            return retracer.culprit(state, (record.TAKEN,), hit=event), None, None
        return None, None, None

    def _is_of_steps(self, event: int) -> bool:
        return isinstance(self.model.properties[event], StepProperty)

    def _shown(self, seen: Seen) -> str:
        """As a trace names it, with the arguments it has: `accept(Write(n1, 1, 1))`."""
        action = self.model.actions[seen.number]
        pairs = zip(action.binders, seen.arguments, strict=False)
        arguments = ", ".join(show(binder.type, value) for binder, value in pairs)
        return f"{action.name}({arguments})" if arguments else action.name
