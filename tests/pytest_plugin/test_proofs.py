"""Proofs of a `.model` file as tests; the solver is played by hand."""

from __future__ import annotations

import pytest

from tests.prove.tokens import (
    PROOF,
    TOKENS,
    everything_proved,
    no_answer,
    not_inductive,
)


@pytest.fixture
def proving(project: pytest.Pytester) -> pytest.Pytester:
    """A project with a proof."""
    project.makefile(".model", tokens=TOKENS + PROOF)
    return project


def test_a_proof_is_an_item_of_its_own(
    proving: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelcheck.proving.prove", lambda *_: everything_proved())
    run = proving.inline_run("tokens.model::Fencing")
    run.assertoutcome(passed=1)


def test_what_is_not_proved_fails_with_the_report(
    proving: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelcheck.proving.prove", lambda *_: not_inductive())
    run = proving.inline_run()
    run.assertoutcome(failed=1)
    (report,) = [each for each in run.getreports("pytest_runtest_logreport") if each.failed]
    assert "unproved[invariant]: FenceWasGranted is not kept by write(n1)" in str(report.longrepr)
    assert "= reproduce: modelcheck prove tokens.model Fencing" in str(report.longrepr)


def test_what_has_no_answer_fails(
    proving: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelcheck.proving.prove", lambda *_: no_answer())
    run = proving.inline_run()
    run.assertoutcome(failed=1)
