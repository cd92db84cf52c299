"""Mistakes, made on purpose: each turns one operation of the encoding into a wrong one.

A flip names the specimen of the corpus that notices it. What is wrong may ask the
solver what it cannot answer, so a flip is tried in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import evolve

from modelcheck.core.terms import Binder
from modelcheck.prove import (
    algebra,
    choices,
    containers,
    fitting,
    space,
    symbols,
    system,
    terms,
    unknowns,
    updates,
    writing,
)
from modelcheck.prove.reach import Reach
from modelcheck.prove.symbols import ABSENT, Bounds, Slots, Tagged
from tests.flipping import Flip, Make, how_noticed

from .corpus import specimen

_SECONDS = 20


def is_caught(flip: Flip, by: str) -> str | None:
    """How the specimen notices the flip; None if it does not."""
    return how_noticed(flip, specimen(by).compare, _SECONDS)


# --- kinds of flips ----------------------------------------------------------------


def _like(owner: Any, name: str) -> Make:
    """Another operation in its place."""
    other = getattr(owner, name)
    return lambda _: other


def _negated(old: Callable[..., Any]) -> Callable[..., Any]:
    negate = algebra.negated
    return lambda *a, **k: negate(old(*a, **k))


def _always(value: Any) -> Make:
    return lambda _: lambda *a, **k: value


_nothing = _always(None)


def _identity(at: int) -> Make:
    """Nothing is done: the result is an operand."""
    return lambda _: lambda *a, **k: a[at]


def _exchanged(i: int, j: int) -> Make:
    """Two operands change places."""

    def make(old: Callable[..., Any]) -> Callable[..., Any]:
        def flipped(*a: Any, **k: Any) -> Any:
            changed = list(a)
            changed[i], changed[j] = a[j], a[i]
            return old(*changed, **k)

        return flipped

    return make


_swapped = _exchanged(0, 1)
_arms_swapped = _exchanged(1, 2)


def _operand(at: int, change: Callable[[Any], Any]) -> Make:
    """An operand is changed."""
    return lambda old: (
        lambda *a, **k: old(*[change(x) if i == at else x for i, x in enumerate(a)], **k)
    )


def _result(change: Callable[[Any], Any]) -> Make:
    """The result is changed."""
    return lambda old: lambda *a, **k: change(old(*a, **k))


def _plus_one(number: Any) -> Any:
    return number + 1


def _without_last(items: Any) -> Any:
    return list(items)[:-1]


def _without_first(items: Any) -> Any:
    return list(items)[1:]


def _only_first(items: Sequence[Any]) -> Sequence[Any]:
    return items[:1]


def _instead(wrong: dict[str, str]) -> Callable[[str], str]:
    return lambda name: wrong.get(name, name)


def _attribute(at: int, name: str, change: Callable[[Any], Any]) -> Make:
    """What an operand has under a name is changed."""
    return _operand(at, lambda x: evolve(x, **{name: change(getattr(x, name))}))


# --- flips of one operation each ---------------------------------------------------


def _unconditional(binder: Binder) -> Binder:
    return evolve(binder, where=None)


def _no_path(old: Callable[..., Any]) -> Callable[..., Any]:
    """A failure counts wherever it is."""

    def fail(self: Reach, kind: Any, condition: Any) -> None:
        path, self.path = self.path, []
        old(self, kind, condition)
        self.path = path

    return fail


def _second_failure_too(old: Callable[..., Any]) -> Callable[..., Any]:
    """An evaluation goes on behind its failure."""
    return lambda self: True


@contextmanager
def _no_condition(self: Reach, condition: Any) -> Iterator[None]:
    yield


def _other_form(form: int, forms: int, fields: Any) -> Tagged:
    tag = bool((form + 1) % 2) if forms == 2 else (form + 1) % forms
    return Tagged(tag, tuple(fields if i == form else None for i in range(forms)))


def _longer(slots: Slots) -> Slots:
    return Slots(slots.element, slots.length + 1, slots.slots)


def _first_value_of_all(old: Callable[..., Any]) -> Callable[..., Any]:
    """Every key has the first one's entry."""
    return lambda key, table: old(key, dict.fromkeys(table, next(iter(table.values()))))


