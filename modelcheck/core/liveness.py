"""Whether every fair run does what it owes, on the complete graph.

Slow and obvious: for every obligation, and every choice of its binders, first
whether it *blocks* (the goal is owed and no path of actions leads to it), and
if none does, whether it *livelocks* (some fair run never gets there).
Stuttering is always possible, so a state in which nothing fair is enabled is
enough for a livelock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from modelcheck.core.choices import choices
from modelcheck.core.conclude import NO_VALUE
from modelcheck.core.fairness import fair_components, with_fairness
from modelcheck.core.frame import Frame, Of
from modelcheck.core.graph import Edge, Graph
from modelcheck.core.lasso import fair_loop
from modelcheck.core.model import Liveness, Obligation
from modelcheck.core.obligations import CONSTRAINED, Binding, Broken, liveness_found
from modelcheck.core.outcome import Found, Verdict
from modelcheck.core.owed import Owed, owed_graph
from modelcheck.core.possible import can_reach
from modelcheck.core.search import Exploration
from modelcheck.core.shortest import Path, shortest_path, step_of, trace_of
from modelcheck.core.targets import Target, Targets
from modelcheck.core.terms import Term
from modelcheck.core.trace import Trace
from modelcheck.core.vacuity import what_was_said
from modelcheck.core.values import State, Value


class NoValue(Exception):
    """A predicate of an obligation has no value in some state; the error is noted."""


@frozen(eq=False)
class View:
    """The states as the obligations see them: the model's own, or mapped to an abstract one.

    of     the meanings of the obligations' terms
    where  what is evaluated, for errors: "in `NoLeaderWaits`"
    """

    states: Sequence[State]
    of: Of
    where: str


@frozen(eq=False)
class _Claim:
    """An obligation for one choice of its binders, with the values of its predicates by state."""

    obligation: Obligation
    binding: Binding
    premise: Sequence[bool]
    goal: Sequence[bool]

    def owed(self, run: Exploration) -> Owed:
        """The graph of what it owes; made when it is needed, since there may be many claims."""
        return owed_graph(run.graph, self.obligation, self.premise, self.goal)

    def broken(self, verdict: Verdict, steps: int, trace: Trace) -> Broken:
        assert verdict is Verdict.BLOCKS or verdict is Verdict.LIVELOCKS
        return Broken(verdict, steps, trace, self.obligation, self.binding)


def judge_liveness(run: Exploration, each: Liveness, why_open: str | None) -> Found:
    """The finding for a liveness property."""
    if run.semantics.model.constraint is not None:
        why_open = CONSTRAINED
    if why_open is not None:
        return Found(each.name, "liveness", Verdict.UNDECIDED, reason=why_open)
    view = View(run.graph.states, run.semantics.meanings.of, f"in `{each.name}`")
    try:
        broken = first_broken(run, each.obligations, view)
    except NoValue:
        return Found(each.name, "liveness", Verdict.UNDECIDED, reason=NO_VALUE)
    said = what_was_said(run, each) if broken is None else ()
    return liveness_found(each, broken, said)


def first_broken(run: Exploration, obligations: Sequence[Obligation], view: View) -> Broken | None:
    """The obligation that blocks soonest; if none blocks, the one that livelocks soonest.

    Raises NoValue.
    """
    claims = [claim for each in obligations for claim in _claims(run, each, view)]
    if None in claims:
        raise NoValue
    for way in (_blocks, _livelocks):
        found = [way(run, claim) for claim in claims if claim is not None]
        broken = [each for each in found if each is not None]
        if broken:
            return min(broken, key=Broken.length)
    return None


def _claims(run: Exploration, obligation: Obligation, view: View) -> Iterator[_Claim | None]:
    """The obligation for every choice of its binders; None, and an error, where it is undefined."""
    nowhere = Frame((), {})
    for _ in choices(obligation.binders, view.of)(nowhere):
        names = dict(nowhere.names)
        binding = tuple((b.name, b.type, names[b.name]) for b in obligation.binders)
        goal = _truth(run, obligation.goal, names, view)
        premise = goal
        if obligation.premise is not None:
            premise = _truth(run, obligation.premise, names, view)
        if premise is None or goal is None:
            yield None
        else:
            yield _Claim(obligation, binding, premise, goal)


def _truth(run: Exploration, term: Term, names: dict[str, Value], view: View) -> list[bool] | None:
    """The predicate's value in every state; None, and an error, if it has none somewhere."""
    holds, graph = view.of(term), run.graph
    truth: list[bool] = []
    for number, state in enumerate(view.states):
        frame = Frame(state, names)
        answer = run.safety.errors.ask(holds, frame, graph, number, view.where)
        if answer is not None:
            truth.append(answer)
    return truth if len(truth) == len(view.states) else None


