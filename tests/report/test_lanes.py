"""A trace as a table of lanes."""

from __future__ import annotations

from attrs import evolve
from fenced_leader_by_hand import ACTIONS, MODEL, STATES, TRACE, step

from modelcheck.core.model import Action, Model
from modelcheck.core.terms import Binder, Universe, Values
from modelcheck.core.trace import Process, Step, Trace
from modelcheck.core.types import BOOL, Bag, Map, Range, Seq, Set, Sort
from modelcheck.core.values import State
from modelcheck.core.variables import Owner, Variable
from modelcheck.report.lanes import table


def test_the_fenced_leader_prints_as_the_language_page_says() -> None:
    shown = table(MODEL, TRACE)
    assert shown == (
        "     step                     service  store  n1             n2    network\n"
        "  0  init                     0, none  0, 0   Idle           Idle\n"
        "  1  acquire(n1)              1, n1           Elected(1)\n"
        "  2  take_over(n1)                     1, 0   Leading(1, 0)\n"
        "  3  send(n1)                                 Waiting(1, 0)        + Write(n1, 1, 1)\n"
        "  4! crash(n1)                                down\n"
        "  5  restart(n1)                              Idle\n"
        "  6  resume(n1)                               Elected(1)\n"
        "  7  take_over(n1)                            Leading(1, 0)\n"
        "  8  accept(Write(n1, 1, 1))           1, 1                        - Write(n1, 1, 1)\n"
        "  9  send(n1)                                 Waiting(1, 0)        + Write(n1, 1, 1)\n"
        " 10  accept(Write(n1, 1, 1))                  Leading(1, 1)        - Write(n1, 1, 1)"
    )


def test_full_prints_whole_states() -> None:
    rows = table(MODEL, evolve(TRACE, states=STATES[:3], steps=TRACE.steps[:2]), full=True)
    assert rows.splitlines()[-1] == " 2  take_over(n1)  1, n1    1, 0   Leading(1, 0)  Idle"


def test_a_narrow_terminal_wraps_cells_and_loses_nothing() -> None:
    for width in (40, 60, 80):
        shown = table(MODEL, TRACE, width=width)
        assert all(len(line) <= width for line in shown.splitlines())
        words = shown.replace("\n", " ").split()
        assert "Leading(1," in words and "Write(n1," in words
        for number in range(11):
            assert str(number) in words or f"{number}!" in words


def test_a_step_that_is_not_taken_is_marked() -> None:
    shown = table(MODEL, Trace(STATES[:2], TRACE.steps[:2]))
    assert shown.splitlines()[-1].startswith(" 2  take_over(n1) (not taken)")


def test_a_lasso_says_where_it_returns() -> None:
    returning = Trace((*STATES[:3], STATES[1]), (*TRACE.steps[:2], step("step_down", 0)), loop=1)
    assert table(MODEL, returning).splitlines()[-1] == "    loop back to step 1"
    resting = Trace(STATES[:2], TRACE.steps[:1], loop=1)
    assert table(MODEL, resting).splitlines()[-1] == "    stutters for ever"


def test_a_long_trace_is_elided_and_goes_on_with_a_whole_state() -> None:
    there, back = STATES[0], STATES[1]
    states = tuple(there if i % 2 == 0 else back for i in range(1001))
    steps = tuple(step("acquire" if i % 2 == 0 else "suspect", 0) for i in range(1000))
    lines = table(MODEL, Trace(states, steps)).splitlines()
    assert len(lines) == 2 + 99 + 1 + 100
    assert lines[101] == "       ... 801 steps left out; --format json has all of them"
    assert lines[102].startswith("  901  acquire(n1)  1, n1    0, 0   Elected(1)  Idle")
    assert lines[-1].startswith(" 1000! suspect(n1)")


# --- other owners ----------------------------------------------------------------------

NODE = Sort("Node", 2, "n")
NODES = Owner("Node", "each", NODE)
LOGS = Owner("Log", "each", NODE)
NET = Owner("net", "channel")
CENTRE = Owner("centre", "single")


def _model(*variables: Variable) -> Model:
    owners = tuple(dict.fromkeys(v.owner for v in variables))
    return Model("M", (), owners, variables, (), (), (), ())


def _trace(*states: State, fault: bool = False) -> Trace:
    action = Action("go", fault, (), ())
    return Trace(states, tuple(Step(action, (), Process("centre")) for _ in states[1:]))


