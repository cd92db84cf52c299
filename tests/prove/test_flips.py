"""A mistake in the encoding is noticed: each operation is flipped in turn.

Each flip is tried on the one specimen that is said to notice it; a third of them,
unless it is a full run.
"""

from __future__ import annotations

import os

import pytest

from .flips import FLIPS, Flip, is_caught


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a flip may crash: it needs a process")
@pytest.mark.parametrize(
    "flip",
    [
        pytest.param(flip, marks=[pytest.mark.full] if number % 3 else [], id=flip.title)
        for number, flip in enumerate(FLIPS)
    ],
)
def test_a_flip_is_noticed(flip: Flip) -> None:
    assert is_caught(flip, flip.caught) is not None
