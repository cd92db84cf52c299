"""`v == Form(t)` where `v is Form(t)` is meant: the one compares, the other matches and binds."""

from __future__ import annotations

from collections.abc import Sequence

from modelcheck.core.types import Union
from modelcheck.parse import tree
from modelcheck.resolve.elaborating import Elaborating, bare, shortened
from modelcheck.resolve.forms import wrong_arguments
from modelcheck.resolve.names import FormEntity
from modelcheck.resolve.reading import unknown_name
from modelcheck.resolve.scope import Scope


def match_meant(e: Elaborating, term: tree.Compare, scope: Scope) -> bool:
    """Whether a form is compared that has no value, so that only a match makes sense; reported."""
    for subject, other in ((term.left, term.right), (term.right, term.left)):
        match bare(other):
            case tree.Upper(name) as form:
                found = _bare_form(e, name, form, subject, term.operator, scope)
            case tree.Make(tree.Identifier(name), arguments) if scope.module.find_upper(name):
                found = _with_unknown(e, name, arguments, subject, term.operator, scope)
            case tree.Call(tree.Identifier("some"), arguments):
                found = _with_unknown(e, "some", arguments, subject, term.operator, scope)
            case _:
                found = False
        if found:
            e.term(subject, scope)
            return True
    return False


def _with_unknown(
    e: Elaborating,
    name: str,
    arguments: Sequence[tree.Term],
    subject: tree.Term,
    operator: str,
    scope: Scope,
) -> bool:
    """Whether an argument is a name without a meaning; the first one is reported."""
    unknown = [each for each in arguments if _is_unknown(each, scope)]
    for each in arguments:
        if unknown and each not in unknown:
            e.term(each, scope)
    for each in unknown[:1]:
        assert isinstance(each, tree.Name)
        matching = _match(subject, name, arguments, operator, scope)
        unknown_name(e, each.name, each.span, scope, matching)
    return bool(unknown)


def _bare_form(
    e: Elaborating, name: str, at: tree.Upper, subject: tree.Term, operator: str, scope: Scope
) -> bool:
    """Whether a form with fields is compared without them."""
    entity = scope.module.find_upper(name)
    if not isinstance(entity, FormEntity):
        return False
    type_ = e.types.declared(entity.type, at.span)
    index = type_.form_index(name) if isinstance(type_, Union) else None
    if not isinstance(type_, Union) or index is None or not type_.forms[index].fields:
        return False
    word = "is" if operator == "==" else "is not"
    help_ = f"ask for the form alone with `{word}`: `{shortened(subject.span)} {word} {name}`"
    wrong_arguments(e, entity.type, type_.forms[index], 0, at.span, help_)
    return True


def _is_unknown(term: tree.Term, scope: Scope) -> bool:
    return (
        isinstance(term, tree.Name)
        and term.name not in scope.names
        and term.name not in scope.module.object_variables
        and scope.module.find_lower(term.name) is None
        and not (term.name == "result" and scope.site.result is not None)
    )


def _match(
    subject: tree.Term, name: str, arguments: Sequence[tree.Term], operator: str, scope: Scope
) -> str:
    """The comparison as a match; what is no pattern is compared after it."""
    word = "is" if operator == "==" else "is not"
    taken = {each.name for each in arguments if isinstance(each, tree.Name)} | set(scope.names)
    fresh = iter([each for each in "xyzuvw" if each not in taken])
    parts: list[str] = []
    compared: list[str] = []
    for each in arguments:
        if operator == "!=" and isinstance(each, tree.Name):
            parts.append("_")
        elif _is_unknown(each, scope) or isinstance(
            each, tree.IntLiteral | tree.BoolLiteral | tree.NoneLiteral | tree.Upper
        ):
            parts.append(shortened(each.span))
        else:
            parts.append(next(fresh, "_"))
            compared.append(f" and {parts[-1]} == {shortened(each.span)}")
    if operator == "!=":
        compared = []
    return f"{shortened(subject.span)} {word} {name}({', '.join(parts)}){''.join(compared)}"
