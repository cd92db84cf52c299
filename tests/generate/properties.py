"""Properties of all kinds."""

from __future__ import annotations

from collections.abc import Callable

from .chance import Stuck
from .draft import Draft
from .expressions import Expr, Level, compare, disjunction, implication, negation
from .kinds import Kind, Num
from .scoped import Condition
from .world import PROPERTY, STEP, ActionHead, Scope

_INVARIANTS = ["Sound", "Bounded", "Agreed", "Ordered", "Single", "Tidy", "Safe", "Even"]
_STEPS = ["Monotone", "Forward", "Careful", "Frozen"]
_REACHABLE = ["Busy", "Full", "Both"]
_LIVENESS = ["Answered", "Settled", "Quiet", "Progress"]


def declare_properties(d: Draft) -> None:
    """Candidates: more than a file keeps."""
    makers: dict[str, tuple[Callable[[], None], int]] = {
        "invariant": (lambda: _invariant(d, "invariant"), d.chance.between(3, 5)),
        "lemma": (lambda: _invariant(d, "lemma"), 1 if d.chance.feature("lemma", 0.4) else 0),
        "step": (lambda: _step(d), d.chance.between(1, 3)),
        "reachable": (lambda: _reachable(d), d.chance.between(0, 2)),
    }
    if not d.constrained:
        possible = 1 if d.chance.feature("always possible", 0.3) else 0
        makers["possible"] = (lambda: _possible(d), possible)
        makers["liveness"] = (lambda: _liveness(d), d.chance.between(0, 3))
    for make, count in makers.values():
        for _ in range(count):
            try:
                make()
            except Stuck:
                continue


def _named(d: Draft, word: str, options: list[str], body: list[str], head: str = "") -> None:
    name = d.world.new_upper(d.chance.shuffled(options))
    keyword = "always possible" if word == "possible" else word
    d.add(word, name, [f"{keyword} {name}{head}", *(f"  {line}" for line in body)])


# --- invariants --------------------------------------------------------------------


def _invariant(d: Draft, word: str) -> None:
    lines: list[str] = []
    scope = PROPERTY
    for _ in range(d.chance.pick([1, 1, 1, 2])):
        condition = _likely(d, scope)
        lines.append(condition.expr.text)
        scope = condition.then
    _named(d, word, ["Lemma"] if word == "lemma" else _INVARIANTS, lines)


def _likely(d: Draft, scope: Scope) -> Condition:
    """A condition that has some chance to hold everywhere."""
    how = d.chance.weighted({"bound": 1.0, "either": 1.5, "exclusion": 1.0, "any": 1.2})
    match how:
        case "bound":
            left = d.terms.number(scope, 2)
            if d.chance.roll(0.5):
                expr = compare("<=", left, Expr(str(left.high - d.chance.pick([0, 0, 1]))))
            else:
                low = left.low + d.chance.pick([0, 0, 1])
                expr = compare(">=", left, Expr(str(low), Level.NEGATIVE))
            return Condition(expr, scope, scope)
        case "either":
            first, second = d.terms.condition(scope, 1), d.terms.condition(scope, 2)
            expr = implication(first.expr, d.terms.test(first.then, 2))
            if d.chance.roll(0.4):
                expr = disjunction(negation(first.expr), disjunction(second.expr, first.expr))
            return Condition(expr, scope, scope)
        case "exclusion":
            bound = d.terms.binders(scope, d.chance.between(1, 2), 1)
            body = d.terms.test(bound.scope, 1)
            word = d.chance.pick(["not exists", "forall", "exists"])
            level = Level.OPEN
            return Condition(Expr(f"{word} {bound.text}: {body.text}", level), scope, scope)
        case _:
            return d.terms.condition(scope, 3)


def _reachable(d: Draft) -> None:
    lines: list[str] = []
    scope = PROPERTY
    for _ in range(d.chance.pick([1, 1, 2])):
        condition = d.terms.condition(scope, 2)
        lines.append(condition.expr.text)
        scope = condition.then
    _named(d, "reachable", _REACHABLE, lines)


