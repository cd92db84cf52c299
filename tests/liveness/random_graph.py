"""Random small transition graphs with fairness, as plain data and as models."""

from __future__ import annotations

import random

from attrs import frozen
from semantics.build import Building, binder, both, eq, lit, name, put, read, to, when

from modelcheck.core.model import Liveness, Model, Obligation
from modelcheck.core.terms import If, Or, Term
from modelcheck.core.types import INT, Range

CHOICES = (0, 1)


@frozen
class Kind:
    """An action: its fairness ("weak", "strong", None), or a fault with or without bound."""

    fair: str | None
    per: tuple[int, ...]
    fault: bool
    at_most: int | None


@frozen
class RandomGraph:
    """moves[a][source, x, y] is where action a with arguments x, y leads."""

    size: int
    initial: tuple[int, ...]
    kinds: tuple[Kind, ...]
    moves: tuple[dict[tuple[int, int, int], int], ...]


@frozen
class Formula:
    """premise[k], goal[k]: sets of states, for each value k of the binder; one k: no binder."""

    kind: str
    premise: tuple[frozenset[int], ...]
    goal: tuple[frozenset[int], ...]


def random_graph(chance: random.Random) -> RandomGraph:
    size = chance.randint(2, 5)
    kinds, moves = [], []
    for _ in range(chance.randint(1, 4)):
        fault = chance.random() < 0.25
        fair = None if fault else chance.choice(["weak", "weak", "strong", "strong", None])
        per = chance.choice([(), (0,), (1,), (0, 1)])
        bound = chance.choice([None, 1]) if fault else None
        kinds.append(Kind(fair, per, fault, bound))
        keys = [(s, x, y) for s in range(size) for x in CHOICES for y in CHOICES]
        chosen = chance.sample(keys, chance.randint(1, min(len(keys), size + 3)))
        moves.append({key: chance.randrange(size) for key in sorted(chosen)})
    initial = tuple(sorted(chance.sample(range(size), chance.randint(1, 2))))
    return RandomGraph(size, initial, tuple(kinds), tuple(moves))


def random_formula(chance: random.Random, size: int) -> Formula:
    kind = chance.choice(["leads to", "always eventually", "eventually", "eventually always"])

    def some(low: int, high: int) -> frozenset[int]:
        return frozenset(chance.sample(range(size), chance.randint(low, high)))

    binders = chance.choice([1, 1, 2])
    goals = tuple(some(1, size - 1) for _ in range(binders))
    return Formula(kind, tuple(some(1, size) for _ in range(binders)), goals)


def model_of(graph: RandomGraph, formulas: list[Formula]) -> Model:
    b = Building("Random")
    everywhere = Range(0, graph.size - 1)
    s = b.variable(b.owner("s"), "at", everywhere, choice=to(0, graph.size - 1))
    x, y = name("x"), name("y")
    header = (binder("x", to(0, 1)), binder("y", to(0, 1)))
    for number, (kind, moves) in enumerate(zip(graph.kinds, graph.moves, strict=True)):
        cases = [
            (both(eq(read(s), at), eq(x, i), eq(y, j)), target)
            for (at, i, j), target in moves.items()
        ]
        after: Term = read(s)
        for condition, target in cases:
            after = If(condition, lit(target), after, type=INT)
        b.action(
            f"a{number}", when(Or(tuple(c for c, _ in cases))), put(s, after),
            choose=header, fair=kind.fair, per=kind.per, fault=kind.fault, at_most=kind.at_most,
        )  # fmt: skip
    first = Or(tuple(eq(read(s), number) for number in graph.initial))
    return b.model(*(_property(i, f, s) for i, f in enumerate(formulas)), init=(first,))


def _property(number: int, formula: Formula, s) -> Liveness:
    bound = len(formula.goal) > 1
    binders = (binder("k", to(0, len(formula.goal) - 1)),) if bound else ()

    def inside(sets: tuple[frozenset[int], ...]) -> Term:
        return Or(
            tuple(
                both(eq(read(s), at), eq(name("k"), k)) if bound else eq(read(s), at)
                for k, members in enumerate(sets)
                for at in sorted(members)
            )
        )

    premise = inside(formula.premise) if formula.kind == "leads to" else None
    obligation = Obligation(formula.kind, binders, premise, inside(formula.goal))
    return Liveness(f"P{number}", (obligation,))
