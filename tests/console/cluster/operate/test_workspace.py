"""The rest of Operate on a cluster: the near-dedicated class, records, how the cluster answers, layouts."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QLabel, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from fsconsole.app.jobs.columns import Field
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.files.questions import Questions
from fsconsole.console.operate.jobs import near_dedicated_line
from fsconsole.console.operate.jobs.cluster_health import PART_COLUMNS, strip_words
from fsconsole.console.operate.jobs.jobs_rows import COLUMN
from fsconsole.console.operate.jobs.near_dedicated_line import layout_of
from fsconsole.console.operate.jobs.near_dedicated_view import class_tip, nodes_words, rules_words
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.style.theme import ThemeMode, colour, theme
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.style.palette import contrast
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.near_dedicated import DedicatedView, NdClass, NdKind, RowKind, TimeRow
from fsconsole.slurm.near_dedicated_of import dedicated_view
from fsconsole.slurm.preemption import Certainty, Displaced, Effect
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.text import moments
from tests.console.cluster import play
from tests.console.conftest import Answers
from tests.texts import says, wording

Publish = Callable[..., None]


def view_of(state: ClusterState) -> DedicatedView:
    return dedicated_view(
        state.settings, state.partitions, state.nodes, state.jobs, state.reservations, play.NOW_S
    )


def test_a_job_is_found_by_its_number(qtbot: QtBot, window: ConsoleWindow, operate: JobsWorkspace) -> None:
    label = operate.controller.state.jobs[0].label  # type: ignore[union-attr]
    window.show_workspace("design")
    window.table.trigger("commands")
    search = window.findChild(CommandSearch)
    assert isinstance(search, CommandSearch)
    QTest.keyClicks(search.box, f"job {label}")
    assert str(search.model.index(0).data()).split()[:2] == ["Job:", label]
    QTest.keyClick(search.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [job.label for job in operate.controller.jobs] == [label])
    assert window.current is operate


# -- the near-dedicated class --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "certainty", "words"),
    [
        (Effect.SUSPEND, Certainty.LIKELY, "Suspended since {at}, probably by 2"),
        (Effect.REQUEUE, Certainty.POSSIBLE, "Requeued at {at}, possibly by 2"),
        (Effect.CANCEL, Certainty.LIKELY, "Cancelled at {at}, probably by 2"),
    ],
)
def test_a_displaced_job_has_its_fate_as_one_sentence(
    effect: Effect, certainty: Certainty, words: str
) -> None:
    lost, taker = (
        Job(job_id=number, user="ann", partition="batch", states=("RUNNING",)) for number in (1, 2)
    )
    row = TimeRow(RowKind.DISPLACED, lost.label, "dedicated", 1000.0, None, 1)
    found = Displaced(lost, effect, (taker,), certainty, 1000)
    (lane,) = layout_of(DedicatedView(2000.0, (), (), (found,), (), (row,), ""), 800, 200).lanes
    message = words.format(at=moments.clock(1000.0))
    assert lane.tip == wording(
        "console.operate.jobs.console-computes-this-slurm-does", name="1 ann", words=message
    )


@pytest.mark.parametrize("width", [1280, 1600])
def test_heads_of_the_classes_are_whole(qtbot: QtBot, operate: JobsWorkspace, width: int) -> None:
    header = operate.near.classes.horizontalHeader()
    model = header.model()
    operate.window().resize(width, 800)
    qtbot.waitUntil(lambda: operate.window().width() == width)
    for column in range(model.columnCount()):
        words = model.headerData(column, Qt.Orientation.Horizontal)
        needed = header.fontMetrics().horizontalAdvance(words) + 12  # with its margins
        assert header.sectionSize(column) >= needed, words


def test_the_class_is_shown_with_who_displaced_whom(operate: JobsWorkspace) -> None:
    table = operate.near.classes
    rows = [table.rows.cells(row) for row in table.rows.rows]
    assert rows[0][::2] == ("dedicated", "1", "2")
    assert rows[0][1].split(", ") == ["tier 20", "CPU ×2"]
    assert rows[-1] == ("ded", wording("console.operate.jobs.reserved-left", left="2 h"), "0", "0", "0")
    dedicated = wording("console.operate.jobs.displaces", name="dedicated", others="batch (suspend)")
    batch = wording("console.operate.jobs.displaces", name="batch", others="scavenge (requeue)")
    rules = [rule.split(", ") for rule in operate.near.rules.text().split("; ")]
    assert rules == [[dedicated, "scavenge (requeue)"], [batch]]
    counts = operate.near.nodes.text()
    assert says(counts, "console.operate.jobs.nodes-of-cpus-busy", used="23", total="32")
    assert counts.partition("; ")[0].removeprefix("Nodes: ").split(", ") == ["2 allocated", "2 mixed"]
    assert operate.near_dock.header._remark.text().startswith(
        "dedicated: " + wording("slurm.running-pending", running="1", pending="1") + ";"
    )


def test_a_reservation_without_a_known_end_is_only_reserved() -> None:
    one = NdClass(kind=NdKind.RESERVATION, name="night", is_near_dedicated=True, nodes=("n1",), cpus=None)
    first, nodes = class_tip(one, 0.0).splitlines()
    assert first.split(": ") == ["Reservation night", "reserved"]
    assert nodes == "1 node"


def test_a_click_in_the_timeline_selects_the_job(operate: JobsWorkspace) -> None:
    line = operate.near.line
    layout = line.shown_layout
    assert layout is not None
    lane = next(lane for lane in layout.lanes if lane.words == "31 fs_ben")
    QTest.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(300, int(lane.y + 5)))
    assert [job.job_id for job in operate.controller.jobs] == [31]
    assert operate.jobs.table.selected_ids == [31]
    message = " ".join(label.text() for label in operate.job.findChildren(QLabel))
    assert "probably by" in message
    assert wording("app.jobs.of-2", label="30", user="fs_kim") in message
    QTest.keyClick(line, Qt.Key.Key_Up)
    assert [job.job_id for job in operate.controller.jobs] == [30]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_edges_of_the_timeline_stand_out_while_it_is_out_of_date(
    operate: JobsWorkspace, mode: ThemeMode
) -> None:
    theme().set_mode(mode)
    line = operate.near.line
    before = line.grab().toImage().pixelColor(2, 2)
    line.show_view(view_of(operate.controller.state), is_muted=True)  # type: ignore[arg-type]
    image = line.grab().toImage()
    ground = image.pixelColor(2, 2)
    assert ground != before
    shown = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    for token in ("accent", "c5", "warn"):
        assert colour(token).name() in shown
        assert contrast(colour(token).name(), ground.name()) >= 3


def test_enter_on_a_class_looks_for_its_jobs(operate: JobsWorkspace) -> None:
    classes = operate.near.classes
    classes.setCurrentIndex(classes.rows.index(0, 0))
    QTest.keyClick(classes, Qt.Key.Key_Return)
    assert operate.jobs.box.text() == "partition=dedicated"
    assert operate.jobs.counts == (2, 16)


def test_a_cluster_without_such_a_class_says_so(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget, publish: Publish
) -> None:
    settings = target.now.settings
    assert settings is not None
    with qtbot.waitSignal(operate.controller.near_changed):
        publish(settings=replace(settings, preempt_type="preempt/none"), reservations=())
    notice = operate.near_dock.body._empty
    assert notice.isVisible()
    assert notice._sentence.text() == wording("slurm.no-partition-of-preempts-another", where="lab")
    assert operate.near.line.shown_layout is None
    assert not operate.near.classes.isVisible()


def test_who_displaces_whom_and_nodes_in_words() -> None:
    view = view_of(play.night_state())
    assert rules_words(view).startswith(
        wording("console.operate.jobs.displaces", name="dedicated", others="batch (suspend)")
    )
    assert nodes_words(replace(view, nodes=())) == ""
    unsaid = tuple(replace(one, busy_cpus=None) for one in view.nodes)
    assert nodes_words(replace(view, nodes=unsaid)).removeprefix("Nodes: ").split(", ") == [
        "2 allocated",
        "2 mixed",
    ]


_KINDS = st.sampled_from([*RowKind])
_TIMES = st.floats(-1e6, 1e6)
_ROWS = st.lists(
    st.builds(
        lambda kind, start, length: TimeRow(
            kind,
            "7",
            "dedicated",
            play.NOW_S + start,
            None if length is None else play.NOW_S + start + length,
            1,
        ),
        _KINDS,
        _TIMES,
        st.none() | st.floats(0, 1e6),
    ),
    max_size=30,
)


@given(rows=_ROWS, width=st.floats(300, 3000), height=st.floats(60, 600))
def test_all_bars_stand_in_their_lanes_and_all_lanes_in_the_widget(
    rows: list[TimeRow], width: float, height: float
) -> None:
    view = replace(view_of(play.night_state()), rows=tuple(rows))
    layout = layout_of(view, width, height)
    assert len(layout.lanes) + layout.more == len(rows)
    assert layout.now_x is not None
    assert layout.axis.left <= layout.now_x <= layout.axis.right
    for above, below in zip(layout.lanes, layout.lanes[1:], strict=False):
        assert above.y + above.height <= below.y + 1e-6
    for lane in layout.lanes:
        for bar in lane.bars:
            assert layout.axis.left - 1e-6 <= bar.x
            assert bar.x + bar.width <= layout.axis.right + 1e-6
            assert bar.width >= 0


# -- how the cluster answers ---------------------------------------------------------------------------------


def test_every_part_says_how_it_was_read(operate: JobsWorkspace, publish: Publish) -> None:
    operate._show_parts()
    parts = dict(play.parts_read())
    parts[PartName.USAGE] = Part(play.NOW_S - 60, 0.4, "sshare: slurmdbd", next_s=play.NOW_S + 30)
    publish(link=Link.PARTLY, parts=parts)
    model = operate.parts.rows
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    publish(link=Link.ANSWERS, parts=play.parts_read())
    publish(link=Link.PARTLY, parts=parts)
    row = [*PartName].index(PartName.USAGE)
    texts = [model.index(row, column).data() for column in range(model.columnCount())]
    assert texts == ["Usage", "fails", "09:39:42", "0.40 s", "09:41:12", "sshare: slurmdbd"]
    problem = wording("targets.slurm.cannot-read-of", names="usage", name="lab", problem="sshare: slurmdbd")
    cannot, _, read = operate.link.words.text().partition(". ")
    assert f"{cannot}." == problem
    assert says(read, "targets.slurm.last-read")
    assert read.split()[-3:] == ["usage", "at", "09:39:42."]
    assert operate.controller.answers  # jobs can be acted on all the same


def test_jobs_that_alone_cannot_be_read_are_reported_where_they_are(
    operate: JobsWorkspace, target: play.PlayTarget, publish: Publish
) -> None:
    parts = dict(play.parts_read())
    parts[PartName.JOBS] = Part(play.NOW_S - 60, 0.4, "slow.")
    publish(link=Link.PARTLY, parts=parts)
    strip = operate.jobs_dock.body._error
    assert strip.isVisible()
    assert strip.text == "Jobs: slow." + wording("console.operate.jobs.as-of-3", as_of_s="09:39:42")
    assert not operate.link.isVisible()  # said once
    assert not operate.controller.is_fresh
    assert operate.controller.answers
    target.refreshed.clear()
    QTest.mouseClick(strip._buttons["Retry"], Qt.MouseButton.LeftButton)
    assert target.refreshed == [(PartName.JOBS,)]
    publish(link=Link.ANSWERS, parts=play.parts_read())
    assert not strip.isVisible()


def test_what_was_never_read_is_not_called_empty(
    qtbot: QtBot, operate: JobsWorkspace, publish: Publish
) -> None:
    with qtbot.waitSignal(operate.controller.near_changed):
        publish(
            link=Link.PARTLY, parts={}, jobs=(), settings=None, partitions=(), nodes=(), reservations=(),
            tree=None, standing=None,
        )  # fmt: skip
    assert operate.jobs.empty._sentence.text() == wording("console.operate.jobs.jobs-have-not-been-read")
    notice = operate.near_dock.body._empty
    assert notice._sentence.text() == wording("console.operate.jobs.partitions-and-reservations-have-not")


def test_retry_and_refresh_read_the_cluster_again(
    operate: JobsWorkspace, target: play.PlayTarget, publish: Publish
) -> None:
    publish(link=Link.NO_ANSWER, parts=play.parts_failed("no route"))
    target.refreshed.clear()
    QTest.mouseClick(operate.link.retry, Qt.MouseButton.LeftButton)
    assert operate.table.trigger("cluster.refresh")
    assert target.refreshed == [(), ()]
    QTest.mouseClick(operate.link.details, Qt.MouseButton.LeftButton)
    assert operate.parts.isVisible()


def test_the_strip_hides_while_all_is_well(operate: JobsWorkspace, publish: Publish) -> None:
    assert not operate.link.isVisible()
    slow = {**play.parts_read(), PartName.USAGE: Part(play.NOW_S, 12.34)}
    publish(link=Link.SLOW, parts=slow)
    assert operate.link.words.text() == wording(
        "console.operate.jobs.answers-slowly-reading-took-s", cluster="lab", slowest="usage", took_s="12.3"
    )
    publish(link=Link.ANSWERS)
    assert not operate.link.isVisible()


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (Link.ANSWERS, ""),
        (Link.CONNECTING, ""),
        (Link.NO_ANSWER, "lab does not respond. No data has been read yet."),
        (Link.SLOW, "lab answers slowly. The console has been reading jobs since 09:40:42."),
    ],
)
def test_links_in_words(link: Link, message: str) -> None:
    parts = {PartName.JOBS: Part(is_reading=link is Link.SLOW, began_s=play.NOW_S)}
    assert strip_words(ClusterState(1, "lab", link, parts)) == message


def test_a_part_that_was_never_read() -> None:
    cells = [column.text((PartName.TREE, Part())) for column in PART_COLUMNS]
    assert tuple(cells) == (
        "Associations",
        "not read",
        "–",
        "–",
        "–",
        "",
    )


def test_a_class_that_rests_says_so(
    qtbot: QtBot, operate: JobsWorkspace, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(operate.controller.near_changed):
        publish(jobs=(), reservations=())
    line = operate.near.line
    assert line.shown_layout is not None
    assert line.shown_layout.lanes == ()
    shown = line.grab().toImage()
    monkeypatch.setattr(near_dedicated_line, "NOTHING", "")
    assert line.grab().toImage() != shown


# -- records -------------------------------------------------------------------------------------------------


def test_what_was_done_is_on_record_the_newest_first(operate: JobsWorkspace, cluster: ClusterSession) -> None:
    operate.records_dock.raise_()
    log = operate.records.audit.log
    assert [log.index(0, column).data() for column in range(1, 7)] == [
        "hale", "Extend", "job 7", "0:30:00", "", "refused",
    ]  # fmt: skip
    assert str(log.index(0, log.place("reason")).data()).split()[-4:] == ["denied", "for", "job", "7"]
    assert log.index(0, 0).data().split() == ["20", "Nov", "09:36"]


def test_the_log_is_exported_with_whole_times_and_commands(
    operate: JobsWorkspace, answers: Answers, tmp_path: Path
) -> None:
    answers.to_save = (tmp_path / "audit.csv", 1)
    assert operate.table.trigger("cluster.export_audit")
    lines = (tmp_path / "audit.csv").read_text("utf-8").splitlines()
    assert lines[0].split(",") == [
        *("Time", "Who", "Action", "On", "Before", "After", "Result", "Reason"),
        wording("console.operate.jobs.command-and-output"),
    ]
    assert lines[2].split(",")[:7] == [
        "2026-11-20 09:36:42",
        "hale",
        "extend",
        "job 7",
        "0:30:00",
        "",
        "refused",
    ]
    expected = "scontrol update JobId=7 TimeLimit=+5"
    assert expected in lines[2]


def test_an_empty_log_says_so(qtbot: QtBot, operate: JobsWorkspace, publish: Publish) -> None:
    operate.records_dock.raise_()
    qtbot.waitUntil(operate.records.isVisible)
    notices = operate.records.audit.findChildren(EmptyNotice)
    assert [one.isVisible() for one in notices] == [False]
    publish(audit=())
    assert [one.isVisible() for one in notices] == [True]
    assert notices[0]._sentence.text() == wording("console.operate.jobs.no-action-on-from-this", name="lab")


def test_a_log_that_cannot_be_written_is_reported(operate: JobsWorkspace, publish: Publish) -> None:
    publish(audit_problem="disk full")
    assert operate.records_dock.header._remark.text() == wording(
        "console.operate.not-written-to-disk", trouble="disk full"
    )


# -- the window ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
def test_all_docks_have_room(
    qtbot: QtBot, operate: JobsWorkspace, window: ConsoleWindow, size: tuple[int, int]
) -> None:
    window.resize(*size)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == size)
    QApplication.processEvents()
    docks = (operate.near_dock, operate.job_dock, operate.jobs_dock)
    assert all(dock.isVisible() and dock.height() > 100 for dock in docks)
    assert operate.jobs.table.height() > 180
    assert operate.jobs_dock.width() > 2 * operate.job_dock.width()
    table = operate.jobs.table
    assert table.horizontalHeader().length() <= table.viewport().width() + 1


def test_the_status_bar_says_what_is_shown(qtbot: QtBot, operate: JobsWorkspace) -> None:
    operate.jobs.table.select([7])
    expected = "16 of 16 jobs shown   1 selected   23 of 32 CPUs busy   Jobs as of 09:40:42"
    assert operate.status_text() == (expected)
    with qtbot.waitSignal(operate.facts_changed):
        operate.jobs.box.setText("fs_kim")
    assert operate.status_text().startswith(
        wording("console.operate.jobs.of-jobs-shown", shown="2", all_of_them="16")
    )


def test_leaving_the_cluster_leaves_nothing_behind(
    operate: JobsWorkspace, cluster: ClusterSession, target: play.PlayTarget
) -> None:
    operate.jobs.table.select([7])
    operate.session.open(None)
    assert operate.controller.state is None
    assert operate.controller.jobs == ()
    assert operate.controller.near is None
    assert operate.verbs.why_not(JobVerb.KILL)
    assert target.is_closed


def test_everything_is_drawn_in_the_dark_too(qtbot: QtBot, operate: JobsWorkspace) -> None:
    operate.jobs.table.select([7])
    table = operate.jobs.table
    at = table.mapTo(operate, QPoint(200, table.height() - 40))

    def lightness() -> int:
        return operate.grab().toImage().pixelColor(at).lightness()

    assert lightness() > 200
    theme().set_mode("dark")
    qtbot.waitUntil(lambda: lightness() < 60)


def test_jobs_that_were_never_read_leave_the_clock_as_it_is(
    operate: JobsWorkspace, target: play.PlayTarget, publish: Publish
) -> None:
    publish(parts={**target.now.parts, PartName.JOBS: Part(problem="squeue not found here:")}, jobs=())
    assert abs(operate.controller.now_s - time.time()) < 3600


def test_notices_do_not_move_the_jobs(qtbot: QtBot, armed: JobsWorkspace, publish: Publish) -> None:
    window, docks = armed.window(), [armed.near_dock, armed.job_dock, armed.jobs_dock, armed.records_dock]
    window.resize(1280, 800)
    seen: list[list[QRect]] = []

    def stand_still() -> bool:
        """Docks get their places one turn of the event loop after the other."""
        seen.append([dock.geometry() for dock in docks])
        return window.height() == 800 and len(seen) > 30 and all(one == seen[-1] for one in seen[-30:])

    qtbot.waitUntil(stand_still)
    before = seen[-1]
    armed.controller.act(JobChange(JobVerb.HOLD, ("19",)))
    qtbot.waitUntil(armed.results.isVisible)
    publish(link=Link.SLOW)
    qtbot.waitUntil(lambda: armed.link.isVisible() and not armed.results.isVisible())
    assert armed.results.is_wanted
    seen.clear()
    qtbot.waitUntil(stand_still)
    assert seen[-1] == before


def test_jobs_are_exported_from_the_menu_through_the_dialog_for_files(
    operate: JobsWorkspace, window: ConsoleWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and columns as the table shows them, in its order, and nothing after a cancel."""
    monkeypatch.setenv("HOME", str(tmp_path))
    operate.questions = Questions(operate)
    menu = next(one for one in window.findChildren(QMenu) if one.title().replace("&", "") == "File")
    action = next(one for one in menu.actions() if one is window.table.qaction("cluster.export_jobs"))
    suggested: list[str] = []

    def answer(button: QDialogButtonBox.StandardButton) -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        (name,) = (one for one in dialog.findChildren(QLineEdit) if one.objectName() == "fileNameEdit")
        suggested.append(name.text())
        name.selectAll()
        QTest.keyClicks(name, "wanted")
        box = dialog.findChild(QDialogButtonBox)
        assert box is not None
        QTest.mouseClick(box.button(button), Qt.MouseButton.LeftButton)
        if dialog.isVisible():  # The test would wait.
            dialog.reject()

    operate.jobs.table.sortByColumn(COLUMN[Field.PRIORITY], Qt.SortOrder.DescendingOrder)
    QTimer.singleShot(0, window, lambda: answer(QDialogButtonBox.StandardButton.Cancel))
    action.trigger()
    assert list(tmp_path.iterdir()) == []
    QTimer.singleShot(0, window, lambda: answer(QDialogButtonBox.StandardButton.Save))
    action.trigger()
    assert suggested == ["jobs-lab.csv"] * 2
    (made,) = tmp_path.iterdir()
    assert made.name == "wanted.csv"
    rows = list(csv.reader(made.read_text("utf-8").splitlines()))
    table = operate.jobs.table
    seen = [at for at in range(table.jobs.columnCount()) if not table.isColumnHidden(at)]
    assert rows[0] == [table.jobs.columns[at].title for at in seen]
    assert [row[0] for row in rows[1:]] == [
        str(table.jobs.index(row, 0).data()).strip() for row in range(table.jobs.rowCount())
    ]
    assert rows[0][0] == "Job"
    priorities = [int(row[rows[0].index("Priority")]) for row in rows[1:]]
    assert priorities == sorted(priorities, reverse=True)
    assert priorities[0] == 120_000
