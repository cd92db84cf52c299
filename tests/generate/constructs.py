"""Which constructs of the language a model has, measured from trees and closed models alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from modelcheck.core import model as core_model
from modelcheck.core import terms as core
from modelcheck.core import variables
from modelcheck.core.types import Bag, Map, Option, Range, Seq, Set, Sort, Union
from modelcheck.parse import tree

from . import construct_names

ALL = construct_names.ALL


def of_file(file: tree.File) -> set[str]:
    """The constructs in a file's tree."""
    found: set[str] = set()
    for node in _walk(file):
        found.update(construct_names.of_node(node))
    return found


def of_text(text: str) -> set[str]:
    """What a tree does not keep."""
    lines = text.split("\n")
    found = set()
    if any("#" in line and "##" not in line for line in lines):
        found.add("comment")
    if any(line.lstrip().startswith(("and ", "or ", "implies ")) for line in lines):
        found.add("line continued before a connective")
    if any(line.endswith((" and", " or", " implies")) for line in lines):
        found.add("line continued after a connective")
    return found


def of_check(check: core_model.Check) -> set[str]:
    """The constructs that only types tell apart."""
    found: set[str] = set()
    for node in _walk(check.model):
        found.update(_typed(node))
    return found


def _walk(node: Any) -> Iterator[Any]:
    """The node and everything inside it; an object that occurs twice is visited once."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, tuple | list):
            stack.extend(each)
        elif attrs.has(type(each)) and type(each).__module__.startswith("modelcheck"):
            if type(each).__name__ in ("Span", "Source") or id(each) in seen:
                continue
            seen.add(id(each))
            yield each
            stack.extend(getattr(each, f.name) for f in attrs.fields(type(each)))


def _typed(node: Any) -> Iterator[str]:
    match node:
        case core.Change(place, operator):
            words = {Set: "a set", Bag: "a bag", Seq: "a sequence"}
            yield f"{operator} on {words.get(type(place.type), 'a number')}"
        case core.Binder(_, core.Values(term)):
            kinds = {Bag: "a bag", Seq: "a sequence", Set: "a set"}
            if not isinstance(term, core.Universe):
                yield f"domain: {kinds[type(term.type)]}"
        case core.Lookup():
            yield "entry of a map"
            if isinstance(node.type, Map):
                yield "entry of a map in a map"
        case core.At():
            yield "position in a sequence"
        case core.Multiplicity():
            yield "multiplicity in a bag"
        case core.In(_, collection):
            kinds = {Bag: "a bag", Seq: "a sequence", Set: "a set"}
            yield f"in {kinds[type(collection.type)]}"
        case core.Size(collection):
            yield "size or len of a sequence" if isinstance(collection.type, Seq) else "size"
        case core.Count(binders) | core.Sum(binders):
            for binder in binders:
                domain = binder.domain
                if isinstance(domain, core.Values) and isinstance(domain.term.type, Bag | Seq):
                    yield "count or sum of occurrences"
        case core.MapOf(name) if name.startswith("<"):
            yield "one value at every key"
        case core.Present():
            yield "value as an option"
        case core.BagOf():
            yield "bag literal"
        case core.Place(_, _, path) if path:
            yield from _place(node)
        case variables.Owner(_, "each", key):
            over = {Sort: "a sort", Range: "a range", Union: "an enum"}
            yield f"each over {over[type(key)]}"
        case variables.Variable():
            if isinstance(node.type, Map) and isinstance(node.type.value, Map):
                yield "map of maps"
            if isinstance(node.type, Set | Bag | Seq) and isinstance(node.type.element, Option):
                yield "options as elements"
        case _:
            pass


def _place(place: core.Place) -> Iterator[str]:
    for step in place.path:
        if isinstance(step, core.AtField):
            yield "place: a field"
    last = place.path[-1]
    if isinstance(last, core.AtKey) and isinstance(place.variable.type, Map):
        yield "place: an entry of a map"
        if len(place.path) > 1:
            yield "place: an entry of a map in a map"
    if isinstance(place.variable.type, Union) and len(place.variable.type.forms) > 1:
        yield "place: a field of a matched form"
    if isinstance(last, core.AtKey) and isinstance(place.variable.type, Seq):
        yield "place: a position in a sequence"
