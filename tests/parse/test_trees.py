"""Trees: what is built, for every construct, and where it lies in the text."""

from __future__ import annotations

import inspect

import attrs
import pytest
from helpers import CONSTRUCTS, declaration, nodes, refusal, show, term, tree_of

from modelcheck.parse import tree as t
from modelcheck.parse.words import DECLARATIONS, RESERVED, STATEMENTS

TEXT = CONSTRUCTS.read_text("utf-8")


def test_every_construct_has_the_tree_that_was_agreed_on(accept: bool) -> None:
    golden = CONSTRUCTS.with_suffix(".tree")
    shown = show(tree_of(TEXT)) + "\n"
    if accept:
        golden.write_text(shown, "utf-8")
    assert shown == golden.read_text("utf-8")


def test_every_class_of_tree_occurs_in_the_example() -> None:
    abstract = {t.Node, t.Declaration}
    classes = {
        item
        for _, item in inspect.getmembers(t, inspect.isclass)
        if issubclass(item, t.Node) and item not in abstract
    }
    # `int` as a domain is parsed in order to be refused.
    assert {type(node) for node in nodes(tree_of(TEXT))} == classes - {t.InInt}


def test_the_domain_int_is_parsed() -> None:
    assert isinstance(term("forall i in int: true").binders[0].domain, t.InInt)


def test_every_tree_has_a_span_that_begins_and_ends_with_code() -> None:
    file = tree_of(TEXT)
    for node in nodes(file.declarations):
        text = node.span.text
        assert text and text == text.strip(), node
        assert not text.startswith("#")


def test_a_span_covers_the_spans_inside_it() -> None:
    for node in nodes(tree_of(TEXT)):
        for child in nodes(tuple(getattr(node, f.name) for f in attrs.fields(type(node)))):
            assert node.span.start <= child.span.start
            assert child.span.end <= node.span.end


@pytest.mark.parametrize("text", ["a.b + c", "(a)", "f(x, y)", "a'", "s[1 .. 2]", "not a", "-1"])
def test_the_span_of_a_term_is_its_text(text: str) -> None:
    assert term(text).span.text == text


def test_spans_count_characters_after_comments_byte_order_mark_and_carriage_returns() -> None:
    file = tree_of("\ufeff# é ö\r\nsort Node # ü\r\nlet a = b and  # x\r\n  c\r\n")
    let = file.declarations[1]
    assert isinstance(let, t.Let)
    assert let.value.span.text == "b and  # x\r\n  c"
    assert let.value.span.source.position(let.span.start) == (3, 1)


def test_layout_makes_no_difference_to_a_tree() -> None:
    assert term("f( a,b )+1") == term("f(a,\n      b)  +  # c\n\n      1")


# --- precedence ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a * b div c mod d", "((a * b) div c) mod d"),
        ("s union t minus u", "(s union t) minus u"),
        ("a ++ b ++ c", "(a ++ b) ++ c"),
        ("-a.b + c", "(-(a.b)) + c"),
        ("- -a", "-(-a)"),
        ("a + 1 == b", "(a + 1) == b"),
        ("not a == b", "not (a == b)"),
        ("not a and b", "(not a) and b"),
        ("a or b and c", "a or (b and c)"),
        ("a and b implies c or d", "(a and b) implies (c or d)"),
        ("a implies b implies c", "a implies (b implies c)"),
        ("a and forall x in S: b or c", "a and (forall x in S: (b or c))"),
        ("a implies if b then c else d and e", "a implies (if b then c else (d and e))"),
        ("not forall x in S: a and b", "not (forall x in S: (a and b))"),
        ("r with (a = 1) == s", "(r with (a = 1)) == s"),
        ("x in s union t", "x in (s union t)"),
        ("a.b[c].d'", "(((a.b)[c]).d)'"),
    ],
)
def test_operators_bind_as_tightly_as_the_language_page_says(text: str, same: str) -> None:
    assert without_parentheses(term(text)) == without_parentheses(term(same))


def without_parentheses(part: object) -> object:
    if isinstance(part, t.Parenthesized):
        return without_parentheses(part.inner)
    if isinstance(part, tuple):
        return tuple(without_parentheses(item) for item in part)
    if isinstance(part, t.Node):
        fields = [f.name for f in attrs.fields(type(part)) if not f.name.endswith("span")]
        return (type(part), *(without_parentheses(getattr(part, name)) for name in fields))
    return part


