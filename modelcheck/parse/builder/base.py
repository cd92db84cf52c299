"""What the makers of trees share: places, doc comments, numbers."""

from __future__ import annotations

from typing import Any, TypeAlias

from lark import Token

from modelcheck.diagnostics import Collector
from modelcheck.parse import tree as t
from modelcheck.parse.structure import Structure
from modelcheck.source import Source, Span

Names: TypeAlias = tuple[t.Identifier, ...]
Parameters: TypeAlias = tuple[t.HeadParameter, ...]
Block: TypeAlias = tuple[t.Statement, ...]


class Maker:
    """Makes the trees of one source; what the grammar cannot refuse, it reports."""

    def __init__(self, source: Source, docs: dict[int, str], collector: Collector) -> None:
        self.source = source
        self.docs = docs
        self.structure = Structure(collector)

    def _leaf(self, token: Token | None) -> Token | t.Identifier | None:
        if token is not None and token.type in ("LOWER", "UPPER"):
            return t.Identifier(str(token), span=self._span(token))
        return token

    def _span(self, token: Token) -> Span:
        assert token.start_pos is not None and token.end_pos is not None
        return Span(self.source, token.start_pos, token.end_pos)

    def _doc(self, span: Span) -> str | None:
        return self.docs.get(span.start)

    def _number(self, digits: Token) -> int:
        return self.structure.number(str(digits), self._span(digits))


def present(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items that were written: an empty list in brackets is one None to Lark."""
    return tuple(item for item in items if item is not None)
