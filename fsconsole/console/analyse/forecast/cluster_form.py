"""The form of a cluster's forecast: node, rival, jobs, other users, changes, goal, settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.cluster_figures import Shown
from fsconsole.app.forecast.entry import (
    DAY_S,
    HOUR_S,
    MOST_CORES,
    MOST_WEEKS,
    half_life_days,
    length_text,
    number,
    optional,
    plain,
)
from fsconsole.app.forecast.job_shape import new_mix, read_shape
from fsconsole.app.forecast.jobs import Job, in_hours, jobs_from_json, jobs_to_json, priced
from fsconsole.app.forecast.question import Answer, Own, Question, knows_running, usual_own
from fsconsole.app.forecast.sentences import sentences
from fsconsole.console.analyse.forecast.changes_page import ChangesPage
from fsconsole.console.analyse.forecast.goal_page import GoalPage
from fsconsole.console.analyse.forecast.jobs_table import JobsModel, JobsTable
from fsconsole.console.analyse.forecast.names import NameField, RivalsBox
from fsconsole.console.analyse.forecast.one_form import AHEAD, WISHED, wish
from fsconsole.console.kit.forms import ChoiceField, FaultLabel, FieldLine, TypedField, form_page, name_fault
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.icons import icon
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.slurm.decay import SlurmDecay
from fsconsole.slurm.priority_outlook import JobMix
from fsconsole.slurm.staged_changes import Changes

_AS_NOW, _QUIET, _CORES = "as now", "quiet", "cores"
_OTHERS = ((_AS_NOW, "all keep their usage"), (_QUIET, "use nothing"), (_CORES, "together use"))
_OWN = (
    (Own.NOTHING, "planned jobs only"),
    (Own.TO_LIMITS, "running jobs to their limits"),
    (Own.RUNNING, "goes on as its running jobs"),
    (Own.SAME_USAGE, "keeps its usage"),
)
_SHOWN = tuple((one, one.value) for one in Shown)
_OTHERS_LETTERS = 7
_DAY_OF_JOB_S = 24 * HOUR_S
_JOB_TIP = "cpus=8,nodes=1,mem=16G,gres=gpu:2,partition=batch,qos=high,nice=0; needs the cluster's weights"
_CHANGES_PAGE = 2
_MOST_DAYS = 7 * MOST_WEEKS


_ABOUT = {
    "Node": "User or account to forecast, and its rivals",
    "Jobs": "Planned jobs and length of the forecast",
    "Changes": "Changes from now on and their effect on all users",
    "Goal": "Changes that reach a fairshare by a given time",
    "Source": "Cluster, half-life, calculation period and dampening factor",
}


class ClusterForm(QWidget):
    """Five pages behind tabs.

    Signals: changed() with another question; open_wanted() of a capture, live_wanted().
    """

    changed = Signal()
    open_wanted = Signal()
    live_wanted = Signal()

    def __init__(self, remembered: Mapping[str, object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cluster: Cluster | None = None
        self._usual_own: Own | None = Own.NOTHING  # None while a use that was chosen is remembered.
        self.bar, self._stack = PageTabs("Parts of the forecast", self), QStackedWidget(self)
        self.source = PlainLabel("No capture", self)
        self.open, self.live = QPushButton("Open capture…", self), QPushButton("Live cluster", self)
        self.node = NameField("User or account", "User or account, or part of the name", self)
        self.own = ChoiceField("Own use", _OWN, self)
        self.shown = ChoiceField("Shown below usage", _SHOWN, self)
        self.rivals = RivalsBox(self)
        self.others = ChoiceField("Usage of all others", _OTHERS, self)
        self.cores = TypedField(
            "Cores in use by others", partial(number, low=0, high=MOST_CORES, example="100"), 56
        )
        self._cores_unit = MutedLabel("cores", self)
        self.wished = TypedField(WISHED, wish, 60)
        self.words = PlainLabel("", self, wraps=True)
        self.model = JobsModel(in_hours(self._priced), _DAY_OF_JOB_S, self)
        self.jobs = JobsTable(self.model, self)
        self.price_fault = FaultLabel(self)
        self.changes, self.goal = ChangesPage(self), GoalPage(self)
        self.job = TypedField(
            "New job to show the priority of", read_shape, 180, tip=_JOB_TIP, placeholder="cpus=1"
        )
        self.half_life = TypedField(
            "Half-life",
            half_life_days,
            tip="Number of days, or a time with its unit: 12 h, 30 min. Write none if usage does not decay",
        )
        self.period = TypedField(
            "Calculation period in minutes", partial(number, low=1, high=100_000, example="5")
        )
        self.damping = TypedField(
            "Dampening factor d", partial(number, low=0, high=65_535, example="1", above=True)
        )
        self.until = TypedField(
            AHEAD,
            partial(optional, low=0, high=_MOST_DAYS, example="30"),
            tip="Empty: three half-lives after the last job, or longer until the goal is reached",
            placeholder="automatic",
        )
        self._typed: dict[str, TypedField[Any]] = {
            "cores": self.cores,
            "wished": self.wished,
            "half_life": self.half_life,
            "period": self.period,
            "damping": self.damping,
            "until": self.until,
            "job": self.job,
            "goal": self.goal.value,
            "goal_by": self.goal.when,
        }
        self._build_ui()
        self._restore(remembered)
        self._connect_signals()

    @property
    def cluster(self) -> Cluster | None:
        """What is forecast from."""
        return self._cluster

    def show_cluster(self, cluster: Cluster, source: str) -> None:
        """Offer the names of another cluster; entries stay, except settings that the cluster has."""
        is_other = self._cluster is None or self._cluster.name != cluster.name
        has_other_rows = self._cluster is None or self._cluster.names != cluster.names
        self._cluster = cluster
        self.source.setText(source)
        self.source.setToolTip(source)
        self.node.offer(cluster.associations, cluster.row)
        self.rivals.offer(cluster.associations, cluster.row)
        self.changes.offer(cluster, is_other=has_other_rows)
        self.goal.offer(cluster)
        self.job.setEnabled(_has_priorities(cluster))
        self._cores_unit.setText(cluster.rate_unit)
        self._show_own()
        if is_other and cluster.settings is not None:
            self.half_life.show_text(length_text(cluster.settings.half_life_s))
            self.period.show_text(plain(cluster.settings.period_s / 60))
            self.damping.show_text(plain(cluster.damping))

    def question(self) -> Question | None:
        """Return the question of the form; None without a node or with a fault."""
        cluster, changes, row = self._cluster, self.changes.changes, self.node.row
        if cluster is None or not self.is_right or (row is None and not changes):
            return None
        rivals = tuple(rival for rival in self.rivals.rows() if rival != row)
        until_d = self.until.read()
        return Question(
            cluster,
            row,
            rivals,
            tuple(map(self._priced, self.model.jobs)),
            {_AS_NOW: None, _QUIET: 0.0}.get(self.others.read(), self._cores_of_others),
            self.wished.read(),
            SlurmDecay(self.half_life.read() * DAY_S, self.period.read() * 60),
            self.damping.read(),
            None if until_d is None else until_d * DAY_S,
            changes,
            own=Own(self.own.read()),
            goal=None if row is None else self.goal.goal(row),
            mix=self._mix(cluster, row),
        )

    @property
    def is_right(self) -> bool:
        """Whether all fields that count are."""
        return not any(self._faults().values())

    def _faults(self) -> dict[str, bool]:
        """Return the titles of all pages, each with True if an entry of it cannot be used."""
        wrong = {
            name
            for name, field in self._typed.items()
            if not field.is_right and (name != "cores" or self._is_cores)
        }
        return {
            "Node": not self.node.is_right or bool(wrong & {"cores", "wished"}),
            "Jobs": "until" in wrong or bool(self._price_problem()),
            "Changes": not self.changes.is_right,
            "Goal": not self.goal.is_right,
            "Source": bool(wrong & {"half_life", "period", "damping", "job"}),
        }

    @Slot()
    def show_faults(self) -> None:
        """Mark the tabs of pages with a wrong entry: it mutes the forecast, whichever page is seen."""
        faults = self._faults()
        self.price_fault.say(self._price_problem())
        self.goal.show_faults([title for title, is_wrong in faults.items() if is_wrong and title != "Goal"])
        for place, (title, is_wrong) in enumerate(faults.items()):
            self.bar.setTabIcon(place, icon("warning", "danger") if is_wrong else QIcon())
            tip = f"Page {title} has a wrong entry. Correct the field with a red border"
            self.bar.setTabToolTip(place, tip if is_wrong else _ABOUT[title])

    def show_answer(self, found: Answer | None) -> None:
        """Show the forecast in sentences, and the results of changes and goal."""
        self.words.setText("\n".join(sentences(found)) if found is not None else "")
        self.words.setVisible(bool(self.words.text()))
        self.changes.show_answer(found)
        self.goal.show_answer(found)

    def to_json(self) -> dict[str, object]:
        """Return all entries for the preferences."""
        return {
            "user": self.node.text(),
            "own": "" if self.own.read() == self._usual_own else self.own.read(),
            "shown": self.shown.read(),
            "rivals": self.rivals.names,
            "jobs": jobs_to_json(self.model.jobs),
            "others": self.others.read(),
            **{name: field.text() for name, field in self._typed.items()},
        }

    # -- inside -------------------------------------------------------------------------------------------

    @property
    def _is_cores(self) -> bool:
        return bool(self.others.read() == _CORES)

    @property
    def _cores_of_others(self) -> float:
        return self.cores.read() if self.cores.is_right else 0.0

    def _priced(self, job: Job) -> Job:
        """Return a job as the cluster charges it; ValueError where that is unknown."""
        return job if self._cluster is None else priced(job, self._cluster)

    def _price_problem(self) -> str:
        """Return the fault of the first planned job without a price; empty for none."""
        for place, job in enumerate(self.model.jobs, 1):
            try:
                self._priced(job)
            except ValueError as error:
                return name_fault(f"Job {place}", str(error))
        return ""

    def _mix(self, cluster: Cluster, row: int | None) -> JobMix | None:
        """Return the job whose priority is forecast, if that is shown."""
        is_shown = self.shown.read() == Shown.PRIORITY and self.job.is_right
        if not is_shown or row is None or not cluster.tree.user[row] or not _has_priorities(cluster):
            return None
        try:
            mix = new_mix(cluster, self.job.read())
        except ValueError as error:
            self.job.fault.say(name_fault(self.job.accessibleName(), str(error)))
            return None
        self.job.fault.say("")
        return mix

    def _show_own(self) -> None:
        """Show the usual use of another node, unless another was chosen that is known there."""
        cluster, row = self._cluster, self.node.row
        if cluster is None or row is None:
            return
        is_lost = self.own.read() in (Own.TO_LIMITS, Own.RUNNING) and not knows_running(cluster, row)
        is_chosen = self.own.read() != self._usual_own and not is_lost
        self._usual_own = usual_own(cluster, row)
        if not is_chosen:
            with QSignalBlocker(self.own):
                self.own.fill(self._usual_own)

    @Slot()
    def _on_node(self) -> None:
        self._show_own()
        self.changed.emit()

    @Slot(object)
    def _on_try(self, changes: Changes) -> None:
        """Stage a way that is tried as a change; the page of changes shows what it does."""
        self.changes.also(changes)
        self.bar.setCurrentIndex(_CHANGES_PAGE)

    def _restore(self, remembered: Mapping[str, object]) -> None:
        self.node.setText(_text(remembered.get("user")))
        for choice, name in ((self.own, "own"), (self.shown, "shown")):
            choice.fill(_text(remembered.get(name)))
        if remembered.get("own"):
            self._usual_own = None
        rivals = remembered.get("rivals")
        self.rivals.show_names([_text(name) for name in rivals] if isinstance(rivals, list) else [])
        self.model.show_jobs(jobs_from_json(remembered.get("jobs"), ()))
        self.others.fill(_text(remembered.get("others")))
        first = {"cores": "100", "half_life": "7 d", "period": "5", "damping": "1"}
        for name, field in self._typed.items():
            field.show_text(_text(remembered.get(name, first.get(name, ""))))
            if not field.is_right:
                field.show_text(first.get(name, ""))
        self._on_others_changed()

    @Slot()
    def _on_others_changed(self) -> None:
        for part in (self.cores, self._cores_unit):
            part.setVisible(self._is_cores)
        self.cores.fault.setVisible(self._is_cores and not self.cores.is_right)

    def _connect_signals(self) -> None:
        self.bar.currentChanged.connect(self._stack.setCurrentIndex)
        self.open.clicked.connect(self.open_wanted)
        self.live.clicked.connect(self.live_wanted)
        self.others.changed.connect(self._on_others_changed)
        self.others.changed.connect(self.changed)
        self.node.changed.connect(self._on_node)
        for part in (self.own, self.shown, self.rivals, self.model, self.changes, self.goal):
            part.changed.connect(self.changed)
        self.goal.try_wanted.connect(self._on_try)
        for field in self._typed.values():
            if field not in (self.goal.value, self.goal.when):  # The goal's page shows this error.
                field.changed.connect(self.changed)

    def _build_ui(self) -> None:
        pages = (self._node_page(), self._jobs_page(), self.changes, self.goal, self._settings_page())
        for (title, about), page in zip(_ABOUT.items(), pages, strict=True):
            self.bar.setTabToolTip(self.bar.addTab(title), about)
            self._stack.addWidget(page)
        self.live.hide()
        vbox(self.bar, (self._stack, 1), on=self)

    def _node_page(self) -> QWidget:
        self.others.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.others.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.others.setMinimumContentsLength(_OTHERS_LETTERS)
        self.words.setFont(tabular_font())
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.words.setToolTip("Fairshare decides the order of jobs only in proportion to its weight.")
        self.words.hide()
        return form_page(
            FieldLine(("Node", self.node, "")),
            FieldLine(("Own use", self.own, "")),
            self.rivals,
            FieldLine(("Others", self.others, ""), ("", self.cores, self._cores_unit)),
            FieldLine((WISHED, self.wished, "")),
            FieldLine(("Show", self.shown, "")),
            self.words,
        )

    def _jobs_page(self) -> QWidget:
        made = QWidget()
        line = FieldLine((AHEAD, self.until, "d"))
        line.setContentsMargins(12, 0, 12, 0)
        self.price_fault.setContentsMargins(12, 0, 12, 0)
        vbox((self.jobs, 1), self.price_fault, line, on=made, margins=(0, 0, 0, 6), spacing=INHERIT)
        return made

    def _settings_page(self) -> QWidget:
        self.source.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.source.setFont(tabular_font(semibold=True))
        buttons = QWidget()
        hbox(self.open, self.live, STRETCH, on=buttons, spacing=8)
        return form_page(
            self.source,
            buttons,
            FieldLine(("Half-life", self.half_life, "")),
            FieldLine(("Calculation period", self.period, "min")),
            FieldLine(("Dampening d", self.damping, "")),
            FieldLine(("New job", self.job, "")),
            MutedLabel(
                "RawUsage is cut to whole seconds. Cores are billing units a second.", None, "caption"
            ),
        )


def _has_priorities(cluster: Cluster) -> bool:
    """Return True if the weights and partitions that make up priorities are known."""
    return cluster.known.config is not None and bool(cluster.known.partitions)


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""
