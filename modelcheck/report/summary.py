"""One line for each check: the verdict, the check, what was found, the instance.

    holds       fenced             1,080 states, depth 15               Node = 2, MAX = 2
    violated    read_before_fence  NoLostUpdate fails after 9 steps, as expected  Node = 2, ...

Lines are printed as checks end. The columns are therefore laid out before the
first one, from what the file expects; a surprise may stand out of line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from attrs import frozen

from modelcheck.core.model import Expectation, ExpectError, ExpectHolds, ExpectProperty
from modelcheck.core.outcome import VIOLATED, Found, Outcome, Verdict
from modelcheck.core.promises import judges_liveness, promises, shown
from modelcheck.report.text import plural, visible, wrap
from modelcheck.report.words import (
    finding,
    is_listed,
    judged,
    mismatch,
    settings,
    surprises,
    verdict,
)

_VERDICT_WIDTH = len("unfinished")
_WIDEST_FINDING = 100
_AS_EXPECTED = ", as expected"
_HANG = " " * (_VERDICT_WIDTH + 2)
_MOST_TOLD = 4  # of what came instead of `holds`, or was left open


@frozen
class Columns:
    """Widths of the columns of one file."""

    name: int
    finding: int

    @classmethod
    def of(
        cls,
        checks: Iterable[tuple[str, Sequence[Expectation]]],
        reachable: Collection[str] = (),
    ) -> Columns:
        """Wide enough for checks that come out as expected.

        reachable  the names of `reachable` properties
        """
        checks = list(checks)
        foreseen = [_foreseen(expected, reachable) for _, expected in checks]
        return cls(
            max((len(name) for name, _ in checks), default=0),
            min(max(foreseen, default=0), _WIDEST_FINDING),
        )


def _foreseen(expectations: Sequence[Expectation], reachable: Collection[str]) -> int:
    """How long the finding of a check will be if it comes out as expected."""
    clauses = [clause for each in expectations if (clause := _clause(each, reachable))]
    counts = len("at least 100 states")
    if any(isinstance(each, ExpectHolds) for each in expectations) or not clauses:
        return counts
    if not all(_ends_early(each, reachable) for each in expectations):
        counts = len("1,000 states, depth 10")
    return len(", ".join(clauses)) + len(_AS_EXPECTED) + len("; ") + counts


def _ends_early(expected: Expectation, reachable: Collection[str]) -> bool:
    """Whether one trace is enough to decide the expectation."""
    match expected:
        case ExpectProperty(name, verdict):
            return verdict == "fails" or name in reachable
        case _:
            return isinstance(expected, ExpectError)


def _clause(expected: Expectation, reachable: Collection[str]) -> str:
    """What will be said of the expectation, the number of steps being a guess."""
    match expected:
        case ExpectProperty(name, "holds") if name in reachable:
            return f"{name} is reached after 4 steps"
        case ExpectProperty(name, "holds" | "livelocks" as verdict):
            return f"{name} {verdict}"
        case ExpectProperty(name, verdict, steps):
            return f"{name} {verdict} after {steps or 10} steps"
        case ExpectError(kind):
            return f"{kind} after 10 steps"
        case _:
            return ""


def line(outcome: Outcome, columns: Columns, width: int | None = None) -> str:
    """The line of a check, without a line end.

    width  where what does not fit goes to lines of its own, below the finding; None: nowhere
    """
    head = f"{verdict(outcome).ljust(_VERDICT_WIDTH)}  {outcome.check.name.ljust(columns.name)}"
    finding, instance = visible(told(outcome)), visible(settings(outcome.check.model.settings))
    whole = f"{visible(head)}  {finding.ljust(columns.finding)}  {instance}".rstrip()
    if width is None or len(whole) <= width:
        return whole
    lines = wrap(f"{visible(head)}  {finding}", width, _HANG)
    lines += [_HANG + each for each in wrap(instance, max(width - len(_HANG), 20))]
    return "\n".join(lines).rstrip()


def told(outcome: Outcome) -> str:
    """The finding: counts for a check that holds, else what was violated or left open."""
    parts: list[str] = []
    found = judged(outcome)
    violated = [each for each in found if each.verdict in VIOLATED]
    surprise = unexpected(outcome)
    if surprise:
        parts.append(f"NOT AS EXPECTED: {surprise}")
    else:
        said = ", ".join(finding(f) for f in found if f in violated or _is_settled(f, outcome))
        if said:
            parts.append(said + (_AS_EXPECTED if outcome.as_expected else ""))
    if outcome.complete:
        parts += few([finding(f) for f in found if f.verdict is Verdict.UNDECIDED])
    if outcome.limits:
        parts.append(f"stopped by {', '.join(outcome.limits)}")
    parts.append(counts(outcome))
    return "; ".join(parts)


def unexpected(outcome: Outcome) -> str:
    """What did not come out, "" if nothing: an expectation, or an error that is not listed."""
    broken = ", ".join(few([finding(found) for found in surprises(outcome)]))
    if outcome.unmet:
        return "; ".join(
            mismatch(expected, broken if isinstance(expected, ExpectHolds) and broken else came)
            for expected, came in outcome.unmet
        )
    return broken


def few(clauses: Sequence[str]) -> list[str]:
    """The clauses, of many the first ones and how many more there are."""
    if len(clauses) <= _MOST_TOLD:
        return list(clauses)
    kept = _MOST_TOLD - 1
    return [*clauses[:kept], f"and {len(clauses) - kept} more"]


def _is_settled(found: Found, outcome: Outcome) -> bool:
    return is_listed(found, outcome) and found.verdict is not Verdict.UNDECIDED


def counts(outcome: Outcome) -> str:
    """`1,080 states, depth 15`; a search that ended early has seen at least that many."""
    stats = outcome.stats
    states = plural(stats.distinct, "state")
    if outcome.complete:
        return f"{states}, depth {stats.depth}"
    if outcome.limits:
        return f"at least {states}, depth at least {stats.depth}"
    return f"at least {states}"


def remarks(outcome: Outcome, known: Collection[str] = ()) -> list[str]:
    """What weakens or qualifies the verdict: a line each, to stand below the check's.

    known  warnings that have been told
    """
    return [
        f"            note: {visible(warning)}"
        for warning in outcome.warnings
        if warning not in known
    ]


def measured(outcome: Outcome) -> list[str]:
    """What the search cost: a line each, to stand below the check's."""
    stats, cost = outcome.stats, outcome.stats.measured
    seconds = max(stats.seconds, 1e-9)
    lines = [
        f"            {stats.generated:,} generated in {stats.seconds:.2f} s: "
        f"{stats.distinct / seconds:,.0f} states/s, {stats.generated / seconds:,.0f} steps/s"
    ]
    if cost is not None:
        each = cost.bytes / max(1, stats.distinct)
        lines += [
            f"            {cost.bits} bits a state, in {plural(cost.words, 'word')}; "
            f"{cost.bytes / (1 << 20):,.1f} MiB allocated, {each:.1f} bytes a state; "
            f"table {cost.load:.0%} full",
            f"            {plural(cost.threads, 'thread')}; {plural(stats.depth, 'level')}; "
            f"compiled in {cost.compile:.2f} s",
        ]
    asked = promises(outcome.check.model)
    if asked and judges_liveness(outcome.check.model):
        total = shown(sum(each.count for each in asked))
        parts = ", ".join(f"{each.action.name} {shown(each.count)}" for each in asked)
        lines.append(f"            fairness is asked for {total} choices: {parts}")
    return lines


def closing(path: str, total: int, results: Sequence[bool | None], vacuous: int = 0) -> str:
    """The last line of a file: how many of its checks came out as expected.

    results  of each check that ran `as_expected`
    vacuous  how many matters were found that `--vacuity error` does not let pass
    """
    met, unmet = results.count(True), results.count(False)
    undecided, missing = results.count(None), total - len(results)
    parts = [f"{met} of {plural(total, 'check')} as expected"]
    if unmet:
        parts.append(f"{unmet} not as expected")
    if undecided:
        parts.append(f"{undecided} not decided")
    if missing:
        parts.append(f"{missing} could not be run")
    if vacuous:
        parts.append(f"{plural(vacuous, 'error')} of vacuity")
    return f"{visible(path)}: {', '.join(parts)}"
