"""Terms as text, with brackets where the grammar wants them."""

from __future__ import annotations

from enum import IntEnum

from attrs import evolve, frozen


class Level(IntEnum):
    """How tightly a term holds together, from loosest to tightest."""

    OPEN = 0  # ends in a quantifier, an `if` or an `each`
    IMPLIES = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARE = 5
    WITH = 6
    SUM = 7
    PRODUCT = 8
    NEGATIVE = 9
    POSTFIX = 10


@frozen
class Expr:
    """A term.

    low, high  for a number: where it is certain to lie, in every check of the file
    """

    text: str
    level: Level = Level.POSTFIX
    low: int = 0
    high: int = 0

    def at(self, level: Level) -> str:
        """The text where a term of at least this level is wanted."""
        return self.text if self.level >= level else f"({self.text})"

    def number(self, low: int, high: int) -> Expr:
        """With the interval of its values."""
        return evolve(self, low=low, high=high)


_SUMS = ("+", "-", "++", "union", "minus", "intersect")


def binary(operator: str, left: Expr, right: Expr) -> Expr:
    """`left + right` and its like."""
    level = Level.SUM if operator in _SUMS else Level.PRODUCT
    tighter = Level.PRODUCT if operator in _SUMS else Level.NEGATIVE
    return Expr(f"{left.at(level)} {operator} {right.at(tighter)}", level)


def compare(operator: str, left: Expr, right: Expr) -> Expr:
    """`left <= right`, `left in right`, `left subset right`"""
    text = f"{left.at(Level.WITH)} {operator} {right.at(Level.WITH)}"
    return Expr(text, Level.COMPARE)


def conjunction(left: Expr, right: Expr) -> Expr:
    return _connective("and", left, right, Level.AND, Level.NOT)


def disjunction(left: Expr, right: Expr) -> Expr:
    return _connective("or", left, right, Level.OR, Level.AND)


def implication(left: Expr, right: Expr) -> Expr:
    return _connective("implies", left, right, Level.IMPLIES, Level.IMPLIES)


def _connective(word: str, left: Expr, right: Expr, level: Level, right_level: Level) -> Expr:
    before = left.at(Level.OR if word == "implies" else level)
    if right.level == Level.OPEN:
        # What reaches as far right as it can may stand last without brackets.
        return Expr(f"{before} {word} {right.text}", Level.OPEN)
    return Expr(f"{before} {word} {right.at(right_level)}", level)


def negation(operand: Expr) -> Expr:
    if operand.level == Level.OPEN:
        return Expr(f"not ({operand.text})", Level.NOT)
    return Expr(f"not {operand.at(Level.NOT)}", Level.NOT)


def choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`if c then a else b`"""
    text = f"if {condition.text} then {then.text} else {otherwise.text}"
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return Expr(text, Level.OPEN, low, high)


def call(function: str, *arguments: Expr) -> Expr:
    """`f(a, b)`, also of a constructor."""
    return Expr(f"{function}({', '.join(each.text for each in arguments)})")


def literal(number: int) -> Expr:
    level = Level.NEGATIVE if number < 0 else Level.POSTFIX
    return Expr(str(number), level, number, number)
