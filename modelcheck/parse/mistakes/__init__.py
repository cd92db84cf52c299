"""Syntax errors, in terms of the language.

The parser stops at one piece of text and knows what it could have accepted
there. A `Situation` says both, and where it happened; `RULES` are tried in
order, and the first that recognises the mistake words it. A rule that
recognises a mistake by more than its place goes before one that does not.
"""

from __future__ import annotations

from typing import Final

from modelcheck.diagnostics import Diagnostic
from modelcheck.parse.mistakes import blocks, signs, starts, terms
from modelcheck.parse.mistakes.situation import DEDENT, LINE_END, Rule, Situation, examples

RULES: Final[tuple[Rule, ...]] = (
    blocks.unexpected_indent,
    blocks.missing_body,
    blocks.lone_else,
    blocks.indented_declaration,
    blocks.trailing,
    terms.temporal,
    blocks.body_on_header_line,
    signs.each_basic,
    signs.second_on_line,
    signs.lower_constructor,
    signs.equals,
    signs.colons,
    signs.element_types,
    terms.range_as_term,
    terms.relations,
    terms.prefixes,
    terms.operators,
    starts.statements,
    starts.expectations,
    signs.names,
    terms.shared_domain,
    terms.missing_words,
)


def diagnose(situation: Situation) -> Diagnostic:
    """What went wrong, as well as it can be told."""
    for rule in RULES:
        found = rule(situation)
        if found is not None:
            return found
    return _not_understood(situation)


def _not_understood(s: Situation) -> Diagnostic:
    place = f"`{s.found}`" if s.found else LINE_END
    wanted = sorted(s.accepted - {DEDENT})
    statement = s.head if s.in_body and s.head not in ("operation", "state") else ""
    note = examples(s.declaration, statement)
    if 0 < len(wanted) <= 4:
        shown = [w if " " in w else f"`{w}`" for w in wanted]
        note = f"what can stand here is {' or '.join(shown)}\n\n{note}"
    after = f" after `{s.before}`" if s.before else ""
    return s.report("syntax", f"{place} does not fit{after}", note=note)
