"""The dialog for a new study: what is compared on what; it writes the study's file and has it run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from fsconsole.app.study.choice import (
    CHOSEN,
    POLICY_SETTINGS,
    SEEDS,
    WINDOWS,
    StudyChoice,
    TraceFacts,
    placed,
    trace_facts,
    trace_path,
)
from fsconsole.batch.policy import POLICIES, POLICY_WORDS, BatchPolicy
from fsconsole.batch.study.bundled import bundled_traces
from fsconsole.batch.study.plan import plan_of
from fsconsole.batch.study.spec import MODEL, MODEL_USERS, StudySpec
from fsconsole.batch.study.study_file import write_study
from fsconsole.batch.traces.content import workload_name
from fsconsole.console.analyse.study.new_file_dialog import NewFileDialog, grid_of
from fsconsole.console.analyse.study.policy_settings import PolicySettings
from fsconsole.console.analyse.study.trace_months import TraceMonths
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.forms import ChoiceField, CountField, Fields, TextField
from fsconsole.console.kit.tasks import describe_error, run_and_wait
from fsconsole.console.style.icons import put_icon
from fsconsole.console.widgets.boxes import INHERIT, hbox
from fsconsole.console.widgets.growth import grow_to_fit
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.text.words import count_words

_TREE_FORMS = ("Share trees (*.yaml *.yml *.cfg *.dump *.sharecf)", "All files (*)")
_PARTS = (("whole", "The whole trace at once"), ("all", "Each calendar month"), ("some", "These months:"))
_USERS = (("own", "Jobs of the trace"), ("resampled", "Jobs drawn from it, for each seed"))
_WIDTH = 620
_MODEL_JOBS = 10_000


class _ProcessorsError(Exception):
    """The trace does not have its machine's number of processors."""


