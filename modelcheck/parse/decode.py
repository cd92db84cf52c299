"""Bytes to text: a specification is UTF-8."""

from __future__ import annotations

from modelcheck.diagnostics import Diagnostic, Label, Refused
from modelcheck.source import Source, Span


def decode(path: str, data: bytes) -> Source:
    """The text of a file, without a byte order mark.

    Raises Refused with `not-utf8`; its place is the first character that cannot be read.
    """
    try:
        return Source(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        # The rest is read as well as it can be, so that there is an excerpt to show.
        source = Source(path, data.decode("utf-8-sig", errors="replace"))
        at = len(data[: error.start].decode("utf-8-sig", errors="replace"))
        guess = _other_encoding(data)
        raise Refused(
            [
                Diagnostic(
                    "not-utf8",
                    "the file is not UTF-8 text",
                    Label(Span(source, at, at + 1), f"byte {data[error.start]:#04x}"),
                    notes=(f"it looks like {guess}",) if guess else (),
                    help=("save it as UTF-8",),
                )
            ]
        ) from None


def _other_encoding(data: bytes) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    if b"\0" in data[:1024]:
        return "binary data"
    return None
