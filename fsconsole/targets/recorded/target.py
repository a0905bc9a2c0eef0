"""The recorded target: values, curves and events of a run folder, read from disk as they are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TypeVar

from fsconsole.recording import run_format as form
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_lock import is_held
from fsconsole.recording.run_series import MOST_TIMES
from fsconsole.recording.run_tree import has_shares, tree_of
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.spec import QUANTITIES, Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import (
    EXPLAINER,
    MACHINE,
    PAST_JOBS,
    REWIND,
    RUN_FOLDER,
    About,
    Capability,
    Choice,
    Clock,
    Offers,
    PastMoment,
    Status,
    without_system,
)
from fsconsole.targets.events import Event
from fsconsole.targets.live import LEGEND_COLUMNS
from fsconsole.targets.recorded.keyframes import FolderJournal, FolderKeyframes, FolderRewinder
from fsconsole.targets.recorded.machine import RecordedMachine
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.run_scenario import scenario_of, way_out
from fsconsole.targets.simulated import kept_nodes
from fsconsole.targets.snapshot import Happening, Snapshot, machine_events
from fsconsole.text import moments
from fsconsole.text.durations import clock, length_words
from fsconsole.text.words import count_words

T = TypeVar("T")
_EVENTS_AT_ONCE = 1 << 20  # Reading this many bytes takes some milliseconds.
_MOST_POINTS = 1 << 17


class RecordedTarget:
    """Target that reads a run folder and follows it while it is written. It offers no actions.

    A run of a simulated machine with checkpoints can be shown completely at any instant. Other runs show the
    sampled values, as does this one until its machine is restored.

    Attributes:
        run: the run folder.
    """

    node_title, root_title = "Node", "Machine"
    fault = fault_report = ""

    def __init__(self, path: Path) -> None:
        """Open a folder for reading.

        Raises:
            RunError: the folder cannot be read.
            ScenarioError: its scenario is wrong.
        """
        self.run = RunReader(path)
        self._series = self.run.open_series()
        manifest, recorded = self.run.manifest, self.run.recorded
        self.name = str(manifest.get("title") or path.stem)
        drawn: tuple[str, ...] = tuple(name for name in QUANTITIES if name in recorded)
        self.quantities = drawn or self._listed("plots") or tuple(self.run.quantities())
        shown = tuple(name for name in LEGEND_COLUMNS if name in recorded)
        self.columns = shown or self._listed("columns") or self.quantities
        self.rescaled = frozenset(name for name in recorded if without_system(name) in recorded)
        self._is_being_written = self._look_at_state()
        self._offers = Offers()
        self._offers.add(RUN_FOLDER, path)
        self._has_no_shares = self.run.kind == form.DIARY and not has_shares(self.run)
        if self.run.kind == form.DIARY:
            from fsconsole.targets.slurm.diary import DiaryJobs

            self._offers.add(PAST_JOBS, DiaryJobs(path))
        self.scenario: Scenario | None = None
        self._machine: RecordedMachine | None = None
        self._rewinder: Rewinder | None = None
        self._keyframes: FolderKeyframes | None = None
        self._only_sampled = ""
        if self.run.kind == form.SIMULATION and manifest.get("scenario"):
            self.scenario = scenario_of(self.run)
            self._offer_machine(self.scenario)
        self._tree = self.scenario.tree if self.scenario is not None else tree_of(self.run)
        self._happenings: list[Happening] = []
        self._events_read = 0
        self._events: tuple[Event, ...] = ()
        self._events_of: tuple[object, ...] = ()
        self._is_behind = True
        self._serial = 1
        self._kept: frozenset[float] = frozenset()
        self._seen: tuple[object, ...] = ()
        self._read_events()

    def _listed(self, key: str) -> tuple[str, ...]:
        """Return the recorded quantities under a key of the manifest."""
        names, recorded = self.run.manifest.get(key), self.run.recorded
        return tuple(name for name in names if name in recorded) if isinstance(names, list) else ()

    def _offer_machine(self, scenario: Scenario) -> None:
        keyframes, journal = FolderKeyframes(self.run), FolderJournal(self.run)
        if keyframes.first() is None:
            return
        if other := keyframes.other_program():
            # The machine that this program makes of the scenario may not be the one that ran.
            self._only_sampled = f"{other}. {way_out(self.run)}"
            return
        self._keyframes = keyframes
        is_whole = "branch" not in self.run.manifest and self._series.span_s[0] == 0
        self._rewinder = FolderRewinder(scenario, keyframes, journal.entries, is_whole=is_whole)
        self._machine = RecordedMachine(scenario, self._rewinder, lambda: self.now_s)
        self._offers.add(REWIND, self._rewinder)
        self._offers.add(MACHINE, self._machine)
        self._offers.add(EXPLAINER, self._machine)

    # -- time -----------------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """Time as it was recorded: simulated, or of the day."""
        stored = self.run.manifest.get("clock", {})
        epoch_s, first_s = stored.get("epoch_s"), self._series.span_s[0]
        until_s = self.run.manifest.get("until_s") if self.is_being_written else None
        return Clock(first_s, self.now_s if until_s is None and epoch_s is None else until_s, epoch_s)

    @property
    def now_s(self) -> float:
        """Time of the last sample, or of the state that was kept when the recording ended after that."""
        last_s = self._series.span_s[1]
        if self._keyframes is None or self.scenario is None or self._is_being_written:
            return last_s
        return max(last_s, (self._keyframes.last() or 0) / self.scenario.machine.hz)

    @property
    def is_being_written(self) -> bool:
        """True if a program is recording into the folder now."""
        return self._is_being_written

    @property
    def is_cut_short(self) -> bool:
        """True if the program that recorded it ended without completing it."""
        return self.run.state == form.RUNNING and not self._is_being_written

    @property
    def is_moving(self) -> bool:
        """True if more values may arrive."""
        is_waiting = self._machine is not None and self._machine.is_waiting
        return self._is_being_written or self._is_behind or is_waiting

    @property
    def look_ms(self) -> int:
        """Four times a second is often enough: a recording is written every two seconds."""
        return 250

    def look(self) -> int:
        """Read the samples written since the last call."""
        before = self._series.span_s
        # The state is read first: what is written before the run is complete is then seen below.
        if self._is_being_written:
            self._is_being_written = self._look_at_state()
        self._series.look()
        self._read_events()
        is_new = False
        if self._machine is not None and not self._kept:  # While the past is shown, the machine waits.
            is_new = self._machine.look()
        seen = (self._series.revision, self._is_being_written, len(self._happenings), before)
        if seen != self._seen or is_new:
            self._seen = seen
            self._serial += 1
        return self._serial

    def warm_up(self) -> None:
        """Begin slow preparations: load the reader of samples, and restore the machine at the end."""
        if self._machine is not None:
            self._machine.look()
        self._series.values_at(self.columns[0], (), self.now_s)

    def _look_at_state(self) -> bool:
        """Read the progress of the run; return whether it is still being written."""
        if self.run.state != form.RUNNING:
            return False
        is_written = is_held(self.run.path)
        try:
            self.run = RunReader(self.run.path)
        except RunError:  # The folder was removed or replaced; open files stay open.
            return False
        return is_written and self.run.state == form.RUNNING

    # -- what is there --------------------------------------------------------------------------------------

    def status(self) -> Status:
        """Return the end of the recording so far, and its gaps."""
        gaps = self._series.gaps
        tip = "\n".join(f"{self._when(gap.start_s)}: {gap.why}" for gap in gaps[:12])
        return Status(f"Target: recorded, {self.state_words}", tip)

    @property
    def gaps(self) -> tuple[tuple[float, float], ...]:
        """Begin and end of each span with unreadable samples, in seconds."""
        return tuple((gap.start_s, gap.end_s) for gap in self._series.gaps)

    @property
    def state_words(self) -> str:
        """State of the recording, such as `complete`, and its number of gaps."""
        count = len(self._series.gaps)
        parts = [self._reached, *([count_words(count, "gap")] if count else []), *self._origin()]
        return ", ".join(parts)

    def _origin(self) -> list[str]:
        """Describe the run that a branch left, and when; empty for any other run."""
        branch = self.run.manifest.get("branch")
        if not isinstance(branch, dict) or "of" not in branch:
            return []
        name = PurePath(str(branch["of"])).name
        return [f"branch of {name} from {clock(branch.get('at_s'))}"]

    @property
    def _reached(self) -> str:
        if self._is_being_written:
            return "still being written"
        if self.is_cut_short:
            return f"cut short at {self._when(self.now_s)}"
        return "complete" if self.run.state == form.COMPLETE else f"interrupted at {self._when(self.now_s)}"

    def _when(self, time_s: float) -> str:
        """Return a time in words: of the day it was where that is known."""
        epoch_s = self.run.manifest.get("clock", {}).get("epoch_s")
        return length_words(time_s) if epoch_s is None else moments.whole(epoch_s + time_s)

    def problems(self) -> list[str]:
        """Return sentences on missing parts of the run; empty if it is complete."""
        found = [
            f"{gap.why}: no values from {self._when(gap.start_s)} to {self._when(gap.end_s)}."
            for gap in self._series.gaps
        ]
        if self._has_no_shares:
            found.append(
                "This diary has no raw shares, because an earlier fsconsole wrote it. Design shows none."
            )
        if self.is_cut_short:
            found.insert(0, f"The recording was cut short at {self._when(self.now_s)}.")
        if self._series.problem:
            found.insert(0, f"{self._series.problem}. The data read so far is shown.")
        problem = self._only_sampled if self._machine is None else self._machine.problem
        if problem:
            found.append(f"Only sampled values can be shown. {problem}")
        return found

    def tree(self) -> ShareTree:
        """Return the tree at the end, or as the run began until that is known."""
        snapshot = self._newest()
        return self._tree if snapshot is None or snapshot.tree is None else snapshot.tree

    def leading(self, *, is_low: bool) -> tuple[str, ...]:
        """Return all quantities, three in a low window."""
        return self.quantities[:3] if is_low else self.quantities

    def unused(self) -> frozenset[str]:
        """Return no columns: those that mean nothing were not recorded."""
        return frozenset()

    def at(self, time_s: float | None = None) -> Snapshot | PastMoment | None:
        """Return the sampled values at a time; at the end, the machine once it is restored."""
        snapshot = self._newest()
        if time_s is None and snapshot is not None:
            return snapshot
        return PastMoment(self.now_s if time_s is None else time_s, self._series.values_at)

    def _newest(self) -> Snapshot | None:
        return None if self._machine is None else self._machine.snapshot()

    def times(self, start_s: float, end_s: float, points: int | None = None) -> Floats:
        """Return times of samples, s [k]; of very many those of a coarser tier."""
        return self._series.sample_times(start_s, end_s, min(points or MOST_TIMES, _MOST_POINTS))

    def span_at(self, time_s: float) -> tuple[float, float]:
        """Return one time, as samples are kept as they were taken."""
        return time_s, time_s

    def keep(self, times: Iterable[float]) -> None:
        """Note that the view shows the past; a recorded run keeps all values anyway."""
        self._kept = frozenset(times)

    def revision(self, _quantity: str) -> int:
        """Return a number that grows with new data and with missing data."""
        return self._series.revision

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], from the tier that has about as many points."""
        return self._series.curves(quantity, nodes, start_s, end_s, min(points, _MOST_POINTS))

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest values, [k] each, from the tier that has about as many
        points.
        """
        return self._series.band(quantity, nodes, start_s, end_s, min(points, _MOST_POINTS))

    def watch(self, _nodes: Iterable[int]) -> None:
        """Do nothing, as all nodes were recorded."""

    def choices(self) -> tuple[Choice, ...]:
        """Return users with work, all users, and groups."""
        users = Choice("All users", partial(kept_nodes, are_groups=False))
        groups = Choice("Groups", partial(kept_nodes, are_groups=True))
        if self._machine is None:
            return users, groups
        otherwise = "No user had work. Draw all users."
        return Choice("Users with work", self._users_with_work, otherwise), users, groups

    def _users_with_work(self, tree: ShareTree) -> tuple[int, ...]:
        """Return leaves that have used CPU time."""
        users = kept_nodes(tree, are_groups=False)
        used = self._series.values_at("cpu_s", users, self.now_s)
        return tuple(node for node, cpu_s in zip(users, used.tolist(), strict=True) if cpu_s > 0)

    def about(self) -> About:
        """Return the run folder."""
        settings = self.run.manifest.get("settings", {})
        return About(self.name, f"run of {self.name}", settings, f"recorded in {self.run.path.name}")

    def offer(self, capability: Capability[T]) -> T | None:
        """Offer instants, explanations and the machine if the run has the data for them."""
        return self._offers.get(capability)

    def close(self, *, wait: bool = False) -> None:
        """End the thread that goes to instants."""
        if self._rewinder is not None:
            self._rewinder.close(wait=wait)

    # -- events ---------------------------------------------------------------------------------------------

    def events(self) -> Sequence[Event]:
        """Return recorded events, planned events of the scenario, and missing parts."""
        passed = 0
        if self.scenario is not None:
            passed = sum(event.at_s <= self.now_s for event in self.scenario.events)
        made_of = (len(self._happenings), passed, self._series.gaps, self._is_being_written)
        if made_of != self._events_of:
            self._events_of = made_of
            self._events = self._made_events()
        return self._events

    def _made_events(self) -> tuple[Event, ...]:
        if self.scenario is not None:
            found = list(machine_events(self.scenario, self._tree, self._happenings, self.now_s))
        else:
            found = [Event(happening.time_s, (happening.text,)) for happening in self._happenings]
        found += [Event(gap.start_s, (f"no values: {gap.why}",)) for gap in self._series.gaps]
        if self.is_cut_short:
            found.append(Event(self.now_s, ("the recording was cut short",)))
        by_time: dict[tuple[float, bool], tuple[str, ...]] = {}
        for event in found:
            key = (event.time_s, event.is_planned)
            by_time[key] = (*by_time.get(key, ()), *event.texts)
        return tuple(Event(at, by_time[at, planned], planned) for at, planned in sorted(by_time))

    def _read_events(self) -> None:
        """Read as many events as are possible without delay."""
        try:
            fresh, self._events_read = self.run.happened(self._events_read, _EVENTS_AT_ONCE)
        except RunError:
            fresh = []
        self._is_behind = bool(fresh)
        self._happenings += [Happening(time_s, text) for time_s, text in fresh]
