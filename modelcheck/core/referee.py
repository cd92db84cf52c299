"""The referee: a check in, an outcome out, by the slow and obvious way."""

from __future__ import annotations

from modelcheck.core.conclude import conclude, why_open
from modelcheck.core.expectations import all_decided, judges_deadlock
from modelcheck.core.limits import Limits
from modelcheck.core.model import Check
from modelcheck.core.outcome import Outcome
from modelcheck.core.progress import Progress
from modelcheck.core.search import explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.verdicts import Case, find_all

__all__ = ["Limits", "Progress", "check"]


def check(
    check: Check,
    limits: Limits | None = None,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """What a search of the check's model finds.

    keep_going  search everything, even when all that the check lists is decided
    progress    called now and then with the counts so far
    """
    run = explore(
        Semantics(check.model),
        limits or Limits(),
        lambda run: not keep_going and all_decided(check, run.safety.is_found),
        progress,
    )
    found = find_all(Case(run, why_open(run.complete, run.limits)), deadlock=judges_deadlock(check))
    return conclude(
        check, found, run.stats, complete=run.complete, limits=run.limits, outside=run.outside
    )
