"""`by pdr`: the strengthening is found, not given.

For sorts and numbers of any size: clauses that the reachable states of a small instance
satisfy are candidates; those that the goals need are picked in that instance, and then
asked about for any size. A counterexample that only a larger instance has brings in more
candidates, which it contradicts, or drops what it breaks. What no mined clause proves for
any size may still hold in the small instance: with the clauses, or as Spacer says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import Factory, define, evolve

from modelcheck.core.model import Invariant
from modelcheck.core.proof import Argument, Instances, Proof, Query
from modelcheck.core.values import State
from modelcheck.prove.algebra import some
from modelcheck.prove.engine import Judged
from modelcheck.prove.houdini import Break, Relative, TimeUp, failing, remaining
from modelcheck.prove.induction import INITIAL, Induction
from modelcheck.prove.mining import Candidates, Clause, Instance, mine
from modelcheck.prove.scope import Example, example, in_instance, sizable
from modelcheck.prove.solver import Question, Settings, ask, question
from modelcheck.prove.spacer import spacer
from modelcheck.prove.symbols import Unsupported
from modelcheck.prove.wording import declaration

Reachable: TypeAlias = Callable[[Proof], Sequence[State]]
"""Reachable states of an instance: all of them, or some of different depths."""

SCOPE = 2
"""Clauses are mined in an instance of this size. None of them speaks of majorities."""

LARGER = 3
"""Candidates must also hold in the reachable states of an instance of this size."""

_MOST_LARGER_STATES = 400
_MOST_ROUNDS = 40
_QUICK = 3.0

SECONDS = 60.0
"""For lemmas to be found; then Spacer is asked."""


def judge_pdr(
    proof: Proof,
    argument: Argument,
    known: tuple[Invariant, ...],
    instances: Instances,
    settings: Settings,
    reachable: Reachable | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Judged:
    """What comes of an argument by pdr.

    reachable  gives the states that clauses are mined from; without it only Spacer is asked
    told       called with how many candidates are left, of how many
    """
    search = _Search(proof, argument, known, instances, settings, told)
    sizes, instance = search.small()
    if instance is None:
        return Judged(argument, (), unknown="the file has no instance to begin with")
    scope = proof.shown(sizes)
    partial: Judged | None = None
    if reachable is not None:
        for wide in (False, True):
            try:
                found = search.mined(sizes, instance, reachable, wide)
            except (TimeUp, Unsupported):
                continue
            if found is not None and found.proved and found.scope is None:
                return found
            partial = partial or found
    if partial is not None:
        return partial
    word = spacer(instance, in_instance(argument, instance), search.here(instance), settings)
    if word == "proved":
        return Judged(argument, (), scope=scope or None)
    return Judged(argument, (), unknown=_why(word, scope))


def _why(word: str, scope: tuple[tuple[str, str], ...]) -> str:
    if word == "violated":
        return "a run in a small instance contradicts a goal"
    shown = ", ".join(f"{name} = {size}" for name, size in scope) or "the instance"
    return f"no lemmas were found that prove it, and Spacer does not know about {shown}"


@define(eq=False)
class _Search:
    proof: Proof
    argument: Argument
    known: tuple[Invariant, ...]
    instances: Instances
    settings: Settings
    told: Callable[[int, int], None] | None = None
    ends: float = Factory(lambda: time.monotonic() + SECONDS)

    def of_size(self, size: int) -> tuple[dict[str, int], Proof | None]:
        """The instance in which everything has this size, and every truth value is true."""
        truths = self.proof.truths
        sizes = {name: 1 if name in truths else size for name in sizable(self.proof)}
        return sizes, self.instances(sizes)

    def small(self) -> tuple[dict[str, int], Proof | None]:
        """The instance that the search begins with."""
        sizes, instance = self.of_size(SCOPE)
        return (sizes, instance) if instance is not None else self.of_size(1)

    def here(self, instance: Proof) -> tuple[Invariant, ...]:
        """What is known, of the instance."""
        named = (instance.model.property(each.name) for each in self.known)
        return tuple(each for each in named if isinstance(each, Invariant))

    def mined(
        self, sizes: dict[str, int], instance: Proof, reachable: Reachable, wide: bool
    ) -> Judged | None:
        """The proof by mined clauses, for any size or for this one; None if there is none."""
        candidates = mine(self.proof, instance, sizes, reachable(instance), wide)
        clauses = list(candidates.clauses)
        larger_sizes, larger = self.of_size(LARGER)
        if sizes and larger is not None:
            clauses = _holding(self.proof, candidates, larger_sizes, larger, reachable, clauses)
        small = Instance(self.proof, instance, sizes, candidates.shapes)
        here = in_instance(self.argument, instance)
        relative = Relative(small, candidates, here, self.here(instance), self.settings)
        number = len(clauses)

        def left(count: int) -> None:
            if self.told is not None:
                self.told(count, number)

        relative.begin(clauses)
        if isinstance(relative.needed(left), Break):
            return None
        scope = self.proof.shown(sizes)
        if scope:
            judged = _Check(self, candidates, relative, self.proof, self.instances, False).judged()
            if judged is not None:
                return judged
            relative.roots = []
        alone = evolve(instance, general=())
        finite = _Check(self, candidates, relative, alone, lambda sizes: alone, True).judged()
        return None if finite is None else evolve(finite, scope=scope or None)


def _holding(
    proof: Proof,
    candidates: Candidates,
    sizes: dict[str, int],
    larger: Proof,
    reachable: Reachable,
    clauses: list[Clause],
) -> list[Clause]:
    """The clauses that hold in reachable states of a larger instance."""
    instance = Instance(proof, larger, sizes, candidates.shapes)
    states = reachable(larger)
    for state in states[:: max(1, len(states) // _MOST_LARGER_STATES)]:
        clauses = remaining(instance, state, clauses)
    return clauses


@define(eq=False)
class _Check:
    """Whether the chosen clauses and the goals are inductive, in the instance or for any size.

    proof      open, or the instance; `instances` are its own
    relative   where clauses are chosen
    names      of the clauses that were chosen at some time
    answered   what needs no further question, as long as no clause is taken back
    """

    search: _Search
    candidates: Candidates
    relative: Relative
    proof: Proof
    instances: Instances
    strict: bool
    names: dict[Clause, str] = Factory(dict)
    answered: dict[tuple[str, str, int], Query] = Factory(dict)

    def judged(self) -> Judged | None:
        """The proof, if there is one."""
        for _ in range(_MOST_ROUNDS):
            try:
                chosen = self.relative.needed()
            except TimeUp:
                return None
            if isinstance(chosen, Break):
                return None
            for clause in chosen:
                self.names.setdefault(clause, f"Found{len(self.names) + 1}")
            wrong = self.counterexample(chosen)
            if wrong is None:
                return self.result(chosen)
            if wrong is False or not self.learn(wrong):
                return None
        return None

    def result(self, chosen: list[Clause]) -> Judged:
        """The clauses under names without gaps."""
        names = {self.names[each]: f"Found{i + 1}" for i, each in enumerate(chosen)}
        queries = tuple(
            evolve(each, name=names.get(each.name, each.name))
            for each in self.answered.values()
            if each.name in names or not each.name.startswith("Found")
        )
        found = tuple(
            declaration(f"Found{i + 1}", [self.candidates.term(each)])
            for i, each in enumerate(chosen)
        )
        return Judged(self.search.argument, queries, found=found)

    # --- questions ---

    def argument(self, proof: Proof, chosen: list[Clause]) -> Argument:
        """With the clauses as lemmas, each its own."""
        given = self.search.argument
        if proof is not self.search.proof:
            given = in_instance(given, proof)
        lemmas = tuple(self.lemma(each) for each in chosen)
        return evolve(given, lemmas=(*given.lemmas, *lemmas))

    def lemma(self, clause: Clause) -> Invariant:
        """Of the proof's model."""
        lemma = self.candidates.lemma(self.names[clause], [clause])
        if self.strict:
            lemma = self.relative.instance.translated(lemma)
        return lemma

    def extended(self, chosen: list[Clause]) -> Instances:
        """The instances, with the clauses among their properties."""
        lemmas = [self.candidates.lemma(self.names[each], [each]) for each in chosen]

        def instance(sizes: Mapping[str, int]) -> Proof | None:
            proof = self.instances(sizes)
            if proof is None:
                return None
            here = self.instance(proof, sizes)
            new = tuple(here.translated(each) for each in lemmas)
            model = evolve(proof.model, properties=(*proof.model.properties, *new))
            return evolve(proof, model=model)

        return instance

    def instance(self, proof: Proof, sizes: Mapping[str, int]) -> Instance:
        """Clauses in an instance of the proof."""
        if self.strict:
            return self.relative.instance
        return Instance(self.search.proof, proof, sizes, self.candidates.shapes)

    def counterexample(self, chosen: list[Clause]) -> Example | Literal[False] | None:
        """To one of the questions; False where one has no answer, None where all are answered."""
        proof, instances = self.proof, self.extended(chosen)
        if self.strict:
            extended = instances({})
            assert extended is not None
            proof = extended
            instances = lambda sizes: extended  # noqa: E731
        argument = self.argument(proof, chosen)
        known = self.search.here(proof) if self.strict else self.search.known
        induction = Induction(proof, argument, known, self.strict)
        settings = self.search.settings
        for asked in self.questions(induction):
            if time.monotonic() > self.search.ends:
                return False
            answer = ask(asked, evolve(settings, seconds=_least(settings.seconds, _QUICK)))
            if answer.status != "unsat":
                steps = 0 if asked.about == INITIAL else None
                about = (asked.about, asked.name, asked.line)
                found = example(proof, argument, known, about, instances, settings, steps)
                if found is not None:
                    return found
                answer = ask(asked, settings)
            if answer.status != "unsat":
                return False
            key = (asked.about, asked.name, asked.line)
            self.answered[key] = Query(*key, "proved", answer.seconds)
        return None

    def questions(self, induction: Induction) -> Iterator[Question]:
        """Those that have no answer yet. What one action's have in common is made once."""
        for asked in induction.base_questions(0):
            if (asked.about, asked.name, asked.line) not in self.answered:
                yield asked
        for action in self.proof.model.actions:
            system, state, assertions = induction.start()
            induction.suppose(system, state, assertions)
            steps = list(system.steps_of(action, state))
            for each in induction.judged:
                for line in range(len(each.parts)):
                    if (action.name, each.name, line) in self.answered:
                        continue
                    fails = some(
                        induction.breaks(system, each, line, step, state) for step in steps
                    )
                    if fails is not False:
                        facts = system.space.facts()
                        all_ = [*assertions, fails, *facts]
                        yield question(action.name, each.name, line, all_)

    # --- what a counterexample teaches ---

    def learn(self, wrong: Example) -> bool:
        """Want a candidate that excludes it, or drop what it breaks; False if neither helps."""
        here = self.instance(wrong.proof, dict(wrong.sizes))
        before = wrong.states[0]
        if wrong.action is not None:
            false = next((c for c, _ in failing(here, before, self.relative.alive)), None)
            if false is not None:
                self.relative.roots.append(false)
                return True
        after = before if wrong.after is None else wrong.after
        left = remaining(here, after, self.relative.alive)
        if len(left) == len(self.relative.alive):
            return False
        self.relative.keep(left)
        self.answered.clear()
        return True


def _least(limit: float | None, seconds: float) -> float:
    return seconds if limit is None else min(limit, seconds)
