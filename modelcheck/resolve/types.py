"""Types: from what was written to what it denotes; which types agree; how to name one.

Agreement goes by form. Numbers agree whatever their bounds, which are judged
when a value is written; `Nothing` agrees with everything, so an empty literal
fits anywhere and a term with an error causes no second one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from attrs import Factory, define, field

from modelcheck.core.terms import Term
from modelcheck.core.types import (
    BOOL,
    INT,
    NOTHING,
    Bag,
    Bool,
    Field,
    Form,
    Int,
    Map,
    Nothing,
    Option,
    Range,
    Seq,
    Set,
    Sort,
    Type,
    Union,
)
from modelcheck.diagnostics import Collector, Label, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.intervals import hull, is_number
from modelcheck.resolve.names import (
    BoundType,
    BoundValue,
    FormEntity,
    Module,
    ObjectEntity,
    ParameterEntity,
    ProtocolEntity,
    SortEntity,
    TemplateEntity,
    TypeEntity,
)
from modelcheck.source import Span

ConstantBound: TypeAlias = Callable[[tree.Term, Module], int | None]
"""Evaluates a bound: None while a parameter in it has no value, or after an error."""

BoundTerm: TypeAlias = Callable[[tree.Term, Module], Term]
"""Elaborates a bound."""

SortOf: TypeAlias = Callable[[SortEntity], Type]

MOST_PARTS = 20_000
"""Types share their parts, so a few lines can make one that nobody could look through."""


@define(eq=False)
class TypeTable:
    """The meaning of written types, each declared type elaborated once.

    closed   whether every bound has a value, unless it has an error
    general  whether it is a proof's: a bound without a value is a term then
    """

    collector: Collector
    closed: bool
    constant: ConstantBound
    sort: SortOf
    general: bool
    bound_term: BoundTerm
    _done: dict[TypeEntity, Type] = Factory(dict)
    _open: list[TypeEntity] = field(factory=list)
    _sizes: dict[int, int] = Factory(dict)

    def of(self, ref: tree.TypeRef, module: Module) -> Type:
        """The type that `ref` denotes; after an error `NOTHING`."""
        match ref:
            case tree.BasicType(name, optional):
                basic: Type = BOOL if name == "bool" else INT
                return Option(basic) if optional else basic
            case tree.NamedType(name, optional):
                named = self.named(name, ref.span, module)
                if not optional:
                    return named
                return self.option(named, ref.span)
            case tree.RangeType(low, high):
                return self.range(low, high, module)
            case tree.SetType(element, bound):
                inner = self.element(element, module, in_bounded=bound is not None)
                return Set(inner, None if bound is None else self.bound(bound, module))
            case tree.BagType(element, bound):
                inner = self.element(element, module, in_bounded=True)
                return Bag(inner, self.bound(bound, module))
            case tree.SeqType(element, bound):
                return Seq(self.of(element, module), self.bound(bound, module))
            case tree.MapType(key, value):
                return Map(self.element(key, module, in_bounded=False), self.of(value, module))
            case _:
                assert_never(ref)

    def option(self, item: Type, span: Span) -> Type:
        """`T?`, which `T` itself may not be."""
        if isinstance(item, Option):
            self.collector.error(
                "nested-option",
                "an option of an option",
                span,
                notes=("`none` of the outer option and of the inner one would look alike",),
                help=("declare a union: `type Answer = Unknown | Nobody | Somebody(n: Node)`",),
            )
            return item
        return Option(item)

    def range(self, low: tree.Term, high: tree.Term, module: Module) -> Type:
        """`low..high`; without known bounds as long as a parameter has no value."""
        lowest = self.constant(low, module)
        highest = self.constant(high, module)
        if lowest is not None and highest is not None:
            return Range(lowest, highest)
        if self.general:
            return self._between(self.bound_term(low, module), self.bound_term(high, module))
        return NOTHING if self.closed else INT

    def _between(self, low: Term, high: Term) -> Type:
        if isinstance(low.type, Nothing) or isinstance(high.type, Nothing):
            return NOTHING
        return Int(low, high)

    def bound(self, term: tree.Term, module: Module) -> int | None:
        """What stands after `up to`."""
        value = self.constant(term, module)
        if value is not None and value < 0:
            self.collector.error(
                "negative-capacity",
                f"a capacity of {value}",
                term.span,
                notes=("`up to` says how many elements fit at most",),
                help=("give a number from 0 up",),
            )
            return None
        return value

    def element(self, ref: tree.ElementType, module: Module, *, in_bounded: bool) -> Type:
        """The type of a set's or bag's element or a map's key, which holds no collections.

        A sequence may stand inside a bag's or a bounded set's element.
        """
        found = self.of(ref, module)
        inner = collection_inside(found, sequences=not in_bounded)
        if inner is not None:
            self.collector.error(
                "collection-inside",
                f"{describe(inner)} inside an element or key",
                ref.span,
                notes=(
                    "elements of sets and bags, and keys of maps, hold no sets, bags or maps; "
                    "a sequence may stand in a bag's or in a bounded set's element",
                ),
                help=("keep the collection in a variable of its own, under the element's name",),
            )
            return NOTHING
        return found

    def named(self, name: str, span: Span, module: Module) -> Type:
        """The type that an upper-case name denotes."""
        entity = module.find_upper(name)
        help_ = "write a type here: `bool`, a range, a `sort` or a declared `type`"
        match entity:
            case SortEntity():
                return self.sort(entity)
            case BoundType():
                return entity.type
            case TypeEntity():
                return self.declared(entity, span)
            case None:
                self.collector.error(
                    "unknown-type",
                    f"no type `{name}`",
                    span,
                    help=_near_types(name, module),
                )
                return NOTHING
            case FormEntity():
                what = f"a constructor of `{entity.type.name}`"
                help_ = f"write its type, `{entity.type.name}`"
            case ParameterEntity() | BoundValue():
                what = "a parameter"
            case TemplateEntity():
                what = "a template"
            case ObjectEntity():
                what = "an object"
            case ProtocolEntity():
                what = "a protocol"
            case _:
                assert_never(entity)
        self.collector.error(
            "not-a-type",
            f"`{name}` is {what}, not a type",
            span,
            labels=(Label(entity.span, "declared here"),),
            help=(help_,),
        )
        return NOTHING

    def declared(self, entity: TypeEntity, span: Span) -> Type:
        """A declared type, elaborated where it is first met."""
        if entity in self._done:
            return self._done[entity]
        if entity in self._open:
            self.collector.error(
                "recursive-type",
                f"`{entity.name}` contains itself",
                span,
                labels=(Label(entity.span, "declared here"),),
                notes=("a type that contains itself has infinitely many values",),
                help=("put the parts in a `seq of ... up to k`, or name them by a range",),
            )
            return NOTHING
        self._open.append(entity)
        result = self._elaborate(entity)
        self._open.pop()
        parts = self._parts(result)
        if parts > MOST_PARTS:
            self.collector.error(
                "too-deep",
                f"`{entity.name}` has more than {MOST_PARTS:,} parts",
                entity.span,
                notes=("counted are its forms and fields, and those of the fields' types",),
                help=("leave out of a message what can be looked up elsewhere",),
            )
            parts, result = 1, NOTHING
        self._done[entity] = result
        self._sizes[id(result)] = parts
        return result

    def _parts(self, type_: Type) -> int:
        """How many forms and fields a value of the type may be looked through for."""
        if id(type_) in self._sizes:  # of a declared type, which `_done` keeps alive
            return self._sizes[id(type_)]
        match type_:
            case Union(_, forms):
                fields = (each for form in forms for each in form.fields)
                return len(forms) + sum(self._parts(each.type) for each in fields)
            case Option(item):
                return self._parts(item)
            case Set(element) | Bag(element) | Seq(element):
                return self._parts(element)
            case Map(key, value):
                return self._parts(key) + self._parts(value)
            case _:
                return 1

    def _elaborate(self, entity: TypeEntity) -> Type:
        declaration = entity.declaration
        match declaration:
            case tree.Alias():
                ref = declaration.type
                if isinstance(ref, tree.NamedType) and not ref.optional:
                    form = entity.module.find_upper(ref.name)
                    if isinstance(form, FormEntity) and form.type is entity:
                        return Union(entity.name, (Form(ref.name),))
                return self.of(ref, entity.module)
            case tree.Union():
                return Union(
                    entity.name, tuple(self._form(form, entity) for form in declaration.forms)
                )
            case _:
                assert_never(declaration)

    def _form(self, form: tree.Form, entity: TypeEntity) -> Form:
        seen: dict[str, Span] = {}
        fields: list[Field] = []
        for each in form.fields:
            name = each.name.name
            if name in seen:
                self.collector.error(
                    "duplicate-field",
                    f"`{form.name.name}` has two fields `{name}`",
                    each.name.span,
                    labels=(Label(seen[name], "first here"),),
                    help=("give each field of a form a name of its own",),
                )
                continue
            seen[name] = each.name.span
            fields.append(Field(name, self.of(each.type, entity.module)))
        return Form(form.name.name, tuple(fields))


def _near_types(name: str, module: Module) -> tuple[str, ...]:
    candidates = [
        each
        for each in module.upper_names()
        if isinstance(module.find_upper(each), TypeEntity | SortEntity | BoundType)
    ]
    close = near(name, candidates)
    if close:
        return (f"did you mean {listing(close, 'or')}?",)
    if candidates:
        return (f"declared are {listing(candidates[:6])}",)
    return ("declare it: `type T = 0..3` or `sort T`",)


def collection_inside(type_: Type, *, sequences: bool) -> Type | None:
    """The first set, bag or map inside the type (and sequence, if `sequences`), or None."""
    match type_:
        case Set() | Bag() | Map():
            return type_
        case Seq(element):
            return type_ if sequences else collection_inside(element, sequences=False)
        case Option(item):
            return collection_inside(item, sequences=sequences)
        case Union(_, forms):
            for form in forms:
                for each in form.fields:
                    found = collection_inside(each.type, sequences=sequences)
                    if found is not None:
                        return found
            return None
        case Bool() | Int() | Range() | Sort() | Nothing():
            return None
        case _:
            assert_never(type_)


def has_int(type_: Type) -> bool:
    """Whether numbers without any bounds are part of it."""
    match type_:
        case Int():
            return type_ == INT
        case Option(item):
            return has_int(item)
        case Set(element) | Bag(element) | Seq(element):
            return has_int(element)
        case Map(key, value):
            return has_int(key) or has_int(value)
        case Union(_, forms):
            return any(has_int(f.type) for form in forms for f in form.fields)
        case Bool() | Range() | Sort() | Nothing():
            return False
        case _:
            assert_never(type_)


def agree(left: Type, right: Type) -> bool:
    """Whether a value of one type may be compared with one of the other, bounds aside."""
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        return True
    if is_number(left) and is_number(right):
        return True
    match left:
        case Bool():
            return isinstance(right, Bool)
        case Sort(name):
            return isinstance(right, Sort) and right.name == name
        case Union(_, forms):
            return (
                isinstance(right, Union)
                and len(right.forms) == len(forms)
                and all(_forms_agree(a, b) for a, b in zip(forms, right.forms, strict=True))
            )
        case Option(item):
            return isinstance(right, Option) and agree(item, right.item)
        case Set(element):
            return isinstance(right, Set) and agree(element, right.element)
        case Bag(element):
            return isinstance(right, Bag) and agree(element, right.element)
        case Seq(element):
            return isinstance(right, Seq) and agree(element, right.element)
        case Map(key, value):
            return (
                isinstance(right, Map) and keys_agree(key, right.key) and agree(value, right.value)
            )
        case Int() | Range():
            return False
        case _:
            assert_never(left)


def fits(type_: Type, wanted: Type) -> bool:
    """Whether a value of the type may stand where `wanted` is wanted, bounds aside.

    A value is an option of itself, a set is a bag in which each element counts once.
    """
    if agree(type_, wanted):
        return True
    if isinstance(wanted, Option) and not isinstance(type_, Option):
        return agree(type_, wanted.item)
    return (
        isinstance(wanted, Bag) and isinstance(type_, Set) and agree(type_.element, wanted.element)
    )


def keys_agree(left: Type, right: Type) -> bool:
    """Whether two maps under these keys have the same keys: known bounds must be equal."""
    if isinstance(left, Range) and isinstance(right, Range):
        return left == right
    if isinstance(left, Int) and isinstance(right, Int) and INT not in (left, right):
        return left == right
    return agree(left, right)


def _forms_agree(left: Form, right: Form) -> bool:
    return (
        left.name == right.name
        and len(left.fields) == len(right.fields)
        and all(
            a.name == b.name and agree(a.type, b.type)
            for a, b in zip(left.fields, right.fields, strict=True)
        )
    )


def join(left: Type, right: Type) -> Type | None:
    """The smallest type with the values of both; None if they disagree.

    An option if one of them is.
    """
    if isinstance(left, Nothing):
        return right
    if isinstance(right, Nothing):
        return left
    if is_number(left) and is_number(right):
        return hull(left, right)
    if isinstance(left, Option) or isinstance(right, Option):
        item = join(
            left.item if isinstance(left, Option) else left,
            right.item if isinstance(right, Option) else right,
        )
        return None if item is None else Option(item)
    if not agree(left, right):
        return None
    match left, right:
        case Set(a), Set(b):
            element = join(a, b)
            return None if element is None else Set(element)
        case Bag(a), Bag(b):
            element = join(a, b)
            return None if element is None else Bag(element)
        case Seq(a, k), Seq(b, m):
            element = join(a, b)
            return None if element is None else Seq(element, _larger(k, m))
        case Map(key, a), Map(_, b):
            value = join(a, b)
            return None if value is None else Map(key, value)
        case Union(), Union():
            return _join_unions(left, right)
        case _:
            return left


def _larger(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else max(left, right)


def _join_unions(left: Union, right: Union) -> Type:
    if left == right:
        return left
    forms = []
    for a, b in zip(left.forms, right.forms, strict=True):
        fields = []
        for x, y in zip(a.fields, b.fields, strict=True):
            joined = join(x.type, y.type)
            fields.append(Field(x.name, x.type if joined is None else joined))
        forms.append(Form(a.name, tuple(fields)))
    return Union(left.name, tuple(forms))


def describe(type_: Type) -> str:
    """The type in words, with its article: "a number", "a set of `Node`"."""
    match type_:
        case Bool():
            return "a truth value"
        case Int() | Range():
            return "a number"
        case Sort(name):
            return f"a `{name}`"
        case Union():
            return f"a `{type_.name}`"
        case Option(item):
            return "`none`" if isinstance(item, Nothing) else f"an option of {_plural(item)}"
        case Set(element):
            return (
                "the empty set" if isinstance(element, Nothing) else f"a set of {_plural(element)}"
            )
        case Bag(element):
            return (
                "an empty bag" if isinstance(element, Nothing) else f"a bag of {_plural(element)}"
            )
        case Seq(element):
            if isinstance(element, Nothing):
                return "the empty sequence"
            return f"a sequence of {_plural(element)}"
        case Map(key, value):
            return f"a map from {_plural(key)} to {_plural(value)}"
        case Nothing():
            return "a term with an error"
        case _:
            assert_never(type_)


def _plural(type_: Type) -> str:
    match type_:
        case Bool():
            return "truth values"
        case Int() | Range():
            return "numbers"
        case Sort(name):
            return f"`{name}`"
        case Union():
            return f"`{type_.name}`"
        case Option(item):
            return f"options of {_plural(item)}"
        case Set(element):
            return f"sets of {_plural(element)}"
        case Bag(element):
            return f"bags of {_plural(element)}"
        case Seq(element):
            return f"sequences of {_plural(element)}"
        case Map(key, value):
            return f"maps from {_plural(key)} to {_plural(value)}"
        case Nothing():
            return "nothing"
        case _:
            assert_never(type_)
