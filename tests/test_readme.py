"""Every command that a document shows is run, and prints what the document shows.

A ```console block holds commands (`$ ...`), each with its output below it. A line `...` in the
output stands for any number of lines; durations may differ; `$ echo $?` shows the exit code of the
command before it, which otherwise must be 0. The ```pycon blocks of a document are one Python
session. A ```model block of the README is an excerpt of a shipped file.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

ELSEWHERE = ("python3 -m venv ", "bash .ci/run")
"""Installing is tested in `packaging/`; the tests do not run the tests."""

BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"\b\d+(\.\d+)? (ms|s|min)\b")
SHELL = frozenset("|&;<>$`*")


@frozen
class Command:
    """One command as a document shows it, with its output and the exit code it is to end with."""

    document: str
    line: int
    text: str
    output: str
    code: int

    @property
    def words(self) -> list[str]:
        words = shlex.split(self.text, comments=True)
        assert not SHELL & set("".join(words)), "no shell is used, so that this runs anywhere"
        match words:
            case ["modelcheck", *rest]:
                return [sys.executable, "-m", "modelcheck", *rest]
            case ["python" | "python3", *rest]:
                return [sys.executable, *rest]
            case _:
                return words


def blocks(kind: str, documents: list[Path] = DOCUMENTS) -> list[tuple[Path, int, str]]:
    """The blocks of one kind: the document, the line of the first character, the text."""
    return [
        (path, text.count("\n", 0, match.start("text")) + 1, match["text"])
        for path in documents
        if path.exists()
        for text in [path.read_text("utf-8")]
        for match in BLOCK.finditer(text)
        if match["kind"] == kind
    ]


def commands() -> list[Command]:
    found: list[Command] = []
    for path, first_line, text in blocks("console"):
        name = path.relative_to(ROOT).as_posix()
        assert text.startswith("$ "), f"{name}:{first_line}: a block begins with a command"
        here: list[Command] = []
        for part in re.finditer(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", text, re.M):
            output = part["output"]
            if part["command"] == "echo $?":
                last = here.pop()
                here.append(Command(name, last.line, last.text, last.output, int(output)))
                continue
            line = first_line + text.count("\n", 0, part.start())
            here.append(Command(name, line, part["command"], output, 0))
        found += here
    return found


def run(command: Command) -> tuple[str, int]:
    environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "PYTHONPATH")}
    environment |= {"NO_COLOR": "1", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command.words,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done.stdout, done.returncode


def same(shown: str, real: str) -> bool:
    """Whether the real output is the shown one, `...` and durations aside."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(_plain(line)) + r"\n"
        for line in shown.strip("\n").split("\n")
    )
    real = "".join(f"{_plain(line)}\n" for line in real.strip("\n").split("\n"))
    return re.fullmatch(pattern, real) is not None


def _plain(line: str) -> str:
    return DURATION.sub("N s", line.rstrip())


@pytest.mark.parametrize(
    "command",
    [c for c in commands() if not c.text.startswith(ELSEWHERE)],
    ids=lambda c: f"{c.document}:{c.line}",
)
def test_a_command_prints_what_the_document_shows(command: Command) -> None:
    output, code = run(command)
    assert code == command.code, output
    if not same(command.output, output):
        assert output == command.output


@pytest.mark.parametrize(
    "path", list(dict.fromkeys(path for path, _, _ in blocks("pycon"))), ids=lambda path: path.name
)
def test_a_python_session_runs_as_shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for _, line, session in blocks("pycon", [path]):
        test = doctest.DocTestParser().get_doctest(session, names, path.name, str(path), line - 1)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        failed, tried = runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
        assert tried
        assert not failed, "".join(report)


def test_the_excerpt_in_the_readme_is_from_the_shipped_file() -> None:
    shipped = (ROOT / "protocols" / "fencing" / "fenced_leader.model").read_text("utf-8")
    excerpts = blocks("model", [ROOT / "README.md"])
    assert excerpts
    for _, _, text in excerpts:
        for piece in text.strip("\n").split("\n\n"):
            assert f"\n{piece}\n" in shipped


def test_every_link_leads_somewhere() -> None:
    for path in [*DOCUMENTS, ROOT / "CHANGELOG.md", ROOT / "tests" / "README.md"]:
        text = path.read_text("utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            if "://" in file:
                continue
            other = (path.parent / file) if file else path
            assert other.exists(), f"{path.name}: {target}"
            if anchor:
                assert anchor in anchors(other.read_text("utf-8")), f"{path.name}: {target}"


def anchors(text: str) -> set[str]:
    """The anchors that headings get where documents are read."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h).lower().replace(" ", "-") for h in headings}
