"""What a file has declared so far, and what can be read where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from attrs import Factory, define, evolve, frozen

from .kinds import BOOL, Bool, Data, Kind, MapOf, Num, Opt, Sort, fits, is_key


@frozen
class Parameter:
    """A parameter and the values that checks may give it, as written."""

    name: str
    kind: Kind
    values: tuple[str, ...]
    default: str | None = None


@frozen
class Variable:
    """key: of an `each` group the type of its members"""

    group: str
    name: str
    kind: Kind
    key: Kind | None = None
    channel: bool = False
    volatile: bool = False
    ghost: bool = False

    @property
    def owner(self) -> str:
        return self.key.ref if self.key is not None else self.group


@frozen
class Function:
    """A `let`: parameters None if it is written without parentheses; kind None for an action's."""

    name: str
    parameters: tuple[tuple[str, Kind], ...] | None
    kind: Kind
    state: bool
    ghosts: bool = False


@frozen
class EffectHead:
    name: str
    parameters: tuple[tuple[str, Kind], ...]
    writes: frozenset[Variable]


@frozen
class ActionHead:
    name: str
    arguments: tuple[tuple[str, Kind], ...]
    fault: bool
    returns: Kind | None = None


PropertyKind = Literal["invariant", "lemma", "step", "reachable", "possible", "liveness", "other"]


@frozen
class Read:
    """A term that reads something without computing; root is the variable it starts from.

    known  it can be read because of what a pattern has matched
    """

    text: str
    kind: Kind
    root: Variable | None = None
    known: bool = False


@frozen
class Scope:
    """Where a term stands.

    known    what matching has made readable
    state    variables may be read
    ghosts   ghost variables too
    primed   `x'` may be written
    times    how often the term is evaluated each time its statement is
    """

    names: tuple[tuple[str, Kind], ...] = ()
    known: tuple[Read, ...] = ()
    state: bool = True
    ghosts: bool = False
    primed: bool = False
    times: int = 1

    def bind(self, name: str, kind: Kind) -> Scope:
        return evolve(self, names=(*self.names, (name, kind)))

    def know(self, reads: tuple[Read, ...]) -> Scope:
        return evolve(self, known=(*self.known, *reads)) if reads else self

    def repeated(self, times: int) -> Scope:
        return evolve(self, times=self.times * max(1, times))

    def later(self) -> Scope:
        """Under a prime: what was matched was matched in the state before."""
        return evolve(self, known=(), primed=False)


CONSTANT = Scope(state=False)
GUARD = Scope()
UPDATE = Scope()
PROPERTY = Scope(ghosts=True)
STEP = Scope(ghosts=True, primed=True)


@define
class World:
    """Everything that is declared, in the order of the file.

    hidden   sorts of canned declarations, which nothing else uses
    touched  variables that some statement writes
    """

    parameters: list[Parameter] = Factory(list)
    sorts: list[Sort] = Factory(list)
    hidden: list[Sort] = Factory(list)
    kinds: list[Kind] = Factory(list)
    variables: list[Variable] = Factory(list)
    functions: list[Function] = Factory(list)
    effects: list[EffectHead] = Factory(list)
    actions: list[ActionHead] = Factory(list)
    touched: list[Variable] = Factory(list)
    upper: set[str] = Factory(set)
    lower: set[str] = Factory(set)
    fields: set[str] = Factory(set)

    # --- names ---

    def new_upper(self, options: list[str]) -> str:
        """The first of the names that is free, or one with a number."""
        return _new(options, self.upper)

    def new_lower(self, options: list[str]) -> str:
        return _new(options, self.lower)

    def new_field(self, options: list[str]) -> str:
        """A name of a variable or field; no two are alike, so that reading one is not ambiguous."""
        return _new(options, self.fields)

    def local(self, kind: Kind, scope: Scope) -> str:
        """A name for a bound value of the type, free in the scope."""
        taken = {name for name, _ in scope.names} | self.lower
        options = _letters(kind)
        for number in range(1, 100):
            for letter in options:
                name = letter if number == 1 else f"{letter}{number}"
                if name not in taken:
                    return name
        raise AssertionError("a scope of hundreds of names")

    # --- reading ---

    def reads(self, scope: Scope) -> list[Read]:
        """All that can be read in a scope, up to a few steps deep."""
        found = [Read(name, kind) for name, kind in scope.names]
        found += [Read(each.name, each.kind) for each in self.parameters]
        found += scope.known
        if scope.state:
            for each in self.variables:
                if each.key is None and (scope.ghosts or not each.ghost):
                    found.append(Read(f"{each.group}.{each.name}", each.kind, each))
        frontier = found
        for _ in range(2):
            frontier = [inner for read in frontier for inner in self._inside(read, scope)]
            found = found + frontier
        return found

    def _inside(self, read: Read, scope: Scope) -> Iterator[Read]:
        if isinstance(read.kind, Data):
            for name, kind in common_fields(read.kind):
                yield Read(f"{read.text}.{name}", kind, read.root, read.known)
        if not scope.state:
            return
        for each in self.variables:
            if each.key is None or each.key.__class__ is not read.kind.__class__:
                continue
            if fits(read.kind, each.key) and (scope.ghosts or not each.ghost):
                yield Read(f"{read.text}.{each.name}", each.kind, each, read.known)

    def of_kind(self, scope: Scope, kind: Kind) -> list[Read]:
        """What can be read and is certain to be of the type."""
        return [read for read in self.reads(scope) if fits(read.kind, kind)]

    def domains(self) -> list[Kind]:
        """Types whose values a binder can go through."""
        return [BOOL, *self.sorts, *(k for k in self.kinds if isinstance(k, Num | Data | Opt))]

    def members(self) -> list[Kind]:
        return [*self.sorts, *(k for k in self.kinds if is_key(k))]


def telling(read: Read) -> float:
    """How much a read is worth asking about: what changes most, a parameter least."""
    return 4.0 if read.root is not None else 0.6 if read.text[0].isupper() else 3.0


def common_fields(kind: Data) -> list[tuple[str, Kind]]:
    """Fields that every form has."""
    first, *rest = kind.forms
    return [field for field in first.fields if all(field in form.fields for form in rest)]


def _new(options: list[str], taken: set[str]) -> str:
    number = 1
    while True:
        for option in options:
            name = option if number == 1 else f"{option}{number}"
            if name not in taken:
                taken.add(name)
                return name
        number += 1


def _letters(kind: Kind) -> list[str]:
    match kind:
        case Bool():
            return ["b", "c"]
        case Num():
            return ["i", "j", "k", "t"]
        case Sort():
            return ["n", "m", "p", "q"]
        case Data():
            return ["w", "v", "u"]
        case MapOf():
            return ["table"]
        case Opt():
            return ["o"]
        case _:
            return ["s", "g", "h"]
