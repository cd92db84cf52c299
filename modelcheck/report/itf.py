"""Values as JSON, in the encoding of the Informal Trace Format (Apalache's ADR 15).

    bool, number     as such; a number beyond 2^53 as {"#bigint": "..."}
    sort's member    its name: "n1"
    record           an object of its fields
    union            {"tag": "Leading", "value": {"token": 1, "seen": 0}}
    option           {"tag": "None", "value": {}}, {"tag": "Some", "value": 3}
    set              {"#set": [...]}
    bag              {"#map": [[item, occurrences], ...]}
    sequence         [...]
    map              {"#map": [[key, value], ...]}

Elements and keys come in canonical order.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, assert_never

from modelcheck.core.model import Model
from modelcheck.core.types import (
    Bag,
    Bool,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import State, Value, show, values_of

_EXACT = 2**53


def encode(type_: Type, value: Value) -> Any:
    """The value as plain data for JSON."""
    match type_:
        case Bool():
            return bool(value)
        case Int() | Range():
            assert isinstance(value, int)
            number = int(value)
            return number if -_EXACT < number < _EXACT else {"#bigint": str(number)}
        case Sort():
            return show(type_, value)
        case Union(_, forms):
            assert isinstance(value, tuple) and isinstance(value[0], int)
            form = forms[value[0]]
            fields = {
                f.name: encode(f.type, v) for f, v in zip(form.fields, value[1:], strict=True)
            }
            return fields if len(forms) == 1 else {"tag": form.name, "value": fields}
        case Option(item):
            assert isinstance(value, tuple)
            if not value:
                return {"tag": "None", "value": {}}
            return {"tag": "Some", "value": encode(item, value[0])}
        case Set(element):
            assert isinstance(value, tuple)
            return {"#set": [encode(element, v) for v in value]}
        case Bag(element):
            assert isinstance(value, tuple)
            return {
                "#map": [[encode(element, v), sum(1 for _ in same)] for v, same in groupby(value)]
            }
        case Seq(element):
            assert isinstance(value, tuple)
            return [encode(element, v) for v in value]
        case Map(key, item):
            return _map(key, item, value)
        case Nothing():
            return None
        case _:
            assert_never(type_)


def encode_state(model: Model, state: State) -> dict[str, Any]:
    """`service.granted` and so on, in the order of the file; of an `each` group a map by member.

    The steps that bounded faults have taken stand under the faults' names: `faults.crash`.
    """
    encoded: dict[str, Any] = {}
    for variable in model.variables:
        value = state[variable.position]
        key = variable.owner.key
        encoded[variable.full_name] = (
            encode(variable.type, value) if key is None else _map(key, variable.type, value)
        )
    for fault in model.counters:
        assert fault.counter is not None
        encoded[f"faults.{fault.name}"] = state[fault.counter]
    return encoded


def _map(key: Type, item: Type, value: Value) -> dict[str, Any]:
    assert isinstance(value, tuple)
    pairs = zip(values_of(key), value, strict=True)
    return {"#map": [[encode(key, k), encode(item, v)] for k, v in pairs]}
