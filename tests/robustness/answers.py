"""Asking the tool about a text that may be anything, and waiting only so long for the answer."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from modelcheck import api
from modelcheck.core.limits import Limits
from modelcheck.diagnostics import Refused

PATIENCE_SECONDS = 5.0
"""Of processor time, so that a busy machine fails no test."""


class TooSlow(BaseException):
    """No answer in time. Not an Exception, which somebody might handle."""


@contextmanager
def patience(seconds: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Raises TooSlow in the block after so much processor time, where the system can do this."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def ring(_: int, __: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def answer(text: str | bytes, *, limits: Limits | None = None) -> set[str]:
    """The ids of the diagnostics, and the verdicts of the checks that are run.

    Anything else that is raised, and TooSlow, are for the caller to fail on.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    with patience():
        try:
            file = api.load_source(api.decode("test.model", data))
        except Refused as refused:
            return ids(refused)
        said: set[str] = set()
        for name in file:
            try:
                said.add(api.check(file.instance(name), limits or Limits(seconds=1)).verdict)
            except Refused as refused:
                said |= ids(refused)
        return said


def ids(refused: Refused) -> set[str]:
    assert refused.diagnostics
    return {diagnostic.id for diagnostic in refused.diagnostics}


# --- a small model to put things into ---------------------------------------------------

MODEL = """\
protocol Small

param N: int = 2
sort S
type Key = {key}
type T = A | B(x: 0..1)

state
  store
    value: {type} = {initial}{state}

action change{header}
  when {guard}
  {update}

invariant Claim
  {claim}
{more}
check small
  S = {size}{settings}
  expect Claim holds
"""
DEFAULTS = {
    "key": "0..1",
    "type": "0..3",
    "initial": "0",
    "state": "",
    "header": "",
    "guard": "store.value < 3",
    "update": "store.value := store.value + 1",
    "claim": "store.value >= 0",
    "more": "",
    "size": "2",
    "settings": "",
}


def model(**parts: str) -> str:
    """A model that holds, with some parts replaced."""
    return MODEL.format(**{**DEFAULTS, **parts})


def constant(type_: str, initial: str, **parts: str) -> str:
    """A model whose one variable has this type and is never changed."""
    return model(
        type=type_,
        initial=initial,
        guard="true",
        update="store.value := store.value",
        claim="true",
        **parts,
    )
