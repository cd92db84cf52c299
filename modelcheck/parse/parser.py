"""Text to tree.

A file is parsed piece by piece: a piece is a line without indentation and the
indented lines below it. So every declaration with a syntax error is reported,
and none hides the next.

Lark's tables are made once in a process. Composing them from grammar.lark takes
about 0.2 s, and reading them back 0.02 s, so they are kept in the user's cache
folder. That folder, and not the package's (it may be read-only) nor the
system's temporary one (Lark's own cache is a pickle there, which somebody else
could plant). A cache that cannot be read or written is no error.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import attrs
import lark
from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from lark.lark import PostLex
from lark.lexer import PatternRE, PatternStr, TerminalDef
from lark.utils import TextSlice

from modelcheck.diagnostics import Collector, Diagnostic, Label
from modelcheck.parse import tree as t
from modelcheck.parse.builder import Builder, Item, Protocol
from modelcheck.parse.lexical import lexical_errors
from modelcheck.parse.lines import Layout, Piece, lay_out
from modelcheck.parse.mistakes import diagnose, situation
from modelcheck.parse.mistakes.starts import unknown_start
from modelcheck.parse.words import DECLARATIONS, DEEPEST_TERM
from modelcheck.source import Source, Span


def parse(source: Source) -> t.File:
    """The tree of a file.

    Raises Refused with all syntax errors, in general at most one for each declaration.
    """
    layout = lay_out(source)
    collector = Collector()
    for diagnostic in lexical_errors(layout):
        collector.report(diagnostic)
    damaged = [d.primary.span.start for d in collector.found if d.primary]
    builder = Builder(source, layout.docs, collector)
    items: list[Item] = []
    unknown_before = False
    for piece in layout.pieces:
        known = piece.lines[0].first.text in DECLARATIONS
        reported = len(collector.found)
        if any(piece.start <= offset < piece.end for offset in damaged):
            pass
        elif not known:
            # A run of them has one cause, such as a body that is not indented.
            if not unknown_before:
                collector.report(unknown_start(source, piece))
        else:
            item = _parse_piece(layout, piece, builder, collector)
            if item is not None:
                items.append(item)
        # Nor is a body in the first column reported after the header that lacks it.
        headless = any(d.id == "missing-body" for d in collector.found[reported:])
        unknown_before = not known or headless
    if not layout.pieces and not collector.found:
        collector.error("empty-file", "the file declares nothing", Span(source, 0, 0))
    _protocol_lines(items, collector)
    collector.refuse_if_any()
    return _file(layout, items)


def _parse_piece(
    layout: Layout, piece: Piece, builder: Builder, collector: Collector
) -> Item | None:
    try:
        raw = grammar().parse(TextSlice(layout.masked, piece.start, piece.end))
    except UnexpectedInput as error:
        stopped = _situation(layout.source, piece, error)
        found = diagnose(stopped)
        if not _told_before(found, stopped, collector):
            collector.report(found)
        return None
    item = builder.build(raw)
    # A term is at most as high as its line has tokens, so that few need a look.
    if max(len(line.tokens) for line in piece.lines) > DEEPEST_TERM // 2:
        too_deep = _too_deep(item)
        if too_deep is not None:
            collector.report(too_deep)
    return item


def _told_before(found: Diagnostic, stopped: situation.Situation, collector: Collector) -> bool:
    """Whether it is a use of a reserved word that was reported where it was declared."""
    words = {d.primary.span.text for d in collector.found if d.id == "reserved-word" and d.primary}
    if found.id == "reserved-word":
        return stopped.found in words
    return stopped.before in words and stopped.accepted == {situation.LOWER}


def _too_deep(item: t.Node) -> Diagnostic | None:
    stack: list[tuple[Any, int]] = [(item, 0)]
    while stack:
        part, depth = stack.pop()
        if isinstance(part, tuple):
            stack.extend((child, depth) for child in part)
        elif isinstance(part, t.Node):
            if depth > DEEPEST_TERM:
                return Diagnostic(
                    "too-deep",
                    f"nested more than {DEEPEST_TERM} levels",
                    Label(part.span),
                    notes=("each operator of a long chain is a level",),
                    help=("name parts of it with `let`",),
                )
            fields = attrs.fields(type(part))
            stack.extend((getattr(part, field.name), depth + 1) for field in fields)
    return None


def _protocol_lines(items: Iterable[Item], collector: Collector) -> None:
    for number, item in enumerate(items):
        if isinstance(item, Protocol) and number > 0:
            collector.error(
                "protocol-not-first",
                f"the line `protocol {item.name.name}` after other declarations",
                item.span,
                help=["move it to the top; a file has one such line, or none if it is a library"],
            )


def _file(layout: Layout, items: list[Item]) -> t.File:
    span = Span(layout.source, 0, len(layout.source.text))
    declarations = tuple(item for item in items if not isinstance(item, Protocol))
    match items:
        case [Protocol(name=name) as line, *_]:
            return t.File(name, declarations, doc=layout.docs.get(line.span.start), span=span)
    return t.File(None, declarations, doc=layout.head_doc, span=span)


# --- what the parser stopped at ------------------------------------------------------


def _situation(source: Source, piece: Piece, error: UnexpectedInput) -> situation.Situation:
    token = getattr(error, "token", None)
    kind = token.type if isinstance(token, Token) else ""
    offset = error.pos_in_stream if error.pos_in_stream is not None else piece.end
    where: situation.Where = "token"
    if kind in ("_NL", "$END"):
        where = "line end"
    elif kind in ("_INDENT", "_DEDENT"):
        where = "indent" if kind == "_INDENT" else "dedent"
    line = piece.lines[-1]
    for candidate in piece.lines:
        if kind == "$END":
            break
        last = candidate.tokens[-1].end
        # An indent or dedent has the place of the line end before it.
        if offset < last or (where in ("line end", "dedent") and offset <= _end(piece, candidate)):
            line = candidate
            break
    index, split = len(line.tokens), False
    if where == "token":
        index = next(i for i, raw in enumerate(line.tokens) if offset < raw.end)
        split = offset > line.tokens[index].start
    stopped: Any = getattr(error, "interactive_parser", None)
    accepted: set[str] = stopped.accepts() if stopped is not None else set()
    texts = frozenset(text for name in accepted for text in _texts()[name])
    return situation.Situation(source, piece, line, index, where, split, texts)


def _end(piece: Piece, line: Any) -> int:
    number = piece.lines.index(line) + 1
    return piece.lines[number].first.start - 1 if number < len(piece.lines) else piece.end


_CLASSES: Final = {
    "LOWER": (situation.LOWER,),
    "UPPER": (situation.UPPER,),
    "INT": (situation.NUMBER,),
    "STRING": ("a path in quotes",),
    "_NL": (situation.LINE_END,),
    "_INDENT": (situation.INDENT,),
    "_DEDENT": (situation.DEDENT,),
    "$END": (),
    "COMPARE": tuple(sorted(situation.COMPARISONS)),
    "UPDATE": tuple(sorted(situation.UPDATES)),
    "BASIC": ("int", "bool"),
    "MODIFIER": ("volatile", "ghost"),
    "BLANK": ("_",),
    "PLUS": ("+",),
    "MINUS": ("-",),
}
"""Terminals that are not one keyword or symbol, in words of the language."""


@functools.cache
def _texts() -> dict[str, tuple[str, ...]]:
    keyword = re.compile(r"([a-z-]+)\(\?!")
    texts: dict[str, tuple[str, ...]] = dict(_CLASSES)
    for terminal in grammar().terminals:
        if terminal.name not in texts:
            match = keyword.match(terminal.pattern.value)
            texts[terminal.name] = (match[1] if match else terminal.pattern.value,)
    return texts


# --- the grammar ---------------------------------------------------------------------


class Blocks(PostLex):
    """Turns the indentation of lines into _INDENT and _DEDENT.

    A dedent to a column where no block began has been refused before.
    """

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens of one piece of a file, which begins without indentation."""
        columns = [0]
        for token in stream:
            yield token
            if token.type != "_NL":
                continue
            column = len(token) - token.rindex("\n") - 1
            if column > columns[-1]:
                columns.append(column)
                yield Token.new_borrow_pos("_INDENT", "", token)
            while column < columns[-1]:
                columns.pop()
                yield Token.new_borrow_pos("_DEDENT", "", token)


