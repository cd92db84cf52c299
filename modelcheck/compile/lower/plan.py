"""Which updates of an action may meet: write the same place, or overlapping ones, in one step.

An update that meets no other, not even itself in another pass of a loop, can be
done at once. The others are put off to the end of the step, where it is known
what they write.

The answer errs on one side: two updates that cannot meet may be said to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import frozen

from modelcheck.core.terms import (
    Assign,
    AtField,
    Change,
    Choice,
    Invoke,
    Lose,
    Make,
    Name,
    Number,
    Repeat,
    Statement,
    Term,
    Truth,
)

Chain: TypeAlias = tuple[int, ...]
"""The identities of the statements, from the outermost block, that lead to a statement."""


@frozen(eq=False)
class _Frame:
    """The parameters of an effect, and what they stand for where it was invoked."""

    arguments: Mapping[str, Term]
    outer: _Frame | None


@frozen(eq=False)
class _Key:
    """A member, or a key or index of a path: a term, and the effect in which its names live."""

    term: Term
    frame: _Frame

    def names(self, binder: str, frame: _Frame) -> bool:
        """Whether it is exactly the name that a loop of this effect binds."""
        return isinstance(self.term, Name) and self.term.name == binder and self.frame is frame


@frozen(eq=False)
class _Around:
    """A statement around an update: a loop, or a Choice and which of its arms."""

    chain: Chain
    statement: Choice | Repeat
    frame: _Frame
    arm: bool = True


@frozen(eq=False)
class _Site:
    """An update, where it stands, and what it writes.

    keys   its member, then the parts of its path: a field's name, or None for no member
    """

    chain: Chain
    statement: Assign | Change
    keys: tuple[_Key | str | None, ...]
    around: tuple[_Around, ...]


@frozen(eq=False)
class Plan:
    """
    together     chains of updates that are put off to the end of the step
    loses_first  whether every `lose` stands before every update, and in no loop with one
    """

    together: frozenset[Chain]
    loses_first: bool


def plan_of(body: Sequence[Statement]) -> Plan:
    """The plan for an action's body."""
    sites = list(_sites(body, (), _Frame({}, None), ()))
    together: set[Chain] = set()
    for i, site in enumerate(sites):
        if _meets_itself(site):
            together.add(site.chain)
        for other in sites[:i]:
            if _may_meet(site, other):
                together |= {site.chain, other.chain}
    return Plan(frozenset(together), _loses_first(body))


def _sites(
    body: Sequence[Statement], chain: Chain, frame: _Frame, around: tuple[_Around, ...]
) -> Iterator[_Site]:
    for index, statement in enumerate(body):
        here = (*chain, index)
        match statement:
            case Assign(place) | Change(place):
                keys: list[_Key | str | None] = [
                    None if place.index is None else _seen(place.index, frame)
                ]
                for step in place.path:
                    keys.append(step.name if isinstance(step, AtField) else _seen(step.key, frame))
                yield _Site(here, statement, tuple(keys), around)
            case Choice(_, then, otherwise):
                for arm, block in ((True, then), (False, otherwise)):
                    inside = _Around(here, statement, frame, arm)
                    yield from _sites(block, (*here, int(arm)), frame, (*around, inside))
            case Repeat(_, inner):
                inside = _Around(here, statement, frame)
                yield from _sites(inner, here, frame, (*around, inside))
            case Invoke(effect, arguments):
                names = [name for name, _ in effect.parameters]
                inner_frame = _Frame(dict(zip(names, arguments, strict=True)), frame)
                yield from _sites(effect.body, here, inner_frame, around)
            case _:
                pass


def _seen(term: Term, frame: _Frame) -> _Key:
    """The term, or what it stands for if it is a parameter of an effect."""
    while isinstance(term, Name) and term.name in frame.arguments and frame.outer is not None:
        term, frame = frame.arguments[term.name], frame.outer
    return _Key(term, frame)


def _meets_itself(site: _Site) -> bool:
    """Whether two passes of the loops around it may write one place."""
    return not all(_tells_apart(site, each) for each in site.around)


def _tells_apart(site: _Site, around: _Around) -> bool:
    """Whether different passes of a loop write different places: each of its names is a key."""
    if not isinstance(around.statement, Repeat):
        return True
    keys = [key for key in site.keys if isinstance(key, _Key)]
    binders = around.statement.binders
    return all(any(key.names(b.name, around.frame) for key in keys) for b in binders)


def _may_meet(a: _Site, b: _Site) -> bool:
    if a.statement.place.variable.position != b.statement.place.variable.position:
        return False
    if any(_differ(x, y) for x, y in zip(a.keys, b.keys, strict=False)):
        return False
    return not _exclude_each_other(a, b)


def _differ(x: _Key | str | None, y: _Key | str | None) -> bool:
    """Whether two keys are certainly different."""
    if not isinstance(x, _Key) or not isinstance(y, _Key):
        return x != y
    constants = (Number, Truth)
    if isinstance(x.term, constants) and isinstance(y.term, constants):
        return x.term != y.term
    if isinstance(x.term, Make) and isinstance(y.term, Make):
        return x.term.form != y.term.form
    return False


def _exclude_each_other(a: _Site, b: _Site) -> bool:
    """Whether they stand in different arms of a Choice, of which only one is taken in a step."""
    for x, y in zip(a.around, b.around, strict=False):
        if x.chain != y.chain:
            return False
        if isinstance(x.statement, Repeat) and not _same_pass(a, b, x):
            return False
        if x.arm != y.arm:
            return True
    return False


def _same_pass(a: _Site, b: _Site, loop: _Around) -> bool:
    """Whether they can only meet in one pass of the loop."""
    assert isinstance(loop.statement, Repeat)
    pairs = [
        (x, y)
        for x, y in zip(a.keys, b.keys, strict=False)
        if isinstance(x, _Key) and isinstance(y, _Key)
    ]
    return all(
        any(x.names(b.name, loop.frame) and y.names(b.name, loop.frame) for x, y in pairs)
        for b in loop.statement.binders
    )


def _loses_first(body: Sequence[Statement]) -> bool:
    kinds = list(_kinds(body))
    loses = [i for i, kind in enumerate(kinds) if kind == "lose"]
    writes = [i for i, kind in enumerate(kinds) if kind == "write"]
    if not loses or not writes:
        return True
    return max(loses) < min(writes) and not any(
        {"lose", "write"} <= set(_kinds([each])) for each in body if not isinstance(each, Assign)
    )


def _kinds(body: Sequence[Statement]) -> Iterator[str]:
    for statement in body:
        match statement:
            case Lose():
                yield "lose"
            case Assign() | Change():
                yield "write"
            case Choice(_, then, otherwise):
                yield from _kinds(then)
                yield from _kinds(otherwise)
            case Repeat(_, inner):
                yield from _kinds(inner)
            case Invoke(effect, _):
                yield from _kinds(effect.body)
            case _:
                pass
