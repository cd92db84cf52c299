"""One line for each check, and the warnings about a file."""

from __future__ import annotations

from attrs import evolve
from fenced_leader_by_hand import ACTIONS, CHECK, MODEL, TRACE, span

from modelcheck.core.model import (
    Action,
    Check,
    Expectation,
    ExpectCount,
    ExpectError,
    ExpectHolds,
    ExpectProperty,
)
from modelcheck.core.outcome import Found, Outcome, Said, Stats, Verdict
from modelcheck.core.terms import Guard, Not, Truth
from modelcheck.report import summary
from modelcheck.report.snippet import diagnostic
from modelcheck.report.vacuity import file_warnings
from modelcheck.report.words import expectation, verdict

SMALL = evolve(MODEL, settings=(("Node", "2"),))
STATS = Stats(1080, 4101, 15, ())
NO_LOST_UPDATE = Found("NoLostUpdate", "step", Verdict.FAILS, 9, TRACE)
OPEN = Found("CounterFull", "reachable", Verdict.UNDECIDED, reason="the search ended")
HOLDS = ExpectHolds()
FAILS = ExpectProperty("NoLostUpdate", "fails")


def outcome(*found: Found, expect: tuple[Expectation, ...] = (HOLDS,), **more: object) -> Outcome:
    check = Check("small", SMALL, expect)
    fields = {"complete": True, "limits": (), "as_expected": True, **more}
    return Outcome(check, STATS, found=found, **fields)  # type: ignore[arg-type]


def line(result: Outcome) -> str:
    columns = summary.Columns(len("read_before_fence"), 0)
    return summary.line(result, columns)


def test_a_check_that_holds_tells_its_counts_and_its_instance() -> None:
    assert line(outcome()) == ("holds       small              1,080 states, depth 15  Node = 2")


def test_an_expected_failure_is_one_line_whatever_else_was_left_open() -> None:
    result = outcome(NO_LOST_UPDATE, OPEN, expect=(FAILS,), complete=False)
    assert line(result) == (
        "violated    small              NoLostUpdate fails after 9 steps, as expected; "
        "at least 1,080 states  Node = 2"
    )


def test_a_violation_in_another_number_of_steps_is_not_as_expected() -> None:
    in_8 = ExpectProperty("NoLostUpdate", "fails", 8)
    unmet = ((in_8, "NoLostUpdate fails in 9 steps"),)
    result = outcome(NO_LOST_UPDATE, expect=(in_8,), as_expected=False, unmet=unmet)
    assert summary.told(result) == (
        "NOT AS EXPECTED: expected NoLostUpdate fails in 8 steps, "
        "got NoLostUpdate fails in 9 steps; 1,080 states, depth 15"
    )


def test_an_error_that_no_check_lists_is_never_as_expected() -> None:
    error = Found("range", "range", Verdict.FAILS, 3, TRACE)
    result = outcome(error, NO_LOST_UPDATE, expect=(FAILS,), as_expected=False)
    assert summary.told(result).startswith("NOT AS EXPECTED: range after 3 steps")


def test_a_limit_is_told_and_counts_are_lower_bounds() -> None:
    result = outcome(OPEN, complete=False, limits=("states: 1000",), as_expected=None)
    assert line(result) == (
        "unfinished  small              "
        "stopped by states: 1000; at least 1,080 states, depth at least 15  Node = 2"
    )


def test_what_is_undecided_in_a_complete_search_is_told() -> None:
    undecided = Found("Reg", "linearizable", Verdict.UNDECIDED, reason="no engine decides it yet")
    result = outcome(undecided, as_expected=None)
    assert verdict(result) == "unfinished"
    assert summary.told(result) == (
        "Reg is undecided: no engine decides it yet; 1,080 states, depth 15"
    )


def test_holds_is_said_only_of_a_complete_search() -> None:
    reached = Found("TwoLeaders", "reachable", Verdict.HOLDS, 5, TRACE)
    expected = (ExpectProperty("TwoLeaders", "holds"),)
    early = outcome(reached, OPEN, expect=expected, complete=False)
    assert verdict(early) == "unfinished"
    assert summary.told(early).startswith("TwoLeaders is reached after 5 steps, as expected")


def test_what_is_not_listed_does_not_decide() -> None:
    listed = Found("FenceNeverFalls", "step", Verdict.HOLDS)
    expected = (ExpectProperty("FenceNeverFalls", "holds"),)
    result = outcome(listed, NO_LOST_UPDATE, expect=expected)
    assert verdict(result) == "holds"
    assert "NoLostUpdate" not in summary.told(result)


def test_columns_are_wide_enough_for_what_is_expected() -> None:
    columns = summary.Columns.of([("fenced", (HOLDS,)), ("read_before_fence", (FAILS,))])
    fine = summary.line(outcome(), columns)
    early = outcome(NO_LOST_UPDATE, complete=False)
    early = evolve(early, stats=evolve(STATS, distinct=558))
    broken = summary.line(evolve(early, check=Check("read_before_fence", SMALL, (FAILS,))), columns)
    assert fine.index("Node = 2") == broken.index("Node = 2")
    assert fine.index("1,080") == broken.index("NoLostUpdate")


