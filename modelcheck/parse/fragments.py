"""Pieces of a file that stand on the command line: settings and fault budgets."""

from __future__ import annotations

from modelcheck.diagnostics import Diagnostic, Label, Refused
from modelcheck.parse import tree
from modelcheck.parse.parser import parse
from modelcheck.source import Source, Span

_HEAD = "check given\n  "
_TAIL = "\n  expect holds\n"


def parse_settings(text: str, option: str) -> tuple[tree.Setting, ...]:
    """`MAX = 3, Node = 2`; `option` names the place in diagnostics. Raises Refused."""
    check = _check(text, option)
    if not check.settings or check.faults is not None:
        raise _refused(text, option, "setting", "write `NAME=value`")
    return check.settings


def parse_budgets(text: str, option: str) -> tuple[tree.Budget, ...]:
    """`crash = 2, suspect = any`, or `none`, which is empty. Raises Refused."""
    check = _check(f"faults {text}", option)
    if check.faults is None or check.settings:
        raise _refused(text, option, "budget", "write `crash=2,suspect=any`, or `none`")
    return check.faults


def _check(line: str, option: str) -> tree.Check:
    if "\n" in line or "\r" in line:
        raise _refused(line, option, "value", "write it on one line")
    source = Source(option, f"{_HEAD}{line}{_TAIL}")
    (check,) = parse(source).declarations
    assert isinstance(check, tree.Check)
    return check


def _refused(text: str, option: str, what: str, help_: str) -> Refused:
    source = Source(option, text)
    label = Label(Span(source, 0, len(text)))
    return Refused([Diagnostic("bad-option", f"no {what} in `{text}`", label, help=(help_,))])
