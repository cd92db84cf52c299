"""A walk that leads to something, made shorter.

Four ways, none of which looks at all there is: a loop is cut out; steps are left out, and those
that are then not possible with them; a way round between two states of the walk is looked for, and
a way from an initial state to anything that shows the same. What they may cost is counted in steps,
not in seconds, so a walk becomes the same trace on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, frozen

from modelcheck.explore.retrace import Label, Retracer

_LEAVING_OUT = 1 << 25
_FROM_FIRST = 1 << 18
_ROUND = 1 << 11
_ALL_ROUND = 1 << 18


@frozen(eq=False)
class Path:
    """States, and the steps between them; the event shows in the last state, or when it is
    stepped."""

    states: tuple[bytes, ...]
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.labels)


@define(eq=False)
class Shortener:
    """
    goal    the event that must show at the end
    path    the shortest so far: it may be read whenever the work was interrupted
    starts  initial states, other than the walk's, from which a way is looked for too
    """

    retracer: Retracer
    goal: int
    path: Path
    starts: Sequence[bytes] = ()

    def shorten(self) -> Path:
        """All that is worth its cost."""
        self.cut_loops()
        self._leave_out()
        self.cut_loops()
        if self._look_around() | self._look(0, _FROM_FIRST, self.starts):
            self._leave_out()
            self.cut_loops()
        return self.path

    def cut_loops(self) -> None:
        """From each state straight on from the last time that it is met."""
        last = {state: index for index, state in enumerate(self.path.states)}
        at = last[self.path.states[0]]
        states, labels = [self.path.states[at]], list[Label]()
        while at < len(self.path):
            labels.append(self.path.labels[at])
            at = last[self.path.states[at + 1]]
            states.append(self.path.states[at])
        self.path = Path(tuple(states), tuple(labels))

    # --- leaving out ---

    def _leave_out(self) -> None:
        """Pieces of half the length, then shorter ones, until no single step can be left out."""
        limit = self.retracer.work + _LEAVING_OUT
        size = max(1, len(self.path) // 2)
        while len(self.path):
            shorter = False
            # From the end: what happened last needed what came before it.
            end = len(self.path)
            while end > 0:
                if self.retracer.work > limit:
                    return
                first = max(0, end - size)
                if self._without(first, end):
                    shorter = True
                    end = min(first, len(self.path))
                else:
                    end = first
            if size == 1 and not shorter:
                return
            size = max(1, min(size // 2, len(self.path) // 2))

    def _without(self, first: int, end: int) -> bool:
        """Leave out the steps from `first` to below `end`, if the event still shows."""
        path = self.path
        rest = path.labels[end:]
        found, taken = self.retracer.replay(path.states[first], rest, self.goal)
        if not found:
            return False
        self.path = Path(
            (*path.states[: first + 1], *(state for _, state in taken)),
            (*path.labels[:first], *(rest[position] for position, _ in taken)),
        )
        return True

    # --- looking for ways ---

    def _look_around(self) -> bool:
        limit = self.retracer.work + _ALL_ROUND
        shorter, first = False, 0
        while first < len(self.path) - 1 and self.retracer.work < limit:
            if self._look(first, _ROUND):
                shorter = True
            else:
                first += 1
        return shorter

    def _look(self, first: int, most: int, others: Sequence[bytes] = ()) -> bool:
        """Breadth first from a state of the path, for the event or a later state of the path.

        others  states from which a way may begin as well
        """
        path, retracer = self.path, self.retracer
        limit = retracer.work + most
        start = path.states[first]
        index = {state: i for i, state in enumerate(path.states)}
        came: dict[bytes, tuple[bytes, int] | None] = dict.fromkeys((start, *others))
        level, best, through = list(came), 0, start
        for depth in range(len(path) - first):
            following: list[bytes] = []
            for state in level:
                if retracer.work > limit:
                    return self._go_round(first, came, through, best)
                hit, successors = retracer.expand(state, self.goal)
                if hit:
                    return self._go(first, came, state)
                for position, (after, shows) in enumerate(successors):
                    if after in came:
                        continue
                    came[after] = state, position
                    following.append(after)
                    if shows and first + depth + 1 < len(path):
                        return self._go(first, came, after)
                    saved = index.get(after, 0) - first - depth - 1
                    if saved > best:
                        best, through = saved, after
            level = following
        return self._go_round(first, came, through, best)

    def _go_round(
        self, first: int, came: dict[bytes, tuple[bytes, int] | None], through: bytes, best: int
    ) -> bool:
        """Take the way to a later state of the path, if one was found."""
        if not best:
            return False
        later = self.path.states.index(through)
        rest = Path(self.path.states[later:], self.path.labels[later:])
        return self._go(first, came, through, rest)

    def _go(
        self,
        first: int,
        came: dict[bytes, tuple[bytes, int] | None],
        end: bytes,
        rest: Path | None = None,
    ) -> bool:
        """Take the way that was found to a state, and the rest from there."""
        states, labels = [end], list[Label]()
        while (step := came[states[-1]]) is not None:
            before, position = step
            labels.append(self.retracer.label(before, position))
            states.append(before)
        path, tail = self.path, rest or Path((end,), ())
        self.path = Path(
            (*path.states[:first], *reversed(states), *tail.states[1:]),
            (*path.labels[:first], *reversed(labels), *tail.labels),
        )
        return True
