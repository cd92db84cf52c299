"""Who may import whom: the table of docs/reading.md, compared with the real imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "modelcheck"

ALLOWED: dict[str, frozenset[str]] = {
    "source": frozenset(),
    "diagnostics": frozenset({"source"}),
    "core": frozenset({"source", "core"}),
    "parse": frozenset({"source", "diagnostics", "parse"}),
    "resolve": frozenset({"source", "diagnostics", "core", "parse.tree", "resolve"}),
    "compile": frozenset({"source", "core", "compile"}),
    "explore": frozenset({"source", "core", "compile", "explore"}),
    "prove": frozenset({"source", "core", "prove"}),
    "report": frozenset({"source", "diagnostics", "core", "report"}),
    "shipped": frozenset({"source", "diagnostics"}),
    "engines": frozenset({"core", "compile", "explore"}),
    "bounding": frozenset({"core", "prove"}),
    "crossing": frozenset({"core", "bounding", "prove"}),
    "proving": frozenset({"core", "engines", "explore", "prove"}),
    "api": frozenset(
        {
            "source",
            "diagnostics",
            "core",
            "parse",
            "resolve",
            "compile",
            "explore",
            "engines",
            "prove",
            "proving",
            "bounding",
            "crossing",
            "report",
            "shipped",
        }
    ),
    "readable": frozenset({"diagnostics", "core", "report"}),
    "pytest_plugin": frozenset(
        {"diagnostics", "core", "resolve.file", "report", "shipped", "api", "readable"}
    ),
    # The command line: the terminal, what a call does, and the options.
    "console": frozenset({"core", "report"}),
    "reproduction": frozenset({"api"}),
    "session": frozenset(
        {"diagnostics", "core", "report", "shipped", "api", "console", "reproduction"}
    ),
    "simulating": frozenset(
        {
            "diagnostics",
            "core",
            "explore.simulate",
            "report",
            "shipped",
            "api",
            "console",
            "session",
        }
    ),
    "proofs": frozenset(
        {
            "diagnostics",
            "core",
            "prove.solver",
            "report",
            "shipped",
            "api",
            "console",
            "session",
        }
    ),
    "enabling": frozenset({"core", "compile.layout", "explore.engine"}),
    "why_not": frozenset(
        {"source", "diagnostics", "core", "enabling", "report", "api", "console", "session"}
    ),
    "formatting": frozenset({"diagnostics", "report", "shipped", "api", "console"}),
    "options": frozenset(),
    "cli": frozenset(
        {
            "options",
            "__init__",
            "core",
            "report",
            "shipped",
            "session",
            "simulating",
            "proofs",
            "why_not",
            "formatting",
            "console",
        }
    ),
    # The front doors: the public names, and `python -m modelcheck`.
    "__init__": frozenset({"source", "diagnostics", "core", "api", "readable"}),
    "__main__": frozenset({"cli"}),
}
"""For each part, the parts it may import, by dotted prefix. A new part needs a row."""

THIRD_PARTY: dict[str, frozenset[str]] = {
    "attrs": frozenset({""}),
    "lark": frozenset({"parse.grammar", "parse.parser", "parse.builder"}),
    "click": frozenset({"cli", "options"}),
    "rich": frozenset({"report"}),
    "tqdm": frozenset({"console"}),
    "llvmlite": frozenset({"compile.jit"}),
    "psutil": frozenset({"explore.memory"}),
    "z3": frozenset({"prove"}),
    "pytest": frozenset({"pytest_plugin"}),
}
"""Where a library's name may occur, by dotted prefix; the empty prefix is everywhere."""

ENGINES = ("compile", "explore", "prove")
"""Parts that judge a model in their own way."""

DATA = frozenset(
    f"core.{module}"
    for module in (
        "types",
        "terms",
        "variables",
        "model",
        "values",
        "trace",
        "outcome",
        "sample",
        "clauses",
        "antecedent",
        "expectations",
        "conclude",
        "limits",
        "progress",
        "events",
        "linearizing",
        "graph",
        "lasso",
        "obligations",
        "proof",
        "dependence",
    )
)
"""All of `core` that an engine may know. The rest is the referee, and agreement with it proves
nothing if an engine leans on it. What `linearizing` says is the same in every engine: there it is
`tests/linearizability` that compares it with something else. So is the loop that `lasso` draws:
that it is fair is worked out anew, from the trace alone, whenever one is found."""


@frozen
class Import:
    """One import of a module.

    module    dotted, below the package: `core.terms`
    imported  the whole dotted name that is imported
    at_load   it runs when the module is loaded: not in a function, not only for the type checker
    """

    module: str
    imported: str
    line: int
    at_load: bool


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name below it."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        if len(parts) > 1 and parts[-1] == "__init__":
            parts = parts[:-1]
        found[".".join(parts)] = path
    return found


def imports_of(module: str, text: str, *, is_package: bool = False) -> list[Import]:
    return list(_walk(module, ast.parse(text).body, at_load=True, is_package=is_package))


