"""The words of the language, by the place they may stand in.

The grammar decides what parses; these sets serve what happens around it:
joining lines, finding the next declaration after an error, and wording
diagnostics.
"""

from __future__ import annotations

from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a text, separated by blanks."""
    return frozenset(text.split())


RESERVED: Final = words(
    """and or not implies in is union minus intersect subset div mod if then else
    forall exists count sum the each true false none"""
)
"""Words that name nothing, anywhere."""

PREFIXES: Final = words("forall exists count sum the each if")
"""Words that begin a term which reaches as far right as it can."""

INFIX_WORDS: Final = words("and or implies is in union minus intersect subset div mod")

INFIX_SYMBOLS: Final = words("== != < <= > >= + - * ++ ~> .. := += -= |")

LINE_GOES_ON_AFTER: Final = INFIX_WORDS | INFIX_SYMBOLS | {":", ",", "=", "then"}
"""A line that ends in one of these goes on in the next."""

LINE_GOES_ON_BEFORE: Final = frozenset(["|", "and", "or", "implies", "then"])
"""A line goes on before a line that begins with one of these."""

DECLARATIONS: Final = words(
    """protocol import param axis sort type let state init action fault fair strongly
    effect object template use invariant lemma axiom step reachable always liveness
    stops constraint refines linearizable sequentially check proof"""
)
"""Words that begin a line at column 1."""

STATEMENTS: Final = words("when let if elif else for lose call return abandon returns")
"""Words that begin a line of a body, and therefore name no group."""

INNER: Final = words("operation volatile ghost channel each expect faults")
"""Words that begin a line inside a declaration, other than statements."""

OPENERS: Final = {"(": ")", "[": "]", "{": "}"}
CLOSERS: Final = {closer: opener for opener, closer in OPENERS.items()}

DEEPEST_BRACKETS: Final = 200
"""How deeply brackets may nest."""

DEEPEST_BLOCKS: Final = 50
"""How deeply blocks of lines may nest."""

DEEPEST_TERM: Final = 400
"""How high a tree may grow. Later stages recurse over trees."""

LARGEST_LITERAL: Final = 2**63
"""The largest magnitude of a 64-bit number: with a minus in front of it, it is one."""
