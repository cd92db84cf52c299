"""The grammar: without conflicts, in step with the lists of words, and cached safely."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import refusal

from modelcheck.parse import parser
from modelcheck.parse.words import DECLARATIONS, RESERVED, STATEMENTS


def test_the_grammar_has_no_conflicts() -> None:
    pytest.importorskip("interegular")
    assert parser.compose(parser.grammar_text(), strict=True)


def test_the_reserved_words_of_the_grammar_are_the_ones_of_the_word_list() -> None:
    match = re.search(r"^LOWER: /\(\?!\(([a-z|_]+)\)", parser.grammar_text(), re.MULTILINE)
    assert match is not None
    assert set(match[1].split("|")) - {"_"} == RESERVED


def test_the_words_that_begin_declarations_and_statements_are_in_the_grammar() -> None:
    words = set(re.findall(r'"([a-z-]+)"', parser.grammar_text()))
    assert words >= DECLARATIONS | STATEMENTS


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache folder, and a grammar that is not loaded yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    parser.grammar.cache_clear()
    yield tmp_path  # type: ignore[misc]
    parser.grammar.cache_clear()


def test_the_tables_are_kept_and_read_back(fresh: Path) -> None:
    assert not refusal("sort A\n")
    (kept,) = (fresh / "modelcheck").iterdir()
    written = kept.stat().st_mtime_ns
    parser.grammar.cache_clear()
    assert not refusal("sort A\n")
    assert [d.id for d in refusal("sort a\n")] == ["case-of-name"]
    assert kept.stat().st_mtime_ns == written


def test_a_spoilt_cache_is_replaced(fresh: Path) -> None:
    assert not refusal("sort A\n")
    (kept,) = (fresh / "modelcheck").iterdir()
    kept.write_bytes(b"not a table")
    parser.grammar.cache_clear()
    assert not refusal("sort A\n")
    assert len(kept.read_bytes()) > 1_000


def test_a_folder_that_cannot_be_written_is_no_error(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    occupied = fresh / "file"
    occupied.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(occupied))
    assert not refusal("sort A\n")
