"""Atomic commitment without a mechanism: the steps of TCommit under other names."""

from __future__ import annotations

from . import transaction_commit
from .common import Graph

FILE = "specs/atomic_commit.model"
CHECKS = {"three": {"participants": 3}}

WEAK = {"commit", "abort"}


def explore(participants: int) -> Graph:
    return transaction_commit.explore(participants, prefix="p")
