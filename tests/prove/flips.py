"""Mistakes, made on purpose: each turns one operation of the encoding into a wrong one.

A flip names the specimen of the corpus that notices it. What is wrong may ask the
solver what it cannot answer, so a flip is tried in a process of its own.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from attrs import evolve, frozen

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
    updates,
)
from modelcheck.prove.reach import Reach
from modelcheck.prove.symbols import ABSENT, Bounds, Slots, Tagged

from .corpus import specimen

_SECONDS = 20

Make = Callable[[Callable[..., Any]], Callable[..., Any]]
"""From what an operation does to what it does when it is flipped."""


@frozen
class Flip:
    """
    owner    a class or module, and the name of what is flipped there
    caught   the specimen of the corpus that notices
    """

    owner: Any
    name: str
    make: Make
    caught: str
    what: str = ""

    @property
    def title(self) -> str:
        owner = self.owner.__name__.rsplit(".", 1)[-1]
        return f"{owner}.{self.name}{' ' if self.what else ''}{self.what}"

    @contextmanager
    def applied(self) -> Iterator[None]:
        before = getattr(self.owner, self.name)
        after = self.make(before)
        places = list(self._places(before))
        for place in places:
            setattr(place, self.name, after)
        try:
            yield
        finally:
            for place in places:
                setattr(place, self.name, before)

    def _places(self, before: Any) -> Iterator[Any]:
        """The class; or every module of the encoding that has taken the function over."""
        if not isinstance(self.owner, ModuleType):
            yield self.owner
            return
        for name, module in list(sys.modules.items()):
            if name.startswith("modelcheck.prove.") and vars(module).get(self.name) is before:
                yield module


def is_caught(flip: Flip, by: str) -> str | None:
    """How the specimen notices the flip; None if it does not."""
    wanted = specimen(by)
    child = os.fork()
    if child == 0:
        # A mistake may end in a loop or a crash: whatever happens, happens here.
        faulthandler.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_SECONDS)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        code = 0
        try:
            with flip.applied():
                wanted.compare()
        except AssertionError:
            code = 1
        except BaseException:
            code = 2
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "no answer" if os.WTERMSIG(status) == signal.SIGALRM else "a crash"
    return [None, "a difference", "an error"][os.WEXITSTATUS(status)]


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
        kept = updates._is_number
        updates._is_number = lambda write: write.operator == "-="  # type: ignore[assignment]
        written.writes = sorted(written.writes, key=lambda w: w.operator == "-=")
        try:
            return old(model, frame, written)
        finally:
            updates._is_number = kept

    return state_after


def _always_executed(old: Callable[..., Any]) -> Callable[..., Any]:
    """A write happens although its branch is not taken."""
    return lambda self, frame: True


def _no_shadow(old: Callable[..., Any]) -> Callable[..., Any]:
    """A body sees the names around it, and not its own."""
    return lambda self, names: self


_MORE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OTHER = {"min": "max", "max": "min"}
_SIGN = {"+=": "-=", "-=": "+="}

FLIPS = [
    # Truth values and numbers
    Flip(algebra, "both", _like(algebra, "either"), ""),
    Flip(algebra, "either", _like(algebra, "both"), ""),
    Flip(algebra, "every", _like(algebra, "some"), ""),
    Flip(algebra, "some", _like(algebra, "every"), ""),
    Flip(algebra, "every", _operand(0, _without_last), "", "without the last"),
    Flip(algebra, "some", _operand(0, _without_last), "", "without the last"),
    Flip(algebra, "negated", _identity(0), ""),
    Flip(algebra, "implied", _swapped, "", "turned round"),
    Flip(algebra, "implied", _like(algebra, "both"), "", "as `both`"),
    Flip(algebra, "implied", _identity(1), "", "without its premise"),
    Flip(algebra, "equal", _negated, ""),
    Flip(algebra, "choose", _arms_swapped, ""),
    Flip(algebra, "_is_same", _always(True), ""),
    Flip(algebra, "plus", _like(algebra, "minus"), ""),
    Flip(algebra, "minus", _like(algebra, "plus"), ""),
    Flip(algebra, "minus", _swapped, "", "swapped"),
    Flip(algebra, "total", _result(_plus_one), ""),
    Flip(algebra, "total", _operand(0, _without_first), "", "without the first"),
    Flip(algebra, "counted", _result(_plus_one), ""),
    Flip(algebra, "at_most", _like(algebra, "less"), ""),
    Flip(algebra, "at_most", _swapped, "", "swapped"),
    Flip(algebra, "less", _like(algebra, "at_most"), ""),
    Flip(algebra, "less", _swapped, "", "swapped"),
    Flip(algebra, "_is", _negated, ""),
    Flip(algebra, "for_all", _like(algebra, "exists"), ""),
    Flip(algebra, "exists", _like(algebra, "for_all"), ""),
    # Values
    Flip(Tagged, "is_form", _negated, ""),
    Flip(Tagged, "is_form", _operand(1, lambda number: 0), "", "the first"),
    Flip(symbols, "lift", _result(lambda v: v + 1 if type(v) is int else v), ""),
    Flip(symbols, "tagged", lambda _: _other_form, ""),
    Flip(symbols, "present", _always(ABSENT), ""),
    Flip(symbols, "members_of", _no_last_item, ""),
    Flip(symbols, "counts_of", _one_more_of_each, ""),
    Flip(symbols, "entries_of", _first_value_of_all, ""),
    Flip(symbols, "is_value", _always(True), ""),
    Flip(symbols, "is_value", _negated, "", "negated"),
    Flip(symbols, "same", _negated, ""),
    Flip(symbols, "_same_fields", _always(()), ""),
    Flip(symbols, "either_outside", _identity(2), ""),
    Flip(symbols, "either_outside", _operand(0, _plus_one), "", "one further"),
    Flip(symbols, "_no_longer", _always(True), ""),
    Flip(symbols, "_same_tables", _always(True), ""),
    Flip(symbols, "merge", _arms_swapped, ""),
    Flip(symbols, "_merge_fields", _arms_swapped, ""),
    Flip(symbols, "_merge_members", _arms_swapped, ""),
    Flip(symbols, "_merge_slots", _arms_swapped, ""),
    Flip(symbols, "_merge_slots", _result(_without_last), "", "without the last"),
    Flip(symbols, "_wider", _identity(0), ""),
    Flip(symbols, "shapes", _result(_without_last), ""),
    Flip(Bounds, "of", _always(True), ""),
    Flip(symbols, "_typed_forms", _always(()), ""),
    Flip(symbols, "_is_some_form", _always(True), ""),
    Flip(symbols, "_within", _always(True), ""),
    Flip(symbols, "typed_entries", _always(True), ""),
    # What fits
    Flip(fitting, "covers", _always(True), ""),
    Flip(fitting, "_holds_as_many", _always(True), ""),
    Flip(fitting, "judge", _nothing, ""),
    Flip(fitting, "_judge_forms", _nothing, ""),
    Flip(fitting, "_judge_members", _nothing, ""),
    Flip(fitting, "_judge_members", _operand(1, lambda bound: None), "", "of any size"),
    # Where an evaluation is
    Flip(Reach, "fail", _nothing, ""),
    Flip(Reach, "fail", _no_path, "", "wherever it is"),
    Flip(Reach, "fine", _second_failure_too, ""),
    Flip(Reach, "here", _always(True), ""),
    Flip(Reach, "under", lambda _: _no_condition, ""),
    Flip(Reach, "settle", _nothing, ""),
    # Majorities
    Flip(space, "_more_than_half", _operand(0, _without_last), ""),
    Flip(space, "_more_than_half", _negated, "", "negated"),
    # Terms
    Flip(terms, "_read", _attribute(0, "index", lambda index: None), ""),
    Flip(terms.Frame, "inside", _no_shadow, ""),
    Flip(terms, "_call", _attribute(0, "arguments", lambda a: a[::-1]), ""),
    Flip(terms, "_make", _attribute(0, "arguments", lambda a: a[::-1]), ""),
    Flip(terms, "_get", _negated, ""),
    Flip(terms, "_replace", _attribute(0, "fields", _without_last), ""),
    Flip(terms, "_connective", _negated, ""),
    Flip(terms, "_compare", _operand(0, _instead(_MORE)), "", "with equality"),
    Flip(terms, "_compare", _operand(0, _instead(_TURNED)), "", "turned round"),
    Flip(terms, "_compare", _operand(1, lambda lefts: lefts[::-1]), "", "last first"),
    *(
        Flip(terms, "_arithmetic", _attribute(0, "operator", _instead({a: b})), "", f"{a} as {b}")
        for a, b in (("+", "-"), ("-", "+"), ("*", "+"), ("div", "mod"), ("mod", "div"))
    ),
    Flip(terms, "_division", _operand(2, lambda divisor: divisor + 1), ""),
    # Collections
    Flip(containers, "_values", _result(_without_last), ""),
    Flip(containers, "whole", _result(lambda m: symbols.members_of(m.element, [])), ""),
    Flip(containers, "contains", _negated, ""),
    Flip(containers, "_subset", _swapped, ""),
    Flip(containers, "_has_value", _negated, ""),
    *(
        Flip(containers, "combine", _operand(0, _instead({a: b})), "", f"{a} as {b}")
        for a, b in (("union", "intersect"), ("intersect", "union"), ("minus", "intersect"))
    ),
    Flip(containers, "combine", _arms_swapped, "", "swapped"),
    Flip(containers, "_size", _result(_plus_one), ""),
    Flip(containers, "is_empty", _negated, ""),
    Flip(containers, "_extreme", _attribute(0, "which", _instead(_OTHER)), ""),
    Flip(containers, "entry", _operand(2, lambda key: 0 if type(key) is int else key), ""),
    Flip(containers, "is_key", _always(True), ""),
    Flip(containers, "element_at", _operand(1, _plus_one), ""),
    Flip(containers, "pick", _operand(1, _plus_one), ""),
    Flip(containers, "_clamp", _identity(0), ""),
    Flip(containers, "_slice", _result(_longer), ""),
    Flip(containers, "concat", _swapped, ""),
    # Choices
    Flip(choices, "alternatives", _result(_without_last), "", "without the last"),
    Flip(choices, "_of_type", _result(_without_first), ""),
    Flip(choices, "_of_collection", _result(_not_in_domain), "", "all of the type"),
    Flip(choices, "_of_collection", _result(_ones_only), "", "each once"),
    Flip(choices, "_of_interval", _operand(0, _plus_one), "", "begins late"),
    Flip(choices, "_of_interval", _operand(1, lambda last: last - 1), "", "ends early"),
    Flip(choices, "_of_interval", _result(_not_in_domain), "", "as wide as its type"),
    Flip(choices, "_subsets", _result(_without_last), ""),
    Flip(choices, "subsets_of", _result(_without_last), ""),
    Flip(choices, "accepted", _operand(0, _unconditional), ""),
    Flip(choices, "bind_lets", _nothing, ""),
    Flip(choices, "_quantify", _operand(3, lambda universal: not universal), ""),
    Flip(choices, "_listed", _result(_without_last), ""),
    Flip(choices, "_heads", _result(_without_last), ""),
    Flip(choices, "_is_one", _always(True), ""),
    Flip(
        choices, "_collect_any", _result(lambda m: containers.combine("minus", m, m, m.element)), ""
    ),
    Flip(choices, "_somewhere", _negated, ""),
    Flip(choices, "existing", _negated, ""),
    Flip(choices, "_the", _attribute(0, "body", lambda body: terms.Truth(True)), ""),
    # Updates
    Flip(updates, "execute", _operand(0, _only_first), "", "the first statement only"),
    Flip(updates, "_write", _operand(0, _instead(_SIGN)), "", "with the other sign"),
    Flip(updates, "_write", _operand(0, lambda operator: ":="), "", "as an assignment"),
    Flip(updates, "_repeat", _operand(0, lambda binders: [_unconditional(b) for b in binders]), ""),
    Flip(updates, "_invoke", _nothing, ""),
    Flip(updates, "_lose", _nothing, ""),
    Flip(updates, "_lose", _attribute(0, "index", lambda index: None), "", "every member"),
    Flip(updates, "_must_be_key", _nothing, ""),
    Flip(updates.Written, "condition", _always_executed, ""),
    Flip(updates, "state_after", _not_first_write, "", "without the first write"),
    Flip(updates, "state_after", _removals_last, "", "removals last"),
    Flip(updates, "_reset", _identity(1), ""),
    Flip(updates, "_resolve", _nothing, ""),
    Flip(updates, "_overlap", _always(True), "", "always"),
    Flip(updates, "_overlap", _always(False), "", "never"),
    Flip(updates, "_clash", _always(False), ""),
    Flip(updates, "_agree", _always(True), "", "always"),
    Flip(updates, "_agree", _always(False), "", "never"),
    Flip(updates, "_put", _identity(0), ""),
    Flip(updates, "_at_key", _operand(7, lambda hit: True), ""),
    Flip(updates, "_leaf", _operand(3, lambda hit: True), ""),
    Flip(updates, "_changed_set", _operand(1, _instead(_SIGN)), ""),
    Flip(updates, "_changed_set", _operand(3, lambda condition: True), "", "always"),
    Flip(updates, "_changed_bag", _operand(1, _instead(_SIGN)), ""),
    Flip(updates, "_changed_bag", _operand(3, lambda condition: True), "", "always"),
    Flip(updates, "_judge", _nothing, ""),
    Flip(updates, "_leaves", _result(_without_last), ""),
    Flip(updates, "_source", _attribute(0, "operator", lambda operator: ":="), ""),
    # Steps
    Flip(system, "_begins", _always(True), ""),
    Flip(system, "in_domain", _always(True), ""),
    Flip(system.System, "lines", _operand(1, _only_first), ""),
    Flip(system, "_header_alternatives", _result(_not_in_domain), "", "all of the type"),
    Flip(system, "_header_alternatives", _result(_without_last), "", "without the last"),
    Flip(system, "plus", _identity(0), "", "faults are not counted"),
]
