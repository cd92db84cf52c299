"""Pieces of a file that stand on the command line: settings and fault budgets."""

from __future__ import annotations

from typing import Any

import attrs

from modelcheck.diagnostics import Diagnostic, Label, Refused
from modelcheck.parse import tree
from modelcheck.parse.parser import parse
from modelcheck.source import Source, Span

_HEAD = "check given\n  expect holds\n  "
_TAIL = "\n"


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
    """The check that has the line; its spans, and those of mistakes, lie in the line alone."""
    if "\n" in line or "\r" in line:
        raise _refused(line, option, "value", "write it on one line")
    own = Source(option, line)
    try:
        (check,) = parse(Source(option, f"{_HEAD}{line}{_TAIL}")).declarations
    except Refused as refused:
        raise Refused(_moved(each, own) for each in refused.diagnostics) from None
    assert isinstance(check, tree.Check)
    moved: tree.Check = _moved(check, own)
    return moved


def _moved(whole: Any, own: Source) -> Any:
    """The tree or diagnostic, each span of it moved from the check's text to the line's own."""
    if isinstance(whole, Span):
        start = min(max(whole.start - len(_HEAD), 0), len(own.text))
        return Span(own, start, min(max(whole.end - len(_HEAD), start), len(own.text)))
    if isinstance(whole, tuple):
        return tuple(_moved(each, own) for each in whole)
    if attrs.has(type(whole)):
        fields = [each.name for each in attrs.fields(type(whole))]
        return attrs.evolve(whole, **{each: _moved(getattr(whole, each), own) for each in fields})
    return whole


def _refused(text: str, option: str, what: str, help_: str) -> Refused:
    source = Source(option, text)
    label = Label(Span(source, 0, len(text)))
    return Refused([Diagnostic("bad-option", f"no {what} in `{text}`", label, help=(help_,))])
