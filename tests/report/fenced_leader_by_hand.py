"""A fenced leader by hand: the trace of `reused_token`, as the language page tells it."""

from __future__ import annotations

from modelcheck.core.model import (
    Action,
    Check,
    Event,
    ExpectProperty,
    Initial,
    Model,
    StepProperty,
)
from modelcheck.core.terms import (
    Absent,
    Arithmetic,
    Binder,
    Equal,
    Get,
    Make,
    Name,
    Number,
    Read,
    SetOf,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.trace import Process, Step, Trace
from modelcheck.core.types import BOOL, INT, Field, Form, Option, Range, Set, Sort, Union
from modelcheck.core.values import State, Value
from modelcheck.core.variables import Owner, Variable
from modelcheck.source import Source, Span

SOURCE = Source(
    "fenced_leader.model",
    """\
step NoLostUpdate on accept(w)
  w.value == store.value + 1

action resume(n in Node)
  when not FRESH_TOKENS
""",
)


def span(text: str, occurrence: int = 0) -> Span:
    """The place of a piece of the source."""
    start = -1
    for _ in range(occurrence + 1):
        start = SOURCE.text.index(text, start + 1)
    return Span(SOURCE, start, start + len(text))


NODE = Sort("Node", 2, "n")
TOKEN = Range(0, 2)
VALUE = Range(0, 2)
WRITE = Union(
    "Write", (Form("Write", (Field("by", NODE), Field("token", TOKEN), Field("value", VALUE))),)
)
ROLE = Union(
    "Role",
    (
        Form("Idle"),
        Form("Elected", (Field("token", TOKEN),)),
        Form("Leading", (Field("token", TOKEN), Field("seen", VALUE))),
        Form("Waiting", (Field("token", TOKEN), Field("seen", VALUE))),
    ),
)

SERVICE = Owner("service", "single")
STORE = Owner("store", "single")
NODES = Owner("Node", "each", NODE)
NETWORK = Owner("network", "channel")

ZERO = Number(0, type=INT)

VARIABLES = (
    Variable("granted", SERVICE, TOKEN, 0),
    Variable("holder", SERVICE, Option(NODE), 1),
    Variable("fence", STORE, TOKEN, 2),
    Variable("value", STORE, VALUE, 3),
    Variable("up", NODES, BOOL, 4),
    Variable("role", NODES, ROLE, 5, volatile=True),
    Variable("writes", NETWORK, Set(WRITE), 6),
)
INITIAL = tuple(
    Initial(each)
    for each in (
        ZERO,
        Absent(type=Option(NODE)),
        ZERO,
        ZERO,
        Truth(True),
        Make(0, (), type=ROLE),
        SetOf((), type=Set(WRITE)),
    )
)


def by_name(name: str) -> Variable:
    return next(v for v in VARIABLES if v.name == name)


def _node_action(name: str, fault: bool = False) -> Action:
    domain = Values(Universe(NODE, type=Set(NODE)))
    return Action(name, fault, (Binder("n", domain, type=NODE),), (), process=0)


def _write_action(name: str) -> Action:
    domain = Values(Read(by_name("writes"), type=Set(WRITE)))
    return Action(name, False, (Binder("w", domain, type=WRITE),), ())


ACTIONS = {
    name: _node_action(name)
    for name in ("acquire", "resume", "take_over", "step_down", "send", "restart")
}
ACTIONS |= {name: _node_action(name, fault=True) for name in ("suspect", "crash")}
ACTIONS |= {name: _write_action(name) for name in ("accept", "refuse")}

_TEXT = "w.value == store.value + 1"
NO_LOST_UPDATE = StepProperty(
    "NoLostUpdate",
    (Event("accept", ("w",)),),
    (
        Equal(
            Get(Name("w", type=WRITE), "value", type=VALUE, span=span("w.value")),
            Arithmetic(
                "+",
                Read(by_name("value"), type=VALUE, span=span("store.value")),
                Number(1, type=INT, span=span("1")),
                type=INT,
                span=span("store.value + 1"),
            ),
            span=span(_TEXT),
        ),
    ),
    span=span("step NoLostUpdate on accept(w)"),
)

MODEL = Model(
    "FencedLeader",
    (("Node", "2"), ("MAX_TOKEN", "2"), ("MAX_VALUE", "2"), ("FRESH_TOKENS", "false")),
    (SERVICE, STORE, NODES, NETWORK),
    VARIABLES,
    INITIAL,
    (),
    tuple(ACTIONS.values()),
    (NO_LOST_UPDATE,),
)
CHECK = Check("reused_token", MODEL, (ExpectProperty("NoLostUpdate", "fails"),))

IDLE: Value = (0,)
WRITE_1 = (0, 0, 1, 1)


def _state(
    granted: int,
    holder: Value,
    fence: int,
    value: int,
    up: bool,
    role: Value,
    *writes: tuple[int, int, int, int],
) -> State:
    """A state; n2 is up and idle throughout."""
    return (granted, holder, fence, value, (up, True), (role, IDLE), tuple(sorted(writes)))


N1: Value = (0,)
STATES = (
    _state(0, (), 0, 0, True, IDLE),
    _state(1, N1, 0, 0, True, (1, 1)),
    _state(1, N1, 1, 0, True, (2, 1, 0)),
    _state(1, N1, 1, 0, True, (3, 1, 0), WRITE_1),
    _state(1, N1, 1, 0, False, IDLE, WRITE_1),
    _state(1, N1, 1, 0, True, IDLE, WRITE_1),
    _state(1, N1, 1, 0, True, (1, 1), WRITE_1),
    _state(1, N1, 1, 0, True, (2, 1, 0), WRITE_1),
    _state(1, N1, 1, 1, True, (2, 1, 0)),
    _state(1, N1, 1, 1, True, (3, 1, 0), WRITE_1),
    _state(1, N1, 1, 1, True, (2, 1, 1)),
)


def step(name: str, *arguments: Value) -> Step:
    return Step(ACTIONS[name], arguments, Process("Node", 0))


TRACE = Trace(
    STATES,
    (
        step("acquire", 0),
        step("take_over", 0),
        step("send", 0),
        step("crash", 0),
        step("restart", 0),
        step("resume", 0),
        step("take_over", 0),
        step("accept", WRITE_1),
        step("send", 0),
        step("accept", WRITE_1),
    ),
)
