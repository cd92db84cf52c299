"""What is run: the rows of the table of counts in peers/README.md, and a few larger ones.

A case has three names for one instance: the table's (`N=2 E=2 W=1 L=2`), which the peers'
models take as macros and constants, ours (`Node = 2, EPOCHS = 2, ...`), and the check in
`models/`, which is the table's without spaces: `n2e2w1l2`, or `n2e2w1l2_bug`.
"""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

BENCHMARKS = Path(__file__).parent
MODELS = BENCHMARKS / "models"
PEERS = BENCHMARKS / "peers"

PARAMETERS: dict[str, dict[str, str]] = {
    "twophase": {"N": "Manager"},
    "paxos": {"A": "Acceptor", "B": "BALLOTS", "V": "Value"},
    "fenced": {"N": "Node", "E": "EPOCHS", "W": "WRITES", "L": "LOG"},
    "kafka": {
        "P": "Producer",
        "R": "Partition",
        "E": "EPOCHS",
        "T": "TRANSACTIONS",
        "L": "LOG",
    },
}
"""For each model, what our file calls a parameter of the table."""


@frozen
class Counts:
    """As the language page defines them; `depth` counts states."""

    distinct: int
    generated: int
    depth: int


@frozen
class Case:
    """One instance of one model."""

    model: str
    settings: tuple[tuple[str, int], ...]
    counts: Counts

    @property
    def parameters(self) -> str:
        """As in the table: `N=2 E=2 W=1 L=2`."""
        return " ".join(f"{name}={value}" for name, value in self.settings)

    @property
    def check(self) -> str:
        return "".join(f"{name}{value}" for name, value in self.settings).lower()

    @property
    def name(self) -> str:
        return f"{self.model} {self.parameters}"

    @property
    def path(self) -> Path:
        return MODELS / f"{self.model}.model"


@frozen
class Row:
    """A row of the table: a case, and what becomes of it with BUG=1.

    violation  states on the shortest trace with BUG=1; 0 if there is none; None if not known
    """

    case: Case
    violation: int | None


def case(model: str, parameters: str, distinct: int, generated: int, depth: int) -> Case:
    pairs = (each.partition("=") for each in parameters.split())
    settings = tuple((name, int(value)) for name, _, value in pairs)
    return Case(model, settings, Counts(distinct, generated, depth))


def table() -> tuple[Row, ...]:
    """The rows of the table of counts, in its order."""
    rows: list[Row] = []
    model = ""
    for line in (PEERS / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 6 or "=" not in cells[1] or not cells[2][:1].isdigit():
            continue
        model = cells[0] or model
        numbers = [int(cell.replace(",", "")) for cell in cells[2:5]]
        violation = {"": None, "none": 0}.get(cells[5], 0)
        if cells[5].isdigit():
            violation = int(cells[5])
        rows.append(Row(case(model, cells[1], *numbers), violation))
    return tuple(rows)


LARGER = (
    case("paxos", "A=3 B=4 V=2", 8_220_065, 67_903_141, 33),
    case("fenced", "N=4 E=3 W=1 L=2", 3_115_888, 22_600_769, 28),
    case("fenced", "N=3 E=3 W=2 L=3", 4_988_594, 34_240_327, 32),
)
"""Not in the table. Paxos: Spin, breadth first, agrees with the search under yardstick/. Fenced:
Spin, breadth first, agrees with Rumur, which does not tell the depth."""

QUICK = ("twophase N=5", "paxos A=3 B=2 V=2", "fenced N=2 E=2 W=1 L=2", "kafka P=1 R=1 E=3 T=1 L=2")
USUAL = (
    "twophase N=8",
    "twophase N=9",
    "paxos A=3 B=3 V=3",
    "paxos A=3 B=4 V=2",
    "fenced N=3 E=3 W=1 L=3",
    "fenced N=3 E=3 W=2 L=3",
    "kafka P=2 R=2 E=3 T=2 L=3",
    "kafka P=2 R=2 E=4 T=2 L=3",
)


def known() -> dict[str, Case]:
    """Every case by its name."""
    every = (*(row.case for row in table()), *LARGER)
    return {each.name: each for each in every}
