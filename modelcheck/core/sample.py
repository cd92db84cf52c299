"""What random runs of a model have shown. Data only."""

from __future__ import annotations

from attrs import frozen

from modelcheck.core.outcome import Outcome


@frozen
class Origin:
    """Where a finding was met.

    run    the number of the run, from 0
    steps  how many steps of it led there, before the trace was shortened
    """

    run: int
    steps: int


@frozen
class Sampled:
    """The result of a simulation.

    outcome      its findings never say that something holds, but for `reachable`; it is never
                 complete, its `distinct` and `depth` are 0: nobody counted
    seed         of the random numbers
    wanted       how many runs were asked for; None for as many as the time allows
    most_steps   where a run ends at the latest
    runs         that were walked to their end, or to the finding that ended the simulation
    steps        of all runs together
    longest      steps of the longest run
    lost         runs that found no initial state
    empty        there is no initial state
    origins      for each violation that has a trace: its name, and where it was met
    interrupted  somebody had enough
    """

    outcome: Outcome
    seed: int
    wanted: int | None
    most_steps: int
    runs: int
    steps: int
    longest: int
    lost: int = 0
    empty: bool = False
    origins: tuple[tuple[str, Origin], ...] = ()
    interrupted: bool = False

    def origin(self, name: str) -> Origin | None:
        """Where the violation of `name` was met."""
        return dict(self.origins).get(name)
