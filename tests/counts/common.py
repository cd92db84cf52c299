"""A plain breadth-first search and the questions the hand-written models are asked.

The neutral encoding, in which a graph is compared with the tool's:

    state      (name, value) pairs sorted by name; names as a trace prints them: `store.fence`,
               `n1.role`; a fault bounded by `at most` adds `budget.<fault>`, the steps used so far
    value      bool, int; str for a member of a sort ("n1"); None for `none`, the bare value for
               `some`; ("Form", field, ...) for unions and records; frozenset for sets; sorted
               tuple with repeats for bags; ("seq", x, ...); ("map", ((key, value), ...))
    label      (action, (argument, ...)) in the order of the header

A model is written as `moves`: given a state as a dict, it yields one `Move` per enabled action
instance. A move names the variables it changes, and a variable that it does not name keeps its
value, so every right-hand side reads the old state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

Value: TypeAlias = Any  # the encoding above; its type would be longer than it is helpful
Values: TypeAlias = Mapping[str, Value]
State: TypeAlias = tuple[tuple[str, Value], ...]
Label: TypeAlias = tuple[str, tuple[Value, ...]]
Edge: TypeAlias = tuple[State, Label, State]
Move: TypeAlias = tuple[str, tuple[Value, ...], dict[str, Value]]
Predicate: TypeAlias = Callable[[Values], bool]

EMPTY: frozenset[Value] = frozenset()


def freeze(values: Values) -> State:
    return tuple(sorted(values.items()))


def members(prefix: str, size: int) -> list[str]:
    """The members of a sort: n1, n2, ..."""
    return [f"{prefix}{i}" for i in range(1, size + 1)]


def subsets(domain: Collection[Value]) -> Iterator[frozenset[Value]]:
    for size in range(len(domain) + 1):
        for chosen in combinations(sorted(domain), size):
            yield frozenset(chosen)


def is_majority(part: Collection[Value], whole: Collection[Value]) -> bool:
    return 2 * len(part) > len(whole)


@dataclass(frozen=True)
class Graph:
    """Everything reachable, as plain data.

    edges    one per enabled action instance in a state, self-loops too; under a constraint also
             those that lead to a discarded state, which is not among `states`
    steps    of each state, the fewest actions that lead there
    faults   the actions that belong to the environment
    """

    initial: frozenset[State]
    states: frozenset[State]
    edges: frozenset[Edge]
    steps: Mapping[State, int]
    faults: frozenset[str]

    @cached_property
    def out(self) -> Mapping[State, list[tuple[Label, State]]]:
        """The steps from each state, discarded targets left out."""
        found: dict[State, list[tuple[Label, State]]] = {s: [] for s in self.states}
        for s, label, t in self.edges:
            if t in self.states:
                found[s].append((label, t))
        return found

    @property
    def distinct(self) -> int:
        return len(self.states)

    @property
    def generated(self) -> int:
        return len(self.initial) + len(self.edges)

    @property
    def depth(self) -> int:
        return 1 + max(self.steps.values())

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.distinct, self.generated, self.depth

    def first(self, predicate: Predicate) -> int | None:
        """The fewest steps to a state that satisfies `predicate`."""
        return min((k for s, k in self.steps.items() if predicate(dict(s))), default=None)

    def first_step(self, predicate: Callable[[Values, Label, Values], bool]) -> int | None:
        """The fewest steps of a run whose last one satisfies `predicate(before, label, after)`."""
        found = (
            self.steps[s] + 1 for s, label, t in self.edges if predicate(dict(s), label, dict(t))
        )
        return min(found, default=None)

    def deadlocks(self, stops: Predicate = lambda s: False) -> set[State]:
        """The states in which no action would change anything, and `stops` is false."""
        alive = {s for s, (name, _), t in self.edges if s != t and name not in self.faults}
        return {s for s in self.states - alive if not stops(dict(s))}


def search(
    initial: Iterable[Values],
    moves: Callable[[Values], Iterable[Move]],
    faults: Collection[str] = (),
    constraint: Predicate = lambda s: True,
) -> Graph:
    starts = {freeze(s) for s in initial}
    steps = dict.fromkeys((s for s in starts if constraint(dict(s))), 0)
    same = {s: s for s in steps}  # one copy of each state, whatever computed it
    queue = deque(sorted(steps, key=repr))
    edges: set[Edge] = set()
    while queue:
        state = queue.popleft()
        values = dict(state)
        for action, arguments, changes in moves(values):
            assert changes.keys() <= values.keys(), f"{action} writes an unknown variable"
            after = values | changes
            target = freeze(after)
            target = same.setdefault(target, target)
            edge = (state, (action, arguments), target)
            assert edge not in edges, f"{action}{arguments} is yielded twice"
            edges.add(edge)
            if target not in steps and constraint(after):
                steps[target] = steps[state] + 1
                queue.append(target)
    return Graph(frozenset(starts), frozenset(steps), frozenset(edges), steps, frozenset(faults))


# Liveness, of `owed ~> goal`.


def _owing(graph: Graph, owed: Predicate, goal: Predicate) -> dict[State, int]:
    """The states in which the goal may be owed, with the fewest steps after which it is."""
    met = {s for s in graph.states if goal(dict(s))}
    asked = {s for s in graph.states if owed(dict(s))}
    start = [(s, s in asked and s not in met) for s in graph.initial]
    seen = dict.fromkeys(start, 0)
    queue = deque(start)
    while queue:
        state, owing = here = queue.popleft()
        for _, target in graph.out[state]:
            there = (target, target not in met and (owing or target in asked))
            if there not in seen:
                seen[there] = seen[here] + 1
                queue.append(there)
    return {s: k for (s, owing), k in seen.items() if owing}


def blocks(graph: Graph, owed: Predicate, goal: Predicate) -> int | None:
    """The fewest steps to a state where the goal is owed and no path of actions reaches it."""
    before: dict[State, list[State]] = {}
    for s, (name, _), t in graph.edges:
        if name not in graph.faults:
            before.setdefault(t, []).append(s)
    can = {s for s in graph.states if goal(dict(s))}
    todo = list(can)
    while todo:
        for s in before.get(todo.pop(), ()):
            if s not in can:
                can.add(s)
                todo.append(s)
    return min((k for s, k in _owing(graph, owed, goal).items() if s not in can), default=None)


def livelocks(
    graph: Graph,
    owed: Predicate,
    goal: Predicate,
    weak: Collection[str] = (),
    strong: Collection[str] = (),
) -> bool:
    """Whether a fair run owes the goal for ever. Fairness is for each choice of arguments."""
    fair = {*weak, *strong}
    enabled: dict[State, set[Label]] = {}
    for s, label, _ in graph.edges:
        if label[0] in fair:
            enabled.setdefault(s, set()).add(label)

    def is_fair(part: set[State]) -> bool:
        """Whether some run inside the component `part` is fair; it may visit less of it."""
        taken = {label for s in part for label, t in graph.out[s] if t in part}
        always = set.intersection(*(enabled.get(s, set()) for s in part))
        if any(label not in taken for label in always):
            return False
        starved = {
            label
            for s in part
            for label in enabled.get(s, set())
            if label[0] in strong and label not in taken
        }
        if not starved:
            return True
        rest = {s for s in part if not starved & enabled.get(s, set())}
        return any(is_fair(component) for component in components(graph, rest))

    region = set(_owing(graph, owed, goal))
    return any(is_fair(part) for part in components(graph, region))


def components(graph: Graph, region: set[State]) -> list[set[State]]:
    """The strongly connected parts of `region` (Kosaraju); a state alone is one: it can stutter."""
    after = {s: [t for _, t in graph.out[s] if t in region] for s in region}
    before: dict[State, list[State]] = {s: [] for s in region}
    for s, targets in after.items():
        for t in targets:
            before[t].append(s)
    order: list[State] = []
    seen: set[State] = set()
    for root in region:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(after[root]))]
        while stack:
            state, rest = stack[-1]
            for target in rest:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(after[target])))
                    break
            else:
                order.append(state)
                stack.pop()
    parts: list[set[State]] = []
    placed: set[State] = set()
    for root in reversed(order):
        if root in placed:
            continue
        part, todo = {root}, [root]
        placed.add(root)
        while todo:
            for s in before[todo.pop()]:
                if s not in placed:
                    placed.add(s)
                    part.add(s)
                    todo.append(s)
        parts.append(part)
    return parts


def unmapped(graph: Graph, mapping: Callable[[Values], Values], abstract: Graph) -> int | None:
    """The fewest steps to one that, mapped, is no step of `abstract` nor leaves the state alone."""
    ends = graph.states | {t for _, _, t in graph.edges}
    image = {s: freeze(mapping(dict(s))) for s in ends}
    if any(image[s] not in abstract.initial for s in graph.initial):
        return 0
    allowed = {(s, t) for s, _, t in abstract.edges}
    found = (
        graph.steps[s] + 1
        for s, _, t in graph.edges
        if image[s] != image[t] and (image[s], image[t]) not in allowed
    )
    return min(found, default=None)
