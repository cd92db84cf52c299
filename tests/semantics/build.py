"""Models by hand: short names for terms, and a builder that keeps the bookkeeping."""

from __future__ import annotations

from typing import Any

from modelcheck.core.model import (
    Action,
    Check,
    Expectation,
    ExpectHolds,
    Fairness,
    Initial,
    Model,
    Property,
)
from modelcheck.core.referee import Limits, check
from modelcheck.core.terms import (
    And,
    Arithmetic,
    Assign,
    AtField,
    AtKey,
    Binder,
    Change,
    Compare,
    Domain,
    Equal,
    Guard,
    Interval,
    Name,
    Not,
    Number,
    Place,
    Read,
    Statement,
    Term,
    Truth,
    Universe,
    Values,
)
from modelcheck.core.types import INT, Map, Range, Seq, Set, Sort, Type, Union
from modelcheck.core.variables import Owner, Variable

NODE = Sort("Node", 2, "n")


def lit(value: int | bool) -> Term:
    if isinstance(value, bool):
        return Truth(value)
    return Number(value, type=INT)


def term(value: Any) -> Term:
    return lit(value) if isinstance(value, int) else value


def eq(left: Any, right: Any) -> Term:
    return Equal(term(left), term(right))


def ne(left: Any, right: Any) -> Term:
    return Not(eq(left, right))


def less(left: Any, right: Any) -> Term:
    return Compare("<", (term(left),), (term(right),))


def plus(left: Any, right: Any) -> Term:
    return Arithmetic("+", term(left), term(right), type=INT)


def minus(left: Any, right: Any) -> Term:
    return Arithmetic("-", term(left), term(right), type=INT)


def both(*operands: Term) -> Term:
    return And(operands)


def name(text: str, type_: Type = INT) -> Name:
    return Name(text, type=type_)


def read(variable: Variable, index: Term | None = None) -> Read:
    return Read(variable, index, type=variable.type)


def place(variable: Variable, *path: Any) -> Place:
    """`path`: the member for an `each` group, then terms for keys and strings for fields."""
    index = term(path[0]) if variable.owner.key is not None else None
    type_, steps = variable.type, []
    for each in path[index is not None :]:
        if isinstance(each, str):
            assert isinstance(type_, Union)
            fields = [f for form in type_.forms for f in form.fields if f.name == each]
            type_ = fields[0].type
            steps.append(AtField(each))
        else:
            assert isinstance(type_, Map | Seq)
            type_ = type_.value if isinstance(type_, Map) else type_.element
            steps.append(AtKey(term(each)))
    return Place(variable, index, tuple(steps), type=type_)


def put(where: Variable | Place, value: Any) -> Assign:
    return Assign(where if isinstance(where, Place) else place(where), term(value))


def add(where: Variable | Place, value: Any) -> Change:
    return Change(where if isinstance(where, Place) else place(where), "+=", term(value))


def take(where: Variable | Place, value: Any) -> Change:
    return Change(where if isinstance(where, Place) else place(where), "-=", term(value))


def when(*conditions: Term) -> Guard:
    return Guard(conditions[0] if len(conditions) == 1 else And(conditions))


def members(type_: Type) -> Domain:
    return Values(Universe(type_, type=Set(type_)))


def to(low: Any, high: Any) -> Domain:
    return Interval(term(low), term(high))


def binder(text: str, domain: Domain | Type, where: Term | None = None) -> Binder:
    if isinstance(domain, Values):
        collection = domain.term.type
        return Binder(text, domain, where, type=getattr(collection, "element", INT))
    if isinstance(domain, Interval):
        return Binder(text, domain, where, type=INT)
    if isinstance(domain, Type):
        return Binder(text, members(domain), where, type=domain)
    return Binder(text, domain, where)


class Building:
    """A model in the making."""

    def __init__(self, title: str = "M") -> None:
        self.title = title
        self.owners: list[Owner] = []
        self.variables: list[Variable] = []
        self.actions: list[Action] = []
        self.bounded = 0
        self.initial: list[Initial] = []

    def owner(self, title: str, key: Type | None = None, *, channel: bool = False) -> Owner:
        kind = "channel" if channel else "single" if key is None else "each"
        self.owners.append(Owner(title, kind, key))
        return self.owners[-1]

    def variable(
        self,
        owner: Owner,
        title: str,
        type_: Type,
        initial: Any = None,
        *,
        choice: Domain | None = None,
        volatile: bool = False,
    ) -> Variable:
        first = None if initial is None else term(initial)
        position = len(self.variables)
        self.variables.append(Variable(title, owner, type_, position, volatile=volatile))
        self.initial.append(Initial(first, choice))
        return self.variables[-1]

    def number(self, title: str, low: int, high: int, initial: int = 0) -> Variable:
        """A number of the group `s`."""
        owner = next((o for o in self.owners if o.name == "s"), None) or self.owner("s")
        return self.variable(owner, title, Range(low, high), initial)

    def action(
        self,
        title: str,
        *body: Statement,
        choose: tuple[Binder, ...] = (),
        fair: str | None = None,
        per: tuple[int, ...] | None = None,
        fault: bool = False,
        at_most: int | None = None,
        process: int | None = None,
    ) -> None:
        asked = tuple(range(len(choose))) if per is None else per
        fairness = None if fair is None else Fairness(fair == "strong", asked)
        counter = None if at_most is None else self.bounded
        self.bounded += at_most is not None
        self.actions.append(Action(title, fault, choose, body, fairness, at_most, counter, process))

    def model(self, *properties: Property, **others: Any) -> Model:
        """`init`, `stops`, `constraint` by name."""
        actions = [
            a
            if a.counter is None
            else Action(
                a.name,
                a.fault,
                a.binders,
                a.body,
                a.fairness,
                a.at_most,
                a.counter + len(self.variables),
                a.process,
            )
            for a in self.actions
        ]
        return Model(
            self.title,
            (),
            tuple(self.owners),
            tuple(self.variables),
            tuple(self.initial),
            others.get("init", ()),
            tuple(actions),
            properties,
            others.get("stops"),
            others.get("constraint"),
        )


def run(model: Model, *expected: Expectation, keep_going: bool = False, **limits: Any) -> Any:
    """The outcome of a check of the model; without expectations, that it holds."""
    wanted = Check("c", model, expected or (ExpectHolds(),))
    return check(wanted, Limits(**limits), keep_going)
