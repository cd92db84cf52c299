"""Templates, imports and libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import api
from modelcheck.core.outcome import Outcome
from modelcheck.diagnostics import Refused
from modelcheck.source import Source

from .small import refused, run, verdicts

TEMPLATE = """
template AtMost(Thing: type, LIMIT: int, held(t: Thing): int, done: bool)
  invariant Few
    forall t in Thing: held(t) <= LIMIT
  step Grows
    forall t in Thing: held(t)' >= held(t)
  reachable Done
    done
  always possible Finish
    done
  liveness Ends
    eventually done

sort Node
type Side = Left | Right
state
  each Node
    n: 0..3 = 0
  each Side
    s: 0..3 = 0

fair action up(k in Node)
  when k.n < 3
  k.n += 1

fair action side(k in Side)
  when k.s < 2
  k.s += 1

stops when true
"""


def test_a_template_may_be_used_several_times_under_names_of_its_own() -> None:
    text = f"""{TEMPLATE}
use AtMost(Thing = Node, LIMIT = 2, held(x) = x.n, done = forall k in Node: k.n == 3) as Nodes
use AtMost(Thing = Side, LIMIT = 1 + 1, held(x) = x.s, done = forall k in Side: k.s == 2) as Sides
use AtMost(Thing = Node, LIMIT = 3, held(_) = 3, done = false)

check only
  Node = 2
  expect Nodes.Few fails in 3 steps, Nodes.Grows holds, Nodes.Done holds, Nodes.Finish holds,
    Nodes.Ends holds, Sides.Few holds, Sides.Grows holds, Sides.Done holds, Sides.Finish holds,
    Sides.Ends holds, AtMost.Few holds, AtMost.Grows holds, AtMost.Done fails,
    AtMost.Finish fails, AtMost.Ends blocks
"""
    outcome = run(text)
    assert outcome.as_expected, outcome.unmet


def test_an_argument_does_not_see_the_names_of_the_template() -> None:
    text = """
sort Node
state
  sink
    rows: set of Node = {}
template T(Event: type, effects(e: Event): int)
  invariant One
    forall row in Event: effects(row) <= 1
  invariant Two
    forall x in Event, row in Event: effects(x) + effects(row) == 2 implies row in Event
  invariant Three
    exists row in Event: effects(row) == 1

action copy(r in Node where r not in sink.rows)
  sink.rows += r

stops when true

use T(Event = Node, effects(x) = count row in sink.rows: row == x) as S
"""
    found = verdicts(run(text))
    assert found == {"S.One": "holds", "S.Two": "holds", "S.Three": "fails"}


@pytest.mark.parametrize(
    "use",
    [
        "use AtMost(Thing = Node, LIMIT = 2, held(x) = x.n)",
        "use AtMost(Thing = Node, LIMIT = 2, held(x) = x.n, done = true, more = 1)",
        "use AtMost(Thing = Node, LIMIT = true, held(x) = x.n, done = true)",
        "use AtMost(Thing = Node, LIMIT = 2, held(x) = x.n, done = 1)",
        "use AtMost(Thing = Node, LIMIT = 2, held(x) = x == x, done = true)",
        "use AtMost(Thing = Node, LIMIT = 2, held(x, y) = x.n, done = true)",
        "use AtMost(Thing = 3, LIMIT = 2, held(x) = x.n, done = true)",
        "use AtMost(Thing = Side, LIMIT = 2, held(x) = x.n, done = true)",
        "use Unknown(Thing = Node)",
        "use AtMost(Thing = Node, LIMIT = 2, held(x) = x.n, done = true) as A\n"
        "use AtMost(Thing = Node, LIMIT = 2, held(x) = x.n, done = true) as A",
    ],
)
def test_it_is_refused(use: str) -> None:
    assert refused(f"{TEMPLATE}\n{use}\n")


def test_a_template_that_is_not_used_is_checked_and_judges_nothing() -> None:
    assert verdicts(run(TEMPLATE)) == {}
    assert refused(TEMPLATE.replace("    done\n  always", "    nobody\n  always"))


# --- imports -----------------------------------------------------------------------

TYPES = """
sort Node
type Colour = Red | Green
type Paint(colour: Colour, coats: 0..2)
type Maybe = Paint?
"""

LIBRARY = """
import "types.model" (Colour, Red, Green, Paint)

