"""A run folder that is open in the console, and its document, which cannot be edited."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from fsconsole.console.document import Document
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import Capability
from fsconsole.targets.recorded.machine import FIXED
from fsconsole.targets.recorded.target import RecordedTarget
from fsconsole.targets.snapshot import Snapshot
from fsconsole.text import moments

T = TypeVar("T")


class RunSession(QObject):
    """Implements `session.Attached`.

    Attributes:
        source: the run.
    """

    news = Signal()

    def __init__(self, source: RecordedTarget) -> None:
        super().__init__()
        self.source = source
        self._offers: dict[Capability[Any], Any] = {RECORDED: self}

    def offer(self, capability: Capability[T]) -> T | None:
        """Return a capability of this run; None if it does not have it."""
        return self._offers.get(capability)

    def follow(self) -> None:
        """Follow the run: what is new changes nothing else."""

    def close(self, *, wait: bool = False) -> None:
        """End what looks into the folder."""
        self.source.close(wait=wait)


RECORDED: Capability[RunSession] = Capability("a run on disk")


class RunDocument(Document):
    """What was run, as it was at the end; saving it writes a copy of the scenario."""

    is_of_file = False

    def __init__(self, source: RecordedTarget) -> None:
        """Make a document of an open run."""
        found = source.scenario or Scenario(source.tree(), title=source.name)
        scenario = replace(found, tree=source.tree().copy())
        super().__init__(scenario, name=source.run.path.name)
        self.locked = FIXED
        self._newest: tuple[object, ...] = ()

    def follow_newest(self, snapshot: Snapshot) -> None:
        """Show tree and settings as the run has left them."""
        newest = (snapshot.tree, snapshot.machine, snapshot.policy)
        if newest != self._newest and self._present is None:
            self._newest = newest
            self._turn_into(snapshot)

    @property
    def is_modified(self) -> bool:
        """Nothing of it can be saved."""
        return False


class DiaryDocument(RunDocument):
    """The tree of a cluster as its diary has it last."""

    def __init__(self, source: RecordedTarget) -> None:
        """Make a document of an open diary, whose clock is that of the day."""
        super().__init__(source)
        scenario, epoch_s = self.scenario, source.clock.epoch_s
        if epoch_s is not None:
            start = moments.local(epoch_s).replace(tzinfo=None)
            machine = replace(scenario.machine, name=source.name, start=start)
            self.scenario = replace(scenario, machine=machine)

    @property
    def takes_parents_shares(self) -> bool:
        """Any of it may."""
        return True
