"""Counterexamples in finite instances, the smallest first.

The solver's own example of a formula with quantifiers is hard to read, and where
it finds none it may look for ever. In a finite instance everything is a finite
table, an example is found or ruled out, and it is one that the search can look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import z3
from attrs import evolve, frozen

from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument, Goal, Instances, Proof
from modelcheck.core.types import Type
from modelcheck.core.values import State, Value
from modelcheck.prove.algebra import at_most, choose, formula, total
from modelcheck.prove.decode import Decoder
from modelcheck.prove.induction import Induction, Situation
from modelcheck.prove.solver import Incremental, Settings
from modelcheck.prove.symbols import Counts, Entries, Members, Slots, Sym, Tagged, Unsupported

LARGEST = 3
"""Sorts and numbers are tried up to this size together."""

_MEMBERS = 4
"""Sorts of so many members are tried last, with small numbers: two of four is no majority."""

_SECONDS_TO_SHRINK = 5.0


@frozen
class Example:
    """A counterexample in a finite instance.

    sizes   of what the proof generalises
    proof   the instance
    states  before the step, k of them; or a run from an initial state, if `action` is None
    action  whose step breaks the line, with its arguments
    """

    sizes: tuple[tuple[str, int], ...]
    proof: Proof
    name: str
    line: int
    states: tuple[State, ...]
    action: str | None
    arguments: tuple[Value, ...] = ()
    after: State | None = None


def sizable(proof: Proof) -> tuple[str, ...]:
    """What an instance gives a size or value: not the sets and maps, which are variables."""
    fixed = {proof.model.variables[position].name for position in proof.fixed}
    return tuple(name for name in proof.general if name not in fixed)


def scopes(
    proof: Proof, instances: Instances, largest: int | None = None
) -> Iterator[tuple[dict[str, int], Proof]]:
    """Finite instances, growing.

    largest  the size of everything in the last one; None for what is worth trying
    """
    names = [name for name in sizable(proof) if name not in proof.truths]
    sizes = [dict.fromkeys(names, size) for size in range(1, (largest or LARGEST) + 1)]
    if proof.sorts and largest is None:
        many = dict.fromkeys(proof.sorts, _MEMBERS)
        sizes += [{**dict.fromkeys(names, number), **many} for number in (1, 2)]
    for each in sizes if names else [{}]:
        for truths in product((1, 0), repeat=len(proof.truths)):
            chosen = {**each, **dict(zip(proof.truths, truths, strict=True))}
            instance = instances(chosen)
            if instance is not None:
                yield chosen, instance


def example(
    proof: Proof,
    argument: Argument,
    known: Sequence[Invariant],
    asked: tuple[str, str, int],
    instances: Instances,
    settings: Settings,
    steps: int | None = None,
) -> Example | None:
    """The smallest counterexample to one question, if a small instance has one.

    asked  what the question is about, the goal or lemma, its line
    steps  of a question about a run from an initial state: how many
    """
    for sizes, instance in scopes(proof, instances):
        found = _in_instance(sizes, instance, argument, known, asked, settings, steps)
        if found is not None:
            return _smaller(found, argument, known, asked, instances, settings, steps)
    return None


def _smaller(
    found: Example,
    argument: Argument,
    known: Sequence[Invariant],
    asked: tuple[str, str, int],
    instances: Instances,
    settings: Settings,
    steps: int | None,
) -> Example:
    """With every size by itself as small as it can be."""
    for name, size in found.sizes:
        for fewer in range(1, size):  # of a truth value there are none
            sizes = {**dict(found.sizes), name: fewer}
            instance = instances(sizes)
            if instance is None:
                continue
            again = _in_instance(sizes, instance, argument, known, asked, settings, steps)
            if again is not None:
                found = again
                break
    return found


def in_instance(argument: Argument, instance: Proof) -> Argument:
    """The argument as the instance has it."""
    return evolve(
        argument,
        goals=tuple(_named(instance, each.name) for each in argument.goals),
        lemmas=tuple(_invariant(instance, each.name) for each in argument.lemmas),
    )


def _named(instance: Proof, name: str) -> Goal:
    each = instance.model.property(name)
    assert isinstance(each, Goal)
    return each


def _invariant(instance: Proof, name: str) -> Invariant:
    each = instance.model.property(name)
    assert isinstance(each, Invariant)
    return each


def _in_instance(
    sizes: Mapping[str, int],
    instance: Proof,
    argument: Argument,
    known: Sequence[Invariant],
    asked: tuple[str, str, int],
    settings: Settings,
    steps: int | None,
) -> Example | None:
    about, name, line = asked
    here = in_instance(argument, instance)
    induction = Induction(
        instance, here, tuple(_invariant(instance, each.name) for each in known), strict=True
    )
    each = _named(instance, name)
    try:
        situation: Situation | None
        if steps is not None:
            assert isinstance(each, Invariant)
            situation = induction.base_situation(each, line, steps)
        else:
            action = next(a for a in instance.model.actions if a.name == about)
            situation = induction.situation(action, each, line)
    except Unsupported:
        return None
    solution = None if situation is None else _smallest(situation, settings)
    if situation is None or solution is None:
        return None
    decoder, model = Decoder(solution), instance.model
    states = tuple(decoder.state(model, state) for state in situation.states)
    found = Example(tuple(sizes.items()), instance, name, line, states, None)
    for condition, step in situation.ends:
        if decoder.truth(condition):
            types: list[Type] = [binder.type for binder in step.action.binders]
            arguments = tuple(
                decoder.value(t, a) for t, a in zip(types, step.arguments, strict=True)
            )
            after = decoder.state(model, step.after)
            return evolve(found, action=step.action.name, arguments=arguments, after=after)
    return found


def _smallest(situation: Situation, settings: Settings) -> z3.ModelRef | None:
    """An example with few elements and small numbers."""
    solver = Incremental(settings)
    solver.add(*situation.question.assertions)
    if solver.check() != z3.sat:
        return None
    solution = solver.model()
    weight = total(_weight(leaf) for state in situation.states for leaf in leaves(state))
    if isinstance(weight, int):
        return solution
    limit = solution.eval(weight, model_completion=True).as_long()
    solver.limit(_SECONDS_TO_SHRINK)
    lowest = 0
    while lowest < limit:
        half = (lowest + limit) // 2
        solver.push()
        solver.add(formula(at_most(weight, half)))
        if solver.check() == z3.sat:
            solution = solver.model()
            limit = solution.eval(weight, model_completion=True).as_long()
        else:
            lowest = half + 1
        solver.pop()
    return solution


def _weight(leaf: Any) -> Any:
    if z3.is_bool(leaf):
        return choose(leaf, 1, 0)
    return choose(leaf < 0, -leaf, leaf)


def leaves(state: Sequence[Sym]) -> Iterator[Any]:
    """The constants of the solver that a state of a finite instance is made of."""
    for sym in state:
        match sym:
            case Tagged(tag, forms):
                yield from leaves([tag])
                for fields in forms:
                    yield from leaves(fields or ())
            case Members() | Counts() | Entries():
                yield from leaves(list(sym.table.values()))
            case Slots(_, length, slots):
                yield from leaves([length, *slots])
            case bool() | int():
                pass
            case _:
                yield sym
