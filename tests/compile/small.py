"""Small models from text."""

from __future__ import annotations

from textwrap import dedent

from modelcheck import api
from modelcheck.core.model import Model
from modelcheck.source import Source


def model(text: str, settings: str = "") -> Model:
    """The one check of a protocol, from its blocks."""
    check = f"check only\n  {settings}\n  expect holds\n"
    file = api.load_source(Source("small.model", f"protocol Small\n{dedent(text)}\n{check}"))
    return file["only"].model
