"""Checks as written: what they set, what they take over, what they expect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, assert_never

from attrs import define, field

from modelcheck.core import model as core
from modelcheck.diagnostics import Collector, Label, listing, near, there_are
from modelcheck.parse import tree
from modelcheck.resolve.names import Module, ParameterEntity, SortEntity, TemplateEntity
from modelcheck.source import Span

Kind: TypeAlias = Literal["safety", "reachable", "liveness", "refines"]
"""What verdicts a property can have."""

NO_FAULTS = "none"


@define(eq=False)
class CheckTable:
    """The checks of a file by name, and the properties that they may name."""

    module: Module
    collector: Collector
    checks: dict[str, tree.Check] = field(factory=dict)
    properties: dict[str, tuple[Kind, Span]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for each in self.declarations:
            if isinstance(each, tree.Check):
                first = self.checks.setdefault(each.name.name, each)
                if first is not each:
                    self.collector.error(
                        "duplicate-check",
                        f"two checks are called `{each.name.name}`",
                        each.name.span,
                        labels=(Label(first.name.span, "the first"),),
                        help=("name each check after what it shows",),
                    )
            for name, kind, span in self._properties_of(each):
                if name in self.properties:
                    self.collector.error(
                        "duplicate-property",
                        f"two properties are called `{name}`",
                        span,
                        labels=(Label(self.properties[name][1], "the first"),),
                        help=(
                            "give the second instance a name of its own: `use T(...) as Name`"
                            if isinstance(each, tree.Use)
                            else "rename one, or make them one: lines of a body are a conjunction",
                        ),
                    )
                    continue
                self.properties[name] = kind, span

    @property
    def declarations(self) -> tuple[tree.AnyDeclaration, ...]:
        """The file's declarations."""
        return () if self.module.file is None else self.module.file.declarations

    def _properties_of(self, each: tree.AnyDeclaration) -> Iterable[tuple[str, Kind, Span]]:
        match each:
            case tree.Invariant() | tree.Step() | tree.AlwaysPossible():
                yield each.name.name, "safety", each.name.span
            case tree.Reachable():
                yield each.name.name, "reachable", each.name.span
            case tree.Liveness():
                yield each.name.name, "liveness", each.name.span
            case tree.Refines():
                yield each.protocol.name, "refines", each.protocol.span
            case tree.Linearizable() | tree.SequentiallyConsistent():
                yield each.name.name, "safety", each.name.span
            case tree.Use():
                entity = self.module.find_upper(each.template.name)
                if isinstance(entity, TemplateEntity):
                    prefix = (each.alias or each.template).name
                    for part in entity.declaration.properties:
                        for name, kind, _ in self._properties_of(part):
                            yield f"{prefix}.{name}", kind, (each.alias or each.template).span
            case _:
                pass

    # --- judgements -----------------------------------------------------------------

    def judge(self) -> None:
        """Report what is wrong with the checks, whatever their values."""
        circles: set[str] = set()
        for check in self.checks.values():
            self._like(check, circles)
            self.judge_settings(check.settings)
            self._faults(check.faults or ())
            self._expectations(check)
        self._liveness_under_constraint()

    def _like(self, check: tree.Check, circles: set[str]) -> None:
        seen = [check.name.name]
        while check.like is not None:
            name = check.like.name
            if name not in self.checks:
                others = [each for each in self.checks if each != check.name.name]
                close = near(name, others)
                self.collector.error(
                    "unknown-like",
                    f"no check `{name}` to be like",
                    check.like.span,
                    help=(
                        f"did you mean {listing(close, 'or')}?"
                        if close
                        else there_are(others)
                        if others
                        else "there is no other check; let this one set its own values",
                    ),
                )
                return
            if name in circles:
                return
            if name in seen:
                circles.update(seen)
                self.collector.error(
                    "like-cycle",
                    f"the check `{name}` is like itself",
                    check.like.span,
                    notes=(f"the way round: {' -> '.join([*seen[seen.index(name) :], name])}",),
                    help=("let one of them set its own values",),
                )
                return
            seen.append(name)
            check = self.checks[name]

    def settable(self) -> list[str]:
        """Parameters and sorts that a check can set."""
        return [
            name
            for name, entity in self.module.upper.items()
            if isinstance(entity, ParameterEntity | SortEntity)
        ]

    def judge_settings(self, settings: Iterable[tree.Setting]) -> None:
        """Report names that cannot be set, or are set twice."""
        seen: dict[str, Span] = {}
        for each in settings:
            self._refuse_second(each.name, seen)
            self.judge_setting_name(each.name, self.collector)

    def _refuse_second(self, name: tree.Identifier, seen: dict[str, Span]) -> None:
        if name.name in seen:
            self.collector.error(
                "set-twice",
                f"`{name.name}` is set twice",
                name.span,
                labels=(Label(seen[name.name], "first here"),),
                help=("keep the value that is meant",),
            )
        seen[name.name] = name.span

    def judge_setting_name(self, name: tree.Identifier, collector: Collector) -> bool:
        """Whether a name can be set; if not, that is reported."""
        entity = self.module.upper.get(name.name)
        if isinstance(entity, ParameterEntity | SortEntity):
            return True
        names = self.settable()
        close = near(name.name, names)
        collector.error(
            "unknown-setting",
            f"no parameter or sort `{name.name}` to set",
            name.span,
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else there_are(names)
                if names
                else "the file declares neither parameters nor sorts",
            ),
        )
        return False

    def judge_fault_name(self, name: tree.Identifier, collector: Collector) -> bool:
        """Whether a name is that of a fault; if not, that is reported."""
        action = self.module.actions.get(name.name)
        if action is not None and action.fault:
            return True
        faults = [each for each, what in self.module.actions.items() if what.fault]
        if action is not None:
            collector.error(
                "budget-of-action",
                f"`{name.name}` is an action, not a fault",
                name.span,
                labels=(Label(action.name.span, "declared here"),),
                notes=("budgets bound what the environment may do",),
                help=("declare it as a `fault`, or guard it by a parameter",),
            )
            return False
        close = near(name.name, faults)
        collector.error(
            "unknown-fault",
            f"no fault `{name.name}`",
            name.span,
            help=(
                f"did you mean {listing(close, 'or')}?"
                if close
                else there_are(faults)
                if faults
                else "the file declares no fault",
            ),
        )
        return False

    def _faults(self, budgets: Iterable[tree.Budget]) -> None:
        seen: dict[str, Span] = {}
        for each in budgets:
            self._refuse_second(each.fault, seen)
            self.judge_fault_name(each.fault, self.collector)

    def _expectations(self, check: tree.Check) -> None:
        everything = [e for e in check.expectations if isinstance(e, tree.ExpectHolds)]
        listed = [
            e for e in check.expectations if isinstance(e, tree.ExpectProperty | tree.ExpectError)
        ]
        if everything and listed:
            self.collector.error(
                "holds-and-list",
                "`holds` beside single verdicts",
                listed[0].span,
                labels=(Label(everything[0].span, "everything"),),
                notes=("`expect holds` is every property, no deadlock and no error",),
                help=(
                    "keep `holds`, or list what is to be judged; counts may stand beside either",
                ),
            )
        for each in listed:
            if isinstance(each, tree.ExpectProperty):
                self._expected_property(each)

    def _expected_property(self, expected: tree.ExpectProperty) -> None:
        found = self.properties.get(expected.name)
        if found is None:
            close = near(expected.name, self.properties)
            self.collector.error(
                "unknown-property",
                f"no property `{expected.name}`",
                expected.path[0].span.to(expected.path[-1].span),
                help=(
                    f"did you mean {listing(close, 'or')}?"
                    if close
                    else there_are(list(self.properties))
                    if self.properties
                    else "the file declares none",
                ),
            )
            return
        kind, span = found
        verdict = expected.verdict
        if kind == "liveness" and verdict == "fails":
            self.collector.error(
                "liveness-fails",
                f"`{expected.name}` is a liveness property: it blocks or livelocks",
                _verdict(expected),
                labels=(Label(span, "declared here"),),
                notes=(
                    "blocked, no path of actions leads to the goal; in a livelock one does, "
                    "and a fair cycle avoids it",
                ),
                help=("expect `blocks` or `livelocks`",),
            )
        if kind in ("safety", "reachable") and verdict in ("blocks", "livelocks"):
            self.collector.error(
                "safety-blocks",
                f"`{expected.name}` is no liveness property: it holds or fails",
                _verdict(expected),
                labels=(Label(span, "declared here"),),
                help=("expect `fails`",),
            )
        if kind == "reachable" and verdict == "fails" and expected.steps is not None:
            self.collector.error(
                "unreachable-steps",
                f"`{expected.name}` fails in no number of steps",
                _verdict(expected),
                labels=(Label(span, "declared here"),),
                notes=(
                    "a `reachable` property fails if no state satisfies it, "
                    "and then there is no trace",
                ),
                help=("expect `fails` alone",),
            )

    def _liveness_under_constraint(self) -> None:
        constraints = [d for d in self.declarations if isinstance(d, tree.Constraint)]
        if not constraints:
            return
        for each in self.declarations:
            name = self._of_later(each)
            if name is None:
                continue
            self.collector.error(
                "liveness-under-constraint",
                f"`{name.name}` is about what comes later, in a file with a constraint",
                name.span,
                labels=(Label(constraints[0].span, "the constraint"),),
                notes=(
                    "a constraint cuts runs short, and a run cut short proves nothing of what "
                    "must happen later",
                ),
                help=("bound the model by guards instead",),
            )

    def _of_later(self, each: tree.AnyDeclaration) -> tree.Identifier | None:
        """The name of a claim about what comes later; None if the declaration makes none."""
        if isinstance(each, tree.Liveness | tree.AlwaysPossible):
            return each.name
        if isinstance(each, tree.Refines) and each.liveness:
            return each.protocol
        if isinstance(each, tree.Use):
            entity = self.module.find_upper(each.template.name)
            if isinstance(entity, TemplateEntity) and any(
                isinstance(part, tree.Liveness | tree.AlwaysPossible)
                for part in entity.declaration.properties
            ):
                return each.alias or each.template
        return None

    # --- values ---------------------------------------------------------------------

    def settings(self, check: tree.Check) -> dict[str, tree.Setting]:
        """What is set, `like` included, by name; a check's own values win."""
        inherited = {} if check.like is None else self.settings(self.checks[check.like.name])
        return {**inherited, **{each.name.name: each for each in check.settings}}

    def written_settings(self, check: tree.Check) -> tuple[tuple[str, str], ...]:
        """Names and values as written, and the fault budgets."""
        shown = [(name, each.value.span.text) for name, each in self.settings(check).items()]
        faults = self.faults(check)
        if faults is not None:
            shown.append(("faults", shown_budgets(faults)))
        return tuple(shown)

    def faults(self, check: tree.Check) -> tuple[tree.Budget, ...] | None:
        """Its budgets, `like` included: empty for `faults none`, None if it sets none."""
        if check.faults is not None:
            return check.faults
        return None if check.like is None else self.faults(self.checks[check.like.name])

    def expectations(self, check: tree.Check) -> tuple[core.Expectation, ...]:
        """What the check expects."""
        return tuple(_expectation(each) for each in check.expectations)


def _verdict(expected: tree.ExpectProperty) -> Span:
    """What stands after the property's name: `fails in 3 steps`."""
    after = Span(expected.span.source, expected.path[-1].span.end, expected.span.end)
    return Span(after.source, after.end - len(after.text.lstrip()), after.end)


def shown_budgets(budgets: tuple[tree.Budget, ...]) -> str:
    """`crash = 2, suspect = any`, or `none`."""
    if not budgets:
        return NO_FAULTS
    return ", ".join(
        f"{each.fault.name} = {'any' if each.bound is None else each.bound.span.text}"
        for each in budgets
    )


def _expectation(each: tree.Expectation) -> core.Expectation:
    match each:
        case tree.ExpectHolds():
            return core.ExpectHolds()
        case tree.ExpectProperty():
            return core.ExpectProperty(each.name, each.verdict, each.steps)
        case tree.ExpectError(kind):
            return core.ExpectError(kind)
        case tree.ExpectCount(kind, count):
            return core.ExpectCount(kind, count)
        case _:
            assert_never(each)
