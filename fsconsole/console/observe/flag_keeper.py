"""The flags of the run that is looked at, made anew only when something has happened."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.console.observe.flags import Flag, flags_of
from fsconsole.console.session import ConsoleSession


class FlagKeeper:
    """What happened and what is planned; asks the session, follows no signal of its own."""

    def __init__(self, session: ConsoleSession) -> None:
        self._session = session
        self._flags: tuple[Flag, ...] = ()
        self._made_of: tuple[object, ...] = ()

    def flags(self) -> Sequence[Flag]:
        """The flags as of the last update, in order of time."""
        return self._flags

    def forget(self) -> None:
        """Another run, or other nodes: what was made no longer holds."""
        self._made_of = ()

    def update(self) -> None:
        """Make the flags of the newest snapshot, where they are others."""
        document, snapshot = self._session.document, self._session.snapshot
        if document is None or snapshot is None:
            self._flags, self._made_of = (), ()
            return
        passed = sum(event.at_s <= snapshot.time_s for event in document.scenario.events)
        made_of = (id(self._session.target), len(snapshot.happenings), passed)
        if made_of != self._made_of:
            self._made_of = made_of
            self._flags = tuple(
                flags_of(document.scenario, document.tree, snapshot.happenings, snapshot.time_s)
            )
