"""The fenced leader of the language page, by hand."""

from __future__ import annotations

from modelcheck.core.model import (
    Event,
    Invariant,
    Liveness,
    Model,
    Obligation,
    Reachable,
    StepProperty,
)
from modelcheck.core.terms import (
    Absent,
    And,
    Binder,
    Choice,
    Compare,
    Exists,
    Forall,
    Get,
    If,
    IsForm,
    Let,
    Lose,
    Make,
    Next,
    Not,
    Or,
    Present,
    SetOf,
    Term,
    Values,
)
from modelcheck.core.types import BOOL, Field, Form, Option, Range, Set, Sort, Union

from .build import (
    Building,
    add,
    binder,
    both,
    eq,
    less,
    lit,
    minus,
    name,
    ne,
    place,
    plus,
    put,
    read,
    take,
    when,
)  # fmt: skip

IDLE, ELECTED, LEADING, WAITING = range(4)


def fenced_leader(
    *,
    nodes: int = 2,
    last_token: int = 2,
    last_value: int = 2,
    fence_on_takeover: bool = True,
    fresh_tokens: bool = True,
    faults: bool = True,
    fair: bool = True,
) -> Model:
    node, token, value = Sort("Node", nodes, "n"), Range(0, last_token), Range(0, last_value)
    write = Union(
        "Write",
        (Form("Write", (Field("by", node), Field("token", token), Field("value", value))),),
    )
    both_fields = (Field("token", token), Field("seen", value))
    role = Union(
        "Role",
        (
            Form("Idle"), Form("Elected", both_fields[:1]),
            Form("Leading", both_fields), Form("Waiting", both_fields),
        ),
    )  # fmt: skip
    b = Building("FencedLeader")
    service, store = b.owner("service"), b.owner("store")
    every, network = b.owner("Node", node), b.owner("network", channel=True)
    granted = b.variable(service, "granted", token, 0)
    holder = b.variable(service, "holder", Option(node), Absent(type=Option(node)))
    fence = b.variable(store, "fence", token, 0)
    stored = b.variable(store, "value", value, 0)
    up = b.variable(every, "up", BOOL, True)
    does = b.variable(every, "role", role, Make(IDLE, (), type=role), volatile=True)
    writes = b.variable(network, "writes", Set(write), SetOf((), type=Set(write)))

    n, w = name("n", node), name("w", write)
    some = (binder("n", node),)
    any_write = (Binder("w", Values(read(writes)), type=write),)
    its_role, its_up = place(does, n), place(up, n)

    def become(form: int, *arguments: Term) -> Term:
        return Make(form, arguments, type=role)

    def of(subject: Term, field: str, type_: Range | Sort) -> Term:
        return Get(subject, field, type=type_)

    def is_(subject: Term, form: int) -> Term:
        return IsForm(subject, form)

    def one(item: Term) -> Term:
        return SetOf((item,), type=Set(write))

    its_token, its_seen = of(read(does, n), "token", token), of(read(does, n), "seen", value)
    idle = both(read(up, n), is_(read(does, n), IDLE))
    holds = eq(read(holder), Present(n, type=Option(node)))
    free = eq(read(holder), Absent(type=Option(node)))
    next_token = plus(read(granted), 1)
    b.action(
        "acquire", when(idle), when(Or((free, holds))), when(less(read(granted), last_token)),
        put(granted, next_token), put(holder, Present(n, type=Option(node))),
        put(its_role, become(ELECTED, next_token)), choose=some, process=0,
    )  # fmt: skip
    b.action(
        "resume", when(lit(not fresh_tokens)), when(And((*idle.operands, holds))),
        put(its_role, become(ELECTED, read(granted))), choose=some, process=0,
    )  # fmt: skip
    elected = is_(read(does, n), ELECTED)
    t = name("t", token)
    b.action(
        "take_over",
        when(elected, Let("t", its_token, Compare(">=", (t,), (read(fence),)))),
        put(its_role, become(LEADING, its_token, read(stored))),
        put(fence, If(lit(fence_on_takeover), its_token, read(fence), type=token)),
        choose=some, process=0,
    )  # fmt: skip
    b.action(
        "step_down", when(elected, less(its_token, read(fence))), put(its_role, become(IDLE)),
        choose=some, process=0,
    )  # fmt: skip
    b.action(
        "send", when(is_(read(does, n), LEADING), less(its_seen, last_value)),
        put(its_role, become(WAITING, its_token, its_seen)),
        add(writes, one(Make(0, (n, its_token, plus(its_seen, 1)), type=write))),
        choose=some, process=0,
    )  # fmt: skip
    by, sent_token, sent_value = (
        of(w, "by", node), of(w, "token", token), of(w, "value", value),
    )  # fmt: skip
    its = read(does, by)
    awaited = both(
        is_(its, WAITING), eq(of(its, "token", token), sent_token),
        eq(of(its, "seen", value), minus(sent_value, 1)),
    )  # fmt: skip
    fairness = "weak" if fair else None
    b.action(
        "accept", when(Compare(">=", (sent_token,), (read(fence),))), take(writes, one(w)),
        put(fence, sent_token), put(stored, sent_value),
        Choice(awaited, (put(place(does, by), become(LEADING, sent_token, sent_value)),)),
        choose=any_write, fair=fairness,
    )  # fmt: skip
    refused = both(is_(its, WAITING), eq(of(its, "token", token), sent_token))
    b.action(
        "refuse", when(less(sent_token, read(fence))), take(writes, one(w)),
        Choice(refused, (put(place(does, by), become(IDLE)),)), choose=any_write, fair=fairness,
    )  # fmt: skip
    if faults:
        b.action(
            "suspect", when(holds), put(holder, Absent(type=Option(node))),
            choose=some, fault=True, process=0,
        )  # fmt: skip
        b.action(
            "crash", when(read(up, n)), put(its_up, False), Lose(every, n),
            choose=some, fault=True, process=0,
        )  # fmt: skip
    b.action("restart", when(Not(read(up, n))), put(its_up, True), choose=some, process=0)

    def leads(who: Term) -> Term:
        return Or((is_(read(does, who), LEADING), is_(read(does, who), WAITING)))

    x, y = name("a", node), name("b", node)
    properties = (
        StepProperty(
            "NoLostUpdate", (Event("accept", ("w",)),), (eq(sent_value, plus(read(stored), 1)),)
        ),
        StepProperty(
            "FenceNeverFalls", None, (Compare(">=", (Next(read(fence)),), (read(fence),)),)
        ),
        Invariant("FenceWasGranted", (Compare("<=", (read(fence),), (read(granted),)),)),
        Invariant("CrashForgets", (Forall(some, Or((read(up, n), is_(read(does, n), IDLE)))),)),
        Reachable(
            "TwoLeaders",
            (
                Exists(
                    (binder("a", node), binder("b", node)), both(ne(x, y), leads(x), leads(y))
                ),
            ),
        ),
        Reachable("CounterFull", (eq(read(stored), last_value),)),
        Liveness(
            "NoLeaderWaitsForever",
            (
                Obligation(
                    "leads to", some, is_(read(does, n), WAITING),
                    Or((is_(read(does, n), IDLE), is_(read(does, n), LEADING))),
                ),
            ),
        ),
    )  # fmt: skip
    used_up = Or((eq(read(granted), last_token), eq(read(stored), last_value)))
    return b.model(*properties, stops=used_up)
