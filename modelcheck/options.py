"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def _settings(
    _: click.Context, __: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        name, equals, term = value.partition("=")
        if not equals or not name.strip() or not term.strip():
            raise click.BadParameter(f"{value!r} is not of the form NAME=value")
        pairs.append((name.strip(), term.strip()))
    return tuple(pairs)


class Seconds(click.FloatRange):
    """A duration. Not-a-number passes every comparison with a bound, and would never end."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


class Bytes(click.ParamType):  # type: ignore[type-arg]
    """A size in bytes: 500M, 8G, 1.5G."""

    name = "size"
    _UNITS: ClassVar[dict[str, int]] = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", str(value).strip(), re.IGNORECASE)
        size = 0
        if match is not None:
            exponent = self._UNITS[match[2].upper()]
            size = int(float(match[1]) * (1 << exponent)) if len(match[1]) < 16 else 0
        if not 0 < size < 1 << 60:
            self.fail(f"{value!r} is not a size such as 500M or 8G.", param, ctx)
        return size


_SEARCH_OPTIONS = (
    click.option(
        "-D", "settings", multiple=True, metavar="NAME=VALUE", callback=_settings,
        help="Set a parameter or the size of a sort to another value than the check does. "
        "What the file expects still applies.",
    ),
    click.option(
        "--faults", metavar="BUDGETS",
        help="Fault budgets instead of the check's: `crash=2,suspect=any`, or `none`.",
    ),
    click.option(
        "--states", type=click.IntRange(min=1), metavar="N",
        help="Stop when N states have been seen, at the end of a level.",
    ),
    click.option(
        "--depth", type=click.IntRange(min=0), metavar="N",
        help="Look no further than N steps from the initial states.",
    ),
    click.option(
        "--seconds", type=Seconds(min=0), metavar="T", help="Stop after T seconds."
    ),
    click.option(
        "--memory", type=Bytes(), metavar="SIZE",
        help="Stop when states and the table of those seen would take more: 500M, 8G. "
        "Without it: four fifths of what is free.",
    ),
    click.option(
        "-j", "threads", type=click.IntRange(min=1, max=256), metavar="N",
        help="Search with N threads; by default, one for each processor. "
        "The results do not depend on it.",
    ),
    click.option(
        "--keep-going", is_flag=True,
        help="Search every state, even when all that the check lists is decided.",
    ),
    click.option(
        "--engine", type=click.Choice(["native", "referee"]), default="native",
        show_default=True,
        help="What searches: machine code made for the model, or the slow engine that decides "
        "what is right.",
    ),
    click.option(
        "--trace", "trace_order", type=click.Choice(["calm", "least"]), default="calm",
        show_default=True,
        help="Which of the shortest traces is shown: the one with the fewest changes of the "
        "acting process and the fewest faults, or the least in the order of the file.",
    ),
    click.option(
        "--stats", is_flag=True, help="Say what the search cost: time, memory, bits of a state."
    ),
    click.option(
        "--format", "format_", type=click.Choice(["text", "json"]), default="text",
        show_default=True, help="What is printed.",
    ),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto",
        show_default=True, help="Whether to use colours.",
    ),
)  # fmt: skip


def search_options(command: Command) -> Command:
    for option in reversed(_SEARCH_OPTIONS):
        command = option(command)
    return command


def options_named(*names: str) -> Callable[[Command], Command]:
    """The options of a search that have these names."""

    def add(command: Command) -> Command:
        for option in reversed(_SEARCH_OPTIONS):
            named: Any = option(lambda: None)
            if {each for one in named.__click_params__ for each in one.opts} & set(names):
                command = option(command)
        return command

    return add
