"""Syntax errors: each planted mistake is told by its name, at its place, in plain words."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from helpers import ROOT, ids, refusal
from planted import MISTAKES

from modelcheck.diagnostics import Diagnostic
from modelcheck.parse.examples import EXAMPLES, STATEMENT_EXAMPLES
from modelcheck.parse.words import DECLARATIONS, STATEMENTS

FOLDER = ROOT / "modelcheck" / "parse"


def unmarked(marked: str) -> str:
    return marked.replace("«", "").replace("»", "")


def planted() -> list[tuple[str, Diagnostic]]:
    return [(id, d) for id, marked in MISTAKES for d in refusal(unmarked(marked))]


@pytest.mark.parametrize(("id", "marked"), MISTAKES, ids=lambda value: str(value)[:40])
def test_a_planted_mistake_is_named_once_and_at_its_place(id: str, marked: str) -> None:
    (found,) = refusal(unmarked(marked))
    assert found.id == id
    assert found.primary is not None
    span = found.primary.span
    assert (span.start, span.end) == (marked.index("«"), marked.index("»") - 1)


def ids_in_code() -> set[str]:
    paths = [path for path in FOLDER.rglob("*.py") if path.name != "fragments.py"]
    text = "\n".join(path.read_text("utf-8") for path in paths)
    return set(re.findall(r'(?:Diagnostic|report|error)\(\s*"([a-z][a-z0-9-]+)"', text))


def test_every_id_has_a_planted_mistake() -> None:
    assert ids_in_code() - {"not-utf8"} == {id for id, _ in MISTAKES}


def test_no_two_ids_give_the_same_help() -> None:
    given: dict[str, set[str]] = defaultdict(set)
    for id, diagnostic in planted():
        for help in diagnostic.help:
            given[help].add(id)
    assert not {help: found for help, found in given.items() if len(found) > 1}


def test_a_headline_is_a_lower_case_clause_without_a_full_stop() -> None:
    for _, diagnostic in planted():
        first, last = diagnostic.headline[0], diagnostic.headline[-1]
        assert not first.isupper(), diagnostic.headline
        assert last not in ".:!", diagnostic.headline
        assert "\n" not in diagnostic.headline


def test_no_diagnostic_speaks_of_the_grammar() -> None:
    text = (FOLDER / "grammar.lark").read_text("utf-8")
    terminals = set(re.findall(r"^(_?[A-Z][A-Z_]+)\b", text, re.MULTILINE))
    anonymous = {"LPAR", "RPAR", "COLON", "COMMA", "EQUAL", "VBAR", "LBRACE", "__ANON"}
    written_in_texts = {"MAX", "LOG", "RETRY"}
    for _, diagnostic in planted():
        said = " ".join([diagnostic.headline, *diagnostic.notes, *diagnostic.help])
        words = set(re.findall(r"\w+", said))
        assert not words & (terminals | anonymous) - written_in_texts


def test_one_broken_declaration_hides_no_error_in_another() -> None:
    text = (
        "sort node\n\n"
        "action a(n : Node)\n  when n.up\n  n.up = false\n\n"
        "sort Good\n\n"
        "let a = b and and c\n\n"
        "check c\n  N = 2\n"
    )
    assert ids(text) == ["case-of-name", "colon-for-in", "doubled-operator", "missing-expect"]


def test_errors_come_in_the_order_of_their_places() -> None:
    starts = [
        d.primary.span.start for d in refusal("let a = = 1\nlet b = &&\nsort c\n") if d.primary
    ]
    assert starts == sorted(starts)
    assert len(starts) == 3


def test_a_body_that_is_not_indented_is_one_mistake() -> None:
    text = "action a\nwhen b.c\nb.c := 1\nb.d := 2\n\nsort A\n\nlet b = = 1\n"
    assert ids(text) == ["missing-body", "doubled-operator"]


def test_an_unknown_word_long_after_a_missing_body_is_reported() -> None:
    assert ids("action a\n\nsort A\n\nblubb\n") == ["missing-body", "unknown-keyword"]


def test_what_is_shown_as_correct_is_correct() -> None:
    for example in EXAMPLES.values():
        assert not refusal(example + "\n")
    for example in STATEMENT_EXAMPLES.values():
        body = "".join(f"  {line}\n" for line in example.splitlines())
        assert not refusal(f"action a\n{body}")


def test_every_declaration_and_statement_has_an_example() -> None:
    assert set(EXAMPLES) == DECLARATIONS
    assert set(STATEMENT_EXAMPLES) == STATEMENTS - {"elif", "else"} | {"update"}


def test_the_last_resort_shows_examples_of_the_construct() -> None:
    (found,) = refusal("use T(A = 1) : B\n")
    assert found.id == "syntax"
    assert EXAMPLES["use"].splitlines()[0] in found.notes[0]


def test_the_first_update_is_pointed_at_when_a_guard_follows() -> None:
    (found,) = refusal("action a\n  b.c := 1\n  b.d := 2\n  when b.e\n")
    (label,) = found.labels
    assert (label.text, label.span.text) == ("first update", "b.c := 1")


def test_a_local_name_may_stand_between_guards_and_updates() -> None:
    assert not refusal("action a\n  let x = 1\n  when x > 0\n  b.c := x\n  let y = 2\n  b.d := y\n")


def test_near_keywords_are_suggested() -> None:
    (found,) = refusal("invariannt P\n  true\n")
    assert found.help[0].startswith("did you mean `invariant`")
    (found,) = refusal("CONST N: int\n")
    assert found.help == ("did you mean `param`?",)


@pytest.mark.parametrize(
    ("symbol", "replacement"),
    [("&&", "and"), ("||", "or"), ("/\\", "and"), ("\\/", "or"), ("=>", "implies"), ("%", "mod")],
)
def test_an_operator_of_another_language_is_translated(symbol: str, replacement: str) -> None:
    (found,) = refusal(f"let a = b {symbol} c\n")
    assert f"`{replacement}`" in found.help[0]


@pytest.mark.parametrize(
    "text", ["a<-1", "a- -1", "a--1", "x==-1", "a+-1", "s[1..-2]", "{a|b in-c}"]
)
def test_adjacent_symbols_of_the_language_are_no_foreign_symbol(text: str) -> None:
    assert not {"symbol-of-other-language", "unknown-character"} & set(ids(f"let x = {text}\n"))
