"""What the grammar admits and the language does not, found while trees are built.

Each of these could be a syntax error, but is clearer as a remark on a
statement that was understood.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attrs import frozen

from modelcheck.diagnostics import Collector, Label
from modelcheck.parse import tree as t
from modelcheck.parse.words import LARGEST_LITERAL, STATEMENTS
from modelcheck.source import Span


@frozen
class Structure:
    """Reports to `collector`; nothing is raised here."""

    collector: Collector

    def guards(self, body: Iterable[t.Statement]) -> None:
        """Guards come before updates."""
        first: t.Statement | None = None
        for statement in body:
            match statement:
                case t.When() if first is not None:
                    self.collector.error(
                        "guard-after-update",
                        "a guard after an update",
                        _word(statement, "when"),
                        labels=[Label(first.span, "first update")],
                        notes=[
                            "an action is its `when` lines, then its updates:\n\n"
                            "  action release(c in Client)\n"
                            "    when server.holder == c\n"
                            "    server.holder := none"
                        ],
                        help=["move the guard above the first update"],
                    )
                case t.When() | t.LocalLet():
                    pass
                case _:
                    first = first or statement

    def no_guards(self, body: Iterable[t.Statement], where: str) -> None:
        """Guards stand in the body of an action or operation itself."""
        for statement in body:
            if isinstance(statement, t.When):
                self.collector.error(
                    "guard-in-block",
                    f"a guard inside {where}",
                    _word(statement, "when"),
                    notes=["a guard decides whether the whole action may happen"],
                    help=["use `if` for updates that happen only sometimes"],
                )

    def place_name(self, name: t.Identifier, kind: Literal["group", "effect"]) -> None:
        """A line of a body may begin with the name, so no statement may begin so."""
        if name.name in STATEMENTS or (kind == "group" and name.name == "channel"):
            article = "a group" if kind == "group" else "an effect"
            self.collector.error(
                "statement-word",
                f"{article} named `{name.name}`",
                name.span,
                notes=[f"a line that begins with `{name.name}` is read as that statement"],
                help=[f"choose another name, such as `{name.name}s` or `the_{name.name}`"],
            )

    def bound_on_action(self, name: t.Identifier, bound: t.Term) -> None:
        """`at most` is the budget of a fault."""
        self.collector.error(
            "bound-on-action",
            f"the action `{name.name}` has a bound",
            bound.span,
            notes=["`at most` limits what the environment does, and an action is the protocol's"],
            help=["make it a `fault`, or count in a variable and guard the action with it"],
        )

    def fair_fault(self, name: t.Identifier, fairness: t.Fairness) -> None:
        """Nothing obliges the environment to fail."""
        self.collector.error(
            "fair-fault",
            f"the fault `{name.name}` is declared fair",
            fairness.span,
            notes=["a fault may happen, and never has to"],
            help=["drop `fair`, or make it an `action` if the protocol relies on it"],
        )

    def second_faults(self, first: Span, second: Span) -> None:
        """One `faults` line in a check."""
        self.collector.error(
            "second-faults-line",
            "two `faults` lines in one check",
            second,
            labels=[Label(first, "first one")],
            help=["put all budgets on one line, separated by commas"],
        )

    def missing_expect(self, name: t.Identifier) -> None:
        """A check says what it expects."""
        self.collector.error(
            "missing-expect",
            f"the check `{name.name}` expects nothing",
            name.span,
            notes=["a check passes when everything came out as its `expect` line says"],
            help=["end it with `expect holds`, or with a list such as `expect P fails`"],
        )

    def number(self, digits: str, span: Span) -> int:
        """The value of a literal, or 0 if it is outside 64 bits."""
        digits = digits.lstrip("0") or "0"
        # The length is looked at first: int() refuses thousands of digits.
        if len(digits) <= 19 and int(digits) <= LARGEST_LITERAL:
            return int(digits)
        self.collector.error(
            "int-too-large",
            "a number outside 64 bits",
            span,
            notes=[f"the largest number is {LARGEST_LITERAL - 1}"],
        )
        return 0


def _word(statement: t.Statement, word: str) -> Span:
    start = statement.span.start
    return Span(statement.span.source, start, start + len(word))
