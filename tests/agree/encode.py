"""The tool's states and graphs in the encoding of the hand-written models (`counts.common`)."""

from __future__ import annotations

from counts.common import Graph, Label, freeze
from counts.common import State as NeutralState

from modelcheck.core.limits import Limits
from modelcheck.core.model import Action, Model
from modelcheck.core.search import Exploration, explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.types import Bag, Map, Option, Seq, Set, Sort, Type, Union
from modelcheck.core.values import State, Value, show, values_of
from modelcheck.core.variables import Variable


def whole(model: Model) -> Exploration:
    """Everything the referee can reach, whatever is decided on the way."""
    return explore(Semantics(model), Limits(), lambda _: False)


def neutral_graph(run: Exploration) -> Graph:
    """A finished search as the hand-written models present theirs; steps not taken are left out."""
    model, graph = run.semantics.model, run.graph
    assert run.complete
    states = [neutral_state(model, state) for state in graph.states]
    edges = {
        (states[number], neutral_label(model.actions[edge.action], edge.arguments), states[target])
        for number, edges in enumerate(graph.edges)
        for edge in edges
        if (target := edge.target) >= 0
    }
    rows = zip(states, graph.depths, graph.inside, strict=True)
    return Graph(
        initial=frozenset(states[: graph.depths.count(0)]),
        states=frozenset(s for s, inside in zip(states, graph.inside, strict=True) if inside),
        edges=frozenset(edges),
        steps={state: depth for state, depth, inside in rows if inside},
        faults=frozenset(action.name for action in model.actions if action.fault),
    )


def neutral_label(action: Action, arguments: tuple[Value, ...]) -> Label:
    """An action's name and its arguments in the order of the header."""
    typed = zip(action.binders, arguments, strict=True)
    return action.name, tuple(neutral(binder.type, value) for binder, value in typed)


def neutral_state(model: Model, state: State) -> NeutralState:
    """A state with the names that a trace prints."""
    named = dict(pair for variable in model.variables for pair in _parts(variable, state))
    for fault in model.counters:
        assert fault.counter is not None
        named[f"budget.{fault.name}"] = state[fault.counter]
    return freeze(named)


def _parts(variable: Variable, state: State) -> list[tuple[str, object]]:
    owner, value = variable.owner, state[variable.position]
    if owner.key is None:
        return [(variable.full_name, neutral(variable.type, value))]
    assert isinstance(value, tuple)
    return [
        (f"{show(owner.key, member)}.{variable.name}", neutral(variable.type, each))
        for member, each in zip(values_of(owner.key), value, strict=True)
    ]


def neutral(type_: Type, value: Value) -> object:
    """A value without the tool's numbering of members and forms."""
    match type_:
        case Sort():
            return show(type_, value)
        case Union(_, forms):
            assert isinstance(value, tuple) and isinstance(value[0], int)
            form = forms[value[0]]
            fields = zip(form.fields, value[1:], strict=True)
            return (form.name, *(neutral(f.type, v) for f, v in fields))
        case Option(item):
            assert isinstance(value, tuple)
            return neutral(item, value[0]) if value else None
        case Set(element):
            return frozenset(_each(element, value))
        case Bag(element):
            return _each(element, value)
        case Seq(element):
            return ("seq", *_each(element, value))
        case Map(key, item):
            keys = (neutral(key, k) for k in values_of(key))
            return ("map", tuple(zip(keys, _each(item, value), strict=True)))
        case _:
            return value


def _each(type_: Type, values: Value) -> tuple[object, ...]:
    assert isinstance(values, tuple)
    return tuple(neutral(type_, value) for value in values)
