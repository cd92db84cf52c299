"""Generated models as they are drafted: not searched, with every property, true or false.

`tests.generate` searches a model before it hands it over, which costs more than
comparing a few of its states, and drops most properties that are false.
"""

from __future__ import annotations

from generate.chance import Stuck
from generate.checks import settings
from generate.model import behaviour, claims
from generate.suitable import _closed

from modelcheck.core.model import Model
from modelcheck.diagnostics import Refused


def draft(seed: int) -> Model | None:
    """The model of this seed; None if nothing came of it."""
    try:
        made = behaviour(seed, 0)
        chosen = settings(made, base=True)
        claims(made)
        return _closed(made, chosen).model
    except (Stuck, Refused):
        return None
