"""The referee's whole state graph is that of the hand-written model: every state, every step.

A model that stands under `tests/counts` names its file and its checks. The graphs are compared as
sets of labelled edges, in the encoding of `tests/counts/common.py`; equal counts would not do.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from counts import (
    alternating_bit,
    alternating_bit_classic,
    atomic_commit,
    consensus,
    fenced_leader,
    handover,
    paxos,
    paxos_tiny,
    transaction_commit,
    two_phase,
    two_phase_classic,
    voting,
    wrong_mapping,
)
from counts.common import Edge, freeze
from counts.common import State as NeutralState

import modelcheck
from modelcheck.core.model import Model, Variable
from modelcheck.core.search import Limits, explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.types import Bag, Map, Option, Seq, Set, Sort, Type, Union
from modelcheck.core.values import State, Value, show, values_of

ROOT = Path(__file__).resolve().parents[2]
WITNESSES = [
    alternating_bit,
    alternating_bit_classic,
    atomic_commit,
    consensus,
    fenced_leader,
    handover,
    paxos,
    paxos_tiny,
    transaction_commit,
    two_phase,
    two_phase_classic,
    voting,
    wrong_mapping,
]


def neutral(type_: Type, value: Value) -> object:
    """A value in the encoding that the witnesses use."""
    match type_:
        case Sort():
            return show(type_, value)
        case Union(_, forms):
            form = forms[value[0]]
            fields = zip(form.fields, value[1:], strict=True)
            return (form.name, *(neutral(f.type, v) for f, v in fields))
        case Option(item):
            return neutral(item, value[0]) if value else None
        case Set(element):
            return frozenset(neutral(element, v) for v in value)
        case Bag(element):
            return tuple(neutral(element, v) for v in value)
        case Seq(element):
            return ("seq", *(neutral(element, v) for v in value))
        case Map(key, item):
            pairs = zip(values_of(key), value, strict=True)
            return ("map", tuple((neutral(key, k), neutral(item, v)) for k, v in pairs))
        case _:
            return value


def neutral_state(model: Model, state: State) -> NeutralState:
    """A state with the names that a trace prints."""

    def parts(variable: Variable) -> list[tuple[str, object]]:
        owner, value = variable.owner, state[variable.position]
        if owner.key is None:
            return [(variable.full_name, neutral(variable.type, value))]
        return [
            (f"{show(owner.key, member)}.{variable.name}", neutral(variable.type, each))
            for member, each in zip(values_of(owner.key), value, strict=True)
        ]

    named = dict(pair for variable in model.variables for pair in parts(variable))
    for fault in model.counters:
        named[f"budget.{fault.name}"] = state[fault.counter]
    return freeze(named)


@pytest.mark.parametrize(
    ("witness", "check"),
    [
        pytest.param(witness, check, id=f"{Path(witness.FILE).stem}-{check}")
        for witness in WITNESSES
        for check in witness.CHECKS
    ],
)
def test_the_referee_and_the_witness_see_one_graph(witness: ModuleType, check: str) -> None:
    expected = witness.explore(**witness.CHECKS[check])
    model = modelcheck.load(ROOT / witness.FILE)[check].model
    found = explore(Semantics(model), Limits(), lambda _: False)
    graph = found.graph
    states = [neutral_state(model, state) for state in graph.states]

    def edges_from(number: int) -> list[Edge]:
        made = []
        for edge in graph.edges[number]:
            action = model.actions[edge.action]
            typed = zip(action.binders, edge.arguments, strict=True)
            arguments = tuple(neutral(binder.type, value) for binder, value in typed)
            made.append((states[number], (action.name, arguments), states[edge.target]))
        return made

    edges = [edge for number in range(len(states)) for edge in edges_from(number)]
    first = graph.depths.count(0)

    assert set(states[:first]) == expected.initial
    assert {s for s, inside in zip(states, graph.inside, strict=True) if inside} == expected.states
    assert set(edges) == expected.edges
    assert len(edges) == len(expected.edges)
    assert (found.distinct, found.depth) == (expected.distinct, expected.depth)
