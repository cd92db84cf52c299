"""How much memory there is, and memory that no Python object owns a copy of."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
from pathlib import Path

import psutil
from attrs import define, field

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

SHARE = 0.8
"""Of the available memory, what a search may take unless it is told otherwise."""

_PAGE = mmap.PAGESIZE
_HUGE_PAGE = 1 << 21
# Not in `mmap` before Python 3.13.
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0


class OutOfMemory(Exception):
    """The budget is spent, or the system has no more."""


def available_memory() -> int:
    """Bytes that this process can still take: the least of what the machine, its control group
    and its address space leave free."""
    free = [int(psutil.virtual_memory().available)]
    free += [limit for limit in (_left_in_group(), _left_in_address_space()) if limit is not None]
    return max(0, min(free))


def address_space_is_limited() -> bool:
    return _address_space_limit() is not None


def _address_space_limit() -> int | None:
    if resource is None:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def _left_in_address_space() -> int | None:
    limit = _address_space_limit()
    return None if limit is None else limit - psutil.Process().memory_info().vms


_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def _left_in_group() -> int | None:
    """What the control group and those around it leave free; None without a limit."""
    left = []
    for line in _text(_OWN_GROUPS).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            root, limit, usage = _GROUPS, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            root = _GROUPS / "memory"
            limit, usage = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        group = root / path.lstrip("/")
        while group == root or root in group.parents:
            most, used = _number(group / limit), _number(group / usage)
            if most is not None and used is not None:
                left.append(most - used + _reclaimable(group))
            group = group.parent
    return min(left, default=None)


def _reclaimable(group: Path) -> int:
    """File pages that count as used, and that the system drops when it needs room."""
    for line in _text(group / "memory.stat").splitlines():
        name, _, value = line.partition(" ")
        if name in ("inactive_file", "total_inactive_file") and value.isdigit():
            return int(value)
    return 0


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


@define(eq=False)
class Region:
    """Zeroed memory at a fixed address, in whole pages; given back with the object.

    Pages take memory only when they are written to.
    """

    size: int
    _map: mmap.mmap = field(repr=False)
    address: int

    @classmethod
    def of(cls, size: int, *, reserved: bool = False) -> Region:
        """At least `size` bytes. Raises OutOfMemory.

        reserved  most of it will perhaps never be used, and should not count before
        """
        size = max(1, -(-size // _PAGE)) * _PAGE
        try:
            if sys.platform == "win32":
                memory = mmap.mmap(-1, size)
            else:
                flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
                memory = mmap.mmap(-1, size, flags=flags | (_NO_RESERVE if reserved else 0))
        except (OSError, ValueError, OverflowError, MemoryError) as error:
            raise OutOfMemory(str(error)) from error
        # The object that gives the address would forbid to give the memory back: it goes at once.
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        return cls(size, memory, address)

    def use_huge_pages(self, after: int = 0) -> None:
        """Prefer pages of 2 MiB, where the system has them, from `after` bytes on."""
        start = -(-after // _HUGE_PAGE) * _HUGE_PAGE
        if start < self.size and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):
                self._map.madvise(mmap.MADV_HUGEPAGE, start, self.size - start)

    def words(self) -> memoryview:
        """The memory as signed 64-bit words. It must be released before the region is closed."""
        return memoryview(self._map).cast("q")

    def close(self) -> None:
        self._map.close()
