"""Actions, faults, effects and `let`s."""

from __future__ import annotations

from contextlib import suppress

from attrs import evolve

from .chance import Stuck
from .draft import Draft
from .drivers import drive
from .expressions import Expr, Level, disjunction
from .kinds import BOOL, INT, BagOf, Kind, Num, SetOf, is_loose, size
from .parts import part_kinds
from .updates import Body
from .world import GUARD, PROPERTY, ActionHead, EffectHead, Function, Scope

Arguments = tuple[tuple[str, Kind], ...]

_ACTIONS = ["send", "receive", "work", "advance", "reset", "swap", "grow", "settle", "ask", "tell"]
_FAULTS = ["crash", "drop", "glitch", "forget"]
_FUNCTIONS = ["ready", "pick", "next_one", "score", "fine", "of_all"]
_EFFECTS = ["note", "bump", "clean"]


# --- lets and effects --------------------------------------------------------------


def declare_let(d: Draft, *, state: bool) -> None:
    """A `let`, with parameters or without, with a type or without."""
    ghosts = state and d.chance.roll(0.2)
    scope = evolve(PROPERTY if ghosts else GUARD, state=state)
    parameters = None
    if d.chance.roll(0.65):
        parameters = _parameters(d, d.chance.between(0, 2))
    for each, of in parameters or ():
        scope = scope.bind(each, of)
    kinds = [k for k in [BOOL, *part_kinds(d)] if k != INT]
    kind: Kind = d.chance.pick([BOOL, *kinds])
    value = d.terms.value(kind, scope, d.chance.between(1, 2))
    if value.text in ("{}", "[]"):
        raise Stuck
    typed = is_loose(kind) or d.chance.feature("typed let", 0.4)
    if not typed and isinstance(kind, Num):
        kind = Num(f"{value.low}..{value.high}", value.low, value.high, value.high)
    name = d.world.new_lower(d.chance.shuffled(_FUNCTIONS))
    head = "" if parameters is None else f"({_shown(parameters)})"
    result = f": {kind.ref}" if typed else ""
    d.add("let", name, [f"let {name}{head}{result} = {value.text}"])
    d.world.functions.append(Function(name, parameters, kind, state, ghosts))


def _parameters(d: Draft, count: int) -> tuple[tuple[str, Kind], ...]:
    scope = Scope()
    found: list[tuple[str, Kind]] = []
    kinds = [*part_kinds(d), *([INT] if d.chance.feature("int parameter", 0.3) else [])]
    for _ in range(count):
        kind = d.chance.pick(kinds)
        name = d.world.local(kind, scope)
        scope = scope.bind(name, kind)
        found.append((name, kind))
    return tuple(found)


def _shown(parameters: tuple[tuple[str, Kind], ...]) -> str:
    return ", ".join(f"{name}: {kind.ref}" for name, kind in parameters)


def declare_effect(d: Draft) -> None:
    """Updates that actions share."""
    parameters = _parameters(d, d.chance.between(0, 2))
    scope = GUARD
    for name, kind in parameters:
        scope = scope.bind(name, kind)
    body = Body(d, late=None)
    lines = body.statements(scope, d.chance.between(1, 2), 1)
    name = d.world.new_lower(d.chance.shuffled(_EFFECTS))
    d.add("effect", name, [f"effect {name}({_shown(parameters)})", *(f"  {x}" for x in lines)])
    d.world.effects.append(EffectHead(name, parameters, frozenset(body.written)))


# --- actions -----------------------------------------------------------------------


def declare_action(d: Draft, *, fault: bool) -> None:
    """An action or a fault."""
    header, scope, arguments, delivery = _header(d)
    guards: list[str] = []
    for _ in range(d.chance.pick([0, 0, 0, 1, 1, 2])):
        if d.chance.feature("let between guards", 0.06):
            scope = _guard_let(d, scope, guards)
        condition = d.terms.condition(scope, d.chance.pick([0, 0, 1, 1, 2]))
        guards.append(f"when {condition.expr.text}")
        scope = condition.then
    body = Body(d)
    lines: list[str] = []
    if delivery is not None:
        channel, message = delivery
        if d.chance.roll(0.85):  # else the message may be put back in the same step
            body.written += [v for v in d.world.variables if f"{v.group}.{v.name}" == channel]
        body.removed.append(channel)
        lines.append(f"{channel} -= {message}")
    try:
        lines += body.statements(scope, d.chance.pick([1, 2, 2, 3]), d.chance.pick([0, 1, 2]))
    except Stuck:
        if not lines:
            raise
    guards += [f"when {each}" for each in body.guards]
    _add(d, header, arguments, [*guards, *lines], fault=fault)


def declare_driver(d: Draft) -> None:
    """An action about one variable, with something beside it perhaps."""
    made, variable = drive(d)
    scope, guards = made.scope, [f"when {each}" for each in made.guards]
    if d.chance.roll(0.4):
        condition = d.terms.condition(scope, d.chance.pick([0, 1]))
        guards.append(f"when {condition.expr.text}")
        scope = condition.then
    body = Body(d, written=[variable], places=[made.update.split(" ")[0]])
    lines = [made.update]
    if d.chance.roll(0.35):
        with suppress(Stuck):
            lines += body.statements(scope, 1, 1)
    guards += [f"when {each}" for each in body.guards]
    arguments = tuple(made.arguments)
    _add(d, ", ".join(made.binders), arguments, [*guards, *lines], fault=False)


