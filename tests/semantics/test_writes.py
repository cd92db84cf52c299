"""What several writes in one step come to."""

from __future__ import annotations

import pytest

from modelcheck.core.model import Model
from modelcheck.core.semantics import Instance, Semantics
from modelcheck.core.terms import (
    BagOf,
    Choice,
    Effect,
    Invoke,
    Lose,
    Make,
    MapOf,
    Number,
    Repeat,
    ReturnOperation,
    SeqOf,
    SetOf,
)
from modelcheck.core.types import Bag, Field, Form, Map, Range, Seq, Set, Union

from .build import (
    NODE,
    Building,
    add,
    binder,
    eq,
    lit,
    minus,
    name,
    place,
    plus,
    put,
    read,
    take,
    when,
)

ROLE = Union("Role", (Form("Idle"), Form("Busy", (Field("load", Range(0, 3)),))))
SMALL = Range(0, 3)


class Places:
    """One variable of each kind."""

    def __init__(self) -> None:
        b = self.b = Building()
        s, nodes = b.owner("s"), b.owner("Node", NODE)
        net = b.owner("net", channel=True)
        self.nodes, self.s = nodes, s
        self.n = b.variable(s, "n", SMALL, 1)
        self.set = b.variable(s, "set", Set(SMALL), SetOf((lit(1), lit(2)), type=Set(SMALL)))
        bag = Bag(SMALL, 3)
        self.bag = b.variable(net, "bag", bag, BagOf((lit(1), lit(1)), type=bag))
        seq = Seq(SMALL, 2)
        self.seq = b.variable(s, "seq", seq, SeqOf((lit(2),), type=seq))
        table = Map(NODE, SMALL)
        self.map = b.variable(s, "map", table, MapOf("k", lit(0), type=table))
        self.role = b.variable(nodes, "role", ROLE, Make(0, (), type=ROLE), volatile=True)
        self.load = b.variable(nodes, "load", SMALL, 1)

    def model(self, *body) -> Model:
        self.b.actions = []
        self.b.action("act", *body)
        return self.b.model()

    def step(self, *body) -> Instance:
        semantics = Semantics(self.model(*body))
        ((state, _),) = semantics.initial_states()
        (instance,) = semantics.successors(state)
        return instance

    def after(self, variable, *body):
        instance = self.step(*body)
        assert instance.failure is None, instance.failure
        return instance.after[variable.position]

    def failure(self, *body) -> tuple[str, str]:
        failure = self.step(*body).failure
        assert failure is not None
        return failure.kind, failure.reason


@pytest.fixture
def p() -> Places:
    return Places()


def a_set(*items: int) -> SetOf:
    return SetOf(tuple(lit(i) for i in items), type=Set(SMALL))


def a_bag(*items: int) -> BagOf:
    return BagOf(tuple(lit(i) for i in items), type=Bag(SMALL))


FIRST, SECOND = Number(0, type=NODE), Number(1, type=NODE)


def test_all_updates_read_the_state_before(p):
    swap = (put(p.n, read(p.load, FIRST)), put(place(p.load, FIRST), plus(read(p.n), 1)))
    assert p.after(p.load, *swap) == (2, 1)


def test_numbers_add_up(p):
    assert p.after(p.n, add(p.n, 3), take(p.n, 2)) == 2


def test_a_range_is_judged_on_the_sum(p):
    assert p.after(p.n, add(p.n, 3), add(p.n, 3), take(p.n, 5)) == 2
    assert p.failure(add(p.n, 3)) == ("range", "`s.n` would become 4, outside 0..3")


def test_a_set_loses_all_removed_and_gains_all_added(p):
    assert p.after(p.set, add(p.set, a_set(1, 3)), take(p.set, a_set(1, 2))) == (1, 3)


def test_a_bag_loses_occurrences_and_never_owes_any(p):
    assert p.after(p.bag, take(p.bag, a_bag(1)), take(p.bag, a_bag(1))) == ()
    assert p.after(p.bag, take(p.bag, a_bag(1, 1, 1)), add(p.bag, a_bag(1, 2))) == (1, 2)


def test_a_capacity_is_judged_after_the_step(p):
    assert p.after(p.bag, add(p.bag, a_bag(1, 2)), take(p.bag, a_bag(1))) == (1, 1, 2)
    assert p.failure(add(p.bag, a_bag(2, 2))) == (
        "capacity",
        "`net.bag` would hold 4 elements, more than 3",
    )


def test_append_is_one_at_a_time(p):
    assert p.after(p.seq, add(p.seq, 3)) == (2, 3)
    assert p.failure(add(p.seq, 3), add(p.seq, 3))[0] == "two-writes"


def test_assigning_the_same_value_twice_is_one_write(p):
    assert p.after(p.n, put(p.n, 2), put(p.n, plus(read(p.n), 1))) == 2


def test_assigning_two_values_is_two_writes(p):
    assert p.failure(put(p.n, 2), put(p.n, 3)) == ("two-writes", "`s.n` is written twice")


def test_an_assignment_beside_a_change_is_two_writes(p):
    assert p.failure(put(p.n, 2), add(p.n, 1))[0] == "two-writes"
    assert p.failure(add(p.n, 1), put(p.n, 2))[0] == "two-writes"


