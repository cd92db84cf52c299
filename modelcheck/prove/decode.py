"""Values out of a model of the solver, as the rest of the tool has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

import z3
from attrs import define

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
from modelcheck.core.values import State, Value, make_bag, make_set
from modelcheck.prove.algebra import Expr
from modelcheck.prove.symbols import (
    Counts,
    Entries,
    Members,
    Slots,
    Sym,
    Tagged,
    entries_of,
    lift,
    scalar,
    universe,
)


@define(eq=False)
class Decoder:
    """Reads values of a finite instance off a solver's model; what it leaves open is zero."""

    solution: z3.ModelRef

    def number(self, expr: Expr) -> int:
        if isinstance(expr, int):
            return expr
        value = self.solution.eval(expr, model_completion=True)
        assert isinstance(value, z3.IntNumRef)
        return value.as_long()  # type: ignore[no-any-return]

    def truth(self, expr: Expr) -> bool:
        if isinstance(expr, bool):
            return expr
        return z3.is_true(self.solution.eval(expr, model_completion=True))  # type: ignore[no-any-return]

    def value(self, type_: Type, sym: Sym) -> Value:
        """The value, of a type that has sizes."""
        match type_:
            case Bool():
                return self.truth(scalar(sym))
            case Range() | Int() | Sort():
                return self.number(scalar(sym))
            case Union(_, forms):
                assert isinstance(sym, Tagged)
                form = self.form(sym)
                fields = sym.forms[form] or ()
                types = [f.type for f in forms[form].fields]
                return (form, *(self.value(t, f) for t, f in zip(types, fields, strict=True)))
            case Option(item):
                assert isinstance(sym, Tagged)
                return tuple(self.value(item, f) for f in sym.forms[self.form(sym)] or ())
            case Set():
                assert isinstance(sym, Members)
                return make_set(v for v, bit in sym.table.items() if self.truth(bit))
            case Bag():
                assert isinstance(sym, Counts)
                return make_bag(v for v, n in sym.table.items() for _ in range(self.number(n)))
            case Seq(element):
                assert isinstance(sym, Slots)
                length = self.number(sym.length)
                return tuple(self.value(element, each) for each in sym.slots[:length])
            case Map(key, item):
                assert isinstance(sym, Entries)
                return tuple(self.value(item, sym.table[k]) for k in universe(key))
            case Nothing():
                raise ValueError("there is no value of the type without values")
            case _:
                assert_never(type_)

    def form(self, sym: Tagged) -> int:
        """The number of a union value's form."""
        tag: Any = sym.tag
        return int(self.truth(tag)) if len(sym.forms) == 2 else self.number(tag)

    def state(self, model: Model, state: Sequence[Sym]) -> State:
        """A state of the model."""
        values: list[Value] = []
        for variable in model.variables:
            sym, key = state[variable.position], variable.owner.key
            if key is None:
                values.append(self.value(variable.type, sym))
            else:
                assert isinstance(sym, Entries)
                values.append(tuple(self.value(variable.type, sym.table[k]) for k in universe(key)))
        for action in model.counters:
            assert action.counter is not None
            values.append(self.number(scalar(state[action.counter])))
        return tuple(values)


def known_state(model: Model, state: State) -> list[Sym]:
    """A state of the model as symbols, all of it known."""

    result: list[Sym] = []
    for variable in model.variables:
        value: Any = state[variable.position]
        key = variable.owner.key
        if key is None:
            result.append(lift(variable.type, value))
        else:
            keys = universe(key)
            pairs = zip(keys, value, strict=True)
            result.append(entries_of(key, {k: lift(variable.type, v) for k, v in pairs}))
    for action in model.counters:
        assert action.counter is not None
        result.append(state[action.counter])
    return result
