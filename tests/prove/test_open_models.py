"""The model of a proof: what stays open in it, what is set, and its finite instances."""

from __future__ import annotations

import pytest

import modelcheck
from modelcheck.core.model import Invariant, StepProperty
from modelcheck.core.proof import Proof
from modelcheck.core.semantics import Semantics
from modelcheck.core.terms import Arithmetic, Number, Parameter, Read, Subsets, Universe, Values
from modelcheck.core.types import BOOL, INT, Int, Map, Range, Seq, Set, Sort, Type
from modelcheck.resolve.proof import instances, open_proof, proof_instance

from .tokens import PROOF, TOKENS, opened

NODE = Sort("Node", None)
UP_TO_MAX = Int(Number(0), Parameter("MAX"))

QUORUMS = """\
protocol Quorums

param MAX: int
param SPARE: int = MAX + 1
param LIMIT: int
param FAST: bool
param READERS, WRITERS: set of Node
param HOME: map Node to Place
sort Node
type Place = Near | Far

state
  service
    granted: 0..MAX = 0
    spare: 0..SPARE = 0
    fixed: 0..LIMIT = 0
    log: seq of Node up to MAX = []
  each Node
    seen: set of Node = {}

action grant(n in READERS)
  when FAST and service.granted < MAX
  service.granted := service.granted + 1

fault crash(n in Node) at most LIMIT
  n.seen := {}

stops when size(READERS) == 0

axiom QuorumsMeet
  exists n in READERS: n in WRITERS
  MAX > LIMIT

invariant Low
  service.granted <= MAX

invariant Few
  size(READERS) <= 3

proof Bounds
  for any Node, MAX, FAST, READERS, WRITERS, HOME
  with LIMIT = 2
  Low by k-induction 2 using QuorumsMeet
"""


def of(text: str, name: str) -> Proof:
    """The proof, open."""
    return open_proof(opened(text).resolved, name)


def ids(text: str) -> list[str]:
    """What is wrong with a file as it is read."""
    try:
        opened(text)
    except modelcheck.Refused as refused:
        return [each.id for each in refused.diagnostics]
    return []


def variable_types(proof: Proof) -> dict[str, Type]:
    return {each.full_name: each.type for each in proof.model.variables}


# --- open ----------------------------------------------------------------------------


def test_numbers_and_sorts_stay_open_and_bounds_are_terms() -> None:
    types = variable_types(of(QUORUMS, "Bounds"))
    assert types["service.granted"] == UP_TO_MAX
    assert types["service.spare"] == Int(Number(0), Arithmetic("+", Parameter("MAX"), Number(1)))
    assert types["service.fixed"] == Range(0, 2)
    assert types["service.log"] == Seq(NODE, None)
    assert types["Node.seen"] == Set(NODE)


def test_sets_and_maps_are_variables_that_begin_as_anything() -> None:
    proof = of(QUORUMS, "Bounds")
    names = [proof.model.variables[position].full_name for position in proof.fixed]
    assert names == ["parameters.READERS", "parameters.WRITERS", "parameters.HOME"]
    first, _, third = (proof.model.initial[position] for position in proof.fixed)
    assert first.choice == Subsets(Universe(NODE))
    home = proof.model.variables[proof.fixed[2]].type
    assert isinstance(home, Map)
    assert third.choice == Values(Universe(home))
    grant = proof.model.actions[0]
    domain = grant.binders[0].domain
    assert isinstance(domain, Values)
    assert domain.term == Read(proof.model.variables[proof.fixed[0]])


def test_a_truth_value_stays_a_parameter() -> None:
    guard = of(QUORUMS, "Bounds").model.actions[0].body[0]
    assert Parameter("FAST", type=BOOL) in guard.condition.operands  # type: ignore[union-attr]


def test_what_is_set_and_argued_is_as_written() -> None:
    proof = of(QUORUMS, "Bounds")
    assert proof.general == ("Node", "MAX", "FAST", "READERS", "WRITERS", "HOME")
    assert proof.settings == (("LIMIT", "2"),)
    (argument,) = proof.arguments
    assert ([each.name for each in argument.goals], argument.k) == (["Low"], 2)
    assert argument.lemmas == ()
    (axiom,) = proof.axioms
    assert (axiom.name, len(axiom.parts)) == ("QuorumsMeet", 2)


def test_only_what_the_proof_is_about_is_in_its_model() -> None:
    proof = of(QUORUMS, "Bounds")
    assert [each.name for each in proof.model.properties] == ["Low"]
    assert proof.model.stops is None


def test_goals_may_be_steps_and_parts_of_templates() -> None:
    text = TOKENS.replace(
        "\nstate\n", "\ntemplate Once\n  invariant OneEffect\n    1 > 0\n\nstate\n"
    )
    text += "\nuse Once as Sink\n\nproof P\n  for any Node, MAX\n"
    text += "  FenceNeverFalls, Sink.OneEffect by induction\n"
    (argument,) = of(text, "P").arguments
    step, part = argument.goals
    assert isinstance(step, StepProperty) and isinstance(part, Invariant)
    assert part.name == "Sink.OneEffect"