def test_parts_of_one_variable_combine(p):
    both = (put(place(p.map, FIRST), 2), add(place(p.map, SECOND), 3))
    assert p.after(p.map, *both) == (2, 3)


def test_a_part_beside_the_whole_must_agree(p):
    whole = put(p.map, MapOf("k", lit(2), type=p.map.type))
    assert p.after(p.map, whole, put(place(p.map, FIRST), 2)) == (2, 2)
    assert p.failure(put(place(p.map, FIRST), 1), whole) == (
        "two-writes",
        "`s.map[n1]` and, in the same step, `s.map` are written",
    )


def test_a_part_of_a_part_is_named_as_a_trace_would(p):
    kind, reason = p.failure(put(place(p.map, SECOND), 4))
    assert (kind, reason) == ("range", "`s.map[n2]` would become 4, outside 0..3")


def test_a_member_is_named_as_a_trace_would(p):
    assert p.failure(put(place(p.load, SECOND), 4))[1] == "`n2.load` would become 4, outside 0..3"


def test_a_field_of_another_form_cannot_be_written(p):
    assert p.failure(put(place(p.role, FIRST, "load"), 1)) == (
        "undefined",
        "field `load` of `Idle`",
    )


def test_a_position_outside_cannot_be_written(p):
    assert p.after(p.seq, put(place(p.seq, 1), 3)) == (3,)
    assert p.failure(put(place(p.seq, 2), 3)) == ("undefined", "index 2 is outside 1..1")


def test_lose_resets_what_is_volatile(p):
    busy = Make(1, (lit(1),), type=ROLE)
    semantics = Semantics(p.model(Lose(p.nodes, FIRST), put(place(p.load, FIRST), 2)))
    ((state, _),) = semantics.initial_states()
    busy_value = semantics.evaluate(busy, state)
    state = (*state[:5], (busy_value, busy_value), *state[6:])
    (instance,) = semantics.successors(state)
    assert instance.after[p.role.position] == ((0,), busy_value)
    assert instance.after[p.load.position] == (2, 1)


def test_lose_without_a_member_resets_all(p):
    semantics = Semantics(p.model(Lose(p.nodes)))
    ((state, _),) = semantics.initial_states()
    state = (*state[:5], ((1, 1), (1, 2)), *state[6:])
    (instance,) = semantics.successors(state)
    assert instance.after[p.role.position] == ((0,), (0,))


def test_an_explicit_write_beside_lose_wins(p):
    busy = Make(1, (lit(1),), type=ROLE)
    for order in (1, -1):
        body = (Lose(p.nodes, FIRST), put(place(p.role, FIRST), busy))[::order]
        assert p.after(p.role, *body) == ((1, 1), (0,))


def test_for_writes_every_choice_in_one_step(p):
    n = name("n", NODE)
    everyone = Repeat((binder("n", NODE),), (put(place(p.map, n), plus(n, 1)),))
    assert p.after(p.map, everyone) == (1, 2)


def test_if_takes_one_block(p):
    body = Choice(eq(read(p.n), 1), (put(p.n, 3),), (put(p.n, 0),))
    assert p.after(p.n, body) == 3


def test_an_effect_writes_with_its_own_names(p):
    effect = Effect("raise", (("by", Range(0, 1)),), (add(p.n, name("by")),))
    assert p.after(p.n, Invoke(effect, (lit(1),)), Invoke(effect, (lit(1),))) == 3
    assert p.failure(Invoke(effect, (lit(2),))) == (
        "range",
        "`by` of `raise` would be 2, outside 0..1",
    )


def test_a_step_returns_once(p):
    assert p.step(ReturnOperation(lit(4), lit(0))).result == (4,)
    assert p.step(ReturnOperation(None, lit(0))).result == ()
    twice = (ReturnOperation(lit(4), lit(0)), ReturnOperation(lit(4), lit(0)))
    assert p.failure(*twice) == ("two-writes", "the step returns twice")


def test_the_first_failure_in_the_text_is_the_one_reported(p):
    below = put(p.n, minus(read(p.n), 2))
    above = put(place(p.load, FIRST), 9)
    assert p.failure(below, above)[1].startswith("`s.n`")
    assert p.failure(above, below)[1].startswith("`n1.load`")


def test_the_process_is_the_owner_of_the_first_write_that_is_no_channel(p):
    assert p.step(add(p.bag, a_bag(2)), put(place(p.load, SECOND), 2)).process.owner == "Node"
    assert p.step(add(p.bag, a_bag(2)), put(place(p.load, SECOND), 2)).process.member == 1
    assert p.step(add(p.bag, a_bag(2))).process.owner == "net"
    assert p.step(when(lit(True))).process.owner == "s"


def test_the_process_is_the_argument_that_indexes_a_group(p):
    p.b.actions = []
    p.b.action("act", put(p.n, 2), choose=(binder("x", Range(0, 0)), binder("m", NODE)), process=1)
    semantics = Semantics(p.b.model())
    ((state, _),) = semantics.initial_states()
    acting = [(i.process.owner, i.process.member) for i in semantics.successors(state)]
    assert acting == [("Node", 0), ("Node", 1)]
