"""From a set of texts to a resolved file and its checks, without a disk."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from attrs import frozen

from modelcheck.api import allow_deep_recursion
from modelcheck.core.model import Check
from modelcheck.parse import tree
from modelcheck.parse.parser import parse
from modelcheck.resolve.file import ResolvedFile, resolve
from modelcheck.resolve.instance import instantiate
from modelcheck.source import Source

from .generated import MAIN


@frozen
class Loaded:
    """The model, resolved, and the trees of it and of what it imports, by path."""

    resolved: ResolvedFile
    trees: dict[str, tree.File]

    def check(self, name: str) -> Check:
        """A check, closed. Raises Refused."""
        return instantiate(self.resolved, name)

    def checks(self) -> list[Check]:
        """All checks, closed. Raises Refused."""
        return [self.check(info.name) for info in self.resolved.checks]


def load(files: Mapping[str, str]) -> Loaded:
    """The model among the files. Raises Refused."""
    allow_deep_recursion()
    trees: dict[str, tree.File] = {}

    def read(importing: str, path: str) -> tuple[Source, tree.File] | None:
        where = posixpath.normpath(posixpath.join(posixpath.dirname(importing), path))
        if where not in files:
            return None
        source = Source(where, files[where])
        trees[where] = parse(source)
        return source, trees[where]

    source = Source(MAIN, files[MAIN])
    trees[MAIN] = parse(source)
    return Loaded(resolve(source, trees[MAIN], read), trees)
