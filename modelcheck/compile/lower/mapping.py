"""A model with a mapping to an abstract one, as code.

    i64 @map(ptr s, ptr out)   the state as the abstract model sees it, at `out`. 0 if all is
                               well; 1 if a value is outside its type there; 2 and more if a term
                               has no value, 2 + k for an error of kind k

What is at `out` counts only after 0. Cost: of each term once, for each member of its group.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from modelcheck.compile.ir import Function
from modelcheck.compile.layout import Entry, Layout, layout_of
from modelcheck.compile.lower.bits import Value
from modelcheck.compile.lower.program import Lowering, Program
from modelcheck.compile.lower.scope import Scope, Site
from modelcheck.core.model import ERROR_KINDS, Invariant, Model, Refinement
from modelcheck.core.terms import Binder, Forall, Let, Term, Truth, Universe, Values

MISFIT = 1
FIRST_KIND = 2

_WEIGHT = 8


def abstract_of(each: Refinement) -> Model:
    """The abstract model as steps are compared with it: faults unbounded, and so without their
    counters in its states; nothing is judged."""
    actions = tuple(evolve(action, at_most=None, counter=None) for action in each.abstract.actions)
    return evolve(each.abstract, actions=actions, properties=(), stops=None, constraint=None)


def evaluated(each: Refinement) -> Invariant:
    """An invariant that holds, and has no value where the mapping has none."""
    parts: list[Term] = []
    for variable, (name, term) in zip(each.abstract.variables, each.mapping, strict=True):
        part: Term = Let("mapped", term, Truth(True), type=Truth(True).type)
        key = variable.owner.key
        if key is not None:
            assert name is not None, "the mapping of a group's variable names the member"
            part = Forall((Binder(name, Values(Universe(key)), type=key),), part)
        parts.append(part)
    return Invariant(each.name, tuple(parts))


def lower_mapped(model: Model, each: Refinement) -> tuple[Program, Layout]:
    """The model's code, and the layout of the states to which `@map` leads. Raises Unsupported."""
    abstract = layout_of(abstract_of(each))
    lowering = Mapped(evolve(model, properties=()), detailed=False)
    lowering.map_function(each, abstract)
    return lowering.program(), abstract


class Mapped(Lowering):
    """Code of a model that is seen through mappings."""

    def map_function(self, each: Refinement, abstract: Layout, function: str = "@map") -> None:
        """Write the function that maps a state."""
        heading = f"internal i64 {function}(ptr noalias readonly %s, ptr noalias %out)"
        f = self.f = Function(self.module, heading)

        # A state without a value is an error even where some other value does not fit.
        misfits = f.alloca(hint="misfits")
        f.store(0, misfits)

        def fail(site: Site, shown: Sequence[Value]) -> None:
            f.ret(f"i64 {FIRST_KIND + ERROR_KINDS.index(site.kind)}")

        for i in range(abstract.words):
            f.store(0, f.word("%out", i))
        variables = each.abstract.variables
        scope = Scope("%s", {}, fail)
        for variable, (name, term) in zip(variables, each.mapping, strict=True):
            entry, key = abstract.entries[variable.position], variable.owner.key
            if key is None:
                self._put_mapped(entry, 0, term, scope, misfits)
                continue
            assert name is not None, "the mapping of a group's variable names the member"

            def one(
                member: Value, entry: Entry = entry, name: str = name, term: Term = term
            ) -> None:
                inner, rank = scope.bind(name, member), self.rank_of(member)
                self._put_mapped(entry, rank, term, inner, misfits)

            weight = self.weights.of(term) + _WEIGHT
            self.each_value(Values(Universe(key)), scope, one, weight)
        f.ret(f"i64 {f.load(misfits)}")
        self.module.add(f)

    def _put_mapped(
        self, entry: Entry, rank: int | str, term: Term, scope: Scope, misfits: str
    ) -> None:
        """The value of a term where the abstract state has it."""
        f = self.f
        end = f.label("mapped")

        def misfit(*_: object) -> None:
            f.store(MISFIT, misfits)
            f.jump(end)

        value = self.coerce(self.value(term, scope), entry.type, misfit)
        self.write("%out", self.offset_of(entry.offset, entry.stride, rank), value)
        f.begin(end)
