"""Explores every state a protocol can reach, and shows the shortest way it goes wrong.

    file = modelcheck.load("fencing/fenced_leader")
    outcome = modelcheck.check(file["read_before_fence"])
    print(modelcheck.describe_trace(outcome, "NoLostUpdate"))

Importing the package is cheap: the names below are loaded when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcheck.api import File, check, load
    from modelcheck.core.limits import Limits
    from modelcheck.core.model import Check, Model
    from modelcheck.core.outcome import Found, Outcome, Stats, Verdict
    from modelcheck.core.progress import Snapshot
    from modelcheck.core.proof import Proved, Standing
    from modelcheck.core.trace import Step, Trace
    from modelcheck.diagnostics import Diagnostic, Refused
    from modelcheck.readable import (
        Plain,
        Position,
        Record,
        arguments_as_dict,
        describe,
        describe_trace,
        state_as_dict,
        walk,
    )

    __version__: str

__all__ = [
    "Check",
    "Diagnostic",
    "File",
    "Found",
    "Limits",
    "Model",
    "Outcome",
    "Plain",
    "Position",
    "Proved",
    "Record",
    "Refused",
    "Snapshot",
    "Standing",
    "Stats",
    "Step",
    "Trace",
    "Verdict",
    "arguments_as_dict",
    "check",
    "describe",
    "describe_trace",
    "load",
    "state_as_dict",
    "walk",
]

_HOME = {
    "File": "modelcheck.api",
    "check": "modelcheck.api",
    "load": "modelcheck.api",
    "Check": "modelcheck.core.model",
    "Model": "modelcheck.core.model",
    "Found": "modelcheck.core.outcome",
    "Outcome": "modelcheck.core.outcome",
    "Stats": "modelcheck.core.outcome",
    "Verdict": "modelcheck.core.outcome",
    "Limits": "modelcheck.core.limits",
    "Snapshot": "modelcheck.core.progress",
    "Proved": "modelcheck.core.proof",
    "Standing": "modelcheck.core.proof",
    "Step": "modelcheck.core.trace",
    "Trace": "modelcheck.core.trace",
    "Diagnostic": "modelcheck.diagnostics",
    "Refused": "modelcheck.diagnostics",
    "Plain": "modelcheck.readable",
    "Position": "modelcheck.readable",
    "Record": "modelcheck.readable",
    "arguments_as_dict": "modelcheck.readable",
    "describe": "modelcheck.readable",
    "describe_trace": "modelcheck.readable",
    "state_as_dict": "modelcheck.readable",
    "walk": "modelcheck.readable",
}


if not TYPE_CHECKING:  # or every misspelt name would have a type

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import PackageNotFoundError, version

            try:
                return version("modelcheck")
            except PackageNotFoundError:  # run from a checkout that is not installed
                return "0+unknown"
        if name not in _HOME:
            raise AttributeError(f"module 'modelcheck' has no attribute {name!r}")
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
