"""Mistakes of names and of signs beside them: case, `=`, `:`, types."""

from __future__ import annotations

from typing import Final

from modelcheck.diagnostics import Diagnostic
from modelcheck.parse.examples import EXAMPLES
from modelcheck.parse.mistakes.situation import (
    COMPARISONS,
    LINE_END,
    LOWER,
    LOWER_THINGS,
    UPDATES,
    UPPER,
    UPPER_THINGS,
    Situation,
    indented,
    lower_case,
    upper_case,
)
from modelcheck.parse.words import DECLARATIONS, INNER, RESERVED, STATEMENTS, words

_CONNECTORS: Final = words("on in by like as with of at where using to up per is")


def names(s: Situation) -> Diagnostic | None:
    names = s.accepted & {LOWER, UPPER}
    if not names or s.wants_term:
        return None
    if s.found == "_":
        return s.report(
            "blank-as-name",
            "`_` where a name is declared or referred to",
            note="`_` stands for a value that is not needed: in a pattern, after `on`, "
            "and in the head of a binding",
            help="choose a name",
        )
    if s.found in RESERVED and (s.accepted == names or s.after in (":", "=", "(", "in", ",", ")")):
        return s.report(
            "reserved-word",
            f"the reserved word `{s.found}` used as a name",
            note="reserved: " + " ".join(sorted(RESERVED)),
            help=f"choose another name, such as `{s.found}_` or `{s.found}s`",
        )
    missing = s.found in _CONNECTORS and s.accepted <= {LOWER, UPPER}
    if s.where != "token" or missing or (s.found and not s.word() and s.accepted <= {LOWER, UPPER}):
        if s.accepted <= {LOWER, UPPER, "each", "channel"}:
            case = {frozenset([LOWER]): " lower-case", frozenset([UPPER]): "n upper-case"}
            return s.report(
                "missing-name",
                f"no name after `{s.before}`",
                note=f"a{case.get(names, '')} name belongs here",
            )
        return None
    return _case_of_name(s, names)


def _case_of_name(s: Situation, names: frozenset[str]) -> Diagnostic | None:
    if names == {LOWER} and s.word(UPPER):
        wanted, note, other = "lower", LOWER_THINGS, lower_case(s.found)
    elif names == {UPPER} and s.word(LOWER) and s.found not in RESERVED:
        if s.found in DECLARATIONS | STATEMENTS | INNER and s.index == 0:
            return None
        wanted, note, other = "upper", UPPER_THINGS, upper_case(s.found)
    else:
        return None
    return s.report(
        "case-of-name",
        f"`{s.found}` where a name with {'a lower' if wanted == 'lower' else 'an upper'}-case "
        "first letter belongs",
        note=note,
        help=f"write `{other}`",
    )


def lower_constructor(s: Situation) -> Diagnostic | None:
    """`type T = idle | busy`: the lower-case name was read as the start of a range."""
    if s.declaration != "type" or s.found not in ("|", "") or not s.before[:1].islower():
        return None
    if ".." not in s.accepted:
        return None
    return s.report(
        "case-of-name",
        f"`{s.before}` where a name with an upper-case first letter belongs",
        at=s.line.tokens[s.index - 1],
        note=UPPER_THINGS,
        help=f"write `{upper_case(s.before)}`",
    )


def each_basic(s: Situation) -> Diagnostic | None:
    """`each bool`, `each 0..3`"""
    if s.declaration != "state" or s.before != "each" or s.index != 1 or UPPER not in s.accepted:
        return None
    if s.found not in ("bool", "int", "set", "seq", "bag", "map") and not s.found[:1].isdigit():
        return None
    wanted = {"bool": "type Side = Left | Right", "int": "type Index = 0..3"}
    example = wanted.get(s.found, "type Index = 0..3")
    return s.report(
        "each-key",
        f"`each` over `{s.found}{'..' if s.after == '..' else ''}`",
        note="`each` takes a sort, a named enum or a named range",
        help=f"declare a type, such as `{example}`, and name it after `each`",
    )


def second_on_line(s: Situation) -> Diagnostic | None:
    """`Node = 2 MAX = 2`, `crash = 1 restart = 2`, `expect A holds B holds`"""
    if s.declaration not in ("check", "proof") or s.in_header or "," not in s.accepted:
        return None
    if not s.word() or s.enclosing is not None or s.index == 0 or s.before == ",":
        return None
    if s.after != "=" and not (s.head == "expect" and s.accepted <= {",", LINE_END, "in"}):
        return None
    return s.report(
        "missing-comma",
        f"nothing stands between `{s.before}` and `{s.found}`",
        help="write a comma between them",
    )


