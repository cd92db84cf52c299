"""The tool works from a wheel, from an sdist, installed editable, and from a checkout.

Nothing is downloaded: a new environment gets the package alone, and sees the libraries of the
environment that runs the tests through a path file.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# One worker builds once and runs all of them.
pytestmark = pytest.mark.xdist_group("packaging")


@frozen
class Environment:
    """An interpreter, and how to start the tool with it."""

    python: Path
    start: tuple[str, ...]
    directory: Path | None = None

    def modelcheck(self, *arguments: str, cwd: Path, **variables: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        return execute([*self.start, *arguments], cwd=self.directory or cwd, **variables)

    def where(self, cwd: Path) -> Path:
        """The directory of the package that this environment finds."""
        code, out, err = execute(
            [str(self.python), "-c", "import modelcheck; print(modelcheck.__file__)"],
            cwd=self.directory or cwd,
        )
        assert code == 0, err
        return Path(out.strip()).resolve().parent


def execute(words: list[str], *, cwd: Path, **variables: str) -> tuple[int, str, str]:
    dropped = ("PYTHONPATH", "NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "PYTHONUTF8", "COLUMNS")
    environment = {k: v for k, v in os.environ.items() if k not in dropped} | variables
    done = subprocess.run(
        words, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def succeed(words: list[str], *, cwd: Path, **variables: str) -> str:
    code, out, err = execute(words, cwd=cwd, **variables)
    assert code == 0, f"{words}\n{out}{err}"
    return out


# --- building and installing ---------------------------------------------------------


@pytest.fixture(scope="session")
def sdist(checkout: Path) -> Path:
    build = [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", "dist", "."]
    succeed(build, cwd=checkout)
    (path,) = (checkout / "dist").glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(checkout: Path) -> Path:
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", "dist", "."]
    succeed(build, cwd=checkout)
    (path,) = (checkout / "dist").glob("*.whl")
    return path


def new_environment(directory: Path) -> Path:
    """The interpreter of a new environment that sees the libraries of this one, and no more."""
    venv.create(directory, with_pip=False, symlinks=os.name != "nt")
    scripts = "Scripts" if os.name == "nt" else "bin"
    python = directory / scripts / ("python.exe" if os.name == "nt" else "python")
    layout = {"base": str(directory), "platbase": str(directory)}
    libraries = Path(sysconfig.get_path("purelib", "venv", vars=layout))
    # A path file adds directories, and does not follow the path files in them: a modelcheck that
    # is installed editable in this environment stays out of sight.
    seen = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    (libraries / "libraries.pth").write_text("\n".join(dict.fromkeys(seen)), "utf-8")
    return python


def install(python: Path, *what: str, cwd: Path) -> Environment:
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install"]
    options = ["--quiet", "--no-deps", "--no-index", "--ignore-installed", "--no-build-isolation"]
    succeed([*pip, *options, *what], cwd=cwd, PIP_DISABLE_PIP_VERSION_CHECK="1")
    script = python.with_name("modelcheck.exe" if os.name == "nt" else "modelcheck")
    return Environment(python, (str(script),))


@pytest.fixture(scope="session")
def from_wheel(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    directory = tmp_path_factory.mktemp("from_wheel")
    return install(new_environment(directory / "venv"), str(wheel), cwd=directory)


@pytest.fixture(scope="session")
def from_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    directory = tmp_path_factory.mktemp("from_sdist")
    return install(new_environment(directory / "venv"), str(sdist), cwd=directory)


@pytest.fixture(scope="session")
def from_editable(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    directory = tmp_path_factory.mktemp("editable")
    return install(new_environment(directory / "venv"), "--editable", str(checkout), cwd=directory)


@pytest.fixture(scope="session")
def from_checkout(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    python = new_environment(tmp_path_factory.mktemp("checkout_only") / "venv")
    return Environment(python, (str(python), "-m", "modelcheck"), checkout)


@pytest.fixture(params=["from_wheel", "from_sdist", "from_editable", "from_checkout"])
def installed(request: pytest.FixtureRequest) -> Environment:
    environment = request.getfixturevalue(request.param)
    assert isinstance(environment, Environment)
    return environment


# --- what is inside ------------------------------------------------------------------


def shipped_files() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("protocols", "specs")
        for path in (ROOT / folder).rglob("*.model")
    }


def test_the_wheel_holds_the_specifications_and_not_the_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"modelcheck/shipped/{name}" for name in shipped_files()} <= names
    assert "modelcheck/parse/grammar.lark" in names
    assert "modelcheck/py.typed" in names
    explained = {p.name for p in (ROOT / "modelcheck" / "report" / "explain").glob("*.md")}
    assert {f"modelcheck/report/explain/{name}" for name in explained} <= names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"modelcheck", f"modelcheck-{PROJECT['version']}.dist-info"}
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_the_wheel_is_for_every_platform(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_sdist_holds_everything_that_a_clone_needs(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert shipped_files() <= names
    assert {
        "pyproject.toml",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "docs/language.md",
        "tests/conftest.py",
        "modelcheck/parse/grammar.lark",
        ".ci/run",
    } <= names
    assert not any("__pycache__" in name or name.startswith("dist/") for name in names)


def test_every_dependency_has_a_lower_bound() -> None:
    extras = PROJECT["optional-dependencies"]
    everything = [*PROJECT["dependencies"], *(each for extra in extras.values() for each in extra)]
    assert all(">=" in each or each.startswith("modelcheck[") for each in everything)


# --- running it ----------------------------------------------------------------------


def test_a_shipped_protocol_is_checked_in_an_empty_directory(
    installed: Environment, tmp_path: Path
) -> None:
    code, out, err = installed.modelcheck("check", "fencing/fenced_leader", cwd=tmp_path)
    assert code == 0, out + err
    assert "1,080" in out
    assert "read_before_fence" in out
    assert not list(tmp_path.iterdir())


def test_the_version_is_that_of_the_project(installed: Environment, tmp_path: Path) -> None:
    code, out, _ = installed.modelcheck("--version", cwd=tmp_path)
    assert code == 0
    if installed.directory is None:
        assert PROJECT["version"] in out


def test_each_environment_runs_its_own_copy(
    from_wheel: Environment, from_editable: Environment, checkout: Path, tmp_path: Path
) -> None:
    assert from_wheel.where(tmp_path).is_relative_to(from_wheel.python.parent.parent.resolve())
    assert from_editable.where(tmp_path) == (checkout / "modelcheck").resolve()


MINE = dedent(
    """\
    protocol Mine

    state
      box
        full: bool = false

    action fill
      when not box.full
      box.full := true

    stops when box.full

    check my_own
      expect holds
    """
)


@pytest.mark.parametrize("written", ["fencing/fenced_leader", "fencing/fenced_leader.model"])
def test_a_path_on_disk_wins_over_a_shipped_name(
    from_wheel: Environment, tmp_path: Path, written: str
) -> None:
    (tmp_path / "fencing").mkdir()
    (tmp_path / "fencing" / "fenced_leader.model").write_text(MINE, "utf-8")
    code, out, err = from_wheel.modelcheck("check", written, cwd=tmp_path)
    assert code == 0, err
    assert "my_own" in out
    assert "read_before_fence" not in out


def test_a_file_is_read_as_utf_8_whatever_the_locale(
    from_wheel: Environment, tmp_path: Path
) -> None:
    text = MINE.replace("protocol Mine", "## Überall gleich: ∀\nprotocol Mine")
    (tmp_path / "mine.model").write_text(text, "utf-8")
    code, out, err = from_wheel.modelcheck(
        "check", "mine.model", cwd=tmp_path, LC_ALL="C", PYTHONUTF8="0"
    )
    assert code == 0, out + err


# --- terminals -----------------------------------------------------------------------

FAILING = ("check", "fencing/fenced_leader", "--faults", "none")
"""Two checks no longer come out as expected; the report is long."""

PLAIN = ("check", "fencing/fenced_leader")


@pytest.mark.parametrize("arguments", [PLAIN, FAILING])
def test_output_falls_back_to_ascii(
    from_wheel: Environment, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    code, out, err = from_wheel.modelcheck(*arguments, cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert code in (0, 1), err
    assert out.isascii()
    assert err.isascii()
    assert "Traceback" not in err


def test_a_name_beyond_ascii_is_shown_as_an_escape(from_wheel: Environment, tmp_path: Path) -> None:
    code, out, err = from_wheel.modelcheck(
        "check", "größer.model", cwd=tmp_path, PYTHONIOENCODING="ascii"
    )
    assert code == 2
    assert (out + err).isascii()
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [PLAIN, FAILING])
def test_no_color_means_no_escape_codes(
    from_wheel: Environment, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    _, out, err = from_wheel.modelcheck(
        *arguments, cwd=tmp_path, NO_COLOR="1", TERM="xterm-256color"
    )
    assert "\x1b" not in out + err


def test_output_into_a_pipe_has_no_colour(from_wheel: Environment, tmp_path: Path) -> None:
    _, out, err = from_wheel.modelcheck(*PLAIN, cwd=tmp_path, TERM="xterm-256color")
    assert "\x1b" not in out + err


# --- start-up ------------------------------------------------------------------------

HEAVY = ("z3", "lark", "rich", "numpy", "llvmlite", "tqdm")


def loaded(environment: Environment, code: str, cwd: Path) -> set[str]:
    """The heavy libraries that the code loads."""
    script = f"import sys\n{code}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    return set(succeed([str(environment.python), "-c", script], cwd=cwd).split("\n")[-2].split())


def test_importing_the_package_loads_nothing_heavy(from_wheel: Environment, tmp_path: Path) -> None:
    assert loaded(from_wheel, "import modelcheck", tmp_path) == set()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_asking_for_the_version_loads_nothing_heavy(
    from_wheel: Environment, tmp_path: Path, arguments: list[str]
) -> None:
    code = dedent(
        f"""\
        from modelcheck.cli import main
        sys.argv = ["modelcheck", *{arguments!r}]
        try:
            main()
        except SystemExit:
            pass
        """
    )
    assert loaded(from_wheel, code, tmp_path) == set()


def test_checking_does_not_load_a_solver(from_wheel: Environment, tmp_path: Path) -> None:
    code = dedent(
        """\
        import modelcheck
        modelcheck.check(modelcheck.load("fencing/fenced_leader")["fenced"])
        """
    )
    assert "z3" not in loaded(from_wheel, code, tmp_path)


POSIX_ONLY = ("fcntl", "resource", "termios", "pwd", "grp", "pty", "tty", "curses", "syslog")


def test_the_tool_runs_without_the_modules_that_only_posix_has(
    from_wheel: Environment, tmp_path: Path
) -> None:
    code = dedent(
        f"""\
        import sys
        import psutil  # has its own ways on every system
        for name in {POSIX_ONLY!r}:
            sys.modules[name] = None
        from modelcheck.cli import main
        sys.argv = ["modelcheck", "check", "fencing/fenced_leader"]
        main()
        """
    )
    status, out, err = execute([str(from_wheel.python), "-c", code], cwd=tmp_path)
    assert status == 0, err
    assert "1,080" in out
