"""Run, pause, step, speed, holds and start over of the simulated machine, in every workspace."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot

from fsconsole.console.actions import Action
from fsconsole.console.session import ConsoleSession
from fsconsole.targets.base import CLOCK_HOLDS, MACHINE, PLAYBACK, RECORDING, SPEEDS, ClockHolds
from fsconsole.targets.events import neighbour
from fsconsole.targets.hold_rules import HOLD_RULES, HoldRule
from fsconsole.targets.snapshot import Snapshot, has_ended
from fsconsole.text import durations

_MENU = "Simulation"
STEPS = ("tick", "second", "delta")
_STEP_KEY, _HOLDS_KEY = "time/step", "time/hold_at"


class TimeControls(QObject):
    """Sets the pace of the session's machine, and begins and turns to other runs."""

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: tuple[object, ...] = ()
        self._asked_at: tuple[int, float] | None = None
        session.target_changed.connect(self._hold_as_before)
        session.frame.connect(self._show_held)

    def takes_commands(self) -> bool:
        """Return True if there is a target that can be run, even if its machine is still starting."""
        target = self._session.target
        return target is not None and not target.fault

    def is_open(self) -> bool:
        """Return True if there is a target whose time can pass."""
        target = self._session.target
        return target is not None and self.takes_commands() and target.at() is not None

    def run_or_pause(self) -> None:
        """Let time pass, or stop it; past the end of the scenario only when it is asked for twice there."""
        playback = self._session.playback
        if playback is not None and playback.is_running:
            self._session.pause()
        elif self._session.past.is_on or self._may_run():
            self._session.run()

    def run_or_pause_live(self) -> None:
        """Run or pause the live end while the past is shown."""
        live = self._session.offer(PLAYBACK)
        if live is not None and live.is_running:
            live.pause()
        elif live is not None and self._may_run():
            live.run()
        self._session.look_again()
        self._session.paced.emit()

    def _may_run(self) -> bool:
        """Return True unless the scenario has just ended: then this is said, and asked for again it may."""
        target, snapshot = self._session.target, self._session.newest
        end_s = None if target is None else target.clock.until_s
        if snapshot is None or end_s is None or not has_ended(snapshot, end_s):
            return True
        was_asked, self._asked_at = self._asked_at, (id(target), end_s)
        if was_asked == self._asked_at:
            return True
        at = durations.clock(end_s)
        self._session.message.emit(f"The scenario has ended at {at}. Run it again to go on past its end")
        return False

    def change_speed(self, step: int) -> None:
        """Set the next faster or slower speed."""
        playback = self._session.playback
        if playback is not None:
            self._session.set_speed(neighbour_speed(playback.speed, step))

    def step(self) -> None:
        """Pause and advance by the step that is chosen."""
        self._session.step(step_ticks(self._session))

    def step_back(self) -> None:
        """Show the instant one step earlier."""
        machine, past = self._session.machine, self._session.past
        if machine is not None and self._session.target is not None:
            at_s = self._session.target.now_s if past.time_s is None else past.time_s
            past.pause()
            past.go(at_s - step_ticks(self._session) / machine.scenario.machine.hz)

    # -- holds ----------------------------------------------------------------------------------------------

    @property
    def _offered(self) -> ClockHolds | None:
        target = self._session.target
        return None if target is None else target.offer(CLOCK_HOLDS)

    def toggle_hold(self, name: str) -> None:
        """Hold the clock at a rule from now on, or no longer; remembered."""
        chosen = set(self._session.preferences.value(_HOLDS_KEY, [])) ^ {name}
        self._session.preferences.set_value(_HOLDS_KEY, sorted(chosen))
        self._hold_as_before()
        self._session.paced.emit()

    @Slot()
    def _hold_as_before(self) -> None:
        if self._offered is not None:
            self._offered.hold_at(self._session.preferences.value(_HOLDS_KEY, []))

    def _holds(self, name: str) -> bool:
        return self._offered is not None and name in self._offered.holds

    def _can_hold(self, name: str) -> bool:
        return self._offered is not None and name in {rule.name for rule in self._offered.hold_rules}

    @Slot()
    def _show_held(self) -> None:
        """Show once why the clock is held."""
        snapshot = self._session.newest
        held = "" if snapshot is None else held_words(snapshot)
        if held and (id(self._session.target), held) != self._shown:
            self._session.message.emit(held)
            self._session.paced.emit()
        self._shown = (id(self._session.target), held)

    # -- the run --------------------------------------------------------------------------------------------

    def start_over(self) -> None:
        """Build the machine again at time 0; the run before is kept."""
        target = self._session.target
        was_kept = target is not None and target.now_s > target.clock.first_s and not target.fault
        self._session.restart()
        if was_kept:
            self._session.message.emit("The earlier run is kept: Simulation > Past > Run before")

    def actions(self) -> list[Action]:
        """Return rows of the action table."""
        is_open = self.is_open
        return [
            Action(
                "observe.run", "&Run or pause", self.run_or_pause, keys=("Space",), icon="run", menu=_MENU,
                group="time", tip="Run simulated time, or pause it", enabled=self.takes_commands,
                words="play stop start", needs=PLAYBACK, short="Run",
                checked=lambda: self._session.is_running,
            ),
            Action(
                "observe.restart", "S&tart over", self.start_over, icon="to-start", menu=_MENU, group="time",
                tip="Start another run at time 0. This one is kept",
                enabled=lambda: self._session.document is not None, words="restart reset rewind to start",
                needs=RECORDING,
            ),
            Action(
                "observe.slower", "Slo&wer", partial(self.change_speed, -1), keys=("[",), menu=_MENU,
                group="speed", enabled=self.takes_commands, needs=PLAYBACK,
            ),
            Action(
                "observe.faster", "&Faster", partial(self.change_speed, 1), keys=("]",), menu=_MENU,
                group="speed", enabled=self.takes_commands, needs=PLAYBACK,
            ),
            Action(
                "observe.step", "&Step", self.step, keys=(".",), icon="step", menu=_MENU, group="time",
                tip="Pause and advance by a tick, a second or a delta", enabled=is_open,
                words="advance tick", needs=MACHINE,
            ),
            Action(
                "observe.step_back", "Step &back", self.step_back, keys=(",",), menu=_MENU, group="time",
                tip="Go back by a tick, a second or a delta", enabled=is_open,
                words="scrub rewind past", needs=MACHINE,
            ),
            *map(self._hold_action, HOLD_RULES),
            *self._past_actions(),
        ]  # fmt: skip

    def _hold_action(self, rule: HoldRule) -> Action:
        return Action(
            f"hold.{rule.name}", rule.title, partial(self.toggle_hold, rule.name), menu=f"{_MENU}/Hold at",
            tip=rule.tip,
            enabled=partial(self._can_hold, rule.name), checked=partial(self._holds, rule.name),
            why_not=lambda: rule.absent, words="pause stop break event", needs=CLOCK_HOLDS,
        )  # fmt: skip

    def _past_actions(self) -> list[Action]:
        past, menu = self._session.past, f"{_MENU}/Past"
        return [
            Action(
                "past.leave", "Return to the &present", past.leave, keys=("Ctrl+End",), menu=menu,
                group="past", tip="Show the target as it is now", enabled=lambda: past.is_on,
                why_not=lambda: "The present is already shown", words="live now scrub back",
            ),
            Action(
                "past.live", "Run or pause the &live end", self.run_or_pause_live, keys=("Ctrl+Space",),
                menu=menu, group="past", tip="Run or pause the live end. The view stays in the past",
                enabled=lambda: past.is_on, why_not=lambda: "The present is already shown", needs=PLAYBACK,
                words="live now",
            ),
            Action(
                "past.first", "Go to the &beginning", self.go_to_beginning, keys=("Ctrl+Home",), menu=menu,
                group="past", tip="Go to the first instant of the run", enabled=self.is_open,
                words="start rewind scrub",
            ),
            Action(
                "past.previous", "Pre&vious event", partial(self.go_to_event, -1),
                keys=("Ctrl+Shift+Left",), menu=menu, group="events", enabled=self.is_open,
                tip="Go to the previous instant at which something happened", words="scrub back",
            ),
            Action(
                "past.next", "Ne&xt event", partial(self.go_to_event, 1), keys=("Ctrl+Shift+Right",),
                menu=menu, group="events", enabled=lambda: past.is_on, words="scrub forward",
                tip="Go to the next instant at which something happened",
                why_not=lambda: "The present is already shown",
            ),
            Action(
                "run.before", "Run &before", partial(self.turn, -1), keys=("Ctrl+Alt+Left",),
                menu=menu, group="runs", tip="Show the run before this one",
                enabled=lambda: bool(self._session.runs.before), needs=RECORDING,
                why_not=lambda: "This is the first run", words="start over reference restart",
            ),
            Action(
                "run.after", "Run &after", partial(self.turn, 1), keys=("Ctrl+Alt+Right",),
                menu=menu, group="runs", tip="Show the run after this one",
                enabled=lambda: bool(self._session.runs.after), needs=RECORDING,
                why_not=lambda: "This is the last run", words="start over reference restart",
            ),
        ]  # fmt: skip

    def turn(self, step: int) -> None:
        """Show the run before (-1) or after (1) this one, and report its present time."""
        self._session.runs.turn(step)
        target = self._session.target
        if target is not None:
            end = durations.clock(target.now_s)
            self._session.message.emit(f"Run before, up to {end}" if step < 0 else f"Run after, up to {end}")

    def go_to_beginning(self) -> None:
        """Show the first known instant."""
        target = self._session.target
        if target is not None:
            self._session.past.go(target.clock.first_s)

    def go_to_event(self, step: int) -> None:
        """Show the next event after the displayed instant, or the previous one before it."""
        target, past = self._session.target, self._session.past
        if target is None:
            return
        at_s = target.now_s if past.time_s is None else past.time_s
        found = neighbour(self._session.events(), at_s, step)
        if found is not None:
            past.go(found)
        else:
            at = durations.clock(at_s)
            self._session.message.emit(f"No event after {at}" if step > 0 else f"No event before {at}")


def chosen_step(session: ConsoleSession) -> str:
    """Return the chosen one of STEPS."""
    found = session.preferences.value(_STEP_KEY, "delta")
    return found if found in STEPS else "delta"


def choose_step(session: ConsoleSession, name: str) -> None:
    """Make a step so long, in all workspaces and from start to start."""
    session.preferences.set_value(_STEP_KEY, name)


def step_ticks(session: ConsoleSession) -> int:
    """Return the ticks of the chosen step."""
    document = session.document
    if document is None:
        return 1
    spec, policy = document.scenario.machine, document.scenario.policy
    return {"tick": 1, "second": spec.hz, "delta": spec.ticks(policy.delta_s)}[chosen_step(session)]


def held_words(snapshot: Snapshot) -> str:
    """Return the time at which the clock is held, and the reason; empty if it is not."""
    return f"Held at {durations.clock(snapshot.time_s)}: {snapshot.held}" if snapshot.held else ""


def neighbour_speed(speed: float, step: int) -> float:
    """Return the next faster (1) or slower (-1) speed that is offered."""
    at = SPEEDS.index(speed) if speed in SPEEDS else 0
    return SPEEDS[min(max(at + step, 0), len(SPEEDS) - 1)]
