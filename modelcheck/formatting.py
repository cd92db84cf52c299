"""`modelcheck format`: files are given the one layout, each written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from modelcheck import api, shipped
from modelcheck.console import AS_EXPECTED, NOT_AS_EXPECTED, REFUSED, complain, worst, write
from modelcheck.diagnostics import Diagnostic, Refused
from modelcheck.report import snippet


def format_files(arguments: Sequence[str], only_check: bool) -> int:
    """Format each file; the exit code."""
    codes = []
    for argument in arguments:
        try:
            if argument == "-":
                codes.append(_format_input(only_check))
            else:
                codes += [_format_file(path, only_check) for path in shipped.files(argument)]
        except Refused as refused:
            codes.append(_refused(refused))
    return worst(codes)


def _refused(refused: Refused) -> int:
    for diagnostic in refused.diagnostics:
        complain(snippet.diagnostic(diagnostic) + "\n")
    return REFUSED


def _format_input(only_check: bool) -> int:
    data = sys.stdin.buffer.read()
    text = api.format_source(api.decode("<stdin>", data))
    if only_check:
        return AS_EXPECTED if text.encode() == data else NOT_AS_EXPECTED
    write(text)
    return AS_EXPECTED


def _format_file(path: Path, only_check: bool) -> int:
    """Format one file. A file that is wrong does not keep the others from being formatted."""
    try:
        data = shipped.read(path)
        formatted = api.format_source(api.decode(path.as_posix(), data)).encode()
        if formatted == data:
            return AS_EXPECTED
        if not only_check:
            _replace(path, formatted)
    except Refused as refused:
        return _refused(refused)
    write(f"{'would format' if only_check else 'formatted'} {path.as_posix()}\n")
    return NOT_AS_EXPECTED if only_check else AS_EXPECTED


def _replace(path: Path, data: bytes) -> None:
    """Write beside the file, then put it in its place: a crash leaves the old or the new one."""
    target = path.resolve()
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        reason = (error.strerror or type(error).__name__).lower()
        headline = f"cannot write `{path.as_posix()}`: {reason}"
        raise Refused([Diagnostic("unwritable-file", headline)]) from None
