"""Joins the solver and the search: what a counterexample to induction means.

The solver says that goals and lemmas allow a state from which a step breaks one
of them. Whether the protocol ever gets there is for the search to say, in the
same finite instance. It also says whether the goals are false, which no choice of
lemmas would mend.

Everything that the solver shows is replayed by the referee: the two must agree on
the step and on what it breaks, or there is a bug of ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from attrs import evolve

from modelcheck import engines
from modelcheck.core.constant import constant
from modelcheck.core.frame import Failed, Frame
from modelcheck.core.limits import Limits
from modelcheck.core.model import (
    Check,
    ExpectProperty,
    Invariant,
    Model,
    Property,
    Reachable,
    StepProperty,
)
from modelcheck.core.outcome import Found, Outcome, Verdict
from modelcheck.core.proof import (
    Argument,
    Concluded,
    Counterexample,
    Instances,
    Proof,
    Proved,
    Reach,
    Standing,
)
from modelcheck.core.safety import step_frame
from modelcheck.core.search import explore
from modelcheck.core.semantics import Instance, Semantics
from modelcheck.core.terms import And, Equal, Lookup, Read, Term
from modelcheck.core.trace import Step, Trace
from modelcheck.core.types import Map, Type
from modelcheck.core.values import State, Value, values_of
from modelcheck.explore.engine import Settings as Threads
from modelcheck.prove import engine
from modelcheck.prove.certificate import Certificate
from modelcheck.prove.pdr import judge_pdr
from modelcheck.prove.scope import LARGEST, Example, scopes
from modelcheck.prove.solver import Settings
from modelcheck.prove.suggesting import Seen, suggest

FIRST = "the first state"
"""The name of the claim that a state is reached."""

MINED_FROM = 10_000
"""Lemmas are mined from so many states at most."""

LIMITS = Limits(states=500_000, seconds=10.0)
"""Of a search in an instance. What it leaves open is told as such."""


class Disagreement(Exception):
    """The solver shows what the referee does not confirm: a bug of ours."""


def prove(
    proof: Proof,
    instances: Instances,
    settings: Settings,
    told: Callable[[int, int], None] | None = None,
) -> Proved:
    """What comes of a proof.

    told  called with how many questions of an argument are answered, and how many there are

    Raises Disagreement if solver and referee do not agree, and OSError where a certificate is
    wanted and cannot be written.
    """
    started = time.monotonic()
    certificate = None
    if settings.certificate is not None:
        certificate = Certificate(settings.certificate / proof.name, proof.name)
    alive = engine.alive(proof, instances, settings, certificate)
    known: tuple[Invariant, ...] = ()
    concluded: list[Concluded] = []
    for argument in proof.arguments:
        judged = _judge(proof, argument, known, instances, settings, certificate, told)
        each = _conclude(proof, argument, judged, instances, settings)
        if each.counterexample is not None and judged.example is not None:
            each = _with_suggestion(proof, each, judged.example, known, instances, settings)
        concluded.append(each)
        if each.standing is Standing.PROVED:
            known = _with(known, (*argument.goals, *argument.lemmas))
    if certificate is not None:
        certificate.close()
    return Proved(proof, tuple(concluded), alive, time.monotonic() - started)


def _judge(
    proof: Proof,
    argument: Argument,
    known: tuple[Invariant, ...],
    instances: Instances,
    settings: Settings,
    certificate: Certificate | None,
    told: Callable[[int, int], None] | None,
) -> engine.Judged:
    """What the solver says of an argument."""
    if argument.method == "pdr":
        return judge_pdr(proof, argument, known, instances, settings, reachable, told)
    return engine.judge(proof, argument, known, instances, settings, certificate, told)


def reachable(proof: Proof) -> Sequence[State]:
    """States that an instance reaches: the nearest ones, if they are many."""
    run = explore(Semantics(proof.model), Limits(states=MINED_FROM), lambda _: False)
    return run.graph.states


def _with(known: tuple[Invariant, ...], proved: Iterable[Property]) -> tuple[Invariant, ...]:
    new = (each for each in proved if isinstance(each, Invariant) and each not in known)
    return (*known, *new)


def _conclude(
    proof: Proof,
    argument: Argument,
    judged: engine.Judged,
    instances: Instances,
    settings: Settings,
) -> Concluded:
    result = Concluded(argument, Standing.PROVED, judged.queries, None, judged.found, judged.scope)
    if judged.proved and judged.scope is None:
        return result
    if judged.proved and judged.scope is not None:
        # The proof says more than that, and so it is not proved.
        shown = ", ".join(f"{name} = {size}" for name, size in judged.scope)
        return evolve(result, standing=Standing.UNKNOWN, reason=f"it is proved for {shown} only")
    # A goal that is false needs no other explanation; a lemma that is false explains the rest.
    goals, lemmas = ([each.name for each in some] for some in (argument.goals, argument.lemmas))
    violated = _violated(proof, goals, instances, settings)
    counterexample = None
    if violated is None and judged.example is not None:
        counterexample = _classified(proof, judged.example, settings)
        violated = counterexample if counterexample.reach is Reach.REACHABLE else None
    violated = violated or _violated(proof, lemmas, instances, settings)
    if violated is not None:
        return evolve(result, standing=Standing.VIOLATED, counterexample=violated)
    if counterexample is None:
        return evolve(result, standing=Standing.UNKNOWN, reason=judged.unknown)
    return evolve(result, standing=Standing.NOT_INDUCTIVE, counterexample=counterexample)


def _with_suggestion(
    proof: Proof,
    each: Concluded,
    example: Example,
    known: tuple[Invariant, ...],
    instances: Instances,
    settings: Settings,
) -> Concluded:
    """With a lemma that would help, where one is missing and the file's atoms give one."""
    found = each.counterexample
    if found is None or found.reach is not Reach.NOT_IN_SCOPE:
        return each
    seen = [Seen(dict(example.sizes), example.proof, reachable(example.proof))]
    # What is true in one instance may be an accident of its size.
    sizes = {name: size for name, size in example.sizes if name not in proof.truths}
    size = 1 + max(sizes.values(), default=LARGEST)
    if size <= LARGEST:
        larger = {**dict(example.sizes), **dict.fromkeys(sizes, size)}
        instance = instances(larger)
        if instance is not None:
            seen.append(Seen(larger, instance, reachable(instance)))
    suggestion = suggest(proof, each.argument, known, example, seen, settings)
    return evolve(each, counterexample=evolve(found, suggestion=suggestion))


