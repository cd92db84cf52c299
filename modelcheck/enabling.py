"""The nearest reachable state in which an action can be taken.

That some step of the action is taken is asked as a property of steps that any such step breaks:
so the engine that searches for violations finds the shortest way, and takes budgets, `where` and
guards as it always does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from attrs import evolve, frozen

from modelcheck.compile.layout import Unsupported
from modelcheck.core.conclude import why_open
from modelcheck.core.constant import constant
from modelcheck.core.limits import Limits
from modelcheck.core.model import Action, Check, Event, ExpectProperty, StepProperty
from modelcheck.core.progress import Progress
from modelcheck.core.search import explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.terms import And, Equal, Name, Not, Term, Truth
from modelcheck.core.trace import Step, Trace
from modelcheck.core.types import Type
from modelcheck.core.values import State, Value
from modelcheck.core.verdicts import Case, find_all
from modelcheck.explore.engine import Run, Settings

_NAME = "taken"

Wanted = Sequence["Value | None"]
"""Values for the arguments of an action, None for any."""


@frozen(eq=False)
class Enabling:
    """What a search for a step of an action has found.

    trace     a shortest run that ends with such a step; None if there is none
    why_open  why there may be one all the same; None if every reachable state was visited
    levels    the states visited, by depth
    """

    trace: Trace | None
    why_open: str | None
    levels: Sequence[Iterator[State]]

    def states(self, most: int) -> tuple[list[State], bool]:
        """Of the states visited the first levels, at most so many; and whether that is all."""
        found: list[State] = []
        for level in self.levels:
            states = list(islice(level, most - len(found) + 1))
            if len(found) + len(states) > most:
                return found or states[:most], False
            found += states
        return found, True


def first_taken(
    check: Check,
    action: Action,
    wanted: Wanted,
    limits: Limits,
    threads: int = 1,
    progress: Progress | None = None,
) -> Enabling:
    """The nearest step of the action, by the native engine where it can. Raises Unnameable."""
    asked = _asked(check, action, wanted)
    try:
        run = Run(asked, limits, Settings(threads), progress)
    except Unsupported:
        return _by_referee(asked, limits, progress)
    (found,) = run.found()
    unpack = run.prepared.lowered.layout.unpack
    depths = range(len(run.explored.levels)) if run.explored.store is not None else range(0)
    levels = [map(unpack, run.codes(depth)) for depth in depths]
    return Enabling(None if found is None else found.trace, run.why_open, levels)


def _by_referee(check: Check, limits: Limits, progress: Progress | None) -> Enabling:
    run = explore(Semantics(check.model), limits, lambda run: run.safety.is_found(_NAME), progress)
    open_ = why_open(run.complete, run.limits)
    found = find_all(Case(run, open_), deadlock=False)[0]
    graph = run.graph
    depth = max(graph.depths, default=-1)
    levels = [(graph.states[n] for n in level) for level in graph.levels(depth)]
    return Enabling(found.trace, open_, levels)


class Unnameable(Exception):
    """There is no term for the value of an argument."""


def _asked(check: Check, action: Action, wanted: Wanted) -> Check:
    """The check that fails as soon as the step is taken."""
    names = tuple(f"argument {binder.name}" for binder in action.binders)
    given = [
        _is(name, binder.type, value)
        for name, binder, value in zip(names, action.binders, wanted, strict=True)
        if value is not None
    ]
    other: Term = Not(And(tuple(given))) if given else Truth(False)
    event = Event(action.name, names)
    taken = StepProperty(_NAME, (event,), (other,))
    model = evolve(check.model, properties=(taken,))
    return evolve(check, model=model, expectations=(ExpectProperty(_NAME, "fails"),))


def _is(name: str, type_: Type, value: Value) -> Term:
    term = constant(type_, value)
    if term is None:
        raise Unnameable
    return Equal(Name(name, type=type_), term)


# --- from a state on -------------------------------------------------------------------


def nearest_from(
    semantics: Semantics, state: State, action: Action, wanted: Wanted, most: int
) -> tuple[Trace | None, bool]:
    """A shortest run from a state that ends with such a step, breadth first by the referee.

    And whether that is sure: without a run it is if there are no more than `most` states.
    """
    came: dict[State, tuple[State, Step] | None] = {state: None}
    waiting = [state]
    for here in waiting:
        for each in semantics.successors(here):
            if each.after is None:
                continue
            step = Step(each.action, each.arguments, each.process, each.result)
            if each.action.name == action.name and fits(each.arguments, wanted):
                states, steps = _way(came, here)
                return Trace((*states, each.after), (*steps, step)), True
            if each.after not in came:
                if len(came) >= most:
                    return None, False
                came[each.after] = (here, step)
                waiting.append(each.after)
    return None, True


def _way(
    came: dict[State, tuple[State, Step] | None], end: State
) -> tuple[list[State], list[Step]]:
    states, steps = [end], list[Step]()
    while (before := came[states[-1]]) is not None:
        states.append(before[0])
        steps.append(before[1])
    return states[::-1], steps[::-1]


def fits(arguments: Sequence[Value], wanted: Wanted) -> bool:
    """Whether the arguments, or those that were chosen, are the wanted ones."""
    pairs = zip(arguments, wanted, strict=False)
    return all(asked is None or asked == value for value, asked in pairs)
