"""Mistakes of the word that begins a line: statements, expectations, declarations."""

from __future__ import annotations

from typing import Final

from modelcheck.diagnostics import Diagnostic, Label, listing, near
from modelcheck.parse.lines import Piece
from modelcheck.parse.mistakes.situation import INFIX, UPDATES, Situation, did_you_mean
from modelcheck.parse.words import DECLARATIONS, INNER, STATEMENTS
from modelcheck.source import Source

_FOREIGN_STATEMENTS: Final = {
    "when": (
        "require",
        "requires",
        "assume",
        "await",
        "guard",
        "pre",
        "where",
        "enabled",
        "unless",
    ),
    "let": ("var", "val", "const", "def", "local"),
    ":=": ("set", "assign", "put"),
    "for": ("foreach", "forall", "while", "loop"),
    "elif": ("elsif", "elseif"),
    "return": ("yield", "ret"),
}


def statements(s: Situation) -> Diagnostic | None:
    if not s.in_body:
        return None
    known = [w for w, others in _FOREIGN_STATEMENTS.items() if s.head in others]
    known = known or near(s.head, STATEMENTS)
    if s.index == 1 and s.accepted >= UPDATES and (s.word() or s.found in ("(", "{")):
        return s.report(
            "unknown-statement",
            f"no statement begins with `{s.head}`",
            at=s.line.first,
            note="a line of a body is an update, an effect, or begins with one of "
            + " ".join(sorted(STATEMENTS)),
            help=f"did you mean {listing(known, 'or')}?" if known else "",
        )
    bare = s.accepted >= UPDATES and (s.where == "line end" or s.found in INFIX | {"with"})
    starts = s.index == 0 and "when" in s.accepted and s.where == "token"
    if bare or starts:
        return s.report(
            "bare-term",
            "a line that is a term, and neither tests nor changes anything",
            at=s.line.first,
            help="begin it with `when` if it is a guard, or write `:=` if it is an update",
        )
    return None


def expectations(s: Situation) -> Diagnostic | None:
    verdicts = ("holds", "fails", "blocks", "livelocks")
    if s.declaration != "check" or s.head != "expect" or not set(verdicts) <= s.accepted:
        return None
    if s.before == "expect" or s.before == ",":
        return None
    if s.word():
        return s.report(
            "unknown-verdict",
            f"`{s.found}` is not a verdict",
            note="a property `holds`, `fails`, `blocks` or `livelocks`",
            help=did_you_mean(near(s.found, verdicts)),
        )
    return s.report(
        "missing-verdict",
        f"nothing is said about `{s.before}`",
        at=s.line.tokens[s.index - 1],
        note="beside `holds` and counts, a verdict follows the name of a property",
        help=f"write `{s.before} holds`, `{s.before} fails`, `{s.before} blocks` or "
        f"`{s.before} livelocks`",
    )


_FOREIGN_DECLARATIONS: Final = {
    "protocol": ("module", "spec", "model", "system", "machine", "package"),
    "import": ("include", "using", "extends", "from", "require"),
    "param": ("const", "constant", "constants", "parameter", "params"),
    "state": ("var", "variable", "variables", "vars", "volatile", "ghost", "each", "channel"),
    "type": ("enum", "struct", "record", "datatype", "union"),
    "let": ("def", "define", "fun", "function", "val", "pure", "operator", "macro", "predicate"),
    "action": ("rule", "transition", "process", "event", "proc", "next", "method"),
    "invariant": ("assert", "property", "safety", "theorem", "inv", "always"),
    "liveness": ("temporal", "eventually", "fairness", "ltl"),
    "check": ("test", "run", "scenario", "config", "instance"),
    "stops": ("terminates", "stop", "done"),
}


def unknown_start(source: Source, piece: Piece) -> Diagnostic:
    """A line in the first column that no declaration begins with."""
    line = piece.lines[0]
    word = line.first.text
    at = Label(line.first.span(source))
    texts = [token.text for token in line.tokens]
    if word in STATEMENTS | INNER and word not in ("volatile", "ghost", "each", "channel"):
        return Diagnostic(
            "misplaced-keyword",
            f"`{word}` begins no declaration",
            at,
            notes=(f"`{word}` begins a line inside a declaration",),
            help=("indent the line, so that it belongs to the declaration above it",),
        )
    if UPDATES & set(texts) or (len(texts) > 1 and texts[1] == "."):
        return Diagnostic(
            "statement-in-first-column",
            "a statement in the first column",
            at,
            notes=("only declarations begin in the first column",),
            help=("indent it by two, so that it belongs to the action above it",),
        )
    known = [w for w, others in _FOREIGN_DECLARATIONS.items() if word.lower() in others]
    known = known or near(word, DECLARATIONS)
    shown = word if len(word) <= 30 else word[:27] + "..."
    return Diagnostic(
        "unknown-keyword",
        f"no declaration begins with `{shown}`",
        at,
        notes=() if known else ("declarations begin with " + " ".join(sorted(DECLARATIONS)),),
        help=(did_you_mean(known[:4]),) if known else (),
    )
