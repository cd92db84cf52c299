"""The examples of docs/language.md are files that the tool accepts.

The `model` blocks of a chapter, in order, are one file; a block with `file=NAME` is a file of its
own beside it. A chapter with checks is run, and its verdicts are as it expects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

import modelcheck
from modelcheck.parse.words import DECLARATIONS, INNER, RESERVED, STATEMENTS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "language.md"


@frozen
class Chapter:
    """The examples of one chapter: one file, and the files beside it by name."""

    title: str
    text: str
    beside: dict[str, str]


def read_page() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """For each chapter its title, and its `model` blocks: what stands after `model`, the text."""
    title = ""
    blocks: list[tuple[str, str]] = []
    fence: str | None = None
    for line in PAGE.read_text("utf-8").splitlines(keepends=True):
        if line.startswith("```"):
            if fence is not None:
                fence = None
                continue
            fence = line[3:].strip()
            if fence.startswith("model"):
                blocks.append((fence.removeprefix("model").strip(), ""))
        elif fence is not None and fence.startswith("model"):
            info, text = blocks[-1]
            blocks[-1] = (info, text + line)
        elif fence is None and line.startswith("## "):
            if title:
                yield title, blocks
            title, blocks = line[3:].strip(), []
    yield title, blocks


def chapters() -> list[Chapter]:
    found = []
    for title, blocks in read_page():
        text = "\n".join(text for info, text in blocks if not info)
        if re.search(r"^state$", text, re.MULTILINE) and "protocol " not in text:
            text = f"protocol Example\n\n{text}"
        beside = {info.removeprefix("file="): text for info, text in blocks if info}
        if text:
            found.append(Chapter(title, text, beside))
    return found


@pytest.mark.parametrize("chapter", chapters(), ids=lambda c: c.title)
def test_the_examples_of_a_chapter_are_accepted_and_come_out_as_expected(
    chapter: Chapter, tmp_path: Path
) -> None:
    for name, text in chapter.beside.items():
        (tmp_path / name).write_text(text, "utf-8")
    path = tmp_path / "example.model"
    path.write_text(chapter.text, "utf-8")
    try:
        file = modelcheck.load(path)
        for name in [*chapter.beside]:
            modelcheck.load(tmp_path / name)
        outcomes = [modelcheck.check(file[name]) for name in file]
    except modelcheck.Refused as refused:
        pytest.fail("\n".join(explained(each) for each in refused.diagnostics))
    for outcome in outcomes:
        assert outcome.as_expected, (outcome.check.name, outcome.unmet, outcome.found)


def explained(diagnostic: modelcheck.Diagnostic) -> str:
    if diagnostic.primary is None:
        return diagnostic.headline
    span = diagnostic.primary.span
    return f"{diagnostic.id}: {diagnostic.headline}\n    {span.source.line(span.line)}"


def test_every_keyword_occurs_in_an_example() -> None:
    text = "\n".join(t for c in chapters() for t in [c.text, *c.beside.values()])
    words = set(re.findall(r"[a-z][a-z-]*", re.sub(r"#.*", "", text)))
    assert words >= (RESERVED | DECLARATIONS | STATEMENTS | INNER) - SHOWN_IN_PROSE


SHOWN_IN_PROSE = {"axiom"}
"""Read and never carried out: an example would promise too much."""


def test_every_chapter_is_in_the_list_at_the_head_of_the_page() -> None:
    head = PAGE.read_text("utf-8").partition("\n## ")[0]
    listed = re.findall(r"^\[(.+)\]\(#", head, re.MULTILINE)
    assert listed == [title for title, _ in read_page()]
