"""The variables that a place can see, and which of them a member has."""

from __future__ import annotations

from modelcheck.core.types import (
    Nothing,
    Type,
)
from modelcheck.core.variables import Variable
from modelcheck.resolve.intervals import is_number
from modelcheck.resolve.names import (
    GroupEntity,
    Module,
)
from modelcheck.resolve.types import keys_agree


def member_variables(module: Module, type_: Type, name: str | None) -> list[Variable]:
    """Variables called `name` (or all) of the `each` groups whose members have the type."""
    return [
        variable
        for variable in all_variables(module)
        if variable.owner.kind == "each"
        and variable.owner.key is not None
        and _indexes(type_, variable.owner.key)
        and (name is None or variable.name == name)
    ]


def _indexes(type_: Type, key: Type) -> bool:
    if is_number(type_):
        return is_number(key)
    return not isinstance(key, Nothing) and keys_agree(type_, key)


def all_variables(module: Module) -> list[Variable]:
    found: list[Variable] = []
    each: Module | None = module
    while each is not None:
        found += each.variables
        each = each.parent
    return found


def written(variable: Variable) -> str:
    """What stands before the dot when the variable is read."""
    if variable.owner.kind == "each":
        return variable.owner.name[:1].lower()
    return variable.owner.name


def first_variable(entity: GroupEntity) -> str:
    return entity.declaration.variables[0].name.name if entity.declaration.variables else "x"
