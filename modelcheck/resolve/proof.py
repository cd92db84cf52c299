"""Proofs of a resolved file: open ones to be proved, and finite instances of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modelcheck.core.proof import Instances, Proof
from modelcheck.diagnostics import Refused
from modelcheck.parse import tree
from modelcheck.resolve.file import ResolvedFile
from modelcheck.resolve.proof_model import elaborate_proof


def open_proof(file: ResolvedFile, name: str, others: Sequence[tree.Setting] = ()) -> Proof:
    """The proof `name` with an open model. KeyError if the file has no such proof.

    others  values that replace the proof's; what they set is no longer generalised
    """
    return elaborate_proof(file.module, file.proof_table, name, None, others)


def proof_instance(
    file: ResolvedFile, name: str, sizes: Mapping[str, int], others: Sequence[tree.Setting] = ()
) -> Proof:
    """The proof `name` in which what it generalises has these sizes and values.

    A truth value is 0 or 1. Parameters that are sets or maps remain variables that no step writes.
    Raises Refused if the file refuses the sizes, or an axiom is false for them.
    """
    return elaborate_proof(file.module, file.proof_table, name, sizes, others)


def instances(file: ResolvedFile, name: str, others: Sequence[tree.Setting] = ()) -> Instances:
    """The finite instances of the proof `name`, with the same other values."""

    def instance(sizes: Mapping[str, int]) -> Proof | None:
        try:
            return proof_instance(file, name, sizes, others)
        except Refused:
            return None

    return instance
