"""What the tests of mining, Houdini and pdr share: small files, and their reachable states."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

from modelcheck import api
from modelcheck.core.limits import Limits
from modelcheck.core.proof import Argument, Proof
from modelcheck.core.search import explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.values import State
from modelcheck.resolve.proof import instances, open_proof

MODELS = Path(__file__).parent / "models"

TICKETS = """\
## Tickets are served in turn; a ticket is drawn once.
protocol Tickets

param MAX: int
sort Guest
type Number = 0..MAX
type Ticket(of: Guest, number: Number)
type Stage = Away | Holding(number: Number) | Served(number: Number)

state
  desk
    drawn: Number = 0
    serving: Number = 0
  each Guest
    stage: Stage = Away
  channel hall
    calls: set of Ticket = {}

action draw(g in Guest)
  when g.stage == Away and desk.drawn < MAX
  desk.drawn := desk.drawn + 1
  g.stage    := Holding(desk.drawn + 1)

action call_next(g in Guest)
  when g.stage is Holding(n) and n == desk.serving + 1
  desk.serving := n
  hall.calls   += Ticket(g, n)

action serve(c in hall.calls)
  when c.of.stage == Holding(c.number)
  hall.calls -= c
  c.of.stage := Served(c.number)

invariant OneAtATime
  forall a in Guest, b in Guest:
      a.stage is Served(m) and b.stage is Served(n) and m == n implies a == b

proof AnySize
  for any Guest, MAX
  OneAtATime by pdr
"""

# All tickets have the same number, and it is called more than once.
BROKEN_TICKETS = TICKETS.replace("  desk.drawn := desk.drawn + 1\n", "").replace(
    "n == desk.serving + 1", "n >= desk.serving"
)


def loaded(text: str, folder: Path) -> api.File:
    """A file with this text."""
    path = folder / "file.model"
    path.write_text(text, encoding="utf-8")
    return api.load_file(path)


def parts(file: api.File, name: str) -> tuple[Proof, Argument, dict[str, int], Proof]:
    """A proof without its lemmas, its goals as one argument, and an instance of size 2."""
    proof = open_proof(file.resolved, name)
    goals = {goal.name: goal for each in proof.arguments for goal in each.goals}
    argument = evolve(proof.arguments[0], goals=tuple(goals.values()), lemmas=())
    sizes = dict.fromkeys(proof.general, 2)
    instance = instances(file.resolved, name)(sizes)
    assert instance is not None
    return proof, argument, sizes, instance


def reachable(proof: Proof) -> Sequence[State]:
    """All states of an instance, by the referee; of a large one those of small depth."""
    model = evolve(proof.model, properties=(), history=None)
    found = explore(Semantics(model), Limits(states=20_000), lambda _: False)
    return list(found.graph.states)
