"""Who declares what: the names of a file, of a template's instance, and of an object.

A `Module` is a table of names with the place they come from. Imported names
stand in the importing module's table but keep the module in which their
declaration is read, so an imported `let` sees its own file.

Upper-case names (types, constructors, parameters, sorts, templates, objects,
protocols), lower-case ones (groups, `let`s, effects), actions, and properties
are four name spaces.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import Factory, define, field, frozen

from modelcheck.core.model import Initial
from modelcheck.core.terms import Term
from modelcheck.core.types import Type
from modelcheck.core.variables import Owner
from modelcheck.core.variables import Variable as CoreVariable
from modelcheck.diagnostics import Collector, Label
from modelcheck.parse import tree
from modelcheck.source import Source, Span

BUILTINS = frozenset(
    ("size", "empty", "min", "max", "first", "last", "rest", "prefix", "len", "majority")
)
"""Functions of the language. Fields and variables may be called so, a `let` may not."""


@frozen(eq=False)
class ParameterEntity:
    """`param N: int`, `axis DET: bool`"""

    name: str
    module: Module = field(repr=False)
    type: tree.TypeRef
    default: tree.Term | None
    span: Span = field(repr=False)
    axis: bool = False


@frozen(eq=False)
class SortEntity:
    name: str
    span: Span = field(repr=False)


@frozen(eq=False)
class TypeEntity:
    """A declared type"""

    name: str
    module: Module = field(repr=False)
    declaration: tree.Alias | tree.Union
    span: Span = field(repr=False)


@frozen(eq=False)
class FormEntity:
    """A constructor, and the type it belongs to"""

    name: str
    type: TypeEntity
    form: tree.Form | None
    span: Span = field(repr=False)


@frozen(eq=False)
class BoundType:
    """A type parameter's argument, or the opaque type that stands for it"""

    name: str
    type: Type
    span: Span = field(repr=False)


@frozen(eq=False)
class BoundValue:
    """A value parameter's argument"""

    name: str
    term: Term
    span: Span = field(repr=False)


@frozen(eq=False)
class TemplateEntity:
    name: str
    module: Module = field(repr=False)
    declaration: tree.Template
    span: Span = field(repr=False)


@frozen(eq=False)
class ObjectEntity:
    name: str
    module: Module = field(repr=False)
    declaration: tree.Object
    span: Span = field(repr=False)


@frozen(eq=False)
class ProtocolEntity:
    """An imported protocol, to be refined"""

    name: str
    module: Module = field(repr=False)
    span: Span = field(repr=False)


UpperEntity: TypeAlias = (
    ParameterEntity
    | SortEntity
    | TypeEntity
    | FormEntity
    | BoundType
    | BoundValue
    | TemplateEntity
    | ObjectEntity
    | ProtocolEntity
)


@frozen(eq=False)
class GroupEntity:
    name: str
    declaration: tree.Group
    span: Span = field(repr=False)


@frozen(eq=False)
class LetEntity:
    """A `let`, or a template's function or value argument.

    parameters   names with their types; None for the argument of a template that gives names
                 only: then `types` has them
    """

    name: str
    module: Module = field(repr=False)
    parameters: tuple[tree.HeadParameter, ...]
    result: tree.TypeRef | None
    value: tree.Term
    span: Span = field(repr=False)
    renamed: tuple[str, ...] | None = None
    signature: Module | None = field(default=None, repr=False)


@frozen(eq=False)
class OpaqueFunction:
    """A template's function parameter, while the template is checked on its own"""

    name: str
    module: Module = field(repr=False)
    declaration: tree.FunctionParameter
    span: Span = field(repr=False)


@frozen(eq=False)
class EffectEntity:
    name: str
    module: Module = field(repr=False)
    declaration: tree.Effect
    span: Span = field(repr=False)


LowerEntity: TypeAlias = GroupEntity | LetEntity | OpaqueFunction | EffectEntity | BoundValue


@define(eq=False)
class Module:
    """The names one place can see. `parent` is asked where the own table is silent.

    owners, variables, initial  filled when the state is elaborated; of a protocol or an object
    """

    source: Source
    file: tree.File | None = None
    parent: Module | None = None
    upper: dict[str, UpperEntity] = Factory(dict)
    lower: dict[str, LowerEntity] = Factory(dict)
    actions: dict[str, tree.Action] = Factory(dict)
    owners: list[Owner] = Factory(list)
    variables: list[CoreVariable] = Factory(list)
    initial: list[Initial] = Factory(list)
    object_variables: dict[str, CoreVariable] = Factory(dict)

    def find_upper(self, name: str) -> UpperEntity | None:
        """What the upper-case `name` means here."""
        module: Module | None = self
        while module is not None:
            if name in module.upper:
                return module.upper[name]
            module = module.parent
        return None

    def find_lower(self, name: str) -> LowerEntity | None:
        """What the lower-case `name` means here, bound names aside."""
        module: Module | None = self
        while module is not None:
            if name in module.lower:
                return module.lower[name]
            module = module.parent
        return None

    def upper_names(self) -> list[str]:
        """All upper-case names that can be seen, own ones first."""
        own = list(self.upper)
        return own + ([] if self.parent is None else self.parent.upper_names())

    def lower_names(self) -> list[str]:
        """All lower-case names that can be seen, own ones first."""
        own = list(self.lower)
        return own + ([] if self.parent is None else self.parent.lower_names())

    @property
    def protocol(self) -> str | None:
        """The protocol's name; None for a library."""
        return None if self.file is None or self.file.protocol is None else self.file.protocol.name


