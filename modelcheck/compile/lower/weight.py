"""How much code a term comes to, to decide what may be unrolled."""

from __future__ import annotations

from typing import Any

import attrs

from modelcheck.core.terms import Call, Collect, Count, Exists, Forall, Invoke, MapOf, Repeat, Sum
from modelcheck.core.types import Bag, Map, Seq, Set, Type
from modelcheck.core.values import cardinality
from modelcheck.source import Span

_MANY = 1 << 40


class Weights:
    """Weights of terms, statements and binders, each found once; keyed by identity."""

    def __init__(self, *, unrolled: bool = True) -> None:
        self._unrolled = unrolled
        self._known: dict[int, tuple[Any, int]] = {}

    def of(self, node: Any) -> int:
        """About how many operations it has, its `let`s and effects written out."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (node, min(_MANY, self._weigh(node)))
        return known[1]

    def _weigh(self, node: Any) -> int:
        if isinstance(node, tuple):
            return sum(self.of(each) for each in node)
        if not attrs.has(type(node)) or isinstance(node, Span) or _is_type(node):
            return 0
        match node:
            case Forall(binders, body) | Exists(binders, body) | Count(binders, body):
                return self.chosen(binders, self.of(body))
            case Sum(binders, body) | Repeat(binders, body):
                return self.chosen(binders, self.of(body))
            case Collect(head, binders):
                return self.chosen(binders, self.of(head))
            case MapOf() if isinstance(node.type, Map):
                return 1 + cardinality(node.type.key) * self.of(node.body)
            case Call():
                return 2 + self.of(node.arguments) + self.of(node.function.body)
            case Invoke():
                return 2 + self.of(node.arguments) + self.of(node.effect.body)
            case _:
                parts = attrs.fields(type(node))
                names = (a.name for a in parts if a.name not in ("span", "type", "variable"))
                return 1 + sum(self.of(getattr(node, name)) for name in names)

    def chosen(self, binders: Any, inside: int) -> int:
        """The weight of what is done for every choice of the binders."""
        total = inside
        for binder in reversed(binders):
            each = 1 + total + (0 if binder.where is None else self.of(binder.where))
            each += sum(self.of(value) for _, value in binder.lets)
            times = most_values(binder.domain) if self._unrolled else 1
            total = min(_MANY, self.of(binder.domain) + times * each)
        return total


def most_values(domain: Any) -> int:
    """The most values that a domain can go through; _MANY where that is not known."""
    from modelcheck.core.terms import Interval, Subsets, Universe, Values
    from modelcheck.core.types import Range

    match domain:
        case Values(Universe(of)):
            return min(_MANY, cardinality(of))
        case Values(term):
            return most_elements(term.type)
        case Interval(low, high):
            if isinstance(low.type, Range) and isinstance(high.type, Range):
                return max(0, min(_MANY, high.type.high - low.type.low + 1))
            return _MANY
        case Subsets(whole):
            return int(min(_MANY, 2 ** min(40, most_elements(whole.type))))
        case _:
            raise AssertionError(domain)


def most_elements(type_: Type) -> int:
    """The most elements that a collection of the type can have."""
    match type_:
        case Set(element, bound):
            try:
                count = cardinality(element)
            except ValueError:
                return _MANY if bound is None else bound
            return min(_MANY, count if bound is None else min(bound, count))
        case Bag(_, bound) | Seq(_, bound):
            return _MANY if bound is None else bound
        case _:
            return _MANY


def _is_type(node: Any) -> bool:
    return type(node).__module__ == "modelcheck.core.types"
