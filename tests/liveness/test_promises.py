"""How many choices fairness is asked for: counted by hand, said with the cost, warned of."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from modelcheck import api
from modelcheck.cli import program
from modelcheck.core.promises import promises, too_many
from modelcheck.source import Source

POST = """\
protocol Post

sort Client
type Key = 0..9
type Letter(by: Client, key: Key, value: Key)

state
  channel post
    letters: set of Letter up to 2 = {}

action send(c in Client, k in Key)
  when size(post.letters) < 2
  post.letters += Letter(c, k, k)

fair action deliver(c in Client, m in post.letters where m.by == c)
  post.letters -= m

strongly fair action lose_one(m in post.letters)
  post.letters -= m

liveness Empties
  always eventually empty(post.letters)

check small
  Client = 3
  expect Empties livelocks
"""


def model(text: str):
    return api.load_source(Source("post.model", text))["small"].model


def test_they_are_counted_by_the_types_of_the_arguments():
    # 3 clients and 10 x 10 letters of each: 300 letters, and each with each client.
    counts = [(each.action.name, each.count) for each in promises(model(POST))]
    assert counts == [("deliver", 900), ("lose_one", 300)]
    one = POST.replace("fair action deliver", "fair per c action deliver")
    assert [each.count for each in promises(model(one))] == [3, 300]


def test_a_large_number_is_warned_of_with_what_makes_it_smaller():
    assert too_many(model(POST)) == (
        "fairness is asked for 1,200 choices, 900 of them of `deliver`: `fair per c` asks 3"
    )
    assert too_many(model(POST.replace("0..9", "0..8"))) is None  # 3 * 3 * 81 + 3 * 81 = 972
    assert too_many(model(POST.replace("fair action deliver", "fair per c action deliver"))) is None


def test_an_action_with_one_argument_needs_another():
    text = POST.replace("fair action deliver", "action deliver").replace("0..9", "0..19")
    assert too_many(model(text)) == (
        "fairness is asked for 1,200 choices: give the action an argument that says for whom, "
        "such as a field of `m`, and ask `fair per` that"
    )


def test_without_liveness_nobody_asks():
    text = POST.replace("liveness Empties\n  always eventually", "invariant Empties\n  true or")
    assert too_many(model(text.replace("livelocks", "holds"))) is None


def test_what_is_warned_of_when_the_file_is_read_is_not_repeated():
    text = POST.replace("m in post.letters where m.by == c", "k in 0..9, l in 0..9, m in 0..9")
    text = text.replace(
        "  post.letters -= m\n\nstrongly", "  post.letters -= Letter(c, k, l)\n\nstrongly"
    )
    assert sum(each.count for each in promises(model(text))) == 3_300
    assert too_many(model(text)) is None


@pytest.mark.parametrize("engine", api.ENGINES)
def test_it_is_said_with_the_check(tmp_path, engine):
    path = tmp_path / "post.model"
    path.write_text(POST, "utf-8")
    words = ["check", str(path), "--stats", "--engine", engine, "--depth", "1"]
    out = CliRunner().invoke(program, words, standalone_mode=False).output
    assert "note: fairness is asked for 1,200 choices, 900 of them of `deliver`" in out
    assert "fairness is asked for 1,200 choices: deliver 900, lose_one 300" in out
    out = CliRunner().invoke(program, [*words, "--format", "json"], standalone_mode=False).output
    assert json.loads(out)["files"][0]["checks"][0]["stats"]["fairness_instances"] == 1_200
