"""Mistakes made on purpose: an operation of an engine is turned into a wrong one. Is it noticed?"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from attrs import frozen

Make = Callable[[Callable[..., Any]], Callable[..., Any]]
"""From what an operation does to what it does when it is flipped."""


@frozen
class Flip:
    """
    owner    a class or module, and the name of what is flipped there
    caught   the name of the specimen that notices
    """

    owner: Any
    name: str
    make: Make
    caught: str
    what: str = ""

    @property
    def title(self) -> str:
        owner = self.owner.__name__.rsplit(".", 1)[-1]
        return f"{owner}.{self.name}{' ' if self.what else ''}{self.what}"

    @contextmanager
    def applied(self) -> Iterator[None]:
        before = getattr(self.owner, self.name)
        after = self.make(before)
        places = list(self._places(before))
        for place in places:
            setattr(place, self.name, after)
        try:
            yield
        finally:
            for place in places:
                setattr(place, self.name, before)

    def _places(self, before: Any) -> Iterator[Any]:
        """The class; or every module that has taken the function over."""
        if not isinstance(self.owner, ModuleType):
            yield self.owner
            return
        for name, module in list(sys.modules.items()):
            if name.startswith("modelcheck.") and vars(module).get(self.name) is before:
                yield module


def how_noticed(flip: Flip, compare: Callable[[], None], seconds: int) -> str | None:
    """How the comparison notices the flip; None if it does not."""
    child = os.fork()
    if child == 0:
        # A mistake may end in a loop or a crash: whatever happens, happens here.
        faulthandler.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        code = 0
        try:
            with flip.applied():
                compare()
        except AssertionError:
            code = 1
        except BaseException:
            code = 2
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "no answer" if os.WTERMSIG(status) == signal.SIGALRM else "a crash"
    return [None, "a difference", "an error"][os.WEXITSTATUS(status)]
