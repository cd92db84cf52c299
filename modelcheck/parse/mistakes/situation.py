"""Where the parser stopped, and the words of the language for it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

from attrs import frozen

from modelcheck.diagnostics import Diagnostic, Label, listing
from modelcheck.parse.examples import EXAMPLES, STATEMENT_EXAMPLES
from modelcheck.parse.lines import Line, Piece
from modelcheck.parse.tokens import RawToken
from modelcheck.parse.words import INFIX_SYMBOLS, INFIX_WORDS, OPENERS
from modelcheck.source import Source, Span

LOWER: Final = "a lower-case name"
UPPER: Final = "an upper-case name"
NUMBER: Final = "a number"
LINE_END: Final = "the end of the line"
INDENT: Final = "an indented line"
DEDENT: Final = "the end of the block"

COMPARISONS: Final = frozenset(["==", "!=", "<", "<=", ">", ">="])
RELATIONS: Final = COMPARISONS | {"is", "in", "subset"}
UPDATES: Final = frozenset([":=", "+=", "-="])
INFIX: Final = (INFIX_WORDS | INFIX_SYMBOLS | {"."}) - UPDATES
BODIES: Final = frozenset(["action", "fault", "fair", "strongly", "effect", "object"])

Where: TypeAlias = Literal["token", "line end", "indent", "dedent"]


@frozen
class Situation:
    """Where the parser stopped, and what it could have gone on with.

    where     at a token, or at an end of line, or before or after a block
    line      the logical line
    index     of the token in the line; its length at the line's end
    split     the parser went on with a part of the token: with `:` of `:=`
    accepted  texts of keywords and symbols, and the classes above
    """

    source: Source
    piece: Piece
    line: Line
    index: int
    where: Where
    split: bool
    accepted: frozenset[str]

    @property
    def found(self) -> str:
        """The token that could not be read; empty at the end of a line."""
        return self.line.tokens[self.index].text if self.where == "token" else ""

    @property
    def token(self) -> RawToken:
        """The token that could not be read, or the last one of the line."""
        return self.line.tokens[min(self.index, len(self.line.tokens) - 1)]

    @property
    def before(self) -> str:
        """The token before, on the same line."""
        return self.line.tokens[self.index - 1].text if self.index > 0 else ""

    @property
    def after(self) -> str:
        """The token after, on the same line."""
        following = self.line.tokens[self.index + 1 : self.index + 2]
        return following[0].text if following else ""

    @property
    def declaration(self) -> str:
        """The word that the piece begins with."""
        return self.piece.lines[0].first.text

    @property
    def head(self) -> str:
        """The word that the line begins with."""
        return self.line.first.text

    @property
    def in_header(self) -> bool:
        """Whether it is the first line of the piece."""
        return self.line is self.piece.lines[0]

    @property
    def in_body(self) -> bool:
        """Whether the line is one of a block of statements."""
        return self.declaration in BODIES and not self.in_header

    @property
    def next_line(self) -> Line | None:
        """The logical line below."""
        number = self.piece.lines.index(self.line) + 1
        return self.piece.lines[number] if number < len(self.piece.lines) else None

    @property
    def wants_term(self) -> bool:
        """Whether a term may begin here."""
        return {"(", NUMBER, "none"} <= self.accepted

    @property
    def enclosing(self) -> RawToken | None:
        """The innermost bracket that is open here."""
        stack: list[RawToken] = []
        for token in self.line.tokens[: self.index]:
            if token.text in OPENERS:
                stack.append(token)
            elif token.text in OPENERS.values():
                stack.pop()
        return stack[-1] if stack else None

    def word(self, kind: str = "") -> bool:
        """Whether a word was found, or one that begins with such a letter."""
        letter = self.found[:1]
        if kind == LOWER:
            return letter.islower()
        if kind == UPPER:
            return letter.isupper()
        return letter.isalpha() or letter == "_"

    def report(
        self,
        id: str,
        headline: str,
        *,
        at: RawToken | None = None,
        label: str = "",
        labels: Iterable[tuple[RawToken, str]] = (),
        note: str = "",
        help: str = "",
    ) -> Diagnostic:
        """A diagnostic at the token, or at the end of the line."""
        token = at or self.token
        span = token.span(self.source)
        if at is None and self.where != "token":
            span = Span(self.source, span.end, span.end)
        return Diagnostic(
            id,
            headline,
            Label(span, label),
            tuple(Label(t.span(self.source), text) for t, text in labels),
            (note,) if note else (),
            (help,) if help else (),
        )


Rule: TypeAlias = Callable[[Situation], Diagnostic | None]
"""Words a mistake that it recognises, and returns None for others."""


LOWER_THINGS: Final = (
    "groups, variables, fields, binders, `let`s, actions, effects and checks begin with a "
    "lower-case letter"
)
UPPER_THINGS: Final = (
    "types, constructors, parameters, sorts, properties, templates, objects and proofs begin "
    "with an upper-case letter"
)


def examples(declaration: str, statement: str = "") -> str:
    statement = {"elif": "if", "else": "if"}.get(statement, statement)
    if statement and declaration in BODIES:
        example = STATEMENT_EXAMPLES.get(statement, STATEMENT_EXAMPLES["update"])
        return f"such lines look so:\n\n{indented(example)}"
    example = EXAMPLES.get(declaration, "")
    word = {
        "fair": "action",
        "strongly": "action",
        "always": "always possible",
        "sequentially": "sequentially consistent",
    }.get(declaration, declaration)
    return f"`{word}` is written so:\n\n{indented(example)}" if example else ""


def indented(text: str) -> str:
    return textwrap.indent(text, "  ")


def did_you_mean(words: list[str]) -> str:
    return f"did you mean {listing(words, 'or')}?" if words else ""


def lower_case(name: str) -> str:
    letters = [
        ("_" if i and c.isupper() and not name[i - 1].isupper() and name[i - 1] != "_" else "") + c
        for i, c in enumerate(name)
    ]
    return "".join(letters).lower()


def upper_case(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part) or "X"
