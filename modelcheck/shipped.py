"""Finding files: on disk, and among those that come with the tool.

A path on disk wins, as written or with `.model` appended; then the shipped
protocols, then the shipped specs: `fencing/fenced_leader`. A directory stands
for all its files.
"""

from __future__ import annotations

import os
from pathlib import Path

from modelcheck.diagnostics import Diagnostic, Refused, listing, near

SUFFIX = ".model"
LARGEST_FILE = 10_000_000
_PACKAGE = Path(__file__).resolve().parent


def protocols_directory() -> Path:
    """Where the shipped protocols lie: inside an installed package, beside it in a checkout."""
    return _directory("protocols")


def specs_directory() -> Path:
    """Where the shipped specs lie."""
    return _directory("specs")


def specs_directories() -> tuple[Path, ...]:
    """Where an import is looked up after the importing file's own directory."""
    return (specs_directory(),)


def _directory(name: str) -> Path:
    installed = _PACKAGE / "shipped" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def find(path: str) -> Path:
    """The file or directory that `path` names; Refused if there is none."""
    found = look_up(path)
    if found is not None:
        return found
    names = [*_siblings(path), *shipped_names()]
    help = (f"did you mean {listing(close, 'or')}?",) if (close := near(path, names)) else ()
    raise _refused("no-such-file", f"no file `{path}`", help=help)


def look_up(path: str) -> Path | None:
    """The file or directory that `path` names, None if there is none."""
    if not path or "\0" in path:
        return None
    roots = [Path()] if os.path.isabs(path) else [Path(), protocols_directory(), specs_directory()]
    for root in roots:
        for candidate in (root / path, root / f"{path}{SUFFIX}"):
            if _exists(candidate):
                return shown(candidate)
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that the system cannot hold
        return False


def shown(path: Path) -> Path:
    """The path as a reader wants to see it: relative to the working directory if it lies there."""
    if not path.is_absolute():
        return path
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def called(path: str) -> str:
    """The shortest way to name the file: a shipped one by its name, `fencing/fenced_leader`."""
    absolute = Path(path).absolute()
    for root in (protocols_directory(), specs_directory()):
        if absolute.is_relative_to(root):
            name = absolute.relative_to(root).with_suffix("").as_posix()
            found = look_up(name)
            if found is not None and found.absolute() == absolute:
                return name
    return path


def files(path: str) -> list[Path]:
    """The files that `path` names: itself, or all in the directory, sorted; Refused if none."""
    found = find(path)
    if not found.is_dir():
        return [found]
    inside = _models_in(found)
    if not inside:
        raise _refused("empty-directory", f"no `*{SUFFIX}` file in `{path}`")
    return inside


def _models_in(directory: Path) -> list[Path]:
    found = (each for each in directory.rglob(f"*{SUFFIX}") if each.is_file())
    return sorted(found, key=lambda each: each.relative_to(directory).parts)


def read(path: Path) -> bytes:
    """The bytes of a file; Refused if it cannot be a specification."""
    name = path.as_posix()
    if _exists(path) and not path.is_file():
        raise _refused("not-a-file", f"`{name}` is not a file")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise _refused("no-such-file", f"no file `{name}`") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise _refused("unreadable-file", f"cannot read `{name}`: {reason}") from None
    if len(data) > LARGEST_FILE:
        limit = f"a specification has at most {LARGEST_FILE:,} bytes"
        raise _refused("file-too-large", f"`{name}` is too large", notes=(limit,))
    return data


def shipped_names() -> list[str]:
    """All shipped files, as one may write them: `fencing/fenced_leader`."""
    return [
        each.relative_to(root).with_suffix("").as_posix()
        for root in (protocols_directory(), specs_directory())
        if root.is_dir()
        for each in _models_in(root)
    ]


def importable(importing: str, path: str) -> list[str]:
    """What lies where the import of `path` was looked for, as the importing file would write it."""
    folder = os.path.dirname(path)
    found: list[str] = []
    for directory in (Path(importing).parent, *specs_directories()):
        try:
            inside = sorted((directory / folder).glob(f"*{SUFFIX}"))
        except (OSError, ValueError):
            continue
        found += [
            os.path.join(folder, each.name)
            for each in inside
            if os.path.normpath(each) != os.path.normpath(importing)
        ]
    return list(dict.fromkeys(found))


def _siblings(path: str) -> list[str]:
    """The specifications beside the file that is not there, named as the user would have."""
    parent = Path(path).parent
    try:
        beside = sorted(parent.glob(f"*{SUFFIX}"))
        return [
            (each if path.endswith(SUFFIX) else each.with_suffix("")).as_posix() for each in beside
        ]
    except (OSError, ValueError):
        return []


def _refused(
    id: str, headline: str, *, notes: tuple[str, ...] = (), help: tuple[str, ...] = ()
) -> Refused:
    return Refused([Diagnostic(id, headline, notes=notes, help=help)])