def _no_last_item(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda element, items: old(element, list(items)[:-1])


def _one_more_of_each(old: Callable[..., Any]) -> Callable[..., Any]:
    return lambda element, table: old(element, {v: n + 1 for v, n in table.items()})


def _ones_only(alternatives: Any) -> Any:
    return [each._replace(weight=1) for each in alternatives]


def _not_in_domain(alternatives: Any) -> Any:
    return [each._replace(condition=True) for each in alternatives]


def _not_first_write(old: Callable[..., Any]) -> Callable[..., Any]:
    """The first write of a step is forgotten."""

    def state_after(model: Any, frame: Any, written: Any) -> Any:
        written.writes = written.writes[1:]
        return old(model, frame, written)

    return state_after


def _removals_last(old: Callable[..., Any]) -> Callable[..., Any]:
    """What is added and taken away in one step is taken away."""

    def state_after(model: Any, frame: Any, written: Any) -> Any:
        kept = writing._is_number
        writing._is_number = lambda write: write.operator == "-="  # type: ignore[assignment]
        written.writes = sorted(written.writes, key=lambda w: w.operator == "-=")
        try:
            return old(model, frame, written)
        finally:
            writing._is_number = kept

    return state_after


def _always_executed(old: Callable[..., Any]) -> Callable[..., Any]:
    """A write happens although its branch is not taken."""
    return lambda self, frame: True


def _no_shadow(old: Callable[..., Any]) -> Callable[..., Any]:
    """A body sees the names around it, and not its own."""
    return lambda self, names: self


def _reversed_if_alike(arguments: Sequence[Any]) -> Sequence[Any]:
    """Where all have one type."""
    return arguments[::-1] if len({each.type for each in arguments}) == 1 else arguments


def _other_number(value: Any) -> Any:
    return value if isinstance(value, bool) or not hasattr(value, "__rsub__") else 1 - value


_MORE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OTHER = {"min": "max", "max": "min"}
_SIGN = {"+=": "-=", "-=": "+="}

FLIPS = [
    # Truth values and numbers
    Flip(algebra, "both", _like(algebra, "either"), "rest"),
    Flip(algebra, "either", _like(algebra, "both"), "rest"),
    Flip(algebra, "every", _like(algebra, "some"), "rest"),
    Flip(algebra, "some", _like(algebra, "every"), "rest"),
    Flip(algebra, "every", _operand(0, _without_last), "rest", "without the last"),
    Flip(algebra, "some", _operand(0, _without_last), "rest", "without the last"),
    Flip(algebra, "negated", _identity(0), "rest"),
    Flip(algebra, "implied", _swapped, "rest", "turned round"),
    Flip(algebra, "implied", _like(algebra, "both"), "rest", "as `both`"),
    Flip(algebra, "implied", _identity(1), "rest", "without its premise"),
    Flip(algebra, "equal", _negated, "rest"),
    Flip(algebra, "choose", _arms_swapped, "rest"),
    Flip(algebra, "_is_same", _always(True), "numbers"),
    Flip(algebra, "plus", _like(algebra, "minus"), "rest"),
    Flip(algebra, "minus", _like(algebra, "plus"), "rest"),
    Flip(algebra, "minus", _swapped, "rest", "swapped"),
    Flip(algebra, "total", _result(_plus_one), "numbers"),
    Flip(algebra, "total", _operand(0, _without_first), "numbers", "without the first"),
    Flip(algebra, "counted", _result(_plus_one), "subsets"),
    Flip(algebra, "at_most", _like(algebra, "less"), "rest"),
    Flip(algebra, "at_most", _swapped, "rest", "swapped"),
    Flip(algebra, "less", _like(algebra, "at_most"), "numbers"),
    Flip(algebra, "less", _swapped, "rest", "swapped"),
    Flip(algebra, "_is", _negated, "rest"),
    Flip(algebra, "for_all", _like(algebra, "exists"), "quantifiers"),
    Flip(algebra, "exists", _like(algebra, "for_all"), "quantifiers"),
    # Values
    Flip(Tagged, "is_form", _negated, "unions"),
    Flip(Tagged, "is_form", _operand(1, lambda number: 0), "unions", "the first"),
    Flip(symbols, "lift", _result(lambda v: v + 1 if type(v) is int else v), "rest"),
    Flip(symbols, "tagged", lambda _: _other_form, "unions"),
    Flip(symbols, "present", _always(ABSENT), "options"),
    Flip(symbols, "members_of", _no_last_item, "rest"),
    Flip(symbols, "counts_of", _one_more_of_each, "bags"),
    Flip(symbols, "entries_of", _first_value_of_all, "subsets"),
    Flip(symbols, "is_value", _always(True), "subsets"),
    Flip(symbols, "is_value", _negated, "subsets", "negated"),
    Flip(symbols, "same", _negated, "rest"),
    Flip(symbols, "_same_fields", _always(()), "unions"),
    Flip(symbols, "either_outside", _identity(2), "values"),
    Flip(symbols, "either_outside", _operand(0, _plus_one), "sequences", "one further"),
    Flip(symbols, "_no_longer", _always(True), "values"),
    Flip(symbols, "_same_tables", _always(True), "subsets"),
    Flip(symbols, "merge", _arms_swapped, "numbers"),
    Flip(symbols, "_merge_fields", _arms_swapped, "members"),
    Flip(symbols, "_merge_members", _arms_swapped, "sets"),
    Flip(symbols, "_merge_slots", _arms_swapped, "sequences"),
    Flip(symbols, "_merge_slots", _result(_without_last), "sequences", "without the last"),
    Flip(symbols, "_wider", _identity(0), "mixed"),
    Flip(symbols, "shapes", _result(_without_last), "quantifiers"),
    Flip(Bounds, "of", _always(True), "rest"),
    Flip(unknowns, "_typed_forms", _always(()), "values"),
    Flip(unknowns, "_is_some_form", _always(True), "values"),
    Flip(unknowns, "_within", _always(True), "values"),
    Flip(unknowns, "typed_entries", _always(True), "values"),
    # What fits
    Flip(fitting, "covers", _always(True), "rest"),
    Flip(fitting, "_holds_as_many", _always(True), "sets"),
    Flip(fitting, "judge", _nothing, "rest"),
    Flip(fitting, "_judge_forms", _nothing, "values"),
    Flip(fitting, "_judge_members", _nothing, "sets"),
    Flip(fitting, "_judge_members", _operand(1, lambda bound: None), "sets", "of any size"),
    # Where an evaluation is
    Flip(Reach, "fail", _nothing, "rest"),
    Flip(Reach, "fail", _no_path, "rest", "wherever it is"),
    Flip(Reach, "fine", _second_failure_too, "rest"),
    Flip(Reach, "here", _always(True), "rest"),
    Flip(Reach, "under", lambda _: _no_condition, "rest"),
    Flip(Reach, "settle", _nothing, "rest"),
    # Majorities
    Flip(space, "_more_than_half", _operand(0, _without_last), "around"),
    Flip(space, "_more_than_half", _negated, "members", "negated"),
    # Terms
    Flip(terms, "_read", _attribute(0, "index", lambda index: None), "subsets"),
    Flip(terms.Frame, "inside", _no_shadow, "mixed"),
    Flip(terms, "_call", _attribute(0, "arguments", lambda a: a[::-1]), "mixed"),
    Flip(terms, "_make", _attribute(0, "arguments", _reversed_if_alike), "mixed"),
    Flip(terms, "_get", _result(_other_number), "mixed"),
    Flip(terms, "_replace", _attribute(0, "fields", _without_last), "unions"),
    Flip(terms, "_connective", _negated, "rest"),
    Flip(terms, "_compare", _operand(0, _instead(_MORE)), "rest", "with equality"),
    Flip(terms, "_compare", _operand(0, _instead(_TURNED)), "rest", "turned round"),
    Flip(terms, "_compare", _operand(1, lambda lefts: lefts[::-1]), "numbers", "last first"),
    *(
        Flip(terms, "_arithmetic", _attribute(0, "operator", _instead({a: b})), by, f"{a} as {b}")
        for a, b, by in (
            ("+", "-", "numbers"),
            ("-", "+", "numbers"),
            ("*", "+", "numbers"),
            ("div", "mod", "numbers"),
            ("mod", "div", "numbers"),
        )
    ),
    Flip(terms, "_division", _operand(2, lambda divisor: divisor + 1), "numbers"),
    # Collections
    Flip(containers, "_values", _result(_without_last), "rest"),
    Flip(containers, "whole", _result(lambda m: symbols.members_of(m.element, [])), "subsets"),
    Flip(containers, "contains", _negated, "rest"),
    Flip(containers, "_subset", _swapped, "subsets"),
    Flip(containers, "_has_value", _negated, "subsets"),
    *(
        Flip(containers, "combine", _operand(0, _instead({a: b})), by, f"{a} as {b}")
        for a, b, by in (
            ("union", "intersect", "subsets"),
            ("intersect", "union", "sets"),
            ("minus", "intersect", "sets"),
        )
    ),
    Flip(containers, "combine", _arms_swapped, "sets", "swapped"),
    Flip(containers, "_size", _result(_plus_one), "subsets"),
    Flip(containers, "is_empty", _negated, "sets"),
    Flip(containers, "_extreme", _attribute(0, "which", _instead(_OTHER)), "sets"),
    Flip(containers, "entry", _operand(2, lambda key: 0 if type(key) is int else key), "subsets"),
    Flip(containers, "is_key", _always(True), "mixed"),
    Flip(containers, "element_at", _operand(1, _plus_one), "rest"),
    Flip(containers, "pick", _operand(1, _plus_one), "sequences"),
    Flip(containers, "_clamp", _identity(0), "mixed"),
    Flip(containers, "_slice", _result(_longer), "sequences"),
    Flip(containers, "concat", _swapped, "mixed"),
    # Choices
    Flip(choices, "alternatives", _result(_without_last), "rest", "without the last"),
    Flip(choices, "_of_type", _result(_without_first), "subsets"),
    Flip(choices, "_of_collection", _result(_not_in_domain), "sets", "all of the type"),
    Flip(choices, "_of_collection", _result(_ones_only), "bags", "each once"),
    Flip(choices, "_of_interval", _operand(0, _plus_one), "rest", "begins late"),
    Flip(choices, "_of_interval", _operand(1, lambda last: last - 1), "rest", "ends early"),
    Flip(choices, "_of_interval", _result(_not_in_domain), "numbers", "as wide as its type"),
    Flip(choices, "_subsets", _result(_without_last), "sets"),
    Flip(choices, "subsets_of", _result(_without_last), "sets"),
    Flip(choices, "accepted", _operand(0, _unconditional), "subsets"),
    Flip(choices, "bind_lets", _nothing, "mixed"),
    Flip(choices, "_quantify", _operand(3, lambda universal: not universal), "numbers"),
    Flip(choices, "_listed", _result(_without_last), "numbers"),
    Flip(choices, "_heads", _result(_without_last), "sets"),
    Flip(choices, "_is_one", _always(True), "mixed"),
    Flip(
        choices,
        "_collect_any",
        _result(lambda m: containers.combine("minus", m, m, m.element)),
        "quantifiers",
    ),
    Flip(choices, "_somewhere", _negated, "quantifiers"),
    Flip(choices, "existing", _negated, "quantifiers"),
    Flip(choices, "_the", _attribute(0, "body", lambda body: terms.Truth(True)), "numbers"),
    # Updates
    Flip(updates, "execute", _operand(0, _only_first), "numbers", "the first statement only"),
    Flip(updates, "_write", _operand(0, _instead(_SIGN)), "rest", "with the other sign"),
    Flip(updates, "_write", _operand(0, lambda operator: ":="), "rest", "as an assignment"),
    Flip(
        updates,
        "_repeat",
        _operand(0, lambda binders: [_unconditional(b) for b in binders]),
        "around",
    ),
    Flip(updates, "_invoke", _nothing, "mixed"),
    Flip(updates, "_lose", _nothing, "members"),
    Flip(updates, "_lose", _attribute(0, "index", lambda index: None), "members", "every member"),
    Flip(updates, "_must_be_key", _nothing, "mixed"),
    Flip(updates.Written, "condition", _always_executed, "members"),
    Flip(writing, "state_after", _not_first_write, "rest", "without the first write"),
    Flip(writing, "state_after", _removals_last, "sets", "removals last"),
    Flip(writing, "_reset", _identity(1), "members"),
    Flip(writing, "_resolve", _nothing, "sequences"),
    Flip(writing, "_overlap", _always(True), "numbers", "always"),
    Flip(writing, "_overlap", _always(False), "unions", "never"),
    Flip(writing, "_clash", _always(False), "unions"),
    Flip(writing, "_agree", _always(True), "unions", "always"),
    Flip(writing, "_agree", _always(False), "numbers", "never"),
    Flip(writing, "_put", _identity(0), "rest"),
    Flip(writing, "_at_key", _operand(7, lambda hit: True), "mixed"),
    Flip(writing, "_leaf", _operand(3, lambda hit: True), "sequences"),
    Flip(writing, "_changed_set", _operand(1, _instead(_SIGN)), "subsets"),
    Flip(writing, "_changed_set", _operand(3, lambda condition: True), "mixed", "always"),
    Flip(writing, "_changed_bag", _operand(1, _instead(_SIGN)), "bags"),
    Flip(writing, "_changed_bag", _operand(3, lambda condition: True), "around", "always"),
    Flip(writing, "_judge", _nothing, "rest"),
    Flip(writing, "_leaves", _result(_without_last), "rest"),
    Flip(writing, "_source", _attribute(0, "operator", lambda operator: ":="), "rest"),
    # Steps
    Flip(system, "_begins", _always(True), "rest"),
    Flip(system, "in_domain", _always(True), "mixed"),
    Flip(system.System, "lines", _operand(1, _only_first), "around"),
    Flip(system, "_header_alternatives", _result(_not_in_domain), "subsets", "all of the type"),
    Flip(system, "_header_alternatives", _result(_without_last), "rest", "without the last"),
    Flip(system, "plus", _identity(0), "rest", "faults are not counted"),
]
