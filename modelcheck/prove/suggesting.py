"""A lemma that would rule a counterexample to induction out, found in the file's own atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from modelcheck.core.proof import Proof, Suggestion
from modelcheck.core.values import State
from modelcheck.prove.mining import Candidates, Clause, Instance, holding, mine_against
from modelcheck.prove.scope import Example
from modelcheck.prove.vocabulary import shapes
from modelcheck.prove.wording import declaration

NAME = "Suggested"


@frozen(eq=False)
class Seen:
    """
    sizes   of the instance
    states  reachable ones
    """

    sizes: Mapping[str, int]
    proof: Proof
    states: Sequence[State]


def suggest(proof: Proof, example: Example, seen: Sequence[Seen]) -> Suggestion | None:
    """The shortest clause that is false before the step of the example and true in all states seen.

    proof  the open proof that the example is of

    None if the example is a run from an initial state, if no states were seen in its instance,
    or if no clause of few atoms does it.
    """
    sizes = dict(example.sizes)
    first = next((each for each in seen if dict(each.sizes) == sizes), None)
    if example.action is None or first is None:
        return None
    for wide in (False, True):
        found = shapes(proof.model, wide)
        here = Instance(proof, example.proof, sizes, found)
        candidates = Candidates(found, ())
        for clause in mine_against(here, first.states, example.states[0]):
            if all(_holds(proof, candidates, clause, each) for each in seen):
                text = declaration(NAME, [candidates.term(clause)])
                return Suggestion(text, sum(len(each.states) for each in seen))
    return None


def _holds(proof: Proof, candidates: Candidates, clause: Clause, seen: Seen) -> bool:
    shape = candidates.shapes[clause.shape]
    instance = Instance(proof, seen.proof, seen.sizes, (shape,))
    return holding(instance, evolve(clause, shape=0), seen.states)
