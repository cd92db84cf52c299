"""Each part of a shipped template can be violated alone, and all of them can hold together.

The `.model` files beside this one use the templates of `specs/`. A check that expects `holds`, or
that every part of a template does, shows that some protocol satisfies the template. Every other
check lists the parts of one template, of which exactly one does not hold. What is expected stands
in the files, where it can be read beside the protocol; here it is seen to come out, and that no
template, no part and no verdict is left out.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from attrs import frozen

import modelcheck
from modelcheck.core.model import Check, ExpectHolds, ExpectProperty
from modelcheck.parse import tree
from modelcheck.parse.parser import parse
from modelcheck.source import Source

HERE = Path(__file__).parent
SPECS = HERE.parents[1] / "specs"

FILES = {path.stem: modelcheck.load(path) for path in sorted(HERE.glob("*.model"))}
CHECKS = [
    pytest.param(file[name], id=f"{stem}-{name}") for stem, file in FILES.items() for name in file
]


TEMPLATES = {
    each.name.name: each
    for path in sorted(SPECS.glob("*.model"))
    for each in parse(Source(path.as_posix(), path.read_text("utf-8"))).declarations
    if isinstance(each, tree.Template)
}
PARTS = {
    name: frozenset(part.name.name for part in template.properties)
    for name, template in TEMPLATES.items()
}


@frozen
class Row:
    """What a check expects of the parts of one template."""

    template: str
    holding: frozenset[str]
    failing: frozenset[str]


def rows(check: Check) -> list[Row]:
    """One row for each template that the check speaks of."""
    holding: dict[str, set[str]] = defaultdict(set)
    failing: dict[str, set[str]] = defaultdict(set)
    for each in check.expectations:
        match each:
            case ExpectHolds():
                for found in check.model.properties:
                    template, _, part = found.name.partition(".")
                    holding[template].add(part)
            case ExpectProperty(name, verdict):
                template, _, part = name.partition(".")
                (holding if verdict == "holds" else failing)[template].add(part)
            case _:
                pytest.fail(f"{check.name} expects something else than parts of templates")
    return [
        Row(name, frozenset(holding[name]), frozenset(failing[name]))
        for name in sorted(holding.keys() | failing.keys())
    ]


ROWS = [row for file in FILES.values() for name in file for row in rows(file[name])]


@pytest.mark.parametrize("check", CHECKS)
def test_a_protocol_violates_what_it_says_and_nothing_else(check: Check) -> None:
    outcome = modelcheck.check(check)
    assert outcome.as_expected, (outcome.unmet, outcome.found)


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_that_lists_parts_lists_all_of_one_template_and_one_fails_at_most(
    check: Check,
) -> None:
    found = rows(check)
    for row in found:
        assert len(row.failing) <= 1
        assert row.holding | row.failing == PARTS[row.template]
    if not isinstance(check.expectations[0], ExpectHolds):
        assert len(found) == 1


@pytest.mark.parametrize("template", PARTS)
def test_every_template_is_satisfied_by_a_protocol(template: str) -> None:
    assert any(row.template == template and not row.failing for row in ROWS)


@pytest.mark.parametrize(
    ("template", "part"), [(name, part) for name, parts in PARTS.items() for part in sorted(parts)]
)
def test_every_part_is_violated_alone_by_a_protocol(template: str, part: str) -> None:
    assert Row(template, PARTS[template] - {part}, frozenset({part})) in ROWS


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES.keys())
def test_every_template_has_a_cover(template: tree.Template) -> None:
    assert any(isinstance(part, tree.Reachable) for part in template.properties)
