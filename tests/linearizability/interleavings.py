"""Whether a history is sequentially consistent, by trying every interleaving of its callers.

After Lamport, "How to make a multiprocessor computer that correctly executes
multiprocess programs", 1979: one order of all operations in which those of each
caller come as it called them. What was abandoned or has not returned may be left
out; nothing of its caller has to wait for it. Shares no code with the tool;
exponential, and meant to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define

from .wing_gong import Event, Run


@define
class _Called:
    operation: str
    arguments: tuple[Any, ...]
    returned: bool = False
    answer: Any = None


def is_sequentially_consistent(history: Iterable[Event], run: Run, first: Any) -> bool:
    """Whether all that returned, and any of the rest, can be put in one order."""
    programs: dict[int, list[_Called]] = {}
    for event in history:
        if event.kind == "call":
            programs.setdefault(event.caller, []).append(_Called(event.operation, event.arguments))
        elif event.kind == "return":
            last = programs[event.caller][-1]
            last.returned, last.answer = True, event.answer
    operations = [tuple(each) for each in programs.values()]
    return _interleave(operations, tuple(0 for _ in operations), (), run, first, set())


def _interleave(
    programs: Sequence[tuple[_Called, ...]],
    reached: tuple[int, ...],
    spare: tuple[tuple[int, int], ...],
    run: Run,
    state: Any,
    tried: set[Any],
) -> bool:
    """`reached`: how far each caller is; `spare`: what it left out on the way."""
    key = (reached, spare, repr(state))
    if key in tried:
        return False
    tried.add(key)
    if all(
        not any(each.returned for each in program[at:])
        for program, at in zip(programs, reached, strict=True)
    ):
        return True
    for caller, (program, at) in enumerate(zip(programs, reached, strict=True)):
        if at == len(program):
            continue
        further = (*reached[:caller], at + 1, *reached[caller + 1 :])
        if not program[at].returned:
            left_out = tuple(sorted([*spare, (caller, at)]))
            if _interleave(programs, further, left_out, run, state, tried):
                return True
            continue  # taken from there
        done = run(program[at].operation, program[at].arguments, state)
        if done is None or done[0] != program[at].answer:
            continue
        if _interleave(programs, further, spare, run, done[1], tried):
            return True
    for caller, at in spare:
        done = run(programs[caller][at].operation, programs[caller][at].arguments, state)
        if done is not None:
            rest = tuple(each for each in spare if each != (caller, at))
            if _interleave(programs, reached, rest, run, done[1], tried):
                return True
    return False
