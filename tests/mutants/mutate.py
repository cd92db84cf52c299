"""All the ways to leave one rule out of a file: trees that lack one guard or one update.

A guard is a `when` line, one conjunct of such a line that has several, or one conjunct of a
`where` in an action's header. An update is any other statement but `let`: an `if` is dropped with
its block, and every statement in the block is dropped on its own, too. The trees are changed, not
the text, so a block may end up empty and nothing else moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from modelcheck.parse import tree


@frozen
class Mutant:
    """
    name  the action or effect, and what it lacks: "accept: when w.token >= store.fence"
    file  the tree without it
    """

    name: str
    file: tree.File


def mutants(file: tree.File) -> list[Mutant]:
    """In the order of the file; names are unique."""
    found: list[Mutant] = []
    used: Counter[str] = Counter()
    for position, declared in enumerate(file.declarations):
        if not isinstance(declared, tree.Action | tree.Effect):
            continue
        for dropped, without in _without_one(declared):
            name = f"{declared.name.name}: {dropped}"
            used[name] += 1
            if used[name] > 1:
                name += f" ({used[name]})"
            declarations = _replaced(file.declarations, position, without)
            found.append(Mutant(name, evolve(file, declarations=tuple(declarations))))
    return found


Lesser = Iterator[tuple[str, tree.Action | tree.Effect]]


def _without_one(declared: tree.Action | tree.Effect) -> Lesser:
    if isinstance(declared, tree.Action):
        for position, binder in enumerate(declared.binders):
            for dropped, where in _lesser(binder.where):
                binders = _replaced(declared.binders, position, evolve(binder, where=where))
                yield f"where {dropped}", evolve(declared, binders=tuple(binders))
    for dropped, body in _lesser_block(declared.body):
        yield dropped, evolve(declared, body=body)


Block = tuple[tree.Statement, ...]


def _lesser_block(block: Block) -> Iterator[tuple[str, Block]]:
    for position, statement in enumerate(block):
        if not isinstance(statement, tree.LocalLet):
            yield _first_line(statement), (*block[:position], *block[position + 1 :])
        for dropped, lesser in _lesser_statement(statement):
            yield dropped, tuple(_replaced(block, position, lesser))


def _lesser_statement(statement: tree.Statement) -> Iterator[tuple[str, tree.Statement]]:
    match statement:
        case tree.When():
            for dropped, condition in _lesser(statement.condition):
                if condition is not None:
                    yield f"when .. {dropped}", evolve(statement, condition=condition)
        case tree.IfStatement():
            for position, (condition, block) in enumerate(statement.branches):
                for dropped, lesser in _lesser_block(block):
                    branches = _replaced(statement.branches, position, (condition, lesser))
                    yield dropped, evolve(statement, branches=tuple(branches))
            for dropped, lesser in _lesser_block(statement.otherwise or ()):
                yield dropped, evolve(statement, otherwise=lesser)
        case tree.For():
            for dropped, lesser in _lesser_block(statement.body):
                yield dropped, evolve(statement, body=lesser)
        case _:
            pass


def _lesser(condition: tree.Term | None) -> Iterator[tuple[str, tree.Term | None]]:
    """The condition without one of its conjuncts; None is left of a single one."""
    parts = [] if condition is None else _conjuncts(condition)
    for position, part in enumerate(parts):
        rest = [*parts[:position], *parts[position + 1 :]]
        yield _first_line(part), _conjunction(rest)


def _conjuncts(term: tree.Term) -> list[tree.Term]:
    if isinstance(term, tree.And):
        return [*_conjuncts(term.left), *_conjuncts(term.right)]
    return [term]


def _conjunction(parts: Sequence[tree.Term]) -> tree.Term | None:
    if not parts:
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole = tree.And(whole, part, span=whole.span.to(part.span))
    return whole


def _first_line(node: tree.Node) -> str:
    return " ".join(node.span.text.split("\n")[0].split())


def _replaced(items: Sequence[object], position: int, item: object) -> list:  # type: ignore[type-arg]
    return [*items[:position], item, *items[position + 1 :]]
