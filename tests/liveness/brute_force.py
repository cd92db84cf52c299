"""Liveness by trying every set of states that a run could visit for ever.

Shares nothing with `modelcheck.core`: no graph, no product, no components. A
run that visits exactly the states V again and again exists if V is strongly
connected; the more of its edges it takes the fairer it is, so it takes them all.
"""

from __future__ import annotations

from itertools import combinations

from .random_graph import CHOICES, Formula, RandomGraph

FAR = 10**6


class BruteForce:
    """The reachable graph in full, with every set of states that is fair to stay in."""

    def __init__(self, graph: RandomGraph) -> None:
        self.graph = graph
        self.nodes: list[tuple[int, ...]] = []
        self.edges: list[tuple[int, int, int, tuple[int, ...]]] = []
        self._within: dict[frozenset[int], list[list[int]]] = {}
        self._explore()
        self.distance = self._distances(self.edges)
        actions = [e for e in self.edges if not graph.kinds[e[2]].fault]
        self.by_actions = self._distances(actions)
        self.homes = self._fair_sets(self.edges, range(len(self.nodes)))
        self.action_homes = self._fair_sets(actions, range(len(self.nodes)))

    def _explore(self) -> None:
        graph = self.graph
        bounded = [a for a, kind in enumerate(graph.kinds) if kind.at_most is not None]
        self.nodes = [(s, *(0 for _ in bounded)) for s in graph.initial]
        self.starts = range(len(self.nodes))
        for source, node in enumerate(self.nodes):  # grows as it goes
            for a, moves in enumerate(graph.moves):
                for x in CHOICES:
                    for y in CHOICES:
                        if (node[0], x, y) not in moves:
                            continue
                        after = [moves[node[0], x, y], *node[1:]]
                        if a in bounded:
                            counter = 1 + bounded.index(a)
                            if node[counter] >= graph.kinds[a].at_most:
                                continue
                            after[counter] += 1
                        if tuple(after) not in self.nodes:
                            self.nodes.append(tuple(after))
                        target = self.nodes.index(tuple(after))
                        self.edges.append((source, target, a, (x, y)))

    def _distances(self, edges, allowed=None):
        """Between all pairs, by relaxing every edge as often as there are states."""
        count = len(self.nodes)
        allowed = set(range(count)) if allowed is None else allowed
        table = [
            [0 if i == j and i in allowed else FAR for j in range(count)] for i in range(count)
        ]
        for _ in range(count):
            for source, target, _, _ in edges:
                if source in allowed and target in allowed:
                    for row in table:
                        row[target] = min(row[target], row[source] + 1)
        return table

    def _fair_sets(self, edges, nodes):
        reach = [set() for _ in self.nodes]
        for source, target, _, _ in edges:
            reach[source].add(target)
        return [
            frozenset(chosen)
            for size in range(1, len(nodes) + 1)
            for chosen in combinations(nodes, size)
            if self._connected(reach, set(chosen)) and self._fair(edges, set(chosen))
        ]

    def _connected(self, reach, chosen) -> bool:
        for start in chosen:
            seen = {start}
            while True:
                more = {t for s in seen for t in reach[s] if t in chosen} | seen
                if more == seen:
                    break
                seen = more
            if seen != chosen:
                return False
        return True

    def _fair(self, edges, chosen) -> bool:
        enabled: dict = {}
        taken = set()
        for source, target, a, arguments in edges:
            kind = self.graph.kinds[a]
            if kind.fair is None or self.nodes[source] == self.nodes[target]:
                continue
            instance = (a, tuple(arguments[p] for p in kind.per))
            if source in chosen:
                enabled.setdefault(instance, set()).add(source)
                if target in chosen:
                    taken.add(instance)
        return all(
            instance in taken or (self.graph.kinds[instance[0]].fair == "weak" and where != chosen)
            for instance, where in enabled.items()
        )

    # --- formulas ---

    def verdict(self, formula: Formula) -> tuple[str, int | None]:
        """The verdict, and the steps to where it shows: it blocks there, or can stay for ever."""
        choices = range(len(formula.goal))
        blocks = [self._blocks(formula, k) for k in choices]
        if min(blocks) < FAR:
            return "blocks", min(blocks)
        livelocks = [self._livelocks(formula, k) for k in choices]
        if min(livelocks) < FAR:
            return "livelocks", min(livelocks)
        return "holds", None

    def _where(self, states: frozenset[int]) -> set[int]:
        return {i for i, node in enumerate(self.nodes) if node[0] in states}

    def _avoiding(self, states: frozenset[int]) -> list[list[int]]:
        """The distances within these states."""
        if states not in self._within:
            self._within[states] = self._distances(self.edges, states)
        return self._within[states]

    def _owed_distance(self, formula: Formula, k: int) -> dict[int, int]:
        """For each state, the least number of steps after which the goal is owed there."""
        goal = self._where(formula.goal[k])
        without = set(range(len(self.nodes))) - goal
        from_start = [min(self.distance[s][i] for s in self.starts) for i in range(len(self.nodes))]
        avoiding = self._avoiding(frozenset(without))
        if formula.kind == "eventually always":
            return dict(enumerate(from_start))
        if formula.kind == "always eventually":
            return {i: from_start[i] for i in without}
        if formula.kind == "eventually":
            return {i: min(avoiding[s][i] for s in self.starts) for i in without}
        begins = self._where(formula.premise[k]) & without
        return {
            i: min((from_start[b] + avoiding[b][i] for b in begins), default=FAR) for i in without
        }

    def _blocks(self, formula: Formula, k: int) -> int:
        goal = self._where(formula.goal[k])
        if formula.kind == "eventually always":
            goal = {i for home in self.action_homes if home <= goal for i in home}
        return min(
            (
                steps
                for i, steps in self._owed_distance(formula, k).items()
                if all(self.by_actions[i][g] >= FAR for g in goal)
            ),
            default=FAR,
        )

    def _livelocks(self, formula: Formula, k: int) -> int:
        goal, owed = self._where(formula.goal[k]), self._owed_distance(formula, k)
        if formula.kind == "eventually always":
            homes = [home for home in self.homes if not home <= goal]
        else:
            homes = [home for home in self.homes if not home & goal]
        return min((owed[i] for home in homes for i in home if i in owed), default=FAR)