def equals(s: Situation) -> Diagnostic | None:
    if s.found not in ("=", ":=", "==", ":", "+=", "-=") or s.index == 0:
        return None
    if s.found == "=" and s.accepted >= UPDATES:
        return s.report(
            "equals-for-becomes",
            "`=` in an update",
            note="`:=` gives a place its value after the step, `==` compares, and `=` defines",
            help="write `:=`, or begin the line with `when` and write `==` for a guard",
        )
    if s.found in (":=", "==") and ("=" in s.accepted or s.split):
        return s.report(
            "definition-sign",
            f"`{s.found}` where something is defined",
            help="write a single `=` in declarations, settings and bindings",
        )
    if s.found in ("=", ":=") and COMPARISONS & s.accepted:
        return s.report(
            "assignment-for-equality",
            f"`{s.found}` inside a term",
            note="a term has no effect; `==` asks whether two values are equal",
            help="write `==`",
        )
    if s.found in ("+=", "-=") and LINE_END in s.accepted and s.head in STATEMENTS:
        return s.report(
            "update-after-term",
            f"an update on the line of `{s.head}`",
            help="put the update on a line of its own",
        )
    return None


def colons(s: Situation) -> Diagnostic | None:
    if s.found == ":" and "in" in s.accepted and ":" not in s.accepted and s.before[:1].isalpha():
        return s.report(
            "colon-for-in",
            f"`{s.before} : ...` where a choice is made",
            note="`in` chooses a member of a type or set; `:` gives the type of a parameter, "
            "field or variable",
            help=f"write `{s.before} in ...`",
        )
    if s.found == "in" and ":" in s.accepted and "(" in s.accepted | {"("} and s.in_header:
        return s.report(
            "in-for-colon",
            f"`{s.before} in ...` where a parameter is declared",
            note="it is given a value by the caller, so it has a type and is not a choice",
            help=f"write `{s.before}: ...` with a type",
        )
    if ":" in s.accepted and s.found in ("=", ")", ",", "", "==", ":=") and not s.wants_term:
        if "in" in s.accepted or COMPARISONS & s.accepted:
            return None
        return missing_type(s, s.before)
    if s.before == ":" and s.found in ("=", "") and {"int", "bool", UPPER} <= s.accepted:
        return missing_type(s, s.line.tokens[s.index - 2].text)
    if s.declaration == "state" and s.found == ":" and s.accepted == {LINE_END}:
        return s.report(
            "variable-without-group",
            f"the variable `{s.before}` belongs to nobody",
            at=s.line.tokens[s.index - 1],
            note="variables stand under the name of their owner:\n\n" + indented(EXAMPLES["state"]),
            help="put the name of a group above it, and indent it",
        )
    if s.declaration == "type" and s.found == "," and "|" in s.accepted:
        return s.report(
            "comma-for-bar",
            "a comma between the alternatives of a type",
            help="separate them with `|`",
        )
    return None


def missing_type(s: Situation, name: str) -> Diagnostic:
    """A declaration without a type."""
    return s.report(
        "missing-type",
        f"`{name}` has no type",
        note="types are written after a colon: `count: 0..MAX`, `holder: Node?`, "
        "`seen: set of Node`",
        help=f"write `{name}: ` and its type",
    )


def element_types(s: Situation) -> Diagnostic | None:
    if s.before == "?" and s.found == "?":
        return s.report(
            "nested-option",
            "an option of an option",
            note="`none` would have two meanings",
            help="use a type with three forms instead",
        )
    # In the place of an element, `set` is read as a name that begins a range.
    if ".." in s.accepted and (
        (s.before in ("set", "bag", "seq") and s.found == "of") or (s.before == "map" and s.word())
    ):
        return s.report(
            "nested-type",
            f"`{s.before}` inside another type",
            at=s.line.tokens[s.index - 1],
            note="an element is a name, an option such as `T?`, or a range",
            help="name the inner type with `type`, and use the name",
        )
    if "up" in s.accepted and "to" not in s.accepted and UPPER not in s.accepted:
        kind = next((t.text for t in s.line.tokens if t.text in ("bag", "seq")), None)
        if kind is not None:
            return s.report(
                "missing-bound",
                f"a `{kind}` without a bound",
                note="exhaustive search needs to know how large it can become",
                help=f"end the type with `up to` and a number: `{kind} of T up to 3`",
            )
    return None
