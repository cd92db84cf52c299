"""What a term is evaluated in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, evolve, field

from modelcheck.core.terms import Term
from modelcheck.prove.algebra import Expr
from modelcheck.prove.reach import Reach
from modelcheck.prove.space import Space
from modelcheck.prove.symbols import Sym, scalar


@define(eq=False)
class Frame:
    """
    of      what evaluates a term: `terms.evaluate`
    state   for each variable its value; then the counters of bounded faults
    names   the bound names; flat, since names are unique in scope
    after   the state after the step, None where there is no step
    result  when the step has returned something, and what
    """

    of: Callable[[Term, Frame], Sym]
    space: Space
    reach: Reach
    state: Sequence[Sym]
    names: dict[str, Sym] = field(factory=dict)
    after: Sequence[Sym] | None = None
    result: tuple[Expr, Sym] | None = None

    def value(self, term: Term) -> Sym:
        """The term's value; where it has none, any, and `reach` knows when."""
        return self.of(term, self)

    def truth(self, term: Term) -> Any:
        """The value of a condition."""
        return scalar(self.of(term, self))

    def inside(self, names: dict[str, Sym]) -> Frame:
        """The frame of a function's body."""
        return evolve(self, names=names)

    def later(self) -> Frame:
        """The frame of what is primed."""
        assert self.after is not None, "only a step has a state after"
        return evolve(self, state=self.after, after=None)

    def apart(self) -> Frame:
        """A frame for evaluating the same things later, with failures going nowhere."""
        reach = Reach(False, bound=list(self.reach.bound))
        return evolve(self, reach=reach, names=dict(self.names))

    def branch(self) -> Frame:
        """The frame for one of several choices: what it settles, names and fails stays with it."""
        reach = Reach(self.reach.strict, list(self.reach.path), dict(self.reach.failed))
        return evolve(self, reach=reach, names=dict(self.names))
