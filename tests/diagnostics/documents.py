"""The Markdown documents of these tests: fenced blocks, and their rewriting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve, frozen

import modelcheck
from modelcheck.api import load_file
from modelcheck.diagnostics import Diagnostic
from modelcheck.report import snippet

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "modelcheck" / "report" / "explain"
GOLDEN = Path(__file__).resolve().parent / "golden"
MAIN = "example.model"

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@frozen
class Block:
    """A fenced block: the words after the fence, and the lines inside."""

    info: tuple[str, ...]
    body: str


@frozen
class Document:
    """Prose and blocks in turn; `prose` has one part more than there are blocks."""

    prose: tuple[str, ...]
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        pieces = [self.prose[0]]
        for block, after in zip(self.blocks, self.prose[1:], strict=True):
            pieces += [f"```{' '.join(block.info)}\n{block.body}```", after]
        return "".join(pieces)

    def of(self, *info: str) -> list[Block]:
        """The blocks whose fence begins with these words."""
        return [block for block in self.blocks if block.info[: len(info)] == info]

    def replace(self, old: Block, body: str) -> Document:
        """With another body for one of the blocks."""
        blocks = tuple(evolve(b, body=body) if b is old else b for b in self.blocks)
        return evolve(self, blocks=blocks)


def read(text: str) -> Document:
    """The document that a text is."""
    prose, blocks, end = [], [], 0
    for match in _FENCE.finditer(text):
        prose.append(text[end : match.start()])
        blocks.append(Block(tuple(match["info"].split()), match["body"]))
        end = match.end()
    return Document((*prose, text[end:]), tuple(blocks))


@frozen
class Judged:
    """A file with all that is wrong with it: when it is read, and with each check's settings."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """As the tool prints it."""
        return "".join(f"{snippet.diagnostic(each)}\n\n" for each in self.diagnostics).removesuffix(
            "\n"
        )


def judge(path: str = MAIN) -> Judged:
    """All diagnostics of the file, warnings first where it is not refused."""
    return Judged(tuple(_diagnostics(Path(path))))


def _diagnostics(path: Path) -> Iterator[Diagnostic]:
    try:
        file = load_file(path)
    except modelcheck.Refused as refused:
        yield from refused.diagnostics
        return
    yield from file.warnings
    seen: set[tuple[object, ...]] = set()
    for name in file:
        try:
            file.instance(name)
        except modelcheck.Refused as refused:
            for each in refused.diagnostics:
                if each.order not in seen:
                    seen.add(each.order)
                    yield each


def spelled(body: str) -> str:
    """The text of a block, in which `<U+000C>` stands for a character that shows as nothing."""
    return re.sub(r"<U\+([0-9A-F]{4})>", lambda code: chr(int(code[1], 16)), body)


def write_files(document: Document, directory: Path) -> None:
    """The files that a document shows beside the main one: `model network.model`."""
    for block in document.of("model"):
        name = block.info[-1]
        if name.endswith(".model"):
            (directory / name).write_text(block.body, "utf-8")


def compare_or_accept(path: Path, old: str, new: str, accept: bool) -> None:
    """That a document is as it would be written now; with `accept` it becomes so."""
    if old == new:
        return
    if not accept:
        assert old == new, f"{path.name}: run `pytest --accept`, and review the difference"
    path.write_text(new, "utf-8")
    pytest.skip(f"{path.name} rewritten")
