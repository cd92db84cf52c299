"""A proof, argument by argument."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve, frozen

from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument, Instances, Proof, Query
from modelcheck.prove.algebra import some
from modelcheck.prove.certificate import Certificate
from modelcheck.prove.induction import Induction, after
from modelcheck.prove.scope import Example, example, scopes
from modelcheck.prove.solver import Answer, Question, Settings, ask, ask_all, question
from modelcheck.prove.symbols import Unsupported
from modelcheck.prove.system import System

ALIVE = "the axioms hold and a step can be taken"

_QUICK = 3.0
"""Seconds for a question, before a small instance is looked at."""


@frozen
class Judged:
    """What the solver has to say of an argument.

    example  a counterexample in a finite instance; what it means is for the search to say
    unknown  why nothing is known, if something was not answered
    """

    argument: Argument
    queries: tuple[Query, ...]
    example: Example | None = None
    unknown: str | None = None
    found: tuple[str, ...] = ()
    scope: tuple[tuple[str, str], ...] | None = None

    @property
    def proved(self) -> bool:
        """Whether every question had the answer that proves the goals."""
        return self.example is None and self.unknown is None


def judge(
    proof: Proof,
    argument: Argument,
    known: tuple[Invariant, ...],
    instances: Instances,
    settings: Settings,
    certificate: Certificate | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Judged:
    """What comes of one argument by induction or k-induction.

    known        invariants that arguments before have proved
    certificate  takes the questions that were answered as the proof needs them
    told         called with how many questions are answered, of how many
    """
    lemmas = tuple(each for each in argument.lemmas if each not in known)
    induction = Induction(proof, evolve(argument, lemmas=lemmas), known)
    quick = evolve(settings, seconds=_least(settings.seconds, _QUICK))
    queries: list[Query] = []
    unknown: str | None = None
    try:
        for asked, answer in ask_all(list(induction.plain_questions()), quick):
            if answer.status == "unsat":
                queries.append(_query(asked, answer, "proved"))
                if certificate is not None:
                    certificate.add(asked, "unsat")
        questions = list(induction.questions({(each.name, each.line) for each in queries}))
    except Unsupported as unsupported:
        reason = f"the encoding has no formula for {unsupported.what}"
        return Judged(argument, (), unknown=reason)
    for asked, answer in ask_all(questions, quick, told):
        if answer.status != "unsat":
            found = _example(induction, asked, known, instances, settings)
            if found is not None:
                queries.append(_query(asked, answer, "counterexample"))
                return Judged(argument, tuple(queries), found)
            answer = ask(asked, settings)
        if answer.status == "unsat":
            queries.append(_query(asked, answer, "proved"))
            if certificate is not None:
                certificate.add(asked, "unsat")
            continue
        queries.append(_query(asked, answer, "unknown"))
        unknown = unknown or _why(queries[-1], answer)
    return Judged(argument, tuple(queries), unknown=unknown)


def _least(limit: float | None, seconds: float) -> float:
    return seconds if limit is None else min(limit, seconds)


def _query(asked: Question, answer: Answer, word: str) -> Query:
    reason = answer.reason if word == "unknown" else None
    return Query(asked.about, asked.name, asked.line, word, answer.seconds, reason)  # type: ignore[arg-type]


def _why(query: Query, answer: Answer) -> str:
    where = f"`{query.name}` and {query.about}"
    if answer.status == "sat":
        return f"the solver has a counterexample to {where}, and no small instance has one"
    return f"the solver does not know about {where}: {answer.reason}"


def _example(
    induction: Induction,
    asked: Question,
    known: tuple[Invariant, ...],
    instances: Instances,
    settings: Settings,
) -> Example | None:
    steps = next((k for k in range(induction.argument.k) if after(k) == asked.about), None)
    each = next(e for e in induction.judged if e.name == asked.name)
    if steps is not None and not isinstance(each, Invariant):
        return None
    about = (asked.about, asked.name, asked.line)
    return example(induction.proof, induction.argument, known, about, instances, settings, steps)


def alive(
    proof: Proof,
    instances: Instances,
    settings: Settings,
    certificate: Certificate | None = None,
) -> tuple[tuple[str, str], ...] | None:
    """The smallest instance in which the axioms hold and a step can be taken; None if none was."""
    for sizes, instance in scopes(proof, instances):
        system = System(instance.model)
        state = system.state("s")
        try:
            initial, _ = system.initial(state)
            steps = some(step.taken for step in system.steps(state))
        except Unsupported:
            continue
        asked = question(ALIVE, "", 0, (system.typed(state), initial, steps))
        if ask(asked, settings).status == "sat":
            if certificate is not None:
                certificate.add(asked, "sat")
            return proof.shown(sizes)
    return None
