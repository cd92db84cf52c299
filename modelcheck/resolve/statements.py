"""Statements: bodies of actions, effects and operations, from trees to core statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from attrs import Factory, define, evolve

from modelcheck.core import terms as core
from modelcheck.core.types import INT, Bag, Map, Nothing, Seq, Set, Type, Union
from modelcheck.core.variables import Owner, Variable
from modelcheck.diagnostics import Collector, Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.binders import bind
from modelcheck.resolve.calls import parameter_types
from modelcheck.resolve.elaborating import shortened
from modelcheck.resolve.forms import number_of
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.markers import Markers
from modelcheck.resolve.names import EffectEntity, GroupEntity, LetEntity, Module
from modelcheck.resolve.scope import Bound, Scope, Site
from modelcheck.resolve.terms import Elaborator
from modelcheck.resolve.types import agree, describe
from modelcheck.resolve.variables import member_variables
from modelcheck.source import Span


@define
class Written:
    """What a body was seen to write, and to return."""

    real: Span | None = None
    ghost: Span | None = None
    returns: list[Type] = Factory(list)


@define(eq=False)
class Statements:
    """Elaborates bodies.

    markers    elaborates what tells of calls and returns; None in an operation of an object
    result     of that operation, its type
    """

    terms: Elaborator
    collector: Collector
    markers: Markers | None
    result: Type | None = None
    _effects: dict[object, tuple[core.Effect, Written]] = Factory(dict)
    _open_effects: list[EffectEntity] = Factory(list)

    def body(
        self,
        statements: Sequence[tree.Statement],
        scope: Scope,
        written: Written,
        condition_ghost: Span | None = None,
    ) -> tuple[core.Statement, ...]:
        """A block in order; names bound in it are known to the statements after.

        condition_ghost  where a surrounding condition read a ghost: then only ghosts may be written
        """
        done: list[core.Statement] = []
        for statement in statements:
            more, scope = self.statement(statement, scope, written, condition_ghost)
            done += more
        self._refuse_certain_double_writes(done)
        return tuple(done)

    def statement(
        self,
        statement: tree.Statement,
        scope: Scope,
        written: Written,
        condition_ghost: Span | None,
    ) -> tuple[list[core.Statement], Scope]:
        """One statement, and the scope of what follows it."""
        terms = self.terms
        span = statement.span
        match statement:
            case tree.When(tested):
                condition = terms.condition(tested, scope.at(_site(scope, "a guard")))
                inner = terms.after(condition, scope, tested.span)
                binds = [core.Bind(name, value, span=span) for name, value in condition.lets]
                return [core.Guard(condition.term, span=span), *binds], inner
            case tree.LocalLet(name, value):
                with terms.watch() as reads:
                    bound = terms.term(value, scope.at(_site(scope, "a `let`", ghosts=True)))
                terms.refuse_shadowing(name.name, name.span, scope)
                ghost = reads.ghost is not None
                inner = scope.bind(name.name, Bound(bound.type, name.span, ghost))
                return [core.Bind(name.name, bound, span=span)], inner
            case tree.Update():
                return self._update(statement, scope, written, condition_ghost), scope
            case tree.IfStatement():
                return [self._if(statement, scope, written, condition_ghost)], scope
            case tree.For(binders, block):
                with terms.watch() as reads:
                    made, inner = bind(
                        terms, binders, scope.at(_site(scope, "a `for`", ghosts=True))
                    )
                ghost_place = condition_ghost or reads.ghost
                body = self.block(block, inner.at(scope.site), written, ghost_place)
                return [core.Repeat(made, body, span=span)], scope
            case tree.Lose(owner):
                return self._lose(owner, span, scope, written, condition_ghost), scope
            case tree.EffectCall():
                return self._invoke(statement, scope, written, condition_ghost), scope
            case tree.CallMarker() | tree.ReturnMarker() | tree.Abandon():
                if self.markers is None:
                    self._refuse_marker(statement)
                    return [], scope
                result = scope.at(_site(scope, "a result", ghosts=True))
                marker = self.markers.marker(statement, scope, result)
                if isinstance(marker, core.ReturnOperation) and marker.value is not None:
                    written.returns.append(marker.value.type)
                return [marker], scope
            case tree.Returns(value):
                return self._returns(value, span, scope, written), scope
            case _:
                assert_never(statement)

    def _refuse_marker(self, statement: tree.Statement) -> None:
        word = statement.span.text.split()[0]
        self.collector.error(
            "marker-in-operation",
            f"`{word}` in an operation",
            Span(statement.span.source, statement.span.start, statement.span.start + len(word)),
            notes=(f"`{word}` marks a step of a protocol that an object is compared with",),
            help=("an operation answers by `returns t`, and calls nothing",),
        )

    def _returns(
        self, value: tree.Term, span: Span, scope: Scope, written: Written
    ) -> list[core.Statement]:
        if self.markers is not None:
            self.collector.error(
                "returns-outside-operation",
                "`returns` in an action",
                Span(span.source, span.start, span.start + len("returns")),
                notes=("an operation of an object `returns t`",),
                help=("in an action write `return t by c`",),
            )
        elif self.result is None:
            self.collector.error(
                "undeclared-result",
                "the operation returns a value of no declared type",
                span,
                help=("declare it in the head: `operation read(): Value`",),
            )
        else:
            result = self.terms.wanted(value, scope, self.result)
            written.returns.append(result.type)
            return [core.ReturnOperation(result, None, span=span)]
        return []

    def block(
        self,
        statements: Sequence[tree.Statement],
        scope: Scope,
        written: Written,
        condition_ghost: Span | None,
    ) -> tuple[core.Statement, ...]:
        """The body of an `if` or `for`; that it has no guards is the parser's to say."""
        assert not any(isinstance(each, tree.When) for each in statements)
        return self.body(statements, scope, written, condition_ghost)

    # --- places ---------------------------------------------------------------------

    def place(self, term: tree.Term, scope: Scope) -> core.Place | None:
        """Where an update writes; None after an error."""
        anywhere = scope.at(_site(scope, "a place", ghosts=True))
        value = self.terms.term(term, anywhere)
        if isinstance(value.type, Nothing):
            return None
        place = _as_place(value)
        if place is None:
            self.collector.error(
                "not-a-place",
                f"`{' '.join(term.span.text.split())}` is updated, and is no variable",
                term.span,
                help=(
                    "write a variable, an entry of a map or sequence, or a field: "
                    "`n.role`, `m[k]`, `n.role.seen`",
                ),
            )
            return None
        return evolve(place, span=term.span)

    def _update(
        self, update: tree.Update, scope: Scope, written: Written, condition_ghost: Span | None
    ) -> list[core.Statement]:
        terms = self.terms
        place = self.place(update.place, scope)
        if place is None:
            terms.term(update.value, scope.at(_site(scope, "an update", ghosts=True)))
            return []
        self._note(place.variable, update.place.span, written, condition_ghost)
        # Under a condition that reads a ghost the whole update was reported.
        ghosts = place.variable.ghost or condition_ghost is not None
        reading = scope.at(_site(scope, "an update of an ordinary variable", ghosts=ghosts))
        if not ghosts:
            self._judge_ghost_index(update.place, scope)
        span = update.span
        if update.operator == ":=":
            value = terms.wanted(update.value, reading, place.type)
            return [core.Assign(place, value, span=span)]
        operator = update.operator
        type_ = place.type
        match type_:
            case Set(element):
                value = terms.term(update.value, reading, type_)
                if not isinstance(value.type, Set | Nothing):
                    one = terms.fit(value, element, update.value.span)
                    value = core.SetOf((one,), type=Set(one.type), span=value.span)
                elif not agree(value.type, type_):
                    value = terms.fit(value, type_, update.value.span)
            case Bag(element):
                value = terms.term(update.value, reading, type_)
                if not isinstance(value.type, Set | Bag | Nothing):
                    one = terms.fit(value, element, update.value.span)
                    value = core.BagOf((one,), type=Bag(one.type), span=value.span)
                else:
                    value = terms.fit(value, type_, update.value.span)
            case Seq(element):
                if operator == "-=":
                    self.collector.error(
                        "remove-from-sequence",
                        "`-=` on a sequence",
                        _operator(update),
                        help=("write what remains: `s := rest(s)`, `s := prefix(s, k)`",),
                    )
                    return []
                value = terms.term(update.value, reading, element)
                if isinstance(value.type, Seq) and not isinstance(element, Seq):
                    self.collector.error(
                        "append-sequence",
                        "`+=` appends one element, and this is a sequence",
                        update.value.span,
                        help=("join sequences by `s := s ++ t`",),
                    )
                    return []
                value = terms.fit(value, element, update.value.span)
            case _ if is_number(type_):
                value = terms.number(update.value, reading)
            case _:
                self.collector.error(
                    "change-of-other",
                    f"`{operator}` on {describe(type_)}",
                    _operator(update),
                    notes=(
                        "`+=` and `-=` change numbers, sets and bags; `+=` appends to sequences",
                    ),
                    help=("write the new value: `place := ...`",),
                )
                terms.term(update.value, reading)
                return []
        return [core.Change(place, operator, value, span=span)]

    def _judge_ghost_index(self, place: tree.Term, scope: Scope) -> None:
        """A real variable's place may not be found through a ghost."""
        with_ghost = scope.at(_site(scope, "the place of an update", ghosts=True))
        with self.terms.watch() as reads:
            self.terms.term(place, with_ghost)
        if reads.ghost is not None:
            place_site = scope.at(_site(scope, "the place of an update"))
            self.terms.ghost_read(
                reads.ghost, place_site, f"the ghost `{shortened(reads.ghost)}` is read"
            )

    def _note(
        self, variable: Variable, span: Span, written: Written, condition_ghost: Span | None
    ) -> None:
        if variable.ghost:
            written.ghost = written.ghost or span
            return
        written.real = written.real or span
        if condition_ghost is not None:
            self.collector.error(
                "ghost-condition",
                f"`{variable.full_name}` is written under a condition that reads a ghost",
                span,
                labels=(Label(condition_ghost, "the ghost"),),
                notes=("a ghost records history for properties; it must not change behaviour",),
                help=("move the update out of the block, or drop `ghost` from the variable",),
            )

    # --- blocks ---------------------------------------------------------------------

    def _if(
        self, statement: tree.IfStatement, scope: Scope, written: Written, ghost: Span | None
    ) -> core.Choice:
        (tested, block), *more = statement.branches
        terms = self.terms
        with terms.watch() as reads:
            condition = terms.condition(tested, scope.at(_site(scope, "an `if`", ghosts=True)))
        ghost = ghost or reads.ghost
        inner = terms.after(condition, scope, tested.span)
        binds = tuple(core.Bind(name, value, span=tested.span) for name, value in condition.lets)
        then = binds + self.block(block, inner, written, ghost)
        outer = scope.know(condition.when_false)
        otherwise: tuple[core.Statement, ...] = ()
        if more:
            rest = evolve(statement, branches=tuple(more))
            otherwise = (self._if(rest, outer, written, ghost),)
        elif statement.otherwise is not None:
            otherwise = self.block(statement.otherwise, outer, written, ghost)
        return core.Choice(condition.term, then, otherwise, span=statement.span)

    def _lose(
        self,
        owner: tree.Term,
        span: Span,
        scope: Scope,
        written: Written,
        condition_ghost: Span | None,
    ) -> list[core.Statement]:
        module = scope.module
        if isinstance(owner, tree.Name) and owner.name not in scope.names:
            group = module.find_lower(owner.name)
            if isinstance(group, GroupEntity):
                owners = [o for o in module.owners if o.name == owner.name and o.kind != "each"]
                return self._lose_owners(
                    owners, None, owner.name, owner.span, span, module, written, condition_ghost
                )
        member = self.terms.term(owner, scope)
        if isinstance(member.type, Nothing):
            return []
        if isinstance(member, core.Name):
            self.terms.indexing.add(member.name)
        found = member_variables(module, member.type, None)
        owners = list(dict.fromkeys(variable.owner for variable in found))
        if not owners:
            self.collector.error(
                "lose-what",
                f"`lose` of {describe(member.type)}",
                owner.span,
                notes=("`lose` resets the volatile variables of a group or of a member",),
                help=("name a group, or a member of an `each` group",),
            )
            return []
        return self._lose_owners(
            owners, member, owners[0].name, owner.span, span, module, written, condition_ghost
        )

    def _lose_owners(
        self,
        owners: list[Owner],
        member: core.Term | None,
        name: str,
        at: Span,
        span: Span,
        module: Module,
        written: Written,
        condition_ghost: Span | None,
    ) -> list[core.Statement]:
        volatile = [v for v in module.variables if v.owner in owners and v.volatile]
        if not volatile:
            self.collector.error(
                "nothing-to-lose",
                f"`{name}` has no volatile variable",
                at,
                notes=("`lose` resets what is `volatile`; everything else survives a crash",),
                help=("mark what a crash destroys: `volatile role: Role = Idle`",),
            )
            return []
        self._note(volatile[0], span, written, condition_ghost)
        losing = list(dict.fromkeys(v.owner for v in volatile))
        return [core.Lose(owner, member, span=span) for owner in losing]

    # --- effects --------------------------------------------------------------------

    def _invoke(
        self, call: tree.EffectCall, scope: Scope, written: Written, condition_ghost: Span | None
    ) -> list[core.Statement]:
        name = call.effect.name
        entity = scope.module.find_lower(name)
        if not isinstance(entity, EffectEntity):
            for argument in call.arguments:
                self.terms.term(argument, scope)
            effects = [
                each
                for each in scope.module.lower_names()
                if isinstance(scope.module.find_lower(each), EffectEntity)
            ]
            close = near(name, effects)
            self.collector.error(
                "unknown-effect",
                f"no effect `{name}`",
                call.effect.span,
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else f"`{name}` is a `let`: use its value inside a term"
                    if isinstance(entity, LetEntity)
                    else f"declare it: `effect {name}(...)` and its updates",
                ),
            )
            return []
        parameters = entity.declaration.parameters
        if len(parameters) != len(call.arguments):
            self.collector.error(
                "effect-arguments",
                f"`{name}` takes {number_of(len(parameters), 'argument')}, "
                f"not {len(call.arguments)}",
                call.span,
                labels=(Label(entity.span, "declared here"),),
                help=("give one argument for each parameter of the effect",),
            )
            return []
        declared = parameter_types(self.terms, parameters, entity.module)
        arguments: list[core.Term] = []
        ghosts: list[bool] = []
        for argument, type_ in zip(call.arguments, declared, strict=True):
            with self.terms.watch() as reads:
                arguments.append(
                    self.terms.wanted(
                        argument, scope.at(_site(scope, "an effect", ghosts=True)), type_
                    )
                )
            ghosts.append(reads.ghost is not None)
        types = tuple(
            each.type if type_ == INT else type_
            for each, type_ in zip(arguments, declared, strict=True)
        )
        made = self._effect(entity, types, tuple(ghosts), call.span)
        if made is None:
            return []
        effect, inside = made
        if self.markers is None:
            self.collector.error(
                "state-in-object",
                f"the effect `{name}` changes the protocol's state in an operation of an object",
                call.span,
                labels=(Label(entity.span, "declared here"),),
                notes=("an object has variables of its own, and an operation changes no others",),
                help=("write the updates of the object's variables in the operation itself",),
            )
            return []
        if inside.real is not None:
            written.real = written.real or call.span
            if condition_ghost is not None:
                self.collector.error(
                    "ghost-condition",
                    f"`{name}` writes real variables under a condition that reads a ghost",
                    call.span,
                    labels=(Label(condition_ghost, "the ghost"),),
                    notes=("a ghost records history for properties; it must not change behaviour",),
                    help=("move the update out of the block, or drop `ghost` from the variable",),
                )
        written.ghost = written.ghost or inside.ghost
        written.returns += inside.returns
        return [core.Invoke(effect, tuple(arguments), span=call.span)]

    def _effect(
        self, entity: EffectEntity, types: tuple[Type, ...], ghosts: tuple[bool, ...], span: Span
    ) -> tuple[core.Effect, Written] | None:
        key = (entity, types, ghosts)
        if key in self._effects:
            return self._effects[key]
        if entity in self._open_effects:
            self.collector.error(
                "recursive-effect",
                f"the effect `{entity.name}` uses itself",
                span,
                labels=(Label(entity.span, "declared here"),),
                help=("write a block for every value with `for x in S`",),
            )
            return None
        scope = Scope(entity.module, Site("an effect"))
        names: list[str] = []
        for parameter, type_, ghost in zip(
            entity.declaration.parameters, types, ghosts, strict=True
        ):
            name = parameter.name.name
            self.terms.refuse_shadowing(name, parameter.name.span, scope)
            scope = scope.bind(name, Bound(type_, parameter.name.span, ghost))
            names.append(name)
        self._open_effects.append(entity)
        written = Written()
        body = self.body(entity.declaration.body, scope, written)
        self._open_effects.pop()
        made = core.Effect(
            entity.name,
            tuple(zip(names, types, strict=True)),
            body,
            span=entity.span,
        )
        self._effects[key] = (made, written)
        return made, written

    def effect_alone(self, entity: EffectEntity) -> None:
        """Check an effect that may not be used anywhere."""
        types = parameter_types(self.terms, entity.declaration.parameters, entity.module)
        self._effect(entity, types, tuple(False for _ in types), entity.span)

    # --- two writes -----------------------------------------------------------------

    def _refuse_certain_double_writes(self, block: Sequence[core.Statement]) -> None:
        """Two updates of one place in one block that cannot both take effect.

        What depends on values (two members that may be equal, a branch) is
        judged when the step is taken.
        """
        seen: dict[core.Place, core.Assign | core.Change] = {}
        for statement in block:
            if not isinstance(statement, core.Assign | core.Change):
                continue
            first = seen.setdefault(statement.place, statement)
            if first is statement or not _conflict(first, statement):
                continue
            place, other = statement.place.span, first.place.span
            assert place is not None and other is not None
            self.collector.error(
                "two-writes",
                f"`{place.text}` is written twice in one step",
                place,
                label="and again here",
                labels=(Label(other, "first written here"),),
                notes=("all updates of an action happen at once, so neither comes last",),
                help=("choose one value with `if ... then ... else`, or split the action in two",),
            )


