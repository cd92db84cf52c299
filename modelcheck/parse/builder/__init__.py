"""Lark's trees to ours.

A walk from the leaves up, without recursion, so that no nesting can exhaust
Python's stack. Each rule (or alias) of grammar.lark has a method of its name,
which gets the span and the children: trees already built, `Identifier`s for
names, Lark's tokens for the rest, and None where something optional is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from lark import Token, Tree

from modelcheck.parse import tree as t
from modelcheck.parse.builder.behaviour import Protocol
from modelcheck.parse.builder.claims import ClaimMaker
from modelcheck.source import Span

__all__ = ["Builder", "Item", "Protocol"]

Item: TypeAlias = t.AnyDeclaration | Protocol


class Builder(ClaimMaker):
    """Builds the trees of one source. What the grammar cannot refuse, it reports."""

    def build(self, root: Tree[Token]) -> Item:
        """The declaration that Lark's tree stands for."""
        order: list[Tree[Token]] = []
        stack = [root]
        while stack:
            tree = stack.pop()
            order.append(tree)
            stack.extend(child for child in tree.children if isinstance(child, Tree))
        built: dict[int, Any] = {}
        for tree in reversed(order):
            meta = tree.meta
            span = None if meta.empty else Span(self.source, meta.start_pos, meta.end_pos)
            children = [
                built.pop(id(child)) if isinstance(child, Tree) else self._leaf(child)
                for child in tree.children
            ]
            built[id(tree)] = _METHODS[tree.data](self, span, *children)
        item: Item = built[id(root)]
        return item


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    name: getattr(Builder, name)
    for name in dir(Builder)
    if not name.startswith("_") and callable(getattr(Builder, name))
}
