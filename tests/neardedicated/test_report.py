"""The report in the paper's layout (Figure 3), alerts."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.checkpoint import load, save
from fsconsole.neardedicated.alerts import Situation, alerts_of
from fsconsole.neardedicated.report import TABLES, Table, report_csv, report_text
from fsconsole.neardedicated.view import Alert, JobRow, ReportView, UseRow
from fsconsole.shares.scenario.actions import SetSetting
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.text.durations import duration, short_duration
from tests.neardedicated.nights import OPENS_S, machine_of, night
from tests.texts import says, span, wording

START = datetime(1996, 2, 19, 23, 0)  # noqa: DTZ001 (the machine's own clock)


def ended(start: str, wall: str, setup: str, efficiency: float, swaps: int, swap_s: float) -> JobRow:
    def seconds(text: str) -> float:
        total = 0
        for part in text.split(":"):
            total = total * 60 + int(part)
        return float(total)

    hours, minutes = map(int, start.split(":"))
    start_s = ((hours + 1) % 24 * 60 + minutes) * 60.0
    return JobRow(
        1, "sbert", "ccm", start_s, seconds(wall), seconds(setup), efficiency, 0, swaps, swap_s, 47.0, 27.3,
        210.0, 5e4, 0, "ended",
    )  # fmt: skip


# Figure 3 of Brady, Ciuffini and Hardy.
JOBS = (
    ended("23:00", "2:12:42", "6:52", 0.899, 1, 29),
    ended("01:13", "2:14:50", "7:20", 0.888, 3, 65),
    ended("03:28", "2:16:31", "12:06", 0.912, 1, 18),
)
USE = (
    UseRow(300, 0.92, 0.04, 0.04, 702, "sbert", None, 0.4, 0, 0, 0),
    UseRow(600, 0.83, 0.05, 0.12, 755, "sbert", 0.536, 27.3, 430080, 0, 1),
    UseRow(900, 0.96, 0.04, 0.00, 1257, "sbert", 0.899, 27.3, 430080, 0, 1),
    UseRow(1200, 0.94, 0.03, 0.03, 600),
)
REPORT = ReportView(35.0, None, JOBS, USE, 0.96, 0.04, 0.01, 1115.0)


def words(text: str, start: str) -> str:
    return " ".join(next(line for line in text.splitlines() if line.strip().startswith(start)).split())


def test_the_summary_and_its_averages_are_the_papers() -> None:
    text = report_text(REPORT, START)
    assert says(text, "neardedicated.near-dedicated-performance-report", when="")
    assert "23:00:35 1996" in text
    assert "Feb 19" in text
    numbers = ["0", "1", "29", "27.3", "210.0"]
    assert words(text, "sbert").split() == ["sbert", "23:00", "2:12:42", "6:52", "89.9", *numbers]
    numbers = ["0", "1", "37", "27.3", "210.0"]
    assert words(text, "Average").split() == ["Average", "2:14:41", "8:46", "90.0", *numbers]
    assert ["User", "96"] in [line.split() for line in text.splitlines()]


@given(st.floats(0, 36_000), st.floats(0, 36_000))
def test_times_are_cut_as_in_the_status(wall_s: float, setup_s: float) -> None:
    """A setup of 6:55.98 was 6:55 in one place and 6:56 in the other."""
    row = replace(JOBS[0], wall_s=wall_s, setup_s=setup_s)
    text = report_text(replace(REPORT, jobs=(row,)), START)
    cut = [duration(wall_s), short_duration(setup_s)]
    assert words(text, "sbert").split()[2:4] == words(text, "Average").split()[1:3] == cut


def test_the_usage_table_is_the_papers() -> None:
    text = report_text(REPORT, START)
    rows = {time: words(text, time).split()[1:] for time in ("23:05", "23:10", "23:15", "23:20")}
    assert rows == {
        "23:05": ["92", "4", "4", "702", "sbert", "-1.0", "0.4", "0", "0", "0"],
        "23:10": ["83", "5", "12", "755", "sbert", "53.6", "27.3", "430080", "0", "1"],
        "23:15": ["96", "4", "0", "1257", "sbert", "89.9", "27.3", "430080", "0", "1"],
        "23:20": ["94", "3", "3", "600"],
    }


def test_a_line_comes_to_a_hundred() -> None:
    use = tuple(UseRow(60 * row, row / 160, row / 480, 1 - row / 120, 0) for row in range(120))
    text = report_text(ReportView(0, 1, (), use, 0.256, 0.256, 0.488, 0), START)
    rows = [list(map(int, line.split()[1:4])) for line in text.splitlines()[-120:]]
    assert {sum(row) for row in rows} == {100}
    below = text[text.index("Utilization") :]
    summary = [int(words(below, f"{name} ").split()[1]) for name in ("User", "System  ", "Idle")]
    assert summary == [26, 26, 48]


def test_a_window_that_opens_now_has_no_percentages() -> None:
    text = report_text(ReportView(0.0, None, (), (), 0.0, 0.0, 0.0, 0.0), START)
    assert says(text, "neardedicated.no-time-has-passed")
    assert "Idle " not in text


def test_parts_are_of_the_processors_that_were_there() -> None:
    machine = machine_of(events=((OPENS_S + 650, SetSetting("machine.cpus", 1)),))
    machine.advance_to(OPENS_S + 1200)
    report = night(machine).night
    assert report is not None
    before, changing, after = report.use[0], report.use[2], report.use[3]
    assert before.user + before.system == pytest.approx(0.75)  # three processes on four processors
    # 50 s of four processors, three of them busy, and 250 s of one.
    for row, busy in ((changing, (50 * 3 + 250) / (50 * 4 + 250)), (after, 1.0)):
        assert row.user + row.system == pytest.approx(busy, abs=0.02)
        assert row.user + row.system + row.idle == pytest.approx(1.0)
    again = load(save(machine), machine.scenario, machine.makers)
    assert night(again).night == report


def test_columns_stand_under_their_heads() -> None:
    lines = report_text(REPORT, START).splitlines()
    head = next(line for line in lines if "SwpTm" in line)
    row = next(line for line in lines if line.startswith("  sbert"))
    for name, value in (("Wall", "2:12:42"), ("Setup", "6:52"), ("Eff", "89.9"), ("MxSDS", "210.0")):
        assert head.index(name) + len(name) == row.index(value) + len(value)
    head = next(line for line in lines if "Mflp" in line)
    row = next(line for line in lines if line.startswith("  23:10"))
    for name, value in (("Mflp", "755"), ("Eff", "53.6"), ("SDS", "430080")):
        assert head.index(name) + len(name) == row.index(value) + len(value)


def test_a_night_without_jobs() -> None:
    empty = ReportView(0.0, 600.0, (), (), 0.0, 0.0, 1.0, 0.0)
    assert says(report_text(empty, START), "neardedicated.no-job-has-ended")
    assert [len(report_csv(empty, START, table).splitlines()) for table in TABLES] == [1, 1]


def test_a_failed_job_shows_its_exit_status() -> None:
    failed = ended("23:00", "0:10:00", "0:00", 0.5, 0, 0)
    failed = JobRow(
        **{name: getattr(failed, name) for name in JobRow.__dataclass_fields__} | {"exit_status": 1}
    )
    text = report_text(ReportView(0.0, None, (failed,), (), 0, 0, 1, 0), START)
    assert words(text, "sbert").split()[-2:] == ["210.0", "1"]


@pytest.mark.parametrize("table", TABLES)
def test_csv_is_one_table_that_other_programs_read(table: Table) -> None:
    noisy = replace(REPORT, use=tuple(replace(row, idle=8.32667e-16) for row in REPORT.use))
    text = report_csv(noisy, START, table)
    frame = pl.read_csv(text.encode(), try_parse_dates=True)
    assert frame.height == len(REPORT.jobs if table == "jobs" else REPORT.use)
    numeric = [name for name, kind in frame.schema.items() if kind.is_numeric()]
    units = ("_s", "_fraction", "_count", "_mw", "request", "exit_status")
    assert all(name.endswith(units) for name in numeric)
    dates = [name for name, kind in frame.schema.items() if kind.is_temporal()]
    assert dates == ["start" if table == "jobs" else "end"]
    cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
    assert not [cell for cell in cells if re.fullmatch(r"-?[\d.]+e[+-]?\d+", cell)], "no exponents"


def test_csv_has_the_values_of_the_report() -> None:
    jobs = pl.read_csv(report_csv(REPORT, START, "jobs").encode(), try_parse_dates=True)
    assert jobs["start"][0] == START
    assert jobs["wall_s"][0] == 7962
    assert jobs["efficiency_fraction"].to_list() == [row.efficiency for row in REPORT.jobs]
    use = pl.read_csv(report_csv(REPORT, START, "use").encode(), try_parse_dates=True)
    assert use["end"][0] == START + timedelta(minutes=5)
    assert use["job_efficiency_fraction"].to_list() == [row.efficiency for row in REPORT.use]
    assert use["job_sds_mw"].to_list() == [row.sds_clicks * 512 / 2**20 for row in REPORT.use]


SPEC = NearDedicatedSpec()
QUIET: dict[str, Any] = {
    "time_s": 3600.0,
    "request": 41877,
    "label": "sbert ccm",
    "started_s": 600.0,
    "efficiency": 0.9,
    "below_since_s": None,
    "deadline_s": 9000.0,
    "sds_since_s": None,
    "sds_mw": 210.0,
}


def keys(**given: Any) -> list[str]:
    return [alert.key for alert in alerts(**given)]


def alerts(**given: Any) -> list[Alert]:
    return alerts_of(Situation(**(QUIET | given)), SPEC, START)


def test_nothing_to_tell() -> None:
    assert keys() == []


def test_low_efficiency_is_reported_after_a_while() -> None:
    low: dict[str, Any] = {"efficiency": 0.7, "below_since_s": 3000.0}
    assert keys(**low, time_s=3899.0) == []
    assert keys(**low, time_s=3900.0) == ["efficiency:41877"]
    (alert,) = alerts(**low, time_s=3000.0 + 28 * 60)
    assert alert.text == wording(
        "neardedicated.has-run-at-below-for",
        label="sbert ccm",
        efficiency="70.0\xa0%",
        required_efficiency="88\xa0%",
        time_s="28 min",
    )
    assert alert.since_s == 3000.0
    assert keys(efficiency=None, below_since_s=3000.0, time_s=9000.0 - 1000) == []


def test_the_watchdog_is_reported_before_it_kills() -> None:
    assert keys(time_s=8099.0) == []
    assert keys(time_s=8100.0) == ["watchdog:41877"]
    (alert,) = alerts(time_s=9000.0 - 260)
    assert (alert.text, alert.since_s) == (
        wording(
            "neardedicated.watchdog-will-kill-at-in",
            label="sbert ccm",
            start="01:30",
            left_s=span(min=4, s=20),
        ),
        8100.0,
    )
    assert alerts(started_s=8500.0, time_s=8600.0)[0].since_s == 8500.0  # not before there was a job


def test_starving_for_sds_is_reported() -> None:
    assert keys(sds_since_s=3480.0) == []
    alerts = alerts_of(Situation(**(QUIET | {"sds_since_s": 3000.0})), SPEC, START)
    assert [(alert.key, alert.level, alert.since_s) for alert in alerts] == [("sds:41877", "danger", 3000.0)]
    assert alerts[0].text == wording(
        "neardedicated.has-waited-for-mw-of", label="sbert ccm", sds_mw="210.0", waited="10 min"
    )
