"""A file in the making: its declarations as blocks of lines."""

from __future__ import annotations

from attrs import Factory, define, frozen

from .chance import Chance
from .terms import Terms
from .world import World


@frozen
class Block:
    """A declaration.

    word   what kind it is, "action", "invariant"
    name   its name, "" if it has none
    lines  as they are written
    """

    word: str
    name: str
    lines: tuple[str, ...]


@define
class Draft:
    """What the makers of declarations share: the choices, what is declared, and the blocks so far.

    others  the texts of imported files, by path
    """

    chance: Chance
    world: World = Factory(World)
    blocks: list[Block] = Factory(list)
    others: dict[str, str] = Factory(dict)
    constrained: bool = False

    @property
    def terms(self) -> Terms:
        return Terms(self.chance, self.world)

    def add(self, word: str, name: str, lines: list[str]) -> None:
        self.blocks.append(Block(word, name, tuple(lines)))

    def has(self, word: str) -> bool:
        """Whether there is a declaration of this kind."""
        return any(block.word == word for block in self.blocks)
