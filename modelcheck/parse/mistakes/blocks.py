"""Mistakes of lines and blocks: bodies, indentation, `else`."""

from __future__ import annotations

from modelcheck.diagnostics import Diagnostic
from modelcheck.parse.examples import EXAMPLES
from modelcheck.parse.mistakes.situation import (
    INDENT,
    LINE_END,
    UPDATES,
    Situation,
    examples,
)
from modelcheck.parse.words import DECLARATIONS, STATEMENTS


def missing_body(s: Situation) -> Diagnostic | None:
    if s.accepted != {INDENT}:
        return None
    # The parser noticed at the line below, or at the end of the piece.
    number = s.piece.lines.index(s.line)
    header = s.line if s.where != "token" or s.index > 0 else s.piece.lines[number - 1]
    name = header.tokens[1].text if not header.indent and len(header.tokens) > 1 else ""
    acts = s.declaration in ("action", "fault", "fair", "strongly")
    return s.report(
        "missing-body",
        f"nothing belongs to `{f'{header.first.text} {name}'.strip()}`",
        at=header.first,
        note=examples(s.declaration, header.first.text if header.indent else ""),
        help="indent the lines that belong to it"
        + ("; an action that changes nothing says `when true`" if acts else ""),
    )


def unexpected_indent(s: Situation) -> Diagnostic | None:
    if s.where != "indent":
        return None
    return s.report(
        "unexpected-indent",
        f"the line `{s.head} ...` is indented for no reason",
        at=s.line.first,
        note="a line goes on in the next one if it ends in an operator, `,`, `:` or `=`, "
        "or inside brackets",
        help="align it with the line above, or end that line in an operator",
    )


def lone_else(s: Situation) -> Diagnostic | None:
    below = s.next_line
    if s.where == "line end" and "else" in s.accepted:
        if below is not None and below.first.text == "else":
            return s.report(
                "else-of-term-on-own-line",
                "the `else` of a term begins a line",
                at=below.first,
                note="a line that begins with `else` belongs to an `if` statement",
                help="put it at the end of the line above, together with its term",
            )
        return s.report(
            "if-without-else",
            "a term `if ... then ...` without `else`",
            label="`else` is missing here",
            help="say what the value is otherwise; for an update that happens only sometimes, "
            "begin a line with `if`",
        )
    if s.where == "line end" and s.before == "else":
        return s.report(
            "line-ends-in-else",
            "a line that ends in `else`",
            at=s.token,
            note="the next line is not read as its continuation",
            help="put the term after `else` on the same line",
        )
    if s.index == 0 and s.found in ("else", "elif"):
        return s.report(
            "else-without-if",
            f"`{s.found}` without an `if` above it",
            help=f"align `{s.found}` with its `if`",
        )
    return None


def indented_declaration(s: Situation) -> Diagnostic | None:
    # In a block of statements the word was read as the name of a place.
    if s.in_header or s.index > 1 or s.head not in DECLARATIONS:
        return None
    if s.index == 1 and not s.word():
        return None
    return s.report(
        "indented-declaration",
        f"the declaration `{s.head} ...` is indented",
        at=s.line.first,
        help=f"begin `{s.head}` in the first column",
    )


def body_on_header_line(s: Situation) -> Diagnostic | None:
    if (
        s.found == "{"
        and LINE_END in s.accepted
        and (s.index == len(s.line.tokens) - 1 or s.in_header)
    ):
        return s.report(
            "brace-block",
            "a block in braces",
            note="braces are for sets; lines that belong together are indented alike",
            help="remove the braces, and indent the block by two",
        )
    if s.found == ":" and LINE_END in s.accepted and _ends_physical_line(s):
        return s.report(
            "colon-before-block",
            "a colon before an indented block",
            help="remove the colon",
        )
    if s.found == "then" and s.head in ("if", "elif") and LINE_END in s.accepted:
        return s.report(
            "then-in-statement",
            "`then` in an `if` statement",
            note="`if ... then ... else` is a term; the statement is followed by indented lines",
            help="put the update on the next line, indented",
        )
    headed = s.declaration in EXAMPLES and "\n" in EXAMPLES[s.declaration]
    starts = s.found in STATEMENTS or s.found == ":" or (s.word() and s.after in UPDATES | {"."})
    if (
        s.in_header
        and headed
        and LINE_END in s.accepted
        and starts
        and s.declaration
        not in (
            "type",
            "param",
            "let",
        )
    ):
        return s.report(
            "same-line-body",
            f"the body of `{s.declaration}` begins on its first line",
            label="its own line, indented",
            note=examples(s.declaration),
        )
    return None


def trailing(s: Situation) -> Diagnostic | None:
    closes = s.found in (")", "]", "}")
    if s.before == "," and (closes or s.where == "line end" or s.where == "dedent"):
        return s.report(
            "trailing-comma",
            "a comma with nothing after it",
            at=s.line.tokens[s.index - 1],
            help="remove the comma",
        )
    if s.before == "(" and s.found == ")":
        return s.report(
            "empty-parentheses",
            "nothing between parentheses",
            help="leave the parentheses out, or fill them",
        )
    return None


def _ends_physical_line(s: Situation) -> bool:
    token = s.token
    return any(part.code and part.code[-1] == token for part in s.line.parts)
