"""When two places of one block are certain to be one, whatever the state: that is refused."""

from __future__ import annotations

import re

_CONSTANT = re.compile(r"[A-Z0-9]\w*")
_NAME = re.compile(r"\[.*\]|^.*\.(?=\w+$)")


def are_one(place: str, other: str) -> bool:
    """Whether they may be: they are alike, or of one variable under keys that are constants."""
    if place == other:
        return True
    return bool(_CONSTANT.search(place + other)) and _variable(place) == _variable(other)


def _variable(place: str) -> str:
    return _NAME.sub("", place)
