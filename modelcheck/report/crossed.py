"""What a search was compared with, as a remark below its line."""

from __future__ import annotations

from modelcheck.core.agreement import Agreement
from modelcheck.report.text import plural


def remark(agreement: Agreement) -> str:
    """`cross-checked by bounded search up to 6 steps and by the proof AnySize`."""
    parts = [f"by the proof {name}" for name in agreement.proofs]
    if agreement.steps >= 0:
        parts.insert(0, f"by bounded search up to {plural(agreement.steps, 'step')}")
    said = f"cross-checked {' and '.join(parts)}" if parts else "not cross-checked"
    if agreement.reason is not None:
        said += f"; bounded search: {agreement.reason}"
    if agreement.open:
        said += f"; the solver does not know of {', '.join(agreement.open)}"
    return said
