"""A lemma that would rule a counterexample to induction out, found in the file's own atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from attrs import evolve, frozen

from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument, Proof, Suggestion
from modelcheck.core.values import State
from modelcheck.prove.houdini import Relative, TimeUp
from modelcheck.prove.mining import Candidates, Clause, Instance, holding, mine_against
from modelcheck.prove.scope import Example, in_instance
from modelcheck.prove.solver import Settings
from modelcheck.prove.symbols import Unsupported
from modelcheck.prove.vocabulary import shapes
from modelcheck.prove.wording import declaration

NAME = "Suggested"

_MOST = 24
"""So many clauses, the shortest first, are compared with each other."""


@frozen(eq=False)
class Seen:
    """
    sizes   of the instance
    states  reachable ones
    """

    sizes: Mapping[str, int]
    proof: Proof
    states: Sequence[State]


def suggest(
    proof: Proof,
    argument: Argument,
    known: Sequence[Invariant],
    example: Example,
    seen: Sequence[Seen],
    settings: Settings,
) -> Suggestion | None:
    """A short clause that is false before the step of the example and true in all states seen.

    proof, argument, known  as the example was found with

    Best is a clause that leaves no counterexample to the same line, in the same instance, and that
    is inductive itself. None if the example is a run from an initial state, if no states were seen
    in its instance, or if no clause of few atoms does it.
    """
    sizes = dict(example.sizes)
    first = next((each for each in seen if dict(each.sizes) == sizes), None)
    if example.action is None or first is None:
        return None
    for wide in (False, True):
        found = shapes(proof.model, wide)
        here = Instance(proof, example.proof, sizes, found)
        candidates = Candidates(found, ())
        fitting = (
            clause
            for clause in mine_against(here, first.states, example.states[0])
            if all(_holds(proof, candidates, clause, each) for each in seen)
        )
        clauses = list(islice(fitting, _MOST))
        if clauses:
            best = min(_ranked(here, candidates, clauses, argument, known, example, settings))
            text = declaration(NAME, [candidates.term(clauses[best[-1]])])
            return Suggestion(text, sum(len(each.states) for each in seen))
    return None


def _holds(proof: Proof, candidates: Candidates, clause: Clause, seen: Seen) -> bool:
    shape = candidates.shapes[clause.shape]
    instance = Instance(proof, seen.proof, seen.sizes, (shape,))
    return holding(instance, evolve(clause, shape=0), seen.states)


def _ranked(
    here: Instance,
    candidates: Candidates,
    clauses: list[Clause],
    argument: Argument,
    known: Sequence[Invariant],
    example: Example,
    settings: Settings,
) -> Iterator[tuple[bool, bool, int]]:
    """For each clause whether it leaves a counterexample, or has one itself; and its position."""
    argument = in_instance(argument, here.proof)
    named = (here.model.property(each.name) for each in known)
    proved = tuple(each for each in named if isinstance(each, Invariant))
    names = [each.name for each in (*argument.goals, *argument.lemmas)]
    try:
        relative = Relative(here, candidates, argument, proved, settings)
        wrong = relative.goals_fail()[names.index(example.name)]
        for position, clause in enumerate(clauses):
            leaves = not isinstance(relative.ask(wrong, [clause]), set)
            has = not isinstance(relative.ask(relative.fails(clause), [clause]), set)
            yield leaves, has, position
    except (TimeUp, Unsupported):
        yield True, True, 0
