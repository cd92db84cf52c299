"""Checks: what they set, which faults they allow, what they expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .draft import Draft
from .kinds import Sort

Verdicts = Mapping[str, tuple[str, str, int | None]]
"""For a property its kind, the verdict that came out, and in how many steps."""


def settings(d: Draft, *, base: bool) -> dict[str, str]:
    """Values for parameters and sorts; `base` sets everything, the others may leave defaults."""
    chosen: dict[str, str] = {}
    for sort in [*d.world.sorts, *d.world.hidden]:
        chosen[sort.ref] = str(_count(d, sort, base))
    for each in d.world.parameters:
        if base or each.default is None or d.chance.roll(0.5):
            chosen[each.name] = d.chance.pick(each.values)
            if base and each.default is not None and d.chance.roll(0.4):
                del chosen[each.name]
    return chosen


def _count(d: Draft, sort: Sort, base: bool) -> int:
    return sort.most if base and d.chance.roll(0.7) else d.chance.between(sort.least, sort.most)


def faults(d: Draft) -> str | None:
    """A `faults` line, if there is one."""
    names = [action.name for action in d.world.actions if action.fault]
    if not d.chance.feature("faults line", 0.45):
        return None
    if not names or d.chance.feature("faults none", 0.35):
        return "faults none"
    budgets = [
        f"{name} = {'any' if d.chance.roll(0.65) else d.chance.between(0, 2)}"
        for name in d.chance.some(names, 1, len(names))
    ]
    return f"faults {', '.join(budgets)}"


def check_lines(
    name: str, like: str | None, chosen: dict[str, str], fault_line: str | None, expected: list[str]
) -> list[str]:
    """The text of a check."""
    lines = [f"check {name}{f' like {like}' if like else ''}"]
    if chosen:
        lines.append("  " + ", ".join(f"{key} = {value}" for key, value in chosen.items()))
    if fault_line is not None:
        lines.append(f"  {fault_line}")
    return [*lines, *(f"  expect {each}" for each in expected)]


def expectations(d: Draft, verdicts: Verdicts, counts: Sequence[tuple[str, int]]) -> list[str]:
    """What a check expects: mostly what came out, now and then something else."""
    chance = d.chance
    errors_found = [name for name, (kind, verdict, _) in verdicts.items() if kind == name]
    names = [name for name in verdicts if name not in errors_found]
    lines: list[str] = []
    sound = all(verdict in ("holds", "undecided") for _, verdict, _ in verdicts.values())
    if chance.roll(0.65 if sound else 0.25) or not names:
        lines.append("holds")
    else:
        listed = [_expected(d, name, *verdicts[name]) for name in _listed(d, names, verdicts)]
        errors = ["deadlock", "range", "capacity", "undefined", "two-writes"]
        for each in errors:
            if chance.feature(f"expect {each}", 0.8 if each in errors_found else 0.045):
                listed.append(each)
        lines = [", ".join(listed)] if chance.roll(0.7) else listed
    for word, count in counts:
        if chance.feature(f"expect {word}", 0.12):
            wrong = 1 if chance.roll(0.1) else 0
            lines.append(f"{word} {count + wrong}")
    return lines


def _listed(d: Draft, names: list[str], verdicts: Verdicts) -> list[str]:
    """Some of the properties; those that block or livelock are rare, and welcome."""
    rare = [name for name in names if verdicts[name][1] in ("blocks", "livelocks")]
    listed = d.chance.some(names, 1, 3)
    return listed + [name for name in rare if name not in listed]


def _expected(d: Draft, name: str, kind: str, verdict: str, steps: int | None) -> str:
    options = {
        "liveness": ["holds", "blocks", "livelocks"],
        "refines": ["holds", "fails"],
    }.get(kind, ["holds", "fails"])
    if verdict not in options or d.chance.roll(0.3 if kind == "liveness" else 0.12):
        verdict, steps = d.chance.pick(options), None
    text = f"{name} {verdict}"
    takes_steps = verdict in ("fails", "blocks") and kind != "reachable"
    if takes_steps and d.chance.feature("in steps", 0.35):
        text += f" in {d.chance.between(0, 4) if steps is None else steps} steps"
    return text