let is_red(p: Paint) = p.colour == Red
let fresh: Paint = Paint(Green, 0)
template Dry(wet: bool)
  invariant Never
    not wet
"""

USER = """
protocol User
import "types.model" ({types})
import "paint.model" ({paint})
state
  wall
    p: Paint = fresh

action paint(c in Colour)
  when wall.p.coats < 2
  wall.p := Paint(c, wall.p.coats + 1)

stops when true

use Dry(wet = wall.p.coats == 2 and is_red(wall.p)) as Wall

check only
  expect Wall.Never fails in 2 steps
"""


def user(directory: Path, from_types: str, from_paint: str, **more: str) -> Outcome:
    for name, text in {"types": TYPES, "paint": LIBRARY, **more}.items():
        if text:
            (directory / f"{name}.model").write_text(text)
    text = USER.format(types=from_types, paint=from_paint)
    return api.check(api.load_source(Source(str(directory / "user.model"), text))["only"])


def test_types_come_with_their_constructors(tmp_path: Path) -> None:
    library = LIBRARY.replace("Colour, Red, Green, Paint", "Colour, Paint")
    outcome = user(tmp_path, "Colour, Paint", "is_red, fresh, Dry", paint=library)
    assert outcome.as_expected, outcome.unmet


@pytest.mark.parametrize(
    "types, paint, more",
    [
        ("Colour, Paint, Blue", "is_red, fresh, Dry", {}),
        ("Colour", "is_red, fresh, Dry", {}),
        ("Colour, Paint", "is_red, Dry", {}),
        ("Colour, Paint", "is_red, fresh", {}),
        ("Colour, Paint", "is_red, fresh, Dry", {"types": ""}),
        ("Colour, Paint", "is_red, fresh, Dry", {"types": TYPES + '\nimport "user.model" (p)\n'}),
        ("Colour, Paint", "is_red, fresh, Dry", {"types": TYPES + '\nimport "paint.model" (p)\n'}),
        ("Colour, Paint", "is_red, fresh, Dry", {"types": TYPES + "\ntype Bad = Nothing?\n"}),
        (
            "Colour, Paint, Paint",
            "is_red, fresh, Dry",
            {"types": TYPES + "\ntype T = Red | Blue\n"},
        ),
    ],
)
def test_such_an_import_is_refused(
    tmp_path: Path, types: str, paint: str, more: dict[str, str]
) -> None:
    library = LIBRARY.replace("Colour, Red, Green, Paint", "Colour, Paint")
    with pytest.raises(Refused):
        user(tmp_path, types, paint, **{"paint": library, **more})


def test_a_library_has_no_state_actions_or_checks(tmp_path: Path) -> None:
    for text in ("state\n  box\n    x: bool = true\n", "invariant P\n  true\n",
                 "check c\n  expect holds\n", "stops when true\n"):  # fmt: skip
        with pytest.raises(Refused):
            api.load_source(Source("library.model", text))
    assert not api.load_source(Source("library.model", "type T = A | B\n")).checks


def test_a_path_is_relative_to_the_importing_file_and_then_to_the_shipped_specs(
    tmp_path: Path,
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "colours.model").write_text("type Colour = Red | Green\n")
    text = """
protocol User
import "inner/colours.model" (Colour)
state
  box
    c: Colour = Red

stops when true

check only
  expect holds
"""
    source = Source(str(tmp_path / "user.model"), text)
    assert api.check(api.load_source(source)["only"]).as_expected
    with pytest.raises(Refused):
        api.load_source(Source(str(inner / "user.model"), text))
