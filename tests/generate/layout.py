"""The blocks of a file as one text, with the comments and line breaks people would write."""

from __future__ import annotations

from .chance import Chance
from .draft import Block

_REMARKS = [
    "as it was agreed", "never more than once", "see above", "any order", "the rest follows",
    "as people write: `x` is not y", "forgotten in a crash",
]  # fmt: skip
_BREAKS = [" and ", " or ", " implies "]


def text_of(chance: Chance, protocol: str, blocks: list[Block]) -> str:
    """The file."""
    parts = [f"protocol {protocol}"]
    if chance.feature("doc of file", 0.3):
        parts = ["## What this is about.\n##\n## It was drawn by lot.\n" + parts[0]]
    for block in blocks:
        lines = [_line(chance, line) for line in block.lines]
        if chance.feature("doc", 0.1):
            lines.insert(0, f"## {chance.pick(_REMARKS)}")
        elif chance.feature("comment line", 0.08):
            lines.insert(0, f"# {chance.pick(_REMARKS)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _line(chance: Chance, line: str) -> str:
    if len(line) > 50 and chance.feature("continuation", 0.25):
        line = _broken(chance, line)
    if chance.feature("comment after code", 0.04):
        line += f"  # {chance.pick(_REMARKS)}"
    return line


def _broken(chance: Chance, line: str) -> str:
    """The line over two, at a place where it goes on."""
    options = [word for word in _BREAKS if word in line]
    if not options or line.lstrip().startswith("import"):
        return line
    word = chance.pick(options)
    places = [at for at in range(len(line)) if line.startswith(word, at)]
    at = chance.pick(places)
    before, after = line[:at], line[at + len(word) :]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    if chance.roll(0.5):
        return f"{before}\n{indent}{word.strip()} {after}"
    return f"{before} {word.strip()}\n{indent}{after}"
