"""Results that are stored with the progress, sent until answered, and collected."""

from __future__ import annotations

from collections.abc import Iterator

from .common import EMPTY, Graph, Move, Value, Values, members, search

FILE = "protocols/eomp/stored_results.model"
_SMALL = {"receivers": 2, "events": 2, "ids": 3}
CHECKS: dict[str, dict[str, Value]] = {
    "correct": {**_SMALL},
    "deterministic": {**_SMALL, "deterministic": True},
    "inserts_if_absent": {**_SMALL, "commit": "ResultFirst", "insert": "IfAbsent"},
    "overwrites_with_the_same": {
        **_SMALL,
        "commit": "ResultFirst",
        "insert": "Overwrite",
        "deterministic": True,
    },
    "overwrites": {**_SMALL, "commit": "ResultFirst", "insert": "Overwrite"},
    "appends": {**_SMALL, "commit": "ResultFirst"},
    "progress_first": {**_SMALL, "commit": "ProgressFirst"},
    "takes_all": {**_SMALL, "deduplicates": False},
    "not_on_disk": {**_SMALL, "durable": False},
    "no_replay": {**_SMALL, "replays": False},
    "collects_early": {**_SMALL, "keeps": False},
}

WEAK = {"compute", "commit", "begin_commit", "end_commit", "send"}
STRONG = {"receive", "collect"}
FREE = ("Free",)
NEVER, ONCE, AGAIN = ("Never",), ("Once",), ("Again",)


def explore(
    receivers: int,
    events: int,
    ids: int,
    commit: str = "Atomic",
    insert: str = "Append",
    deterministic: bool = False,
    deduplicates: bool = True,
    durable: bool = True,
    replays: bool = True,
    keeps: bool = True,
) -> Graph:
    everyone = members("r", receivers)
    initial: dict[str, Value] = {
        "source.given": 0,
        "source.known": ("map", tuple((e, None) for e in range(1, events + 1))),
        "node.work": FREE,
        "disk.rows": EMPTY,
        "disk.ids": 0,
        "disk.progress": 0,
        "outside.effect": ("map", tuple((e, NEVER) for e in range(1, events + 1))),
        "network.results": EMPTY,
        "network.answers": EMPTY,
        "budget.crash": 0,
    }
    initial |= {f"{r}.seen": EMPTY for r in everyone}

    def put(s: Values, event: int, to: str) -> dict[str, Value]:
        rows, new = s["disk.rows"], s["disk.ids"] + 1
        same = {row for row in rows if row[2] == event}
        if insert == "Append" or not same:
            return {"disk.rows": rows | {("Row", new, event, to)}, "disk.ids": new}
        if insert == "Overwrite":
            return {"disk.rows": rows - same | {("Row", row[1], event, to) for row in same}}
        return {}

    def moves(s: Values) -> Iterator[Move]:
        changes: dict[str, Value]
        work, rows, progress = s["node.work"], s["disk.rows"], s["disk.progress"]
        results, answers = s["network.results"], s["network.answers"]
        following = (progress if replays else s["source.given"]) + 1
        if work == FREE and following <= events:
            known = dict(s["source.known"][1])
            for to in everyone:
                if deterministic and known[following] not in (None, to):
                    continue
                changes = {"node.work": ("Computed", following, to), "source.given": following}
                if deterministic:
                    told = known | {following: to}
                    changes["source.known"] = ("map", tuple(sorted(told.items())))
                yield "compute", (to,), changes
        if work != FREE and s["disk.ids"] < ids:
            stage, event, to = work
            done = {"disk.progress": event}
            stored = put(s, event, to)
            if stage == "Computed" and commit == "Atomic":
                yield "commit", (), {"node.work": FREE} | done | stored
            elif stage == "Computed":
                first = stored if commit == "ResultFirst" else done
                yield "begin_commit", (), {"node.work": ("Half", event, to)} | first
            else:
                second = done if commit == "ResultFirst" else stored
                yield "end_commit", (), {"node.work": FREE} | second
        for row in rows:
            changes = {"network.results": results | {row}}
            if not keeps:
                changes["disk.rows"] = rows - {row}
            yield "send", (row,), changes
        for row in results:
            _, number, event, to = row
            rest = {"network.results": results - {row}}
            changes = rest | {"network.answers": answers | {number}}
            if not deduplicates or number not in s[f"{to}.seen"]:
                effect = dict(s["outside.effect"][1])
                effect[event] = ONCE if effect[event] == NEVER else AGAIN
                changes["outside.effect"] = ("map", tuple(sorted(effect.items())))
                changes[f"{to}.seen"] = s[f"{to}.seen"] | {number}
            yield "receive", (row,), changes
            yield "lose_result", (row,), rest
        for number in answers:
            rest = {"network.answers": answers - {number}}
            answered = {row for row in rows if row[1] == number}
            if all(event <= progress for _, _, event, _ in answered):
                yield "collect", (number,), rest | {"disk.rows": rows - answered}
            yield "lose_answer", (number,), rest
        if s["budget.crash"] < 1:
            changes = {"node.work": FREE, "budget.crash": s["budget.crash"] + 1}
            if not durable:
                changes["disk.rows"] = EMPTY
            yield "crash", (), changes

    return search([initial], moves, {"lose_result", "lose_answer", "crash"})
