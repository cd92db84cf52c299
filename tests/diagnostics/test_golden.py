"""Broken files, and what the tool says about them.

A document of `golden/` has cases: a heading, for each diagnostic a line `caret: ...`, the file (and
files beside it), and the output. What stands after `caret:` was written by hand: the text that the
carets point at, in `«»` if words around it tell which one is meant. The output is what came out,
and was read by someone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from modelcheck.source import Span

from .documents import (
    GOLDEN,
    MAIN,
    Document,
    compare_or_accept,
    judge,
    read,
    spelled,
    write_files,
)


@frozen
class Case:
    """One heading of a document, with what stands below it."""

    path: Path
    number: int
    title: str
    carets: tuple[str, ...]
    document: Document


def split(text: str) -> list[str]:
    """What stands before the first heading, and each heading with what follows."""
    return re.split(r"^(?=## )", text, flags=re.MULTILINE)


def cases() -> Iterator[Case]:
    for path in sorted(GOLDEN.glob("*.md")):
        for number, part in enumerate(split(path.read_text("utf-8"))):
            if number > 0:
                title = part.split("\n", 1)[0].removeprefix("## ")
                carets = tuple(re.findall(r"^- caret: `(.*)`$", part, re.MULTILINE))
                yield Case(path, number, title, carets, read(part))


CASES = list(cases())


def named(case: Case) -> str:
    return f"{case.path.stem}: {case.title}"


def main_file(case: Case) -> str:
    (body,) = (b.body for b in case.document.of("model") if b.info == ("model",))
    return spelled(body)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_broken_file_is_refused_as_recorded(case: Case, here: Path, accept: bool) -> None:
    write_files(case.document, here)
    (here / MAIN).write_text(main_file(case), "utf-8", newline="")
    judged = judge()
    (output,) = case.document.of("text")
    parts = split(case.path.read_text("utf-8"))
    parts[case.number] = str(case.document.replace(output, judged.text))
    old, new = case.path.read_text("utf-8"), "".join(parts)
    compare_or_accept(case.path, old, new, accept)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_carets_point_where_a_person_said(case: Case, here: Path) -> None:
    write_files(case.document, here)
    (here / MAIN).write_text(main_file(case), "utf-8", newline="")
    diagnostics = judge().diagnostics
    spans = [each.primary.span for each in diagnostics if each.primary is not None]
    assert len(spans) == len(case.carets), [(s.line, s.text) for s in spans]
    for span, stated in zip(spans, case.carets, strict=True):
        assert points_at(span, stated), (span.line, span.text, stated)


def points_at(span: Span, stated: str) -> bool:
    """Whether the carets are under the text; without `«»` it has to be the only such text."""
    if "«" not in stated:
        return span.text == stated and span.source.text.count(stated) == 1
    before, inner, after = re.split("[«»]", stated.replace("\\n", "\n"))
    text = span.source.text
    return (
        span.text == inner
        and text[: span.start].endswith(before)
        and text[span.end :].startswith(after)
    )


def test_there_are_enough_broken_files_each_different() -> None:
    assert len(CASES) >= 80
    files = [(main_file(case), str(case.document.of("model"))) for case in CASES]
    assert len(set(files)) == len(files)
    titles = [named(case) for case in CASES]
    assert len(set(titles)) == len(titles)
