"""Imports, templates, refinement: what one file takes from another."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck.core.model import Refinement

from .files import check, ids, model, only_check, opened, verdict

LIBRARY = """\
param DELAY: int = 1

type Message = Ping | Pong(hops: 0..2)

let is_late(m: Message) = m is Pong(h) and h > DELAY

template AtMostOne(Member: type, inside(m: Member): bool)
  invariant Exclusive
    forall a in Member, b in Member: inside(a) and inside(b) implies a == b
  reachable Entered
    exists a in Member: inside(a)
"""
MAIN = """\
protocol Mail

import "network.model" (Message, is_late)

state
  channel network
    sent: set of Message = {}

action send
  network.sent += Pong(2)

invariant Early
  forall m in network.sent: not is_late(m)
"""


@pytest.fixture
def main(tmp_path: Path) -> Path:
    (tmp_path / "network.model").write_text(LIBRARY, "utf-8")
    return tmp_path / "main.model"


def test_a_type_is_imported_with_its_forms(main: Path) -> None:
    assert ids(MAIN, main) == []
    assert ids(MAIN.replace("(Message, is_late)", "(is_late)"), main) == [
        "unknown-type",
        "unknown-constructor",
    ]


def test_an_imported_let_sees_its_own_file(main: Path) -> None:
    assert verdict(MAIN + check("", "Early fails in 1 steps"), "Early", main) == "fails"


def test_an_imported_parameter_can_be_set_where_it_is_imported_by_name(main: Path) -> None:
    text = MAIN + check("DELAY = 2")
    assert ids(text, main) == ["unknown-setting"]
    named = text.replace("is_late)", "is_late, DELAY)")
    assert ids(named, main) == []
    assert verdict(named, "Early", main) == "holds"


def test_an_imported_effect_sees_its_own_file(main: Path) -> None:
    effect = 'import "network.model" (Message)\n\neffect note(m: Message)\n  log.last := m\n'
    assert ids(effect, main.parent / "effects.model") == ["unknown-name"]


def test_a_file_is_read_once_however_many_import_it(main: Path) -> None:
    (main.parent / "left.model").write_text(
        'import "network.model" (Message)\n\nlet is_ping(m: Message) = m == Ping\n', "utf-8"
    )
    text = MAIN.replace(
        'import "network.model" (Message, is_late)',
        'import "left.model" (is_ping)\nimport "network.model" (Message, is_late)',
    ).replace("not is_late(m)", "not is_late(m) or is_ping(m)")
    assert ids(text, main) == []


def test_files_that_import_each_other_are_refused_once(tmp_path: Path) -> None:
    (tmp_path / "a.model").write_text('import "b.model" (T)\n\ntype S = 0..3\n', "utf-8")
    (tmp_path / "b.model").write_text('import "a.model" (S)\n\ntype T = S\n', "utf-8")
    assert ids((tmp_path / "a.model").read_text("utf-8"), tmp_path / "a.model") == ["import-cycle"]


def test_a_file_may_be_called_like_the_shipped_one_that_it_imports(tmp_path: Path) -> None:
    text = 'import "epochs.model" (MonotoneEpoch)\n\ntype Epoch = 0..3\n'
    mine = tmp_path / "epochs.model"
    mine.write_text(text, "utf-8")
    assert ids(text, mine) == []
    (tmp_path / "other.model").write_text("type Epoch = 0..3\n", "utf-8")
    assert ids(text.replace("epochs", "other"), tmp_path / "other.model") == ["import-cycle"]


def test_a_missing_file_hides_nothing_else_in_the_importing_one(main: Path) -> None:
    assert ids(MAIN.replace("network.model", "netwrok.model"), main) == ["no-such-import"]


# --- templates -----------------------------------------------------------------------

LOCK = """\
protocol Lock

import "network.model" (AtMostOne)

sort Client

state
  server
    holders: set of Client = {}
  each Client
    inside: bool = false

action enter(c in Client)
  c.inside       := true
  server.holders += c

use AtMostOne(Member = Client, inside(c) = c.inside) as Cabin
use AtMostOne(Member = Client, inside(c) = c in server.holders)
"""


def test_the_parts_of_an_instance_are_named_after_it(main: Path) -> None:
    made = only_check(LOCK + check("Client = 2"), main).model
    assert [each.name for each in made.properties] == [
        "Cabin.Exclusive",
        "Cabin.Entered",
        "AtMostOne.Exclusive",
        "AtMostOne.Entered",
    ]


def test_an_instance_is_judged_with_its_arguments(main: Path) -> None:
    text = LOCK + check("Client = 2", "Cabin.Exclusive fails in 2 steps, AtMostOne.Entered holds")
    assert verdict(text, "Cabin.Exclusive", main) == "fails"
    assert verdict(text, "AtMostOne.Entered", main) == "holds"


def test_a_template_is_checked_without_an_instance() -> None:
    wrong = LIBRARY.replace("implies a == b", "implies a < b")
    assert ids(wrong) == ["order-on-sort"]


# --- refinement ----------------------------------------------------------------------

ABSTRACT = """\
protocol Lock

param LIMIT: int = 2
sort Client

state
  lock
    holder: Client? = none
  each Client
    turns: 0..LIMIT = 0

action take(c in Client)
  when lock.holder == none and c.turns < LIMIT
  lock.holder := c
  c.turns     := c.turns + 1

action give
  lock.holder := none
"""
CONCRETE = """\
protocol Server

import "lock.model" (Lock)

sort Customer

state
  server
    owner: Customer? = none
  each Customer
    served: 0..2 = 0

action grant(c in Customer)
  when server.owner == none and c.served < 2
  server.owner := c
  c.served     := c.served + 1

refines Lock with (Client = Customer, lock.holder = server.owner, k.turns = k.served)
"""


def test_a_refinement_maps_every_variable_in_the_abstract_order(tmp_path: Path) -> None:
    (tmp_path / "lock.model").write_text(ABSTRACT, "utf-8")
    made = only_check(CONCRETE + check("Customer = 2"), tmp_path / "server.model").model
    (refinement,) = made.properties
    assert isinstance(refinement, Refinement)
    assert [member for member, _ in refinement.mapping] == [None, "k"]
    assert [v.name for v in refinement.abstract.variables] == ["holder", "turns"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Client = Customer, ", "", "unmapped-name"),
        ("k.turns = k.served", "k.turns = k.owner", "unknown-field"),
        (", k.turns = k.served", "", "unmapped-variable"),
        ("lock.holder = server.owner", "lock.holder = true", "mapping-type"),
        ("Client = Customer", "Client = Customer, SIZE = 3", "unknown-mapping"),
    ],
)
def test_a_mapping_is_complete_and_of_the_right_types(
    old: str, new: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "lock.model").write_text(ABSTRACT, "utf-8")
    assert ids(CONCRETE.replace(old, new), tmp_path / "server.model") == [expected]


def test_the_same_file_may_be_loaded_and_closed_again() -> None:
    text = "protocol P\n\nparam N: int\n\nstate\n  a\n    x: 0..N = 0\n" + check("N = 1")
    file = opened(text)
    first, second = file["small"], file["small"]
    assert first.model == second.model
    assert model(text) == first.model
