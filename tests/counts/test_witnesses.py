"""The hand-written models give the published numbers, and the verdicts the files expect.

These tests do not run the tool. They keep the witnesses honest, so that a difference between a
witness and the tool is worth looking into.
"""

from __future__ import annotations

from collections.abc import Collection

import pytest

from . import (
    alternating_bit,
    alternating_bit_classic,
    atomic_commit,
    consensus,
    ct_consensus,
    fenced_leader,
    handover,
    paxos,
    paxos_tiny,
    raft_election,
    termination_ring,
    transaction_commit,
    two_phase,
    two_phase_classic,
    voting,
    wrong_mapping,
)
from .common import Graph, Label, Predicate, Value, Values, blocks, livelocks, members, unmapped


@pytest.mark.parametrize(
    ("graph", "counts"),
    [
        # tlaplus/Examples, its manifests
        (lambda: transaction_commit.explore(3), (34, 94, 7)),
        (lambda: two_phase_classic.explore(3), (288, 1_146, 11)),
        (lambda: consensus.explore(3), (4, 4, 2)),
        (lambda: voting.explore(3, 2, 2), (6_752, 41_017, 16)),
        (lambda: paxos_tiny.explore(3, 2, 1), (3_921, 23_563, 17)),
        (lambda: handover.explore(2), (20, 36, 3)),
        (lambda: alternating_bit_classic.explore(2, 2), (240, 1_392, 10)),
        # TLC, Spin and Rumur on one model
        (lambda: two_phase_classic.explore(4), (1_568, 8_258, 14)),
        (lambda: two_phase_classic.explore(5), (8_832, 58_146, 17)),
        # the language page
        (lambda: fenced_leader.explore(2, 2, 2), (1_080, 4_101, 15)),
        (lambda: fenced_leader.explore(2, 2, 2, fence_on_takeover=False), (1_304, 5_007, 17)),
        (lambda: fenced_leader.explore(2, 2, 2, fresh_tokens=False), (4_740, 22_911, 41)),
        (lambda: fenced_leader.explore(2, 2, 2, fresh_tokens=False, faults=False), (13, 13, 7)),
    ],
)
def test_a_count_known_from_elsewhere_is_reproduced(
    graph: Value, counts: tuple[int, int, int]
) -> None:
    assert graph().counts == counts


def stages(s: Values) -> set[str]:
    return {value[0] for name, value in s.items() if name.endswith(".stage")}


def is_split(s: Values) -> bool:
    return stages(s) >= {"Committed", "Aborted"}


def is_hasty(s: Values) -> bool:
    return stages(s) >= {"Committed", "Working"}


def decide(graph: Graph, p: str, weak: Collection[str], strong: Collection[str]) -> Value:
    """None if `p` decides once it is prepared, else the steps to where it blocks, or True."""

    def owed(s: Values) -> bool:
        return "Prepared" in s[f"{p}.stage"]

    def goal(s: Values) -> bool:
        return s[f"{p}.stage"][0] in ("Committed", "Aborted")

    blocked = blocks(graph, owed, goal)
    return blocked if blocked is not None else livelocks(graph, owed, goal, weak, strong) or None


def test_an_accepted_write_is_built_on_an_old_value_only_where_a_rule_is_left_out() -> None:
    def loses(before: Values, label: Label, after: Values) -> bool:
        action, arguments = label
        return action == "accept" and arguments[0][3] != before["store.value"] + 1

    found = {
        name: fenced_leader.explore(**settings).first_step(loses)
        for name, settings in fenced_leader.CHECKS.items()
    }
    assert found == {"fenced": None, "read_before_fence": 9, "reused_token": 10}


def test_nobody_in_the_fenced_store_waits_for_ever() -> None:
    graph = fenced_leader.explore(2, 2, 2)

    def waits(s: Values) -> bool:
        return "Waiting" in s["n1.role"]

    def answered(s: Values) -> bool:
        return s["n1.role"][0] in ("Idle", "Leading")

    assert blocks(graph, waits, answered) is None
    assert not livelocks(graph, waits, answered, fenced_leader.WEAK)
    assert livelocks(graph, waits, answered), "without fairness, stuttering is enough"


def test_atomic_commitment_is_atomic_and_decides() -> None:
    graph = atomic_commit.explore(3)
    assert graph.first(is_split) is None
    assert graph.first(is_hasty) is None
    assert graph.deadlocks(lambda s: stages(s) <= {"Committed", "Aborted"}) == set()
    assert decide(graph, "p1", atomic_commit.WEAK, ()) is None


