"""Questions to the solver: in parallel, each within its time, each from a fresh start.

A question is asked in a context of its own, so that answers do not depend on
what was asked before or beside it. One that is not answered is asked again, in
other ways and with another seed: an answer often needs a fresh start rather than
more time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import z3
from attrs import frozen

from modelcheck.prove.algebra import Expr, formula


@frozen
class Settings:
    """
    seconds      for each question; None for no limit
    threads      how many questions are asked at a time
    certificate  a directory for the questions, as SMT-LIB 2 files
    """

    seconds: float | None = 20.0
    threads: int = 1
    seed: int = 0
    certificate: Path | None = None


@frozen(eq=False)
class Question:
    """Whether nothing satisfies all assertions.

    about, name, line  as in `core.proof.Query`
    """

    about: str
    name: str
    line: int
    assertions: tuple[Any, ...]

    def text(self) -> str:
        """The question in SMT-LIB 2."""
        solver = z3.Solver()
        solver.add(*self.assertions)
        text: str = solver.to_smt2()
        return text


@frozen
class Answer:
    """
    status  "unsat": nothing satisfies the assertions
    sizes   of "sat": how many members the solver's example gives each sort of any size
    """

    status: Literal["unsat", "sat", "unknown"]
    seconds: float
    reason: str | None = None
    sizes: tuple[tuple[str, int], ...] = ()


def question(about: str, name: str, line: int, assertions: Sequence[Expr]) -> Question:
    """The question whether the assertions contradict one another."""
    return Question(about, name, line, tuple(formula(each) for each in assertions))


# Ways to ask, and the share of the time that each gets.
_WAYS: tuple[tuple[float, dict[str, Any]], ...] = (
    (0.15, {}),
    (0.15, {"auto_config": False, "mbqi": False}),
    (0.2, {"random_seed": 17}),
    (0.2, {"auto_config": False, "mbqi": False, "random_seed": 5, "phase_selection": 0}),
    (0.3, {"random_seed": 101, "phase_selection": 5}),
)


class Incremental:
    """A solver that is asked several things, in a context of its own.

    What it finds does not depend on what else has been made in this process: the example it
    shows of several, and the assumptions that it says contradict, go by its context's history.
    """

    def __init__(self, settings: Settings, simple: bool = False) -> None:
        self._context = z3.Context()
        make = z3.SimpleSolver if simple else z3.Solver
        self._solver = make(ctx=self._context)
        self._solver.set("random_seed", settings.seed)
        self._assumed: dict[int, Any] = {}
        self.limit(settings.seconds)

    def limit(self, seconds: float | None) -> None:
        """Give up a question after so many seconds."""
        if seconds is not None:
            self._solver.set("timeout", max(1, int(1000 * seconds)))

    def add(self, *assertions: Any) -> None:
        """Assert formulas."""
        self._solver.add(*(each.translate(self._context) for each in assertions))

    def push(self) -> None:
        """What is asserted from here on is taken back by `pop`."""
        self._solver.push()

    def pop(self) -> None:
        """Take back what was asserted since `push`."""
        self._solver.pop()

    def check(self, *assumptions: Any) -> Any:
        """z3.sat, z3.unsat or z3.unknown, under the assumptions."""
        copies = [(each.translate(self._context), each) for each in assumptions]
        self._assumed = {copy.get_id(): each for copy, each in copies}
        return self._solver.check(*(copy for copy, _ in copies))

    def core(self) -> list[Any]:
        """After z3.unsat: assumptions that contradict what is asserted."""
        return [self._assumed[each.get_id()] for each in self._solver.unsat_core()]

    def model(self) -> z3.ModelRef:
        """After z3.sat: an example."""
        return self._solver.model().translate(z3.main_ctx())


_COPYING = Lock()
"""The context that terms are made in is not for two threads."""


def ask(asked: Question, settings: Settings) -> Answer:
    """The answer, or "unknown" when the time is up."""
    started, reason = time.monotonic(), "no way to ask it was tried"
    for share, options in _WAYS:
        context = z3.Context()
        solver = z3.Solver(ctx=context)
        if settings.seconds is not None:
            solver.set("timeout", max(1, int(1000 * share * settings.seconds)))
        solver.set("random_seed", settings.seed + options.get("random_seed", 0))
        for name, value in options.items():
            if name != "random_seed":
                solver.set(name, value)
        with _COPYING:
            copies = [assertion.translate(context) for assertion in asked.assertions]
        solver.add(*copies)
        status = solver.check()
        seconds = time.monotonic() - started
        if status == z3.unsat:
            return Answer("unsat", seconds)
        if status == z3.sat:
            return Answer("sat", seconds, sizes=_sizes(solver.model()))
        reason = solver.reason_unknown()
    return Answer("unknown", time.monotonic() - started, words(reason))


def _sizes(solution: z3.ModelRef) -> tuple[tuple[str, int], ...]:
    return tuple((sort.name(), len(solution.get_universe(sort) or ())) for sort in solution.sorts())


def words(reason: str) -> str:
    """Why the solver does not know, as a clause."""
    if "timeout" in reason or "canceled" in reason:
        return "the time was up"
    if "incomplete" in reason:
        return "outside the fragment that the solver decides"
    return reason


def ask_all(
    questions: Sequence[Question],
    settings: Settings,
    told: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Question, Answer]]:
    """Every question with its answer, in order.

    told  called with how many are answered, of how many
    """
    if settings.threads <= 1 or len(questions) <= 1:
        for number, each in enumerate(questions):
            yield each, ask(each, settings)
            if told is not None:
                told(number + 1, len(questions))
        return
    with ThreadPoolExecutor(settings.threads) as pool:
        futures = [pool.submit(ask, each, settings) for each in questions]
        for number, (each, future) in enumerate(zip(questions, futures, strict=True)):
            yield each, future.result()
            if told is not None:
                told(number + 1, len(questions))