def test_room_is_kept_for_how_soon_something_is_reached() -> None:
    reached = Found("Full", "reachable", Verdict.HOLDS, 4, TRACE)
    expected = (ExpectProperty("Full", "holds"),)
    columns = summary.Columns.of([("small", expected)], {"Full"})
    early = evolve(
        outcome(reached, expect=expected, complete=False), stats=evolve(STATS, distinct=9)
    )
    assert len(summary.told(early)) <= columns.finding
    assert summary.Columns.of([("small", expected)]).finding < columns.finding


def test_of_many_surprises_the_first_are_named() -> None:
    broken = [Found(f"P{i}", "invariant", Verdict.FAILS, 1, TRACE) for i in range(6)]
    came = ", ".join(f"P{i} fails in 1 step" for i in range(6))
    result = outcome(*broken, as_expected=False, unmet=((HOLDS, came),))
    assert summary.told(result) == (
        "NOT AS EXPECTED: expected holds, got P0 fails after 1 step, P1 fails after 1 step, "
        "P2 fails after 1 step, and 3 more; 1,080 states, depth 15"
    )


def test_on_a_terminal_the_instance_goes_below_where_it_does_not_fit() -> None:
    columns = summary.Columns(len("small"), 0)
    result = outcome(NO_LOST_UPDATE, expect=(FAILS,), complete=False)
    assert summary.line(result, columns, 60).splitlines() == [
        "violated    small  NoLostUpdate fails after 9 steps, as",
        "            expected; at least 1,080 states",
        "            Node = 2",
    ]
    assert len(summary.line(result, columns, 100).splitlines()) == 1


def test_expectations_read_as_the_file_writes_them() -> None:
    assert expectation(ExpectProperty("P", "blocks", 1)) == "P blocks in 1 step"
    assert expectation(ExpectError("two-writes")) == "two-writes"
    assert expectation(ExpectCount("distinct", 1080)) == "distinct 1080"


def test_the_closing_line_counts_what_came_out() -> None:
    assert summary.closing("a.model", 3, [True, True, True]) == "a.model: 3 of 3 checks as expected"
    assert summary.closing("a.model", 5, [True, False, None, True]) == (
        "a.model: 2 of 5 checks as expected, 1 not as expected, 1 not decided, 1 could not be run"
    )


# --- warnings about a file -------------------------------------------------------------


def _with_resume(*, fresh_tokens: bool, enabled: int, name: str, complete: bool = True) -> Outcome:
    guard = Guard(
        Not(Truth(fresh_tokens, span=span("FRESH_TOKENS")), span=span("not FRESH_TOKENS"))
    )
    resume: Action = evolve(ACTIONS["resume"], body=(guard,), span=span("action resume(n in Node)"))
    check = evolve(CHECK, name=name, model=evolve(MODEL, actions=(resume,)))
    stats = evolve(STATS, enabled=(("resume", enabled),))
    return Outcome(check, stats, complete, (), (), True)


def test_an_action_that_no_check_enables_is_told_with_its_false_guard() -> None:
    outcomes = [
        _with_resume(fresh_tokens=True, enabled=0, name=name)
        for name in ("fenced", "read_before_fence")
    ]
    (warning,) = file_warnings(outcomes)
    assert diagnostic(warning).splitlines() == [
        "warning[always-disabled]: `resume` is enabled in no reachable state of any check",
        " --> fenced_leader.model:4:1",
        "  |",
        "4 | action resume(n in Node)",
        "  | ^^^^^^^^^^^^^^^^^^^^^^^^",
        "  |",
        "  = note: its guard `not FRESH_TOKENS` is false in `fenced` and `read_before_fence`",
        "  = help: add a check that enables it, or remove the action",
    ]


def test_one_check_that_enables_an_action_is_enough() -> None:
    assert not file_warnings(
        [
            _with_resume(fresh_tokens=True, enabled=0, name="fenced"),
            _with_resume(fresh_tokens=False, enabled=7, name="reused_token"),
        ]
    )


def test_after_an_early_end_the_warning_claims_no_more_than_was_seen() -> None:
    (warning,) = file_warnings(
        [_with_resume(fresh_tokens=True, enabled=0, name="fenced", complete=False)]
    )
    assert warning.headline == "`resume` is enabled in no state visited by any check"
    assert "`--keep-going` visits every state" in warning.help[0]


def test_a_property_whose_trigger_never_came_up_is_vacuous() -> None:
    idle = Found("NoLostUpdate", "step", Verdict.HOLDS, said=(Said(False, False, True),))
    (warning,) = file_warnings([outcome(idle)])
    assert warning.id == "vacuous"
    assert "NoLostUpdate" in warning.headline
    assert not file_warnings([outcome(idle), outcome(evolve(idle, said=(Said(True, True, True),)))])
    assert not file_warnings([outcome(evolve(idle, verdict=Verdict.UNDECIDED))])


def test_a_search_that_hit_a_limit_says_nothing_about_the_file() -> None:
    idle = Found("NoLostUpdate", "step", Verdict.HOLDS, said=(Said(False, False, True),))
    assert not file_warnings([outcome(idle, limits=("states: 10",))])
