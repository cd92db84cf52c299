"""Generated models on disk, for as long as a run of the tests lasts.

Several tests go through the same seeds, in several processes. Whoever starts them
says where models are kept, and throws them away afterwards: `.ci/run` does. Without
the variable nothing is kept.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from .generated import Generated

VARIABLE = "MODELCHECK_TEST_MODELS"


def _path(seed: int) -> Path | None:
    directory = os.environ.get(VARIABLE)
    return Path(directory) / f"{seed}.json" if directory else None


def kept(seed: int) -> Generated | None:
    """The model of the seed, if it has been made."""
    path = _path(seed)
    if path is None or not path.is_file():
        return None
    return Generated(**json.loads(path.read_text(encoding="utf-8")))


def keep(made: Generated) -> Generated:
    """The model itself, which others find from now on."""
    path = _path(made.seed)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_suffix(f".{os.getpid()}")  # another process may be as far
        fields = {"seed": made.seed, "files": made.files, "attempt": made.attempt}
        own.write_text(json.dumps(fields), encoding="utf-8")
        own.replace(path)
    return made
