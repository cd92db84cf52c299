"""What detailed code writes down of each step and each failure: a record of 64-bit words.

WHAT      one of the kinds below
INDEX     the number of the action, or of the property
KIND      of the failure, a position in ERROR_KINDS; -1 where there is none
SITE      the number of the site of the failure
PROCESS   who acts: a position in `processes`
BOUND     how many arguments are there
RESULT    0 the step returned nothing, 1 it returned without a value, 2 with one
PROPERTY  of a step property that has no value for a step
ARGUMENTS the arguments, each in a whole number of words; then the result, then the values
          that the failure shows
"""

from __future__ import annotations

from modelcheck.compile.layout import WORD, width
from modelcheck.core.model import Action, Model
from modelcheck.core.trace import Process
from modelcheck.core.types import Int, Range, Type
from modelcheck.core.values import cardinality, values_of

WHAT, INDEX, KIND, SITE, PROCESS, BOUND, RESULT, PROPERTY, ARGUMENTS = range(9)

TAKEN, NOT_TAKEN, GUARD, JUDGED, STOPS, CONSTRAINT, STEP_PROPERTY, INIT = range(8)


def words_of(type_: Type) -> int:
    """How many words a value takes in a record; a number takes one, as it is."""
    if isinstance(type_, Int | Range):
        return 1
    return max(1, -(-width(type_) // WORD))


def processes(model: Model) -> tuple[Process, ...]:
    """Everybody who may act: each owner by itself, followed by its members."""
    found = list[Process]()
    for owner in model.owners:
        found.append(Process(owner.name))
        if owner.key is not None:
            found += [Process(owner.name, member) for member in values_of(owner.key)]
    return tuple(found) or (Process(""),)


def first_processes(model: Model) -> dict[str, int]:
    """For each owner its position in `processes`; its members follow, by their positions."""
    first, at = dict[str, int](), 0
    for owner in model.owners:
        first[owner.name] = at
        at += 1 + (0 if owner.key is None else cardinality(owner.key))
    return first


def lane(action: Action, model: Model) -> str:
    """The group that the acting process belongs to, or where a step without one is shown."""
    if action.process is not None:
        wanted = action.binders[action.process].type
        keyed = [owner for owner in model.owners if owner.key is not None]
        # A number's own range may be narrower than that of the members it picks from.
        numbered = [owner for owner in keyed if isinstance(owner.key, Range)]
        for owner in [each for each in keyed if each.key == wanted] or numbered:
            return owner.name
    return model.owners[0].name if model.owners else ""
