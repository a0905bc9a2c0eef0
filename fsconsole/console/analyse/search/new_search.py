"""The dialog for a new search: goals, what may be set, months; it writes the file and has it run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from fsconsole.app.study.choice import (
    TraceFacts,
    placed,
    trace_facts,
)
from fsconsole.app.study.search_choice import SEARCHED, SearchChoice, usual_months
from fsconsole.batch.policy import POLICIES, POLICY_WORDS
from fsconsole.batch.search.plan import plan_search
from fsconsole.batch.search.spec import SearchSpec
from fsconsole.batch.study.bundled import bundled_traces
from fsconsole.console.analyse.study.new_file_dialog import NewFileDialog, grid_of
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.forms import ChoiceField, CountField, Fields, NumberField, TextField
from fsconsole.console.kit.tasks import describe_error, run_and_wait
from fsconsole.console.style.icons import put_icon
from fsconsole.console.widgets.boxes import INHERIT, hbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.shares.files import write_atomic

_WIDTH = 640


class NewSearchDialog(NewFileDialog):
    """Asks for goals and varying parameters. Signals: made(path) of the search's file, to run it."""

    def __init__(self, questions: Questions, parent: QWidget | None = None) -> None:
        usual = SearchChoice("Group that must get its share")
        super().__init__("Search settings", usual.name, questions, parent)
        self.procs = CountField("Processors", 0, 10_000_000, 0, self)
        self.train = TextField("Months for choosing settings")
        self.test = TextField("Held-out months", "", "all others")
        self.users = TextField("Users of the group", "", "none: no group is measured")
        self.share = NumberField("Share of the used time", 0.1, 100.0, decimals=1, parent=self)
        self.within = NumberField("Largest shortfall, in points", 0.0, 100.0, decimals=1, parent=self)
        self.days = CountField("Days", 1, 366, usual.days, self)
        self.growth = NumberField("Largest growth of waits", 0.0, 1000.0, step=0.1, parent=self)
        self.baseline = ChoiceField(
            "Baseline", tuple((name, policy.family) for name, policy in POLICIES.items()), self
        )
        self.policies = {name: QCheckBox(policy.family, self) for name, policy in POLICIES.items()}
        self.windows = TextField("Fair-share windows", usual.window)
        self.half_life = TextField("Half-lives", usual.half_life, "usage is forgotten after each window")
        self.budget = CountField("Settings", 10, 1_000_000, usual.budget, self)
        self._fields = Fields(
            self, name=self.name, procs=self.procs, train=self.train, test=self.test, users=self.users,
            share=self.share, within=self.within, days=self.days, growth=self.growth,
            baseline=self.baseline, window=self.windows, half_life=self.half_life, budget=self.budget,
        )  # fmt: skip
        self._fields.fill(usual)
        self._fill()
        self._build_ui()
        self._connect_signals()
        self._name_file()
        self._read_trace()

    @property
    def choice(self) -> SearchChoice:
        """What is chosen now."""
        policies = tuple(name for name, box in self.policies.items() if box.isChecked())
        trace = str(self.trace.currentData() or self.trace.currentText())
        return replace(self._fields.read(SearchChoice("")), trace=trace, policies=policies)

    @Slot()
    def accept(self) -> None:
        """Write the search's file and run it; a fault is shown and the dialog stays."""
        self._write(self._written)

    def _written(self) -> Path:
        if self._tasks.is_busy("trace"):  # Enter right after a trace means the months of that trace.
            self._tasks.cancel("trace")
            self._on_facts(run_and_wait(partial(trace_facts, self.choice.trace), self))
        choice = self.choice
        path = placed(Path(self.file.text().strip()), "search")
        spec = choice.spec(path.parent)
        run_and_wait(partial(_check, spec), self)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, choice.text())
        return path

    # -- inside -------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        for name in bundled_traces():
            self.trace.addItem(name, name)
        self.trace.setAccessibleName("Trace")
        self.procs.setSpecialValueText("as in the trace")
        self.within.setSpecialValueText("no bound")
        self.growth.setSpecialValueText("no bound")
        self.growth.setToolTip("Wait divided by the baseline's wait, at most. 1.2 allows a fifth more")
        for name, box in self.policies.items():
            box.setChecked(name in SEARCHED)
            box.setToolTip(f"{POLICY_WORDS[name]} ({name})")

    def _connect_signals(self) -> None:
        for part in (self._fields, self.file):
            part.changed.connect(self.clear_problem)
        self.trace.currentIndexChanged.connect(self._read_trace)

    @Slot()
    def _read_trace(self) -> None:
        trace = self.choice.trace
        self.about.say(f"Reading {Path(trace).name}…", "muted")
        for months in (self.train, self.test):
            months.setModified(False)
        self._tasks.run(partial(trace_facts, trace), self._on_facts, self._on_unreadable, latest="trace")

    def _on_facts(self, facts: TraceFacts) -> None:
        self.about.say(facts.words, "muted")
        for months, usual in zip((self.train, self.test), usual_months(facts), strict=True):
            if not months.isModified():  # Months typed while the trace was read stay.
                months.setText(usual)

    def _on_unreadable(self, error: Exception) -> None:
        self.about.say(describe_error(error), "danger")

    def _build_ui(self) -> None:
        browse = QPushButton("Trace file…", self, autoDefault=False)
        browse.clicked.connect(self.browse_trace)
        share = hbox(
            self.share, MutedLabel("% within", self), self.within, MutedLabel("points over all users", self),
            self.days, MutedLabel("days", self), 0, spacing=INHERIT,
        )  # fmt: skip
        growth = hbox(
            self.growth, MutedLabel("times the wait under", self), (self.baseline, 1), spacing=INHERIT
        )
        self.lay_out(
            "Search",
            ("&Name", self.name),
            ("&Trace", hbox((self.trace, 1), browse, spacing=INHERIT)),
            ("", self.about),
            ("&Processors", self.procs),
            ("&Choose on", self.train),
            ("&Hold out", self.test),
            ("&Users of the group", self.users),
            ("Their &share", share),
            ("p95 of any &wait", growth),
            ("Policies", grid_of(self.policies)),
            ("Fair-share w&indows", self.windows),
            ("Half-&lives", self.half_life),
            ("S&ettings to try", self.budget),
            ("Sa&ve as", self.file),
            margins=(16, 14, 16, 12),
        )
        put_icon(self.buttons.verb, "run", "onaccent")
        self.resize(_WIDTH, self.sizeHint().height())


def _check(spec: SearchSpec) -> None:
    """Read all that the search is of, in a thread; raise what is wrong with it."""
    try:
        plan_search(spec)
    except OSError as error:
        msg = f"Cannot read {error.filename}: {error.strerror or error}. Choose another file."
        raise ValueError(msg) from error
