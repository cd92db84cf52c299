"""Where an evaluation ends without a value, and what can be shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from modelcheck.compile.ir import Flag, Operand
from modelcheck.compile.lower.bits import Value, Word
from modelcheck.compile.lower.domains import Domains
from modelcheck.compile.lower.scope import Describe, Scope, Site
from modelcheck.compile.lower.values import Explain
from modelcheck.core.clauses import (
    misfit_clause,
    no_key_clause,
)
from modelcheck.core.types import (
    INT,
    Type,
)
from modelcheck.source import Span


class Failures(Domains):
    """Ends of evaluations."""

    # --- failures ---

    def fail(
        self,
        scope: Scope,
        kind: Literal["range", "capacity", "undefined"],
        describe: Describe,
        span: Span | None,
        shown: Sequence[Value] = (),
    ) -> None:
        """Here evaluation ends without a value."""
        if self.f.reachable:
            types = tuple(value.type for value in shown)
            scope.fail(Site(kind, describe, span, None, types), shown)

    def undefined_if(
        self,
        wrong: Flag,
        scope: Scope,
        describe: Describe,
        span: Span | None,
        shown: Sequence[Value] = (),
    ) -> None:
        """Go on where it is not `wrong`."""
        self.otherwise(wrong, lambda: self.fail(scope, "undefined", describe, span, shown))

    def judged(
        self, value: Value, to: Type, scope: Scope, what: str, verb: str, span: Span | None
    ) -> Value:
        """The value in the type; else the clause says that `what` `verb` something outside."""

        def misfit(kind: Literal["range", "capacity"], number: Operand, explain: Explain) -> None:
            def describe(shown: Sequence[Any]) -> str:
                part, found = explain(shown[0])
                return misfit_clause(kind, what, verb, to, part, found)

            self.fail(scope, kind, describe, span, [Word(INT, number)])

        return self.coerce(value, to, misfit)

    def slot(self, key: Type, index: Value, scope: Scope, span: Span | None) -> Operand:
        """The position of an index among the values of a key's type; undefined if it is none."""
        index_type = index.type

        def misfit(kind: str, number: Operand, explain: Explain) -> None:
            self.fail(
                scope,
                "undefined",
                lambda shown: no_key_clause(key, shown[0], index_type),
                span,
                [index],
            )

        return self.rank_of(self.coerce(index, key, misfit))
