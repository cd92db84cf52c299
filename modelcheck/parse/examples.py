"""Correct examples of each construct, shown where one could not be read."""

from __future__ import annotations

from typing import Final

_ACTION: Final = """\
action grant(c in Client)
  when server.holder == none
  server.holder := c

fair action deliver(m in network.requests where m.to == n)
  network.requests -= m"""

_BODY: Final = """\
{word} OneHolder
  forall a in Client, b in Client: a.holds and b.holds implies a == b

{word} HolderIsKnown
  server.holder != none"""

EXAMPLES: Final[dict[str, str]] = {
    "protocol": "protocol LeaseServer",
    "import": 'import "network.model" (Message, delivered)',
    "param": "param MAX: int\nparam RETRY, LOG: bool = true",
    "axis": "axis ORDERED: bool",
    "sort": "sort Node\nsort Client, Server",
    "type": """\
type Term = 0..MAX
type Role = Idle | Leading(term: Term)
type Vote(by: Node, term: Term)""",
    "let": """\
let busy = server.holder != none
let leads(n: Node): bool = n.role is Leading(_)""",
    "state": """\
state
  server
    holder: Client? = none
  each Client
    volatile holds: bool = false
  channel network
    requests: set of Client = {}""",
    "init": "init\n  forall n in Node: n.vote == n.first",
    "action": _ACTION,
    "fair": _ACTION,
    "strongly": _ACTION,
    "fault": """\
fault crash(n in Node) at most 2
  when n.up
  n.up := false

fault drop(m in network.requests)
  network.requests -= m""",
    "effect": """\
effect retire(n: Node)
  n.up   := false
  n.term := n.term + 1""",
    "object": """\
object Counter(limit: int)
  state
    value: 0..9 = 0
  operation increment()
    when value < limit
    value += 1
  operation read(): 0..9
    returns value""",
    "template": """\
template Delivery(Item: type, delivered(i: Item): int)
  invariant AtMostOnce
    forall i in Item: delivered(i) <= 1""",
    "use": "use Delivery(Item = Record, delivered(r) = sink.copies[r]) as Sink",
    "invariant": _BODY.format(word="invariant"),
    "lemma": _BODY.format(word="lemma"),
    "axiom": _BODY.format(word="axiom"),
    "reachable": """\
reachable TwoHolders
  exists a in Client, b in Client: a != b and a.holds and b.holds""",
    "step": """\
step TermGrows
  server.term' >= server.term

step GrantedOnce on grant(c)
  server.holder == none""",
    "always": "always possible Rest\n  empty(network.requests)",
    "liveness": """\
liveness Served
  forall c in Client: c.waits ~> c.holds

liveness Settles
  eventually always empty(network.requests)""",
    "stops": "stops when forall n in Node: n.done",
    "constraint": "constraint size(network.requests) <= 3",
    "refines": "refines Voting with (Acceptor = Node, service.granted = n.term) and its liveness",
    "linearizable": "linearizable register: Register(Value = Stamp, first = 0)",
    "sequentially": "sequentially consistent register: Register(Value = Stamp, first = 0)",
    "check": """\
check small
  Node = 2, MAX = 3
  faults crash = 1, drop = any
  expect holds

check forgetful like small
  LOG = false
  expect OneHolder fails in 5 steps, deadlock""",
    "proof": """\
proof Safety
  for any Node, MAX
  OneHolder by induction using HolderIsKnown""",
}

STATEMENT_EXAMPLES: Final[dict[str, str]] = {
    "when": "when n.up and n.role is Leading(t)\nwhen not exists m in network.requests: m.by == n",
    "let": "let next = n.term + 1",
    "if": """\
if n.term < m.term
  n.term := m.term
elif n.up
  n.role := Idle
else
  n.vote := none""",
    "for": "for m in Node where m != n\n  network.requests += Ask(n, m)",
    "lose": "lose n",
    "call": "call register.write(v) by c",
    "return": "return by c\nreturn v by c",
    "abandon": "abandon c",
    "returns": "returns value",
    "update": "n.role := Leading(n.term + 1)\nserver.votes[n] += 1\nnetwork.requests -= m",
}
