"""Random models: well-typed, small, and of every construct of the language.

`generate(seed)` gives one; the same seed gives the same text, whatever the
hash seed and the Python version. `report` says what a population is made of.
"""

from .generated import Generated
from .suitable import generate

__all__ = ["Generated", "generate"]