# --- a counterexample to induction -----------------------------------------------------


def _classified(proof: Proof, example: Example, settings: Settings) -> Counterexample:
    model = example.proof.model
    semantics = Semantics(model)
    trace = _replayed(semantics, example)
    initial = example.action is None
    reach, witness = Reach.REACHABLE, None
    if not initial:
        reach, way = _reached(model, example.states[0], settings)
        if way is not None:
            witness = Trace((*way.states, *trace.states[1:]), (*way.steps, *trace.steps))
    return Counterexample(
        proof.shown(dict(example.sizes)),
        model,
        trace,
        example.name,
        example.line,
        initial,
        reach,
        witness,
    )


def _replayed(semantics: Semantics, example: Example) -> Trace:
    """The example as a trace of the referee's, which must break the line as the solver says."""
    states, steps = list(example.states), []
    if example.action is None and not _is_initial(semantics, states[0]):
        raise Disagreement("a state is initial for the solver only")
    for before, after in pairwise(states):
        steps.append(_step(_some_instance(semantics, before, after)))
    last: Instance | None = None
    if example.action is not None:
        last = _instance(semantics, example)
        assert last.after is not None
        states.append(last.after)
        steps.append(_step(last))
    each = semantics.model.property(example.name)
    if _holds(semantics, each, states, last, example.line):
        raise Disagreement(f"`{example.name}` is broken for the solver only")
    return Trace(tuple(states), tuple(steps))


def _is_initial(semantics: Semantics, state: State) -> bool:
    return any(s == state and failure is None for s, failure in semantics.initial_states())


def _step(instance: Instance) -> Step:
    return Step(instance.action, instance.arguments, instance.process, instance.result)


def _some_instance(semantics: Semantics, before: State, after: State) -> Instance:
    for each in semantics.successors(before):
        if each.after == after:
            return each
    raise Disagreement("a step is possible for the solver only")


def _instance(semantics: Semantics, example: Example) -> Instance:
    for each in semantics.successors(example.states[-1]):
        if each.action.name == example.action and each.arguments == example.arguments:
            if each.after == example.after:
                return each
            raise Disagreement(f"`{example.action}` leads elsewhere for the solver")
    raise Disagreement(f"`{example.action}` is possible for the solver only")


