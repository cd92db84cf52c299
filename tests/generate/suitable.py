"""From a seed to a model of a size that can be searched, with properties worth judging.

A draft has no checks and too many properties. Its states are searched once;
drafts with too few or too many are thrown away, and of the properties most of
those that are plainly false. The checks then expect what the search found,
or now and then something else.
"""

from __future__ import annotations

from modelcheck.core.limits import Limits
from modelcheck.core.model import Check
from modelcheck.core.outcome import VIOLATED, Found
from modelcheck.core.search import Exploration, explore
from modelcheck.core.semantics import Semantics
from modelcheck.core.verdicts import Case, find_all
from modelcheck.diagnostics import Refused

from .chance import Stuck
from .checks import Verdicts, check_lines, expectations, faults, settings
from .draft import Block, Draft
from .generated import MAIN, Generated
from .keeping import keep, kept
from .layout import text_of
from .loading import load
from .model import behaviour, claims
from .proofs import declare_proof
from .size import size_of

LEAST = 50
"""How many states most models are to have."""

_USUAL, _SMALL, _LARGE = (LEAST, 1_000, 5_000), (4, 1_000, 5_000), (4 * LEAST, 3_000, 15_000)
_SIZES = [*[_USUAL] * 7, _SMALL, *[_LARGE] * 2]
"""At least so many states, and at most so many states and steps: few models take a second."""

_RARE = ("liveness", "refines", "deadlock")
"""Kinds of properties of which more than others are kept although they fail."""

_ATTEMPTS = 200
_PROTOCOL = "Drawn"


def generate(seed: int) -> Generated:
    """The model of this seed. It takes most of a second, so a run of all tests keeps it."""
    return kept(seed) or keep(_generated(seed))


def _generated(seed: int) -> Generated:
    for attempt in range(_ATTEMPTS):
        made = _attempt(seed, attempt)
        if made is not None:
            return made
    raise AssertionError(f"no suitable model in {_ATTEMPTS} attempts for the seed {seed}")


def _attempt(seed: int, attempt: int) -> Generated | None:
    try:
        d = behaviour(seed, attempt)
    except Stuck:
        return None
    least, *most = d.chance.pick(_SIZES)
    chosen = settings(d, base=True)
    size = size_of(_closed(d, chosen).model, *most)
    if size is None or size.states < least:
        return None
    claims(d)
    if not _is_accepted(d, chosen):  # an axiom that is false for what is set
        d.blocks = [block for block in d.blocks if block.word != "axiom"]
    run = explore(Semantics(_closed(d, chosen).model), Limits(), lambda _: False)
    judged = find_all(Case(run, None), deadlock=True)
    _prune(d, judged)
    if d.chance.feature("proof", 0.3):
        _prove(d, chosen)
    made = _checks(d, chosen, run, judged)
    return Generated(seed, _files(d, [*d.blocks, *made], laid_out=True), attempt)


def _is_accepted(d: Draft, chosen: dict[str, str]) -> bool:
    try:
        _closed(d, chosen)
    except Refused:
        return False
    return True


def _prove(d: Draft, chosen: dict[str, str]) -> None:
    """A proof, if the file has one to offer; of what may not be left open nothing is."""
    before = list(d.blocks)
    for leaves_open in (True, False):
        if declare_proof(d, chosen, leaves_open=leaves_open) and _is_accepted(d, chosen):
            return
        d.blocks = list(before)


def _closed(d: Draft, chosen: dict[str, str]) -> Check:
    """The file under these settings."""
    lines = check_lines("probe", None, chosen, None, ["holds"])
    return load(_files(d, [*d.blocks, Block("check", "probe", tuple(lines))])).check("probe")


def _files(d: Draft, blocks: list[Block], *, laid_out: bool = False) -> dict[str, str]:
    if laid_out:
        return {MAIN: text_of(d.chance, _PROTOCOL, blocks), **d.others}
    plain = "\n\n".join("\n".join(block.lines) for block in blocks)
    return {MAIN: f"protocol {_PROTOCOL}\n\n{plain}\n", **d.others}


# --- properties and checks ---------------------------------------------------------


def _prune(d: Draft, found: tuple[Found, ...]) -> None:
    """Keep what holds, and in some files a little of what does not."""
    failing = [each.name for each in found if each.verdict in VIOLATED]
    kept = d.chance.some(failing, 1, 3) if d.chance.roll(0.42) else []
    kept += [each.name for each in found if each.kind in _RARE and d.chance.roll(0.4)]
    gone = [name.split(".")[0] for name in failing if name not in kept]
    # A claim that is violated stays: actions call its object.
    stays = ("action", "type", "linearizable")
    d.blocks = [b for b in d.blocks if b.name not in gone or b.word in stays]
    if "deadlock" in gone:
        d.blocks = [b for b in d.blocks if b.word != "stops"]
        d.add("stops", "", ["stops when true"])


def _checks(
    d: Draft, chosen: dict[str, str], run: Exploration, found: tuple[Found, ...]
) -> list[Block]:
    broken = [each for each in found if each.verdict in VIOLATED]
    words = {block.name.split(".")[0] for block in d.blocks}
    verdicts: Verdicts = {
        each.name: (each.kind, each.verdict.value, each.steps)
        for each in found
        if each.name.split(".")[0] in words or (each.kind == each.name and each in broken)
    }
    counts = [("distinct", run.distinct), ("generated", run.generated)]
    counts.append(("depth", run.depth))
    first = "small"
    expected = expectations(d, verdicts, counts)
    made = [Block("check", first, tuple(check_lines(first, None, chosen, None, expected)))]
    for name in d.chance.some(["other", "wide", "calm"], 0, 2):
        block = _other(d, name, first, verdicts)
        try:
            closed = load(_files(d, [*d.blocks, made[0], block])).check(name)
        except Refused:  # an axiom that is false for what this one sets
            continue
        size = size_of(closed.model, *_USUAL[1:])
        if size is not None and size.states > 0:  # without an initial state there is no check
            made.append(block)
    return made


def _other(d: Draft, name: str, first: str, verdicts: Verdicts) -> Block:
    like = first if d.chance.feature("like", 0.5) else None
    chosen = settings(d, base=False)
    if like is not None and d.chance.roll(0.5):
        names = d.chance.some(list(chosen), 0, len(chosen))
        chosen = {key: chosen[key] for key in names}
    expected = expectations(d, verdicts, [])
    lines = check_lines(name, like, chosen, faults(d), expected)
    return Block("check", name, tuple(lines))
