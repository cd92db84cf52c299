"""All small actions: native code and the referee say the same of them.

2,600 actions, guards of one operator and pairs of plain updates, each in a sample
of states; in a full run 15,500 (900,000 steps), with up to two operators within
each other, in every state. `tiny` has the grammar, and says what a size is.
"""

from __future__ import annotations

from random import Random

import pytest

from modelcheck.core.model import Model

from .agreement import compare_at
from .tiny import FAMILIES, Family

_SAMPLE = 10

names = [family.name for family in FAMILIES]


@pytest.mark.parametrize("family", FAMILIES, ids=names)
def test_guards_of_one_operator_and_pairs_of_updates_agree(family):
    model = _model(family, level=0)
    states = family.all_states(model)
    compare_at(model, Random(1).sample(states, min(_SAMPLE, len(states))))


@pytest.mark.full
@pytest.mark.parametrize("family", FAMILIES, ids=names)
def test_actions_with_an_operator_within_another_agree(family):
    model = _model(family, level=2)
    compare_at(model, family.all_states(model))


def _model(family: Family, level: int) -> Model:
    bodies = family.bodies(level)
    model, kept = family.model(bodies)
    # Some are refused: two writes of one place, a number that is asked whether it is `none`.
    assert kept > 0.75 * len(bodies)
    return model
