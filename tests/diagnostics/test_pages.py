"""Every diagnostic has a page, and every page tells the truth."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from modelcheck.api import format_source
from modelcheck.cli import program
from modelcheck.core.outcome import FoundKind
from modelcheck.source import Source

from .documents import (
    MAIN,
    PAGES,
    ROOT,
    Document,
    compare_or_accept,
    judge,
    read,
    spelled,
    write_files,
)

IDS = sorted(page.stem for page in PAGES.glob("*.md"))


# --- which ids there are -------------------------------------------------------------


def kinds_of_violations() -> set[str]:
    """What stands in `violated[...]`."""
    return {kind.replace(" ", "-") for kind in get_args(FoundKind)}


def ids_in_the_code() -> set[str]:
    """The first arguments of what makes diagnostics, and the keys of tables of them."""
    found = kinds_of_violations()
    for path in sorted((ROOT / "modelcheck").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _makes_diagnostic(node.func):
                found |= set(_slugs(node.args[0]))
    return found


def _makes_diagnostic(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    return name in ("Diagnostic", "error", "report", "_refused", "twice")


def _slugs(argument: ast.expr) -> Iterator[str]:
    for node in ast.walk(argument):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_the_pages_are_those_of_the_ids_in_the_code() -> None:
    code = ids_in_the_code()
    assert sorted(code - set(IDS)) == [], "ids without a page"
    assert sorted(set(IDS) - code) == [], "pages without an id"


def test_an_id_is_a_slug() -> None:
    for id in IDS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)


# --- what a page says ----------------------------------------------------------------


def page(id: str) -> Document:
    return read((PAGES / f"{id}.md").read_text("utf-8"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("id", IDS)
def test_a_page_is_headed_by_its_id(id: str) -> None:
    first, second, third, *_ = (PAGES / f"{id}.md").read_text("utf-8").splitlines()
    assert first.startswith(f"# {id}: "), first
    assert not first.endswith(".")
    assert not second and third
    assert all(len(line) <= 100 for line in page(id).prose[0].splitlines())


@pytest.mark.parametrize("id", IDS)
def test_the_output_on_a_page_is_what_the_tool_prints(id: str, here: Path, accept: bool) -> None:
    path = PAGES / f"{id}.md"
    shown = page(id)
    write_files(shown, here)
    made = shown
    outputs = 0
    for block in shown.blocks:
        if block.info[:2] == ("model", "bad"):
            (here / MAIN).write_text(spelled(block.body), "utf-8", newline="")
        elif block.info[:1] == ("console",):
            outputs += 1
            if "unchecked" not in block.info:
                made = made.replace(block, session(block.body))
        elif block.info == ("text",):
            outputs += 1
            judged = judge()
            assert [each.id for each in judged.diagnostics] == [id]
            made = made.replace(block, judged.text)
    assert outputs
    assert f"[{id}]" in str(made)
    compare_or_accept(path, str(shown), str(made), accept)


def session(body: str) -> str:
    """What `$` lines print now."""
    lines: list[str] = []
    for line in body.splitlines():
        if not line.startswith("$ "):
            continue
        lines.append(line)
        words = shlex.split(line[2:])
        if words[0] == "mkdir":
            Path(words[1]).mkdir(exist_ok=True)
            continue
        if words[0] == "printf":
            text = words[1].encode().decode("unicode_escape")
            Path(words[3]).write_bytes(text.encode("latin-1"))
            continue
        if words[0] == "truncate":
            with Path(words[3]).open("wb") as file:
                file.truncate(int(words[2]))
            continue
        assert words[0] == "modelcheck"
        result = CliRunner().invoke(program, words[1:], standalone_mode=False)
        assert result.exception is None, result.exception
        lines += re.sub(r"\d+\.\d+ s\b", "0.0 s", result.output.rstrip()).splitlines()
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("id", IDS)
def test_the_repaired_example_of_a_page_is_accepted(id: str, here: Path, accept: bool) -> None:
    shown = page(id)
    write_files(shown, here)
    for block in shown.of("model", "good"):
        (here / MAIN).write_text(spelled(block.body), "utf-8", newline="")
        assert judge().diagnostics == ()
        formatted = format_source(Source(MAIN, block.body))
        path = PAGES / f"{id}.md"
        compare_or_accept(path, str(shown), str(shown.replace(block, formatted)), accept)


@pytest.mark.parametrize("id", IDS)
def test_a_page_shows_a_repaired_example(id: str) -> None:
    shown = page(id)
    assert shown.of("model", "good") or shown.of("console")
    assert len("".join(shown.prose[:1]).split()) >= 12


# --- one matter, one id --------------------------------------------------------------


def helps_in_the_code() -> Iterator[tuple[str, str]]:
    """Each id with the texts of its help, what is filled in left open."""
    for path in sorted((ROOT / "modelcheck").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _makes_diagnostic(node.func) and node.args:
                for keyword in node.keywords:
                    if keyword.arg == "help":
                        for id in _slugs(node.args[0]):
                            for text in _texts(keyword.value):
                                yield id, text


def _texts(help: ast.expr) -> Iterator[str]:
    match help:
        case ast.Tuple(parts) | ast.List(parts):
            for part in parts:
                yield from _texts(part)
        case ast.IfExp(_, first, second):
            yield from _texts(first)
            yield from _texts(second)
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts)
        case ast.BinOp(left, _, right):
            yield ast.unparse(left) + ast.unparse(right)


def test_no_two_ids_have_the_same_help() -> None:
    owner: dict[str, str] = {}
    for id, text in helps_in_the_code():
        if not _only_lists_names(text):
            assert owner.setdefault(text, id) == id, text
    assert len(owner) > 100


def _only_lists_names(text: str) -> bool:
    """`did you mean ...?` fits wherever a name is wrong."""
    return len(re.sub(r"write|did you mean|there (is|are)|[^a-z ]", " ", text).split()) == 0
