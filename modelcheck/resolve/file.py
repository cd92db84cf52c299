"""A file resolved: its names in place, its imports read, everything typed with parameters open.

What is found here holds whatever a check sets; what depends on the settings
is found when `instance` closes the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import Factory, define, field, frozen

from modelcheck.core import terms as core
from modelcheck.core.model import Expectation
from modelcheck.core.types import Sort, Type
from modelcheck.diagnostics import Collector, Diagnostic, Label, Refused, listing, near
from modelcheck.parse import tree
from modelcheck.resolve.checks import CheckTable
from modelcheck.resolve.elaborating import CLOSED
from modelcheck.resolve.names import (
    FormEntity,
    GroupEntity,
    LowerEntity,
    Module,
    ParameterEntity,
    ProtocolEntity,
    SortEntity,
    TypeEntity,
    UpperEntity,
    declare,
    declare_single_forms,
)
from modelcheck.resolve.proof_model import elaborate_proof
from modelcheck.resolve.proof_table import ProofTable
from modelcheck.resolve.protocol import Protocol
from modelcheck.resolve.refinement import refine_open
from modelcheck.resolve.scope import Scope
from modelcheck.resolve.terms import Elaborator
from modelcheck.source import Source, Span

Parsed: TypeAlias = tuple[Source, tree.File]
Read: TypeAlias = Callable[[str, str], Parsed | None]
"""Reads and parses what a file imports: the importing path, the path as written; None if absent."""

Names: TypeAlias = Callable[[str, str], Sequence[str]]
"""What could be imported instead of a path that is not there, as it would be written."""


@frozen
class CheckInfo:
    """What the file says of a check.

    settings  names and values as written, those taken over by `like` included
    """

    name: str
    doc: str | None
    span: Span = field(repr=False)
    expectations: tuple[Expectation, ...]
    settings: tuple[tuple[str, str], ...]


@frozen
class ProofInfo:
    """What the file says of a proof.

    general   what it leaves open
    settings  names and values as written
    """

    name: str
    doc: str | None
    span: Span = field(repr=False)
    general: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]


@frozen
class ResolvedFile:
    """A file without errors."""

    source: Source = field(repr=False)
    protocol: str | None
    checks: tuple[CheckInfo, ...]
    proofs: tuple[ProofInfo, ...]
    warnings: tuple[Diagnostic, ...]
    module: Module = field(repr=False)
    table: CheckTable = field(repr=False)
    proof_table: ProofTable = field(repr=False)


def resolve(
    source: Source, file: tree.File, read: Read, names: Names | None = None
) -> ResolvedFile:
    """The file with everything it imports. Raises Refused with all that is wrong."""
    collector = Collector()
    loader = _Loader(collector, read, names)
    module = loader.module(source, file)
    _judge_shape(file, collector)
    collector.refuse_if_any()
    elaborate_open(module, collector)
    table = CheckTable(module, collector)
    table.judge()
    proofs = ProofTable(table, collector)
    proofs.judge()
    collector.refuse_if_any()
    _judge_proofs(module, proofs, collector)
    collector.refuse_if_any()
    infos = tuple(
        CheckInfo(
            check.name.name,
            check.doc,
            check.name.span,
            table.expectations(check),
            table.written_settings(check),
        )
        for check in table.checks.values()
    )
    return ResolvedFile(
        source,
        module.protocol,
        infos,
        tuple(map(_proof_info, proofs.proofs.values())),
        tuple(collector.warnings),
        module,
        table,
        proofs,
    )


def _judge_proofs(module: Module, proofs: ProofTable, collector: Collector) -> None:
    """Report what is wrong with the open model of each proof."""
    for name in proofs.proofs:
        try:
            elaborate_proof(module, proofs, name)
        except Refused as refused:
            for each in refused.diagnostics:
                collector.report(each)


def _proof_info(proof: tree.Proof) -> ProofInfo:
    return ProofInfo(
        proof.name.name,
        proof.doc,
        proof.name.span,
        tuple(each.name for each in proof.generalised),
        tuple((each.name.name, each.value.span.text) for each in proof.settings),
    )


def elaborate_open(module: Module, collector: Collector) -> Protocol:
    """Type everything in the module with parameters open."""
    terms = open_elaborator(collector)
    protocol = Protocol(
        module, terms, collector, refine=lambda p, declared: refine_open(p, declared)
    )
    protocol.elaborate()
    protocol.unused()
    return protocol


def open_elaborator(collector: Collector) -> Elaborator:
    """An elaborator for which parameters and sorts stand for anything."""

    def sort(entity: SortEntity) -> Type:
        return Sort(entity.name)

    def parameter(entity: ParameterEntity, span: Span) -> core.Term:
        type_ = elaborator.types.of(entity.type, entity.module)
        if entity.default is not None and entity not in judged:
            judged.add(entity)
            elaborator.wanted(entity.default, Scope(entity.module, CLOSED), type_)
        return core.Parameter(entity.name, type=type_, span=span)

    judged: set[ParameterEntity] = set()
    elaborator = Elaborator(collector, False, sort, parameter, lambda term: None)
    return elaborator


_ONLY_IN_PROTOCOL: tuple[tuple[type, str], ...] = (
    (tree.State, "a `state` block"),
    (tree.Init, "an `init` block"),
    (tree.Action, "an action"),
    (tree.Invariant, "an invariant"),
    (tree.Step, "a `step` property"),
    (tree.Reachable, "a `reachable` property"),
    (tree.AlwaysPossible, "an `always possible` property"),
    (tree.Liveness, "a liveness property"),
    (tree.Check, "a check"),
    (tree.StopsWhen, "`stops when`"),
    (tree.Constraint, "a constraint"),
    (tree.Refines, "`refines`"),
    (tree.Linearizable, "`linearizable`"),
    (tree.SequentiallyConsistent, "`sequentially consistent`"),
    (tree.Use, "`use`"),
    (tree.Proof, "a proof"),
    (tree.Axiom, "an axiom"),
)


def _judge_shape(file: tree.File, collector: Collector) -> None:
    """What a protocol needs, and what a library may not have."""
    if file.protocol is None:
        _judge_library(file, collector)
    once: dict[type, tree.AnyDeclaration] = {}
    for each in file.declarations:
        if isinstance(each, tree.State | tree.StopsWhen | tree.Constraint):
            first = once.setdefault(type(each), each)
            if first is not each:
                what = {
                    tree.State: "`state` block",
                    tree.StopsWhen: "`stops when`",
                    tree.Constraint: "constraint",
                }[type(each)]
                collector.error(
                    "second-block",
                    f"a second {what}",
                    _first_line(each.span),
                    labels=(Label(_first_line(first.span), "the first"),),
                    help=("join the two into one",),
                )
    if file.protocol is not None and not any(isinstance(d, tree.State) for d in file.declarations):
        collector.error(
            "no-state",
            f"the protocol `{file.protocol.name}` has no state",
            file.protocol.span,
            help=("declare its variables in a `state` block, under the groups that hold them",),
        )


def _judge_library(file: tree.File, collector: Collector) -> None:
    """The first declaration that makes the file a protocol; the others are so for its reason."""
    for each in file.declarations:
        for kind, words in _ONLY_IN_PROTOCOL:
            if isinstance(each, kind):
                collector.error(
                    "not-in-library",
                    f"{words} in a library",
                    _first_line(each.span),
                    notes=(
                        "a file without a `protocol` line is a library of types, `let`s, "
                        "effects, templates and objects",
                    ),
                    help=("begin the file with `protocol Name`",),
                )
                return


def _stem(path: str) -> str:
    """The name of a file, without its folder and `.model`."""
    return path.rpartition("/")[2].removesuffix(".model")


def _first_line(span: Span) -> Span:
    return Span(span.source, span.start, span.start + len(span.text.split("\n", 1)[0].rstrip()))


@define(eq=False)
class _Loader:
    """Reads imports, each file once, and puts imported names in place."""

    collector: Collector
    read: Read
    names: Names | None
    done: dict[str, Module] = Factory(dict)
    open: list[str] = Factory(list)
    broken: set[str] = Factory(set)
    """Files of which an import failed: that a name is missing there is its consequence."""

    def module(self, source: Source, file: tree.File) -> Module:
        module = declare(file, source, self.collector)
        self.open.append(source.path)
        for each in file.declarations:
            if isinstance(each, tree.Import):
                self._import(each, module)
        self.open.pop()
        if source.path not in self.broken:  # else a name may be missing that is a type
            declare_single_forms(module)
        self.done[source.path] = module
        return module

    def _import(self, declared: tree.Import, module: Module) -> None:
        parsed = self.read(module.source.path, declared.path)
        if parsed is None:
            others = self.names(module.source.path, declared.path) if self.names else ()
            stems = {_stem(path): path for path in others}
            close = near(_stem(declared.path), stems)
            self.collector.error(
                "no-such-import",
                f"no file `{declared.path}`",
                declared.path_span,
                notes=("the path is relative to the importing file, then to the shipped `specs/`",),
                help=(
                    f"did you mean {listing([stems[each] for each in close], 'or')}?"
                    if close
                    else "check the path; it ends in `.model`",
                ),
            )
            self.broken.add(module.source.path)
            return
        source, file = parsed
        if source.path in self.open:
            self.collector.error(
                "import-cycle",
                f"`{declared.path}` imports this file in turn",
                declared.path_span,
                notes=(f"the way round: {' -> '.join([*self.open, source.path])}",),
                help=("move what both need into a third file",),
            )
            self.broken.add(module.source.path)
            return
        imported = self.done.get(source.path)
        if imported is None:
            imported = self.module(source, file)
            _judge_shape(file, self.collector)
            if not self.collector.errors:
                elaborate_open(imported, self.collector)
        for name in declared.names:
            self._name(name, declared, imported, module)

    def _name(
        self, name: tree.Identifier, declared: tree.Import, imported: Module, module: Module
    ) -> None:
        if name.name == imported.protocol:
            self._put_upper(module, ProtocolEntity(name.name, imported, name.span), name)
            return
        upper = imported.upper.get(name.name)
        if upper is not None:
            self._put_upper(module, upper, name)
            if isinstance(upper, TypeEntity):
                for each in imported.upper.values():
                    if isinstance(each, FormEntity) and each.type is upper:
                        self._put_upper(module, each, name)
            return
        lower = imported.lower.get(name.name)
        if lower is not None and not isinstance(lower, GroupEntity):
            self._put_lower(module, lower, name)
            return
        if imported.source.path in self.broken:
            self.broken.add(module.source.path)
            return
        groups = [each for each, what in imported.lower.items() if isinstance(what, GroupEntity)]
        names = [*imported.upper, *(each for each in imported.lower if each not in groups)]
        if imported.protocol is not None:
            names.append(imported.protocol)
        close = near(name.name, names)
        self.collector.error(
            "unknown-import",
            f"`{declared.path}` has no `{name.name}` to import",
            name.span,
            notes=("types, `let`s, effects, templates, objects and protocols can be imported",),
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else f"it has {listing(names[:8])}"
                if names
                else "it declares none of these",
            ),
        )

    def _put_upper(self, module: Module, entity: UpperEntity, name: tree.Identifier) -> None:
        old = module.upper.get(entity.name)
        if old is not None and old is not entity:
            self._clash(entity.name, old.span, name)
            return
        module.upper[entity.name] = entity

    def _put_lower(self, module: Module, entity: LowerEntity, name: tree.Identifier) -> None:
        old = module.lower.get(entity.name)
        if old is not None and old is not entity:
            self._clash(entity.name, old.span, name)
            return
        module.lower[entity.name] = entity

    def _clash(self, what: str, old: Span, name: tree.Identifier) -> None:
        self.collector.error(
            "import-clash",
            f"`{what}` is imported and declared here as well",
            name.span,
            labels=(Label(old, "the other"),),
            help=("rename the one in this file",),
        )
