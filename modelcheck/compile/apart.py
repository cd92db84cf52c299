"""Machine code made by a process of its own.

The optimising compiler leaves some 15 MB behind in the process it runs in: as much as a search
of 700,000 small states takes. Run as a program, this is that process: a module in, its object
file out.
"""

from __future__ import annotations

import subprocess
import sys

from attrs import define, field

from modelcheck.compile.jit import BadIR, Native, compile_ir, link, object_code


@define
class Apart:
    """A compilation elsewhere, which may be given up.

    Where no process can be had, or it dies, the module is compiled here.
    """

    _text: str = field(repr=False)
    _level: int
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False, repr=False)
    _given_up: bool = field(default=False, init=False)

    def result(self) -> Native | None:
        """The code, None if it was given up. Raises BadIR."""
        code = self._elsewhere()
        if self._given_up:
            return None
        return link(code) if code else compile_ir(self._text, self._level)

    def give_up(self) -> None:
        """Nobody wants it any more."""
        self._given_up = True
        if self._process is not None:
            self._process.kill()

    def _elsewhere(self) -> bytes:
        """The object file; empty if there is none to be had."""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(self._level)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interruption is for this process alone
            )
            if self._given_up:
                self._process.kill()
            code, _ = self._process.communicate(self._text.encode())
        except (OSError, ValueError, MemoryError):
            return b""
        return code if self._process.returncode == 0 else b""


def main() -> int:
    """Compile what is on stdin."""
    try:
        code = object_code(sys.stdin.buffer.read().decode(), int(sys.argv[1]))
    except BadIR:
        return 1
    sys.stdout.buffer.write(code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
