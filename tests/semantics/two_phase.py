"""Two-phase commit, as Lamport wrote it, for any number of resource managers."""

from __future__ import annotations

from modelcheck.core.model import Invariant, Model
from modelcheck.core.terms import Forall, In, IsForm, Make, Not, Or, SetOf, Size, Term
from modelcheck.core.types import Field, Form, Set, Sort, Union

from .build import Building, add, binder, both, eq, name, place, put, read, when

WORKING, PREPARED, COMMITTED, ABORTED = range(4)
PHASE = Union("Phase", tuple(Form(n) for n in ("Working", "Prepared", "Committed", "Aborted")))
DECISION = Union("Decision", tuple(Form(n) for n in ("Open", "Commit", "Abort")))


def two_phase(managers: int) -> Model:
    rm = Sort("RM", managers, "r")
    message = Union("Message", (Form("Ready", (Field("by", rm),)), Form("Commit"), Form("Abort")))
    b = Building("TwoPhase")
    every, coordinator = b.owner("RM", rm), b.owner("coordinator")
    network = b.owner("network", channel=True)
    phase = b.variable(every, "phase", PHASE, Make(WORKING, (), type=PHASE))
    decision = b.variable(coordinator, "decision", DECISION, Make(0, (), type=DECISION))
    ready = b.variable(coordinator, "ready", Set(rm), SetOf((), type=Set(rm)))
    sent = b.variable(network, "sent", Set(message), SetOf((), type=Set(message)))

    r = name("r", rm)
    some = (binder("r", rm),)

    def note(form: int, *arguments: Term) -> Term:
        return Make(form, arguments, type=message)

    def one(item: Term) -> Term:
        return SetOf((item,), type=Set(item.type))

    def become(form: int) -> Term:
        return Make(form, (), type=PHASE)

    undecided = IsForm(read(decision), 0)
    works = IsForm(read(phase, r), WORKING)
    its_phase = place(phase, r)
    b.action(
        "hear_ready", when(undecided, In(note(0, r), read(sent))), add(ready, one(r)),
        choose=some, process=0,
    )  # fmt: skip
    b.action(
        "commit", when(undecided, eq(Size(read(ready)), managers)),
        put(decision, Make(1, (), type=DECISION)), add(sent, one(note(1))),
    )  # fmt: skip
    b.action(
        "abort", when(undecided), put(decision, Make(2, (), type=DECISION)),
        add(sent, one(note(2))),
    )  # fmt: skip
    b.action(
        "prepare", when(works), put(its_phase, become(PREPARED)), add(sent, one(note(0, r))),
        choose=some, process=0,
    )  # fmt: skip
    b.action("give_up", when(works), put(its_phase, become(ABORTED)), choose=some, process=0)
    for title, form, then in (("hear_commit", 1, COMMITTED), ("hear_abort", 2, ABORTED)):
        b.action(
            title, when(In(note(form), read(sent))), put(its_phase, become(then)),
            choose=some, process=0,
        )  # fmt: skip

    x, y = name("x", rm), name("y", rm)
    split = both(IsForm(read(phase, x), COMMITTED), IsForm(read(phase, y), ABORTED))
    consistent = Invariant("Consistent", (Forall((binder("x", rm), binder("y", rm)), Not(split)),))
    settled = Or((IsForm(read(phase, x), COMMITTED), IsForm(read(phase, x), ABORTED)))
    return b.model(consistent, stops=Forall((binder("x", rm),), settled))
