"""What lemmas can speak of: elements of a model, and atoms about one or two of them.

An *element* is a member of a group, in a form that its union variable may have, an
element of a set, a key of a map, or a variable that belongs to nobody, in one of its
forms. A *shape* is none, one or two of them, bound by `forall`; its atoms compare what can be read from them with each other, with the
variables that belong to nobody, and with the file's constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from attrs import Factory, define, evolve, fields, frozen, has

from modelcheck.core.model import Model
from modelcheck.core.terms import (
    Absent,
    Arithmetic,
    Binder,
    Call,
    Compare,
    Domain,
    Equal,
    Exists,
    Get,
    In,
    Interval,
    IsForm,
    Lookup,
    Make,
    Name,
    Number,
    Parameter,
    Present,
    Read,
    Term,
    Universe,
    Values,
)
from modelcheck.core.types import (
    Bool,
    Int,
    Map,
    Option,
    Range,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.core.variables import Variable

_MOST_MADE = 4
"""Of a record put together from what an element has, for each set of such records."""


@frozen
class Element:
    """
    binders  one, of an element of a member's set two, of a variable none
    given    of a variable: that it has the form
    """

    binders: tuple[Binder, ...]
    given: IsForm | None = None


@frozen
class Shape:
    """
    binders  what is bound by `forall`
    given    what holds of the state where the shape is found
    atoms    conditions over the bound names and the state
    names    of each atom, those of the bound names that stand in it
    """

    binders: tuple[Binder, ...]
    given: tuple[Term, ...]
    atoms: tuple[Term, ...]
    names: tuple[frozenset[str], ...]


def shapes(model: Model, wide: bool = False) -> tuple[Shape, ...]:
    """The shapes of a model, the smaller ones first.

    wide  whether numbers are compared that have not the same upper bound, and records sought in sets
    """
    return _Vocabulary(model, wide).shapes()


@define(eq=False)
class _Vocabulary:
    model: Model
    wide: bool
    taken: set[str] = Factory(set)
    offsets: tuple[Term, ...] = ()
    sets: tuple[Variable, ...] = ()
    maps: tuple[Variable, ...] = ()

    def __attrs_post_init__(self) -> None:
        self.taken = {owner.name for owner in self.model.owners}
        self.taken |= {each.function.name for each in walk(self.model) if isinstance(each, Call)}
        self.taken |= {action.name for action in self.model.actions}
        self.offsets = _offsets(self.model)
        self.sets = tuple(v for v in self.model.variables if isinstance(v.type, Set))
        self.maps = tuple(v for v in self.model.variables if isinstance(v.type, Map))

    def shapes(self) -> tuple[Shape, ...]:
        elements = self.elements()
        found = [self.shape(())]
        found += [self.shape((each,)) for each in elements]
        for number, each in enumerate(elements):
            if len(each.binders) <= 1:
                first = number if each.binders else number + 1
                others = (e for e in elements[first:] if len(e.binders) <= 1)
                found += [self.shape((each, other)) for other in others]
        return tuple(each for each in found if each.atoms)

    # --- elements ---

    def elements(self) -> list[Element]:
        """Variables in their forms, then members of groups, of sets, then keys of maps."""
        found: list[Element] = list(self.forms())
        for owner in self.model.owners:
            if owner.kind == "each" and owner.key is not None:
                found += self.members(owner.key)
        for variable in self.sets:
            found += self.of_set(variable)
        bound = [_of(each.binders[0].domain) for each in found if each.binders]
        for key in self.loose_types():
            domain = _domain(key)
            if domain is not None and _of(domain) not in bound:
                bound.append(_of(domain))
                found.append(_element(domain, key))
        return found

    def forms(self) -> Iterator[Element]:
        """The variables of no member that have forms with fields."""
        for variable in self.model.variables:
            type_ = variable.type
            if variable.owner.key is None and isinstance(type_, Union) and _is_sum(type_):
                read = Read(variable, None, type=type_)
                for form in range(len(type_.forms)):
                    yield Element((), IsForm(read, form))

    def members(self, key: Type) -> Iterator[Element]:
        """The members of a group, by the forms of the variables that have some."""
        domain = _domain(key)
        if domain is None:
            return
        unions = [
            v
            for v in self.model.variables
            if v.owner.key == key and isinstance(v.type, Union) and _is_sum(v.type)
        ]
        if not unions:
            yield _element(domain, key)
        for variable in unions:
            assert isinstance(variable.type, Union)
            for form in range(len(variable.type.forms)):
                bare = _element(domain, key)
                (binder,) = bare.binders
                read = Read(variable, Name(binder.name, type=key), type=variable.type)
                yield evolve(bare, binders=(evolve(binder, where=IsForm(read, form)),))

    def of_set(self, variable: Variable) -> Iterator[Element]:
        """The elements of a set, by their forms; members that only have a name are no elements."""
        assert isinstance(variable.type, Set)
        element, key = variable.type.element, variable.owner.key
        if isinstance(element, Sort):
            return
        outer: tuple[Binder, ...] = ()
        index: Term | None = None
        if key is not None:
            domain = _domain(key)
            if domain is None:
                return
            outer = _element(domain, key).binders
            index = Name(outer[0].name, type=key)
        whole = Values(Read(variable, index, type=variable.type))
        inner = _element(whole, element, {each.name for each in outer})
        (binder,) = inner.binders
        if isinstance(element, Union) and _is_sum(element):
            for form in range(len(element.forms)):
                where = IsForm(Name(binder.name, type=element), form)
                yield evolve(inner, binders=(*outer, evolve(binder, where=where)))
        else:
            yield evolve(inner, binders=(*outer, binder))

    def loose_types(self) -> Iterator[Type]:
        """Keys of maps, and sorts that a set is over."""
        for variable in self.maps:
            assert isinstance(variable.type, Map)
            yield variable.type.key
        for variable in self.sets:
            assert isinstance(variable.type, Set)
            if isinstance(variable.type.element, Sort):
                yield variable.type.element

    # --- shapes ---

    def shape(self, elements: tuple[Element, ...]) -> Shape:
        """The shape of these elements, each under a name of its own."""
        bound: list[Binder] = []
        own: list[list[Term]] = []
        given = tuple(each.given for each in elements if each.given is not None)
        for each in elements:
            if each.given is not None:
                own.append(list(self.parts(each.given.subject, each.given, 2)))
                continue
            new = self.renamed(each, {binder.name for binder in bound})
            bound += new
            own.append([o for b in new for o in self.operands(Name(b.name, type=b.type), b)])
        shared = [] if len(elements) > 1 else list(self.globals())
        atoms: dict[Term, None] = {}
        everything = [*shared, *(o for each in own for o in each)]
        for operand in everything:
            atoms.update(dict.fromkeys(self.about(operand)))
        for left, right in combinations(everything, 2):
            atoms.update(dict.fromkeys(self.between(left, right)))
        if len(elements) <= 1:
            for each in own:
                atoms.update(dict.fromkeys(self.made(each)))
        if self.wide and len(elements) <= 1:
            used = {binder.name for binder in bound}
            atoms.update(dict.fromkeys(self.partners(everything, used)))
        names = [frozenset(binder.name for binder in bound) & _names(atom) for atom in atoms]
        return Shape(tuple(bound), given, tuple(atoms), tuple(names))

    def renamed(self, element: Element, used: set[str]) -> list[Binder]:
        """The binders under names that are free."""
        binders = list(element.binders)
        for position, binder in enumerate(binders):
            name = self.free(binder.name, used)
            if name != binder.name:
                later = binders[position:]
                binders[position:] = [_rename(each, binder.name, name) for each in later]
            used = {*used, name}
        return binders

    def free(self, wanted: str, used: set[str]) -> str:
        names = [wanted, f"{wanted}2", *(f"{wanted}{wanted}{n}" for n in range(1, 99))]
        return next(name for name in names if name not in used and name not in self.taken)

    # --- operands ---

    def globals(self) -> Iterator[Term]:
        """What belongs to no member."""
        for variable in self.model.variables:
            if variable.owner.key is None:
                yield from self.parts(Read(variable, None, type=variable.type), None, 0)

    def operands(self, name: Name, binder: Binder) -> Iterator[Term]:
        """What can be read from an element."""
        yield from self.parts(name, binder.where, 2)

    def parts(self, term: Term, where: Term | None, depth: int) -> Iterator[Term]:
        """The term and what it is made of, as far as it is a scalar or a record.

        depth  how many times a member's variables, or a map's entries, are looked up
        """
        type_ = term.type
        match type_:
            case Bool() | Int() | Range() | Option():
                yield term
            case Sort():
                yield term
                if depth:
                    yield from self.followed(term, where, depth - 1)
            case Union() if _is_sum(type_):
                form = _known_form(term, where)
                if form is not None:
                    for field in type_.forms[form].fields:
                        read = Get(term, field.name, type=field.type)
                        yield from self.parts(read, where, min(depth, 1))
            case Union():
                yield term
                if not type_.is_enum:
                    for field in type_.forms[0].fields:
                        read = Get(term, field.name, type=field.type)
                        yield from self.parts(read, where, min(depth, 1))
        if depth:
            yield from self.entries(term, where, depth - 1)

    def followed(self, member: Term, where: Term | None, depth: int) -> Iterator[Term]:
        """The variables of a member."""
        for variable in self.model.variables:
            if variable.owner.key == member.type:
                yield from self.parts(Read(variable, member, type=variable.type), where, depth)

    def entries(self, key: Term, where: Term | None, depth: int) -> Iterator[Term]:
        """What maps have at the key."""
        for variable in self.maps:
            assert isinstance(variable.type, Map)
            if variable.owner.key is None and variable.type.key == key.type:
                whole = Read(variable, None, type=variable.type)
                yield from self.parts(Lookup(whole, key, type=variable.type.value), where, depth)

    # --- atoms ---

    def about(self, operand: Term) -> Iterator[Term]:
        """Atoms about one operand."""
        match operand.type:
            case Bool():
                yield operand
            case Union() as union if union.is_enum:
                for form in range(len(union.forms)):
                    yield Equal(operand, Make(form, (), type=union))
            case Option(item):
                yield Equal(operand, Absent(type=operand.type))
                if isinstance(item, Union) and item.is_enum:
                    for form in range(len(item.forms)):
                        made = Present(Make(form, (), type=item), type=operand.type)
                        yield Equal(operand, made)
            case Int() | Range():
                if isinstance(operand, Read):
                    first = self.model.initial[operand.variable.position].value
                    if isinstance(first, Number):
                        yield Equal(operand, first)
        for variable in self.sets:
            assert isinstance(variable.type, Set)
            if variable.owner.key is None and self.agree(variable.type.element, operand.type):
                yield In(operand, Read(variable, None, type=variable.type))

    def between(self, left: Term, right: Term) -> Iterator[Term]:
        """Atoms about two operands."""
        a, b = left.type, right.type
        if isinstance(b, Option) and not isinstance(a, Option):
            left, right, a, b = right, left, b, a
        if isinstance(a, Option) and not isinstance(b, Option):
            if self.agree(a.item, b):
                yield Equal(left, Present(right, type=a))
        elif isinstance(a, Int | Range) and isinstance(b, Int | Range):
            if self.agree(a, b):
                yield Equal(left, right)
                yield Compare("<=", (left,), (right,))
                yield Compare("<=", (right,), (left,))
                for offset in self.offsets:
                    yield from _apart(left, right, offset)
        elif self.agree(a, b) and not isinstance(a, Bool):
            yield Equal(left, right)
        yield from self.inside(left, right)
        yield from self.inside(right, left)

    def inside(self, element: Term, owner: Term) -> Iterator[Term]:
        """Whether the one is in a set of the other."""
        for variable in self.sets:
            assert isinstance(variable.type, Set)
            if variable.owner.key == owner.type and self.agree(variable.type.element, element.type):
                yield In(element, Read(variable, owner, type=variable.type))

    def made(self, operands: list[Term]) -> Iterator[Term]:
        """Whether a record of what the element has is in a set."""
        for variable in self.sets:
            assert isinstance(variable.type, Set)
            element = variable.type.element
            if variable.owner.key is not None or not isinstance(element, Union):
                continue
            for form, each in enumerate(element.forms):
                if not each.fields:
                    continue
                choices = [[o for o in operands if o.type == f.type] for f in each.fields]
                for chosen in _few(choices):
                    record = Make(form, chosen, type=element)
                    yield In(record, Read(variable, None, type=variable.type))

    def partners(self, operands: list[Term], used: set[str]) -> Iterator[Term]:
        """Whether some record in a set has this value in a field."""
        for variable in self.sets:
            assert isinstance(variable.type, Set)
            record = variable.type.element
            if variable.owner.key is not None or not isinstance(record, Union):
                continue
            if record.is_enum or _is_sum(record):
                continue
            domain = Values(Read(variable, None, type=variable.type))
            for field in record.forms[0].fields:
                for operand in operands:
                    if isinstance(operand.type, Bool | Union) or operand.type != field.type:
                        continue
                    name = self.free(variable.name[0], used)
                    bound = Name(name, type=record)
                    body = Equal(Get(bound, field.name, type=field.type), operand)
                    yield Exists((Binder(name, domain, type=record),), body)

    def agree(self, one: Type, other: Type) -> bool:
        """Whether values of the two are compared."""
        if isinstance(one, Int | Range) and isinstance(other, Int | Range):
            return self.wide or _high(one) == _high(other)
        return one == other


def _high(type_: Int | Range) -> object:
    return type_.high.value if isinstance(type_.high, Number) else type_.high


def _is_sum(union: Union) -> bool:
    """Whether it has several forms, and not only names."""
    return len(union.forms) > 1 and not union.is_enum


def _known_form(term: Term, where: Term | None) -> int | None:
    if isinstance(where, IsForm) and where.subject == term:
        return where.form
    return None


def _domain(type_: Type) -> Domain | None:
    """The values of a type, as a file can write them."""
    match type_:
        case Sort():
            return Values(Universe(type_, type=Set(type_)))
        case Union() if type_.is_enum:
            return Values(Universe(type_, type=Set(type_)))
        case Range(low, high):
            return Interval(Number(low, type=type_), Number(high, type=type_))
        case Int(low, high) if low is not None and high is not None:
            return Interval(low, high)
        case _:
            return None


def _of(domain: Domain) -> object:
    return domain.term if isinstance(domain, Values) else domain


def _element(domain: Domain, type_: Type, used: Iterable[str] = ()) -> Element:
    match type_:
        case Sort() | Union():
            stem = type_.name[0].lower()
        case _:
            stem = "i"
    if stem in used:
        stem = f"{stem}2"
    return Element((Binder(stem, domain, type=type_),))


def _apart(left: Term, right: Term, offset: Term) -> Iterator[Term]:
    for low, high in ((left, right), (right, left)):
        more = Arithmetic("+", low, offset, type=low.type)
        if isinstance(offset, Number):
            yield Equal(high, more)
        else:
            yield Compare("<=", (high,), (more,))


def _few(choices: list[list[Term]]) -> list[tuple[Term, ...]]:
    chosen: list[tuple[Term, ...]] = [()]
    for each in choices:
        chosen = [(*some, one) for some in chosen for one in each][:_MOST_MADE]
    return chosen


def _offsets(model: Model) -> tuple[Term, ...]:
    """What the file adds to numbers: 1 and parameters."""
    found: dict[Term, None] = {}
    for each in walk((model.actions, model.properties)):
        if isinstance(each, Arithmetic) and each.operator in ("+", "-"):
            right = each.right
            if isinstance(right, Parameter) or (isinstance(right, Number) and right.value == 1):
                found[right] = None
    return tuple(found)


def _names(term: Term) -> frozenset[str]:
    return frozenset(each.name for each in walk(term) if isinstance(each, Name))


def _rename(binder: Binder, old: str, new: str) -> Binder:
    def put(each: Any) -> Any:
        match each:
            case Name(name) if name == old:
                return evolve(each, name=new)
            case Binder(name) if name == old:
                return rebuilt(evolve(each, name=new), put)
            case _:
                return rebuilt(each, put)

    result = put(binder)
    assert isinstance(result, Binder)
    return result


def walk(part: Any) -> Iterator[Any]:
    """Every piece of data that terms, statements and properties are made of; not of types."""
    todo = [part]
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += reversed(each)
        elif has(type(each)) and not isinstance(each, Variable):
            yield each
            todo += [getattr(each, f.name) for f in fields(type(each)) if f.name not in _APART]


_APART = frozenset({"type", "span", "doc"})


def rebuilt(part: Any, put: Any) -> Any:
    """The part with `put` applied to everything that it is made of; types included."""
    if isinstance(part, tuple):
        return tuple(put(each) for each in part)
    if not has(type(part)):
        return part
    changes = {
        f.name: put(getattr(part, f.name)) for f in fields(type(part)) if f.name not in _KEPT
    }
    return evolve(part, **changes)


_KEPT = frozenset({"span", "doc"})
