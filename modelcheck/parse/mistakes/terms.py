"""Mistakes inside terms: operators, quantifiers, comparisons, missing words."""

from __future__ import annotations

from modelcheck.diagnostics import Diagnostic
from modelcheck.parse.mistakes.situation import (
    INFIX,
    LINE_END,
    LOWER,
    RELATIONS,
    UPDATES,
    UPPER_THINGS,
    Situation,
    examples,
    upper_case,
)
from modelcheck.parse.tokens import RawToken
from modelcheck.parse.words import OPENERS, PREFIXES, RESERVED, STATEMENTS


def operators(s: Situation) -> Diagnostic | None:
    infix_found = s.found in INFIX and s.found != "-"
    if not s.wants_term:
        return None
    defines = UPDATES | {"="}
    doubled = infix_found and s.before in INFIX | {"not"}
    if doubled or (s.found in defines and s.before in defines | INFIX):
        previous = s.line.tokens[s.index - 1]
        return s.report(
            "doubled-operator",
            f"`{s.found}` directly after `{s.before}`",
            labels=[(previous, "")],
            help="remove one of the two, or write what belongs between them",
        )
    ends = s.where in ("line end", "dedent") or s.found in (")", "]", "}", ",", ":", "then", "else")
    if infix_found or (
        ends and s.before in INFIX | UPDATES | {"=", "not", ":", "then", "if", "when"}
    ):
        operator = s.found if infix_found else s.before
        side = "left" if infix_found else "right"
        place = "before" if infix_found else "after"
        return s.report(
            "missing-operand",
            f"nothing stands to the {side} of `{operator}`",
            at=None if infix_found or s.where == "token" else s.line.tokens[s.index - 1],
            help=f"write the term that belongs {place} `{operator}`",
        )
    return None


def prefixes(s: Situation) -> Diagnostic | None:
    if s.found in PREFIXES | {"not"} and s.wants_term and s.before:
        extent = (
            "it reaches as far right as it can"
            if s.found != "not"
            else ("`not` binds less tightly than comparison")
        )
        return s.report(
            "needs-parentheses",
            f"`{s.found}` directly after `{s.before}`",
            note=f"a term that begins with `{s.found}` stands alone, last in a connective, "
            f"or in parentheses, since {extent}",
            help=f"put the whole term `{s.found} ...` in parentheses",
        )
    if s.found in PREFIXES and s.declaration == "liveness" and s.index == 0:
        return s.report(
            "quantifier-before-temporal",
            f"`{s.found}` around a temporal property",
            note="only `forall` may stand around `~>` and `eventually`",
            help=f"put `({s.found} ...)` in parentheses on the left of `~>`",
        )
    return None


def range_as_term(s: Situation) -> Diagnostic | None:
    if s.found != "..":
        return None
    return s.report(
        "range-as-term",
        "a range inside a term",
        note="a range is a type, the domain of a binder, or a part of a sequence `s[i..j]`",
        help="compare with both ends, or give the range a name with `type`",
    )


def relations(s: Situation) -> Diagnostic | None:
    if s.found in RELATIONS and s.found not in s.accepted and s.accepted & {"and", "or"}:
        earlier = _earlier_relation(s)
        if earlier is not None:
            aggregate = _aggregate_before(s, earlier)
            if aggregate is not None:
                return _compared_inside(s, earlier, aggregate)
            return s.report(
                "chained-comparison",
                f"`{s.found}` after the comparison with `{earlier.text}`",
                labels=[(earlier, "")],
                note="a comparison yields true or false and is not compared further",
                help="write two comparisons joined by `and`, or use parentheses",
            )
    if s.before == "is" or (s.before == "not" and "some" in s.accepted):
        if s.word(LOWER) and "some" in s.accepted and s.found not in RESERVED:
            return s.report(
                "case-of-name",
                f"`{s.found}` where a name with an upper-case first letter belongs",
                note="after `is` stands a constructor, `some(x)` or `none`; " + UPPER_THINGS,
                help=f"write `{upper_case(s.found)}`, or `==` to compare with a variable",
            )
        return s.report(
            "not-a-pattern",
            f"`{s.found or LINE_END}` after `{s.before}`",
            note="a pattern is a constructor such as `Leading(t, _)`, `some(x)` or `none`",
            help="use `==` to compare with a value",
        )
    return None


def _compared_inside(s: Situation, earlier: RawToken, aggregate: RawToken) -> Diagnostic:
    """`count x in S: a == b <= c`, where the number is to be compared."""
    whole = " ".join(s.source.text[aggregate.start : s.token.start].split())
    if len(whole) > 60:
        whole = f"{aggregate.text} ..."
    return s.report(
        "chained-comparison",
        f"`{s.found}` after the comparison with `{earlier.text}`",
        labels=[(earlier, "")],
        note=f"what stands after `:` belongs to the `{aggregate.text}`, as far right as it can",
        help=f"put the `{aggregate.text}` in parentheses: `({whole}) {s.found} ...`",
    )


