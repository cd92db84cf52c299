"""From a set of texts to a resolved file and its checks, without a disk."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from modelcheck.api import allow_deep_recursion
from modelcheck.core.model import Check
from modelcheck.parse import tree
from modelcheck.parse.parser import parse
from modelcheck.resolve.file import ResolvedFile, resolve
from modelcheck.resolve.instance import instantiate
from modelcheck.source import Source

from .generated import MAIN


def load(files: Mapping[str, str]) -> ResolvedFile:
    """The model among the files, resolved. Raises Refused."""
    allow_deep_recursion()

    def read(importing: str, path: str) -> tuple[Source, tree.File] | None:
        where = posixpath.normpath(posixpath.join(posixpath.dirname(importing), path))
        if where not in files:
            return None
        source = Source(where, files[where])
        return source, parse(source)

    source = Source(MAIN, files[MAIN])
    return resolve(source, parse(source), read)


def checks(file: ResolvedFile) -> list[Check]:
    """All checks of the file, closed. Raises Refused."""
    return [instantiate(file, info.name) for info in file.checks]
