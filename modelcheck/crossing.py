"""Search, bounded search and proofs, held against one another.

They share the model and nothing of how they take it apart: where they disagree,
one of them is wrong, and that is a bug of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modelcheck import bounding
from modelcheck.core.agreement import Agreement, Disagreement
from modelcheck.core.model import ERROR_KINDS, Model
from modelcheck.core.outcome import VIOLATED, Found, Outcome
from modelcheck.core.proof import Proof, Proved, Standing
from modelcheck.prove import bounded
from modelcheck.prove.bounded import Bounded
from modelcheck.prove.solver import Settings
from modelcheck.prove.symbols import Unsupported

MOST_STEPS = 6
SECONDS = 10.0
"""How far, and how long, the bounded search goes."""


def cross_check(
    outcome: Outcome,
    proved: Sequence[Proved] = (),
    settings: Settings | None = None,
    most: int = MOST_STEPS,
    seconds: float | None = SECONDS,
) -> Agreement | Disagreement:
    """Whether a search's outcome goes with a bounded search, and with what has been proved.

    proved   what came of the file's proofs; those that are not about this check do not count
    most     steps that the bounded search looks ahead; where the search went less far, fewer
    seconds  for the bounded search
    """
    about = [each for each in proved if _is_instance(outcome.check.model, each.proof)]
    for each in about:
        for wrong in _against_proof(outcome, each):
            return wrong
    agreed = _against_bounded(outcome, settings or Settings(), most, seconds)
    if isinstance(agreed, Disagreement):
        return agreed
    names = tuple(each.proof.name for each in about if any(_proved(each)))
    return Agreement(agreed.steps, agreed.reason, agreed.open, names)


# --- proofs --------------------------------------------------------------------------


def _is_instance(model: Model, proof: Proof) -> bool:
    """Whether the model differs from the proof's only in what that generalises."""
    apart = {*proof.general, "faults"}
    own, others = (
        {name: value for name, value in each if name not in apart}
        for each in (model.settings, proof.settings)
    )
    return own == others and _happens_no_more_often(model, proof.model)


def _happens_no_more_often(model: Model, other: Model) -> bool:
    """Whether every fault's budget is within the other model's."""
    most = {action.name: action.at_most for action in other.actions if action.fault}
    faults = [action for action in model.actions if action.fault]
    return all(each.name in most and _is_within(each.at_most, most[each.name]) for each in faults)


def _is_within(budget: int | None, other: int | None) -> bool:
    return other is None or (budget is not None and budget <= other)


def _proved(proved: Proved) -> Iterator[str]:
    """The names of what is proved for any size."""
    if proved.alive is None:
        return
    for each in proved.concluded:
        if each.standing is Standing.PROVED and each.scope is None:
            yield from (goal.name for goal in (*each.argument.goals, *each.argument.lemmas))


def _against_proof(outcome: Outcome, proved: Proved) -> Iterator[Disagreement]:
    for name in _proved(proved):
        for each in outcome.found:
            if each.name == name and each.verdict in VIOLATED:
                proof = f"the proof `{proved.proof.name}` proves it for any size"
                yield Disagreement(name, _says(each), proof)


# --- bounded search ------------------------------------------------------------------


def _against_bounded(
    outcome: Outcome, settings: Settings, most: int, seconds: float | None
) -> Agreement | Disagreement:
    most = min(most, max(0, outcome.stats.depth - 1)) if not outcome.complete else most
    try:
        found = bounded.search(outcome.check, most, settings, seconds=seconds)
    except Unsupported as unsupported:
        return Agreement(-1, f"the encoding has no formula for {unsupported.what}")
    try:
        bounding.retraced(outcome.check.model, found.met)
    except bounding.NotARun as wrong:
        steps = found.met[wrong.name].steps
        other = f"the bounded search has a run of {_steps(steps)} that {wrong.reason}"
        return Disagreement(wrong.name, _says_of(outcome, wrong.name), other)
    for each in outcome.found:
        if each.name in bounded.judged(outcome.check.model):
            differ = _differ(outcome, each, found)
            if differ is not None:
                return differ
    reason = f"stopped by {', '.join(found.limits)}" if found.limits else None
    return Agreement(found.steps, reason, tuple(found.unsolved))


def _differ(outcome: Outcome, each: Found, found: Bounded) -> Disagreement | None:
    """Whether the two come to it after different numbers of steps, as far as both have looked."""
    met = found.met.get(each.name)
    theirs, ours = each.steps, None if met is None else met.steps
    looked, seen = found.steps, _looked(outcome, each)
    if each.name in found.unsolved:
        looked = min(looked, found.unsolved[each.name][0] - 1)
    if theirs is not None and theirs <= looked and not _is_late(outcome, each):
        agree = ours == theirs if theirs <= seen else ours is not None and ours <= theirs
    elif ours is not None and ours <= seen:
        agree = theirs is not None and theirs <= ours
    else:
        agree = True
    if agree:
        return None
    says = f"comes to it after {_steps(ours)}" if ours is not None else "does not come to it"
    return Disagreement(each.name, _says(each), f"the bounded search {says}, of {_steps(looked)}")


def _looked(outcome: Outcome, each: Found) -> int:
    """The number of steps up to which the search has met all that there is."""
    if outcome.complete:
        return 1 << 62
    # The last level was not expanded; where something stopped the search within a level, the one
    # before it may not have been either.
    last = outcome.stats.depth - 1
    if any(not limit.startswith("depth: ") for limit in outcome.limits):
        last -= 2
    return last - 1 if each.kind == "deadlock" or each.kind in ERROR_KINDS else last


def _is_late(outcome: Outcome, each: Found) -> bool:
    """Whether an error was met in judging what a bounded search does not judge."""
    judged = bounded.judged(outcome.check.model)
    others = (p.name for p in outcome.check.model.properties if p.name not in judged)
    return each.kind in ERROR_KINDS and any(f"`{name}`" in (each.reason or "") for name in others)


def _says_of(outcome: Outcome, name: str) -> str:
    return next((_says(each) for each in outcome.found if each.name == name), "is not judged")


def _says(each: Found) -> str:
    """After "the search says that `Name`"."""
    after = "" if each.steps is None else f" after {_steps(each.steps)}"
    if each.kind == "deadlock" or each.kind in ERROR_KINDS:
        return f"occurs{after}" if each.verdict in VIOLATED else "does not occur"
    return f"{each.verdict.value}{after}" if each.verdict.value != "undecided" else "is undecided"


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"
