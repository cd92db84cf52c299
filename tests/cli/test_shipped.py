"""Finding files by what a user types."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcheck import shipped
from modelcheck.diagnostics import Diagnostic, Refused


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, and a place for shipped files beside it."""
    root = tmp_path / "tool"
    for name in ("protocols/fencing/fenced_leader", "specs/register"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.model").write_text("protocol A\n", encoding="utf-8")
    monkeypatch.setattr(shipped, "_PACKAGE", root / "modelcheck")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def refusal(path: str) -> Diagnostic:
    with pytest.raises(Refused) as caught:
        shipped.files(path)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def test_a_shipped_file_is_found_with_and_without_its_suffix(here: Path) -> None:
    for name in ("fencing/fenced_leader", "fencing/fenced_leader.model"):
        assert shipped.find(name).as_posix().endswith("protocols/fencing/fenced_leader.model")
    assert shipped.find("register").as_posix().endswith("specs/register.model")


def test_an_installed_package_looks_inside_itself(here: Path) -> None:
    inside = here.parent / "tool" / "modelcheck" / "shipped" / "specs"
    inside.mkdir(parents=True)
    assert shipped.specs_directories() == (inside,)


def test_a_file_on_disk_wins(here: Path) -> None:
    (here / "register.model").write_text("protocol Mine\n", encoding="utf-8")
    assert shipped.find("register") == Path("register.model")
    assert shipped.find(str(here / "register.model")) == Path("register.model")


def test_a_shipped_file_is_called_by_its_name_where_that_finds_it(here: Path) -> None:
    path = shipped.find("fencing/fenced_leader").as_posix()
    assert shipped.called(path) == "fencing/fenced_leader"
    (here / "fencing").mkdir()
    (here / "fencing" / "fenced_leader.model").write_text("protocol Mine\n", encoding="utf-8")
    assert shipped.called(path) == path
    assert shipped.called("fencing/fenced_leader.model") == "fencing/fenced_leader.model"


def test_a_directory_stands_for_all_its_files_in_order(here: Path) -> None:
    for name in ("b.model", "a/z.model", "a/b.txt", "c.model"):
        (here / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (here / "all" / name).touch()
    found = [path.as_posix() for path in shipped.files("all")]
    assert found == ["all/a/z.model", "all/b.model", "all/c.model"]
    assert len(shipped.files("fencing")) == 1


def test_an_empty_directory_is_refused(here: Path) -> None:
    (here / "nothing").mkdir()
    assert refusal("nothing").id == "empty-directory"


def test_a_missing_file_has_near_names_among_siblings_and_shipped_ones(here: Path) -> None:
    (here / "two_phase.model").touch()
    missing = refusal("two_fase.model")
    assert missing.id == "no-such-file"
    assert missing.help == ("did you mean `two_phase.model`?",)
    assert refusal("two_fase").help == ("did you mean `two_phase`?",)
    assert refusal("fencing/fenced_leder").help == ("did you mean `fencing/fenced_leader`?",)


@pytest.mark.parametrize("odd", ["", "\0", "a" * 5000, "no/such/dir/x"])
def test_names_that_no_system_can_hold_are_just_missing(here: Path, odd: str) -> None:
    assert refusal(odd).id == "no-such-file"


def test_what_cannot_be_read_is_refused_with_a_reason(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "big.model").write_bytes(b"#" * 11)
    monkeypatch.setattr(shipped, "LARGEST_FILE", 10)
    with pytest.raises(Refused, match=r"`big\.model` is too large"):
        shipped.read(Path("big.model"))
    with pytest.raises(Refused, match="is not a file"):
        shipped.read(here)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(Refused, match=r"cannot read `big\.model`: permission denied"):
        shipped.read(Path("big.model"))
