"""Which lines are read as one, and the text that the grammar is given."""

from __future__ import annotations

import pytest
from helpers import CONSTRUCTS, ids, refusal, term

from modelcheck.parse.lines import lay_out
from modelcheck.parse.words import INFIX_SYMBOLS, INFIX_WORDS
from modelcheck.source import Source


def masked(text: str) -> str:
    return lay_out(Source("test.model", text)).masked


def logical_lines(text: str) -> list[str]:
    layout = lay_out(Source("test.model", text))
    return [
        " ".join(token.text for token in line.tokens)
        for piece in layout.pieces
        for line in piece.lines
    ]


@pytest.mark.parametrize("sign", sorted(INFIX_WORDS | INFIX_SYMBOLS | {":", ",", "="}))
def test_a_line_that_ends_in_an_infix_sign_goes_on_in_the_next(sign: str) -> None:
    assert logical_lines(f"let a = b {sign}\n  c\n") == [f"let a = b {sign} c"]


@pytest.mark.parametrize("word", ["|", "and", "or", "implies", "then"])
def test_a_line_goes_on_before_a_line_that_begins_with_a_connective(word: str) -> None:
    assert logical_lines(f"let a = b\n  {word} c\n") == [f"let a = b {word} c"]


@pytest.mark.parametrize("word", ["in", "union", "+", "==", "else"])
def test_no_other_word_at_the_beginning_of_a_line_continues_it(word: str) -> None:
    assert len(logical_lines(f"let a = b\n  {word} c\n")) == 2


def test_empty_lines_and_comments_between_are_passed_over() -> None:
    text = "let a = b and  # one\n\n  # two\n      c\n  # three\n\n  or d\n"
    assert logical_lines(text) == ["let a = b and c or d"]
    assert not refusal(text)


def test_inside_brackets_line_ends_do_not_count() -> None:
    assert term("f(\n a\n ,\n b\n )") == term("f(a, b)")
    assert term("{\n a\n}") == term("{a}")


def test_a_line_that_ends_in_else_is_not_continued() -> None:
    assert ids("let a = if b then c else\n  d\n") == ["line-ends-in-else"]


def test_a_declaration_ends_an_open_bracket_and_an_open_operator() -> None:
    assert ids("let a = f(b,\nsort Node\n") == ["unclosed-bracket"]
    assert ids("let a = b and\nsort Node\n") == ["missing-operand"]


def test_a_sign_in_a_comment_does_not_continue_a_line() -> None:
    assert logical_lines("let a = b # and\nlet c = d # (\n") == ["let a = b", "let c = d"]


def test_a_comment_sign_in_a_path_is_part_of_it() -> None:
    assert not refusal('import "a#b.model" (C)  # "comment"\n')


@pytest.mark.parametrize(
    "text",
    [
        CONSTRUCTS.read_text("utf-8"),
        CONSTRUCTS.read_text("utf-8").replace("\n", "\r\n"),
        "\ufeff# a\r\nlet a = b and # c\r\n  d",
        "",
        "\ufeff",
        "#",
        "\n\n",
    ],
)
def test_the_masked_text_has_each_character_in_its_place(text: str) -> None:
    result = masked(text)
    assert len(result) == len(text) + 1
    for here, there in zip(text, result, strict=False):
        assert here == there or there == " "


def test_comments_are_blanks_in_the_masked_text() -> None:
    assert masked("sort A # b\n# c\n") == "sort A    \n   \n\n"


def test_a_file_may_lack_its_last_line_end() -> None:
    assert not refusal("sort A")
    assert not refusal("action a\n  when true")
    assert not refusal("action a\n  when true # yes")


def test_a_body_may_be_indented_by_any_number_of_blanks() -> None:
    assert not refusal("action a\n     when b.c\n     if b.d\n      b.d := 1\n     b.e := 1\n")