def _operator(update: tree.Update) -> Span:
    source = update.span.source
    start = source.text.index(update.operator, update.place.span.end)
    return Span(source, start, start + len(update.operator))


def _conflict(first: core.Assign | core.Change, second: core.Assign | core.Change) -> bool:
    if isinstance(first, core.Assign) and isinstance(second, core.Assign):
        return first.value != second.value
    if isinstance(first, core.Change) and isinstance(second, core.Change):
        return isinstance(first.place.type, Seq)
    return True


def _as_place(value: core.Term) -> core.Place | None:
    """The place whose value the term reads."""
    match value:
        case core.Read(variable, index):
            return core.Place(variable, index, (), type=value.type)
        case core.Lookup(inner, key):
            return _into(inner, core.AtKey(key), value.type)
        case core.At(inner, key):
            return _into(inner, core.AtKey(key), value.type)
        case core.Get(inner, name):
            return _into(inner, core.AtField(name), value.type)
        case _:
            return None


def _into(inner: core.Term, step: core.AtKey | core.AtField, type_: Type) -> core.Place | None:
    outer = _as_place(inner)
    if outer is None or not isinstance(outer.type, Map | Seq | Union):
        return None
    return core.Place(outer.variable, outer.index, (*outer.path, step), type=type_)


def _site(scope: Scope, word: str, ghosts: bool = False) -> Site:
    return evolve(scope.site, word=word, ghosts=ghosts or scope.site.ghosts)
