"""IR text becomes machine code in this process."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TypeAlias

import llvmlite.binding as llvm
from attrs import define, evolve, field

NativeFunction: TypeAlias = Callable[..., int]
"""Takes addresses and integers; gives an i64. It runs without Python's lock."""


_KEPT = 4


class BadIR(Exception):
    """The text is not a module: a mistake of ours."""


@define(eq=False)
class Native:
    """Machine code, which lives as long as this does.

    seconds  that it took to compile
    """

    seconds: float
    _engine: llvm.ExecutionEngine = field(repr=False)
    _functions: dict[str, NativeFunction] = field(factory=dict, repr=False)

    def function(self, name: str, arguments: int) -> NativeFunction:
        """A function of `arguments` words that gives a word."""
        found = self._functions.get(name)
        if found is None:
            address = self._engine.get_function_address(name)
            kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)
            found = self._functions[name] = kind(address)
        return found


def _give_back() -> None:
    """Have the C library return what the compiler has freed to the system."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # not every C library can
        ctypes.CDLL(None).malloc_trim(0)


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _machine(level: int) -> llvm.TargetMachine:
    """Code for the processor this runs on."""
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        jit=True,
    )


@lru_cache(maxsize=_KEPT)
def compile_ir(text: str, level: int = 3) -> Native:
    """Machine code for a module; that of the last few is kept, since checks may share theirs.

    level  how much is optimised: 3 is for long searches, 1 for code that soon has done its work

    Raises BadIR, with LLVM's message.
    """
    began = time.perf_counter()
    linked = link(object_code(text, level))
    _give_back()
    return evolve(linked, seconds=time.perf_counter() - began)


def object_code(text: str, level: int) -> bytes:
    """A module as an object file for this processor. Raises BadIR, with LLVM's message."""
    _initialize()
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise BadIR(str(error)) from error
    machine = _machine(level)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    # Only the machine code is kept: modules take more memory than a small search does.
    code: bytes = machine.emit_object(module)
    module.close()
    return code


def link(code: bytes) -> Native:
    """An object file as functions of this process."""
    _initialize()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(0))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Native(0.0, engine)