def _add(d: Draft, header: str, arguments: Arguments, body: list[str], *, fault: bool) -> None:
    taken = [action.name for action in d.world.actions]
    name = d.chance.pick([n for n in (_FAULTS if fault else _ACTIONS) if n not in taken])
    marks, bound = _marks(d, arguments, fault)
    head = f"{marks} {name}{f'({header})' if header else ''}{bound}"
    d.add("fault" if fault else "action", name, [head, *(f"  {line}" for line in body)])
    d.world.actions.append(ActionHead(name, arguments, fault))


def _guard_let(d: Draft, scope: Scope, guards: list[str]) -> Scope:
    read = d.chance.pick(d.world.reads(scope))
    name = d.world.local(read.kind, scope)
    guards.append(f"let {name} = {read.text}")
    return scope.bind(name, read.kind)


def _header(d: Draft) -> tuple[str, Scope, Arguments, tuple[str, str] | None]:
    """The choices of a header, what they bind, and a message to be taken off a channel."""
    scope = GUARD
    delivery = None
    written: list[str] = []
    arguments: list[tuple[str, Kind]] = []
    channels = [v for v in d.world.variables if v.channel and isinstance(v.kind, SetOf | BagOf)]
    if channels and d.chance.roll(0.35):
        channel = d.chance.pick(channels)
        assert isinstance(channel.kind, SetOf | BagOf)
        name = d.world.local(channel.kind.element, scope)
        text = f"{channel.group}.{channel.name}"
        scope = scope.bind(name, channel.kind.element).repeated(3)
        written.append(f"{name} in {text}")
        arguments.append((name, channel.kind.element))
        if d.chance.roll(0.8):
            delivery = (text, name)
    groups = [v.key for v in d.world.variables if v.key is not None]
    if groups and d.chance.roll(0.5):
        key = d.chance.pick(groups)
        name = d.world.local(key, scope)
        scope = scope.bind(name, key).repeated(size(key))
        written.append(f"{name} in {key.ref}")
        arguments.append((name, key))
    count = d.chance.pick([0, 0, 1, 1, 2] if written else [0, 1, 1, 2])
    if count:
        try:
            bound = d.terms.binders(scope, count, 1)
        except Stuck:
            return ", ".join(written), scope, tuple(arguments), delivery
        written.append(bound.text)
        arguments += bound.names
        scope = bound.scope
    return ", ".join(written), scope, tuple(arguments), delivery


def _marks(d: Draft, arguments: Arguments, fault: bool) -> tuple[str, str]:
    """What stands before an action's name, and after its header."""
    if fault:
        if d.chance.feature("at most", 0.6):
            bound = Expr(str(d.chance.between(1, 2)))
            if d.chance.roll(0.3):
                bound = _small_parameter(d, bound)
            return "fault", f" at most {bound.text}"
        return "fault", ""
    how = d.chance.weighted({"unfair": 2.5, "fair": 2.0, "strongly fair": 1.0})
    if how == "unfair":
        return "action", ""
    names = [name for name, _ in arguments]
    if names and d.chance.feature("per", 0.25):
        return f"{how} per {', '.join(d.chance.some(names, 1, 2))} action", ""
    return f"{how} action", ""


def _small_parameter(d: Draft, otherwise: Expr) -> Expr:
    numbers = [p for p in d.world.parameters if isinstance(p.kind, Num) and p.kind.low >= 0]
    return Expr(d.chance.pick(numbers).name) if numbers else otherwise


def declare_actions(d: Draft) -> None:
    """Lets, effects, actions and faults."""
    _some(d, d.chance.between(0, 2), lambda: declare_let(d, state=True))
    if d.chance.feature("effect", 0.4):
        _some(d, d.chance.between(1, 2), lambda: declare_effect(d))
    _some(d, d.chance.between(1, 3), lambda: declare_driver(d))
    _some(d, d.chance.between(3, 5), lambda: declare_action(d, fault=False))
    if d.chance.feature("fault", 0.5):
        _some(d, d.chance.between(1, 2), lambda: declare_action(d, fault=True))
    if not any(not action.fault for action in d.world.actions):
        raise Stuck
    if d.chance.feature("stops when", 0.6):
        if d.chance.roll(0.35):
            d.add("stops", "", ["stops when true"])
        else:
            d.add("stops", "", [f"stops when {d.terms.test(GUARD, 2).text}"])
    if d.chance.feature("constraint", 0.12):
        d.constrained = True
        d.add("constraint", "", [f"constraint {_mostly(d).text}"])


def _mostly(d: Draft) -> Expr:
    """A condition that most states satisfy."""
    choices = []
    for read in d.chance.shuffled(d.world.reads(GUARD)):
        match read.kind:
            case Num() if read.root is not None:
                choices.append(Expr(f"{read.text} < {read.kind.high}", Level.COMPARE))
            case SetOf() | BagOf() if read.root is not None:
                choices.append(Expr(f"size({read.text}) <= 1", Level.COMPARE))
            case _:
                pass
    first = choices[0] if choices else d.terms.test(GUARD, 1)
    return disjunction(first, d.terms.test(GUARD, 1))


def _some(d: Draft, count: int, make) -> None:  # type: ignore[no-untyped-def]
    for _ in range(count):
        for _ in range(4):
            try:
                make()
                break
            except Stuck:
                continue
