"""Small files for these tests: what is wrong with them, and the models they make."""

from __future__ import annotations

from pathlib import Path

import modelcheck
from modelcheck.api import File, load_source
from modelcheck.core.model import Check, Model
from modelcheck.core.types import Type
from modelcheck.source import Source

ELECTION = """\
protocol Election

param MAX: int = 2
sort Node
type Term = 0..MAX
type Role = Idle | Elected(term: Term) | Leading(term: Term, seen: Term)
type Vote(by: Node, term: Term)

state
  service
    granted: Term = 0
    holder: Node? = none
  each Node
    up: bool = true
    role: Role = Idle
    log: seq of Term up to 2 = []
  channel network
    votes: set of Vote = {}
"""
"""A state with one of everything; what a test is about is added below it."""


def opened(text: str, path: str | Path = "example.model") -> File:
    """The file, read and resolved; imports are looked for beside `path`."""
    return load_source(Source(str(path), text))


def ids(text: str, path: str | Path = "example.model") -> list[str]:
    """The ids of what is wrong with the file, when it is read and with each check."""
    try:
        file = opened(text, path)
    except modelcheck.Refused as refused:
        return [each.id for each in refused.diagnostics]
    found = []
    for name in file:
        found += problems(file, name)
    return found


def problems(file: File, check: str) -> list[str]:
    """The ids of what is wrong with one check."""
    try:
        file.instance(check)
    except modelcheck.Refused as refused:
        return [each.id for each in refused.diagnostics]
    return []


def only_check(text: str, path: str | Path = "example.model") -> Check:
    """The file's first check, closed."""
    file = opened(text, path)
    return file[next(iter(file))]


def model(text: str) -> Model:
    """The model of the first check."""
    return only_check(text).model


def variable_type(text: str, name: str) -> Type:
    """The type of a variable, closed."""
    return next(v.type for v in model(text).variables if v.name == name)


def verdict(text: str, name: str, path: str | Path = "example.model") -> str:
    """What a search says of one property, or of `deadlock`."""
    found = modelcheck.check(only_check(text, path), keep_going=True)[name]
    return found.verdict.value


def invariant(term: str, base: str = ELECTION) -> str:
    """A file with one invariant, of one or more lines."""
    return f"{base}\ninvariant Claim\n  {term}\n"


def check(settings: str = "Node = 2", expected: str = "holds") -> str:
    """A check to put below a file."""
    setting = f"  {settings}\n" if settings else ""
    return f"\ncheck small\n{setting}  expect {expected}\n"