def test_a_lane_with_many_variables_names_what_has_changed() -> None:
    model = _model(
        Variable("up", NODES, BOOL, 0),
        Variable("term", NODES, Range(0, 9), 1),
        Variable("log", NODES, Seq(Range(0, 9), 3), 2),
        Variable("votes", LOGS, Map(NODE, BOOL), 3),
    )
    none, all_ = (False, False), (True, True)
    shown = table(
        model,
        _trace(
            (all_, (0, 0), ((), ()), (none, none)),
            (all_, (1, 0), ((4,), ()), ((False, True), none)),
            ((False, True), (1, 0), ((), ()), ((False, True), none)),
            (all_, (1, 0), ((), ()), ((False, True), none)),
        ),
        width=88,
    )
    assert shown.splitlines() == [
        "    step  n1                                 n2",
        " 0  init  term=0, log=[],                    term=0, log=[],",
        "            votes={n1: false, n2: false}       votes={n1: false, n2: false}",
        " 1  go    term=1, log=[4], votes={n2: true}",
        " 2  go    down, log=[]",
        " 3  go    up",
    ]


def test_a_lane_with_much_in_it_is_not_squeezed_into_a_pillar() -> None:
    cells = [Variable(f"log_{i}", CENTRE, Seq(Range(0, 9), 9), i) for i in range(6)]
    others = [Variable(f"x{i}", Owner(f"group_{i}", "single"), BOOL, 6 + i) for i in range(5)]
    state: State = (*((1, 2, 3, 4, 5, 6, 7, 8, 9),) * 6, *(True,) * 5)
    shown = table(_model(*cells, *others), _trace(state), width=100).splitlines()
    assert max(map(len, shown)) <= 100
    assert len(shown) <= 10


def test_bags_count_and_faults_lose() -> None:
    model = _model(
        Variable("seen", CENTRE, Range(0, 3), 0), Variable("sent", NET, Bag(Range(0, 3), 4), 1)
    )
    shown = table(model, _trace((0, (1, 1, 2)), (0, (1, 2, 3)), fault=True))
    assert shown.splitlines() == [
        "    step  centre  net",
        " 0  init  0       {1, 1, 2}",
        " 1! go            x 1",
        "                  + 3",
    ]


def test_other_channel_variables_show_what_has_changed() -> None:
    model = _model(
        Variable("acks", NET, Map(NODE, Set(NODE)), 0), Variable("queue", NET, Seq(NODE, 2), 1)
    )
    shown = table(model, _trace((((), ()), ()), (((1,), ()), (0,))))
    assert shown.splitlines() == [
        "    step  net",
        " 0  init  acks: {n1: {}, n2: {}}",
        "          queue: []",
        " 1  go    acks: {n1: {n2}}",
        "          queue: [n1]",
    ]


def test_a_bounded_fault_says_how_much_of_its_budget_is_used() -> None:
    domain = Values(Universe(NODE, type=Set(NODE)))
    binder = Binder("n", domain, type=NODE)
    crash = Action("crash", True, (binder,), (), at_most=2, counter=1)
    model = evolve(_model(Variable("x", CENTRE, BOOL, 0)), actions=(crash,))
    trace = Trace(((True, 0), (False, 1)), (Step(crash, (1,), Process("centre")),))
    assert table(model, trace).splitlines()[-1] == " 1! crash(n2) [1/2]  false"


def test_a_refinement_shows_the_abstract_state_in_lanes_of_its_own() -> None:
    abstract = evolve(_model(Variable("vote", NODES, BOOL, 0)), name="Voting")
    trace = evolve(_trace((False,), (True,)), mapped=(((False, False),), ((False, True),)))
    model = _model(Variable("x", CENTRE, BOOL, 0))
    assert table(model, trace, abstract=abstract).splitlines() == [
        "    step  centre  Voting:n1  Voting:n2",
        " 0  init  false   false      false",
        " 1  go    true               true",
    ]


def test_a_step_without_all_its_arguments_says_so() -> None:
    two = evolve(ACTIONS["acquire"], binders=ACTIONS["acquire"].binders * 2)
    trace = Trace(STATES[:1], (Step(two, (0,), Process("Node", 0)),))
    assert "acquire(n1, ...) (not taken)" in table(MODEL, trace)
