"""What the tests of the parser share: parsing from a text, and trees as short text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from modelcheck.diagnostics import Diagnostic, Refused
from modelcheck.parse import tree as t
from modelcheck.parse.parser import parse
from modelcheck.source import Source

ROOT = Path(__file__).resolve().parent.parent.parent
CONSTRUCTS = Path(__file__).parent / "constructs.model"


def tree_of(text: str) -> t.File:
    return parse(Source("test.model", text))


def refusal(text: str) -> tuple[Diagnostic, ...]:
    """Why a text is refused; empty if it is not."""
    try:
        tree_of(text)
    except Refused as refused:
        return refused.diagnostics
    return ()


def ids(text: str) -> list[str]:
    return [diagnostic.id for diagnostic in refusal(text)]


def declaration(text: str) -> Any:
    """The only declaration of a text."""
    (only,) = tree_of(text).declarations
    return only


def term(text: str) -> Any:
    """The tree of a term."""
    return declaration(f"let x = {text}\n").value


def nodes(part: Any) -> list[t.Node]:
    """All trees in a tree, from the root down."""
    found: list[t.Node] = []
    stack = [part]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            stack.extend(reversed(part))
        elif isinstance(part, t.Node):
            found.append(part)
            stack.extend(getattr(part, f.name) for f in reversed(attrs.fields(type(part))))
    return found


def show(part: Any, indent: str = "") -> str:
    """A tree as text: one line for each tree, its children further right."""
    lines = []
    for field in attrs.fields(type(part)):
        if field.name.endswith("span"):
            continue
        value = getattr(part, field.name)
        if isinstance(value, t.Node):
            lines.append(f"{indent}  {field.name}: {show(value, indent + '  ')}")
        elif isinstance(value, tuple) and value:
            lines.append(f"{indent}  {field.name}:")
            lines += [f"{indent}    {_shown(item, indent + '    ')}" for item in value]
        elif value is not None and value != () and value is not False:
            lines.append(f"{indent}  {field.name}: {value!r}")
    return "\n".join([type(part).__name__, *lines])


def _shown(item: Any, indent: str) -> str:
    if isinstance(item, tuple):
        return "(" + ", ".join(_shown(part, indent + "  ") for part in item) + ")"
    return show(item, indent) if isinstance(item, t.Node) else repr(item)
