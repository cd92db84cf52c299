"""What the generator gives: one or several files, the first of which has the checks."""

from __future__ import annotations

from attrs import field, frozen

MAIN = "main.model"


@frozen
class Generated:
    """A model with the files that it imports.

    files    texts by path, the model itself under `MAIN`
    attempt  how many drafts were thrown away before
    """

    seed: int
    files: dict[str, str] = field(repr=False)
    attempt: int = 0

    @property
    def text(self) -> str:
        """The model itself."""
        return self.files[MAIN]
