"""How a violated claim is shown: the time line, what has no place and why; as text and as data."""

from __future__ import annotations

from typing import Any

from modelcheck import api
from modelcheck.core.model import Check
from modelcheck.report.records import check as as_record
from modelcheck.report.violation import report
from modelcheck.source import Source

from .texts import cell, shipped

WRONG_LOCK = """
protocol WrongLock

import "lock.model" (Lock)

type Client = Ann | Bea | Cid
type Stage = Away | Coming | Inside

state
  each Client
    stage: Stage = Away
    gone: bool = false

action come(c in Client)
  when c.stage == Away
  c.stage := Coming
  call lock.acquire(c) by c

## Nobody looks whether somebody else is inside, once somebody has given up.
action enter(c in Client)
  when c.stage == Coming and not c.gone
  when exists d in Client: d.gone
  c.stage := Inside
  return by c

fault leave(c in Client) at most 1
  when c.stage == Coming and not c.gone
  c.gone := true
  abandon c

linearizable lock: Lock(Client = Client)

check only
  expect lock fails
"""


def shown(check: Check, name: str, width: int = 100) -> list[str]:
    outcome = api.check(check)
    return report(outcome, outcome[name], width=width).split("\n\n")


def test_the_time_line_of_two_servers_stands_between_the_table_and_the_excerpt() -> None:
    _, line, excerpt = shown(shipped("single_copy")["two_servers"], "reg")
    assert line.split("\n") == [
        "step  1           3              5",
        "0     [ write(1) -] [ read(): 0 -]  no place",
        "1       [ write(2) --------------- ...",
    ]
    assert "0's `read()` returns 0; in every order that is left it answers 1 or 2" in excerpt
    assert "`reg` then has value = 1 or value = 2" in excerpt


def test_a_return_of_what_cannot_take_effect_says_so() -> None:
    check = api.load_source(Source("lock.model", WRONG_LOCK))["only"]
    _, line, excerpt = shown(check, "lock")
    assert line.split("\n") == [
        "step  1               2 3               4 5               6",
        "Ann   [ acquire(Ann) -x",
        "Bea                     [ acquire(Bea) -]",
        "Cid                                       [ acquire(Cid) -]  no place",
    ]
    assert "it has not taken effect in any order that is left" in excerpt


def test_a_line_that_is_too_wide_is_a_list() -> None:
    *_, line, _ = shown(shipped("single_copy")["two_servers"], "reg", width=34)
    assert line.split("\n") == [
        "   1  0 calls write(1)",
        "   1  1 calls write(2)",
        "   3  0 returns from write(1)",
        "   3  0 calls read()",
        "   5  0 returns 0 from read(): no place",
    ]


def operations(check: Check, name: str) -> list[dict[str, Any]]:
    document = as_record(api.check(check))
    [found] = [each for each in document["properties"] if each["name"] == name]
    result: list[dict[str, Any]] = found["operations"]
    return result


def test_the_operations_are_data_too() -> None:
    first, second, third = operations(shipped("single_copy")["two_servers"], "reg")
    assert first == {
        "caller": "0",
        "operation": "write",
        "arguments": {"v": "1"},
        "call": 1,
        "return": 3,
        "abandoned": None,
        "answer": None,
        "placed": True,
    }
    assert (second["return"], second["placed"]) == (None, True)
    assert (third["answer"], third["return"], third["placed"]) == ("0", 5, False)


def test_other_findings_have_no_operations() -> None:
    document = as_record(api.check(cell()["only"]))
    assert not any("operations" in each for each in document["properties"])
