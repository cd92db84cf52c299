"""From a model that shows something to a smaller one that still does.

Works on any file: first whole blocks of lines go, then lines, then terms give
way to terms inside them, which the spans of the tree find.

    python -m tests.generate.shrink --seed 17 'complaints(file.checks()[0])'
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from modelcheck.parse import tree
from modelcheck.parse.parser import parse
from modelcheck.source import Source

from .generated import MAIN
from .loading import Loaded, load

Shows = Callable[[Loaded], object]
"""Whether a file still shows what is looked for; an exception that it raises counts as no."""


def shrink(files: dict[str, str], shows: Shows) -> dict[str, str]:
    """The files, of which the main one is as small as this finds."""
    text = files[MAIN]

    def good(candidate: str) -> bool:
        try:
            return bool(shows(load({**files, MAIN: candidate})))
        except Exception:
            return False

    before = None
    while before != text:
        before = text
        text = _without_lines(text, good)
        text = _smaller_terms(text, good)
    return {**files, MAIN: text}


def _without_lines(text: str, good: Callable[[str], bool]) -> str:
    """Without the lines that are not needed: each goes with what is indented below it."""
    lines = [line for line in text.split("\n") if line.strip()]
    at = len(lines) - 1
    while at >= 0:
        end = at + 1
        while end < len(lines) and _indent(lines[end]) > _indent(lines[at]):
            end += 1
        fewer = [*lines[:at], *lines[end:]]
        if good("\n".join(fewer) + "\n"):
            lines = fewer
        at -= 1
    return "\n".join(lines) + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _smaller_terms(text: str, good: Callable[[str], bool]) -> str:
    """With terms in the place of the larger terms that they are in."""
    at = 0
    while True:
        replacements = list(_replacements(text))
        while at < len(replacements):
            start, end, new = replacements[at]
            candidate = text[:start] + new + text[end:]
            if len(candidate) < len(text) and good(candidate):
                text = candidate
                break
            at += 1
        else:
            return text


def _replacements(text: str) -> Iterator[tuple[int, int, str]]:
    """Places of terms, and what could stand there instead."""
    for term in _terms(parse(Source(MAIN, text))):
        inner = [each for each in _terms(term) if each is not term]
        for each in inner[:12]:
            yield term.span.start, term.span.end, each.span.text
            yield term.span.start, term.span.end, f"({each.span.text})"
        for literal in ("true", "false", "0", "1"):
            yield term.span.start, term.span.end, literal


def _terms(node: Any) -> Iterator[Any]:
    """All terms in a tree, outer ones first."""
    if isinstance(node, tuple):
        for each in node:
            yield from _terms(each)
    elif isinstance(node, tree.Node):
        if isinstance(node, tree.Term):
            yield node
        for field in attrs.fields(type(node)):
            if field.name != "span":
                yield from _terms(getattr(node, field.name))


def main() -> None:
    from . import agreement
    from .suitable import generate

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("shows", help="a Python expression over `file` and `complaints`")
    arguments = parser.parse_args()

    def complaints(check: Any) -> list[str]:
        return list(agreement.complaints(check))

    def shows(file: Loaded) -> object:
        return eval(arguments.shows, {"file": file, "complaints": complaints})

    smaller = shrink(generate(arguments.seed).files, shows)
    for path, text in smaller.items():
        print(f"# {path}\n{text}")


if __name__ == "__main__":
    main()
