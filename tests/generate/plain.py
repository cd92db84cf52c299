"""A plain breadth-first search over the semantics: how far away the nearest of everything is.

It shares the meaning of terms and steps with the referee, and nothing of its
search: what it finds judges counts, depths and lengths of traces.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import Factory, define

from modelcheck.core.frame import Failed, Frame
from modelcheck.core.model import Check, Invariant, Reachable, StepProperty
from modelcheck.core.semantics import Instance, Semantics
from modelcheck.core.terms import Term
from modelcheck.core.values import State


@define
class Nearest:
    """How many steps away something is found first; by property, "deadlock" or kind of error.

    A step counts: a bad step from an initial state is one step away.
    """

    distinct: int = 0
    generated: int = 0
    depth: int = 0
    found: dict[str, int] = Factory(dict)
    unclear: set[str] = Factory(set)

    def see(self, name: str, steps: int) -> None:
        self.found.setdefault(name, steps)
        self.found[name] = min(self.found[name], steps)


def nearest(check: Check) -> Nearest:
    """Everything of the check's model, searched plainly."""
    return _Search(check).run()


class _Search:
    def __init__(self, check: Check) -> None:
        self.model = check.model
        self.semantics = Semantics(check.model)
        self.result = Nearest()
        self.names = {action.name for action in check.model.actions}

    def run(self) -> Nearest:
        level: list[State] = []
        for state, failure in self.semantics.initial_states():
            if failure is not None:
                self.result.see(failure.kind, 0)
            else:
                self.result.generated += 1
                level.append(state)
        seen = set(level)
        steps = 0
        level = [state for state in level if self._state(state, 0)]
        while level:
            self.result.depth = steps + 1
            self.result.distinct += len(level)
            following = []
            for state in level:
                for after in self._steps(state, steps):
                    if after not in seen:
                        seen.add(after)
                        if self._state(after, steps + 1):
                            following.append(after)
            level, steps = following, steps + 1
        return self.result

    def _state(self, state: State, steps: int) -> bool:
        """Judge a new state; whether it is within the constraint."""
        frame = Frame(state, {})
        inside = True
        if self.model.constraint is not None:
            inside = self._ask((self.model.constraint,), frame, "", steps) is True
        for each in self.model.properties:
            if isinstance(each, Invariant | Reachable):
                wanted = isinstance(each, Reachable)
                if self._ask(each.parts, frame, each.name, steps) is wanted:
                    self.result.see(each.name, steps)
        return inside

    def _steps(self, state: State, steps: int) -> Iterator[State]:
        rests = True
        for instance in self.semantics.successors(state):
            self.result.generated += instance.enabled
            if instance.failure is not None:
                self.result.see(instance.failure.kind, steps + instance.enabled)
            if instance.after is None:
                # What cannot go on is reported as such, and not as a deadlock too.
                rests = rests and instance.action.fault
                continue
            rests = rests and (instance.action.fault or instance.after == state)
            self._step(state, instance, steps)
            yield instance.after
        if rests and not self._may_stop(state, steps):
            self.result.see("deadlock", steps)

    def _may_stop(self, state: State, steps: int) -> bool:
        if self.model.stops is None:
            return False
        return self._ask((self.model.stops,), Frame(state, {}), "", steps) is not False

    def _step(self, state: State, instance: Instance, steps: int) -> None:
        for each in self.model.properties:
            if not isinstance(each, StepProperty) or (each.reads_result and not instance.result):
                continue
            events = [None] if each.events is None else list(each.events)
            for event in events:
                if event is not None and event.action != instance.action.name:
                    continue
                names = {} if event is None else {
                    name: value
                    for name, value in zip(event.names, instance.arguments, strict=True)
                    if name is not None
                }  # fmt: skip
                frame = Frame(state, names, instance.after, instance.result)
                if self._ask(each.parts, frame, each.name, steps + 1) is False:
                    self.result.see(each.name, steps + 1)

    def _ask(self, parts: tuple[Term, ...], frame: Frame, name: str, steps: int) -> bool | None:
        try:
            return all(self.semantics.meanings.of(part)(frame) for part in parts)
        except Failed as failed:
            self.result.see(failed.failure.kind, steps)
            self.result.unclear.add(name)
            return None
