"""Liveness on random graphs, against a search that shares nothing with it."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from modelcheck.core.limits import Limits
from modelcheck.core.liveness import judge_liveness
from modelcheck.core.outcome import Verdict
from modelcheck.core.search import explore
from modelcheck.core.semantics import Semantics

from .brute_force import BruteForce
from .check_lasso import complaint
from .random_graph import model_of, random_formula, random_graph

GRAPHS, FORMULAS, BATCHES = 200, 100, 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_verdicts_traces_and_lengths_agree_with_brute_force(batch):
    shares: Counter[str] = Counter()
    for seed in range(batch * GRAPHS // BATCHES, (batch + 1) * GRAPHS // BATCHES):
        shares.update(_compare(seed))
    # The comparison would be worth little if nearly all formulas held, or nearly none.
    total = sum(shares.values())
    assert shares["holds"] >= 0.2 * total, shares
    assert shares["blocks"] + shares["livelocks"] >= 0.2 * total, shares
    assert min(shares["blocks"], shares["livelocks"]) >= 0.05 * total, shares


def _compare(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    graph = random_graph(chance)
    formulas = [random_formula(chance, graph.size) for _ in range(FORMULAS)]
    model = model_of(graph, formulas)
    run = explore(Semantics(model), Limits(), lambda _: False)
    expected = BruteForce(graph)
    assert len(run.graph.states) == len(expected.nodes)
    seen: Counter[str] = Counter()
    for formula, each in zip(formulas, model.properties, strict=True):
        found = judge_liveness(run, each, None)
        verdict, steps = expected.verdict(formula)
        assert found.verdict.value == verdict, (seed, graph, formula)
        seen[verdict] += 1
        if verdict == "holds":
            continue
        assert complaint(model, each.obligations[0], found) is None, (seed, graph, formula)
        assert found.trace.loop == steps, (seed, graph, formula)
        if found.verdict is Verdict.BLOCKS:
            assert found.steps == steps
    return seen
