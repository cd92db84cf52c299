"""What can be said about a text before it is parsed: characters, brackets, indentation.

A piece of the file with such a mistake is not parsed: its syntax errors would
be consequences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from modelcheck.diagnostics import Diagnostic, Label
from modelcheck.parse.lines import Layout, Line, Piece
from modelcheck.parse.tokens import RawToken
from modelcheck.parse.words import CLOSERS, DEEPEST_BLOCKS, DEEPEST_BRACKETS, OPENERS
from modelcheck.source import Source, Span

_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|\r(?!\n)"
)
_BIDIRECTIONAL: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_OPERATORS: Final = {
    "&&": "write `and`",
    "&": "write `and`, or `intersect` for sets",
    "||": "write `or`",
    "!": "write `not`",
    "~": "write `not`",
    "/\\": "write `and`",
    "\\/": "write `or`",
    "->": "write `implies` between terms, and `to` in a type such as `map K to V`",
    "=>": "write `implies`, or `>=` for a comparison",
    "==>": "write `implies`",
    "<=>": "write `==`, which also compares truth values",
    "<->": "write `==`, which also compares truth values",
    "=<": "write `<=`",
    "/=": "write `!=`",
    "===": "write `==`",
    "!==": "write `!=`",
    "<>": "write `!=` for a comparison, and `eventually` in a liveness property",
    "%": "write `mod`",
    "/": "write `div`, which rounds down to a whole number",
    "**": "multiply as often as needed",
    "^": "multiply as often as needed",
    "...": "write `..` between the ends of a range",
    "..=": "write `..` between the ends of a range; both ends belong to it",
    "::": "write `:` before a type, and `.` before a field",
    "*=": "write the whole product: `x := x * 2`",
    "|->": "write `each k in K: t` for a map",
    "|=>": "write `implies`, with `x'` for the value after the step",
    "<<": "write `[` and `]` around a sequence",
    "\\": "write `forall` and `exists` for quantifiers, `union` and `in` for sets, "
    "`minus` for a difference",
}

_LOOK_ALIKES: Final = {
    "×": "*", "·": "*", "−": "-", "–": "-", "—": "-", "‐": "-", "÷": "div",
    "≤": "<=", "≥": ">=", "≠": "!=", "≡": "==", "∧": "and", "∨": "or", "¬": "not",
    "⇒": "implies", "→": "implies", "∀": "forall", "∃": "exists", "∈": "in",
    "∉": "not in", "∪": "union", "∩": "intersect", "⊆": "subset", "∖": "minus",
    "∅": "{}", "′": "'", "’": "'", "‘": "'", "…": "..", "≔": ":=", "⇝": "~>",
    "，": ",", "：": ":", "（": "(", "）": ")", "＝": "=",
}  # fmt: skip


def lexical_errors(layout: Layout) -> list[Diagnostic]:
    """The mistakes of a text that need no grammar, at most one for each line and kind."""
    found = list(_character_errors(layout.source))
    tabs = []
    for piece in layout.pieces:
        imports = piece.lines[0].first.text == "import"
        for line in piece.lines:
            for part in line.parts:
                if "\t" in layout.source.text[part.start : part.code[0].start]:
                    tabs.append(Span(layout.source, part.start, part.code[0].start))
                found.extend(_first(_token_error(t, layout.source, imports) for t in part.code))
            found.extend(_bracket_errors(line, layout.source))
        found.extend(_indentation_errors(piece, layout.source))
    if tabs:
        found.append(_tab_indent(tabs))
    return found


def _first(errors: Iterator[Diagnostic | None]) -> Iterator[Diagnostic]:
    """One mistake for a line is enough: the rest is often its consequence (`// don't`)."""
    for error in errors:
        if error is not None:
            yield error
            return


def _character_errors(source: Source) -> Iterator[Diagnostic]:
    lines: set[int] = set()
    for match in _CONTROLS.finditer(source.text):
        span = Span(source, match.start(), match.end())
        if span.line not in lines:
            lines.add(span.line)
            yield Diagnostic(
                "control-character",
                f"a control character, U+{ord(match[0]):04X}",
                Label(span),
                notes=("an editor may show nothing for it, or end the line there",),
                help=("delete it",),
            )
    lines.clear()
    for match in _BIDIRECTIONAL.finditer(source.text):
        span = Span(source, match.start(), match.end())
        if span.line not in lines:
            lines.add(span.line)
            yield Diagnostic(
                "bidirectional-character",
                f"a character that changes the direction of writing, U+{ord(match[0]):04X}",
                Label(span),
                notes=("with it, a file can read differently than it is",),
                help=("remove it, also from comments",),
            )


def _token_error(token: RawToken, source: Source, imports: bool) -> Diagnostic | None:
    at = Label(token.span(source))
    match token.kind:
        case "foreign":
            return _foreign_symbol(token, at)
        case "string" if not imports:
            return Diagnostic(
                "text-literal",
                "a text in quotes",
                at,
                notes=("only the path of an `import` is quoted; there are no texts in a model",),
                help=("name the values in a type, such as `type Colour = Red | Green`",),
            )
        case "number" if not token.text.isdigit():
            return Diagnostic(
                "malformed-number",
                f"`{_shortened(token.text)}` is neither a number nor a name",
                at,
                notes=("numbers are decimal digits; a name begins with a letter",),
            )
        case "other":
            return _odd_character(token, at)
    return None


def _foreign_symbol(token: RawToken, at: Label) -> Diagnostic:
    if token.text in ("//", "/*", "*/"):
        return Diagnostic(
            "comment-sign",
            f"`{token.text}` does not begin or end a comment",
            at,
            help=("begin each line of a comment with `#`",),
        )
    if token.text == ";":
        return Diagnostic(
            "semicolon",
            "a semicolon",
            at,
            notes=("a statement ends with its line",),
            help=("remove it, and put each statement on its own line",),
        )
    if token.text in _OPERATORS:
        return Diagnostic(
            "symbol-of-other-language",
            f"`{token.text}` is not a symbol of the language",
            at,
            help=(_OPERATORS[token.text],),
        )
    return Diagnostic("unknown-character", f"`{token.text}` means nothing", at)


def _odd_character(token: RawToken, at: Label) -> Diagnostic | None:
    character = token.text
    if character == '"':
        return Diagnostic("unclosed-string", "a quotation mark without its partner on the line", at)
    if _CONTROLS.match(character) or _BIDIRECTIONAL.match(character):
        return None  # reported already
    name = unicodedata.name(character, "").lower()
    code = f"U+{ord(character):04X}"
    shown = f"`{character}`" if character.isprintable() and not character.isspace() else "a blank"
    headline = f"{shown} outside a comment ({name or 'unnamed'}, {code})"
    if character in _LOOK_ALIKES:
        return Diagnostic("look-alike", headline, at, help=(f"write `{_LOOK_ALIKES[character]}`",))
    if unicodedata.category(character) in ("Zs", "Cf"):
        return Diagnostic(
            "invisible-character", headline, at, help=("put an ordinary blank, or nothing",)
        )
    return Diagnostic(
        "non-ascii",
        headline,
        at,
        notes=("names are written in the letters a-z and A-Z, digits and `_`",),
    )


def _bracket_errors(line: Line, source: Source) -> Iterator[Diagnostic]:
    """At most one for a line: the next would be its consequence."""
    stack: list[RawToken] = []
    for token in line.tokens:
        if token.text in OPENERS:
            stack.append(token)
            if len(stack) > DEEPEST_BRACKETS:
                yield _too_deep(token.span(source), DEEPEST_BRACKETS)
                return
        elif token.text in CLOSERS:
            if not stack:
                yield Diagnostic(
                    "unmatched-bracket",
                    f"`{token.text}` closes nothing",
                    Label(token.span(source)),
                )
                return
            opener = stack.pop()
            if OPENERS[opener.text] != token.text:
                yield Diagnostic(
                    "mismatched-bracket",
                    f"`{token.text}` where `{OPENERS[opener.text]}` has to come first",
                    Label(token.span(source)),
                    (Label(opener.span(source), "opened here"),),
                )
                return
    if stack:
        opener = stack[-1]
        yield Diagnostic(
            "unclosed-bracket",
            f"`{opener.text}` is never closed",
            Label(opener.span(source)),
            notes=("inside brackets line ends do not count, so what follows was read on",),
            help=(f"add the missing `{OPENERS[opener.text]}`",),
        )


def _indentation_errors(piece: Piece, source: Source) -> Iterator[Diagnostic]:
    columns = [0]
    for line in piece.lines:
        at = line.first.span(source)
        if line is piece.lines[0] and line.indent > 0:
            yield Diagnostic(
                "indented-declaration",
                f"the first line of the file, `{line.first.text} ...`, is indented",
                Label(at),
                help=("begin declarations in the first column",),
            )
            return
        if line.indent > columns[-1]:
            columns.append(line.indent)
            if len(columns) > DEEPEST_BLOCKS + 1:
                yield _too_deep(at, DEEPEST_BLOCKS)
                return
        while line.indent < columns[-1]:
            columns.pop()
            if line.indent > columns[-1]:
                yield Diagnostic(
                    "uneven-dedent",
                    "this line is less indented than the one above, but no block began here",
                    Label(at),
                    notes=(
                        "blocks are open at column "
                        + " and ".join(str(column + 1) for column in columns),
                    ),
                    help=("align it with the first line of the block that it belongs to",),
                )
                return


def _tab_indent(tabs: list[Span]) -> Diagnostic:
    more = len(tabs) - 1
    return Diagnostic(
        "tab-indent",
        "a line indented with a tab",
        Label(tabs[0]),
        notes=(f"there are {more} more of them",) if more > 1 else (),
        help=("indent with blanks, two for each level",),
    )


def _too_deep(at: Span, limit: int) -> Diagnostic:
    return Diagnostic("too-deep", f"nested more than {limit} levels", Label(at))


def _shortened(text: str) -> str:
    return text if len(text) <= 20 else text[:17] + "..."