@pytest.mark.parametrize(
    ("check", "split", "hasty", "unrefined", "undecided"),
    [
        ("correct", None, None, None, None),
        ("never_recovers", None, None, None, 3),
        ("tells_once", None, None, None, 4),
        ("no_log", 11, None, 11, None),
        ("any_yes", 6, 5, 5, None),
        ("breaks_promise", 9, None, 9, None),
        ("forgets_yes", 10, 9, 3, None),
    ],
)
def test_two_phase_commit_needs_every_rule(
    check: str,
    split: int | None,
    hasty: int | None,
    unrefined: int | None,
    undecided: int | None,
) -> None:
    graph = two_phase.explore(**two_phase.CHECKS[check])
    abstract = atomic_commit.explore(2)

    def to_abstract(s: Values) -> Values:
        return {name: s[name] for name in ("p1.stage", "p2.stage")}

    assert graph.first(is_split) == split
    assert graph.first(is_hasty) == hasty
    assert unmapped(graph, to_abstract, abstract) == unrefined
    assert decide(graph, "p1", two_phase.WEAK, two_phase.STRONG) == undecided


def test_two_phase_commit_needs_strong_fairness_where_messages_are_lost() -> None:
    graph = two_phase.explore(2)
    assert graph.deadlocks() == set()
    assert decide(graph, "p1", two_phase.WEAK | two_phase.STRONG, ()) is True


def test_the_classic_two_phase_commit_refines_transaction_commit() -> None:
    def to_abstract(s: Values) -> Values:
        return {name: s[name] for name in ("m1.stage", "m2.stage", "m3.stage")}

    graph = two_phase_classic.explore(3)
    assert unmapped(graph, to_abstract, transaction_commit.explore(3)) is None


@pytest.mark.parametrize(
    ("check", "steps"),
    [
        ("correct", None),
        ("ignores_votes", 12),
        ("breaks_promise", 12),
        ("quorum_of_one", 8),
        ("forgets", 14),
    ],
)
def test_paxos_disagrees_only_where_a_rule_is_left_out(check: str, steps: int | None) -> None:
    settings = paxos.CHECKS[check]
    graph = paxos.explore(**settings)
    counted = {k: settings[k] for k in settings.keys() & {"acceptors", "values", "ballots"}}

    def chosen(s: Values) -> frozenset[str]:
        return paxos.chosen(s, **counted, majorities=bool(settings.get("majorities", True)))

    def to_consensus(s: Values) -> Values:
        return {"outcome.chosen": chosen(s)}

    assert graph.first(lambda s: len(chosen(s)) > 1) == steps
    assert unmapped(graph, to_consensus, consensus.explore(2)) == steps
    if steps is None:
        assert graph.deadlocks(lambda s: bool(chosen(s))) == set()
        assert blocks(graph, lambda s: True, lambda s: bool(chosen(s))) is None


@pytest.mark.parametrize(
    ("check", "twice", "believers"),
    [
        ("correct", None, 8),
        ("one_term", None, None),
        ("vote_not_durable", 9, 9),
        ("votes_twice", 8, 8),
        ("counts_old_votes", 9, 8),
        ("quorum_of_two", 8, 8),
    ],
)
def test_a_term_has_two_leaders_only_where_a_rule_is_left_out(
    check: str, twice: int | None, believers: int | None
) -> None:
    settings = raft_election.CHECKS[check]
    graph = raft_election.explore(**settings)

    def is_doubled(s: Values) -> bool:
        terms = [term for _, _, term in s["history.elected"]]
        return len(set(terms)) < len(terms)

    def leaders(s: Values) -> int:
        everyone = members("s", settings["servers"])
        return sum(s[f"{each}.role"] == raft_election.LEADER for each in everyone)

    assert graph.first(is_doubled) == twice
    assert graph.first(lambda s: leaders(s) > 1) == believers


def test_the_published_specifications_refine_each_other() -> None:
    tiny, ballots_of_tiny = paxos_tiny.explore(3, 2, 1), voting.explore(3, 2, 1)
    assert unmapped(tiny, lambda s: paxos_tiny.to_voting(s, 3), ballots_of_tiny) is None

    def to_consensus(s: Values) -> Values:
        return {"outcome.chosen": voting.chosen(s, 3, 2, 2)}

    assert unmapped(voting.explore(3, 2, 2), to_consensus, consensus.explore(2)) is None

    queues = alternating_bit_classic.explore(2, 2)
    assert unmapped(queues, alternating_bit_classic.to_handover, handover.explore(2)) is None


@pytest.mark.parametrize(("hides_promises", "steps"), [(False, None), (True, 3)])
def test_a_wrong_mapping_is_found(hides_promises: bool, steps: int | None) -> None:
    graph = wrong_mapping.explore(3, 2)

    def mapped(s: Values) -> Values:
        return wrong_mapping.to_voting(s, 3, hides_promises)

    assert unmapped(graph, mapped, voting.explore(3, 2, 0)) == steps


