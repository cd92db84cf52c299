"""A mistake in the lowering is noticed: each operation is flipped in turn.

142 flips, each tried on the one small model that is said to notice it; a third of
them, unless it is a full run.
"""

from __future__ import annotations

import os

import pytest

from .corpus import SOURCES, specimen
from .flips import FLIPS, is_caught


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_is_noticed_without_a_flip(name):
    specimen(name).compare()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a flip may crash: it needs a process")
@pytest.mark.parametrize(
    "flip",
    [
        pytest.param(flip, marks=[pytest.mark.full] if number % 3 else [], id=flip.title)
        for number, flip in enumerate(FLIPS)
    ],
)
def test_a_flip_is_noticed(flip):
    assert is_caught(flip, flip.caught) is not None