def is_code(child: object) -> bool:
    """Whether a token or tree counts for the place of the tree that contains it."""
    return not (isinstance(child, Token) and child.type.startswith("_"))


def whole_words(terminal: TerminalDef) -> None:
    """Make a keyword of the grammar match whole words only, and rank it above names."""
    if isinstance(terminal.pattern, PatternStr) and re.fullmatch(
        "[a-z][a-z-]*", terminal.pattern.value
    ):
        terminal.pattern = PatternRE(terminal.pattern.value + "(?![A-Za-z0-9_])")
        terminal.priority = 1


def compose(text: str, *, strict: bool = False) -> Lark:
    """The parser for a grammar's text. With `strict`, an ambiguity of terminals is an error."""
    return Lark(
        text,
        start="item",
        parser="lalr",
        postlex=Blocks(),
        edit_terminals=whole_words,
        propagate_positions=is_code,
        strict=strict,
    )


def grammar_text() -> str:
    """The text of grammar.lark."""
    return files("modelcheck.parse").joinpath("grammar.lark").read_text(encoding="utf-8")


@functools.cache
def grammar() -> Lark:
    """The parser of the language."""
    text = grammar_text()
    path = _cache_path(text)
    if path is None:
        return compose(text)
    try:
        with path.open("rb") as file:
            return Lark.load(file)
    except Exception:  # whatever is wrong with the cache, the grammar itself is here
        composed = compose(text)
        _save(composed, path)
        return composed


def _cache_path(text: str) -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(base):
        return None
    # What is stored refers to classes and functions of this module and of Lark.
    key = "\0".join([text, "1", lark.__version__, sys.version])
    return Path(base, "modelcheck", f"grammar-{hashlib.sha256(key.encode()).hexdigest()[:16]}")


def _save(composed: Lark, path: Path) -> None:
    """Write the tables aside and move them into place: nobody ever reads half of them."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            composed.save(file)
        os.replace(file.name, path)
    except OSError:
        pass
