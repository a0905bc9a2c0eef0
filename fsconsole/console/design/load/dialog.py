"""The dialog that plans load: who works, how much, when; with what follows before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from fsconsole.app.load.demands import sessions_of_demands
from fsconsole.app.load.hours import PROFILES, parse_hours, same_for_each
from fsconsole.app.load.plan import Session, load_steps, plan_of
from fsconsole.app.load.proposal import Proposal, leaves_of, propose
from fsconsole.app.load.trace import Match
from fsconsole.console.design.load.session_table import SessionTable
from fsconsole.console.design.load.trace_page import TraceChoice, TracePage
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.forms import (
    ChoiceField,
    CountField,
    DialogButtons,
    SegmentedField,
    TypedField,
    align_fields,
    form_of,
)
from fsconsole.console.kit.load_lane import LoadLane
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import InkLabel, MutedLabel
from fsconsole.shares.saturation import demands_of_report
from fsconsole.shares.scenario.spec import DemandReport, Scenario
from fsconsole.text.durations import LONGEST_S, in_words, length_words, typed_seconds
from fsconsole.text.words import count_words

_DAY_S = 86400.0
_OWN = "own"
_MOST_EACH = 10_000
_LANE_PX = 72
_AFTER_MS = 120
_ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
Sessions = dict[int, Sequence[Session]]
# Result of the chosen source: sessions, matches of the trace's names, and sentences.
_Found = tuple[Sessions, Sequence[Match], Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Result:
    proposal: Proposal
    matches: Sequence[Match]
    lines: Sequence[str]


class LoadDialog(Dialog):
    """Plans what users do. Signals: planned(proposal) when it is kept; skipped() to run without load."""

    planned = Signal(object)
    skipped = Signal()

    def __init__(
        self,
        scenario: Scenario,
        selection: Sequence[int],
        verb: str,
        questions: Questions,
        parent: QWidget | None = None,
        *,
        can_skip: bool = False,
    ) -> None:
        """Plan the load of `scenario`, which stays unchanged.

        `selection` are the selected nodes; `verb` is the text of the button.
        """
        super().__init__("Plan load", parent)
        self._scenario, self._plan = scenario, plan_of(scenario)
        self._tasks = Tasks(self)
        self._result: _Result | None = None
        self._is_wanted = False
        everyone, chosen = leaves_of(scenario.tree), leaves_of(scenario.tree, selection) if selection else []
        self._leaves = {"all": everyone, "selected": chosen}
        self._make_fields(questions)
        self._build_ui(verb, can_skip=can_skip)
        self._fill()
        self._connect_signals()
        self._refresh()
        self.resize(860, 720)

    @property
    def is_ready(self) -> bool:
        """Whether what is chosen can be kept."""
        return self._result is not None

    @property
    def report(self) -> str:
        """Message on the plan, or its fault."""
        return self._report.text()

    # -- making -------------------------------------------------------------------------------------------

    def _make_fields(self, questions: Questions) -> None:
        scenario = self._scenario
        everyone, chosen = self._leaves["all"], self._leaves["selected"]
        users = [("all", f"Everyone: {count_words(len(everyone), 'user')}")]
        if chosen and chosen != everyone:
            users.append(("selected", f"Selected nodes: {count_words(len(chosen), 'user')}"))
        self.users = ChoiceField("Users", users)
        self.length = TypedField(
            "Length of the run", _length, 90, write=in_words, tip="Example: 20 min or 1 d"
        )
        sources = [("same", "Same for each"), ("demands", "Demands"), ("trace", "Trace")]
        if any(self._plan.all()):
            sources.append(("planned", "As planned"))
        self.source = SegmentedField(sources, "Source of the load")
        self.each = CountField("Processes of each user", 1, _MOST_EACH, 1)
        self.saturated = CountField("Processes of a saturated user", 1, _MOST_EACH, 1)
        profiles = [(one.key, one.title) for one in PROFILES]
        self.profile = ChoiceField("Hours", [*profiles, (_OWN, "Your own hours")])
        self.hours = TypedField(
            "Hours of your own", parse_hours, 440, write="; ".join,
            tip="Days, hours and share of the processes. Separate lines with semicolons",
            placeholder="mon-fri 08:00-18:00 1; sat-sun 0.2",
        )  # fmt: skip
        reports = [(report, report.title) for report in scenario.reports]
        self.demands = ChoiceField("Report of demands", reports)
        self.trace = TracePage(scenario, questions)
        self.planned_table = SessionTable(scenario.tree)
        self.remove = QPushButton("Remove sessions", autoDefault=False)
        self._lane = LoadLane(_LANE_PX)
        self._report = InkLabel(self)

    def _build_ui(self, verb: str, *, can_skip: bool) -> None:
        self._pages = QStackedWidget(self)
        self._forms: list[QFormLayout] = []
        self._page_of = {
            "same": self._pages.addWidget(self._same_page()),
            "demands": self._pages.addWidget(self._demands_page()),
            "trace": self._pages.addWidget(self.trace),
            "planned": self._pages.addWidget(self._planned_page()),
        }
        head = form_of(
            ("&Users", hbox(self.users, 1)),
            ("&Length of run", hbox(self.length, (self.length.fault, 1), spacing=INHERIT)),
            ("L&oad", hbox(self.source, 1)),
        )
        align_fields(head, *self._forms, self.trace.form)
        self.buttons = DialogButtons(verb, self)
        if can_skip:
            skip = self.buttons.addButton("Run without load", self.buttons.ButtonRole.ActionRole)
            skip.setAutoDefault(False)
            skip.clicked.connect(self._on_skipped)
        report = QScrollArea(self)
        report.setAccessibleName("Preview of the planned load")
        report.setWidgetResizable(True)
        report.setFrameShape(report.Shape.NoFrame)
        report.setWidget(self._report)
        keep_height(report, 104)
        self._report.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        caption = MutedLabel("Planned load: CPUs requested over the run", self, "caption")
        parts = (head, (self._pages, 1), caption, self._lane, report, self.buttons)
        vbox(*parts, on=self, margins=(16, 14, 16, 12), spacing=8)

    def _same_page(self) -> QWidget:
        page = QWidget()
        about = "Hours by the machine's clock. Users take turns while only some of the processes run."
        form = form_of(
            ("&Processes each", hbox(self.each, 1)),
            ("&Hours", hbox(self.profile, 1)),
            ("", vbox(self.hours, self.hours.fault, spacing=2)),
            ("", MutedLabel(about, None, "caption")),
        )
        self._forms.append(form)
        vbox(form, 1, on=page)
        return page

    def _demands_page(self) -> QWidget:
        page = QWidget()
        rows: list[tuple[str, QWidget | QLayout]] = []
        if self.demands.count():
            rows.append(("&Report", hbox(self.demands, 1)))
            rows.append(("Processes if &saturated", hbox(self.saturated, 1)))
            words = "Demands below the maximum become processes that sleep part of the time."
        else:
            words = "No reports of demands yet. Type demands in What if, then keep them as a report."
        form = form_of(*rows, ("", MutedLabel(words, None, "caption")))
        self._forms.append(form)
        vbox(form, 1, on=page)
        return page

    def _planned_page(self) -> QWidget:
        page = QWidget()
        words = "Double-click a number or a time to change it."
        row = hbox(MutedLabel(words, None, "caption"), 1, self.remove, spacing=INHERIT)
        vbox((self.planned_table, 1), row, on=page, spacing=6)
        return page

    def _connect_signals(self) -> None:
        for field in (
            self.users, self.length, self.each, self.saturated, self.hours, self.demands, self.trace,
        ):  # fmt: skip
            field.changed.connect(self._refresh)
        self.source.changed.connect(self._on_source)
        self.profile.changed.connect(self._on_profile)
        self.planned_table.rows.edited.connect(self._refresh)
        self.remove.clicked.connect(self._on_remove)

    # -- what is there already ------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Show the present plan: as hours and processes if they describe it, otherwise as its sessions."""
        scenario = self._scenario
        self.length.fill(scenario.plot.until_s)
        self.planned_table.show_sessions(self._plan.all())
        self._show_profile()
        has_plan = any(self._plan.all())
        if has_plan and not self._fill_same():
            self.source.fill("planned")
            self.users.fill("all")
        elif not has_plan:
            self.source.fill("same")
            self.users.fill("selected")
        self._show_source()

    def _show_source(self) -> None:
        """Show the page of a source; sessions that are planned are those of all users."""
        source = self.source.read()
        self._pages.setCurrentIndex(self._page_of[source])
        self.users.setEnabled(source != "planned")

    def _fill_same(self) -> bool:
        """Show the plan as one for all its users if it is the same for each, and return True if so."""
        sessions = {node: found for node, found in self._plan.sessions.items() if found}
        name = next((name for name, leaves in self._leaves.items() if set(leaves) == set(sessions)), None)
        if name is None:
            return False
        scenario = self._scenario
        most = max(
            sum(one.count for one in found if one.start_s == found[0].start_s) for found in sessions.values()
        )
        for profile in PROFILES:
            made = same_for_each(
                self._leaves[name], most, profile.lines, scenario.machine.start, scenario.plot.until_s
            )
            if made == sessions:
                self.source.fill("same")
                self.users.fill(name)
                self.each.fill(most)
                self.profile.fill(profile.key)
                self._show_profile()
                return True
        return False

    # -- what happens -------------------------------------------------------------------------------------

    @Slot()
    def _on_source(self) -> None:
        self._show_source()
        if self.source.read() == "trace":
            self._last_a_day()
        self._refresh()

    @Slot()
    def _on_profile(self) -> None:
        self._show_profile()
        if self.profile.read() != PROFILES[0].key:
            self._last_a_day()
        self._refresh()

    def _last_a_day(self) -> None:
        """Lengthen the run to a day, since hours of a day need one."""
        if self.length.is_right and self.length.read() < _DAY_S:
            self.length.fill(_DAY_S)

    def _show_profile(self) -> None:
        """Show the lines of a profile in the field, as the begin of one's own."""
        key = self.profile.read()
        known = next((one for one in PROFILES if one.key == key), None)
        if known is not None:
            self.hours.fill(known.lines)
        self.hours.setEnabled(known is None)
        self.hours.setCursorPosition(0)

    @Slot()
    def _on_remove(self) -> None:
        if self.planned_table.remove_selected():
            self._refresh()

    @Slot()
    def _on_skipped(self) -> None:
        self.skipped.emit()
        self.reject()

    @Slot()
    def _refresh(self) -> None:
        """Compute the result of the choice, which enables keeping it."""
        self._result, self._is_wanted = None, False
        self.buttons.verb.setEnabled(False)
        self._tasks.cancel()
        find, wanted = self._call()
        if find is None:
            self._report.say(wanted, "muted")
            self._lane.show_load((), 1.0, self._scenario.machine.cpus)
            return
        scenario, until_s = self._scenario, self.length.read()
        self._tasks.run(
            partial(_result_of, scenario, find, until_s), self._on_result, self._on_error, after_ms=_AFTER_MS
        )

    def _call(self) -> tuple[Callable[[], _Found] | None, str]:
        """Return the call that computes the sessions, or the reason why it is not possible."""
        scenario, source = self._scenario, self.source.read()
        leaves = self._leaves[self.users.read()]
        if not leaves:
            return None, "The tree has no users. Add a user in Design first."
        if not (self.length.is_right and self.hours.is_right):
            return None, "Correct the field marked in red."
        until_s = self.length.read()
        if source == "same":
            lines, each = self.hours.read(), self.each.read()
            return partial(_of_hours, scenario, leaves, each, lines, until_s), ""
        if source == "demands":
            report = self.demands.read()
            if report is None:
                return None, "The scenario has no reports of demands."
            return partial(_of_demands, scenario, leaves, report, self.saturated.read()), ""
        if source == "trace":
            choice = self.trace.choice
            if choice is None:
                return None, "Choose a trace to see its match with the tree."
            return partial(_of_trace, scenario, leaves, choice, until_s), ""
        kept = self.planned_table.sessions()
        nodes = self._plan.sessions
        return partial(_of_table, {node: kept.get(node, ()) for node in nodes}), ""

    def _on_result(self, result: _Result) -> None:
        self._result = result
        scenario = result.proposal.scenario
        self._lane.show_load(load_steps(scenario), scenario.plot.until_s, scenario.machine.cpus)
        self.trace.show_matches(result.matches)
        self._report.say("\n".join([*result.proposal.lines, *result.lines]))
        self.buttons.verb.setEnabled(True)
        if self._is_wanted:
            self.accept()

    def _on_error(self, error: Exception) -> None:
        self._report.say(describe_error(error), "danger")
        self._lane.show_load((), 1.0, self._scenario.machine.cpus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter right after an entry means the plan that is being computed for it.
        self._is_wanted = event.key() in _ENTERS and self._tasks.is_busy()
        super().keyPressEvent(event)

    def accept(self) -> None:
        """Keep the plan once it is computed."""
        if self._result is not None:
            self.planned.emit(self._result.proposal)
            super().accept()


def _result_of(scenario: Scenario, find: Callable[[], _Found], until_s: float) -> _Result:
    sessions, matches, lines = find()
    return _Result(propose(scenario, sessions, until_s), matches, lines)


def _of_hours(
    scenario: Scenario, leaves: Sequence[int], each: int, lines: Sequence[str], until_s: float
) -> _Found:
    return {**same_for_each(leaves, each, lines, scenario.machine.start, until_s)}, (), ()


def _of_demands(scenario: Scenario, leaves: Sequence[int], report: DemandReport, each: int) -> _Found:
    demands = demands_of_report(report)
    return {**sessions_of_demands(scenario.tree, leaves, demands, scenario.machine.cpus, each)}, (), ()


def _of_trace(scenario: Scenario, leaves: Sequence[int], choice: TraceChoice, until_s: float) -> _Found:
    sessions, matches, lines = choice.load(scenario, leaves, until_s)
    return {**sessions}, matches, lines


def _of_table(sessions: Sessions) -> _Found:
    return sessions, (), ()


def _length(text: str) -> float:
    found = typed_seconds(text)
    if not 0 < found <= LONGEST_S:
        most = length_words(LONGEST_S)
        msg = f"'{text}' is not a possible length. Write a time above 0, at most {most}, such as 20 min"
        raise ValueError(msg)
    return found