def received(s: Values) -> list[int]:
    return list(s["receiver.received"][1:])


def is_doubled(s: Values) -> bool:
    return len(set(received(s))) < len(received(s))


def is_disordered(s: Values) -> bool:
    return received(s) != sorted(received(s))


def is_lossy(s: Values) -> bool:
    return not set(range(1, s["sender.next"])) <= set(received(s))


@pytest.mark.parametrize(
    ("check", "doubled", "disordered", "lossy", "undelivered"),
    [
        ("correct", None, None, None, None),
        ("unfair_link", None, None, None, True),
        ("takes_any_packet", 4, None, None, 4),
        ("heeds_any_answer", None, None, 6, 6),
        ("overtaking", 8, 8, 10, 6),
    ],
)
def test_the_alternating_bit_needs_both_bits_a_fair_link_and_queues(
    check: str,
    doubled: int | None,
    disordered: int | None,
    lossy: int | None,
    undelivered: int | bool | None,
) -> None:
    graph = alternating_bit.explore(**alternating_bit.CHECKS[check])
    assert graph.first(is_doubled) == doubled
    assert graph.first(is_disordered) == disordered
    assert graph.first(is_lossy) == lossy

    def arrived(m: int) -> Predicate:
        return lambda s: m in received(s)

    always: Predicate = lambda s: True  # noqa: E731
    verdicts = [
        blocked
        if (blocked := blocks(graph, always, arrived(m))) is not None
        else livelocks(graph, always, arrived(m), alternating_bit.WEAK, alternating_bit.STRONG)
        for m in (1, 2, 3)
    ]
    steps = [v for v in verdicts if v is not None and not isinstance(v, bool)]
    assert (min(steps) if steps else any(verdicts) or None) == undelivered


@pytest.mark.parametrize(
    ("check", "disagree", "undecided"),
    [
        pytest.param("correct", None, None, marks=pytest.mark.full),
        ("four", None, None),
        ("never_calm", None, True),
        ("nobody_is_suspected", None, 1),
        ("half_down", None, 1),
        ("two_of_four_down", None, 2),
        ("tells_once", None, 5),
        ("half_is_enough", 6, None),
        ("ignores_stamps", 8, True),
        ("fair_weather", None, None),
    ],
)
def test_a_wrong_detector_delays_a_decision_and_too_many_crashes_prevent_it(
    check: str, disagree: int | None, undecided: int | bool | None
) -> None:
    settings = ct_consensus.CHECKS[check]
    graph = ct_consensus.explore(**settings)
    assert graph.first(lambda s: len(ct_consensus.decisions(s)) > 1) == disagree

    def is_settled(p: int) -> Predicate:
        return lambda s: not s[f"{p}.up"] or s[f"{p}.fate"] != ct_consensus.UNDECIDED

    always: Predicate = lambda s: True  # noqa: E731
    processes = range(1, settings.get("processes", 3) + 1)
    blocked = [blocks(graph, always, is_settled(p)) for p in processes]
    steps = [k for k in blocked if k is not None]
    for_ever = not steps and any(
        livelocks(graph, always, is_settled(p), ct_consensus.WEAK) for p in processes
    )
    assert (min(steps) if steps else for_ever or None) == undecided


@pytest.mark.parametrize(
    ("check", "false_alarm", "undetected"),
    [
        ("correct", None, None),
        ("four", None, None),
        ("keeps_quiet", 4, None),
        ("hides_stains", 2, None),
        ("does_not_wait", 2, None),
        ("forgets_itself", 2, None),
        ("never_forgives", None, 0),
    ],
)
def test_a_ring_notices_the_end_of_work_and_only_then(
    check: str, false_alarm: int | None, undetected: int | None
) -> None:
    settings = termination_ring.CHECKS[check]
    graph = termination_ring.explore(**settings)

    def detected(s: Values) -> bool:
        return termination_ring.is_detected(s, settings.get("asks_itself", True))

    idle = termination_ring.is_idle
    assert graph.first(lambda s: detected(s) and not idle(s)) == false_alarm
    assert blocks(graph, idle, detected) == undetected
    if undetected is None:
        assert not livelocks(graph, idle, detected, termination_ring.WEAK)


def test_the_ring_has_as_many_states_as_published() -> None:
    """tlaplus/Examples, its manifests: ewd840/EWD840 with 3 nodes, EWD840_json with 4."""
    assert termination_ring.explore(2).distinct == 302
    assert termination_ring.explore(3).distinct == 1_566


def test_members_are_numbered_from_one() -> None:
    assert members("n", 2) == ["n1", "n2"]
