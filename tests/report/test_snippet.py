"""A diagnostic as text. Each expected text is what a user sees, whole."""

from __future__ import annotations

from textwrap import dedent

from modelcheck.diagnostics import Diagnostic, Label, Severity
from modelcheck.report.snippet import Mark, diagnostic, excerpt
from modelcheck.source import Source, Span

TAKE_OVER = Source(
    "fenced_leader.model",
    dedent(
        """\
        state
          store
            fence: Token = 0
        action take_over(n in Node)
          when n.role is Elected(t)
          n.role := Leading(t, store.value)

          store.fence := if FENCE_ON_TAKEOVER then t else store.fence
          store.fence := t
        """
    ),
)


def place(source: Source, text: str, occurrence: int = 0) -> Span:
    start = -1
    for _ in range(occurrence + 1):
        start = source.text.index(text, start + 1)
    return Span(source, start, start + len(text))


def expect(shown: str, expected: str) -> None:
    assert shown == dedent(expected).strip("\n")


def test_two_places_in_one_file_come_in_the_order_of_the_file() -> None:
    shown = diagnostic(
        Diagnostic(
            "two-writes",
            "`store.fence` is written twice in one step",
            Label(place(TAKE_OVER, "store.fence", 2), "and again here"),
            (Label(place(TAKE_OVER, "store.fence", 0), "first written here"),),
            ("all updates of an action happen at once, so neither comes last",),
            ("choose one value with `if ... then ... else`, or split the action in two",),
        )
    )
    expect(
        shown,
        """
        error[two-writes]: `store.fence` is written twice in one step
         --> fenced_leader.model:9:3
          |
        8 |   store.fence := if FENCE_ON_TAKEOVER then t else store.fence
          |   ----------- first written here
        9 |   store.fence := t
          |   ^^^^^^^^^^^ and again here
          |
          = note: all updates of an action happen at once, so neither comes last
          = help: choose one value with `if ... then ... else`, or split the action in two
        """,
    )


def test_left_out_lines_are_dots_and_a_single_one_is_shown() -> None:
    marks = [
        Mark(place(TAKE_OVER, "n.role :="), "here"),
        Mark(place(TAKE_OVER, "fence"), primary=False),
        Mark(place(TAKE_OVER, "FENCE_ON_TAKEOVER"), "read here", primary=False),
    ]
    expect(
        excerpt("error[x]: a headline", marks),
        """
        error[x]: a headline
         --> fenced_leader.model:6:3
          |
        3 |     fence: Token = 0
          |     -----
        ...
        6 |   n.role := Leading(t, store.value)
          |   ^^^^^^^^^ here
        7 |
        8 |   store.fence := if FENCE_ON_TAKEOVER then t else store.fence
          |                     ----------------- read here
        """,
    )


def test_several_labels_on_one_line_hang_below_one_another() -> None:
    line = Source("a.model", "aaa bb cccc dd\n")
    marks = [
        Mark(place(line, "cccc"), "the third of them"),
        Mark(place(line, "aaa"), "the first", primary=False),
        Mark(place(line, "bb"), "the second", primary=False),
        Mark(place(line, "dd"), "the last", primary=False),
    ]
    expect(
        excerpt("error[x]: a headline", marks),
        """
        error[x]: a headline
         --> a.model:1:8
          |
        1 | aaa bb cccc dd
          | --- -- ^^^^ -- the last
          | |   |  the third of them
          | |   the second
          | the first
        """,
    )


def test_values_all_hang() -> None:
    line = Source("a.model", "w.value == store.value + 1\n")
    marks = [Mark(place(line, "w.value"), "1"), Mark(place(line, "store.value + 1"), "2")]
    expect(
        excerpt("violated[step]: P", marks, hanging=True),
        """
        violated[step]: P
         --> a.model:1:1
          |
        1 | w.value == store.value + 1
          | ^^^^^^^    ^^^^^^^^^^^^^^^
          | 1          2
        """,
    )


def test_another_file_has_a_block_of_its_own() -> None:
    other = Source("specs/network.model", "type Message = A\n")
    shown = diagnostic(
        Diagnostic(
            "twice-declared",
            "`Message` is declared twice",
            Label(place(TAKE_OVER, "take_over"), "here"),
            (Label(place(other, "Message"), "and here"),),
            severity=Severity.WARNING,
        )
    )
    expect(
        shown,
        """
        warning[twice-declared]: `Message` is declared twice
         --> fenced_leader.model:4:8
          |
        4 | action take_over(n in Node)
          |        ^^^^^^^^^ here
         ::: specs/network.model:1:6
          |
        1 | type Message = A
          |      ------- and here
        """,
    )


def test_tabs_and_wide_characters_do_not_shift_the_carets() -> None:
    line = Source("a.model", "\tx := 値段\tyy\n")
    shown = excerpt("error[x]: a headline", [Mark(place(line, "yy"), "here")])
    source_row, caret_row = shown.splitlines()[-2:]
    assert source_row == "1 |     x := 値段   yy"
    assert caret_row == "  |                 ^^ here"  # 値段 takes four columns


def test_control_and_bidirectional_characters_are_shown_as_escapes() -> None:
    line = Source("a\x1b[31m.model", "x\u202e := \x07y\n")
    shown = excerpt("error[x]: `\u2066` is\x08 odd", [Mark(place(line, "y"), "h\u200bere")])
    expect(
        shown,
        r"""
        error[x]: `\u{2066}` is\x08 odd
         --> a\x1b[31m.model:1:8
          |
        1 | x\u{202e} := \x07y
          |                  ^ h\u{200b}ere
        """,
    )


def test_a_very_long_line_is_cut_around_the_mark() -> None:
    text = "a" * 200 + " here " + "b" * 200
    line = Source("a.model", text)
    source_row, caret_row = excerpt("e[x]: h", [Mark(place(line, "here"))]).splitlines()[-2:]
    assert source_row == "1 | ..." + "a" * 19 + " here " + "b" * 95 + "..."
    assert source_row.index("here") == caret_row.index("^^^^")


def test_a_place_at_the_end_of_the_file_has_one_caret() -> None:
    source = Source("a.model", "protocol A\n")
    end = Span(source, len(source.text), len(source.text))
    expect(
        excerpt("error[syntax]: the file ends too early", [Mark(end)]),
        """
        error[syntax]: the file ends too early
         --> a.model:2:1
          |
        2 |
          | ^
        """,
    )


def test_a_span_of_several_lines_is_marked_on_each() -> None:
    source = Source("a.model", "action a\n  when p\n  x := 1\n\naction b\n")
    span = Span(source, 0, source.text.index("\n\n"))
    expect(
        excerpt("error[x]: a headline", [Mark(span, "all of it")]),
        """
        error[x]: a headline
         --> a.model:1:1
          |
        1 | action a
          | ^^^^^^^^
        2 |   when p
          |   ^^^^^^
        3 |   x := 1
          |   ^^^^^^ all of it
        """,
    )


def test_notes_of_several_lines_are_indented_and_long_ones_wrapped() -> None:
    note = "an action is its `when` lines, then its updates:\n\n  action a\n    when p"
    item = Diagnostic("syntax", "a guard after an update", notes=(note, "wordwordword " * 10))
    assert diagnostic(item).splitlines() == [
        "error[syntax]: a guard after an update",
        "  = note: an action is its `when` lines, then its updates:",
        "",
        "            action a",
        "              when p",
        "  = note: " + " ".join(["wordwordword"] * 7),
        "          " + " ".join(["wordwordword"] * 3),
    ]
