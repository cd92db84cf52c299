"""A run of a model: states and the steps between them, finite or a lasso."""

from __future__ import annotations

from typing import TypeAlias

from attrs import field, frozen

from modelcheck.core.model import Action
from modelcheck.core.values import State, Value


@frozen
class Process:
    """Who acts: an owner, and for an `each` group its member."""

    owner: str
    member: Value | None = None


@frozen
class Step:
    """A transition at a position of a trace.

    result  (value,) if the step returned a value from an operation, else ()
    """

    action: Action
    arguments: tuple[Value, ...]
    process: Process
    result: tuple[Value, ...] = ()


@frozen
class Trace:
    """`states[0]` is initial; `steps[i]` leads from `states[i]` to `states[i + 1]`.

    loop    index of the state to which the run returns after the last one (a lasso: the last
            state equals `states[loop]`, or only stutters if `loop` is the last index); None for
            a finite trace
    mapped  for a refinement, each state as the abstract protocol sees it, else ()

    A step that leaves a type or writes a place twice is not taken: the trace of such an error
    ends with that step, and has as many steps as states.
    """

    states: tuple[State, ...] = field(repr=False)
    steps: tuple[Step, ...]
    loop: int | None = None
    mapped: tuple[State, ...] = field(default=(), repr=False)


# --- how a loop is fair ------------------------------------------------------------


@frozen
class Taken:
    """The loop takes the instance: first in step `step` of the trace, counted from 1."""

    step: int


@frozen
class Disabled:
    """The instance is not always enabled: first in the loop not in `states[state]`."""

    state: int


@frozen
class Treatment:
    """How a loop is fair to an instance of a fair action that is enabled somewhere on it.

    arguments  of those that the fairness is asked for, in the order of the header
    how        a strongly fair instance is always Taken: to be disabled now and then excuses only
               that a weakly fair one is not
    """

    action: Action
    arguments: tuple[Value, ...]
    how: How


How: TypeAlias = Taken | Disabled
