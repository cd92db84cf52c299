"""The search, as IR beside the model's functions, so that LLVM inlines one into the other.

The model gives, for states of W words:

    internal void @judge(ptr noalias readonly %s, ptr noalias %hits)
        a new state: 1 (i8) into hits[g] for each event g
    internal i1 @inside(ptr noalias readonly %s)
        whether the state satisfies the constraint
    internal ptr @step(ptr noalias readonly %s, ptr %ctx, ptr %cur, ptr noalias %hits,
                       ptr noalias %counts)
        write each successor at %cur, and go on where `@emit` says; returns the last %cur;
        adds to counts[a] the instances of action a that are enabled
    internal i1 @accept(ptr noalias readonly %s, ptr noalias %hits)
        whether a combination of initial values is an initial state

and calls

    ptr @emit(ptr %ctx, ptr %cur)    the successor at %cur is complete

An entry that is being built may be written up to 7 bytes behind its words, and a
state may be read as far.

Python calls `@initial`, `@levels`, `@expand`, and between calls `@spread`, `@clear`,
`@refill`, `@index`; and, where the table has indices, `@find`.
"""

from __future__ import annotations

from modelcheck.compile.ir import Module
from modelcheck.compile.kernel.code import Code
from modelcheck.compile.kernel.expand import add_expansion
from modelcheck.compile.kernel.grow import add_growth
from modelcheck.compile.kernel.initial import add_initial
from modelcheck.compile.kernel.insert import add_insertion
from modelcheck.compile.kernel.shape import SANITY, Shape, Tuning
from modelcheck.compile.kernel.store import add_accessors

__all__ = ["SANITY", "Shape", "Tuning", "add_accessors", "add_search"]


def add_search(module: Module, shape: Shape) -> None:
    """All of the kernel."""
    add_accessors(module, shape)
    add_insertion(module, shape)
    add_expansion(module, shape)
    add_initial(module, shape)
    add_growth(module, shape)
    f = Code(module, "i64 @find(ptr %shared, ptr %s) nounwind")
    f.ret(f"i64 {f.value('call i64 @lookup(ptr %shared, ptr %s)')}")
    module.add(f)
