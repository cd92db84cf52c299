"""What came of a proof as a user sees it, and as data."""

from __future__ import annotations

from attrs import evolve

from modelcheck.core.proof import Concluded, Counterexample, Proved, Reach, Standing, Suggestion
from modelcheck.core.trace import Process, Step, Trace
from modelcheck.report.proof import report, summary, verdict
from modelcheck.report.proof_record import record

from .tokens import (
    INSTANCE,
    everything_proved,
    fencing,
    instance,
    no_answer,
    not_inductive,
    run_to_violation,
    stray_token,
)

AGAIN = "modelcheck prove tokens Fencing"


def test_a_proof_says_first_what_it_is_for() -> None:
    assert report(everything_proved()).splitlines() == [
        "proved         Fencing for any Node, MAX  (0.2 s)",
        "               FenceWasGranted by induction: proved, 3 queries",
        "               FenceNeverFalls by induction using TokenWasGranted: proved, 2 queries",
    ]


def test_settings_stand_behind_what_is_left_open() -> None:
    proof = evolve(fencing(), general=("Node",), settings=(("MAX", "3"),))
    first = summary(evolve(everything_proved(), proof=proof)).splitlines()[0]
    assert first == "proved         Fencing for any Node, with MAX = 3  (0.2 s)"
    alone = evolve(fencing(), general=(), settings=(("MAX", "3"),))
    first = summary(evolve(everything_proved(), proof=alone)).splitlines()[0]
    assert first == "proved         Fencing with MAX = 3  (0.2 s)"


def test_a_counterexample_to_induction_is_two_states_and_the_false_line() -> None:
    assert report(not_inductive(), AGAIN).splitlines() == [
        "not inductive  Fencing for any Node, MAX  (0.8 s)",
        "               FenceWasGranted by induction: not inductive, 4 queries",
        "               FenceNeverFalls by induction using TokenWasGranted: proved, 2 queries",
        "",
        "    step       service  store  n1",
        " 0  assumed    0        0      1",
        " 1  write(n1)           1",
        "",
        "unproved[invariant]: FenceWasGranted is not kept by write(n1)",
        "  --> tokens.model:28:3",
        "   |",
        "28 |   store.fence <= service.granted",
        "   |   ^^^^^^^^^^^    ^^^^^^^^^^^^^^^",
        "   |   1              0",
        "   |",
        "   = note: the first state satisfies `FenceWasGranted`",
        "   = note: the first state cannot be reached in this instance: a lemma that rules it out "
        "would help",
        "   = note: the instance is Node = 1, MAX = 1",
        f"   = reproduce: {AGAIN}",
    ]


def test_what_earlier_arguments_have_proved_is_said_to_be_assumed() -> None:
    proved = not_inductive()
    first, second = proved.concluded
    swapped = report(evolve(proved, concluded=(second, first)))
    assert "the first state satisfies `FenceWasGranted` and `TokenWasGranted`" in swapped


def test_whether_the_first_state_can_be_reached_is_said() -> None:
    assert "the first state can be reached" in report(not_inductive(stray_token(Reach.REACHABLE)))
    assert "is not known" in report(not_inductive(stray_token(Reach.UNKNOWN)))


def test_a_suggested_lemma_stands_below_as_the_file_would_have_it() -> None:
    guess = Suggestion("lemma Guess\n  forall n in Node: n.token <= service.granted", 12)
    shown = report(not_inductive(stray_token(suggestion=guess)))
    assert "it was true in all 12 reachable states" in shown
    assert shown.endswith("\n\n    lemma Guess\n      forall n in Node: n.token <= service.granted")


def test_a_run_is_a_violation_like_any_other() -> None:
    shown = report(run_to_violation(), AGAIN)
    assert " 0  init       0        0      0" in shown
    assert "violated[invariant]: FenceWasGranted, after step 1" in shown
    assert "assumed" not in shown


def test_a_witness_replaces_the_two_states() -> None:
    model = instance().model
    grant = Step(model.actions[0], (0,), Process("Node", 0))
    write = Step(model.actions[1], (0,), Process("Node", 0))
    states = ((0, 0, (0,)), (0, 0, (1,)), (0, 1, (1,)))
    met = evolve(stray_token(Reach.REACHABLE), witness=Trace(states, (grant, write)))
    shown = report(not_inductive(met))
    assert "violated[invariant]: FenceWasGranted, after step 2" in shown


def test_a_false_lemma_is_said_to_prove_nothing() -> None:
    model = instance().model
    grant = Step(model.actions[0], (0,), Process("Node", 0))
    trace = Trace(((0, 0, (0,)), (0, 0, (1,))), (grant,))
    met = Counterexample(INSTANCE, model, trace, "TokenWasGranted", 0, True, Reach.REACHABLE)
    first, second = fencing().arguments
    proved = evolve(
        everything_proved(),
        concluded=(
            Concluded(first, Standing.PROVED, ()),
            Concluded(second, Standing.NOT_INDUCTIVE, (), met),
        ),
    )
    assert "a lemma that is false somewhere proves nothing: `TokenWasGranted`" in report(proved)


def test_a_step_that_breaks_a_step_property_does_not_keep_it() -> None:
    model = instance().model
    write = Step(model.actions[1], (0,), Process("Node", 0))
    trace = Trace(((1, 1, (0,)), (1, 0, (0,))), (write,))
    met = Counterexample(INSTANCE, model, trace, "FenceNeverFalls", 0, False, Reach.UNKNOWN)
    first, second = fencing().arguments
    concluded = (
        Concluded(first, Standing.PROVED, ()),
        Concluded(second, Standing.NOT_INDUCTIVE, (), met),
    )
    shown = report(evolve(everything_proved(), concluded=concluded))
    assert "unproved[step]: FenceNeverFalls does not hold of write(n1)" in shown


def test_without_an_answer_it_is_said_which_query_had_none() -> None:
    shown = report(no_answer(), AGAIN)
    assert shown.startswith("unknown        Fencing for any Node, MAX  (20.5 s)\n")
    assert shown.endswith(
        "unknown: FenceWasGranted by induction\n"
        "  = note: one query has no answer\n"
        "  = note: `FenceWasGranted`, line 2, after write was not answered: timeout\n"
        f"  = reproduce: {AGAIN}"
    )


def test_a_proof_about_nothing_is_not_proved() -> None:
    empty: Proved = evolve(everything_proved(), alive=None)
    assert verdict(empty) == "unknown"
    assert "no instance was found in which the axioms hold" in " ".join(report(empty).split())


def test_the_record_has_the_same_content() -> None:
    made = record(not_inductive())
    assert (made["name"], made["verdict"]) == ("Fencing", "not inductive")
    first, second = made["arguments"]
    assert second["lemmas"] == ["TokenWasGranted"]
    assert [each["answer"] for each in first["queries"]][-1] == "counterexample"
    met = first["counterexample"]
    assert (met["name"], met["line"], met["place"]["line"]) == ("FenceWasGranted", 2, 28)
    assert met["instance"] == {"Node": "1", "MAX": "1"}
    assert [each["action"] for each in met["trace"]] == [None, "write"]
    assert (met["reach"], met["run"]) == ("not in this scope", None)
    assert record(run_to_violation())["arguments"][0]["counterexample"]["run"] is not None
    assert second["counterexample"] is None