def _walk(
    module: str, body: list[ast.stmt], *, at_load: bool, is_package: bool
) -> Iterator[Import]:
    for statement in body:
        match statement:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(module, alias.name, statement.lineno, at_load)
            case ast.ImportFrom():
                base = _absolute(module, statement, is_package)
                for alias in statement.names:
                    yield Import(module, f"{base}.{alias.name}", statement.lineno, at_load)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _walk(module, statement.body, at_load=False, is_package=is_package)
            case ast.If(test=test) if "TYPE_CHECKING" in ast.unparse(test):
                yield from _walk(module, statement.body, at_load=False, is_package=is_package)
                yield from _walk(module, statement.orelse, at_load=at_load, is_package=is_package)
            case _:
                for inner in ("body", "orelse", "finalbody"):
                    yield from _walk(
                        module,
                        getattr(statement, inner, []),
                        at_load=at_load,
                        is_package=is_package,
                    )
                for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
                    yield from _walk(module, part.body, at_load=at_load, is_package=is_package)


def _absolute(module: str, statement: ast.ImportFrom, is_package: bool) -> str:
    if not statement.level:
        return statement.module or ""
    here = f"{PACKAGE}.{module}".split(".")
    keep = len(here) - statement.level + (1 if is_package else 0)
    return ".".join([*here[:keep], *([statement.module] if statement.module else [])])


def ours(imported: str) -> str | None:
    """The dotted name below the package, None for somebody else's module."""
    if imported == PACKAGE:
        return "__init__"
    if imported.startswith(f"{PACKAGE}."):
        return imported.removeprefix(f"{PACKAGE}.")
    return None


def under(name: str, prefixes: frozenset[str]) -> bool:
    return any(not p or name == p or name.startswith(f"{p}.") for p in prefixes)


def broken_rules(imports: list[Import]) -> list[str]:
    """What the imports do that the tables do not allow."""
    broken = []
    for each in imports:
        part = each.module.split(".")[0]
        where = f"{each.module}:{each.line} imports {each.imported}"
        name = ours(each.imported)
        if name is not None:
            if part in ENGINES and under(name, frozenset({"core"})) and not under(name, DATA):
                broken.append(f"{where}: an engine must not lean on the referee")
            elif part not in ALLOWED:
                broken.append(f"{where}: the part `{part}` has no row")
            elif not under(name, ALLOWED[part]):
                broken.append(f"{where}: not allowed for `{part}`")
            continue
        top = each.imported.split(".")[0]
        if top in sys.stdlib_module_names:
            continue
        if not under(each.module, THIRD_PARTY.get(top, frozenset())):
            broken.append(f"{where}: `{top}` stops at one place, and this is not it")
    return broken


def all_imports() -> list[Import]:
    return [
        each
        for module, path in modules().items()
        for each in imports_of(
            module, path.read_text("utf-8"), is_package=path.name == "__init__.py"
        )
    ]


def test_every_import_is_in_the_table() -> None:
    imports = all_imports()
    assert imports
    assert not broken_rules(imports)


def test_every_part_has_a_row_and_every_row_a_part() -> None:
    assert {module.split(".")[0] for module in modules()} == set(ALLOWED)


def test_the_table_is_the_one_in_the_document() -> None:
    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    table = page.partition("| part | may import |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE))
    above: set[str] = set()
    for part, text in rows.items():
        names = set(re.findall(r"`([\w.]+)`", text))
        if text == "all of the above":
            names = set(above)
        # What a part imports of itself goes without saying.
        assert names == ALLOWED[part] - {part, "__init__"}, part
        above.add(part)
    assert above == {part for part in ALLOWED if not part.startswith("_")}


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("core.terms", "from modelcheck.parse import tree"),
        ("core.terms", "import lark"),
        ("core.terms", "def f():\n    import modelcheck.diagnostics"),
        ("resolve.types", "from modelcheck.parse.parser import parse"),
        ("resolve.types", "from ..parse import parser"),
        ("report.table", "from modelcheck.api import check"),
        ("report.table", "import click"),
        ("explore.search", "from modelcheck.core.semantics import steps"),
        ("prove.encode", "from modelcheck.core import semantics"),
        ("compile.lower", "from ..core.meaning import meaning"),
        ("api", "import numpy"),
        ("newcomer", "from modelcheck.core import terms"),
    ],
)
def test_a_planted_import_is_caught(module: str, text: str) -> None:
    assert broken_rules(imports_of(module, text))


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("resolve.types", "from modelcheck.parse import tree"),
        ("resolve.types", "from modelcheck.parse.tree import Name"),
        ("core.search", "from . import semantics"),
        ("parse.parser", "from lark import Lark"),
        ("cli", "import click\nimport json"),
        ("report.table", "from attrs import frozen"),
    ],
)
def test_an_allowed_import_is_let_through(module: str, text: str) -> None:
    assert not broken_rules(imports_of(module, text))


def test_no_module_needs_itself_to_load() -> None:
    known = modules()
    needs: dict[str, set[str]] = {module: set() for module in known}
    for each in all_imports():
        name = ours(each.imported)
        if name is None or not each.at_load:
            continue
        # `from modelcheck.core import terms` names a module, `from .terms import Read` one of its
        # contents.
        target = name if name in known else name.rpartition(".")[0]
        if target in known and target != each.module:
            needs[each.module].add(target)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(error.args[1]))