# --- blocks ------------------------------------------------------------------------


def _blocks(run: Exploration, claim: _Claim) -> Broken | None:
    """Whether the goal is owed somewhere from where no path of actions leads to it."""
    open_ = can_reach(run.graph, _goal_states(run, claim))
    if len(open_) == len(run.graph.states):
        return None
    owed = claim.owed(run)
    targets = Targets()
    for number, base in enumerate(owed.base):
        if owed.owed[number] and base not in open_:
            targets.add(owed.graph.depths[number], Target(number))
    if not targets:
        return None
    path = shortest_path(owed.graph, targets)
    trace = trace_of(owed.graph, path, run.semantics.model.actions, loop=len(path.edges))
    return claim.broken(Verdict.BLOCKS, len(path.edges), trace)


def _goal_states(run: Exploration, claim: _Claim) -> list[int]:
    """Where the goal is reached; if it must then last for ever, from where actions can keep it."""
    satisfied = [number for number, met in enumerate(claim.goal) if met]
    if claim.obligation.kind != "eventually always":
        return satisfied
    fair = with_fairness(run.graph, run.semantics.model.actions, faults=False)
    # A state that reaches such a component has it as its goal; the way there need not be fair.
    return [state for component in fair_components(fair, satisfied) for state in component]


# --- livelocks ---------------------------------------------------------------------


def _livelocks(run: Exploration, claim: _Claim) -> Broken | None:
    """Whether a fair run can owe the goal for ever."""
    owed = claim.owed(run)
    fair = with_fairness(owed.graph, run.semantics.model.actions)
    must_visit = None
    if claim.obligation.kind == "eventually always":
        # Not to settle on the goal is to leave it again and again.
        must_visit = frozenset(n for n, base in enumerate(owed.base) if not claim.goal[base])
        components = [
            component
            for component in fair_components(fair, range(len(owed.base)))
            if not must_visit.isdisjoint(component)
        ]
    else:
        components = fair_components(fair, [n for n, owes in enumerate(owed.owed) if owes])
    if not components:
        return None
    home: dict[int, frozenset[int]] = {}
    for component in components:
        home |= dict.fromkeys(component, frozenset(component))
    targets = Targets()
    for state in sorted(home):
        targets.add(owed.graph.depths[state], Target(state))
    stem = shortest_path(owed.graph, targets)
    entry = stem.states[-1]
    must = None if must_visit is None else must_visit.__contains__
    loop = fair_loop(fair, home[entry].__contains__, entry, must)
    return _lasso(run, claim, owed.graph, stem, loop)


def _lasso(
    run: Exploration, claim: _Claim, graph: Graph, stem: Path, loop: Sequence[Edge]
) -> Broken:
    actions = run.semantics.model.actions
    states = (*stem.states, *(edge.target for edge in loop))
    edges = (*stem.edges, *loop)
    trace = Trace(
        tuple(graph.states[state] for state in states),
        tuple(step_of(edge, actions) for edge in edges),
        len(stem.edges),
    )
    steps = len(edges) - 1 if loop else len(edges)  # the last step of a loop returns
    return claim.broken(Verdict.LIVELOCKS, steps, trace)
