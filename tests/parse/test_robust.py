"""No text makes the parser fail in any way but by a diagnostic."""

from __future__ import annotations

import sys

import pytest
from helpers import CONSTRUCTS, ids, refusal, tree_of
from hypothesis import given
from hypothesis import strategies as st

from modelcheck.diagnostics import Refused
from modelcheck.parse.decode import decode
from modelcheck.parse.formatter import format_text
from modelcheck.parse.parser import parse
from modelcheck.parse.tokens import scan
from modelcheck.source import Source

TEXT = CONSTRUCTS.read_text("utf-8")
TOKENS = [token for token in scan(TEXT) if token.kind != "comment"]
STRANGE = [
    "&&",
    '"',
    "\t",
    "→",
    "\0",
    "_",
    "..",
    "{",
    "}",
    "~>",
    "\ufeff",
    "\r",
    "\u2028",
    "\ud800",
]


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    """The example of every construct with a few of its tokens removed, doubled or replaced."""
    text = TEXT
    for place in sorted(draw(st.lists(st.integers(0, len(TOKENS) - 1), min_size=1, max_size=4)))[
        ::-1
    ]:
        token = TOKENS[place]
        other = draw(st.sampled_from(STRANGE) | st.sampled_from(TOKENS).map(lambda t: t.text))
        new = draw(
            st.sampled_from(["", f"{token.text} {token.text}", other, f"{other} {token.text}"])
        )
        text = text[: token.start] + new + text[token.end :]
    return text


@given(damaged_texts())
def test_a_damaged_text_parses_or_is_refused(text: str) -> None:
    source = Source("test.model", text)
    try:
        file = parse(source)
    except Refused as refused:
        assert refused.diagnostics
        for diagnostic in refused.diagnostics:
            assert diagnostic.primary is not None
            span = diagnostic.primary.span
            assert 0 <= span.start <= span.end <= len(text)
        return
    formatted = format_text(source)
    assert tree_of(formatted) == file
    assert format_text(Source("test.model", formatted)) == formatted


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused(text: str) -> None:
    refusal(text)


@given(st.lists(st.sampled_from(TOKENS).map(lambda t: t.text) | st.sampled_from(["\n", "\n  "])))
def test_any_row_of_words_parses_or_is_refused(words: list[str]) -> None:
    refusal(" ".join(words))


@given(st.binary(max_size=40))
def test_any_bytes_are_a_text_or_refused(data: bytes) -> None:
    try:
        decode("test.model", data)
    except Refused as refused:
        assert [d.id for d in refused.diagnostics] == ["not-utf8"]


MANY = 10_000
DEEP = {
    "parentheses": "(" * MANY + "1" + ")" * MANY,
    "negations": "not " * MANY + "b",
    "signs": "- " * MANY + "1",
    "sums": " + ".join(["a"] * MANY),
    "conjunctions": " and ".join(["a"] * MANY),
    "implications": " implies ".join(["a"] * MANY),
    "choices": "if a then 1 else " * MANY + "2",
    "conditions": "if " * MANY + "a" + " then 1 else 2" * MANY,
    "quantifiers": "forall x in S: " * MANY + "true",
    "fields": "a" + ".b" * MANY,
    "primes": "a" + "'" * MANY,
    "indexes": "a" + "[1]" * MANY,
    "sets": "{" * MANY + "}" * MANY,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_nesting_is_a_diagnostic(text: str) -> None:
    assert ids(f"let a = {text}\n") == ["too-deep"]


def test_deep_blocks_are_a_diagnostic() -> None:
    lines = [f"{'  ' * (depth + 1)}if b.c\n" for depth in range(100)]
    assert ids("action a\n" + "".join(lines)) == ["too-deep"]


def test_a_tree_is_never_higher_than_later_stages_can_bear() -> None:
    chain = " + ".join(["a"] * 390)
    blocks = "".join(f"{'  ' * (depth + 1)}if b.c\n" for depth in range(48))
    file = tree_of(f"let a = {chain}\naction a\n{blocks}{'  ' * 49}b.c := 1\n")
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        assert file == file and repr(file)
    finally:
        sys.setrecursionlimit(before)


def test_many_of_a_kind_are_not_deep() -> None:
    assert not refusal(f"let a = f({', '.join(['1'] * 5_000)})\n")
    assert not refusal(f"type T = {' | '.join(f'A{i}' for i in range(2_000))}\n")


@pytest.mark.parametrize("digits", [19, 20, 4_301, 10_000])
def test_a_number_of_many_digits_is_refused_and_leading_noughts_are_not(digits: int) -> None:
    assert ids(f"let a = {'9' * digits}\n") == ["int-too-large"]
    assert not ids(f"let a = {'0' * digits}1\n")


def test_the_least_and_the_greatest_number_of_64_bits_are_read() -> None:
    assert not ids(f"let a = {2**63 - 1}\nlet b = -{2**63}\n")


def test_a_carriage_return_before_each_line_end_changes_nothing() -> None:
    assert tree_of(TEXT.replace("\n", "\r\n")) == tree_of(TEXT)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert decode("test.model", b"\xef\xbb\xbfsort A\n").text == "sort A\n"
    assert tree_of("\ufeffsort A\n") == tree_of("sort A\n")


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(Refused) as caught:
        decode("test.model", "sort A # ä\nsort B # ".encode() + b"\xe4\n")
    (found,) = caught.value.diagnostics
    assert found.id == "not-utf8"
    assert found.primary is not None
    span = found.primary.span
    assert span.source.position(span.start) == (2, 10)


def test_utf16_is_recognised() -> None:
    with pytest.raises(Refused) as caught:
        decode("test.model", "sort A\n".encode("utf-16"))
    assert "UTF-16" in caught.value.diagnostics[0].notes[0]