def _possible(d: Draft) -> None:
    _named(d, "possible", ["Escape", "Return"], [d.terms.test(PROPERTY, 2).text])


# --- steps -------------------------------------------------------------------------


def _step(d: Draft) -> None:
    head, scope = "", STEP
    if d.chance.feature("on", 0.55):
        head, scope = _events(d, scope)
    lines: list[str] = []
    for _ in range(d.chance.pick([1, 1, 2])):
        condition = _step_line(d, scope)
        lines.append(condition.expr.text)
        scope = condition.then
    _named(d, "step", _STEPS, lines, head)


def _step_line(d: Draft, scope: Scope) -> Condition:
    how = d.chance.weighted({"change": 2.0, "change if": 1.0, "any of a step": 1.5})
    if how == "any of a step":
        return d.terms.condition(scope, 2)
    read = d.chance.pick([r for r in d.world.reads(scope) if r.root is not None and not r.known])
    before, after = Expr(read.text), Expr(f"{read.text}'")
    signs = ["==", "!=", "<=", ">="] if isinstance(read.kind, Num) else ["==", "!="]
    made = compare(d.chance.pick(signs), after, before)
    if how == "change":
        return Condition(made, scope, scope)
    first = d.terms.condition(scope, 1)
    return Condition(implication(first.expr, made), scope, scope)


def _events(d: Draft, scope: Scope) -> tuple[str, Scope]:
    """`on a(x, _), b(_, y)`: all events bind the same names, of types that agree."""
    action = d.chance.pick(d.world.actions)
    if not action.arguments or d.chance.feature("event without names", 0.15):
        return f" on {action.name}", scope
    chosen: list[tuple[str, Kind]] = []
    shown: list[str] = []
    for _, kind in action.arguments:
        if d.chance.roll(0.65):
            name = d.world.local(kind, scope)
            scope = scope.bind(name, kind)
            chosen.append((name, kind))
            shown.append(name)
        else:
            shown.append("_")
    events = [f"{action.name}({', '.join(shown)})"]
    for other in d.chance.shuffled(d.world.actions):
        if other is not action and d.chance.feature("several events", 0.5):
            same = _same_names(other, chosen)
            if same is not None:
                events.append(f"{other.name}({', '.join(same)})" if same else other.name)
    return f" on {', '.join(events)}", scope


def _same_names(action: ActionHead, chosen: list[tuple[str, Kind]]) -> list[str] | None:
    """The names in an event of another action; None if its arguments have other types."""
    left = list(chosen)
    shown = []
    for _, kind in action.arguments:
        match = next((each for each in left if each[1] == kind), None)
        if match is None:
            shown.append("_")
        else:
            left.remove(match)
            shown.append(match[0])
    return None if left else shown


# --- liveness ----------------------------------------------------------------------


def _liveness(d: Draft) -> None:
    lines = [_temporal(d) for _ in range(d.chance.pick([1, 1, 1, 2]))]
    _named(d, "liveness", _LIVENESS, lines)


def _temporal(d: Draft) -> str:
    scope, head = PROPERTY, ""
    while d.chance.feature("forall temporal", 0.35) and head.count(":") < 2:
        # The choice is made once, for the whole of a behaviour: no domain reads the state.
        kinds = [k for k in d.world.domains() if k.ref.isalnum() and k.ref != "bool"]
        if scope.times > 8 or not kinds:
            break
        kind = d.chance.pick(kinds)
        name = d.world.local(kind, scope)
        scope = scope.bind(name, kind).repeated(4)
        head += f"forall {name} in {kind.ref}: "
    options = {
        "leads to": 2.0,
        "always eventually": 1.0,
        "eventually always": 1.0,
        "eventually": 1.0,
    }
    how = d.chance.weighted(options)
    if how == "leads to":
        premise = d.terms.condition(scope, 1).expr.at(Level.OR)
        return f"{head}{premise} ~> {d.terms.test(scope, 2).text}"
    return f"{head}{how} {d.terms.test(scope, 2).text}"
