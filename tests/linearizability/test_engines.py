"""The native engine follows histories as the referee does: states, steps, counts, traces."""

from __future__ import annotations

import pytest
from compile.agreement import compare

from modelcheck import api
from modelcheck.core import referee
from modelcheck.core.model import Check
from modelcheck.core.outcome import Found, Outcome
from modelcheck.core.trace import Trace
from modelcheck.source import Source

from .objects import OBJECTS, Object
from .texts import cell, shipped

# Values wider than a word, callers of two types, results of two, markers in loops and effects.
WIDE = """
protocol Wide

type Word = 0..4000000000
type Big = seq of Word up to {long}
type Colour = Red | Green | Blue
sort Node

object Store()
  state
    last: Big = []
    seen: set of Colour = {{}}
  operation put(b: Big, by: Colour): Colour?
    last := b
    seen += by
    returns if by in seen then by else none
  operation get(): Big
    returns last
  operation begin(c: Colour)
    when c not in seen
    seen += c

state
  disk
    last: Big = []
    open: set of Colour = {{}}
    wrong: bool = false
  each Node
    busy: bool = false

effect come(c: Colour)
  disk.open += c
  call store.begin(c) by c

action begin(cs in subset of Colour)
  when cs != {{}} and cs intersect disk.open == {{}}
  for c in cs
    come(c)

action ended(cs in subset of Colour)
  when cs != {{}} and cs subset disk.open and size(cs) < 3
  for c in cs
    disk.open -= c
    abandon c

action write(n in Node, w in {{1, 4000000000}})
  when not n.busy
  n.busy    := true
  disk.last := [each_{long} w]
  call store.put([each_{long} w], if w == 1 then Red else Green) by n

action written(n in Node, c in Colour)
  when n.busy
  n.busy := false
  return c by n

action unwritten(n in Node)
  when n.busy
  n.busy := false
  return none by n

action read(n in Node)
  when not n.busy
  call store.get() by n
  return disk.last by n

constraint size(disk.open) < 2

linearizable store: Store()

check only
  Node = 2
  expect store fails
"""


def wide(long: int) -> Check:
    items = ", ".join(["w"] * long)
    text = WIDE.format(long=long).replace(f"[each_{long} w]", f"[{items}]")
    return api.load_source(Source("wide.model", text))["only"]


# Every object over a cell of wrong and right answers: it returns whatever it likes.
ANY = """
protocol Any
import "{file}.model" ({name})
type Digit = 0..3
type Client = 0..1
state
  each Client
    left: 0..2 = 2
    open: 0..9 = 0                       # which operation is: by what it may return
{actions}
{claim} it: {name}({bindings})
check only
  expect it fails
"""


def of_object(of: Object, claim: str = "linearizable") -> Check:
    """Two clients with two operations each, which return whatever they like."""
    actions = []
    for number, (operation, arguments) in enumerate(dict.fromkeys(of.calls)):
        written = ", ".join("c" if each == "me" else str(each) for each in arguments)
        actions.append(f"""
action call_{number}(c in Client)
  when c.left > 0 and c.open == 0
  c.left -= 1
  c.open := {1 + list(of.answers).index(operation) if operation in of.answers else 9}
  call it.{operation}({written}) by c
""")
    for number, answers in enumerate(of.answers.values()):
        for position, answer in enumerate(answers):
            actions.append(f"""
action return_{number}_{position}(c in Client)
  when c.open == {1 + number}
  c.open := 0
  return {_term(answer)} by c
""")
    actions.append("""
action return_nothing(c in Client)
  when c.open == 9
  c.open := 0
  return by c

fault leave(c in Client) at most 1
  when c.open > 0
  c.open := 0
  abandon c
""")
    text = ANY.format(
        file=of.file, name=of.name, bindings=of.bindings, claim=claim, actions="".join(actions)
    )
    return api.load_source(Source("any.model", text))["only"]


def _term(answer: object) -> str:
    match answer:
        case bool():
            return str(answer).lower()
        case ():
            return "none"
        case (item,):
            return str(item)
        case _:
            return str(answer)


DEPTH = api.Limits(depth=5)

CHECKS = [
    pytest.param(lambda: cell()["only"], id="cell"),
    pytest.param(lambda: shipped("single_copy")["two_servers"], id="two_servers"),
    pytest.param(lambda: wide(2), id="wide"),
    pytest.param(lambda: wide(20), id="wider_than_an_entry"),
    *(pytest.param(lambda of=of: of_object(of), id=of.name) for of in OBJECTS),
    pytest.param(lambda: shipped("own_server")["stay"], id="own_server"),
    pytest.param(lambda: shipped("replicas")["last_wins"], id="replicas"),
    *(
        pytest.param(
            lambda of=of: of_object(of, "sequentially consistent"),
            id=f"{of.name}_in_program_order",
            marks=() if of.name in ("CasRegister", "Queue") else pytest.mark.full,
        )
        for of in OBJECTS
    ),
]


@pytest.mark.parametrize("make", CHECKS)
def test_both_say_the_same_of_states_and_steps(make) -> None:
    tally = compare(make().model, 300)
    assert tally.states >= 20


def said(outcome: Outcome) -> list[object]:
    stats = outcome.stats
    counts = (stats.distinct, stats.generated, stats.depth, stats.enabled)
    return [counts, outcome.complete, *map(_found, outcome.found)]


def _found(found: Found) -> tuple[object, ...]:
    reason = None if found.failure is None else found.failure.reason
    span = None if found.failure is None else found.failure.span
    trace = None if found.trace is None else _steps(found.trace)
    return found.name, found.verdict, found.steps, found.triggered, reason, span, trace


def _steps(trace: Trace) -> list[tuple[object, ...]]:
    return [(step.action.name, step.arguments, step.process, step.result) for step in trace.steps]


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.full), 2])
@pytest.mark.parametrize("make", CHECKS)
def test_both_come_to_the_same_outcome(make, threads: int) -> None:
    wanted = referee.check(make(), DEPTH, keep_going=True)
    # Another model, so that nothing is known yet.
    found = api.check(make(), DEPTH, keep_going=True, threads=threads)
    assert not found.warnings or "slow" not in found.warnings[0]
    assert said(found) == said(wanted)


def test_a_simulation_finds_what_the_search_finds() -> None:
    sampled = api.simulate(shipped("single_copy")["two_servers"])
    assert sampled.outcome["reg"].verdict.value == "fails"
