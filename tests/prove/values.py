"""Single values as formulas: which there are, when two are equal, which of two it is."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

import z3

from modelcheck.core.model import ErrorKind
from modelcheck.core.types import (
    BOOL,
    Bag,
    Field,
    Form,
    Map,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.values import misfit, values_of
from modelcheck.prove.algebra import formula
from modelcheck.prove.decode import Decoder
from modelcheck.prove.fitting import judge
from modelcheck.prove.symbols import NO_BOUNDS, lift, merge, same
from modelcheck.prove.system import System
from modelcheck.prove.unknowns import typed, unknown
from tests.compile.small import model

from .agreement import Disagreement

NUMBER, NODE = Range(1, 3), Sort("Node", 2)
SHAPE = Union(
    "Shape", (Form("A", ()), Form("B", (Field("x", NUMBER),)), Form("C", (Field("y", BOOL),)))
)
TYPES: tuple[Type, ...] = (
    BOOL,
    NUMBER,
    NODE,
    Option(NUMBER),
    SHAPE,
    Set(NUMBER),
    Set(NUMBER, 2),
    Bag(NODE, 2),
    Seq(NUMBER, 2),
    Map(NODE, NUMBER),
    Option(Seq(NODE, 2)),
    Seq(Option(NODE), 2),
    Map(NODE, Set(NODE, 1)),
)

# What is put into a place of the left type, and what there is of it.
FITS: tuple[tuple[Type, Type], ...] = (
    (NUMBER, Range(0, 4)),
    (Option(NUMBER), Option(Range(0, 4))),
    (Set(NUMBER, 2), Set(Range(1, 4))),
    (Set(NUMBER, 1), Set(NUMBER)),
    (Bag(NUMBER, 1), Bag(Range(0, 2), 2)),
    (Seq(NUMBER, 1), Seq(Range(1, 4), 2)),
    (Map(NODE, NUMBER), Map(NODE, Range(0, 3))),
    (Seq(Set(NODE, 1), 2), Seq(Set(NODE), 2)),
)

_PAIRS = 12


def compare() -> None:
    """Raises Disagreement, or whatever else comes of formulas that are wrong."""
    for type_ in TYPES:
        _all_values(type_)
        _pairs(type_)
    for target, source in FITS:
        _fits(target, source)
    longer = same(unknown(Seq(NUMBER, 2), "any"), lift(Seq(NUMBER, 3), (1, 2, 3)))
    _agree(False, _is_possible(longer), "a sequence that is too long")


def _agree(right: object, ours: object, what: str) -> None:
    if right != ours:
        raise Disagreement(f"{what}: {ours}, rightly {right}")


def _all_values(type_: Type) -> None:
    """An unknown value of the type is one of its values, and any of them."""
    any_, solver = unknown(type_, "any"), z3.Solver()
    solver.add(formula(typed(type_, any_, NO_BOUNDS)))
    values = list(values_of(type_))
    for value in values:
        _agree(z3.sat, solver.check(formula(same(any_, lift(type_, value)))), f"{value} is one")
    seen: set[Any] = set()
    while solver.check() == z3.sat and len(seen) <= len(values):
        value = Decoder(solver.model()).value(type_, any_)
        seen.add(value)
        solver.add(z3.Not(formula(same(any_, lift(type_, value)))))
    _agree(set(values), seen, f"the values of {type_}")


def _pairs(type_: Type) -> None:
    """Equality, and one of two, of values known and unknown."""
    left, right = unknown(type_, "left"), unknown(type_, "right")
    first = z3.Bool("first")
    chosen, decoder = merge(first, left, right), Decoder(_empty())
    values = list(values_of(type_))
    for a, b in islice(product(values, repeat=2), 0, None, max(1, len(values) ** 2 // _PAIRS)):
        known = same(lift(type_, a), lift(type_, b))
        _agree(a == b, decoder.truth(known), f"{a} equals {b}")
        for which in (True, False):
            solver = z3.Solver()
            solver.add(
                formula(same(left, lift(type_, a))),
                formula(same(lift(type_, b), right)),
                first == which,
            )
            _agree(z3.sat, solver.check(), f"{a} and {b}")
            # Whatever stands behind the end of a sequence, or in fields of other forms.
            _never(solver, formula(same(left, right)) != (a == b), f"{a} equals {b}, unknown")
            wrong = z3.Not(formula(same(chosen, lift(type_, a if which else b))))
            _never(solver, wrong, f"one of {a} and {b}")


def _is_possible(truth: Any) -> bool:
    return z3.Solver().check(formula(truth)) == z3.sat


def _never(solver: z3.Solver, wrong: z3.BoolRef, what: str) -> None:
    _agree(z3.unsat, solver.check(wrong), what)


def _empty() -> z3.ModelRef:
    """Values of nothing: what is known needs none."""
    solver = z3.Solver()
    solver.check()
    return solver.model()


def _fits(target: Type, source: Type) -> None:
    """What is wrong with a value, if anything, is noted."""
    system = System(model("state\n  v\n    x: bool = true\naction a\n  v.x := v.x"))
    any_ = unknown(source, "any")
    for value in values_of(source):
        right = misfit(target, value)
        for given, fixed in ((lift(source, value), True), (any_, same(any_, lift(source, value)))):
            frame, solver = system.frame([]), z3.Solver()
            judge(target, given, source, frame)
            solver.add(formula(fixed))
            assert solver.check() == z3.sat
            there = Decoder(solver.model())
            failed: dict[ErrorKind, Any] = frame.reach.failed
            kinds = [kind for kind, condition in failed.items() if there.truth(condition)]
            _agree([] if right is None else [right[0]], kinds, f"{value} as {target}")