# --- names ---------------------------------------------------------------------------

FREE = sorted((DECLARATIONS | STATEMENTS | {"by", "up", "to", "of", "volatile"}) - RESERVED)


@pytest.mark.parametrize("word", [*FREE, "ghost", "channel", "expect", "holds", "any", "most"])
def test_a_keyword_may_name_a_variable_a_field_and_a_local(word: str) -> None:
    text = (
        f"type T(a: bool, {word}: bool)\n"
        f"state\n  server\n    {word}: bool = true\n"
        f"action a(n in Node)\n  let {word} = server.{word}\n  n.{word} := not n.{word}\n"
    )
    assert not refusal(text)


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_names_nothing(word: str) -> None:
    assert refusal(f"type T(a: bool, {word}: bool)\n")
    assert refusal(f"let a = server.{word}\n")
    assert refusal(f"let {word} = 1\n")


def test_words_that_begin_like_keywords_are_names() -> None:
    names = ["android", "input", "isle", "nothing", "order", "forall_nodes", "lets", "not_yet"]
    file = tree_of("".join(f"let {name} = {name}.{name}\n" for name in names))
    assert [d.name.name for d in file.declarations if isinstance(d, t.Let)] == names


def test_a_keyword_does_not_stick_to_the_next_word() -> None:
    assert refusal("type T = set ofNode\n")
    assert refusal("let a = b andc\n")


def test_parentheses_are_kept() -> None:
    assert isinstance(term("(a)"), t.Parenthesized)
    assert isinstance(term("(a, b)"), t.TupleTerm)


def test_a_call_without_parentheses_differs_from_one_with_none_inside() -> None:
    assert declaration("let a = 1\n").parameters is None
    assert declaration("let a() = 1\n").parameters == ()
    assert declaration("step S on a\n  true\n").events[0].names is None
    assert declaration("step S on a()\n  true\n").events[0].names == ()
    assert declaration("step S\n  true\n").events is None


def test_faults_none_differs_from_no_faults_line() -> None:
    assert declaration("check a\n  expect holds\n").faults is None
    assert declaration("check a\n  faults none\n  expect holds\n").faults == ()


# --- doc comments --------------------------------------------------------------------


def test_a_doc_comment_belongs_to_the_declaration_below_it() -> None:
    file = tree_of("sort A\n\n## One.\n##\n##   Two.\nsort B\n")
    assert [d.doc for d in file.declarations] == [None, "One.\n\n  Two."]


def test_doc_comments_of_groups_variables_operations_and_template_properties_are_kept() -> None:
    documented = {
        node.doc.splitlines()[0]: type(node)
        for node in nodes(tree_of(TEXT))
        if isinstance(node, t.Declaration) and node.doc
    }
    assert documented == {
        "How far it goes.": t.Parameter,
        "The only one.": t.Group,
        "Who has it.": t.Variable,
        "What it is now.": t.Operation,
        "No item twice.": t.Invariant,
    }


def test_the_doc_comment_above_the_protocol_line_is_the_file_s() -> None:
    file = tree_of("## A file.\nprotocol P\n## A sort.\nsort A\n")
    assert file.doc == "A file."
    assert file.declarations[0].doc == "A sort."


def test_a_head_comment_of_a_library_is_the_file_s_if_an_empty_line_follows() -> None:
    file = tree_of("# licence\n\n## A library.\n\n## A sort.\nsort A\n")
    assert (file.doc, file.declarations[0].doc) == ("A library.", "A sort.")
    file = tree_of("## A sort.\nsort A\n")
    assert (file.doc, file.declarations[0].doc) == (None, "A sort.")


def test_an_empty_line_a_plain_comment_or_a_row_of_signs_is_no_doc_comment() -> None:
    for above in ["## no\n\n", "## no\n# plain\n", "# plain\n", "######\n"]:
        assert tree_of(f"sort A\n{above}sort B\n").declarations[1].doc is None


def test_two_signs_after_code_are_an_ordinary_comment() -> None:
    assert tree_of("sort A ## not a doc\nsort B\n").declarations[1].doc is None