def _aggregate_before(s: Situation, earlier: RawToken) -> RawToken | None:
    """The `count` or its like in whose body the comparison with `earlier` stands."""
    depth = 0
    for token in reversed(s.line.tokens[: s.line.tokens.index(earlier)]):
        if token.text in OPENERS.values():
            depth += 1
        elif token.text in OPENERS:
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and token.text in ("count", "sum", "the"):
            return token
        elif depth == 0 and token.text in PREFIXES:
            return None
    return None


def _earlier_relation(s: Situation) -> RawToken | None:
    depth = 0
    for token in reversed(s.line.tokens[: s.index]):
        if token.text in OPENERS.values():
            depth += 1
        elif token.text in OPENERS:
            if depth == 0:
                return None
            depth -= 1
        elif depth == 0 and token.text in RELATIONS:
            return token
        elif depth == 0 and token.text in ("and", "or", "implies", "not", ":", "then", "when"):
            return None
    return None


def temporal(s: Situation) -> Diagnostic | None:
    temporal = s.found == "~>" or (
        s.before in ("always", "eventually") and s.where == "token" and LINE_END in s.accepted
    )
    if temporal and s.declaration not in ("liveness", "always"):
        return s.report(
            "temporal-outside-liveness",
            f"the temporal `{s.found if s.found == '~>' else s.before}` in `{s.declaration}`",
            at=None if s.found == "~>" else s.line.tokens[s.index - 1],
            note="an `invariant` is about single states, a `step` about pairs of them",
            help="state it as a `liveness` property",
        )
    if s.declaration != "liveness" or s.in_header or "~>" not in s.accepted:
        return None
    if s.found == "implies":
        return s.report(
            "implies-before-leads-to",
            "`implies` where a temporal property begins",
            note="the left of `~>` is a term without `implies`",
            help="write `p ~> q` for `whenever p, then or later q`, or put the implication in "
            "parentheses",
        )
    if s.where == "line end":
        return s.report(
            "not-temporal",
            "a liveness property about a single state",
            at=s.line.first,
            note=examples("liveness"),
            help="say when it has to happen: with `~>`, `eventually` or `always eventually`, "
            "or make it an `invariant`",
        )
    return None


def shared_domain(s: Situation) -> Diagnostic | None:
    """`forall n, m in Node: ...`"""
    if s.found != "," or s.accepted != {"in"}:
        return None
    names, rest = [s.before], list(s.line.tokens[s.index :])
    while len(rest) > 2 and rest[0].text == "," and rest[1].text.isidentifier():
        names.append(rest[1].text)
        rest = rest[2:]
    help = "give each name a domain of its own: `n in Node, m in Node`"
    if len(rest) > 1 and rest[0].text == "in" and len(names) <= 4:
        domain = rest[1].text
        help = "write `" + ", ".join(f"{name} in {domain}" for name in names) + "`"
        if len(rest) > 2 and rest[2].text not in (":", ",", ")", "where", "|"):
            help = "write `" + ", ".join(f"{name} in ..." for name in names) + "`"
    return s.report(
        "missing-word",
        f"`in` is missing after `{s.before}`",
        note="each name has a domain of its own",
        help=help,
    )


def missing_words(s: Situation) -> Diagnostic | None:
    if "then" in s.accepted and s.found != "then" and "if" in {t.text for t in s.line.tokens}:
        return s.report(
            "missing-then",
            "an `if` in a term without `then`",
            note="as a term: `if a then b else c`",
            help="add `then` after the condition",
        )
    if (
        "(" in s.accepted
        and "." not in s.accepted
        and not s.wants_term
        and s.in_header
        and (s.accepted == {"("} or (s.word() and s.found not in STATEMENTS))
    ):
        return s.report(
            "missing-bracket",
            f"no parentheses after `{s.before}`",
            note=examples(s.declaration),
            help="put what follows the name in parentheses, empty ones if there is nothing",
        )
    begins_term = s.word() or s.found[:1].isdigit() or s.found in OPENERS or s.found in PREFIXES
    ended = s.before[:1].isalnum() or s.before in (")", "]", "}", "'", "?", "_")
    if s.where == "token" and begins_term and ended and {"and", "+", "."} & s.accepted:
        opener = s.enclosing
        if opener is not None and "," in s.accepted:
            return s.report(
                "missing-comma",
                f"nothing stands between `{s.before}` and `{s.found}`",
                labels=[(opener, "in here")],
                help="separate them with a comma, or join them with an operator",
            )
        return s.report(
            "missing-operator",
            f"nothing joins `{s.before}` and `{s.found}`",
            help="write the operator between them, or begin a new line",
        )
    words = [a for a in s.accepted if a.isidentifier()]
    if len(s.accepted) == 1 and len(words) == 1:
        return s.report(
            "missing-word",
            f"`{words[0]}` is missing after `{s.before}`",
            note="a choice is written `x in domain where P`"
            if words == ["in"]
            else examples(s.declaration),
            help=f"add `{words[0]}`",
        )
    return None