class NewStudyDialog(NewFileDialog):
    """Asks for the comparison. Signals: made(path) of the study's file, to run it."""

    def __init__(self, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__("New study", "Parallel jobs", questions, parent)
        self._has_typed_name = False
        self._facts: tuple[str, TraceFacts] | None = None
        self._agreed: Path | None = None  # File that the user has agreed to replace.
        self.procs = CountField("Processors", 0, 10_000_000, 0, self)
        self.jobs = CountField("Jobs of the model", 1, 5_000_000, _MODEL_JOBS, self)
        self.people = CountField("Users of the model", 1, 1_000_000, MODEL_USERS, self)
        self.load = CountField("Load, %", 0, 1000, 0, self)
        self.beside = QCheckBox("Run Lublin and Feitelson's model beside the trace", self)
        self.inside = TraceMonths(self)
        self.part = ChoiceField("Part of the trace", _PARTS, self)
        self.months = TextField("Months")
        self.users = ChoiceField("Users", _USERS, self)
        self.users.setToolTip("For each seed, draw users with replacement and shift each by whole weeks")
        self.policies = {name: QCheckBox(_title(policy), self) for name, policy in POLICIES.items()}
        self.settings = {
            setting: PolicySettings(policy.family, setting, self)
            for policy in POLICIES.values()
            for setting in POLICY_SETTINGS
            if policy.means(setting)
        }
        self.windows = TextField("Fair-share windows", WINDOWS)
        self.seeds = TextField("Seeds", SEEDS, "1-5")
        self.shares = TextField("Share tree", "", "equal shares for all users")
        self._fields = Fields(
            self,
            name=self.name,
            part=self.part,
            months=self.months,
            users=self.users,
            windows=self.windows,
            seeds=self.seeds,
            shares=self.shares,
            procs=self.procs,
            **self.settings,
        )
        self.remark = MutedLabel("", self)
        self._fill()
        self._build_ui()
        self._connect_signals()
        self._refresh()
        self._name_file()
        self._read_trace()

    @property
    def choice(self) -> StudyChoice:
        """What is chosen now."""
        kind, text = self.trace.currentData() or ("trace", self.trace.currentText())
        if kind == "model":
            made = self._fields.read(StudyChoice("", policies=self._policy_names))
            return replace(made, jobs=self.jobs.value(), people=self.people.value(), load=self.load.value())
        trace, month = (text, "") if kind == "trace" else ("", text)
        made = self._fields.read(StudyChoice("", trace, month, policies=self._policy_names))
        if not trace or not self.beside.isChecked():
            return made
        known = self._facts[1].procs if self._facts is not None else None
        beside = replace(made, jobs=self.jobs.value(), people=self.people.value(), load=self.load.value())
        return replace(beside, model_procs=made.procs or known or 0)

    @property
    def _policy_names(self) -> tuple[str, ...]:
        return tuple(name for name, box in self.policies.items() if box.isChecked())

    @Slot()
    def accept(self) -> None:
        """Write the study's file and run it; a fault is shown and the dialog stays."""
        try:
            self._write(self._written)
        except _ProcessorsError as error:
            self.show_problem(str(error))
            self.procs.setFocus()

    def _written(self) -> Path:
        for settings in self.settings.values():
            if settings.isVisibleTo(self):
                settings.read()  # A field with an invalid text would keep its default.
        trace = self.choice.trace
        if self._facts is None and self.beside.isChecked() and trace:
            self._on_facts((trace, run_and_wait(partial(trace_facts, trace), self)))
        choice = self.choice
        path = placed(Path(self.file.text().strip()), "study", self._agreed)
        spec = choice.spec(path.parent)
        if choice.trace:
            run_and_wait(partial(self._check, choice, spec), self)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_study(spec, path)
        return path

    def _check(self, choice: StudyChoice, spec: StudySpec) -> None:
        """Read all that the study is of, in a thread; raise what is wrong with it."""
        known = self._facts
        try:
            facts = known[1] if known is not None and known[0] == choice.trace else trace_facts(choice.trace)
            if not choice.procs and facts.missing_procs:
                raise _ProcessorsError(facts.missing_procs)
            plan_of(spec)
        except OSError as error:
            msg = f"{error.filename} cannot be read: {error.strerror or error}. Choose another file."
            raise ValueError(msg) from error

    @Slot()
    def browse_shares(self) -> None:
        """Choose a share tree's file."""
        path = self._questions.file_to_open("Share tree", Path.home(), _TREE_FORMS)
        if path is not None:
            self.shares.setText(str(path))

    @Slot()
    def browse_file(self) -> None:
        """Choose where the study's file goes."""
        found = self._questions.file_to_save(
            "Save study as", Path(self.file.text()), ("Study (*.yaml *.yml)",)
        )
        if found is not None:
            self._has_typed_file = True
            self._agreed = found[0]
            self.file.setText(str(found[0]))

    # -- inside -------------------------------------------------------------------------------------------

    def _datum_of(self, path: Path) -> object:
        return "trace", str(path)

    def _on_trace_browsed(self, path: Path) -> None:
        if not self._has_typed_name:
            self.name.setText(workload_name(path.name))

    def _fill(self) -> None:
        from fsconsole.batch.generate.table_one import MONTHS

        for name in bundled_traces():
            self.trace.addItem(name, ("trace", name))
        for month in MONTHS:
            self.trace.addItem(f"{month.name}, generated after the paper's Table I", ("month", month.name))
        self.trace.addItem("Lublin and Feitelson's model, generated", ("model", MODEL))
        self.trace.setAccessibleName("Workload")
        self.load.setSpecialValueText("as in the model")
        self.load.setToolTip(
            "Node-hours requested, divided by all node-hours. Gaps between arrivals are stretched to reach it"
        )
        self.beside.setToolTip(
            "Also compare policies on generated jobs: as many jobs and users, at the same load"
        )
        self.procs.setSpecialValueText("as in the trace")
        for name, box in self.policies.items():
            box.setChecked(name in CHOSEN)
            box.setToolTip(f"{POLICY_WORDS[name]} ({name})")

    def _connect_signals(self) -> None:
        for part in (self._fields, self.file, self.jobs, self.people, self.load):
            part.changed.connect(self._refresh)
        self.trace.currentIndexChanged.connect(self._refresh)
        for check in self.policies.values():
            check.toggled.connect(self._refresh)
        self.name.textEdited.connect(self._keep_name)
        self.inside.picked.connect(self.months.setText)
        self.beside.toggled.connect(self._fit_model)
        self.beside.toggled.connect(self._refresh)
        for field in (self.part, self.months):
            field.changed.connect(self._fit_jobs)
        self.trace.currentIndexChanged.connect(self._read_trace)
        self.trace.currentIndexChanged.connect(self._name_file)

    @Slot()
    def _keep_name(self) -> None:
        self._has_typed_name = True

    @Slot()
    def _read_trace(self) -> None:
        """Have the trace chosen read, to show what it has."""
        trace = self.choice.trace
        self._facts = None
        self.months.setPlaceholderText("")
        self._tasks.cancel()
        self.inside.show_months(())
        self._show_about(f"Reading {trace_path(trace).name}…" if trace else "", "muted")
        if trace:
            self._tasks.run(lambda: (trace, trace_facts(trace)), self._on_facts, self._on_unreadable)

    def _show_about(self, words: str, token: str) -> None:
        self.about.say(words, token)
        grow_to_fit(self)

    def _on_facts(self, found: tuple[str, TraceFacts]) -> None:
        self._facts = found
        self.inside.show_months(found[1].months)
        self._show_about(found[1].words, "muted")
        self.months.setPlaceholderText(found[1].example)
        self._fit_model()

    @Slot()
    def _fit_model(self) -> None:
        """Make the model beside a trace as large as it: jobs, users, load."""
        if self._facts is None or not self.beside.isChecked():
            return
        facts = self._facts[1]
        self._fit_jobs()
        self.people.setValue(facts.users)
        self.load.setValue(round(100 * facts.load) if facts.load is not None else 0)

    @Slot()
    def _fit_jobs(self) -> None:
        if self._facts is not None and self.beside.isChecked():
            self.jobs.setValue(self._facts[1].jobs_of(self.part.read(), self.months.text()))

    def _on_unreadable(self, error: Exception) -> None:
        self._show_about(describe_error(error), "danger")

    def _folder(self) -> Path:
        """Return the folder of a user's trace if it can be written, else the studies folder."""
        trace = self.choice.trace
        if trace and trace not in bundled_traces() and os.access(Path(trace).parent, os.W_OK):
            return Path(trace).parent
        return super()._folder()

    @Slot()
    def _refresh(self) -> None:
        choice = self.choice
        is_trace = not choice.is_generated
        is_model = choice.jobs > 0 and not is_trace
        self.procs.setEnabled(is_trace or is_model)
        self.procs.setSpecialValueText("" if is_model else "as in the trace")
        for field in (self.part, self.users):
            field.setEnabled(is_trace)
        self.form.setRowVisible(self.beside, is_trace)
        self.form.setRowVisible(self._model_row, choice.jobs > 0)
        self.form.setRowVisible(self.inside, is_trace and choice.part != "whole")
        self.months.setEnabled(is_trace and choice.part == "some")
        self.inside.setEnabled(choice.part == "some")
        self.seeds.setEnabled(choice.has_seeds)
        self.windows.setEnabled(any(POLICIES[name].is_by_user for name in choice.policies))
        for setting, settings in self.settings.items():
            is_meant = any(POLICIES[name].means(setting) for name in choice.policies)
            self.form.setRowVisible(settings, is_meant)
        self.clear_problem()
        runs = [*map(_describe_runs, choice.each())]
        self.remark.setText(_REMARKS[len(runs)].format(*runs) if all(runs) else "")
        grow_to_fit(self)

    def _build_ui(self) -> None:
        self._model_row = hbox(
            MutedLabel("Jobs", self), (self.jobs, 1), MutedLabel("Users", self), (self.people, 1),
            MutedLabel("Load, %", self), (self.load, 1), spacing=INHERIT,
        )  # fmt: skip
        self.about.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.lay_out(
            "Run study",
            ("&Name", self.name),
            ("Wor&kload", self._with_button(self.trace, "Trace file…", self.browse_trace)),
            ("", self.about),
            ("&Processors", self.procs),
            ("", self.beside),
            ("&Model", self._model_row),
            ("Pa&rt", hbox(self.part, (self.months, 1), spacing=INHERIT)),
            ("", self.inside),
            ("&Users", self.users),
            ("Policies", grid_of(self.policies)),
            ("Usage weigh&ts", self.settings["weights"]),
            ("Slurm multi&factor", self.settings["multifactor"]),
            ("Fair-share &windows", self.windows),
            ("S&eeds", self.seeds),
            ("S&hare tree", self._with_button(self.shares, "Browse…", self.browse_shares)),
            ("&Save as", self._with_button(self.file, "Browse…", self.browse_file)),
            below=(self.remark,),
            margins=(16, 14, 16, 12),
        )
        self.form.setSpacing(8)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        put_icon(self.buttons.verb, "run", "onaccent")
        self.resize(_WIDTH, self.sizeHint().height())

    def _with_button(self, field: QWidget, words: str, pressed: Callable[[], None]) -> QHBoxLayout:
        button = QPushButton(words, self, autoDefault=False)
        button.setAccessibleName(f"{field.accessibleName()}: {words}")
        button.clicked.connect(pressed)
        return hbox((field, 1), button, spacing=INHERIT)


_REMARKS = {
    1: "{0}. Results are saved beside the file.",
    2: "On the trace {0}; on the model {1}. Results are saved beside the file.",
}
_REPEATS = {
    "seed": ("{cells} for each seed", "{cells}, {each} for each of {repeats} seeds"),
    "month": ("{cells} for each month", "{cells}, {each} for each of {repeats} months"),
    "resampled month": (
        "{cells} for each resampled month", "{cells}, {each} for each of {repeats} resampled months",
    ),
}  # fmt: skip


def _describe_runs(choice: StudyChoice) -> str:
    """Return the number of runs in words, such as `35 runs, 7 for each of 5 seeds`; empty where something is
    wrong.
    """
    count, repeats = choice.runs(), choice.repeats()
    for_each, for_many = _REPEATS["seed" if choice.has_seeds else "month"]
    if choice.users == "resampled" and choice.part != "whole" and not choice.month:
        for_each, for_many = _REPEATS["resampled month"]
    if not count or repeats == 1:
        return count_words(count, "cell") if count else ""
    if repeats is None:
        return for_each.format(cells=count_words(count, "cell"))
    return for_many.format(cells=count_words(count * repeats, "cell"), each=count, repeats=repeats)


def _title(policy: BatchPolicy) -> str:
    """Return a policy's name without its window, which has a separate field."""
    return policy.family
