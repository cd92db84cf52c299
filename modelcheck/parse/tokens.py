"""Words, numbers, symbols and comments of a text, before any grammar.

Lark lexes by context and stops at the first surprise. This scanner never
stops: it serves what needs all of a text, right or wrong: joining lines,
wording of mistakes, and the formatter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from modelcheck.parse.words import words
from modelcheck.source import Source, Span

Kind: TypeAlias = Literal[
    "word", "number", "string", "symbol", "foreign", "comment", "newline", "other"
]

SYMBOLS: Final = words("""( ) [ ] { } , : . .. ' ? = == != < <= > >= + - * ++ ~> := += -= |""")

FOREIGN: Final = words(
    r"""&& || & ! ~ /\ \/ -> => ==> <=> <-> =< /= === !== <> % / // /* */ ; ** ^
    ... ..= :: *= |-> |=> << \ @ $ `"""
)
"""Symbols of other languages. None is a sequence of ours: `<-` is `<` and `-`, and not here."""


class RawToken(NamedTuple):
    """A piece of text; `start` and `end` are offsets into it."""

    kind: Kind
    text: str
    start: int
    end: int

    def span(self, source: Source) -> Span:
        """The piece as a place in `source`."""
        return Span(source, self.start, self.end)


def _longest_first(symbols: Iterable[str]) -> str:
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=lambda s: (-len(s), s)))


# Foreign symbols are tried first, but only where none of ours is longer.
_PATTERN: Final = re.compile(
    rf"""
      (?P<newline> \r?\n)
    | (?P<comment> \#[^\r\n]*)
    | (?P<string>  "[^"\r\n]*")
    | (?P<word>    (?:two-writes|k-induction)(?![A-Za-z0-9_]) | [A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>  [0-9][A-Za-z0-9_]*)
    | (?P<symbol>  !=(?!=) | ~>)
    | (?P<foreign> {_longest_first(FOREIGN).replace("#", r"[#]")})
    | (?P<symbol2> {_longest_first(SYMBOLS)})
    | (?P<space>   [ \t]+)
    | (?P<other>   .)
    """,
    re.VERBOSE | re.DOTALL,
)


def scan(text: str) -> Iterator[RawToken]:
    """The pieces of `text` in order, without blanks; a leading byte order mark is a blank."""
    for match in _PATTERN.finditer(text, 1 if text.startswith("\ufeff") else 0):
        kind = match.lastgroup
        if kind == "space":
            continue
        if kind == "symbol2":
            kind = "symbol"
        yield RawToken(kind, match[0], match.start(), match.end())  # type: ignore[arg-type]
