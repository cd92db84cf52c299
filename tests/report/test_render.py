"""Colour never changes what is said."""

from __future__ import annotations

import io
import re

import pytest

from modelcheck.report.render import Color, paint, wants_color
from modelcheck.report.text import visible, wrap, wrap_values

REPORT = """\
holds       fenced             1,080 states
violated    read_before_fence  NOT AS EXPECTED: [bold]odd[/bold]
  4! crash(n1)
error[two-writes]: `store.fence` is written twice
  --> a.model:59:3
   |
58 |   x -- y
   |   ^^^^ ----- there
   = note: a fact"""


def test_paint_adds_escapes_and_nothing_else() -> None:
    painted = paint(REPORT)
    assert painted != REPORT
    assert re.sub("\x1b\\[[0-9;]*m", "", painted) == REPORT


def test_marks_are_painted_and_source_is_not() -> None:
    painted = paint(REPORT).splitlines()
    assert "\x1b[1;31m^^^^\x1b[0m" in painted[7] and "\x1b[34m-----\x1b[0m" in painted[7]
    assert painted[6].endswith("   x -- y")


def test_an_expected_violation_is_no_alarm() -> None:
    assert paint("violated    small  P fails, as expected").startswith("\x1b[32mviolated")
    for verdict in ("holds   ", "violated"):
        line = f"{verdict}    small  NOT AS EXPECTED: expected P fails"
        assert paint(line).startswith(f"\x1b[1;31m{verdict.rstrip()}")
    assert paint("unfinished  small  at least 1 state").startswith("\x1b[1;33munfinished")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "choice", "environment", "wanted"),
    [
        (True, "auto", {}, True),
        (False, "auto", {}, False),
        (True, "auto", {"NO_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": ""}, True),
        (False, "auto", {"FORCE_COLOR": "1"}, True),
        (False, "auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (True, "auto", {"TERM": "dumb"}, False),
        (False, "always", {"NO_COLOR": "1"}, True),
        (True, "never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_who_decides_about_colour(
    terminal: bool, choice: Color, environment: dict[str, str], wanted: bool
) -> None:
    stream = _Terminal() if terminal else io.StringIO()
    assert wants_color(stream, choice, environment) is wanted


def test_hidden_characters_are_escaped_and_letters_are_not() -> None:
    assert visible("naïve 値 \x00\u202e\u2028\ud800") == "naïve 値 \\x00\\u{202e}\\u{2028}\\u{d800}"


def test_wrapping_loses_nothing() -> None:
    text = "Leading(1, 0), {n1: Waiting(1, 0), n2: Idle}"
    for width in range(3, 50):
        for lines in (wrap(text, width, "  "), wrap_values(text, width, "  ")):
            assert "".join(lines).replace(" ", "") == text.replace(" ", "")
            assert all(len(line) <= width for line in lines)


def test_a_long_value_is_broken_where_a_reader_pauses() -> None:
    text = "+ Append(n1, n2, [Entry(1, 0), Entry(1, 1)])"
    assert wrap_values(text, 30, "  ") == ["+ Append(n1, n2,", "  [Entry(1, 0), Entry(1, 1)])"]
    assert wrap_values("inbox: {n1: [], n2: [Entry(1, 0)]}", 24, "  ") == [
        "inbox: {n1: [],",
        "  n2: [Entry(1, 0)]}",
    ]
    assert wrap_values("shape=Wrap(Pair(1, 2), n1)", 24, "  ") == [
        "shape=Wrap(Pair(1, 2),",
        "  n1)",
    ]


def test_values_are_kept_whole_where_they_fit() -> None:
    text = "term=1, log=[Vote(n1, 0), Vote(n1, 1)], seen={n1: false, n2: false}"
    assert wrap_values(text, 36, "  ") == [
        "term=1,",
        "  log=[Vote(n1, 0), Vote(n1, 1)],",
        "  seen={n1: false, n2: false}",
    ]
