"""Every example in a docstring of the Python interface runs as shown.

The sessions of `docs/api.md` are run with those of the other documents.
"""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType

import pytest

import modelcheck.api
import modelcheck.readable

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("module", [modelcheck.api, modelcheck.readable], ids=lambda m: m.__name__)
def test_the_examples_of_a_module_run(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    report: list[str] = []
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module):
        runner.run(test, out=report.append)
    failed, tried = runner.summarize(verbose=False)
    assert tried
    assert not failed, "".join(report)


def test_every_public_name_says_what_it_is() -> None:
    for name in modelcheck.__all__:
        public = getattr(modelcheck, name)
        if name == "Plain":  # an alias has no place for it
            continue
        assert public.__doc__, name
