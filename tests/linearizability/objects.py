"""The shipped objects written once more, in Python; and which calls of them to try.

Answers are as the tool has values: `()` and `(x,)` for `none` and some x, None for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from .wing_gong import Run


@frozen(eq=False)
class Object:
    """
    bindings  how a `linearizable` line makes it, over `Digit`, 0..3, and `Client`, three callers
    calls     operations with arguments; `me` stands for the caller
    answers   what an operation may be made to answer
    """

    name: str
    file: str
    bindings: str
    run: Run
    first: Any
    calls: tuple[tuple[str, tuple[Any, ...]], ...]
    answers: dict[str, tuple[Any, ...]]


def _register(operation: str, arguments: tuple[Any, ...], state: Any) -> Any:
    match operation:
        case "read":
            return state, state
        case "write":
            return None, arguments[0]
        case "cas":
            expected, new = arguments
            return (True, new) if state == expected else (False, state)


def _queue(operation: str, arguments: tuple[Any, ...], state: Any) -> Any:
    if operation == "enqueue":
        return None, [*state, arguments[0]]
    return ((state[0],), state[1:]) if state else ((), state)


def _set(operation: str, arguments: tuple[Any, ...], state: Any) -> Any:
    there = arguments[0] in state
    match operation:
        case "add":
            return not there, state | {arguments[0]}
        case "remove":
            return there, state - {arguments[0]}
        case "contains":
            return there, state


def _lock(operation: str, arguments: tuple[Any, ...], state: Any) -> Any:
    me = arguments[0]
    match operation:
        case "acquire":
            return (None, me) if state is None else None
        case "try_acquire":
            return (True, me) if state is None else (False, state)
        case "release":
            return (None, None) if state == me else None


def _counter(operation: str, arguments: tuple[Any, ...], state: Any) -> Any:
    return (state, state + 1) if operation == "next" else (state, state)


def _log(operation: str, arguments: tuple[Any, ...], state: Any) -> Any:
    match operation:
        case "append":
            return len(state) + 1, [*state, arguments[0]]
        case "read":
            at = arguments[0]
            return (state[at - 1],) if at <= len(state) else (), state
        case "length":
            return len(state), state


def _each(operation: str, *choices: tuple[Any, ...]) -> list[tuple[str, tuple[Any, ...]]]:
    return [(operation, arguments) for arguments in choices]


DIGITS = (0, 1, 2, 3)
ROOM = 20  # more than a history has calls
_WRITES = _each("write", (1,), (2,), (3,))
_READS = _each("read", (), (), ())
_CAS = _each("cas", (0, 1), (1, 2), (2, 0))
_MAYBE: tuple[Any, ...] = ((), (1,), (2,), (3,))
_NUMBERS = tuple(range(5))
_POSITIONS = _each("read", (1,), (2,))


def _object(
    name: str,
    file: str,
    bindings: str,
    run: Callable[..., Any],
    first: Any,
    calls: list[tuple[str, tuple[Any, ...]]],
    answers: dict[str, tuple[Any, ...]],
) -> Object:
    return Object(name, file, bindings, run, first, tuple(calls), answers)


OBJECTS = (
    _object(
        "Register", "register", "Value = Digit, first = 0", _register, 0,
        [*_READS, *_WRITES], {"read": DIGITS},
    ),
    _object(
        "CasRegister", "cas_register", "Value = Digit, first = 0", _register, 0,
        [*_READS, *_WRITES, *_CAS], {"read": DIGITS, "cas": (False, True)},
    ),
    _object(
        "Queue", "queue", f"Value = Digit, ROOM = {ROOM}", _queue, [],
        [*_each("enqueue", (1,), (2,), (3,)), *_each("dequeue", (), (), ())], {"dequeue": _MAYBE},
    ),
    _object(
        "Set", "set", "Value = Digit", _set, frozenset(),
        [*_each("add", (0,), (1,)), *_each("remove", (0,)), *_each("contains", (0,), (1,))],
        dict.fromkeys(("add", "remove", "contains"), (False, True)),
    ),
    _object(
        "Lock", "lock", "Client = Client", _lock, None,
        [*_each("acquire", ("me",)), *_each("try_acquire", ("me",)), *_each("release", ("me",))],
        {"try_acquire": (False, True)},
    ),
    _object(
        "Counter", "counter", f"LIMIT = {ROOM}", _counter, 0,
        [("next", ()), ("read", ())], {"next": _NUMBERS, "read": _NUMBERS},
    ),
    _object(
        "Log", "log", f"Value = Digit, ROOM = {ROOM}", _log, [],
        [*_each("append", (0,), (1,)), *_POSITIONS, ("length", ())],
        {"append": (1, 2, 3, 4), "read": _MAYBE, "length": _NUMBERS},
    ),
)  # fmt: skip