def declare(file: tree.File, source: Source, collector: Collector) -> Module:
    """The module of a file: all its own declarations, each name once; imports come later."""
    module = Module(source, file)
    declarer = _Declarer(module, collector)
    for declaration in file.declarations:
        declarer.declare(declaration)
    return module


@frozen
class _Declarer:
    module: Module
    collector: Collector

    def declare(self, d: tree.AnyDeclaration) -> None:
        module = self.module
        match d:
            case tree.Parameter():
                for name in d.names:
                    self.upper(
                        ParameterEntity(name.name, module, d.type, d.default, name.span, d.axis)
                    )
            case tree.Sort():
                for name in d.names:
                    self.upper(SortEntity(name.name, name.span))
            case tree.Alias():
                self.alias(d)
            case tree.Union():
                self.union(d)
            case tree.Template():
                self.upper(TemplateEntity(d.name.name, module, d, d.name.span))
            case tree.Object():
                self.upper(ObjectEntity(d.name.name, module, d, d.name.span))
            case tree.State():
                for group in d.groups:
                    self.group(group)
            case tree.Let():
                self.lower(
                    LetEntity(d.name.name, module, d.parameters or (), d.type, d.value, d.name.span)
                )
            case tree.Effect():
                self.lower(EffectEntity(d.name.name, module, d, d.name.span))
            case tree.Action():
                self.action(d)
            case _:
                pass

    def alias(self, d: tree.Alias) -> None:
        entity = TypeEntity(d.name.name, self.module, d, d.name.span)
        self.upper(entity)
        # `type T = A` declares the form A unless A is a type, which is known when all names are:
        # see `declare_single_forms`.

    def union(self, d: tree.Union) -> None:
        entity = TypeEntity(d.name.name, self.module, d, d.name.span)
        self.upper(entity)
        for form in d.forms:
            if form.name.name == d.name.name and len(d.forms) == 1:
                continue  # a record: its one name is the type's and the constructor's
            self.upper(FormEntity(form.name.name, entity, form, form.name.span))

    def group(self, group: tree.Group) -> None:
        if group.kind == "each":
            return
        self.lower(GroupEntity(group.name.name, group, group.name.span))

    def action(self, d: tree.Action) -> None:
        old = self.module.actions.get(d.name.name)
        if old is not None:
            self.twice("duplicate-action", "action", d.name.name, d.name.span, old.name.span)
            return
        self.module.actions[d.name.name] = d

    def upper(self, entity: UpperEntity) -> None:
        old = self.module.upper.get(entity.name)
        if old is not None:
            self.twice("duplicate-name", "name", entity.name, entity.span, old.span)
            return
        self.module.upper[entity.name] = entity

    def lower(self, entity: LowerEntity) -> None:
        if entity.name in BUILTINS and not isinstance(entity, GroupEntity):
            self.collector.error(
                "builtin-name",
                f"`{entity.name}` is a function of the language",
                entity.span,
                help=("choose another name for it",),
            )
            return
        old = self.module.lower.get(entity.name)
        if old is not None:
            self.twice("duplicate-name", "name", entity.name, entity.span, old.span)
            return
        self.module.lower[entity.name] = entity

    def twice(self, id: str, what: str, name: str, span: Span, first: Span) -> None:
        help_ = {
            "duplicate-action": "rename one; a choice between them belongs in one action's header",
            "duplicate-name": "rename one of the two: types, constructors, parameters and sorts "
            "share one name space, groups, `let`s and effects another",
        }[id]
        self.collector.error(
            id,
            f"the {what} `{name}` is declared twice",
            span,
            label="again here",
            labels=(Label(first, "first declared here"),),
            help=(help_,),
        )


def declare_single_forms(module: Module) -> None:
    """Give `type T = A` its form `A`, where `A` is not a type. Imports must be in place."""
    for entity in list(module.upper.values()):
        if isinstance(entity, TypeEntity) and isinstance(entity.declaration, tree.Alias):
            ref = entity.declaration.type
            if (
                isinstance(ref, tree.NamedType)
                and not ref.optional
                and module.find_upper(ref.name) is None
            ):
                module.upper[ref.name] = FormEntity(ref.name, entity, None, ref.span)