def test_a_constant_that_names_no_open_parameter_is_closed_as_in_a_check() -> None:
    proof = of(
        TOKENS + "\nproof P\n  for any Node\n  with MAX = 3\n  FenceNeverFalls by induction\n", "P"
    )
    assert variable_types(proof)["store.fence"] == Range(0, 3)


# --- instances -----------------------------------------------------------------------


def test_an_instance_is_closed_and_its_axioms_filter_initial_states() -> None:
    file = opened(QUORUMS)
    sizes = {"Node": 2, "MAX": 3, "FAST": 1}
    model = proof_instance(file.resolved, "Bounds", sizes).model
    assert [each.type for each in model.variables if each.name == "granted"] == [Range(0, 3)]
    assert model.settings == (("Node", "2"), ("MAX", "3"), ("FAST", "1"), ("LIMIT", "2"))
    assert len(model.init) == 1
    # Of 16 pairs of sets over two nodes 7 meet; each node has one of two places.
    assert len(list(Semantics(model).initial_states())) == 7 * 4


def test_an_instance_that_the_file_refuses_is_none() -> None:
    instance = instances(opened(QUORUMS).resolved, "Bounds")
    assert instance({"Node": 2, "MAX": 3, "FAST": 0}) is not None
    assert instance({"Node": 2, "MAX": 2, "FAST": 0}) is None  # the axiom is false
    assert instance({"Node": 0, "MAX": 3, "FAST": 0}) is None


def test_an_axiom_that_is_false_in_an_instance_is_told() -> None:
    with pytest.raises(modelcheck.Refused) as refused:
        sizes = {"Node": 2, "MAX": 1, "FAST": 1}
        proof_instance(opened(QUORUMS).resolved, "Bounds", sizes)
    assert [each.id for each in refused.value.diagnostics] == ["axiom-false"]


def test_axioms_hold_in_checks_too() -> None:
    text = QUORUMS + "\ncheck small\n  Node = 2, MAX = 2, LIMIT = 2, FAST = true\n"
    text += "  READERS = Node, WRITERS = Node, HOME = each n in Node: Near\n  expect holds\n"
    with pytest.raises(modelcheck.Refused) as refused:
        opened(text)["small"]
    assert [each.id for each in refused.value.diagnostics] == ["axiom-false"]
    assert opened(text.replace("MAX = 2, LIMIT = 2", "MAX = 2, LIMIT = 1"))["small"]


# --- refusals ------------------------------------------------------------------------


def test_every_proof_of_a_file_is_judged_as_it_is_read() -> None:
    assert ids(QUORUMS) == []
    assert ids(QUORUMS.replace("Low by k-induction 2", "Few by induction")) == ["open-count"]
    assert ids(QUORUMS.replace("  with LIMIT = 2\n", "")) == ["unset-in-proof"]
    without = QUORUMS.replace("WRITERS, HOME\n", "WRITERS, HOME, LIMIT\n")
    assert ids(without.replace("  with LIMIT = 2\n", "")) == ["open-bound"]


def test_initial_values_and_types_do_not_depend_on_sets_left_open() -> None:
    begins = QUORUMS.replace("seen: set of Node = {}", "seen: set of Node = READERS")
    assert ids(begins) == ["open-initial"]
    typed = QUORUMS.replace("fixed: 0..LIMIT", "fixed: 0..min({2, LIMIT})")
    assert ids(typed) == []
    assert ids(typed.replace("{2, LIMIT}", "{k in 0..2 where empty(READERS)}")) != []


@pytest.mark.parametrize(
    ("counting", "refused"),
    [
        ("size(READERS) <= 3", True),
        ("(count n in Node: n in READERS) <= 3", True),
        ("(sum k in 0..MAX: k) <= 3", True),
        ("(count p in Place: p == Near) <= 3", False),
        ("len(service.log) <= 3", False),
        ("majority(READERS) or empty(READERS)", False),
    ],
)
def test_counting_over_something_of_any_size_is_refused(counting: str, refused: bool) -> None:
    text = QUORUMS.replace("service.granted <= MAX\n", f"{counting}\n", 1)
    assert ids(text) == (["open-count"] if refused else [])


def test_a_lemma_that_is_the_goal_under_another_name_is_refused() -> None:
    same = "\nlemma Again\n  store.fence >= 0\n  store.fence <= service.granted\n"
    proof = PROOF.replace(
        "FenceWasGranted by induction", "FenceWasGranted by induction using Again"
    )
    assert ids(TOKENS + same + proof) == ["lemma-is-goal"]
    other = same.replace(">= 0", ">= 0 - 1")
    assert ids(TOKENS + other + proof) == []


def test_numbers_with_open_bounds_are_numbers() -> None:
    text = TOKENS + "\nlet larger(a: 0..MAX, b: int) = if a > b then a else b\n"
    text += "\ninvariant Compared\n  larger(store.fence, service.granted) + 1 > 0\n"
    text += "\nproof P\n  for any Node, MAX\n  Compared by induction\n"
    (argument,) = of(text, "P").arguments
    call = argument.goals[0].parts[0].left[0].left  # type: ignore[union-attr]
    assert call.function.parameters == (("a", UP_TO_MAX), ("b", UP_TO_MAX))
    assert call.type in (UP_TO_MAX, INT)
