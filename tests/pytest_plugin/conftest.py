"""A small project with a specification, in which pytest is run."""

from __future__ import annotations

import pytest

import modelcheck

# A run of pytest inside a test takes back what it has imported. A package whose modules are there
# only in part, and are then imported anew, has two classes of each name: import all of it now.
_outcome = modelcheck.check(modelcheck.load("fencing/fenced_leader")["read_before_fence"])
modelcheck.describe_trace(_outcome, "NoLostUpdate")

LAMP = """\
protocol Lamp

param MOST: int
type Count = 0..MOST

state
  lamp
    on: bool = false
    used: Count = 0

action switch
  let more = lamp.used < MOST
  lamp.on   := if more then not lamp.on else lamp.on
  lamp.used := if more then lamp.used + 1 else lamp.used

stops when lamp.used == MOST

invariant StaysDark
  not lamp.on

check bright
  MOST = 3
  expect StaysDark fails

check dark
  MOST = 0
  expect holds
"""
"""Both checks come out as expected."""

WRONG = f"""{LAMP}
check hopeful
  MOST = 2
  expect holds
"""
"""One check more, which does not."""

TYPO = LAMP.replace("not lamp.on\n\n", "not lamp.onn\n\n")
"""A file that is refused."""

LIBRARY = "type Colour = Red | Blue\n"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty project; `pytester.path` is its directory."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI"):
        monkeypatch.delenv(name, raising=False)
    return pytester


@pytest.fixture
def lamp(project: pytest.Pytester) -> pytest.Pytester:
    """A project with a file whose two checks come out as expected."""
    project.makefile(".model", lamp=LAMP)
    return project


@pytest.fixture
def wrong(project: pytest.Pytester) -> pytest.Pytester:
    """A project with a file of whose three checks the last does not come out as expected."""
    project.makefile(".model", lamp=WRONG)
    return project


@pytest.fixture
def typo(project: pytest.Pytester) -> pytest.Pytester:
    """A project with a file that is refused, beside one that is in order."""
    project.makefile(".model", lamp=LAMP, typo=TYPO)
    return project
