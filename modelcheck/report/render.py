"""Colour, put on last: the text is the same with and without it.

Patterns find what deserves an eye. No report knows that it may be coloured.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from typing import Literal, TextIO, TypeAlias

Color: TypeAlias = Literal["auto", "always", "never"]

_STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "good": "green",
    "bad": "bold red",
    "open": "bold yellow",
    "fault": "red",
    "frame": "blue",
    "mark": "bold red",
    "dashes": "blue",
    "kind": "bold",
}

_PATTERNS = (
    r"(?m)^(?P<error>(error|violated|unproved)\[[a-z-]+\]):",
    r"(?m)^(?P<warning>warning\[[a-z-]+\]):",
    # A violation that the file expects is what it should be.
    r"(?m)^(?P<bad>holds|violated|unfinished)  (?=.*NOT AS EXPECTED)",
    r"(?m)^(?P<good>holds|violated)  (?!.*NOT AS EXPECTED)",
    r"(?m)^(?P<open>unfinished|bounded \d+)  (?!.*NOT AS EXPECTED)",
    r"(?m)^(?P<good>proved)  ",
    r"(?m)^(?P<bad>violated|not inductive)  (?=.* for any |.* with )",
    r"(?m)^(?P<open>unknown)  ",
    r"(?P<bad>NOT AS EXPECTED):",
    r"(?m)^(?P<fault> *\d+! .*)$",
    r"(?m)^(?P<frame> *(-->|:::)) ",
    r"(?m)^(?P<frame> *\d* \|)",
    r"(?m)^ +(?P<kind>= (note|help|reproduce):)",
)

_MARKS = re.compile(r"(?m)^ +\| ([ ^-]*[-^](?=[ ^-]|$)[ ^-]*)")


def wants_color(stream: TextIO, choice: Color, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to `stream`.

    A written choice wins, then NO_COLOR, then FORCE_COLOR, each if not empty;
    then whether the stream is a terminal.
    """
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def paint(text: str) -> str:
    """The text with ANSI colours."""
    from rich.console import Console
    from rich.text import Text
    from rich.theme import Theme

    styled = Text(text, end="")
    for pattern in _PATTERNS:
        styled.highlight_regex(pattern, style_prefix="modelcheck.")
    for row in _MARKS.finditer(text):
        for run in re.finditer(r"\^+|-+", row[1]):
            style = "modelcheck.mark" if run[0].startswith("^") else "modelcheck.dashes"
            styled.stylize(style, row.start(1) + run.start(), row.start(1) + run.end())
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard",
        theme=Theme({f"modelcheck.{name}": style for name, style in _STYLES.items()}),
        width=10_000,
        legacy_windows=False,
        no_color=False,
        _environ={},
    )
    with console.capture() as capture:
        console.print(styled, soft_wrap=True, end="")
    return capture.get()