def _holds(
    semantics: Semantics,
    each: Property,
    states: Sequence[State],
    last: Instance | None,
    line: int,
) -> bool:
    """Whether the lines up to this one hold, in the last state or of the last step."""
    if isinstance(each, Invariant):
        return _true(semantics, each.parts[: line + 1], Frame(states[-1], {}))
    assert isinstance(each, StepProperty) and last is not None and last.after is not None
    edge: Any = last  # it has the arguments and the result that a frame asks for
    events = (None,) if each.events is None else each.events
    return all(
        _true(semantics, each.parts[: line + 1], step_frame(states[-2], edge, last.after, event))
        for event in events
        if event is None or event.action == last.action.name
    )


def _true(semantics: Semantics, parts: Sequence[Term], frame: Frame) -> bool:
    try:
        return all(semantics.meanings.of(part)(frame) for part in parts)
    except Failed:
        return False


# --- the search's word -------------------------------------------------------------------


def _reached(model: Model, state: State, settings: Settings) -> tuple[Reach, Trace | None]:
    """Whether the state is reached, and how."""
    term = is_state(model, state)
    if term is None:
        return Reach.UNKNOWN, None
    claim = Reachable(FIRST, (term,))
    outcome = _searched(model, (claim,), (ExpectProperty(FIRST, "holds"),), settings)
    found = outcome[FIRST]
    if found.verdict is Verdict.HOLDS and found.trace is not None:
        # Budgets of faults are part of a state, and no term reads them.
        exact = found.trace.states[-1] == state
        return (Reach.REACHABLE, found.trace) if exact else (Reach.UNKNOWN, None)
    return (Reach.NOT_IN_SCOPE if outcome.complete else Reach.UNKNOWN), None


def _violated(
    proof: Proof, names: Sequence[str], instances: Instances, settings: Settings
) -> Counterexample | None:
    """A run that breaks one of the properties, in one of the smallest instances."""
    for sizes, instance in scopes(proof, instances):
        claims = tuple(instance.model.property(name) for name in names)
        expectations = tuple(ExpectProperty(name, "holds") for name in names)
        outcome = _searched(instance.model, claims, expectations, settings)
        for each in outcome.found:
            if each.verdict is Verdict.FAILS and each.name in names:
                assert each.trace is not None
                shown = proof.shown(sizes)
                line = _line(instance.model.property(each.name), each)
                return Counterexample(
                    shown, instance.model, each.trace, each.name, line, True, Reach.REACHABLE
                )
        if not outcome.complete:
            return None
    return None


def _line(each: Property, found: Found) -> int:
    assert isinstance(each, Invariant | StepProperty)
    return next((i for i, part in enumerate(each.parts) if part is found.part), 0)


def _searched(
    model: Model,
    claims: tuple[Property, ...],
    expectations: tuple[ExpectProperty, ...],
    settings: Settings,
) -> Outcome:
    check = Check("scope", evolve(model, properties=claims, history=None), expectations)
    return engines.native(check, LIMITS, Threads(settings.threads, False, False))


def is_state(model: Model, state: State) -> Term | None:
    """What is true in this state only, budgets apart; None where no term says so."""
    parts: list[Term | None] = []
    for variable in model.variables:
        value: Any = state[variable.position]
        key = variable.owner.key
        if key is None:
            parts += _equals(Read(variable, None, type=variable.type), variable.type, value)
            continue
        for member, entry in zip(values_of(key), value, strict=True):
            index = constant(key, member)
            if index is None:
                return None
            read = Read(variable, index, type=variable.type)
            parts += _equals(read, variable.type, entry)
    known = tuple(each for each in parts if each is not None)
    return And(known) if len(known) == len(parts) else None


def _equals(term: Term, type_: Type, value: Value) -> Iterator[Term | None]:
    if isinstance(type_, Map):
        assert isinstance(value, tuple)
        for key, entry in zip(values_of(type_.key), value, strict=True):
            index = constant(type_.key, key)
            if index is None:
                yield None
            else:
                yield from _equals(Lookup(term, index, type=type_.value), type_.value, entry)
        return
    written = constant(type_, value)
    yield None if written is None else Equal(term, written)
